//! glTF: exact values out of small files, exact messages out of bad ones, and no panic whatever the bytes.

mod common;

use std::collections::HashMap;

use common::gltf::{Maker, skinned, square};
use common::*;
use serde_json::json;
use taut_scene::read::animated::read_animated_bytes;
use taut_scene::read::{MeshFile, Options, Pick, ReadError, Source, read_bytes};

/// The message for a square that someone has changed.
fn square_error(change: impl FnOnce(&mut Maker)) -> String {
    let mut maker = square();
    change(&mut maker);
    error("a.glb", maker.glb())
}

fn skinned_error(change: impl FnOnce(&mut Maker)) -> String {
    let mut maker = skinned();
    change(&mut maker);
    error("a.glb", maker.glb())
}

fn check_square(file: MeshFile) {
    assert_sound(&file);
    let mesh = file.surface.unwrap();
    assert_eq!(mesh.positions, [[0., 0., 10.], [-2., 0., 10.], [0., 2., 10.], [-2., 2., 10.]]);
    assert_eq!(mesh.triangles, [[0, 2, 1], [1, 2, 3]]);
    assert_eq!(mesh.uvs, [[0., 0.], [1., 0.], [0., 1.], [2., 0.], [2., 1.], [1., 1.]]);
    assert_eq!(mesh.uv_triangles, [[0, 2, 1], [3, 5, 4]]);
    assert_eq!(mesh.group("sheet").unwrap(), [0, 1, 2, 3]);
}

#[test]
fn gltf_gives_exact_values_from_any_container() {
    check_square(read("a.glb", &square().glb()).unwrap());
    check_square(read("a.gltf", &square().embedded()).unwrap());
    let (json, buffer) = square().external();
    let files = files(HashMap::from([("my data.bin".to_owned(), buffer)]));
    check_square(read_bytes(&Source::with_files("a.gltf", &json, &files), &Options::default()).unwrap());
    assert_eq!(error("a.gltf", &json), "my data.bin: cannot be read: no other files are at hand");
}

#[test]
fn gltf_picks_meshes_by_name() {
    let glb = square().glb();
    let pick = |name: &str| {
        let options = Options { pick: Pick::Named(name.into()), ..Options::default() };
        read_bytes(&Source::new("a.glb", &glb), &options)
    };
    assert!(pick("quad").is_ok() && pick("sheet").is_ok());
    assert_eq!(pick("quda").unwrap_err().to_string(), "a.glb: there is no mesh \"quda\"; the file has \"quad\"");
    let first = Options { pick: Pick::First, ..Options::default() };
    check_square(read_bytes(&Source::new("a.glb", &glb), &first).unwrap());
}

