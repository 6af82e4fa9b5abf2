//! Panels sewn to one mesh: seams are shared vertices, the pattern is the texture coordinates.

use super::divide::{Division, SewnPiece};
use super::mesh::PanelMesh;
use super::pattern::Pattern;
use std::collections::HashMap;
use taut::mesh::{Group, TriMesh};

/// A garment as one mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SewnMesh {
    /// Vertices on a seam are one, between the places of their panels. Texture coordinates are the flat panels, m, side
    /// by side, weft along u; groups are named after panels.
    pub mesh: TriMesh,
    /// For each triangle the number of its panel.
    pub panels: Vec<u32>,
    /// For each seam its vertices, in order along its first side, each once.
    pub seams: Vec<Vec<u32>>,
    /// What was odd, a sentence each.
    pub notes: Vec<String>,
    /// For each texture coordinate where its panel was placed, m; empty once triangles were cut.
    pub(super) places: Vec<[f64; 3]>,
}

/// Triangles of a garment, at most.
const MOST_TRIANGLES: f64 = 2e6;

/// Between panels in the layout of texture coordinates, m.
const GAP: f64 = 0.02;

impl SewnMesh {
    /// Divides panels into triangles with sides of about `spacing` (m) and joins them at their seams.
    pub fn new(pattern: &Pattern, spacing: f64) -> Result<Self, String> {
        let area: f64 = pattern.panels.iter().map(|panel| panel.area().abs()).sum();
        let expected = area / (0.433 * spacing * spacing);
        if expected > MOST_TRIANGLES {
            return Err(format!(
                "edges of {spacing} m make about {expected:.0} triangles of {area:.2} m² of cloth, expected at most \
                 {MOST_TRIANGLES:.0}"
            ));
        }
        let division = Division::new(pattern, spacing);
        let meshes = pattern.panels.iter().enumerate();
        let meshes: Result<Vec<_>, _> =
            meshes.map(|(at, panel)| PanelMesh::new(at, panel, &division, spacing)).collect();
        let mut out = join(pattern, &meshes?, &division.sewn);
        if division.shut > 0 {
            let words = format!("{} edges far shorter than {spacing} m are taken as points", division.shut);
            out.notes.push(words);
        }
        Ok(out)
    }

    /// The same with every triangle cut into `times`², each vertex where it is on the coarser surface.
    pub fn split(&self, times: usize) -> SewnMesh {
        if times <= 1 {
            return self.clone();
        }
        let mesh = &self.mesh;
        let mut places = Splitter::new(mesh.positions.clone(), times);
        let mut uvs = Splitter::new(mesh.uvs.clone(), times);
        let (mut out, mut panels) = (TriMesh::default(), Vec::new());
        for (t, (corners, flat)) in mesh.triangles.iter().zip(&mesh.uv_triangles).enumerate() {
            out.triangles.extend(places.triangle(*corners));
            out.uv_triangles.extend(uvs.triangle(*flat));
            panels.resize(out.triangles.len(), self.panels[t]);
        }
        let seams = self.seams.iter().map(|row| {
            let between = row.windows(2).flat_map(|pair| places.along(pair[0], pair[1]));
            between.chain(row.last().copied()).collect()
        });
        let seams = seams.collect();
        (out.positions, out.uvs) = (places.points, uvs.points);
        out.groups = groups(&mesh.groups, &out.triangles, &panels);
        SewnMesh { mesh: out, panels, seams, notes: self.notes.clone(), places: Vec::new() }
    }
}

/// Cuts triangles, with one new point for each place.
struct Splitter<const N: usize> {
    points: Vec<[f64; N]>,
    times: usize,
    /// The points on a side, from its lesser end on.
    sides: HashMap<[u32; 2], u32>,
}

impl<const N: usize> Splitter<N> {
    fn new(points: Vec<[f64; N]>, times: usize) -> Self {
        Splitter { points, times, sides: HashMap::new() }
    }

    /// The points from `a` to before `b`, of a side that was cut.
    fn along(&self, a: u32, b: u32) -> Vec<u32> {
        let inner = self.times as u32 - 1;
        let Some(&first) = self.sides.get(&[a.min(b), a.max(b)]) else { return vec![a] };
        let between = (0..inner).map(|k| first + if a < b { k } else { inner - 1 - k });
        std::iter::once(a).chain(between).collect()
    }

