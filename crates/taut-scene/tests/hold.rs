//! Pins that give, and the phase before the first frame.

mod common;

use common::{TempDir, gltf};
use std::fs;
use taut_scene::scene::Scene;
use taut_scene::simulation::Simulation;

fn build(dir: &TempDir, text: &str) -> Simulation {
    let scene = Scene::parse("test.toml", text, Some(&dir.0), &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scene, scene.precision(), 1).unwrap_or_else(|error| panic!("{error}"))
}

/// A flat sheet of cotton, all of it held somehow, with nothing else around.
fn sheet(hold: &str, more: &str) -> String {
    format!(
        "[time]\nfps = 60\n[contact]\non = false\n[air]\ndensity = 0\n[[cloth]]\nname = \"sheet\"\nfabric = \"cotton\"\n\
         generate = {{ kind = \"sheet\", nx = 7, ny = 7 }}\nmaps = [{{ name = \"half\", file = \"half.csv\" }}]\n\
         [[pin]]\nbody = \"sheet\"\nselect = \"all\"\nhold = {hold}\n{more}"
    )
}

/// How far the vertices of the first body are below where they were, m: the least and the most.
fn sunk(before: &[[f64; 3]], after: &[[f64; 3]]) -> [f64; 2] {
    let each = || before.iter().zip(after).map(|(a, b)| a[1] - b[1]);
    [each().fold(f64::INFINITY, f64::min), each().fold(f64::NEG_INFINITY, f64::max)]
}

fn half(name: &str) -> TempDir {
    let dir = TempDir::new(&format!("hold-{name}"));
    fs::write(dir.0.join("half.csv"), "0.5\n".repeat(49)).unwrap();
    dir
}

/// All vertices, or those of one side, give as far under the weight of the whole.
#[test]
fn a_soft_pin_gives_as_far_as_it_says() {
    let dir = half("soft");
    for (hold, expected) in
        [("{ kind = \"soft\", give = 0.03 }", 0.03), ("{ kind = \"soft\", give = 0.03, map = \"half\" }", 0.06)]
    {
        let mut simulation = build(&dir, &sheet(hold, "[start]\nduration = 10\nsettled = 0.0005\n"));
        assert!(simulation.pinned_positions().is_empty(), "none is where it is told to be");
        let before = simulation.positions(0);
        let report = simulation.begin().unwrap();
        assert!(report.settled && report.seconds < 10.0, "{report:?}");
        let [least, most] = sunk(&before, &simulation.positions(0));
        assert!((least - expected).abs() < 0.001 && (most - expected).abs() < 0.001, "{least} to {most}, {expected}");
        assert_eq!((simulation.frame(), simulation.begin()), (0, Some(report)), "once");
    }
}

/// A sheet that hangs from its upper side alone: that side gives as far as it says, under the weight of all.
#[test]
fn a_side_that_is_held_softly_carries_the_whole() {
    let dir = half("side");
    let text = sheet("{ kind = \"soft\", give = 0.03 }", "[start]\nduration = 10\nsettled = 0.0005\n");
    let text = text.replace("ny = 7 }", "ny = 7, plane = \"upright\" }").replace("\"all\"", "\"top\"");
    let mut simulation = build(&dir, &text);
    let before = simulation.positions(0);
    assert!(simulation.begin().unwrap().settled);
    let top = before.iter().map(|p| p[1]).fold(f64::NEG_INFINITY, f64::max);
    let after = simulation.positions(0);
    let held = before.iter().zip(&after).filter(|(a, _)| a[1] > top - 1e-6).map(|(a, b)| a[1] - b[1]);
    let held: Vec<f64> = held.collect();
    let mean = held.iter().sum::<f64>() / held.len() as f64;
    assert!((mean - 0.03).abs() < 0.002, "{held:?}");
}

