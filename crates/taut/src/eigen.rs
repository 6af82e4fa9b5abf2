//! Eigenvalues of small symmetric matrices.

/// Sweeps over all pairs: as many as it takes matrices of this size to become diagonal, and some.
const SWEEPS: usize = 12;

/// Eigenvalues and unit eigenvectors, by Jacobi's rotations.
pub(crate) fn eigen<const N: usize>(m: &[[f64; N]; N]) -> ([f64; N], [[f64; N]; N]) {
    let unit = |i: usize| core::array::from_fn(|j| if i == j { 1.0 } else { 0.0 });
    let (mut a, mut v): ([[f64; N]; N], [[f64; N]; N]) = (*m, core::array::from_fn(unit));
    for _ in 0..SWEEPS {
        for (p, q) in (0..N).flat_map(|p| (p + 1..N).map(move |q| (p, q))) {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for k in 0..N {
                let (x, y) = (a[k][p], a[k][q]);
                (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
            }
            for k in 0..N {
                let (x, y) = (a[p][k], a[q][k]);
                (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                let (x, y) = (v[p][k], v[q][k]);
                (v[p][k], v[q][k]) = (c * x - s * y, s * x + c * y);
            }
        }
    }
    (core::array::from_fn(|i| a[i][i]), v)
}