    fn side(&mut self, a: u32, b: u32) {
        let (low, high) = (a.min(b), a.max(b));
        let first = self.points.len() as u32;
        if *self.sides.entry([low, high]).or_insert(first) == first {
            let [p, q] = [low, high].map(|v| self.points[v as usize]);
            for k in 1..self.times {
                let part = k as f64 / self.times as f64;
                self.points.push(std::array::from_fn(|i| p[i] + (q[i] - p[i]) * part));
            }
        }
    }

    /// The triangles of a triangle, in an order that depends on the number of cuts only.
    fn triangle(&mut self, [a, b, c]: [u32; 3]) -> Vec<[u32; 3]> {
        [(a, b), (b, c), (c, a)].into_iter().for_each(|(v, w)| self.side(v, w));
        let n = self.times;
        let ends = |side: Vec<u32>, last: u32| side.into_iter().chain([last]).collect::<Vec<_>>();
        let (left, right) = (ends(self.along(a, b), b), ends(self.along(a, c), c));
        let bottom = ends(self.along(b, c), c);
        let mut rows: Vec<Vec<u32>> = Vec::with_capacity(n + 1);
        let [p, q, r] = [a, b, c].map(|v| self.points[v as usize]);
        for row in 0..=n {
            let mut line = Vec::with_capacity(row + 1);
            for k in 0..=row {
                line.push(if row == n {
                    bottom[k]
                } else if k == 0 {
                    left[row]
                } else if k == row {
                    right[row]
                } else {
                    let [s, t] = [(row - k) as f64 / n as f64, k as f64 / n as f64];
                    self.points.push(std::array::from_fn(|i| p[i] + (q[i] - p[i]) * s + (r[i] - p[i]) * t));
                    self.points.len() as u32 - 1
                });
            }
            rows.push(line);
        }
        let mut out = Vec::with_capacity(n * n);
        for row in 0..n {
            for k in 0..=row {
                out.push([rows[row][k], rows[row + 1][k], rows[row + 1][k + 1]]);
                if k < row {
                    out.push([rows[row][k], rows[row + 1][k + 1], rows[row][k + 1]]);
                }
            }
        }
        out
    }
}

/// The vertices of each panel, under its name.
fn groups(named: &[Group], triangles: &[[u32; 3]], panels: &[u32]) -> Vec<Group> {
    let mut out: Vec<Group> =
        named.iter().map(|group| Group { name: group.name.clone(), vertices: Vec::new() }).collect();
    for (triangle, &panel) in triangles.iter().zip(panels) {
        out[panel as usize].vertices.extend(triangle);
    }
    for group in &mut out {
        group.vertices.sort_unstable();
        group.vertices.dedup();
    }
    out
}

/// Which vertices are one.
struct Union(Vec<u32>);

