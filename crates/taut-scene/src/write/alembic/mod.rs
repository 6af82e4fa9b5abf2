//! Alembic (`scene.abc`): for each object a transform that does nothing, and below it a mesh with positions, and if
//! they are asked for velocities, normals and fields, in every frame; texture coordinates, and a set of faces for
//! each material.
//!
//! Alembic winds faces clockwise, so that the corners of a face are in the opposite order. It says nothing of units and
//! axes: programs take y to be up.

mod ogawa;
mod property;
#[cfg(test)]
mod tests;

use super::names::{file_stems, identifiers};
use super::spool::Spool;
use super::surface::vertex_normals;
use super::{Clip, FieldOn, Format, Frame, FrameWriter, Holds, ObjectInfo, WriteError};
use ogawa::{Node, Ogawa};
use property::{Compound, Number, Object, Shape};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) const FORMAT: Format = Format {
    name: "abc",
    about: "Alembic (Ogawa) with a sample per frame",
    holds: Holds::Asked,
    files: "scene.abc",
    names: |_| vec![NAME.into()],
    spool: Some(SPOOL),
    check: super::anything,
    open,
};

const NAME: &str = "scene.abc";
const SPOOL: &str = "scene.abc.spool";

/// The oldest version of the library that reads what is written here, as it writes it.
const LIBRARY: i32 = 10_812;

const MESH: &str = "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1";
const SET: &str = "schema=AbcGeom_FaceSet_v1;schemaBaseType=AbcGeom_GeomBase_v1";
const TRANSFORM: &str = "schema=AbcGeom_Xform_v3";

/// What a property of a mesh says of itself, for programs that look for such.
fn about(scope: &str, meaning: &str, extent: u32) -> String {
    format!(
        "arrayExtent=1;geoScope={scope};interpretation={meaning};isGeomParam=true;podExtent={extent};podName=float32_t"
    )
}

struct Alembic {
    clip: Arc<Clip>,
    dir: PathBuf,
    spool: Spool,
}

fn open(clip: &Arc<Clip>, dir: &Path, start: usize) -> Result<Box<dyn FrameWriter>, WriteError> {
    let spool = Spool::open(clip, dir, SPOOL, clip.setup().details, start)?;
    Ok(Box::new(Alembic { clip: clip.clone(), dir: dir.into(), spool }))
}

impl FrameWriter for Alembic {
    fn frame(&mut self, frame: &Frame) -> Result<(), WriteError> {
        self.spool.append(frame)
    }

    fn sync(&mut self) -> Result<(), WriteError> {
        self.spool.sync()
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<PathBuf>, WriteError> {
        let mut file = Ogawa::create(&self.dir, NAME)?;
        let mut top = Object::new(Node::NO_GROUP);
        let names = file_stems(self.clip.objects().iter().map(ObjectInfo::title));
        for (object, name) in names.iter().enumerate() {
            let mesh = self.mesh(&mut file, object)?;
            let mut properties = Compound::default();
            // A transform without operations leaves everything where it is.
            properties.add_compound(&mut file, (".xform", TRANSFORM), Compound::default())?;
            let mut transform = Object::new(properties.finish(&mut file)?);
            let title = format!("{MESH};schemaObjTitle=AbcGeom_PolyMesh_v1:.geom");
            transform.add(&mut file, &format!("{name}Shape"), &title, mesh)?;
            let title = format!("{TRANSFORM};schemaObjTitle=AbcGeom_Xform_v3:.xform");
            top.add(&mut file, name, &title, transform)?;
        }
        let top = top.finish(&mut file)?;
        let path = self.put_root(file, top)?;
        self.spool.remove()?;
        Ok(vec![path])
    }
}

impl Alembic {
    /// What stands at the end: versions, all objects, who wrote it, times, texts.
    fn put_root(&self, mut file: Ogawa, top: Node) -> Result<PathBuf, WriteError> {
        let setup = self.clip.setup();
        let version = file.data(&[&0_i32.to_le_bytes()])?;
        let library = file.data(&[&LIBRARY.to_le_bytes()])?;
        let writer = file.data(&[b"_ai_AlembicVersion=taut;_ai_Application=taut"])?;
        let mut times = Vec::new();
        let begin = f64::from(setup.first_frame) / setup.fps;
        for (samples, each, first) in [(1, 1.0, 0.0), (self.spool.frames() as u32, 1.0 / setup.fps, begin)] {
            times.extend(samples.to_le_bytes());
            times.extend(f64::to_le_bytes(each));
            times.extend(1_u32.to_le_bytes());
            times.extend(f64::to_le_bytes(first));
        }
        let times = file.data(&[&times])?;
        let texts = file.put_texts()?;
        let root = file.group(&[version, library, top, writer, times, texts])?;
        file.finish(root)
    }

    /// A sample of every frame, made from some floats of it.
    fn samples(
        &mut self,
        file: &mut Ogawa,
        floats: &Range<usize>,
        bytes: impl Fn(&[f32]) -> Vec<u8>,
    ) -> Result<Vec<Node>, WriteError> {
        let mut nodes = Vec::with_capacity(self.spool.frames());
        for frame in 0..self.spool.frames() {
            let values = self.spool.read(frame, floats)?;
            nodes.push(file.sample(&bytes(&values))?);
        }
        Ok(nodes)
    }

