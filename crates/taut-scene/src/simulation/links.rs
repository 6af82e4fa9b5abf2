//! Which held vertices of a body are neighbours.

use super::Object;
use std::collections::{HashMap, VecDeque};

/// Edges between two held vertices that still are neighbours, at most: every fourth vertex of a hem holds all of it.
const GAP: u32 = 4;

/// Pairs of some of a body's vertices, by their places in the list, that [`GAP`] edges join with none of the others
/// between them. `vertices` are the engine's numbers.
pub(super) fn links(object: &Object, vertices: &[u32]) -> Vec<[u32; 2]> {
    let base = object.vertices.start;
    let own: HashMap<u32, u32> = (0..).zip(vertices).map(|(at, &vertex)| (vertex - base, at)).collect();
    let (starts, near) = neighbours(object);
    let mut out = Vec::new();
    let (mut hops, mut waiting) = (HashMap::new(), VecDeque::new());
    for (at, &vertex) in (0..).zip(vertices) {
        hops.clear();
        hops.insert(vertex - base, 0);
        waiting.push_back(vertex - base);
        while let Some(from) = waiting.pop_front() {
            let next = hops[&from] + 1;
            for &to in &near[starts[from as usize] as usize..starts[from as usize + 1] as usize] {
                if next > GAP || hops.contains_key(&to) {
                    continue;
                }
                hops.insert(to, next);
                match own.get(&to) {
                    Some(&other) if at < other => out.push([at, other]),
                    Some(_) => {}
                    None => waiting.push_back(to),
                }
            }
        }
    }
    out
}

/// The edges of a body between some of its vertices, by their places in the list. `vertices` are the engine's numbers.
pub(super) fn edges(object: &Object, vertices: &[u32]) -> Vec<[u32; 2]> {
    let base = object.vertices.start;
    let own: HashMap<u32, u32> = (0..).zip(vertices).map(|(at, &vertex)| (vertex - base, at)).collect();
    let (starts, near) = neighbours(object);
    let mut out = Vec::new();
    for (at, &vertex) in (0..).zip(vertices) {
        let v = (vertex - base) as usize;
        let others = near[starts[v] as usize..starts[v + 1] as usize].iter().filter_map(|to| own.get(to));
        out.extend(others.filter(|&&other| at < other).map(|&other| [at, other]));
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// The neighbours of every vertex of a body: where each one's begin, and all of them; some twice.
fn neighbours(object: &Object) -> (Vec<u32>, Vec<u32>) {
    let triangles = object.info.triangles.iter().map(|t| &t[..]);
    let all = || triangles.clone().chain(object.info.tets.iter().map(|t| &t[..]));
    let mut starts = vec![0; object.info.rest.len() + 1];
    for corners in all() {
        corners.iter().for_each(|&v| starts[v as usize + 1] += corners.len() as u32 - 1);
    }
    (1..starts.len()).for_each(|k| starts[k] += starts[k - 1]);
    let mut next = starts.clone();
    let mut near = vec![0; starts.last().copied().unwrap_or(0) as usize];
    for corners in all() {
        for &a in corners {
            for &b in corners.iter().filter(|&&b| b != a) {
                near[next[a as usize] as usize] = b;
                next[a as usize] += 1;
            }
        }
    }
    (starts, near)
}
