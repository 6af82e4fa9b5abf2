//! The limit is the limit: bounds on stretch at the end of every step, on bodies, in folds, under friction, with pins.
//! Measured here from positions and the flat pattern alone.

#[path = "../common/mod.rs"]
mod common;
mod hanging;

use taut::fabric::Fabric;
use taut::internals::contact::exact::IntersectionFinder;
use taut::limit::{ApslSettings, Band, LimitSpec, StrainLimits, StretchBounds};
use taut::measure::state_hash;
use taut::mesh::TriMesh;
use taut::{
    Cloth, ClothElasticity, ClothStiffness, Collider, Contact, ContactMaterial, ElasticDamping, Inextensibility,
    Integrator, Membrane, Model, ModelBuilder, Orthotropic, Params, Pose, Precision, Scratch, Shape, Solid,
    SolidElasticity, Solver, State, StepReport, Width, step,
};

const DT: f64 = 1.0 / 60.0;

/// Rounds in a step at most: what is tried in vain, twelve times as many as may be made at once and the last of them,
/// and then the step as it is, in up to five turns.
const MOST_ROUNDS: u64 = (12 + 1 + 5) * 1500;

/// What a triangle's corners say: strain along weft and warp, the cosine between them, and the largest strain in any
/// direction.
#[derive(Clone, Copy, Debug, Default)]
struct Strain {
    weft: f64,
    warp: f64,
    shear: f64,
    any: f64,
}

impl Strain {
    fn of(mesh: &TriMesh, x: &[[f64; 3]], t: &[u32; 3]) -> Strain {
        let [a, b, c] = t.map(|v| v as usize);
        let [u, v, w] = [a, b, c].map(|i| mesh.uvs[i]);
        let (du, dv) = ([v[0] - u[0], v[1] - u[1]], [w[0] - u[0], w[1] - u[1]]);
        let det = du[0] * dv[1] - du[1] * dv[0];
        let (e, f): ([f64; 3], [f64; 3]) =
            (core::array::from_fn(|k| x[b][k] - x[a][k]), core::array::from_fn(|k| x[c][k] - x[a][k]));
        let along: [f64; 3] = core::array::from_fn(|k| (e[k] * dv[1] - f[k] * du[1]) / det);
        let across: [f64; 3] = core::array::from_fn(|k| (f[k] * du[0] - e[k] * dv[0]) / det);
        let dot = |p: [f64; 3], q: [f64; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
        let (ff, gg, fg) = (dot(along, along), dot(across, across), dot(along, across));
        let most = 0.5 * (ff + gg) + (0.25 * (ff - gg) * (ff - gg) + fg * fg).sqrt();
        // Where a triangle is squeezed its angle says little.
        let size = (ff * gg).sqrt().max(0.25);
        Strain { weft: ff.sqrt() - 1.0, warp: gg.sqrt() - 1.0, shear: fg.abs() / size, any: most.sqrt() - 1.0 }
    }

    fn worst(mesh: &TriMesh, x: &[[f64; 3]]) -> Strain {
        mesh.triangles.iter().map(|t| Strain::of(mesh, x, t)).fold(Strain::default(), |a, b| Strain {
            weft: a.weft.max(b.weft),
            warp: a.warp.max(b.warp),
            shear: a.shear.max(b.shear),
            any: a.any.max(b.any),
        })
    }

    /// How much shorter threads along weft and warp are than at rest, at most.
    fn shortest(mesh: &TriMesh, x: &[[f64; 3]]) -> [f64; 2] {
        let all = mesh.triangles.iter().map(|t| Strain::of(mesh, x, t));
        all.fold([0.0; 2], |[weft, warp], s| [weft.max(-s.weft), warp.max(-s.warp)])
    }
}

/// A sheet of a metre above a ball, a little beside it, with self-contact.
struct OnBall<T: Precision> {
    mesh: TriMesh,
    model: Model<T>,
    params: Params,
}

impl<T: Precision> OnBall<T> {
    fn new(n: usize, cloth: &Cloth, bounds: StretchBounds, friction: f64) -> Self {
        let mut mesh = common::sheet(n);
        let mut rng = common::Rng(7);
        mesh.positions.iter_mut().for_each(|p| p[1] = 0.62 + rng.within(0.0, 1e-4));
        let mut builder = ModelBuilder::new();
        builder.add_cloth("sheet", &mesh, cloth).unwrap();
        builder.limit(LimitSpec::stretch(bounds));
        let model = builder.build().unwrap();
        let at = |x, y, z| Pose { position: [x, y, z], ..Pose::default() };
        let ball = Collider {
            friction,
            thickness: 0.004,
            ..Collider::fixed(Shape::Sphere { radius: 0.25 }, at(0.45, 0.35, 0.52))
        };
        let floor = Collider { friction, ..Collider::fixed(Shape::Plane, at(0.0, 0.0, 0.0)) };
        let material = ContactMaterial { thickness: 0.004, friction: 0.3, ..ContactMaterial::default() };
        let params = Params {
            substeps: 0,
            inextensibility: Inextensibility { max_stretch: 0.0, ..Inextensibility::within(0.01) },
            colliders: vec![ball, floor],
            contact: Contact { materials: vec![material], ..Contact::default() },
            ..Params::default()
        };
        OnBall { mesh, model, params }
    }

