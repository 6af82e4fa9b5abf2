//! Vectors of three and small dense systems.

/// a·b.
#[inline(always)]
pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// |a|.
#[inline(always)]
pub(super) fn norm(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

/// a + s b.
#[inline(always)]
pub(super) fn plus(a: [f64; 3], s: f64, b: [f64; 3]) -> [f64; 3] {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

/// The Cholesky factor of the leading `n`×`n` part of a symmetric matrix, in its lower triangle. False if a pivot is
/// not positive.
#[inline(always)]
pub(super) fn factor<const N: usize>(a: &mut [[f64; N]; N], n: usize) -> bool {
    for j in 0..n {
        for k in 0..j {
            let scale = a[j][k];
            for i in j..n {
                a[i][j] -= a[i][k] * scale;
            }
        }
        if !(a[j][j] > 0.0 && a[j][j].is_finite()) {
            return false;
        }
        let root = a[j][j].sqrt();
        for i in j..n {
            a[i][j] /= root;
        }
    }
    true
}

/// Solves with what [`factor`] gave.
#[inline(always)]
pub(super) fn solve<const N: usize>(a: &[[f64; N]; N], n: usize, b: &mut [f64; N]) {
    for i in 0..n {
        for k in 0..i {
            b[i] -= a[i][k] * b[k];
        }
        b[i] /= a[i][i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            b[i] -= a[k][i] * b[k];
        }
        b[i] /= a[i][i];
    }
}
