//! Cloth that keeps its length at low cost.
//!
//! A sweep over the elements carries a force one element further, so fine cloth needs many of them, or it hangs like
//! rubber. Two things here carry forces further, each cheap, and one-sided, so that they never stiffen a fold:
//!
//! 1. **A hierarchy of coarse nodes** ([`hierarchy`]): lattices over the flattened cloth, each twice as wide as the one
//!    below. A node is the mean of its vertices by mass and weight, x̄_I = Σ P_iI m_i x_i / Σ P_iI m_i; triangles of
//!    nodes are kept from stretching along weft and warp; what that moves the nodes by, Δ, goes back to the vertices as
//!    x_i += Σ P_iI Δ_I, which keeps linear momentum: Σ m_i P_iI = M_I, the node's mass.
//! 2. **Long-range attachments**, or tethers ([`tether`]), from held vertices, as long as the way along the cloth.
//!
//! What is stretched too far after all that is brought within its bounds at the end of an interval, together with
//! contact ([`EndLimit`], of a lower layer); which elements have bounds is found here.
//!
//! Stiff solids have a hierarchy too ([`solid`]): lattices in space, whose nodes are kept in shape by what is rigid
//! around each ([`cluster`]).
//!
//! Everything is built from the rest shape and the set of held vertices, when a step first needs it.

mod blend;
mod body;
mod border;
mod build;
mod chart;
mod cluster;
mod geodesic;
mod hierarchy;
mod lattice;
pub(crate) mod rotation;
mod sheet;
mod solid;
#[cfg(test)]
mod solid_tests;
mod substeps;
#[cfg(test)]
mod tests;
mod tether;
mod transfer;
mod web;

use crate::constraint::{Batch, Elements, Stops, Sweep, Visit};
use crate::element::Element;
use crate::lanes::{Scalar, Shared, Vertex};
use crate::limit::{BoundedElements, BoundedLine, EndLimit, StretchBounds, stops, tets_of_batch};
use crate::sets::DisjointSets;
use core::ops::Range;
use hierarchy::Hierarchy;
use sheet::RestSheet;
use solid::Solids;
use substeps::{SubstepControl, TurnProbe};
use tether::Tethers;

/// How cloth is kept from stretching beyond what sweeps over its elements achieve. Nothing, by default.
///
/// Bounds at the end of a step are those of the model ([`LimitSpec`](crate::limit::LimitSpec)), body by body, and
/// [`max_stretch`](Self::max_stretch) for all cloth. They hold along soft directions too, and need nothing else of
/// this.
///
/// Along which of weft and warp levels and tethers hold a cloth follows from its material: where at least half of a
/// stretch row's error is removed by a sweep, or its modulus is so high that four times the cloth's own weight
/// stretches it by less than one percent, or by less than [`max_stretch`](Self::max_stretch) if that is less. Softer
/// directions are left to the material, up to their bounds.
///
/// Solids have levels, and nothing else, each body that hangs together on its own: where a sweep removes at least half
/// of the error of every strain, or the body's own weight, if it were clamped at one end, would strain its skin by less
/// than a quarter of [`max_stretch`](Self::max_stretch), or of one percent if that is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inextensibility {
    /// Most levels of coarse nodes; 0 for none.
    pub levels: u32,
    /// Sweeps over each level in a substep.
    pub sweeps: u32,
    /// Whether vertices are tethered to held ones.
    pub tethers: bool,
    /// A bound on the tension of all cloth along weft and warp, and of edges that are projected, at the end of a step:
    /// 0.01 is one percent longer than at rest. 0 for none but those of the model.
    pub max_stretch: f64,
    /// Most rounds over what is beyond its bounds, in each turn at the end of an interval. If they run out, or lead
    /// nowhere, motion is given up, as [`InextensibilityReport::given_up`] says; what is beyond even then is
    /// [`unmet`](InextensibilityReport::unmet) and [`missed`](InextensibilityReport::missed).
    pub rounds: u32,
}

