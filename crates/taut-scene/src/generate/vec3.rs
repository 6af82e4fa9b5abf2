//! The little vector algebra that generators need.

pub(super) type Vec3 = [f64; 3];

pub(super) fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn scale(a: Vec3, factor: f64) -> Vec3 {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

pub(super) fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn length(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

/// The unit vector along `a`, or nothing if `a` has no direction: zero, not finite, or too small to square.
pub(super) fn unit(a: Vec3) -> Option<Vec3> {
    let length = length(a);
    (length.is_finite() && length >= f64::MIN_POSITIVE).then(|| scale(a, 1.0 / length))
}

/// Some unit vector perpendicular to the unit vector `a`.
pub(super) fn perpendicular(a: Vec3) -> Vec3 {
    // Crossing with the axis that `a` leans on least keeps the product long.
    let magnitude = a.map(f64::abs);
    let axis = if magnitude[0] <= magnitude[1] && magnitude[0] <= magnitude[2] {
        [1.0, 0.0, 0.0]
    } else if magnitude[1] <= magnitude[2] {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    };
    unit(cross(a, axis)).unwrap_or(axis)
}

/// Right-handed orthonormal axes: the first along the unit vector `first`, the second as near `second` as it can be.
pub(super) fn frame(first: Vec3, second: Vec3) -> [Vec3; 3] {
    let rest = sub(second, scale(first, dot(second, first)));
    // Where `second` is all but parallel to `first`, what is left of it is rounding error, not a direction.
    let usable = length(rest) > 1e-9 * length(second);
    let second = unit(rest).filter(|_| usable).unwrap_or_else(|| perpendicular(first));
    [first, second, cross(first, second)]
}

/// Six times the signed volume of a tetrahedron.
pub(super) fn volume6(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> f64 {
    dot(sub(b, a), cross(sub(c, a), sub(d, a)))
}
