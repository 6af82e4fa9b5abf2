//! Colliders in scenes: meshes that stand still, are moved, or deform; and those that follow others.

mod common;

use common::TempDir;
use std::fs;
use std::path::Path;
use taut_scene::scene::Scene;
use taut_scene::simulation::Simulation;

fn build_in(folder: Option<&Path>, text: &str) -> Simulation {
    let scene = Scene::parse("test.toml", text, folder, &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scene, scene.precision(), 1).unwrap_or_else(|error| panic!("{error}"))
}

/// A sheet that hovers 2 cm above y = 0, without gravity, so that only what pushes it moves it.
const HOVERING: &str = r#"
[world]
gravity = [0, 0, 0]
[air]
density = 0
[[cloth]]
name = "sheet"
generate = { kind = "sheet", width = 0.4, height = 0.4, nx = 13, ny = 13, centre = [0, 0.02, 0] }
"#;

/// A square of 1 m in the xz-plane, as an OBJ file has it.
fn plate(y: f64) -> String {
    format!("v -0.5 {y} -0.5\nv 0.5 {y} -0.5\nv 0.5 {y} 0.5\nv -0.5 {y} 0.5\nf 1 4 3\nf 1 3 2\n")
}

/// The lowest of the sheet's vertices, m.
fn lowest(simulation: &Simulation) -> f64 {
    simulation.positions(0).iter().fold(f64::MAX, |low, p| low.min(p[1]))
}

/// Runs for half a second and expects that the sheet was never passed through.
fn lift(mut simulation: Simulation, height: f64) {
    simulation.verify();
    for _ in 0..30 {
        simulation.advance();
    }
    assert_eq!(simulation.contact().crossed.frames, 0);
    // It is thrown up, and nothing holds it back.
    assert!(lowest(&simulation) >= height + 0.002 - 1e-6, "the sheet is at {}", lowest(&simulation));
    let plate = simulation.collider_positions(0);
    assert!(plate.iter().all(|p| (p[1] - height).abs() < 1e-6), "{plate:?}");
}

#[test]
fn a_generated_mesh_holds_cloth_up() {
    let text = r#"
[[cloth]]
generate = { kind = "sheet", width = 0.5, height = 0.5, nx = 21, ny = 21, centre = [0, 0.23, 0] }
[[collider]]
name = "ball"
shape = { kind = "mesh", generate = { kind = "sphere", radius = 0.2, steps = 6 } }
friction = 0.6
"#;
    let mut simulation = build_in(None, text);
    assert!(simulation.warnings().is_empty(), "{:?}", simulation.warnings());
    simulation.verify();
    for _ in 0..40 {
        simulation.advance();
    }
    assert_eq!(simulation.contact().crossed.frames, 0);
    let top = simulation.positions(0).iter().fold(f64::MIN, |high, p| high.max(p[1]));
    assert!((0.195..0.23).contains(&top), "the sheet lies at {top}");
    // Off, it falls through, and the scene says so.
    let off = Scene::parse("test.toml", text, None, &["contact.on=false".into()]).unwrap();
    let mut off = Simulation::new(&off, off.precision(), 1).unwrap();
    assert!(off.warnings()[0].contains("nothing meets the mesh of collider \"ball\""), "{:?}", off.warnings());
    (0..40).for_each(|_| drop(off.advance()));
    assert!(off.positions(0).iter().all(|p| p[1] < 0.0));
}

#[test]
fn a_mesh_is_moved_by_keyframes() {
    let text = HOVERING.to_owned()
        + r#"
[[collider]]
shape = { kind = "mesh", generate = { kind = "sheet", nx = 2, ny = 2 }, scale = [0.5, 1, 0.5] }
motion.translate = { interpolation = "linear", keys = [{ time = 0, value = [0, 0, 0] }, { time = 0.5, value = [0, 0.3, 0] }] }
"#;
    lift(build_in(None, &text), 0.3);
}

