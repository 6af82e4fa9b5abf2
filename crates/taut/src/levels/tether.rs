//! Long-range attachments (tethers): no vertex is further from a held one than the way along the cloth.

use super::build::rod;
use super::geodesic::Paths;
use super::sheet::RestSheet;
use crate::constraint::one_sided::Attach;
use crate::constraint::{Batch, Sweep};
use crate::lanes::{Scalar, Shared, Vertex};

/// All tethers of a model.
#[derive(Debug)]
pub(crate) struct Tethers<T> {
    /// Vertex 0 of each is the held one.
    pub(super) links: Batch<T, 2, 2, 0>,
}

impl<T> Default for Tethers<T> {
    fn default() -> Self {
        Tethers { links: Batch::default() }
    }
}

/// Up to so many held vertices every vertex is tethered to each; of more, to the nearest.
const FEW: usize = 4;

impl<T: Scalar> Tethers<T> {
    pub(super) fn new(sheet: &RestSheet, held: &[u32]) -> Self {
        if held.is_empty() {
            return Tethers::default();
        }
        // Only cloth that is held both ways has a longest way.
        let both = |t: usize| sheet.held[t] == [true; 2];
        let paths = Paths::new(&sheet.triangles, &sheet.edges, both, sheet.vertices());
        let mut pinned = vec![false; sheet.vertices()];
        held.iter().for_each(|&h| pinned[h as usize] = true);
        let mut links = Vec::new();
        for group in held.chunks(if held.len() <= FEW { 1 } else { held.len() }) {
            let (distance, source) = paths.from(group, sheet.vertices());
            for v in (0..sheet.vertices()).filter(|&v| !pinned[v] && distance[v].is_finite()) {
                links.push(rod([source[v], v as u32], distance[v]));
            }
        }
        Tethers { links: Batch::pack_moving(&links, sheet.vertices() as u32, Attach::MOVES) }
    }

    /// Pulls back what is too far.
    pub fn pull(&self, sweep: Sweep<'_>, x: Shared<'_, Vertex<T>>) {
        sweep.run(&self.links, [x], &mut Attach);
    }
}
