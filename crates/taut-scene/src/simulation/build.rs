//! From a scene to bodies: meshes made or read, placed and given to the engine.

use super::extras::{Extras, Made};
use super::maps::{self, Marks};
use super::soft::{self, Pull};
use super::{Object, ObjectKind, weights, weld};
use crate::generate::{GenerateError, MAX_ELEMENTS, Transform, frames_along, frames_around, frames_from_surface};
use crate::read::{self, PartKind, parts};
use crate::scene::settings::{Cap, Cloth, Colour, FileFrame, Frames, Solid, Weld};
use crate::scene::{Scene, SceneError};
use crate::write::{FieldOn, ObjectInfo};
use taut::mesh::{Group, TetMesh, TriMesh};
use taut::{BuildError, Grain, ModelBuilder};

/// What is read of a surface: its mesh, what it is painted with, and as the file has it.
type Read = (TriMesh, Marks, read::Given);

/// Everything made from the scene's bodies.
pub(super) struct Bodies {
    pub builder: ModelBuilder,
    pub objects: Vec<Object>,
    /// First vertices of bodies that do not begin at rest, and where all their vertices begin, m.
    pub starts: Vec<(u32, Vec<[f64; 3]>)>,
    /// What was odd about files.
    pub warnings: Vec<String>,
    /// For each pin of the scene where it pulls to, if it does not hold fast.
    pub pulls: Vec<Option<Pull>>,
    /// Joins, folds and air.
    pub extras: Extras,
    /// The mass of each vertex of each object, kg; of solids nothing.
    masses: Vec<Vec<f64>>,
    /// Triangles and tetrahedra so far.
    elements: usize,
}

/// Colours for bodies that ask for none, in turn.
const COLOURS: [Colour; 6] = [
    Colour([0xc2, 0x45, 0x2d]),
    Colour([0x2f, 0x6f, 0x9f]),
    Colour([0xd9, 0x9a, 0x2b]),
    Colour([0x4d, 0x8b, 0x57]),
    Colour([0x8a, 0x4f, 0x9e]),
    Colour([0x3b, 0x8f, 0x8c]),
];

impl Bodies {
    pub fn new(scene: &Scene) -> Result<Self, SceneError> {
        let (objects, starts, warnings) = (Vec::new(), Vec::new(), Vec::new());
        let (pulls, masses, builder) = (Vec::new(), Vec::new(), ModelBuilder::new());
        let extras = Extras::default();
        let mut bodies = Bodies { builder, objects, starts, warnings, pulls, extras, masses, elements: 0 };
        for (at, cloth) in scene.settings.cloth.iter().enumerate() {
            bodies.add_cloth(scene, &scene.element_path("cloth", at), cloth)?;
        }
        for (at, solid) in scene.settings.solid.iter().enumerate() {
            bodies.add_solid(scene, &scene.element_path("solid", at), solid)?;
        }
        weights::add(scene, &mut bodies)?;
        bodies.add_pulls(scene)?;
        let unused = maps::unused(&scene.settings, &bodies);
        bodies.warnings.extend(unused);
        scene.settings.limits().into_iter().for_each(|limit| bodies.builder.limit(limit));
        Ok(bodies)
    }

