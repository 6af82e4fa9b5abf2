//! Why a limiter cannot be made.

use core::fmt;

/// Why a limiter cannot be made. The message names what was found and what was expected.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LimitError {
    /// More vertices than can be addressed.
    TooManyVertices {
        /// How many there would be.
        count: usize,
    },
    /// An element refers to a vertex that does not exist.
    Index {
        /// The kind of element.
        element: &'static str,
        /// Which one, from 0.
        number: usize,
        /// The vertex it refers to.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A setting is out of range or not a number.
    Parameter {
        /// The setting.
        name: &'static str,
        /// Its value.
        found: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// A list that runs parallel to the elements has another length.
    Length {
        /// The list.
        list: &'static str,
        /// Its length.
        found: usize,
        /// The number of elements.
        expected: usize,
    },
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LimitError::TooManyVertices { count } => write!(f, "{count} vertices are more than can be addressed"),
            LimitError::Index { element, number, vertex, vertices } => {
                write!(f, "{element} {number} refers to vertex {vertex}, but there are {vertices} vertices")
            }
            LimitError::Parameter { name, found, expected } => write!(f, "{name} is {found}; expected {expected}"),
            LimitError::Length { list, found, expected } => {
                write!(f, "{list} has {found} entries; expected {expected}, one for each element")
            }
        }
    }
}

impl std::error::Error for LimitError {}

/// The error of a setting that is out of range.
pub(super) fn bad<A>(name: &'static str, found: f64, expected: &'static str) -> Result<A, LimitError> {
    Err(LimitError::Parameter { name, found, expected })
}
