//! Strain gauges: how a region of a specimen has deformed.

/// The gradient of the displacement in a plane, by least squares over vertices: [[∂u₀/∂x₀, ∂u₀/∂x₁], [∂u₁/∂x₀,
/// ∂u₁/∂x₁]] with the two `axes` of the world as 0 and 1. Over the width of a strip it is the mean gradient, on which
/// stresses that have no sum have no influence.
pub(crate) fn gradient(
    rest: &[[f64; 3]],
    now: &[[f64; 3]],
    axes: [usize; 2],
    inside: impl Fn(&[f64; 3]) -> bool,
) -> [[f64; 2]; 2] {
    let chosen: Vec<usize> = (0..rest.len().min(now.len())).filter(|&v| inside(&rest[v])).collect();
    let count = chosen.len().max(1) as f64;
    let mean = |f: &dyn Fn(usize) -> f64| chosen.iter().map(|&v| f(v)).sum::<f64>() / count;
    let centre = axes.map(|k| mean(&|v| rest[v][k]));
    axes.map(|k| {
        let moved = mean(&|v| now[v][k] - rest[v][k]);
        let (mut m, mut b) = ([[0.0; 2]; 2], [0.0; 2]);
        for &v in &chosen {
            let d = [0, 1].map(|j| rest[v][axes[j]] - centre[j]);
            let u = now[v][k] - rest[v][k] - moved;
            for i in 0..2 {
                b[i] += d[i] * u;
                for j in 0..2 {
                    m[i][j] += d[i] * d[j];
                }
            }
        }
        let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        [(b[0] * m[1][1] - b[1] * m[0][1]) / det, (b[1] * m[0][0] - b[0] * m[1][0]) / det]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An affine motion is found to rounding, and vertices outside do not matter.
    #[test]
    fn an_affine_motion_is_its_own_gradient() {
        let rest: Vec<[f64; 3]> = (0..20).map(|i| [f64::from(i % 5), 0.0, f64::from(i / 5)]).collect();
        let moved = |p: &[f64; 3]| [1.2 * p[0] + 0.1 * p[2] + 3.0, 7.0, 0.9 * p[2] - 0.3 * p[0]];
        let mut now: Vec<[f64; 3]> = rest.iter().map(moved).collect();
        now[19] = [100.0; 3];
        let found = gradient(&rest, &now, [0, 2], |p| p[2] < 2.5);
        for (a, b) in found.as_flattened().iter().zip([0.2, 0.1, -0.3, -0.1]) {
            assert!((a - b).abs() < 1e-13, "{found:?}");
        }
    }
}
