//! From a glTF document to a scene and a mesh.

use std::collections::HashSet;

use taut::mesh::TriMesh;

use super::accessor::Accessors;
use super::container::Document;
use super::json::{self, Root};
use super::primitive::{Gathered, gather};
use super::scene::{Body, Joint, Scene, Skin};
use super::track::read_tracks;
use super::transform::{Placement, from_columns};
use crate::read::error::{ReadError, Result, count, quote};
use crate::read::groups::Groups;
use crate::read::maps::{Columns, Map};
use crate::read::parts::{Part, PartKind};
use crate::read::{MOST_NAMES, Options, Pick, ignored_attributes};
use glam::{DAffine3, DQuat, DVec3};

/// What a document comes to.
pub(crate) struct Built {
    pub scene: Scene,
    /// In its rest pose.
    pub mesh: TriMesh,
    pub parts: Vec<Part>,
    pub maps: Vec<Map>,
    pub warnings: Vec<String>,
}

/// A mesh to read: its index, and the node it hangs on.
type Instance = (usize, Option<usize>);

pub(super) fn build(file: &str, document: &Document, options: &Options) -> Result<Built> {
    let root = &document.root;
    let (nodes, order) = build_nodes(file, root)?;
    let accessors = Accessors::new(file, document);
    let mut scene = Scene { nodes, order, bodies: Vec::new(), tracks: Vec::new() };
    let mut flat = Flat::default();
    let placements: Vec<_> = scene.nodes.iter().map(|node| node.placement).collect();
    let globals = scene.globals(&placements);
    for (mesh, node) in pick(file, root, options)? {
        let mut gathered = gather(file, root, &accessors, mesh)?;
        gathered.body.node = node;
        if let Some(skin) = node.and_then(|node| root.nodes[node].skin) {
            gathered.body.skin = Some(read_skin(file, root, &accessors, skin)?);
            check_influences(file, mesh, &mut gathered.body)?;
        }
        gathered.body.weights = start_weights(root, mesh, node, gathered.body.targets.len());
        let mirrors =
            gathered.body.skin.is_none() && node.is_some_and(|node| globals[node].matrix3.determinant() < 0.0);
        let name = node.and_then(|node| root.nodes[node].name.as_ref()).or(root.meshes[mesh].name.as_ref());
        let added = gathered.body.positions.len();
        flat.add(root, &mut gathered, name.map(String::as_str), mirrors);
        // A map that one body has is there for all, and takes less than a quarter of what a number may.
        accessors.spend(flat.maps.maps().len() * added / 4)?;
        scene.bodies.push(gathered.body);
    }
    let mut targets = vec![0; scene.nodes.len()];
    for body in &scene.bodies {
        if let Some(node) = body.node {
            targets[node] = body.targets.len();
        }
    }
    scene.tracks = read_tracks(file, root, &accessors, options, &targets)?;
    let (parts, maps) = (flat.take_parts(), std::mem::take(&mut flat.maps).finish());
    let (mesh, warnings) = flat.finish(file, &scene)?;
    Ok(Built { scene, mesh, parts, maps, warnings })
}

/// The nodes with their parents, and an order in which parents come first.
fn build_nodes(file: &str, root: &Root) -> Result<(Vec<Joint>, Vec<usize>)> {
    let mut nodes: Vec<Joint> =
        root.nodes.iter().map(|node| Joint { parent: None, placement: placement(node) }).collect();
    for (parent, node) in root.nodes.iter().enumerate() {
        for &child in &node.children {
            let fail = |message: String| ReadError::item(file, format!("nodes[{parent}]"), message);
            let Some(joint) = nodes.get_mut(child) else {
                return Err(fail(format!("its child is nodes[{child}], but the file has {} nodes", root.nodes.len())));
            };
            if let Some(other) = joint.parent.replace(parent) {
                return Err(fail(format!("its child nodes[{child}] is also a child of nodes[{other}]")));
            }
        }
    }
    let mut order: Vec<usize> = (0..nodes.len()).filter(|&i| nodes[i].parent.is_none()).collect();
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        order.extend(&root.nodes[node].children);
        next += 1;
    }
    if order.len() < nodes.len() {
        // Every node has one parent at most, so what no root leads to goes round in circles.
        let reached: HashSet<usize> = order.iter().copied().collect();
        let lost = (0..nodes.len()).find(|i| !reached.contains(i)).unwrap_or_default();
        return Err(ReadError::item(file, format!("nodes[{lost}]"), "is among its own ancestors"));
    }
    Ok((nodes, order))
}

