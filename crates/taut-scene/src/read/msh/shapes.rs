//! Gmsh's kinds of elements.

/// What an element is good for here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Use {
    /// The first three nodes are a triangle.
    Triangle,
    /// The first four nodes are a quad.
    Quad,
    /// The first four nodes are a tetrahedron.
    Tet,
    /// Points and lines: they say which nodes belong to a group.
    GroupsOnly,
    /// Nothing.
    Skip,
}

impl Use {
    pub fn corners(self) -> usize {
        match self {
            Self::Triangle => 3,
            Self::Quad | Self::Tet => 4,
            Self::GroupsOnly | Self::Skip => usize::MAX,
        }
    }
}

/// A kind of element.
pub(super) struct Shape {
    /// Gmsh's number for it.
    kind: i64,
    pub dimension: i64,
    pub nodes: usize,
    pub used_as: Use,
    pub plural: &'static str,
}

const fn shape(kind: i64, dimension: i64, nodes: usize, used_as: Use, plural: &'static str) -> Shape {
    Shape { kind, dimension, nodes, used_as, plural }
}

/// All kinds up to order 5 that Gmsh's manual lists; without the number of nodes an element cannot even be skipped.
const SHAPES: [Shape; 33] = [
    shape(1, 1, 2, Use::GroupsOnly, "lines"),
    shape(2, 2, 3, Use::Triangle, "triangles"),
    shape(3, 2, 4, Use::Quad, "quads"),
    shape(4, 3, 4, Use::Tet, "tetrahedra"),
    shape(5, 3, 8, Use::Skip, "hexahedra"),
    shape(6, 3, 6, Use::Skip, "prisms"),
    shape(7, 3, 5, Use::Skip, "pyramids"),
    shape(8, 1, 3, Use::GroupsOnly, "lines"),
    shape(9, 2, 6, Use::Triangle, "triangles"),
    shape(10, 2, 9, Use::Quad, "quads"),
    shape(11, 3, 10, Use::Tet, "tetrahedra"),
    shape(12, 3, 27, Use::Skip, "hexahedra"),
    shape(13, 3, 18, Use::Skip, "prisms"),
    shape(14, 3, 14, Use::Skip, "pyramids"),
    shape(15, 0, 1, Use::GroupsOnly, "points"),
    shape(16, 2, 8, Use::Quad, "quads"),
    shape(17, 3, 20, Use::Skip, "hexahedra"),
    shape(18, 3, 15, Use::Skip, "prisms"),
    shape(19, 3, 13, Use::Skip, "pyramids"),
    shape(20, 2, 9, Use::Triangle, "triangles"),
    shape(21, 2, 10, Use::Triangle, "triangles"),
    shape(22, 2, 12, Use::Triangle, "triangles"),
    shape(23, 2, 15, Use::Triangle, "triangles"),
    shape(24, 2, 15, Use::Triangle, "triangles"),
    shape(25, 2, 21, Use::Triangle, "triangles"),
    shape(26, 1, 4, Use::GroupsOnly, "lines"),
    shape(27, 1, 5, Use::GroupsOnly, "lines"),
    shape(28, 1, 6, Use::GroupsOnly, "lines"),
    shape(29, 3, 20, Use::Tet, "tetrahedra"),
    shape(30, 3, 35, Use::Tet, "tetrahedra"),
    shape(31, 3, 56, Use::Tet, "tetrahedra"),
    shape(92, 3, 64, Use::Skip, "hexahedra"),
    shape(93, 3, 125, Use::Skip, "hexahedra"),
];

impl Shape {
    pub fn find(kind: i64) -> Option<&'static Self> {
        SHAPES.iter().find(|shape| shape.kind == kind)
    }
}
