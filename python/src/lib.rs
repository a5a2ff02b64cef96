//! The extension module `evert._evert`: programs, functions, calls.
//!
//! In: Python's objects, NumPy's arrays, texts of programs. Out: the same, or exceptions; no panic and no signal crosses the border, and
//! nothing is printed that the host didn't ask for. What is pure Python (derived functions, JAX, PyTorch, notebooks) is in `evert/`.
//!
//! Read [`program`] (a program and the session that runs it), [`function`] (a call, from arguments to result), [`tree`] (arguments as a
//! key and leaves), [`values`] and [`results`] (what crosses the border), [`foreign`] (functions of Python's), [`error`], [`engine`] (where LLVM comes from), [`interrupts`] (Ctrl-C), [`forks`], [`exits`],
//! [`xla`] (calls from JAX's programs).

mod allocator;
mod engine;
mod error;
mod exits;
mod foreign;
mod forks;
mod function;
mod interrupts;
mod output;
mod program;
mod results;
mod tree;
mod values;
mod xla;

use pyo3::prelude::*;

#[global_allocator]
static ALLOCATOR: allocator::Counting = allocator::Counting;

#[pymodule]
fn _evert(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("VERSION", evert::VERSION)?;
    engine::set_threads(None);
    module.add_class::<program::Program>()?;
    module.add_class::<function::Function>()?;
    module.add_class::<values::Variant>()?;
    module.add_class::<values::Callable>()?;
    module.add_function(wrap_pyfunction!(allocator::set_memory_limit, module)?)?;
    module.add_function(wrap_pyfunction!(engine::set_threads, module)?)?;
    module.add_function(wrap_pyfunction!(allocator::memory, module)?)?;
    module.add_function(wrap_pyfunction!(engine::use_llvm, module)?)?;
    module.add_function(wrap_pyfunction!(engine::engine, module)?)?;
    module.add_function(wrap_pyfunction!(engine::self_test, module)?)?;
    module.add_function(wrap_pyfunction!(exits::ending, module)?)?;
    module.add_function(wrap_pyfunction!(forks::before_fork, module)?)?;
    module.add_function(wrap_pyfunction!(forks::after_fork_in_parent, module)?)?;
    module.add_function(wrap_pyfunction!(forks::after_fork_in_child, module)?)?;
    module.add_function(wrap_pyfunction!(interrupts::main_thread, module)?)?;
    module.add_function(wrap_pyfunction!(program::is_complete, module)?)?;
    module.add_function(wrap_pyfunction!(xla::xla_register, module)?)?;
    module.add_function(wrap_pyfunction!(xla::xla_handler, module)?)?;
    Ok(())
}
