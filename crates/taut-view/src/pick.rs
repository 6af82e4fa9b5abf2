//! What is under the pointer.

use crate::camera::{V3, add, cross, dot, scale, sub};
use crate::session::SideView;

/// A place on a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pick {
    /// The object's number.
    pub object: usize,
    /// The triangle of its surface.
    pub triangle: usize,
    /// The nearest of the triangle's vertices.
    pub vertex: u32,
    /// Where, m.
    pub place: V3,
}

/// The first triangle of an object that a ray meets. Direction of length 1.
pub fn pick(side: &SideView, eye: V3, direction: V3) -> Option<Pick> {
    let mut best: Option<(f64, Pick)> = None;
    for (object, shape) in side.shape.objects.iter().enumerate() {
        let positions = &side.positions[object];
        for (triangle, corners) in shape.surface.triangles.iter().enumerate() {
            let places = corners.map(|v| positions[v as usize]);
            let Some(t) = meets(eye, direction, places) else { continue };
            if best.as_ref().is_some_and(|(nearest, _)| *nearest <= t) {
                continue;
            }
            let place = add(eye, scale(direction, t));
            let away = |k: &usize| {
                let d = sub(places[*k], place);
                dot(d, d)
            };
            let nearest = (0..3).min_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or(0);
            best = Some((t, Pick { object, triangle, vertex: corners[nearest], place }));
        }
    }
    best.map(|(_, pick)| pick)
}

/// How far along a ray it meets a triangle, from either side (Möller and Trumbore, 1997).
fn meets(eye: V3, direction: V3, [a, b, c]: [V3; 3]) -> Option<f64> {
    let (u, v) = (sub(b, a), sub(c, a));
    let p = cross(direction, v);
    let det = dot(u, p);
    if det == 0.0 || !det.is_finite() {
        return None;
    }
    let from = sub(eye, a);
    let s = dot(from, p) / det;
    let q = cross(from, u);
    let t = dot(direction, q) / det;
    let along = dot(v, q) / det;
    (s >= 0.0 && t >= 0.0 && s + t <= 1.0 && along > 0.0).then_some(along)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_meets_a_triangle_from_both_sides_and_not_beside_it() {
        let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        assert_eq!(meets([0.2, 0.2, 2.0], [0.0, 0.0, -1.0], triangle), Some(2.0));
        assert_eq!(meets([0.2, 0.2, -3.0], [0.0, 0.0, 1.0], triangle), Some(3.0));
        assert_eq!(meets([0.2, 0.2, 2.0], [0.0, 0.0, 1.0], triangle), None);
        assert_eq!(meets([0.7, 0.7, 2.0], [0.0, 0.0, -1.0], triangle), None);
        assert_eq!(meets([0.2, 0.2, 2.0], [1.0, 0.0, 0.0], triangle), None);
        assert_eq!(meets([0.2, f64::NAN, 2.0], [0.0, 0.0, -1.0], triangle), None);
    }
}
