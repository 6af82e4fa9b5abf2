//! Cloth Simulation Using Soft Constraints.

pub mod dress;
pub mod energy;
mod hanging;
pub mod strain;
