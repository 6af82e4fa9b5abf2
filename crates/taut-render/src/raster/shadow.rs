//! Soft shadows of the main light.
//!
//! A height map seen from the light; the width of the soft edge grows with the distance between what casts and
//! what receives (PCSS, Fernando 2005). Bias follows the receiving plane, so wide filters neither speckle
//! slanted cloth nor detach shadows from their casters.

use super::View;
use super::geometry::Geometry;
use super::resolve::Seen;
use glam::Vec3;

/// Texels beyond which a soft edge does not grow: what the taps can still fill without gaps.
const WIDEST: f32 = 28.0;
/// Side of the tiles that tell where nothing can cast, texels.
const TILE: usize = 32;
const BLOCKER_TAPS: usize = 8;
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
    tiles_tall: usize,
    /// Tangent of half the light's angle.
    spread: f32,
    taps: [[f32; 2]; TAPS],
}

impl ShadowMap {
    /// `size` is the number of texels along the longer side.
    pub fn build(geometry: &Geometry, light: Vec3, softness_degrees: f64, size: usize) -> ShadowMap {
        let side = if light.x.abs() < 0.7 { Vec3::X } else { Vec3::Y };
        let across = side.cross(light).normalize_or(side);
        let axes = [across, light.cross(across), light];
        let (mut lo, mut hi) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        for vertex in geometry.vertices.iter().filter(|v| v.is_finite()) {
            for k in 0..2 {
                let along = axes[k].dot(*vertex);
                lo[k] = lo[k].min(along);
                hi[k] = hi[k].max(along);
            }
        }
        let extent = (hi[0] - lo[0]).max(hi[1] - lo[1]);
        let drawable = extent.is_finite() && extent > 0.0;
        let texel = if drawable { extent / (size - 4) as f32 } else { 1.0 };
        let count = |k: usize| if drawable { ((hi[k] - lo[k]) / texel).ceil() as usize + 4 } else { 0 };
        let (width, height) = (count(0).min(size), count(1).min(size));
        let mut map = ShadowMap {
            axes,
            origin: if drawable { lo.map(|v| v - 2.0 * texel) } else { [0.0; 2] },
            texel,
            width,
            height,
            heights: vec![f32::NEG_INFINITY; width * height],
            tiles: Vec::new(),
            tiles_wide: width.div_ceil(TILE),
            tiles_tall: height.div_ceil(TILE),
            spread: softness_degrees.clamp(0.0, 30.0).to_radians().tan() as f32,
            taps: std::array::from_fn(|i| disc_point(i, TAPS)),
        };
        let placed: Vec<[f32; 3]> = geometry.vertices.iter().map(|v| map.place(*v)).collect();
        for triangle in &geometry.triangles {
            map.draw(triangle.vertices.map(|v| placed[v as usize]));
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
        let low = |k: usize| p[0][k].min(p[1][k]).min(p[2][k]);
        let high = |k: usize| p[0][k].max(p[1][k]).max(p[2][k]);
        // Texels whose centres lie in the box; casts cut off towards zero.
        let (x0, x1) = ((low(0) + 0.5).max(0.0) as usize, (high(0) + 0.5).min(self.width as f32) as usize);
        let (y0, y1) = ((low(1) + 0.5).max(0.0) as usize, (high(1) + 0.5).min(self.height as f32) as usize);
        let area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
        let inverse = 1.0 / area;
        // On a coarse map most small triangles hold no centre.
        if x0 >= x1 || y0 >= y1 || !inverse.is_finite() {
            return;
        }
        // Weights of the corners relative to the box's first texel: w = a x + b y + c.
        let (ox, oy) = (x0 as f32 + 0.5, y0 as f32 + 0.5);
        let weight = |i: usize, j: usize| {
            let (xi, yi, xj, yj) = (p[i][0] - ox, p[i][1] - oy, p[j][0] - ox, p[j][1] - oy);
            [yi - yj, xj - xi, xi * yj - xj * yi].map(|v| v * inverse)
        };
        let w = [weight(1, 2), weight(2, 0), weight(0, 1)];
        let rise: [f32; 3] = std::array::from_fn(|c| (0..3).map(|k| w[k][c] * p[k][2]).sum());
        for y in y0..y1 {
            let row = &mut self.heights[y * self.width..][..self.width];
            let dy = (y - y0) as f32;
            let at = |e: [f32; 3]| e[1] * dy + e[2];
            let (w0, w1, w2, h) = (at(w[0]), at(w[1]), at(w[2]), at(rise));
            for (x, texel) in row[x0..x1].iter_mut().enumerate() {
                let dx = x as f32;
                let inside = (w0 + w[0][0] * dx).min(w1 + w[1][0] * dx).min(w2 + w[2][0] * dx);
                let height = h + rise[0] * dx;
                // A hair too wide: a seam between triangles must not let light through.
                *texel = if (inside >= -1e-4) & (height > *texel) { height } else { *texel };
            }
        }
    }

    fn tile_maxima(&self) -> Vec<f32> {
        let (wide, tall) = (self.tiles_wide, self.tiles_tall);
        let mut own = vec![f32::NEG_INFINITY; wide * tall];
        for (y, row) in self.heights.chunks(self.width.max(1)).enumerate() {
            for (tile, texels) in own[y / TILE * wide..].iter_mut().zip(row.chunks(TILE)) {
                *tile = texels.iter().fold(*tile, |m, h| if *h > m { *h } else { m });
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
        // Cast, not rounded: a call per tap would double the cost. What the cast turns to 0 from outside is a
        // border without casters.
        let (x, y) = (u as i32 as usize, v as i32 as usize);
        if x >= self.width || y >= self.height {
            return f32::NEG_INFINITY;
        }
        self.heights[y * self.width + x]
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
        let y = (v.max(0.0) as usize / TILE).min(self.tiles_tall - 1);
        self.tiles[y * self.tiles_wide + x]
    }

    /// The direction to the light.
    pub fn light(&self) -> Vec3 {
        self.axes[2]
    }

    /// How the receiving plane rises per texel, and the slack a comparison needs. Steeper than the limit, bias
    /// would eat real shadows.
    fn slope(&self, normal: Vec3) -> ([f32; 2], f32) {
        let [nu, nv, nh] = self.axes.map(|a| a.dot(normal));
        let limit = |slope: f32| slope.clamp(-4.0, 4.0) * self.texel;
        let inverse = -1.0 / nh.max(1e-3);
        let rise = [limit(nu * inverse), limit(nv * inverse)];
        (rise, 0.75 * self.texel + 0.75 * (rise[0].abs() + rise[1].abs()))
    }

    /// Whether nothing shades a point from a light of some width, judged by one look aside. `aside` is a place on the
    /// unit disc; looking twice, first far and then as far as what was found there calls for, keeps contacts dark
    /// and distant shapes soft.
    pub fn is_open(&self, p: Vec3, normal: Vec3, spread: f32, aside: [f32; 2]) -> bool {
        let [u, v, h] = self.place(p);
        let highest = self.highest_around(u, v);
        if highest <= h {
            return true;
        }
        let (rise, bias) = self.slope(normal);
        let above = |radius: f32| {
            let [x, y] = aside.map(|a| a * radius);
            let over = self.at(u + x, v + y) - h;
            (over > rise[0] * x + rise[1] * y + bias).then_some(over)
        };
        let widest = (spread * (highest - h) / self.texel).min(WIDEST);
        match above(widest).or_else(|| above(0.3 * widest)) {
            None => true,
            Some(over) => above((spread * over / self.texel).min(WIDEST)).is_none(),
        }
    }

    /// How much of the light arrives at a point, 0 to 1. `turn` rotates the taps: neighbouring pixels use different
    /// rotations and are averaged later.
    pub fn light_at(&self, p: Vec3, normal: Vec3, turn: [f32; 2]) -> f32 {
        let [u, v, h] = self.place(p);
        let highest = self.highest_around(u, v);
        if highest <= h {
            return 1.0;
        }
        if normal.dot(self.light()) <= 0.0 {
            return 1.0;
        }
        let (rise, bias) = self.slope(normal);
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
pub(crate) fn scramble(x: usize, y: usize) -> usize {
    const ORDER: [u8; 16] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];
    ORDER[(y & 3) * 4 + (x & 3)] as usize
}

/// Writes how much of the main light arrives at each pixel of the rows from `y0`.
pub(crate) fn light_rows(map: &ShadowMap, seen: &Seen, view: &View, y0: usize, rows: &mut [f32]) {
    let turns: [[f32; 2]; 16] = std::array::from_fn(|i| {
        let (sin, cos) = (i as f32 / 16.0 * std::f32::consts::TAU).sin_cos();
        [cos, sin]
    });
    for (row, arriving) in rows.chunks_mut(seen.width).enumerate() {
        let y = y0 + row;
        let surfaces = &seen.surfaces[y * seen.width..][..seen.width];
        for (x, (arriving, surface)) in arriving.iter_mut().zip(surfaces).enumerate() {
            if surface.depth > 0.0 {
                let position = view.ray(x as f32 + 0.5, y as f32 + 0.5) * surface.depth;
                *arriving = map.light_at(position, surface.normal, turns[scramble(x, y)]);
            }
        }
    }
}
