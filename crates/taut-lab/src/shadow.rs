//! The shadow of a surface on the ground under parallel light from above: its area and its outline.

use taut_render::{Picture, Rgb};

/// A square of pixels around the origin, each in the shadow or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Shadow {
    half: f64,
    pixels: usize,
    covered: Vec<bool>,
}

impl Shadow {
    /// The shadow of triangles within a square of half side `half` (m), in so many pixels along a side. A pixel counts
    /// where its middle does.
    pub fn of(positions: &[[f64; 3]], triangles: &[[u32; 3]], half: f64, pixels: usize) -> Shadow {
        let mut shadow = Shadow { half, pixels, covered: vec![false; pixels * pixels] };
        for triangle in triangles {
            let corners = triangle.map(|v| positions.get(v as usize).map(|p| [p[0], p[2]]));
            if let [Some(a), Some(b), Some(c)] = corners {
                shadow.fill([a, b, c]);
            }
        }
        shadow
    }

    /// The middle of a pixel along one axis, m.
    fn middle(&self, pixel: usize) -> f64 {
        self.half * ((2 * pixel + 1) as f64 / self.pixels as f64 - 1.0)
    }

    /// The pixels whose middles are between two places along an axis.
    fn between(&self, low: f64, high: f64) -> std::ops::Range<usize> {
        let place = |x: f64| (0.5 * (x / self.half + 1.0) * self.pixels as f64 - 0.5).clamp(-1.0, self.pixels as f64);
        place(low).ceil().max(0.0) as usize..(place(high).floor() + 1.0).max(0.0).min(self.pixels as f64) as usize
    }

    fn fill(&mut self, [a, b, c]: [[f64; 2]; 3]) {
        let side =
            |p: [f64; 2], q: [f64; 2], r: [f64; 2]| (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
        let [low, high] = [f64::min, f64::max].map(|pick| [0, 1].map(|k| pick(pick(a[k], b[k]), c[k])));
        for row in self.between(low[1], high[1]) {
            for column in self.between(low[0], high[0]) {
                let p = [self.middle(column), self.middle(row)];
                let sides = [side(a, b, p), side(b, c, p), side(c, a, p)];
                if sides.iter().all(|&s| s >= 0.0) || sides.iter().all(|&s| s <= 0.0) {
                    self.covered[row * self.pixels + column] = true;
                }
            }
        }
    }

    /// Its area, m².
    pub fn area(&self) -> f64 {
        let pixel = 2.0 * self.half / self.pixels as f64;
        self.covered.iter().filter(|covered| **covered).count() as f64 * pixel * pixel
    }

    /// How far it reaches from the middle in so many directions, from +x towards +z, m.
    pub fn outline(&self, directions: usize) -> Vec<f64> {
        let step = self.half / self.pixels as f64;
        let reach = |i: usize| {
            let (sin, cos) = (std::f64::consts::TAU * i as f64 / directions as f64).sin_cos();
            let far = (0..2 * self.pixels).rev().map(|k| k as f64 * step);
            far.take_while(|r| *r > 0.0).find(|r| self.dark(r * cos, r * sin)).unwrap_or(0.0)
        };
        (0..directions).map(reach).collect()
    }

    fn dark(&self, x: f64, z: f64) -> bool {
        let pixel = |x: f64| (0.5 * (x / self.half + 1.0) * self.pixels as f64).floor();
        let (column, row) = (pixel(x), pixel(z));
        let inside = |p: f64| p >= 0.0 && p < self.pixels as f64;
        inside(column) && inside(row) && self.covered[row as usize * self.pixels + column as usize]
    }

    /// A picture of so many pixels along a side: the shadow on paper, with two circles (m) for comparison.
    pub fn picture(&self, size: usize, circles: [f64; 2]) -> Picture {
        let colours = [Rgb::hex(0xf6f3ec), Rgb::hex(0x39424e), Rgb::hex(0x566273), Rgb::hex(0xc2452d)];
        let [paper, dark, plate, line] = colours.map(|c| {
            let [r, g, b] = c.to_srgb8();
            [r, g, b, 255]
        });
        // Three times as fine, then averaged: the shadow's own pixels would be stairs.
        let fine = 3 * size;
        let place = |k: usize| self.half * ((2 * k + 1) as f64 / fine as f64 - 1.0);
        let thick = 2.4 * self.half / size as f64;
        let mut pixels = Vec::with_capacity(fine * fine);
        for row in 0..fine {
            for column in 0..fine {
                let (x, z) = (place(column), place(row));
                let r = x.hypot(z);
                let dashed = ((z.atan2(x) / std::f64::consts::TAU + 1.0) * 90.0).fract() < 0.6;
                pixels.push(match (dashed && (r - circles[1]).abs() < 0.5 * thick, self.dark(x, z)) {
                    (true, _) => line,
                    (false, true) if r < circles[0] => plate,
                    (false, true) => dark,
                    _ => paper,
                });
            }
        }
        Picture::from_pixels(fine, fine, pixels)
            .map_or_else(|| Picture::filled(size, size, Rgb::hex(0xf6f3ec)), |picture| picture.resized(size, size))
    }
}

/// How many times a closed outline rises and falls by `height` or more: the nodes of a draped cloth.
pub fn nodes(outline: &[f64], height: f64) -> usize {
    let Some(start) = (0..outline.len()).min_by(|&a, &b| outline[a].total_cmp(&outline[b])) else { return 0 };
    let (mut low, mut high, mut rising, mut count) = (outline[start], outline[start], true, 0);
    for i in 1..=outline.len() {
        let r = outline[(start + i) % outline.len()];
        (low, high) = (low.min(r), high.max(r));
        if rising && high - r >= height {
            (count, rising, low) = (count + 1, false, r);
        } else if !rising && r - low >= height {
            (rising, high) = (true, r);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// A fan of triangles whose rim is at the radius r(θ).
    fn fan(r: impl Fn(f64) -> f64) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let rim = |i: u32| {
            let angle = TAU * f64::from(i) / 720.0;
            [r(angle) * angle.cos(), -1.0, r(angle) * angle.sin()]
        };
        let positions = std::iter::once([0.0; 3]).chain((0..720).map(rim)).collect();
        (positions, (0..720).map(|i| [0, 1 + i, 1 + (i + 1) % 720]).collect())
    }

    /// The area of r = a + b cos nθ is π (a² + b²/2); of some 4e5 pixels, those on the edge count by chance, and a few
    /// thousand of them err by less than a hundredth of a percent. Twice the triangles are the same shadow.
    #[test]
    fn area_and_nodes_of_a_wavy_disc() {
        let (positions, mut triangles) = fan(|a| 0.1 + 0.012 * (7.0 * a + 0.3).cos());
        let shadow = Shadow::of(&positions, &triangles, 0.15, 1000);
        let exact = 0.5 * TAU * (0.1f64.powi(2) + 0.5 * 0.012f64.powi(2));
        assert!((shadow.area() / exact - 1.0).abs() < 3e-4, "{} {exact}", shadow.area());
        let outline = shadow.outline(720);
        assert_eq!(nodes(&outline, 0.002), 7);
        assert_eq!(nodes(&outline, 0.03), 0, "no wave is that high");
        triangles.extend(triangles.clone().iter().map(|&[a, b, c]| [a, c, b]));
        assert_eq!(Shadow::of(&positions, &triangles, 0.15, 1000), shadow);
    }

    #[test]
    fn a_circle_has_no_nodes() {
        let (positions, triangles) = fan(|_| 0.1);
        assert_eq!(nodes(&Shadow::of(&positions, &triangles, 0.15, 600).outline(360), 0.002), 0);
    }
}
