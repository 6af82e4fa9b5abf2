//! What the tests of the writers share: a folder that cleans up after itself, and small animated objects.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::{Clip, FieldOn, Frame, FrameWriter, ObjectFrame, ObjectInfo, Setup, WriteError, format};

/// A new folder for one test, removed at its end.
pub(crate) struct TempDir(PathBuf);

impl TempDir {
    pub(crate) fn new(name: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let unique = format!("taut-{}-{name}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(unique);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The names in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A clip whose positions, velocities and fields are known for every frame.
#[derive(Clone)]
pub(crate) struct Fixture {
    pub(crate) setup: Setup,
}

impl Fixture {
    fn of(objects: Vec<ObjectInfo>) -> Self {
        Self { setup: Setup { objects, fps: 24.0, planned_frames: 4, ..Setup::default() } }
    }

    /// One triangle and nothing else.
    pub(crate) fn triangle() -> Self {
        let rest = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.1]];
        Self::of(vec![ObjectInfo { name: "tri".into(), rest, triangles: vec![[0, 1, 2]], ..Default::default() }])
    }

    /// Two triangles with a seam between them: vertex 1 has two texture coordinates.
    pub(crate) fn quad() -> Self {
        let object = ObjectInfo {
            name: "a/b".into(),
            rest: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]],
            triangles: vec![[0, 1, 2], [2, 1, 3]],
            uvs: vec![[0.0, 0.0], [0.5, 0.0], [0.0, 0.5], [0.5, 0.5], [2.0, 2.0]],
            uv_triangles: vec![[0, 1, 2], [2, 4, 3]],
            ..Default::default()
        };
        let strain = |o: ObjectInfo, name| o.with_field(name, FieldOn::Triangles);
        Self::of(vec![["weft", "warp", "shear", "area"].into_iter().fold(object, strain).with_velocities()])
    }

    /// Two tetrahedra that share a face.
    pub(crate) fn tets() -> Self {
        let object = ObjectInfo {
            name: "body".into(),
            rest: vec![[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [1., 1., 1.]],
            tets: vec![[0, 1, 2, 3], [4, 1, 3, 2]],
            ..Default::default()
        };
        let object = object.with_field("volume", FieldOn::Tets).with_field("heat", FieldOn::Vertices);
        Self::of(vec![object.with_velocities()])
    }

    /// Both of the above.
    pub(crate) fn both() -> Self {
        Self::of([Self::quad().setup.objects, Self::tets().setup.objects].concat())
    }

    pub(crate) fn planned(mut self, frames: usize) -> Self {
        self.setup.planned_frames = frames;
        self
    }

    pub(crate) fn time(frame: usize) -> f64 {
        0.5 + frame as f64 / 24.0
    }

    /// Vertex v moves up by v/4 m per frame.
    pub(crate) fn positions(&self, object: usize, frame: usize) -> Vec<[f64; 3]> {
        let rest = self.setup.objects[object].rest.iter().enumerate();
        rest.map(|(v, p)| [p[0], p[1] + 0.25 * v as f64 * frame as f64, p[2]]).collect()
    }

    /// The value of a field.
    pub(crate) fn value(field: usize, element: usize, frame: usize) -> f64 {
        frame as f64 + 0.1 * field as f64 + 0.01 * element as f64
    }

    /// All coordinates of an object over some frames, as files hold them.
    pub(crate) fn floats(&self, object: usize, frames: Range<usize>) -> Vec<f32> {
        frames.flat_map(|frame| self.positions(object, frame)).flatten().map(|v| v as f32).collect()
    }

    /// Writes some frames and finishes; continues an earlier file if they do not begin at 0.
    pub(crate) fn write(&self, name: &str, dir: &Path, frames: Range<usize>) -> Result<Vec<PathBuf>, WriteError> {
        self.write_unfinished(name, dir, frames)?.finish()
    }

    /// Writes some frames and leaves it at that, as a kill would.
    pub(crate) fn write_unfinished(
        &self,
        name: &str,
        dir: &Path,
        frames: Range<usize>,
    ) -> Result<Box<dyn FrameWriter>, WriteError> {
        let clip = Clip::new(self.setup.clone())?;
        let mut writer = format(name).unwrap().open(&clip, dir, frames.start)?;
        for frame in frames {
            self.write_frame(writer.as_mut(), frame)?;
        }
        Ok(writer)
    }

    pub(crate) fn write_frame(&self, writer: &mut dyn FrameWriter, frame: usize) -> Result<(), WriteError> {
        let mut data = Vec::new();
        for (at, object) in self.setup.objects.iter().enumerate() {
            let velocities: Vec<[f64; 3]> = object
                .rest
                .iter()
                .enumerate()
                .filter(|_| object.velocities)
                .map(|(v, _)| [0.0, 6.0 * v as f64, 0.0])
                .collect();
            let values = |(field, on)| (0..object.count_on(on)).map(|e| Self::value(field, e, frame)).collect();
            let fields: Vec<Vec<f64>> = object.fields.iter().map(|f| f.on).enumerate().map(values).collect();
            data.push((self.positions(at, frame), velocities, fields));
        }
        let fields: Vec<Vec<&[f64]>> = data.iter().map(|(_, _, f)| f.iter().map(Vec::as_slice).collect()).collect();
        let parts = data.iter().zip(&fields);
        let objects: Vec<ObjectFrame> =
            parts.map(|((positions, velocities, _), fields)| ObjectFrame { positions, velocities, fields }).collect();
        writer.frame(&Frame { index: frame, time: Self::time(frame), objects: &objects })
    }
}
