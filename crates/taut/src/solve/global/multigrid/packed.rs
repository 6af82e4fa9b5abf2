//! Forces, Hessians and tensions of packed elements, in lanes: forces in double precision, what leads to the solution
//! in single.

use super::super::stiffness::{Coupled, stiffness};
use super::operator::{Block, Pattern};
use super::stops::{PackedStops, StopRows};
use crate::constraint::{
    Batch, Elements, LaneChoice, Lean, Lot, LotKernel, PerBlock, SLACK, Stops, Sweep, Visit, edges,
};
use crate::element::{Collect, Element, Quantity, in_columns};
use crate::lanes::{BLOCK, Lanes, Place, Real, Scalar, Shared, SharedVec, V3, Vertex};
use crate::team::Worker;
use core::marker::PhantomData;

/// Sixteen elements' numbers.
type Sixteen = [f64; BLOCK];
type Narrow = [f32; BLOCK];

/// The elastic elements of a model.
#[derive(Debug)]
pub(super) struct PackedElements {
    elements: Elements<f64>,
    /// The same in single precision.
    narrow: Elements<f32>,
    /// Where each batch's numbers begin in the lists, in the order of a visit.
    bases: Vec<Base>,
    /// E of each row of each block, and what couples its first three.
    stiffness: SharedVec<Sixteen>,
    /// D^½ E D^½: the same if nothing is damped.
    hardness: SharedVec<Narrow>,
    /// Where tiles of blocks go in the finest operator.
    targets: Vec<[u32; BLOCK]>,
    lambda: SharedVec<Narrow>,
    /// What the linear system found.
    pub tension: SharedVec<Narrow>,
    pub energy: SharedVec<Sixteen>,
    pub viscous: bool,
    pub lanes: LaneChoice,
    stops: PackedStops,
}

/// Where a batch's numbers begin.
#[derive(Clone, Copy, Debug, Default)]
struct Base {
    stiffness: usize,
    targets: usize,
    energy: usize,
}

impl PackedElements {
    pub fn new<T: Scalar>(elements: &Elements<T>, lanes: LaneChoice) -> Self {
        let narrow = elements.elastic_in::<f32>();
        let elements = elements.elastic_in::<f64>();
        let mut found = Stiffnesses::default();
        elements.for_each_elastic(&mut found);
        let zeros = |n: usize| SharedVec::new(vec![[0.0; BLOCK]; n]);
        PackedElements {
            narrow,
            hardness: SharedVec::new(found.list.iter().map(|list| list.map(|e| e as f32)).collect()),
            stiffness: SharedVec::new(found.list),
            bases: found.bases,
            targets: Vec::new(),
            lambda: zeros(elements.multipliers),
            tension: zeros(elements.multipliers),
            energy: SharedVec::new(vec![[0.0; BLOCK]; found.blocks]),
            viscous: found.viscous,
            stops: PackedStops::default(),
            elements,
            lanes,
        }
    }

    /// Calls `f` with the vertices of each elastic element, and whether it does nothing but bend.
    pub fn connections(&self, f: impl FnMut(&[u32], bool)) {
        self.elements.for_each_elastic(&mut Connections(f));
    }

    /// Settles where tiles go in a pattern whose numbers of vertices are `to`.
    pub fn settle_targets(&mut self, pattern: &Pattern, to: &[u32]) {
        let mut targets = Targets { pattern, to, list: Vec::new(), bases: Vec::new() };
        self.elements.for_each_elastic(&mut targets);
        self.bases.iter_mut().zip(targets.bases).for_each(|(b, at)| b.targets = at);
        self.targets = targets.list;
    }

    /// Has stretch become stiff where `stops` say.
    pub fn settle_stops(&mut self, stops: &Stops) {
        if !self.stops.are(stops) {
            self.stops = PackedStops::new(&self.elements, stops.clone());
        }
    }

    /// Elements that bend: their vertices, E and how each of three rows changes with motion across the sheet.
    pub fn bending(&self, rest: &[[f64; 3]]) -> Vec<BendItem> {
        let mut gather = Bends { rest, list: Vec::new() };
        self.elements.for_each_elastic(&mut gather);
        gather.list
    }

    /// D^½ E D^½ for another rate, 1/s. By one worker.
    pub fn settle_damping(&self, alone: Worker<'_>, rate: f64) {
        if self.viscous {
            let (stiffness, to) = (alone.read(self.stiffness.shared()), alone.chunk_mut(self.hardness.shared()));
            let mut next = 0;
            self.elements.for_each_elastic(&mut Damping { rate, stiffness, to, next: &mut next });
        }
    }

