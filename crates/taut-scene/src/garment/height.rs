//! At which height panels start. A pattern that was drafted for nobody in particular may put a waist around hips, where
//! nothing could draw it closed: rings of panels that are narrower than the body move up along it, to where they fit.

use super::curve::{Point, distance};
use super::pattern::{Edge, EdgeRef, Panel, Pattern};
use std::collections::{HashMap, HashSet};
use taut::mesh::TriMesh;

/// A ring stays where it is while the body is no larger than it by this part of its girth.
const TIGHT: f64 = 0.05;
/// One that moves goes to where the body is larger by no more than this part.
const FITS: f64 = 0.01;
/// Heights are looked at in steps of this, m.
const STEP: f64 = 0.01;
/// How far a ring moves at most, m.
const FARTHEST: f64 = 0.45;
/// No ring moves above this part of the body's height: there are shoulders.
const SHOULDERS: f64 = 0.78;
/// What has an outline of less than this part of the largest at its height is an arm.
const ARM: f64 = 0.6;

/// How far up the points of a panel start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Lift {
    /// How far those at the top of its ring go, m.
    pub by: f64,
    /// Heights (m) below which points stay, and above which they go all the way.
    between: [f64; 2],
}

impl Lift {
    /// How far up a point at a height goes, m.
    pub fn at(&self, height: f64) -> f64 {
        let [low, high] = self.between;
        if height >= high { self.by } else { self.by * ((height - low) / (high - low).max(1e-9)).clamp(0.0, 1.0) }
    }
}

impl Pattern {
    /// For each panel how far up it starts, so that a body lets its ring close. Notes what goes up.
    pub(super) fn lifts(&self, girths: &Girths) -> (Vec<Lift>, Vec<String>) {
        let rings = self.rings();
        let mut lifts: Vec<Lift> = Vec::new();
        let (mut of_panels, mut notes) = (vec![Lift::default(); self.panels.len()], Vec::new());
        for (at, ring) in rings.iter().enumerate() {
            // What hangs on a ring above goes along with it.
            let above = (0..at).rev().find(|&other| self.sewn_together(&ring.panels, &rings[other].panels));
            let by = ring.lift(girths, above.map_or(0.0, |other| lifts[other].by));
            // Legs of trousers are around those of the body already, and stay below their fork.
            let legs = ring.panels.iter().all(|&panel| self.is_beside(panel, girths.middle));
            let between = if legs { [girths.fork - by, ring.high] } else { [f64::MIN, f64::MIN] };
            let lift = Lift { by, between };
            if by > 0.0 {
                let names: Vec<&str> = ring.panels.iter().map(|&panel| self.panels[panel].name.as_str()).collect();
                let (names, up) = (names.join(", "), 100.0 * by);
                notes.push(format!("{names} start {up:.0} cm further up than the pattern says: they fit there"));
            }
            ring.panels.iter().for_each(|&panel| of_panels[panel] = lift);
            lifts.push(lift);
        }
        (of_panels, notes)
    }

    /// Whether a panel is on one side of the body.
    fn is_beside(&self, panel: usize, middle: f64) -> bool {
        let of = &self.panels[panel];
        let xs = of.outline.iter().flat_map(Edge::sketch).map(|point| of.placement.place(point)[0] - middle);
        let [low, high] = xs.fold([f64::MAX, f64::MIN], |[low, high], x| [low.min(x), high.max(x)]);
        (-low).min(high) < 0.2 * (high - low)
    }