    fn add_cloth(&mut self, scene: &Scene, path: &str, cloth: &Cloth) -> Result<(), SceneError> {
        let (mesh, mut marks, given) = match &cloth.shape.generate {
            Some(generate) => {
                let mesh = generate.mesh().map_err(generator(scene, path, "generate"))?;
                (mesh, Marks::default(), read::Given::default())
            }
            None => self.read_surface(scene, path, cloth)?,
        };
        marks.add_files(scene, path, &cloth.paint.maps, mesh.positions.len(), &given.vertices)?;
        self.count(scene, path, mesh.triangles.len())?;
        let place =
            Transform { scale: cloth.place.scale.0, rotate: cloth.place.rotate.0, translate: cloth.place.translate };
        let start = cloth.shape.generate.as_ref().map_or(Ok(None), |generate| generate.start());
        let start = start.map_err(generator(scene, path, "generate"))?;
        // Placed as the mesh is, whatever the transform does.
        let start = start.map(|positions| place.tri_mesh(TriMesh { positions, ..TriMesh::default() }));
        let start = start.transpose().map_err(generator(scene, path, ""))?.map(|mesh| mesh.positions);
        let mut mesh = place.tri_mesh(mesh).map_err(generator(scene, path, ""))?;
        let start = match &cloth.shape.rest_mesh {
            Some(file) => {
                let rest = self.rest_positions(scene, path, cloth, file, (&given, mesh.positions.len()))?;
                let rest = place.tri_mesh(TriMesh { positions: rest, ..TriMesh::default() });
                let rest = rest.map_err(generator(scene, path, ""))?.positions;
                Some(std::mem::replace(&mut mesh.positions, rest))
            }
            None => start,
        };
        let (each, limits) = marks.vary(scene, path, cloth, &mesh)?;
        let params = cloth.material.params();
        self.masses.push(masses(&mesh, &params, &each));
        let base = self.builder.add_cloth_of(&cloth.shape.name, &mesh, &params, &each, limits);
        let base = base.map_err(builder(scene, path))?;
        let meets = marks.vary_contact(scene, path, cloth, &mesh)?;
        if !meets.is_empty() {
            self.builder.paint_contact(base, meets).map_err(builder(scene, path))?;
        }
        let mut info = ObjectInfo::from_triangles(&cloth.shape.name, &mesh).with_velocities();
        (info.notes, info.given) = (notes(cloth), given);
        let fields = ["weft", "warp", "shear", "area"];
        let info = fields.iter().fold(info, |info, name| info.with_field(name, FieldOn::Triangles));
        self.starts.extend(start.map(|start| (base, start)));
        self.push(ObjectKind::Cloth, info, (mesh.groups, marks), base, cloth.surface.colour);
        Ok(())
    }

    /// Adds the rows of pins that give, and of joins, folds and air.
    fn add_pulls(&mut self, scene: &Scene) -> Result<(), SceneError> {
        let start = |object: &Object| {
            let known = self.starts.iter().find(|(base, _)| *base == object.vertices.start);
            known.map_or_else(|| object.info.rest.clone(), |(_, places)| places.clone())
        };
        let starts: Vec<_> = self.objects.iter().map(start).collect();
        self.pulls = soft::add(scene, &self.objects, &mut self.builder, &starts, &self.masses)?;
        let (objects, builder, starts, masses) = (&self.objects, &mut self.builder, &starts, &self.masses);
        self.extras = Extras::add(scene, &mut Made { objects, builder, starts, masses })?;
        Ok(())
    }

    fn add_solid(&mut self, scene: &Scene, path: &str, solid: &Solid) -> Result<(), SceneError> {
        let mesh = match &solid.shape.generate {
            Some(generate) => generate.mesh().map_err(generator(scene, path, "generate"))?,
            None => self.read_tets(scene, path, solid)?,
        };
        self.count(scene, path, mesh.tets.len())?;
        let place =
            Transform { scale: solid.place.scale.0, rotate: solid.place.rotate.0, translate: solid.place.translate };
        let mut mesh = place.tet_mesh(mesh).map_err(generator(scene, path, ""))?;
        align(&mut mesh, solid.material.frames).map_err(generator(scene, path, "frames"))?;
        self.masses.push(Vec::new());
        let base =
            self.builder.add_solid(&solid.shape.name, &mesh, &solid.material.params()).map_err(builder(scene, path))?;
        let info = ObjectInfo::from_tets(&solid.shape.name, &mesh).with_velocities();
        let fields = ["stretch", "volume"];
        let info = fields.iter().fold(info, |info, name| info.with_field(name, FieldOn::Tets));
        self.push(ObjectKind::Solid, info, (mesh.groups, Marks::default()), base, solid.surface.colour);
        Ok(())
    }

