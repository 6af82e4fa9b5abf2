//! The same bits whatever the number of threads and the lane width.

mod common;

use taut::lanes::{Scalar, Width};
use taut::measure::state_hash;
use taut::{
    Air, Cloth, ClothDamping, ClothStiffness, Collider, ModelBuilder, Params, Pose, Scratch, Shape, Solid, State,
    StrainForm, step,
};

/// Cloth of both forms with every row, edges, hinges and damping, solids of both forms, wind, moving pins, colliders.
fn run<T: Scalar>(threads: usize, width: Width) -> (u64, usize) {
    let all = ClothStiffness { weft: 0.9, warp: 0.8, shear: 0.5, area: 0.3, bend: 0.1, edge: 0.4 };
    let damping = ClothDamping { weft: 1.0, warp: 2.0, shear: 3.0, area: 0.5, bend: 4.0, edge: 1.0 };
    let cloth = Cloth { stiffness: all, damping, ..Cloth::default() };
    let solid = Solid { damping: 2.0, ..Solid::default() };
    let mut builder = ModelBuilder::new();
    builder.add_cloth("a", &common::sheet(17), &cloth).unwrap();
    let plain = builder.add_cloth("b", &common::sheet(13), &Cloth { form: StrainForm::Plain, ..cloth }).unwrap();
    builder.add_solid("c", &common::bar(6, 2, 2, 0.1), &solid).unwrap();
    builder.add_solid("d", &common::bar(3, 2, 2, 0.1), &Solid { form: StrainForm::Plain, ..solid }).unwrap();
    let model = builder.build::<T>().unwrap();
    let mut state = State::new(&model);
    let mut scratch = Scratch::new(threads).with_width(width).eager();
    state.pin(&model, 0);
    state.pin(&model, 16);
    state.pin(&model, plain);
    let params = Params {
        substeps: 1,
        iterations: 2,
        air: Air { wind: [3.0, 0.5, 1.0], density: 1.2, ..Air::default() },
        colliders: vec![
            Collider::fixed(Shape::Plane, Pose::at([0.0, -0.8, 0.0])),
            Collider::fixed(Shape::Sphere { radius: 0.3 }, Pose::at([0.5, -0.4, 0.5])),
        ],
        ..Params::default()
    };
    let mut workers = 0;
    for frame in 0..300 {
        let t = f64::from(frame) / 60.0;
        state.move_pin(&model, 16, [1.0 - 0.2 * (t * 3.0).min(1.0), 0.1 * t, 0.0]);
        workers = step(&model, &mut state, &mut scratch, &params, 1.0 / 60.0).threads;
    }
    let positions = state.positions(&model);
    assert!(positions.iter().flatten().all(|c| c.is_finite() && c.abs() < 30.0));
    (state_hash(&model, &state), workers)
}

#[test]
fn threads_and_lane_widths_give_the_same_bits() {
    let (single, _) = run::<f32>(1, Width::W16);
    let (double, _) = run::<f64>(1, Width::W16);
    assert_ne!(single, double);
    for threads in [2, 3, 8] {
        assert_eq!(run::<f32>(threads, Width::W16), (single, threads), "{threads} threads, f32");
        assert_eq!(run::<f64>(threads, Width::W8), (double, threads), "{threads} threads, f64");
    }
    for width in Width::ALL {
        assert_eq!(run::<f32>(1, width).0, single, "{width:?}, f32");
        assert_eq!(run::<f64>(1, width).0, double, "{width:?}, f64");
    }
}
