//! Constraints of the user's own, from outside the crate: values and gradients over batches of rows.
//!
//! They take part in the step like the elements' rows. Rows with a compliance carry multipliers and are solved after
//! the elements in each sweep, or by the global solvers together with them; rows with a stiffness are projected.

use super::soft::SoftLaw;
use super::warm::WarmStart;
use crate::lanes::{Scalar, Vertex};
use core::fmt;
use std::sync::Arc;

/// A constraint of the user's own: rows c(x), each of which should be zero, or no more, or no less.
///
/// All rows of one look at the same number of vertices, 1 to 5. The unit of c is the user's; a [`ConstraintRow`] says
/// how much a violation costs in J. The example `own_constraint` keeps beads on a wire.
pub trait Constraint: fmt::Debug + Send + Sync {
    /// What people call it, for errors.
    fn name(&self) -> &str;

    /// Values c and gradients ∂c/∂x of some rows at once.
    ///
    /// `rows` are numbers of rows in the order they were added, no two of which have a vertex in common. `x` are the
    /// positions (m) of their vertices, row after row; `gradients` (the unit of c over m) go where the positions are,
    /// and `values` (the unit of c) in the order of `rows`. The same positions must give the same numbers. A row with a
    /// number that is not finite is passed over, and so are all of a call that panics.
    fn evaluate(&self, rows: &[u32], x: &[[f64; 3]], values: &mut [f64], gradients: &mut [[f64; 3]]);
}

/// One row of a [`Constraint`].
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintRow {
    /// The vertices it looks at, none twice.
    pub vertices: Vec<u32>,
    /// How strongly it is held.
    pub strength: RowStrength,
    /// Which values it allows.
    pub side: RowSide,
}

/// How strongly a row is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowStrength {
    /// With an energy of ½ c²/`compliance` J, and a force that grows by `damping` times the rate of c.
    Compliance {
        /// The square of the unit of c over J, 0 or more. What is as good as rigid may have 0, except with explicit
        /// integrators.
        compliance: f64,
        /// s, 0 or more.
        damping: f64,
    },
    /// The part of its error that one projection removes, above 0 to 1: as stiff as the iterations and the time step
    /// make it.
    Stiffness(f64),
}

/// Which values of c a row allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowSide {
    /// 0 alone.
    #[default]
    Zero,
    /// 0 or less.
    AtMost,
    /// 0 or more.
    AtLeast,
}

impl RowSide {
    /// Whether `c` is allowed though it is not 0.
    fn allows(self, c: f64) -> bool {
        match self {
            RowSide::Zero => false,
            RowSide::AtMost => c < 0.0,
            RowSide::AtLeast => c > 0.0,
        }
    }

    /// The multiplier that a row may have: one that only pushes back.
    fn clip(self, lambda: f64) -> f64 {
        match self {
            RowSide::Zero => lambda,
            RowSide::AtMost => lambda.min(0.0),
            RowSide::AtLeast => lambda.max(0.0),
        }
    }
}

/// Most vertices of a row.
pub(crate) const MOST_VERTICES: usize = 5;

/// How far the gradients of row `row` of a constraint are from central differences at vertices `x` (m): the largest
/// difference of a component, over the largest component. A right one gives 1e-6 or less where the row is smooth.
pub fn gradient_error(constraint: &dyn Constraint, row: u32, x: &[[f64; 3]]) -> f64 {
    let sample = |x: &[[f64; 3]]| {
        let (mut value, mut gradients) = ([0.0], vec![[0.0; 3]; x.len()]);
        constraint.evaluate(&[row], x, &mut value, &mut gradients);
        (value[0], gradients)
    };
    let (_, gradients) = sample(x);
    let size = gradients.iter().flatten().fold(1e-30, |m: f64, c| m.max(c.abs()));
    let mut moved = x.to_vec();
    let mut worst = 0.0;
    for v in 0..x.len() {
        for d in 0..3 {
            let by = 1e-5 * (1.0 + x[v][d].abs());
            let mut at = |c: f64| {
                moved[v][d] = c;
                sample(&moved).0
            };
            let slope = (at(x[v][d] + by) - at(x[v][d] - by)) / (2.0 * by);
            at(x[v][d]);
            worst = f64::max(worst, (slope - gradients[v][d]).abs() / size);
        }
    }
    worst
}

