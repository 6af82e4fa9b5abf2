//! The limit is the limit: bounds on stretch at the end of every step, on bodies, in folds, under friction, with pins. Measured here from
//! positions and the flat pattern alone.

mod common;

use taut::internals::contact::exact::IntersectionFinder;
use taut::limit::{LimitSpec, StretchBounds};
use taut::measure::state_hash;
use taut::mesh::TriMesh;
use taut::{
    Cloth, ClothElasticity, ClothStiffness, Collider, Contact, ContactMaterial, ElasticDamping, Inextensibility,
    Membrane, Model, ModelBuilder, Orthotropic, Params, Pose, Precision, Scratch, Shape, State, StepReport, step,
};

const DT: f64 = 1.0 / 60.0;

/// What a triangle's corners say: strain along weft and warp, the cosine between them, and the largest strain in any direction.
#[derive(Clone, Copy, Debug, Default)]
struct Strain {
    weft: f64,
    warp: f64,
    shear: f64,
    any: f64,
}

impl Strain {
    fn worst(mesh: &TriMesh, x: &[[f64; 3]]) -> Strain {
        let of = |t: &[u32; 3]| {
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
        };
        mesh.triangles.iter().map(of).fold(Strain::default(), |a, b| Strain {
            weft: a.weft.max(b.weft),
            warp: a.warp.max(b.warp),
            shear: a.shear.max(b.shear),
            any: a.any.max(b.any),
        })
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

/// Two pins three percent too far apart, and a corner that has hardly a say in that. By its say alone it would be thrown two and a half
/// times the length of an edge.
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
