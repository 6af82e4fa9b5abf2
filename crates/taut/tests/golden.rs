//! The state after small runs of everything the engine does, bit by bit, as `golden.txt` has it.
//!
//! A change that alters no behaviour alters no line of it. One that does says why in its commit, and makes the table
//! anew:
//!
//! ```sh
//! TAUT_GOLDEN=write cargo test -p taut --test golden
//! ```
//!
//! Each case is run as its line says (precision, threads, lane width), so that the promise of the same bits for any
//! number of threads and lanes is in the table too: cases whose names differ only in those have one hash.

mod common;

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::fmt::Write;
use std::sync::Arc;
use taut::{Precision, Width};

use taut::limit::{ApslSettings, Band, LimitSpec, StrainLimits};
use taut::measure::state_hash;
use taut::mesh::TriMesh;
use taut::{
    Air, Bending, Cloth, ClothDamping, ClothElasticity, ClothStiffness, Collider, ColliderMesh, Contact,
    ContactMaterial, ElasticDamping, Inextensibility, Integrator, Membrane, MeshCollider, Model, ModelBuilder,
    Orthotropic, Params, Pose, Scratch, Shape, Solid, SolidElasticity, SolidStiffness, Solver, State, StrainForm, step,
};

const DT: f64 = 1.0 / 60.0;

/// Something to step: a model with its pins, how to step it, and what moves in the course of it.
struct World<T: Precision> {
    model: Model<T>,
    state: State<T>,
    params: Params,
    frames: u32,
    drive: fn(&Model<T>, &mut State<T>, &mut Params, f64),
}

impl<T: Precision> World<T> {
    fn new(builder: ModelBuilder, pins: &[u32], params: Params, frames: u32) -> Self {
        let model = builder.build().unwrap();
        let mut state = State::new(&model);
        pins.iter().for_each(|&v| state.pin(&model, v));
        World { model, state, params, frames, drive: |_, _, _, _| {} }
    }

    fn run(&mut self, scratch: &mut Scratch<T>) -> u64 {
        for frame in 0..self.frames {
            (self.drive)(&self.model, &mut self.state, &mut self.params, f64::from(frame) * DT);
            step(&self.model, &mut self.state, scratch, &self.params, DT);
        }
        let all = self.state.positions(&self.model);
        assert!(all.iter().flatten().all(|c| c.is_finite() && c.abs() < 30.0), "a run of golden cases exploded");
        state_hash(&self.model, &self.state)
    }
}

fn builder(cloths: &[(TriMesh, Cloth)]) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    for (mesh, cloth) in cloths {
        builder.add_cloth("sheet", mesh, cloth).unwrap();
    }
    builder
}

fn moved(mut mesh: TriMesh, by: [f64; 3], size: f64) -> TriMesh {
    for p in &mut mesh.positions {
        *p = [p[0] * size + by[0], p[1] * size + by[1], p[2] * size + by[2]];
    }
    for uv in &mut mesh.uvs {
        *uv = uv.map(|c| c * size);
    }
    mesh
}

fn continuum(modulus: f64) -> Cloth {
    let membrane = Membrane::Continuum(Orthotropic { weft: modulus, warp: 0.5 * modulus, poisson: 0.3, shear: 30.0 });
    let damping = ElasticDamping { stretch: 0.01, shear: 0.02, bend: 0.01 };
    let elasticity = ClothElasticity { membrane, area: 0.0, bend: [1e-5, 2e-5], damping };
    Cloth { density: 0.15, elasticity: Some(elasticity), ..Cloth::default() }
}

fn ball(radius: f64, at: [f64; 3]) -> Collider {
    Collider::fixed(Shape::Sphere { radius }, Pose::at(at))
}

fn materials() -> Contact {
    Contact { materials: vec![ContactMaterial::default()], ..Contact::default() }
}

