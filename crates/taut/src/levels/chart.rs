//! A surface laid flat: charts in the plane in which lattices of coarse nodes can live.

use super::sheet::{RestSheet, area};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Vertices in the plane.
pub(super) struct Flat {
    /// Where each vertex lies in its chart, m; x along the weft of the chart's first triangle.
    pub place: Vec<[f64; 2]>,
    /// The chart of each vertex; [`NONE`] for vertices of no triangle.
    pub chart: Vec<u32>,
    /// The weft at each vertex as twice its angle's cosine and sine, area-weighted: directions have no sign.
    pub weft: Vec<[f64; 2]>,
    /// How much of the area around each vertex is held along weft, along warp, and every way (by edges), 0 to 1.
    pub held: Vec<[f64; 3]>,
    /// The area of the triangles whose first vertex was laid in a chart, m².
    pub area: Vec<f64>,
    /// For each chart the length of its edges, mean, m.
    pub edge: Vec<f64>,
    /// Whether each triangle was laid into a chart.
    pub laid: Vec<bool>,
}

pub(super) const NONE: u32 = u32::MAX;

/// A vertex may be this far (over the triangle's size) from where another triangle of the chart wants it.
const MISFIT: f64 = 0.25;

/// Lays the surface flat, triangle by triangle over their edges, nearest to the chart's first first. A triangle that
/// does not fit where its vertices already are is left; vertices that no triangle placed begin charts of their own.
///
/// Exact for what is developable, whatever its shape in space; what is curved both ways comes apart into charts.
pub(super) fn flatten(sheet: &RestSheet) -> Flat {
    let sides = sides(sheet);
    let mut flat = Flat {
        place: vec![[0.0; 2]; sheet.vertices()],
        chart: vec![NONE; sheet.vertices()],
        weft: vec![[0.0; 2]; sheet.vertices()],
        held: held(sheet),
        area: Vec::new(),
        edge: Vec::new(),
        laid: Vec::new(),
    };
    let mut used = vec![false; sheet.triangles.len()];
    for seed in 0..sheet.triangles.len() {
        if sheet.triangles[seed].iter().any(|&v| flat.chart[v as usize] == NONE) && !used[seed] {
            grow(sheet, &sides, seed, &mut used, &mut flat);
        }
    }
    flat.laid = used;
    flat
}

fn held(sheet: &RestSheet) -> Vec<[f64; 3]> {
    let linked = sheet.linked();
    let mut sum = vec![[0.0; 4]; sheet.vertices()];
    for (t, corners) in sheet.triangles.iter().enumerate() {
        let area = area(&sheet.edges[t]);
        for &v in corners {
            let sum = &mut sum[v as usize];
            sum[3] += area;
            for (k, held) in [sheet.held[t][0], sheet.held[t][1], linked[t]].into_iter().enumerate() {
                sum[k] += if held { area } else { 0.0 };
            }
        }
    }
    sum.into_iter().map(|[u, v, links, all]| [u, v, links].map(|part| part / f64::max(all, 1e-300))).collect()
}

/// The triangle across each side of each triangle, if there is exactly one.
pub(super) fn sides(sheet: &RestSheet) -> Vec<[u32; 3]> {
    let mut list: Vec<([u32; 2], u32, u8)> = Vec::with_capacity(sheet.triangles.len() * 3);
    for (t, tri) in sheet.triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (tri[k], tri[(k + 1) % 3]);
            list.push(([a.min(b), a.max(b)], t as u32, k as u8));
        }
    }
    list.sort_unstable();
    let mut out = vec![[NONE; 3]; sheet.triangles.len()];
    for run in list.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, s, i), (_, t, j)] = *run {
            out[s as usize][i as usize] = t;
            out[t as usize][j as usize] = s;
        }
    }
    out
}

/// The corners of a triangle in its material frame.
fn corners(edges: &[[f64; 2]; 2]) -> [[f64; 2]; 3] {
    [[0.0; 2], edges[0], edges[1]]
}

/// A turn and a shift: p ↦ (c p.x − s p.y + x, s p.x + c p.y + y), mirrored before if need be.
#[derive(Clone, Copy)]
struct ChartPose {
    turn: [f64; 2],
    shift: [f64; 2],
    mirror: f64,
}

