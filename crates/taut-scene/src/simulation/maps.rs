//! Painted maps of bodies: where they come from, what is selected by them and what varies with them.

use super::Object;
use super::build::Bodies;
use crate::read::maps::{self, Map};
use crate::read::{Part, parts};
use crate::scene::settings::{Cloth, MapFile, Select, Settings, Vary};
use crate::scene::{Scene, SceneError, did_you_mean};
use taut::limit::StretchBounds;
use taut::mesh::{Group, TriMesh};

/// What a body's vertices and triangles are called and painted with.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    pub maps: Vec<Map>,
    pub parts: Vec<Part>,
}

impl Marks {
    /// Adds the maps that come from files beside the scene, for a cloth at a dotted path with so many vertices. A
    /// list may as well be of the vertices of the mesh file, of which several became one: `given` says which.
    pub fn add_files(
        &mut self,
        scene: &Scene,
        path: &str,
        files: &[MapFile],
        vertices: usize,
        given: &[u32],
    ) -> Result<(), SceneError> {
        for (number, list) in files.iter().enumerate() {
            let at = format!("{path}.maps.{number}.file");
            let unreadable = |error: String| scene.error(&at, format!("`{at}` cannot be read: {error}"), Vec::new());
            let values = match scene.attached(&list.file) {
                Some(bytes) => maps::read_list(&list.file, bytes, list.column.as_deref()),
                None => {
                    let found = scene.asset(&at, &list.file)?;
                    let bytes = crate::read::load_regular(&found, crate::read::MAX_FILE_BYTES)
                        .map_err(|error| unreadable(format!("{}: {error}", list.file)))?;
                    maps::read_list(&list.file, &bytes, list.column.as_deref())
                }
            };
            let mut values = values.map_err(|error| unreadable(error.to_string()))?;
            if values.len() == given.len() && given.len() != vertices {
                let mut one = vec![0.0; vertices];
                given.iter().zip(values).rev().for_each(|(&vertex, value)| one[vertex as usize] = value);
                values = one;
            }
            if values.len() != vertices {
                let found = values.len();
                let message = format!("{} has {found} numbers, but the mesh has {vertices} vertices", list.file);
                return Err(unreadable(message));
            }
            self.maps.retain(|map| map.name != list.name);
            self.maps.push(Map { name: list.name.clone(), values });
        }
        Ok(())
    }

    /// The numbers of a map by its name; a group or part is 1 inside and 0 outside. All of them are finite.
    pub fn values(
        &self,
        scene: &Scene,
        path: &str,
        name: &str,
        groups: &[Group],
        triangles: &[[u32; 3]],
        vertices: usize,
    ) -> Result<Vec<f32>, SceneError> {
        if let Some(map) = maps::find(&self.maps, name) {
            return match map.values.iter().position(|value| !value.is_finite()) {
                None => Ok(map.values.clone()),
                Some(at) => {
                    let message = format!(
                        "`{path}`: the map {:?} is {} at vertex {at}; expected a number",
                        map.name, map.values[at]
                    );
                    Err(scene.error(path, message, Vec::new()))
                }
            };
        }
        let mut inside = vec![0.0; vertices];
        if let Some(group) = groups.iter().find(|group| group.name == name) {
            group.vertices.iter().for_each(|&v| inside[v as usize] = 1.0);
            return Ok(inside);
        }
        if let Some(chosen) = vertices_of_part(&self.parts, triangles, name) {
            chosen.into_iter().for_each(|v| inside[v as usize] = 1.0);
            return Ok(inside);
        }
        let names = || self.maps.iter().map(|map| map.name.as_str());
        let mut help: Vec<String> = did_you_mean(name, names()).into_iter().collect();
        help.push(match names().take(24).collect::<Vec<_>>()[..] {
            [] => "it has no maps; a file beside the scene becomes one by `maps = [{ name = …, file = … }]`".into(),
            ref some => format!("its maps: {}", some.join(", ")),
        });
        if !groups.is_empty() {
            let names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).take(24).collect();
            help.push(format!("its groups: {}", names.join(", ")));
        }
        help.extend(parts::list(&self.parts));
        Err(scene.error(path, format!("`{path}` is {name:?}, but there is no map called that"), help))
    }

    /// What each triangle of a cloth is made of and how far it may be stretched, where it varies; else nothing.
    pub fn vary(
        &self,
        scene: &Scene,
        path: &str,
        cloth: &Cloth,
        mesh: &TriMesh,
    ) -> Result<(Vec<taut::Cloth>, Vec<StretchBounds>), SceneError> {
        let list = &cloth.paint.vary;
        let count = mesh.triangles.len();
        let varies = |is: fn(&Vary) -> bool| list.iter().any(is);
        let mut each = if list.is_empty() { Vec::new() } else { vec![cloth.material.params(); count] };
        let mut limits = if varies(Vary::limits) { vec![StretchBounds::NONE; count] } else { Vec::new() };
        for (number, vary) in list.iter().enumerate() {
            if vary.is_empty() {
                let at = format!("{path}.vary.{number}");
                let help = "say what it is where the map is 0 and where it is 1: density = [1, 2]".to_owned();
                return Err(scene.error(&at, format!("`{at}` varies nothing"), vec![help]));
            }
            let at = format!("{path}.vary.{number}.map");
            let values = self.values(scene, &at, &vary.map, &mesh.groups, &mesh.triangles, mesh.positions.len())?;
            for (t, triangle) in mesh.triangles.iter().enumerate() {
                let sum: f64 = triangle.iter().map(|&v| f64::from(values[v as usize]).clamp(0.0, 1.0)).sum();
                vary.apply(&mut each[t], sum / 3.0);
                if let Some(limit) = limits.get_mut(t) {
                    *limit = limit.and(&vary.bounds(sum / 3.0));
                }
            }
        }
        Ok((each, limits))
    }
}