fn placement(node: &json::Node) -> Placement {
    match &node.matrix {
        Some(matrix) => Placement::Fixed(from_columns(matrix)),
        None => Placement::Parts {
            translation: node.translation.map_or(DVec3::ZERO, DVec3::from),
            rotation: node.rotation.map_or(DQuat::IDENTITY, DQuat::from_array),
            scale: node.scale.map_or(DVec3::ONE, DVec3::from),
        },
    }
}

/// The meshes to read, in the order in which the scene holds them.
fn pick(file: &str, root: &Root, options: &Options) -> Result<Vec<Instance>> {
    let all = instances(file, root)?;
    let picked: Vec<Instance> = match &options.pick {
        Pick::All => all,
        Pick::First => all.into_iter().take(1).collect(),
        Pick::Named(wanted) => {
            let is_named = |name: &Option<String>| name.as_ref() == Some(wanted);
            let fits = |&(mesh, node): &Instance| {
                is_named(&root.meshes[mesh].name) || node.is_some_and(|node| is_named(&root.nodes[node].name))
            };
            let in_scene: Vec<Instance> = all.iter().copied().filter(fits).collect();
            let outside = || (0..root.meshes.len()).filter(|&mesh| is_named(&root.meshes[mesh].name));
            let found = if in_scene.is_empty() { outside().map(|mesh| (mesh, None)).collect() } else { in_scene };
            if found.is_empty() {
                let known = super::name_list(root.meshes.iter().filter_map(|mesh| mesh.name.as_deref()));
                return Err(ReadError::file(file, format!("there is no mesh {}; {known}", quote(wanted.as_bytes()))));
            }
            found
        }
    };
    if picked.is_empty() {
        return Err(ReadError::file(file, "the scene holds no meshes"));
    }
    Ok(picked)
}

/// All meshes of the default scene, depth first; without a scene those of all nodes; without nodes all meshes.
fn instances(file: &str, root: &Root) -> Result<Vec<Instance>> {
    if root.nodes.is_empty() {
        return Ok((0..root.meshes.len()).map(|mesh| (mesh, None)).collect());
    }
    let chosen = root.scene.unwrap_or(0);
    let mut waiting: Vec<usize> = match root.scenes.get(chosen) {
        Some(scene) => scene.nodes.clone(),
        None if root.scene.is_some() => {
            let message = format!("it is {chosen}, but the file has {} scenes", root.scenes.len());
            return Err(ReadError::item(file, "scene", message));
        }
        None => {
            let children: HashSet<usize> = root.nodes.iter().flat_map(|node| node.children.iter().copied()).collect();
            (0..root.nodes.len()).filter(|node| !children.contains(node)).collect()
        }
    };
    waiting.reverse();
    let mut seen = vec![false; root.nodes.len()];
    let mut found = Vec::new();
    while let Some(index) = waiting.pop() {
        let Some(node) = root.nodes.get(index) else {
            let message = format!("it holds nodes[{index}], but the file has {} nodes", root.nodes.len());
            return Err(ReadError::item(file, format!("scenes[{chosen}]"), message));
        };
        if std::mem::replace(&mut seen[index], true) {
            continue;
        }
        if let Some(mesh) = node.mesh {
            if mesh >= root.meshes.len() {
                let message = format!("its mesh is meshes[{mesh}], but the file has {} meshes", root.meshes.len());
                return Err(ReadError::item(file, format!("nodes[{index}]"), message));
            }
            found.push((mesh, Some(index)));
        }
        waiting.extend(node.children.iter().rev());
    }
    Ok(found)
}