#[test]
fn a_soft_pin_follows_its_motion_and_lets_go() {
    let more = "until = 1.0\nmotion = { translate = { keys = [{ time = 0, value = [0, 0, 0] }, \
                { time = 0.5, value = [0.2, 0, 0] }] } }\n[world]\ngravity = [0, 0, 0]\n";
    let dir = half("motion");
    let mut simulation = build(&dir, &sheet("{ kind = \"soft\", give = 0.002 }", more));
    let before = simulation.positions(0);
    (0..60).for_each(|_| drop(simulation.advance()));
    let along = |simulation: &Simulation| simulation.positions(0)[24][0] - before[24][0];
    assert!((along(&simulation) - 0.2).abs() < 0.02, "{}", along(&simulation));
    // Thrown after that: nothing pulls it back.
    let held = along(&simulation);
    (0..30).for_each(|_| drop(simulation.advance()));
    let saved = simulation.save();
    assert!((along(&simulation) - held).abs() < 0.05);
    let mut again = build(&dir, &sheet("{ kind = \"soft\", give = 0.002 }", more));
    again.restore(saved).unwrap();
    assert_eq!(again.advance().frame, simulation.advance().frame);
    assert_eq!(again.state_hash(), simulation.state_hash(), "the same bits from a checkpoint");
}

#[test]
fn a_leash_is_not_felt_before_its_end() {
    let mut simulation = build(&half("leash"), &sheet("{ kind = \"within\", distance = 0.1 }", ""));
    let before = simulation.positions(0);
    (0..6).for_each(|_| drop(simulation.advance()));
    let [least, most] = sunk(&before, &simulation.positions(0));
    let fallen = 0.5 * 9.81 * 0.1_f64.powi(2);
    assert!((least - fallen).abs() < 0.01 && (most - fallen).abs() < 0.01, "a tenth of a second: {least} to {most}");
    (0..60).for_each(|_| drop(simulation.advance()));
    let [least, most] = sunk(&before, &simulation.positions(0));
    assert!(least > 0.08 && most < 0.104, "{least} to {most}");
}

/// On a slope: down along it, and not off it.
#[test]
fn a_sliding_pin_stays_on_its_surface() {
    let slope = "follow = \"slope\"\n[[collider]]\nname = \"slope\"\nrotate = { axis = [0, 0, 1], degrees = -30 }\n\
                 shape = { kind = \"mesh\", generate = { kind = \"sheet\", nx = 9, ny = 9, width = 8, height = 8 } }\n";
    let cloth = |distance: f64| {
        sheet(&format!("{{ kind = \"slide\", distance = {distance} }}"), slope)
            .replace("ny = 7 }", "ny = 7, centre = [0, 0.02, 0] }\nrotate = { axis = [0, 0, 1], degrees = -30 }")
    };
    let dir = half("slide");
    let mut simulation = build(&dir, &cloth(10.0));
    let (down, off) = (30_f64.to_radians(), 30_f64.to_radians());
    let along = |p: &[f64; 3]| p[0] * down.cos() - p[1] * down.sin();
    let above = |p: &[f64; 3]| p[0] * off.sin() + p[1] * off.cos();
    let before = simulation.positions(0);
    (0..30).for_each(|_| drop(simulation.advance()));
    for (a, b) in before.iter().zip(&simulation.positions(0)) {
        assert!((above(a) - above(b)).abs() < 0.002, "{} m off", above(b) - above(a));
        let expected = 0.5 * 9.81 * 0.5 * 0.25;
        assert!((along(b) - along(a) - expected).abs() < 0.06, "{} m down", along(b) - along(a));
    }
    let mut short = build(&dir, &cloth(0.2));
    (0..60).for_each(|_| drop(short.advance()));
    for (a, b) in before.iter().zip(&short.positions(0)) {
        let down = along(b) - along(a);
        assert!((above(a) - above(b)).abs() < 0.004 && (0.15..0.205).contains(&down), "{down} m down");
    }
}

