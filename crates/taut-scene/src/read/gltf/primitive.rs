//! The triangles of a glTF mesh.

use std::collections::HashMap;

use super::accessor::Accessors;
use super::json::{Primitive, Root};
use super::scene::Body;
use crate::read::MOST_NAMES;
use crate::read::error::{ReadError, Result};
use crate::read::maps::Columns;

const TRIANGLES: u32 = 4;
const STRIP: u32 = 5;
const FAN: u32 = 6;

/// How many vertices at the same place are compared before giving up on a match: more than any model has, and
/// few enough that a file with all vertices at one place is read in linear time.
const MAX_LOOKUPS: usize = 16;

/// A mesh with its primitives joined.
#[derive(Default)]
pub(super) struct Gathered {
    pub body: Body,
    pub triangles: Vec<[u32; 3]>,
    /// Where the triangles of each primitive end, and its material.
    pub materials: Vec<(usize, Option<usize>)>,
    pub uvs: Vec<[f64; 2]>,
    pub uv_triangles: Vec<[u32; 3]>,
    /// Whether every primitive has texture coordinates.
    pub has_uvs: bool,
    /// Primitives of points and lines.
    pub skipped: usize,
    /// Numbers of vertices that mean nothing to us.
    pub maps: Columns,
    /// Vertices that became one and differ in a map.
    pub mixed: usize,
    /// Attributes of vertices that nothing is made of.
    pub ignored: Vec<String>,
}

/// Whether an attribute is used, or says how things look.
fn is_known(attribute: &str) -> bool {
    let sets = ["JOINTS_", "WEIGHTS_"];
    matches!(attribute, "POSITION" | "NORMAL" | "TANGENT" | "TEXCOORD_0")
        || is_map(attribute)
        || sets.iter().any(|set| attribute.starts_with(set))
}

/// Whether an attribute is a colour or of the file's own making.
fn is_map(attribute: &str) -> bool {
    attribute.starts_with("COLOR_") || attribute.starts_with('_')
}

/// The attributes of a primitive's vertices.
struct Vertices {
    positions: Vec<f32>,
    uvs: Option<Vec<f32>>,
    joints: Vec<Vec<u32>>,
    weights: Vec<Vec<f32>>,
    targets: Vec<Vec<f32>>,
    /// Maps: the number of each in the body's list, and its values.
    maps: Vec<(usize, Vec<f32>)>,
}

/// Finds vertices that are at the same place and move alike.
#[derive(Default)]
struct Welder {
    /// The last vertex at each place.
    last: HashMap<[u32; 3], u32>,
    /// For each vertex the one before it at the same place.
    previous: Vec<Option<u32>>,
}

pub(super) fn gather(file: &str, root: &Root, accessors: &Accessors, mesh: usize) -> Result<Gathered> {
    let mut gathered = Gathered { has_uvs: true, ..Gathered::default() };
    let mut welder = Welder::default();
    let mut is_first = true;
    for (k, primitive) in root.meshes[mesh].primitives.iter().enumerate() {
        let fail = |message: String| ReadError::item(file, format!("meshes[{mesh}].primitives[{k}]"), message);
        if !matches!(primitive.mode.unwrap_or(TRIANGLES), TRIANGLES | STRIP | FAN) {
            gathered.skipped += 1;
            continue;
        }
        let mut unknown: Vec<&String> =
            primitive.attributes.keys().filter(|name| !is_known(name)).take(MOST_NAMES).collect();
        unknown.sort_unstable();
        for name in unknown {
            if gathered.ignored.len() < MOST_NAMES && !gathered.ignored.contains(name) {
                gathered.ignored.push(name.clone());
            }
        }
        let mut vertices = read_vertices(primitive, accessors, &fail)?;
        gathered.read_maps(primitive, accessors, &mut vertices);
        if is_first {
            gathered.body.influences_each = 4 * vertices.joints.len();
            gathered.body.targets = vec![Vec::new(); vertices.targets.len()];
            is_first = false;
        }
        if gathered.body.targets.len() != vertices.targets.len() {
            return Err(fail("has another number of morph targets than the primitives before it".into()));
        }
        if gathered.body.influences_each != 4 * vertices.joints.len() {
            return Err(fail("has another number of joints per vertex than the primitives before it".into()));
        }
        let triangles = read_triangles(primitive, accessors, vertices.positions.len() / 3, &fail)?;
        gathered.append(&vertices, &triangles, &mut welder);
        gathered.materials.push((gathered.triangles.len(), primitive.material));
    }
    Ok(gathered)
}

