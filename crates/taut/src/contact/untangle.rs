//! Surfaces that intersect at the start of a step: found, and pulled apart little by little.
//!
//! Features of triangles that intersect, and of their neighbours, are exempt, against each other alone, from contacts
//! and from the safety pass, which would hold them where they are; and so is what is inside something solid, against
//! that. Three things bring them apart:
//!
//! - Vertices **inside** a closed mesh are drawn to the nearest place of its surface; what else crosses the surface of
//!   something solid is pushed along its outward normal.
//! - An edge that passes through a triangle **cuts** the surface it belongs to. If the cuts divide that surface, the
//!   smaller part is on the wrong side, and its vertices at the cuts are drawn back through the triangle.
//! - If they do not, the length of the intersection's **contour** is made smaller: where edge E meets a triangle with
//!   normal N, moving the triangle by d moves the crossing by E (N·d)/(N·E), and takes Rᵢ·E (N·d)/(N·E) from the
//!   contour in each of the edge's two faces, in which it leaves the crossing in direction Rᵢ.

use super::Collider;
use super::bvh::{Aabb, BoxTree};
use super::candidates::{PairKind, Pairs, SurfaceBvh};
use super::distance::vertex_triangle;
use super::exact::{P, mesh_triangles_meet, segment_meets_triangle};
use super::kinematic::ColliderForm;
use super::settings::Party;
use super::shape::Frame;
use crate::lanes::V3;
use crate::sets::DisjointSets;

/// What intersects at the start of a step.
#[derive(Debug, Default)]
pub(crate) struct Tangle {
    pub exempt: Exempt,
    /// How vertices are to be moved in the step, out of what goes where it is told: m, by ascending number.
    pub pushes: Vec<(u32, P)>,
    /// What is to move apart, as features with weights.
    pub pulls: Vec<Pull>,
    /// How many pairs intersect.
    pub pairs: usize,
    /// Where the first of them is, m.
    pub at: Option<P>,
}

/// What nobody keeps apart, because it intersects.
#[derive(Debug, Default)]
pub(crate) struct Exempt {
    /// Two vertices of two triangles that intersect, the lesser first; and a vertex with the number of a surface it is
    /// inside of. Ascending.
    vertices: Vec<[u32; 2]>,
    inside: Vec<[u32; 2]>,
}

impl Exempt {
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty() && self.inside.is_empty()
    }

    /// Whether two features, of surfaces with these numbers, are exempt: they belong to two triangles that intersect or
    /// to neighbours of those, or one has a vertex inside the other's surface.
    pub fn holds(&self, (a, of_a): (&[u32], usize), (b, of_b): (&[u32], usize)) -> bool {
        let inside = |list: &[u32], of: usize| list.iter().any(|&v| self.inside.binary_search(&[v, of as u32]).is_ok());
        let cross = |&i: &u32, &j: &u32| self.vertices.binary_search(&[i.min(j), i.max(j)]).is_ok();
        a.iter().any(|i| b.iter().any(|j| cross(i, j))) || inside(a, of_b) || inside(b, of_a)
    }

    /// Two features that intersect.
    fn add(&mut self, a: &[u32], b: &[u32]) {
        let all = a.iter().flat_map(|&i| b.iter().map(move |&j| [i.min(j), i.max(j)]));
        self.vertices.extend(all.filter(|[i, j]| i != j));
    }

    /// A vertex inside a surface.
    fn add_inside(&mut self, vertex: u32, surface: usize) {
        self.inside.push([vertex, surface as u32]);
    }

    fn sort(&mut self) {
        for list in [&mut self.vertices, &mut self.inside] {
            list.sort_unstable();
            list.dedup();
        }
    }
}

/// Two features on the wrong sides of each other: n·Σ wᵢvᵢ is to be at least the speed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pull {
    pub nodes: [u32; 4],
    pub weights: [f64; 4],
    pub n: V3<f64>,
    /// m/s.
    pub speed: f64,
}

/// Edges' lengths in a second at which tangled features are drawn apart.
const HASTE: f64 = 20.0;

/// A surface as untangling sees it.
pub(crate) struct TangleSurface<'a> {
    pub bvh: &'a SurfaceBvh,
    pub party: Party,
    /// What it is, if it is a collider.
    pub form: Option<&'a ColliderForm>,
}

impl TangleSurface<'_> {
    /// Whether it is known on which side of its triangles things may be.
    fn outward(&self) -> bool {
        self.form.is_some_and(ColliderForm::outward)
    }
}

/// An edge that passes through a triangle.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Cut {
    part: usize,
    edge: [u32; 2],
    /// The surface of the triangle.
    other: usize,
    triangle: [u32; 3],
}