    /// Steps, and calls `f` after each.
    fn run(&self, threads: usize, frames: usize, mut f: impl FnMut(usize, &[[f64; 3]], &StepReport)) -> u64 {
        let mut state = State::new(&self.model);
        let mut scratch = if threads > 1 { Scratch::new(threads).eager() } else { Scratch::new(1) };
        for frame in 0..frames {
            let report = step(&self.model, &mut state, &mut scratch, &self.params, DT);
            f(frame, &state.positions(&self.model), &report);
        }
        state_hash(&self.model, &state)
    }
}

fn stiff() -> Cloth {
    let stiffness = ClothStiffness { weft: 1.0, warp: 1.0, shear: 0.3, bend: 0.01, ..ClothStiffness::default() };
    Cloth { stiffness, ..Cloth::default() }
}

fn soft(membrane: Orthotropic) -> Cloth {
    let membrane = Membrane::Continuum(membrane);
    let elasticity = ClothElasticity { membrane, area: 0.0, bend: [1e-5; 2], damping: ElasticDamping::default() };
    Cloth { density: 0.2, elasticity: Some(elasticity), ..Cloth::default() }
}

fn within(scene: &str, frame: usize, found: f64, bound: f64) {
    assert!(found <= bound * 1.01 + 1e-6, "{scene}, frame {frame}: {found} where {bound} is allowed");
}

fn threads_hold<T: Precision>(friction: f64) {
    let scene = OnBall::<T>::new(31, &stiff(), StretchBounds::threads(0.01), friction);
    let mut touched = 0;
    scene.run(1, 50, |frame, x, report| {
        let strain = Strain::worst(&scene.mesh, x);
        within("weft", frame, strain.weft, 0.01);
        within("warp", frame, strain.warp, 0.01);
        touched = touched.max(report.contacts);
        assert_eq!(report.inextensibility.unmet, 0, "frame {frame}");
        // What is said is what is there.
        let most = strain.weft.max(strain.warp);
        assert!(
            (report.inextensibility.stretch - most).abs() < 1e-5,
            "{} said, {most}",
            report.inextensibility.stretch
        );
    });
    assert!(touched > 50, "it lies on the ball");
}

#[test]
fn threads_on_a_ball_stay_within_their_bounds_whatever_the_friction() {
    for friction in [0.0, 0.3, 0.8, 1.5] {
        threads_hold::<f32>(friction);
    }
    threads_hold::<f64>(0.5);
}

#[test]
fn a_soft_fabric_stops_at_its_bounds_in_weft_warp_and_shear() {
    let soft = soft(Orthotropic { weft: 60.0, warp: 120.0, poisson: 0.2, shear: 5.0 });
    let bounds = StretchBounds { weft: 0.02, warp: 0.03, shear: 0.3, ..StretchBounds::NONE };
    let scene = OnBall::<f32>::new(31, &soft, bounds, 0.5);
    let mut most = Strain::default();
    scene.run(1, 50, |frame, x, _| {
        let strain = Strain::worst(&scene.mesh, x);
        within("weft", frame, strain.weft, 0.02);
        within("warp", frame, strain.warp, 0.03);
        within("shear", frame, strain.shear, 0.3);
        most = Strain {
            weft: most.weft.max(strain.weft),
            warp: most.warp.max(strain.warp),
            shear: most.shear.max(strain.shear),
            any: most.any.max(strain.any),
        };
    });
    assert!(most.weft > 0.018 && most.warp > 0.02 && most.shear > 0.28, "bounds were needed: {most:?}");
}

#[test]
fn isotropic_cloth_is_bound_along_every_direction() {
    let soft = soft(Orthotropic::isotropic(100.0, 0.3));
    let scene = OnBall::<f32>::new(31, &soft, StretchBounds { any: 0.03, ..StretchBounds::NONE }, 0.5);
    scene.run(1, 50, |frame, x, _| within("any direction", frame, Strain::worst(&scene.mesh, x).any, 0.03));
}

#[test]
fn bits_do_not_depend_on_threads() {
    let scene = OnBall::<f32>::new(31, &stiff(), StretchBounds::threads(0.01), 0.5);
    let one = scene.run(1, 30, |_, _, _| {});
    for threads in [2, 3, 8] {
        assert_eq!(one, scene.run(threads, 30, |_, _, _| {}), "{threads} threads");
    }
}

/// With one round there is no time to meet bounds: motion is given up instead.
#[test]
fn the_last_resort_keeps_bounds_and_says_what_it_gave_up() {
    let mut scene = OnBall::<f32>::new(31, &stiff(), StretchBounds::threads(0.01), 0.5);
    scene.params.inextensibility.rounds = 1;
    let (mut given_up, mut finder) = (0, None);
    scene.run(1, 40, |frame, x, report| {
        let strain = Strain::worst(&scene.mesh, x);
        within("weft", frame, strain.weft, 0.01);
        within("warp", frame, strain.warp, 0.01);
        given_up += report.inextensibility.given_up;
        let finder = finder.get_or_insert_with(|| IntersectionFinder::new(x, &scene.mesh.triangles));
        assert!(finder.find(x).is_empty(), "frame {frame}: it intersects");
    });
    assert!(given_up > 0, "nothing was given up");
}

/// A ball is jerked away from under a sheet that lies on it, and there are no rounds to tell the rest of the sheet.
#[test]
fn what_lies_on_a_ball_goes_with_it_when_motion_is_given_up() {
    let bounds = StretchBounds { weft: 0.02, warp: 0.02, ..StretchBounds::NONE };
    let mut scene = OnBall::<f32>::new(21, &stiff(), bounds, 1.5);
    let mut state = State::new(&scene.model);
    let mut scratch = Scratch::new(1);
    for _ in 0..40 {
        step(&scene.model, &mut state, &mut scratch, &scene.params, DT);
    }
    scene.params.inextensibility.rounds = 1;
    let begin = state.positions(&scene.model);
    let mut finder = IntersectionFinder::new(&begin, &scene.mesh.triangles);
    let (mut given_up, mut ball) = (0, scene.params.colliders[0]);
    for frame in 0..8 {
        // 4 m/s.
        ball.from = ball.to;
        ball.to.position[0] += 4.0 * DT;
        scene.params.colliders[0] = ball;
        let report = step(&scene.model, &mut state, &mut scratch, &scene.params, DT);
        given_up += report.inextensibility.given_up;
        let x = state.positions(&scene.model);
        let worst = Strain::worst(&scene.mesh, &x);
        within("jerked", frame, worst.weft.max(worst.warp), 0.02);
        assert!(finder.find(&x).is_empty(), "frame {frame}: it intersects");
    }
    assert!(given_up > 0);
    // What lies on top has come along with the ball.
    let top = (0..begin.len()).max_by(|&a, &b| begin[a][1].total_cmp(&begin[b][1])).unwrap();
    let came = state.positions(&scene.model)[top][0] - begin[top][0];
    assert!(came > 0.3 * 8.0 * 4.0 * DT, "{came}");
}

#[test]
fn pins_further_apart_than_cloth_reaches_are_reported_and_bounded() {
    let mesh = common::sheet(21);
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &mesh, &stiff()).unwrap();
    builder.limit(LimitSpec::stretch(StretchBounds::threads(0.01)));
    let model: Model<f32> = builder.build().unwrap();
    let mut state = State::new(&model);
    for (v, x) in [(0, -0.5), (20, 1.5)] {
        state.pin(&model, v);
        state.set_pin_targets(&model, &[(v, [x, 0.0, 0.0])]);
    }
    let params = Params {
        substeps: 0,
        inextensibility: Inextensibility { max_stretch: 0.0, ..Inextensibility::within(0.01) },
        ..Params::default()
    };
    let mut scratch = Scratch::new(1);
    for frame in 0..10 {
        let report = step(&model, &mut state, &mut scratch, &params, DT);
        assert!(state.positions(&model).iter().flatten().all(|c| c.is_finite() && c.abs() < 10.0));
        assert!(report.inextensibility.rounds < 1500, "frame {frame}: it ran out of rounds");
        assert!(report.inextensibility.unmet == 1 && report.inextensibility.used > 50.0, "frame {frame}");
    }
}

