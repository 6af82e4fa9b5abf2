//! Global solvers: all elastic rows at once, in `f64`, whatever the model computes in.
//!
//! Given inverse masses w (0 holds a vertex), where the cloth would go (x̃, ṽ), `reach` s (s²) and `rate` (1/s), all of
//! them look for positions x and multipliers λ with
//!
//! ```text
//! x = x̃ + s M⁻¹ J(x)ᵀ λ,     c(x) + γ J(x) v + E⁻¹ λ = 0,     v = ṽ + (x − x̃)·rate
//! ```
//! which, without damping (γ = 0), is the minimum of Φ(x) = ½ (x−x̃)ᵀ M (x−x̃) / s + ½ cᵀ E c (soft constraints Eq. 4).
//! They differ in the space they work in:
//!
//! | file | works on | knows of curvature |
//! | --- | --- | --- |
//! | `jacobi` | rows, element by element | a bound |
//! | `residuals` | rows, all together (Minimum Residual, Conjugate Residuals) | a bound |
//! | `ncg` | positions | J, in the step length |
//! | `newton` | positions | all of it, by dual numbers |
//!
//! **Sharing.** [`Global::solve`] is called by every worker of a team at once. Between two meetings a worker writes
//! only its own chunk; what leads to a decision is added up in chunks of fixed size, so that all workers decide alike
//! and the bits do not depend on their number.

mod cholesky;
mod configuration;
mod constraint;
mod evaluate;
mod fastest;
mod jacobi;
mod lists;
mod matrix;
mod multigrid;
mod ncg;
mod newton;
mod order;
mod psd;
mod residuals;
mod small;
mod stiffness;
mod table;
mod tangent;
#[cfg(test)]
mod tests;

pub(crate) use fastest::fastest_mode;
pub(crate) use multigrid::{Follows, Plane};
pub use tangent::Tangent;
pub(crate) use tangent::tangent;

use super::Solver;
use super::user::UserRows;
use crate::constraint::{Elements, LaneChoice, Stops};
use crate::lanes::{BLOCK, Scalar, Shared};
use crate::team::Worker;
use lists::{Crew, SharedList};
use matrix::Matrix;
use multigrid::Multigrid;
use table::Table;

/// What a solve needs to know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SolveSettings {
    /// Which method. [`Solver::GaussSeidel`] is not one of these and does nothing.
    pub solver: Solver,
    /// s (s²), above 0: how far an elastic acceleration carries.
    pub reach: f64,
    /// How much velocity a displacement means, 1/s.
    pub rate: f64,
    /// Most iterations. For methods with iterations inside iterations, most of the inner ones; for
    /// [`Solver::Newton`] Newton steps. [`Solver::NewtonCholesky`] takes one whatever this says.
    pub iterations: u32,
    /// Stops at a [`residual`](Outcome::residual) of no more than this.
    pub tolerance: f64,
    /// Whether coarse levels are made anew ([`Solver::Multigrid`]); if not, those of the solve before are near enough.
    pub coarse: bool,
    /// Whether this solve goes on from the one before: from where it ended, to nearly the same end
    /// ([`Solver::Multigrid`]).
    pub goes_on: bool,
    /// Whether nothing was [put](Global::put) since but [planes](Global::put_plane): the solve before knows places,
    /// multipliers and the elements' forces still, and to more digits ([`Solver::Multigrid`]).
    pub stays: bool,
}

/// What a solve did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// Iterations, counted as [`SolveSettings::iterations`] counts them.
    pub iterations: u32,
    /// How far from solved, where the method last looked.
    ///
    /// In constraint space (`Jacobi`, `MinimumResidual`, `ConjugateResiduals`), in the rows' own units (strain, rad):
    /// the largest |c + γ ċ + E⁻¹λ| of a row, plus what the row could change by if positions moved to x̃ + s M⁻¹ Jᵀ λ.
    ///
    /// In configuration space (the others), in m/s: the largest velocity that a vertex lacks,
    /// |v − ṽ − s·rate·M⁻¹ Jᵀ λ| with λ = −E (c + γ ċ). After a single Newton step this takes one more look at the forces.
    ///
    /// Infinite if the numbers could not be computed with; positions and multipliers are then what they were.
    pub residual: f64,
}

