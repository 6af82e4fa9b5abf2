//! What looks like a mistake is said, and what is fine is not.

mod common;

use common::TempDir;
use serde_json::{Value as Json, json};
use taut_scene::read::animated::read_animated_bytes;
use taut_scene::read::{Options, Source};
use taut_scene::scene::settings::Precision;
use taut_scene::scene::{Scene, schema};
use taut_scene::simulation::Simulation;

const SHEET: &str =
    "[solver]\nkind = \"pbd\"\n[[cloth]]\nname = \"sheet\"\ngenerate = { kind = \"sheet\", nx = 6, ny = 6 }\n";

/// A sheet as an OBJ file, with x, y and z made of two numbers from 0 to 1.
fn obj(at: impl Fn(f64, f64) -> [f64; 3]) -> String {
    let vertex = |i: usize| {
        let (u, v) = ((i % 3) as f64 / 2.0, (i / 3) as f64 / 2.0);
        let [x, y, z] = at(u, v);
        format!("v {x} {y} {z}\nvt {u} {v}\n")
    };
    let faces = "f 1/1 2/2 5/5 4/4\nf 2/2 3/3 6/6 5/5\nf 4/4 5/5 8/8 7/7\nf 5/5 6/6 9/9 8/8\n";
    (0..9).map(vertex).collect::<String>() + faces
}

fn warnings_in(dir: &TempDir, text: &str, precision: Precision) -> Vec<String> {
    let scene = Scene::parse("a.toml", text, Some(&dir.0), &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scene, precision, 1).unwrap_or_else(|error| panic!("{error}")).warnings()
}

fn warnings(text: &str, precision: Precision) -> Vec<String> {
    warnings_in(&TempDir(std::path::PathBuf::from("/nonexistent/taut")), text, precision)
}

/// Exactly one warning, with these words in it.
#[track_caller]
fn one(said: &[String], words: &[&str]) {
    assert!(said.len() == 1 && words.iter().all(|word| said[0].contains(word)), "{said:#?}");
}

const NOTHING: [&str; 0] = [];

#[test]
fn files_in_centimetres_and_files_with_z_up_are_named() {
    let dir = TempDir::new("doubts-units");
    let write = |name: &str, text: String| std::fs::write(dir.0.join(name), text).unwrap();
    write("m.obj", obj(|u, v| [u, v, 0.1 * u * v]));
    write("cm.obj", obj(|u, v| [70.0 * u, 100.0 * v, 0.0]));
    write("up.obj", obj(|u, v| [0.4 * u - 0.2, 0.1 * (u - 0.5), 1.7 * v]));
    let cloth = |file: &str, more: &str| format!("[[cloth]]\nname = \"shirt\"\nmesh = \"{file}\"\n{more}");
    let said = |text: &str| warnings_in(&dir, text, Precision::F32);
    assert_eq!(said(&cloth("m.obj", "")), NOTHING);
    one(&said(&cloth("cm.obj", "")), &["\"shirt\"", "probably centimetres", "`unit = \"cm\"`"]);
    assert_eq!(said(&cloth("cm.obj", "unit = \"cm\"\n")), NOTHING);
    assert_eq!(said(&cloth("cm.obj", "scale = 0.01\n")), NOTHING);
    one(&said(&cloth("up.obj", "")), &["\"shirt\" stands on z = 0", "`up = \"z\"`"]);
    assert_eq!(said(&cloth("up.obj", "up = \"z\"\n")), NOTHING);
    assert_eq!(said(&cloth("up.obj", "rotate = [-90, 0, 0]\n")), NOTHING);
    let figure = format!("{SHEET}[[collider]]\nname = \"figure\"\nshape = {{ kind = \"mesh\", mesh = \"up.obj\" }}\n");
    one(&said(&figure.replace("name = \"sheet\"", "translate = [0, 5, 0]")), &["collider \"figure\" stands on z = 0"]);
}

#[test]
fn a_scene_far_from_the_origin_is_named_in_32_bits() {
    let far = format!("{SHEET}translate = [50000, 0, 0]\n");
    one(&warnings(&far, Precision::F32), &["\"sheet\" is 50000.50 m from the origin", "mm apart", "compute in f64"]);
    assert_eq!(warnings(&far, Precision::F64), NOTHING);
    assert_eq!(warnings(&format!("{SHEET}translate = [50, 0, 0]\n"), Precision::F32), NOTHING);
}

#[test]
fn elements_finer_than_the_thickness_are_named() {
    let fine = format!("{SHEET}thickness = 0.3\n");
    one(&warnings(&fine, Precision::F32), &["\"sheet\"", "shorter than the 300.00 mm that surfaces keep apart"]);
    assert_eq!(warnings(&format!("{SHEET}thickness = 0.01\n"), Precision::F32), NOTHING);
    assert_eq!(warnings(&format!("{fine}[contact]\non = false\n"), Precision::F32), NOTHING);
}

