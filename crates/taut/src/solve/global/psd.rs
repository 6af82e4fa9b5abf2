//! The nearest positive semi-definite matrix to a small symmetric one.

use super::evaluate::{EDGES, Small};
use super::small;

/// Sweeps of rotations, at most. Six are usual.
const SWEEPS: usize = 20;

/// Replaces negative eigenvalues of the leading `n`×`n` part by zero. Leaves what is positive already alone.
pub(super) fn project(h: &mut Small, n: usize) {
    let trace: f64 = (0..n).map(|i| h[i][i].abs()).sum();
    let mut test = *h;
    for i in 0..n {
        test[i][i] += 1e-10 * trace;
    }
    if trace == 0.0 || small::factor(&mut test, n) {
        return;
    }
    let (mut a, mut v) = (*h, [[0.0; EDGES]; EDGES]);
    (0..n).for_each(|i| v[i][i] = 1.0);
    for _ in 0..SWEEPS {
        let off: f64 = (0..n).map(|i| (0..i).map(|j| a[i][j] * a[i][j]).sum::<f64>()).sum();
        if off <= 1e-18 * trace * trace {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut v, n, p, q);
            }
        }
    }
    for k in (0..n).filter(|&k| a[k][k] < 0.0) {
        for i in 0..n {
            for j in 0..n {
                h[i][j] -= a[k][k] * v[i][k] * v[j][k];
            }
        }
    }
}

/// One Jacobi rotation: makes entry (p, q) zero.
fn rotate(a: &mut Small, v: &mut Small, n: usize, p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let t = if t.is_finite() { t } else { 0.0 };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..n {
        let (x, y) = (a[k][p], a[k][q]);
        (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
        let (x, y) = (v[k][p], v[k][q]);
        (v[k][p], v[k][q]) = (c * x - s * y, s * x + c * y);
    }
    for k in 0..n {
        let (x, y) = (a[p][k], a[q][k]);
        (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distance moved is the negative part's size, the result has no negative part, and doing it again does
    /// nothing.
    #[test]
    fn only_the_negative_part_goes() {
        let mut seed = 7u64;
        let mut noise = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        for n in [3, 6, 9, 15] {
            let mut h = [[0.0; EDGES]; EDGES];
            for i in 0..n {
                for j in 0..=i {
                    h[i][j] = noise();
                    h[j][i] = h[i][j];
                }
            }
            let before = h;
            project(&mut h, n);
            let mut taken = before;
            for i in 0..n {
                for j in 0..n {
                    taken[i][j] = h[i][j] - before[i][j];
                    assert!((h[i][j] - h[j][i]).abs() < 1e-13);
                }
            }
            assert!(taken.iter().flatten().any(|t| t.abs() > 0.1), "a random matrix has negative eigenvalues");
            // Both parts are semi-definite and their product vanishes: that is the spectral split and no other.
            // Rotations end at 1e-9 of the trace.
            let trace: f64 = (0..n).map(|i| before[i][i].abs()).sum();
            for (part, name) in [(&h, "kept"), (&taken, "taken")] {
                let mut shifted = *part;
                (0..n).for_each(|i| shifted[i][i] += 1e-12);
                assert!(small::factor(&mut shifted, n), "{name} part is not semi-definite");
            }
            for i in 0..n {
                for j in 0..n {
                    let product: f64 = (0..n).map(|k| h[i][k] * taken[k][j]).sum();
                    assert!(product.abs() < 1e-9 * trace * trace, "{product}");
                }
            }
        }
    }
}