/// One vertex, as the caller hands it over.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Candidate {
    /// Where to begin, m.
    pub x: [f64; 3],
    /// Where the step began, m: another place to begin, for methods that may be stopped early.
    pub start: [f64; 3],
    /// Inverse mass, 1/kg; 0 holds the vertex at `x`.
    pub w: f64,
    /// x̃, m.
    pub target: [f64; 3],
    /// ṽ, m/s.
    pub drift: [f64; 3],
}

/// Memory of the global solvers. What depends on the topology alone is kept from step to step.
#[derive(Debug, Default)]
pub(crate) struct Global {
    table: Table,
    vertices: usize,
    points: PointLists,
    rows: RowLists,
    /// What to go back to.
    kept: Kept,
    curvature: CurvatureLists,
    /// By row, for the methods' own use.
    row: [SharedList; 7],
    /// By vertex (three numbers each), for the methods' own use.
    arm: [SharedList; 6],
    partials: [SharedList; 2],
    matrix: Matrix,
    /// Of [`Solver::Multigrid`], if that is what is used.
    multigrid: Option<Box<Multigrid>>,
    /// By vertex the numbers of a [`Plane`].
    planes: SharedList,
}

/// By vertex: what the caller hands over, and gets back.
#[derive(Debug, Default)]
struct PointLists {
    x: SharedList,
    start: SharedList,
    target: SharedList,
    drift: SharedList,
    /// Inverse masses.
    w: SharedList,
}

/// By row: multipliers, values c, gradients ∇c.
#[derive(Debug, Default)]
struct RowLists {
    lambda: SharedList,
    value: SharedList,
    gradient: SharedList,
}

/// Positions and multipliers at some moment.
#[derive(Debug, Default)]
struct Kept {
    x: SharedList,
    lambda: SharedList,
}

/// What is known of the rows' curvature.
#[derive(Debug, Default)]
struct CurvatureLists {
    /// By vertex, one number: the inverse mass with a part for curvature.
    heft: SharedList,
    /// By item and its vertices: a bound for the rows' curvature, N/m.
    bend: SharedList,
    /// By vertex, six numbers: the factors of a preconditioner's 3×3 blocks.
    tile: SharedList,
}

impl Global {
    /// Takes over the elastic rows of a model of `vertices` vertices, and makes room for `solver`. To be called once
    /// before workers begin, whenever the model or the solver may be another. [`Solver::Multigrid`] has to be prepared
    /// for with [`prepare_multigrid`](Self::prepare_multigrid) as well.
    pub(crate) fn prepare<T: Scalar>(
        &mut self,
        elements: &Elements<T>,
        user: &UserRows,
        vertices: usize,
        solver: Solver,
    ) {
        // One held vertex more, for rows of the user's own.
        let vertices = vertices + usize::from(user.multipliers > 0);
        // Multigrid has the elements in lanes.
        let elements = (solver != Solver::Multigrid).then_some(elements);
        self.multigrid = None;
        let new = self.table.gather(elements, user, vertices);
        self.vertices = vertices;
        self.make_room();
        if user.multipliers > 0 {
            self.put(vertices - 1, Candidate::default());
        }
        if new {
            self.matrix = Matrix::default();
        }
        if matches!(solver, Solver::NewtonCg | Solver::NewtonCholesky | Solver::Newton) {
            self.matrix.connect(&self.table, vertices);
        }
        if matches!(solver, Solver::NewtonCholesky | Solver::Newton) {
            self.matrix.analyse();
        }
    }

    /// Gets ready for [`Solver::Multigrid`]: vertices at `rest` (m), and the coarse nodes that they follow, level by
    /// level.
    pub(crate) fn prepare_multigrid<T: Scalar>(
        &mut self,
        elements: &Elements<T>,
        rest: &[[f64; 3]],
        lattices: &[Vec<Follows>],
        lanes: LaneChoice,
    ) {
        let multigrid = Multigrid::new(elements, &self.table, self.vertices, rest, lattices, lanes);
        self.multigrid = Some(Box::new(multigrid));
        self.planes = SharedList::default();
        self.planes.resize(Plane::NUMBERS * self.vertices);
    }

    /// Has stretch become stiff where `stops` say ([`Solver::Multigrid`]; others do not know).
    pub(crate) fn settle_stops(&mut self, stops: &Stops) {
        if let Some(multigrid) = &mut self.multigrid {
            multigrid.settle_stops(stops);
        }
    }