    /// ∇U at `places`, added to `forces`; energies and multipliers −E (c + γ ċ) with velocities `speeds`.
    pub fn forces(
        &self,
        worker: Worker<'_>,
        places: Shared<'_, Vertex<f64>>,
        speeds: Shared<'_, Vertex<f64>>,
        forces: Shared<'_, Vertex<f64>>,
    ) {
        let sweep = Sweep { worker, lanes: self.lanes };
        let mut visit = ForcesOf { packed: self, sweep, arrays: [places, speeds, forces], number: 0 };
        self.elements.for_each_elastic(&mut visit);
    }

    /// Adds what the Hessians at `places` have between two vertices to the blocks of an operator. What they have at one
    /// vertex is minus the sum of that: elements feel no common motion.
    pub fn hessians(&self, worker: Worker<'_>, places: Shared<'_, Vertex<f32>>, blocks: Shared<'_, Block>) {
        let sweep = Sweep { worker, lanes: self.lanes };
        let mut visit = HessiansOf { packed: self, sweep, places, blocks, number: 0 };
        self.narrow.for_each_elastic(&mut visit);
    }

    /// The tension that a displacement `by` gives: λ − D^½ E D^½ J d.
    pub fn tensions(&self, worker: Worker<'_>, places: Shared<'_, Vertex<f32>>, by: Shared<'_, Vertex<f32>>) {
        let sweep = Sweep { worker, lanes: self.lanes };
        let mut visit = TensionsOf { packed: self, sweep, arrays: [places, by], number: 0 };
        self.narrow.for_each_elastic(&mut visit);
    }
}

/// An element that bends.
#[derive(Debug)]
pub(super) struct BendItem {
    pub vertices: Vec<u32>,
    pub stiffness: Coupled,
    /// s.
    pub gamma: [f64; 3],
    /// By row and vertex, 1/m.
    pub weights: [Vec<f64>; 3],
}

/// Rows of a batch's elements of one lane, as far as they are elastic.
fn element_stiffness<const V: usize, const P: usize, const R: usize>(
    batch: &Batch<f64, V, P, R>,
    b: usize,
    lane: usize,
) -> Coupled {
    let elastic = &batch.elastic[b];
    if batch.source[b][lane] == u32::MAX {
        return Coupled::default();
    }
    stiffness(&elastic.compliance.map(|c| c[lane]), elastic.coupling.map(|c| c[lane])).stiffness
}

/// Damping times that count, s.
fn gamma_of(gamma: f64) -> f64 {
    if gamma > 0.0 && gamma < SLACK { gamma } else { 0.0 }
}

#[derive(Default)]
struct Stiffnesses {
    list: Vec<Sixteen>,
    bases: Vec<Base>,
    blocks: usize,
    viscous: bool,
}

impl Visit<f64> for Stiffnesses {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<f64, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        self.bases.push(Base { stiffness: self.list.len(), energy: self.blocks, targets: 0 });
        self.blocks += batch.elastic.len();
        for (b, elastic) in batch.elastic.iter().enumerate() {
            let of: [Coupled; BLOCK] = core::array::from_fn(|lane| element_stiffness(batch, b, lane));
            self.list.extend((0..R).map(|r| core::array::from_fn::<f64, BLOCK, _>(|l| of[l].diagonal[r])));
            self.list.extend((0..3).map(|c| core::array::from_fn::<f64, BLOCK, _>(|l| of[l].coupling[c])));
            self.viscous |= elastic.gamma.iter().flatten().any(|&g| gamma_of(g) > 0.0);
        }
    }
}

struct Damping<'a> {
    rate: f64,
    stiffness: &'a [Sixteen],
    to: &'a mut [Narrow],
    next: &'a mut usize,
}

impl Visit<f64> for Damping<'_> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<f64, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        for elastic in &batch.elastic {
            let root = |r: usize, l: usize| match elastic.gamma.get(r) {
                Some(gamma) => (1.0 + gamma_of(gamma[l]) * self.rate).sqrt(),
                None => 1.0,
            };
            for l in 0..BLOCK {
                for r in 0..R {
                    let e = self.stiffness[*self.next + r][l];
                    self.to[*self.next + r][l] = (e * root(r, l) * root(r, l)) as f32;
                }
                for (c, (p, q)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
                    let e = self.stiffness[*self.next + R + c][l];
                    self.to[*self.next + R + c][l] = (e * root(p, l) * root(q, l)) as f32;
                }
            }
            *self.next += R + 3;
        }
    }
}