fn read_skin(file: &str, root: &Root, accessors: &Accessors, index: usize) -> Result<Skin> {
    let fail = |message: String| ReadError::item(file, format!("skins[{index}]"), message);
    let skin = root.skins.get(index).ok_or_else(|| fail(format!("not there: the file has {}", root.skins.len())))?;
    if let Some(&joint) = skin.joints.iter().find(|&&joint| joint >= root.nodes.len()) {
        return Err(fail(format!("a joint is nodes[{joint}], but the file has {} nodes", root.nodes.len())));
    }
    if skin.joints.is_empty() {
        return Err(fail("has no joints".into()));
    }
    // An identity for each is as much as three numbers.
    accessors.spend(3 * skin.joints.len())?;
    let inverse_bind = match skin.inverse_bind_matrices {
        None => vec![DAffine3::IDENTITY; skin.joints.len()],
        Some(matrices) => {
            let numbers = accessors.floats(matrices, "MAT4")?;
            let matrix = |m: &[f32]| from_columns(&std::array::from_fn(|k| f64::from(m[k])));
            numbers.chunks_exact(16).map(matrix).collect()
        }
    };
    if inverse_bind.len() < skin.joints.len() {
        let (joints, matrices) = (skin.joints.len(), inverse_bind.len());
        return Err(fail(format!("has {joints} joints, but {matrices} inverse bind matrices")));
    }
    Ok(Skin { joints: skin.joints.clone(), inverse_bind })
}

/// Every vertex must be held by joints that exist, with weights that add up to 1.
fn check_influences(file: &str, mesh: usize, body: &mut Body) -> Result<()> {
    let fail = |message: String| ReadError::item(file, format!("meshes[{mesh}]"), message);
    let joints = body.skin.as_ref().map_or(0, |skin| skin.joints.len());
    if body.influences_each == 0 {
        return Err(fail("is skinned, but has no JOINTS_0 and WEIGHTS_0".into()));
    }
    for influences in body.influences.chunks_exact_mut(body.influences_each) {
        let sum: f32 = influences.iter().map(|i| i.1).sum();
        for (joint, weight) in influences.iter_mut() {
            if *weight != 0.0 && *joint as usize >= joints {
                return Err(fail(format!("a vertex hangs on joint {joint}, but the skin has {joints} joints")));
            }
            *weight = if sum > 0.0 && (*weight / sum).is_finite() { *weight / sum } else { 0.0 };
        }
        // A vertex that nothing holds would fall to the origin; the first joint is the skin's root.
        if sum <= 0.0 || sum.is_infinite() {
            influences[0] = (0, 1.0);
        }
    }
    Ok(())
}

fn start_weights(root: &Root, mesh: usize, node: Option<usize>, targets: usize) -> Vec<f64> {
    let weights = node.and_then(|node| root.nodes[node].weights.as_ref()).or(root.meshes[mesh].weights.as_ref());
    let mut weights: Vec<f64> = weights.into_iter().flatten().copied().take(targets).collect();
    weights.resize(targets, 0.0);
    weights
}

/// The one mesh that all bodies together make.
#[derive(Default)]
struct Flat {
    mesh: TriMesh,
    vertices: usize,
    groups: Groups,
    materials: Groups,
    bones: Groups,
    maps: Columns,
    mixed: usize,
    bodies: usize,
    bodies_with_uvs: usize,
    skipped: usize,
    ignored: Vec<String>,
}

