//! Takes the noise out of shadows and occlusion without carrying them over edges.
//!
//! Both use patterns that repeat every four values. Weights of 1 2 2 2 1 over five neighbours, or 1 1 1 1 over four
//! when the place lies between two of the coarse grid, give each of the four the same share: on a smooth
//! surface the pattern vanishes exactly. Rows first, then columns.

use super::View;
use super::occlusion::{Coarse, STRIDE};
use super::resolve::{Seen, Surface};
use glam::Vec3;

/// A value to average: how far away, in pixels, and its weight.
type Tap = (isize, f32);
/// Neighbours on the full grid.
const FINE: [Tap; 5] = [(-2, 1.0), (-1, 2.0), (0, 2.0), (1, 2.0), (2, 1.0)];
/// Neighbours on the coarse grid, for places on it.
const ON: [Tap; 5] = [(-4, 1.0), (-2, 2.0), (0, 2.0), (2, 2.0), (4, 1.0)];
/// Neighbours on the coarse grid, for places between.
const BETWEEN: [Tap; 4] = [(-3, 2.0), (-1, 2.0), (1, 2.0), (3, 2.0)];

/// Filters shadows along rows, for the rows from `y0`.
pub(crate) fn shadows_across(from: &[f32], seen: &Seen, view: &View, y0: usize, out: &mut [f32]) {
    each(seen.width, y0, out, |x, y| {
        let row = Line::row(seen, x, y);
        average(seen, view, &row, &FINE, |column| from[y * seen.width + column])
    });
}

/// Filters shadows along columns, for the rows from `y0`.
pub(crate) fn shadows_down(from: &[f32], seen: &Seen, view: &View, y0: usize, out: &mut [f32]) {
    each(seen.width, y0, out, |x, y| {
        let column = Line::column(seen, x, y);
        average(seen, view, &column, &FINE, |row| from[row * seen.width + x])
    });
}

/// Filters the coarse occlusion along rows of the coarse grid, for the coarse rows from `y0`.
pub(crate) fn coarse_across(from: &[f32], coarse: &Coarse, seen: &Seen, view: &View, y0: usize, out: &mut [f32]) {
    each(coarse.width, y0, out, |x, y| {
        let row = Line::row(seen, x * STRIDE, y * STRIDE);
        average(seen, view, &row, &ON, |column| from[y * coarse.width + column / STRIDE])
    });
}

/// Filters the coarse occlusion along columns of the coarse grid, for the coarse rows from `y0`.
pub(crate) fn coarse_down(from: &[f32], coarse: &Coarse, seen: &Seen, view: &View, y0: usize, out: &mut [f32]) {
    each(coarse.width, y0, out, |x, y| {
        let column = Line::column(seen, x * STRIDE, y * STRIDE);
        average(seen, view, &column, &ON, |row| from[row / STRIDE * coarse.width + x])
    });
}

/// Filters the coarse occlusion along rows to the picture's full width, for the coarse rows from `y0`.
pub(crate) fn sky_across(from: &[f32], coarse: &Coarse, seen: &Seen, view: &View, y0: usize, out: &mut [f32]) {
    each(seen.width, y0, out, |x, coarse_row| {
        let row = Line::row(seen, x, coarse_row * STRIDE);
        let taps: &[Tap] = if x % STRIDE == 0 { &ON } else { &BETWEEN };
        average(seen, view, &row, taps, |column| from[coarse_row * coarse.width + column / STRIDE])
    });
}

/// Filters what [`sky_across`] made along columns to the full height, for the rows from `y0`.
pub(crate) fn sky_down(from: &[f32], seen: &Seen, view: &View, y0: usize, out: &mut [f32]) {
    each(seen.width, y0, out, |x, y| {
        let column = Line::column(seen, x, y);
        let taps: &[Tap] = if y % STRIDE == 0 { &ON } else { &BETWEEN };
        average(seen, view, &column, taps, |row| from[row / STRIDE * seen.width + x])
    });
}

/// A row or column of the picture and a place on it.
struct Line {
    count: usize,
    place: usize,
    /// Where it starts in the picture, and how far apart its pixels are.
    first: usize,
    step: usize,
    /// Centre of its first pixel, and the way to the next.
    start: [f32; 2],
    way: [f32; 2],
}

impl Line {
    fn row(seen: &Seen, x: usize, y: usize) -> Line {
        let start = [0.5, y as f32 + 0.5];
        Line { count: seen.width, place: x, first: y * seen.width, step: 1, start, way: [1.0, 0.0] }
    }

    fn column(seen: &Seen, x: usize, y: usize) -> Line {
        let start = [x as f32 + 0.5, 0.5];
        Line { count: seen.height, place: y, first: x, step: seen.width, start, way: [0.0, 1.0] }
    }
}

fn each(width: usize, y0: usize, out: &mut [f32], value: impl Fn(usize, usize) -> f32) {
    for (row, out) in out.chunks_mut(width).enumerate() {
        out.iter_mut().enumerate().for_each(|(x, out)| *out = value(x, y0 + row));
    }
}

