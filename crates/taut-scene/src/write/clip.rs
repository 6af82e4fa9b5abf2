//! What is being written: the objects of a clip, which never change, and its frames.

use std::sync::Arc;
use taut::mesh::boundary_triangles;

use taut::mesh::{TetMesh, TriMesh};

use super::names::file_stems;
use super::written::{Faces, Frames, Written, with_written};
use super::{Format, WriteError};
use crate::read::Given;

/// Which way is up in files. Scenes of taut, and what writers are given, have `Y`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// y points up.
    #[default]
    Y,
    /// z points up; x stays, and what was towards the viewer (z) is so still, along −y.
    Z,
}

/// What the values of a field belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldOn {
    /// One value per vertex.
    Vertices,
    /// One value per triangle, such as weft, warp, shear and area strain.
    Triangles,
    /// One value per tetrahedron, such as volume strain.
    Tets,
}

/// A named quantity that every frame gives for an object.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldInfo {
    /// Its name, unique within the object: `weft`, `warp`, `shear`, `area`, `volume`…
    pub name: String,
    /// What its values belong to.
    pub on: FieldOn,
}

/// One object: all of it that does not change over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectInfo {
    /// A name for people; file names are made from it.
    pub name: String,
    /// Vertex positions at rest, m.
    pub rest: Vec<[f64; 3]>,
    /// Triangles, by vertex index. If there are none, the surface is the boundary of the tetrahedra.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra, by vertex index, with positive volume at rest.
    pub tets: Vec<[u32; 4]>,
    /// Texture coordinates; empty if there are none.
    pub uvs: Vec<[f64; 2]>,
    /// For each triangle the texture coordinates of its corners; empty if `uvs` is.
    pub uv_triangles: Vec<[u32; 3]>,
    /// The surface as the file it came from has it; what is written is that.
    pub given: Given,
    /// What a reader of the rest mesh should know of the material, a line each: comments in its OBJ file.
    pub notes: Vec<String>,
    /// Whether frames come with velocities.
    pub velocities: bool,
    /// The fields frames come with, in order.
    pub fields: Vec<FieldInfo>,
}

impl ObjectInfo {
    /// An object from a triangle mesh, without velocities or fields.
    pub fn from_triangles(name: &str, mesh: &TriMesh) -> Self {
        Self {
            name: name.into(),
            rest: mesh.positions.clone(),
            triangles: mesh.triangles.clone(),
            uvs: mesh.uvs.clone(),
            uv_triangles: mesh.uv_triangles.clone(),
            ..Self::default()
        }
    }

    /// An object from a tetrahedral mesh, without velocities or fields.
    pub fn from_tets(name: &str, mesh: &TetMesh) -> Self {
        Self { name: name.into(), rest: mesh.positions.clone(), tets: mesh.tets.clone(), ..Self::default() }
    }

    /// The same object with velocities in every frame.
    pub fn with_velocities(mut self) -> Self {
        self.velocities = true;
        self
    }

    /// The same object with one more field in every frame.
    pub fn with_field(mut self, name: &str, on: FieldOn) -> Self {
        self.fields.push(FieldInfo { name: name.into(), on });
        self
    }

    /// How many values a field on `on` has.
    pub(crate) fn count_on(&self, on: FieldOn) -> usize {
        match on {
            FieldOn::Vertices => self.rest.len(),
            FieldOn::Triangles => self.triangles.len(),
            FieldOn::Tets => self.tets.len(),
        }
    }

