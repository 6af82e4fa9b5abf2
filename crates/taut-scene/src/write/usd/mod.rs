//! USD as text (`scene.usda`) and binary (`scene.usdc`), with a time sample per frame. One time code is one frame.

mod binary;
mod layer;
mod text;

use self::layer::{About, Attribute, Layer, Value};
use super::names::identifiers;
use super::spool::Spool;
use super::surface::vertex_normals;
use super::{Clip, FieldOn, Format, Frame, FrameWriter, Holds, ObjectInfo, Setup, UpAxis, WriteError};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) const FORMAT: Format = Format {
    name: "usd",
    about: "USD text with time samples, in metres",
    holds: Holds::Asked,
    files: TEXT,
    names: |_| vec![TEXT.into()],
    spool: Some(TEXT_SPOOL),
    check: super::anything,
    open: open_text,
};

pub(crate) const BINARY_FORMAT: Format = Format {
    name: "usdc",
    about: "USD in binary with time samples, in metres: a third of the size of its text",
    holds: Holds::Asked,
    files: BINARY,
    names: |_| vec![BINARY.into()],
    spool: Some(BINARY_SPOOL),
    check: super::anything,
    open: open_binary,
};

const TEXT: &str = "scene.usda";
const TEXT_SPOOL: &str = "scene.usda.spool";
const BINARY: &str = "scene.usdc";
const BINARY_SPOOL: &str = "scene.usdc.spool";

struct Usd {
    clip: Arc<Clip>,
    dir: PathBuf,
    spool: Spool,
    binary: bool,
}

fn open_text(clip: &Arc<Clip>, dir: &Path, start: usize) -> Result<Box<dyn FrameWriter>, WriteError> {
    let spool = Spool::open(clip, dir, TEXT_SPOOL, clip.setup().details, start)?;
    Ok(Box::new(Usd { clip: clip.clone(), dir: dir.into(), spool, binary: false }))
}

fn open_binary(clip: &Arc<Clip>, dir: &Path, start: usize) -> Result<Box<dyn FrameWriter>, WriteError> {
    let spool = Spool::open(clip, dir, BINARY_SPOOL, clip.setup().details, start)?;
    Ok(Box::new(Usd { clip: clip.clone(), dir: dir.into(), spool, binary: true }))
}

impl FrameWriter for Usd {
    fn frame(&mut self, frame: &Frame) -> Result<(), WriteError> {
        self.spool.append(frame)
    }

    fn sync(&mut self) -> Result<(), WriteError> {
        self.spool.sync()
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<PathBuf>, WriteError> {
        let mut layer: Box<dyn Layer> = match self.binary {
            true => Box::new(binary::Binary::create(&self.dir, BINARY)?),
            false => Box::new(text::Text::create(&self.dir, TEXT)?),
        };
        put_head(&mut *layer, &self.clip, self.spool.frames())?;
        layer.begin("Xform", "World", About::default())?;
        let names = identifiers(self.clip.objects().iter().map(ObjectInfo::title));
        for (object, name) in names.iter().enumerate() {
            self.put_mesh(&mut *layer, object, name)?;
        }
        self.put_materials(&mut *layer)?;
        layer.end()?;
        let path = layer.finish()?;
        self.spool.remove()?;
        Ok(vec![path])
    }
}

fn put_head(layer: &mut dyn Layer, clip: &Clip, frames: usize) -> Result<(), WriteError> {
    let Setup { fps, first_frame, metres_per_unit, .. } = clip.setup();
    let up = match clip.setup().up_axis {
        UpAxis::Y => "Y",
        UpAxis::Z => "Z",
    };
    layer.head(&[
        ("defaultPrim", Value::Token("World")),
        ("startTimeCode", Value::Double(f64::from(*first_frame))),
        ("endTimeCode", Value::Double((*first_frame as usize + frames - 1) as f64)),
        ("framesPerSecond", Value::Double(*fps)),
        ("timeCodesPerSecond", Value::Double(*fps)),
        ("metersPerUnit", Value::Double(*metres_per_unit)),
        ("upAxis", Value::Token(up)),
    ])
}

impl Usd {
    fn put_mesh(&mut self, layer: &mut dyn Layer, object: usize, name: &str) -> Result<(), WriteError> {
        self.put_still(layer, object, name)?;
        let positions = self.spool.objects[object].positions.clone();
        let three = |floats: Vec<f32>| Value::Floats(3, floats);
        self.samples(layer, Attribute::new("float3[]", "extent"), &positions, |floats| three(extent(&floats)))?;
        self.samples(layer, Attribute::new("point3f[]", "points"), &positions, three)?;
        let clip = self.clip.clone();
        if clip.setup().details.normals {
            let surface = clip.surface(object);
            let normals = |floats: Vec<f32>| {
                let wide: Vec<[f64; 3]> = floats.as_chunks::<3>().0.iter().map(|p| p.map(f64::from)).collect();
                let normals = vertex_normals(&wide, surface);
                three(normals.as_flattened().iter().map(|&v| v as f32).collect())
            };
            self.samples(layer, Attribute::new("normal3f[]", "normals").on("vertex"), &positions, normals)?;
        }
        if let Some(velocities) = self.spool.objects[object].velocities.clone() {
            self.samples(layer, Attribute::new("vector3f[]", "velocities"), &velocities, three)?;
        }
        self.put_fields(layer, object)?;
        self.put_sets(layer, object)?;
        layer.end()
    }