impl Inextensibility {
    /// Nothing.
    pub const NONE: Inextensibility =
        Inextensibility { levels: 0, sweeps: 3, tethers: false, max_stretch: 0.0, rounds: 1500 };

    /// Everything, to keep stretch of all cloth within `max_stretch` (0.01 is one percent), soft directions too. Meant
    /// for [`Params::substeps`](crate::Params::substeps) 0: as many as the cloth needs.
    pub fn within(max_stretch: f64) -> Inextensibility {
        Inextensibility { levels: 12, tethers: true, max_stretch, ..Inextensibility::NONE }
    }

    /// Whether it does anything.
    pub fn acts(&self) -> bool {
        self.levels > 0 || self.tethers || self.max_stretch > 0.0
    }
}

impl Default for Inextensibility {
    fn default() -> Self {
        Inextensibility::NONE
    }
}

/// What keeping cloth from stretching did in a step, and what with; all zero without.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InextensibilityReport {
    /// Substeps made, or the most in a step; 0 if nothing was to be held.
    pub substeps: u32,
    /// Whether they began with the forces of the one before, because the cloth is soft somewhere.
    pub warm_start: bool,
    /// Levels of coarse nodes, over cloth or in solids, whichever has more.
    pub levels: u32,
    /// Nodes in all of them.
    pub nodes: u64,
    /// Charts that the cloth was flattened into.
    pub charts: u64,
    /// Tethers.
    pub tethers: u64,
    /// Elements with bounds: edges, or triangles. Those that only held vertices have a say in have none.
    pub limited: u64,
    /// Memory of all of it.
    pub bytes: u64,
    /// Rounds over what was beyond its bounds, in all turns of all intervals together.
    pub rounds: u64,
    /// Intervals that ended with something beyond its bounds by more than half a percent of them, after all else
    /// failed.
    pub unmet: u64,
    /// The largest stretch of a length with a bound at the end of the step, on the positions that are returned, over
    /// its length at rest.
    pub stretch: f64,
    /// How much of its bounds the worst element uses there: 1 is all of it, more is beyond.
    pub used: f64,
    /// Vertices whose motion was given up because bounds and contact could not be met otherwise.
    pub given_up: u64,
    /// What is beyond its bounds by more than a hundredth of them, if anything is.
    pub missed: Option<MissedBound>,
}

/// Elements that are beyond their bounds, and what holds them there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MissedBound {
    /// How many elements are.
    pub elements: u64,
    /// The vertices of the worst, in the user's numbers; an edge's second twice.
    pub corners: [u32; 3],
    /// Where it is, m.
    pub at: [f64; 3],
    /// How much of its bounds it uses: 2 is twice as far as it may be stretched.
    pub used: f64,
    /// Held vertices at the ends of what hangs together with it beyond its bounds, in the user's numbers: pins that
    /// pull it apart.
    pub pins: [Option<u32>; 2],
    /// Whether something touches any of that: what it is stretched over, or stopped by.
    pub touching: bool,
}

impl InextensibilityReport {
    /// This and what came after: rounds, unmet intervals and motion given up together, the most substeps, the largest
    /// stretch and the worst miss of both; the rest as of the later.
    pub fn then(self, later: InextensibilityReport) -> InextensibilityReport {
        InextensibilityReport {
            substeps: self.substeps.max(later.substeps),
            rounds: self.rounds + later.rounds,
            unmet: self.unmet + later.unmet,
            stretch: self.stretch.max(later.stretch),
            used: self.used.max(later.used),
            given_up: self.given_up + later.given_up,
            missed: match (self.missed, later.missed) {
                (Some(a), Some(b)) => Some(if b.used > a.used { b } else { a }),
                (a, b) => a.or(b),
            },
            ..later
        }
    }
}

