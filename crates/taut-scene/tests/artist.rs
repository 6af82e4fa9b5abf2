//! What an artist gets wrong, and what is then to be read: `tests/artist/NAME.txt`. Run with `TAUT_BLESS=1` to write
//! the texts anew, and then read them: they are for people.

mod common;

use common::{TempDir, gltf};
use serde_json::json;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use taut_scene::scene::Scene;
use taut_scene::simulation::Simulation;

/// A skirt of quads around the y axis, from y = 0.35 m down, as OBJ: 24 columns and 6 rows. `at` places a point; with
/// a `seam` the last column does not share the vertices of the first.
fn skirt(at: impl Fn([f64; 3]) -> [f64; 3], seam: bool) -> String {
    let (around, rows) = (24, 6);
    let columns = if seam { around + 1 } else { around };
    let (mut points, mut flat, mut faces) = (String::new(), String::new(), String::new());
    for row in 0..=rows {
        for k in 0..=around {
            // The last column of an open seam is where the first is.
            let angle = f64::from(k % around) / f64::from(around) * std::f64::consts::TAU;
            let radius = 0.13 + 0.01 * f64::from(row);
            let [x, y, z] = at([radius * angle.cos(), 0.35 - 0.04 * f64::from(row), radius * angle.sin()]);
            if k < columns {
                writeln!(points, "v {x:.6} {y:.6} {z:.6}").unwrap();
            }
            writeln!(flat, "vt {:.4} {:.4}", 0.04 * f64::from(k), 0.04 * f64::from(rows - row)).unwrap();
        }
    }
    for row in 0..rows {
        for k in 0..around {
            let corner =
                |(row, k): (i32, i32)| format!("{}/{}", row * columns + k % columns + 1, row * (around + 1) + k + 1);
            let [a, b, c, d] = [(row, k), (row, k + 1), (row + 1, k + 1), (row + 1, k)].map(corner);
            writeln!(faces, "f {a} {b} {c} {d}").unwrap();
        }
    }
    format!("o Skirt\n{points}{flat}{faces}")
}

/// The same with vertices of its own for each face.
fn soup() -> String {
    let text = skirt(|p| p, false);
    let points: Vec<&str> = text.lines().filter(|line| line.starts_with("v ")).collect();
    let flat: String = text.lines().filter(|line| line.starts_with("vt ")).map(|line| format!("{line}\n")).collect();
    let (mut out, mut faces, mut count) = (String::new(), String::new(), 0);
    for face in text.lines().filter_map(|line| line.strip_prefix("f ")) {
        faces.push('f');
        for corner in face.split(' ') {
            let (vertex, uv) = corner.split_once('/').unwrap();
            writeln!(out, "{}", points[vertex.parse::<usize>().unwrap() - 1]).unwrap();
            count += 1;
            write!(faces, " {count}/{uv}").unwrap();
        }
        faces.push('\n');
    }
    out + &flat + &faces
}

/// A scene with the skirt held at its waist.
const PIN: &str = "[[pin]]\nbody = \"skirt\"\nselect = { box = { min = [-1, 0.34, -1], max = [1, 0.36, 1] } }\n";
const FIGURE: &str =
    "[[collider]]\nname = \"figure\"\nshape = { kind = \"mesh\", mesh = \"figure.glb\", without = [\"arm\"] }\n";

fn scene(cloth: &str, more: &str) -> String {
    format!("[time]\nfps = 24\nframes = 24\n[[cloth]]\nname = \"skirt\"\nmesh = \"skirt.obj\"\n{cloth}{more}")
}

/// What is read of a scene with these files beside it.
fn said(name: &str, files: &[(&str, Vec<u8>)], text: &str) -> String {
    let dir = TempDir::new(&format!("artist-{name}"));
    files.iter().for_each(|(name, bytes)| fs::write(dir.0.join(name), bytes).unwrap());
    let built = Scene::parse("scene.toml", text, Some(&dir.0), &[])
        .and_then(|scene| Simulation::new(&scene, scene.precision(), 1));
    match built {
        Err(error) => format!("{error}\n"),
        Ok(mut simulation) => {
            simulation.intersections();
            let warnings = simulation.warnings();
            let lines: String = warnings.iter().map(|warning| format!("warning: {warning}\n")).collect();
            if lines.is_empty() { "nothing is wrong with it\n".into() } else { lines }
        }
    }
}

