//! What of the cloth hangs together: neighbours among points, and where the cloth had to be cut to lie flat.
//!
//! Two points of a chart may lie beside each other although there is no cloth between them: over a slit, a hole, or the
//! edge of the chart that came around to where it began. In space they may be anywhere. So what levels are built from
//! are neighbours, and places in the chart only say how far apart neighbours are.

use super::chart::{Flat, NONE, sub};
use super::sheet::RestSheet;
use crate::sets::Grouped;

/// Neighbours among points: vertices, or the nodes of a lattice.
#[derive(Default)]
pub(super) struct Web {
    /// Ends, the lower number first, and whether the cloth is cut between them; each pair once, ascending.
    edges: Vec<([u32; 2], bool)>,
}

/// An edge this much longer in the chart than at rest has been cut.
const CUT: f64 = 1.5;

impl Web {
    fn new(mut edges: Vec<([u32; 2], bool)>) -> Self {
        edges.iter_mut().for_each(|(ends, _)| ends.sort_unstable());
        edges.sort_unstable();
        // Of a pair that hangs together in one place and is cut in another, the first is what counts.
        edges.dedup_by_key(|e| e.0);
        Web { edges }
    }

    /// The vertices of a sheet.
    pub fn of(sheet: &RestSheet, flat: &Flat) -> Self {
        // What was not laid may have its ends at about the right distance by chance.
        let is_cut = |laid: bool, [a, b]: [u32; 2], length: f64| {
            let d = sub(flat.place[a as usize], flat.place[b as usize]);
            !laid || flat.chart[a as usize] != flat.chart[b as usize] || d[0].hypot(d[1]) > CUT * length
        };
        let mut edges = Vec::with_capacity(3 * sheet.triangles.len());
        for (t, corners) in sheet.triangles.iter().enumerate() {
            let at = [[0.0; 2], sheet.edges[t][0], sheet.edges[t][1]];
            for k in 0..3 {
                let ends = [corners[k], corners[(k + 1) % 3]];
                let d = sub(at[(k + 1) % 3], at[k]);
                edges.push((ends, is_cut(flat.laid[t], ends, d[0].hypot(d[1]))));
            }
        }
        let in_cloth = |v: u32| flat.chart[v as usize] != NONE;
        let links = sheet.links.iter().filter(|(ends, _)| ends.iter().all(|&v| in_cloth(v)));
        edges.extend(links.map(|&(ends, length)| (ends, is_cut(false, ends, length))));
        Web::new(edges)
    }

    /// The nodes that these points hang on: neighbours are those that have a point in common; cut from each other those
    /// between whose points the cloth is cut.
    pub fn above<const N: usize>(&self, parents: &[[(u32, f64); N]]) -> Self {
        let of = |i: u32| parents[i as usize].iter().filter(|p| p.1 > 0.0).map(|p| p.0);
        let mut edges = Vec::new();
        for i in 0..parents.len() as u32 {
            edges.extend(of(i).flat_map(|a| of(i).filter(move |&b| a < b).map(move |b| ([a, b], false))));
        }
        for &([i, j], _) in self.edges.iter().filter(|e| e.1) {
            edges.extend(of(i).flat_map(|a| of(j).filter(move |&b| a != b).map(move |b| ([a, b], true))));
        }
        Web::new(edges)
    }

    /// The part of it between points of which `of` says the same.
    pub fn within<K: PartialEq>(&self, of: impl Fn(u32) -> Option<K>) -> Self {
        let same = |[a, b]: [u32; 2]| of(a).is_some_and(|a| of(b) == Some(a));
        Web { edges: self.edges.iter().copied().filter(|e| same(e.0)).collect() }
    }

    pub fn has_cuts(&self) -> bool {
        self.edges.iter().any(|e| e.1)
    }

    /// Pairs that hang together.
    pub fn whole(&self) -> impl Iterator<Item = [u32; 2]> {
        self.edges.iter().filter(|e| !e.1).map(|e| e.0)
    }

    /// Pairs that the cloth is cut between.
    pub fn cut(&self) -> impl Iterator<Item = [u32; 2]> {
        self.edges.iter().filter(|e| e.1).map(|e| e.0)
    }

    /// Whether two points hang together.
    pub fn joins(&self, a: u32, b: u32) -> bool {
        let ends = [a.min(b), a.max(b)];
        self.edges.binary_search(&(ends, false)).is_ok()
    }

    /// The neighbours of each of `count` points: those that it hangs together with, or all.
    pub fn neighbours(&self, count: usize, over_cuts: bool) -> Grouped {
        let list = self.edges.iter().filter(move |e| over_cuts || !e.1);
        Grouped::new(count, list.flat_map(|&([a, b], _)| [(a, b), (b, a)]))
    }
}

/// What is reached from `sources` over `neighbours` that are `open`, ascending.
pub(super) fn reached(neighbours: &Grouped, sources: &[u32], open: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut seen: std::collections::BTreeSet<u32> = sources.iter().copied().collect();
    let mut front = sources.to_vec();
    while let Some(v) = front.pop() {
        for &to in neighbours.row(v) {
            if open(to) && seen.insert(to) {
                front.push(to);
            }
        }
    }
    seen.into_iter().collect()
}
