//! A body that is drawn inwards all around, as far as there is room for it: cloth that begins inside of it is outside
//! of what is left, and goes out as the body grows back.

use super::surface::volume;
use super::unsolved::diagonal;
use crate::generate::nearest::Nearest;
use crate::write::vertex_normals;
use glam::DVec3;

/// Of the largest ball within a body that touches it at a vertex, how much of the radius the vertex may go.
const ROOM: f64 = 0.92;
/// Times that such a ball is made smaller at most.
const BALLS: usize = 20;
/// What is less far behind a vertex than this share of its distance from it is the same side of the body.
const SAME_SIDE: f64 = 0.5;
/// Times that the ways of neighbours are made alike.
const SMOOTH: usize = 4;

/// How far each vertex of a surface can be drawn inwards without coming out at the other side, m.
pub(super) fn room(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<f64> {
    let nearest = Nearest::new(positions, triangles);
    let largest = 0.25 * diagonal(positions);
    let one = |(&p, n): (&[f64; 3], DVec3)| {
        let (p, mut radius) = (DVec3::from(p), largest);
        for _ in 0..BALLS {
            let middle = p - radius * n;
            let Some(hit) = nearest.find(middle, None) else { break };
            let corners = triangles[hit.triangle].map(|v| DVec3::from(positions[v as usize]));
            let other = (0..3).map(|k| hit.weights[k] * corners[k]).sum::<DVec3>();
            let (behind, apart) = (n.dot(p - other), p.distance(other));
            if hit.distance_squared.sqrt() >= 0.999 * radius || behind <= SAME_SIDE * apart {
                break;
            }
            radius = radius.min(apart * apart / (2.0 * behind));
        }
        ROOM * radius
    };
    positions.iter().zip(inwards(positions, triangles)).map(|(p, n)| one((p, -n))).collect()
}

/// Towards the inside at every vertex.
fn inwards(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<DVec3> {
    let outwards = if volume(positions, triangles) < 0.0 { -1.0 } else { 1.0 };
    vertex_normals(positions, triangles).into_iter().map(|n| -outwards * DVec3::from(n)).collect()
}

/// Takes off a layer of a surface of some thickness (m), less where there is no room for it.
pub(super) fn thin(positions: &mut [[f64; 3]], triangles: &[[u32; 3]], room: &[f64], thickness: f64) {
    let mut ways: Vec<f64> = room.iter().map(|room| room.min(thickness)).collect();
    for _ in 0..SMOOTH {
        let mut sums: Vec<(f64, f64)> = ways.iter().map(|&way| (way, 1.0)).collect();
        for triangle in triangles {
            let all: f64 = triangle.iter().map(|&v| ways[v as usize]).sum();
            triangle.iter().for_each(|&v| sums[v as usize] = (sums[v as usize].0 + all, sums[v as usize].1 + 3.0));
        }
        ways = sums.iter().zip(room).map(|((sum, count), room)| (sum / count).min(*room)).collect();
    }
    let inwards = inwards(positions, triangles);
    for ((p, n), way) in positions.iter_mut().zip(inwards).zip(ways) {
        *p = (DVec3::from(*p) + way * n).into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{CapsuleParams, capsule};

    /// A rod of 3 cm that is to lose 10: it becomes a thinner rod, and is not turned inside out.
    #[test]
    fn a_limb_is_not_turned_inside_out() {
        let rod = capsule(&CapsuleParams { radius: 0.03, length: 0.4, rings: 6, ..Default::default() }).unwrap();
        let room = room(&rod.positions, &rod.triangles);
        assert!(room.iter().all(|room| (0.02..0.031).contains(room)), "{room:?}");
        let mut positions = rod.positions.clone();
        let before = volume(&positions, &rod.triangles);
        thin(&mut positions, &rod.triangles, &room, 0.1);
        let after = volume(&positions, &rod.triangles);
        assert!(after > 0.0005 * before && after < 0.1 * before, "{after} of {before}");
        let mut positions = rod.positions.clone();
        thin(&mut positions, &rod.triangles, &room, 0.003);
        let radius = |p: &[f64; 3]| DVec3::new(p[0], (p[1].abs() - 0.2).max(0.0), p[2]).length();
        assert!(positions.iter().all(|p| (radius(p) - 0.027).abs() < 3e-4), "where there is room");
    }
}
