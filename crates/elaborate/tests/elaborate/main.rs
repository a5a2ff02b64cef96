//! Elaboration, from source text: what names, captures, patterns and rules become, and every mistake it reports.
//!
//! Whatever elaborates passes the checker of the calculus.

mod captures;
mod comprehensions;
mod expressions;
mod limits;
mod linearity;
mod matching;
mod mistakes;
mod modules;
mod rules;
mod support;
mod top_level;
mod unused;
