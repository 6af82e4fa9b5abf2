//! Points that are held by a surface: each goes along with the triangle it was nearest to.

use super::motion::{add, cross, dot, scale, sub};
use taut::internals::contact::distance::vertex_triangle;
use taut::internals::lanes::V3;

/// A point's place relative to a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grip {
    triangle: [u32; 3],
    /// Of the triangle's vertices, for the point on it that was nearest.
    weights: [f64; 3],
    /// From there to the point, in the triangle's own axes, m.
    offset: [f64; 3],
}

impl Grip {
    /// Takes hold of a point (m) with the nearest of some triangles; nothing without any.
    pub fn new(point: [f64; 3], positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Option<Self> {
        let at = |t: &[u32; 3]| t.map(|v| positions[v as usize]);
        let closest = |t: &[u32; 3]| vertex_triangle(V3::from(point), at(t).map(V3::from));
        let distance = |t: &&[u32; 3]| closest(t).distance2;
        let nearest = triangles.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let [_, a, b, c] = closest(nearest).weights;
        let weights = [-a, -b, -c];
        let corners = at(nearest);
        let away = sub(point, weighted(&corners, weights));
        Some(Grip { triangle: *nearest, weights, offset: axes(&corners).map(|axis| dot(axis, away)) })
    }

    /// Where the point is when the vertices are elsewhere, m.
    pub fn at(&self, positions: &[[f64; 3]]) -> [f64; 3] {
        let corners = self.triangle.map(|v| positions[v as usize]);
        let [along, across, above] = axes(&corners);
        let [u, v, w] = self.offset;
        let away = add(add(scale(along, u), scale(across, v)), scale(above, w));
        add(weighted(&corners, self.weights), away)
    }
}

fn weighted(corners: &[[f64; 3]; 3], weights: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| (0..3).map(|i| weights[i] * corners[i][k]).sum())
}

/// Along the first side, across it in the plane, and off the plane; zeros for a triangle without area.
fn axes([a, b, c]: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let unit = |v: [f64; 3]| scale(v, 1.0 / dot(v, v).sqrt().max(f64::MIN_POSITIVE));
    let along = unit(sub(*b, *a));
    let above = unit(cross(along, sub(*c, *a)));
    [along, cross(above, along), above]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_keeps_its_place_on_a_triangle_that_moves_and_turns() {
        let triangles = [[0, 1, 2], [3, 4, 5]];
        let start =
            [[9.0, 9.0, 9.0], [8.0, 9.0, 9.0], [9.0, 8.0, 9.0], [0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        let grip = Grip::new([0.5, 0.25, 0.125], &start, &triangles).unwrap();
        assert_eq!(grip.at(&start), [0.5, 0.25, 0.125]);
        // A quarter turn about x, and away: y becomes z, and z becomes −y.
        let turned = start.map(|[x, y, z]| [x + 1.0, -z, y]);
        let found = grip.at(&turned);
        assert!((0..3).all(|k| (found[k] - [1.5, -0.125, 0.25][k]).abs() < 1e-12), "{found:?}");
        // A triangle that collapses leaves a finite place.
        assert!(grip.at(&[[1.0; 3]; 6]).iter().all(|x| x.is_finite()));
        assert!(Grip::new([0.0; 3], &[], &[]).is_none());
    }
}
