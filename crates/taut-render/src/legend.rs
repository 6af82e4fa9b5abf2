//! The bar that tells which colour is which number.

use crate::map::Scale;
use crate::picture::{Picture, Rect};
use crate::text::{Align, TextStyle, text_width};
use crate::ticks;

/// A colour bar with ticks, a label and a unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// The colours and their range.
    pub scale: Scale,
    /// What is shown: "weft strain".
    pub label: String,
    /// Unit of the numbers written: "%".
    pub unit: String,
    /// What a value is multiplied by before it is written: 100 for percent.
    pub factor: f64,
}

impl Legend {
    /// A legend for a ratio such as strain, written in percent.
    pub fn percent(label: &str, scale: Scale) -> Legend {
        Legend { scale, label: label.into(), unit: "%".into(), factor: 100.0 }
    }

    /// The share of the picture's width to leave free on the right (see [`crate::Framing::margins`]).
    pub const WIDTH: f64 = 0.2;

    /// Draws the legend at the right of the picture, centred vertically.
    pub fn draw(&self, picture: &mut Picture) {
        let (width, height) = (picture.width() as f32, picture.height() as f32);
        let size = (height / 38.0).clamp(10.0, 28.0);
        let tall = (0.5 * height).max(6.0 * size).min(height - 4.0 * size).round();
        let right = width - 1.4 * size;
        let bar = Rect {
            x: (right - 4.6 * size).round(),
            y: (0.5 * (height - tall) + size).round(),
            width: size.round(),
            height: tall,
        };
        self.draw_bar(picture, bar);
        self.draw_ticks(picture, bar, size);
        let title = TextStyle::new(size, picture.ink()).bold();
        let unit = if self.unit.is_empty() { String::new() } else { format!(" ({})", self.unit) };
        picture.text(&format!("{}{unit}", self.label), right, bar.y - 1.1 * size, Align::Right, &title);
    }

    fn draw_bar(&self, picture: &mut Picture, bar: Rect) {
        let rows = bar.height as usize;
        for row in 0..rows {
            let t = 1.0 - (row as f64 + 0.5) / rows as f64;
            let y = bar.y + row as f32;
            picture.fill_rect(Rect { y, height: 1.0, ..bar }, self.scale.map.at(t), 1.0);
        }
        let ink = picture.ink();
        let edge = Rect { x: bar.x - 1.0, y: bar.y - 1.0, width: bar.width + 2.0, height: bar.height + 2.0 };
        picture.outline_rect(edge, 1.0, ink, 0.55);
    }

    fn draw_ticks(&self, picture: &mut Picture, bar: Rect, size: f32) {
        let (lo, hi) = (self.scale.min * self.factor, self.scale.max * self.factor);
        let values = ticks::with_ends(lo, hi);
        let step = if values.len() > 1 { values[1] - values[0] } else { 0.0 };
        let ink = picture.ink();
        let style = TextStyle::new(size, ink);
        let label = |value: f64| {
            let sign = if self.scale.min < 0.0 && value > 0.0 { "+" } else { "" };
            format!("{sign}{}", ticks::label(value, step))
        };
        let widest = values.iter().map(|v| text_width(&label(*v), &style)).fold(0.0, f32::max);
        for value in values {
            let t = if hi > lo { ((value - lo) / (hi - lo)) as f32 } else { 0.5 };
            let y = bar.y + (1.0 - t) * (bar.height - 1.0);
            let mark = Rect { x: bar.x + bar.width + 1.0, y: y.round(), width: 0.35 * size, height: 1.0 };
            picture.fill_rect(mark, ink, 0.8);
            let end = mark.x + mark.width + 0.35 * size + widest;
            picture.text(&label(value), end, y + 0.36 * size, Align::Right, &style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Rgb;

    #[test]
    fn bar_runs_from_the_end_colour_down_to_the_start() {
        let mut picture = Picture::filled(400, 300, Rgb::hex(0xffffff));
        let scale = Scale::up_to(0.1);
        Legend::percent("strain", scale).draw(&mut picture);
        let near = |p: [u8; 4], c: Rgb| c.to_srgb8().iter().zip(p).all(|(a, b)| a.abs_diff(b) <= 6);
        let rows =
            |c: Rgb| -> Vec<usize> { (0..300).filter(|y| (300..400).any(|x| near(picture.pixel(x, *y), c))).collect() };
        let (top, bottom) = (rows(scale.colour(0.1)), rows(scale.colour(0.0)));
        assert!(!top.is_empty() && !bottom.is_empty());
        assert!(bottom[0] > top[top.len() - 1] + 100, "{top:?} {bottom:?}");
    }

    #[test]
    fn tiny_and_empty_pictures_are_harmless() {
        for (width, height) in [(0, 0), (3, 2), (40, 500)] {
            let mut picture = Picture::filled(width, height, Rgb::hex(0xffffff));
            Legend::percent("area", Scale::around_zero(0.05)).draw(&mut picture);
            let flat = Scale { min: 0.0, max: 0.0, ..Scale::up_to(1.0) };
            Legend { scale: flat, label: String::new(), unit: String::new(), factor: 1.0 }.draw(&mut picture);
        }
    }
}