    /// Upright panels that are sewn to each other side by side, from the top of the body to its bottom.
    fn rings(&self) -> Vec<Ring> {
        let heights: Vec<Option<[f64; 2]>> = self.panels.iter().map(heights).collect();
        let mut ring_of: Vec<usize> = (0..self.panels.len()).collect();
        for seam in &self.seams {
            for (a, b) in seam.sides[0].iter().flat_map(|a| seam.sides[1].iter().map(move |b| (a.panel, b.panel))) {
                if let (Some(p), Some(q)) = (heights[a], heights[b]) {
                    let shared = p[1].min(q[1]) - p[0].max(q[0]);
                    if shared > 0.5 * (p[1] - p[0]).min(q[1] - q[0]) {
                        let (from, to) = (ring_of[a].max(ring_of[b]), ring_of[a].min(ring_of[b]));
                        ring_of.iter_mut().filter(|ring| **ring == from).for_each(|ring| *ring = to);
                    }
                }
            }
        }
        let mut rings = Vec::new();
        for first in 0..self.panels.len() {
            let panels: Vec<usize> = (first..self.panels.len()).filter(|&p| ring_of[p] == first).collect();
            let of = panels.iter().filter_map(|&p| heights[p]).reduce(|p, q| [p[0].min(q[0]), p[1].max(q[1])]);
            if let Some([low, high]) = of {
                let girths = self.girths(&panels, low, high);
                rings.push(Ring { panels, high, girths });
            }
        }
        rings.sort_by(|a, b| b.high.total_cmp(&a.high));
        rings
    }

    /// How far around (m) panels reach at the heights (m) at which they are closed to a ring.
    fn girths(&self, panels: &[usize], low: f64, high: f64) -> Vec<[f64; 2]> {
        let within = |seam: &&super::Seam| seam.sides.iter().flatten().all(|at| panels.contains(&at.panel));
        let sewn: HashSet<EdgeRef> = self.seams.iter().filter(within).flat_map(|s| s.sides.concat()).collect();
        let count = ((high - low) / STEP).ceil().clamp(1.0, 1000.0) as usize;
        let at = |i: usize| low + (high - low) * (i as f64 + 0.5) / count as f64;
        (0..count).filter_map(|i| Some([at(i), self.girth(panels, &sewn, at(i))?])).collect()
    }

    /// Likewise at one height; nothing where a panel ends in an edge that is not sewn to another.
    fn girth(&self, panels: &[usize], sewn: &HashSet<EdgeRef>, height: f64) -> Option<f64> {
        let mut all = 0.0;
        for &panel in panels {
            let of = &self.panels[panel];
            let mut across = Vec::new();
            for (edge, shape) in of.edges().enumerate() {
                let points: Vec<Point> = shape.sketch().into_iter().chain([shape.to]).collect();
                for pair in points.windows(2) {
                    let [y, z] = [0, 1].map(|i| of.placement.place(pair[i])[1] - height);
                    if (y < 0.0) != (z < 0.0) {
                        let part = y / (y - z);
                        across.push(pair[0][0] + (pair[1][0] - pair[0][0]) * part);
                        if !sewn.contains(&EdgeRef { panel, edge }) {
                            return None;
                        }
                    }
                }
            }
            across.sort_by(f64::total_cmp);
            all += across.chunks_exact(2).map(|pair| pair[1] - pair[0]).sum::<f64>();
        }
        (all > 0.0).then_some(all)
    }

    fn sewn_together(&self, a: &[usize], b: &[usize]) -> bool {
        let reaches = |seam: &super::Seam, to: &[usize]| seam.sides.iter().flatten().any(|at| to.contains(&at.panel));
        self.seams.iter().any(|seam| reaches(seam, a) && reaches(seam, b))
    }
}

/// From where to where a panel reaches (m), if it stands upright.
fn heights(panel: &Panel) -> Option<[f64; 2]> {
    let upright = panel.placement.axes[1][1] > 0.95;
    let points = panel.outline.iter().flat_map(Edge::sketch).map(|point| panel.placement.place(point)[1]);
    upright.then(|| points.fold([f64::MAX, f64::MIN], |[low, high], y| [low.min(y), high.max(y)]))
}

/// Panels around the body.
struct Ring {
    panels: Vec<usize>,
    /// Where it ends, m.
    high: f64,
    /// Heights, and how far around it reaches there, m.
    girths: Vec<[f64; 2]>,
}

impl Ring {
    /// How far up it goes (m), at least by `base`.
    fn lift(&self, body: &Girths, base: f64) -> f64 {
        let excess = |lift: f64| {
            let beyond = |&[height, girth]: &[f64; 2]| body.at(height + lift) / girth - 1.0;
            self.girths.iter().map(beyond).fold(f64::MIN, f64::max)
        };
        if excess(base) < TIGHT {
            return base;
        }
        let most = (body.shoulders() - self.high).min(FARTHEST).max(base);
        let steps = ((most - base) / STEP) as usize;
        let mut best = (excess(base), base);
        for lift in (1..=steps).map(|i| base + i as f64 * STEP) {
            let of = excess(lift);
            // Not for a little.
            if of < best.0 - 1e-3 {
                best = (of, lift);
            }
            if of < FITS {
                break;
            }
        }
        best.1
    }
}

