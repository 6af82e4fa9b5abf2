//! Pictures into files: PNG, animated GIF and PNG, contact sheets, and MP4 through ffmpeg.
//!
//! Writers take any [`std::io::Write`], so that the caller decides when and how a file appears.

mod gif;
mod mp4;
mod palette;
mod png;
mod sheet;

pub use self::gif::{GifOptions, GifWriter, gif};
pub use self::mp4::{Mp4Error, Mp4Writer};
pub use self::png::{apng, png};
pub use self::sheet::contact_sheet;

use crate::picture::Picture;

/// The part of a picture that differs from the one before: left, top, width, height; None if nothing does.
fn changed_part(before: &Picture, after: &Picture) -> Option<[usize; 4]> {
    let (width, height) = (after.width(), after.height());
    if (before.width(), before.height()) != (width, height) {
        return Some([0, 0, width, height]);
    }
    let row = |p: &Picture, y: usize| p.pixels()[y * width..(y + 1) * width].to_vec();
    let changed: Vec<usize> = (0..height).filter(|y| row(before, *y) != row(after, *y)).collect();
    let (&top, &bottom) = (changed.first()?, changed.last()?);
    let (mut left, mut right) = (width, 0);
    for y in changed {
        let pairs = before.pixels()[y * width..].iter().zip(&after.pixels()[y * width..]).take(width);
        for (x, _) in pairs.enumerate().filter(|(_, (a, b))| a != b) {
            left = left.min(x);
            right = right.max(x);
        }
    }
    Some([left, top, right + 1 - left, bottom + 1 - top])
}