/// Looks for intersections. The parts' hierarchies have been fitted to the positions, without room.
pub(crate) fn find(parts: &[TangleSurface], x: &[P], movable: impl Fn(u32) -> bool) -> Tangle {
    let mut search =
        TangleSearch { x, tangle: Tangle::default(), cuts: Vec::new(), sums: vec![([0.0; 3], 0); x.len()] };
    for (i, a) in parts.iter().enumerate().filter(|(_, a)| !a.party.collider && a.party.material.thickness > 0.0) {
        if a.party.material.self_contact {
            a.bvh.crossings(None, |s, t| search.meet(x, (i, s), (i, t)));
        }
        for (j, b) in parts.iter().enumerate().skip(i + 1) {
            if b.party.collider || b.party.material.thickness > 0.0 {
                a.bvh.crossings(Some(b.bvh), |s, t| search.meet(x, (i, s), (j, t)));
            }
            if b.party.radius > 0.0 {
                search.inside_round(a, b, &movable);
            }
            if b.form.is_some_and(ColliderForm::closed) {
                search.inside(a, (b, j), &movable);
            }
            if let Some(ColliderForm::Simple(c)) = b.form.filter(|_| b.outward()) {
                search.inside_simple(a, j, c, &movable);
            }
        }
    }
    let vertices: usize = parts.iter().filter(|p| !p.party.collider).map(|p| p.bvh.surface().vertices.len()).sum();
    // Where everything crosses everything no pull is better than another, and together they throw things apart.
    if search.tangle.pairs <= vertices {
        search.pull(parts, movable);
    }
    search.tangle.exempt.sort();
    search.tangle
}

struct TangleSearch<'a> {
    x: &'a [P],
    tangle: Tangle,
    cuts: Vec<Cut>,
    /// For each vertex the sum of its pushes, and how many there were.
    sums: Vec<(P, u32)>,
}

