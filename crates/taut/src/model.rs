//! What is frozen while stepping: topology, rest shape, masses, packed elements.

use crate::BuildError;
use crate::constraint::{Batch, Elements, Visit};
use crate::contact::pipeline::ModelSurfaces;
use crate::element::Element;
use crate::lanes::Scalar;
pub(crate) use crate::levels::Identity;
use crate::levels::{BoundedSolid, RestModel, SlantedThread, TriangleOwners};
use crate::limit::{LimitSpec, Stack, StretchBounds};
use crate::solve::user::UserRows;
use core::ops::Range;
use std::sync::{Arc, OnceLock};

/// A model, built by a [`ModelBuilder`](crate::ModelBuilder), shared by any number of [`State`](crate::State)s.
///
/// Vertices and elements have two numberings. The user's is the order of adding; everything public speaks it. The
/// model's own follows a curve through space, so that neighbours lie near each other in memory whatever the mesh
/// file's order was.
#[derive(Clone, Debug)]
pub struct Model<T: Scalar> {
    // Not public: kernels trust the places in them without a check.
    pub(crate) elements: Elements<T>,
    pub(crate) faces: Batch<T, 3, 1, 0>,
    /// Warp threads that do not run across weft.
    pub(crate) slanted: Vec<SlantedThread>,
    // Not public: elements and bounds are found by the numbers in them.
    pub(crate) bodies: Vec<Body>,
    /// What the builder found odd and how it helped itself.
    pub warnings: Vec<crate::Warning>,
    pub(crate) positions: Vec<[f64; 3]>,
    pub(crate) masses: Vec<f64>,
    /// The user's number of each vertex, by the model's.
    pub(crate) user: Vec<u32>,
    /// The model's number of each vertex, by the user's.
    pub(crate) own: Vec<u32>,
    /// Which model this is; copies are the same.
    pub(crate) identity: Identity,
    /// What contact sees of it; made when first asked for.
    pub(crate) surfaces: OnceLock<Arc<ModelSurfaces>>,
    /// Which bodies triangles belong to; made when first asked for.
    pub(crate) owners: OnceLock<Arc<TriangleOwners>>,
    pub(crate) limits: Stack<T>,
    /// Constraints of the user's own.
    pub(crate) user_rows: UserRows,
}

/// A piece of cloth or a soft body.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// What the user called it.
    pub name: String,
    /// Its first vertex: the index its mesh counted as 0.
    pub base: u32,
    /// Triangles of its surface as given (cloth) or its outer faces (solids), in the user's vertex numbers.
    pub triangles: Vec<[u32; 3]>,
    /// Its tetrahedra, in the user's vertex numbers.
    pub tets: Vec<[u32; 4]>,
    /// For each strain element of a triangle its triangle's number in `triangles`, and so for tetrahedra:
    /// elements left out (no area, duplicates) have none.
    pub strained: Vec<u32>,
    /// How far each of its triangles may be stretched at the end of a step, beside what limiters say of the whole body;
    /// empty if nothing more is said.
    pub limits: Vec<StretchBounds>,
    /// For each of its vertices, from the first on, factors from 0 to 1 on the thickness and on the friction of its
    /// [`ContactMaterial`](crate::ContactMaterial); empty if it is the same everywhere.
    pub contact: Vec<[f64; 2]>,
    /// The numbers of its strain elements in their kind.
    pub elements: Range<u32>,
    /// The numbers of its strain elements in [`Strains`](crate::measure::Strains).
    pub strains: Range<u32>,
    /// Which kind of strain element it has.
    pub kind: BodyKind,
    /// Which form of strain rows.
    pub form: crate::StrainForm,
}

/// What a body is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodyKind {
    /// Triangles with strain rows.
    #[default]
    Cloth,
    /// Tetrahedra with strain rows.
    Solid,
}

impl<T: Scalar> Model<T> {
    /// What was added, in order.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The packed elements of every kind.
    pub fn elements(&self) -> &Elements<T> {
        &self.elements
    }

