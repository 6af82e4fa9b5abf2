//! Pictures of the built-in scenes, as equal tiles of one picture that `scripts/view_gallery.sh` draws.

/// All tiles, row by row.
const PICTURES: &[u8] = include_bytes!("../assets/gallery.png");
/// The scenes on them, in order, one name a line.
const NAMES: &str = include_str!("../assets/gallery.txt");
/// Tiles in a row.
const COLUMNS: usize = 6;

/// A picture in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width and height, pixels.
    pub size: [usize; 2],
    /// Red, green and blue of each pixel, sRGB, row by row from the top.
    pub rgb: Vec<u8>,
}

/// The picture of all tiles.
pub fn image() -> Option<Image> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(PICTURES));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().ok()?;
    let mut rgb = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut rgb).ok()?;
    rgb.truncate(info.buffer_size());
    let size = [info.width as usize, info.height as usize];
    (info.color_type == png::ColorType::Rgb).then_some(Image { size, rgb })
}

/// The part of the picture that shows a scene: two corners, as shares of its width and height.
pub fn part(scene: &str) -> Option<[[f32; 2]; 2]> {
    let at = NAMES.lines().position(|line| line == scene)?;
    let (column, row) = (at % COLUMNS, at / COLUMNS);
    let corner = |right: usize, down: usize| {
        let rows = NAMES.lines().count().div_ceil(COLUMNS);
        [(column + right) as f32 / COLUMNS as f32, (row + down) as f32 / rows as f32]
    };
    Some([corner(0, 0), corner(1, 1)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use taut_scene::scene::BUILTIN;

    #[test]
    fn every_name_has_its_tile() {
        let names: Vec<&str> = NAMES.lines().collect();
        let image = image().expect("a PNG");
        assert_eq!(image.size, [160 * COLUMNS, 120 * names.len().div_ceil(COLUMNS)], "run scripts/view_gallery.sh");
        // A scene may be younger than the picture; the one that people see first is not.
        assert!(part(BUILTIN[0].name).is_some());
        assert_eq!(part("no such scene"), None);
        assert_eq!(part(names[COLUMNS]).unwrap()[0][0], 0.0);
        assert!(names.iter().all(|name| part(name).unwrap()[1].iter().all(|&share| share <= 1.0)));
    }
}
