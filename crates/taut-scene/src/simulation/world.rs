//! The engine's model and state, and what is measured of it once for everybody.

use super::engine::Engine;
use super::{Object, ObjectKind, metrics};
use std::cell::OnceCell;
use std::ops::{Deref, DerefMut};
use taut::Body;
use taut::measure::{Strains, TriangleStretch};

/// The engine with its strains, which are measured when somebody first asks and forgotten when anything may have
/// changed.
pub(super) struct World {
    engine: Box<dyn Engine>,
    strains: OnceCell<Strains>,
    stretches: OnceCell<Vec<TriangleStretch>>,
}

impl Deref for World {
    type Target = dyn Engine;

    fn deref(&self) -> &Self::Target {
        self.engine.as_ref()
    }
}

impl DerefMut for World {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.strains.take();
        self.stretches.take();
        self.engine.as_mut()
    }
}

impl World {
    pub fn new(engine: Box<dyn Engine>) -> Self {
        World { engine, strains: OnceCell::new(), stretches: OnceCell::new() }
    }

    /// The strains of all elements now.
    pub fn strains(&self) -> &Strains {
        self.strains.get_or_init(|| self.engine.strains())
    }

    /// How far every triangle of cloth is stretched now.
    pub fn stretches(&self) -> &[TriangleStretch] {
        self.stretches.get_or_init(|| self.engine.stretches())
    }

    /// For every object the values of each of its fields.
    pub fn fields(&self, objects: &[Object]) -> Vec<Vec<Vec<f64>>> {
        let strains = self.strains();
        objects.iter().zip(self.bodies()).map(|(object, body)| fields(object, body, strains)).collect()
    }
}

fn fields(object: &Object, body: &Body, strains: &Strains) -> Vec<Vec<f64>> {
    let count = object.info.triangles.len() + object.info.tets.len();
    let mut out = vec![vec![0.0; count]; object.info.fields.len()];
    for (element, &to) in body.strains.clone().zip(&body.strained) {
        let (element, to) = (element as usize, to as usize);
        match object.kind {
            ObjectKind::Cloth => {
                out.iter_mut().zip(strains.triangles[element]).for_each(|(field, value)| field[to] = value);
            }
            ObjectKind::Solid => {
                let values = &strains.tetrahedra[element];
                out[0][to] = metrics::largest_stretch(values);
                out[1][to] = values[6];
            }
        }
    }
    out
}
