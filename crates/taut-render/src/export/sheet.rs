//! Contact sheets: many small pictures on one.

use crate::colour::Rgb;
use crate::picture::Picture;
use crate::text::{Align, TextStyle};

/// Puts captioned pictures on a white grid, row by row: so many side by side, each so many pixels wide. Heights follow
/// the first picture's shape.
pub fn contact_sheet(pictures: &[(Picture, String)], columns: usize, cell_width: usize) -> Picture {
    let columns = columns.clamp(1, pictures.len().max(1));
    let rows = pictures.len().div_ceil(columns);
    let width = cell_width.max(8);
    let shape = pictures.first().map_or(0.75, |(p, _)| p.height() as f64 / p.width().max(1) as f64);
    let height = ((width as f64 * shape).round() as usize).max(1);
    let gap = (width / 24).max(4);
    let size = (width as f32 / 22.0).clamp(10.0, 26.0);
    let caption = (1.9 * size) as usize;
    let (step_x, step_y) = (width + gap, height + caption + gap);
    let mut sheet = Picture::filled(columns * step_x + gap, rows * step_y + gap, Rgb::hex(0xffffff));
    let style = TextStyle::new(size, sheet.ink());
    for (i, (picture, text)) in pictures.iter().enumerate() {
        let (left, top) = (gap + i % columns * step_x, gap + i / columns * step_y);
        sheet.paste(&picture.resized(width, height), left, top);
        sheet.text(text, left as f32, (top + height) as f32 + 1.35 * size, Align::Left, &style);
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_lie_on_a_grid_with_captions_below() {
        let cell = |code: u32| (Picture::filled(40, 20, Rgb::hex(code)), "frame".to_string());
        let cells = [cell(0xff0000), cell(0x00ff00), cell(0x0000ff)];
        let sheet = contact_sheet(&cells, 2, 100);
        assert_eq!(sheet.width(), 2 * 104 + 4);
        assert_eq!(sheet.pixel(4, 4), [255, 0, 0, 255]);
        assert_eq!(sheet.pixel(108 + 99, 4 + 49), [0, 255, 0, 255]);
        assert_eq!(sheet.pixel(50, 50 + 19 + 4 + 10), [0, 0, 255, 255]);
        assert!((54..73).any(|y| (4..60).any(|x| sheet.pixel(x, y)[0] < 128)), "no caption");
        let empty = contact_sheet(&[], 2, 100);
        assert!(empty.width() > 0 && empty.height() > 0);
    }
}
