//! What things cost. Law 16: the work of a gradient over the work of its function stays bounded as the input grows,
//! for lists, arrays, recursion and loops alike; derived programs are as large as their sources. Deep recursion works.

mod depth;
mod size;
mod time;

use evert_testkit as testkit;
