//! Text on pictures: Noto Sans, anti-aliased.

use crate::colour::Rgb;
use crate::picture::Picture;
use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont};
use std::sync::OnceLock;

/// Which face to write with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// For labels.
    Regular,
    /// For titles.
    Bold,
}

/// Where a line of text sits relative to the given x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Starts there.
    Left,
    /// Is centred there.
    Centre,
    /// Ends there.
    Right,
}

/// How text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextStyle {
    /// Size of the em, pixels: what CSS calls the font size.
    pub size: f32,
    /// The face.
    pub weight: Weight,
    /// The colour.
    pub colour: Rgb,
    /// 0 to 1.
    pub opacity: f32,
}

impl TextStyle {
    /// Regular, opaque text.
    pub fn new(size: f32, colour: Rgb) -> TextStyle {
        TextStyle { size, weight: Weight::Regular, colour, opacity: 1.0 }
    }

    /// The same in bold.
    pub fn bold(self) -> TextStyle {
        TextStyle { weight: Weight::Bold, ..self }
    }
}

fn font(weight: Weight) -> Option<&'static FontRef<'static>> {
    static REGULAR: OnceLock<Option<FontRef<'static>>> = OnceLock::new();
    static BOLD: OnceLock<Option<FontRef<'static>>> = OnceLock::new();
    let (slot, bytes) = match weight {
        Weight::Regular => (&REGULAR, notosans::REGULAR_TTF),
        Weight::Bold => (&BOLD, notosans::BOLD_TTF),
    };
    slot.get_or_init(|| FontRef::try_from_slice(bytes).ok()).as_ref()
}

/// The glyphs of a line starting at x = 0 on baseline y = 0, and where the pen ends.
fn layout(text: &str, style: &TextStyle) -> (Vec<Glyph>, f32) {
    let Some(font) = font(style.weight) else { return (Vec::new(), 0.0) };
    // The scale counts ascent plus descent, which is 1.362 em in Noto Sans.
    let font = font.as_scaled(PxScale::from(style.size * 1.362));
    let mut pen = 0.0;
    let mut previous = None;
    let mut glyphs = Vec::new();
    for character in text.chars() {
        let mut glyph = font.scaled_glyph(character);
        pen += previous.map_or(0.0, |p| font.kern(p, glyph.id));
        glyph.position.x = pen;
        pen += font.h_advance(glyph.id);
        previous = Some(glyph.id);
        glyphs.push(glyph);
    }
    (glyphs, pen)
}

/// How wide a line will be, pixels.
pub fn text_width(text: &str, style: &TextStyle) -> f32 {
    layout(text, style).1
}

impl Picture {
    /// Writes one line with its baseline at `y`.
    pub fn text(&mut self, text: &str, x: f32, y: f32, align: Align, style: &TextStyle) {
        let Some(font) = font(style.weight) else { return };
        let (glyphs, width) = layout(text, style);
        let left = match align {
            Align::Left => x,
            Align::Centre => x - 0.5 * width,
            Align::Right => x - width,
        };
        let colour = style.colour.to_srgb8();
        // A whole-pixel baseline keeps horizontal strokes crisp.
        let baseline = y.round();
        for mut glyph in glyphs {
            glyph.position.x += left;
            glyph.position.y = baseline;
            let Some(outline) = font.outline_glyph(glyph) else { continue };
            let corner = outline.px_bounds().min;
            outline.draw(|gx, gy, cover| {
                let (px, py) = (corner.x as i64 + gx as i64, corner.y as i64 + gy as i64);
                self.blend(px, py, colour, cover * style.opacity);
            });
        }
    }

    /// Writes a title line, and under it a smaller note, at the top left.
    pub fn title(&mut self, title: &str, note: &str) {
        let size = (self.height() as f32 / 26.0).clamp(13.0, 40.0);
        let ink = self.ink();
        let style = TextStyle::new(size, ink).bold();
        self.text(title, size, 1.75 * size, Align::Left, &style);
        let small = TextStyle { opacity: 0.75, ..TextStyle::new(0.72 * size, ink) };
        self.text(note, size, 2.85 * size, Align::Left, &small);
    }

    /// Writes a small caption at the bottom left.
    pub fn caption(&mut self, caption: &str) {
        let size = (self.height() as f32 / 36.0).clamp(11.0, 30.0);
        let style = TextStyle { opacity: 0.8, ..TextStyle::new(size, self.ink()) };
        self.text(caption, 1.2 * size, self.height() as f32 - 1.1 * size, Align::Left, &style);
    }

    /// Dark or light, whichever can be read on this picture's border.
    pub(crate) fn ink(&self) -> Rgb {
        let Some(&[r, g, b, _]) = self.pixels().first() else { return Rgb::default() };
        let light = r as u32 * 2 + g as u32 * 5 + b as u32 > 8 * 128;
        if light { Rgb::oklch(0.27, 0.02, 260.0) } else { Rgb::oklch(0.94, 0.01, 260.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inked(text: &str, align: Align, style: &TextStyle) -> (usize, usize, f32) {
        let mut picture = Picture::filled(200, 60, Rgb::hex(0xffffff));
        picture.text(text, 100.0, 40.0, align, style);
        let dark = |x: usize| (0..60).any(|y| picture.pixel(x, y)[0] < 128);
        let columns: Vec<usize> = (0..200).filter(|x| dark(*x)).collect();
        let ink = picture.pixels().iter().map(|p| 1.0 - p[0] as f32 / 255.0).sum();
        (columns[0], columns[columns.len() - 1], ink)
    }

    #[test]
    fn text_lies_where_it_was_put() {
        let style = TextStyle::new(20.0, Rgb::hex(0));
        let width = text_width("HHH", &style);
        let (left, right, _) = inked("HHH", Align::Left, &style);
        assert!((100..104).contains(&left) && (right as f32) < 100.0 + width, "{left} {right}");
        let (left, right, _) = inked("HHH", Align::Right, &style);
        assert!(right < 100 && right > 95 && left as f32 >= 99.0 - width, "{left} {right}");
        let (left, right, _) = inked("HHH", Align::Centre, &style);
        assert!((left + right).abs_diff(200) <= 2, "{left} {right}");
    }

    #[test]
    fn bold_has_more_ink_and_edges_are_soft() {
        let style = TextStyle::new(20.0, Rgb::hex(0));
        assert!(inked("mass", Align::Left, &style.bold()).2 > 1.15 * inked("mass", Align::Left, &style).2);
        let mut picture = Picture::filled(80, 40, Rgb::hex(0xffffff));
        picture.text("o", 20.0, 30.0, Align::Left, &style);
        assert!(picture.pixels().iter().filter(|p| p[0] > 60 && p[0] < 200).count() > 5);
    }

    #[test]
    fn odd_text_is_harmless() {
        let mut picture = Picture::filled(30, 20, Rgb::hex(0xffffff));
        for text in ["", "\u{10ffff}\n\t", "ε ≤ 5 % · λ²", "مرحبا"] {
            picture.text(text, -1e6, 1e6, Align::Left, &TextStyle::new(12.0, Rgb::hex(0)));
            picture.text(text, 2.0, 15.0, Align::Left, &TextStyle::new(0.0, Rgb::hex(0)));
        }
    }
}
