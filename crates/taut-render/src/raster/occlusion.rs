//! Ambient occlusion from what is seen: how much of the sky each pixel's surroundings hide.
//!
//! From each pixel a few directions are walked across the picture; the highest horizon above the surface in each
//! tells how much light from that side is lost (horizon-based ambient occlusion, Bavoil and Sainz 2008).
//! Worked out at every second pixel of every second row: occlusion is soft. Neighbours walk in different directions and
//! are averaged later.

use super::dome::Dome;
use super::resolve::Seen;
use super::shadow::scramble;
use super::{BAND, View};
use glam::Vec3;

const DIRECTIONS: usize = 3;
const STEPS: usize = 4;
/// The farthest a walk goes, as a fraction of the picture's height.
const LONGEST: f32 = 0.12;
/// Pixels from one to the next, along rows and columns.
pub(crate) const STRIDE: usize = 2;
/// Rows of the coarse grid in a band of the picture.
pub(crate) const COARSE_BAND: usize = BAND / STRIDE;

/// The coarse grid of pixels at which occlusion is worked out.
pub(crate) struct Coarse {
    pub width: usize,
    pub height: usize,
    /// Depths at those pixels; their own buffer, because walks jump about and this one fits the cache.
    depths: Vec<f32>,
    /// How far away things still darken, m.
    reach: f32,
    /// Directions for each of the 16 kinds of pixel.
    directions: [[[f32; 2]; DIRECTIONS]; 16],
}

impl Coarse {
    pub fn new(seen: &Seen, view: &View) -> Coarse {
        let (width, height) = (seen.width.div_ceil(STRIDE), seen.height.div_ceil(STRIDE));
        let depth = |i: usize| seen.surfaces[i / width * STRIDE * seen.width + i % width * STRIDE].depth;
        let directions = std::array::from_fn(|kind| {
            std::array::from_fn(|d| {
                let turn = (d as f32 + kind as f32 / 16.0) / DIRECTIONS as f32;
                let (sin, cos) = (turn * std::f32::consts::TAU).sin_cos();
                [cos, sin]
            })
        });
        let depths = (0..width * height).map(depth).collect();
        // How far things reach is a fraction of the scene's size.
        Coarse { width, height, depths, reach: 0.18 * view.bounds.radius(), directions }
    }

    /// Where a pixel of the coarse grid is in space, at a depth.
    fn position(&self, view: &View, x: usize, y: usize, depth: f32) -> Vec3 {
        view.ray((x * STRIDE) as f32 + 0.5, (y * STRIDE) as f32 + 0.5) * depth
    }

    /// Writes how much of the sky is open at each pixel of the coarse rows from `y0`.
    pub fn occlude_rows(&self, dome: &Dome, seen: &Seen, view: &View, y0: usize, rows: &mut [f32]) {
        if self.reach <= 0.0 {
            return;
        }
        for (row, open) in rows.chunks_mut(self.width).enumerate() {
            let y = y0 + row;
            for (x, open) in open.iter_mut().enumerate() {
                let depth = self.depths[y * self.width + x];
                if depth > 0.0 {
                    let normal = seen.surfaces[y * STRIDE * seen.width + x * STRIDE].normal;
                    let position = self.position(view, x, y, depth);
                    let open_dome = dome.open_at(view, position, normal, scramble(x, y));
                    *open = open_dome * self.open_nearby(view, position, normal, x, y);
                }
            }
        }
    }

    /// The share of the light that small shapes near by let through.
    fn open_nearby(&self, view: &View, position: Vec3, normal: Vec3, x: usize, y: usize) -> f32 {
        // Most of the floor is far from everything.
        if view.bounds.distance(position) > self.reach {
            return 1.0;
        }
        let pixels = view.focal / (-position.z * STRIDE as f32);
        let radius = (self.reach * pixels).min(LONGEST * self.height as f32);
        if radius < 1.0 {
            return 1.0;
        }
        let kind = scramble(x, y);
        let jitter = ((kind * 7) % 16) as f32 / 16.0;
        let inverse_reach2 = 1.0 / (self.reach * self.reach);
        let mut hidden = 0.0;
        for [dx, dy] in self.directions[kind] {
            let mut horizon = 0.0f32;
            for step in 0..STEPS {
                // Steps grow with distance: detail near by, large shapes far off.
                let t = (step as f32 + 0.2 + 0.8 * jitter) / STEPS as f32;
                let walk = 1.0 + t * t * radius;
                let (px, py) = (x as f32 + 0.5 + dx * walk, y as f32 + 0.5 + dy * walk);
                let (px, py) = (px as i32 as usize, py as i32 as usize);
                if px >= self.width || py >= self.height {
                    break;
                }
                let depth = self.depths[py * self.width + px];
                if depth > 0.0 {
                    let offset = self.position(view, px, py, depth) - position;
                    horizon = horizon.max(height_above(normal, offset, inverse_reach2));
                }
            }
            hidden += horizon;
        }
        1.0 - hidden / DIRECTIONS as f32
    }
}

/// Sine of the angle at which something stands above the surface, fading out with distance. Slight angles are
/// what a smooth, curved surface shows of itself: they do not count.
fn height_above(normal: Vec3, offset: Vec3, inverse_reach2: f32) -> f32 {
    let distance2 = offset.dot(offset);
    let fade = 1.0 - distance2 * inverse_reach2;
    let above = normal.dot(offset);
    if above <= 0.0 || fade <= 0.0 {
        return 0.0;
    }
    let sine = above / distance2.sqrt().max(1e-10);
    ((sine - 0.08) * (1.0 / 0.92)).max(0.0) * fade
}
