//! Solvers: what is done with the elements' rows.

pub mod pbd;