/// No bound is too absurd to be computed with.
#[test]
fn absurd_bounds_end_and_stay_finite() {
    for bound in [0.0, 1e-6, 10.0] {
        let scene =
            OnBall::<f32>::new(15, &stiff(), StretchBounds { shear: bound, ..StretchBounds::threads(bound) }, 0.5);
        scene.run(1, 30, |frame, x, report| {
            assert!(x.iter().flatten().all(|c| c.is_finite() && c.abs() < 10.0), "bound {bound}, frame {frame}");
            let missed = report.inextensibility.used > 1.01;
            // Single precision keeps no less than two thousandths of a percent.
            let kept = f64::max(bound, 2e-5);
            assert!(missed || Strain::worst(&scene.mesh, x).weft <= kept * 1.01 + 1e-6, "bound {bound}, frame {frame}");
        });
    }
}

#[test]
fn one_triangle_has_bounds_too() {
    let mesh = TriMesh {
        positions: vec![[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.0, 0.1]],
        triangles: vec![[0, 1, 2]],
        ..TriMesh::default()
    };
    let mut builder = ModelBuilder::new();
    builder
        .add_cloth(
            "one",
            &mesh,
            &Cloth { stiffness: ClothStiffness { weft: 0.0, ..ClothStiffness::default() }, ..Cloth::default() },
        )
        .unwrap();
    builder.limit(LimitSpec::stretch(StretchBounds::threads(0.02)));
    let model: Model<f32> = builder.build().unwrap();
    let mut state = State::new(&model);
    state.pin(&model, 0);
    state.set_velocities(&model, &[[0.0; 3], [5.0, 0.0, 0.0], [0.0, 0.0, 5.0]]);
    let mut scratch = Scratch::new(1);
    for _ in 0..20 {
        step(&model, &mut state, &mut scratch, &Params::default(), DT);
        let x = state.positions(&model);
        let length = |a: usize| (0..3).map(|k| (x[a][k] - x[0][k]).powi(2)).sum::<f64>().sqrt();
        assert!(length(1) <= 0.1 * 1.0202 && length(2) <= 0.1 * 1.0202, "{} {}", length(1), length(2));
    }
}

/// Two pins three percent too far apart, and a corner that has hardly a say in that. By its say alone it would be
/// thrown two and a half times the length of an edge.
#[test]
fn a_corner_beside_pins_is_not_thrown() {
    let mesh = TriMesh {
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.001, 0.0, 0.98]],
        triangles: vec![[0, 1, 2]],
        ..TriMesh::default()
    };
    let mut builder = ModelBuilder::new();
    builder.add_cloth("one", &mesh, &Cloth { stiffness: NO_ROWS, ..Cloth::default() }).unwrap();
    builder.limit(LimitSpec::stretch(StretchBounds { any: 0.01, ..StretchBounds::NONE }));
    let model: Model<f64> = builder.build().unwrap();
    let mut state = State::new(&model);
    state.pin(&model, 0);
    state.pin(&model, 1);
    state.set_position(&model, 1, [1.03, 0.0, 0.0]);
    let params = Params { gravity: [0.0; 3], ..Params::default() };
    let report = step(&model, &mut state, &mut Scratch::new(1), &params, DT);
    let [x, y, z] = state.position(&model, 2);
    assert!(x.abs() < 0.5 && y.abs() < 0.5 && (z - 0.98).abs() < 0.5, "it is at {x} {y} {z}");
    assert!(report.inextensibility.missed.is_some_and(|m| m.pins.iter().all(Option::is_some)), "{report:?}");
}