struct Connections<F>(F);

impl<F: FnMut(&[u32], bool)> Visit<f64> for Connections<F> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<f64, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        batch.elements().for_each(|e| (self.0)(&e.vertices(), E::BENDING));
    }
}

struct Targets<'a> {
    pattern: &'a Pattern,
    to: &'a [u32],
    list: Vec<[u32; BLOCK]>,
    bases: Vec<usize>,
}

impl Visit<f64> for Targets<'_> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<f64, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        self.bases.push(self.list.len());
        if E::BENDING {
            return;
        }
        for (b, block) in batch.blocks().iter().enumerate() {
            for (v, w) in (0..V).flat_map(|v| (v + 1..V).map(move |w| (v, w))) {
                self.list.push(core::array::from_fn(|lane| {
                    let [i, j] = [v, w].map(|k| block.places[k][lane].index::<Vertex<f64>>());
                    if batch.source[b][lane] == u32::MAX {
                        return u32::MAX;
                    }
                    let (i, j) = (self.to[i], self.to[j]);
                    // Blocks below the diagonal are the mirror images of those above.
                    let place = self.pattern.place(i.min(j) as usize, i.max(j)).unwrap_or(0) as u32;
                    place * 2 + u32::from(i > j)
                }));
            }
        }
    }
}

struct Bends<'a> {
    rest: &'a [[f64; 3]],
    list: Vec<BendItem>,
}

impl Visit<f64> for Bends<'_> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<f64, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        if !E::BENDING {
            return;
        }
        for (b, elastic) in batch.elastic.iter().enumerate() {
            for lane in (0..BLOCK).filter(|&l| batch.source[b][l] != u32::MAX) {
                let block = &batch.blocks()[b];
                let vertices: [u32; V] = core::array::from_fn(|v| block.places[v][lane].index::<Vertex<f64>>() as u32);
                let at = vertices.map(|v| V3::from(self.rest[v as usize]));
                let edges: [V3<f64>; D] = core::array::from_fn(|k| at[k + 1] - at[0]);
                let rest = block.rest.map(|r| r[lane]);
                let rows = in_columns::<E, f64, V, D, P, R>(&rest, &E::columns(&rest, &edges), u32::MAX).columns;
                let mut weights = [const { Vec::new() }; 3];
                for r in 0..R.min(3) {
                    weights[r] = across(&E::spread(&rest, &rows[r]));
                }
                let gamma = core::array::from_fn(|r| elastic.gamma.get(r).map_or(0.0, |g| gamma_of(g[lane])));
                let stiffness = element_stiffness(batch, b, lane);
                self.list.push(BendItem { vertices: vertices.to_vec(), stiffness, gamma, weights });
            }
        }
    }
}

/// Gradients of vertices 1… along their common direction, the normal of a sheet that is flat, and about that of one
/// that is not; with vertex 0, which has minus their sum.
fn across(gradients: &[V3<f64>]) -> Vec<f64> {
    let longest = gradients.iter().copied().max_by(|a, b| a.norm2().total_cmp(&b.norm2()));
    let Some(longest) = longest else { return Vec::new() };
    let sum = gradients.iter().fold(V3::new(0.0, 0.0, 0.0), |sum, g| sum + *g * g.dot(longest).signum());
    let length = sum.norm2().sqrt();
    let along = |g: &V3<f64>| if length > 0.0 && length.is_finite() { g.dot(sum) / length } else { 0.0 };
    let rest: Vec<f64> = gradients.iter().map(along).collect();
    core::iter::once(-rest.iter().sum::<f64>()).chain(rest.iter().copied()).collect()
}

/// E times a vector.
#[inline(always)]
fn times<L: Real, const R: usize>(diagonal: &[L; R], coupling: &[L; 3], y: &[L; R]) -> [L; R] {
    let mut out = *y;
    for r in 0..R {
        out[r] = diagonal[r] * y[r];
    }
    for (c, (p, q)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
        if q < R {
            out[p] = out[p] + coupling[c] * y[q];
            out[q] = out[q] + coupling[c] * y[p];
        }
    }
    out
}

