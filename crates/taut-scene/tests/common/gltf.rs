//! glTF files made by hand.
#![allow(dead_code, reason = "each test program uses its own part")]

use base64::Engine;
use serde_json::{Value, json};

use super::Packer;

/// A buffer under construction, with a view and an accessor for each piece.
pub struct Maker {
    pub root: Value,
    pub buffer: Vec<u8>,
}

impl Maker {
    pub fn new() -> Self {
        let root = json!({"asset": {"version": "2.0"}, "accessors": [], "bufferViews": [], "buffers": []});
        Self { root, buffer: Vec::new() }
    }

    fn view(&mut self, bytes: &[u8]) -> usize {
        let at = self.buffer.len();
        self.buffer.extend(bytes);
        let views = self.root["bufferViews"].as_array_mut().unwrap();
        views.push(json!({"buffer": 0, "byteOffset": at, "byteLength": bytes.len()}));
        views.len() - 1
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        let accessors = self.root["accessors"].as_array_mut().unwrap();
        accessors.push(accessor);
        accessors.len() - 1
    }

    pub fn floats(&mut self, kind: &str, values: &[f32]) -> usize {
        let view = self.view(&Packer::new(false).f32(values).bytes);
        let count = values.len() / width(kind);
        self.accessor(json!({"bufferView": view, "componentType": 5126, "count": count, "type": kind}))
    }

    pub fn shorts(&mut self, kind: &str, values: &[u16]) -> usize {
        let view = self.view(&Packer::new(false).u16(values).bytes);
        let count = values.len() / width(kind);
        self.accessor(json!({"bufferView": view, "componentType": 5123, "count": count, "type": kind}))
    }

    /// Zeros but for a few elements.
    pub fn sparse(&mut self, count: usize, indices: &[u16], values: &[f32]) -> usize {
        let places = self.view(&Packer::new(false).u16(indices).bytes);
        let changed = self.view(&Packer::new(false).f32(values).bytes);
        self.accessor(json!({"componentType": 5126, "count": count, "type": "VEC3", "sparse": {
            "count": indices.len(),
            "indices": {"bufferView": places, "componentType": 5123},
            "values": {"bufferView": changed}}}))
    }

    pub fn set(&mut self, key: &str, value: Value) {
        self.root[key] = value;
    }

    pub fn glb(mut self) -> Vec<u8> {
        self.root["buffers"] = json!([{"byteLength": self.buffer.len()}]);
        let mut text = self.root.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        self.buffer.resize(self.buffer.len().next_multiple_of(4), 0);
        let total = 12 + 8 + text.len() + 8 + self.buffer.len();
        let mut out = Packer::new(false).text("glTF").u32(&[2, total as u32, text.len() as u32]).text("JSON");
        out.bytes.extend(text);
        let mut out = out.u32(&[self.buffer.len() as u32]).text("BIN\0");
        out.bytes.extend(self.buffer);
        out.bytes
    }

    pub fn embedded(mut self) -> Vec<u8> {
        let data = base64::engine::general_purpose::STANDARD.encode(&self.buffer);
        let uri = format!("data:application/octet-stream;base64,{data}");
        self.root["buffers"] = json!([{"byteLength": self.buffer.len(), "uri": uri}]);
        self.root.to_string().into_bytes()
    }

    /// The JSON, and the buffer that it calls `my data.bin`.
    pub fn external(mut self) -> (Vec<u8>, Vec<u8>) {
        self.root["buffers"] = json!([{"byteLength": self.buffer.len(), "uri": "my%20data.bin"}]);
        (serde_json::to_vec_pretty(&self.root).unwrap(), self.buffer)
    }
}

fn width(kind: &str) -> usize {
    match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        _ => 16,
    }
}

/// A unit square of two triangles whose four corners are repeated, as along a UV seam: six vertices. It hangs on a node
/// moved by (0, 0, 5) and mirrored in x, under a root that is twice as large.
pub fn square() -> Maker {
    let mut m = Maker::new();
    let position = m.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.]);
    let uv = m.floats("VEC2", &[0., 1., 1., 1., 0., 0., 2., 1., 2., 0., 1., 0.]);
    let indices = m.shorts("SCALAR", &[0, 1, 2, 3, 4, 5]);
    m.set(
        "meshes",
        json!([{"name": "quad", "primitives": [
        {"attributes": {"POSITION": position, "TEXCOORD_0": uv}, "indices": indices}]}]),
    );
    m.set(
        "nodes",
        json!([
        {"name": "root", "scale": [2, 2, 2], "children": [1]},
        {"name": "sheet", "mesh": 0, "translation": [0, 0, 5], "scale": [-1, 1, 1]}]),
    );
    m.set("scenes", json!([{"nodes": [0]}]));
    m
}