/// A sheet that is twice as large every way has no direction of largest stretch, and is stretched all the same.
#[test]
fn equal_stretch_every_way_is_seen() {
    let mesh = common::sheet(5);
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &mesh, &Cloth { stiffness: NO_ROWS, ..Cloth::default() }).unwrap();
    builder.limit(LimitSpec::stretch(StretchBounds { any: 0.01, ..StretchBounds::NONE }));
    let model: Model<f32> = builder.build().unwrap();
    let mut state = State::new(&model);
    for (v, p) in mesh.positions.iter().enumerate() {
        if [p[0], p[2]].iter().any(|&c| c == 0.0 || c == 1.0) {
            state.pin(&model, v as u32);
        }
        state.set_position(&model, v as u32, p.map(|c| 2.0 * c));
    }
    let params = Params { gravity: [0.0; 3], ..Params::default() };
    let report = step(&model, &mut state, &mut Scratch::new(1), &params, DT);
    assert!(report.inextensibility.used > 50.0 && report.inextensibility.unmet == 1, "{report:?}");
}

const NO_ROWS: ClothStiffness = ClothStiffness { weft: 0.0, warp: 0.0, shear: 0.0, area: 0.0, bend: 0.0, edge: 0.0 };

/// A cloth between pins that are too far apart, which nothing can mend, and another that falls on a ball and has no
/// time to meet its bounds: that one goes back as if it were alone.
#[test]
fn what_cannot_be_met_does_not_keep_the_rest_from_going_back() {
    let mut scene = OnBall::<f32>::new(31, &stiff(), StretchBounds::threads(0.01), 0.5);
    let mut far = common::sheet(5);
    far.positions.iter_mut().for_each(|p| *p = [p[0] + 5.0, 0.62, p[2]]);
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &scene.mesh, &stiff()).unwrap();
    let first = builder.add_cloth("far", &far, &stiff()).unwrap();
    builder.limit(LimitSpec::stretch(StretchBounds::threads(0.01)));
    scene.model = builder.build().unwrap();
    scene.params.inextensibility.rounds = 1;
    scene.params.contact.materials.push(scene.params.contact.materials[0]);
    let mut state = State::new(&scene.model);
    for (v, x) in [(first, 4.9), (first + 4, 6.1)] {
        state.pin(&scene.model, v);
        state.set_pin_targets(&scene.model, &[(v, [x, 0.62, 0.0])]);
    }
    let mut scratch = Scratch::new(1);
    let mut given_up = 0;
    for frame in 0..40 {
        let report = step(&scene.model, &mut state, &mut scratch, &scene.params, DT).inextensibility;
        let strain = Strain::worst(&scene.mesh, &state.positions(&scene.model));
        within("weft", frame, strain.weft, 0.01);
        within("warp", frame, strain.warp, 0.01);
        given_up += report.given_up;
        let missed = report.missed.expect("pins too far apart");
        assert!(missed.used > 10.0 && missed.corners.iter().all(|&v| v >= first), "frame {frame}: {missed:?}");
    }
    assert!(given_up > 0, "nothing was given up");
}

/// Two bodies on the same vertices, of which one may be stretched.
#[test]
fn bodies_on_shared_vertices_have_bounds_of_their_own() {
    let mesh = common::sheet(11);
    let left = |t: &[u32; 3]| t.iter().all(|v| v % 11 <= 5);
    let part = |want: bool| {
        let triangles: Vec<[u32; 3]> = mesh.triangles.iter().filter(|t| left(t) == want).copied().collect();
        TriMesh { uv_triangles: triangles.clone(), triangles, ..mesh.clone() }
    };
    let cloth = soft(Orthotropic { weft: 5.0, warp: 5.0, poisson: 0.0, shear: 5.0 });
    for bounded in [0, 1] {
        let mut builder = ModelBuilder::new();
        let base = builder.add_vertices(&mesh.positions).unwrap();
        builder.add_cloth_on("left", base, &part(true), &cloth).unwrap();
        builder.add_cloth_on("right", base, &part(false), &cloth).unwrap();
        builder.limit(LimitSpec::stretch(StretchBounds::threads(0.01)).on(&[bounded]));
        let model: Model<f32> = builder.build().unwrap();
        let mut state = State::new(&model);
        (0..11).for_each(|v| state.pin(&model, v));
        let mut scratch = Scratch::new(1);
        let mut most = [0.0f64; 2];
        for frame in 0..30 {
            step(&model, &mut state, &mut scratch, &Params::default(), DT);
            let x = state.positions(&model);
            most = [0, 1].map(|body| most[body].max(Strain::worst(&part(body == 0), &x).warp));
            within("warp", frame, most[bounded], 0.01);
        }
        assert!(most[1 - bounded] > 0.05, "{most:?}");
    }
}