impl ChartPose {
    fn put(&self, p: [f64; 2]) -> [f64; 2] {
        let ([c, s], y) = (self.turn, p[1] * self.mirror);
        [c * p[0] - s * y + self.shift[0], s * p[0] + c * y + self.shift[1]]
    }

    /// The pose that brings corners i and j of a triangle to where they are already, turned the same way round as
    /// `like`.
    fn over(at: [[f64; 2]; 2], from: [[f64; 2]; 2], mirror: f64) -> Option<Self> {
        let (d, e) = (sub(at[1], at[0]), sub(from[1], from[0]));
        let e = [e[0], e[1] * mirror];
        let (c, s) = (d[0] * e[0] + d[1] * e[1], d[1] * e[0] - d[0] * e[1]);
        let norm = c.hypot(s);
        if norm <= 0.0 || norm.is_nan() {
            return None;
        }
        let mut pose = ChartPose { turn: [c / norm, s / norm], shift: [0.0; 2], mirror };
        let [p, q] = [pose.put(from[0]), pose.put(from[1])];
        // The middle of the side stays, so that errors of length do not pile up on one end.
        pose.shift = [0, 1].map(|k| 0.5 * (at[0][k] + at[1][k]) - 0.5 * (p[k] + q[k]));
        Some(pose)
    }
}

pub(super) fn sub(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

impl Flat {
    /// Lays a triangle into a chart, where its vertices have no place yet.
    fn lay(&mut self, sheet: &RestSheet, t: usize, chart: u32, pose: &ChartPose) {
        let local = corners(&sheet.edges[t]);
        let size = [0, 1, 2].map(|k| sub(local[(k + 1) % 3], local[k])).map(|e| e[0].hypot(e[1]));
        let twice = (local[1][0] * local[2][1] - local[1][1] * local[2][0]).abs();
        self.area[chart as usize] += 0.5 * twice;
        self.edge[chart as usize] += size.iter().sum::<f64>();
        let [c, s] = pose.turn;
        for k in 0..3 {
            let v = sheet.triangles[t][k] as usize;
            if self.chart[v] == NONE {
                (self.chart[v], self.place[v]) = (chart, pose.put(local[k]));
            }
            if self.chart[v] == chart {
                self.weft[v][0] += twice * (c * c - s * s);
                self.weft[v][1] += twice * 2.0 * c * s;
            }
        }
    }
}

/// One chart from one triangle.
fn grow(sheet: &RestSheet, sides: &[[u32; 3]], seed: usize, used: &mut [bool], flat: &mut Flat) {
    let chart = flat.area.len() as u32;
    flat.area.push(0.0);
    flat.edge.push(0.0);
    let mut count = 0.0;
    let mut front = BinaryHeap::new();
    let key = |d: f64| d.to_bits();
    let upright = ChartPose { turn: [1.0, 0.0], shift: [0.0; 2], mirror: 1.0 };
    front.push(Reverse((0u64, seed as u32, NONE)));
    let mut poses: Vec<(u32, ChartPose)> = Vec::new();
    let mut cover = Cover::default();
    while let Some(Reverse((_, t, from))) = front.pop() {
        let t = t as usize;
        if used[t] {
            continue;
        }
        let local = corners(&sheet.edges[t]);
        let Some(pose) = (if from == NONE { Some(upright) } else { pose_over(sheet, &poses, t, from) }) else {
            continue;
        };
        let size = [0, 1, 2].map(|k| sub(local[(k + 1) % 3], local[k])).map(|e| e[0].hypot(e[1]));
        let most = size.iter().copied().fold(0.0, f64::max);
        let put = local.map(|p| pose.put(p));
        let fits = |k: usize| {
            let v = sheet.triangles[t][k] as usize;
            let d = sub(put[k], flat.place[v]);
            flat.chart[v] == NONE || flat.chart[v] == chart && d[0].hypot(d[1]) <= MISFIT * most
        };
        // The first triangle has some vertices that other charts have: they stay theirs.
        let lands_on_others = |k: usize| {
            flat.chart[sheet.triangles[t][k] as usize] == NONE
                && cover.hides(put[k], |t| sheet.triangles[t].map(|v| flat.place[v as usize]))
        };
        if from != NONE && (!(0..3).all(fits) || (0..3).any(lands_on_others)) {
            continue;
        }
        used[t] = true;
        count += 3.0;
        flat.lay(sheet, t, chart, &pose);
        if sheet.triangles[t].iter().all(|&v| flat.chart[v as usize] == chart) {
            cover.add(t, put, most);
        }
        let number = poses.len() as u32;
        poses.push((t as u32, pose));
        for k in 0..3 {
            let next = sides[t][k];
            if next != NONE && !used[next as usize] {
                let middle = [0, 1].map(|i| 0.5 * (put[k][i] + put[(k + 1) % 3][i]));
                front.push(Reverse((key(middle[0].hypot(middle[1])), next, number)));
            }
        }
    }
    flat.edge[chart as usize] /= f64::max(count, 1.0);
}

/// The triangles of a chart by where they lie, so that none is laid over another: what is curved like a saddle, or goes
/// around more than once, would, and unrelated vertices would hang on one node.
#[derive(Default)]
struct Cover {
    size: f64,
    squares: HashMap<(i64, i64), Vec<u32>>,
}

impl Cover {
    fn square(&self, p: [f64; 2]) -> (i64, i64) {
        let [i, j] = p.map(|c| (c / self.size).floor() as i64);
        (i, j)
    }

    fn add(&mut self, triangle: usize, at: [[f64; 2]; 3], longest: f64) {
        if self.squares.is_empty() {
            self.size = (2.0 * longest).max(1e-300);
        }
        let middle = [0, 1].map(|k| (at[0][k] + at[1][k] + at[2][k]) / 3.0);
        self.squares.entry(self.square(middle)).or_default().push(triangle as u32);
    }

    /// Whether a point lies well inside a triangle of the chart.
    fn hides(&self, p: [f64; 2], corners: impl Fn(usize) -> [[f64; 2]; 3]) -> bool {
        if self.squares.is_empty() {
            return false;
        }
        let (i, j) = self.square(p);
        let around = (-1..=1).flat_map(|a| (-1..=1).map(move |b| (i + a, j + b)));
        let mut near = around.filter_map(|key| self.squares.get(&key)).flatten();
        near.any(|&t| {
            let [a, b, c] = corners(t as usize);
            let twice = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
                let (d, e) = (sub(b, a), sub(c, a));
                d[0] * e[1] - d[1] * e[0]
            };
            let all = twice(a, b, c);
            [twice(p, b, c), twice(a, p, c), twice(a, b, p)].iter().all(|part| part / all > 0.02)
        })
    }
}