    /// Sets what vertex `i` touches. Each vertex by one worker.
    pub(crate) fn put_plane(&self, i: usize, plane: Plane) {
        let flags = [plane.held, plane.settled].map(|flag| f64::from(u8::from(flag)));
        let numbers = plane.normal.into_iter().chain(plane.at).chain(plane.anchor).chain([plane.grip]).chain(flags);
        numbers.enumerate().for_each(|(k, number)| self.planes.set(Plane::NUMBERS * i + k, number));
    }

    /// Forgets what vertex `i` touches, unless it still does at `x` (m).
    pub(crate) fn leave_plane(&self, i: usize, x: [f64; 3]) {
        if self.plane(i).is_some_and(|plane| !plane.touches(x)) {
            self.put_plane(i, Plane::default());
        }
    }

    /// What vertex `i` touches.
    #[inline(always)]
    pub(crate) fn plane(&self, i: usize) -> Option<Plane> {
        let number = |k: usize| self.planes.get(Plane::NUMBERS * i + k);
        let three = |k: usize| [number(k), number(k + 1), number(k + 2)];
        let normal = three(0);
        (normal != [0.0; 3]).then(|| Plane {
            normal,
            at: three(3),
            anchor: three(6),
            grip: number(9),
            held: number(10) != 0.0,
            settled: number(11) != 0.0,
        })
    }

    /// The normal of the collider that vertex `i` has come to slide on at `x` (m).
    pub(crate) fn slides_on(&self, i: usize, x: [f64; 3]) -> Option<[f64; 3]> {
        self.multigrid.as_ref()?;
        self.plane(i).filter(|plane| plane.settled && plane.slides(x)).map(|plane| plane.normal)
    }

    fn make_room(&mut self) {
        let (rows, vertices, items) = (self.table.rows(), self.vertices, self.table.items.len());
        let by_row = [&mut self.rows.lambda, &mut self.kept.lambda, &mut self.rows.value];
        by_row.into_iter().chain(&mut self.row).for_each(|list| list.resize(rows));
        let PointLists { x, start, target, drift, w } = &mut self.points;
        let by_vertex = [x, start, target, drift, &mut self.kept.x];
        by_vertex.into_iter().chain(&mut self.arm).for_each(|list| list.resize(3 * vertices));
        w.resize(vertices);
        self.curvature.heft.resize(vertices);
        self.curvature.bend.resize(evaluate::ARMS * items);
        self.curvature.tile.resize(6 * vertices);
        self.rows.gradient.resize(3 * self.table.gradients);
        let most = rows.max(3 * vertices).max(items);
        self.partials.iter_mut().for_each(|partials| partials.resize(lists::partial_room(most)));
    }

    /// Sets vertex `i`, in the model's own numbers. Each vertex by one worker.
    pub(crate) fn put(&self, i: usize, candidate: Candidate) {
        let PointLists { x, start, target, drift, w } = &self.points;
        x.set3(i, candidate.x);
        start.set3(i, candidate.start);
        target.set3(i, candidate.target);
        drift.set3(i, candidate.drift);
        w.set(i, candidate.w);
    }

    /// Takes over multiplier `k` of the model's list, N for rows without a unit. Each by one worker.
    pub(crate) fn put_multiplier(&self, k: usize, value: f64) {
        if let Some(row) = self.table.row_at(k) {
            self.rows.lambda.set(row, value);
        }
    }

    /// Takes over all multipliers of the model's list.
    pub(crate) fn put_multipliers<T: Scalar>(&self, worker: Worker<'_>, list: Shared<'_, [T; BLOCK]>) {
        if let Some(multigrid) = &self.multigrid {
            return multigrid.put_multipliers(worker, list);
        }
        let mine = worker.chunk(0..list.len()).start * BLOCK;
        let own = worker.chunk_mut(list).iter().flatten();
        own.enumerate().for_each(|(k, m)| self.put_multiplier(mine + k, m.f64()));
        worker.sync();
    }

    /// Gives them back, but for those whose row has no stiffness.
    pub(crate) fn take_multipliers<T: Scalar>(&self, worker: Worker<'_>, list: Shared<'_, [T; BLOCK]>) {
        if let Some(multigrid) = &self.multigrid {
            return multigrid.take_multipliers(worker, list);
        }
        let mine = worker.chunk(0..list.len()).start * BLOCK;
        for (k, m) in worker.chunk_mut(list).iter_mut().flatten().enumerate() {
            *m = self.multiplier(mine + k).map_or(*m, T::of);
        }
        worker.sync();
    }