#[test]
fn a_sequence_of_files_moves_a_mesh() {
    let dir = TempDir::new("sequence");
    fs::create_dir(dir.0.join("walk")).unwrap();
    // Ten files a second: from 0 to 0.3 m in half a second. The first is not number 0.
    for frame in 0..6 {
        fs::write(dir.0.join(format!("walk/plate_{:03}.obj", frame + 101)), plate(0.06 * f64::from(frame))).unwrap();
    }
    let text =
        HOVERING.to_owned() + "[[collider]]\nshape = { kind = \"mesh\", mesh = \"walk/plate_###.obj\", fps = 10 }\n";
    lift(build_in(Some(&dir.0), &text), 0.3);
    let late = text.replace("fps = 10", "fps = 10, start = 0.25");
    let mut late = build_in(Some(&dir.0), &late);
    (0..30).for_each(|_| drop(late.advance()));
    assert!((late.collider_positions(0)[0][1] - 0.15).abs() < 1e-6, "it began a quarter of a second later");
}

#[test]
fn a_point_cache_moves_a_mesh() {
    let dir = TempDir::new("cache");
    fs::write(dir.0.join("plate.obj"), plate(0.0)).unwrap();
    let mut cache = b"POINTCACHE2\0".to_vec();
    cache.extend(1u32.to_le_bytes());
    cache.extend(4u32.to_le_bytes());
    cache.extend(0f32.to_le_bytes());
    cache.extend(1f32.to_le_bytes());
    cache.extend(2u32.to_le_bytes());
    for y in [0f32, 0.3] {
        for [x, z] in [[-0.5f32, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]] {
            cache.extend([x, y, z].iter().flat_map(|c| c.to_le_bytes()));
        }
    }
    fs::write(dir.0.join("plate.pc2"), cache).unwrap();
    let shape = "{ kind = \"mesh\", mesh = \"plate.obj\", cache = \"plate.pc2\", fps = 2 }";
    let text = format!("{HOVERING}[[collider]]\nshape = {shape}\n");
    lift(build_in(Some(&dir.0), &text), 0.3);
    // A cache of another mesh is refused, at its place.
    fs::write(dir.0.join("plate.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let scene = Scene::parse("test.toml", &text, Some(&dir.0), &[]).unwrap();
    let error = Simulation::new(&scene, scene.precision(), 1).unwrap_err().to_string();
    assert!(error.contains("`collider.0.shape.cache` cannot be read: plate.pc2: the cache has 4 points"), "{error}");
}

/// A pin on a mesh that deforms goes with the triangle under it, not with the mesh's middle.
#[test]
fn pins_follow_a_mesh_that_deforms() {
    let dir = TempDir::new("grip");
    // The plate opens like a book: its right half rises to a right angle.
    let book = |right: [f64; 2]| {
        let [x, y] = right;
        format!(
            "v -0.5 0 -0.5\nv 0 0 -0.5\nv {x} {y} -0.5\nv -0.5 0 0.5\nv 0 0 0.5\nv {x} {y} 0.5\n\
             f 1 4 5\nf 1 5 2\nf 2 5 6\nf 2 6 3\n"
        )
    };
    fs::write(dir.0.join("book_0.obj"), book([0.5, 0.0])).unwrap();
    fs::write(dir.0.join("book_1.obj"), book([0.0, 0.5])).unwrap();
    let text = HOVERING.to_owned()
        + r#"
[[pin]]
body = "sheet"
select = { nearest = [[-0.2, 0.02, 0], [0.2, 0.02, 0]] }
follow = "book"
[[collider]]
name = "book"
shape = { kind = "mesh", mesh = "book_#.obj", fps = 2 }
"#;
    let mut simulation = build_in(Some(&dir.0), &text);
    (0..30).for_each(|_| drop(simulation.advance()));
    let held = simulation.pinned_positions();
    // The left one stays; the right one is 0.2 m up the page and 0.02 m off it, which is now to the left.
    let expected = [[-0.2, 0.02, 0.0], [-0.02, 0.2, 0.0]];
    for (found, expected) in held.iter().zip(expected) {
        assert!((0..3).all(|k| (found[k] - expected[k]).abs() < 1e-5), "{found:?} instead of {expected:?}");
    }
}

/// Another motion in the same files is another simulation: its checkpoints do not fit.
#[test]
fn files_of_colliders_are_part_of_what_a_simulation_is() {
    let dir = TempDir::new("identity");
    let text = HOVERING.to_owned() + "[[collider]]\nshape = { kind = \"mesh\", mesh = \"plate.obj\" }\n";
    let identity = |y: f64| {
        fs::write(dir.0.join("plate.obj"), plate(y)).unwrap();
        build_in(Some(&dir.0), &text).identity()
    };
    assert_eq!(identity(-0.1), identity(-0.1));
    assert_ne!(identity(-0.1), identity(-0.2));
}

/// A shin that bends at the knee, on a thigh that swings at the hip, on a body that turns: as one would compute it by
/// hand.
#[test]
fn colliders_follow_colliders() {
    let quarter =
        "degrees = { interpolation = \"linear\", keys = [{ time = 0, value = 0 }, { time = 1, value = 90 }] }";
    let text = format!(
        "{HOVERING}
[[collider]]
name = \"body\"
shape = {{ kind = \"sphere\", radius = 0.01 }}
translate = [0, 5, 0]
motion.rotate = {{ axis = [0, 1, 0], {quarter} }}
[[collider]]
name = \"shin\"
follow = \"thigh\"
shape = {{ kind = \"capsule\", radius = 0.01, length = 1 }}
translate = [0, 2.5, 0]
motion.rotate = {{ axis = [1, 0, 0], about = [0, 3, 0], {quarter} }}
[[collider]]
name = \"thigh\"
follow = \"body\"
shape = {{ kind = \"capsule\", radius = 0.01, length = 1 }}
translate = [0, 4, 0]
motion.rotate = {{ axis = [1, 0, 0], about = [0, 5, 0], {quarter} }}
[[pin]]
body = \"sheet\"
select = {{ nearest = [[0, 0.02, 0]] }}
follow = \"shin\"
"
    );
    let mut simulation = build_in(None, &text);
    let near = |p: [f64; 3], q: [f64; 3]| (0..3).all(|k| (p[k] - q[k]).abs() < 1e-9);
    let held = simulation.pinned_positions()[0];
    while simulation.frame() < 60 {
        simulation.advance();
    }
    let at = |name: &str| simulation.colliders().iter().find(|c| c.name == name).unwrap().pose(1.0).position;
    // The thigh swings from hanging to lying along −z, and the body turns that to −x.
    assert!(near(at("thigh"), [-1.0, 5.0, 0.0]), "{:?}", at("thigh"));
    // The knee is 2 m from the hip; bent by a right angle, the shin points up from there.
    assert!(near(at("shin"), [-2.0, 5.5, 0.0]), "{:?}", at("shin"));
    // The pinned vertex hangs on the shin as if it were part of it: (knee − vertex) below the knee, then above.
    let now = simulation.pinned_positions()[0];
    let expected = [-2.0, 5.0 + (3.0 - held[1]), 0.0];
    assert!((0..3).all(|k| (now[k] - expected[k]).abs() < 1e-4), "{now:?} instead of {expected:?}");
}

/// Planes, spheres, capsules and boxes are checked as what they are, not as pictures show them.
#[test]
fn intersections_with_simple_shapes_are_found() {
    let count = |shape: &str, translate: [f64; 3]| {
        let text = format!("{HOVERING}[[collider]]\nname = \"it\"\nshape = {shape}\ntranslate = {translate:?}\n");
        let mut simulation = build_in(None, &text);
        let found = simulation.intersections();
        if let Some(first) = found.first {
            assert_eq!(first.between.map(|number| simulation.name_of(number).to_owned()), ["sheet", "it"]);
            assert!((first.at[1] - 0.02).abs() < 1e-6, "{first:?}");
        }
        found.count
    };
    // The sheet is at y = 0.02, with vertices every 33 mm.
    assert_eq!(count("\"plane\"", [0.0, 0.019, 0.0]), 0);
    assert_eq!(count("\"plane\"", [0.0, 0.021, 0.0]), 169);
    let ball = "{ kind = \"sphere\", radius = 0.01 }";
    assert_eq!(count(ball, [0.01, 0.0099, 0.012]), 0);
    // A ball smaller than a triangle, inside of it: no vertex and no edge would find it.
    assert_eq!(count(ball, [0.022, 0.0101, 0.011]), 1);
    let rod = "{ kind = \"capsule\", radius = 0.002, length = 0.1 }";
    assert_eq!(count(rod, [0.022, 0.03, 0.011]), 1, "a rod through a triangle");
    assert_eq!(count(rod, [0.022, 0.0735, 0.011]), 0, "a rod above it");
    assert!(count("{ kind = \"box\", size = [0.1, 0.1, 0.1] }", [0.0, 0.0, 0.0]) > 4);
    assert_eq!(count("{ kind = \"box\", size = [0.1, 0.01, 0.1] }", [0.0, 0.0, 0.0]), 0);
}

/// What need not meet does not count; without contact, everything does.
#[test]
fn what_need_not_meet_is_not_counted() {
    let text = |more: &str, contact: &str| {
        format!(
            "[contact]\n{contact}\n[[cloth]]\nname = \"a\"\ngenerate = {{ kind = \"sheet\", nx = 5, ny = 5 }}\n{more}\n\
             [[cloth]]\nname = \"b\"\ngenerate = {{ kind = \"sheet\", nx = 5, ny = 5, plane = \"upright\", \
             centre = [0.1, 0.1, 0.1] }}\n"
        )
    };
    let count = |more: &str, contact: &str| build_in(None, &text(more, contact)).intersections().count;
    assert!(count("", "") > 4);
    assert_eq!(count("thickness = 0", ""), 0);
    assert!(count("thickness = 0", "on = false") > 4);
    assert!(count("self_collision = false", "") > 4, "they still meet each other");
}

#[test]
fn fabrics_bring_their_thickness_and_friction() {
    let settings = |text: &str| {
        let text = format!("[contact]\nthickness = 0.005\n[[cloth]]\ngenerate = \"sheet\"\n{text}");
        Scene::parse("test.toml", &text, None, &[]).unwrap().settings
    };
    let skin = |text: &str| {
        let settings = settings(text);
        settings.contact.cloth(&settings.cloth[0])
    };
    let denim = taut_scene::fabric::named("denim").unwrap();
    assert_eq!((skin("").thickness, skin("").friction), (0.005, taut::ContactMaterial::default().friction));
    let fabric = skin("fabric = \"denim\"");
    assert_eq!((fabric.thickness, fabric.friction), (denim.figures.thickness.value, denim.figures.friction.value));
    let own = skin("fabric = \"denim\"\nthickness = 0.001\nfriction = 0.7\nself_collision = false");
    assert_eq!((own.thickness, own.friction, own.self_contact), (0.001, 0.7, false));
}

#[test]
fn jitter_is_small_seeded_and_never_the_same_for_two_seeds() {
    let build = |seed: u32| {
        let initial = format!("[[initial]]\nbody = \"sheet\"\njitter = {{ amount = 0.001, seed = {seed} }}\n");
        build_in(None, &(HOVERING.to_owned() + &initial))
    };
    let (still, one, again, two) = (build_in(None, HOVERING), build(1), build(1), build(2));
    assert_eq!(one.positions(0), again.positions(0));
    let moved = |a: &Simulation, b: &Simulation| {
        let pairs = a.positions(0).into_iter().zip(b.positions(0));
        pairs.map(|(p, q)| (0..3).map(|k| (p[k] - q[k]).abs()).fold(0.0, f64::max)).collect::<Vec<_>>()
    };
    let shaken = moved(&one, &still);
    assert!(shaken.iter().all(|&d| d > 0.0 && d <= 0.001 + 1e-7), "{shaken:?}");
    assert!(moved(&one, &two).iter().filter(|&&d| d > 1e-5).count() > 150);
}
