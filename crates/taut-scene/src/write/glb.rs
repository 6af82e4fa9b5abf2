//! GLB (binary glTF 2.0) for short clips: the first frame is the mesh, every other frame a morph target, and an
//! animation of the weights goes through them linearly.
//!
//! glTF has one texture coordinate per vertex, so a vertex on a seam is written once per coordinate: first all
//! vertices of the surface in order, then the further copies. Vertices inside a body are left out.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::atomic::AtomicFile;
use super::spool::Spool;
use super::surface::vertex_normals;
use super::{Clip, Details, Format, Frame, FrameWriter, Holds, UpAxis, WriteError};

pub(crate) const FORMAT: Format = Format {
    name: "glb",
    about: "binary glTF with morph targets, for short clips on the web; at most 600 frames and 256 MiB",
    holds: Holds::Positions,
    files: "scene.glb",
    names: |_| vec![NAME.into()],
    spool: Some(SPOOL),
    check,
    open,
};

const NAME: &str = "scene.glb";
const SPOOL: &str = "scene.glb.spool";

/// Longest clip. Every frame is a morph target, and viewers hold all of them in memory.
pub(crate) const MAX_FRAMES: usize = 600;

/// Largest file, bytes.
pub(crate) const MAX_BYTES: u64 = 256 << 20;

/// What describing a morph target takes in the JSON chunk, bytes, rounded up.
const TEXT_PER_TARGET: u64 = 600;

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const VERTEX_DATA: u32 = 34962;
const INDEX_DATA: u32 = 34963;

struct Glb {
    clip: Arc<Clip>,
    dir: PathBuf,
    spool: Spool,
}

fn open(clip: &Arc<Clip>, dir: &Path, start: usize) -> Result<Box<dyn FrameWriter>, WriteError> {
    Ok(Box::new(Glb {
        clip: clip.clone(),
        dir: dir.into(),
        spool: Spool::open(clip, dir, SPOOL, Details::default(), start)?,
    }))
}

fn check(clip: &Clip) -> Result<(), WriteError> {
    check_frames(clip, clip.setup().planned_frames)
}

/// Refuses what would be too much for a viewer.
fn check_frames(clip: &Clip, frames: usize) -> Result<(), WriteError> {
    let (mut vertices, mut fixed) = (0, 0);
    for object in 0..clip.objects().len() {
        let corners = Corners::of(clip, object);
        vertices += corners.vertices.len() as u64;
        fixed += corners.vertices.len() as u64 * 8 + corners.triangles.len() as u64 * 12;
    }
    // In each frame position and normal of each vertex, a weight per frame, and some text for each object.
    let per_frame = vertices * 24 + frames as u64 * 4 + clip.objects().len() as u64 * TEXT_PER_TARGET;
    let bytes = (frames as u64).saturating_mul(per_frame).saturating_add(fixed);
    if frames <= MAX_FRAMES && bytes <= MAX_BYTES {
        return Ok(());
    }
    let mib = bytes.div_ceil(1 << 20);
    let message = format!(
        "{frames} frames of {vertices} vertices take about {mib} MiB; a GLB holds at most {MAX_FRAMES} frames and \
         {} MiB. Use usd or pc2, or fewer frames",
        MAX_BYTES >> 20
    );
    Err(WriteError::Limit { format: "glb", message })
}

impl FrameWriter for Glb {
    fn frame(&mut self, frame: &Frame) -> Result<(), WriteError> {
        if frame.index >= self.clip.setup().planned_frames {
            check_frames(&self.clip, frame.index + 1)?;
        }
        self.spool.append(frame)
    }

