//! Colour maps: numbers to colours, evenly spaced to the eye.

use crate::colour::Rgb;
use std::sync::OnceLock;

/// How numbers become colours. Both maps are paths through Oklab, so equal steps in the number look like
/// equal steps in colour, and both read in greyscale and with the common kinds of colour blindness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourMap {
    /// Dark violet over teal to yellow; lightness rises evenly. For quantities that have a size only.
    Sequential,
    /// Blue over near-white to red; equally dark at both ends. For signed quantities: compression is blue,
    /// extension red, zero in the middle.
    Diverging,
}

const STEPS: usize = 256;

impl ColourMap {
    /// The colour at `t`, 0 to 1; outside, the end colours. Grey for NaN, which is not a value.
    pub fn at(self, t: f64) -> Rgb {
        static TABLES: OnceLock<[Vec<Rgb>; 2]> = OnceLock::new();
        if t.is_nan() {
            return Rgb::oklch(0.6, 0.0, 0.0);
        }
        let tables = TABLES.get_or_init(|| [tabulate(sequential), tabulate(diverging)]);
        let table = match self {
            ColourMap::Sequential => &tables[0],
            ColourMap::Diverging => &tables[1],
        };
        let place = t.clamp(0.0, 1.0) * (STEPS - 1) as f64;
        let below = (place as usize).min(STEPS - 2);
        table[below].mix(table[below + 1], (place - below as f64) as f32)
    }
}

fn tabulate(path: fn(f64) -> Rgb) -> Vec<Rgb> {
    (0..STEPS).map(|i| path(i as f64 / (STEPS - 1) as f64)).collect()
}

/// Lightness is linear; hue turns from violet (320°) to yellow (104°) and chroma follows what the display can
/// show at that lightness, after the shape of the well-known viridis.
fn sequential(t: f64) -> Rgb {
    let hue = 318.0 - 214.0 * t.powf(0.92);
    let chroma = 0.125 - 0.12 * t * (1.0 - t) + 0.06 * t.powi(4);
    Rgb::oklch(0.27 + 0.64 * t, chroma, hue)
}

/// Two arms from a nearly white middle, mirror images in lightness and chroma. The middle is rounded so that
/// no bright crease appears at zero.
fn diverging(t: f64) -> Rgb {
    let arm = (2.0 * t - 1.0).abs();
    let rounded = (arm * arm + 0.0064).sqrt() - 0.08;
    let lightness = 0.95 - 0.53 * rounded / 0.923_2;
    let chroma = 0.185 * (arm * (1.62 - 0.62 * arm));
    let hue = if t < 0.5 { 255.0 } else { 30.0 };
    Rgb::oklch(lightness, chroma, hue)
}

/// A colour map with the range of numbers it covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The map.
    pub map: ColourMap,
    /// The number at the map's start.
    pub min: f64,
    /// The number at the map's end.
    pub max: f64,
}

impl Scale {
    /// From 0 to `max`, on the sequential map.
    pub fn up_to(max: f64) -> Scale {
        Scale { map: ColourMap::Sequential, min: 0.0, max }
    }

    /// From `-size` to `size`, on the diverging map: zero is in the middle.
    pub fn around_zero(size: f64) -> Scale {
        Scale { map: ColourMap::Diverging, min: -size, max: size }
    }

    /// A symmetric range around zero that holds all but the outermost hundredth of the finite `values`, rounded
    /// up to 1, 2 or 5 times a power of ten. One bad element does not wash out the picture.
    pub fn fitting_around_zero(values: &[f64]) -> Scale {
        Scale::around_zero(round_up(percentile_99(values)))
    }

    /// As [`Scale::fitting_around_zero`], from 0 up on the sequential map.
    pub fn fitting_up_to(values: &[f64]) -> Scale {
        Scale::up_to(round_up(percentile_99(values)))
    }

    /// The colour of a number.
    pub fn colour(&self, value: f64) -> Rgb {
        let span = self.max - self.min;
        let t = if span > 0.0 { (value - self.min) / span } else { 0.5 };
        self.map.at(if value.is_nan() { f64::NAN } else { t })
    }
}

fn percentile_99(values: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = values.iter().filter(|v| v.is_finite()).map(|v| v.abs()).collect();
    if sizes.is_empty() {
        return 0.0;
    }
    let place = (sizes.len() - 1) * 99 / 100;
    *sizes.select_nth_unstable_by(place, f64::total_cmp).1
}

fn round_up(value: f64) -> f64 {
    if value <= 0.0 {
        return 1e-3;
    }
    let decade = 10f64.powf(value.log10().floor());
    let lead = [1.0, 2.0, 5.0, 10.0].into_iter().find(|l| l * decade >= value * (1.0 - 1e-9));
    lead.unwrap_or(10.0) * decade
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequential_lightness_rises_evenly() {
        let lightness = |i: usize| ColourMap::Sequential.at(i as f64 / 50.0).lightness();
        let step = (lightness(50) - lightness(0)) / 50.0;
        assert!(step > 0.01);
        for i in 0..50 {
            let rise = lightness(i + 1) - lightness(i);
            assert!((rise - step).abs() < 0.25 * step, "step {i}: {rise} against {step}");
        }
    }

    #[test]
    fn diverging_is_symmetric_in_lightness_and_neutral_in_the_middle() {
        for i in 0..=50 {
            let t = i as f64 / 100.0;
            let (low, high) = (ColourMap::Diverging.at(t), ColourMap::Diverging.at(1.0 - t));
            assert!((low.lightness() - high.lightness()).abs() < 0.01, "at {t}");
            if i < 45 {
                assert!(low.b > low.r && high.r > high.b, "at {t}");
            }
        }
        let [r, g, b] = ColourMap::Diverging.at(0.5).to_srgb8();
        assert!(r.abs_diff(b) < 6 && r.abs_diff(g) < 6 && r > 220, "{r} {g} {b}");
    }

    #[test]
    fn ends_clamp_and_nan_is_grey() {
        let scale = Scale::around_zero(0.1);
        assert_eq!(scale.colour(7.0), ColourMap::Diverging.at(1.0));
        assert_eq!(scale.colour(f64::NEG_INFINITY), ColourMap::Diverging.at(0.0));
        let nan = scale.colour(f64::NAN);
        assert!((nan.r - nan.g).abs() < 1e-3 && nan.r > 0.1 && nan.r < 0.5);
    }

    #[test]
    fn fitted_range_is_round_and_ignores_one_outlier() {
        let mut values: Vec<f64> = (0..1000).map(|i| i as f64 * 4e-5).collect();
        values.push(1e9);
        values.push(f64::NAN);
        assert!((Scale::fitting_around_zero(&values).max - 0.05).abs() < 1e-12);
        assert!((Scale::fitting_up_to(&[0.02]).max - 0.02).abs() < 1e-12);
        assert!(Scale::fitting_up_to(&[]).max > 0.0);
    }
}
