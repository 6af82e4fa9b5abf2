//! E and E⁻¹ of one element: diagonal, but for its first three rows, which a material couples.

use super::evaluate::ROWS;
use crate::constraint::SLACK;

/// The compliance E⁻¹ and the stiffness E of one element. Rows that are not elastic have zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ItemStiffness {
    /// Bit r is set if row r is elastic.
    pub mask: u8,
    /// E⁻¹.
    pub compliance: Coupled,
    /// E.
    pub stiffness: Coupled,
}

/// A symmetric matrix, diagonal but for its first three rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Coupled {
    pub diagonal: [f64; ROWS],
    /// Between rows 0 and 1, 0 and 2, 1 and 2.
    pub coupling: [f64; 3],
}

impl Coupled {
    /// Entry (a, b).
    #[inline(always)]
    pub fn at(&self, a: usize, b: usize) -> f64 {
        if a == b {
            self.diagonal[a]
        } else if a < 3 && b < 3 {
            self.coupling[a + b - 1]
        } else {
            0.0
        }
    }

    /// The matrix times a vector.
    #[inline(always)]
    pub fn times(&self, y: &[f64; ROWS]) -> [f64; ROWS] {
        let mut out: [f64; ROWS] = core::array::from_fn(|r| self.diagonal[r] * y[r]);
        let [k01, k02, k12] = self.coupling;
        out[0] += k01 * y[1] + k02 * y[2];
        out[1] += k01 * y[0] + k12 * y[2];
        out[2] += k02 * y[0] + k12 * y[1];
        out
    }

    /// S · self · S with the diagonal matrix S.
    #[inline(always)]
    pub fn scaled(&self, s: &[f64; ROWS]) -> Self {
        let [k01, k02, k12] = self.coupling;
        Coupled {
            diagonal: core::array::from_fn(|r| self.diagonal[r] * s[r] * s[r]),
            coupling: [k01 * s[0] * s[1], k02 * s[0] * s[2], k12 * s[1] * s[2]],
        }
    }
}

/// The least compliance, 1/J. Stiffer is as good as rigid, and beyond what `f64` can tell from the masses.
const RIGID: f64 = 1e-13;

/// Inverts an element's compliance. Rows at [`SLACK`], negative ones and what is not a number have no stiffness;
/// couplings that would let a deformation release energy are left out.
pub(super) fn stiffness<const R: usize>(compliance: &[f64; R], coupling: [f64; 3]) -> ItemStiffness {
    let mut out = ItemStiffness::default();
    for r in 0..R {
        if (0.0..SLACK * 0.99).contains(&compliance[r]) {
            out.mask |= 1 << r;
            out.compliance.diagonal[r] = compliance[r].max(RIGID);
            out.stiffness.diagonal[r] = 1.0 / out.compliance.diagonal[r];
        }
    }
    for (k, (a, b)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
        if out.mask >> a & out.mask >> b & 1 == 1 {
            out.compliance.coupling[k] = coupling[k];
        }
    }
    match inverse(&out.compliance, out.mask) {
        Some(stiffness) => out.stiffness = Coupled { diagonal: patch(out.stiffness.diagonal, &stiffness), ..stiffness },
        None => out.compliance.coupling = [0.0; 3],
    }
    out
}

fn patch(mut diagonal: [f64; ROWS], coupled: &Coupled) -> [f64; ROWS] {
    diagonal[..3].copy_from_slice(&coupled.diagonal[..3]);
    diagonal
}

/// The inverse of the coupled rows if they are positive definite by a margin. Rows out of the mask stay zero.
fn inverse(m: &Coupled, mask: u8) -> Option<Coupled> {
    // With each row scaled to a diagonal of 1, out-of-mask rows being rows of the identity.
    let on = |r: usize| mask >> r & 1 == 1;
    let s: [f64; 3] = core::array::from_fn(|r| if on(r) { 1.0 / m.diagonal[r].sqrt() } else { 1.0 });
    let [a, b, c] = [m.coupling[0] * s[0] * s[1], m.coupling[1] * s[0] * s[2], m.coupling[2] * s[1] * s[2]];
    let det = 1.0 + 2.0 * a * b * c - a * a - b * b - c * c;
    let margin = 1e-9;
    if !(det > margin && 1.0 - a * a > margin && 1.0 - b * b > margin && 1.0 - c * c > margin) {
        return None;
    }
    let mut out = Coupled::default();
    for (r, k) in [c, b, a].into_iter().enumerate() {
        out.diagonal[r] = if on(r) { (1.0 - k * k) / det * s[r] * s[r] } else { 0.0 };
    }
    out.coupling = [(b * c - a) / det * s[0] * s[1], (a * c - b) / det * s[0] * s[2], (a * b - c) / det * s[1] * s[2]];
    Some(out)
}
