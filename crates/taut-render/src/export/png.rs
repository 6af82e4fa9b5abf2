//! PNG stills and animations.

use super::changed_part;
use crate::picture::Picture;
use std::io::{self, Write};

/// Writes a picture as a PNG file.
pub fn png(out: impl Write, picture: &Picture) -> io::Result<()> {
    let opaque = picture.pixels().iter().all(|p| p[3] == 255);
    let mut encoder = encoder(out, picture, opaque)?;
    encoder.set_compression(::png::Compression::Balanced);
    let mut writer = encoder.write_header().map_err(io::Error::other)?;
    writer.write_image_data(&bytes(picture, [0, 0, picture.width(), picture.height()], opaque))?;
    writer.finish().map_err(io::Error::other)
}

/// Writes pictures of one size as an animated PNG that repeats for ever. Only what changes from frame to frame is
/// stored.
pub fn apng(out: impl Write, frames: &[Picture], frames_per_second: f64) -> io::Result<()> {
    let Some(first) = frames.first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "an animation needs at least one frame"));
    };
    let count = u32::try_from(frames.len()).map_err(io::Error::other)?;
    let mut encoder = encoder(out, first, true)?;
    encoder.set_animated(count, 0).map_err(io::Error::other)?;
    let delay = (1000.0 / frames_per_second.max(1e-3)).round().clamp(1.0, u16::MAX as f64) as u16;
    encoder.set_frame_delay(delay, 1000).map_err(io::Error::other)?;
    let mut writer = encoder.write_header().map_err(io::Error::other)?;
    for (i, frame) in frames.iter().enumerate() {
        if (frame.width(), frame.height()) != (first.width(), first.height()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("frame {i} has another size")));
        }
        let whole = [0, 0, frame.width(), frame.height()];
        let part = match i {
            0 => whole,
            // A frame must have a size: an unchanged one repeats a single pixel.
            _ => changed_part(&frames[i - 1], frame).unwrap_or([0, 0, 1, 1]),
        };
        if i > 0 {
            let [x, y, width, height] = part.map(|v| v as u32);
            writer.reset_frame_position().map_err(io::Error::other)?;
            writer.set_frame_dimension(width, height).map_err(io::Error::other)?;
            writer.set_frame_position(x, y).map_err(io::Error::other)?;
        }
        writer.write_image_data(&bytes(frame, part, true)).map_err(io::Error::other)?;
    }
    writer.finish().map_err(io::Error::other)
}

fn encoder<W: Write>(out: W, picture: &Picture, opaque: bool) -> io::Result<::png::Encoder<'static, W>> {
    let size = |v: usize| u32::try_from(v).map_err(io::Error::other);
    let mut encoder = ::png::Encoder::new(out, size(picture.width())?, size(picture.height())?);
    encoder.set_color(if opaque { ::png::ColorType::Rgb } else { ::png::ColorType::Rgba });
    encoder.set_depth(::png::BitDepth::Eight);
    encoder.set_source_srgb(::png::SrgbRenderingIntent::Perceptual);
    Ok(encoder)
}

fn bytes(picture: &Picture, [left, top, width, height]: [usize; 4], opaque: bool) -> Vec<u8> {
    let channels = if opaque { 3 } else { 4 };
    let mut bytes = Vec::with_capacity(width * height * channels);
    for y in top..top + height {
        for pixel in &picture.pixels()[y * picture.width() + left..][..width] {
            bytes.extend_from_slice(&pixel[..channels]);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(seed: u8, alpha: u8) -> Picture {
        let pixel = |i: u32| [(i * 7) as u8 ^ seed, (i / 3) as u8, seed, alpha.saturating_add((i % 2) as u8)];
        Picture::from_pixels(13, 9, (0..117).map(pixel).collect()).unwrap()
    }

    #[test]
    fn stills_decode_to_the_same_pixels() {
        for alpha in [255, 40] {
            let picture = pattern(3, alpha);
            let mut file = Vec::new();
            png(&mut file, &picture).unwrap();
            let mut reader = ::png::Decoder::new(io::Cursor::new(&file)).read_info().unwrap();
            let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
            let info = reader.next_frame(&mut bytes).unwrap();
            assert_eq!((info.width, info.height), (13, 9));
            let channels = info.color_type.samples();
            for (pixel, found) in picture.pixels().iter().zip(bytes.chunks(channels)) {
                assert_eq!(&pixel[..channels], found);
            }
            assert_eq!(channels, if alpha == 255 { 3 } else { 4 });
        }
    }

    #[test]
    fn animation_decodes_to_the_same_frames() {
        let mut changed = pattern(3, 255);
        changed.pixels_mut()[5 * 13 + 4] = [255, 0, 0, 255];
        changed.pixels_mut()[7 * 13 + 9] = [0, 255, 0, 255];
        let frames = [pattern(3, 255), changed.clone(), changed, pattern(9, 255)];
        let mut file = Vec::new();
        apng(&mut file, &frames, 25.0).unwrap();
        let mut reader = ::png::Decoder::new(io::Cursor::new(&file)).read_info().unwrap();
        let mut canvas = vec![[0u8; 3]; 13 * 9];
        for frame in &frames {
            let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut bytes).unwrap();
            let control = *reader.info().frame_control().unwrap();
            assert_eq!((control.delay_num, control.delay_den), (40, 1000));
            let pixels = bytes.as_chunks::<3>().0;
            for y in 0..control.height as usize {
                let to = (control.y_offset as usize + y) * 13 + control.x_offset as usize;
                let width = control.width as usize;
                canvas[to..to + width].copy_from_slice(&pixels[y * width..][..width]);
            }
            assert!(frame.pixels().iter().zip(&canvas).all(|(a, b)| a[..3] == b[..]));
        }
    }

    #[test]
    fn no_frames_or_mixed_sizes_are_errors() {
        assert!(apng(Vec::new(), &[], 25.0).is_err());
        let other = pattern(1, 255).resized(4, 4);
        assert!(apng(Vec::new(), &[pattern(1, 255), other], 25.0).unwrap_err().to_string().contains("frame 1"));
    }
}