/// What holds a model's cloth and solids, as long as its held vertices stay the same.
#[derive(Debug)]
pub(crate) struct Inextensible<T: Scalar> {
    key: Option<BuildKey>,
    levels: Hierarchy<T, 3>,
    boundary: Hierarchy<T, 3>,
    /// Of solids. In double precision: far from the origin single would lose what clusters look for.
    solid: Solids<T>,
    tethers: Tethers<T>,
    limit: EndLimit<T>,
    /// The same bounds, where cloth becomes stiff before them.
    stops: Stops,
    /// What hangs together, by vertex: numbers from 0 on, and how many.
    pieces: (Vec<u32>, usize),
    charts: u64,
    /// Whether there is more than bounds.
    acts: bool,
    substeps: SubstepControl,
    probe: TurnProbe,
}

#[derive(Debug, PartialEq)]
struct BuildKey {
    model: Identity,
    settings: Inextensibility,
    bounds: Vec<StretchBounds>,
    gravity: [f64; 3],
    held: Vec<u32>,
}

/// What of a model levels are built from. Vertices are in the user's order.
pub(crate) struct RestModel<'a, T> {
    pub identity: &'a Identity,
    pub elements: &'a Elements<T>,
    pub slanted: &'a [SlantedThread],
    /// m.
    pub positions: &'a [[f64; 3]],
    /// kg.
    pub masses: &'a [f64],
    /// The user's number of each vertex, by the model's.
    pub user: &'a [u32],
    /// Which bodies triangles belong to, and how far each body may be stretched.
    pub owners: &'a TriangleOwners,
    pub bounds: Vec<StretchBounds>,
    /// And how far each of a body's triangles, or none.
    pub limits: Vec<&'a [StretchBounds]>,
    /// Solids with bounds.
    pub solids: Vec<BoundedSolid>,
}

/// A solid with bounds at the end of a step.
pub(crate) struct BoundedSolid {
    pub bounds: StretchBounds,
    /// Which of its kind's tetrahedra are its own, and whether it is the kind with plain rows.
    pub elements: Range<usize>,
    pub plain: bool,
}

/// Which bodies triangles belong to: bodies may have vertices in common, and triangles.
#[derive(Clone, Debug, Default)]
pub(crate) struct TriangleOwners {
    /// Corners, ascending, in the model's numbers, and a body with the number of a triangle there; ascending.
    list: Vec<([u32; 3], [u32; 2])>,
}

impl TriangleOwners {
    pub fn new(triangles: impl Iterator<Item = ([u32; 3], [u32; 2])>) -> Self {
        let mut list: Vec<_> = triangles.map(|(corners, body)| (ascending(corners), body)).collect();
        list.sort_unstable();
        list.dedup();
        TriangleOwners { list }
    }

    fn of(&self, corners: [u32; 3]) -> impl Iterator<Item = [u32; 2]> {
        let corners = ascending(corners);
        let first = self.list.partition_point(|t| t.0 < corners);
        self.list[first..].iter().take_while(move |t| t.0 == corners).map(|t| t.1)
    }
}

fn ascending(mut corners: [u32; 3]) -> [u32; 3] {
    corners.sort_unstable();
    corners
}

/// A warp thread of a triangle that does not run across weft, because the texture coordinates do not: bounds are for
/// what a person calls warp, and for what the material does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlantedThread {
    pub corners: [u32; 3],
    /// The coefficients (a, b) of F u = a (x1 − x0) + b (x2 − x0) along it, 1/m.
    pub along: [f64; 2],
}

impl<T> RestModel<'_, T> {
    /// How far a triangle may be stretched, as all bodies say that it belongs to; `max_stretch` (0 for none) along its
    /// threads.
    fn bounds_of(&self, corners: [u32; 3], max_stretch: f64) -> StretchBounds {
        let own = self.owners.of(corners).fold(StretchBounds::NONE, |all, [body, triangle]| {
            let all = all.and(&self.bounds[body as usize]);
            let own = self.limits[body as usize].get(triangle as usize);
            own.map_or(all, |own| all.and(own))
        });
        if max_stretch > 0.0 { own.and(&StretchBounds::threads(max_stretch)) } else { own }
    }

    /// Where vertices are at rest, m, in the model's order.
    pub fn places(&self) -> Vec<[f64; 3]> {
        self.in_order(self.positions)
    }

    /// A list by vertex in the model's order.
    fn in_order<N: Copy>(&self, list: &[N]) -> Vec<N> {
        self.user.iter().map(|&u| list[u as usize]).collect()
    }
}