    /// What contact sees of it.
    pub(crate) fn surfaces(&self) -> &Arc<ModelSurfaces> {
        let triangles = |body: &Body| -> Vec<[u32; 3]> {
            let own = |t: &[u32; 3]| t.map(|v| self.own[v as usize]);
            match body.kind {
                // Only what the engine took for a triangle: not those without area, nor those given twice.
                BodyKind::Cloth => {
                    body.strained.iter().filter_map(|&t| body.triangles.get(t as usize)).map(own).collect()
                }
                BodyKind::Solid => body.triangles.iter().map(own).collect(),
            }
        };
        self.surfaces.get_or_init(|| {
            let rest = self.user.iter().map(|&u| self.positions[u as usize]).collect();
            let surfaces = ModelSurfaces::new(rest, self.bodies.iter().map(triangles));
            Arc::new(surfaces.painted(self.painted()))
        })
    }

    /// Factors on thickness and friction by vertex; empty if no body has any.
    fn painted(&self) -> Vec<[f64; 2]> {
        if self.bodies.iter().all(|body| body.contact.is_empty()) {
            return Vec::new();
        }
        let mut all = vec![[1.0; 2]; self.own.len()];
        for body in &self.bodies {
            let own = self.own.get(body.base as usize..).unwrap_or_default();
            own.iter().zip(&body.contact).for_each(|(&vertex, factors)| all[vertex as usize] = *factors);
        }
        all
    }

    /// What coarse levels are built from.
    pub(crate) fn at_rest(&self) -> RestModel<'_, T> {
        let Model { elements, slanted, positions, masses, user, identity, .. } = self;
        let owners = self.owners.get_or_init(|| {
            let own = |t: &[u32; 3]| t.map(|v| self.own[v as usize]);
            let bodies = self.bodies.iter().zip(0..).filter(|(body, _)| body.kind == BodyKind::Cloth);
            let triangles = bodies.flat_map(|(body, number)| {
                body.triangles.iter().zip(0..).map(move |(t, triangle)| (own(t), [number, triangle]))
            });
            Arc::new(TriangleOwners::new(triangles))
        });
        let bounds: Vec<_> = (0..self.bodies.len()).map(|b| self.limits.bounds(b)).collect();
        let limits = self.bodies.iter().map(|body| &body.limits[..]).collect();
        let solid = |(body, bounds): (&Body, &StretchBounds)| {
            let elements = body.elements.start as usize..body.elements.end as usize;
            let bounded = body.kind == BodyKind::Solid && *bounds != StretchBounds::NONE;
            let plain = body.form == crate::StrainForm::Plain;
            bounded.then_some(BoundedSolid { bounds: *bounds, elements, plain })
        };
        let solids = self.bodies.iter().zip(&bounds).filter_map(solid).collect();
        RestModel { identity, elements, slanted, positions, masses, user, owners, bounds, limits, solids }
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.positions.len()
    }

    /// Rest positions, m, in the user's order.
    pub fn rest_positions(&self) -> &[[f64; 3]] {
        &self.positions
    }

    /// Masses, kg, in the user's order; 0 for a vertex that nothing gives a mass.
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// The strain limiters, in the order they act.
    pub fn limits(&self) -> &[LimitSpec] {
        self.limits.specs()
    }

    /// How far a body, by its number in the order of adding, may be stretched at the end of a step: what all limiters
    /// of it allow together.
    pub fn stretch_bounds(&self, body: usize) -> StretchBounds {
        self.limits.bounds(body)
    }

    /// Replaces the strain limiters, between two steps. Those that stay as they were cost nothing; others are coloured
    /// and packed anew, about a tenth of what building the model took. States stay valid.
    pub fn set_limits(&mut self, limits: &[LimitSpec]) -> Result<(), BuildError> {
        let parts = |number, spec: &_| crate::builder::limited_parts(self, number, spec);
        self.limits = Stack::new(self.vertices(), limits, &self.limits, parts)?;
        Ok(())
    }

    /// Whether any row is projected.
    pub(crate) fn projects(&self) -> bool {
        self.elements.projected || self.user_rows.projected
    }

    /// Blocks of elements in one sweep, and colours.
    pub(crate) fn extent(&self) -> (usize, usize) {
        struct Count(usize, usize);
        impl<T: Scalar> Visit<T> for Count {
            fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(
                &mut self,
                b: &Batch<T, V, P, R>,
            ) where
                E: Element<V, D, P, R>,
            {
                self.0 += b.blocks().len();
                self.1 += b.colours().len();
            }
        }
        let mut count = Count(0, 0);
        self.elements.for_each(&mut count);
        (count.0, count.1)
    }
}
