//! What is under the pointer.

use crate::session::SideView;
use glam::DVec3;

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
    pub place: DVec3,
}

/// The first triangle of an object that a ray meets. Direction of length 1.
pub fn pick(side: &SideView, eye: DVec3, direction: DVec3) -> Option<Pick> {
    let mut best: Option<(f64, Pick)> = None;
    for (object, shape) in side.shape.objects.iter().enumerate() {
        let positions = &side.positions[object];
        for (triangle, corners) in shape.surface.triangles.iter().enumerate() {
            let places = corners.map(|v| DVec3::from(positions[v as usize]));
            let Some(t) = meets(eye, direction, places) else { continue };
            if best.as_ref().is_some_and(|(nearest, _)| *nearest <= t) {
                continue;
            }
            let place = eye + direction * t;
            let away = |k: &usize| places[*k].distance_squared(place);
            let nearest = (0..3).min_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or(0);
            best = Some((t, Pick { object, triangle, vertex: corners[nearest], place }));
        }
    }
    best.map(|(_, pick)| pick)
}

/// How far along a ray it meets a triangle, from either side (Möller and Trumbore, 1997).
fn meets(eye: DVec3, direction: DVec3, [a, b, c]: [DVec3; 3]) -> Option<f64> {
    let (u, v) = (b - a, c - a);
    let p = direction.cross(v);
    let det = u.dot(p);
    if det == 0.0 || !det.is_finite() {
        return None;
    }
    let from = eye - a;
    let s = from.dot(p) / det;
    let q = from.cross(u);
    let t = direction.dot(q) / det;
    let along = v.dot(q) / det;
    (s >= 0.0 && t >= 0.0 && s + t <= 1.0 && along > 0.0).then_some(along)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_meets_a_triangle_from_both_sides_and_not_beside_it() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let meets = |eye: [f64; 3], direction: [f64; 3], t| super::meets(eye.into(), direction.into(), t);
        assert_eq!(meets([0.2, 0.2, 2.0], [0.0, 0.0, -1.0], triangle), Some(2.0));
        assert_eq!(meets([0.2, 0.2, -3.0], [0.0, 0.0, 1.0], triangle), Some(3.0));
        assert_eq!(meets([0.2, 0.2, 2.0], [0.0, 0.0, 1.0], triangle), None);
        assert_eq!(meets([0.7, 0.7, 2.0], [0.0, 0.0, -1.0], triangle), None);
        assert_eq!(meets([0.2, 0.2, 2.0], [1.0, 0.0, 0.0], triangle), None);
        assert_eq!(meets([0.2, f64::NAN, 2.0], [0.0, 0.0, -1.0], triangle), None);
    }
}
