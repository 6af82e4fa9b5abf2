//! From meshes to a [`Model`]: checking, masses, material frames, numbering, packing.

mod cloth;
mod elastic;
mod error;
mod frames;
mod limits;
mod links;
mod patches;
mod plate;
mod solid;

pub use cloth::{Cloth, ClothDamping, ClothStiffness};
pub use elastic::{ClothElasticity, ElasticDamping, Membrane, Orthotropic, SolidElasticity};
pub use error::{BuildError, Oddity, Warning};
pub use frames::{Grain, RestShape, StrainForm};
pub(crate) use limits::limited_parts;
pub use patches::Bending;
pub use solid::{Solid, SolidStiffness};

use crate::constraint::{Batch, Loose, LooseElements};
use crate::lanes::{Scalar, V3, Vertex};
use crate::levels::SlantedThread;
use crate::limit::{LimitSpec, Stack};
use crate::model::{Body, BodyKind, Model};
use crate::solve::user::{Constraint, ConstraintRow, MOST_VERTICES, RowStrength, UserRows};
use core::ops::Range;
use std::sync::Arc;

/// Collects bodies and turns them into a [`Model`]. A call that fails leaves nothing behind: the builder is as it was
/// before.
///
/// ```
/// use taut::{Cloth, ModelBuilder, State, mesh::TriMesh};
///
/// let mesh = TriMesh {
///     positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
///     triangles: vec![[0, 2, 1]],
///     ..TriMesh::default()
/// };
/// let mut builder = ModelBuilder::new();
/// builder.add_cloth("scarf", &mesh, &Cloth::default())?;
/// let model = builder.build::<f32>()?;
/// assert_eq!(State::new(&model).positions(&model), mesh.positions);
/// # Ok::<(), taut::BuildError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ModelBuilder {
    positions: Vec<[f64; 3]>,
    masses: Vec<f64>,
    pub(crate) loose: LooseElements,
    faces: Vec<Loose<3, 1, 0>>,
    slanted: Vec<SlantedThread>,
    bodies: Vec<Body>,
    warnings: Vec<Warning>,
    limits: Vec<LimitSpec>,
    constraints: Vec<(Arc<dyn Constraint>, Vec<ConstraintRow>)>,
}

impl ModelBuilder {
    /// Nothing yet.
    pub fn new() -> Self {
        ModelBuilder::default()
    }

    /// Adds vertices at rest positions (m) and returns the number of the first. Bodies that are to share vertices,
    /// a cloth sewn to a solid for instance, are added onto the same ones.
    pub fn add_vertices(&mut self, positions: &[[f64; 3]]) -> Result<u32, BuildError> {
        let base = self.positions.len();
        if (base + positions.len() + 1).saturating_mul(size_of::<Vertex<f64>>()) > u32::MAX as usize {
            return Err(BuildError::TooManyVertices { count: base + positions.len() });
        }
        if let Some(i) = positions.iter().position(|p| !p.iter().all(|c| c.is_finite() && c.abs() < FARTHEST)) {
            return Err(BuildError::Position { vertex: i, found: positions[i] });
        }
        self.positions.extend_from_slice(positions);
        self.masses.resize(self.positions.len(), 0.0);
        Ok(base as u32)
    }

    /// Adds mass to a vertex, kg: a button, a weight in the hem.
    pub fn add_mass(&mut self, vertex: u32, mass: f64) -> Result<(), BuildError> {
        let vertices = self.positions.len();
        match self.masses.get_mut(vertex as usize) {
            None => Err(BuildError::Index { body: String::new(), element: "mass", number: 0, vertex, vertices }),
            Some(_) if !(mass.is_finite() && mass >= 0.0) => Err(BuildError::Mass { vertex, found: mass }),
            Some(m) => {
                *m += mass;
                Ok(())
            }
        }
    }

    /// Adds springs between pairs of vertices, at rest at their distance: strings, ropes, seams. The spring constant is
    /// `stiffness` (N/m), the damping time `damping` (s). Vertices get no mass from them. One without length is left
    /// out, with a warning.
    pub fn add_springs(&mut self, pairs: &[[u32; 2]], stiffness: f64, damping: f64) -> Result<(), BuildError> {
        elastic::check_spring(stiffness, damping)?;
        for (number, pair) in pairs.iter().enumerate() {
            self.check_index("", "spring", number, pair)?;
        }
        self.springs_between("", pairs.iter().map(|&pair| (pair, 1.0)), stiffness, damping);
        Ok(())
    }