/// Places at −0 are nothing else than places at 0, however many lanes there are.
#[test]
fn lanes_do_not_matter_where_zeros_have_a_sign() {
    let hash = |width: Width| {
        let mesh = common::sheet(9);
        let mut builder = ModelBuilder::new();
        builder.add_cloth("sheet", &mesh, &Cloth { stiffness: NO_ROWS, ..Cloth::default() }).unwrap();
        builder.limit(LimitSpec::stretch(StretchBounds::threads(0.01)));
        let model: Model<f32> = builder.build().unwrap();
        let mut state = State::new(&model);
        for (v, p) in mesh.positions.iter().enumerate() {
            state.set_position(&model, v as u32, [p[0], -0.0, p[2]]);
        }
        state.set_position(&model, 40, [0.51, -0.0, 0.5]);
        let params = Params { gravity: [0.0; 3], ..Params::default() };
        step(&model, &mut state, &mut Scratch::new(1).with_width(width), &params, DT);
        state_hash(&model, &state)
    };
    assert_eq!(hash(Width::W1), hash(Width::W16));
    assert_eq!(hash(Width::W4), hash(Width::W16));
}

/// A triangle on the floor that is drawn together to its bounds: how much of that is motion does not depend on the
/// integrator, though all but implicit Euler stop what touches something.
#[test]
fn bounds_give_what_touches_the_same_speed_with_every_integrator() {
    let mut euler = 0.0;
    for integrator in [Integrator::ImplicitEuler, Integrator::Newmark { beta: 0.25, gamma: 0.5 }, Integrator::Bdf2] {
        let mesh = TriMesh {
            positions: vec![[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.0, 0.1]],
            triangles: vec![[0, 1, 2]],
            ..TriMesh::default()
        };
        let mut builder = ModelBuilder::new();
        builder.add_cloth("one", &mesh, &Cloth { stiffness: NO_ROWS, ..Cloth::default() }).unwrap();
        builder.limit(LimitSpec::stretch(StretchBounds::threads(0.01)));
        let model: Model<f64> = builder.build().unwrap();
        let mut state = State::new(&model);
        let floor = Collider { friction: 0.0, thickness: 0.01, ..Collider::fixed(Shape::Plane, Pose::default()) };
        let params = Params { integrator, substeps: 2, colliders: vec![floor], ..Params::default() };
        for (v, p) in mesh.positions.iter().enumerate() {
            state.set_position(&model, v as u32, [1.2 * p[0], 0.0101, 1.2 * p[2]]);
        }
        step(&model, &mut state, &mut Scratch::new(1), &params, DT);
        let fastest = state.velocities(&model).iter().flat_map(|v| [v[0].abs(), v[2].abs()]).fold(0.0, f64::max);
        euler = if integrator == Integrator::ImplicitEuler { fastest } else { euler };
        assert!(fastest > 0.1 && fastest < 1.05 * euler, "{integrator:?}: {fastest} m/s, implicit Euler {euler}");
    }
}

/// A bag: a closed surface around the origin.
fn bag(radius: f64, rows: usize) -> TriMesh {
    let around = 2 * rows;
    let mut mesh = TriMesh { positions: vec![[0.0, radius, 0.0]], ..TriMesh::default() };
    for j in 1..rows {
        let (sin, cos) = (std::f64::consts::PI * j as f64 / rows as f64).sin_cos();
        for i in 0..around {
            let (s, c) = (std::f64::consts::TAU * i as f64 / around as f64).sin_cos();
            mesh.positions.push([radius * sin * c, radius * cos, radius * sin * s]);
        }
    }
    mesh.positions.push([0.0, -radius, 0.0]);
    let at = |j: usize, i: usize| match j {
        0 => 0,
        j if j == rows => (1 + (rows - 1) * around) as u32,
        j => (1 + (j - 1) * around + i % around) as u32,
    };
    for (j, i) in (0..rows).flat_map(|j| (0..around).map(move |i| (j, i))) {
        let [a, b, c, d] = [at(j, i), at(j, i + 1), at(j + 1, i), at(j + 1, i + 1)];
        mesh.triangles.extend((j > 0).then_some([a, b, d]));
        mesh.triangles.extend((j + 1 < rows).then_some([a, d, c]));
    }
    mesh
}

/// The largest of all edges over their length at rest, as strain.
fn longest_edge(mesh: &TriMesh, x: &[[f64; 3]]) -> f64 {
    let length = |x: &[[f64; 3]], a: u32, b: u32| {
        (0..3).map(|k| (x[a as usize][k] - x[b as usize][k]).powi(2)).sum::<f64>().sqrt()
    };
    let sides = mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    sides.map(|[a, b]| length(x, a, b) / length(&mesh.positions, a, b) - 1.0).fold(f64::MIN, f64::max)
}

