//! How much of the last substep's multipliers a warm start may take over.
//!
//! A solver that is stopped early leaves a share ρ of the error it began with. Take one mode of a cloth: stiffness k,
//! one multiplier λ, λ* the exact one of this substep. Beginning at η λ of the substep before it ends at
//!
//! ```text
//! λ' = ρ η λ + (1 − ρ) λ*
//! ```
//! so its force is late by ρη/(1 − ρη) substeps, and late forces feed a swing. What feeds on it has to fit into what
//! the integrator damps. For implicit Euler (x' = x̃ + h² λ', v' = v + h λ') the recurrence has the characteristic
//! polynomial (z − ρη)(z − 1)² + (1 − ρ) κ z (2z − 1), κ = h²k/(1 + h²k), whose roots all lie within the unit circle if
//! and only if ρη < ½ (Jury's test), whatever k and h. In general the lateness may be
//!
//! ```text
//! ρη/(1 − ρη) ≤ (lead + γ)/h,      that is      ρη ≤ (lead + γ)/(h + lead + γ)
//! ```
//! with the damping time γ of the row and the integrator's own, `lead` (see [`Scheme`](super::scheme::Scheme)): h for
//! implicit Euler, none for implicit midpoint. So all multipliers where a solve leaves half the error at most, and half
//! of them where it leaves nearly all of it, are as much as can be had: cloth that few iterations cannot solve gets no
//! more than twice as stiff by a warm start; with all of them it explodes. Half of that lateness is used where much is
//! left, because the modes of real cloth mix.

use crate::lanes::Real;

/// How much of the lateness that a single mode would bear is used where much is left unsolved.
const MARGIN: f64 = 0.5;
/// What is used of that bound where the integrator itself damps nothing to first order: BDF-2 with long damping times
/// bears 0.98 of it, by its eigenvalues.
const SAFE: f64 = 0.95;
/// A row of which no more than this is left unsolved counts as solved: what midpoint rules, which damp nothing, would
/// gain from a force as late as that is a percent or so a second, less than they lose elsewhere.
const SOLVED: f64 = 0.03;
/// How far a row's own multiplier may push its own value: strain, or rad. Elements that have nearly collapsed have
/// gradients that their multipliers were not found with.
const FARTHEST: f64 = 0.25;
/// Keeps divisions away from zero.
const LEAST: f64 = 1e-30;

/// What to keep of the multipliers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WarmStart {
    /// s (s²) of the scheme.
    pub reach: f64,
    /// 1/s.
    pub rate: f64,
    /// s: of the scheme.
    pub lead: f64,
    /// Length of the substep, s.
    pub h: f64,
    /// How often the solver's sweeps pass a row's neighbours: q to this power of an error is left, with
    /// q = s A/(s A + E⁻¹). 0 if that is not known.
    pub passes: u32,
    /// Over-relaxation of the sweeps, 1 for none: what it throws too far goes round longer.
    pub relaxation: f64,
    /// Keeps all: for solvers that begin elsewhere if that is better.
    pub all: bool,
}

impl WarmStart {
    /// The share η of a row's multiplier `lambda` to begin with, times it. `give` is A of the row alone, `compliance`
    /// its E⁻¹, `gamma` its γ.
    #[inline(always)]
    pub fn keep<L: Real>(&self, lambda: L, give: L, compliance: L, gamma: L) -> L {
        let one = lambda.lit(1.0);
        let push = L::max(give * lambda.lit(self.reach), lambda.lit(LEAST));
        let most = lambda.lit(FARTHEST) / push;
        let kept = if self.all {
            lambda
        } else {
            let stiff = push * (one + gamma * lambda.lit(self.rate));
            let left = power(stiff / (stiff + compliance), self.passes);
            let late = gamma + lambda.lit(self.lead);
            let room = late / (late + lambda.lit(self.h));
            let fits = left.lt(L::max(room * lambda.lit(safe(self.lead)), lambda.lit(SOLVED)));
            let late = late * lambda.lit(MARGIN * (2.0 - self.relaxation));
            let room = late / (late + lambda.lit(self.h));
            lambda * L::select(fits, one, room / L::max(left, lambda.lit(LEAST)))
        };
        L::max(L::min(kept, most), -most)
    }
}

/// The share of the bound that is used.
#[inline(always)]
fn safe(lead: f64) -> f64 {
    if lead > 0.0 { 1.0 } else { SAFE }
}

