//! What acts on cloth beside its material and its pins: joins, creases, air; and rest shapes from other meshes.

mod common;

use common::{TempDir, gltf};
use std::fs;
use taut_scene::scene::Scene;
use taut_scene::simulation::Simulation;

fn build(dir: &TempDir, text: &str) -> Simulation {
    let scene = Scene::parse("test.toml", text, Some(&dir.0), &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scene, scene.precision(), 1).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(dir: &TempDir, text: &str) -> String {
    let scene = Scene::parse("test.toml", text, Some(&dir.0), &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scene, scene.precision(), 1).map(drop).unwrap_err().to_string()
}

fn lowest(simulation: &Simulation, object: usize) -> f64 {
    simulation.positions(object).iter().map(|p| p[1]).fold(f64::INFINITY, f64::min)
}

/// Two banners, the lower of which hangs from the upper by a join along its whole side.
#[test]
fn a_join_carries_one_cloth_by_another_until_it_opens() {
    let dir = TempDir::new("join");
    let banner = |name: &str, y: f64| {
        format!(
            "[[cloth]]\nname = \"{name}\"\nfabric = \"cotton\"\n\
             generate = {{ kind = \"sheet\", width = 0.4, height = 0.3, nx = 9, ny = 7, plane = \"upright\", \
             centre = [0, {y}, 0] }}\n"
        )
    };
    let text = format!(
        "[time]\nfps = 60\n[air]\ndensity = 0\n{}{}[[pin]]\nbody = \"upper\"\nselect = \"top\"\n[[join]]\n\
         body = \"lower\"\nselect = \"top\"\nto = \"upper\"\nonto = \"bottom\"\nuntil = 0.5\n",
        banner("upper", 0.15),
        banner("lower", -0.17)
    );
    let mut simulation = build(&dir, &text);
    (0..30).for_each(|_| drop(simulation.advance()));
    let held = lowest(&simulation, 1);
    assert!((held + 0.32).abs() < 0.01, "it hangs where it hung: {held}");
    (0..30).for_each(|_| drop(simulation.advance()));
    let fallen = lowest(&simulation, 1);
    assert!((fallen - held + 0.5 * 9.81 * 0.25).abs() < 0.1, "then it falls freely: {fallen}");
}

/// A strip of two squares that are hinged at x = 0, bent there by 90° or flat.
fn strip(bent: bool) -> String {
    let (x, y) = if bent { (0.0, 0.1) } else { (0.1, 0.0) };
    format!(
        "v -0.1 0 0\nv 0 0 0\nv {x} {y} 0\nv -0.1 0 -0.1\nv 0 0 -0.1\nv {x} {y} -0.1\n\
         f 1 2 5\nf 1 5 4\nf 2 3 6\nf 2 6 5\n"
    )
}

/// The angle of that strip, degrees.
fn bend(simulation: &Simulation) -> f64 {
    let x: Vec<glam::DVec3> = simulation.positions(0).into_iter().map(Into::into).collect();
    let [left, right] = [(x[1] + x[4]) - (x[0] + x[3]), (x[2] + x[5]) - (x[1] + x[4])];
    left.angle_between(right).to_degrees()
}

#[test]
fn a_crease_folds_what_is_flat_and_a_wrinkle_stays() {
    let dir = TempDir::new("crease");
    fs::write(dir.0.join("flat.obj"), strip(false)).unwrap();
    fs::write(dir.0.join("bent.obj"), strip(true)).unwrap();
    let text = |mesh: &str, more: &str| {
        format!(
            "[time]\nfps = 60\nframes = 1\n[world]\ngravity = [0, 0, 0]\n[air]\ndensity = 0\n[contact]\non = false\n\
             [start]\nduration = 20\nsettled = 1e-4\ndamping = 2\n[[cloth]]\nname = \"strip\"\ngrain = [1, 0, 0]\n\
             fabric = \"cotton\"\nmesh = \"{mesh}\"\nrest_mesh = \"flat.obj\"\n[[crease]]\nbody = \"strip\"\n\
             select = {{ indices = [1, 4] }}\nstiffness = 0.01\n{more}"
        )
    };
    let settled = |mesh: &str, more: &str| {
        let mut simulation = build(&dir, &text(mesh, more));
        simulation.begin().unwrap();
        bend(&simulation)
    };
    // Its fabric holds against it a little.
    let pleat = settled("flat.obj", "degrees = 60\n");
    assert!((55.0..60.5).contains(&pleat), "{pleat}");
    let springs_back = settled("bent.obj", "");
    assert!(springs_back < 3.0, "{springs_back}");
    let stays = settled("bent.obj", "yields = 20\n");
    assert!((60.0..75.0).contains(&stays), "90° less the 20° that it gives: {stays}");
    let said = refused(&dir, &text("flat.obj", "").replace("[1, 4]", "[0, 2]"));
    assert!(said.contains("picks no edges"), "{said}");
    fs::write(dir.0.join("flat.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let said = refused(&dir, &text("bent.obj", ""));
    assert!(said.contains("flat.obj has 3 vertices, but the mesh of the cloth has 6"), "{said}");
}

/// What was bent so far that it stays goes on from a checkpoint with the same bits.
#[test]
fn wrinkles_are_part_of_a_checkpoint() {
    let dir = TempDir::new("wrinkle");
    fs::write(dir.0.join("flat.obj"), strip(false)).unwrap();
    let text = "[time]\nfps = 60\n[contact]\non = false\n[[cloth]]\nname = \"strip\"\ngrain = [1, 0, 0]\n\
                fabric = \"cotton\"\nmesh = \"flat.obj\"\n[[pin]]\nbody = \"strip\"\nselect = { indices = [0, 3] }\n\
                [[crease]]\nbody = \"strip\"\nselect = \"all\"\nyields = 5\n";
    let mut simulation = build(&dir, text);
    (0..12).for_each(|_| drop(simulation.advance()));
    let mut again = build(&dir, text);
    again.restore(simulation.save()).unwrap();
    let mut fresh = build(&dir, text);
    let mut saved = simulation.save();
    saved.take::<f64>("folds").unwrap();
    assert!(fresh.restore(saved).is_err(), "without them it is refused");
    (0..6).for_each(|_| drop((simulation.advance(), again.advance())));
    assert_eq!(simulation.state_hash(), again.state_hash());
}

/// A balloon: tension p R / 2 all around stretches it by that over its stiffness.
#[test]
fn pressure_stretches_a_balloon_as_far_as_it_should() {
    let dir = TempDir::new("balloon");
    let text = |pressure: &str| {
        format!(
            "[time]\nfps = 60\nframes = 1\n[world]\ngravity = [0, 0, 0]\n[air]\ndensity = 0\n[contact]\non = false\n\
             [solver]\nmax_stretch = \"off\"\n[start]\nduration = 10\nsettled = 1e-3\ndamping = 5\n[[cloth]]\n\
             name = \"ball\"\ngenerate = {{ kind = \"sphere\", radius = 0.5, steps = 6 }}\n\
             elastic = {{ kind = \"continuum\", weft = 1000, warp = 1000, shear = 500 }}\n[[pressure]]\n\
             body = \"ball\"\n{pressure}\n"
        )
    };
    let grown = |pressure: &str| {
        let mut simulation = build(&dir, &text(pressure));
        let report = simulation.begin().unwrap();
        assert!(report.settled, "{report:?}");
        let all = simulation.positions(0);
        let middle = all.iter().map(|&p| glam::DVec3::from(p)).sum::<glam::DVec3>() / all.len() as f64;
        let radius = all.iter().map(|&p| middle.distance(p.into())).sum::<f64>() / all.len() as f64;
        radius / 0.5 - 1.0
    };
    // Poisson's ratio is 0.3 if nothing is said: pulled along both ways it gives less.
    let by = grown("pressure = 100");
    assert!((by - 0.025 * (1.0 - 0.3)).abs() < 0.0005, "{by}");
    let half = grown("pressure = 50");
    assert!((half - 0.5 * by).abs() < 0.0005, "{half}");
}

/// A sheet over a floor that it follows: a leash of 10 cm, and a backstop of 2 cm towards the floor.
#[test]
fn a_backstop_is_one_sided() {
    let dir = TempDir::new("backstop");
    let text = |gravity: f64| {
        format!(
            "[time]\nfps = 60\n[world]\ngravity = [0, {gravity}, 0]\n[contact]\non = false\n[air]\ndensity = 0\n\
             [[cloth]]\nname = \"sheet\"\nfabric = \"cotton\"\n\
             generate = {{ kind = \"sheet\", nx = 7, ny = 7, centre = [0, 0.2, 0] }}\n\
             [[pin]]\nbody = \"sheet\"\nselect = \"all\"\nfollow = \"floor\"\n\
             hold = {{ kind = \"within\", distance = 0.1, backstop = 0.02 }}\n[[collider]]\nname = \"floor\"\n\
             shape = {{ kind = \"mesh\", generate = {{ kind = \"sheet\", width = 8, height = 8, nx = 9, ny = 9 }} }}\n"
        )
    };
    let mut height = [0.0; 2];
    for (height, gravity) in height.iter_mut().zip([-9.81, 9.81]) {
        let mut simulation = build(&dir, &text(gravity));
        (0..60).for_each(|_| drop(simulation.advance()));
        *height = simulation.positions(0).iter().map(|p| p[1] - 0.2).sum::<f64>() / 49.0;
    }
    assert!((height[0] + 0.02).abs() < 0.003, "down to the backstop: {height:?}");
    assert!((0.08..0.104).contains(&height[1]), "up to the end of the leash: {height:?}");
    let said = refused(&dir, &text(0.0).replace("follow = \"floor\"\n", ""));
    assert!(said.contains("follows none"), "{said}");
}

/// The whole of a skirt, not only its waist, is where the body turned to.
#[test]
fn a_garment_starts_skinned_to_the_body() {
    let dir = TempDir::new("skin");
    fs::write(dir.0.join("figure.glb"), gltf::figure([90.0, 0.0, 0.0]).glb()).unwrap();
    let text = "[time]\nfps = 24\nframes = 4\n[world]\ngravity = [0, 0, 0]\n[contact]\non = false\n[[cloth]]\n\
                name = \"skirt\"\ngenerate = { kind = \"skirt\", top_radius = 0.125, bottom_radius = 0.125, \
                height = 0.1, around = 24, along = 2, centre = [0, 0.3, 0] }\n[[pin]]\nbody = \"skirt\"\nselect = \"waist\"\n\
                follow = \"man\"\n[[collider]]\nname = \"man\"\nshape = { kind = \"mesh\", mesh = \"figure.glb\", \
                start = -1 }\n[start]\nduration = 1\nfrom = \"FROM\"\n";
    let first = build(&dir, &text.replace("FROM", "first")).positions(0);
    let skinned = build(&dir, &text.replace("FROM", "skin")).positions(0);
    for (a, b) in first.iter().zip(&skinned) {
        // A quarter turn about y, and 0.1 m up, before anything was computed.
        let expected = [a[2], a[1] + 0.1, -a[0]];
        assert!((0..3).all(|k| (b[k] - expected[k]).abs() < 0.002), "{b:?}, not {expected:?}");
    }
}

/// A blanket on a board, thick on one side and thin on the other.
#[test]
fn painted_thickness_is_kept_where_it_was_painted() {
    let dir = TempDir::new("thickness");
    let (nx, ny) = (13, 7);
    let thin: String = (0..nx * ny).map(|v| if v % nx >= nx / 2 { "1\n" } else { "0\n" }).collect();
    fs::write(dir.0.join("thin.csv"), thin).unwrap();
    let text = format!(
        "[time]\nfps = 60\nframes = 1\n[start]\nduration = 6\nsettled = 0.002\ndamping = 5\n[contact]\n\
         thickness = 0.002\n\
         [[cloth]]\nname = \"blanket\"\ndensity = 0.3\n\
         elastic = {{ kind = \"continuum\", weft = 500, warp = 500, shear = 50 }}\n\
         thickness = 0.008\ngenerate = {{ kind = \"sheet\", width = 0.6, height = 0.3, nx = {nx}, ny = {ny}, \
         centre = [0, 0.012, 0] }}\nmaps = [{{ name = \"thin\", file = \"thin.csv\" }}]\n\
         vary = [{{ map = \"thin\", thickness = [2, 0.5], friction = [1, 0.5] }}]\n[[cloth]]\nname = \"board\"\n\
         generate = {{ kind = \"sheet\", width = 1, height = 1, nx = 11, ny = 11 }}\n[[pin]]\n\
         body = \"board\"\nselect = \"all\"\n"
    );
    let mut simulation = build(&dir, &text);
    simulation.begin();
    let all = simulation.positions(0);
    let height = |of: &dyn Fn(f64) -> bool| {
        let some: Vec<f64> = all.iter().filter(|p| of(p[0])).map(|p| p[1]).collect();
        some.iter().sum::<f64>() / some.len() as f64
    };
    let (thick, thin) = (height(&|x| x < -0.15), height(&|x| x > 0.15));
    // Half of 16 and of 2 mm; half of 4 and of 2 mm.
    assert!((thick - 0.009).abs() < 0.001 && (thin - 0.003).abs() < 0.001, "{thick}, {thin}");
    assert_eq!(simulation.intersections().count, 0);
}

/// Colliders come behind the bodies, where they are and as fast as they go.
#[test]
fn colliders_are_written_if_wanted() {
    let dir = TempDir::new("colliders");
    let text = "[time]\nfps = 24\n[[cloth]]\nname = \"sheet\"\ngenerate = { kind = \"sheet\", nx = 3, ny = 3 }\n\
                [[collider]]\nname = \"ball\"\nshape = { kind = \"sphere\", radius = 0.1 }\ntranslate = [0, 3, 0]\n\
                motion = { translate = { keys = [{ time = 0, value = [0, 0, 0] }, \
                { time = 2, value = [1, 0, 0] }] } }\n\
                [[collider]]\nshape = \"plane\"\ntranslate = [0, -3, 0]\n[output]\ncolliders = true\n";
    let mut simulation = build(&dir, text);
    let names: Vec<String> = simulation.setup().objects.into_iter().map(|object| object.name).collect();
    assert_eq!(names, ["sheet", "ball"], "a plane has no end");
    let mut frames = Vec::new();
    for _ in 0..25 {
        simulation.advance();
        frames.extend(simulation.collider_frames());
    }
    let [before, [positions, velocities], after] = &frames[22..25] else { panic!("one collider in each frame") };
    let middle = positions.iter().map(|p| p[0]).sum::<f64>() / positions.len() as f64;
    assert!((middle - 0.5).abs() < 1e-6, "{middle}");
    for (v, (a, b)) in velocities.iter().zip(before[0].iter().zip(&after[0])) {
        let mean = (b[0] - a[0]) * 24.0 / 2.0;
        assert!(mean > 0.4 && (v[0] - mean).abs() < 0.01 && v[1].abs() < 1e-9, "{v:?}, {mean}");
    }
    assert!(build(&dir, &text.replace("colliders = true", "")).collider_frames().is_empty());
}

/// A band that shrinks to four fifths along its weft within half a second, and a run of it that is taken up on the way.
#[test]
fn rest_lengths_change_over_time() {
    let dir = TempDir::new("rest-over-time");
    let text = "[time]\nfps = 24\nframes = 24\n[world]\ngravity = [0, 0, 0]\n[air]\ndensity = 0\n[contact]\non = false\n\
                [[cloth]]\nname = \"band\"\ngenerate = { kind = \"sheet\", nx = 9, ny = 3, width = 0.4, height = 0.1 }\n\
                fabric = \"cotton\"\nrest_stretch = { keys = [{ time = 0, value = [1, 1] }, { time = 0.5, value = [0.8, \
                1] }] }\n";
    let width = |simulation: &Simulation| {
        let all = simulation.positions(0);
        let along = |p: &[f64; 3]| p[0];
        let (low, high) = (all.iter().map(along).fold(1.0, f64::min), all.iter().map(along).fold(-1.0, f64::max));
        high - low
    };
    let mut simulation = build(&dir, text);
    (0..6).for_each(|_| drop(simulation.advance()));
    let mut again = build(&dir, text);
    again.restore(simulation.save()).unwrap();
    let on_the_way = width(&simulation);
    assert!((0.33..0.395).contains(&on_the_way), "{on_the_way}");
    (0..18).for_each(|_| drop((simulation.advance(), again.advance())));
    assert!((width(&simulation) - 0.32).abs() < 0.004, "{}", width(&simulation));
    assert_eq!(simulation.state_hash(), again.state_hash(), "as if nothing had come between");
    assert_eq!(simulation.warnings(), Vec::<String>::new());
}
