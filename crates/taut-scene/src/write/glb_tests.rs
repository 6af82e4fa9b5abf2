//! Reads GLB files back, by the book, and compares.

use serde_json::Value;

use super::glb::{MAX_BYTES, MAX_FRAMES};
use super::testing::{Fixture, TempDir};
use super::{Clip, UpAxis, WriteError, format, vertex_normals};

/// The two chunks of a GLB.
struct Parsed {
    json: Value,
    binary: Vec<u8>,
}

fn written(fixture: &Fixture, frames: usize) -> Parsed {
    let dir = TempDir::new("glb");
    let paths = fixture.write("glb", dir.path(), 0..frames).unwrap();
    assert_eq!(dir.names(), ["scene.glb"]);
    let bytes = std::fs::read(&paths[0]).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (b"glTF".as_slice(), 2, bytes.len()));
    let json_len = word(12);
    assert_eq!((&bytes[16..20], json_len % 4), (b"JSON".as_slice(), 0));
    let binary_at = 20 + json_len;
    assert_eq!((&bytes[binary_at + 4..binary_at + 8], word(binary_at) % 4), (b"BIN\0".as_slice(), 0));
    let binary = bytes[binary_at + 8..].to_vec();
    assert_eq!(word(binary_at), binary.len());
    let json: Value = serde_json::from_slice(&bytes[20..binary_at]).unwrap();
    assert_eq!(json["buffers"][0]["byteLength"], binary.len());
    Parsed { json, binary }
}

impl Parsed {
    /// The components of an accessor, with everything the specification asks of it checked.
    fn words(&self, accessor: &Value) -> Vec<u32> {
        let accessor = &self.json["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let number = |of: &Value, key: &str| of[key].as_u64().unwrap() as usize;
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            other => panic!("{other}"),
        };
        assert!(view.get("byteStride").is_none_or(|stride| stride == width * 4));
        let len = number(accessor, "count") * width * 4;
        assert!(number(accessor, "byteOffset") + len <= number(view, "byteLength"));
        let at = number(view, "byteOffset") + number(accessor, "byteOffset");
        assert_eq!(at % 4, 0);
        self.binary[at..at + len].as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
    }

    fn floats(&self, accessor: &Value) -> Vec<f32> {
        let values: Vec<f32> = self.words(accessor).into_iter().map(f32::from_bits).collect();
        let accessor = &self.json["accessors"][accessor.as_u64().unwrap() as usize];
        assert_eq!(accessor["componentType"], 5126);
        if let Some(min) = accessor["min"].as_array() {
            for (axis, min) in min.iter().enumerate() {
                let component = || values.iter().copied().skip(axis).step_by(accessor["min"].as_array().unwrap().len());
                assert_eq!(min.as_f64().unwrap() as f32, component().reduce(f32::min).unwrap());
                assert_eq!(accessor["max"][axis].as_f64().unwrap() as f32, component().reduce(f32::max).unwrap());
            }
        }
        values
    }

    fn vectors(&self, accessor: &Value) -> Vec<[f32; 3]> {
        self.floats(accessor).as_chunks().0.to_vec()
    }
}

fn close(a: &[[f32; 3]], b: &[[f64; 3]]) -> bool {
    a.len() == b.len() && a.iter().flatten().zip(b.iter().flatten()).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-6)
}

#[test]
fn every_frame_comes_back() {
    let fixture = Fixture::tets();
    let glb = written(&fixture, 3);
    let primitive = &glb.json["meshes"][0]["primitives"][0];
    let clip = Clip::new(fixture.setup.clone()).unwrap();
    let base = ["POSITION", "NORMAL"].map(|name| glb.vectors(&primitive["attributes"][name]));
    let triangles = glb.words(&primitive["indices"]);
    assert_eq!(triangles, clip.surface(0).as_flattened());
    for frame in 0..3 {
        let positions = fixture.positions(0, frame);
        let normals = vertex_normals(&positions, clip.surface(0));
        for (which, expected) in [(0, &positions), (1, &normals)] {
            let mut shape = base[which].clone();
            if frame > 0 {
                let delta = glb.vectors(&primitive["targets"][frame - 1][["POSITION", "NORMAL"][which]]);
                shape.iter_mut().flatten().zip(delta.iter().flatten()).for_each(|(s, d)| *s += d);
            }
            assert!(close(&shape, expected), "frame {frame}: {shape:?} is not {expected:?}");
        }
    }
    assert_eq!(primitive["targets"].as_array().unwrap().len(), 2);
    assert_eq!(glb.json["meshes"][0]["weights"], serde_json::json!([0, 0]));
}

