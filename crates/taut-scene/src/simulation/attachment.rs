//! Points that are held by a surface: each goes along with one triangle.

use super::skin::Foot;
use glam::{DMat3, DVec3};
use taut::internals::contact::distance::vertex_triangle;
use taut::internals::lanes::V3;

/// A point's place relative to a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attachment {
    triangle: [u32; 3],
    /// Of the triangle's vertices, for the point on it that was nearest.
    weights: DVec3,
    /// From there to the point, in the triangle's own axes, m.
    offset: DVec3,
}

impl Attachment {
    /// Takes hold of a point (m) with the triangle it is on.
    pub fn new(point: [f64; 3], foot: &Foot, positions: &[[f64; 3]]) -> Self {
        let weights = DVec3::from(foot.weights);
        let corners = foot.triangle.map(|v| DVec3::from(positions[v as usize]));
        let away = DVec3::from(point) - weighted(corners, weights);
        Attachment { triangle: foot.triangle, weights, offset: axes(corners).transpose() * away }
    }

    /// Where the point is when the vertices are elsewhere, m.
    pub fn at(&self, positions: &[[f64; 3]]) -> [f64; 3] {
        let corners = self.triangle.map(|v| DVec3::from(positions[v as usize]));
        (weighted(corners, self.weights) + axes(corners) * self.offset).into()
    }
}

/// How far a point is from the nearest of some triangles, m; ∞ without any.
pub(super) fn distance(point: [f64; 3], positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
    let each = triangles.iter().map(|t| vertex_triangle(V3::from(point), t.map(|v| V3::from(positions[v as usize]))));
    each.map(|closest| closest.distance2).fold(f64::INFINITY, f64::min).sqrt()
}

fn weighted([a, b, c]: [DVec3; 3], weights: DVec3) -> DVec3 {
    DMat3::from_cols(a, b, c) * weights
}

/// Along the first side, across it in the plane, and off the plane; zeros for a triangle without area.
fn axes([a, b, c]: [DVec3; 3]) -> DMat3 {
    let unit = |v: DVec3| v * (1.0 / v.length().max(f64::MIN_POSITIVE));
    let along = unit(b - a);
    let above = unit(along.cross(c - a));
    DMat3::from_cols(along, above.cross(along), above)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_keeps_its_place_on_a_triangle_that_moves_and_turns() {
        let start =
            [[9.0, 9.0, 9.0], [8.0, 9.0, 9.0], [9.0, 8.0, 9.0], [0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        let skin = super::super::skin::Skin::new(&start, vec![[0, 1, 2], [3, 4, 5]]);
        let foot = skin.feet(&[[0.5, 0.25, 0.125]], &[]).unwrap()[0];
        let attachment = Attachment::new([0.5, 0.25, 0.125], &foot, &start);
        assert_eq!(attachment.at(&start), [0.5, 0.25, 0.125]);
        // A quarter turn about x, and away: y becomes z, and z becomes −y.
        let turned = start.map(|[x, y, z]| [x + 1.0, -z, y]);
        let found = attachment.at(&turned);
        assert!((0..3).all(|k| (found[k] - [1.5, -0.125, 0.25][k]).abs() < 1e-12), "{found:?}");
        // A triangle that collapses leaves a finite place.
        assert!(attachment.at(&[[1.0; 3]; 6]).iter().all(|x| x.is_finite()));
    }
}
