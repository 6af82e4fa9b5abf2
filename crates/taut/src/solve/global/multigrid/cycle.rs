//! The V-cycle: forward over the nodes, coarser, and back.

use super::coarsen::{Coarsening, Dense, Follows, group};
use super::operator::{Operator, Pattern, Vector};
use crate::constraint::Sweep;
use crate::lanes::{Shared, SharedVec};

/// The last level has no more nodes than this, if there is a way to it.
const LAST: usize = 40;
/// A dense solve of more than this takes longer than it spares.
const MOST_LAST: usize = 160;
/// Levels with fewer nodes are one worker's: the others would only meet.
const SMALL: usize = 1500;
/// Most levels.
const MOST_LEVELS: usize = 24;

/// One level above the finest.
#[derive(Debug)]
struct Level {
    from: Coarsening,
    operator: Operator,
    x: SharedVec<Vector>,
    b: SharedVec<Vector>,
    r: SharedVec<Vector>,
}

/// All levels above the finest.
#[derive(Debug, Default)]
pub(super) struct Cycle {
    levels: Vec<Level>,
    /// Of the finest.
    r: SharedVec<Vector>,
    last: Option<Dense>,
}

fn zeros(n: usize) -> SharedVec<Vector> {
    SharedVec::new(vec![[0.0; 4]; n])
}

impl Cycle {
    /// Over nodes with this pattern. `lattices` says what nodes follow,
    /// level by level, as far as it is known: by the old numbers of the nodes, of which `number` gives the new ones.
    pub fn new(pattern: &Pattern, number: &[u32], lattices: &[Vec<Follows>]) -> Self {
        let mut out = Cycle { r: zeros(pattern.nodes()), ..Cycle::default() };
        let mut number = number.to_vec();
        let mut lattices = lattices.iter();
        let mut known = number.len();
        for _ in 0..MOST_LEVELS {
            let fine = out.levels.last().map_or(pattern, |l| &l.operator.pattern);
            if fine.nodes() <= LAST {
                break;
            }
            let mut follows: Vec<Follows> = vec![Follows::new(); fine.nodes()];
            let mut count = 0;
            if let Some(rows) = lattices.next() {
                for (old, row) in rows.iter().enumerate().take(known) {
                    count = row.iter().map(|f| f.0 as usize + 1).fold(count, usize::max);
                    follows[number[old] as usize].clone_from(row);
                }
            }
            known = count;
            let count = group(fine, &mut follows, count);
            if count >= fine.nodes() {
                break;
            }
            let (from, operator, numbering) = Coarsening::new(fine, &follows, count);
            number = numbering.to;
            out.levels.push(Level { from, operator, x: zeros(count), b: zeros(count), r: zeros(count) });
        }
        let nodes = out.levels.last().map_or(pattern.nodes(), |l| l.operator.pattern.nodes());
        // Without levels the finest is the last.
        let most = if out.levels.is_empty() { LAST } else { MOST_LAST };
        out.last = (nodes <= most).then(|| Dense::new(nodes));
        out
    }

    /// Whether there are no levels: so few nodes are solved at once, and nothing old is near enough.
    pub fn flat(&self) -> bool {
        self.levels.is_empty()
    }

    /// Sets what pairs of the finest level have that are single numbers.
    pub fn set_constant(&mut self, light: &Pattern, values: &[f32]) {
        if let Some(first) = self.levels.first_mut() {
            first.from.set_constant(light, values, &first.operator.pattern);
        }
    }

    /// The coarser operators, from the finest.
    pub fn project(&self, sweep: Sweep<'_>, finest: &Operator) {
        let (mut fine, worker) = (finest, sweep.worker);
        for level in &self.levels {
            on(sweep, &level.operator, |sweep| level.from.project(sweep, fine, &level.operator));
            fine = &level.operator;
        }
        if let Some(last) = &self.last {
            if let Some(alone) = worker.alone() {
                last.factorise(alone, fine);
            }
            worker.sync();
        }
    }

    /// x ≈ A⁻¹ b, and y = A x.
    pub fn apply_and_multiply(
        &self,
        sweep: Sweep<'_>,
        finest: &Operator,
        b: Shared<'_, Vector>,
        x: Shared<'_, Vector>,
        y: Shared<'_, Vector>,
    ) {
        if self.levels.is_empty() {
            self.down(sweep, finest, 0, b, x, self.r.shared());
            return finest.multiply(sweep, x, y);
        }
        self.down(sweep, finest, 0, b, x, self.r.shared());
        finest.product_after(sweep, b, [self.r.shared(), x], y);
    }

    /// From the level below `number` on. `r` is in the end what x was before the way back.
    fn down(
        &self,
        sweep: Sweep<'_>,
        operator: &Operator,
        number: usize,
        b: Shared<'_, Vector>,
        x: Shared<'_, Vector>,
        r: Shared<'_, Vector>,
    ) {
        let worker = sweep.worker;
        let Some(level) = self.levels.get(number) else {
            return match (&self.last, worker.alone()) {
                (Some(last), Some(alone)) => {
                    last.solve(alone, b, x);
                    worker.sync();
                }
                (Some(_), None) => worker.sync(),
                (None, _) => {
                    operator.forward(sweep, b, x);
                    operator.backward(sweep, b, x);
                }
            };
        };
        operator.forward(sweep, b, x);
        operator.left(sweep, x, r);
        let (up_b, up_x) = (level.b.shared(), level.x.shared());
        on(sweep, &level.operator, |sweep| {
            level.from.restrict(sweep.worker, r, up_b);
            self.down(sweep, &level.operator, number + 1, up_b, up_x, level.r.shared());
        });
        level.from.prolong(worker, up_x, x, r);
        operator.backward(sweep, b, x);
    }
}

/// By all workers, or the first alone where there is little to do.
fn on(sweep: Sweep<'_>, operator: &Operator, f: impl FnOnce(Sweep<'_>)) {
    if operator.pattern.nodes() >= SMALL {
        return f(sweep);
    }
    if let Some(worker) = sweep.worker.alone() {
        f(Sweep { worker, ..sweep });
    }
    sweep.worker.sync();
}