    fn sync(&mut self) -> Result<(), WriteError> {
        self.spool.sync()
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<PathBuf>, WriteError> {
        let mut doc = Document::default();
        for object in 0..self.clip.objects().len() {
            self.add_object(&mut doc, object)?;
        }
        if self.spool.frames() > 1 {
            self.add_animation(&mut doc)?;
        }
        let path = doc.write(&self.dir)?;
        self.spool.remove()?;
        Ok(vec![path])
    }
}

/// An object's surface with one texture coordinate per vertex.
struct Corners {
    /// For each vertex written the vertex of the object.
    vertices: Vec<u32>,
    /// For each vertex written its texture coordinate, by index.
    uvs: Vec<u32>,
    triangles: Vec<[u32; 3]>,
}

impl Corners {
    fn of(clip: &Clip, object: usize) -> Self {
        let info = &clip.objects()[object];
        let surface = clip.surface(object);
        let uv = |triangle: usize, corner: usize| info.uv_triangles.get(triangle).map_or(0, |uvs| uvs[corner]);
        let mut first = vec![None; info.rest.len()];
        for (at, triangle) in surface.iter().enumerate() {
            for corner in 0..3 {
                first[triangle[corner] as usize].get_or_insert(uv(at, corner));
            }
        }
        let used = first.iter().enumerate().filter_map(|(vertex, uv)| uv.map(|uv| (vertex as u32, uv)));
        let (mut vertices, mut uvs): (Vec<u32>, Vec<u32>) = used.unzip();
        let places = vertices.iter().zip(&uvs).enumerate().map(|(at, (&vertex, &uv))| ((vertex, uv), at as u32));
        let mut places: HashMap<(u32, u32), u32> = places.collect();
        let mut triangles = Vec::with_capacity(surface.len());
        for (at, triangle) in surface.iter().enumerate() {
            triangles.push(std::array::from_fn(|corner| {
                let key = (triangle[corner], uv(at, corner));
                *places.entry(key).or_insert_with(|| {
                    vertices.push(key.0);
                    uvs.push(key.1);
                    vertices.len() as u32 - 1
                })
            }));
        }
        Self { vertices, uvs, triangles }
    }

    /// Picks the values of the vertices written.
    fn pick<T: Copy>(&self, values: &[T]) -> Vec<T> {
        self.vertices.iter().map(|&vertex| values[vertex as usize]).collect()
    }
}

/// Positions and normals of the vertices written, in one frame.
struct Pose {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

impl Glb {
    fn pose(&mut self, object: usize, frame: usize, corners: &Corners) -> Result<Pose, WriteError> {
        let slots = self.spool.objects[object].positions.clone();
        let floats = self.spool.read(frame, &slots)?;
        let positions = floats.as_chunks::<3>().0;
        let wide: Vec<[f64; 3]> = positions.iter().map(|p| p.map(f64::from)).collect();
        // On the vertices of the object, so that shading does not break along seams.
        let normals: Vec<[f32; 3]> =
            vertex_normals(&wide, self.clip.surface(object)).iter().map(|n| n.map(|v| v as f32)).collect();
        Ok(Pose { positions: corners.pick(positions), normals: corners.pick(&normals) })
    }

    fn add_object(&mut self, doc: &mut Document, object: usize) -> Result<(), WriteError> {
        let clip = self.clip.clone();
        let info = &clip.objects()[object];
        let corners = Corners::of(&clip, object);
        let base = self.pose(object, 0, &corners)?;
        let view = doc.view(VERTEX_DATA, Some(12));
        let mut attributes = json!({
            "POSITION": doc.vectors(view, &base.positions),
            "NORMAL": doc.vectors(view, &base.normals),
        });
        let mut targets = Vec::new();
        for frame in 1..self.spool.frames() {
            let pose = self.pose(object, frame, &corners)?;
            targets.push(json!({
                "POSITION": doc.vectors(view, &differences(&pose.positions, &base.positions)),
                "NORMAL": doc.vectors(view, &differences(&pose.normals, &base.normals)),
            }));
        }
        doc.close_view(view);
        if !info.uvs.is_empty() {
            // glTF counts v from the top of the picture.
            let uvs: Vec<[f32; 2]> = corners
                .uvs
                .iter()
                .map(|&uv| info.uvs[uv as usize])
                .map(|[u, v]| [u as f32, (1.0 - v) as f32])
                .collect();
            attributes["TEXCOORD_0"] = doc.coordinates(&uvs);
        }
        let mut mesh = json!({"name": info.title()});
        if !targets.is_empty() {
            let first = clip.setup().first_frame as usize;
            let names: Vec<String> = (1..=targets.len()).map(|frame| format!("frame {}", first + frame)).collect();
            mesh["weights"] = json!(vec![0; targets.len()]);
            mesh["extras"] = json!({"targetNames": names});
        }
        let mut primitives = Vec::new();
        for (material, triangles) in parts_of(&clip, object, &corners.triangles) {
            let material = doc.material(material);
            let mut primitive =
                json!({"attributes": attributes, "indices": doc.indices(&triangles), "material": material});
            if !targets.is_empty() {
                primitive["targets"] = Value::Array(targets.clone());
            }
            primitives.push(primitive);
        }
        mesh["primitives"] = Value::Array(primitives);
        doc.meshes.push(mesh);
        doc.nodes.push(self.node(object));
        Ok(())
    }