    /// Springs between pairs that exist, each with the length that counts as unstretched, over the distance. One
    /// without length has no direction to act along, and is left out.
    fn springs_between(&mut self, body: &str, pairs: impl IntoIterator<Item = ([u32; 2], f64)>, k: f64, gamma: f64) {
        let mut short = Vec::new();
        for (number, (index, stretch)) in pairs.into_iter().filter(|_| k > 0.0).enumerate() {
            let [a, b] = index.map(|v| V3::from(self.positions[v as usize]));
            let l = (b - a).norm2().sqrt();
            if l > 0.0 {
                let (rest, elastic) = ([1.0 / l, stretch], Some(elastic::spring(k, l, gamma)));
                self.loose.edges.push(Loose { index, rest, stiffness: [0.0], damping: [0.0], elastic });
            } else {
                short.push(number);
            }
        }
        self.warn(body, Oddity::NoLength, &short);
    }

    /// Does `f`. If that fails, the builder is as it was before.
    fn or_nothing<A>(&mut self, f: impl FnOnce(&mut Self) -> Result<A, BuildError>) -> Result<A, BuildError> {
        // Elements and masses come after the last check.
        let (vertices, warnings) = (self.positions.len(), self.warnings.len());
        let done = f(self);
        if done.is_err() {
            self.positions.truncate(vertices);
            self.masses.truncate(vertices);
            self.warnings.truncate(warnings);
        }
        done
    }

    /// Adds a constraint of the user's own, with its rows in the order by which it will be asked for them. All have as
    /// many vertices, 1 to 5. It takes part in the step whatever the solver. Vertices get no mass from it.
    pub fn add_constraint(
        &mut self,
        constraint: impl Constraint + 'static,
        rows: &[ConstraintRow],
    ) -> Result<(), BuildError> {
        for (row, one) in rows.iter().enumerate() {
            self.check_index(constraint.name(), "row", row, &one.vertices)?;
            if let Some(what) = wrong(one, rows[0].vertices.len()) {
                return Err(BuildError::Constraint { name: constraint.name().to_owned(), row, what });
            }
        }
        if !rows.is_empty() {
            self.constraints.push((Arc::new(constraint), rows.to_vec()));
        }
        Ok(())
    }

    /// Paints how the body whose first vertex is `base` meets others: for each of its vertices a factor from 0 to 1 on
    /// the
    /// thickness and one on the friction of its [`ContactMaterial`](crate::ContactMaterial). In between they are in
    /// between.
    /// Vertices that meet simple shapes on their own keep the distance, and have the friction, of the shape.
    pub fn paint_contact(&mut self, base: u32, factors: Vec<[f64; 2]>) -> Result<(), BuildError> {
        let vertices = self.positions.len();
        let Some(body) = self.bodies.iter_mut().find(|body| body.base == base) else {
            return Err(BuildError::Index { body: String::new(), element: "body", number: 0, vertex: base, vertices });
        };
        let expected = vertices - base as usize;
        if factors.len() > expected {
            let (body, found) = (body.name.clone(), factors.len());
            return Err(BuildError::Length { body, list: "contact factors", found, expected });
        }
        for &found in factors.as_flattened() {
            check_number(&body.name, "contact factor", found, "0 to 1", (0.0..=1.0).contains(&found))?;
        }
        body.contact = factors;
        Ok(())
    }

    /// Adds a strain limiter behind those added before. They act in every substep after the solve, one after another,
    /// so that the last has the last word among them, in turn with contact. Bounds on stretch, which most of them are
    /// too, are met together with contact at the end of a step and have the last word over all limiters.
    pub fn limit(&mut self, limit: LimitSpec) {
        self.limits.push(limit);
    }

    /// Checks what is left to check, numbers, colours and packs.
    pub fn build<T: Scalar>(mut self) -> Result<Model<T>, BuildError> {
        if self.positions.is_empty() {
            return Err(BuildError::Empty);
        }
        if let Some(i) = self.masses.iter().position(|&m| m != 0.0 && !in_range::<T>(m)) {
            return Err(BuildError::Mass { vertex: i as u32, found: self.masses[i] });
        }
        let massless: Vec<usize> = (0..self.masses.len()).filter(|&i| self.masses[i] == 0.0).collect();
        self.warn("", Oddity::NoMass, &massless);
        let user = along_a_curve(&self.positions);
        let mut own = vec![0; user.len()];
        for (i, &u) in user.iter().enumerate() {
            own[u as usize] = i as u32;
        }
        for f in &mut self.faces {
            f.index = f.index.map(|v| own[v as usize]);
        }
        for s in &mut self.slanted {
            s.corners = s.corners.map(|v| own[v as usize]);
        }
        let mut user_rows = UserRows::default();
        for (constraint, rows) in self.constraints {
            user_rows.add(constraint, &rows, &own);
        }
        let mut model = Model {
            user_rows,
            elements: self.loose.pack(&own),
            faces: Batch::pack(&self.faces, own.len() as u32),
            slanted: self.slanted,
            bodies: self.bodies,
            warnings: self.warnings,
            positions: self.positions,
            masses: self.masses,
            user,
            own,
            identity: Default::default(),
            surfaces: Default::default(),
            owners: Default::default(),
            limits: Stack::default(),
        };
        model.set_limits(&self.limits)?;
        Ok(model)
    }

