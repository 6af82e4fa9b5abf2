//! Choosing 255 colours for a picture.
//!
//! Colours are counted on a grid of 32 levels a channel, the boxes of colours with the largest spread are split
//! at their mean (Wu 1991 splits by variance too), and a few rounds of moving each colour to the mean of those
//! nearest to it finish the choice.

use crate::picture::Picture;

const LEVELS: usize = 32;
const CELLS: usize = LEVELS * LEVELS * LEVELS;
const ROUNDS: usize = 4;

/// Up to 255 colours and, for each cell of the grid, the nearest of them.
pub(crate) struct Palette {
    pub colours: Vec<[u8; 3]>,
    nearest: Vec<u8>,
    /// The exact index of colours that are all of the picture: with few colours nothing is lost.
    exact: bool,
}

/// Colours of one cell: how many and their sum.
#[derive(Clone, Copy, Default)]
struct Cell {
    count: f64,
    sum: [f64; 3],
}

impl Cell {
    fn mean(&self) -> [f64; 3] {
        self.sum.map(|s| s / self.count)
    }
}

impl Palette {
    /// At most `most` colours (up to 255) for all the pictures together.
    pub fn choose(pictures: &[&Picture], most: usize) -> Palette {
        if let Some(colours) = few_colours(pictures, most) {
            return Palette { colours, nearest: Vec::new(), exact: true };
        }
        let mut cells = vec![Cell::default(); CELLS];
        for [r, g, b, _] in pictures.iter().flat_map(|p| p.pixels()) {
            let cell = &mut cells[cell_of([*r, *g, *b])];
            cell.count += 1.0;
            [r, g, b].into_iter().zip(&mut cell.sum).for_each(|(v, s)| *s += *v as f64);
        }
        cells.retain(|c| c.count > 0.0);
        // A colour that fills half the picture must not take half the palette.
        for cell in &mut cells {
            let damped = cell.count.powf(0.6);
            cell.sum = cell.sum.map(|s| s * damped / cell.count);
            cell.count = damped;
        }
        let mut colours = split(&mut cells, most);
        for _ in 0..ROUNDS {
            improve(&cells, &mut colours);
        }
        let colours: Vec<[u8; 3]> = colours.into_iter().map(|c| c.map(|v| v.round() as u8)).collect();
        let nearest = nearest_table(&colours);
        Palette { colours, nearest, exact: false }
    }

    /// The index of the colour for a pixel.
    pub fn index(&self, colour: [u8; 3]) -> u8 {
        if self.exact {
            return match self.colours.binary_search(&colour) {
                Ok(i) => i as u8,
                Err(_) => nearest(&self.colours, colour.map(f64::from)) as u8,
            };
        }
        self.nearest[cell_of(colour)]
    }

    /// Mean distance between a picture's colours and ours, in levels.
    pub fn error(&self, picture: &Picture) -> f64 {
        // A pixel in 31 tells enough.
        let sample = || picture.pixels().iter().step_by(31);
        let off = |p: &[u8; 4]| {
            let ours = self.colours[self.index([p[0], p[1], p[2]]) as usize];
            (0..3).map(|c| (ours[c] as f64 - p[c] as f64).powi(2)).sum::<f64>().sqrt()
        };
        sample().map(off).sum::<f64>() / sample().count().max(1) as f64
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.colours.as_flattened().to_vec()
    }
}

fn cell_of([r, g, b]: [u8; 3]) -> usize {
    (r as usize / 8 * LEVELS + g as usize / 8) * LEVELS + b as usize / 8
}

/// All colours, sorted, if there are no more than `most`.
fn few_colours(pictures: &[&Picture], most: usize) -> Option<Vec<[u8; 3]>> {
    let mut found: Vec<[u8; 3]> = Vec::new();
    for [r, g, b, _] in pictures.iter().flat_map(|p| p.pixels()) {
        if let Err(place) = found.binary_search(&[*r, *g, *b]) {
            if found.len() == most {
                return None;
            }
            found.insert(place, [*r, *g, *b]);
        }
    }
    Some(if found.is_empty() { vec![[0; 3]] } else { found })
}