#[test]
fn pins_that_never_hold_or_are_far_from_what_they_follow_are_named() {
    let pin = |more: &str| format!("{SHEET}[[pin]]\nbody = \"sheet\"\nselect = \"left\"\n{more}");
    let said = |more: &str| warnings(&pin(more), Precision::F32);
    one(&said("from = 2.0\nuntil = 1.0\n"), &["`pin.0` never holds", "`until` is 1 s, not after `from`, which is 2 s"]);
    one(&said("from = 9.0\n"), &["`pin.0` never holds", "the scene ends after 4.00 s"]);
    assert_eq!(said("from = 1.0\nuntil = 2.0\n"), NOTHING);
    let ball = |x: f64, more: &str| {
        let shape = "shape = { kind = \"sphere\", radius = 0.1 }";
        format!("follow = \"hand\"\n[[collider]]\nname = \"hand\"\n{shape}\ntranslate = [{x}, 0, 0]\n{more}")
    };
    one(&said(&ball(-3.0, "")), &["`pin.0.follow`: collider \"hand\" is 2.40 m away"]);
    assert_eq!(said(&ball(-0.65, "")), NOTHING);
    assert_eq!(said(&ball(-3.0, "visible = false\n")), NOTHING, "what nobody sees is there to be followed");
}

#[test]
fn a_point_far_from_the_vertex_that_is_nearest_to_it_is_named() {
    let pin = |x: f64| format!("{SHEET}[[pin]]\nbody = \"sheet\"\nselect = {{ nearest = [[0, 0, 0], [{x}, 0, 0]] }}\n");
    let words = ["`pin.0.select.nearest`", "49.50 m away from \"sheet\""];
    one(&warnings(&pin(50.0), Precision::F64), &words);
    assert_eq!(warnings(&pin(1.0), Precision::F64), NOTHING, "on the side of a corner");
}

#[test]
fn sizes_that_were_hardly_meant_as_metres_are_named_in_scenes_too() {
    let sized = |width: &str| SHEET.replace("nx = 6", &format!("width = {width}, nx = 6"));
    one(&warnings(&sized("150"), Precision::F64), &["\"sheet\" is 150.00 m across", "metres"]);
    assert_eq!(warnings(&sized("15"), Precision::F64), NOTHING, "a marquee");
    assert_eq!(warnings(&sized("0.005"), Precision::F64), NOTHING, "who writes it means it");
}

#[test]
fn a_collider_with_the_name_of_a_body_is_named() {
    let collider = |name: &str| format!("{SHEET}[[collider]]\nname = \"{name}\"\nshape = \"plane\"\n");
    one(&warnings(&collider("sheet"), Precision::F64), &["collider \"sheet\"", "name of a body"]);
    assert_eq!(warnings(&collider("floor"), Precision::F64), NOTHING);
}

#[test]
fn two_colliders_of_one_name_are_refused() {
    let collider = "[[collider]]\nname = \"floor\"\nshape = \"plane\"\n";
    let error = Scene::parse("a.toml", &format!("{SHEET}{collider}{collider}"), None, &[]).unwrap_err().to_string();
    assert!(error.contains("there are two colliders called `floor`; expected a name for each"), "{error}");
}

/// How many keys a schema offers, and those of them that are unknown to the program. `within` puts a table into those
/// that it belongs into.
fn offered(schema: &Json, within: &dyn Fn(String) -> String, refused: &mut Vec<String>) -> usize {
    if !schema.is_object() {
        return 0;
    }
    let mut count = 0;
    let kind = schema["properties"]["kind"]["const"].as_str().map(|kind| format!("kind = {kind:?}, "));
    let kind = kind.unwrap_or_default();
    for (key, property) in schema["properties"].as_object().into_iter().flatten().filter(|(key, _)| *key != "kind") {
        let here = |value: String| within(format!("{{ {kind}{key} = {value} }}"));
        let text = here("false".into());
        let said = Scene::parse("a.toml", &text, None, &[]).map(|_| String::new()).unwrap_or_else(|e| e.to_string());
        if said.contains("unknown key") {
            refused.push(text);
        }
        count += 1 + offered(property, &here, refused);
    }
    count += offered(&schema["items"], &|table| within(format!("[{table}]")), refused);
    ["anyOf", "oneOf"].into_iter().fold(count, |count, of| {
        let all = schema[of].as_array().into_iter().flatten();
        count + all.map(|one| offered(one, within, refused)).sum::<usize>()
    })
}