impl Marks {
    /// Factors on the thickness and friction of each vertex, over the largest; nothing if they do not vary.
    pub fn vary_contact(
        &self,
        scene: &Scene,
        path: &str,
        cloth: &Cloth,
        mesh: &TriMesh,
    ) -> Result<Vec<[f64; 2]>, SceneError> {
        let list = &cloth.paint.vary;
        let varies = list.iter().any(Vary::meets);
        let mut each = if varies { vec![[1.0; 2]; mesh.positions.len()] } else { Vec::new() };
        for (number, vary) in list.iter().enumerate().filter(|(_, vary)| vary.meets()) {
            let at = format!("{path}.vary.{number}.map");
            let values = self.values(scene, &at, &vary.map, &mesh.groups, &mesh.triangles, each.len())?;
            for (factors, value) in each.iter_mut().zip(values) {
                let own = vary.contact(f64::from(value).clamp(0.0, 1.0));
                *factors = [factors[0] * own[0], factors[1] * own[1]];
            }
        }
        Ok(each)
    }
}

/// The vertices of the triangles of all parts with a name, ascending; nothing if none has it.
pub(super) fn vertices_of_part(all: &[Part], triangles: &[[u32; 3]], name: &str) -> Option<Vec<u32>> {
    let mut named = all.iter().filter(|part| part.name == name).peekable();
    named.peek()?;
    let numbers = named.flat_map(|part| &part.triangles).filter_map(|&t| triangles.get(t as usize));
    let mut vertices: Vec<u32> = numbers.flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    Some(vertices)
}

/// What is said of maps that a mesh brings and nothing uses, but for colours, which may be there to be seen.
pub(super) fn unused(settings: &Settings, bodies: &Bodies) -> Vec<String> {
    let mut out = Vec::new();
    for object in &bodies.objects {
        let name = &object.info.name;
        let selects = settings.pin.iter().filter(|pin| pin.body == *name).map(|pin| &pin.select);
        let holds = settings.pin.iter().filter(|pin| pin.body == *name).filter_map(|pin| pin.hold.map());
        let selects = selects.chain(settings.weight.iter().filter(|w| w.body == *name).map(|w| &w.select));
        let selects = selects.chain(settings.crease.iter().filter(|c| c.body == *name).map(|c| &c.select));
        let selects = selects.chain(settings.join.iter().filter(|j| j.body == *name).map(|j| &j.select));
        let selects = selects.chain(settings.join.iter().filter(|j| j.to == *name).filter_map(|j| j.onto.as_ref()));
        let mut used: Vec<&str> = selects
            .filter_map(|select| match select {
                Select::Where(table) => table.map.as_deref(),
                Select::All => None,
            })
            .collect();
        let cloth = settings.cloth.iter().find(|cloth| cloth.shape.name == *name);
        used.extend(holds);
        used.extend(settings.pressure.iter().filter(|p| p.body == *name).filter_map(|p| p.map.as_deref()));
        used.extend(cloth.into_iter().flat_map(|cloth| &cloth.paint.vary).map(|vary| vary.map.as_str()));
        let used: Vec<&str> = used
            .into_iter()
            .filter_map(|name| maps::find(&object.marks.maps, name))
            .map(|map| map.name.as_str())
            .collect();
        for map in object.marks.maps.iter().filter(|map| !map.is_colour() && !used.contains(&map.name.as_str())) {
            let range = map.range().map_or(String::new(), |[low, high]| format!(" ({low} to {high})"));
            out.push(format!(
                "nothing uses the map {:?} of {name:?}{range}: `select = {{ map = … }}` and `vary` do",
                map.name
            ));
        }
    }
    out
}

impl Object {
    /// The vertices where a map is above one number and not above another, ascending.
    pub(super) fn painted(
        &self,
        scene: &Scene,
        path: &str,
        name: &str,
        [above, below]: [Option<f64>; 2],
    ) -> Result<Vec<u32>, SceneError> {
        let (count, triangles) = (self.info.rest.len(), &self.info.triangles);
        let values = self.marks.values(scene, &format!("{path}.map"), name, &self.groups, triangles, count)?;
        let low = above.unwrap_or(if below.is_some() { f64::NEG_INFINITY } else { HALF });
        let high = below.unwrap_or(f64::INFINITY);
        let chosen = (0..).zip(values).filter(|(_, value)| f64::from(*value) > low && f64::from(*value) < high);
        Ok(chosen.map(|(vertex, _): (u32, f32)| vertex).collect())
    }
}

/// Above this a map counts as painted if nothing else is said.
const HALF: f64 = 0.5;
