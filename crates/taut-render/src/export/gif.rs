//! Animated GIF.

use super::changed_part;
use super::palette::Palette;
use crate::picture::Picture;
use std::io::{self, Write};

/// How a GIF is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GifOptions {
    /// Frames a second. GIF counts hundredths of a second; 50 is the most that viewers honour.
    pub frames_per_second: f64,
    /// Mixes neighbouring palette colours in a fixed pattern: smoother shading, larger files. The pattern does not
    /// move, so still parts stay still.
    pub dither: bool,
}

impl Default for GifOptions {
    fn default() -> GifOptions {
        GifOptions { frames_per_second: 25.0, dither: true }
    }
}

/// The index that means "as before".
const UNCHANGED: u8 = 255;
/// Mean error, in levels, beyond which a frame gets a palette of its own.
const POOR: f64 = 9.0;

/// Writes an animated GIF frame by frame.
pub struct GifWriter<W: Write> {
    encoder: gif::Encoder<W>,
    options: GifOptions,
    shared: Palette,
    /// What a viewer shows after the frames so far.
    shown: Option<Picture>,
    width: usize,
    height: usize,
    frames: usize,
}

impl<W: Write> GifWriter<W> {
    /// Starts a file. The palette is chosen from `samples` (say the first, middle and last frame), which also set the
    /// size; frames that it does not suit get one of their own.
    pub fn new(out: W, samples: &[&Picture], options: GifOptions) -> io::Result<GifWriter<W>> {
        let Some(first) = samples.first() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "an animation needs at least one frame"));
        };
        let shared = Palette::choose(samples, 255);
        let size = |v: usize| u16::try_from(v).map_err(|_| io::Error::other("too large for a GIF"));
        let (width, height) = (first.width(), first.height());
        let mut encoder =
            gif::Encoder::new(out, size(width)?, size(height)?, &shared.bytes()).map_err(io::Error::other)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(io::Error::other)?;
        Ok(GifWriter { encoder, options, shared, shown: None, width, height, frames: 0 })
    }

    /// Adds a frame.
    pub fn push(&mut self, frame: &Picture) -> io::Result<()> {
        if (frame.width(), frame.height()) != (self.width, self.height) {
            let message = format!("frame {} has another size", self.frames);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let own = (self.shared.error(frame) > POOR).then(|| Palette::choose(&[frame], 255));
        let palette = own.as_ref().unwrap_or(&self.shared);
        let indices = quantise(frame, palette, self.options.dither);
        let now = shown(frame, palette, &indices);
        let part = match &self.shown {
            None => [0, 0, self.width, self.height],
            Some(before) => changed_part(before, &now).unwrap_or([0, 0, 1, 1]),
        };
        let buffer = cut(&indices, &now, self.shown.as_ref(), part);
        let [left, top, width, height] = part.map(|v| v as u16);
        let encoded = gif::Frame {
            delay: self.delay(),
            left,
            top,
            width,
            height,
            transparent: self.shown.as_ref().map(|_| UNCHANGED),
            palette: own.as_ref().map(|p| p.bytes()),
            buffer: buffer.into(),
            ..gif::Frame::default()
        };
        self.encoder.write_frame(&encoded).map_err(io::Error::other)?;
        self.shown = Some(now);
        self.frames += 1;
        Ok(())
    }

    /// Ends the file.
    pub fn finish(self) -> io::Result<W> {
        self.encoder.into_inner().map_err(io::Error::other)
    }

    /// Hundredths of a second until the next frame; rounded so that the sum stays right.
    fn delay(&self) -> u16 {
        let hundredths = 100.0 / self.options.frames_per_second.clamp(0.01, 50.0);
        let until = |frame: usize| (frame as f64 * hundredths).round();
        (until(self.frames + 1) - until(self.frames)).clamp(2.0, u16::MAX as f64) as u16
    }
}

/// Writes pictures of one size as an animated GIF that repeats for ever.
pub fn gif<W: Write>(out: W, frames: &[Picture], options: GifOptions) -> io::Result<W> {
    let samples: Vec<&Picture> = frames.iter().collect();
    let mut writer = GifWriter::new(out, &samples, options)?;
    frames.iter().try_for_each(|frame| writer.push(frame))?;
    writer.finish()
}

/// The palette index of each pixel.
fn quantise(frame: &Picture, palette: &Palette, dither: bool) -> Vec<u8> {
    /// An 8 by 8 Bayer matrix, from the 2 by 2 one by the usual doubling.
    fn threshold(x: usize, y: usize) -> i32 {
        (0..3).fold(0, |sum, bit| {
            let (bx, by) = ((x >> bit & 1) as i32, (y >> bit & 1) as i32);
            sum * 4 + (2 * (bx ^ by) + by)
        })
    }
    // About the distance between neighbouring palette colours; few-coloured pictures need no mixing.
    let strength = if dither && palette.colours.len() > 128 { 7 } else { 0 };
    let width = frame.width().max(1);
    let index = |(i, p): (usize, &[u8; 4])| {
        let shift = strength * (2 * threshold(i % width, i / width) - 63) / 128;
        palette.index([p[0], p[1], p[2]].map(|v| (v as i32 + shift).clamp(0, 255) as u8))
    };
    frame.pixels().iter().enumerate().map(index).collect()
}

