//! Ambient occlusion from what is seen: how much of the sky each pixel's surroundings hide.
//!
//! From each pixel a few directions are walked across the picture; the highest horizon above the surface in each
//! tells how much light from that side is lost (horizon-based ambient occlusion, Bavoil and Sainz 2008).
//! Neighbouring pixels walk in different directions and are averaged later.

use super::View;
use super::geometry::Geometry;
use super::resolve::Seen;
use super::shadow::scramble;
use crate::math::Vec3;

const DIRECTIONS: usize = 3;
const STEPS: usize = 5;
/// The farthest a walk goes, as a fraction of the picture's height.
const LONGEST: f32 = 0.16;

/// How far away things still darken, m: a fraction of the scene's size.
pub(crate) fn reach(geometry: &Geometry) -> f32 {
    let (mut lo, mut hi) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for v in geometry.vertices.iter().filter(|v| v.is_finite()) {
        for (k, c) in [v.x, v.y, v.z].into_iter().enumerate() {
            lo[k] = lo[k].min(c);
            hi[k] = hi[k].max(c);
        }
    }
    let diagonal = (0..3).map(|k| (hi[k] - lo[k]).powi(2)).sum::<f32>().sqrt();
    if diagonal.is_finite() { 0.14 * diagonal } else { 0.0 }
}

/// Writes how much ambient light arrives (the second number) at each pixel of the rows from `y0`.
pub(crate) fn occlude_rows(seen: &Seen, view: &View, reach: f32, y0: usize, rows: &mut [[f32; 2]]) {
    if reach <= 0.0 {
        return;
    }
    // Directions for each of the 16 kinds of pixel, worked out once.
    let directions: [[[f32; 2]; DIRECTIONS]; 16] = std::array::from_fn(|kind| {
        std::array::from_fn(|d| {
            let turn = (d as f32 + kind as f32 / 16.0) / DIRECTIONS as f32;
            let (sin, cos) = (turn * std::f32::consts::TAU).sin_cos();
            [cos, sin]
        })
    });
    for (place, arriving) in rows.iter_mut().enumerate() {
        let (x, y) = (place % seen.width, y0 + place / seen.width);
        if seen.surfaces[y * seen.width + x].depth > 0.0 {
            let kind = scramble(x, y) as usize;
            arriving[1] = open_sky(seen, view, reach, x, y, &directions[kind], kind);
        }
    }
}

/// The share of the sky that a pixel's surface sees.
fn open_sky(
    seen: &Seen,
    view: &View,
    reach: f32,
    x: usize,
    y: usize,
    directions: &[[f32; 2]; DIRECTIONS],
    kind: usize,
) -> f32 {
    let surface = seen.surfaces[y * seen.width + x];
    let position = view.ray(x as f32 + 0.5, y as f32 + 0.5) * surface.depth;
    let radius = (reach * view.focal / surface.depth).min(LONGEST * seen.height as f32);
    if radius < 1.5 {
        return 1.0;
    }
    let inverse_reach2 = 1.0 / (reach * reach);
    let jitter = ((kind * 7) % 16) as f32 / 16.0;
    let mut hidden = 0.0;
    for [dx, dy] in directions {
        let mut horizon = 0.0f32;
        for step in 0..STEPS {
            // Steps grow with distance: detail near by, large shapes far off.
            let t = (step as f32 + 0.25 + 0.75 * jitter) / STEPS as f32;
            let walk = 1.0 + t * t * radius;
            let (px, py) = (x as f32 + 0.5 + dx * walk, y as f32 + 0.5 + dy * walk);
            if px < 0.0 || py < 0.0 || px >= seen.width as f32 || py >= seen.height as f32 {
                break;
            }
            let depth = seen.surfaces[py as usize * seen.width + px as usize].depth;
            if depth > 0.0 {
                let ray = view.ray((px as usize) as f32 + 0.5, (py as usize) as f32 + 0.5);
                horizon = horizon.max(height_above(surface.normal, ray * depth - position, inverse_reach2));
            }
        }
        hidden += horizon * horizon;
    }
    1.0 - hidden / DIRECTIONS as f32
}

/// Sine of the angle at which something stands above the surface, fading out with distance. Slight angles are
/// what a smooth, curved surface shows of itself: they do not count.
fn height_above(normal: Vec3, offset: Vec3, inverse_reach2: f32) -> f32 {
    let distance2 = offset.dot(offset);
    if distance2 <= 1e-20 {
        return 0.0;
    }
    let fade = 1.0 - distance2 * inverse_reach2;
    if fade <= 0.0 {
        return 0.0;
    }
    let sine = normal.dot(offset) / distance2.sqrt();
    ((sine - 0.06) * (1.0 / 0.94)).max(0.0) * fade
}
