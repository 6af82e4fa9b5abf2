//! A pattern: panels cut from flat cloth, and the seams between them.

use serde::{Deserialize, Serialize};

/// A garment as a pattern maker has it. Lengths are in m, whatever the file's units.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pattern {
    /// What people call it.
    pub name: String,
    /// The pieces of cloth.
    pub panels: Vec<Panel>,
    /// What is sewn to what.
    #[serde(default)]
    pub seams: Vec<Seam>,
    /// What was chosen or changed in reading it, a sentence each.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// A piece of cloth, flat: y points up, x to the right.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Panel {
    /// What people call it.
    pub name: String,
    /// A closed loop of edges, counter-clockwise seen from the side that is outside on a body: a back panel that is
    /// placed without being turned runs clockwise in its own plane.
    pub outline: Vec<Edge>,
    /// Closed loops that are cut out. Their edges are counted on from those of the outline.
    #[serde(default)]
    pub holes: Vec<Vec<Edge>>,
    /// Lines within the panel, m: creases, topstitching.
    #[serde(default)]
    pub lines: Vec<Vec<[f64; 2]>>,
    /// Marks on the outline, m.
    #[serde(default)]
    pub notches: Vec<[f64; 2]>,
    /// The direction of the warp, a unit vector.
    #[serde(default = "up")]
    pub grain: [f64; 2],
    /// Where it starts around the body.
    #[serde(default)]
    pub placement: Placement,
}

/// Along y.
pub(super) fn up() -> [f64; 2] {
    [0.0, 1.0]
}

/// An edge of a panel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// Where it begins, m.
    pub from: [f64; 2],
    /// Where it ends, m: where the next one begins.
    pub to: [f64; 2],
    /// What it is like in between.
    #[serde(default)]
    pub curve: Curve,
    /// What the file calls it, if anything.
    #[serde(default)]
    pub label: String,
}

/// The form of an edge. Points are in the panel's coordinates, m.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Curve {
    /// Straight.
    #[default]
    Line,
    /// A Bézier curve with one control point.
    Quadratic {
        /// Its control point.
        control: [f64; 2],
    },
    /// A Bézier curve with two control points.
    Cubic {
        /// Its control points, in order.
        controls: [[f64; 2]; 2],
    },
    /// Part of a circle.
    Arc {
        /// Its radius, m.
        radius: f64,
        /// Whether it is the longer part.
        large: bool,
        /// Whether it goes counter-clockwise around its centre.
        right: bool,
    },
    /// Straight pieces through points.
    Through {
        /// The points between its ends, in order.
        points: Vec<[f64; 2]>,
    },
}

/// Two rows of edges that are sewn together. A side may have several edges, in the order in which they lie along the
/// other side's way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seam {
    /// What it joins: the first side runs along its edges, the second against them, as two panels with their right
    /// sides out do.
    pub sides: [Vec<EdgeRef>; 2],
    /// Whether both sides run along their edges: one of them has its wrong side out.
    #[serde(default)]
    pub same_way: bool,
}

/// An edge by number, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EdgeRef {
    /// Number of the panel.
    pub panel: usize,
    /// Number of the edge: those of the outline, then those of the holes.
    pub edge: usize,
}

/// A rotation and then a translation, from the panel's plane into the world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// What becomes of the x, y and z axis.
    pub axes: [[f64; 3]; 3],
    /// Where the panel's origin goes, m.
    pub translation: [f64; 3],
    /// The radius (m) of an upright cylinder that it lies on, with its y axis where it touches the plane; 0 if it is
    /// flat.
    #[serde(default)]
    pub wrap: f64,
}

impl Default for Placement {
    fn default() -> Self {
        Placement { axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3], wrap: 0.0 }
    }
}

impl Placement {
    /// Where a point of the panel is in the world, m.
    pub fn place(&self, point: [f64; 2]) -> [f64; 3] {
        let [x, y] = point;
        let (x, z) = if self.wrap > 0.0 {
            let (sin, cos) = libm::sincos(x / self.wrap);
            (self.wrap * sin, self.wrap * (cos - 1.0))
        } else {
            (x, 0.0)
        };
        std::array::from_fn(|k| self.translation[k] + self.axes[0][k] * x + self.axes[1][k] * y + self.axes[2][k] * z)
    }
}

impl Panel {
    /// All its edges, those of holes last.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.outline.iter().chain(self.holes.iter().flatten())
    }

    /// An edge by its number.
    pub fn edge(&self, number: usize) -> Option<&Edge> {
        self.edges().nth(number)
    }

    /// Its area, m²: less than 0 if its outline runs clockwise.
    pub fn area(&self) -> f64 {
        let outline = loop_area(&self.outline);
        let holes: f64 = self.holes.iter().map(|hole| loop_area(hole).abs()).sum();
        outline - outline.signum() * holes
    }
}

/// The area that a loop of edges encloses, m²: more than 0 if counter-clockwise.
pub(super) fn loop_area(edges: &[Edge]) -> f64 {
    polygon_area(&edges.iter().flat_map(Edge::sketch).collect::<Vec<_>>())
}

/// The area of a polygon, m²: more than 0 if counter-clockwise.
pub(super) fn polygon_area(points: &[[f64; 2]]) -> f64 {
    let next = points.iter().cycle().skip(1);
    0.5 * points.iter().zip(next).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<f64>()
}

impl Pattern {
    /// An edge, if there is one.
    pub fn edge(&self, at: EdgeRef) -> Option<&Edge> {
        self.panels.get(at.panel)?.edge(at.edge)
    }

    /// What people call an edge: `sleeve edge 3`.
    pub fn edge_name(&self, at: EdgeRef) -> String {
        match self.panels.get(at.panel) {
            Some(panel) => format!("{} edge {}", panel.name, at.edge),
            None => format!("panel {} edge {}", at.panel, at.edge),
        }
    }

    /// What people call a seam: `seam 3 (sleeve edge 3 to front edge 1)`.
    pub fn seam_name(&self, number: usize) -> String {
        let Some(seam) = self.seams.get(number) else { return format!("seam {number}") };
        let side = |side: &[EdgeRef]| side.iter().map(|&at| self.edge_name(at)).collect::<Vec<_>>().join(" and ");
        format!("seam {number} ({} to {})", side(&seam.sides[0]), side(&seam.sides[1]))
    }

    /// The length of a side of a seam, m.
    pub fn side_length(&self, side: &[EdgeRef]) -> f64 {
        side.iter().filter_map(|&at| self.edge(at)).map(Edge::length).sum()
    }
}
