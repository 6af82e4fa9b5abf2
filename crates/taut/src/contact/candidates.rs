//! Candidates: pairs of features of whole surfaces that may meet, and those of them that are near.
//!
//! Every vertex has a **region**, a box that it will not leave for as long as the pairs are to serve, one substep or
//! several; or a box of where it starts and one of where it ends, at times that are the same for all. The box of an
//! edge or triangle is the hull of its vertices'. Features whose boxes do not overlap, or that one axis separates on
//! one side at both times, cannot meet; all others are listed as [`Pairs`], but for those that share a vertex. [`near`]
//! then measures the pairs at given positions and keeps those within a distance.

use super::bvh::{Aabb, BoxTree};
use super::distance::{Closest, distance2_at_least, edge_edge, vertex_triangle};
use super::surface::Surface;
use crate::lanes::Level;
use crate::lanes::{Kernel, Lanes, Real, Scalar, V3, Width};
use core::cell::Cell;
use core::ops::{Index, IndexMut};

/// A surface with its hierarchies of boxes.
#[derive(Clone, Debug)]
pub struct SurfaceBvh {
    surface: Surface,
    vertices: BoxTree,
    edges: BoxTree,
    triangles: BoxTree,
}

/// Pairs of features that share no vertex and may come near each other, by [`PairKind`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs(pub [PairList; 2]);

/// Pairs of one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairList {
    /// A vertex, then a triangle's three; or one edge's two vertices, then another's; as indices of positions.
    pub nodes: Vec<[u32; 4]>,
    /// For the first of them: how far apart they are at the start of their motion at least, m, as computed in `f64`,
    /// nothing taken off for what is solid around them. Spares proofs for what is farther apart than it goes. May be
    /// empty.
    pub bounds: Vec<f32>,
}

impl Index<PairKind> for Pairs {
    type Output = PairList;

    fn index(&self, kind: PairKind) -> &PairList {
        &self.0[kind as usize]
    }
}

impl IndexMut<PairKind> for Pairs {
    fn index_mut(&mut self, kind: PairKind) -> &mut PairList {
        &mut self.0[kind as usize]
    }
}

impl Pairs {
    /// How many there are of each kind.
    pub fn counts(&self) -> [usize; 2] {
        [self.0[0].nodes.len(), self.0[1].nodes.len()]
    }

    /// Keeps pairs, from some on in each list, for which `keep` says so of their two features.
    pub(crate) fn retain_from(&mut self, from: [usize; 2], keep: impl Fn(&[u32], &[u32]) -> bool) {
        for (kind, from) in PairKind::ALL.into_iter().zip(from) {
            let PairList { nodes, bounds } = &mut self[kind];
            let (mut kept, mut bounded) = (from, from.min(bounds.len()));
            for i in from..nodes.len() {
                let (a, b) = nodes[i].split_at(kind.split());
                if keep(a, b) {
                    nodes[kept] = nodes[i];
                    if i < bounds.len() {
                        bounds[kept] = bounds[i];
                        bounded = kept + 1;
                    }
                    kept += 1;
                }
            }
            nodes.truncate(kept);
            bounds.truncate(bounded);
        }
    }

    /// Forgets all, keeping the memory.
    pub fn clear(&mut self) {
        for list in &mut self.0 {
            list.nodes.clear();
            list.bounds.clear();
        }
    }
}

impl SurfaceBvh {
    /// Hierarchies for a surface. The regions only shape them; take those of the rest shape, so that the order of pairs
    /// depends on model and state alone.
    pub fn new(surface: Surface, regions: &[Aabb]) -> Self {
        let s = &surface;
        let mut vertices = BoxTree::new(s.vertices.len(), |i| hull(regions, &[s.vertices[i as usize]]));
        let mut edges = BoxTree::new(s.edges.len(), |i| hull(regions, &s.edges[i as usize]));
        let mut triangles = BoxTree::new(s.triangles.len(), |i| hull(regions, &s.triangles[i as usize]));
        let surface = Surface {
            vertices: vertices.renumber().into_iter().map(|i| s.vertices[i as usize]).collect(),
            edges: edges.renumber().into_iter().map(|i| s.edges[i as usize]).collect(),
            triangles: triangles.renumber().into_iter().map(|i| s.triangles[i as usize]).collect(),
        };
        SurfaceBvh { surface, vertices, edges, triangles }
    }

    /// The same surface with all indices greater by `offset`: a collider's among the positions of a scene.
    pub fn shifted(&self, offset: u32) -> Self {
        SurfaceBvh { surface: self.surface.shifted(offset), ..self.clone() }
    }

