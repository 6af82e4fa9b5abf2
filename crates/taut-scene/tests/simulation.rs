//! Scenes under way.

use taut_scene::scene::settings::Precision;
use taut_scene::scene::{BUILTIN, Scene};
use taut_scene::simulation::{ObjectKind, Simulation};
use taut_scene::write::{Checkpoint, Clip, Frame, ObjectFrame};

fn build(text: &str, precision: Precision) -> Simulation {
    let scene = Scene::parse("test.toml", text, None, &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scene, precision, 1).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_built_in_scene_runs() {
    assert!(BUILTIN.len() >= 12);
    for builtin in BUILTIN {
        let scene = Scene::open(builtin.name, &[]).unwrap_or_else(|error| panic!("{error}"));
        let (title, about) = builtin.about();
        assert!(!title.is_empty() && about.ends_with('.'), "{}", builtin.name);
        let mut simulation = Simulation::new(&scene, scene.precision(), 1).unwrap_or_else(|error| panic!("{error}"));
        assert!(simulation.warnings().is_empty(), "{}: {:?}", builtin.name, simulation.warnings());
        for _ in 0..15 {
            simulation.advance();
        }
        let metrics = simulation.metrics();
        assert!(metrics.totals.kinetic.is_finite() && metrics.contained == 0, "{}: {metrics:?}", builtin.name);
        for i in 0..simulation.objects().len() {
            assert!(simulation.positions(i).iter().flatten().all(|x| x.abs() < 100.0), "{}", builtin.name);
        }
    }
}

/// Fields, surfaces and colliders fit the meshes, so that writers and pictures can take them as they are.
#[test]
fn what_is_shown_fits_together() {
    for name in ["drape", "jelly", "trampoline"] {
        let scene = Scene::open(name, &[]).unwrap();
        let mut simulation = Simulation::new(&scene, scene.precision(), 1).unwrap();
        simulation.advance();
        Clip::new(simulation.setup()).unwrap();
        let fields = simulation.fields();
        for (i, object) in simulation.objects().iter().enumerate() {
            let count = object.info.rest.len() as u32;
            assert!(object.surface.iter().flatten().all(|&v| v < count));
            let elements = object.info.triangles.len() + object.info.tets.len();
            assert!(fields[i].len() == object.info.fields.len() && fields[i].iter().all(|f| f.len() == elements));
            if object.kind == ObjectKind::Solid {
                assert_eq!(object.surface.len(), object.surface_tets.len());
                for (triangle, &tet) in object.surface.iter().zip(&object.surface_tets) {
                    assert!(triangle.iter().all(|v| object.info.tets[tet as usize].contains(v)));
                }
            }
        }
        for i in 0..simulation.colliders().len() {
            let positions = simulation.collider_positions(i);
            assert!(!positions.is_empty() && positions.len() == simulation.colliders()[i].mesh.positions.len());
        }
    }
}

#[test]
fn frames_go_to_writers() {
    let mut simulation =
        build("[time]\nframes = 2\n[[solid]]\ngenerate = { kind = \"ball\", shells = 2 }\n", Precision::F32);
    let clip = Clip::new(simulation.setup()).unwrap();
    let dir = std::env::temp_dir().join(format!("taut-frames-{}", std::process::id()));
    let mut writer = taut_scene::write::format("vtu").unwrap().open(&clip, &dir, 0).unwrap();
    for index in 0..=2 {
        let (positions, velocities, fields) = (simulation.positions(0), simulation.velocities(0), simulation.fields());
        let fields: Vec<&[f64]> = fields[0].iter().map(Vec::as_slice).collect();
        let objects = [ObjectFrame { positions: &positions, velocities: &velocities, fields: &fields }];
        writer.frame(&Frame { index, time: simulation.time(), objects: &objects }).unwrap();
        simulation.advance();
    }
    assert!(!writer.finish().unwrap().is_empty());
    std::fs::remove_dir_all(dir).unwrap();
}

const PINNED: &str = r#"
[time]
steps = 2
[air]
wind = [1.0, 0.0, 2.0]
[[cloth]]
name = "flag"
generate = { kind = "sheet", nx = 12, ny = 9, plane = "upright", centre = [0, 1, 0] }
damping.bend = 3
[[pin]]
body = "flag"
select = "top"
until = 0.2
motion.rotate = { about = [0, 1, 0], degrees = { keys = [{ time = 0, value = 0 }, { time = 0.3, value = 60 }] } }
[[pin]]
body = "flag"
select = { indices = [100] }
from = 0.15
motion.translate = { keys = [{ time = 0.15, value = [0, 0, 0] }, { time = 0.4, value = [0, 0.1, 0.2] }] }
[[collider]]
shape = { kind = "sphere", radius = 0.2 }
translate = [0.0, 0.2, 0.0]
[[collider]]
shape = "plane"
"#;

/// Across a disk, at several frames, in both precisions, before and after pins are let go.
#[test]
fn a_resumed_run_has_the_same_bits() {
    for precision in [Precision::F32, Precision::F64] {
        let mut whole = build(PINNED, precision);
        for at in [0, 7, 12, 13, 30] {
            while whole.frame() < at {
                whole.advance();
            }
            let dir = std::env::temp_dir().join(format!("taut-resume-{}", std::process::id()));
            std::fs::create_dir_all(&dir).unwrap();
            let path = whole.save().write(&dir, "run.ckpt").unwrap();
            let mut resumed = build(PINNED, precision);
            resumed.restore(Checkpoint::read(&path, resumed.identity()).unwrap()).unwrap();
            std::fs::remove_dir_all(&dir).unwrap();
            assert_eq!((resumed.frame(), resumed.state_hash()), (at, whole.state_hash()));
            assert_eq!(resumed.pinned_positions(), whole.pinned_positions());
            let mut undisturbed = build(PINNED, precision);
            while undisturbed.frame() < at + 20 {
                undisturbed.advance();
            }
            for _ in 0..20 {
                resumed.advance();
            }
            assert_eq!(resumed.metrics(), undisturbed.metrics(), "{precision:?} from frame {at}");
            assert_eq!(resumed.tension_log(), undisturbed.tension_log(), "{precision:?} from frame {at}");
            assert!(resumed.tension_log().frames > at, "frames before the checkpoint count");
            // Back again, from a frame after the pins were let go.
            resumed.restore(whole.save()).unwrap();
            (0..20).for_each(|_| drop(resumed.advance()));
            assert_eq!(resumed.metrics(), undisturbed.metrics(), "{precision:?} back to frame {at}");
        }
    }
}

#[test]
fn checkpoints_of_something_else_are_refused() {
    let saved = build(PINNED, Precision::F32).save();
    for (text, precision) in [
        (PINNED.to_owned(), Precision::F64),
        (PINNED.replace("nx = 12", "nx = 13"), Precision::F32),
        (PINNED.replace("steps = 2", "steps = 3"), Precision::F32),
    ] {
        let mut other = build(&text, precision);
        let hash = other.state_hash();
        assert!(other.restore(saved.clone()).unwrap_err().to_string().contains("another scene"));
        assert_eq!(other.state_hash(), hash);
    }
}

#[test]
fn pins_move_follow_and_let_go() {
    let text = r#"
[world]
gravity = [0, 0, 0]
[[cloth]]
name = "a"
generate = { kind = "sheet", nx = 5, ny = 5 }
[[pin]]
body = "a"
select = { nearest = [[-0.5, 0, -0.5]] }
motion.translate = { interpolation = "linear", keys = [{ time = 0, value = [0, 0, 0] }, { time = 1, value = [0, 0.2, 0] }] }
[[pin]]
body = "a"
select = { indices = [4] }
follow = "arm"
until = 0.5
[[collider]]
name = "arm"
shape = { kind = "sphere", radius = 0.01 }
translate = [0, 5, 0]
motion.rotate = { axis = [0, 1, 0], degrees = { interpolation = "linear", keys = [{ time = 0, value = 0 }, { time = 1, value = 30 }] } }
"#;
    let mut simulation = build(text, Precision::F64);
    assert_eq!(simulation.pinned_positions().len(), 2);
    let start = simulation.positions(0);
    let corner = start.iter().position(|p| p[0] < -0.49 && p[2] < -0.49).unwrap();
    for _ in 0..30 {
        simulation.advance();
    }
    let now = simulation.positions(0);
    assert!((now[corner][1] - 0.1).abs() < 1e-9 && now[corner][0] == start[corner][0]);
    let (sin, cos) = (15f64.to_radians().sin(), 15f64.to_radians().cos());
    let [x, _, z] = start[4];
    assert!((now[4][0] - (cos * x + sin * z)).abs() < 1e-9 && (now[4][2] - (cos * z - sin * x)).abs() < 1e-9);
    simulation.advance();
    assert_eq!(simulation.pinned_positions().len(), 1);
}

#[test]
fn late_pins_take_what_they_hold_where_it_then_is() {
    // The arm draws the cloth to more than its length: what is held within limits would fly after it.
    let text = r#"
[solver]
kind = "pbd"
[[cloth]]
name = "a"
generate = { kind = "sheet", nx = 5, ny = 5 }
[[pin]]
body = "a"
select = { indices = [7] }
from = 0.5
until = 1.0
[[pin]]
body = "a"
select = { indices = [9] }
from = 0.5
follow = "arm"
[[collider]]
name = "arm"
shape = { kind = "sphere", radius = 0.01 }
translate = [0, 50, 0]
motion.translate = { interpolation = "linear", keys = [{ time = 0, value = [0, 0, 0] }, { time = 1, value = [3, 0, 0] }] }
"#;
    let mut simulation = build(text, Precision::F64);
    assert!(simulation.pinned_positions().is_empty());
    (0..30).for_each(|_| drop(simulation.advance()));
    let taken = simulation.positions(0);
    // Air slows the fall: g t²/2 is the most.
    assert!(taken[7][1] < -0.5 && taken[7][1] > -0.5 * 9.81 * 0.25 - 0.1, "it fell freely: {:?}", taken[7]);
    (0..30).for_each(|_| drop(simulation.advance()));
    let held = simulation.positions(0);
    assert_eq!(held[7], taken[7]);
    // Half of the arm's way, from where the vertex was when the pin took it.
    for (k, way) in [1.5, 0.0, 0.0].into_iter().enumerate() {
        assert!((held[9][k] - taken[9][k] - way).abs() < 1e-9, "{:?} {:?}", taken[9], held[9]);
    }
    (0..10).for_each(|_| drop(simulation.advance()));
    assert_eq!(simulation.pinned_positions().len(), 1);
    // Let go, it flies after the arm, which has drawn the cloth to four times its length.
    let gone = simulation.positions(0)[7];
    assert!(gone[0] > held[7][0] + 0.5, "{:?} {gone:?}", held[7]);
}

#[test]
fn pictures_do_not_mark_what_is_held_all_over() {
    let text = r#"
[[solid]]
name = "frame"
generate = { kind = "torus", segments = 6, rings = 1 }
[[cloth]]
name = "a"
generate = { kind = "sheet", nx = 3, ny = 3 }
[[pin]]
body = "frame"
select = "all"
[[pin]]
body = "a"
select = { indices = [0, 4] }
"#;
    let simulation = build(text, Precision::F64);
    let sheet = simulation.objects().iter().position(|object| object.info.name == "a").unwrap();
    let positions = simulation.positions(sheet);
    assert_eq!(simulation.marked_positions(), [positions[0], positions[4]]);
    assert!(simulation.pinned_positions().len() > 2);
    assert!(!simulation.pinned_all_over(sheet) && simulation.pinned_all_over(1 - sheet));
}

#[test]
fn bodies_start_as_asked() {
    let text = r#"
[world]
gravity = [0, 0, 0]
[air]
density = 0
[[solid]]
name = "ball"
generate = { kind = "ball", shells = 3, centre = [0, 1, 0] }
[[initial]]
body = "ball"
velocity = [1, 0, 0]
spin = { axis = [0, 0, 2], degrees_per_second = 90 }
"#;
    let mut simulation = build(text, Precision::F64);
    let metrics = simulation.metrics();
    let mass: f64 = 4.0 / 3.0 * std::f64::consts::PI * 0.2f64.powi(3) * 1000.0;
    assert!((metrics.totals.momentum[0] / mass - 1.0).abs() < 0.1, "{metrics:?}");
    simulation.advance();
    assert!(simulation.metrics().totals.momentum[0] > 0.99 * metrics.totals.momentum[0]);
    let scrambled = build(&(text.to_owned() + "scramble = { seed = 3 }\n"), Precision::F64);
    assert!(scrambled.metrics().inverted > 20);
    let places = scrambled.positions(0);
    assert!(places.iter().all(|p| p[0].abs() <= 0.2 + 1e-9 && (p[1] - 1.0).abs() <= 0.2 + 1e-9));
}

/// Trying another solver from a saved state leaves no trace once the state is taken up again.
#[test]
fn a_state_can_be_tried_with_other_solvers() {
    let text = "[solver]\nsubsteps = 1\niterations = 5\n[[cloth]]\ngenerate = { kind = \"sheet\", nx = 7, ny = 7 }\n\
                elastic = { weft = 50 }\n[[pin]]\nbody = \"cloth\"\nselect = \"left\"\n";
    let mut simulation = build(text, Precision::F64);
    simulation.advance();
    let state = simulation.save();
    let report = simulation.advance();
    assert_eq!(report.iterations, 5);
    let (plain, positions) = (simulation.state_hash(), simulation.positions(0));
    simulation.restore(state.clone()).unwrap();
    let newton = simulation.advance_with(|p| {
        (p.solver, p.iterations, p.tolerance) = (taut::Solver::Newton, 50, 1e-10);
    });
    assert!(newton.residual <= 1e-10 && newton.iterations < 50, "{newton:?}");
    assert_ne!(simulation.positions(0), positions);
    simulation.restore(state).unwrap();
    simulation.advance();
    assert_eq!(simulation.state_hash(), plain);
}