/// The mean of the neighbours that belong to the same surface.
fn average(seen: &Seen, view: &View, line: &Line, taps: &[Tap], value: impl Fn(usize) -> f32) -> f32 {
    let inside = |step: isize| line.place.checked_add_signed(step).filter(|p| *p < line.count);
    // Most of a picture is evenly lit: nothing to weigh.
    let mut places = taps.iter().filter_map(|(step, _)| inside(*step));
    let Some(first) = places.next().map(&value) else { return 1.0 };
    if places.all(|p| value(p) == first) {
        return first;
    }
    let surface = |place: usize| &seen.surfaces[line.first + place * line.step];
    let own = surface(line.place);
    if own.depth <= 0.0 {
        return 1.0;
    }
    let at = |place: usize| {
        let along = place as f32;
        let (x, y) = (line.start[0] + along * line.way[0], line.start[1] + along * line.way[1]);
        view.ray(x, y) * surface(place).depth
    };
    let position = at(line.place);
    let (mut sum, mut total) = (0.0, 0.0);
    for (step, weight) in taps {
        let Some(place) = inside(*step) else { continue };
        let weight = weight * likeness(own, position, surface(place), at(place), view);
        sum += weight * value(place);
        total += weight;
    }
    if total > 0.0 { sum / total } else { 1.0 }
}

/// 1 where two pixels show the same smooth surface, next to nothing across an edge. Distance is measured off the
/// first one's plane: on a flat floor all pixels are alike, however slanted it is seen.
fn likeness(a: &Surface, at_a: Vec3, b: &Surface, at_b: Vec3, view: &View) -> f32 {
    if b.depth <= 0.0 {
        return 0.0;
    }
    let off = a.normal.dot(at_b - at_a).abs() * view.focal / (3.0 * a.depth);
    let turned = (1.0 - a.normal.dot(b.normal)) * 5.0;
    (1.0 - off).max(0.0) * (1.0 - turned).max(0.0) + 1e-6
}

/// How alike a surface at a position and that of a pixel are, for choosing the best of several pixels.
pub(crate) fn match_of(a: &Surface, at_a: Vec3, seen: &Seen, pixel: usize, view: &View) -> f32 {
    let b = &seen.surfaces[pixel];
    let (x, y) = (pixel % seen.width, pixel / seen.width);
    likeness(a, at_a, b, view.ray(x as f32 + 0.5, y as f32 + 0.5) * b.depth, view)
}

#[cfg(test)]
mod tests {
    use super::super::ViewBox;
    use super::super::shadow::scramble;
    use super::*;

    fn view(size: usize) -> View {
        let bounds = ViewBox { centre: Vec3::ZERO, axes: [Vec3::ZERO; 3], half: [1.0; 3] };
        let up = Vec3::Y;
        View { width: size, height: size, focal: 100.0, near: 0.1, up, bounds, floor: None }
    }

    /// A plane slanted to the viewer on the left, another much farther away from column `edge` on.
    fn planes(view: &View, edge: usize) -> Seen {
        let mut seen = Seen::new(view.width, view.height);
        let normal = Vec3::new(0.0, 0.8, 0.6);
        for (i, surface) in seen.surfaces.iter_mut().enumerate() {
            let (x, y) = (i % view.width, i / view.width);
            let ray = view.ray(x as f32 + 0.5, y as f32 + 0.5);
            let offset = if x < edge { -1.5 } else { -6.0 };
            *surface = Surface { depth: offset / normal.dot(ray), normal };
        }
        seen
    }

    #[test]
    fn the_pattern_vanishes_on_a_slanted_plane() {
        let view = view(40);
        let seen = planes(&view, 40);
        let noisy: Vec<f32> = (0..1600).map(|i| scramble(i % 40, i / 40) as f32).collect();
        let (mut across, mut done) = (noisy.clone(), noisy.clone());
        shadows_across(&noisy, &seen, &view, 0, &mut across);
        shadows_down(&across, &seen, &view, 0, &mut done);
        for i in (0..1600).filter(|i| (4..36).contains(&(i % 40)) && (4..36).contains(&(i / 40))) {
            assert!((done[i] - 7.5).abs() < 1e-2, "{} at {i}", done[i]);
        }
    }

    #[test]
    fn nothing_leaks_over_an_edge_in_depth() {
        let view = view(40);
        let seen = planes(&view, 20);
        let side: Vec<f32> = (0..1600).map(|i| if i % 40 < 20 { 0.0 } else { 1.0 }).collect();
        let (mut across, mut done) = (side.clone(), side.clone());
        shadows_across(&side, &seen, &view, 0, &mut across);
        shadows_down(&across, &seen, &view, 0, &mut done);
        assert!(done.iter().zip(&side).all(|(a, b)| (a - b).abs() < 1e-4));
        let coarse = Coarse::new(&seen, &view);
        let half: Vec<f32> = (0..400).map(|i| if i % 20 < 10 { 0.0 } else { 1.0 }).collect();
        let mut wide = vec![0.5; 40 * 20];
        sky_across(&half, &coarse, &seen, &view, 0, &mut wide);
        sky_down(&wide, &seen, &view, 0, &mut done);
        assert!(done.iter().zip(&side).all(|(a, b)| (a - b).abs() < 1e-4));
    }
}