/// A batch's numbers in the lists of a visit.
#[derive(Clone, Copy)]
struct Rows<'a, T, const R: usize> {
    /// Bit r is set if row r is elastic in any element.
    mask: u32,
    stiffness: &'a [[T; BLOCK]],
    lambda: PerBlock<'a, Narrow, R>,
    stops: StopRows<'a, T>,
}

impl<'a, T: Scalar, const R: usize> Rows<'a, T, R> {
    fn new<const V: usize, const P: usize>(
        batch: &Batch<T, V, P, R>,
        worker: Worker<'_>,
        stiffness: &'a SharedVec<[T; BLOCK]>,
        first: usize,
        lambda: &'a SharedVec<Narrow>,
        stops: StopRows<'a, T>,
    ) -> Self {
        let stiffness = &worker.read(stiffness.shared())[first..first + batch.blocks().len() * (R + 3)];
        let lambda = PerBlock::new(batch, lambda.shared(), batch.multipliers);
        Rows { mask: batch.elastic_rows, stiffness, lambda, stops }
    }

    /// E of a lot's elements.
    #[inline(always)]
    fn load<L: Lanes<T>, const V: usize, const P: usize, const A: usize>(
        &self,
        lot: &Lot<'_, T, L, V, P, R, A>,
    ) -> ([L; R], [L; 3]) {
        let rows = &self.stiffness[lot.place().0 * (R + 3)..][..R + 3];
        let (diagonal, coupling) = (rows[..R].as_chunks::<R>().0, rows[R..].as_chunks::<3>().0);
        (lot.load(&diagonal[0]), lot.load(&coupling[0]))
    }

    /// E with what rows beyond their stops have in addition; and whether that couples rows.
    #[inline(always)]
    fn load_stopped<E, L: Lanes<T>, const V: usize, const D: usize, const P: usize, const A: usize>(
        &self,
        lot: &Lot<'_, T, L, V, P, R, A>,
        values: &[L; R],
    ) -> ([L; R], [L; 3], bool)
    where
        E: Element<V, D, P, R>,
    {
        let (mut diagonal, mut coupling) = self.load(lot);
        let Some(stopped) = self.stops.of::<E, L, V, D, P, R, A>(lot, values) else {
            return (diagonal, coupling, false);
        };
        (0..R).for_each(|r| diagonal[r] = diagonal[r] + stopped.diagonal[r]);
        (0..3).for_each(|c| coupling[c] = coupling[c] + stopped.coupling[c]);
        (diagonal, coupling, true)
    }
}

struct ForcesOf<'a> {
    packed: &'a PackedElements,
    sweep: Sweep<'a>,
    arrays: [Shared<'a, Vertex<f64>>; 3],
    number: usize,
}

impl Visit<f64> for ForcesOf<'_> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<f64, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        let (base, stops) = (self.packed.bases[self.number], self.packed.stops.wide(self.number));
        self.number += 1;
        let packed = self.packed;
        let rows = Rows::new(batch, self.sweep.worker, &packed.stiffness, base.stiffness, &packed.lambda, stops);
        let energy = PerBlock::new(batch, packed.energy.shared(), base.energy);
        let gamma = if packed.viscous { &batch.elastic[..] } else { &[] };
        let mut kernel = Forces::<E, D, R> { rows, energy, gamma, kind: PhantomData };
        self.sweep.run(batch, self.arrays, &mut kernel);
    }
}

/// Arrays: places, speeds, forces.
#[derive(Clone, Copy)]
struct Forces<'a, E, const D: usize, const R: usize> {
    rows: Rows<'a, f64, R>,
    energy: PerBlock<'a, Sixteen, 1>,
    /// Empty if nothing is damped.
    gamma: &'a [crate::constraint::Elastic<f64, R>],
    kind: PhantomData<E>,
}

impl<E, const V: usize, const D: usize, const P: usize, const R: usize> LotKernel<f64, V, P, R, 3>
    for Forces<'_, E, D, R>