/// How far it is around a body, without its arms, at every height.
pub(super) struct Girths {
    low: f64,
    high: f64,
    /// The middle of the body across, m.
    middle: f64,
    /// Where legs begin, m.
    fork: f64,
    /// From the lowest height on, m.
    girths: Vec<f64>,
}

impl Girths {
    pub fn new(body: &TriMesh) -> Self {
        let range = |k: usize| {
            let all = body.positions.iter().map(|p| p[k]);
            all.fold([f64::MAX, f64::MIN], |[low, high], y| [low.min(y), high.max(y)])
        };
        let ([low, high], [left, right]) = (range(1), range(0));
        let count = ((high - low) / STEP).clamp(0.0, 1000.0) as usize;
        let height = |i: usize| low + (i as f64 + 0.5) * STEP;
        let found: Vec<(f64, usize)> = (0..count).map(|i| around(body, height(i))).collect();
        let fork = found.iter().rposition(|(_, loops)| *loops == 2).map_or(low, height);
        Girths {
            low,
            high,
            middle: 0.5 * (left + right),
            fork,
            girths: found.into_iter().map(|(girth, _)| girth).collect(),
        }
    }

    fn at(&self, height: f64) -> f64 {
        let step = (height - self.low) / STEP;
        if step < 0.0 { 0.0 } else { self.girths.get(step as usize).copied().unwrap_or(0.0) }
    }

    fn shoulders(&self) -> f64 {
        self.low + SHOULDERS * (self.high - self.low)
    }
}

/// How long a thread is (m) that goes around what a body has at a height, but for its arms; and how many things that
/// is: two legs.
fn around(body: &TriMesh, height: f64) -> (f64, usize) {
    let mut places: HashMap<[u32; 2], usize> = HashMap::new();
    let mut points: Vec<Point> = Vec::new();
    let mut loop_of: Vec<usize> = Vec::new();
    for t in &body.triangles {
        let mut ends = Vec::new();
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            let [p, q] = [a.min(b), a.max(b)].map(|v| body.positions[v as usize]);
            if (p[1] < height) != (q[1] < height) {
                let part = (height - p[1]) / (q[1] - p[1]);
                ends.push(*places.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                    points.push([p[0] + (q[0] - p[0]) * part, p[2] + (q[2] - p[2]) * part]);
                    loop_of.push(points.len() - 1);
                    points.len() - 1
                }));
            }
        }
        if let [a, b] = ends[..] {
            let (a, b) = (root(&mut loop_of, a), root(&mut loop_of, b));
            loop_of[a.max(b)] = a.min(b);
        }
    }
    let mut loops: HashMap<usize, Vec<Point>> = HashMap::new();
    for (at, point) in points.iter().enumerate() {
        loops.entry(root(&mut loop_of, at)).or_default().push(*point);
    }
    let lengths: HashMap<usize, f64> = loops.iter().map(|(&of, points)| (of, hull(points.clone()))).collect();
    let largest = lengths.values().copied().fold(0.0, f64::max);
    loops.retain(|of, _| lengths[of] >= ARM * largest);
    let count = loops.len();
    (hull(loops.into_values().flatten().collect()), count)
}

fn root(loop_of: &mut [usize], mut at: usize) -> usize {
    while loop_of[at] != at {
        loop_of[at] = loop_of[loop_of[at]];
        at = loop_of[at];
    }
    at
}

/// The length of the convex hull of points, m.
fn hull(mut points: Vec<Point>) -> f64 {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let chain = |points: &mut dyn Iterator<Item = Point>| {
        let mut out: Vec<Point> = Vec::new();
        for p in points {
            while let [.., a, b] = out[..] {
                if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0.0 {
                    break;
                }
                out.pop();
            }
            out.push(p);
        }
        out.windows(2).map(|pair| distance(pair[0], pair[1])).sum::<f64>()
    };
    chain(&mut points.iter().copied()) + chain(&mut points.iter().rev().copied())
}