/// qⁿ by squaring: the same bits everywhere.
#[inline(always)]
fn power<L: Real>(mut q: L, mut n: u32) -> L {
    let mut out = q.lit(1.0);
    while n > 0 {
        if n % 2 == 1 {
            out = out * q;
        }
        q = q * q;
        n /= 2;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::scheme::{Integrator, Scheme};
    use super::*;

    /// One mode of unit mass, stiffness `k` and damping time `gamma`, stepped with h = 1 by a solver that leaves `rho`
    /// of an error, beginning with the share `eta` of the last multiplier. It is let go at rest, a unit away, with
    /// nothing to remember. Returns its largest size at any time.
    fn growth(scheme: &Scheme, k: f64, gamma: f64, rho: f64, eta: f64) -> f64 {
        let (mut x, mut v, mut lambda, mut old, mut largest) = (1.0_f64, 0.0, 0.0, [1.0, 0.0], 0.0);
        for _ in 0..40_000 {
            let free = x + scheme.again * (x - old[0]) + scheme.carry[0] * v + scheme.carry[1] * old[1];
            let free = free + scheme.force * lambda;
            let drift = scheme.keep[0] * v + scheme.keep[1] * old[1] + scheme.impulse * lambda;
            let exact = -(free + gamma * drift) / (scheme.reach * (1.0 + gamma * scheme.rate) + 1.0 / k);
            old = [x, v];
            lambda = rho * eta * lambda + (1.0 - rho) * exact;
            (x, v) = (free + scheme.reach * lambda, drift + scheme.reach * lambda * scheme.rate);
            largest = f64::max(largest, x.abs() + v.abs());
            if largest > 1e9 {
                break;
            }
        }
        largest
    }

    fn schemes() -> Vec<(Integrator, f64)> {
        let weighted = |alpha, beta| (Integrator::AlphaBeta { alpha, beta }, alpha + beta - 1.0);
        vec![
            (Integrator::ImplicitEuler, 1.0),
            weighted(0.9, 0.9),
            weighted(0.6, 0.6),
            weighted(0.55, 0.9),
            weighted(1.0, 0.7),
            (Integrator::Newmark { beta: 0.3025, gamma: 0.6 }, 0.1),
            (Integrator::Bdf2, 0.0),
        ]
    }

    /// The bound of this file's head is the right one: no mode grows with it, whatever its stiffness and however little
    /// of it is solved, and stiff ones that are hardly solved do grow with a little more.
    #[test]
    fn multipliers_may_be_as_late_as_the_motion_is_damped() {
        for (integrator, lead) in schemes() {
            let scheme = integrator.scheme(1.0, false);
            assert!((scheme.lead - lead).abs() < 1e-12, "{integrator:?}");
            for gamma in [0.0, 0.3, 3.0] {
                let late = lead + gamma;
                let room = late / (1.0 + late);
                for k in [1e-4, 1e-2, 1.0, 1e2, 1e5] {
                    for rho in [0.1, 0.5, 0.9, 0.99, 0.999] {
                        let eta = f64::min(1.0, safe(lead) * room / rho);
                        let end = growth(&scheme, k, gamma, rho, eta);
                        // Energy before: ½ k. A swing out, and a speed of its amplitude in a step.
                        assert!(end < 4.0, "{integrator:?} γ {gamma} k {k} ρ {rho} η {eta}: {end}");
                    }
                }
                let more = growth(&scheme, 1e5, gamma, 0.99, f64::min(1.0, (room + 0.05) / 0.99));
                assert!(more > 1e6, "{integrator:?} γ {gamma}: {more}");
            }
        }
    }

    /// What is kept: all of what is solved, no more than the bound of what is not, and no throw.
    #[test]
    fn memory_keeps_what_it_may() {
        let warm = WarmStart { reach: 1.0, rate: 1.0, lead: 1.0, h: 1.0, passes: 2, relaxation: 1.0, all: false };
        // q = 1/2 of a row as stiff as it is heavy: a quarter is left after there and back again.
        assert_eq!(warm.keep(0.1, 1.0, 1.0, 0.0), 0.1);
        // Hardly solved: late by half a step, a third.
        let kept: f64 = warm.keep(0.1, 1.0, 1e-12, 0.0);
        assert!((kept - 0.1 / 3.0).abs() < 1e-9, "{kept}");
        let unknown = WarmStart { passes: 0, ..warm };
        assert!((unknown.keep(0.1, 1.0, 1.0, 0.0) - 0.1 / 3.0_f64).abs() < 1e-12);
        let all = WarmStart { all: true, ..warm };
        assert_eq!(all.keep(0.1, 1.0, 1e-12, 0.0), 0.1);
        assert_eq!(all.keep(-80.0, 2.0, 1e-12, 0.0), -FARTHEST / 2.0);
        let still = WarmStart { lead: 0.0, ..warm };
        assert_eq!(still.keep(0.1, 1.0, 1e-12, 0.0), 0.0);
    }
}