#[test]
fn the_animation_goes_through_the_targets_one_by_one() {
    let glb = written(&Fixture::both(), 3);
    let animation = &glb.json["animations"][0];
    let sampler = &animation["samplers"][0];
    let times = glb.floats(&sampler["input"]);
    assert!((times[0], times.len()) == (0.0, 3) && (times[2] - 2.0 / 24.0).abs() < 1e-7, "{times:?}");
    let input = &glb.json["accessors"][sampler["input"].as_u64().unwrap() as usize];
    assert!(input["min"].is_array() && input["max"].is_array());
    assert_eq!(glb.floats(&sampler["output"]), [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(sampler["interpolation"], "LINEAR");
    for (node, channel) in animation["channels"].as_array().unwrap().iter().enumerate() {
        assert_eq!(channel["target"], serde_json::json!({"node": node, "path": "weights"}));
    }
    assert_eq!(glb.json["nodes"].as_array().unwrap().len(), 2);
}

#[test]
fn a_seam_splits_its_vertices_and_flips_v() {
    let fixture = Fixture::quad();
    let glb = written(&fixture, 2);
    let primitive = &glb.json["meshes"][0]["primitives"][0];
    let positions = glb.vectors(&primitive["attributes"]["POSITION"]);
    let expected = fixture.positions(0, 0);
    assert!(close(&positions, &[expected[0], expected[1], expected[2], expected[3], expected[1]]));
    let uvs = glb.floats(&primitive["attributes"]["TEXCOORD_0"]);
    assert_eq!(uvs, [0.0, 1.0, 0.5, 1.0, 0.0, 0.5, 0.5, 0.5, 2.0, -1.0]);
    assert_eq!(glb.words(&primitive["indices"]), [0, 1, 2, 2, 4, 3]);
    assert_eq!(glb.json["nodes"][0]["name"], "a/b");
    assert!(glb.json["nodes"][0].get("rotation").is_none());
}

#[test]
fn vertices_inside_a_body_are_left_out() {
    let mut fixture = Fixture::tets();
    // A vertex that nothing refers to stands for one inside.
    fixture.setup.objects[0].rest.insert(0, [0.1; 3]);
    fixture.setup.objects[0].tets.iter_mut().flatten().for_each(|i| *i += 1);
    let glb = written(&fixture, 2);
    let primitive = &glb.json["meshes"][0]["primitives"][0];
    assert!(close(&glb.vectors(&primitive["attributes"]["POSITION"]), &fixture.positions(0, 0)[1..]));
    assert_eq!(glb.words(&primitive["indices"]).iter().max(), Some(&4));
}

#[test]
fn one_frame_is_a_plain_mesh_and_z_up_is_turned() {
    let mut fixture = Fixture::triangle();
    fixture.setup.up_axis = UpAxis::Z;
    let glb = written(&fixture, 1);
    assert!(glb.json.get("animations").is_none());
    assert!(glb.json["meshes"][0]["primitives"][0].get("targets").is_none());
    let rotation: Vec<f64> =
        glb.json["nodes"][0]["rotation"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    let [x, _, _, w] = rotation[..] else { panic!("{rotation:?}") };
    // What a quaternion (x, 0, 0, w) makes of z: (0, −2xw, w² − x²).
    assert!((-2.0 * x * w - 1.0).abs() < 1e-12 && (w * w - x * x).abs() < 1e-12);
}

#[test]
fn what_is_too_much_is_said_before_the_run() {
    let clip = Clip::new(Fixture::triangle().planned(MAX_FRAMES + 1).setup).unwrap();
    let message = format("glb").unwrap().check(&clip).unwrap_err().to_string();
    assert!(message.contains("601 frames of 3 vertices") && message.contains("Use usd or pc2"), "{message}");
    let mut fixture = Fixture::triangle().planned(MAX_FRAMES);
    assert!(format("glb").unwrap().check(&Clip::new(fixture.setup.clone()).unwrap()).is_ok());
    let object = &mut fixture.setup.objects[0];
    let enough = (MAX_BYTES / 24 / MAX_FRAMES as u64) as u32 / 3 + 1;
    object.rest = vec![[0.0; 3]; enough as usize * 3];
    object.triangles = (0..enough).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let error = format("glb").unwrap().check(&Clip::new(fixture.setup.clone()).unwrap()).unwrap_err();
    assert!(matches!(error, WriteError::Limit { .. }) && error.to_string().contains("256 MiB"), "{error}");
}

#[test]
fn a_clip_that_outgrows_its_plan_stops_at_the_limit() {
    let dir = TempDir::new("glb_long");
    let fixture = Fixture::triangle().planned(1);
    let mut writer = fixture.write_unfinished("glb", dir.path(), 0..MAX_FRAMES).unwrap();
    let error = fixture.write_frame(writer.as_mut(), MAX_FRAMES).unwrap_err();
    assert!(matches!(error, WriteError::Limit { .. }), "{error}");
    writer.finish().unwrap();
    assert_eq!(dir.names(), ["scene.glb"]);
}