impl Flat {
    fn add(&mut self, root: &Root, gathered: &mut Gathered, name: Option<&str>, mirrors: bool) {
        // The budget of numbers keeps all of these far below 2³².
        let (first, first_uv) = (self.vertices as u32, self.mesh.uvs.len() as u32);
        // A mirrored body would show its inside.
        let turn = |t: &[u32; 3], by: u32| if mirrors { [t[0], t[2], t[1]] } else { *t }.map(|v| v + by);
        let first_triangle = self.mesh.triangles.len() as u32;
        self.mesh.triangles.extend(gathered.triangles.iter().map(|t| turn(t, first)));
        self.add_parts(root, gathered, name, first_triangle);
        self.mesh.uv_triangles.extend(gathered.uv_triangles.iter().map(|t| turn(t, first_uv)));
        self.mesh.uvs.append(&mut gathered.uvs);
        let added = gathered.body.positions.len();
        self.maps.grow(added);
        for map in gathered.maps.maps() {
            let Some(id) = self.maps.id(&map.name) else { continue };
            map.values.iter().enumerate().for_each(|(row, &value)| self.maps.set(id, first as usize + row, value));
        }
        self.mixed += gathered.mixed;
        self.vertices += added;
        if let Some(name) = name {
            let id = self.groups.id(name);
            self.groups.add(id, first..first + added as u32);
        }
        self.bodies += 1;
        self.bodies_with_uvs += usize::from(gathered.has_uvs);
        self.skipped += gathered.skipped;
        for name in &gathered.ignored {
            if self.ignored.len() < MOST_NAMES && !self.ignored.contains(name) {
                self.ignored.push(name.clone());
            }
        }
    }

    /// Notes what the triangles of a body belong to; the first of them has the number `first`.
    fn add_parts(&mut self, root: &Root, gathered: &Gathered, name: Option<&str>, first: u32) {
        if let Some(name) = name {
            let id = self.groups.id(name);
            self.groups.add_triangles(id, first..first + gathered.triangles.len() as u32);
        }
        let mut start = 0;
        for &(end, material) in &gathered.materials {
            let material = material.and_then(|material| root.materials.get(material)?.name.as_deref());
            if let Some(name) = material {
                let id = self.materials.id(name);
                self.materials.add_triangles(id, first + start as u32..first + end as u32);
            }
            start = end;
        }
        let Some(skin) = &gathered.body.skin else { return };
        for (number, triangle) in (first..).zip(&gathered.triangles) {
            let joint = skin.joints.get(gathered.body.strongest(triangle));
            if let Some(name) = joint.and_then(|&joint| root.nodes[joint].name.as_deref()) {
                let id = self.bones.id(name);
                self.bones.add_triangles(id, [number]);
            }
        }
    }

    fn take_parts(&mut self) -> Vec<Part> {
        let mut parts = self.groups.take_parts(PartKind::Node);
        parts.extend(self.materials.take_parts(PartKind::Material));
        parts.extend(self.bones.take_parts(PartKind::Bone));
        parts
    }

    fn finish(mut self, file: &str, scene: &Scene) -> Result<(TriMesh, Vec<String>)> {
        let mut warnings: Vec<String> = ignored_attributes(&self.ignored).into_iter().collect();
        if self.mixed > 0 {
            let many = count(self.mixed, "vertex has", "vertices have");
            warnings.push(format!("{many} several colours or other numbers at one place: the first count"));
        }
        if self.skipped > 0 {
            warnings.push(format!("{} of points or lines skipped", count(self.skipped, "primitive", "primitives")));
        }
        if self.mesh.triangles.is_empty() {
            return Err(ReadError::file(file, "the scene holds no triangles"));
        }
        if self.bodies_with_uvs < self.bodies {
            if !self.mesh.uvs.is_empty() {
                warnings.push("some parts have no texture coordinates; those of the others are ignored".into());
            }
            self.mesh.uvs.clear();
            self.mesh.uv_triangles.clear();
        }
        scene.positions_at(None, &mut self.mesh.positions);
        if let Some(vertex) = self.mesh.positions.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(ReadError::file(file, format!("its nodes place vertex {vertex} at infinity")));
        }
        self.mesh.groups = self.groups.finish();
        Ok((self.mesh, warnings))
    }
}