    /// The numbers of the next `count` strain elements of a kind of body among all of that kind.
    fn next_strains(&self, kind: BodyKind, count: usize) -> Range<u32> {
        let start = self.bodies.iter().rev().find(|b| b.kind == kind).map_or(0, |b| b.strains.end);
        start..start + count as u32
    }

    fn warn(&mut self, body: &str, what: Oddity, which: &[usize]) {
        if let Some(&first) = which.first() {
            self.warnings.push(Warning { body: body.to_owned(), what, count: which.len(), first });
        }
    }

    /// All indices of an element are of vertices that exist.
    fn check_index(&self, body: &str, element: &'static str, number: usize, index: &[u32]) -> Result<(), BuildError> {
        let vertices = self.positions.len();
        match index.iter().find(|&&v| v as usize >= vertices) {
            None => Ok(()),
            Some(&vertex) => Err(BuildError::Index { body: body.to_owned(), element, number, vertex, vertices }),
        }
    }
}

/// What is wrong with a row of a constraint whose rows have `arity` vertices.
fn wrong(row: &ConstraintRow, arity: usize) -> Option<&'static str> {
    let twice = |(i, v): (usize, &u32)| row.vertices[..i].contains(v);
    let (strong, expected) = match row.strength {
        RowStrength::Compliance { compliance, damping } => {
            let sound = (0.0..1e15).contains(&compliance) && (0.0..=1e6).contains(&damping);
            (sound, "a compliance of 0 or more, and a damping time of 0 to 1e6 s, are expected")
        }
        RowStrength::Stiffness(k) => (k > 0.0 && k <= 1.0, "a stiffness above 0 and up to 1 is expected"),
    };
    match () {
        _ if row.vertices.is_empty() || row.vertices.len() > MOST_VERTICES => Some("1 to 5 vertices are expected"),
        _ if row.vertices.len() != arity => Some("as many vertices as the first row has are expected"),
        _ if row.vertices.iter().enumerate().any(twice) => Some("a vertex is named twice"),
        _ if !strong => Some(expected),
        _ => None,
    }
}

/// Positions beyond this (m) leave no digits for the cloth.
const FARTHEST: f64 = 1e7;

/// Whether a mass and its inverse are normal numbers with room to spare for squares of lengths.
fn in_range<T: Scalar>(mass: f64) -> bool {
    mass.is_finite() && (1e-12..1e12).contains(&mass) && T::of(mass).finite()
}

/// The vertices in the order of a Z-shaped curve through their bounding box.
fn along_a_curve(positions: &[[f64; 3]]) -> Vec<u32> {
    let (mut lo, mut hi) = ([f64::MAX; 3], [f64::MIN; 3]);
    for p in positions {
        for k in 0..3 {
            lo[k] = lo[k].min(p[k]);
            hi[k] = hi[k].max(p[k]);
        }
    }
    let size = (0..3).map(|k| hi[k] - lo[k]).fold(1e-30, f64::max);
    let spread = |mut v: u64| {
        // 21 bits to every third place.
        v = (v | (v << 32)) & 0x001f_0000_0000_ffff;
        v = (v | (v << 16)) & 0x001f_0000_ff00_00ff;
        v = (v | (v << 8)) & 0x100f_00f0_0f00_f00f;
        v = (v | (v << 4)) & 0x10c3_0c30_c30c_30c3;
        (v | (v << 2)) & 0x1249_2492_4924_9249
    };
    let key = |p: &[f64; 3]| {
        let cell = |k: usize| spread(((p[k] - lo[k]) / size * 2_097_151.0) as u64);
        cell(0) | cell(1) << 1 | cell(2) << 2
    };
    let mut order: Vec<(u64, u32)> = positions.iter().enumerate().map(|(i, p)| (key(p), i as u32)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, i)| i).collect()
}

/// A stiffness of projections is 0 to 1.
fn check_stiffness(body: &str, name: &'static str, found: f64) -> Result<(), BuildError> {
    check_number(body, name, found, "a number from 0 to 1", (0.0..=1.0).contains(&found))
}

/// A parameter is within its bounds.
fn check_number(
    body: &str,
    name: &'static str,
    found: f64,
    expected: &'static str,
    sound: bool,
) -> Result<(), BuildError> {
    if sound { Ok(()) } else { Err(BuildError::Parameter { body: body.to_owned(), name, found, expected }) }
}

/// Damping rates are finite and not negative.
fn check_rate(body: &str, name: &'static str, found: f64) -> Result<(), BuildError> {
    check_number(body, name, found, "a rate in 1/s, 0 or more", found.is_finite() && found >= 0.0)
}
