//! USD as text (`scene.usda`), with a time sample per frame. One time code is one frame.

use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::atomic::AtomicFile;
use super::names::identifiers;
use super::spool::Spool;
use super::surface::vertex_normals;
use super::{Clip, FieldOn, Format, Frame, FrameWriter, Holds, ObjectInfo, Setup, UpAxis, WriteError};

pub(crate) const FORMAT: Format = Format {
    name: "usd",
    about: "USD text with time samples, in metres",
    holds: Holds::Asked,
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
    let spool = Spool::open(clip, dir, SPOOL, clip.setup().details, start)?;
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
        let names = identifiers(self.clip.objects().iter().map(ObjectInfo::title));
        for (object, name) in names.iter().enumerate() {
            self.put_mesh(&mut file, object, name)?;
        }
        file.put(self.materials().as_bytes())?;
        file.put(b"}\n")?;
        let path = file.commit()?;
        self.spool.remove()?;
        Ok(vec![path])
    }
}

fn stage_header(clip: &Clip, frames: usize) -> String {
    let Setup { fps, first_frame, metres_per_unit, .. } = clip.setup();
    let up = match clip.setup().up_axis {
        UpAxis::Y => "Y",
        UpAxis::Z => "Z",
    };
    format!(
        "#usda 1.0\n(\n    defaultPrim = \"World\"\n    startTimeCode = {first_frame}\n    endTimeCode = {}\n    \
         framesPerSecond = {fps}\n    timeCodesPerSecond = {fps}\n    metersPerUnit = {metres_per_unit}\n    upAxis = \"{up}\"\n)\n\n\
         def Xform \"World\"\n{{\n",
        *first_frame as usize + frames - 1,
    )
}

impl Usd {
    fn put_mesh(&mut self, file: &mut AtomicFile, object: usize, name: &str) -> Result<(), WriteError> {
        file.put(self.mesh_header(object, name).as_bytes())?;
        let positions = self.spool.objects[object].positions.clone();
        self.put_samples(file, "float3[] extent", &positions, |floats| tuples(&extent(floats)))?;
        self.put_samples(file, "point3f[] points", &positions, tuples)?;
        let clip = self.clip.clone();
        if clip.setup().details.normals {
            file.put(b"        normal3f[] normals (\n            interpolation = \"vertex\"\n        )\n")?;
            let surface = clip.surface(object);
            let normals = |floats: &[f32]| {
                let wide: Vec<[f64; 3]> = floats.as_chunks::<3>().0.iter().map(|p| p.map(f64::from)).collect();
                let normals = vertex_normals(&wide, surface);
                tuples(&normals.as_flattened().iter().map(|&v| v as f32).collect::<Vec<_>>())
            };
            self.put_samples(file, "normal3f[] normals", &positions, normals)?;
        }
        if let Some(velocities) = self.spool.objects[object].velocities.clone() {
            self.put_samples(file, "vector3f[] velocities", &velocities, tuples)?;
        }
        let info = &clip.objects()[object];
        // Texture coordinates already go by the name of st.
        let names = identifiers(["st"].into_iter().chain(info.fields.iter().map(|f| f.name.as_str())));
        for (field, values) in self.spool.objects[object].fields.clone() {
            let on_vertices = info.fields[field].on == FieldOn::Vertices;
            let interpolation = if on_vertices { "vertex" } else { "uniform" };
            let attribute = format!("float[] primvars:{}", names[field + 1]);
            file.put(
                format!("        {attribute} (\n            interpolation = \"{interpolation}\"\n        )\n")
                    .as_bytes(),
            )?;
            let faces = clip.faces(object);
            let scalars = |floats: &[f32]| if on_vertices { list(floats) } else { list(faces.mean(floats).iter()) };
            self.put_samples(file, &attribute, &values, scalars)?;
        }
        file.put(self.sets(object).as_bytes())?;
        file.put(b"    }\n")
    }