/// The rows of one constraint in a model, coloured.
#[derive(Clone, Debug)]
pub(crate) struct UserBatch {
    pub constraint: Arc<dyn Constraint>,
    /// Vertices of a row.
    pub arity: usize,
    /// By row, in the model's own numbers.
    pub vertices: Vec<u32>,
    pub strength: Vec<RowStrength>,
    pub side: Vec<RowSide>,
    /// Rows that share no vertex, in the order they are solved.
    colours: Vec<Vec<u32>>,
    /// Its first multiplier in the state's list.
    pub first: usize,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserRows {
    pub batches: Vec<Arc<UserBatch>>,
    /// How many multipliers they have.
    pub multipliers: usize,
    /// Whether any row is held by projections.
    pub projected: bool,
}

impl UserRows {
    /// Adds a constraint whose rows have been checked, with vertices in the model's own numbers.
    pub fn add(&mut self, constraint: Arc<dyn Constraint>, rows: &[ConstraintRow], own: &[u32]) {
        let arity = rows.first().map_or(1, |row| row.vertices.len());
        let vertices: Vec<u32> = rows.iter().flat_map(|row| &row.vertices).map(|&v| own[v as usize]).collect();
        self.projected |= rows.iter().any(|row| matches!(row.strength, RowStrength::Stiffness(_)));
        let first = self.multipliers;
        self.multipliers += rows.len();
        self.batches.push(Arc::new(UserBatch {
            constraint,
            arity,
            strength: rows.iter().map(|row| row.strength).collect(),
            side: rows.iter().map(|row| row.side).collect(),
            colours: colours(&vertices, arity),
            vertices,
            first,
        }));
    }
}

/// Rows in groups that share no vertex: each goes to the first group after those of its vertices' rows before.
fn colours(vertices: &[u32], arity: usize) -> Vec<Vec<u32>> {
    let mut next = std::collections::HashMap::new();
    let mut out: Vec<Vec<u32>> = Vec::new();
    for (row, vertices) in vertices.chunks(arity).enumerate() {
        let colour = vertices.iter().filter_map(|v| next.get(v)).copied().max().unwrap_or(0);
        vertices.iter().for_each(|&v| _ = next.insert(v, colour + 1));
        if colour == out.len() {
            out.push(Vec::new());
        }
        out[colour].push(row as u32);
    }
    out
}

impl UserBatch {
    /// The value and gradients of one row at `x`, of which those beyond its allowed side are zero.
    pub fn sample(&self, row: u32, x: &[[f64; 3]], gradients: &mut [[f64; 3]]) -> f64 {
        let mut value = [0.0];
        gradients.fill([0.0; 3]);
        self.evaluate(&[row], x, &mut value, gradients);
        if self.side[row as usize].allows(value[0]) || !sound(value[0], gradients) {
            gradients.fill([0.0; 3]);
            return 0.0;
        }
        value[0]
    }