impl<T: Scalar> RestModel<'_, T> {
    /// What vertices follow on coarser and coarser lattices over the cloth, and nodes of lattices on the next: by the
    /// model's numbers, with weights.
    pub fn lattices(&self) -> Vec<Vec<Vec<(u32, f32)>>> {
        let lattices = build::lattices(&sheet::RestSheet::all(self), &self.places());
        let single = |row: &Vec<(u32, f64)>| row.iter().map(|&(n, w)| (n, w as f32)).collect();
        lattices.iter().map(|rows| rows.iter().map(single).collect()).collect()
    }
}

/// Tells one model from another, for as long as anyone remembers it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identity(std::sync::Arc<()>);

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        std::sync::Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: Scalar> Default for Inextensible<T> {
    fn default() -> Self {
        Inextensible {
            key: None,
            levels: Hierarchy::default(),
            boundary: Hierarchy::default(),
            solid: Solids::default(),
            tethers: Tethers::default(),
            limit: EndLimit::default(),
            stops: Stops::default(),
            pieces: (Vec::new(), 0),
            charts: 0,
            acts: false,
            substeps: SubstepControl::STIFF,
            probe: TurnProbe::default(),
        }
    }
}

/// Memory of a list.
fn bytes_of<T>(list: &[T]) -> usize {
    size_of_val(list)
}

impl<T: Scalar> Inextensible<T> {
    /// Gets ready for a step.
    pub fn prepare(
        &mut self,
        model: &RestModel<'_, T>,
        settings: &Inextensibility,
        gravity: [f64; 3],
        x: &[Vertex<T>],
    ) {
        if !settings.acts() && model.bounds.iter().all(|b| *b == StretchBounds::NONE) {
            *self = Inextensible::default();
            return;
        }
        let held: Vec<u32> = (0..model.user.len() as u32).filter(|&v| x[v as usize][3] <= T::of(0.0)).collect();
        let (model_key, bounds) = (model.identity.clone(), model.bounds.clone());
        let key = BuildKey { model: model_key, settings: *settings, bounds, gravity, held };
        if self.key.as_ref() != Some(&key) {
            self.build(model, settings, gravity, &key.held);
            self.key = Some(key);
        }
    }

    /// The substeps that a step of `dt` (s) should have, from velocities `v`.
    pub fn substeps(&self, dt: f64, v: &[Vertex<T>]) -> u32 {
        if self.key.is_some() { self.substeps.substeps(dt, self.probe.rate(v)) } else { 1 }
    }

    /// Whether substeps should begin with the forces of the one before.
    pub fn warm(&self) -> bool {
        self.substeps.warm && self.acts
    }

    /// Itself, if there is anything to do in the step that it is [prepared](Self::prepare) for.
    pub fn acting(&self) -> Option<&Self> {
        self.key.is_some().then_some(self)
    }

    /// Where cloth becomes stiff before its bounds.
    #[cfg(feature = "global")]
    pub fn stops(&self) -> &Stops {
        &self.stops
    }

    /// Moves vertices by what the coarse levels find, before the sweeps over the elements.
    pub fn correct(&self, sweep: Sweep<'_>, x: Shared<'_, Vertex<T>>) {
        self.levels.correct(sweep, x, &[]);
        self.boundary.correct(sweep, x, &[]);
        self.solid.correct(sweep, x);
    }

    /// Whether anything is attached.
    pub fn tethered(&self) -> bool {
        self.tethers.links.count > 0
    }