/// Where a triangle goes beside one that has its place.
fn pose_over(sheet: &RestSheet, poses: &[(u32, ChartPose)], t: usize, from: u32) -> Option<ChartPose> {
    let (other, pose) = poses[from as usize];
    let other = other as usize;
    let (mine, theirs) = (sheet.triangles[t], sheet.triangles[other]);
    let mut ends = [0; 2];
    let mut found = 0;
    for k in 0..3 {
        if theirs.contains(&mine[k]) && found < 2 {
            ends[found] = k;
            found += 1;
        }
    }
    if found < 2 {
        return None;
    }
    let local = corners(&sheet.edges[t]);
    let there = corners(&sheet.edges[other]);
    let at = ends.map(|k| {
        let j = theirs.iter().position(|&v| v == mine[k]).unwrap_or(0);
        pose.put(there[j])
    });
    // The triangle must lie on the other side of the common side than its neighbour.
    let third = |tri: [u32; 3], other: [u32; 3]| (0..3).find(|&k| !other.contains(&tri[k]));
    let (apex, their_apex) = (third(mine, theirs)?, third(theirs, mine)?);
    let beyond = |p: [f64; 2]| {
        let (d, e) = (sub(at[1], at[0]), sub(p, at[0]));
        d[0] * e[1] - d[1] * e[0]
    };
    let theirs_side = beyond(pose.put(there[their_apex]));
    for mirror in [pose.mirror, -pose.mirror] {
        let candidate = ChartPose::over(at, ends.map(|k| local[k]), mirror)?;
        if beyond(candidate.put(local[apex])) * theirs_side < 0.0 {
            return Some(candidate);
        }
    }
    None
}