/// Every unitless row of cloth and solids, in both forms, damped, in wind, with pins that move.
fn shares<T: Precision>() -> World<T> {
    let stiffness = ClothStiffness { weft: 0.9, warp: 0.8, shear: 0.5, area: 0.3, bend: 0.1, edge: 0.4 };
    let damping = ClothDamping { weft: 1.0, warp: 2.0, shear: 3.0, area: 0.5, bend: 4.0, edge: 1.0 };
    let cloth = Cloth { stiffness, damping, ..Cloth::default() };
    let mut builder =
        builder(&[(common::sheet(11), cloth.clone()), (common::sheet(7), Cloth { form: StrainForm::Plain, ..cloth })]);
    let solid = Solid { damping: 2.0, ..Solid::default() };
    builder.add_solid("c", &common::bar(4, 2, 2, 0.1), &solid).unwrap();
    builder.add_solid("d", &common::bar(3, 2, 2, 0.1), &Solid { form: StrainForm::Plain, ..solid }).unwrap();
    let params = Params {
        substeps: 3,
        iterations: 2,
        air: Air { wind: [3.0, 0.5, 1.0], density: 1.2, ..Air::default() },
        colliders: vec![
            Collider::fixed(Shape::Plane, Pose::at([0.0, -0.8, 0.0])),
            ball(0.3, [0.5, -0.4, 0.5]),
            Collider::fixed(Shape::Capsule { radius: 0.1, half_length: 0.2 }, Pose::at([0.2, -0.5, 0.2])),
            Collider::fixed(Shape::Box { half: [0.1, 0.2, 0.1] }, Pose::at([0.8, -0.5, 0.8])),
        ],
        ..Params::default()
    };
    let mut world = World::new(builder, &[0, 10, 121], params, 40);
    world.drive = |model, state, _, t| state.move_pin(model, 10, [1.0 - 0.2 * (3.0 * t).min(1.0), 0.1 * t, 0.0]);
    world
}

/// Every kind of row in physical units.
fn physical<T: Precision>(integrator: Integrator, solver: Solver, substeps: u32, tolerance: f64) -> World<T> {
    let damping = ElasticDamping { stretch: 0.01, shear: 0.02, bend: 0.01 };
    let cloth = |membrane| {
        let elasticity = ClothElasticity { membrane, area: 10.0, bend: [1e-4, 2e-4], damping };
        Cloth { elasticity: Some(elasticity), ..Cloth::default() }
    };
    let woven = Membrane::Continuum(Orthotropic { weft: 200.0, warp: 100.0, poisson: 0.3, shear: 30.0 });
    let mut builder = builder(&[
        (common::sheet(8), Cloth { bending: Bending::Patches, ..cloth(woven) }),
        (common::sheet(6), cloth(Membrane::StretchShear { weft: 100.0, warp: 50.0, shear: 20.0 })),
        (common::sheet(7), cloth(Membrane::Links { stretch: 50.0, shear: 20.0, bend: 1.0 })),
    ]);
    let solid = SolidElasticity { young: 2e4, poisson: 0.3, volume: 1e4, damping: 0.01 };
    builder.add_solid("d", &common::bar(3, 2, 2, 0.1), &Solid { elasticity: Some(solid), ..Solid::default() }).unwrap();
    let params = Params {
        substeps,
        iterations: 5,
        integrator,
        solver,
        tolerance,
        warm_start: substeps == 2,
        air: Air { wind: [2.0, 0.5, 1.0], density: 1.2, ..Air::default() },
        colliders: vec![ball(0.3, [0.5, -0.4, 0.5])],
        ..Params::default()
    };
    World::new(builder, &[0, 7, 64, 100], params, 12)
}

/// A sheet held at two corners, within 1 %.
fn held<T: Precision>(cloth: Cloth, substeps: u32) -> World<T> {
    let params = Params { substeps, inextensibility: Inextensibility::within(0.01), ..Params::default() };
    let mut world = World::new(builder(&[(common::sheet(25), cloth)]), &[0, 24], params, 40);
    world.drive = |model, state, _, t| state.move_pin(model, 24, [1.0 - 0.3 * t, 0.0, 0.2 * t]);
    world
}

/// A stiff beam, clamped at one end, whose levels hold it.
fn beam<T: Precision>() -> World<T> {
    let mut builder = ModelBuilder::new();
    let stiffness = SolidStiffness::default();
    builder.add_solid("beam", &common::bar(24, 3, 3, 0.02), &Solid { stiffness, ..Solid::default() }).unwrap();
    let clamped: Vec<u32> = (0..16).map(|i| i * 25).collect();
    let params = Params { substeps: 8, inextensibility: Inextensibility::within(0.01), ..Params::default() };
    World::new(builder, &clamped, params, 40)
}