    /// Pulls vertices back to what they are attached to, after the sweeps.
    pub fn attach(&self, sweep: Sweep<'_>, x: Shared<'_, Vertex<T>>) {
        self.tethers.pull(sweep, x);
    }

    /// Bounds at the end of an interval.
    pub fn limit(&self) -> &EndLimit<T> {
        &self.limit
    }

    /// The piece that each vertex is part of, from 0 on, and how many there are: what elements of any kind tie
    /// together.
    pub fn pieces(&self) -> (&[u32], usize) {
        (&self.pieces.0, self.pieces.1)
    }

    /// What was built, for the report of a step.
    pub fn report(&self) -> InextensibilityReport {
        let levels = self.levels.bytes() + self.boundary.bytes() + self.solid.bytes();
        let tethers = &self.tethers.links;
        InextensibilityReport {
            warm_start: self.warm(),
            levels: self.levels.list.len().max(self.solid.levels.list.len()) as u32,
            nodes: (self.levels.nodes() + self.boundary.nodes() + self.solid.levels.nodes()) as u64,
            charts: self.charts,
            tethers: tethers.count as u64,
            limited: self.limit.count() as u64,
            bytes: (levels + bytes_of(tethers.blocks()) + self.limit.bytes()) as u64,
            ..InextensibilityReport::default()
        }
    }

    fn build(&mut self, model: &RestModel<'_, T>, settings: &Inextensibility, gravity: [f64; 3], held: &[u32]) {
        *self = Inextensible::default();
        if settings.levels > 0 {
            self.solid = Solids::new(model, settings, gravity, held);
        }
        self.pieces = pieces(model);
        let mut sheet = RestSheet::of(model, settings, gravity);
        let lines = model.slanted.iter().map(|s| {
            let bounds = model.bounds_of(s.corners, settings.max_stretch);
            BoundedLine { corners: s.corners, along: s.along, most: bounds.warp, shorter: bounds.warp_shorter }
        });
        let (triangles, edges) = (core::mem::take(&mut sheet.bounded), core::mem::take(&mut sheet.bounded_edges));
        self.stops = stops(&triangles, &sheet.mass);
        let mut bounded = BoundedElements { triangles, edges, lines: lines.collect(), tets: Vec::new() };
        for BoundedSolid { bounds, elements, plain } in &model.solids {
            let e = model.elements;
            let tets = tets_of_batch(if *plain { &e.plain_tetrahedra } else { &e.tetrahedra });
            bounded.add_solid(tets.get(elements.clone()).unwrap_or_default(), bounds);
        }
        self.limit = EndLimit::new(&bounded, sheet.vertices(), held);
        self.substeps = sheet.substeps;
        self.acts = settings.acts();
        if sheet.triangles.is_empty() {
            return;
        }
        self.probe = TurnProbe::new(&sheet);
        if settings.tethers {
            self.tethers = Tethers::new(&sheet, held);
        }
        if settings.levels > 0 {
            let built = build::build(&sheet, &model.in_order(model.positions), held, settings);
            (self.levels, self.boundary, self.charts) = (built.levels, built.boundary, built.charts as u64);
        }
    }
}

/// What hangs together in a model, by vertex: numbers from 0 on, and how many.
fn pieces<T: Scalar>(model: &RestModel<'_, T>) -> (Vec<u32>, usize) {
    let mut tied = Tied(DisjointSets::new(model.user.len()));
    model.elements.for_each(&mut tied);
    let mut pieces = tied.0.names();
    let mut count = 0;
    // A name is the least member's number, which comes first.
    for v in 0..pieces.len() {
        if pieces[v] == v as u32 {
            pieces[v] = count;
            count += 1;
        } else {
            pieces[v] = pieces[pieces[v] as usize];
        }
    }
    (pieces, count as usize)
}

/// Ties the vertices of every element together.
struct Tied(DisjointSets);

impl<T: Scalar> Visit<T> for Tied {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        for e in batch.elements() {
            e.vertices().windows(2).for_each(|pair| self.0.join(pair[0], pair[1]));
        }
    }
}
