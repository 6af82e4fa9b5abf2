//! What a layer of USD holds, whichever way it was written, and the meshes in it.

use super::xform;
use crate::read::error::Result;
use crate::read::parts::PartKind;
use crate::read::sampled::{CornerUvs, On, Painted, SampledFile, SampledMesh, Samples};
use glam::{DMat4, DVec3};
use std::collections::HashMap;
use std::sync::Arc;

/// A value, as far as meshes need it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Value {
    /// Something that nothing is made of.
    #[default]
    Other,
    Text(String),
    Texts(Vec<String>),
    /// Numbers one by one, or so many together, in a list or not.
    Ints(Vec<i32>),
    Floats(usize, Vec<f32>),
    Doubles(usize, Vec<f64>),
}

impl Value {
    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    /// All its numbers.
    pub fn numbers(&self) -> Vec<f64> {
        match self {
            Value::Ints(list) => list.iter().map(|&x| f64::from(x)).collect(),
            Value::Floats(_, list) => list.iter().map(|&x| f64::from(x)).collect(),
            Value::Doubles(_, list) => list.clone(),
            _ => Vec::new(),
        }
    }

    /// How many numbers belong together.
    fn width(&self) -> usize {
        match self {
            Value::Floats(width, _) | Value::Doubles(width, _) => *width,
            _ => 1,
        }
    }

    fn points(&self) -> Vec<[f32; 3]> {
        match self {
            Value::Floats(3, list) => list.as_chunks::<3>().0.to_vec(),
            Value::Doubles(3, list) => list.as_chunks::<3>().0.iter().map(|p| p.map(|x| x as f32)).collect(),
            _ => Vec::new(),
        }
    }

    fn indices(&self) -> Vec<u32> {
        // What is negative is no index, and refused as one that is too large.
        let Value::Ints(list) = self else { return Vec::new() };
        list.iter().map(|&i| u32::try_from(i).unwrap_or(u32::MAX)).collect()
    }
}

/// An attribute or relationship.
#[derive(Clone, Debug, Default)]
pub(super) struct Attribute {
    pub default: Value,
    /// By time code.
    pub samples: Samples<Value>,
    pub interpolation: Option<String>,
}

