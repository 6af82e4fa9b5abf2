//! How points beside a cut follow the nodes on both of its sides.
//!
//! Nodes on two sides of a cut move on their own. If the points there followed only the nodes of their own side, every
//! edge over the cut would be stretched by all that the sides differ by, not by the small part of it that falls to an
//! edge between two nodes; and points of charts too small for a lattice would stay where they are while all around them
//! moves. So within a few rows of a cut a point follows the mean of what its neighbours follow.

use super::web::Web;

/// Rows of points on both sides of a cut whose motion is blended.
const ROWS: u32 = 3;
/// Nodes that a point follows at most, and the least part of its motion that is worth following one.
const MOST: usize = 9;
const LEAST: f64 = 2e-3;

/// The nodes that a point follows, with weights.
pub(super) type Following = Vec<(u32, f64)>;

/// What points follow, from what they hang on; nothing if there are no cuts, and they follow just that. `moves` says
/// which points are not held.
pub(super) fn blend<const N: usize>(
    parents: &[[(u32, f64); N]],
    web: &Web,
    moves: impl Fn(usize) -> bool,
) -> Option<Vec<Following>> {
    if !web.has_cuts() {
        return None;
    }
    let neighbours = web.neighbours(parents.len(), true);
    let band: Vec<u32> =
        band(parents.len(), web, |i| neighbours.row(i)).into_iter().filter(|&i| moves(i as usize)).collect();
    let hung = |p: &[(u32, f64); N]| p.iter().copied().filter(|p| p.1 > 0.0).collect();
    let mut rows: Vec<Following> = parents.iter().map(hung).collect();
    // What hangs on nothing goes with its neighbours, the less the further it is from what hangs on something.
    for row in 0..ROWS {
        let share = 1.0 - f64::from(row) / f64::from(ROWS);
        let new: Vec<(u32, Following)> = band
            .iter()
            .filter(|&&i| rows[i as usize].is_empty())
            .map(|&i| (i, mean(neighbours.row(i).iter().map(|&j| &rows[j as usize]).filter(|r| !r.is_empty()), share)))
            .collect();
        new.into_iter().for_each(|(i, row)| rows[i as usize] = row);
    }
    for _ in 0..ROWS {
        let new: Vec<Following> =
            band.iter().map(|&i| mean(neighbours.row(i).iter().chain([&i]).map(|&j| &rows[j as usize]), 1.0)).collect();
        band.iter().zip(new).for_each(|(&i, row)| rows[i as usize] = row);
    }
    Some(rows)
}

/// The points within [`ROWS`] of a cut, ascending.
fn band<'a>(points: usize, web: &Web, neighbours: impl Fn(u32) -> &'a [u32]) -> Vec<u32> {
    let mut near = vec![false; points];
    web.cut().flatten().for_each(|i| near[i as usize] = true);
    for _ in 1..ROWS {
        let beside = |i: &u32| !near[*i as usize] && neighbours(*i).iter().any(|&j| near[j as usize]);
        let more: Vec<u32> = (0..points as u32).filter(beside).collect();
        more.into_iter().for_each(|i| near[i as usize] = true);
    }
    (0..points as u32).filter(|&i| near[i as usize]).collect()
}

/// The mean of rows, times `share`.
fn mean<'a>(rows: impl Iterator<Item = &'a Following>, share: f64) -> Following {
    let (mut sum, mut count) = (Following::new(), 0.0);
    for row in rows {
        count += 1.0;
        for &(n, w) in row {
            match sum.iter_mut().find(|s| s.0 == n) {
                Some(s) => s.1 += w,
                None => sum.push((n, w)),
            }
        }
    }
    let [total, kept] = largest(&mut sum, MOST);
    let scale = share * total / (kept * f64::max(count, 1.0)).max(1e-300);
    sum.iter_mut().for_each(|s| s.1 *= scale);
    sum
}

/// Leaves so many nodes at most, those with the most weight, by their numbers; what others had falls to them.
pub(super) fn keep_largest(row: &mut Following, most: usize) {
    if row.len() > most {
        let [total, kept] = largest(row, most);
        row.iter_mut().for_each(|s| s.1 *= total / kept.max(1e-300));
    }
}

/// Leaves so many nodes at most, by their numbers. Returns what all weighed, and what those do that are left.
fn largest(row: &mut Following, most: usize) -> [f64; 2] {
    let total: f64 = row.iter().map(|s| s.1).sum();
    row.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    row.truncate(most);
    row.retain(|s| s.1 > LEAST * total);
    let kept: f64 = row.iter().map(|s| s.1).sum();
    row.sort_unstable_by_key(|s| s.0);
    [total, kept]
}