/// A triangle on two joints, the second of which turns by 90° about z within a second and then jumps up; a morph target
/// lifts vertex 2.
pub fn skinned() -> Maker {
    let mut m = Maker::new();
    let position = m.floats("VEC3", &[0., 0., 0., 1., 0., 0., 2., 0., 0.]);
    let joints = m.shorts("VEC4", &[0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    let weights = m.floats("VEC4", &[1., 0., 0., 0., 1., 0., 0., 0., 0.5, 0.5, 0., 0.]);
    let lift = m.sparse(3, &[2], &[0., 0., 1.]);
    let identity = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
    let mut back = identity;
    back[12] = -1.0;
    let bind = m.floats("MAT4", &[identity, back].concat());
    let times = m.floats("SCALAR", &[0.0, 1.0]);
    let half = 0.5_f32.sqrt();
    let turn = m.floats("VEC4", &[0., 0., 0., 1., 0., 0., half, half]);
    let jump = m.floats("VEC3", &[1., 0., 0., 1., 3., 0.]);
    let fade = m.floats("SCALAR", &[0.0, 0.0, 4.0, 0.0, 1.0, 0.0]);
    m.set("meshes", json!([{"name": "arm", "weights": [0.25], "primitives": [{
        "attributes": {"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights}, "targets": [{"POSITION": lift}]}]}]));
    m.set(
        "nodes",
        json!([
        {"name": "body", "mesh": 0, "skin": 0, "translation": [100, 0, 0]},
        {"name": "shoulder", "children": [2]},
        {"name": "elbow", "translation": [1, 0, 0]}]),
    );
    m.set("skins", json!([{"joints": [1, 2], "inverseBindMatrices": bind}]));
    m.set(
        "animations",
        json!([{"name": "wave", "samplers": [
        {"input": times, "output": turn}, {"input": times, "output": jump, "interpolation": "STEP"},
        {"input": times, "output": fade, "interpolation": "CUBICSPLINE"}],
        "channels": [
        {"sampler": 0, "target": {"node": 2, "path": "rotation"}},
        {"sampler": 1, "target": {"node": 2, "path": "translation"}},
        {"sampler": 2, "target": {"node": 0, "path": "weights"}}]}]),
    );
    m
}

/// A figure that plays for a second: a round trunk of radius 0.1 m along y from 0 to 0.8 m on the bones `hip` and
/// `chest`, which share what is between 0.5 and 0.7 m, and beside it at x = 0.16 m an arm of radius 0.03 m from 0.1 to
/// 0.45 m on the bone `arm`. The hip turns about y and rises by 0.1 m, the arm swings up sideways about its upper end,
/// the chest leans about x: all by angles in degrees. The trunk has the material `skin`, the arm `sleeve`.
pub fn figure([hip, arm, chest]: [f32; 3]) -> Maker {
    let mut m = Maker::new();
    let trunk = tube(&mut m, 0.1, 0.0, [0.0, 0.8], |y| {
        let upper = ((y - 0.5) / 0.2).clamp(0.0, 1.0);
        ([0, 1], [1.0 - upper, upper])
    });
    let limb = tube(&mut m, 0.03, 0.16, [0.1, 0.45], |_| ([2, 0], [1.0, 0.0]));
    let primitive = |(position, joints, weights, indices): (usize, usize, usize, usize), material: usize| {
        json!({"attributes": {"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights}, "indices": indices,
            "material": material})
    };
    m.set("meshes", json!([{"name": "trunk", "primitives": [primitive(trunk, 0), primitive(limb, 1)]}]));
    m.set("materials", json!([{"name": "skin"}, {"name": "sleeve"}]));
    let bind = |[x, y]: [f32; 2]| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., -x, -y, 0., 1.];
    let bind = m.floats("MAT4", &[bind([0.0, 0.0]), bind([0.0, 0.6]), bind([0.16, 0.45])].concat());
    m.set("skins", json!([{"joints": [1, 2, 3], "inverseBindMatrices": bind}]));
    m.set(
        "nodes",
        json!([{"name": "figure", "mesh": 0, "skin": 0}, {"name": "hip", "children": [2, 3]},
            {"name": "chest", "translation": [0.0, 0.6, 0.0]}, {"name": "arm", "translation": [0.16, 0.45, 0.0]}]),
    );
    let times = m.floats("SCALAR", &[0.0, 1.0]);
    let mut turn = |axis: usize, degrees: f32| {
        let half = 0.5 * degrees.to_radians();
        let mut end = [0.0, 0.0, 0.0, half.cos()];
        end[axis] = half.sin();
        m.floats("VEC4", &[[0.0, 0.0, 0.0, 1.0], end].concat())
    };
    let [hip, arm, chest] = [turn(1, hip), turn(2, arm), turn(0, chest)];
    let rise = m.floats("VEC3", &[0.0, 0.0, 0.0, 0.0, 0.1, 0.0]);
    let samplers = [hip, chest, arm, rise].map(|output| json!({"input": times, "output": output}));
    let channel =
        |sampler: usize, node: usize, path: &str| json!({"sampler": sampler, "target": {"node": node, "path": path}});
    m.set(
        "animations",
        json!([{"name": "go", "samplers": samplers, "channels": [channel(0, 1, "rotation"),
            channel(1, 2, "rotation"), channel(2, 3, "rotation"), channel(3, 1, "translation")]}]),
    );
    m
}

/// An open tube along y around (x, 0): positions, joints, weights and indices. `bones` gives two joints and weights at
/// a height.
fn tube(
    m: &mut Maker,
    radius: f32,
    x: f32,
    [low, high]: [f32; 2],
    bones: impl Fn(f32) -> ([u16; 2], [f32; 2]),
) -> (usize, usize, usize, usize) {
    let (around, rows) = (24_u16, 16_u16);
    let (mut positions, mut joints, mut weights, mut indices) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for row in 0..=rows {
        let y = low + (high - low) * f32::from(row) / f32::from(rows);
        let ([a, b], [u, v]) = bones(y);
        for k in 0..around {
            let angle = f32::from(k) / f32::from(around) * std::f32::consts::TAU;
            positions.extend([x + radius * angle.cos(), y, radius * angle.sin()]);
            joints.extend([a, b, 0, 0]);
            weights.extend([u, v, 0.0, 0.0]);
            let (here, next) = (row * around + k, row * around + (k + 1) % around);
            if row < rows {
                indices.extend([here, here + around, next, next, here + around, next + around]);
            }
        }
    }
    let positions = m.floats("VEC3", &positions);
    (positions, m.shorts("VEC4", &joints), m.floats("VEC4", &weights), m.shorts("SCALAR", &indices))
}