/// A ball grows in a closed bag until it is a fifth too large for it. As long as there is room the bag holds; then it
/// is named, with what stretches it, it goes on being as large as the ball, and no step takes for ever.
#[test]
fn a_ball_that_grows_in_a_closed_bag_is_named() {
    let mesh = bag(0.3, 12);
    let mut builder = ModelBuilder::new();
    builder.add_cloth("bag", &mesh, &Cloth { stiffness: NO_ROWS, ..Cloth::default() }).unwrap();
    builder.limit(LimitSpec::stretch(StretchBounds { any: 0.05, ..StretchBounds::NONE }));
    let model: Model<f32> = builder.build().unwrap();
    let (mut state, mut scratch) = (State::new(&model), Scratch::new(1));
    let mut named = 0;
    for frame in 0..40 {
        let radius = 0.28 + 0.002 * f64::from(frame);
        let ball = Collider { thickness: 0.002, ..Collider::fixed(Shape::Sphere { radius }, Pose::default()) };
        let params = Params { colliders: vec![ball], gravity: [0.0; 3], ..Params::default() };
        let report = step(&model, &mut state, &mut scratch, &params, DT).inextensibility;
        let x = state.positions(&model);
        assert!(x.iter().flatten().all(|c| c.is_finite() && c.abs() < 0.5), "frame {frame}: thrown");
        assert!(report.rounds < MOST_ROUNDS, "frame {frame}: {} rounds", report.rounds);
        // A vertex at 1.05 of the rest radius, less a part of the depth of the facets.
        if radius + 0.002 < 0.3 * 1.04 {
            within("the bag", frame as usize, longest_edge(&mesh, &x), 0.05);
            assert_eq!(report.missed, None, "frame {frame}");
        }
        if radius > 0.3 * 1.07 {
            let missed = report.missed.expect("it is too tight");
            assert!(
                missed.touching && missed.pins == [None, None] && missed.elements > 50,
                "frame {frame}: {missed:?}"
            );
            let least = x.iter().map(|p| p.iter().map(|c| c * c).sum::<f64>().sqrt()).fold(f64::MAX, f64::min);
            assert!(least > radius, "frame {frame}: inside the ball, {least} of {radius}");
            named += 1;
        }
    }
    assert!(named > 10);
}

/// A band that is put on stretched by a fifth over a body that it is too tight for: named, in every frame.
#[test]
fn a_garment_that_is_too_tight_is_named() {
    let (around, rows) = (48, 9);
    let mut mesh = TriMesh::default();
    for (j, i) in (0..rows).flat_map(|j| (0..around).map(move |i| (j, i))) {
        let (s, c) = (std::f64::consts::TAU * f64::from(i) / f64::from(around)).sin_cos();
        mesh.positions.push([0.25 * c, 0.03 * f64::from(j - rows / 2), 0.25 * s]);
        if j + 1 < rows {
            let at = |j: i32, i: i32| (j * around + i % around) as u32;
            mesh.triangles
                .extend([[at(j, i), at(j, i + 1), at(j + 1, i + 1)], [at(j, i), at(j + 1, i + 1), at(j + 1, i)]]);
        }
    }
    let mut builder = ModelBuilder::new();
    builder.add_cloth("band", &mesh, &stiff()).unwrap();
    builder.limit(LimitSpec::stretch(StretchBounds { any: 0.02, ..StretchBounds::NONE }));
    let model: Model<f32> = builder.build().unwrap();
    let mut state = State::new(&model);
    for (v, p) in mesh.positions.iter().enumerate() {
        state.set_position(&model, v as u32, [1.23 * p[0], p[1], 1.23 * p[2]]);
    }
    let body = Collider {
        friction: 0.5,
        thickness: 0.002,
        ..Collider::fixed(Shape::Capsule { radius: 0.3, half_length: 1.0 }, Pose::default())
    };
    let params = Params {
        substeps: 0,
        inextensibility: Inextensibility { max_stretch: 0.0, ..Inextensibility::within(0.01) },
        colliders: vec![body],
        ..Params::default()
    };
    let mut scratch = Scratch::new(1);
    for frame in 0..20 {
        let report = step(&model, &mut state, &mut scratch, &params, DT).inextensibility;
        let x = state.positions(&model);
        assert!(x.iter().flatten().all(|c| c.is_finite() && c.abs() < 1.0), "frame {frame}: thrown");
        assert!(report.rounds < MOST_ROUNDS, "frame {frame}: {} rounds", report.rounds);
        let missed = report.missed.expect("it is too tight");
        assert!(missed.touching && missed.used > 5.0, "frame {frame}: {missed:?}");
    }
}

/// Cloth that may be neither longer nor shorter than at rest cannot lie on a ball. Tension wins.
#[test]
fn compression_limits_that_contradict_tension_end() {
    let mut mesh = common::sheet(21);
    mesh.positions.iter_mut().for_each(|p| p[1] = 0.62);
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", &mesh, &stiff()).unwrap();
    builder.limit(LimitSpec::csl(StrainLimits::both(1e-3, 1e-3, 1e-3)));
    builder.limit(LimitSpec::edges(Band { least: 0.0, most: f64::INFINITY }));
    let model: Model<f32> = builder.build().unwrap();
    let ball = Collider::fixed(Shape::Sphere { radius: 0.25 }, Pose::at([0.45, 0.35, 0.52]));
    let params = Params { substeps: 4, colliders: vec![ball], ..Params::default() };
    let (mut state, mut scratch) = (State::new(&model), Scratch::new(1));
    for frame in 0..40 {
        let report = step(&model, &mut state, &mut scratch, &params, DT);
        let x = state.positions(&model);
        assert!(x.iter().flatten().all(|c| c.is_finite() && c.abs() < 10.0), "frame {frame}");
        assert!(report.inextensibility.rounds < MOST_ROUNDS, "frame {frame}");
        let strain = Strain::worst(&mesh, &x);
        let kept = strain.weft.max(strain.warp) <= 1e-3 * 1.01 + 2e-5;
        assert!(kept || report.inextensibility.missed.is_some(), "frame {frame}: {strain:?}, and nothing said");
    }
}

