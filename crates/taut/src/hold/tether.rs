//! Tethers: no vertex is further from a held one than the way along the cloth.

use super::geodesic::Paths;
use super::kernels::{Leash, Link};
use super::sheet::Sheet;
use crate::lanes::{BLOCK, Place, Scalar, Shared, Vertex, Width};
use crate::team::Worker;
use fearless_simd::Level;

/// All tethers of a model.
#[derive(Debug)]
pub(crate) struct Tethers<T> {
    /// Vertex 0 of each is the held one. One after another for each vertex: passes follow each other.
    passes: Vec<Vec<Link<T>>>,
    pub count: usize,
}

impl<T> Default for Tethers<T> {
    fn default() -> Self {
        Tethers { passes: Vec::new(), count: 0 }
    }
}

/// Up to so many held vertices every vertex is tethered to each; of more, to the nearest.
const FEW: usize = 4;

impl<T: Scalar> Tethers<T> {
    pub(super) fn new(sheet: &Sheet, held: &[u32]) -> Self {
        let mut tethers = Tethers::default();
        if held.is_empty() {
            return tethers;
        }
        // Only cloth that is held both ways has a longest way.
        let both = |t: usize| sheet.held[t] == [true; 2];
        let paths = Paths::new(&sheet.triangles, &sheet.edges, both, sheet.vertices());
        let mut pinned = vec![false; sheet.vertices()];
        held.iter().for_each(|&h| pinned[h as usize] = true);
        let groups: Vec<&[u32]> = if held.len() <= FEW { held.chunks(1).collect() } else { vec![held] };
        for group in groups {
            let (distance, source) = paths.from(group, sheet.vertices());
            let tied: Vec<u32> = (0..sheet.vertices() as u32)
                .filter(|&v| !pinned[v as usize] && distance[v as usize].is_finite())
                .collect();
            tethers.count += tied.len();
            tethers.passes.push(tied.chunks(BLOCK).map(|c| block(c, &distance, &source, sheet.vertices())).collect());
        }
        tethers
    }

    pub(super) fn bytes(&self) -> usize {
        self.passes.iter().map(|p| super::bytes_of(p)).sum()
    }

    /// Pulls back what is too far.
    pub fn pull(&self, worker: Worker<'_>, width: Width, level: Level, x: Shared<'_, Vertex<T>>) {
        for pass in &self.passes {
            let blocks = &pass[worker.share(0..pass.len())];
            // SAFETY: indices in range; a vertex appears once in a pass as the one that moves, held ones do not move, and workers
            // have disjoint blocks and meet before the next pass.
            T::run(width, level, unsafe { Leash::new(blocks, x) });
            worker.sync();
        }
    }
}

fn block<T: Scalar>(vertices: &[u32], distance: &[f64], source: &[u32], spare: usize) -> Link<T> {
    let spare = Place::new::<Vertex<T>>(spare as u32);
    let mut block = Link { places: [[spare; BLOCK]; 2], rest: [[T::of(1.0); BLOCK]; 2], stiffness: [] };
    for (lane, &v) in vertices.iter().enumerate() {
        let d = distance[v as usize];
        block.places[0][lane] = Place::new::<Vertex<T>>(source[v as usize]);
        block.places[1][lane] = Place::new::<Vertex<T>>(v);
        (block.rest[0][lane], block.rest[1][lane]) = (T::of(d * d), T::of(d));
    }
    block
}