where
    E: Element<V, D, P, R>,
{
    type Compiled = Lean;

    #[inline(always)]
    fn lot<L: Lanes<f64>>(&mut self, lot: &mut Lot<'_, f64, L, V, P, R, 3>) {
        let rest = lot.rest();
        let columns = E::columns(&rest, &edges::<L, V, D>(&lot.gather(0)));
        let rows = in_columns::<E, L, V, D, P, R>(&rest, &columns, self.rows.mask);
        let mut values = rows.values;
        if !self.gamma.is_empty() {
            let gamma = lot.load(&self.gamma[lot.place().0].gamma);
            let speeds = E::columns(&rest, &edges::<L, V, D>(&lot.gather(1)));
            for r in 0..R {
                let sound = gamma[r].lt(gamma[r].lit(SLACK));
                let gamma = L::select(sound, gamma[r], gamma[r].lit(0.0));
                for i in 0..D {
                    values[r] = values[r] + gamma * rows.columns[r][i].dot(speeds[i]);
                }
            }
        }
        let (diagonal, coupling) = self.rows.load(lot);
        let mut stress = times(&diagonal, &coupling, &values);
        let (mut energy, mut lambda) = (values[0].lit(0.0), stress);
        let mut pull = [V3::lit(energy, [0.0; 3]); D];
        (0..R).for_each(|r| energy = energy + stress[r] * values[r] * energy.lit(0.5));
        if let Some(stopped) = self.rows.stops.of::<E, L, V, D, P, R, 3>(lot, &rows.values) {
            energy = energy + stopped.energy;
            (0..R).for_each(|r| stress[r] = stress[r] + stopped.stress[r]);
        }
        for r in 0..R {
            lambda[r] = -stress[r];
            for i in 0..D {
                if E::ROWS[r].quantity.depends_on(i) {
                    pull[i] = pull[i] + rows.columns[r][i] * stress[r];
                }
            }
        }
        lot.store_own(self.energy, [energy]);
        let (_, lane) = lot.place();
        let to = lot.of_block(self.rows.lambda);
        for r in 0..R {
            let mut wide = [0.0; WIDEST];
            lambda[r].store(&mut wide);
            for l in 0..L::N {
                to[r][lane + l] = wide[l] as f32;
            }
        }
        let pull = E::spread(&rest, &pull);
        let mut forces = lot.gather(2);
        for k in 0..D {
            let by = [pull[k].x, pull[k].y, pull[k].z];
            for d in 0..3 {
                forces[k + 1][d] = forces[k + 1][d] + by[d];
                forces[0][d] = forces[0][d] - by[d];
            }
        }
        lot.scatter(2, forces);
    }
}

struct HessiansOf<'a> {
    packed: &'a PackedElements,
    sweep: Sweep<'a>,
    places: Shared<'a, Vertex<f32>>,
    blocks: Shared<'a, Block>,
    number: usize,
}

impl Visit<f32> for HessiansOf<'_> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<f32, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        let (base, stops) = (self.packed.bases[self.number], self.packed.stops.narrow(self.number));
        self.number += 1;
        if E::BENDING {
            return;
        }
        let packed = self.packed;
        let rows = Rows::new(batch, self.sweep.worker, &packed.hardness, base.stiffness, &packed.lambda, stops);
        let then = PerBlock::new(batch, packed.tension.shared(), batch.multipliers);
        let count = batch.blocks().len() * (V * (V - 1) / 2);
        let targets = &packed.targets[base.targets..base.targets + count];
        let mut kernel = Hessians::<E, D, R> { rows, then, targets, blocks: self.blocks, kind: PhantomData };
        self.sweep.run(batch, [self.places], &mut kernel);
    }
}

/// Tension resists at least with this part of what the positions say. Less let stiff cloth explode when few iterations
/// left the linear system unsolved.
const TRUSTED: f64 = 0.3;

/// Arrays: places.
#[derive(Clone, Copy)]
struct Hessians<'a, E, const D: usize, const R: usize> {
    rows: Rows<'a, f32, R>,
    then: PerBlock<'a, Narrow, R>,
    targets: &'a [[u32; BLOCK]],
    blocks: Shared<'a, Block>,
    kind: PhantomData<E>,
}

impl<E, const V: usize, const D: usize, const P: usize, const R: usize> LotKernel<f32, V, P, R, 1>
    for Hessians<'_, E, D, R>