    fn mesh(&mut self, file: &mut Ogawa, object: usize) -> Result<Object, WriteError> {
        let (clip, count) = (self.clip.clone(), self.spool.frames());
        let info = &clip.objects()[object];
        let positions = self.spool.objects[object].positions.clone();
        let mut geometry = Compound::default();
        let boxes = self.samples(file, &positions, bounds)?;
        geometry.add(file, (".selfBnds", "interpretation=box"), Shape::Scalar(Number::F64, 6), &boxes, count)?;
        let points = self.samples(file, &positions, floats)?;
        let vector = Shape::Array(Number::F32, 3);
        geometry.add(file, ("P", "geoScope=vtx;interpretation=point"), vector, &points, count)?;
        if let Some(velocities) = self.spool.objects[object].velocities.clone() {
            let velocities = self.samples(file, &velocities, floats)?;
            geometry.add(file, (".velocities", "interpretation=vector"), vector, &velocities, count)?;
        }
        self.add_faces(file, &mut geometry, object)?;
        if clip.setup().details.normals {
            let surface = clip.surface(object);
            let normals = self.samples(file, &positions, |p| normals(p, surface))?;
            geometry.add(file, ("N", &about("vtx", "normal", 3)), vector, &normals, count)?;
        }
        self.add_fields(file, &mut geometry, object)?;
        let mut properties = Compound::default();
        properties.add_compound(file, (".geom", MESH), geometry)?;
        let mut mesh = Object::new(properties.finish(file)?);
        let materials = file_stems(info.given.materials.iter().map(|set| set.name.as_str()));
        for (set, name) in info.given.materials.iter().zip(materials) {
            let faces = file.sample(&words(set.faces.iter().copied()))?;
            let mut inner = Compound::default();
            // Where the set is need not be known: the mesh says where it is.
            inner.add(file, (".selfBnds", "interpretation=box"), Shape::Scalar(Number::F64, 6), &boxes, count)?;
            inner.add(file, (".faces", ""), Shape::Array(Number::I32, 1), &[faces], count)?;
            let mut properties = Compound::default();
            properties.add_compound(file, (".faceset", SET), inner)?;
            let object = Object::new(properties.finish(file)?);
            mesh.add(file, &name, &format!("{SET};schemaObjTitle=AbcGeom_FaceSet_v1:.faceset"), object)?;
        }
        Ok(mesh)
    }

    /// Faces and texture coordinates, which never change.
    fn add_faces(&self, file: &mut Ogawa, geometry: &mut Compound, object: usize) -> Result<(), WriteError> {
        let (info, faces, count) = (&self.clip.objects()[object], self.clip.faces(object), self.spool.frames());
        let turned = |list: &[u32]| words(faces.spans().flat_map(|span| list[span].iter().rev().copied()));
        let corners = file.sample(&turned(&faces.corners))?;
        geometry.add(file, (".faceIndices", ""), Shape::Array(Number::I32, 1), &[corners], count)?;
        let counts = file.sample(&words(faces.counts()))?;
        geometry.add(file, (".faceCounts", ""), Shape::Array(Number::I32, 1), &[counts], count)?;
        if faces.uvs.is_empty() {
            return Ok(());
        }
        let values: Vec<f32> = info.uvs.as_flattened().iter().map(|&v| v as f32).collect();
        let values = file.sample(&floats(&values))?;
        let indices = file.sample(&turned(&faces.uvs))?;
        let mut uv = Compound::default();
        let plane = Shape::Array(Number::F32, 2);
        uv.add(file, (".vals", &about("fvr", "vector", 2)), plane, &[values], count)?;
        uv.add(file, (".indices", ""), Shape::Array(Number::U32, 1), &[indices], count)?;
        geometry.add_compound(file, ("uv", &about("fvr", "vector", 2)), uv)
    }

    /// Fields, of vertices and of faces.
    fn add_fields(&mut self, file: &mut Ogawa, geometry: &mut Compound, object: usize) -> Result<(), WriteError> {
        let (clip, count) = (self.clip.clone(), self.spool.frames());
        let (info, faces) = (&clip.objects()[object], clip.faces(object));
        let names = identifiers(info.fields.iter().map(|field| field.name.as_str()));
        let mut fields = Compound::default();
        let kept = self.spool.objects[object].fields.clone();
        for (field, values) in &kept {
            let on_vertices = info.fields[*field].on == FieldOn::Vertices;
            let scope = if on_vertices { "vtx" } else { "uni" };
            let bytes = |values: &[f32]| if on_vertices { floats(values) } else { floats(&faces.mean(values)) };
            let samples = self.samples(file, values, bytes)?;
            fields.add(file, (&names[*field], &about(scope, "", 1)), Shape::Array(Number::F32, 1), &samples, count)?;
        }
        if kept.is_empty() { Ok(()) } else { geometry.add_compound(file, (".arbGeomParams", ""), fields) }
    }
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn words(values: impl Iterator<Item = u32>) -> Vec<u8> {
    values.flat_map(u32::to_le_bytes).collect()
}

/// The smallest and the largest corner of the box around some points.
fn bounds(values: &[f32]) -> Vec<u8> {
    let points = || values.as_chunks::<3>().0.iter();
    let corner = |start: f32, pick: fn(f32, f32) -> f32| {
        std::array::from_fn::<f64, 3, _>(|axis| f64::from(points().map(|p| p[axis]).fold(start, pick)))
    };
    let corners = [corner(f32::INFINITY, f32::min), corner(f32::NEG_INFINITY, f32::max)];
    corners.as_flattened().iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn normals(values: &[f32], surface: &[[u32; 3]]) -> Vec<u8> {
    let points: Vec<[f64; 3]> = values.as_chunks::<3>().0.iter().map(|p| p.map(f64::from)).collect();
    vertex_normals(&points, surface).as_flattened().iter().flat_map(|&v| (v as f32).to_le_bytes()).collect()
}
