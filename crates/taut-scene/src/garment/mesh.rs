//! Panels as triangles: boundary vertices by [`Division`], a lattice of equilateral triangles inside, constrained
//! Delaunay in between.

use super::curve::{Point, distance};
use super::divide::{Division, Piece};
use super::pattern::{Edge, EdgeRef, Panel};
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

/// A panel as triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PanelMesh {
    /// In the panel's plane, m; those on the boundary first.
    pub points: Vec<Point>,
    /// Counter-clockwise.
    pub triangles: Vec<[u32; 3]>,
    /// For each edge its vertices, from its start to its end, with the parts of its length that they are at.
    pub edges: Vec<Vec<(f64, u32)>>,
}

/// Lattice points keep this distance from the boundary, in spacings.
const CLEARANCE: f64 = 0.55;

impl PanelMesh {
    /// Divides a panel into triangles with sides of about `spacing`, m.
    pub fn new(number: usize, panel: &Panel, division: &Division, spacing: f64) -> Result<Self, String> {
        let mut mesh = PanelMesh::default();
        let mut sides: Vec<[usize; 2]> = Vec::new();
        let mut first_edge = 0;
        for edges in std::iter::once(&panel.outline).chain(&panel.holes) {
            let start = mesh.points.len();
            for (at, edge) in edges.iter().enumerate() {
                let pieces = division.edges.get(&EdgeRef { panel: number, edge: first_edge + at });
                mesh.add_edge(edge, pieces.map_or(&[], Vec::as_slice), (at + 1 == edges.len()).then_some(start));
            }
            let end = mesh.points.len();
            sides.extend((start..end).map(|i| [i, if i + 1 == end { start } else { i + 1 }]));
            first_edge += edges.len();
        }
        mesh.fill(panel.grain, &sides, spacing);
        mesh.triangulate(sides).map_err(|what| format!("panel {:?}: {what}", panel.name))?;
        Ok(mesh)
    }

    /// Adds the vertices of an edge but its last, which is that of the next edge, or of the loop's start.
    fn add_edge(&mut self, edge: &Edge, pieces: &[Piece], closes_at: Option<usize>) {
        let mut parts = vec![0.0];
        for piece in pieces {
            let [a, b] = piece.span;
            parts.extend((1..=piece.count).map(|i| a + (b - a) * i as f64 / piece.count as f64));
        }
        let points = edge.points_at(&parts);
        let first = self.points.len();
        let last = points.len() - 1;
        self.points.extend(&points[..last]);
        let number = |i: usize| if i == last { closes_at.unwrap_or(first + last) } else { first + i };
        self.edges.push(parts.iter().enumerate().map(|(i, &part)| (part, number(i) as u32)).collect());
    }

    /// Adds the points of a lattice along the grain that lie well inside.
    fn fill(&mut self, grain: Point, sides: &[[usize; 2]], spacing: f64) {
        let [warp, weft] = [grain, [grain[1], -grain[0]]];
        let border = self.points.len();
        let along = |p: Point, axis: Point| p[0] * axis[0] + p[1] * axis[1];
        let range = |axis: Point| {
            self.points.iter().map(|&p| along(p, axis)).fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)))
        };
        let (left, right) = range(weft);
        let (low, high) = range(warp);
        let row_height = spacing * 0.75f64.sqrt();
        let [columns, rows] = [(right - left) / spacing, (high - low) / row_height].map(|n| n.floor().max(0.0));
        let [x0, y0] = [0.5 * (left + right - columns * spacing), 0.5 * (low + high - rows * row_height)];
        for row in 0..=rows as i64 {
            let shift = if row % 2 == 0 { 0.0 } else { 0.5 * spacing };
            for column in 0..=columns as i64 {
                let (u, v) = (x0 + column as f64 * spacing + shift, y0 + row as f64 * row_height);
                let point = [u * weft[0] + v * warp[0], u * weft[1] + v * warp[1]];
                let near =
                    sides.iter().any(|&[a, b]| to_segment(point, self.points[a], self.points[b]) < CLEARANCE * spacing);
                if !near && inside(point, &self.points[..border], sides) {
                    self.points.push(point);
                }
            }
        }
    }

    fn triangulate(&mut self, sides: Vec<[usize; 2]>) -> Result<(), String> {
        let sites = self.points.iter().map(|p| Point2::new(p[0], p[1])).collect();
        let mut conflicts = 0;
        let cdt = ConstrainedDelaunayTriangulation::<Point2<f64>>::try_bulk_load_cdt(sites, sides.clone(), |_| {
            conflicts += 1;
        });
        let cdt = cdt.map_err(|error| format!("it cannot be triangulated: {error}"))?;
        if conflicts > 0 || cdt.num_vertices() != self.points.len() {
            return Err("its outline crosses or touches itself at this edge length; try a shorter one".into());
        }
        for face in cdt.inner_faces() {
            let corners = face.vertices().map(|vertex| vertex.fix().index());
            let middle = [0, 1].map(|k| corners.iter().map(|&c| self.points[c][k]).sum::<f64>() / 3.0);
            if inside(middle, &self.points, &sides) {
                self.triangles.push(smallest_first(corners.map(|c| c as u32)));
            }
        }
        self.triangles.sort_unstable();
        if self.triangles.is_empty() { Err("it has no triangles at this edge length".into()) } else { Ok(()) }
    }
}

/// The same triangle with its smallest number first.
fn smallest_first([a, b, c]: [u32; 3]) -> [u32; 3] {
    if a < b && a < c {
        [a, b, c]
    } else if b < c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

/// The distance of a point from a piece of a line, m.
fn to_segment(p: Point, a: Point, b: Point) -> f64 {
    let (d, e) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let t = ((e[0] * d[0] + e[1] * d[1]) / (d[0] * d[0] + d[1] * d[1]).max(1e-300)).clamp(0.0, 1.0);
    distance(p, [a[0] + t * d[0], a[1] + t * d[1]])
}

/// Whether a point lies inside of loops.
fn inside(p: Point, points: &[Point], sides: &[[usize; 2]]) -> bool {
    let right = |&[a, b]: &[usize; 2]| {
        let (a, b) = (points[a], points[b]);
        (a[1] > p[1]) != (b[1] > p[1]) && p[0] < (b[0] - a[0]) * (p[1] - a[1]) / (b[1] - a[1]) + a[0]
    };
    sides.iter().filter(|side| right(side)).count() % 2 == 1
}
