//! The limit on stretch at the end of a step: sweeps that visit only what may be beyond it.

use super::sheet::{RestSheet, area};
use super::{AIM, HASTE, KAPPA, bytes_of};
use crate::constraint::one_sided::{Bound, LOOSE, Largest, MaxLength, MaxStretch, OneSided, Restrain};
use crate::constraint::{ActiveSet, Batch, Cold, Loose, Round, Sweep};
use crate::lanes::{Scalar, Shared, Vertex};
use core::marker::PhantomData;

/// The elements under the limit. Blocks of cells are numbered after those of links.
#[derive(Debug)]
pub(crate) struct EndLimit<T> {
    links: Batch<T, 2, 2, 0>,
    cells: Batch<T, 3, 6, 0>,
    active: ActiveSet,
    /// 0.01 is one percent; 0 for no limit.
    max_stretch: f64,
}

impl<T> Default for EndLimit<T> {
    fn default() -> Self {
        EndLimit { links: Batch::default(), cells: Batch::default(), active: ActiveSet::default(), max_stretch: 0.0 }
    }
}

impl<T: Scalar> EndLimit<T> {
    /// `pins` are the held vertices, ascending: what is between them alone is where it is.
    pub(super) fn new(sheet: &RestSheet, pins: &[u32], max_stretch: f64) -> Self {
        let spare = sheet.vertices() as u32;
        let fixed = |corners: &[u32]| corners.iter().all(|v| pins.binary_search(v).is_ok());
        let links: Vec<Loose<2, 2, 0>> = sheet
            .links
            .iter()
            .filter(|(ends, _)| !fixed(ends))
            .map(|&(index, l)| super::build::rod(index, l))
            .collect();
        let linked = sheet.linked();
        let cells: Vec<Loose<3, 6, 0>> = (0..sheet.triangles.len())
            .filter(|&t| !linked[t])
            .filter_map(|t| cell(sheet.triangles[t], &sheet.edges[t], sheet.held[t], fixed))
            .collect();
        let (links, cells) = (Batch::pack(&links, spare), Batch::pack(&cells, spare));
        let active = ActiveSet::new(&links, &cells);
        EndLimit { links, cells, active, max_stretch }
    }

    pub(super) fn bytes(&self) -> usize {
        bytes_of(self.links.blocks()) + bytes_of(self.cells.blocks()) + self.active.bytes()
    }

    /// Elements.
    pub(super) fn count(&self) -> usize {
        self.links.count + self.cells.count
    }
}

/// A triangle's stretch rows, of directions that are held and that corners have a say in which are not `fixed`.
fn cell(
    index: [u32; 3],
    edges: &[[f64; 2]; 2],
    held: [bool; 2],
    fixed: impl Fn(&[u32]) -> bool,
) -> Option<Loose<3, 6, 0>> {
    let [[a, b], [c, d]] = *edges;
    let over = 1.0 / (a * d - b * c);
    let rows = [[d * over, -b * over], [-c * over, a * over]];
    let free = |[r, s]: [f64; 2]| {
        let parts = [-r - s, r, s].map(f64::abs);
        let most = parts.iter().copied().fold(0.0, f64::max);
        (0..3).any(|k| parts[k] > 0.01 * most && !fixed(&[index[k]]))
    };
    let most = [0, 1].map(|k| if held[k] && free(rows[k]) { 1.0 } else { LOOSE });
    let [[p, q], [r, s]] = rows;
    let rest = [p, q, r, s, most[0], most[1]];
    let some = area(edges) > 0.0 && most != [LOOSE; 2];
    some.then_some(Loose::bare(index, rest))
}

/// Positions that a limit moves.
#[derive(Clone, Copy)]
pub(crate) struct EndPositions<'a, T> {
    pub x: Shared<'a, Vertex<T>>,
    /// x̃.
    pub x_predicted: Shared<'a, Vertex<T>>,
    /// How much velocity a displacement of x over x̃ means, times the substep's length.
    pub gain: f64,
    /// The substep's part of the step.
    pub part: f64,
}

impl<T: Scalar> EndLimit<T> {
    /// Brings every element within the limit, in at most `rounds`. Returns how many it took, and whether that was enough.
    pub fn pass(&self, sweep: Sweep<'_>, at: EndPositions<'_, T>, rounds: u32) -> (u32, bool) {
        if self.links.count + self.cells.count == 0 || self.max_stretch <= 0.0 {
            return (0, true);
        }
        let kappa = KAPPA.min(HASTE * at.part);
        let mut bound = self.bound(kappa, at);
        let mut round = self.active.first(sweep.worker);
        loop {
            self.round(sweep, round, bound, at);
            round = self.active.collect(sweep.worker, round, |b, lanes, tiles| {
                match self.cells.blocks().get(b.wrapping_sub(self.links.blocks().len())) {
                    Some(cells) => tiles.add_tiles(cells, lanes),
                    None => tiles.add_tiles(&self.links.blocks()[b], lanes),
                }
            });
            if round.number == 1 {
                // Over cloth that nothing else holds, where nearly all is beyond the limit, velocities would grow without bound.
                bound = self.bound(kappa * (2.0 - 2.0 * self.active.part()).clamp(0.0, 1.0), at);
            }
            if round.count == 0 || round.number >= rounds {
                return (round.number, round.count == 0);
            }
        }
    }

    fn bound(&self, kappa: f64, at: EndPositions<'_, T>) -> Bound {
        Bound {
            // Rounding must not push what has just been brought to the limit over it.
            top: 1.0 + 0.95 * self.max_stretch,
            goal: 1.0 + AIM * self.max_stretch,
            still: 1.0 - kappa / at.gain.max(1e-3),
        }
    }

    /// One round over what is active.
    fn round(&self, sweep: Sweep<'_>, round: Round, bound: Bound, at: EndPositions<'_, T>) {
        if let Some(worker) = round.workers(sweep.worker) {
            let sweep = Sweep { worker, ..sweep };
            self.restrain::<MaxLength, 2, 2>(sweep, &self.links, 0, round, bound, at);
            self.restrain::<MaxStretch<false>, 3, 6>(sweep, &self.cells, self.links.blocks().len(), round, bound, at);
        }
        sweep.worker.sync();
    }

    fn restrain<E: OneSided<V, P>, const V: usize, const P: usize>(
        &self,
        sweep: Sweep<'_>,
        batch: &Batch<T, V, P, 0>,
        first: usize,
        round: Round,
        bound: Bound,
        at: EndPositions<'_, T>,
    ) {
        let mut kernel = Restrain::<E> { bound, moved: self.active.marks(batch, first), kind: PhantomData };
        sweep.run_active(self.active.blocks(round, first), batch, [at.x, at.x_predicted], &mut kernel);
    }

    /// The largest stretch of this worker's chunk of the elements.
    pub fn stretch(&self, sweep: Sweep<'_>, x: Shared<'_, Vertex<T>>) -> f64 {
        let (mut links, mut cells) =
            (Largest::<MaxLength, T, Cold>::new(), Largest::<MaxStretch<false>, T, Cold>::new());
        sweep.look(&self.links, [x], &mut links);
        sweep.look(&self.cells, [x], &mut cells);
        (links.most().max(cells.most()) - 1.0).max(0.0)
    }
}
