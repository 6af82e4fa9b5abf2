//! What is wrong with a generator's parameters, and the checks all generators share.

use std::fmt;

/// The most triangles or tetrahedra a generator makes. More is taken for a typing error, which must not fill the
/// memory.
pub const MAX_ELEMENTS: u32 = 20_000_000;

/// The smallest length a generator accepts, m.
pub const MIN_LENGTH: f64 = 1e-6;

/// The largest length or coordinate a generator accepts, m.
pub const MAX_LENGTH: f64 = 1e6;

/// A parameter out of which no mesh can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenerateError {
    /// The parameter's name, as in its struct.
    pub parameter: &'static str,
    /// The value found.
    pub found: String,
    /// What would have been accepted.
    pub expected: String,
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: found {}, expected {}", self.parameter, self.found, self.expected)
    }
}

impl std::error::Error for GenerateError {}

impl GenerateError {
    pub(super) fn new(parameter: &'static str, found: impl fmt::Display, expected: impl fmt::Display) -> Self {
        Self { parameter, found: found.to_string(), expected: expected.to_string() }
    }
}

/// A length that must not be zero.
pub(super) fn check_length(parameter: &'static str, value: f64) -> Result<(), GenerateError> {
    // A range test is false for NaN, so NaN is refused too.
    if (MIN_LENGTH..=MAX_LENGTH).contains(&value) {
        return Ok(());
    }
    Err(GenerateError::new(parameter, value, format!("a length from {MIN_LENGTH} to {MAX_LENGTH} m")))
}

/// Three lengths that must not be zero.
pub(super) fn check_lengths(parameter: &'static str, values: [f64; 3]) -> Result<(), GenerateError> {
    values.iter().try_for_each(|&value| check_length(parameter, value))
}

/// A point.
pub(super) fn check_point(parameter: &'static str, point: [f64; 3]) -> Result<(), GenerateError> {
    if point.iter().all(|x| x.abs() <= MAX_LENGTH) {
        return Ok(());
    }
    let expected = format!("coordinates from -{MAX_LENGTH} to {MAX_LENGTH} m");
    Err(GenerateError::new(parameter, format!("{point:?}"), expected))
}

/// A number of vertices, cells or rings.
pub(super) fn check_count(parameter: &'static str, value: u32, least: u32) -> Result<(), GenerateError> {
    if value >= least {
        return Ok(());
    }
    Err(GenerateError::new(parameter, value, format!("at least {least}")))
}

/// The number of elements that the parameters ask for, as a product that may be far beyond 64 bits.
pub(super) fn check_elements(parameter: &'static str, factors: &[u32]) -> Result<(), GenerateError> {
    let product = factors.iter().fold(1_u128, |product, &factor| product.saturating_mul(u128::from(factor)));
    if product <= u128::from(MAX_ELEMENTS) {
        return Ok(());
    }
    let expected = format!("at most {MAX_ELEMENTS} triangles or tetrahedra");
    Err(GenerateError::new(parameter, format!("{product} elements"), expected))
}
