//! Directions that generators need.

use glam::DVec3;

/// Some unit vector perpendicular to the unit vector `a`.
pub(super) fn perpendicular(a: DVec3) -> DVec3 {
    // Crossing with the axis that `a` leans on least keeps the product long.
    let axis = DVec3::AXES[a.abs().min_position()];
    a.cross(axis).try_normalize().unwrap_or(axis)
}

/// Right-handed orthonormal axes: the first along the unit vector `first`, the second as near `second` as it can be.
pub(super) fn frame(first: DVec3, second: DVec3) -> [DVec3; 3] {
    let rest = second - first * second.dot(first);
    // Where `second` is all but parallel to `first`, what is left of it is rounding error, not a direction.
    let usable = rest.length() > 1e-9 * second.length();
    let second = rest.try_normalize().filter(|_| usable).unwrap_or_else(|| perpendicular(first));
    [first, second, first.cross(second)]
}

/// Six times the signed volume of a tetrahedron.
pub(super) fn volume6(positions: &[[f64; 3]], tet: [u32; 4]) -> f64 {
    let [a, b, c, d] = tet.map(|vertex| DVec3::from(positions[vertex as usize]));
    (b - a).dot((c - a).cross(d - a))
}
