//! What the tests measure with: written apart from the limiters, the long way round.

use taut::internals::lanes::V3;
use taut::limit::RestTriangle;

/// SplitMix64 as numbers.
pub struct Dice(pub u64);

impl Dice {
    /// Uniform in [a, b).
    pub fn within(&mut self, a: f64, b: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        a + (b - a) * ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Two orthonormal vectors in space, anywhere.
    pub fn plane(&mut self) -> [V3<f64>; 2] {
        loop {
            let [a, b] =
                [0, 1].map(|_| V3::new(self.within(-1.0, 1.0), self.within(-1.0, 1.0), self.within(-1.0, 1.0)));
            if a.norm2() < 0.1 || a.cross(b).norm2() < 0.05 {
                continue;
            }
            let a = a * (1.0 / a.norm2().sqrt());
            let b = b - a * a.dot(b);
            return [a, b * (1.0 / b.norm2().sqrt())];
        }
    }
}

/// The deformation gradient of a triangle: columns.
pub fn gradient(rest: &RestTriangle, x: &[V3<f64>; 3]) -> [V3<f64>; 2] {
    let [p, q] = rest.edges;
    let det = rest.det();
    let (e1, e2) = (x[1] - x[0], x[2] - x[0]);
    [(e1 * q[1] - e2 * p[1]) * (1.0 / det), (e2 * p[0] - e1 * q[0]) * (1.0 / det)]
}

/// U = √(FᵀF) by its eigenvalues: weft, warp, shear of U − 1.
pub fn strain(rest: &RestTriangle, x: &[V3<f64>; 3]) -> [f64; 3] {
    let [f, g] = gradient(rest, x);
    let (a, b, c) = (f.norm2(), g.norm2(), f.dot(g));
    let angle = 0.5 * (2.0 * c).atan2(a - b);
    let (cos, sin) = (angle.cos(), angle.sin());
    let l1 = (a * cos * cos + b * sin * sin + 2.0 * c * cos * sin).max(0.0).sqrt();
    let l2 = (a * sin * sin + b * cos * cos - 2.0 * c * cos * sin).max(0.0).sqrt();
    [
        l1 * cos * cos + l2 * sin * sin - 1.0,
        l1 * sin * sin + l2 * cos * cos - 1.0,
        (l1 - l2) * cos * sin, //
    ]
}

/// Σ m d and Σ m x × d.
pub fn momenta(m: &[f64], x: &[V3<f64>], d: &[V3<f64>]) -> [V3<f64>; 2] {
    let mut sum = [V3::new(0.0, 0.0, 0.0); 2];
    for i in 0..m.len() {
        sum[0] = sum[0] + d[i] * m[i];
        sum[1] = sum[1] + x[i].cross(d[i]) * m[i];
    }
    sum
}

/// Gauss with pivots.
pub fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for c in 0..n {
        let pivot = (c..n).max_by(|&i, &j| a[i][c].abs().total_cmp(&a[j][c].abs())).unwrap();
        a.swap(c, pivot);
        b.swap(c, pivot);
        for r in c + 1..n {
            let f = a[r][c] / a[c][c];
            for k in c..n {
                a[r][k] -= f * a[c][k];
            }
            b[r] -= f * b[c];
        }
    }
    for r in (0..n).rev() {
        for k in r + 1..n {
            b[r] -= a[r][k] * b[k];
        }
        b[r] /= a[r][r];
    }
    b
}

pub fn point(v: &[f64; 3]) -> V3<f64> {
    V3::from(*v)
}

pub fn norm(v: V3<f64>) -> f64 {
    v.norm2().sqrt()
}