    /// The user's code. If it panics its rows are passed over, as rows that are not finite are: the step's other
    /// workers wait for this one, and would for ever.
    fn evaluate(&self, rows: &[u32], x: &[[f64; 3]], values: &mut [f64], gradients: &mut [[f64; 3]]) {
        let call = || self.constraint.evaluate(rows, x, values, gradients);
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err() {
            values.fill(f64::NAN);
        }
    }
}

/// Whether a row can be computed with.
fn sound(value: f64, gradients: &[[f64; 3]]) -> bool {
    value.is_finite() && gradients.iter().flatten().all(|c| c.is_finite())
}

/// What a sweep over the rows works on.
#[derive(Debug)]
pub(crate) struct UserSolver<T> {
    pub multipliers: Vec<T>,
    found: Sampled,
}

/// Values and gradients of the rows of one colour.
#[derive(Debug, Default)]
struct Sampled {
    x: Vec<[f64; 3]>,
    values: Vec<f64>,
    gradients: Vec<[f64; 3]>,
}

impl Sampled {
    fn evaluate<T: Scalar>(&mut self, batch: &UserBatch, rows: &[u32], x: &[Vertex<T>]) {
        // What the user's code does not write is zero.
        self.values.clear();
        self.values.resize(rows.len(), 0.0);
        self.gradients.clear();
        self.gradients.resize(rows.len() * batch.arity, [0.0; 3]);
        self.x.clear();
        for &row in rows {
            self.x.extend(batch.vertices_of(row).iter().map(|&v| xyz(x[v as usize])));
        }
        batch.evaluate(rows, &self.x, &mut self.values, &mut self.gradients);
    }
}

impl UserBatch {
    /// The vertices of a row, in the model's own numbers.
    pub fn vertices_of(&self, row: u32) -> &[u32] {
        &self.vertices[row as usize * self.arity..(row as usize + 1) * self.arity]
    }
}

/// One row, with all that solving it takes.
struct OneRow<'a> {
    batch: &'a UserBatch,
    number: u32,
    value: f64,
    gradients: &'a [[f64; 3]],
}

impl OneRow<'_> {
    /// Σ w |∇c|². Held vertices count as a little movable, as for elements, unless there is no other than the two ends.
    fn give<T: Scalar>(&self, x: &[Vertex<T>]) -> f64 {
        let weights = self.batch.vertices_of(self.number).iter().map(|&v| x[v as usize][3].f64());
        let most = if self.batch.arity > 2 { weights.clone().fold(0.0, f64::max) / 64.0 } else { 0.0 };
        let floored = weights.map(|w| if w > 0.0 { w } else { most });
        floored.zip(self.gradients).map(|(w, g)| w * dot(*g, *g)).sum()
    }

    /// `to` += scale · w ∇c, with the inverse masses w of `x`.
    fn push<T: Scalar>(&self, x: &[Vertex<T>], to: &mut [Vertex<T>], scale: f64) {
        for (&v, g) in self.batch.vertices_of(self.number).iter().zip(self.gradients) {
            let (to, by) = (&mut to[v as usize], scale * x[v as usize][3].f64());
            for d in 0..3 {
                to[d] = to[d] + T::of(by * g[d]);
            }
        }
    }

    /// x += scale · w ∇c.
    fn move_by<T: Scalar>(&self, x: &mut [Vertex<T>], scale: f64) {
        for (&v, g) in self.batch.vertices_of(self.number).iter().zip(self.gradients) {
            let at = &mut x[v as usize];
            let by = scale * at[3].f64();
            for d in 0..3 {
                at[d] = at[d] + T::of(by * g[d]);
            }
        }
    }
}

impl<T: Scalar> UserSolver<T> {
    pub fn new(multipliers: Vec<T>) -> Self {
        UserSolver { multipliers, found: Sampled::default() }
    }

