//! Bounds on stretch at the end of a step: sweeps that visit only what may be beyond one.
//!
//! All shapes within bounds on lengths are a convex set, contacts with fixed normals are half-spaces, and so are
//! separation planes: going to each in turn, again and again, leads to where all hold, if there is such a place. What
//! contact does is called between rounds.

use super::rest::rest_edges;
use super::{RestEdge, RestTet, RestTriangle, StretchBounds};
use crate::constraint::bounded::{
    AnyBound, AreaBound, Bounded, EdgeBound, LEAST_BOUND, LineBound, MostUsed, Restrain, ThreadBound, Unbound,
    VolumeBound, WovenBound, used_by,
};
use crate::constraint::one_sided::{LOOSE, OneSided};
use crate::constraint::{ActiveSet, Batch, BatchTiles, Loose, Marks, MoveBeside, Round, Sweep};
use crate::lanes::{BLOCK, Scalar, Shared, Vertex, xyz};
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU64, Ordering};

/// How fast displacements count as: as if they had taken a step over this, or the last substep over [`KAPPA`],
/// whichever is slower. They mend what went wrong in all of that time; as fast as the shortest of substeps they would
/// throw vertices about.
const HASTE: f64 = 5.0;
/// How much of the displacements counts as velocity at most. All of it over cloth that is not quite solved made it gain
/// energy; none of it left the motion behind what bounds do, for them to do again.
const KAPPA: f64 = 0.5;
/// Bounds that contradict each other, or contact, are seen by displacements that become neither smaller nor fewer: the
/// largest, or the number of blocks with any, since the number of rounds was last a power of two must have fallen to
/// these parts of that before. What has to spread over cloth falls to 0.7; between pins too far apart it fell to 0.78.
const FALL: f64 = 0.77;
const FEWER: f64 = 0.85;
/// From so many rounds on; and from as many as cloth has vertices from end to end, twice over: until then what is
/// beyond its bounds may be on its way through the cloth.
const LOOK_FROM: u32 = 256;

/// Rows go this much farther than to their goal, over-relaxed, from the third round on. What two rounds mend is mended
/// with least motion; what has to spread over cloth takes a fifth of the rounds: over n rows the best is 2 / (1 + sin
/// π/n). A dress on straps that a bar jerks away stalled at 2.25 times its bound without; with 1.5 it used 1.36 of it.
const OVER: f64 = 1.95;
const OVER_FROM: u32 = 2;
/// Over-relaxed rounds may also never settle: cloth that two boxes closed upon went to and fro by a third of an edge,
/// where 0.5 % was allowed. So where displacements do not fall, rows go less far over their goal from then on, once so
/// many rounds are done.
const EASE_FROM: u32 = 128;
const LEAST_OVER: f64 = 1.25;

/// A triangle of cloth that may be stretched so far.
pub(crate) struct BoundedTriangle {
    pub rest: RestTriangle,
    pub bounds: StretchBounds,
}

impl BoundedTriangle {
    /// Threads that may be only so much shorter.
    fn squeezed(&self) -> impl Iterator<Item = BoundedLine> + use<> {
        let (corners, rest) = (self.rest.vertices, self.rest.inverse());
        let shorter = [self.bounds.weft_shorter, self.bounds.warp_shorter];
        let lines = rest.map(|[p, q, r, s]| [([p, q], shorter[0]), ([r, s], shorter[1])]);
        let line = move |(along, shorter)| BoundedLine { corners, along, most: f64::INFINITY, shorter };
        lines.into_iter().flatten().filter(|l| l.1 < 1.0).map(line)
    }
}

/// Two vertices that may be so far apart.
pub(crate) struct BoundedEdge {
    pub ends: [u32; 2],
    /// At rest, m.
    pub length: f64,
    /// Strain.
    pub most: f64,
    /// How much shorter it may be, over the length at rest.
    pub shorter: f64,
}

/// A triangle that may be stretched so far along a direction.
#[derive(Clone, Copy)]
pub(crate) struct BoundedLine {
    pub corners: [u32; 3],
    /// The coefficients (a, b) of F u = a (x1 − x0) + b (x2 − x0), 1/m.
    pub along: [f64; 2],
    /// Strain.
    pub most: f64,
    /// How much shorter it may be.
    pub shorter: f64,
}