    /// All of a mesh that does not change.
    fn mesh_header(&self, object: usize, name: &str) -> String {
        let info = &self.clip.objects()[object];
        let faces = self.clip.faces(object);
        let mut text = format!("    def Mesh \"{name}\" (\n        customData = {{\n            string name = ");
        text += &quoted(info.title());
        text += "\n        }\n    )\n    {\n";
        // Cloth is seen from both sides, bodies only from outside.
        let _ = writeln!(text, "        uniform bool doubleSided = {}", u8::from(!info.triangles.is_empty()));
        let _ = writeln!(text, "        int[] faceVertexCounts = {}", list(faces.counts()));
        let _ = writeln!(text, "        int[] faceVertexIndices = {}", list(&faces.corners));
        text +=
            "        uniform token orientation = \"rightHanded\"\n        uniform token subdivisionScheme = \"none\"\n";
        let rest: Vec<f32> = info.rest.as_flattened().iter().map(|&v| v as f32).collect();
        let _ = writeln!(text, "        point3f[] points = {}", tuples(&rest));
        if !info.uvs.is_empty() {
            let uvs = list(info.uvs.iter().map(|uv| format!("({}, {})", uv[0] as f32, uv[1] as f32)));
            let _ = writeln!(text, "        texCoord2f[] primvars:st = {uvs} (");
            text += "            interpolation = \"faceVarying\"\n        )\n";
            let _ = writeln!(text, "        int[] primvars:st:indices = {}", list(&faces.uvs));
        }
        text
    }

    /// The names of all materials, and what they are called in the file.
    fn material_names(&self) -> Vec<(String, String)> {
        let mut names: Vec<String> = Vec::new();
        for set in self.clip.objects().iter().flat_map(|object| &object.given.materials) {
            if !names.contains(&set.name) {
                names.push(set.name.clone());
            }
        }
        let called = identifiers(names.iter().map(String::as_str));
        names.into_iter().zip(called).collect()
    }

    /// Materials that have a name and nothing else: programs keep what they have under it.
    fn materials(&self) -> String {
        let names = self.material_names();
        if names.is_empty() {
            return String::new();
        }
        let mut text = String::from("    def Scope \"Materials\"\n    {\n");
        for (name, called) in names {
            let _ = write!(text, "        def Material \"{called}\" (\n            customData = {{\n");
            let _ = write!(text, "                string name = {}\n            }}\n        )\n", quoted(&name));
            text += "        {\n        }\n";
        }
        text + "    }\n"
    }

    /// The groups and materials of a mesh, as sets of its faces.
    fn sets(&self, object: usize) -> String {
        let given = &self.clip.objects()[object].given;
        let materials = self.material_names();
        let groups = given.groups.iter().map(|set| (set, None));
        let made = given.materials.iter().map(|set| (set, materials.iter().find(|(name, _)| *name == set.name)));
        let sets: Vec<_> = made.chain(groups).collect();
        let names = identifiers(sets.iter().map(|(set, _)| set.name.as_str()));
        let mut text = String::new();
        for ((set, material), name) in sets.into_iter().zip(names) {
            let api = "prepend apiSchemas = [\"MaterialBindingAPI\"]";
            let head = if material.is_some() { format!(" (\n            {api}\n        )") } else { String::new() };
            let family = if material.is_some() { "materialBind" } else { "groups" };
            let _ = write!(text, "        def GeomSubset \"{name}\"{head}\n        {{\n");
            let _ = writeln!(text, "            uniform token elementType = \"face\"");
            let _ = writeln!(text, "            uniform token familyName = \"{family}\"");
            let _ = writeln!(text, "            int[] indices = {}", list(&set.faces));
            if let Some((_, called)) = material {
                let _ = writeln!(text, "            rel material:binding = </World/Materials/{called}>");
            }
            text += "        }\n";
        }
        text
    }

    fn put_samples(
        &mut self,
        file: &mut AtomicFile,
        attribute: &str,
        floats: &Range<usize>,
        text: impl Fn(&[f32]) -> String,
    ) -> Result<(), WriteError> {
        let first = self.clip.setup().first_frame as usize;
        file.put(format!("        {attribute}.timeSamples = {{\n").as_bytes())?;
        for frame in 0..self.spool.frames() {
            let values = self.spool.read(frame, floats)?;
            file.put(format!("            {}: {},\n", first + frame, text(&values)).as_bytes())?;
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
    use crate::write::Details;
    use crate::write::testing::{Fixture, TempDir};

    fn written(mut fixture: Fixture, fields: bool) -> String {
        fixture.setup.details = Details { normals: false, ..if fields { Details::ALL } else { Details::default() } };
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
