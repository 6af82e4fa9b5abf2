//! The rotation nearest to a matrix.

use crate::eigen::eigen;

/// A unit quaternion: real part first.
pub(crate) type Quaternion = [f64; 4];
/// By rows.
pub(crate) type Mat3 = [[f64; 3]; 3];

/// No turn at all.
pub(crate) const NO_TURN: Quaternion = [1.0, 0.0, 0.0, 0.0];
/// Steps of Newton's method, at most. From the turn of a sweep ago two are usual.
const STEPS: usize = 5;
/// What is left of the torque, over the trace, where steps end.
const ENOUGH: f64 = 1e-14;
/// Steps of more than this (rad) are not trusted.
const LONGEST: f64 = 0.5;
/// Below this part of the trace, curvature is rounding.
const FLAT: f64 = 1e-12;

/// The rotation R, det R = 1, with the largest Σ R_ij A_ij: for A = Σ m x Xᵀ that which brings points X closest to x,
/// mirrored or not.
///
/// By Newton's method from `start`, if that is near; else as the eigenvector of Horn's 4×4 matrix, which nothing can
/// confuse. With S = RᵀA the slope is the axial vector of S − Sᵀ, and the curvature tr S − S. There is no maximum but
/// the largest (where the curvature is positive definite, the sum of the two smallest of A's signed singular values is
/// positive).
pub(crate) fn nearest(a: &Mat3, start: Option<Quaternion>) -> Quaternion {
    start.and_then(|start| newton(a, start)).unwrap_or_else(|| horn(a))
}

fn newton(a: &Mat3, start: Quaternion) -> Option<Quaternion> {
    let mut turn = start;
    for _ in 0..STEPS {
        let r = matrix(turn);
        let s: Mat3 =
            core::array::from_fn(|i| core::array::from_fn(|j| (0..3).map(|k| r[k][i] * a[k][j]).sum::<f64>()));
        let trace = s[0][0] + s[1][1] + s[2][2];
        let torque = [s[2][1] - s[1][2], s[0][2] - s[2][0], s[1][0] - s[0][1]];
        let half = |i: usize, j: usize| if i == j { trace - s[i][i] } else { -0.5 * (s[i][j] + s[j][i]) };
        let by = solve(&core::array::from_fn(|i| core::array::from_fn(|j| half(i, j))), torque, FLAT * trace)?;
        let square = by[0] * by[0] + by[1] * by[1] + by[2] * by[2];
        if torque.iter().all(|t| t.abs() <= ENOUGH * trace) {
            return Some(turn);
        }
        if square.is_nan() || square > LONGEST * LONGEST {
            return None;
        }
        turn = after(turn, [1.0, 0.5 * by[0], 0.5 * by[1], 0.5 * by[2]]);
        if square <= 1e-10 {
            // Errors square at least.
            return Some(turn);
        }
    }
    None
}

/// x with M x = b, if M is positive definite with no pivot below `least`.
fn solve(m: &Mat3, b: [f64; 3], least: f64) -> Option<[f64; 3]> {
    let good = |d: f64| (d > least).then_some(d);
    let d0 = good(m[0][0])?;
    let (l1, l2) = (m[0][1] / d0, m[0][2] / d0);
    let d1 = good(m[1][1] - l1 * m[0][1])?;
    let e = m[1][2] - l1 * m[0][2];
    let l3 = e / d1;
    let d2 = good(m[2][2] - l2 * m[0][2] - l3 * e)?;
    let y1 = b[1] - l1 * b[0];
    let y2 = b[2] - l2 * b[0] - l3 * y1;
    let z = y2 / d2;
    let y = y1 / d1 - l3 * z;
    Some([b[0] / d0 - l1 * y - l2 * z, y, z])
}

fn horn(a: &Mat3) -> Quaternion {
    if !a.iter().flatten().all(|c| c.is_finite()) {
        return NO_TURN;
    }
    let (x, y, z) = (a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1]);
    let (xy, xz, yz) = (a[0][1] + a[1][0], a[2][0] + a[0][2], a[1][2] + a[2][1]);
    let n = [
        [a[0][0] + a[1][1] + a[2][2], x, y, z],
        [x, a[0][0] - a[1][1] - a[2][2], xy, xz],
        [y, xy, a[1][1] - a[0][0] - a[2][2], yz],
        [z, xz, yz, a[2][2] - a[0][0] - a[1][1]],
    ];
    let (values, vectors) = eigen(&n);
    let most = (0..4).fold(0, |most, k| if values[k] > values[most] { k } else { most });
    unit(vectors[most])
}

fn unit(q: [f64; 4]) -> Quaternion {
    let length = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    if length > 0.0 && length.is_finite() { q.map(|c| c / length) } else { NO_TURN }
}

/// p q, made a unit.
fn after(p: Quaternion, q: [f64; 4]) -> Quaternion {
    unit([
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] + p[2] * q[0] + p[3] * q[1] - p[1] * q[3],
        p[0] * q[3] + p[3] * q[0] + p[1] * q[2] - p[2] * q[1],
    ])
}

/// The matrix of a turn.
pub(crate) fn matrix([w, x, y, z]: Quaternion) -> Mat3 {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

pub(crate) fn determinant(m: &Mat3) -> f64 {
    m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
}
