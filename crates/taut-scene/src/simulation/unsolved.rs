//! Whether solvers stay far from done.

use super::world::World;
use glam::DVec3;
use taut::Params;

/// Frames from one look to the next: a look measures all strains.
pub(super) const EVERY: u32 = 10;
/// Bad looks in a row that make a warning. One that is hard, a collision say, is nobody's fault; half a second can be
/// seen.
const LOOKS: u64 = 3;
/// The share of stiffness that may be missing. With half of it, cloth stretches twice as far as its material would.
const MISSING: f64 = 0.5;
/// The strain below which nobody sees whether it should have been half as much: 99 of 100 elements are strained less.
const VISIBLE: f64 = 0.01;

/// What a solver left, and the most that may be left, in the same unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    left: f64,
    most: f64,
    /// Whether that is a velocity, m/s, instead of a share of stiffness.
    velocity: bool,
}

impl Look {
    /// Nothing to say.
    pub const GOOD: Look = Look { left: 0.0, most: 0.0, velocity: false };

    /// At bodies of `size` (m) across, after a step in substeps of `h` (s) whose solve left `residual`.
    ///
    /// Solvers on rows, stopped early, act as if the material were softer: what counts is the share of stiffness that
    /// is missing. Solvers on positions leave wrong velocities: what counts is how far those carry in a substep. A
    /// thousandth of a body's size is a pixel of a picture that it fills.
    pub fn new(world: &World, params: &Params, residual: f64, size: f64, h: f64) -> Self {
        if params.solver.on_positions() {
            return Look { left: residual, most: 1e-3 * size / h, velocity: true };
        }
        let missing = 1.0 - world.firmness();
        let left = if missing > MISSING && strain(world) < VISIBLE { 0.0 } else { missing };
        Look { left, most: MISSING, velocity: false }
    }
}

/// The largest of the 99th percentiles of strains.
fn strain(world: &World) -> f64 {
    let strains = world.strains();
    let (cloth, solid) = (strains.cloth(), strains.solid());
    cloth[..3].iter().chain(&solid[..6]).map(|spread| spread.p99).fold(0.0, f64::max)
}

/// How long solves have stayed beyond the bound.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Unsolved {
    /// Bad looks in a row until now, and the most that was left in them.
    run: u64,
    most: f64,
    /// The longest such run, the frame it ended at, the most that was left in it, and whether that is a velocity.
    longest: u64,
    last: u64,
    worst: f64,
    velocity: u64,
}

impl Unsolved {
    /// Takes note of a look.
    pub fn watch(&mut self, frame: u32, look: Look) {
        if look.left.is_finite() && look.left <= look.most {
            (self.run, self.most) = (0, 0.0);
            return;
        }
        self.run = self.run.saturating_add(1);
        self.most = if look.left.is_finite() { self.most.max(look.left) } else { f64::INFINITY };
        if self.run >= self.longest {
            (self.longest, self.last, self.worst) = (self.run, frame.into(), self.most);
            self.velocity = look.velocity.into();
        }
    }

    /// What to say about it, if anything.
    pub fn warning(&self) -> Option<String> {
        let (to, every) = (self.last, u64::from(EVERY));
        let from = to.saturating_add(1).saturating_sub(every.saturating_mul(self.longest)).max(1);
        let what = match self.velocity {
            0 => format!(
                "as little as {:.0} % of the stiffness acts, so bodies stretch too far",
                100.0 * (1.0 - self.worst).max(0.0)
            ),
            _ => format!("velocities are wrong by up to {:.1} m/s", self.worst),
        };
        let help = "try more substeps or iterations";
        (self.longest >= LOOKS).then(|| format!("frames {from} to {to}: the solver is stopped early, {what}: {help}"))
    }

    /// For checkpoints.
    pub fn to_numbers(self) -> [u64; 6] {
        [self.run, self.most.to_bits(), self.longest, self.last, self.worst.to_bits(), self.velocity]
    }

    /// What [`to_numbers`](Self::to_numbers) gave; nothing noted if there are other numbers.
    pub fn from_numbers(numbers: &[u64]) -> Self {
        let [run, most, longest, last, worst, velocity] = *numbers else { return Unsolved::default() };
        Unsolved { run, most: f64::from_bits(most), longest, last, worst: f64::from_bits(worst), velocity }
    }
}

/// The diagonal of the box around points, m.
pub(super) fn diagonal(points: &[[f64; 3]]) -> f64 {
    let points = points.iter().map(|&p| DVec3::from(p));
    let bounds = points.map(|p| (p, p)).reduce(|(low, high), (p, _)| (low.min(p), high.max(p)));
    bounds.map_or(0.0, |(low, high)| low.distance(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(left: f64) -> Look {
        Look { left, most: 0.5, velocity: false }
    }

    #[test]
    fn a_hard_moment_is_no_warning_and_a_long_one_is() {
        let mut unsolved = Unsolved::default();
        for frame in 1..=30 {
            // One good look before the run gets long.
            unsolved.watch(EVERY * frame, missing(if frame % 3 == 0 { 0.4 } else { 0.9 }));
        }
        assert_eq!(unsolved.warning(), None);
        for frame in [310, 320, 330, 340] {
            unsolved.watch(frame, missing(if frame == 320 { 0.8 } else { 0.6 }));
        }
        unsolved.watch(350, missing(0.0));
        let said = unsolved.warning().unwrap();
        assert!(said.starts_with("frames 301 to 340: the solver is stopped early, as little as 20 % of"), "{said}");
        assert_eq!(Unsolved::from_numbers(&unsolved.to_numbers()), unsolved);
        assert_eq!(Unsolved::from_numbers(&[1]), Unsolved::default());
    }

    #[test]
    fn what_cannot_be_computed_is_unsolved() {
        let mut unsolved = Unsolved::default();
        [10, 20, 30].into_iter().for_each(|frame| unsolved.watch(frame, missing(f64::NAN)));
        assert!(unsolved.warning().is_some());
    }

    #[test]
    fn velocities_are_called_so() {
        let look = Look { left: 0.21, most: 0.2, velocity: true };
        let mut unsolved = Unsolved::default();
        [10, 20, 30].into_iter().for_each(|frame| unsolved.watch(frame, look));
        let said = unsolved.warning().unwrap();
        assert!(said.contains("velocities are wrong by up to 0.2 m/s"), "{said}");
    }
}