/// A tetrahedron that may be so much larger and smaller.
pub(crate) struct BoundedTet {
    pub rest: RestTet,
    /// How much larger and smaller its volume may be, over that at rest.
    pub most: f64,
    pub less: f64,
}

/// What has bounds.
#[derive(Default)]
pub(crate) struct BoundedElements {
    pub triangles: Vec<BoundedTriangle>,
    pub edges: Vec<BoundedEdge>,
    pub lines: Vec<BoundedLine>,
    pub tets: Vec<BoundedTet>,
}

impl BoundedElements {
    /// Adds the tetrahedra of a solid, and their edges if those have a bound.
    pub fn add_solid(&mut self, tets: &[RestTet], bounds: &StretchBounds) {
        let StretchBounds { edge, edge_shorter, volume, volume_less, .. } = *bounds;
        self.tets.extend(tets.iter().map(|&rest| BoundedTet { rest, most: volume, less: volume_less }));
        if edge < f64::INFINITY || edge_shorter < 1.0 {
            let edges = rest_edges(tets.iter().flat_map(RestTet::sides));
            let bounded =
                |e: &RestEdge| BoundedEdge { ends: e.vertices, length: e.length, most: edge, shorter: edge_shorter };
            self.edges.extend(edges.iter().map(bounded));
        }
    }
}

/// The elements with bounds.
#[derive(Debug)]
pub(crate) struct EndLimit<T> {
    edges: Batch<T, 2, 3, 0>,
    threads: Batch<T, 3, 6, 0>,
    woven: Batch<T, 3, 7, 0>,
    any: Batch<T, 3, 5, 0>,
    lines: Batch<T, 3, 4, 0>,
    areas: Batch<T, 3, 6, 0>,
    volumes: Batch<T, 4, 3, 0>,
    active: ActiveSet,
    vertices: usize,
    /// Whether no vertex is held.
    free: bool,
    /// The largest squared displacement of this, the next and the last round, in turn, m².
    farthest: [AtomicU64; 3],
}

impl<T> Default for EndLimit<T> {
    fn default() -> Self {
        EndLimit {
            edges: Batch::default(),
            threads: Batch::default(),
            woven: Batch::default(),
            any: Batch::default(),
            lines: Batch::default(),
            areas: Batch::default(),
            volumes: Batch::default(),
            active: ActiveSet::default(),
            vertices: 0,
            free: true,
            farthest: Default::default(),
        }
    }
}