    fn check(&self) -> Result<(), String> {
        let vertices = self.rest.len();
        if vertices == 0 || vertices > i32::MAX as usize / 3 {
            return Err(format!("has {vertices} vertices; 1 to {} can be written", i32::MAX / 3));
        }
        if self.triangles.is_empty() && self.tets.is_empty() {
            return Err("has neither triangles nor tetrahedra".into());
        }
        check_finite("rest position", self.rest.as_flattened(), 3)?;
        check_indices("triangle", &self.triangles, "vertex", vertices)?;
        check_indices("tetrahedron", &self.tets, "vertex", vertices)?;
        check_finite("texture coordinate", self.uvs.as_flattened(), 2)?;
        let expected = if self.uvs.is_empty() { 0 } else { self.triangles.len() };
        if self.uv_triangles.len() != expected {
            return Err(format!("{} triangles have texture coordinates, expected {expected}", self.uv_triangles.len()));
        }
        check_indices("triangle", &self.uv_triangles, "texture coordinate", self.uvs.len())?;
        self.check_given()?;
        for (at, field) in self.fields.iter().enumerate() {
            if field.name.is_empty() || self.fields[..at].iter().any(|f| f.name == field.name) {
                return Err(format!("field {at} is called {:?}: the name is empty or taken", field.name));
            }
        }
        Ok(())
    }

    /// Refuses faces that are not those of the surface.
    fn check_given(&self) -> Result<(), String> {
        let given = &self.given;
        let many = if given.vertices.is_empty() { self.rest.len() } else { given.vertices.len() };
        let faces = if given.ends.is_empty() { self.triangles.len() } else { given.ends.len() };
        let within = |list: &[u32], count: usize| list.iter().all(|&number| (number as usize) < count);
        let ends = given.ends.is_sorted() && given.ends.last().is_none_or(|&end| end as usize == given.corners.len());
        let uvs = given.uvs.is_empty() || given.uvs.len() == given.corners.len();
        let whole = given.ends.is_empty() || given.of_triangle.len() == self.triangles.len();
        let sets = given.groups.iter().chain(&given.materials).all(|set| within(&set.faces, faces));
        let inside = within(&given.vertices, self.rest.len())
            && within(&given.corners, many)
            && within(&given.uvs, self.uvs.len())
            && within(&given.of_triangle, faces);
        let split = given.vertices.is_empty() || !given.ends.is_empty();
        if ends && uvs && whole && sets && inside && split {
            return Ok(());
        }
        Err("has faces or vertices of its file that are not those of its triangles".into())
    }

    /// What it is called within files: as in the file it came from.
    pub fn title(&self) -> &str {
        self.given.object.as_deref().unwrap_or(&self.name)
    }
}

/// What formats that can hold it have beside positions. It makes files several times larger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// Velocities.
    pub velocities: bool,
    /// Normals.
    pub normals: bool,
    /// Fields, such as strain.
    pub fields: bool,
}

impl Details {
    /// All of it.
    pub const ALL: Details = Details { velocities: true, normals: true, fields: true };
}

/// Everything about a clip that is known before its first frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The objects, in the order frames give them.
    pub objects: Vec<ObjectInfo>,
    /// Frames per second.
    pub fps: f64,
    /// How many frames are to come in all. More or fewer may come; formats reserve space by it.
    pub planned_frames: usize,
    /// The number of the first frame, in formats that have one and in names of files.
    pub first_frame: u32,
    /// Which way is up in the files. What is given has y up.
    pub up_axis: UpAxis,
    /// The length of a unit of the files, m. What is given is in metres.
    pub metres_per_unit: f64,
    /// What USD and Alembic have beside positions.
    pub details: Details,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            objects: Vec::new(),
            fps: 0.0,
            planned_frames: 0,
            first_frame: 0,
            up_axis: UpAxis::Y,
            metres_per_unit: 1.0,
            details: Details::default(),
        }
    }
}

impl Setup {
    /// The same with positions alone.
    pub fn plain(self) -> Self {
        self.with(Details::default())
    }

    /// The same with no more than this of velocities and fields: nobody need gather what no [format
    /// wants](super::Format::wants).
    pub fn with(mut self, wanted: Details) -> Self {
        for object in &mut self.objects {
            object.velocities &= wanted.velocities;
            object.fields = if wanted.fields { std::mem::take(&mut object.fields) } else { Vec::new() };
        }
        self
    }
}

