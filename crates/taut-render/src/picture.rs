//! Pictures in memory, and drawing on them.

use crate::colour::Rgb;
use std::fmt;

/// An 8-bit sRGB picture with straight alpha, rows from the top.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 4]>,
}

/// A rectangle in pixels; x right, y down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

impl fmt::Debug for Picture {
    /// The size only: a million pixels help nobody.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Picture({} × {})", self.width, self.height)
    }
}

impl Picture {
    /// A picture filled with one opaque colour.
    pub fn filled(width: usize, height: usize, colour: Rgb) -> Picture {
        let [r, g, b] = colour.to_srgb8();
        Picture { width, height, pixels: vec![[r, g, b, 255]; width * height] }
    }

    /// A picture from its pixels. None unless there are `width * height` of them.
    pub fn from_pixels(width: usize, height: usize, pixels: Vec<[u8; 4]>) -> Option<Picture> {
        (Some(pixels.len()) == width.checked_mul(height)).then_some(Picture { width, height, pixels })
    }

    /// Width in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// All pixels, row by row from the top: red, green, blue, alpha.
    pub fn pixels(&self) -> &[[u8; 4]] {
        &self.pixels
    }

    /// All bytes, as image files want them.
    pub fn bytes(&self) -> &[u8] {
        self.pixels.as_flattened()
    }

    /// One pixel. Panics outside.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 4] {
        assert!(x < self.width && y < self.height, "pixel {x}, {y} of a {} by {}", self.width, self.height);
        self.pixels[y * self.width + x]
    }

    pub(crate) fn pixels_mut(&mut self) -> &mut [[u8; 4]] {
        &mut self.pixels
    }

    /// Lays `colour` over one pixel with the given opacity; outside, nothing happens. Mixed in sRGB rather than
    /// linear light: that is what gives small text its expected weight.
    pub(crate) fn blend(&mut self, x: i64, y: i64, colour: [u8; 3], opacity: f32) {
        if x < 0 || y < 0 || x >= self.width as i64 || y >= self.height as i64 {
            return;
        }
        let pixel = &mut self.pixels[y as usize * self.width + x as usize];
        let opacity = opacity.clamp(0.0, 1.0);
        for channel in 0..3 {
            let old = pixel[channel] as f32;
            pixel[channel] = (old + opacity * (colour[channel] as f32 - old)).round() as u8;
        }
        pixel[3] = (pixel[3] as f32 + opacity * (255.0 - pixel[3] as f32)).round() as u8;
    }

    /// Fills a rectangle; edges between pixels are anti-aliased.
    pub fn fill_rect(&mut self, rect: Rect, colour: Rgb, opacity: f32) {
        let colour = colour.to_srgb8();
        let (x1, y1) = (rect.x + rect.width, rect.y + rect.height);
        let overlap = |i: i64, lo: f32, hi: f32| (hi.min(i as f32 + 1.0) - lo.max(i as f32)).max(0.0);
        let range = |lo: f32, hi: f32, size: usize| {
            let hi = (hi.ceil() as i64).min(size as i64);
            (lo.floor() as i64).clamp(0, hi.max(0))..hi.max(0)
        };
        for y in range(rect.y, y1, self.height) {
            let cover_y = overlap(y, rect.y, y1);
            for x in range(rect.x, x1, self.width) {
                self.blend(x, y, colour, opacity * cover_y * overlap(x, rect.x, x1));
            }
        }
    }

    /// Outlines a rectangle with a line of the given width, inside its edges.
    pub fn outline_rect(&mut self, rect: Rect, line: f32, colour: Rgb, opacity: f32) {
        let Rect { x, y, width, height } = rect;
        let side = |x, y, width, height| Rect { x, y, width, height };
        self.fill_rect(side(x, y, width, line), colour, opacity);
        self.fill_rect(side(x, y + height - line, width, line), colour, opacity);
        self.fill_rect(side(x, y + line, line, height - 2.0 * line), colour, opacity);
        self.fill_rect(side(x + width - line, y + line, line, height - 2.0 * line), colour, opacity);
    }

    /// Copies another picture in at a place; what does not fit is cut off.
    pub fn paste(&mut self, other: &Picture, left: usize, top: usize) {
        let width = other.width.min(self.width.saturating_sub(left));
        let height = other.height.min(self.height.saturating_sub(top));
        for y in 0..height {
            let from = &other.pixels[y * other.width..][..width];
            self.pixels[(top + y) * self.width + left..][..width].copy_from_slice(from);
        }
    }

    /// A smaller or larger copy. Shrinking averages all the pixels that fall together, in linear light.
    pub fn resized(&self, width: usize, height: usize) -> Picture {
        let columns = weights(self.width, width);
        let rows = weights(self.height, height);
        let linear: Vec<[f32; 4]> = self.pixels.iter().map(|p| to_linear(*p)).collect();
        let mut narrow = vec![[0f32; 4]; width * self.height];
        for y in 0..self.height {
            for (x, parts) in columns.iter().enumerate() {
                narrow[y * width + x] = blend_parts(parts, |i| linear[y * self.width + i]);
            }
        }
        let mut pixels = Vec::with_capacity(width * height);
        for parts in &rows {
            for x in 0..width {
                pixels.push(from_linear(blend_parts(parts, |i| narrow[i * width + x])));
            }
        }
        Picture { width, height, pixels }
    }
}

