//! Continuum-based Strain Limiting.

pub mod dress;
pub mod strain;
pub mod table;