fn read_vertices(primitive: &Primitive, accessors: &Accessors, fail: &dyn Fn(String) -> ReadError) -> Result<Vertices> {
    let attribute = |name: &str| primitive.attributes.get(name).copied();
    let position = attribute("POSITION").ok_or_else(|| fail("has no POSITION".into()))?;
    let positions = accessors.floats(position, "VEC3")?;
    let count = positions.len() / 3;
    let check = |name: &str, found: usize| match found == count {
        true => Ok(()),
        false => Err(fail(format!("has {count} positions, but {found} of {name}"))),
    };
    let uvs = attribute("TEXCOORD_0").map(|index| accessors.floats(index, "VEC2")).transpose()?;
    if let Some(uvs) = &uvs {
        check("TEXCOORD_0", uvs.len() / 2)?;
    }
    let mut vertices =
        Vertices { positions, uvs, joints: Vec::new(), weights: Vec::new(), targets: Vec::new(), maps: Vec::new() };
    for set in 0.. {
        let (joints, weights) = (format!("JOINTS_{set}"), format!("WEIGHTS_{set}"));
        let (Some(j), Some(w)) = (attribute(&joints), attribute(&weights)) else { break };
        vertices.joints.push(accessors.integers(j, "VEC4")?);
        vertices.weights.push(accessors.floats(w, "VEC4")?);
        check(&joints, vertices.joints[set].len() / 4)?;
        check(&weights, vertices.weights[set].len() / 4)?;
    }
    for target in &primitive.targets {
        let moved = match target.get("POSITION") {
            Some(&index) => accessors.floats(index, "VEC3")?,
            None => {
                accessors.spend(3 * count)?;
                vec![0.0; 3 * count]
            }
        };
        check("a morph target's positions", moved.len() / 3)?;
        vertices.targets.push(moved);
    }
    Ok(vertices)
}

fn read_triangles(
    primitive: &Primitive,
    accessors: &Accessors,
    vertices: usize,
    fail: &dyn Fn(String) -> ReadError,
) -> Result<Vec<[u32; 3]>> {
    let corners = match primitive.indices {
        Some(index) => accessors.integers(index, "SCALAR")?,
        None => (0..vertices as u32).collect(),
    };
    if let Some(corner) = corners.iter().find(|&&corner| corner as usize >= vertices) {
        return Err(fail(format!("a triangle refers to vertex {corner}, but there are {vertices} vertices")));
    }
    let mode = primitive.mode.unwrap_or(TRIANGLES);
    if mode == TRIANGLES && corners.len() % 3 != 0 {
        return Err(fail(format!("has {} indices, expected three for each triangle", corners.len())));
    }
    let mut triangles: Vec<[u32; 3]> = match mode {
        TRIANGLES => corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
        STRIP => {
            let turned = |(i, w): (usize, &[u32])| if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] };
            corners.windows(3).enumerate().map(turned).collect()
        }
        _ => corners.get(1..).unwrap_or_default().windows(2).map(|w| [corners[0], w[0], w[1]]).collect(),
    };
    if mode == STRIP {
        // Strips turn corners by repeating vertices.
        triangles.retain(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0]);
    }
    Ok(triangles)
}

/// Names of the channels of vectors, and of colours.
const CHANNELS: [[&str; 4]; 2] = [["x", "y", "z", "w"], ["r", "g", "b", "a"]];