/// A figure whose first frame is not the pose it was bound in: what is modelled on that pose is taken along.
#[test]
fn a_start_from_the_bind_pose_takes_clothes_along() {
    let dir = TempDir::new("bind");
    fs::write(dir.0.join("figure.glb"), gltf::figure([90.0, 0.0, 0.0]).glb()).unwrap();
    let scene = |from: &str| {
        format!(
            "[time]\nfps = 24\nframes = 4\n[world]\ngravity = [0, 0, 0]\n[contact]\non = false\n[[cloth]]\n\
             name = \"skirt\"\ngenerate = {{ kind = \"skirt\", top_radius = 0.125, bottom_radius = 0.125, height = 0.1, \
             around = 24, along = 2, centre = [0, 0.3, 0] }}\n[[pin]]\nbody = \"skirt\"\nselect = \"waist\"\n\
             follow = \"man\"\n[[collider]]\nname = \"man\"\nshape = {{ kind = \"mesh\", mesh = \"figure.glb\", \
             start = -1 }}\n[start]\nduration = 1\nfrom = \"{from}\"\n"
        )
    };
    let [mut bound, mut first] = ["bind", "first"].map(|from| build(&dir, &scene(from)));
    let before = bound.pinned_positions();
    let reports = [&mut bound, &mut first].map(|simulation| simulation.begin().unwrap());
    assert!(reports.iter().all(|report| report.settled), "{reports:?}");
    for (a, b) in before.iter().zip(bound.pinned_positions()) {
        // A quarter turn about y, and 0.1 m up.
        let expected = [a[2], a[1] + 0.1, -a[0]];
        assert!((0..3).all(|k| (b[k] - expected[k]).abs() < 1e-4), "{b:?}, not {expected:?}");
    }
    let first = first.pinned_positions();
    let still = first.iter().flatten().zip(before.iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(still, "put on in the first frame it stays where it is: {first:?}");
}

/// A hoop that is pushed into a trunk by a third of its radius: out, if the trunk grows from within; named, if not.
#[test]
fn what_begins_inside_comes_out_or_is_named() {
    let dir = TempDir::new("inside");
    fs::write(dir.0.join("figure.glb"), gltf::figure([0.0, 0.0, 0.0]).glb()).unwrap();
    let scene = |grow: f64| {
        format!(
            "[time]\nfps = 60\nframes = 4\n[world]\ngravity = [0, 0, 0]\n[[cloth]]\nname = \"hoop\"\nfabric = \"cotton\"\n\
             generate = {{ kind = \"skirt\", top_radius = 0.12, bottom_radius = 0.12, height = 0.06, around = 24, along = 2, \
             centre = [0.04, 0.3, 0] }}\n[[collider]]\nname = \"man\"\nshape = {{ kind = \"mesh\", mesh = \"figure.glb\", \
             without = [\"arm\"] }}\n[start]\nduration = 1.5\ngrow = {grow}\n"
        )
    };
    let mut out = build(&dir, &scene(0.04));
    assert!(out.intersections().count > 0);
    let report = out.begin().unwrap();
    assert!(report.settled && report.intersections == 0, "{report:?}");
    assert_eq!(out.intersections().count, 0);
    (0..4).for_each(|_| drop(out.advance()));
    assert_eq!(out.intersections().count, 0);
    // As much as it takes, if nothing is said; and no faster than is said.
    let mut alone = build(&dir, &scene(0.04).replace("grow = 0.04", "speed = 0.5"));
    let report = alone.begin().unwrap();
    assert!(report.settled && report.began > 0 && report.intersections == 0, "{report:?}");
    assert!((0.01..0.06).contains(&report.put_out) && report.highest <= 0.5, "{report:?}");
    let mut pinned = build(
        &dir,
        &(scene(0.04).replace("[[collider]]", "[[pin]]\nbody = \"hoop\"\nselect = \"all\"\n[[collider]]")
            + "settled = 1.0\n"),
    );
    let report = pinned.begin().unwrap();
    assert!(!report.settled && report.intersections > 0, "{report:?}");
    let said = pinned.warnings();
    assert!(said.iter().any(|text| text.contains("pairs of triangles that intersect")), "{said:?}");
}

/// A waistband whose pins begin inside the trunk that they follow: they are just outside of it from the first frame on,
/// and that is said.
#[test]
fn pins_inside_the_body_they_follow_are_kept_outside() {
    let dir = TempDir::new("inside-pins");
    fs::write(dir.0.join("figure.glb"), gltf::figure([30.0, 0.0, 0.0]).glb()).unwrap();
    let scene = |start: &str| {
        format!(
            "[time]\nfps = 24\nframes = 6\n[[cloth]]\nname = \"skirt\"\nfabric = \"cotton\"\ngenerate = {{ kind = \
             \"skirt\", top_radius = 0.1, bottom_radius = 0.2, height = 0.12, around = 36, along = 6, centre = [0, \
             0.3, 0] }}\n[[pin]]\nbody = \"skirt\"\nselect = \"waist\"\nfollow = \"man\"\n[[collider]]\nname = \
             \"man\"\nshape = {{ kind = \"mesh\", mesh = \"figure.glb\", without = [\"arm\"] }}\n{start}"
        )
    };
    for start in ["", "[start]\nduration = 1\n"] {
        let mut simulation = build(&dir, &scene(start));
        let said = simulation.warnings();
        assert!(said.iter().any(|text| text.contains("mm inside \"man\", which they follow")), "{said:?}");
        simulation.begin();
        for _ in 0..6 {
            simulation.advance();
            let found = simulation.intersections();
            assert_eq!(found.count, 0, "{start:?}, frame {}: {found:?}", simulation.frame());
        }
    }
}

/// A hoop, free of gravity, around the trunk.
fn hoop(name: &str, radius: f64, middle: f64, more: &str) -> String {
    format!(
        "[[cloth]]\nname = \"{name}\"\nfabric = \"cotton\"\ngenerate = {{ kind = \"skirt\", top_radius = {radius}, \
         bottom_radius = {radius}, height = 0.06, around = 32, along = 3, centre = [{middle}, 0.3, 0] }}\n{more}"
    )
}

const NO_GRAVITY: &str = "[time]\nfps = 60\nframes = 4\n[world]\ngravity = [0, 0, 0]\n";

/// A hoop that is a fifth too small for its trunk: all of it is outside before any time goes by, nothing is fast, and
/// that it does not fit is told with the place, soon.
#[test]
fn cloth_that_is_too_small_is_outside_and_told() {
    let dir = TempDir::new("tight");
    fs::write(dir.0.join("figure.glb"), gltf::figure([0.0, 0.0, 0.0]).glb()).unwrap();
    let trunk =
        "[[collider]]\nname = \"man\"\nshape = { kind = \"mesh\", mesh = \"figure.glb\", without = [\"arm\"] }\n";
    let text = format!("{NO_GRAVITY}{}{trunk}[start]\nduration = 2\nspeed = 0.5\n", hoop("hoop", 0.08, 0.0, ""));
    let mut simulation = build(&dir, &text);
    let report = simulation.begin().unwrap();
    assert!(report.began == 0, "all of it is deep inside, and crosses nothing: {report:?}");
    assert!(report.intersections == 0 && !report.settled, "{report:?}");
    assert!((0.02..0.03).contains(&report.put_out) && report.highest <= 0.5, "{report:?}");
    assert!(report.seconds < 0.5, "no time is spent on what is of no use: {report:?}");
    let at = report.place().unwrap();
    assert!((at[0].hypot(at[2]) - 0.1).abs() < 0.005 && (at[1] - 0.3).abs() < 0.031, "{at:?}");
    assert!((5.0..40.0).contains(&report.beyond), "{report:?}");
    let said = simulation.warnings();
    assert!(said.iter().any(|text| text.contains("too tight for its body at (")), "{said:?}");
    (0..4).for_each(|_| drop(simulation.advance()));
    assert_eq!(simulation.intersections().count, 0);
}

/// Two hoops that cross: the one with the higher number goes around the other, which stays; and around a trunk both do.
#[test]
fn layers_begin_over_each_other_by_their_numbers() {
    let dir = TempDir::new("layers");
    fs::write(dir.0.join("figure.glb"), gltf::figure([0.0, 0.0, 0.0]).glb()).unwrap();
    let trunk =
        "[[collider]]\nname = \"man\"\nshape = { kind = \"mesh\", mesh = \"figure.glb\", without = [\"arm\"] }\n";
    let scene = |layers: [u32; 2], more: &str| {
        let [first, second] = layers.map(|layer| format!("layer = {layer}\n"));
        let start = "[start]\nduration = 1\n";
        NO_GRAVITY.to_owned() + &hoop("a", 0.13, 0.0, &first) + &hoop("b", 0.136, 0.02, &second) + start + more
    };
    // The mean distance of both from the middle of the inner one. Where nothing crosses, that tells which is outside.
    let wide = |simulation: &Simulation, inner: usize| {
        let places = [0, 1].map(|object| simulation.positions(object));
        let middle = [0, 2].map(|k| places[inner].iter().map(|p| p[k]).sum::<f64>() / places[inner].len() as f64);
        places.map(|places| {
            places.iter().map(|p| (p[0] - middle[0]).hypot(p[2] - middle[1])).sum::<f64>() / places.len() as f64
        })
    };
    for (layers, outer) in [([1, 2], 1), ([2, 1], 0), ([0, 7], 1)] {
        let mut simulation = build(&dir, &scene(layers, ""));
        assert!(simulation.intersections().count > 0);
        let report = simulation.begin().unwrap();
        assert!(report.intersections == 0 && report.began > 0 && report.highest <= 1.0, "{report:?}");
        let wide = wide(&simulation, 1 - outer);
        assert!(wide[outer] > wide[1 - outer], "{layers:?}: {wide:?}");
    }
    let mut same = build(&dir, &scene([3, 3], ""));
    assert_eq!(same.begin().unwrap().put_out, 0.0, "equals are left alone");
    let inside = scene([1, 2], trunk).replace("0.13,", "0.098,").replace("0.136,", "0.097,").replace("[0.02,", "[0,");
    let mut both = build(&dir, &inside);
    let report = both.begin().unwrap();
    assert!(report.intersections == 0, "{report:?}");
    let wide = wide(&both, 0);
    assert!(wide[0] > 0.0995 && wide[1] > wide[0], "over the trunk, one over the other: {wide:?}");
}

/// A waistband that gives, 5 mm off a trunk that starts off at 1.5 m/s, in frames of 1/24 s: it was pulled ahead of the
/// trunk by a whole frame, and into it.
#[test]
fn a_soft_waistband_is_not_pulled_ahead_of_its_body() {
    let dir = TempDir::new("ahead");
    fs::write(dir.0.join("figure.glb"), gltf::figure([0.0, 0.0, 0.0]).glb()).unwrap();
    let trunk = "[[collider]]\nname = \"man\"\nshape = { kind = \"mesh\", mesh = \"figure.glb\", without = [\"arm\"] }\n\
                 motion = { translate = { keys = [{ time = 0.1, value = [0, 0, 0] }, { time = 0.5, value = [0.6, 0, 0] }] } }\n";
    for hold in ["{ kind = \"soft\", give = 0.002 }", "{ kind = \"slide\" }", "{ kind = \"within\", distance = 0.01 }"]
    {
        let pin = format!("[[pin]]\nbody = \"hoop\"\nselect = \"waist\"\nfollow = \"man\"\nhold = {hold}\n");
        let text = NO_GRAVITY.replace("fps = 60", "fps = 24") + &hoop("hoop", 0.105, 0.0, "") + &pin + trunk;
        let mut simulation = build(&dir, &text);
        assert_eq!(simulation.steps(), 4);
        simulation.verify();
        for _ in 0..12 {
            let report = simulation.advance();
            assert_eq!(simulation.intersections().count, 0, "{hold}, frame {}", report.frame);
        }
        let tension = simulation.tension_log();
        assert!(tension.missed().is_empty(), "{hold}");
        let middle = simulation.positions(0).iter().map(|p| p[0]).sum::<f64>() / simulation.positions(0).len() as f64;
        assert!((middle - 0.6).abs() < 0.03, "{hold}: it went along, to {middle}");
    }
    let fast = NO_GRAVITY.replace("fps = 60", "fps = 24") + &hoop("hoop", 0.105, 0.0, "") + trunk;
    assert_eq!(build(&dir, &fast).steps(), 1, "others keep their steps");
}

/// A waistband 5 mm off hips that turn by 45° in a frame of 1/24 s. In straight lines it would go 10 mm inside of them.
#[test]
fn a_waistband_on_hips_that_spin_stays_outside() {
    let dir = TempDir::new("spin");
    let text = r#"
time = { fps = 24, frames = 12 }
[[cloth]]
name = "skirt"
generate = { kind = "skirt", top_radius = 0.135, bottom_radius = 0.2, height = 0.2, around = 36, along = 4, centre = [0, 0.82, 0] }
fabric = "cotton"
[[pin]]
body = "skirt"
select = "waist"
follow = "hips"
[[collider]]
name = "hips"
shape = { kind = "capsule", radius = 0.13, length = 0.12 }
translate = [0, 0.92, 0]
motion.rotate.degrees = { interpolation = "linear", keys = [{ time = 0, value = 0 }, { time = 0.5, value = 540 }] }
"#;
    let mut simulation = build(&dir, text);
    assert!((3..=6).contains(&simulation.steps()), "{} steps", simulation.steps());
    let mut last = simulation.positions(0);
    for _ in 0..12 {
        simulation.advance();
        let now = simulation.positions(0);
        let far = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
        let fastest = 24.0 * last.iter().zip(&now).map(far).fold(0.0, f64::max);
        // The hem, at 0.2 m, goes round at 3.8 m/s.
        assert!(fastest < 12.0, "frame {}: {fastest} m/s", simulation.frame());
        last = now;
    }
    let slow = text.replace("540", "180");
    assert_eq!(build(&dir, &slow).steps(), 1, "15 degrees in a frame are no reason for more");
}