    /// Takes over multiplier `k` of the user's own rows.
    pub(crate) fn put_user_multiplier(&self, k: usize, value: f64) {
        if let Some(row) = self.table.user_row(k) {
            self.rows.lambda.set(row, value);
        }
    }

    /// Multiplier `k` of the user's own rows, unless it is projected.
    pub(crate) fn user_multiplier(&self, k: usize) -> Option<f64> {
        self.table.user_row(k).map(|row| self.rows.lambda.get(row))
    }

    /// Where vertex `i` is, m.
    pub(crate) fn position(&self, i: usize) -> [f64; 3] {
        self.points.x.get3(i)
    }

    /// Multiplier `k` of the model's list, unless its row has no stiffness.
    pub(crate) fn multiplier(&self, k: usize) -> Option<f64> {
        self.table.row_at(k).map(|row| self.rows.lambda.get(row))
    }

    /// Solves. Called by all workers at once with the same settings, after each has [`put`](Self::put) its chunk;
    /// meets the others before it begins and before it ends.
    ///
    /// Methods on positions begin at the `x` of the candidates or at x̃, where Φ is lower. The paper's Eq. 10
    /// linearises about x̃, so a caller that wants its semi-implicit solvers (Fig. 1, "CG" and "exact") begins there.
    pub(crate) fn solve(&self, worker: Worker<'_>, settings: &SolveSettings) -> Outcome {
        worker.sync();
        let solve = Solve { global: self, table: &self.table, crew: Crew::new(worker, &self.partials), settings };
        solve.run()
    }
}

/// One solve under way, as one worker sees it.
struct Solve<'a> {
    global: &'a Global,
    table: &'a Table,
    crew: Crew<'a>,
    settings: &'a SolveSettings,
}

