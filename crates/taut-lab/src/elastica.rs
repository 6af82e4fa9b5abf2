//! The heavy elastica: an inextensible strip that is clamped level at one end and bends under its own weight.
//!
//! With the arc length s and loads in units of the overhang L, and Λ = ρ g L³/B: θ″ = −Λ (1 − s) cos θ, θ(0) = 0, θ′(1)
//! = 0, θ being the angle below the horizontal.

/// Steps of the integration; its error falls with their fourth power.
const STEPS: usize = 400;

/// The angle of ASTM D1388's plane, degrees.
pub const PLANE_DEGREES: f64 = 41.5;

/// The shape: x, y (downwards) and θ at equal steps of the arc length, in units of the overhang.
pub fn shape(load: f64) -> Vec<[f64; 3]> {
    // θ′(1) grows with θ′(0), and θ′(0) = Λ/2 is that of a strip that does not turn.
    let (mut low, mut high) = (0.0, 0.5 * load + 1e-12);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if integrate(load, middle).1 < 0.0 { low = middle } else { high = middle }
    }
    integrate(load, 0.5 * (low + high)).0
}

/// Integrates from the clamp with a curvature there: the shape, and the curvature at the free end.
fn integrate(load: f64, curvature: f64) -> (Vec<[f64; 3]>, f64) {
    let h = 1.0 / STEPS as f64;
    let slope = |s: f64, [_, _, theta, k]: [f64; 4]| {
        let (sin, cos) = theta.sin_cos();
        [cos, sin, k, -load * (1.0 - s) * cos]
    };
    let mut at = [0.0, 0.0, 0.0, curvature];
    let mut points = vec![[0.0; 3]];
    for i in 0..STEPS {
        let s = i as f64 * h;
        let step = |d: [f64; 4], h: f64| std::array::from_fn(|k| at[k] + h * d[k]);
        let a = slope(s, at);
        let b = slope(s + 0.5 * h, step(a, 0.5 * h));
        let c = slope(s + 0.5 * h, step(b, 0.5 * h));
        let d = slope(s + h, step(c, h));
        at = std::array::from_fn(|k| at[k] + h / 6.0 * (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]));
        points.push([at[0], at[1], at[2]]);
    }
    (points, at[3])
}

/// The tip's distance below the clamp over the overhang.
pub fn droop(load: f64) -> f64 {
    shape(load)[STEPS][1]
}

/// The angle of the line from the clamp to the tip below the horizontal, degrees.
pub fn chord_degrees(load: f64) -> f64 {
    let [x, y, _] = shape(load)[STEPS];
    y.atan2(x).to_degrees()
}

/// Beyond this load (70° of chord), shooting from the clamp loses its digits.
const HEAVY: f64 = 60.0;

/// The load Λ at which the tip touches a plane `degrees` below the horizontal, up to 60°.
pub fn load_at(degrees: f64) -> f64 {
    let (mut low, mut high) = (0.0, HEAVY);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if chord_degrees(middle) < degrees { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Light loads: the droop of a beam, Λ/8. Its next term is of the order Λ³.
    #[test]
    fn a_light_load_is_a_beam() {
        assert!((droop(0.01) / (0.01 / 8.0) - 1.0).abs() < 1e-4, "{}", droop(0.01));
    }

    /// The standard's plane is at 41.5° because there the overhang is twice the bending length: Λ = 8, to the half
    /// degree that the angle is given to (0.3 in Λ). Peirce's own formula (1930), 8 tan φ / cos(φ/2), is an
    /// approximation and 5 % away.
    #[test]
    fn the_standards_angle_halves_the_overhang() {
        let load = load_at(PLANE_DEGREES);
        let peirce = 8.0 * PLANE_DEGREES.to_radians().tan() / (0.5 * PLANE_DEGREES).to_radians().cos();
        assert!((load - 8.0).abs() < 0.15, "{load}");
        assert!((peirce / load - 1.0).abs() < 0.06, "{load} {peirce}");
        assert!((chord_degrees(load) - PLANE_DEGREES).abs() < 1e-6);
    }
}