/// Cloth that may be hardly shorter than at rest is so after contact, too: on a ball, in every step; and the same cloth
/// becomes shorter without that bound.
#[test]
fn threads_on_a_ball_become_no_shorter_than_they_may() {
    let soft = soft(Orthotropic { weft: 60.0, warp: 120.0, poisson: 0.2, shear: 5.0 });
    let bounds = StretchBounds { weft: 0.03, warp: 0.03, ..StretchBounds::NONE };
    let shortest = |bounds: StretchBounds| {
        let scene = OnBall::<f32>::new(31, &soft, bounds, 0.5);
        let (mut most, mut given_up) = ([0.0f64; 2], 0);
        scene.run(1, 50, |frame, x, report| {
            let strain = Strain::worst(&scene.mesh, x);
            within("weft", frame, strain.weft, 0.03);
            within("warp", frame, strain.warp, 0.03);
            let shorter = Strain::shortest(&scene.mesh, x);
            most = [most[0].max(shorter[0]), most[1].max(shorter[1])];
            given_up += report.inextensibility.given_up;
        });
        assert_eq!(given_up, 0);
        most
    };
    let [weft, warp] = shortest(StretchBounds { weft_shorter: 0.01, warp_shorter: 0.02, ..bounds });
    assert!(weft <= 0.0101 && warp <= 0.0202, "shorter by {weft} and {warp}");
    let [weft, warp] = shortest(bounds);
    assert!(weft > 0.02 && warp > 0.03, "bounds were needed: {weft} and {warp}");
}

/// Denim between two boxes that close to a centimetre, while one edge of it is pulled away, up and over their edges.
struct Press {
    mesh: TriMesh,
    model: Model<f32>,
    params: Params,
    pins: Vec<u32>,
    bounds: StretchBounds,
}

impl Press {
    fn new(n: usize) -> Self {
        let mut mesh = common::sheet(n);
        mesh.positions.iter_mut().for_each(|p| *p = [0.8 * p[0] - 0.4, 0.5, 0.8 * p[2] - 0.4]);
        mesh.uvs.iter_mut().for_each(|uv| *uv = uv.map(|c| 0.8 * c));
        let denim = Fabric::named("denim").unwrap();
        let bounds = denim.stretch_bounds();
        let mut builder = ModelBuilder::new();
        builder.add_cloth("sheet", &mesh, &Cloth::from(denim)).unwrap();
        builder.limit(LimitSpec::stretch(bounds));
        let material = ContactMaterial { thickness: denim.thickness, friction: denim.friction, self_contact: true };
        let params = Params {
            substeps: 0,
            iterations: 12,
            solver: Solver::Multigrid,
            integrator: Integrator::Bdf2,
            tolerance: 0.05,
            contact: Contact { materials: vec![material], every: 1 },
            ..Params::default()
        };
        let pins = (0..mesh.positions.len() as u32).filter(|&v| mesh.positions[v as usize][0] < -0.399).collect();
        Press { model: builder.build().unwrap(), mesh, params, pins, bounds }
    }

    fn state(&self) -> State<f32> {
        let mut state = State::new(&self.model);
        state.set_pins(&self.model, &self.pins);
        state
    }

    /// One frame, by number. Boxes close for 15 frames, then pins go 0.3 m aside and 0.1 m up in 15.
    fn frame(&self, state: &mut State<f32>, scratch: &mut Scratch<f32>, frame: u32) -> StepReport {
        let part = |f: u32, first: u32| (f64::from(f.saturating_sub(first)) / 15.0).min(1.0);
        let half = [0.15, 0.1, 0.25];
        let boxed = |y: f64, by: f64| {
            let at = |f: u32| Pose::at([0.1, y + by * part(f, 0), 0.0]);
            let fixed = Collider::fixed(Shape::Box { half }, at(frame));
            Collider { to: at(frame + 1), friction: 0.6, ..fixed }
        };
        let params = Params { colliders: vec![boxed(0.38, 0.015), boxed(0.72, -0.115)], ..self.params.clone() };
        let way = part(frame + 1, 15);
        let to = |&v: &u32| {
            let [x, y, z] = self.mesh.positions[v as usize];
            (v, [x - 0.3 * way, y + 0.1 * way, z])
        };
        state.set_pin_targets(&self.model, &self.pins.iter().map(to).collect::<Vec<_>>());
        step(&self.model, state, scratch, &params, DT)
    }
}

/// In one span a step here ends at more than twice its bounds: planes of contact from where it began contradict them.
#[test]
fn cloth_drawn_out_from_between_two_boxes_keeps_its_bounds() {
    let press = Press::new(21);
    let (mut state, mut scratch) = (press.state(), Scratch::new(1));
    let (mut most, mut spans) = (0.0f64, 0);
    let StretchBounds { weft, warp, .. } = press.bounds;
    let (mut middle, mut later) = (None, 0);
    for frame in 0..45 {
        if frame == 22 {
            middle = Some(state.to_numbers());
        }
        let report = press.frame(&mut state, &mut scratch, frame);
        spans = spans.max(report.substeps);
        let strain = Strain::worst(&press.mesh, &state.positions(&press.model));
        most = most.max(strain.weft / weft).max(strain.warp / warp);
        assert!(report.inextensibility.used <= 1.01 && most <= 1.01, "frame {frame}: {most} of its bounds");
        if frame == 24 {
            later = state_hash(&press.model, &state);
        }
    }
    assert!(most > 0.9, "it is drawn to its bounds: {most}");
    assert!(spans > 1, "some step takes more than one span");
    // Taken up again from numbers, and with more threads, it goes on with the same bits.
    let mut again = State::from_numbers(&press.model, &middle.unwrap(), 22.0 * DT).unwrap();
    let mut scratch = Scratch::new(2).eager();
    (22..25).for_each(|frame| {
        press.frame(&mut again, &mut scratch, frame);
    });
    assert_eq!(state_hash(&press.model, &again), later);
}