/// Limiters of strain, edges, areas, volumes and rates, over cloth on a ball.
fn limited<T: Precision>(solver: Solver) -> World<T> {
    let mut builder = builder(&[(common::sheet(13), continuum(20.0)), (common::sheet(9), Cloth::default())]);
    builder.add_solid("c", &common::bar(3, 2, 2, 0.1), &Solid::default()).unwrap();
    for limit in [
        LimitSpec::csl(StrainLimits::both(0.03, 0.05, 0.1)),
        LimitSpec::csl_jacobi(StrainLimits::both(0.02, 0.02, 0.05), 4.0).on(&[0]),
        LimitSpec::sbd(StrainLimits::both(0.015, 0.015, 0.03)),
        LimitSpec::edges(Band::both(0.01)),
        LimitSpec::areas(ApslSettings { threshold: 1e-3, ..ApslSettings::default() }),
        LimitSpec::volumes(ApslSettings { threshold: 1e-4, ..ApslSettings::default() }),
        LimitSpec::rate(StrainLimits::both(1.0, 1.0, 1.0)),
        LimitSpec::edge_rate(Band::both(1.0)),
    ] {
        builder.limit(limit);
    }
    let colliders = vec![ball(0.3, [0.5, -0.4, 0.5])];
    let params = Params { substeps: 2, iterations: 4, solver, colliders, ..Params::default() };
    World::new(builder, &[0, 12], params, 25)
}

/// One limiter on its own, over cloth that falls on a ball with materials.
fn limited_touching<T: Precision>(spec: LimitSpec) -> World<T> {
    let mut builder = builder(&[(common::sheet(13), continuum(20.0))]);
    builder.limit(spec);
    let params = Params {
        substeps: 6,
        colliders: vec![ball(0.3, [0.5, -0.32, 0.5])],
        contact: materials(),
        ..Params::default()
    };
    World::new(builder, &[], params, 25)
}

/// Two sheets, one over the other, fall on a ball and the floor, and into themselves.
fn drape<T: Precision>(cloth: Cloth, hold: Inextensibility, substeps: u32) -> World<T> {
    let above = moved(common::sheet(15), [0.07, 0.05, 0.03], 0.9);
    let params = Params {
        substeps,
        inextensibility: hold,
        colliders: vec![ball(0.25, [0.5, -0.27, 0.5]), Collider::fixed(Shape::Plane, Pose::at([0.0, -0.55, 0.0]))],
        contact: materials(),
        ..Params::default()
    };
    World::new(builder(&[(common::sheet(17), cloth.clone()), (above, cloth)]), &[], params, 45)
}

/// A closed mesh (an octahedron, rounded) that spins up into a sheet held at four corners.
fn caught<T: Precision>() -> World<T> {
    let (rest, triangles) = octahedron();
    let shape = Arc::new(ColliderMesh::new(&rest, &triangles));
    let params =
        Params { substeps: 8, meshes: vec![MeshCollider::fixed(shape)], contact: materials(), ..Params::default() };
    let mut world = World::new(builder(&[(common::sheet(17), Cloth::default())]), &[0, 16, 272, 288], params, 40);
    world.drive = |_, _, params, t| {
        let at = |t: f64| -> Arc<[[f64; 3]]> {
            let (s, c) = (3.0 * t).sin_cos();
            let place = |p: &[f64; 3]| [0.5 + c * p[0] - s * p[2], -0.4 + 0.5 * t + p[1], 0.5 + s * p[0] + c * p[2]];
            octahedron().0.iter().map(place).collect()
        };
        (params.meshes[0].from, params.meshes[0].to) = (at(t), at(t + DT));
    };
    world
}

fn octahedron() -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let mut rest: Vec<[f64; 3]> = (0..8)
        .map(|i| {
            let (s, c) = (TAU * f64::from(i) / 8.0).sin_cos();
            [0.2 * c, 0.0, 0.2 * s]
        })
        .collect();
    rest.extend([[0.0, 0.2, 0.0], [0.0, -0.2, 0.0]]);
    let triangles = (0..8).flat_map(|i| [[i, 8, (i + 1) % 8], [(i + 1) % 8, 9, i]]).collect();
    (rest, triangles)
}

