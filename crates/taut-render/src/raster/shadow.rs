//! Soft shadows of the main light.
//!
//! A height map seen from the light; the width of the soft edge grows with the distance between what casts and
//! what receives (PCSS, Fernando 2005). Bias follows the receiving plane, so wide filters neither speckle
//! slanted cloth nor detach shadows from their casters.

use super::View;
use super::geometry::Geometry;
use super::resolve::Seen;
use crate::math::Vec3;

/// Texels along the longer side.
const SIZE: usize = 1024;
/// Texels beyond which a soft edge does not grow: what the taps can still fill without gaps.
const WIDEST: f32 = 28.0;
/// Side of the tiles that tell where nothing can cast, texels.
const TILE: usize = 32;
const BLOCKER_TAPS: usize = 10;
const TAPS: usize = 16;

/// Heights towards the light, on a grid across it.
pub(crate) struct ShadowMap {
    /// Unit vectors: across the light (two) and towards it.
    axes: [Vec3; 3],
    origin: [f32; 2],
    /// Size of a texel, m.
    texel: f32,
    width: usize,
    height: usize,
    heights: Vec<f32>,
    /// The largest height in each tile and its neighbours.
    tiles: Vec<f32>,
    tiles_wide: usize,
    /// Tangent of half the light's angle.
    spread: f32,
    taps: [[f32; 2]; TAPS],
}

impl ShadowMap {
    pub fn build(geometry: &Geometry, light: Vec3, softness_degrees: f64) -> ShadowMap {
        let side = if light.x.abs() < 0.7 { Vec3::new(1.0, 0.0, 0.0) } else { Vec3::new(0.0, 1.0, 0.0) };
        let across = side.cross(light).unit_or(side);
        let axes = [across, light.cross(across), light];
        let (mut lo, mut hi) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        for triangle in &geometry.triangles {
            for corner in geometry.corners(triangle) {
                for k in 0..2 {
                    lo[k] = lo[k].min(axes[k].dot(corner));
                    hi[k] = hi[k].max(axes[k].dot(corner));
                }
            }
        }
        let extent = (hi[0] - lo[0]).max(hi[1] - lo[1]);
        let drawable = extent.is_finite() && extent > 0.0;
        let texel = if drawable { extent / (SIZE - 4) as f32 } else { 1.0 };
        let count = |k: usize| if drawable { ((hi[k] - lo[k]) / texel).ceil() as usize + 4 } else { 0 };
        let (width, height) = (count(0).min(SIZE), count(1).min(SIZE));
        let mut map = ShadowMap {
            axes,
            origin: if drawable { lo.map(|v| v - 2.0 * texel) } else { [0.0; 2] },
            texel,
            width,
            height,
            heights: vec![f32::NEG_INFINITY; width * height],
            tiles: Vec::new(),
            tiles_wide: width.div_ceil(TILE),
            spread: softness_degrees.clamp(0.0, 30.0).to_radians().tan() as f32,
            taps: std::array::from_fn(|i| disc_point(i, TAPS)),
        };
        for triangle in &geometry.triangles {
            map.draw(geometry.corners(triangle).map(|c| map.place(c)));
        }
        map.tiles = map.tile_maxima();
        map
    }

    /// A point in texels across the map, and its height towards the light in metres.
    fn place(&self, p: Vec3) -> [f32; 3] {
        let scale = 1.0 / self.texel;
        let [u, v, h] = self.axes.map(|a| a.dot(p));
        [(u - self.origin[0]) * scale, (v - self.origin[1]) * scale, h]
    }

    /// Raises the heights under a triangle.
    fn draw(&mut self, p: [[f32; 3]; 3]) {
        let area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let inverse = 1.0 / area;
        let low = |k: usize| p[0][k].min(p[1][k]).min(p[2][k]);
        let high = |k: usize| p[0][k].max(p[1][k]).max(p[2][k]);
        let (x0, x1) = ((low(0) - 0.5).ceil().max(0.0) as usize, (high(0) + 0.5).min(self.width as f32) as usize);
        let (y0, y1) = ((low(1) - 0.5).ceil().max(0.0) as usize, (high(1) + 0.5).min(self.height as f32) as usize);
        for y in y0..y1 {
            let row = &mut self.heights[y * self.width..][..self.width];
            let yc = y as f32 + 0.5;
            for x in x0..x1 {
                let xc = x as f32 + 0.5;
                let edge = |i: usize, j: usize| {
                    ((p[i][0] - xc) * (p[j][1] - yc) - (p[j][0] - xc) * (p[i][1] - yc)) * inverse
                };
                let w = [edge(1, 2), edge(2, 0), edge(0, 1)];
                if w.iter().all(|w| *w >= 0.0) {
                    row[x] = row[x].max(w[0] * p[0][2] + w[1] * p[1][2] + w[2] * p[2][2]);
                }
            }
        }
    }

