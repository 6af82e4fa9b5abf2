//! The promise that a new kind of element is one file and one line: this file, its line in `element_kinds!`, and
//! nothing else.

use super::{Element, Quantity, RestShape, Row, RowKind, Rows};
use crate::lanes::{Real, V3};

/// A spring whose row is Green's strain: (|x_1 − x_0|²/L² − 1)/2. Rest number: 1/L, 1/m.
#[derive(Clone, Copy, Debug)]
pub enum SampleSpring {}

impl Element<2, 1, 1, 1> for SampleSpring {
    const NAME: &'static str = "sample";
    const ROWS: [RowKind; 1] = [RowKind::new("green strain", Quantity::Length)];

    fn shape(rest: &[f64; 1]) -> RestShape {
        RestShape::Edge(1.0 / rest[0])
    }

    #[inline(always)]
    fn map<T: Real>(rest: &[T; 1]) -> [[T; 1]; 1] {
        [[rest[0]]]
    }

    #[inline(always)]
    fn rows<T: Real, S: Rows<T, 1>>(_: &[T; 1], f: &mut [V3<T>; 1], consumer: &mut S) {
        if consumer.wants(0) {
            let (length2, one) = (f[0].norm2(), f[0].x.lit(1.0));
            let value = (length2 - one) * one.lit(0.5);
            consumer.row(0, f, Row { value, along: [(0, f[0])], gram: [[length2]], over: one, push: value });
        }
    }
}

mod tests {
    use super::*;
    use crate::constraint::{Compliance, Loose};
    use crate::element::evaluate;
    use crate::lanes::{Dual, Scalar, Width};
    use crate::measure::{elastic_energy, element_counts};
    use crate::{Model, ModelBuilder, Params, Scratch, Solver, State, step};

    const LENGTH: f64 = 0.5;
    const MASS: f64 = 2.0;
    /// Of the row, J.
    const MODULUS: f64 = 400.0;

    /// A mass that hangs from a pin by one such spring: projected, or with a modulus.
    fn hung<T: Scalar>(elastic: bool) -> (Model<T>, State<T>) {
        let mut builder = ModelBuilder::new();
        builder.add_vertices(&[[0.0; 3], [0.0, -LENGTH, 0.0]]).unwrap();
        (0..2).for_each(|v| builder.add_mass(v, MASS).unwrap());
        let compliance = Compliance { diagonal: [1.0 / MODULUS], coupling: [0.0; 3], gamma: [0.3] };
        builder.loose.samples.push(Loose {
            index: [0, 1],
            rest: [1.0 / LENGTH],
            stiffness: [if elastic { 0.0 } else { 1.0 }],
            damping: [0.0],
            elastic: elastic.then_some(compliance),
        });
        let model = builder.build().unwrap();
        let mut state = State::new(&model);
        state.pin(&model, 0);
        (model, state)
    }

    fn length_after<T: crate::Precision>(elastic: bool, solver: Solver, width: Width, steps: usize) -> f64 {
        let (model, mut state) = hung::<T>(elastic);
        let params = Params { solver, iterations: 20, ..Params::default() };
        let mut scratch = Scratch::new(1).with_width(width);
        for _ in 0..steps {
            step(&model, &mut state, &mut scratch, &params, 1.0 / 60.0);
        }
        if elastic {
            let stretch = state.position(&model, 1)[1] / LENGTH;
            let row = 0.5 * (stretch * stretch - 1.0);
            let energy = elastic_energy(&model, &state);
            assert!((energy - 0.5 * MODULUS * row * row).abs() < 1e-6 * MODULUS, "the meter of energy: {energy}");
        }
        assert_eq!(element_counts(&model), [("sample", 1)]);
        -state.position(&model, 1)[1]
    }

    #[test]
    fn a_new_element_is_projected() {
        let solver = Solver::default();
        for width in Width::ALL {
            assert!((length_after::<f32>(false, solver, width, 60) - LENGTH).abs() < 1e-3 * LENGTH);
        }
        #[cfg(feature = "f64")]
        assert!((length_after::<f64>(false, solver, Width::W16, 60) - LENGTH).abs() < 1e-3 * LENGTH);
    }

    /// At rest, E c dC/dl = m g with dC/dl = l/L²: with every solver, in both precisions.
    #[test]
    fn a_new_element_hangs_as_stiff_as_it_is_with_every_solver() {
        for solver in Solver::ALL {
            for l in [
                length_after::<f32>(true, solver, Width::W16, 240),
                #[cfg(feature = "f64")]
                length_after::<f64>(true, solver, Width::W4, 240),
            ] {
                let pull = MODULUS * 0.5 * (l * l / (LENGTH * LENGTH) - 1.0) * l / (LENGTH * LENGTH);
                assert!((pull / (MASS * 9.81) - 1.0).abs() < 0.01, "{solver:?}: {pull} N at {l} m");
            }
        }
    }

    #[test]
    fn a_new_element_has_the_gradient_of_its_value() {
        let x = [V3::new(0.1, -0.2, 0.3), V3::new(0.7, 0.5, -0.4)];
        let plain = evaluate::<SampleSpring, f64, 2, 1, 1, 1>(&[2.0], &x);
        for (k, axis) in (0..2).flat_map(|k| (0..3).map(move |axis| (k, axis))) {
            let mut dual = x.map(|v| <[f64; 3]>::from(v).map(Dual::constant));
            dual[k][axis] = Dual::variable(dual[k][axis].value);
            let rows = evaluate::<SampleSpring, Dual, 2, 1, 1, 1>(&[Dual::constant(2.0)], &dual.map(V3::from));
            let ours: [f64; 3] = plain.gradients[0][k].into();
            assert!((ours[axis] - rows.values[0].derivative).abs() < 1e-12);
        }
    }
}