    /// The features for which `belongs` says so of their vertices, as a surface of their own.
    pub(crate) fn part(&self, belongs: impl Fn(&[u32]) -> bool, starts: &[Aabb], ends: &[Aabb]) -> Self {
        let s = &self.surface;
        let surface = Surface {
            vertices: s.vertices.iter().copied().filter(|&v| belongs(&[v])).collect(),
            edges: s.edges.iter().copied().filter(|e| belongs(e)).collect(),
            triangles: s.triangles.iter().copied().filter(|t| belongs(t)).collect(),
        };
        let mut part = SurfaceBvh::new(surface, ends);
        part.refit_moving(starts, ends);
        part
    }

    /// The surface, with its features in the hierarchies' order.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// Takes over new regions. Not needed for what does not move.
    pub fn refit(&mut self, regions: &[Aabb]) {
        self.refit_moving(regions, regions);
    }

    /// Takes over where vertices are at the start and where they may be at the end; on the way they move straight.
    pub fn refit_moving(&mut self, starts: &[Aabb], ends: &[Aabb]) {
        let s = &self.surface;
        let both = |v: &[u32]| [hull(starts, v), hull(ends, v)];
        self.vertices.refit_moving(|i| both(&[s.vertices[i as usize]]));
        self.edges.refit_moving(|i| both(&s.edges[i as usize]));
        self.triangles.refit_moving(|i| both(&s.triangles[i as usize]));
    }

    /// Adds the pairs of features of this surface.
    pub fn self_pairs(&self, pairs: &mut Pairs) {
        self.self_pairs_within(pairs, usize::MAX);
    }

    /// Adds the pairs of features of this surface and another that share no vertex.
    pub fn pairs(&self, other: &SurfaceBvh, pairs: &mut Pairs) {
        self.pairs_within(other, pairs, usize::MAX);
    }

    /// The same as [`self_pairs`](Self::self_pairs), as long as no list gets longer than `most`. False if one did, and
    /// pairs are missing.
    pub(crate) fn self_pairs_within(&self, pairs: &mut Pairs, most: usize) -> bool {
        let all = self.vertices_and_triangles(self, pairs, most);
        let edges = &self.surface.edges;
        let full = Cell::new(!all);
        let mut lot = PairBuffer::new(pairs, PairKind::EdgeEdge, most, &full);
        self.edges.search(None, |i, j| lot.edges(edges[i.min(j) as usize], edges[i.max(j) as usize]), &full);
        lot.empty();
        !full.get()
    }

    /// The same as [`pairs`](Self::pairs), likewise.
    pub(crate) fn pairs_within(&self, other: &SurfaceBvh, pairs: &mut Pairs, most: usize) -> bool {
        let all = self.vertices_and_triangles(other, pairs, most) && other.vertices_and_triangles(self, pairs, most);
        let (mine, theirs) = (&self.surface.edges, &other.surface.edges);
        let full = Cell::new(!all);
        let mut lot = PairBuffer::new(pairs, PairKind::EdgeEdge, most, &full);
        self.edges.search(Some(&other.edges), |i, j| lot.edges(mine[i as usize], theirs[j as usize]), &full);
        lot.empty();
        !full.get()
    }

    /// Calls `found` for every two triangles of this surface, or of this and another, whose boxes overlap.
    pub(crate) fn crossings(&self, other: Option<&SurfaceBvh>, mut found: impl FnMut([u32; 3], [u32; 3])) {
        let mine = &self.surface.triangles;
        match other {
            None => self.triangles.self_pairs(|i, j| found(mine[i as usize], mine[j as usize])),
            Some(other) => {
                let theirs = &other.surface.triangles;
                self.triangles.pairs(&other.triangles, |i, j| found(mine[i as usize], theirs[j as usize]));
            }
        }
    }

    /// Calls `found` for every thing of a tree and triangle of this surface whose boxes overlap.
    pub(crate) fn crossed_by(&self, things: &BoxTree, mut found: impl FnMut(u32, [u32; 3])) {
        things.pairs(&self.triangles, |i, j| found(i, self.surface.triangles[j as usize]));
    }

    fn vertices_and_triangles(&self, other: &SurfaceBvh, pairs: &mut Pairs, most: usize) -> bool {
        let (vertices, triangles) = (&self.surface.vertices, &other.surface.triangles);
        let full = Cell::new(false);
        let mut lot = PairBuffer::new(pairs, PairKind::VertexTriangle, most, &full);
        let found = |i: u32, j: u32| {
            let (v, [a, b, c]) = (vertices[i as usize], triangles[j as usize]);
            lot.add([v, a, b, c], (v != a) & (v != b) & (v != c));
        };
        self.vertices.search(Some(&other.triangles), found, &full);
        lot.empty();
        !full.get()
    }
}