    /// Where an object's mesh is: glTF is always y up, and in metres.
    fn node(&self, object: usize) -> Value {
        let setup = self.clip.setup();
        let mut node = json!({"name": self.clip.objects()[object].title(), "mesh": object});
        let metres = setup.metres_per_unit;
        if metres != 1.0 {
            node["scale"] = json!([metres, metres, metres]);
        }
        if setup.up_axis == UpAxis::Z {
            // A quarter turn about x brings z there.
            let half = std::f64::consts::FRAC_1_SQRT_2;
            node["rotation"] = json!([-half, 0.0, 0.0, half]);
        }
        node
    }

    /// At frame k only the weight of its own target is 1; in between the weights blend, and with them the shapes.
    fn add_animation(&mut self, doc: &mut Document) -> Result<(), WriteError> {
        let frames = self.spool.frames();
        let begin = self.spool.time(0)?;
        let mut times = Vec::with_capacity(frames);
        for frame in 0..frames {
            times.push((self.spool.time(frame)? - begin) as f32);
        }
        if let Some(at) = times.windows(2).position(|pair| pair[0] >= pair[1]) {
            let message = format!("its time of {} s does not come after {} s", times[at + 1], times[at]);
            return Err(WriteError::frame(at + 1, None, message));
        }
        let mut weights = vec![0.0; frames * (frames - 1)];
        for frame in 1..frames {
            weights[frame * (frames - 1) + frame - 1] = 1.0;
        }
        let input = doc.scalars(&times, Some((times[0], times[frames - 1])));
        let output = doc.scalars(&weights, None);
        let channel = |node: usize| json!({"sampler": 0, "target": {"node": node, "path": "weights"}});
        let channels: Vec<Value> = (0..doc.nodes.len()).map(channel).collect();
        let sampler = json!({"input": input, "output": output, "interpolation": "LINEAR"});
        doc.animations.push(json!({"name": "taut", "channels": channels, "samplers": [sampler]}));
        Ok(())
    }
}

/// The triangles of each material of an object; those of none have no name.
fn parts_of<'a>(clip: &'a Clip, object: usize, triangles: &[[u32; 3]]) -> Vec<(Option<&'a str>, Vec<[u32; 3]>)> {
    let sets = &clip.objects()[object].given.materials;
    let mut of_face = vec![sets.len(); clip.faces(object).len()];
    for (number, set) in sets.iter().enumerate() {
        set.faces.iter().for_each(|&face| of_face[face as usize] = number);
    }
    let mut parts: Vec<(Option<&str>, Vec<[u32; 3]>)> =
        sets.iter().map(|set| Some(set.name.as_str())).chain([None]).map(|name| (name, Vec::new())).collect();
    for (number, triangle) in triangles.iter().enumerate() {
        parts[of_face[clip.faces(object).of_triangle(number)]].1.push(*triangle);
    }
    parts.retain(|(_, triangles)| !triangles.is_empty());
    parts
}

fn differences(a: &[[f32; 3]], b: &[[f32; 3]]) -> Vec<[f32; 3]> {
    a.iter().zip(b).map(|(a, b)| [a[0] - b[0], a[1] - b[1], a[2] - b[2]]).collect()
}

/// The two chunks of a GLB in the making.
#[derive(Default)]
struct Document {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    animations: Vec<Value>,
    /// Names of materials.
    materials: Vec<String>,
}

impl Document {
    /// The number of a material, made if it is new.
    fn material(&mut self, name: Option<&str>) -> usize {
        let name = name.unwrap_or("cloth");
        self.materials.iter().position(|known| known == name).unwrap_or_else(|| {
            self.materials.push(name.to_owned());
            self.materials.len() - 1
        })
    }

    /// Begins a stretch of the binary chunk.
    fn view(&mut self, target: u32, stride: Option<u32>) -> usize {
        let mut view = json!({"buffer": 0, "byteOffset": self.binary.len(), "target": target});
        if let Some(stride) = stride {
            view["byteStride"] = json!(stride);
        }
        if target == 0 {
            view.as_object_mut().map(|fields| fields.remove("target"));
        }
        self.views.push(view);
        self.views.len() - 1
    }