#[test]
fn the_schema_offers_nothing_that_is_refused() {
    // The outermost table is the file.
    let file = |table: String| table[1..table.len() - 1].trim().to_owned();
    let (mut schema, mut refused) = (schema(), Vec::new());
    let count = offered(&schema, &file, &mut refused);
    assert!(count > 400 && refused.is_empty(), "{count} keys, of which are unknown: {refused:#?}");
    schema["properties"]["collider"]["items"]["properties"]["motion"]["properties"]["scale"] = json!({});
    offered(&schema, &file, &mut refused);
    assert_eq!(refused, ["collider = [{ motion = { scale = false } }]"], "one that is wrong is found");
}

#[test]
fn of_several_animations_the_one_that_plays_is_named() {
    let mut maker = common::gltf::skinned();
    let wave = maker.root["animations"][0].clone();
    let mut walk = wave.clone();
    walk["name"] = json!("walk");
    maker.set("animations", json!([wave, walk]));
    let glb = maker.glb();
    let read =
        |options: &Options| read_animated_bytes(&Source::new("a.glb", &glb), None, 24.0, options).unwrap().warnings;
    one(&read(&Options::default()), &["of 2 animations \"wave\" plays; `animation` names one", "\"wave\", \"walk\""]);
    assert_eq!(read(&Options { animation: Some("walk".into()), ..Options::default() }), NOTHING);
    let still = common::read("a.glb", &glb).unwrap().warnings;
    one(&still, &["taken as it stands: 2 animations play for colliders alone"]);
}

/// A root that moves beside a skeleton is an animation of its own, and plays with it.
#[test]
fn animations_that_move_different_things_play_together() {
    let mut maker = common::gltf::skinned();
    let times = maker.floats("SCALAR", &[0.0, 2.0]);
    let away = maker.floats("VEC3", &[0., 0., 0., 0., 0., 6.]);
    let wave = maker.root["animations"][0].clone();
    let root = json!({"name": "root", "samplers": [{"input": times, "output": away}],
        "channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}]});
    maker.set("animations", json!([wave, root]));
    let glb = maker.glb();
    let at = |name: Option<&str>, time: f64| {
        let options = Options { animation: name.map(str::to_owned), ..Options::default() };
        let moving = read_animated_bytes(&Source::new("a.glb", &glb), None, 24.0, &options).unwrap();
        let mut positions = Vec::new();
        moving.positions_at(time, &mut positions);
        (moving.warnings, moving.duration, positions)
    };
    let (warnings, duration, both) = at(None, 1.0);
    one(&warnings, &["of 2 animations \"wave\", \"root\" play together"]);
    let (wave, root) = (at(Some("wave"), 1.0), at(Some("root"), 1.0));
    assert_eq!((duration, wave.1, root.1), (2.0, 1.0, 2.0));
    for (both, wave) in both.iter().zip(&wave.2) {
        assert!((0..3).all(|k| (both[k] - wave[k] - [0.0, 0.0, 3.0][k]).abs() < 1e-6), "{both:?} {wave:?}");
    }
    let clips = common::read("a.glb", &glb).unwrap().clips;
    let told: Vec<(Option<&str>, f64, bool)> = clips.iter().map(|c| (c.name.as_deref(), c.seconds, c.plays)).collect();
    assert_eq!(told, [(Some("wave"), 1.0, true), (Some("root"), 2.0, true)]);
}

#[test]
fn what_a_file_has_for_nothing_is_named() {
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
               element face 1\nproperty list uchar int vertex_indices\nproperty float quality\nend_header\n\
               0 0 0\n1 0 0\n0 1 0\n3 0 1 2 0.5\n";
    one(&common::read("a.ply", ply.as_bytes()).unwrap().warnings, &["\"quality\" is ignored"]);
    let mut maker = common::gltf::square();
    let uv = maker.root["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"].clone();
    maker.root["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_1"] = uv;
    one(&common::read("a.glb", &maker.glb()).unwrap().warnings, &["\"TEXCOORD_1\" is ignored"]);
    let vtk = common::read("a.vtk", common::VTK_TEXT.as_bytes()).unwrap().warnings;
    assert!(vtk.iter().any(|said| said.contains("\"POINT_DATA\" is ignored")), "{vtk:?}");
    let msh = format!("{}$NodeData\n1\n$EndNodeData\n", common::MSH2_TEXT);
    let msh = common::read("a.msh", msh.as_bytes()).unwrap().warnings;
    assert!(msh.iter().any(|said| said.contains("\"NodeData\" is ignored")), "{msh:?}");
    let lines = format!("{}\nl 1 2\np 1\n", common::OBJ.replace(" 0.5 0.5 0.5", ""));
    one(&common::read("a.obj", lines.as_bytes()).unwrap().warnings, &["2 lines, points and curves are ignored"]);
}