impl Solve<'_> {
    fn run(&self) -> Outcome {
        if !self.begin() {
            return Outcome { iterations: 0, residual: f64::INFINITY };
        }
        let mut outcome = match self.settings.solver {
            Solver::GaussSeidel { .. } => Outcome::default(),
            Solver::Jacobi { relaxation } => self.jacobi(relaxation),
            Solver::MinimumResidual => self.residuals(false),
            Solver::ConjugateResiduals => self.residuals(true),
            Solver::NonlinearCg => self.nonlinear_cg(),
            Solver::NewtonCg => self.newton_cg(),
            Solver::NewtonCholesky => self.newton_cholesky(),
            Solver::Newton => self.newton(),
            Solver::Multigrid => self.global.multigrid.as_ref().map_or(Outcome::default(), |m| self.multigrid(m)),
        };
        if !self.contained(outcome.residual) {
            outcome.residual = f64::INFINITY;
        }
        outcome
    }

    /// Remembers where to go back to. False if there is nothing to compute with.
    fn begin(&self) -> bool {
        let (g, rows) = (self.global, self.table.rows());
        let bad = |n: f64| if n.is_finite() { 0.0 } else { 1.0 };
        let arms = self.crew.sum(g.vertices, |i| {
            g.kept.x.set3(i, g.points.x.get3(i));
            let all = [g.points.x.get3(i), g.points.target.get3(i), g.points.drift.get3(i)];
            let w = g.points.w.get(i);
            all.iter().flatten().map(|&n| bad(n)).sum::<f64>() + bad(w) + f64::from(w < 0.0)
        });
        let multipliers = self.crew.sum(rows, |r| {
            g.kept.lambda.set(r, g.rows.lambda.get(r));
            bad(g.rows.lambda.get(r))
        });
        let (s, rate) = (self.settings.reach, self.settings.rate);
        arms + multipliers == 0.0 && s > 0.0 && s.is_finite() && rate >= 0.0 && rate.is_finite()
    }

    /// Whether the result is finite, and its residual. If not, goes back to where it began.
    fn contained(&self, residual: f64) -> bool {
        let (g, rows) = (self.global, self.table.rows());
        let bad = |n: f64| if n.is_finite() { 0.0 } else { 1.0 };
        let arms = self.crew.sum(g.vertices, |i| g.points.x.get3(i).map(bad).iter().sum());
        let multipliers = self.crew.sum(rows, |r| bad(g.rows.lambda.get(r)));
        if arms + multipliers == 0.0 && residual.is_finite() {
            return true;
        }
        self.crew.each(g.vertices, |i| g.points.x.set3(i, g.kept.x.get3(i)));
        self.crew.each(rows, |r| g.rows.lambda.set(r, g.kept.lambda.get(r)));
        false
    }

    /// Whether to go on.
    fn unsolved(&self, residual: f64) -> bool {
        residual > self.settings.tolerance && residual.is_finite()
    }

    /// Positions of an item's vertices.
    #[inline(always)]
    fn corners(&self, item: &table::Item, from: &SharedList) -> evaluate::Corners {
        let mut out = [[0.0; 3]; evaluate::ARMS];
        for k in 0..item.arms() {
            out[k] = from.get3(item.vertices[k] as usize);
        }
        out
    }

    /// Velocities of an item's vertices: ṽ + (x − x̃)·rate.
    #[inline(always)]
    fn velocities(&self, item: &table::Item, x: &evaluate::Corners) -> evaluate::Corners {
        let (target, drift) =
            (self.corners(item, &self.global.points.target), self.corners(item, &self.global.points.drift));
        let mut out = [[0.0; 3]; evaluate::ARMS];
        for k in 0..item.arms() {
            for d in 0..3 {
                out[k][d] = drift[k][d] + (x[k][d] - target[k][d]) * self.settings.rate;
            }
        }
        out
    }

    /// Evaluates all rows of item `e` at the present positions, and stores its elastic ones. Returns the values and
    /// c + γ J v, by the element's own row numbers.
    #[inline(always)]
    fn sample(&self, e: usize, sample: &mut evaluate::Sample) -> [f64; evaluate::ROWS] {
        let (g, item) = (self.global, &self.table.items[e]);
        let x = self.corners(item, &g.points.x);
        if let Some(kind) = self.table.kind(e) {
            kind.sample(&self.table.rest[item.rest as usize..], &x, sample);
        }
        let v = if self.table.viscous { self.velocities(item, &x) } else { [[0.0; 3]; evaluate::ARMS] };
        let mut lagged = [0.0; evaluate::ROWS];
        for (j, r) in item.own_rows().enumerate() {
            let row = item.row as usize + j;
            g.rows.value.set(row, sample.values[r]);
            let mut speed = 0.0;
            for k in 0..item.arms() {
                let gradient = sample.gradients[r][k];
                g.rows.gradient.set3(item.gradient(j, k), gradient);
                speed += small::dot(gradient, v[k]);
            }
            lagged[r] = sample.values[r] + self.table.gamma[row] * speed;
        }
        lagged
    }

    /// √(1 + γ·rate) of an item's rows: what damping adds to the stiffness of a displacement, halved for either side.
    ///
    /// Linearised, a row is `D (c + J δ) + E⁻¹ λ` with D = 1 + γ·rate: unsymmetric where a material couples rows of
    /// different γ. D^½ E D^½ is symmetric, positive definite, and the same thing wherever γ agrees; residuals use γ as
    /// it is, so this only matters to how fast the solution is reached, not to which.
    #[inline(always)]
    fn damping(&self, item: &table::Item) -> [f64; evaluate::ROWS] {
        let mut out = [1.0; evaluate::ROWS];
        for (j, r) in item.own_rows().enumerate() {
            out[r] = (1.0 + self.table.gamma[item.row as usize + j] * self.settings.rate).sqrt();
        }
        out
    }

    /// Gathers an item's numbers from a list by row.
    #[inline(always)]
    fn rows_of(&self, item: &table::Item, from: &SharedList) -> [f64; evaluate::ROWS] {
        let mut out = [0.0; evaluate::ROWS];
        for (j, r) in item.own_rows().enumerate() {
            out[r] = from.get(item.row as usize + j);
        }
        out
    }

    /// Σ over rows of ∇_i c · y at vertex i: one vector of Jᵀ y.
    #[inline(always)]
    fn pull(&self, i: usize, y: &SharedList) -> [f64; 3] {
        let mut out = [0.0; 3];
        for (item, k) in self.table.touching(i) {
            for (j, row) in item.range().enumerate() {
                let (gradient, y) = (self.global.rows.gradient.get3(item.gradient(j, k)), y.get(row));
                for d in 0..3 {
                    out[d] += gradient[d] * y;
                }
            }
        }
        out
    }

    /// J d of an item's `j`th elastic row, for a displacement d of its vertices.
    #[inline(always)]
    fn push(&self, item: &table::Item, j: usize, d: &evaluate::Corners) -> f64 {
        let mut out = 0.0;
        for k in 0..item.arms() {
            out += small::dot(self.global.rows.gradient.get3(item.gradient(j, k)), d[k]);
        }
        out
    }
}