    /// Ends the stretch with what has been written so far. All items are multiples of four bytes long.
    fn close_view(&mut self, view: usize) {
        let begin = self.views[view]["byteOffset"].as_u64().unwrap_or(0);
        self.views[view]["byteLength"] = json!(self.binary.len() as u64 - begin);
    }

    /// Adds an accessor for `count` items at the end of an open view, and returns its index and itself.
    fn accessor(&mut self, view: usize, kind: &str, component: u32, count: usize) -> (Value, &mut Value) {
        let offset = self.binary.len() as u64 - self.views[view]["byteOffset"].as_u64().unwrap_or(0);
        let accessor = json!({
            "bufferView": view, "byteOffset": offset, "componentType": component, "count": count, "type": kind,
        });
        self.accessors.push(accessor);
        let index = self.accessors.len() - 1;
        (json!(index), &mut self.accessors[index])
    }

    fn vectors(&mut self, view: usize, values: &[[f32; 3]]) -> Value {
        let (index, accessor) = self.accessor(view, "VEC3", FLOAT, values.len());
        let bound = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
            (0..3).map(|axis| values.iter().map(|v| v[axis]).reduce(pick).unwrap_or(0.0)).collect()
        };
        accessor["min"] = json!(bound(f32::min));
        accessor["max"] = json!(bound(f32::max));
        self.binary.extend(values.as_flattened().iter().flat_map(|v| v.to_le_bytes()));
        index
    }

    fn coordinates(&mut self, values: &[[f32; 2]]) -> Value {
        let view = self.view(VERTEX_DATA, None);
        let (index, _) = self.accessor(view, "VEC2", FLOAT, values.len());
        self.binary.extend(values.as_flattened().iter().flat_map(|v| v.to_le_bytes()));
        self.close_view(view);
        index
    }

    fn indices(&mut self, triangles: &[[u32; 3]]) -> Value {
        let view = self.view(INDEX_DATA, None);
        let (index, _) = self.accessor(view, "SCALAR", UNSIGNED_INT, triangles.len() * 3);
        self.binary.extend(triangles.as_flattened().iter().flat_map(|v| v.to_le_bytes()));
        self.close_view(view);
        index
    }

    fn scalars(&mut self, values: &[f32], bounds: Option<(f32, f32)>) -> Value {
        let view = self.view(0, None);
        let (index, accessor) = self.accessor(view, "SCALAR", FLOAT, values.len());
        if let Some((min, max)) = bounds {
            accessor["min"] = json!([min]);
            accessor["max"] = json!([max]);
        }
        self.binary.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        self.close_view(view);
        index
    }

    fn json(&self) -> Vec<u8> {
        let scene_nodes: Vec<usize> = (0..self.nodes.len()).collect();
        let surface = json!({"baseColorFactor": [0.8, 0.8, 0.8, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.9});
        let material = |name: &String| json!({"name": name, "doubleSided": true, "pbrMetallicRoughness": surface});
        let materials: Vec<Value> = self.materials.iter().map(material).collect();
        let mut root = json!({
            "asset": {"version": "2.0", "generator": "taut"},
            "scene": 0,
            "scenes": [{"nodes": scene_nodes}],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": materials,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": self.binary.len()}],
        });
        if !self.animations.is_empty() {
            root["animations"] = json!(self.animations);
        }
        let mut text = root.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        text
    }

    fn write(&self, dir: &Path) -> Result<PathBuf, WriteError> {
        let json = self.json();
        let total = 12 + 8 + json.len() + 8 + self.binary.len();
        // Checked by the frame limits long before.
        let length = |bytes: usize| (bytes as u32).to_le_bytes();
        let mut file = AtomicFile::create(dir, NAME)?;
        for part in [b"glTF".as_slice(), &2_u32.to_le_bytes(), &length(total)] {
            file.put(part)?;
        }
        for part in [&length(json.len()), b"JSON".as_slice(), &json] {
            file.put(part)?;
        }
        for part in [&length(self.binary.len()), b"BIN\0".as_slice(), &self.binary] {
            file.put(part)?;
        }
        file.commit()
    }
}