/// Pairs on their way into a list. Half of what trees find shares a vertex, unforeseeably: all are written down, and
/// those overwritten.
struct PairBuffer<'a> {
    list: &'a mut Vec<[u32; 4]>,
    lot: [[u32; 4]; BUFFERED],
    count: usize,
    /// How long the list may be at most, and whether it would have been longer.
    most: usize,
    full: &'a Cell<bool>,
}

/// Pairs that go into a list together.
const BUFFERED: usize = 256;

impl<'a> PairBuffer<'a> {
    fn new(pairs: &'a mut Pairs, kind: PairKind, most: usize, full: &'a Cell<bool>) -> Self {
        PairBuffer { list: &mut pairs[kind].nodes, lot: [[0; 4]; BUFFERED], count: 0, most, full }
    }

    /// Adds a pair if it is to be `kept`.
    #[inline(always)]
    fn add(&mut self, pair: [u32; 4], kept: bool) {
        self.lot[self.count % BUFFERED] = pair;
        self.count += usize::from(kept);
        if self.count == BUFFERED {
            self.empty();
        }
    }

    /// Adds two edges if they share no vertex.
    #[inline(always)]
    fn edges(&mut self, a: [u32; 2], b: [u32; 2]) {
        let apart = (a[0] != b[0]) & (a[0] != b[1]) & (a[1] != b[0]) & (a[1] != b[1]);
        self.add([a[0], a[1], b[0], b[1]], apart);
    }

    fn empty(&mut self) {
        let room = self.count.min(self.most.saturating_sub(self.list.len()));
        self.list.extend_from_slice(&self.lot[..room]);
        if room < self.count {
            self.full.set(true);
        }
        self.count = 0;
    }
}

/// The box around some vertices' regions; empty if one has none.
#[inline(always)]
fn hull(regions: &[Aabb], vertices: &[u32]) -> Aabb {
    let mut b = Aabb::EMPTY;
    for &v in vertices {
        let Some(region) = regions.get(v as usize).filter(|r| r.lo[0] <= r.hi[0]) else { return Aabb::EMPTY };
        b = b.and(*region);
    }
    b
}

/// Which features a pair is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairKind {
    /// A vertex and a triangle.
    VertexTriangle,
    /// Two edges.
    EdgeEdge,
}

impl PairKind {
    /// Both, in the order of lists.
    pub(crate) const ALL: [PairKind; 2] = [PairKind::VertexTriangle, PairKind::EdgeEdge];

    /// How many of a pair's four vertices belong to its first feature.
    #[inline(always)]
    pub(crate) fn split(self) -> usize {
        match self {
            PairKind::VertexTriangle => 1,
            PairKind::EdgeEdge => 2,
        }
    }

    /// The closest points of a pair with its vertices at these places.
    #[inline(always)]
    pub(crate) fn closest<R: Real>(self, [a, b, c, d]: [V3<R>; 4]) -> Closest<R> {
        match self {
            PairKind::VertexTriangle => vertex_triangle(a, [b, c, d]),
            PairKind::EdgeEdge => edge_edge([a, b], [c, d]),
        }
    }
}

/// Two features that are near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearPair {
    /// What they are.
    pub kind: PairKind,
    /// Their vertices: the first feature's, then the second's.
    pub nodes: [u32; 4],
    /// Weights of the closest points: those of the first feature add up to 1, those of the second to −1.
    pub weights: [f64; 4],
    /// Σ wᵢ xᵢ: from the closest point of the second feature to that of the first, m.
    pub delta: [f64; 3],
    /// |delta|, m.
    pub distance: f64,
}

/// Measures all pairs and adds those nearer than `distance` (m) to `out`, vertices and triangles first, in the order of
/// the pairs. Edges whose closest points include an end of one are left out: that end is a vertex, and no farther from
/// the triangles at the other edge, so it is listed with them. In layers that lie on each other these are most.
pub fn near(positions: &[[f64; 3]], pairs: &Pairs, distance: f64, out: &mut Vec<NearPair>) {
    for kind in PairKind::ALL {
        near_of(kind, positions, &pairs[kind].nodes, distance, out, &mut Vec::new());
    }
}