#[track_caller]
fn check(name: &str, files: &[(&str, Vec<u8>)], text: &str) {
    let found = said(name, files, text);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/artist").join(name).with_extension("txt");
    if std::env::var_os("TAUT_BLESS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, &found).unwrap();
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(found, expected, "\n{name} gives\n\n{found}\ninstead of\n\n{expected}");
}

/// The skirt as it should be.
fn good() -> (&'static str, Vec<u8>) {
    ("skirt.obj", skirt(|p| p, false).into_bytes())
}

fn figure(change: impl FnOnce(&mut gltf::Maker)) -> (&'static str, Vec<u8>) {
    let mut maker = gltf::figure([10.0, 0.0, 0.0]);
    change(&mut maker);
    ("figure.glb", maker.glb())
}

#[test]
fn a_skirt_as_it_should_be() {
    let followed = format!("{PIN}follow = \"figure\"\n{FIGURE}");
    check("good", &[good(), figure(|_| ())], &scene("", &followed));
}

#[test]
fn centimetres_and_z_up() {
    let large = skirt(|p| p.map(|x| 100.0 * x + 30.0), false).into_bytes();
    check("centimetres", &[("skirt.obj", large)], &scene("", ""));
    let tall = skirt(|[x, y, z]| [0.2 * x, -0.2 * z, 3.0 * (y - 0.11)], false).into_bytes();
    check("z_up", &[("skirt.obj", tall)], &scene("", ""));
}

#[test]
fn seams_that_are_open_and_faces_that_stand_alone() {
    let open = skirt(|p| p, true).into_bytes();
    check("open_seam", &[("skirt.obj", open.clone())], &scene("", PIN));
    check("open_seam_welded", &[("skirt.obj", open.clone())], &scene("weld = 0\n", PIN));
    check("open_seam_kept", &[("skirt.obj", open)], &scene("weld = \"off\"\n", PIN));
    check("soup", &[("skirt.obj", soup().into_bytes())], &scene("", PIN));
    check("soup_kept", &[("skirt.obj", soup().into_bytes())], &scene("weld = \"off\"\n", PIN));
}

#[test]
fn bodies_where_they_should_not_be() {
    let inside = skirt(|[x, y, z]| [x - 0.1, y, z], false).into_bytes();
    check("inside", &[("skirt.obj", inside), figure(|_| ())], &scene("", &format!("{PIN}{FIGURE}")));
    let away = format!("{PIN}follow = \"figure\"\n{FIGURE}translate = [1.2, 0, 0]\n");
    check("away", &[good(), figure(|_| ())], &scene("", &away));
}

#[test]
fn animations_that_are_two_and_armatures_that_are_scaled() {
    let two = figure(|maker| {
        let mut again = maker.root["animations"][0].clone();
        again["name"] = json!("stand");
        maker.root["animations"].as_array_mut().unwrap().push(again);
    });
    check("two_animations", &[good(), two], &scene("", &format!("{PIN}follow = \"figure\"\n{FIGURE}")));
    // Modelled in centimetres, under an armature that is not scaled back.
    let scaled = figure(|maker| {
        let nodes = maker.root["nodes"].as_array_mut().unwrap();
        nodes.push(json!({"name": "Armature", "scale": [100, 100, 100], "children": [1]}));
    });
    check("scaled_armature", &[good(), scaled], &scene("", &format!("{PIN}follow = \"figure\"\n{FIGURE}")));
}

#[test]
fn maps_that_are_empty_or_broken_or_of_another_mesh() {
    let list = |value: fn(usize) -> f64, count: usize| -> Vec<u8> {
        (0..count).map(|k| format!("{}\n", value(k))).collect::<String>().into_bytes()
    };
    let maps = "maps = [{ name = \"pin\", file = \"pin.csv\" }]\n";
    let pin = "[[pin]]\nbody = \"skirt\"\nselect = { map = \"pin\" }\n";
    check("empty_map", &[good(), ("pin.csv", list(|_| 0.0, 168))], &scene(maps, pin));
    let broken = list(|k| if k == 17 { f64::NAN } else { 1.0 }, 168);
    check("nan_in_map", &[good(), ("pin.csv", broken)], &scene(maps, pin));
    check("map_of_another_mesh", &[good(), ("pin.csv", list(|_| 1.0, 100))], &scene(maps, pin));
    let group = skirt(|p| p, false).replace("o Skirt\n", "o Skirt\ng waist\ng hem\n").into_bytes();
    let named = "[[pin]]\nbody = \"skirt\"\nselect = \"waist\"\n";
    check("empty_group", &[("skirt.obj", group)], &scene("", named));
}

#[test]
fn a_cut_in_the_animation() {
    let cut = figure(|maker| {
        // Two metres to the side within a frame.
        let times = maker.floats("SCALAR", &[0.0, 0.5, 0.54, 1.0]);
        let places = maker.floats("VEC3", &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
        maker.root["animations"][0]["samplers"][3] = json!({"input": times, "output": places});
    });
    check("jump_cut", &[good(), cut], &scene("", &format!("{PIN}follow = \"figure\"\n{FIGURE}")));
}