/// Which source pixels make up each target pixel along one axis, and their shares.
fn weights(from: usize, to: usize) -> Vec<Vec<(usize, f32)>> {
    let ratio = from as f32 / to.max(1) as f32;
    let parts = |i: usize| -> Vec<(usize, f32)> {
        if from == 0 {
            return Vec::new();
        }
        // Enlarging interpolates between centres, shrinking averages over the footprint: both are a box as
        // wide as the larger of the two pixels, seen by the smaller.
        let (centre, half) = ((i as f32 + 0.5) * ratio, 0.5 * ratio.max(1.0));
        let (lo, hi) = (centre - half, centre + half);
        let (first, last) = (lo.floor() as i64, hi.ceil() as i64);
        let share = |k: i64| (hi.min(k as f32 + 1.0) - lo.max(k as f32)).max(0.0) / (2.0 * half);
        let inside = |k: i64| k.clamp(0, from as i64 - 1) as usize;
        (first..last).map(|k| (inside(k), share(k))).filter(|(_, s)| *s > 1e-5).collect()
    };
    (0..to).map(parts).collect()
}

fn blend_parts(parts: &[(usize, f32)], at: impl Fn(usize) -> [f32; 4]) -> [f32; 4] {
    let mut sum = [0.0; 4];
    for &(i, share) in parts {
        let value = at(i);
        for channel in 0..4 {
            sum[channel] += share * value[channel];
        }
    }
    sum
}

fn to_linear([r, g, b, a]: [u8; 4]) -> [f32; 4] {
    let colour = Rgb::hex((r as u32) << 16 | (g as u32) << 8 | b as u32);
    let alpha = a as f32 / 255.0;
    // Weighted by alpha, so that invisible pixels lend no colour.
    [colour.r * alpha, colour.g * alpha, colour.b * alpha, alpha]
}

fn from_linear([r, g, b, alpha]: [f32; 4]) -> [u8; 4] {
    let scale = if alpha > 0.0 { 1.0 / alpha } else { 0.0 };
    let [r, g, b] = (Rgb::linear(r, g, b) * scale).to_srgb8();
    [r, g, b, (alpha * 255.0).round() as u8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_covered_pixels_are_half_filled() {
        let mut picture = Picture::filled(4, 3, Rgb::hex(0));
        let white = Rgb::hex(0xffffff);
        picture.fill_rect(Rect { x: 0.5, y: 1.0, width: 2.0, height: 0.5 }, white, 1.0);
        let row: Vec<u8> = (0..4).map(|x| picture.pixel(x, 1)[0]).collect();
        assert_eq!(row, [64, 128, 64, 0]);
        assert!((0..4).all(|x| picture.pixel(x, 0)[0] == 0 && picture.pixel(x, 2)[0] == 0));
    }

    #[test]
    fn drawing_outside_is_cut_off() {
        let mut picture = Picture::filled(4, 4, Rgb::hex(0));
        let white = Rgb::hex(0xffffff);
        picture.fill_rect(Rect { x: -1e9, y: -5.0, width: 2e9, height: 6.0 }, white, 1.0);
        picture.fill_rect(Rect { x: 50.0, y: 50.0, width: 3.0, height: 3.0 }, white, 1.0);
        assert_eq!(picture.pixels().iter().filter(|p| p[0] == 255).count(), 4);
        let big = Picture::filled(9, 9, white);
        picture.paste(&big, 3, 3);
        picture.paste(&big, 30, 30);
        assert_eq!(picture.pixel(3, 3)[0], 255);
        assert_eq!(picture.pixel(2, 3)[0], 0);
    }

    #[test]
    fn shrinking_averages_in_linear_light() {
        let (black, white) = ([0, 0, 0, 255], [255, 255, 255, 255]);
        let checks = (0..16).map(|i| if (i % 4 + i / 4) % 2 == 0 { black } else { white }).collect();
        let small = Picture::from_pixels(4, 4, checks).unwrap().resized(2, 2);
        // Half the light is sRGB 188, not 128.
        assert!(small.pixels().iter().all(|p| *p == [188, 188, 188, 255]), "{:?}", small.pixels());
    }

    #[test]
    fn same_size_is_the_same_picture() {
        let pixels: Vec<[u8; 4]> = (0..35u8).map(|i| [i * 7, 255 - i * 3, i, 255]).collect();
        let picture = Picture::from_pixels(7, 5, pixels).unwrap();
        assert_eq!(picture.resized(7, 5), picture);
        assert_eq!(picture.resized(14, 10).width(), 14);
    }
}