/// A [`Setup`] that has been checked, with what all formats need from it. Shared by the writers of one run.
#[derive(Debug)]
pub struct Clip {
    setup: Setup,
    /// For each object a file stem.
    pub(crate) stems: Vec<String>,
    /// For each object without triangles the boundary of its tetrahedra.
    boundaries: Vec<Vec<[u32; 3]>>,
    /// For each object how many vertices frames give.
    counts: Vec<usize>,
    /// For each object how it comes to be written.
    written: Vec<Written>,
}

impl Clip {
    /// Checks a setup: every index in range, every number finite, at least one object and one frame.
    pub fn new(mut setup: Setup) -> Result<Arc<Self>, WriteError> {
        if setup.objects.is_empty() {
            return Err(WriteError::setup(None, "there is no object to write"));
        }
        if setup.planned_frames == 0 || setup.planned_frames > i32::MAX as usize {
            let message = format!("{} frames are planned; 1 to {} can be written", setup.planned_frames, i32::MAX);
            return Err(WriteError::setup(None, message));
        }
        if !(setup.fps.is_finite() && setup.fps > 0.0) {
            return Err(WriteError::setup(None, format!("{} frames per second; expected more than 0", setup.fps)));
        }
        if !(setup.metres_per_unit.is_finite() && setup.metres_per_unit > 0.0) {
            let message = format!("{} m are a unit of the files; expected more than 0", setup.metres_per_unit);
            return Err(WriteError::setup(None, message));
        }
        for object in &setup.objects {
            object.check().map_err(|message| WriteError::setup(Some(&object.name), message))?;
        }
        let stems = file_stems(setup.objects.iter().map(|o| o.name.as_str()));
        let boundary = |o: &ObjectInfo| if o.triangles.is_empty() { boundary_triangles(&o.tets) } else { Vec::new() };
        let boundaries: Vec<Vec<[u32; 3]>> = setup.objects.iter().map(boundary).collect();
        let counts = setup.objects.iter().map(|object| object.rest.len()).collect();
        let frames = Frames::of(&setup);
        let mut written = Vec::new();
        for (object, boundary) in setup.objects.iter_mut().zip(&boundaries) {
            let own = if object.triangles.is_empty() { boundary.clone() } else { object.triangles.clone() };
            written.push(Written::of(object, &own, &frames));
        }
        Ok(Arc::new(Self { setup, stems, boundaries, counts, written }))
    }

    /// What the clip was made from, with its objects as they are written.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The file stem of an object: its name, made safe and unique.
    pub fn stem(&self, object: usize) -> &str {
        &self.stems[object]
    }

    /// The triangles of an object's surface: its own, or else the boundary of its tetrahedra.
    pub fn surface(&self, object: usize) -> &[[u32; 3]] {
        let own = &self.setup.objects[object].triangles;
        if own.is_empty() { &self.boundaries[object] } else { own }
    }

    /// The faces of an object as they are written.
    pub(crate) fn faces(&self, object: usize) -> &Faces {
        &self.written[object].faces
    }

    pub(crate) fn objects(&self) -> &[ObjectInfo] {
        &self.setup.objects
    }

    /// Refuses a frame that does not fit. `next` is the index expected, `last_time` the time of the one before.
    pub(crate) fn check_frame(&self, frame: &Frame, next: usize, last_time: Option<f64>) -> Result<(), WriteError> {
        let bad = |message: String| WriteError::frame(frame.index, None, message);
        if frame.index != next {
            return Err(bad(format!("out of order: frame {next} was expected")));
        }
        let last = last_time.unwrap_or(f64::NEG_INFINITY);
        if !holds(frame.time) || frame.time <= last {
            return Err(bad(format!("its time is {:?} s; expected one after {last:?} s", frame.time)));
        }
        if frame.objects.len() != self.objects().len() {
            return Err(bad(format!("{} objects, expected {}", frame.objects.len(), self.objects().len())));
        }
        for ((object, given), &count) in self.objects().iter().zip(frame.objects).zip(&self.counts) {
            let named = |message| WriteError::frame(frame.index, Some(&object.name), message);
            given.check(object, count).map_err(named)?;
        }
        Ok(())
    }
}

