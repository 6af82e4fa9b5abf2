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

/// Twice the area of a triangle over the square of its longest side, below which it is a line.
const FLATTEST: f64 = 1e-6;
/// Lattice points keep this distance from the boundary, in spacings.
const CLEARANCE: f64 = 0.55;

impl PanelMesh {
    /// Divides a panel into triangles with sides of about `spacing`, m.
    pub fn new(number: usize, panel: &Panel, division: &Division, spacing: f64) -> Result<Self, String> {
        let mut mesh = PanelMesh::default();
        let mut sides: Vec<[usize; 2]> = Vec::new();
        let mut first_edge = 0;
        for edges in std::iter::once(&panel.outline).chain(&panel.holes) {
            let of = |at: usize| division.edges.get(&EdgeRef { panel: number, edge: first_edge + at });
            let start = mesh.points.len();
            mesh.add_loop(edges, |at| of(at).map_or(&[], Vec::as_slice));
            let end = mesh.points.len();
            sides.extend((start..end).map(|i| [i, if i + 1 == end { start } else { i + 1 }]));
            first_edge += edges.len();
        }
        mesh.fill(panel.grain, &sides, spacing);
        mesh.triangulate(sides).map_err(|what| format!("panel {:?}: {what}", panel.name))?;
        Ok(mesh)
    }

    /// Adds the vertices of a loop of edges. Where a piece of an edge is not divided at all, its ends are one vertex,
    /// at the place of its end.
    fn add_loop<'a>(&mut self, edges: &[Edge], pieces: impl Fn(usize) -> &'a [Piece]) {
        // Places along the loop: parts of edges, points, and whether a place is one with the next.
        let mut places: Vec<(Point, bool)> = Vec::new();
        let mut parts_of: Vec<Vec<f64>> = Vec::new();
        for (at, edge) in edges.iter().enumerate() {
            let (mut parts, mut shut) = (vec![0.0], Vec::new());
            for piece in pieces(at) {
                let [a, b] = piece.span;
                let count = piece.count.max(1);
                parts.extend((1..=count).map(|i| a + (b - a) * i as f64 / count as f64));
                shut.resize(parts.len() - 1, piece.count == 0);
            }
            let points = edge.points_at(&parts);
            places.extend(points.into_iter().zip(shut));
            parts_of.push(parts);
        }
        let first = self.points.len();
        self.points.extend(places.iter().filter(|(_, shut)| !shut).map(|(point, _)| *point));
        let count = self.points.len() - first;
        // A place that is one with the next has the number of the next that is not.
        let mut before = 0;
        let number = |(_, shut): &(Point, bool)| {
            let own = (first + before % count.max(1)) as u32;
            before += usize::from(!shut);
            own
        };
        let numbers: Vec<u32> = places.iter().map(number).collect();
        let mut start = 0;
        for parts in parts_of {
            let of = |(i, part): (usize, &f64)| (*part, numbers[(start + i) % numbers.len()]);
            self.edges.push(parts.iter().enumerate().map(of).collect());
            start += parts.len() - 1;
        }
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
            // What lies along a straight side of the outline, outside of it by rounding, has no area.
            if !flat(corners.map(|c| self.points[c])) && inside(middle, &self.points, &sides) {
                self.triangles.push(smallest_first(corners.map(|c| c as u32)));
            }
        }
        self.triangles.sort_unstable();
        if self.triangles.is_empty() { Err("it has no triangles at this edge length".into()) } else { Ok(()) }
    }
}

/// Whether three points are on a line, but for rounding.
fn flat([a, b, c]: [Point; 3]) -> bool {
    let longest = distance(a, b).max(distance(b, c)).max(distance(c, a));
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    area.abs() < FLATTEST * longest * longest
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
