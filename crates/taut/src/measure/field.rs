//! Fields: numbers on a body, each with its name, its unit and where it lives.

use super::Strains;
use crate::lanes::Scalar;
use crate::model::{Body, BodyKind, Model};
use crate::state::State;

/// Numbers on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// What it is, in lower case.
    pub name: &'static str,
    /// Its unit; empty for pure numbers.
    pub unit: &'static str,
    /// What there is a number for.
    pub place: FieldPlace,
    /// The numbers, in the order of the body's vertices, triangles or tetrahedra. Elements that the builder left out
    /// have 0.
    pub values: Vec<f64>,
}

/// Where a [`Field`] lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldPlace {
    /// At the body's vertices, from its [`base`](Body::base) on as far as its elements reach.
    Vertex,
    /// On its [`triangles`](Body::triangles).
    Face,
    /// In its [`tets`](Body::tets).
    Cell,
}

impl Strains {
    /// The strains of a body: of cloth along weft and warp, in shear and in area; of a solid the largest stretch along
    /// an axis, and of volume. Measured once, for all bodies.
    pub fn fields(&self, body: &Body) -> Vec<Field> {
        let field = |name, place, count: usize, value: &dyn Fn(usize) -> f64| {
            let mut values = vec![0.0; count];
            for (element, &to) in body.strains.clone().zip(&body.strained) {
                values[to as usize] = value(element as usize);
            }
            Field { name, unit: "", place, values }
        };
        match body.kind {
            BodyKind::Cloth => ["weft", "warp", "shear", "area"]
                .into_iter()
                .enumerate()
                .map(|(r, name)| field(name, FieldPlace::Face, body.triangles.len(), &|e| self.triangles[e][r]))
                .collect(),
            BodyKind::Solid => {
                let stretch = |e: usize| largest(&self.tetrahedra[e][..3]);
                let count = body.tets.len();
                vec![
                    field("stretch", FieldPlace::Cell, count, &stretch),
                    field("volume", FieldPlace::Cell, count, &|e| self.tetrahedra[e][6]),
                ]
            }
        }
    }
}

impl Field {
    /// The speed of a body's vertices, m/s.
    pub fn speed<T: Scalar>(model: &Model<T>, state: &State<T>, body: &Body) -> Field {
        let named = body.triangles.iter().flatten().chain(body.tets.iter().flatten());
        let end = named.max().map_or(body.base, |last| last + 1);
        let speed = |v| state.velocity(model, v).iter().map(|c| c * c).sum::<f64>().sqrt();
        Field { name: "speed", unit: "m/s", place: FieldPlace::Vertex, values: (body.base..end).map(speed).collect() }
    }
}

/// The value of the largest magnitude.
fn largest(values: &[f64]) -> f64 {
    values.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0)
}