impl TangleSearch<'_> {
    fn at(&self, i: u32) -> V3<f64> {
        V3::from(self.x[i as usize])
    }

    /// Counts an intersection of two features.
    fn count(&mut self, a: &[u32], b: &[u32]) {
        self.tangle.pairs += 1;
        self.tangle.at.get_or_insert(self.x[a[0] as usize]);
        self.tangle.exempt.add(a, b);
    }

    /// Counts a vertex inside a surface.
    fn count_inside(&mut self, vertex: u32, surface: usize) {
        self.tangle.pairs += 1;
        self.tangle.at.get_or_insert(self.x[vertex as usize]);
        self.tangle.exempt.add_inside(vertex, surface);
    }

    fn push(&mut self, i: u32, by: V3<f64>) {
        let sum = &mut self.sums[i as usize];
        *sum = ((V3::from(sum.0) + by).into(), sum.1 + 1);
    }

    /// Two triangles whose boxes overlap, with the parts they belong to.
    fn meet(&mut self, x: &[P], (i, s): (usize, [u32; 3]), (j, t): (usize, [u32; 3])) {
        if !mesh_triangles_meet(x, s, t) {
            return;
        }
        self.count(&s, &t);
        for (part, other, s, t) in [(i, j, s, t), (j, i, t, s)] {
            for [a, b] in [[s[0], s[1]], [s[1], s[2]], [s[2], s[0]]] {
                let shares = t.contains(&a) || t.contains(&b);
                let at = |i: u32| x[i as usize];
                if !shares && segment_meets_triangle([at(a), at(b)], t.map(at)) {
                    self.cuts.push(Cut { part, edge: [a.min(b), a.max(b)], other, triangle: t });
                }
            }
        }
    }

    /// Features of `a` that reach into balls and rods: their own contacts push vertices out.
    fn inside_round(&mut self, a: &TangleSurface, b: &TangleSurface, movable: &impl Fn(u32) -> bool) {
        let mut pairs = Pairs::default();
        a.bvh.pairs(b.bvh, &mut pairs);
        let r2 = b.party.radius * b.party.radius;
        let collider = &b.bvh.surface().vertices;
        let note = |search: &mut Self, nodes: [u32; 4], distance2: f64| {
            if distance2 <= r2 && nodes.iter().any(|&v| movable(v)) {
                let own: Vec<u32> = nodes.into_iter().filter(|v| !collider.contains(v)).collect();
                search.count(&own, collider);
            }
        };
        for kind in PairKind::ALL {
            for &nodes in &pairs[kind].nodes {
                note(self, nodes, kind.closest(nodes.map(|i| self.at(i))).distance2);
            }
        }
    }

    /// Vertices of `a` inside a plane or box: its own contacts push them out.
    fn inside_simple(&mut self, a: &TangleSurface, j: usize, c: &Collider, movable: &impl Fn(u32) -> bool) {
        let frame = Frame::<f64>::new(&c.from);
        let holds = |v: u32| c.shape.distance(frame.inward(self.at(v))).0 <= 0.0;
        let found: Vec<u32> = a.bvh.surface().vertices.iter().copied().filter(|&v| movable(v) && holds(v)).collect();
        found.iter().for_each(|&v| self.count_inside(v, j));
    }

    /// Vertices of `a` inside the closed surface `b`: an odd number of its triangles lies in one direction from them.
    fn inside(&mut self, a: &TangleSurface, (b, j): (&TangleSurface, usize), movable: &impl Fn(u32) -> bool) {
        let far = b.bvh.surface().vertices.iter().map(|&v| self.x[v as usize][0]).fold(f64::MIN, f64::max) + 1.0;
        let points = &a.bvh.surface().vertices;
        // Not along an axis: meshes like to have edges there.
        let end = |v: u32| [far, self.x[v as usize][1] + 1.234e-4, self.x[v as usize][2] + 0.567e-4];
        let rays = BoxTree::new(points.len(), |i| {
            Aabb::around(&[self.x[points[i as usize] as usize], end(points[i as usize])], 0.0)
        });
        let mut odd = vec![false; points.len()];
        b.bvh.crossed_by(&rays, |ray, t| {
            let v = points[ray as usize];
            let segment = [self.x[v as usize], end(v)];
            odd[ray as usize] ^= segment_meets_triangle(segment, t.map(|i| self.x[i as usize]));
        });
        let inside: Vec<u32> =
            points.iter().zip(odd).filter(|(v, odd)| *odd && movable(**v)).map(|(v, _)| *v).collect();
        for &v in &inside {
            let Some(way) = nearest(self.x, self.at(v), &b.bvh.surface().triangles) else { continue };
            self.count_inside(v, j);
            let depth = way.norm2().sqrt();
            if depth > 0.0 {
                self.push(v, way * (1.0 + b.party.material.thickness / depth));
            }
        }
    }

    /// Turns cuts into pushes, and sums into means.
    fn pull(&mut self, parts: &[TangleSurface], movable: impl Fn(u32) -> bool) {
        let mut cuts = core::mem::take(&mut self.cuts);
        cuts.sort_by(|a, b| a.partial_cmp(b).unwrap_or(core::cmp::Ordering::Equal));
        cuts.dedup();
        for (number, part) in parts.iter().enumerate() {
            let mine: Vec<Cut> = cuts.iter().copied().filter(|c| c.part == number).collect();
            if !mine.is_empty() {
                self.pull_part(parts, part, &mine);
            }
        }
        let longest = cuts.iter().map(|c| (self.at(c.edge[0]) - self.at(c.edge[1])).norm2().sqrt()).fold(0.0, f64::max);
        let thickest = parts.iter().map(|p| p.party.material.thickness).fold(0.0, f64::max);
        let most = thickest.max(0.3 * longest);
        for i in 0..self.sums.len() {
            let (sum, count) = self.sums[i];
            if count > 0 && movable(i as u32) {
                let by = V3::from(sum) * (1.0 / f64::from(count));
                let size = by.norm2().sqrt();
                let by = if size > most { by * (most / size) } else { by };
                self.tangle.pushes.push((i as u32, by.into()));
            }
        }
    }

    fn pull_part(&mut self, parts: &[TangleSurface], part: &TangleSurface, cuts: &[Cut]) {
        let surface = part.bvh.surface();
        let mut islands = DisjointSets::new(self.x.len());
        let cut = |e: &[u32; 2]| cuts.binary_search_by(|c| c.edge.cmp(e)).is_ok();
        surface.edges.iter().filter(|e| !cut(e)).for_each(|e| islands.join(e[0], e[1]));
        let mut size = vec![0u32; self.x.len()];
        surface.vertices.iter().for_each(|&v| size[islands.of(v) as usize] += 1);
        for c in cuts {
            let [a, b] = c.edge;
            let (of_a, of_b) = (islands.of(a), islands.of(b));
            let (size_a, size_b) = (size[of_a as usize], size[of_b as usize]);
            let solid = if part.party.collider { part } else { &parts[c.other] };
            if solid.outward() {
                self.push_out(&surface.triangles, c, part.party.collider);
            } else if of_a == of_b || part.party.collider {
                self.shorten(&surface.triangles, c);
            } else {
                let (wrong, right) = if size_a < size_b { (a, b) } else { (b, a) };
                self.draw_back(c.triangle, wrong, right);
            }
        }
    }

    /// Pushes cloth out of a solid: its edge through a triangle of the solid, or its triangle with an edge of the solid
    /// through it.
    fn push_out(&mut self, triangles: &[[u32; 3]], cut: &Cut, edge_of_solid: bool) {
        let of_edge = |t: &&[u32; 3]| t.contains(&cut.edge[0]) && t.contains(&cut.edge[1]);
        let (cloth, solid): (&[u32], Vec<[u32; 3]>) = if edge_of_solid {
            (&cut.triangle, triangles.iter().filter(of_edge).copied().collect())
        } else {
            (&cut.edge, vec![cut.triangle])
        };
        let mut n = V3::new(0.0, 0.0, 0.0);
        for t in solid {
            n = n + self.normal(t).unwrap_or(n);
        }
        let size = n.norm2().sqrt();
        if size > 0.0 {
            let length = (self.at(cut.edge[0]) - self.at(cut.edge[1])).norm2().sqrt();
            cloth.iter().for_each(|&i| self.push(i, n * (0.2 * length / size)));
        }
    }

    /// Draws a vertex on the wrong side of a triangle back to where its neighbour is.
    fn draw_back(&mut self, triangle: [u32; 3], wrong: u32, right: u32) {
        let Some(n) = self.normal(triangle) else { return };
        let edge = self.at(right) - self.at(wrong);
        let n = if n.dot(edge) < 0.0 { -n } else { n };
        let [a, b, c] = triangle;
        let w = vertex_triangle(self.at(wrong), triangle.map(|i| self.at(i))).weights;
        let speed = HASTE * edge.norm2().sqrt();
        self.tangle.pulls.push(Pull { nodes: [wrong, a, b, c], weights: w, n, speed });
    }

    /// Moves an edge and a triangle so that the contour of their surfaces' intersection becomes shorter.
    fn shorten(&mut self, triangles: &[[u32; 3]], cut: &Cut) {
        let Some(n) = self.normal(cut.triangle) else { return };
        let [a, b] = cut.edge.map(|i| self.at(i));
        let e = b - a;
        let length = e.norm2().sqrt();
        let slope = n.dot(e) / length;
        if slope.abs() < 1e-3 {
            return;
        }
        let mut along = 0.0;
        for t in triangles.iter().filter(|t| t.contains(&cut.edge[0]) && t.contains(&cut.edge[1])) {
            let Some(face) = self.normal(*t) else { continue };
            let far = t.iter().find(|i| !cut.edge.contains(i)).map_or(a, |&i| self.at(i));
            let r = face.cross(n);
            let size = r.norm2().sqrt();
            if size > 1e-6 {
                let inward = (far - a) - e * (e.dot(far - a) / (length * length));
                along += r.dot(e) / (size * length) * if r.dot(inward) < 0.0 { -1.0 } else { 1.0 };
            }
        }
        let part = (along / slope).clamp(-1.0, 1.0);
        if part == 0.0 {
            return;
        }
        // The triangle moves along n · part, the edge against it. Of the triangle the two vertices nearest to the
        // crossing.
        let crossing = a + e * (n.dot(self.at(cut.triangle[0]) - a) / n.dot(e)).clamp(0.0, 1.0);
        let w = vertex_triangle(crossing, cut.triangle.map(|i| self.at(i))).weights;
        let mut near = [1, 2, 3].map(|i| (-w[i], cut.triangle[i - 1]));
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        let [p, q, _] = near;
        let sum = p.0 + q.0;
        let along_edge = ((crossing - a).dot(e) / (length * length)).clamp(0.0, 1.0);
        let weights = [1.0 - along_edge, along_edge, -p.0 / sum, -q.0 / sum];
        let sign = if part < 0.0 { 1.0 } else { -1.0 };
        self.tangle.pulls.push(Pull {
            nodes: [cut.edge[0], cut.edge[1], p.1, q.1],
            weights,
            n: n * sign,
            speed: 0.5 * HASTE * length * part.abs(),
        });
    }

    fn normal(&self, triangle: [u32; 3]) -> Option<V3<f64>> {
        let [a, b, c] = triangle.map(|i| self.at(i));
        let n = (b - a).cross(c - a);
        let size = n.norm2().sqrt();
        (size > 0.0).then(|| n * (1.0 / size))
    }
}

/// The way from a point to the nearest triangle, m.
fn nearest(x: &[P], p: V3<f64>, triangles: &[[u32; 3]]) -> Option<V3<f64>> {
    let way = |t: &[u32; 3]| {
        let found = vertex_triangle(p, t.map(|i| V3::from(x[i as usize])));
        (found.distance2, -found.delta)
    };
    triangles.iter().map(way).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, way)| way)
}