/// A sheet squeezed between a ball that comes down and a plate: the guard has to stop things.
fn squeezed<T: Precision>() -> World<T> {
    let plate = Collider::fixed(Shape::Box { half: [0.6, 0.05, 0.6] }, Pose::at([0.5, -0.06, 0.5]));
    let params = Params {
        substeps: 6,
        colliders: vec![plate, ball(0.2, [0.5, 0.4, 0.5])],
        contact: materials(),
        ..Params::default()
    };
    let mut world = World::new(builder(&[(common::sheet(13), Cloth::default())]), &[], params, 30);
    world.drive = |_, _, params, t| {
        let at = |t: f64| Pose::at([0.5, 0.4 - 0.5 * t.min(0.4), 0.5]);
        (params.colliders[1].from, params.colliders[1].to) = (at(t), at(t + DT));
    };
    world
}

/// Two sheets that start through each other are pulled apart.
fn tangled<T: Precision>() -> World<T> {
    let mut upright = moved(common::sheet(9), [0.0; 3], 0.6);
    for p in &mut upright.positions {
        *p = [p[0] + 0.213, p[2] - 0.07, 0.517];
    }
    let params = Params { substeps: 5, contact: materials(), ..Params::default() };
    World::new(builder(&[(common::sheet(11), Cloth::default()), (upright, Cloth::default())]), &[0, 10], params, 20)
}

/// A soft body falls on a corner of a box, with a skin.
fn dropped<T: Precision>() -> World<T> {
    let mut builder = ModelBuilder::new();
    builder.add_solid("jelly", &common::bar(4, 4, 4, 0.06), &Solid::default()).unwrap();
    let slope = Collider::fixed(Shape::Box { half: [0.1, 0.2, 0.1] }, Pose::at([0.0, -0.26, 0.0]));
    let params = Params { substeps: 8, colliders: vec![slope], contact: materials(), ..Params::default() };
    World::new(builder, &[], params, 30)
}

/// Springs, a mass, and cloth on vertices of another.
fn sewn<T: Precision>() -> World<T> {
    let mut builder = builder(&[(common::sheet(9), Cloth::default())]);
    let base = builder.add_vertices(&[[0.0, -0.3, 0.0], [1.0, -0.3, 0.0]]).unwrap();
    builder.add_mass(base, 0.05).unwrap();
    builder.add_mass(base + 1, 0.02).unwrap();
    builder.add_springs(&[[0, base], [8, base + 1], [40, base]], 0.7, 1.0).unwrap();
    World::new(builder, &[0, 8], Params { substeps: 4, ..Params::default() }, 30)
}

/// All cases: a name, and its hash as it is now.
fn cases() -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    each::<f32>(&mut found);
    each::<f64>(&mut found);
    found
}

const EXPLICIT: Integrator = Integrator::AlphaBeta { alpha: 0.0, beta: 1.0 };
const MIDPOINT: Integrator = Integrator::AlphaBeta { alpha: 0.6, beta: 0.6 };
const TRAPEZE: Integrator = Integrator::Newmark { beta: 0.25, gamma: 0.5 };

