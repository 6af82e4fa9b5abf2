//! Distances along a surface.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What distances are measured on: for each vertex the edges and the triangles at it.
pub(super) struct Paths {
    /// First entry of each vertex in `around`.
    start: Vec<u32>,
    /// For each triangle at a vertex: the two others, and the squared lengths |v a|², |v b|², |a b|².
    around: Vec<([u32; 2], [f64; 3])>,
}

impl Paths {
    /// `edges` are x1 − x0 and x2 − x0 of each triangle in its plane, m; ways lead over triangles of which `open` is
    /// true.
    pub fn new(triangles: &[[u32; 3]], edges: &[[[f64; 2]; 2]], open: impl Fn(usize) -> bool, vertices: usize) -> Self {
        let length2 = |t: usize, k: usize| {
            let corners = [[0.0; 2], edges[t][0], edges[t][1]];
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)
        };
        let open: Vec<usize> = (0..triangles.len()).filter(|&t| open(t)).collect();
        let mut start = vec![0u32; vertices + 1];
        for v in open.iter().flat_map(|&t| triangles[t]) {
            start[v as usize + 1] += 1;
        }
        for v in 0..vertices {
            start[v + 1] += start[v];
        }
        let mut next = start.clone();
        let mut around = vec![([0; 2], [0.0; 3]); open.len() * 3];
        for (t, tri) in open.iter().map(|&t| (t, triangles[t])) {
            for k in 0..3 {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                let at = &mut next[tri[k] as usize];
                around[*at as usize] = ([tri[i], tri[j]], [length2(t, k), length2(t, j), length2(t, i)]);
                *at += 1;
            }
        }
        Paths { start, around }
    }

    /// The distance of every vertex from the nearest of `sources`, m, and which it is; infinite where there is no way.
    ///
    /// Fronts cross triangles as if they came straight from a point (Novotni & Klein 2002): exact where the surface
    /// is flat and nothing is in the way; too long by a little elsewhere.
    pub fn from(&self, sources: &[u32], vertices: usize) -> (Vec<f64>, Vec<u32>) {
        let mut distance = vec![f64::INFINITY; vertices];
        let mut source = vec![u32::MAX; vertices];
        let mut done = vec![false; vertices];
        let mut front = BinaryHeap::new();
        for &s in sources {
            (distance[s as usize], source[s as usize]) = (0.0, s);
            front.push(Reverse((0u64, s)));
        }
        while let Some(Reverse((_, v))) = front.pop() {
            let v = v as usize;
            if core::mem::replace(&mut done[v], true) {
                continue;
            }
            for (others, [va, vb, ab]) in &self.around[self.start[v] as usize..self.start[v + 1] as usize] {
                for ([a, b], [va, vb]) in [(*others, [*va, *vb]), ([others[1], others[0]], [*vb, *va])] {
                    // Along the edge to a, and, if b is known from the same source, across the triangle to a.
                    let mut best = distance[v] + va.sqrt();
                    if done[b as usize] && source[b as usize] == source[v] {
                        best = best.min(across(distance[v], distance[b as usize], vb.sqrt(), va, *ab));
                    }
                    let a = a as usize;
                    if !done[a] && best < distance[a] * (1.0 - 1e-12) {
                        (distance[a], source[a]) = (best, source[v]);
                        front.push(Reverse((best.to_bits(), a as u32)));
                    }
                }
            }
        }
        (distance, source)
    }
}

/// The distance of a from the point that is p from v and q from b, on the other side of the edge v b (length c), if the
/// way crosses that edge; else infinite. `va` and `ba` are squared lengths.
fn across(p: f64, q: f64, c: f64, va: f64, ba: f64) -> f64 {
    // v at the origin, b at (c, 0), the source below, a above.
    let sx = (p * p - q * q + c * c) / (2.0 * c);
    let sy2 = p * p - sx * sx;
    let ax = (va - ba + c * c) / (2.0 * c);
    let ay2 = va - ax * ax;
    if !(ay2 > 0.0 && sy2 > -1e-9 * (p * p)) {
        return f64::INFINITY;
    }
    let (sy, ay) = (-sy2.max(0.0).sqrt(), ay2.sqrt());
    // Where the way crosses the edge.
    let at = sx + (ax - sx) * (-sy / (ay - sy));
    let slack = 1e-9 * c;
    if at < -slack || at > c + slack {
        return f64::INFINITY;
    }
    (ax - sx).hypot(ay - sy)
}
