//! What can be wrong with what a builder is given, and what is odd but can be helped.

use core::fmt;

/// Why a model cannot be built. The message names the body, the element and what was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// No vertex was added.
    Empty,
    /// More vertices than can be addressed.
    TooManyVertices {
        /// How many there would be.
        count: usize,
    },
    /// A position is not finite, or too far away.
    Position {
        /// The vertex, counted from the first of this call.
        vertex: usize,
        /// Its position.
        found: [f64; 3],
    },
    /// An element refers to a vertex that does not exist.
    Index {
        /// The body.
        body: String,
        /// The kind of element.
        element: &'static str,
        /// Which one, from 0.
        number: usize,
        /// The vertex it refers to.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A parameter is out of range or not a number.
    Parameter {
        /// The body.
        body: String,
        /// The parameter.
        name: &'static str,
        /// Its value.
        found: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// A vertex has a mass that cannot be computed with.
    Mass {
        /// The vertex.
        vertex: u32,
        /// Its mass, kg.
        found: f64,
    },
    /// A list that runs parallel to the elements has another length.
    Length {
        /// The body.
        body: String,
        /// The list.
        list: &'static str,
        /// Its length.
        found: usize,
        /// The number of elements.
        expected: usize,
    },
    /// A strain limiter is for a body that does not exist.
    LimitBody {
        /// The limiter, from 0.
        number: usize,
        /// Its name.
        kind: &'static str,
        /// The body it is for.
        body: usize,
        /// How many bodies there are.
        bodies: usize,
    },
    /// A strain limiter is for a body, or for a model, that has nothing it limits.
    LimitKind {
        /// The limiter, from 0.
        number: usize,
        /// Its name.
        kind: &'static str,
        /// The body it is for, or nothing if it is for all.
        body: String,
    },
    /// A row of a constraint of the user's own cannot be used.
    Constraint {
        /// What the constraint calls itself.
        name: String,
        /// The row, from 0.
        row: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// No element of the body can be used.
    NothingLeft {
        /// The body.
        body: String,
        /// The kind of element.
        element: &'static str,
        /// How many were given.
        given: usize,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Empty => write!(f, "the model has no vertices"),
            BuildError::TooManyVertices { count } => write!(f, "{count} vertices are more than can be addressed"),
            BuildError::Position { vertex, found } => {
                write!(f, "vertex {vertex} is at {found:?}; expected finite coordinates within 10,000 km")
            }
            BuildError::Index { body, element, number, vertex, vertices } => {
                write!(f, "{}{element} {number} refers to vertex {vertex}, but there are {vertices} vertices", Of(body))
            }
            BuildError::Parameter { body, name, found, expected } => {
                write!(f, "{}{name} is {found}; expected {expected}", Of(body))
            }
            BuildError::Mass { vertex, found } => {
                write!(f, "vertex {vertex} has a mass of {found} kg; expected 1e-12 to 1e12 kg")
            }
            BuildError::Length { body, list, found, expected } => {
                write!(f, "{}{list} has {found} entries; expected {expected}, one for each element", Of(body))
            }
            BuildError::LimitBody { number, kind, body, bodies } => {
                write!(f, "limit {number} ('{kind}') is for body {body}, but there are {bodies} bodies")
            }
            BuildError::LimitKind { number, kind, body } => {
                write!(f, "{}nothing that limit {number} ('{kind}') could limit", Of(body))
            }
            BuildError::Constraint { name, row, what } => write!(f, "{}row {row}: {what}", Of(name)),
            BuildError::NothingLeft { body, element, given } => {
                write!(f, "{}none of the {given} {element} elements can be used", Of(body))
            }
        }
    }
}

impl std::error::Error for BuildError {}

/// Something odd that the builder found, and what it did.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// The body, or nothing if it concerns the whole model.
    pub body: String,
    /// What is odd.
    pub what: Oddity,
    /// How many elements are.
    pub count: usize,
    /// The first of them.
    pub first: usize,
}

/// Kinds of [`Warning`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Oddity {
    /// Triangles without area are left out.
    NoArea,
    /// Triangles that repeat another are left out.
    DuplicateTriangle,
    /// Edges with three or more triangles do not bend.
    NonManifoldEdge,
    /// Vertices that nothing gives a mass are held in place.
    NoMass,
    /// Triangles whose texture coordinates are missing or unusable take the grain from the given direction.
    NoGrain,
    /// So many texture coordinates are unusable that all triangles take the grain from the given direction.
    ScrambledGrain,
    /// Tetrahedra without volume are left out.
    NoVolume,
    /// Tetrahedra that repeat another are left out.
    DuplicateTet,
    /// Tetrahedra that are inside out are turned.
    InsideOut,
    /// Frames that are not three perpendicular unit vectors are replaced by the world axes.
    BadFrame,
    /// Springs between vertices at one place have no direction to act along, and are left out.
    NoLength,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (thing, what) = match self.what {
            Oddity::NoArea => ("triangle", "without area, left out"),
            Oddity::DuplicateTriangle => ("triangle", "repeating another, left out"),
            Oddity::NonManifoldEdge => ("edge", "with three or more triangles, left without bending"),
            Oddity::NoMass => ("vertex", "without mass, held in place"),
            Oddity::NoGrain => ("triangle", "without usable texture coordinates, grain taken from the given direction"),
            Oddity::ScrambledGrain => {
                ("triangle", "with unusable texture coordinates, too many: all grain taken from the given direction")
            }
            Oddity::NoVolume => ("tetrahedron", "without volume, left out"),
            Oddity::DuplicateTet => ("tetrahedron", "repeating another, left out"),
            Oddity::InsideOut => ("tetrahedron", "inside out, turned"),
            Oddity::NoLength => ("spring", "without length, left out"),
            Oddity::BadFrame => ("tetrahedron", "whose frame is not orthonormal, aligned with the world"),
        };
        let things = match (thing, self.count) {
            (_, 1) => thing.to_owned(),
            ("vertex", _) => "vertices".to_owned(),
            ("tetrahedron", _) => "tetrahedra".to_owned(),
            _ => format!("{thing}s"),
        };
        let vertex = if self.what == Oddity::NonManifoldEdge { "at vertex" } else { thing };
        write!(f, "{}{} {things} {what} (first: {vertex} {})", Of(&self.body), self.count, self.first)
    }
}

/// `'name': ` or nothing.
struct Of<'a>(&'a str);

impl fmt::Display for Of<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "'{}': ", self.0) }
    }
}
