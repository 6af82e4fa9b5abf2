//! USD as text (`scene.usda`), with a time sample per frame. One time code is one frame.

use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::atomic::AtomicFile;
use super::names::identifiers;
use super::spool::Spool;
use super::{Clip, FieldOn, Format, Frame, FrameWriter, UpAxis, WriteError};

pub(crate) const FORMAT: Format = Format {
    name: "usd",
    about: "USD text with time samples, in metres",
    details: false,
    files: "scene.usda",
    names: |_| vec![NAME.into()],
    spool: Some(SPOOL),
    check: super::anything,
    open,
};

const NAME: &str = "scene.usda";
const SPOOL: &str = "scene.usda.spool";

struct Usd {
    clip: Arc<Clip>,
    dir: PathBuf,
    spool: Spool,
}

fn open(clip: &Arc<Clip>, dir: &Path, start: usize) -> Result<Box<dyn FrameWriter>, WriteError> {
    let spool = Spool::open(clip, dir, SPOOL, clip.setup().usd_fields, start)?;
    Ok(Box::new(Usd { clip: clip.clone(), dir: dir.into(), spool }))
}

impl FrameWriter for Usd {
    fn frame(&mut self, frame: &Frame) -> Result<(), WriteError> {
        self.spool.append(frame)
    }

    fn sync(&mut self) -> Result<(), WriteError> {
        self.spool.sync()
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<PathBuf>, WriteError> {
        let mut file = AtomicFile::create(&self.dir, NAME)?;
        file.put(stage_header(&self.clip, self.spool.frames()).as_bytes())?;
        let names = identifiers(self.clip.objects().iter().map(|o| o.name.as_str()));
        for (object, name) in names.iter().enumerate() {
            self.put_mesh(&mut file, object, name)?;
        }
        file.put(b"}\n")?;
        let path = file.commit()?;
        self.spool.remove()?;
        Ok(vec![path])
    }
}

fn stage_header(clip: &Clip, frames: usize) -> String {
    let fps = clip.setup().fps;
    let up = match clip.setup().up_axis {
        UpAxis::Y => "Y",
        UpAxis::Z => "Z",
    };
    format!(
        "#usda 1.0\n(\n    defaultPrim = \"World\"\n    startTimeCode = 0\n    endTimeCode = {}\n    \
         framesPerSecond = {fps}\n    timeCodesPerSecond = {fps}\n    metersPerUnit = 1\n    upAxis = \"{up}\"\n)\n\n\
         def Xform \"World\"\n{{\n",
        frames - 1,
    )
}

impl Usd {
    fn put_mesh(&mut self, file: &mut AtomicFile, object: usize, name: &str) -> Result<(), WriteError> {
        file.put(self.mesh_header(object, name).as_bytes())?;
        let positions = self.spool.objects[object].positions.clone();
        self.put_samples(file, "float3[] extent", &positions, |floats| tuples(&extent(floats)))?;
        self.put_samples(file, "point3f[] points", &positions, tuples)?;
        if let Some(velocities) = self.spool.objects[object].velocities.clone() {
            self.put_samples(file, "vector3f[] velocities", &velocities, tuples)?;
        }
        let clip = self.clip.clone();
        let info = &clip.objects()[object];
        // Texture coordinates already go by the name of st.
        let names = identifiers(["st"].into_iter().chain(info.fields.iter().map(|f| f.name.as_str())));
        for (field, values) in self.spool.objects[object].fields.clone() {
            let interpolation = if info.fields[field].on == FieldOn::Vertices { "vertex" } else { "uniform" };
            let attribute = format!("float[] primvars:{}", names[field + 1]);
            file.put(
                format!("        {attribute} (\n            interpolation = \"{interpolation}\"\n        )\n")
                    .as_bytes(),
            )?;
            self.put_samples(file, &attribute, &values, scalars)?;
        }
        file.put(b"    }\n")
    }

    /// All of a mesh that does not change.
    fn mesh_header(&self, object: usize, name: &str) -> String {
        let info = &self.clip.objects()[object];
        let surface = self.clip.surface(object);
        let mut text = format!("    def Mesh \"{name}\" (\n        customData = {{\n            string name = ");
        text += &quoted(&info.name);
        text += "\n        }\n    )\n    {\n";
        // Cloth is seen from both sides, bodies only from outside.
        let _ = writeln!(text, "        uniform bool doubleSided = {}", u8::from(!info.triangles.is_empty()));
        let _ = writeln!(text, "        int[] faceVertexCounts = {}", list(surface.iter().map(|_| 3)));
        let _ = writeln!(text, "        int[] faceVertexIndices = {}", list(surface.as_flattened()));
        text +=
            "        uniform token orientation = \"rightHanded\"\n        uniform token subdivisionScheme = \"none\"\n";
        let rest: Vec<f32> = info.rest.as_flattened().iter().map(|&v| v as f32).collect();
        let _ = writeln!(text, "        point3f[] points = {}", tuples(&rest));
        if !info.uvs.is_empty() {
            let uvs = list(info.uvs.iter().map(|uv| format!("({}, {})", uv[0] as f32, uv[1] as f32)));
            let _ = writeln!(text, "        texCoord2f[] primvars:st = {uvs} (");
            text += "            interpolation = \"faceVarying\"\n        )\n";
            let _ = writeln!(text, "        int[] primvars:st:indices = {}", list(info.uv_triangles.as_flattened()));
        }
        text
    }

