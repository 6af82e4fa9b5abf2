//! Solvers: what is done with the elements' rows.

pub mod aero;
mod lanewise;
pub mod pbd;

#[cfg(test)]
mod tests;