/// One frame of a clip, borrowed from whoever simulates.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Its place in the clip: 0, 1, 2… without gaps.
    pub index: usize,
    /// Its time, s; later than that of the frame before.
    pub time: f64,
    /// The objects, in the order of [`Setup::objects`].
    pub objects: &'a [ObjectFrame<'a>],
}

/// One object in one frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObjectFrame<'a> {
    /// Vertex positions, m.
    pub positions: &'a [[f64; 3]],
    /// Vertex velocities, m/s; empty unless [`ObjectInfo::velocities`].
    pub velocities: &'a [[f64; 3]],
    /// The values of each of [`ObjectInfo::fields`], in that order.
    pub fields: &'a [&'a [f64]],
}

impl ObjectFrame<'_> {
    /// Whether it is what an object with so many vertices should be.
    fn check(&self, object: &ObjectInfo, vertices: usize) -> Result<(), String> {
        check_count("positions", self.positions.len(), vertices)?;
        check_finite("position", self.positions.as_flattened(), 3)?;
        check_count("velocities", self.velocities.len(), if object.velocities { vertices } else { 0 })?;
        check_finite("velocity", self.velocities.as_flattened(), 3)?;
        check_count("fields", self.fields.len(), object.fields.len())?;
        for (field, values) in object.fields.iter().zip(self.fields) {
            let count = if field.on == FieldOn::Vertices { vertices } else { object.count_on(field.on) };
            check_count(&format!("values of {:?}", field.name), values.len(), count)?;
            check_finite(&format!("{:?} value", field.name), values, 1)?;
        }
        Ok(())
    }
}

fn check_count(what: &str, found: usize, expected: usize) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{found} {what}, expected {expected}")) }
}

/// Most formats hold 32-bit floats, and some of them differences: a number must leave room for both.
const LARGEST: f64 = 1e30;

/// False for what is not a number, too.
fn holds(value: f64) -> bool {
    value.abs() <= LARGEST
}

fn check_finite(what: &str, values: &[f64], width: usize) -> Result<(), String> {
    match values.iter().position(|&v| !holds(v)) {
        None => Ok(()),
        Some(at) => Err(format!("{what} {} has {:?}, which no file can hold", at / width, values[at])),
    }
}

fn check_indices<const N: usize>(what: &str, cells: &[[u32; N]], of: &str, count: usize) -> Result<(), String> {
    match cells.iter().position(|cell| cell.iter().any(|&i| i as usize >= count)) {
        None => Ok(()),
        Some(at) => Err(format!("{what} {at} is {:?}, but there are only {count} of {of}", cells[at])),
    }
}

/// Stands before every writer and lets only frames through that fit the clip, in order.
pub(crate) struct Checked {
    pub(crate) clip: Arc<Clip>,
    pub(crate) format: &'static Format,
    pub(crate) inner: Box<dyn super::FrameWriter>,
    pub(crate) next: usize,
    pub(crate) last_time: Option<f64>,
}

impl super::FrameWriter for Checked {
    fn frame(&mut self, frame: &Frame) -> Result<(), WriteError> {
        self.clip.check_frame(frame, self.next, self.last_time)?;
        let clip = self.clip.clone();
        let inner = &mut self.inner;
        with_written(frame, clip.objects(), &clip.written, Frames::of(&clip.setup), |frame| inner.frame(frame))?;
        self.next += 1;
        self.last_time = Some(frame.time);
        Ok(())
    }

    fn sync(&mut self) -> Result<(), WriteError> {
        self.inner.sync()
    }