    fn put_samples(
        &mut self,
        file: &mut AtomicFile,
        attribute: &str,
        floats: &Range<usize>,
        text: fn(&[f32]) -> String,
    ) -> Result<(), WriteError> {
        file.put(format!("        {attribute}.timeSamples = {{\n").as_bytes())?;
        for frame in 0..self.spool.frames() {
            let values = self.spool.read(frame, floats)?;
            file.put(format!("            {frame}: {},\n", text(&values)).as_bytes())?;
        }
        file.put(b"        }\n")
    }
}

/// The smallest and the largest corner of the box around the points.
fn extent(floats: &[f32]) -> [f32; 6] {
    let mut corners =
        [f32::INFINITY, f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
    for point in floats.as_chunks::<3>().0 {
        for axis in 0..3 {
            corners[axis] = corners[axis].min(point[axis]);
            corners[axis + 3] = corners[axis + 3].max(point[axis]);
        }
    }
    corners
}

fn tuples(floats: &[f32]) -> String {
    let mut text = String::with_capacity(floats.len() * 12 + 2);
    text.push('[');
    for (at, [x, y, z]) in floats.as_chunks::<3>().0.iter().enumerate() {
        let _ = write!(text, "{}({x}, {y}, {z})", if at == 0 { "" } else { ", " });
    }
    text.push(']');
    text
}

fn scalars(floats: &[f32]) -> String {
    list(floats)
}

fn list<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut text = String::from("[");
    for (at, item) in items.into_iter().enumerate() {
        let _ = write!(text, "{}{item}", if at == 0 { "" } else { ", " });
    }
    text.push(']');
    text
}

/// A string literal on one line.
fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            c if c.is_control() => literal.push(' '),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::testing::{Fixture, TempDir};

    fn written(mut fixture: Fixture, fields: bool) -> String {
        fixture.setup.usd_fields = fields;
        let dir = TempDir::new("usd");
        let paths = fixture.write("usd", dir.path(), 0..2).unwrap();
        assert_eq!(dir.names(), ["scene.usda"]);
        std::fs::read_to_string(&paths[0]).unwrap()
    }

    #[test]
    fn the_text_is_exact() {
        let expected = r#"#usda 1.0
(
    defaultPrim = "World"
    startTimeCode = 0
    endTimeCode = 1
    framesPerSecond = 24
    timeCodesPerSecond = 24
    metersPerUnit = 1
    upAxis = "Y"
)

def Xform "World"
{
    def Mesh "tri" (
        customData = {
            string name = "tri"
        }
    )
    {
        uniform bool doubleSided = 1
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        uniform token orientation = "rightHanded"
        uniform token subdivisionScheme = "none"
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0.1)]
        float3[] extent.timeSamples = {
            0: [(0, 0, 0), (1, 1, 0.1)],
            1: [(0, 0, 0), (1, 1.5, 0.1)],
        }
        point3f[] points.timeSamples = {
            0: [(0, 0, 0), (1, 0, 0), (0, 1, 0.1)],
            1: [(0, 0, 0), (1, 0.25, 0), (0, 1.5, 0.1)],
        }
    }
}
"#;
        assert_eq!(written(Fixture::triangle(), true), expected);
    }

    #[test]
    fn fields_and_velocities_come_on_request() {
        let plain = written(Fixture::both(), false);
        assert!(!plain.contains("velocities") && !plain.contains("weft"));
        assert!(plain.contains("primvars:st = [(0, 0), (0.5, 0), (0, 0.5), (0.5, 0.5), (2, 2)] (\n"));
        assert!(plain.contains("primvars:st:indices = [0, 1, 2, 2, 4, 3]\n"));
        let full = written(Fixture::both(), true);
        let shear = "float[] primvars:shear (\n            interpolation = \"uniform\"\n        )\n        \
                     float[] primvars:shear.timeSamples = {\n            0: [0.2, 0.21],\n            1: [1.2, 1.21],\n";
        assert!(full.contains(shear), "{full}");
        assert!(full.contains("float[] primvars:heat (\n            interpolation = \"vertex\"\n"));
        assert_eq!(full.matches("vector3f[] velocities.timeSamples").count(), 2);
        assert!(!full.contains("volume"), "there are no tetrahedra in a USD mesh");
    }

    #[test]
    fn strange_names_stay_within_their_quotes() {
        let mut fixture = Fixture::both();
        fixture.setup.objects[0].name = "a\"b\\\n".into();
        fixture.setup.objects[0].fields[0].name = "st".into();
        fixture.setup.up_axis = UpAxis::Z;
        let text = written(fixture, true);
        assert!(text.contains("def Mesh \"a_b__\" (") && text.contains("string name = \"a\\\"b\\\\ \"\n"));
        assert!(text.contains("upAxis = \"Z\"") && text.contains("primvars:st_2.timeSamples"));
    }
}