impl Attribute {
    /// What it is at first.
    pub fn first(&self) -> &Value {
        self.samples.first().map_or(&self.default, |sample| &sample.1)
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Prim {
    pub name: String,
    pub parent: Option<usize>,
    /// Its schema, such as `Mesh`.
    pub kind: String,
    /// Whether it is there, and not only spoken about.
    pub defined: bool,
    pub attributes: HashMap<String, Attribute>,
}

impl Prim {
    /// Bytes that one of many takes: in a list that is copied as it grows to twice its size, with its place, and as the
    /// mesh that it may become, in such a list again.
    pub const HELD: usize = 3 * (size_of::<Prim>() + size_of::<SampledMesh>()) + 128;

    fn text(&self, name: &str) -> Option<&str> {
        self.attributes.get(name)?.first().text()
    }

    /// The last name of what a relationship leads to.
    fn target(&self, name: &str) -> Option<&str> {
        let Value::Texts(paths) = &self.attributes.get(name)?.default else { return None };
        paths.first()?.rsplit('/').next()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Stage {
    /// Parents come before their children.
    pub prims: Vec<Prim>,
    pub z_up: bool,
    /// Metres that a unit of length has, if it says so.
    pub metres: Option<f64>,
    /// Time codes in a second.
    pub per_second: f64,
    /// Whether it refers to other layers, or to parts of itself that stand in for others.
    pub refers: bool,
    pub format: &'static str,
}

impl Stage {
    pub fn new(format: &'static str) -> Self {
        Stage { prims: Vec::new(), z_up: false, metres: None, per_second: 24.0, refers: false, format }
    }

    /// Takes up what a layer says of itself.
    pub fn say(&mut self, key: &str, value: &Value) {
        let number = || value.numbers().first().copied().filter(|x| x.is_finite() && *x > 0.0);
        match key {
            "upAxis" => self.z_up = value.text() == Some("Z"),
            "metersPerUnit" => self.metres = number(),
            "timeCodesPerSecond" => self.per_second = number().unwrap_or(24.0),
            "subLayers" => self.refers = true,
            _ => {}
        }
    }

    /// Its meshes.
    pub fn into_file(self) -> Result<SampledFile> {
        // What a layer does not say is centimetres, by the rules of the format.
        let metres = self.metres.unwrap_or(0.01);
        let turn = if self.z_up { DMat4::from_rotation_x(-std::f64::consts::FRAC_PI_2) } else { DMat4::IDENTITY };
        let family = Family::new(&self);
        let shown = (0..self.prims.len()).filter(|&at| self.shown(at));
        let meshes: Vec<SampledMesh> = shown.map(|at| self.mesh(at, &family)).collect();
        let (to_world, warnings) = (turn * DMat4::from_scale(DVec3::splat(metres)), self.warnings());
        Ok(SampledFile { format: self.format, meshes, to_world, warnings })
    }

    /// Whether it is a mesh that is there and to be seen.
    fn shown(&self, at: usize) -> bool {
        let visible = |prim: &Prim| prim.text("visibility") != Some("invisible") && prim.defined;
        let drawn = |prim: &Prim| !matches!(prim.text("purpose"), Some("guide" | "proxy"));
        self.prims[at].kind == "Mesh" && self.up_from(at).all(|prim| visible(prim) && drawn(prim))
    }

    /// A prim and all that it is in.
    fn up_from(&self, at: usize) -> impl Iterator<Item = &Prim> {
        std::iter::successors(Some(&self.prims[at]), |prim| prim.parent.map(|parent| &self.prims[parent]))
    }

    fn warnings(&self) -> Vec<String> {
        let mut out = Vec::new();
        let said = match self.metres {
            Some(metres) if metres != 1.0 => Some(format!("its unit is {metres} m, as it says")),
            None => Some("it does not say its unit, which by the rules of USD is then 0.01 m".to_owned()),
            _ => None,
        };
        let up = self.z_up.then(|| "z is up, as it says".to_owned());
        let words: Vec<String> = said.into_iter().chain(up).collect();
        if !words.is_empty() {
            out.push(format!(
                "{}: it was turned to metres and y up, so `unit` and `up` need not say so",
                words.join(", and ")
            ));
        }
        if self.refers {
            out.push("it refers to other layers or has variants, which are not read: flatten it".into());
        }
        if self.prims.iter().any(|prim| prim.kind == "Skeleton") {
            let help = "export the moved points instead (in Blender: USD export without Armatures and Shape Keys)";
            out.push(format!("it has a skeleton, which does not play: {help}"));
        }
        out
    }

    fn mesh(&self, at: usize, family: &Family) -> SampledMesh {
        let prim = &self.prims[at];
        let get = |name: &str| prim.attributes.get(name);
        let first = |name: &str| get(name).map_or(Vec::new(), |attribute| attribute.first().indices());
        let points = get("points").map_or(Vec::new(), |attribute| self.samples(attribute, Value::points));
        let (counts, corners) = (first("faceVertexCounts"), first("faceVertexIndices"));
        SampledMesh {
            name: self.title(at, family).to_owned(),
            uvs: self.uvs(prim, &corners),
            sets: self.sets(at, family, counts.len()),
            frames: self.frames(at, family),
            painted: painted(prim),
            clockwise: prim.text("orientation") == Some("leftHanded"),
            counts,
            corners,
            points,
        }
    }

    /// From a prim's own frame to that of the file: its own first, then those that it is in.
    fn frames(&self, at: usize, family: &Family) -> Vec<Arc<Samples<DMat4>>> {
        let mut out = Vec::new();
        let mut here = Some(at);
        while let Some(prim) = here {
            if let Some(place) = &family.places[prim] {
                out.push(place.samples.clone());
                if place.reset {
                    break;
                }
            }
            here = self.prims[prim].parent;
        }
        out
    }

    /// What a mesh is called: if it is all that something stands for, what that is called.
    fn title(&self, at: usize, family: &Family) -> &str {
        let alone = |parent: usize| family.children[parent].len() == 1;
        let above = self.prims[at].parent.filter(|&parent| self.prims[parent].parent.is_some() && alone(parent));
        &self.prims[above.unwrap_or(at)].name
    }

    /// The samples of an attribute, by seconds; what it is without any.
    pub fn samples<T>(&self, attribute: &Attribute, of: impl Fn(&Value) -> T) -> Samples<T> {
        if attribute.samples.is_empty() {
            return vec![(0.0, of(&attribute.default))];
        }
        attribute.samples.iter().map(|(code, value)| (code / self.per_second, of(value))).collect()
    }

    /// The texture coordinates: those called `st`, or else the first there are.
    fn uvs(&self, prim: &Prim, corners: &[u32]) -> Option<CornerUvs> {
        let two = |name: &&String| name.starts_with("primvars:") && prim.attributes[*name].first().width() == 2;
        let usual = ["primvars:st", "primvars:UVMap", "primvars:uv"].map(str::to_owned);
        let known = usual.iter().find(|name| prim.attributes.contains_key(*name)).filter(two);
        let name = known.or_else(|| prim.attributes.keys().filter(two).min())?;
        let attribute = &prim.attributes[name];
        let uvs: Vec<[f64; 2]> = attribute.first().numbers().as_chunks::<2>().0.to_vec();
        let indices = prim.attributes.get(&format!("{name}:indices")).map(|list| list.first().indices());
        let of = |number: u32| match &indices {
            Some(list) => list.get(number as usize).copied().unwrap_or(u32::MAX),
            None => number,
        };
        let each: Vec<u32> = match attribute.interpolation.as_deref() {
            Some("faceVarying") => (0..corners.len() as u32).map(of).collect(),
            Some("vertex" | "varying") => corners.iter().map(|&vertex| of(vertex)).collect(),
            _ => return None,
        };
        // What does not fit is of another mesh: better none than wrong ones.
        each.iter().all(|&uv| (uv as usize) < uvs.len()).then_some((uvs, each))
    }

    /// Faces by the name of their subset or material.
    fn sets(&self, at: usize, family: &Family, faces: usize) -> Vec<(PartKind, String, Vec<u32>)> {
        let mut out = Vec::new();
        let below = family.children[at].iter().map(|&child| &self.prims[child]);
        let subsets = below.filter(|prim| prim.kind == "GeomSubset");
        for prim in subsets.filter(|prim| matches!(prim.text("elementType"), None | Some("face"))) {
            let indices = prim.attributes.get("indices").map_or(Vec::new(), |list| list.first().indices());
            out.push(match prim.target("material:binding") {
                Some(material) => (PartKind::Material, material.to_owned(), indices),
                None => (PartKind::Group, prim.name.clone(), indices),
            });
        }
        let whole =
            self.prims[at].target("material:binding").filter(|_| !out.iter().any(|set| set.0 == PartKind::Material));
        out.extend(whole.map(|name| (PartKind::Material, name.to_owned(), (0..faces as u32).collect())));
        out
    }
}

/// Who is in whom, and where.
struct Family {
    children: Vec<Vec<usize>>,
    places: Vec<Option<xform::Place>>,
}

impl Family {
    fn new(stage: &Stage) -> Self {
        let mut children = vec![Vec::new(); stage.prims.len()];
        for (at, prim) in stage.prims.iter().enumerate() {
            if let Some(parent) = prim.parent {
                children[parent].push(at);
            }
        }
        let places = stage.prims.iter().map(|prim| xform::place(prim, stage.per_second)).collect();
        Family { children, places }
    }
}

/// The primvars of a mesh that are numbers, but for texture coordinates.
fn painted(prim: &Prim) -> Vec<Painted> {
    let mut names: Vec<&String> = prim.attributes.keys().filter(|name| name.starts_with("primvars:")).collect();
    names.sort();
    let mut out = Vec::new();
    for name in names.into_iter().filter(|name| !name.ends_with(":indices") && !name.contains(":skel:")) {
        let attribute = &prim.attributes[name];
        let (value, width) = (attribute.first(), attribute.first().width());
        let mut values: Vec<f32> = value.numbers().iter().map(|&x| x as f32).collect();
        if values.is_empty() || width == 2 {
            continue;
        }
        if let Some(list) = prim.attributes.get(&format!("{name}:indices")) {
            let spread =
                list.first().indices().into_iter().flat_map(|i| (0..width).map(move |k| (i as usize) * width + k));
            values = spread.map(|at| values.get(at).copied().unwrap_or(f32::NAN)).collect();
        }
        let on = match attribute.interpolation.as_deref() {
            Some("vertex" | "varying") => On::Vertices,
            Some("faceVarying") => On::Corners,
            Some("uniform") => On::Faces,
            _ => On::Mesh,
        };
        let name = name.trim_start_matches("primvars:").to_owned();
        out.push(Painted { name, on, width, values });
    }
    out
}