impl<T: Scalar> EndLimit<T> {
    /// `pins` are the held vertices, ascending: what is between them alone is where it is. No number is `vertices` or
    /// more.
    pub fn new(elements: &BoundedElements, vertices: usize, pins: &[u32]) -> Self {
        let BoundedElements { triangles, edges, lines, tets } = elements;
        let spare = vertices as u32;
        let fixed = |v: u32| pins.binary_search(&v).is_ok();
        let bounds = |most: f64, shorter: f64| most < f64::INFINITY || shorter < 1.0;
        let free = |e: &&BoundedEdge| bounds(e.most, e.shorter) && e.length > 0.0 && !e.ends.iter().all(|&v| fixed(v));
        let edge = |e: &BoundedEdge| Loose::bare(e.ends, [e.length, least(e.most), least(e.shorter)]);
        let edges: Vec<_> = edges.iter().filter(free).map(edge).collect();
        let led = |l: &&BoundedLine| bounds(l.most, l.shorter) && movable(l.along, l.corners, fixed);
        let line = |l: &BoundedLine| Loose::bare(l.corners, [l.along[0], l.along[1], least(l.most), least(l.shorter)]);
        let squeezed = triangles.iter().flat_map(BoundedTriangle::squeezed);
        let lines: Vec<_> = lines.iter().copied().chain(squeezed).filter(|l| led(&l)).map(|l| line(&l)).collect();
        let (mut threads, mut woven, mut any, mut areas) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for t in triangles {
            let Some([p, q, r, s]) = t.rest.inverse() else { continue };
            let bound =
                |along: [f64; 2], most: f64| if movable(along, t.rest.vertices, fixed) { least(most) } else { LOOSE };
            let StretchBounds { weft, warp, shear, any: most, area, area_less, .. } = t.bounds;
            let [weft, warp] = [bound([p, q], weft), bound([r, s], warp)];
            if shear < 1.0 && !t.rest.vertices.iter().all(|&v| fixed(v)) {
                woven.push(Loose::bare(t.rest.vertices, [p, q, r, s, weft, warp, shear.max(LEAST_BOUND)]));
            } else if weft < LOOSE || warp < LOOSE {
                threads.push(Loose::bare(t.rest.vertices, [p, q, r, s, weft, warp]));
            }
            if most < f64::INFINITY && !t.rest.vertices.iter().all(|&v| fixed(v)) {
                any.push(Loose::bare(t.rest.vertices, [p, q, r, s, least(most)]));
            }
            if bounds(area, area_less) && !t.rest.vertices.iter().all(|&v| fixed(v)) {
                areas.push(Loose::bare(t.rest.vertices, [p, q, r, s, least(area), least(area_less)]));
            }
        }
        let room = |t: &&BoundedTet| {
            bounds(t.most, t.less) && (1.0 / t.rest.det()).is_finite() && !t.rest.vertices.iter().all(|&v| fixed(v))
        };
        let tet = |t: &BoundedTet| Loose::bare(t.rest.vertices, [1.0 / t.rest.det(), least(t.most), least(t.less)]);
        let volumes: Vec<_> = tets.iter().filter(room).map(tet).collect();
        let (edges, threads) = (Batch::pack(&edges, spare), Batch::pack(&threads, spare));
        let (woven, any, lines) = (Batch::pack(&woven, spare), Batch::pack(&any, spare), Batch::pack(&lines, spare));
        let (areas, volumes) = (Batch::pack(&areas, spare), Batch::pack(&volumes, spare));
        let active = ActiveSet::new(&[
            BatchTiles::of(&edges),
            BatchTiles::of(&threads),
            BatchTiles::of(&woven),
            BatchTiles::of(&any),
            BatchTiles::of(&lines),
            BatchTiles::of(&areas),
            BatchTiles::of(&volumes),
        ]);
        let free = pins.is_empty();
        let farthest = Default::default();
        EndLimit { active, edges, threads, woven, any, lines, areas, volumes, vertices, free, farthest }
    }

    pub fn bytes(&self) -> usize {
        let lists = size_of_val(self.edges.blocks()) + size_of_val(self.threads.blocks());
        let more = size_of_val(self.woven.blocks()) + size_of_val(self.any.blocks()) + size_of_val(self.lines.blocks());
        let last = size_of_val(self.areas.blocks()) + size_of_val(self.volumes.blocks());
        lists + more + last + self.active.bytes()
    }

    /// Elements.
    pub fn count(&self) -> usize {
        let lengths = self.edges.count + self.threads.count + self.woven.count + self.any.count + self.lines.count;
        lengths + self.areas.count + self.volumes.count
    }

    /// The numbers of the first blocks of batches after the first.
    fn firsts(&self) -> [usize; 6] {
        let threads = self.edges.blocks().len();
        let woven = threads + self.threads.blocks().len();
        let any = woven + self.woven.blocks().len();
        let lines = any + self.any.blocks().len();
        let areas = lines + self.lines.blocks().len();
        [threads, woven, any, lines, areas, areas + self.areas.blocks().len()]
    }

    /// Calls `f` for the corners of every element.
    pub fn for_each_element(&self, mut f: impl FnMut(&[u32])) {
        self.edges.elements().for_each(|e| f(&e.vertices()));
        self.threads.elements().for_each(|e| f(&e.vertices()));
        self.woven.elements().for_each(|e| f(&e.vertices()));
        self.any.elements().for_each(|e| f(&e.vertices()));
        self.lines.elements().for_each(|e| f(&e.vertices()));
        self.areas.elements().for_each(|e| f(&e.vertices()));
        self.volumes.elements().for_each(|e| f(&e.vertices()));
    }

    /// Calls `f` for the corners of every element, in the order of [`for_each_element`](Self::for_each_element), and
    /// with how much of its bounds it uses at `x`, m.
    pub fn for_each_use(&self, x: &[Vertex<T>], mut f: impl FnMut(&[u32], f64)) {
        uses::<EdgeBound, T, 2, 3>(&self.edges, x, &mut f);
        uses::<ThreadBound, T, 3, 6>(&self.threads, x, &mut f);
        uses::<WovenBound, T, 3, 7>(&self.woven, x, &mut f);
        uses::<AnyBound, T, 3, 5>(&self.any, x, &mut f);
        uses::<LineBound, T, 3, 4>(&self.lines, x, &mut f);
        uses::<AreaBound, T, 3, 6>(&self.areas, x, &mut f);
        uses::<VolumeBound, T, 4, 3>(&self.volumes, x, &mut f);
    }

