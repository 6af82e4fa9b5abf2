//! What the readers of volume formats share: nodes, triangles and tetrahedra over them, and the meshes they become.

use std::collections::BTreeMap;

use taut::mesh::{Group, TetMesh, TriMesh};

use super::MeshFile;
use super::budget::held;
use super::error::{ReadError, Result, count};
use super::groups::Groups;
use super::polygon::Triangulator;

/// Nodes and the cells between them. Indices are in range: whoever adds a cell has checked.
#[derive(Default)]
pub(crate) struct Cells {
    pub positions: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
    pub tets: Vec<[u32; 4]>,
    pub groups: Groups,
    pub warnings: Vec<String>,
    triangulator: Triangulator,
    skipped: BTreeMap<&'static str, usize>,
    curved: usize,
}

impl Cells {
    /// Bytes of memory that they take, and that the meshes made of them will.
    pub fn held(&self) -> usize {
        let cells = held(&self.triangles) + held(&self.tets);
        // Both meshes get nodes, their new numbers and groups of their own.
        3 * (held(&self.positions) + self.groups.held()) + 8 * self.positions.len() + cells
    }

    /// Adds a polygon, split into triangles.
    pub fn polygon(&mut self, nodes: &[u32]) {
        // A list that is exactly as long as it must be, as the splitting is.
        let outline: Vec<_> = nodes.iter().map(|&n| self.positions[n as usize]).collect();
        let mut split = Vec::new();
        self.triangulator.split(&outline, &mut split);
        self.triangles.extend(split.iter().map(|t| t.map(|i| nodes[i])));
    }

    /// Adds a strip of triangles.
    pub fn strip(&mut self, nodes: &[u32]) {
        self.triangles.extend(nodes.windows(3).enumerate().map(|(i, w)| match i % 2 {
            0 => [w[0], w[1], w[2]],
            _ => [w[1], w[0], w[2]],
        }));
    }

    /// Notes a cell that cannot be used, by the plural of its name.
    pub fn skip(&mut self, kind: &'static str) {
        *self.skipped.entry(kind).or_default() += 1;
    }

    /// Notes a cell with nodes on its edges, of which only the corners are used.
    pub fn note_curved(&mut self) {
        self.curved += 1;
    }

    /// The meshes, each with only the nodes it uses, in the order of the file.
    pub fn finish(mut self, file: &str, format: &'static str) -> Result<MeshFile> {
        for (kind, n) in std::mem::take(&mut self.skipped) {
            self.warnings.push(format!("{n} {kind} skipped: only tetrahedra and flat polygons are used"));
        }
        if self.curved > 0 {
            let found = count(self.curved, "curved cell", "curved cells");
            self.warnings.push(format!("{found} taken as straight: nodes on edges are ignored"));
        }
        if self.tets.is_empty() && self.triangles.is_empty() {
            let found = count(self.positions.len(), "node", "nodes");
            return Err(ReadError::file(file, format!("found {found}, but no tetrahedra and no triangles")));
        }
        self.orient();
        let groups = self.groups.finish();
        let mut file = MeshFile { format, warnings: self.warnings, ..MeshFile::default() };
        if !self.tets.is_empty() {
            let kept = Kept::new(&self.positions, &mut self.tets);
            if kept.dropped > 0 && self.triangles.is_empty() {
                let dropped = count(kept.dropped, "node belongs", "nodes belong");
                file.warnings.push(format!("{dropped} to no tetrahedron: left out, later ones renumbered"));
            }
            let groups = kept.groups(&groups);
            file.tets = Some(TetMesh { positions: kept.positions, tets: self.tets, frames: Vec::new(), groups });
        }
        if !self.triangles.is_empty() {
            let kept = Kept::new(&self.positions, &mut self.triangles);
            let groups = kept.groups(&groups);
            let positions = kept.positions;
            file.surface = Some(TriMesh { positions, triangles: self.triangles, groups, ..TriMesh::default() });
        }
        Ok(file)
    }

    /// Turns tetrahedra with negative volume the right way round.
    fn orient(&mut self) {
        let (mut flipped, mut flat) = (0, 0);
        for tet in &mut self.tets {
            let [a, b, c, d] = tet.map(|n| self.positions[n as usize]);
            let volume = six_volumes(a, b, c, d);
            if volume < 0.0 {
                tet.swap(2, 3);
                flipped += 1;
            } else if volume == 0.0 {
                flat += 1;
            }
        }
        if flipped > 0 {
            let n = self.tets.len();
            self.warnings.push(format!("{flipped} of {n} tetrahedra had negative volume and were turned round"));
        }
        if flat > 0 {
            self.warnings.push(count(flat, "tetrahedron has no volume", "tetrahedra have no volume"));
        }
    }
}

/// The nodes that some cells use, renumbered without gaps.
struct Kept {
    positions: Vec<[f64; 3]>,
    /// The new number of each old node, or `GONE`.
    renumbered: Vec<u32>,
    dropped: usize,
}

const GONE: u32 = u32::MAX;

impl Kept {
    fn new<const N: usize>(positions: &[[f64; 3]], cells: &mut [[u32; N]]) -> Self {
        let mut renumbered = vec![GONE; positions.len()];
        cells.iter().flatten().for_each(|&node| renumbered[node as usize] = 0);
        let mut kept = Vec::new();
        for (new, position) in renumbered.iter_mut().zip(positions) {
            if *new != GONE {
                *new = kept.len() as u32;
                kept.push(*position);
            }
        }
        cells.iter_mut().flatten().for_each(|node| *node = renumbered[*node as usize]);
        Self { dropped: positions.len() - kept.len(), positions: kept, renumbered }
    }

    fn groups(&self, groups: &[Group]) -> Vec<Group> {
        let renumber = |group: &Group| Group {
            name: group.name.clone(),
            vertices: group.vertices.iter().map(|&v| self.renumbered[v as usize]).filter(|&v| v != GONE).collect(),
        };
        groups.iter().map(renumber).filter(|group| !group.vertices.is_empty()).collect()
    }
}

/// Six times the signed volume of a tetrahedron.
fn six_volumes(a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]) -> f64 {
    let [u, v, w] = [b, c, d].map(|p| [p[0] - a[0], p[1] - a[1], p[2] - a[2]]);
    u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0])
}