/// Areas that may change by 2 % do so by no more, on a ball, under friction, measured on what is returned; without a
/// limit they do.
#[test]
fn areas_on_a_ball_stay_within_their_bounds() {
    let cloth = soft(Orthotropic { weft: 40.0, warp: 40.0, poisson: 0.0, shear: 5.0 });
    let worst = |limit: Option<LimitSpec>| {
        let mut scene = OnBall::<f32>::new(31, &cloth, StretchBounds::NONE, 0.5);
        if let Some(limit) = limit {
            scene.model.set_limits(&[limit]).unwrap();
        }
        let mut most = 0.0f64;
        scene.run(1, 40, |frame, x, report| {
            let larger = scene.mesh.triangles.iter().map(|t| area(x, t) / area(&scene.mesh.positions, t) - 1.0);
            let now = larger.fold(f64::MIN, f64::max);
            assert!((report.inextensibility.used > 1.01) == report.inextensibility.missed.is_some(), "frame {frame}");
            most = most.max(now);
        });
        most
    };
    let settings = ApslSettings { threshold: 0.02, band: Band::upto(0.0), ..ApslSettings::default() };
    let limited = worst(Some(LimitSpec::areas(settings)));
    assert!(limited <= 0.02 * 1.01, "{limited}");
    let free = worst(None);
    assert!(free > 0.04, "without a limit: {free}");
}

fn area(x: &[[f64; 3]], t: &[u32; 3]) -> f64 {
    let [a, b, c] = t.map(|v| x[v as usize]);
    let (e, f): ([f64; 3], [f64; 3]) = (core::array::from_fn(|k| b[k] - a[k]), core::array::from_fn(|k| c[k] - a[k]));
    let n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    0.5 * n.iter().map(|c| c * c).sum::<f64>().sqrt()
}

fn volume(x: &[[f64; 3]], t: &[u32; 4]) -> f64 {
    let [a, b, c, d] = t.map(|v| x[v as usize]);
    let [e, f, g]: [[f64; 3]; 3] = [b, c, d].map(|p| core::array::from_fn(|k| p[k] - a[k]));
    let n = [f[1] * g[2] - f[2] * g[1], f[2] * g[0] - f[0] * g[2], f[0] * g[1] - f[1] * g[0]];
    (0..3).map(|k| e[k] * n[k]).sum::<f64>() / 6.0
}

/// A soft block that a plate presses: no tetrahedron becomes smaller or larger than its limit says, after contact too,
/// and no edge longer.
#[test]
fn a_pressed_block_keeps_its_volumes_and_edges() {
    let mesh = common::bar(4, 4, 4, 0.05);
    let run = |limits: &[LimitSpec]| {
        let mut builder = ModelBuilder::new();
        let elasticity = Some(SolidElasticity { young: 2e3, poisson: 0.0, volume: 0.0, damping: 0.02 });
        builder.add_solid("block", &mesh, &Solid { elasticity, ..Solid::default() }).unwrap();
        limits.iter().for_each(|l| builder.limit(l.clone()));
        let model: Model<f32> = builder.build().unwrap();
        let (mut state, mut scratch) = (State::new(&model), Scratch::new(1));
        let top = mesh.positions.iter().map(|p| p[1]).fold(f64::MIN, f64::max);
        let bottom = mesh.positions.iter().map(|p| p[1]).fold(f64::MAX, f64::min);
        let (mut volumes, mut edges) = ([0.0f64; 2], 0.0f64);
        for frame in 0..40 {
            let pressed = 0.15 * (top - bottom) * (f64::from(frame) / 30.0).min(1.0);
            let floor = Collider { friction: 0.5, ..Collider::fixed(Shape::Plane, Pose::at([0.0, bottom, 0.0])) };
            let half = [2.0, 0.5, 2.0];
            let plate = Collider {
                friction: 0.5,
                ..Collider::fixed(Shape::Box { half }, Pose::at([0.0, top + 0.5 - pressed, 0.0]))
            };
            let params = Params { colliders: vec![floor, plate], ..Params::default() };
            let report = step(&model, &mut state, &mut scratch, &params, DT);
            assert!(!limits.is_empty() || report.inextensibility.used == 0.0);
            let x = state.positions(&model);
            for t in &mesh.tets {
                let change = volume(&x, t) / volume(&mesh.positions, t) - 1.0;
                volumes = [volumes[0].max(change), volumes[1].max(-change)];
                for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                    let length = |x: &[[f64; 3]]| {
                        (0..3).map(|k| (x[t[i] as usize][k] - x[t[j] as usize][k]).powi(2)).sum::<f64>().sqrt()
                    };
                    edges = edges.max(length(&x) / length(&mesh.positions) - 1.0);
                }
            }
        }
        (volumes, edges)
    };
    let settings = ApslSettings { threshold: 0.05, ..ApslSettings::default() };
    let ([larger, smaller], edges) = run(&[LimitSpec::volumes(settings), LimitSpec::edges(Band::upto(0.1))]);
    assert!(larger <= 0.05 * 1.01 && smaller <= 0.05 * 1.01, "{larger} {smaller}");
    assert!(edges <= 0.1 * 1.01, "{edges}");
    let ([_, smaller], _) = run(&[]);
    assert!(smaller > 0.1, "without limits: {smaller}");
}