    fn tile_maxima(&self) -> Vec<f32> {
        let (wide, tall) = (self.tiles_wide, self.height.div_ceil(TILE));
        let mut own = vec![f32::NEG_INFINITY; wide * tall];
        for y in 0..self.height {
            for x in 0..self.width {
                let tile = &mut own[y / TILE * wide + x / TILE];
                *tile = tile.max(self.heights[y * self.width + x]);
            }
        }
        let around = |i: usize| {
            let (x, y) = (i % wide, i / wide);
            let rows = y.saturating_sub(1)..(y + 2).min(tall);
            rows.flat_map(|r| (x.saturating_sub(1)..(x + 2).min(wide)).map(move |c| r * wide + c))
                .fold(f32::NEG_INFINITY, |m, k| m.max(own[k]))
        };
        (0..own.len()).map(around).collect()
    }

    /// The height at a texel; nothing casts outside the map.
    fn at(&self, u: f32, v: f32) -> f32 {
        let (x, y) = (u.floor(), v.floor());
        if x < 0.0 || y < 0.0 || x >= self.width as f32 || y >= self.height as f32 {
            return f32::NEG_INFINITY;
        }
        self.heights[y as usize * self.width + x as usize]
    }

    /// The largest height that could shade a place.
    fn highest_around(&self, u: f32, v: f32) -> f32 {
        if self.tiles.is_empty() || u < -WIDEST || v < -WIDEST {
            return f32::NEG_INFINITY;
        }
        if u > self.width as f32 + WIDEST || v > self.height as f32 + WIDEST {
            return f32::NEG_INFINITY;
        }
        let x = (u.max(0.0) as usize / TILE).min(self.tiles_wide - 1);
        let y = (v.max(0.0) as usize / TILE).min(self.tiles.len() / self.tiles_wide - 1);
        self.tiles[y * self.tiles_wide + x]
    }

    /// How much of the light arrives at a point, 0 to 1. `turn` rotates the taps: neighbouring pixels use different
    /// rotations and are averaged later.
    pub fn light_at(&self, p: Vec3, normal: Vec3, turn: [f32; 2]) -> f32 {
        let [u, v, h] = self.place(p);
        let highest = self.highest_around(u, v);
        if highest <= h {
            return 1.0;
        }
        let [nu, nv, nh] = self.axes.map(|a| a.dot(normal));
        if nh <= 0.0 {
            return 1.0;
        }
        // Rise of the receiving plane per texel. Steeper than this, bias would eat real shadows.
        let limit = |slope: f32| slope.clamp(-4.0, 4.0) * self.texel;
        let rise = [limit(-nu / nh), limit(-nv / nh)];
        let bias = 0.75 * self.texel + 0.75 * (rise[0].abs() + rise[1].abs());
        let rotate = |[x, y]: [f32; 2]| [x * turn[0] - y * turn[1], x * turn[1] + y * turn[0]];
        let above = |tap: [f32; 2], radius: f32| {
            let [x, y] = rotate(tap).map(|t| t * radius);
            let top = self.at(u + x, v + y);
            (top > h + rise[0] * x + rise[1] * y + bias).then_some(top)
        };
        let search = (self.spread * (highest - h) / self.texel).clamp(1.5, WIDEST);
        let (mut sum, mut count) = (0.0, 0);
        for i in 0..BLOCKER_TAPS {
            // Every third tap of the larger disc: still spread evenly.
            if let Some(top) = above(self.taps[(i * 3 + 1) % TAPS], search) {
                sum += top - h;
                count += 1;
            }
        }
        if count == 0 {
            return 1.0;
        }
        let radius = (self.spread * sum / count as f32 / self.texel).clamp(1.5, WIDEST);
        let shaded = self.taps.iter().filter(|tap| above(**tap, radius).is_some()).count();
        1.0 - shaded as f32 / TAPS as f32
    }
}

/// The `i`-th of `count` points spread evenly over the unit disc (sunflower pattern).
pub(crate) fn disc_point(i: usize, count: usize) -> [f32; 2] {
    const GOLDEN_ANGLE: f32 = 2.399_963_2;
    let radius = ((i as f32 + 0.5) / count as f32).sqrt();
    let (sin, cos) = (i as f32 * GOLDEN_ANGLE).sin_cos();
    [radius * cos, radius * sin]
}

/// One of 16 numbers 0..16 for each pixel of a 4 by 4 block, neighbours far apart.
pub(crate) fn scramble(x: usize, y: usize) -> f32 {
    const ORDER: [u8; 16] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];
    ORDER[(y & 3) * 4 + (x & 3)] as f32
}

/// Writes how much of the main light arrives (the first number) at each pixel of the rows from `y0`.
pub(crate) fn light_rows(map: &ShadowMap, seen: &Seen, view: &View, y0: usize, rows: &mut [[f32; 2]]) {
    let turns: [[f32; 2]; 16] = std::array::from_fn(|i| {
        let (sin, cos) = (i as f32 / 16.0 * std::f32::consts::TAU).sin_cos();
        [cos, sin]
    });
    for (place, arriving) in rows.iter_mut().enumerate() {
        let (x, y) = (place % seen.width, y0 + place / seen.width);
        let surface = &seen.surfaces[y * seen.width + x];
        if surface.depth > 0.0 {
            let position = view.ray(x as f32 + 0.5, y as f32 + 0.5) * surface.depth;
            arriving[0] = map.light_at(position, surface.normal, turns[scramble(x, y) as usize]);
        }
    }
}