/// The same for some pairs of one kind. Adds a number to `bounds` for each: how far apart the two are at least, m.
pub(crate) fn near_of(
    kind: PairKind,
    positions: &[[f64; 3]],
    pairs: &[[u32; 4]],
    distance: f64,
    out: &mut Vec<NearPair>,
    bounds: &mut Vec<f32>,
) {
    f64::run(Width::default(), Level::new(), Narrow { kind, positions, pairs, distance, out, bounds });
}

/// The narrow phase as a kernel: the same arithmetic for any number of lanes.
struct Narrow<'a> {
    kind: PairKind,
    positions: &'a [[f64; 3]],
    pairs: &'a [[u32; 4]],
    distance: f64,
    out: &'a mut Vec<NearPair>,
    bounds: &'a mut Vec<f32>,
}

/// Lanes at most.
pub(super) const MOST: usize = 8;
/// Pairs that pass the prefilter together. A multiple of `MOST`, and few enough to stay in the fastest cache.
const PREFILTERED: usize = 512;

impl Kernel<f64> for Narrow<'_> {
    #[inline(always)]
    fn run<L: Lanes<f64>>(mut self, token: L::Token) {
        let limit2 = self.distance * self.distance;
        let mut kept = [[0; 4]; PREFILTERED];
        for part in self.pairs.chunks(PREFILTERED) {
            let count = self.prefilter::<L>(token, part, limit2, &mut kept);
            for lot in kept[..count].chunks(L::N) {
                self.measure::<L>(token, lot, limit2);
            }
        }
    }
}

impl Narrow<'_> {
    /// Passes on the pairs that are not plainly farther apart than the limit; returns how many.
    #[inline(always)]
    fn prefilter<L: Lanes<f64>>(
        &mut self,
        token: L::Token,
        pairs: &[[u32; 4]],
        limit2: f64,
        kept: &mut [[u32; 4]; PREFILTERED],
    ) -> usize {
        let mut count = 0;
        for lot in pairs.chunks(L::N) {
            let bound = distance2_at_least(gather::<L>(token, self.positions, lot), self.kind.split());
            let far = L::bits(bound.lit(limit2).lt(bound));
            let mut apart = [0.0; MOST];
            bound.sqrt().store(&mut apart);
            self.bounds.extend(apart[..lot.len()].iter().map(|&b| b as f32));
            for (lane, nodes) in lot.iter().enumerate() {
                kept[count] = *nodes;
                count += (far >> lane & 1 ^ 1) as usize;
            }
        }
        count
    }

    /// Measures a lot of pairs and keeps those that are near.
    #[inline(always)]
    fn measure<L: Lanes<f64>>(&mut self, token: L::Token, lot: &[[u32; 4]], limit2: f64) {
        let found = self.kind.closest(gather::<L>(token, self.positions, lot));
        if !L::any(found.distance2.lt(found.distance2.lit(limit2))) {
            return;
        }
        let mut r = [[0.0; MOST]; 8];
        found.distance2.store(&mut r[0]);
        found.delta.x.store(&mut r[1]);
        found.delta.y.store(&mut r[2]);
        found.delta.z.store(&mut r[3]);
        for i in 0..4 {
            found.weights[i].store(&mut r[4 + i]);
        }
        for (lane, &nodes) in lot.iter().enumerate() {
            let weights = [r[4][lane], r[5][lane], r[6][lane], r[7][lane]];
            let inner = self.kind == PairKind::VertexTriangle || !weights.contains(&0.0);
            if r[0][lane] < limit2 && inner {
                let delta = [r[1][lane], r[2][lane], r[3][lane]];
                self.out.push(NearPair { kind: self.kind, nodes, weights, delta, distance: r[0][lane].sqrt() });
            }
        }
    }
}

/// The positions of up to `L::N` pairs' vertices, side by side. Lanes to spare are at the origin.
#[inline(always)]
pub(super) fn gather<L: Lanes<f64>>(token: L::Token, positions: &[[f64; 3]], lot: &[[u32; 4]]) -> [V3<L>; 4] {
    let mut x = [[0.0; MOST]; 12];
    for (lane, nodes) in lot.iter().enumerate() {
        for i in 0..4 {
            let p = positions[nodes[i] as usize];
            x[3 * i][lane] = p[0];
            x[3 * i + 1][lane] = p[1];
            x[3 * i + 2][lane] = p[2];
        }
    }
    let mut p = [V3::new(L::load(token, &x[0]), L::load(token, &x[1]), L::load(token, &x[2])); 4];
    for i in 1..4 {
        p[i] = V3::new(L::load(token, &x[3 * i]), L::load(token, &x[3 * i + 1]), L::load(token, &x[3 * i + 2]));
    }
    p
}