impl Union {
    fn root(&mut self, mut at: u32) -> u32 {
        while self.0[at as usize] != at {
            let up = self.0[self.0[at as usize] as usize];
            self.0[at as usize] = up;
            at = up;
        }
        at
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// The vertices of a piece of an edge, in the edge's direction.
fn row(mesh: &PanelMesh, edge: usize, span: [f64; 2]) -> Vec<u32> {
    let within = |part: f64| part > span[0] - 1e-9 && part < span[1] + 1e-9;
    mesh.edges[edge].iter().filter(|(part, _)| within(*part)).map(|(_, vertex)| *vertex).collect()
}

/// All panels side by side, unsewn.
#[derive(Default)]
struct Layout {
    /// For each panel the number of its first point.
    bases: Vec<u32>,
    /// Texture coordinates of all points, m.
    uvs: Vec<[f64; 2]>,
    /// Where the pattern places them, m.
    places: Vec<[f64; 3]>,
    /// Counter-clockwise seen from outside.
    triangles: Vec<[u32; 3]>,
}

impl Layout {
    fn new(pattern: &Pattern, meshes: &[PanelMesh]) -> Self {
        let mut out = Layout::default();
        let mut left = 0.0;
        for (panel, mesh) in pattern.panels.iter().zip(meshes) {
            let base = out.uvs.len() as u32;
            out.bases.push(base);
            // Seen from outside: panels that run clockwise are mirrored.
            let side = panel.area().signum();
            let [warp, weft] = [panel.grain, [side * panel.grain[1], -side * panel.grain[0]]];
            let turned = mesh.points.iter().map(|p| [weft, warp].map(|axis| p[0] * axis[0] + p[1] * axis[1]));
            let turned: Vec<[f64; 2]> = turned.collect();
            let low = |k: usize| turned.iter().map(|p| p[k]).fold(f64::MAX, f64::min);
            let (u0, v0) = (low(0), low(1));
            out.uvs.extend(turned.iter().map(|p| [p[0] - u0 + left, p[1] - v0]));
            left = out.uvs[base as usize..].iter().map(|p| p[0]).fold(left, f64::max) + GAP;
            out.places.extend(mesh.points.iter().map(|point| panel.placement.place(*point)));
            let outside = |[a, b, c]: [u32; 3]| if side < 0.0 { [a, c, b] } else { [a, b, c] };
            out.triangles.extend(mesh.triangles.iter().map(|t| outside(t.map(|v| v + base))));
        }
        out
    }

    /// Makes one of the points that seams join. Gives for each point its vertex, in the order in which panels first
    /// have them, and for each seam its points along its first side.
    fn sew(&self, meshes: &[PanelMesh], sewn: &[SewnPiece], seams: usize) -> (Vec<u32>, Vec<Vec<u32>>) {
        let mut union = Union((0..self.uvs.len() as u32).collect());
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); seams];
        for piece in sewn {
            let [first, mut second] = piece.sides.map(|(at, part)| {
                let base = self.bases[at.panel];
                row(&meshes[at.panel], at.edge, part.span).into_iter().map(|v| v + base).collect::<Vec<_>>()
            });
            if piece.against {
                second.reverse();
            }
            first.iter().zip(&second).for_each(|(&a, &b)| union.join(a, b));
            rows[piece.seam].extend(first);
        }
        let mut number = vec![u32::MAX; self.uvs.len()];
        let mut next = 0;
        for point in 0..self.uvs.len() {
            // The root is the first of those that are one.
            let root = union.root(point as u32) as usize;
            if root == point {
                number[point] = next;
                next += 1;
            }
            number[point] = number[root];
        }
        (number, rows)
    }
}

fn join(pattern: &Pattern, meshes: &[PanelMesh], sewn: &[SewnPiece]) -> SewnMesh {
    let layout = Layout::new(pattern, meshes);
    let (number, rows) = layout.sew(meshes, sewn, pattern.seams.len());
    let vertex = |v: u32| number[v as usize];
    let count = number.iter().max().map_or(0, |last| *last as usize + 1);
    let mut sums = vec![([0.0; 3], 0.0); count];
    for (place, &at) in layout.places.iter().zip(&number) {
        let (sum, times): &mut ([f64; 3], f64) = &mut sums[at as usize];
        (0..3).for_each(|k| sum[k] += place[k]);
        *times += 1.0;
    }
    let mut out = TriMesh { uvs: layout.uvs, ..TriMesh::default() };
    out.positions = sums.iter().map(|(sum, times)| sum.map(|x| x / times)).collect();
    let (mut panels, mut lost) = (Vec::new(), 0);
    for t in layout.triangles {
        let corners = t.map(vertex);
        if corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0] {
            lost += 1;
            continue;
        }
        out.triangles.push(corners);
        out.uv_triangles.push(t);
        panels.push(layout.bases.partition_point(|&base| base <= t[0]) as u32 - 1);
    }
    let words = format!("{lost} triangles in corners that are sewn shut have two corners at one place: left out");
    let notes = (lost > 0).then_some(words).into_iter().collect();
    let mut seams: Vec<Vec<u32>> = rows.into_iter().map(|row| row.into_iter().map(vertex).collect()).collect();
    seams.iter_mut().for_each(Vec::dedup);
    let named = pattern.panels.iter().map(|panel| Group { name: panel.name.clone(), vertices: Vec::new() });
    out.groups = groups(&named.collect::<Vec<_>>(), &out.triangles, &panels);
    SewnMesh { mesh: out, panels, seams, notes, places: layout.places }
}
