//! Bending by patches: a triangle and its neighbours.

use super::cloth::{MeshEdge, apex_across, rest_angle};
use super::frames::Material;
use super::plate::{Plates, compliance};
use super::{ClothElasticity, ModelBuilder};
use crate::constraint::{Compliance, Loose, SLACK};
use crate::element::{Element, Patch};
use crate::lanes::V3;

/// What resists the bending of cloth with a physical stiffness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bending {
    /// An angle at every edge, each on its own. Cheap. How stiff a sheet comes out depends on its mesh: strips of cloth
    /// have 0.8 to 1.1 of the rigidity given.
    #[default]
    Hinges,
    /// The three angles around every triangle together, with a stiffness that couples them such that a sheet with the
    /// same curvature everywhere is in balance: strips have the rigidity given, on grids and scattered points alike,
    /// within 3 %. Bending costs about twice as much, and building the model more.
    Patches,
}

/// A sheet's triangles, and who is where.
pub(super) struct PatchSheet<'a> {
    pub triangles: &'a [[u32; 3]],
    pub qs: &'a [Material],
    /// The edges of those triangles that are used.
    pub sides: &'a [MeshEdge],
    /// Whether it is flat at rest, whatever its mesh is.
    pub flat: bool,
}

/// The vertex across side i of a triangle, if it has a neighbour there.
type Across = [Option<u32>; 3];

impl ModelBuilder {
    /// A patch on every triangle with two neighbours or three, a hinge for each of those with one. At rest as the mesh
    /// is.
    pub(super) fn add_patches(&mut self, sheet: &PatchSheet, elasticity: &ClothElasticity) {
        let (edges, across) = sheet.edges();
        let mut plates = Plates::new(sheet.triangles, sheet.qs, edges, self.positions.len(), elasticity.bend);
        plates.settle();
        let gamma = elasticity.damping.bend;
        for (t, &triangle) in sheet.triangles.iter().enumerate() {
            let stiffness = plates.stiffness(t);
            // A patch with only two sides has them first.
            let first = (0..3).find(|i| across[t][(i + 2) % 3].is_none()).unwrap_or(0);
            let turned = [first, (first + 1) % 3, (first + 2) % 3];
            let (corners, others) = (turned.map(|i| triangle[i]), turned.map(|i| across[t][i]));
            let stiffness = turned.map(|i| turned.map(|j| stiffness[i][j]));
            let neighbours = others.iter().flatten().count();
            let index = if neighbours > 1 { sheet.patch(corners, others, &across, t) } else { None };
            match (index, compliance(&stiffness)) {
                (Some(index), Some(soft)) => self.push_patch(index, others[2].is_some(), &soft, gamma, sheet.flat),
                // Too few vertices for a patch, or a sliver.
                _ => (0..3).for_each(|i| {
                    if let Some(other) = others[i] {
                        let [x0, x1, a] = [corners[i], corners[(i + 1) % 3], corners[(i + 2) % 3]];
                        self.push_hinge([x0, x1, a, other], stiffness[i][i], gamma, sheet.flat);
                    }
                }),
            }
        }
    }

    fn push_patch(&mut self, index: [u32; 6], closed: bool, soft: &[[f64; 3]; 3], gamma: f64, flat: bool) {
        let x = index.map(|v| V3::from(self.positions[v as usize]));
        let mut rest = crate::element::RowValues::<3>::default();
        Patch::rows(&[0.0; 3], &mut core::array::from_fn(|k| x[k + 1] - x[0]), &mut rest);
        let mut rest = if flat { [0.0; 3] } else { rest.0 };
        if !closed {
            rest[2] = Patch::OPEN;
        }
        let elastic = Compliance {
            diagonal: [0, 1, 2].map(|i| soft[i][i].min(SLACK)),
            coupling: [soft[0][1], soft[0][2], soft[1][2]],
            gamma: [gamma; 3],
        };
        let none = [0.0; 3];
        self.loose.patches.push(Loose { index, rest, stiffness: none, damping: none, elastic: Some(elastic) });
    }

    fn push_hinge(&mut self, index: [u32; 4], stiffness: f64, gamma: f64, flat: bool) {
        if stiffness.is_nan() || stiffness * SLACK <= 1.0 {
            return;
        }
        let rest = if flat { 0.0 } else { rest_angle(index.map(|v| V3::from(self.positions[v as usize]))) };
        let rest = [rest];
        let elastic = Compliance { diagonal: [1.0 / stiffness], coupling: [0.0; 3], gamma: [gamma] };
        let none = [0.0];
        self.loose.hinges.push(Loose { index, rest, stiffness: none, damping: none, elastic: Some(elastic) });
    }
}

impl PatchSheet<'_> {
    /// The edges between two triangles, each as (triangle, side) twice, and what is across the sides of every triangle.
    fn edges(&self) -> (Vec<[(usize, usize); 2]>, Vec<Across>) {
        let mut across = vec![[None; 3]; self.triangles.len()];
        let mut edges = Vec::with_capacity(self.sides.len());
        for side in self.sides.iter().filter(|s| s.count == 2) {
            let [a, b] = side.triangles.map(|t| apex_across(self.triangles[t], side.ends));
            let (Some(a), Some(b)) = (a, b) else { continue };
            if a == b {
                continue;
            }
            let at = side.triangles.map(|t| (t, self.side_of(t, side.ends)));
            across[at[0].0][at[0].1] = Some(b);
            across[at[1].0][at[1].1] = Some(a);
            edges.push(at);
        }
        (edges, across)
    }

    fn side_of(&self, t: usize, ends: [u32; 2]) -> usize {
        let corner = |i: usize| self.triangles[t][i % 3];
        (0..3).find(|&i| ends.contains(&corner(i)) && ends.contains(&corner(i + 1))).unwrap_or(0)
    }

    /// Six different vertices: the corners, and those across. An open side takes any vertex near: it has no row that
    /// would move it.
    fn patch(&self, corners: [u32; 3], others: Across, across: &[Across], t: usize) -> Option<[u32; 6]> {
        let [a, b] = [others[0]?, others[1]?];
        let taken = [corners[0], corners[1], corners[2], a, b];
        let distinct = (0..5).all(|i| !taken[..i].contains(&taken[i]));
        let free = |v: &u32| !taken.contains(v);
        let last = match others[2] {
            Some(v) => Some(v).filter(free),
            None => {
                // Triangles that follow each other in a mesh are near each other in most.
                let near = (t.saturating_sub(4)..(t + 5).min(across.len())).flat_map(|u| across[u]).flatten();
                near.chain(self.triangles.iter().flatten().copied()).find(free)
            }
        }?;
        distinct.then_some([corners[0], corners[1], corners[2], a, b, last])
    }
}