    /// Refuses bodies that are too much together, though each of them is not.
    fn count(&mut self, scene: &Scene, path: &str, elements: usize) -> Result<(), SceneError> {
        self.elements += elements;
        if self.elements <= MAX_ELEMENTS as usize {
            return Ok(());
        }
        let (all, most) = (self.elements, MAX_ELEMENTS);
        let message =
            format!("`{path}` and the bodies before it have {all} triangles and tetrahedra; expected at most {most}");
        Err(scene.error(path, message, Vec::new()))
    }

    fn push(
        &mut self,
        kind: ObjectKind,
        info: ObjectInfo,
        (groups, marks): (Vec<Group>, Marks),
        base: u32,
        colour: Option<Colour>,
    ) {
        let vertices = base..base + info.rest.len() as u32;
        let colour = colour.unwrap_or(COLOURS[self.objects.len() % COLOURS.len()]);
        let (surface, surface_tets) = (Vec::new(), Vec::new());
        self.objects.push(Object { kind, info, groups, marks, colour, surface, surface_tets, vertices });
    }

    fn read_surface(&mut self, scene: &Scene, path: &str, cloth: &Cloth) -> Result<Read, SceneError> {
        let file = self.read(scene, (path, "mesh"), cloth.shape.mesh.as_deref(), cloth.shape.part.as_deref())?;
        let (mut maps, mut given, parts, format) = (file.maps, file.given, file.parts, file.format);
        let mut mesh = file.surface.ok_or_else(|| {
            let message = format!("`{path}.mesh` has no triangles ({format}); expected a surface");
            scene.error(&format!("{path}.mesh"), message, Vec::new())
        })?;
        if let Some(split) = read::Given::of_split(&mesh).filter(|_| format.contains("glTF")) {
            given = split;
        }
        given.object = given.object.or_else(|| parts::only(&parts, PartKind::Node));
        let frame = FileFrame { up: cloth.shape.up, unit: cloth.shape.unit };
        mesh.positions.iter_mut().for_each(|p| *p = frame.point(*p));
        match cloth.shape.weld {
            Some(Weld(Cap::At(distance))) => drop(weld::weld(&mut mesh, &mut maps, &mut given, distance)),
            Some(Weld(Cap::Off)) => {}
            None => self.warnings.extend(weld::weld_seams(&cloth.shape.name, &mut mesh, &mut maps, &mut given)),
        }
        given.name_faces(&parts);
        Ok((mesh, Marks { maps, parts }, given))
    }

    /// Where the vertices of a cloth are in the mesh whose shape counts as unstretched, m, before it is placed.
    fn rest_positions(
        &mut self,
        scene: &Scene,
        path: &str,
        cloth: &Cloth,
        file: &str,
        (given, vertices): (&read::Given, usize),
    ) -> Result<Vec<[f64; 3]>, SceneError> {
        let at = format!("{path}.rest_mesh");
        let found = self.read(scene, (path, "rest_mesh"), Some(file), cloth.shape.part.as_deref())?;
        let frame = FileFrame { up: cloth.shape.up, unit: cloth.shape.unit };
        let mut positions = found.surface.unwrap_or_default().positions;
        positions.iter_mut().for_each(|p| *p = frame.point(*p));
        if positions.len() == given.vertices.len() && positions.len() != vertices {
            let mut one = vec![[0.0; 3]; vertices];
            given.vertices.iter().zip(positions).rev().for_each(|(&vertex, place)| one[vertex as usize] = place);
            positions = one;
        }
        if positions.len() != vertices {
            let many = positions.len();
            let message = format!("`{at}`: {file} has {many} vertices, but the mesh of the cloth has {vertices}");
            return Err(scene.error(&at, message, Vec::new()));
        }
        Ok(positions)
    }

    fn read_tets(&mut self, scene: &Scene, path: &str, solid: &Solid) -> Result<TetMesh, SceneError> {
        let file = self.read(scene, (path, "mesh"), solid.shape.mesh.as_deref(), None)?;
        file.tets.ok_or_else(|| {
            let message = format!("`{path}.mesh` has no tetrahedra ({}); expected some", file.format);
            let help = "make them from a surface with Gmsh or TetGen".to_owned();
            scene.error(&format!("{path}.mesh"), message, vec![help])
        })
    }