where
    E: Element<V, D, P, R>,
{
    // Eight at once: twice as many would not find room in registers.
    type Compiled = Lean;

    #[inline(always)]
    fn lot<L: Lanes<f32>>(&mut self, lot: &mut Lot<'_, f32, L, V, P, R, 1>) {
        let rest = lot.rest();
        let columns = E::columns(&rest, &edges::<L, V, D>(&lot.gather(0)));
        let Collect { values, columns: rows, .. } = in_columns::<E, L, V, D, P, R>(&rest, &columns, self.rows.mask);
        let (now, then) = (lot.load_own(self.rows.lambda), lot.load_own(self.then));
        let mut stress = now;
        for r in 0..R {
            let pulls = matches!(E::ROWS[r].quantity, Quantity::Length | Quantity::Stretch(_));
            let trusted = if pulls { now[r].lit(-TRUSTED) } else { now[r].lit(-1.0) };
            stress[r] = now[r] * trusted;
            if pulls {
                stress[r] = L::max(stress[r], -then[r]);
            }
        }
        let tension = E::tension(&rest, &columns, &stress);
        let (diagonal, coupling, more) = self.rows.load_stopped::<E, L, V, D, P, 1>(lot, &values);
        let zero = diagonal[0].lit(0.0);
        // Blocks (i, j) with i ≤ j.
        let mut h = [[[zero; 9]; D]; D];
        for r in 0..R {
            if self.rows.mask >> r & 1 == 0 {
                continue;
            }
            for j in 0..D {
                if E::ROWS[r].quantity.depends_on(j) {
                    let pull = rows[r][j] * diagonal[r];
                    for i in 0..=j {
                        if E::ROWS[r].quantity.depends_on(i) {
                            add_outer(&mut h[i][j], rows[r][i], pull);
                        }
                    }
                }
            }
        }
        for (c, (p, q)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
            if q < E::COUPLED || more && q < R {
                couple::<E, L, V, D, P, R>(&mut h, p, q, coupling[c], &rows);
            }
        }
        for j in 0..D {
            for i in 0..=j {
                for d in 0..3 {
                    h[i][j][4 * d] = h[i][j][4 * d] + tension.metric[i][j];
                }
            }
            add_outer(&mut h[j][j], columns[j], columns[j] * -tension.along[j]);
        }
        self.scatter::<L, V, P>(lot, &rest, &h);
    }
}

impl<E, const D: usize, const R: usize> Hessians<'_, E, D, R> {
    /// From columns f_i = Σ_k B_ik (x_{k+1} − x_0) to vertices, and into the operator.
    #[inline(always)]
    fn scatter<L: Lanes<f32>, const V: usize, const P: usize>(
        &self,
        lot: &Lot<'_, f32, L, V, P, R, 1>,
        rest: &[L; P],
        h: &[[[L; 9]; D]; D],
    ) where
        E: Element<V, D, P, R>,
    {
        let (number, lane) = lot.place();
        let zero = h[0][0][0].lit(0.0);
        // B as it acts on vertices: vertex 0 has minus the sum.
        let mut b = [[zero; V]; D];
        let map = E::map(rest);
        for i in 0..D {
            for k in 0..D {
                b[i][k + 1] = map[i][k];
                b[i][0] = b[i][0] - map[i][k];
            }
        }
        let count = V * (V - 1) / 2;
        let targets = &self.targets[number * count..(number + 1) * count];
        let mut numbers = [[0.0; WIDEST]; 9];
        let mut n = 0;
        for v in 0..V - 1 {
            let mut half = [[zero; 9]; D];
            for j in 0..D {
                for i in 0..D {
                    if i <= j {
                        add_times(&mut half[j], b[i][v], &h[i][j]);
                    } else {
                        add_transposed(&mut half[j], b[i][v], &h[j][i]);
                    }
                }
            }
            for w in v + 1..V {
                let mut tile = [zero; 9];
                for j in 0..D {
                    add_times(&mut tile, b[j][w], &half[j]);
                }
                for k in 0..9 {
                    tile[k].store(&mut numbers[k]);
                }
                for l in 0..L::N {
                    self.add(targets[n][lane + l], &numbers, l);
                }
                n += 1;
            }
        }
    }

    /// Adds one lane's tile to a block, transposed if its target says so.
    #[inline(always)]
    fn add(&self, target: u32, numbers: &[[f32; WIDEST]; 9], lane: usize) {
        if target == u32::MAX {
            return;
        }
        let place = Place::new::<Block>(target / 2);
        // SAFETY: targets are blocks of the operator that this is a list of (`settle_targets`). A block is between two
        // vertices, and no two elements of a colour have a vertex in common: nobody else adds to it now.
        let mut block = unsafe { self.blocks.read(place) };
        for k in 0..9 {
            let from = if target & 1 == 1 { k % 3 * 3 + k / 3 } else { k };
            block[k] += numbers[from][lane];
        }
        // SAFETY: as above.
        unsafe { self.blocks.write(place, block) };
    }
}