fn shown(frame: &Picture, palette: &Palette, indices: &[u8]) -> Picture {
    let colour = |i: &u8| {
        let [r, g, b] = palette.colours[*i as usize];
        [r, g, b, 255]
    };
    let mut picture = frame.clone();
    picture.pixels_mut().iter_mut().zip(indices).for_each(|(p, i)| *p = colour(i));
    picture
}

/// The indices of one part; pixels that stay as they are become transparent, which compresses well.
fn cut(indices: &[u8], now: &Picture, before: Option<&Picture>, [left, top, width, height]: [usize; 4]) -> Vec<u8> {
    let mut part = Vec::with_capacity(width * height);
    for y in top..top + height {
        for x in left..left + width {
            let place = y * now.width() + x;
            let same = before.is_some_and(|b| b.pixels()[place] == now.pixels()[place]);
            part.push(if same { UNCHANGED } else { indices[place] });
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a viewer shows after each frame, and the delays.
    fn decode(file: &[u8]) -> (Vec<Picture>, Vec<u16>) {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(file).unwrap();
        let (width, height) = (decoder.width() as usize, decoder.height() as usize);
        let mut canvas = vec![[0u8; 4]; width * height];
        let (mut pictures, mut delays) = (Vec::new(), Vec::new());
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            for (i, pixel) in frame.buffer.as_chunks::<4>().0.iter().enumerate() {
                let (x, y) = (i % frame.width as usize, i / frame.width as usize);
                if pixel[3] > 0 {
                    canvas[(frame.top as usize + y) * width + frame.left as usize + x] = *pixel;
                }
            }
            pictures.push(Picture::from_pixels(width, height, canvas.clone()).unwrap());
            delays.push(frame.delay);
        }
        (pictures, delays)
    }

    fn frames(colours: u32) -> Vec<Picture> {
        let pixel = |i: u32, f: u32| [(i * 13 % colours) as u8, if i == f * 11 { 9 } else { 0 }, 40, 255];
        let frame = |f| Picture::from_pixels(20, 10, (0..200).map(|i| pixel(i, f)).collect()).unwrap();
        (0..5).map(frame).collect()
    }

    #[test]
    fn few_colours_decode_to_the_same_pixels() {
        let frames = frames(100);
        let file = gif(Vec::new(), &frames, GifOptions { frames_per_second: 30.0, dither: true }).unwrap();
        let (pictures, delays) = decode(&file);
        assert!(pictures == frames);
        // 30 a second is 3⅓ hundredths: the sum is kept.
        assert_eq!(delays, [3, 4, 3, 3, 4]);
    }

    #[test]
    fn many_colours_stay_close() {
        let pixel = |i: usize| [(i % 90 * 2) as u8, (i / 90 * 3) as u8, (i % 7 * 20) as u8, 255];
        let picture = Picture::from_pixels(90, 60, (0..5400).map(pixel).collect()).unwrap();
        let file = gif(Vec::new(), std::slice::from_ref(&picture), GifOptions::default()).unwrap();
        let shown = &decode(&file).0[0];
        let off = |(a, b): (&[u8; 4], &[u8; 4])| (0..3).map(|c| a[c].abs_diff(b[c]) as f64).sum::<f64>() / 3.0;
        let error = picture.pixels().iter().zip(shown.pixels()).map(off).sum::<f64>() / 5400.0;
        assert!(error < 8.0, "{error}");
    }

    #[test]
    fn a_frame_with_new_colours_gets_its_own_palette() {
        let grey = |i: usize| [(i % 256) as u8; 3];
        let frame = |tint: usize| {
            let pixel = |i: usize| {
                let [r, g, b] = grey(i);
                [r, if tint == 1 { 255 - g } else { g }, b, 255]
            };
            Picture::from_pixels(64, 16, (0..1024).map(pixel).collect()).unwrap()
        };
        let mut writer = GifWriter::new(Vec::new(), &[&frame(0)], GifOptions { dither: false, ..Default::default() });
        writer.as_mut().unwrap().push(&frame(0)).unwrap();
        writer.as_mut().unwrap().push(&frame(1)).unwrap();
        let (pictures, _) = decode(&writer.unwrap().finish().unwrap());
        let off = pictures[1].pixels().iter().zip(frame(1).pixels()).map(|(a, b)| a[1].abs_diff(b[1])).max();
        assert!(off <= Some(8), "{off:?}");
    }

    #[test]
    fn still_animations_cost_almost_nothing() {
        let picture = frames(100).remove(0);
        let once = gif(Vec::new(), std::slice::from_ref(&picture), GifOptions::default()).unwrap().len();
        let many = gif(Vec::new(), &vec![picture; 50], GifOptions::default()).unwrap().len();
        assert!(many < once + 50 * 40, "{once} {many}");
    }

    #[test]
    fn no_frames_or_mixed_sizes_are_errors() {
        assert!(gif(Vec::new(), &[], GifOptions::default()).is_err());
        let mixed = [frames(9).remove(0), frames(9).remove(0).resized(5, 5)];
        assert!(gif(Vec::new(), &mixed, GifOptions::default()).is_err());
    }
}