impl Gathered {
    /// Reads colours and attributes of the file's own making, a map for each channel. What is no list of numbers, or as
    /// long as there are vertices, is ignored.
    fn read_maps(&mut self, primitive: &Primitive, accessors: &Accessors, vertices: &mut Vertices) {
        let mut names: Vec<(&String, usize)> =
            primitive.attributes.iter().filter(|(name, _)| is_map(name)).map(|(name, &index)| (name, index)).collect();
        names.sort_unstable();
        for (name, index) in names {
            let width = match accessors.kind(index) {
                Some("SCALAR") => 1,
                Some("VEC2") => 2,
                Some("VEC3") => 3,
                Some("VEC4") => 4,
                _ => 0,
            };
            let values =
                accessors.kind(index).filter(|_| width > 0).and_then(|kind| accessors.floats(index, kind).ok());
            let values = values.filter(|values| 3 * values.len() == width * vertices.positions.len());
            let Some(values) = values else {
                if self.ignored.len() < MOST_NAMES && !self.ignored.contains(name) {
                    self.ignored.push(name.clone());
                }
                continue;
            };
            for channel in 0..width {
                let letters = CHANNELS[usize::from(name.starts_with("COLOR_"))];
                let full = if width == 1 { name.clone() } else { format!("{name}.{}", letters[channel]) };
                if let Some(id) = self.maps.id(&full) {
                    vertices.maps.push((id, values.iter().skip(channel).step_by(width).copied().collect()));
                }
            }
        }
    }

    fn append(&mut self, vertices: &Vertices, triangles: &[[u32; 3]], welder: &mut Welder) {
        let count = vertices.positions.len() / 3;
        let mut is_used = vec![false; count];
        triangles.iter().flatten().for_each(|&v| is_used[v as usize] = true);
        let mut welded = vec![0; count];
        let mut uv_index = vec![0; count];
        for vertex in (0..count).filter(|&vertex| is_used[vertex]) {
            welded[vertex] = self.weld(vertices, vertex, welder);
            if let Some(uvs) = &vertices.uvs {
                uv_index[vertex] = self.uvs.len() as u32;
                // glTF counts v downwards from the top of the picture.
                self.uvs.push([f64::from(uvs[2 * vertex]), 1.0 - f64::from(uvs[2 * vertex + 1])]);
            }
        }
        self.triangles.extend(triangles.iter().map(|t| t.map(|v| welded[v as usize])));
        if vertices.uvs.is_some() {
            self.uv_triangles.extend(triangles.iter().map(|t| t.map(|v| uv_index[v as usize])));
        }
        self.has_uvs &= vertices.uvs.is_some();
    }

    /// The vertex of the body that this one becomes.
    fn weld(&mut self, vertices: &Vertices, vertex: usize, welder: &mut Welder) -> u32 {
        let three = |numbers: &[f32]| [0, 1, 2].map(|k| numbers[3 * vertex + k] + 0.0);
        let position = three(&vertices.positions);
        let influences = || {
            let sets = vertices.joints.iter().zip(&vertices.weights);
            sets.flat_map(|(j, w)| (0..4).map(move |k| (j[4 * vertex + k], w[4 * vertex + k])))
        };
        let place = position.map(f32::to_bits);
        let body = &mut self.body;
        let each = body.influences_each;
        let moves_alike = |&other: &u32| {
            let other = other as usize;
            influences().eq(body.influences[other * each..(other + 1) * each].iter().copied())
                && body.targets.iter().zip(&vertices.targets).all(|(known, new)| known[other] == three(new))
        };
        let mut candidates = std::iter::successors(welder.last.get(&place).copied(), |&v| welder.previous[v as usize]);
        if let Some(known) = candidates.by_ref().take(MAX_LOOKUPS).find(moves_alike) {
            let differs = |&(map, ref values): &(usize, Vec<f32>)| self.maps.get(map, known as usize) != values[vertex];
            self.mixed += usize::from(vertices.maps.iter().any(differs));
            return known;
        }
        let index = body.positions.len() as u32;
        body.positions.push(position);
        self.maps.grow(1);
        for (map, values) in &vertices.maps {
            self.maps.set(*map, index as usize, values[vertex]);
        }
        body.influences.extend(influences());
        for (known, new) in body.targets.iter_mut().zip(&vertices.targets) {
            known.push(three(new));
        }
        welder.previous.push(welder.last.insert(place, index));
        index
    }
}
