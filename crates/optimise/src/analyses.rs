//! Analyses: what passes know of a program. Nothing here changes one.

pub mod call_graph;
pub mod cost;
pub mod effects;
pub mod liveness;
pub mod parts;
pub mod places;
pub mod points_to;