    fn finish(self: Box<Self>) -> Result<Vec<std::path::PathBuf>, WriteError> {
        if self.next == 0 {
            return Err(WriteError::NoFrames { format: self.format.name });
        }
        self.inner.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::FORMATS;
    use crate::write::testing::{Fixture, TempDir};

    fn refused(change: impl FnOnce(&mut Setup), expected: &str) {
        let mut setup = Fixture::both().setup;
        change(&mut setup);
        let message = Clip::new(setup).map(|_| ()).unwrap_err().to_string();
        assert!(message.contains(expected), "{message:?} lacks {expected:?}");
    }

    #[test]
    fn a_setup_that_makes_no_sense_is_refused() {
        refused(|s| s.objects.clear(), "no object");
        refused(|s| s.planned_frames = 0, "0 frames are planned");
        refused(|s| s.planned_frames = usize::MAX, "frames are planned");
        for fps in [0.0, -24.0, f64::NAN, f64::INFINITY] {
            refused(|s| s.fps = fps, "frames per second");
        }
        refused(|s| s.objects[0].rest.clear(), "object \"a/b\": has 0 vertices");
        refused(|s| s.objects[1].tets.clear(), "object \"body\": has neither");
        refused(|s| s.objects[0].rest[2][1] = f64::NAN, "rest position 2 has NaN");
        refused(|s| s.objects[0].triangles[1][2] = 4, "triangle 1 is [2, 1, 4], but there are only 4 of vertex");
        refused(|s| s.objects[1].tets[0][3] = u32::MAX, "tetrahedron 0");
        refused(|s| s.objects[0].uv_triangles[0][0] = 5, "only 5 of texture coordinate");
        refused(|s| s.objects[0].uv_triangles.truncate(1), "1 triangles have texture coordinates, expected 2");
        refused(|s| s.objects[0].uvs.clear(), "2 triangles have texture coordinates, expected 0");
        refused(|s| s.objects[0].uvs[3][0] = f64::INFINITY, "texture coordinate 3 has inf");
        refused(|s| s.objects[0].fields[3].name = "weft".into(), "field 3 is called \"weft\"");
    }

    /// Hands a changed frame to every format and expects the same refusal from each.
    fn frame_refused(change: impl Fn(&mut ObjectFrame<'static>), expected: &str) {
        const POSITIONS: &[[f64; 3]] = &[[0.0; 3]; 3];
        let mut object = ObjectFrame { positions: POSITIONS, ..Default::default() };
        change(&mut object);
        for format in FORMATS {
            let dir = TempDir::new("clip_frame");
            let mut writer = Fixture::triangle().write_unfinished(format.name, dir.path(), 0..1).unwrap();
            let message = writer.frame(&Frame { index: 1, time: 9.0, objects: &[object] }).unwrap_err().to_string();
            assert!(message.contains(expected), "{}: {message:?} lacks {expected:?}", format.name);
            // The refused frame has left no trace: the right one is still welcome.
            Fixture::triangle().write_frame(writer.as_mut(), 1).unwrap();
            writer.finish().unwrap();
        }
    }

    #[test]
    fn a_frame_that_does_not_fit_is_refused() {
        frame_refused(|o| o.positions = &[[0.0; 3]; 2], "frame 1: object \"tri\": 2 positions, expected 3");
        frame_refused(|o| o.positions = &[[0.0; 3], [0.0, f64::NAN, 0.0], [0.0; 3]], "position 1 has NaN");
        frame_refused(|o| o.positions = &[[0.0; 3], [0.0; 3], [0.0, 0.0, -1e31]], "position 2 has -1e31");
        frame_refused(|o| o.velocities = &[[0.0; 3]; 3], "3 velocities, expected 0");
        frame_refused(|o| o.fields = &[&[1.0]], "1 fields, expected 0");
    }

    #[test]
    fn velocities_and_fields_are_looked_at_too() {
        let object = Fixture::quad().setup.objects.remove(0);
        let (positions, good, bad) = ([[0.0; 3]; 4], [0.0; 2], [0.0, f64::NAN]);
        let fields = [&good[..], &good, &good, &bad];
        let mut frame = ObjectFrame { positions: &positions, velocities: &positions, fields: &fields };
        assert!(frame.check(&object, 4).unwrap_err().contains("\"area\" value 1 has NaN"));
        frame.fields = &[&[0.0; 2], &[0.0; 2], &[0.0; 2], &[0.0; 1]];
        assert!(frame.check(&object, 4).unwrap_err().contains("1 values of \"area\", expected 2"));
        frame.fields = &[&[0.0; 2], &[0.0; 2], &[0.0; 2], &[0.0; 2]];
        assert!(frame.check(&object, 4).is_ok());
        frame.velocities = &[[0.0; 3], [0.0; 3], [0.0; 3], [f64::INFINITY, 0.0, 0.0]];
        assert!(frame.check(&object, 4).unwrap_err().contains("velocity 3 has inf"));
        frame.velocities = &[];
        assert!(frame.check(&object, 4).unwrap_err().contains("0 velocities, expected 4"));
    }

    #[test]
    fn frames_come_in_order_and_complete() {
        let clip = Clip::new(Fixture::triangle().setup).unwrap();
        let positions = [[0.0; 3]; 3];
        let objects = [ObjectFrame { positions: &positions, ..Default::default() }];
        let check =
            |index, time, objects: &[ObjectFrame]| clip.check_frame(&Frame { index, time, objects }, 1, Some(0.5));
        assert!(check(1, 0.6, &objects).is_ok());
        assert!(check(2, 0.6, &objects).unwrap_err().to_string().contains("frame 1 was expected"));
        assert!(check(1, 0.6, &[]).unwrap_err().to_string().contains("0 objects, expected 1"));
        for time in [0.5, f64::NAN, f64::INFINITY, 1e300] {
            assert!(check(1, time, &objects).unwrap_err().to_string().contains("its time"), "{time}");
        }
    }

    #[test]
    fn a_clip_without_frames_is_an_error_in_every_format() {
        for format in FORMATS {
            let dir = TempDir::new("clip_empty");
            let error = Fixture::triangle().write(format.name, dir.path(), 0..0).unwrap_err();
            assert!(matches!(error, WriteError::NoFrames { .. }), "{}: {error}", format.name);
        }
    }

    #[test]
    fn formats_name_every_file_they_put_into_the_folder() {
        for format in FORMATS {
            let dir = TempDir::new("clip_names");
            let fixture = Fixture::both();
            let clip = Clip::new(fixture.setup.clone()).unwrap();
            let files = || dir.names().into_iter().filter(|name| dir.path().join(name).is_file()).collect::<Vec<_>>();
            let mut writer = fixture.write_unfinished(format.name, dir.path(), 0..2).unwrap();
            writer.sync().unwrap();
            let mut named = format.file_names(&clip);
            let known = |name: &String| named.contains(name) || format.spool == Some(name.as_str());
            assert!(files().iter().all(known), "{}: {:?}", format.name, files());
            assert!(format.spool.is_none_or(|spool| dir.path().join(spool).is_file()), "{}", format.name);
            writer.finish().unwrap();
            named.sort();
            assert_eq!(files(), named, "{}", format.name);
        }
    }

    #[test]
    fn the_same_frames_give_the_same_bytes() {
        for format in FORMATS {
            let (a, b) = (TempDir::new("clip_same"), TempDir::new("clip_same"));
            let fixture = Fixture::both();
            let first = fixture.write(format.name, a.path(), 0..3).unwrap();
            // The other one was cut off and continued.
            let mut writer = fixture.write_unfinished(format.name, b.path(), 0..2).unwrap();
            writer.sync().unwrap();
            drop(writer);
            let second = fixture.write(format.name, b.path(), 1..3).unwrap();
            assert_eq!(first.len(), second.len());
            for (one, other) in first.iter().zip(&second) {
                assert_eq!(std::fs::read(one).unwrap(), std::fs::read(other).unwrap(), "{}", one.display());
            }
            assert_eq!(a.names(), b.names());
            assert!(!a.names().iter().any(|n| n.ends_with(".tmp") || n.ends_with(".spool")), "{:?}", a.names());
        }
    }
}
