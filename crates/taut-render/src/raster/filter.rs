//! Takes the noise out of shadows and occlusion without carrying them over edges.
//!
//! Both use patterns that repeat every four pixels. Weights of 1 2 2 2 1 over five pixels, first along rows and
//! then along columns, give each of the four the same share: on a smooth surface the pattern vanishes exactly.

use super::View;
use super::resolve::{Seen, Surface};

const WEIGHTS: [f32; 5] = [1.0, 2.0, 2.0, 2.0, 1.0];

/// Filters along rows, for the rows from `y0`.
pub(crate) fn across(from: &[[f32; 2]], seen: &Seen, view: &View, y0: usize, rows: &mut [[f32; 2]]) {
    each(seen, y0, rows, |x, y| {
        let place = y * seen.width + x;
        let near = |k: usize| (x + k).checked_sub(2).filter(|c| *c < seen.width).map(|c| y * seen.width + c);
        average(from, seen, view, place, near)
    });
}

/// Filters along columns, for the rows from `y0`.
pub(crate) fn down(from: &[[f32; 2]], seen: &Seen, view: &View, y0: usize, rows: &mut [[f32; 2]]) {
    each(seen, y0, rows, |x, y| {
        let place = y * seen.width + x;
        let near = |k: usize| (y + k).checked_sub(2).filter(|r| *r < seen.height).map(|r| r * seen.width + x);
        average(from, seen, view, place, near)
    });
}

fn each(seen: &Seen, y0: usize, rows: &mut [[f32; 2]], value: impl Fn(usize, usize) -> [f32; 2]) {
    for (place, out) in rows.iter_mut().enumerate() {
        *out = value(place % seen.width, y0 + place / seen.width);
    }
}

fn average(
    from: &[[f32; 2]],
    seen: &Seen,
    view: &View,
    place: usize,
    near: impl Fn(usize) -> Option<usize>,
) -> [f32; 2] {
    let own = seen.surfaces[place];
    if own.depth <= 0.0 {
        return from[place];
    }
    let (mut sum, mut total) = ([0.0; 2], 0.0);
    for (k, weight) in WEIGHTS.into_iter().enumerate() {
        let Some(other) = near(k) else { continue };
        let weight = weight * likeness(&own, &seen.surfaces[other], view);
        sum[0] += weight * from[other][0];
        sum[1] += weight * from[other][1];
        total += weight;
    }
    sum.map(|s| s / total)
}

/// 1 where two pixels show the same smooth surface, 0 across an edge.
pub(crate) fn likeness(a: &Surface, b: &Surface, view: &View) -> f32 {
    if b.depth <= 0.0 {
        return 0.0;
    }
    // Depth may change by what the slope allows over two pixels, and a little more.
    let pixel = a.depth / view.focal;
    let slope = 1.0 / a.normal.z.abs().max(0.08);
    let apart = (a.depth - b.depth).abs() / (pixel * (2.0 + 3.0 * slope));
    let turned = (1.0 - a.normal.dot(b.normal)) * 5.0;
    (1.0 - apart).max(0.0) * (1.0 - turned).max(0.0) + 1e-6
}
