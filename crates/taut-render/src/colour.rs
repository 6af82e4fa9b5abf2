//! Colours in linear light, the sRGB transfer curve, and Oklab for paths that look even.

use std::sync::OnceLock;

/// A colour in linear light with sRGB primaries; 1 is the display's white.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rgb {
    /// Red.
    pub r: f32,
    /// Green.
    pub g: f32,
    /// Blue.
    pub b: f32,
}

impl Rgb {
    /// A colour from linear components.
    pub const fn linear(r: f32, g: f32, b: f32) -> Rgb {
        Rgb { r, g, b }
    }

    /// A colour from the usual `0xRRGGBB` notation.
    pub fn hex(code: u32) -> Rgb {
        let part = |shift: u32| decode(((code >> shift) & 0xff) as f32 / 255.0);
        Rgb::linear(part(16), part(8), part(0))
    }

    /// A colour from Oklch: lightness 0–1, chroma (about 0–0.3) and hue in degrees. Where the display cannot
    /// show it, chroma is reduced at the same lightness and hue.
    pub fn oklch(lightness: f64, chroma: f64, hue_degrees: f64) -> Rgb {
        let (sin, cos) = hue_degrees.to_radians().sin_cos();
        let at = |c: f64| oklab_to_linear(lightness, c * cos, c * sin);
        let fits = |rgb: [f64; 3]| rgb.iter().all(|v| (-1e-4..=1.0001).contains(v));
        let (mut lo, mut hi) = (0.0, chroma);
        if fits(at(hi)) {
            lo = hi;
        }
        while hi - lo > 1e-4 {
            let middle = 0.5 * (lo + hi);
            if fits(at(middle)) { lo = middle } else { hi = middle }
        }
        let [r, g, b] = at(lo).map(|v| v.clamp(0.0, 1.0) as f32);
        Rgb::linear(r, g, b)
    }

    /// The nearest 8-bit sRGB value.
    pub fn to_srgb8(self) -> [u8; 3] {
        Encoder::get().srgb8(self)
    }

    /// Relative luminance (BT.709 weights).
    pub fn luminance(self) -> f32 {
        0.2126 * self.r + 0.7152 * self.g + 0.0722 * self.b
    }

    /// Lightness as seen, 0–1 (the L of Oklab).
    pub fn lightness(self) -> f32 {
        let [l, m, s] = linear_to_lms([self.r as f64, self.g as f64, self.b as f64]).map(f64::cbrt);
        (0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s) as f32
    }

    /// `self + t (other - self)`, in linear light.
    pub fn mix(self, other: Rgb, t: f32) -> Rgb {
        self * (1.0 - t) + other * t
    }

    /// `#rrggbb`, for SVG and CSS.
    pub fn css(self) -> String {
        let [r, g, b] = self.to_srgb8();
        format!("#{r:02x}{g:02x}{b:02x}")
    }
}

impl std::ops::Add for Rgb {
    type Output = Rgb;
    fn add(self, o: Rgb) -> Rgb {
        Rgb::linear(self.r + o.r, self.g + o.g, self.b + o.b)
    }
}

impl std::ops::Mul<f32> for Rgb {
    type Output = Rgb;
    fn mul(self, s: f32) -> Rgb {
        Rgb::linear(self.r * s, self.g * s, self.b * s)
    }
}

impl std::ops::Mul<Rgb> for Rgb {
    type Output = Rgb;
    fn mul(self, o: Rgb) -> Rgb {
        Rgb::linear(self.r * o.r, self.g * o.g, self.b * o.b)
    }
}

/// sRGB to linear light (IEC 61966-2-1).
pub(crate) fn decode(v: f32) -> f32 {
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

/// Linear light to sRGB (IEC 61966-2-1).
fn encode(v: f32) -> f32 {
    if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 }
}

const ENCODE_STEPS: usize = 1 << 14;

/// Linear light to 8-bit sRGB values. A table, because a power per channel would cost more than the shading;
/// 2¹⁴ steps keep even the darkest values within a fifth of a level.
#[derive(Clone, Copy)]
pub(crate) struct Encoder(&'static [u8]);

impl Encoder {
    /// The table, made on first use. Take it once for many colours.
    pub fn get() -> Encoder {
        static TABLE: OnceLock<Vec<u8>> = OnceLock::new();
        Encoder(TABLE.get_or_init(|| {
            let level = |i: usize| encode(i as f32 / ENCODE_STEPS as f32) * 255.0;
            (0..=ENCODE_STEPS).map(|i| level(i).round().clamp(0.0, 255.0) as u8).collect()
        }))
    }

    pub fn srgb8(self, colour: Rgb) -> [u8; 3] {
        // A NaN casts to 0.
        [colour.r, colour.g, colour.b].map(|v| self.0[(v.clamp(0.0, 1.0) * ENCODE_STEPS as f32 + 0.5) as usize])
    }
}

/// Oklab (Ottosson 2020): a, b and lightness to linear sRGB.
fn oklab_to_linear(lightness: f64, a: f64, b: f64) -> [f64; 3] {
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ]
}

fn linear_to_lms([r, g, b]: [f64; 3]) -> [f64; 3] {
    [
        0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b,
        0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b,
        0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b,
    ]
}

/// Colours that sit well together on the default backdrop.
pub mod palette {
    use super::Rgb;

    /// Muted blue: the default cloth.
    pub fn indigo() -> Rgb {
        Rgb::oklch(0.50, 0.085, 258.0)
    }
    /// Warm brick red.
    pub fn terracotta() -> Rgb {
        Rgb::oklch(0.60, 0.110, 38.0)
    }
    /// Grey green.
    pub fn sage() -> Rgb {
        Rgb::oklch(0.66, 0.075, 155.0)
    }
    /// Dark yellow.
    pub fn ochre() -> Rgb {
        Rgb::oklch(0.74, 0.120, 82.0)
    }
    /// Dusty violet red.
    pub fn plum() -> Rgb {
        Rgb::oklch(0.50, 0.110, 350.0)
    }
    /// Off-white, for colliders.
    pub fn plaster() -> Rgb {
        Rgb::oklch(0.83, 0.012, 80.0)
    }
    /// Dark grey blue, for lines and text.
    pub fn ink() -> Rgb {
        Rgb::oklch(0.30, 0.020, 260.0)
    }
    /// Bright red, for pins.
    pub fn signal() -> Rgb {
        Rgb::oklch(0.62, 0.210, 25.0)
    }

    /// The cloth colour for the `index`-th body; repeats after five.
    pub fn cloth(index: usize) -> Rgb {
        [indigo, terracotta, sage, ochre, plum][index % 5]()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_survives_the_round_trip() {
        for code in [0x000000, 0x0a141e, 0x7f8081, 0xfefdfc, 0xffffff] {
            let [r, g, b] = Rgb::hex(code).to_srgb8();
            assert_eq!((r as u32) << 16 | (g as u32) << 8 | b as u32, code);
        }
    }

    #[test]
    fn oklch_grey_has_its_lightness() {
        for step in 0..=10 {
            let grey = Rgb::oklch(step as f64 / 10.0, 0.0, 0.0);
            assert!((grey.lightness() - step as f32 / 10.0).abs() < 2e-3, "{grey:?}");
            assert!((grey.r - grey.b).abs() < 1e-3);
        }
    }

    #[test]
    fn too_vivid_colours_keep_their_lightness() {
        let vivid = Rgb::oklch(0.5, 0.5, 200.0);
        assert!((vivid.lightness() - 0.5).abs() < 5e-3);
    }
}