/// Splits the box with the largest spread along its longest axis until there are enough; returns their means.
fn split(cells: &mut [Cell], most: usize) -> Vec<[f64; 3]> {
    let mut boxes = vec![(0..cells.len(), spread(cells))];
    while boxes.len() < most {
        let widest = (0..boxes.len()).max_by(|a, b| boxes[*a].1.size.total_cmp(&boxes[*b].1.size)).unwrap_or(0);
        let (range, wide) = boxes[widest].clone();
        if wide.size <= 0.0 {
            break;
        }
        let part = &mut cells[range.clone()];
        part.sort_by(|a, b| a.mean()[wide.axis].total_cmp(&b.mean()[wide.axis]));
        let middle = part.partition_point(|c| c.mean()[wide.axis] < wide.mean[wide.axis]).clamp(1, part.len() - 1);
        let (low, high) = (range.start..range.start + middle, range.start + middle..range.end);
        boxes[widest] = (low.clone(), spread(&cells[low]));
        boxes.push((high.clone(), spread(&cells[high])));
    }
    boxes.into_iter().map(|(_, spread)| spread.mean).collect()
}

#[derive(Clone, Copy)]
struct Spread {
    mean: [f64; 3],
    axis: usize,
    /// Variance along the axis, times the weight.
    size: f64,
}

fn spread(cells: &[Cell]) -> Spread {
    let count: f64 = cells.iter().map(|c| c.count).sum();
    let mean: [f64; 3] = std::array::from_fn(|k| cells.iter().map(|c| c.sum[k]).sum::<f64>() / count);
    let along = |k: usize| cells.iter().map(|c| c.count * (c.mean()[k] - mean[k]).powi(2)).sum::<f64>();
    let sizes = [along(0), along(1), along(2)];
    let axis = (0..3).fold(0, |best, k| if sizes[k] > sizes[best] { k } else { best });
    Spread { mean, axis, size: if cells.len() > 1 { sizes[axis] } else { 0.0 } }
}

/// Moves each colour to the mean of the cells nearest to it.
fn improve(cells: &[Cell], colours: &mut [[f64; 3]]) {
    let rounded: Vec<[u8; 3]> = colours.iter().map(|c| c.map(|v| v.round() as u8)).collect();
    let mut groups = vec![Cell::default(); colours.len()];
    for cell in cells {
        let group = &mut groups[nearest(&rounded, cell.mean())];
        group.count += cell.count;
        (0..3).for_each(|k| group.sum[k] += cell.sum[k]);
    }
    for (colour, group) in colours.iter_mut().zip(groups) {
        if group.count > 0.0 {
            *colour = group.mean();
        }
    }
}

fn nearest(colours: &[[u8; 3]], to: [f64; 3]) -> usize {
    let distance = |c: &[u8; 3]| (0..3).map(|k| (c[k] as f64 - to[k]).powi(2)).sum::<f64>();
    let mut best = (0, f64::INFINITY);
    for (i, colour) in colours.iter().enumerate() {
        let d = distance(colour);
        if d < best.1 {
            best = (i, d);
        }
    }
    best.0
}

fn nearest_table(colours: &[[u8; 3]]) -> Vec<u8> {
    let middle = |v: usize| (v * 8) as f64 + 3.5;
    let cell = |i: usize| [middle(i / LEVELS / LEVELS), middle(i / LEVELS % LEVELS), middle(i % LEVELS)];
    (0..CELLS).map(|i| nearest(colours, cell(i)) as u8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Rgb;

    #[test]
    fn smooth_pictures_are_matched_closely() {
        let pixel = |i: usize| [(i % 128 * 2) as u8, (i / 128 * 2) as u8, 120, 255];
        let picture = Picture::from_pixels(128, 128, (0..128 * 128).map(pixel).collect()).unwrap();
        let palette = Palette::choose(&[&picture], 255);
        assert_eq!(palette.colours.len(), 255);
        // 255 colours over a square of 256² levels: squares of 16, mean distance to the middle 6.1.
        let error = palette.error(&picture);
        assert!(error < 7.5, "{error}");
    }

    #[test]
    fn few_colours_are_kept_exactly() {
        let mut picture = Picture::filled(10, 10, Rgb::hex(0x102030));
        picture.pixels_mut()[7] = [17, 32, 48, 255];
        let palette = Palette::choose(&[&picture], 255);
        assert_eq!(palette.colours, [[16, 32, 48], [17, 32, 48]]);
        assert_eq!(palette.index([17, 32, 48]), 1);
        assert_eq!(palette.error(&picture), 0.0);
    }
}
