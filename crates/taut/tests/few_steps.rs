//! A few whole steps on several threads with every lane width, in single precision alone: small enough for
//! `scripts/sanitize.sh`, whose tools slow them down by ten times and more.

mod common;

use taut::limit::{LimitSpec, StretchBounds};
use taut::measure::state_hash;
use taut::{
    Cloth, ClothElasticity, ClothStiffness, Collider, Contact, ContactMaterial, ElasticDamping, Inextensibility,
    Integrator, Membrane, Model, ModelBuilder, Orthotropic, Params, Pose, Scratch, Shape, Solid, Solver, State, Width,
    step,
};

/// Two sheets just above a ball, one of them beside a soft beam; all of it meets itself and each other.
fn model(cloth: &Cloth) -> Model<f32> {
    let mut builder = ModelBuilder::new();
    let mut rng = common::Rng(3);
    for (name, height) in [("low", 0.605), ("high", 0.62)] {
        let mut mesh = common::sheet(11);
        mesh.positions.iter_mut().for_each(|p| p[1] = height + rng.within(0.0, 1e-4));
        builder.add_cloth(name, &mesh, cloth).unwrap();
    }
    let mut beam = common::bar(3, 2, 2, 0.1);
    beam.positions.iter_mut().for_each(|p| p[1] += 0.7);
    builder.add_solid("beam", &beam, &Solid::default()).unwrap();
    builder.limit(LimitSpec::stretch(StretchBounds::threads(0.01)));
    builder.build().unwrap()
}

/// The state's hash after some steps, and the most contacts of one.
fn run(model: &Model<f32>, params: &Params, threads: usize, width: Width) -> (u64, u64) {
    let mut state = State::new(model);
    let mut scratch = Scratch::new(threads).with_width(width).eager();
    let mut met = 0;
    for _ in 0..6 {
        let report = step(model, &mut state, &mut scratch, params, 1.0 / 60.0);
        met = met.max(report.contact.pairs);
    }
    assert!(state.positions(model).iter().flatten().all(|x| x.is_finite() && x.abs() < 5.0));
    (state_hash(model, &state), met)
}

/// The same bits from every team, and surfaces that have met.
fn check(cloth: &Cloth, solver: Solver, integrator: Integrator, substeps: u32) {
    let model = model(cloth);
    let ball = Collider::fixed(Shape::Sphere { radius: 0.25 }, Pose::at([0.45, 0.35, 0.52]));
    let material = ContactMaterial { thickness: 0.01, friction: 0.3, ..ContactMaterial::default() };
    let params = Params {
        substeps,
        solver,
        integrator,
        iterations: 3,
        inextensibility: Inextensibility { max_stretch: 0.0, ..Inextensibility::within(0.01) },
        colliders: vec![ball],
        contact: Contact { materials: vec![material; 3], ..Contact::default() },
        ..Params::default()
    };
    let one = run(&model, &params, 1, Width::W16);
    assert!(one.1 > 0, "nothing has met");
    for (threads, width) in [(2, Width::W1), (3, Width::W4), (4, Width::W16)] {
        assert_eq!(run(&model, &params, threads, width), one, "{solver:?}, {threads} threads, {width:?}");
    }
}

#[test]
fn projected_cloth_has_the_same_bits_from_every_team() {
    let stiffness = ClothStiffness { weft: 1.0, warp: 1.0, shear: 0.3, bend: 0.01, ..ClothStiffness::default() };
    check(&Cloth { stiffness, ..Cloth::default() }, Solver::default(), Integrator::ImplicitEuler, 0);
}

#[cfg(feature = "global")]
#[test]
fn cloth_with_a_material_has_the_same_bits_from_every_team() {
    let membrane = Membrane::Continuum(Orthotropic { weft: 500.0, warp: 300.0, poisson: 0.3, shear: 40.0 });
    let elasticity = ClothElasticity { membrane, area: 0.0, bend: [1e-5; 2], damping: ElasticDamping::default() };
    let cloth = Cloth { density: 0.2, elasticity: Some(elasticity), ..Cloth::default() };
    check(&cloth, Solver::Multigrid, Integrator::Bdf2, 1);
}