    /// Does `f` to each row that can be computed with, colour by colour, with its multiplier.
    fn each(
        &mut self,
        rows: &UserRows,
        x: &mut [Vertex<T>],
        wanted: impl Fn(RowStrength) -> bool,
        mut f: impl FnMut(&OneRow<'_>, &mut T, &mut [Vertex<T>]),
    ) {
        for batch in &rows.batches {
            for colour in batch.colours.iter().filter(|c| c.iter().any(|&row| wanted(batch.strength[row as usize]))) {
                self.found.evaluate(batch, colour, x);
                let Sampled { values, gradients, .. } = &self.found;
                for ((&number, &value), gradients) in colour.iter().zip(values).zip(gradients.chunks(batch.arity)) {
                    if sound(value, gradients) && wanted(batch.strength[number as usize]) {
                        let lambda = &mut self.multipliers[batch.first + number as usize];
                        f(&OneRow { batch, number, value, gradients }, lambda, x);
                    }
                }
            }
        }
    }

    /// One sweep over the rows with a compliance, as [`soft`](super::soft) does it for elements. Returns the largest
    /// residual.
    pub fn relax(&mut self, rows: &UserRows, x: &mut [Vertex<T>], rates: Rates<'_, T>, law: &SoftLaw) -> f64 {
        let mut worst = 0.0;
        self.each(rows, x, compliant, |row, lambda, x| {
            let RowStrength::Compliance { compliance, damping } = row.batch.strength[row.number as usize] else {
                return;
            };
            let speed = if damping > 0.0 { rates.of(row, x, law.rate) } else { 0.0 };
            let before = lambda.f64();
            let residual = row.value + damping * speed + compliance * before;
            let system = law.reach * (1.0 + damping * law.rate) * row.give(x) + compliance;
            let change = match law.reach > 0.0 {
                // Nothing that it could move: no force is the right one.
                true if system <= LEAST => -before,
                true => -residual / system * law.relaxation,
                // What is rigid has no force that follows from where things are.
                false if compliance <= 0.0 => -before,
                false => -residual / compliance,
            };
            let side = row.batch.side[row.number as usize];
            let after = T::of(side.clip(before + change));
            let idle = side != RowSide::Zero && after == T::of(0.0);
            worst = f64::max(worst, if idle { 0.0 } else { residual.abs() });
            *lambda = after;
            row.move_by(x, law.reach * (after.f64() - before));
        });
        worst
    }

    /// One sweep of projections over the rows with a stiffness.
    pub fn project(&mut self, rows: &UserRows, x: &mut [Vertex<T>]) {
        self.each(
            rows,
            x,
            |strength| !compliant(strength),
            |row, _, x| {
                let RowStrength::Stiffness(stiffness) = row.batch.strength[row.number as usize] else { return };
                let give = row.give(x);
                if give > LEAST && !row.batch.side[row.number as usize].allows(row.value) {
                    row.move_by(x, -stiffness * row.value / give);
                }
            },
        );
    }

    /// Adds `scale` · M⁻¹ Jᵀ λ to `to`, or to the positions themselves. With a memory, λ becomes what it keeps of it
    /// first.
    pub fn apply(
        &mut self,
        rows: &UserRows,
        x: &mut [Vertex<T>],
        mut to: Option<&mut [Vertex<T>]>,
        scale: f64,
        memory: Option<WarmStart>,
    ) {
        self.each(rows, x, compliant, |row, lambda, x| {
            let RowStrength::Compliance { compliance, damping } = row.batch.strength[row.number as usize] else {
                return;
            };
            if let Some(memory) = memory {
                *lambda = T::of(memory.keep(lambda.f64(), row.give(x), compliance, damping));
            }
            let by = scale * lambda.f64();
            match &mut to {
                Some(to) => row.push(x, to, by),
                None => row.move_by(x, by),
            }
        });
    }
}

/// Velocities as they would be if the step ended now: ṽ + (x − x̃)·rate.
#[derive(Clone, Copy)]
pub(crate) struct Rates<'a, T> {
    pub x_predicted: &'a [Vertex<T>],
    pub v: &'a [Vertex<T>],
}

impl<T: Scalar> Rates<'_, T> {
    /// ċ of a row.
    fn of(&self, row: &OneRow<'_>, x: &[Vertex<T>], rate: f64) -> f64 {
        let each = row.batch.vertices_of(row.number).iter().zip(row.gradients);
        each.map(|(&v, g)| {
            let (x, from, v) = (xyz(x[v as usize]), xyz(self.x_predicted[v as usize]), xyz(self.v[v as usize]));
            (0..3).map(|d| g[d] * (v[d] + (x[d] - from[d]) * rate)).sum::<f64>()
        })
        .sum()
    }
}

/// Below this a row has neither gradient nor compliance, and moves nothing.
const LEAST: f64 = 1e-30;

fn compliant(strength: RowStrength) -> bool {
    matches!(strength, RowStrength::Compliance { .. })
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn xyz<T: Scalar>(v: Vertex<T>) -> [f64; 3] {
    [v[0].f64(), v[1].f64(), v[2].f64()]
}
