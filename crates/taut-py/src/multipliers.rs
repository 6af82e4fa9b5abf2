//! Multipliers of a state, in the order in which elements were added.
//!
//! The engine keeps them by blocks of lanes, and gives them out only as part of a checkpoint's numbers: positions and
//! velocities, four numbers a vertex and one spare vertex each, then the multipliers. Here they are put in order.

use taut::internals::constraint::{Batch, Visit};
use taut::internals::element::Element;
use taut::internals::lanes::BLOCK;
use taut::{Model, Scalar, State};

/// Multipliers of the elements of one kind.
pub struct Multipliers {
    /// The kind of element.
    pub name: &'static str,
    /// Rows of each element.
    pub rows: usize,
    /// λ, element by element, `rows` of each: J over the unit of the row.
    pub values: Vec<f64>,
}

/// The multipliers λ of all rows with a physical stiffness in the last substep, kind by kind.
pub fn multipliers<T: Scalar>(model: &Model<T>, state: &State<T>) -> Vec<Multipliers> {
    let numbers = state.to_numbers();
    let all = numbers.get(8 * (model.vertices() + 1)..).unwrap_or_default();
    let mut found = Found { all: all.as_chunks().0, kinds: Vec::new() };
    model.elements().for_each(&mut found);
    found.kinds
}

struct Found<'a, T> {
    all: &'a [[T; BLOCK]],
    kinds: Vec<Multipliers>,
}

impl<T: Scalar> Visit<T> for Found<'_, T> {
    fn visit<E, const V: usize, const D: usize, const P: usize, const R: usize>(&mut self, batch: &Batch<T, V, P, R>)
    where
        E: Element<V, D, P, R>,
    {
        if batch.elastic.is_empty() {
            return;
        }
        let mut values = vec![0.0; batch.count * R];
        for (block, source) in batch.source.iter().enumerate() {
            for (lane, element) in source.iter().enumerate().map(|(lane, &element)| (lane, element as usize)) {
                // Spare lanes have none.
                for row in (0..R).filter(|_| element < batch.count) {
                    let lambda = self.all.get(batch.multipliers + block * R + row);
                    values[element * R + row] = lambda.map_or(0.0, |lambda| lambda[lane].f64());
                }
            }
        }
        self.kinds.push(Multipliers { name: E::NAME, rows: R, values });
    }
}