fn each<T: Precision>(found: &mut BTreeMap<String, u64>) {
    let mut add = |name: &str, make: &dyn Fn() -> World<T>, ways: &[(usize, Width)]| {
        for &(threads, width) in ways {
            let hash = make().run(&mut Scratch::new(threads).with_width(width).eager());
            let old = found.insert(format!("{name} {} {threads} {}", T::NAME, width.lanes()), hash);
            assert!(old.is_none(), "two cases of one name: {name}");
        }
    };
    let one = &[(1, Width::W16)][..];
    let two = &[(1, Width::W16), (2, Width::W16)][..];
    let all = &[(1, Width::W16), (1, Width::W1), (1, Width::W4), (2, Width::W4), (3, Width::W16)][..];
    let sor = |relaxation, block| Solver::GaussSeidel { relaxation, block };

    add("shares", &shares, all);
    add("sewn", &sewn, two);
    add("physical/gauss-seidel", &|| physical(Integrator::ImplicitEuler, sor(1.2, false), 2, 0.0), all);
    add("physical/tolerance", &|| physical(Integrator::ImplicitEuler, sor(1.0, false), 1, 1e-3), two);
    add("physical/block", &|| physical(MIDPOINT, sor(1.0, true), 2, 0.0), two);
    add("physical/explicit", &|| physical(EXPLICIT, sor(1.0, true), 60, 0.0), one);
    add("physical/jacobi", &|| physical(Integrator::ImplicitEuler, Solver::Jacobi { relaxation: 1.0 }, 2, 0.0), two);
    add("physical/residual", &|| physical(Integrator::ImplicitEuler, Solver::MinimumResidual, 2, 1e-3), one);
    add("physical/residuals", &|| physical(Integrator::Bdf2, Solver::ConjugateResiduals, 2, 0.0), two);
    add("physical/nonlinear-cg", &|| physical(TRAPEZE, Solver::NonlinearCg, 2, 0.0), one);
    add("physical/newton-cg", &|| physical(MIDPOINT, Solver::NewtonCg, 2, 1e-6), one);
    add("physical/cholesky", &|| physical(Integrator::ImplicitEuler, Solver::NewtonCholesky, 2, 0.0), one);
    add("physical/newton", &|| physical(Integrator::Bdf2, Solver::Newton, 1, 1e-6), two);
    add("physical/multigrid", &|| physical(Integrator::Bdf2, Solver::Multigrid, 1, 0.05), all);
    add("held/stiff", &|| held(Cloth::default(), 0), all);
    add("held/fabric", &|| held(continuum(3000.0), 0), two);
    add("held/soft", &|| held(continuum(60.0), 10), two);
    add("held/beam", &beam, two);
    add("limited/lanes", &|| limited(Solver::default()), all);
    add("limited/global", &|| limited(Solver::NonlinearCg), two);
    let strain = StrainLimits::both(0.03, 0.03, 0.1);
    add("limited/csl-touching", &|| limited_touching(LimitSpec::csl(strain)), two);
    add("limited/sbd-touching", &|| limited_touching(LimitSpec::sbd(strain)), one);
    add("contact/drape", &|| drape(Cloth::default(), Inextensibility::NONE, 8), all);
    add("contact/drape-held", &|| drape(Cloth::default(), Inextensibility::within(0.01), 0), two);
    add("contact/drape-fabric", &|| drape(continuum(500.0), Inextensibility::within(0.02), 0), one);
    add("contact/caught", &caught, two);
    add("contact/squeezed", &squeezed, two);
    add("contact/tangled", &tangled, two);
    add("contact/dropped", &dropped, one);
}

#[test]
fn states_are_bit_for_bit_those_of_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden.txt");
    let found = cases();
    let mut text =
        String::from("# scene, precision, threads, lanes: hash of the state. Made by tests/golden.rs; see there.\n");
    for (name, hash) in &found {
        let _ = writeln!(text, "{name} {hash:016x}");
    }
    if std::env::var("TAUT_GOLDEN").is_ok_and(|v| v == "write") {
        std::fs::write(path, &text).unwrap();
    }
    let table = std::fs::read_to_string(path).unwrap_or_default();
    let differ: Vec<_> = text.lines().filter(|l| !table.lines().any(|t| t == *l)).collect();
    assert!(differ.is_empty(), "{} of {} differ from golden.txt:\n{}", differ.len(), found.len(), differ.join("\n"));
    assert_eq!(table.lines().count(), text.lines().count(), "golden.txt has cases that are not run");
}

/// Cases that differ only in threads and lanes have one hash.
#[test]
fn the_table_has_one_hash_for_all_threads_and_lanes() {
    let table = include_str!("golden.txt");
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    for line in table.lines().filter(|l| !l.starts_with('#')) {
        let mut parts = line.rsplitn(4, ' ');
        let (hash, _lanes, _threads, name) = (parts.next(), parts.next(), parts.next(), parts.next());
        let (hash, name) = (hash.unwrap(), name.unwrap());
        assert_eq!(*first.entry(name).or_insert(hash), hash, "{line}");
    }
    assert!(first.len() >= 50);
}