    /// The same for those that use more than `part` of their bounds.
    pub fn for_each_beyond(&self, x: &[Vertex<T>], part: f64, mut f: impl FnMut(&[u32], f64)) {
        self.for_each_use(x, |corners, used| {
            if used > part {
                f(corners, used);
            }
        });
    }
}

fn uses<E: Bounded<V, P>, T: Scalar, const V: usize, const P: usize>(
    batch: &Batch<T, V, P, 0>,
    x: &[Vertex<T>],
    f: &mut impl FnMut(&[u32], f64),
) {
    for e in batch.elements() {
        let corners = e.vertices();
        let at = corners.map(|v| {
            let [a, b, c] = xyz(x[v as usize]);
            [a, b, c, 0.0]
        });
        f(&corners, used_by::<E, V, P>(&at, e.rest()));
    }
}

/// A bound that can be computed with.
fn least(most: f64) -> f64 {
    most.clamp(LEAST_BOUND, LOOSE)
}

/// Whether corners have a say in a length along (a, b) which are not `fixed`.
fn movable([a, b]: [f64; 2], corners: [u32; 3], fixed: impl Fn(u32) -> bool) -> bool {
    let parts = [-a - b, a, b].map(f64::abs);
    let most = parts.iter().copied().fold(0.0, f64::max);
    (0..3).any(|k| parts[k] > 0.01 * most && !fixed(corners[k]))
}

/// Positions that bounds move.
#[derive(Clone, Copy)]
pub(crate) struct EndPositions<'a, T> {
    pub x: Shared<'a, Vertex<T>>,
    /// x̃.
    pub x_predicted: Shared<'a, Vertex<T>>,
    /// How much velocity a displacement of x over x̃ means, times the substep's length.
    pub gain: f64,
    /// The substep's part of the step.
    pub part: f64,
}

impl<T> EndPositions<'_, T> {
    /// How much of a displacement x̃ does too, if so much of it is to count as velocity over the substep.
    fn still(&self, kappa: f64) -> f64 {
        1.0 - kappa / self.gain.max(1e-3)
    }

    /// How much of a displacement of x counts as velocity in any case, over the substep.
    pub fn kappa(&self) -> f64 {
        KAPPA.min(HASTE * self.part)
    }

    fn follows(&self) -> f64 {
        self.still(self.kappa())
    }
}

/// What happens where rounds do not seem to lead anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// They go on for long, less far over their goals.
    Much,
    /// They end: there is another way.
    Little,
}

/// What came of bringing elements within their bounds.
pub(crate) struct Passed {
    /// How many rounds it took.
    pub rounds: u32,
    /// Whether that was enough.
    pub met: bool,
    /// Whether nothing moves any more: then all elements are known to be within their bounds.
    pub still: bool,
}

/// What moves vertices between rounds: gets tiles in which something was moved, adds the vertices that it moves, and
/// has x̃ follow by this part of it.
pub(crate) type Beside<'a> = &'a mut dyn FnMut(&[u32], &Marks, f64);

/// Contact acts after the first rounds, and then after every so many: it costs as much as they do.
const CONTACT_EVERY: u32 = 3;