    /// Strain and the like, on vertices or faces.
    fn put_fields(&mut self, layer: &mut dyn Layer, object: usize) -> Result<(), WriteError> {
        let clip = self.clip.clone();
        let info = &clip.objects()[object];
        // Texture coordinates already go by the name of st.
        let names = identifiers(["st"].into_iter().chain(info.fields.iter().map(|f| f.name.as_str())));
        for (field, values) in self.spool.objects[object].fields.clone() {
            let on_vertices = info.fields[field].on == FieldOn::Vertices;
            let called = format!("primvars:{}", names[field + 1]);
            let on = if on_vertices { "vertex" } else { "uniform" };
            let faces = clip.faces(object);
            let scalars = |floats: Vec<f32>| match on_vertices {
                true => Value::Floats(1, floats),
                false => Value::Floats(1, faces.mean(&floats).into_owned()),
            };
            self.samples(layer, Attribute::new("float[]", &called).on(on), &values, scalars)?;
        }
        Ok(())
    }

    /// All of a mesh that does not change.
    fn put_still(&self, layer: &mut dyn Layer, object: usize, name: &str) -> Result<(), WriteError> {
        let info = &self.clip.objects()[object];
        let faces = self.clip.faces(object);
        let ints = |list: &[u32]| Value::Ints(list.iter().map(|&x| x as i32).collect());
        layer.begin("Mesh", name, About { title: Some(info.title()), api: None })?;
        // Cloth is seen from both sides, bodies only from outside.
        let both = Value::Bool(!info.triangles.is_empty());
        layer.put(Attribute::new("bool", "doubleSided").uniform(), both)?;
        let counts: Vec<i32> = faces.counts().map(|count| count as i32).collect();
        layer.put(Attribute::new("int[]", "faceVertexCounts"), Value::Ints(counts))?;
        layer.put(Attribute::new("int[]", "faceVertexIndices"), ints(&faces.corners))?;
        layer.put(Attribute::new("token", "orientation").uniform(), Value::Token("rightHanded"))?;
        layer.put(Attribute::new("token", "subdivisionScheme").uniform(), Value::Token("none"))?;
        let rest: Vec<f32> = info.rest.as_flattened().iter().map(|&v| v as f32).collect();
        layer.put(Attribute::new("point3f[]", "points"), Value::Floats(3, rest))?;
        if !info.uvs.is_empty() {
            let uvs: Vec<f32> = info.uvs.as_flattened().iter().map(|&v| v as f32).collect();
            let st = Attribute::new("texCoord2f[]", "primvars:st").on("faceVarying");
            layer.put(st, Value::Floats(2, uvs))?;
            layer.put(Attribute::new("int[]", "primvars:st:indices"), ints(&faces.uvs))?;
        }
        Ok(())
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
    fn put_materials(&self, layer: &mut dyn Layer) -> Result<(), WriteError> {
        let names = self.material_names();
        if names.is_empty() {
            return Ok(());
        }
        layer.begin("Scope", "Materials", About::default())?;
        for (name, called) in names {
            layer.begin("Material", &called, About { title: Some(&name), api: None })?;
            layer.end()?;
        }
        layer.end()
    }

    /// The groups and materials of a mesh, as sets of its faces.
    fn put_sets(&self, layer: &mut dyn Layer, object: usize) -> Result<(), WriteError> {
        let given = &self.clip.objects()[object].given;
        let materials = self.material_names();
        let groups = given.groups.iter().map(|set| (set, None));
        let made = given.materials.iter().map(|set| (set, materials.iter().find(|(name, _)| *name == set.name)));
        let sets: Vec<_> = made.chain(groups).collect();
        let names = identifiers(sets.iter().map(|(set, _)| set.name.as_str()));
        for ((set, material), name) in sets.into_iter().zip(names) {
            let api = material.map(|_| "MaterialBindingAPI");
            let family = if material.is_some() { "materialBind" } else { "groups" };
            layer.begin("GeomSubset", &name, About { title: None, api })?;
            layer.put(Attribute::new("token", "elementType").uniform(), Value::Token("face"))?;
            layer.put(Attribute::new("token", "familyName").uniform(), Value::Token(family))?;
            let faces = set.faces.iter().map(|&face| face as i32).collect();
            layer.put(Attribute::new("int[]", "indices"), Value::Ints(faces))?;
            if let Some((_, called)) = material {
                layer.relation("material:binding", &format!("/World/Materials/{called}"))?;
            }
            layer.end()?;
        }
        Ok(())
    }

    fn samples(
        &mut self,
        layer: &mut dyn Layer,
        attribute: Attribute,
        floats: &Range<usize>,
        of: impl Fn(Vec<f32>) -> Value<'static>,
    ) -> Result<(), WriteError> {
        let (first, frames) = (self.clip.setup().first_frame as usize, self.spool.frames());
        let spool = &mut self.spool;
        layer.samples(attribute, first, frames, &mut |frame| Ok(of(spool.read(frame, floats)?)))
    }
}

/// The smallest and the largest corner of the box around the points.
fn extent(floats: &[f32]) -> Vec<f32> {
    let mut corners = vec![f32::INFINITY; 3];
    corners.resize(6, f32::NEG_INFINITY);
    for point in floats.as_chunks::<3>().0 {
        for axis in 0..3 {
            corners[axis] = corners[axis].min(point[axis]);
            corners[axis + 3] = corners[axis + 3].max(point[axis]);
        }
    }
    corners
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