/// Most lanes.
const WIDEST: usize = BLOCK;

/// Adds a bᵀ, column by column.
#[inline(always)]
fn add_outer<L: Real>(to: &mut [L; 9], a: V3<L>, b: V3<L>) {
    let (a, b) = ([a.x, a.y, a.z], [b.x, b.y, b.z]);
    for c in 0..3 {
        for r in 0..3 {
            to[3 * c + r] = to[3 * c + r] + a[r] * b[c];
        }
    }
}

#[inline(always)]
fn add_times<L: Real>(to: &mut [L; 9], by: L, from: &[L; 9]) {
    for k in 0..9 {
        to[k] = to[k] + by * from[k];
    }
}

#[inline(always)]
fn add_transposed<L: Real>(to: &mut [L; 9], by: L, from: &[L; 9]) {
    for k in 0..9 {
        to[k] = to[k] + by * from[k % 3 * 3 + k / 3];
    }
}

/// Adds what couples rows p and q: e (∇c_p ∇c_qᵀ + ∇c_q ∇c_pᵀ).
#[inline(always)]
fn couple<E, L: Real, const V: usize, const D: usize, const P: usize, const R: usize>(
    h: &mut [[[L; 9]; D]; D],
    p: usize,
    q: usize,
    e: L,
    rows: &[[V3<L>; D]; R],
) where
    E: Element<V, D, P, R>,
{
    for j in 0..D {
        for i in 0..=j {
            for (p, q) in [(p, q), (q, p)] {
                if E::ROWS[p].quantity.depends_on(i) && E::ROWS[q].quantity.depends_on(j) {
                    add_outer(&mut h[i][j], rows[p][i], rows[q][j] * e);
                }
            }
        }
    }
}

struct TensionsOf<'a> {
    packed: &'a PackedElements,
    sweep: Sweep<'a>,
    arrays: [Shared<'a, Vertex<f32>>; 2],
    number: usize,
}

impl Visit<f32> for TensionsOf<'_> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<f32, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        let (base, stops) = (self.packed.bases[self.number], self.packed.stops.narrow(self.number));
        self.number += 1;
        if E::BENDING {
            return;
        }
        let packed = self.packed;
        let rows = Rows::new(batch, self.sweep.worker, &packed.hardness, base.stiffness, &packed.lambda, stops);
        let then = PerBlock::new(batch, packed.tension.shared(), batch.multipliers);
        self.sweep.look(batch, self.arrays, &mut Tensions::<E, D, R> { rows, then, kind: PhantomData });
    }
}

/// Arrays: places, displacements.
#[derive(Clone, Copy)]
struct Tensions<'a, E, const D: usize, const R: usize> {
    rows: Rows<'a, f32, R>,
    then: PerBlock<'a, Narrow, R>,
    kind: PhantomData<E>,
}

impl<E, const V: usize, const D: usize, const P: usize, const R: usize> LotKernel<f32, V, P, R, 2>
    for Tensions<'_, E, D, R>
where
    E: Element<V, D, P, R>,
{
    type Compiled = Lean;

    #[inline(always)]
    fn lot<L: Lanes<f32>>(&mut self, lot: &mut Lot<'_, f32, L, V, P, R, 2>) {
        let rest = lot.rest();
        let columns = E::columns(&rest, &edges::<L, V, D>(&lot.gather(0)));
        let by = E::columns(&rest, &edges::<L, V, D>(&lot.gather(1)));
        let Collect { values, columns: rows, .. } = in_columns::<E, L, V, D, P, R>(&rest, &columns, self.rows.mask);
        let now = lot.load_own(self.rows.lambda);
        let mut change = now;
        for r in 0..R {
            change[r] = now[r].lit(0.0);
            for i in 0..D {
                if E::ROWS[r].quantity.depends_on(i) {
                    change[r] = change[r] + rows[r][i].dot(by[i]);
                }
            }
        }
        let (diagonal, coupling, _) = self.rows.load_stopped::<E, L, V, D, P, 2>(lot, &values);
        let change = times(&diagonal, &coupling, &change);
        let mut then = now;
        for r in 0..R {
            then[r] = now[r] - change[r];
        }
        lot.store_own(self.then, then);
    }
}