#[test]
fn gltf_strips_and_fans_become_triangles() {
    let triangles = |mode: u32| {
        let mut m = Maker::new();
        let position = m.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0., 1., 1., 0.]);
        m.set("meshes", json!([{"primitives": [{"attributes": {"POSITION": position}, "mode": mode}]}]));
        read("a.glb", &m.glb()).map(|file| file.surface.unwrap().triangles)
    };
    assert_eq!(triangles(5).unwrap(), [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(triangles(6).unwrap(), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(triangles(1).unwrap_err().to_string(), "a.glb: the scene holds no triangles");
}

#[test]
fn skins_morphs_and_tracks_move_vertices() {
    let glb = skinned().glb();
    let animated = read_animated_bytes(&Source::new("a.glb", &glb), None, 24.0, &Options::default()).unwrap();
    assert_eq!(animated.duration, 1.0);
    assert_eq!(animated.mesh.positions, [[0., 0., 0.], [1., 0., 0.], [2., 0., 0.25]]);
    let near = |seconds: f64, expected: [[f64; 3]; 3]| {
        let mut out = Vec::new();
        animated.positions_at(seconds, &mut out);
        let off = out.iter().flatten().zip(expected.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-6, "at {seconds} s: {out:?}");
    };
    let h = 0.5_f64.sqrt();
    near(0.0, [[0., 0., 0.], [1., 0., 0.], [2., 0., 0.]]);
    near(-7.0, [[0., 0., 0.], [1., 0., 0.], [2., 0., 0.]]);
    near(0.5, [[0., 0., 0.], [1., 0., 0.], [(3.0 + h) / 2.0, h / 2.0, 1.]]);
    near(1.0, [[0., 0., 0.], [1., 3., 0.], [1.5, 2., 1.]]);
    near(f64::INFINITY, [[0., 0., 0.], [1., 3., 0.], [1.5, 2., 1.]]);
    near(f64::NAN, [[0., 0., 0.], [1., 0., 0.], [2., 0., 0.]]);
    let unknown = Options { animation: Some("walk".into()), ..Options::default() };
    let message = read_animated_bytes(&Source::new("a.glb", &glb), None, 24.0, &unknown).unwrap_err().to_string();
    assert_eq!(message, "a.glb: there is no animation \"walk\"; the file has \"wave\"");
}

#[test]
fn gltf_errors_name_the_place() {
    let message = square_error(|m| m.root["accessors"][0]["count"] = json!(4_000_000_000_u64));
    assert_eq!(message, "a.glb: accessors[0]: 4000000000 elements do not fit into bufferViews[0], which has 72 bytes");
    let message = square_error(|m| m.root["accessors"][0]["count"] = json!(u64::MAX));
    assert_eq!(
        message,
        "a.glb: accessors[0]: 18446744073709551615 elements do not fit into bufferViews[0], which has 72 bytes"
    );
    let message = square_error(|m| m.root["accessors"][0]["byteOffset"] = json!(u64::MAX));
    assert_eq!(message, "a.glb: accessors[0]: 6 elements do not fit into bufferViews[0], which has 72 bytes");
    let message = square_error(|m| m.root["bufferViews"][0]["byteOffset"] = json!(100));
    assert_eq!(message, "a.glb: accessors[0]: bufferViews[0] is 72 bytes from byte 100, but its buffer has 132");
    let message = square_error(|m| m.root["bufferViews"][0]["byteStride"] = json!(4));
    assert_eq!(message, "a.glb: accessors[0]: the stride of bufferViews[0] is 4, less than an element's 12 bytes");
    let message = square_error(|m| m.root["accessors"][0]["type"] = json!("VEC4"));
    assert_eq!(message, "a.glb: accessors[0]: the type is \"VEC4\", expected VEC3");
    let message = square_error(|m| m.root["accessors"][2]["componentType"] = json!(5126));
    assert_eq!(message, "a.glb: accessors[2]: 6 elements do not fit into bufferViews[2], which has 12 bytes");
    let message = square_error(|m| m.buffer[120] = 6);
    assert_eq!(message, "a.glb: meshes[0].primitives[0]: a triangle refers to vertex 6, but there are 6 vertices");
    let message = square_error(|m| m.buffer[..4].copy_from_slice(&f32::NAN.to_le_bytes()));
    assert_eq!(message, "a.glb: accessors[0]: element 0 is not a finite float or a small integer");
    let message = square_error(|m| m.root["nodes"][1]["children"] = json!([0]));
    assert_eq!(message, "a.glb: nodes[0]: is among its own ancestors");
    let message = square_error(|m| m.root["nodes"][0]["children"] = json!([1, 1]));
    assert_eq!(message, "a.glb: nodes[0]: its child nodes[1] is also a child of nodes[0]");
    let message = square_error(|m| m.root["nodes"][0]["children"] = json!([9]));
    assert_eq!(message, "a.glb: nodes[0]: its child is nodes[9], but the file has 2 nodes");
    let message = square_error(|m| m.root["nodes"][1]["mesh"] = json!(3));
    assert_eq!(message, "a.glb: nodes[1]: its mesh is meshes[3], but the file has 1 meshes");
    let message = square_error(|m| m.root["asset"]["version"] = json!("1.0"));
    assert_eq!(message, "a.glb: asset: the version is \"1.0\", expected \"2.0\"");
    let message = square_error(|m| m.set("extensionsRequired", json!(["KHR_draco_mesh_compression"])));
    assert_eq!(
        message,
        "a.glb: extensionsRequired: KHR_draco_mesh_compression is not supported; export the file without compression"
    );
    let message = square_error(|m| m.root["nodes"][0]["scale"] = json!([1e308, 1e308, 1e308]));
    assert_eq!(message, "a.glb: its nodes place vertex 0 at infinity");
}

#[test]
fn gltf_skin_errors_name_the_place() {
    let message = skinned_error(|m| m.root["skins"][0]["joints"] = json!([1]));
    assert_eq!(message, "a.glb: meshes[0]: a vertex hangs on joint 1, but the skin has 1 joints");
    let message = skinned_error(|m| m.root["skins"][0]["joints"] = json!([1, 77]));
    assert_eq!(message, "a.glb: skins[0]: a joint is nodes[77], but the file has 3 nodes");
    let message = skinned_error(|m| m.root["skins"][0]["joints"] = json!([1, 2, 0]));
    assert_eq!(message, "a.glb: skins[0]: has 3 joints, but 2 inverse bind matrices");
    let message = skinned_error(|m| m.root["accessors"][3]["sparse"]["count"] = json!(1_000_000_000));
    assert!(message.starts_with("a.glb: "), "{message}");
    let message = skinned_error(|m| m.root["accessors"][3]["count"] = json!(1_000_000_000));
    assert_eq!(message, "a.glb: accessors[3]: the accessor claims 1000000000 elements, but all buffers hold 340 bytes");
    let message = skinned_error(|m| m.root["animations"][0]["channels"][0]["target"]["node"] = json!(5));
    assert_eq!(message, "a.glb: animations[0].channels[0]: moves nodes[5], but the file has 3");
    let message = skinned_error(|m| m.root["animations"][0]["samplers"][2]["interpolation"] = json!("STEP"));
    assert_eq!(message, "a.glb: animations[0].channels[2]: has 2 keys and 6 numbers, expected 1 for each key");
}

#[test]
fn gltf_json_errors_name_the_place() {
    let (json, _) = square().external();
    let text = String::from_utf8(json).unwrap().replace("\"count\": 6", "\"count\": -6");
    let message = error("a.gltf", text);
    assert!(
        message.starts_with("a.gltf:") && message.contains("invalid value: integer `-6`, expected usize"),
        "{message}"
    );
    let deep = format!("{{\"asset\": {{\"version\": \"2.0\"}}, \"extras\": {}", "[".repeat(1_000_000));
    assert_eq!(error("a.gltf", deep), "a.gltf:1: EOF while parsing a list");
    let mut glb = square().glb();
    glb.truncate(100);
    let message = error("a.glb", &glb);
    assert!(
        message.starts_with("a.glb: byte 12: the file claims ") && message.ends_with(" bytes, but has 100"),
        "{message}"
    );
}

#[test]
fn gltf_instances_cannot_explode() {
    let mut m = Maker::new();
    let position = m.floats("VEC3", &vec![0.5; 30_000]);
    m.set("meshes", json!([{"primitives": [{"attributes": {"POSITION": position}, "mode": 6}]}]));
    m.set("nodes", json!(vec![json!({"mesh": 0}); 20_000]));
    let said = error("a.glb", m.glb());
    assert!(said.starts_with("a.glb: reading it takes more than ") && said.ends_with("--memory allows more"), "{said}");
}

#[test]
fn gltf_deep_chains_are_walked() {
    let mut m = square();
    let n = 50_000;
    let mut nodes: Vec<_> = (0..n).map(|i| json!({"children": [i + 1]})).collect();
    nodes.push(json!({"mesh": 0}));
    m.set("nodes", json!(nodes));
    assert_sound(&read("a.glb", &m.glb()).unwrap());
}

fn read_moving(bytes: &[u8]) -> Result<MeshFile, ReadError> {
    let animated = read_animated_bytes(&Source::new("a.glb", bytes), None, 24.0, &Options::default())?;
    let mut out = Vec::new();
    for seconds in [0.0, 0.3, 1.0, 1e30] {
        animated.positions_at(seconds, &mut out);
        assert_eq!(out.len(), animated.mesh.positions.len());
        assert!(out.iter().flatten().all(|x| x.is_finite()));
    }
    read("a.glb", bytes)
}

#[test]
fn truncated_files_never_panic() {
    truncate_everywhere(true, &square().glb(), |b| read("a.glb", b));
    truncate_everywhere(true, &square().embedded(), |b| read("a.gltf", b));
    truncate_everywhere(true, &skinned().glb(), read_moving);
}

#[test]
fn corrupt_files_never_panic() {
    corrupt_everywhere(&square().glb(), |b| read("a.glb", b));
    corrupt_everywhere(&skinned().glb(), read_moving);
}