impl<T: Scalar> EndLimit<T> {
    /// Brings every element within its bounds, in at most `rounds`, with what acts `beside` them.
    pub fn pass(
        &self,
        sweep: Sweep<'_>,
        at: EndPositions<'_, T>,
        (rounds, patience): (u32, Patience),
        mut beside: Option<Beside<'_>>,
    ) -> Passed {
        if self.count() == 0 {
            return Passed { rounds: 0, met: true, still: true };
        }
        let mut still = at.follows();
        let mut round = self.active.first(sweep.worker);
        let mut progress = Progress::new(self.vertices, patience);
        // Areas and volumes give way where they contradict lengths, or contact.
        let may_yield = patience == Patience::Much && self.areas.count + self.volumes.count > 0;
        let mut yielded = false;
        loop {
            let over = if round.number >= OVER_FROM { progress.over } else { 1.0 };
            let farthest = self.round(sweep, round, [still, over], yielded, at);
            let tiles = |b: usize, lanes: u16, tiles: &Marks| self.add_tiles(b, lanes, tiles);
            let mut contact = beside.as_mut().map(|f| |tiles: &[u32], moved: &Marks| f(tiles, moved, still));
            let contact = contact.as_mut().map(|f| f as MoveBeside<'_>);
            let now = farthest == 0.0 || round.number < 2 || round.number.is_multiple_of(CONTACT_EVERY);
            round = self.active.collect(sweep.worker, round, tiles, contact, now);
            if round.number == 1 && self.free {
                // Over cloth that nothing else holds, where nearly all is beyond its bounds, velocities would grow
                // without end. Of what hangs by pins they would do so if bounds did not stop them.
                still = at.still(at.kappa() * (2.0 - 2.0 * self.active.part()).clamp(0.0, 1.0));
            }
            let (ended, stalls) = (round.count == 0 || round.number >= rounds, progress.stalls(round, farthest));
            if may_yield && !yielded && !ended && (stalls || round.number >= rounds / 2) {
                yielded = true;
                progress = Progress::new(self.vertices, patience);
            } else if ended || stalls {
                // Contact may go on about its last digits where no bound has anything to do.
                let met = !yielded && (round.count == 0 || farthest == 0.0);
                if !met {
                    let mut contact = beside.as_mut().map(|f| |tiles: &[u32], moved: &Marks| f(tiles, moved, still));
                    self.active.end(sweep.worker, contact.as_mut().map(|f| f as MoveBeside<'_>));
                }
                return Passed { rounds: round.number, met, still: met && round.count == 0 };
            }
        }
    }

    fn add_tiles(&self, block: usize, lanes: u16, tiles: &Marks) {
        let [threads, woven, any, lines, areas, volumes] = self.firsts();
        match block {
            b if b < threads => tiles.add_tiles(&self.edges.blocks()[b], lanes),
            b if b < woven => tiles.add_tiles(&self.threads.blocks()[b - threads], lanes),
            b if b < any => tiles.add_tiles(&self.woven.blocks()[b - woven], lanes),
            b if b < lines => tiles.add_tiles(&self.any.blocks()[b - any], lanes),
            b if b < areas => tiles.add_tiles(&self.lines.blocks()[b - lines], lanes),
            b if b < volumes => tiles.add_tiles(&self.areas.blocks()[b - areas], lanes),
            b => tiles.add_tiles(&self.volumes.blocks()[b - volumes], lanes),
        }
    }

    /// One round over what is active: how much x̃ does too, and how far rows go over the way to their goal; and
    /// whether areas and volumes have given way. Returns the largest squared displacement, m², the same to all.
    fn round(&self, sweep: Sweep<'_>, round: Round, how: [f64; 2], yielded: bool, at: EndPositions<'_, T>) -> f64 {
        let slot = |number: u32| &self.farthest[(number % 3) as usize];
        if let Some(worker) = round.workers(sweep.worker) {
            let sweep = Sweep { worker, ..sweep };
            let [threads, woven, any, lines, areas, volumes] = self.firsts();
            let mut most = if yielded {
                let areas = self.restrain::<Unbound, 3, 6>(sweep, &self.areas, areas, round, how, at);
                areas.max(self.restrain::<Unbound, 4, 3>(sweep, &self.volumes, volumes, round, how, at))
            } else {
                let areas = self.restrain::<AreaBound, 3, 6>(sweep, &self.areas, areas, round, how, at);
                areas.max(self.restrain::<VolumeBound, 4, 3>(sweep, &self.volumes, volumes, round, how, at))
            };
            most = most.max(self.restrain::<EdgeBound, 2, 3>(sweep, &self.edges, 0, round, how, at));
            most = most.max(self.restrain::<ThreadBound, 3, 6>(sweep, &self.threads, threads, round, how, at));
            most = most.max(self.restrain::<WovenBound, 3, 7>(sweep, &self.woven, woven, round, how, at));
            most = most.max(self.restrain::<AnyBound, 3, 5>(sweep, &self.any, any, round, how, at));
            most = most.max(self.restrain::<LineBound, 3, 4>(sweep, &self.lines, lines, round, how, at));
            slot(round.number).fetch_max(most.to_bits(), Ordering::Relaxed);
        }
        sweep.worker.sync();
        // Nobody writes the next slot before all have met again, and nobody reads it any more.
        if sweep.worker.id() == 0 {
            slot(round.number + 1).store(0, Ordering::Relaxed);
        }
        f64::from_bits(slot(round.number).load(Ordering::Relaxed))
    }

    fn restrain<E: OneSided<V, P>, const V: usize, const P: usize>(
        &self,
        sweep: Sweep<'_>,
        batch: &Batch<T, V, P, 0>,
        first: usize,
        round: Round,
        [still, over]: [f64; 2],
        at: EndPositions<'_, T>,
    ) -> f64 {
        if batch.count == 0 {
            return 0.0;
        }
        let moved = self.active.marks(batch, first);
        let mut kernel = Restrain::<E, T> { still, over, moved, farthest: [T::of(0.0); BLOCK], kind: PhantomData };
        sweep.run_active(self.active.blocks(round, first), batch, [at.x, at.x_predicted], &mut kernel);
        kernel.farthest.iter().fold(0.0, |most, by| f64::max(most, by.f64()))
    }

    /// Of this worker's chunk of the elements: how much of its bounds the worst uses, and the largest strain of a
    /// length with a bound.
    pub fn used(&self, sweep: Sweep<'_>, x: Shared<'_, Vertex<T>>) -> [f64; 2] {
        let edges = look::<EdgeBound, T, 2, 3>(sweep, &self.edges, x);
        let threads = look::<ThreadBound, T, 3, 6>(sweep, &self.threads, x);
        let woven = look::<WovenBound, T, 3, 7>(sweep, &self.woven, x);
        let any = look::<AnyBound, T, 3, 5>(sweep, &self.any, x);
        let lines = look::<LineBound, T, 3, 4>(sweep, &self.lines, x);
        let areas = look::<AreaBound, T, 3, 6>(sweep, &self.areas, x);
        let volumes = look::<VolumeBound, T, 4, 3>(sweep, &self.volumes, x);
        let all = [edges, threads, woven, any, lines, areas, volumes];
        [0, 1].map(|k| all.iter().map(|used| used[k]).fold(0.0, f64::max))
    }
}

fn look<E: Bounded<V, P>, T: Scalar, const V: usize, const P: usize>(
    sweep: Sweep<'_>,
    batch: &Batch<T, V, P, 0>,
    x: Shared<'_, Vertex<T>>,
) -> [f64; 2] {
    let mut most = MostUsed::<E, T>::new();
    if batch.count > 0 {
        sweep.look(batch, [x], &mut most);
    }
    most.most()
}

/// Whether rounds still lead anywhere.
struct Progress {
    /// How far rows go, over the way to their goal; and how far where that does not settle.
    over: f64,
    least_over: f64,
    /// Rounds from which that is asked.
    from: u32,
    /// The largest squared displacement (m²) and the least number of active blocks before the number of rounds was last
    /// a power of two, and since.
    before: [f64; 2],
    since: [f64; 2],
}

impl Progress {
    fn new(vertices: usize, patience: Patience) -> Self {
        let across = 2 * (vertices as f64).sqrt() as u32;
        let (least_over, from) = match patience {
            Patience::Much => (LEAST_OVER, LOOK_FROM),
            Patience::Little => (OVER, EASE_FROM),
        };
        Progress { over: OVER, least_over, from: from.max(across), before: NOTHING, since: NOTHING }
    }

    fn stalls(&mut self, round: Round, farthest: f64) -> bool {
        // As far as it would have been without going over: that alone must not look like progress.
        let plain = farthest / (self.over * self.over);
        self.since = [self.since[0].max(plain), self.since[1].min(round.count as f64)];
        if !round.number.is_power_of_two() {
            return false;
        }
        let (before, since) = (self.before, core::mem::replace(&mut self.since, NOTHING));
        self.before = since;
        if round.number < EASE_FROM || since[0] < FALL * FALL * before[0] || since[1] < FEWER * before[1] {
            return false;
        }
        if self.over > self.least_over {
            self.over = self.least_over;
            return false;
        }
        round.number >= self.from
    }
}

/// Of no rounds.
const NOTHING: [f64; 2] = [0.0, f64::INFINITY];