    /// What the mesh file of a body holds. Messages call it as the scene does.
    fn read(
        &mut self,
        scene: &Scene,
        (path, key): (&str, &str),
        file: Option<&str>,
        part: Option<&str>,
    ) -> Result<read::MeshFile, SceneError> {
        let at = format!("{path}.{key}");
        let name = file.unwrap_or_default();
        let pick = part.map_or(read::Pick::All, |part| read::Pick::Named(part.to_owned()));
        let options = read::Options { pick, memory: scene.memory(), ..read::Options::default() };
        let mesh = match scene.attached(name) {
            Some(bytes) => read::read_bytes(&read::Source::new(name, bytes), &options),
            None => {
                let found = scene.asset(&at, name)?;
                read::read_mesh(&found, &options).map_err(|error| error.calling(&found, name))
            }
        };
        let mesh = mesh.map_err(|error| scene.error(&at, format!("`{at}` cannot be read: {error}"), Vec::new()))?;
        self.warnings.extend(mesh.warnings.iter().map(|warning| format!("{name}: {warning}")));
        Ok(mesh)
    }
}

/// The mass of each vertex of a cloth, kg: a third of its triangles.
fn masses(mesh: &TriMesh, all: &taut::Cloth, each: &[taut::Cloth]) -> Vec<f64> {
    let mut masses = vec![0.0; mesh.positions.len()];
    for (number, triangle) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = triangle.map(|v| glam::DVec3::from(mesh.positions[v as usize]));
        let mass = each.get(number).unwrap_or(all).density * 0.5 * (b - a).cross(c - a).length();
        triangle.iter().for_each(|&v| masses[v as usize] += mass / 3.0);
    }
    masses
}

/// What the rest mesh does not show of a cloth: which way its grain runs, and which lengths are unstretched.
fn notes(cloth: &Cloth) -> Vec<String> {
    let words = |numbers: &[f64]| numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    let weft = match cloth.material.grain.0 {
        Grain::Uv(along) => format!("taut weft: texture coordinates, else along {}", words(&along)),
        Grain::Direction(along) => format!("taut weft: along {}", words(&along)),
    };
    let rest = cloth.material.rest_stretch.at(0.0);
    let stretched = (rest != [1.0; 2]).then(|| format!("taut rest stretch: {}", words(&rest)));
    [weft].into_iter().chain(stretched).collect()
}

/// Aligns the material's axes as the scene asks.
fn align(mesh: &mut TetMesh, frames: Frames) -> Result<(), GenerateError> {
    match frames {
        Frames::Mesh => Ok(()),
        Frames::World => {
            mesh.frames.clear();
            Ok(())
        }
        Frames::Ring => {
            let count = mesh.positions.len().max(1) as f64;
            let middle = std::array::from_fn(|k| mesh.positions.iter().map(|p| p[k]).sum::<f64>() / count);
            frames_around(mesh, middle, [0.0, 1.0, 0.0])
        }
        Frames::Surface => frames_from_surface(mesh, [0.0, 1.0, 0.0]),
        Frames::Along(direction) => frames_along(mesh, direction),
    }
}

/// A generator's error, at the key it is about.
pub(super) fn generator<'a>(
    scene: &'a Scene,
    path: &'a str,
    section: &'a str,
) -> impl Fn(GenerateError) -> SceneError + 'a {
    move |error| {
        let at = if section.is_empty() { path.to_owned() } else { format!("{path}.{section}") };
        let key = format!("{at}.{}", error.parameter);
        let message = format!("`{at}` cannot be made: {error}");
        scene.error(&key, message, Vec::new())
    }
}

/// The engine's error, at the body it is about.
pub(super) fn builder<'a>(scene: &'a Scene, path: &'a str) -> impl Fn(BuildError) -> SceneError + 'a {
    move |error| scene.error(path, format!("`{path}` cannot be built: {error}"), Vec::new())
}
