//! Sound files, or nearly so, that make much of little: each is a pattern repeated until it is some megabytes long.

use crate::common::Packer;

/// How long files become, bytes. Twenty times this is more than what every file may take.
const LENGTH: usize = 3 << 20;

/// A file's name, for its format and for messages, and its content.
pub type File = (String, Vec<u8>);

fn text(name: &str, head: &str, mut row: impl FnMut(usize) -> String, tail: &str) -> File {
    let mut out = head.to_owned();
    let mut at = 0;
    while out.len() < LENGTH {
        out.push_str(&row(at));
        at += 1;
    }
    (name.into(), (out + tail).into_bytes())
}

fn repeated(name: &str, head: &str, row: &str, tail: &str) -> File {
    text(name, head, |_| row.to_owned(), tail)
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n";

fn obj() -> Vec<File> {
    vec![
        repeated("vertices.obj", "", "v 0 0 0\n", "f 1 2 3\n"),
        repeated("faces.obj", SQUARE, "f 1 2 3\n", ""),
        repeated("textured.obj", "v 0 0 0\nvt 0\n", "f 1/1 1/1 1/1\n", ""),
        repeated("polygon.obj", &format!("{SQUARE}f"), " 1 2 4", "\n"),
        repeated("quads.obj", SQUARE, "f 1 2 4 3\n", ""),
        text("groups.obj", SQUARE, |at| format!("g {at}\nf 1 2 3\n"), ""),
        text("objects.obj", SQUARE, |at| format!("o {at}\n"), "f 1 2 3\n"),
        repeated("sections.obj", SQUARE, "g a\n", "f 1 2 3\n"),
        repeated("coordinates.obj", SQUARE, "vt 0\n", "f 1 2 3\n"),
    ]
}

fn ply() -> Vec<File> {
    let head = |vertex: &str, vertices: usize, faces: usize, list: &str| {
        format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex {vertices}\n{vertex}element face {faces}\n\
             property list uchar uchar {list}\nend_header\n"
        )
    };
    let small = "property char x\nproperty char y\nproperty char z\n";
    let with = |head: String, rows: Vec<u8>| [head.into_bytes(), rows].concat();
    let (vertices, faces, polygons) = (LENGTH / 3, LENGTH / 4, LENGTH / 256);
    let triangle = [0, 0, 0, 1, 0, 0, 0, 1, 0];
    let many = [&triangle[..], &[3, 0, 1, 2].repeat(faces)].concat();
    let large = [&triangle[..], &[&[255][..], &[0, 1, 2].repeat(85)].concat().repeat(polygons)].concat();
    vec![
        ("vertices.ply".into(), with(head(small, vertices, 1, "vertex_index"), vec![0; 3 * vertices + 4])),
        ("faces.ply".into(), with(head(small, 3, faces, "vertex_index"), many.clone())),
        ("polygons.ply".into(), with(head(small, 3, polygons, "vertex_index"), large.clone())),
        ("strips.ply".into(), with(head(small, 3, polygons, "vertex_index").replace("face", "tristrips"), large)),
        ("lists.ply".into(), with(head(small, 3, faces, "nothing"), many)),
        repeated("elements.ply", "ply\nformat ascii 1.0\n", "element a 0\n", "end_header\n"),
        repeated("properties.ply", "ply\nformat ascii 1.0\nelement a 0\n", "property int a\n", "end_header\n"),
    ]
}

fn stl() -> Vec<File> {
    let corner = |at: usize| format!("vertex {at} 0 0 ");
    let facet = |at: usize| {
        let corners: String = (3 * at..3 * at + 3).map(corner).collect();
        format!("facet normal\nouter loop {corners}endloop endfacet\n")
    };
    let triangles = LENGTH / 50;
    let mut binary = Packer::new(false).text(&format!("{:80}", "")).u32(&[triangles as u32]);
    for at in 0..triangles {
        let numbers: Vec<f32> = (0..9).map(|k| (9 * at + k) as f32).collect();
        binary = binary.f32(&[0.0; 3]).f32(&numbers).u16(&[0]);
    }
    vec![
        text("corners.stl", "solid a\n", facet, "endsolid\n"),
        ("binary.stl".into(), binary.bytes),
        text("solids.stl", "", |at| format!("solid {at}\n{}endsolid\n", facet(0)), ""),
    ]
}

/// A glTF file with one buffer of so many zeros, as text.
fn gltf(name: &str, zeros: usize, rest: &str) -> File {
    use base64::Engine;
    let data = base64::engine::general_purpose::STANDARD.encode(vec![0; zeros]);
    let buffer = format!("{{\"byteLength\":{zeros},\"uri\":\"data:;base64,{data}\"}}");
    let view = format!("{{\"buffer\":0,\"byteLength\":{zeros}}}");
    let text = format!("{{\"asset\":{{\"version\":\"2.0\"}},\"buffers\":[{buffer}],\"bufferViews\":[{view}],{rest}}}");
    (name.into(), text.into_bytes())
}

fn list(row: &str, length: usize) -> String {
    let all = format!("{row},").repeat(length / (row.len() + 1));
    all.trim_end_matches(',').to_owned()
}

fn accessor(kind: &str, component: u32, count: usize) -> String {
    format!("{{\"bufferView\":0,\"componentType\":{component},\"count\":{count},\"type\":\"{kind}\"}}")
}

fn gltf_files() -> Vec<File> {
    let rows = |key: &str, row: &str| gltf(&format!("{key}.gltf"), 12, &format!("\"{key}\":[{}]", list(row, LENGTH)));
    let mesh = "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}]";
    let bytes = LENGTH / 2;
    let accessors =
        format!("\"accessors\":[{},{}]", accessor("VEC3", 5120, bytes / 3), accessor("SCALAR", 5121, bytes / 3 * 3));
    let targets = list("{\"POSITION\":0}", 40_000);
    let primitives = list("{\"attributes\":{\"POSITION\":0},\"indices\":1}", 100_000);
    let attributes: String = (0..LENGTH / 12).map(|at| format!("\"a{at}\":0,")).collect();
    let joints = list("0", LENGTH);
    let skinned = format!(
        "\"accessors\":[{},{}],\"nodes\":[{}],\"skins\":[{{\"joints\":[{joints}]}}],\"meshes\":[{{\"primitives\":[{{\
         \"attributes\":{{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":1}}}}]}}]",
        accessor("VEC3", 5120, 3),
        accessor("VEC4", 5121, 3),
        list("{\"mesh\":0,\"skin\":0}", 10_000)
    );
    vec![
        rows("nodes", "{}"),
        rows("nodes", "{\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}"),
        rows("meshes", "{\"primitives\":[{}]}"),
        rows("animations", "{}"),
        rows("animations", "{\"channels\":[{\"sampler\":0,\"target\":{\"path\":\"\"}}]}"),
        rows("skins", "{\"joints\":[0]}"),
        rows("accessors", "{\"componentType\":5126,\"count\":1,\"type\":\"A\"}"),
        rows("scenes", "{\"nodes\":[0]}"),
        rows("extensionsRequired", "\"\""),
        rows("extras", "{\"a\":[[]]}"),
        gltf("bytes.gltf", bytes, &format!("{accessors},{mesh}")),
        gltf("instances.gltf", bytes, &format!("{accessors},{mesh},\"nodes\":[{}]", list("{\"mesh\":0}", LENGTH / 4))),
        gltf(
            "targets.gltf",
            bytes,
            &format!("{accessors},{}", mesh.replace("\"indices\":1", &format!("\"targets\":[{targets}]"))),
        ),
        gltf("primitives.gltf", bytes, &format!("{accessors},\"meshes\":[{{\"primitives\":[{primitives}]}}]")),
        gltf(
            "attributes.gltf",
            12,
            &format!("\"meshes\":[{{\"primitives\":[{{\"attributes\":{{{attributes}\"b\":0}}}}]}}]"),
        ),
        gltf("skins.gltf", 12, &skinned),
        repeated("nested.gltf", "", "[", ""),
        repeated("nested objects.gltf", "{\"extras\":", "{\"a\":", ""),
        repeated("names.gltf", "{\"nodes\":[{\"name\":\"", "\\u0041", "\"}]}"),
    ]
}

const MSH2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const MSH4: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
const NODES: &str = "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n";

fn msh() -> Vec<File> {
    let elements = format!("{MSH2}{NODES}$Elements\n{}\n", LENGTH / 20);
    vec![
        text("nodes.msh", &format!("{MSH2}$Nodes\n{}\n", LENGTH / 16), |at| format!("{at} 0 0 0\n"), ""),
        text("groups.msh", &elements, |at| format!("{at} 2 2 {at} {at} 1 2 3\n"), ""),
        text("tags.msh", &elements, |at| format!("{at} 15 2 {at} 0 1\n"), ""),
        text("names.msh", &format!("{MSH2}$PhysicalNames\n{}\n", LENGTH / 10), |at| format!("2 {at} \"\"\n"), ""),
        text(
            "entities.msh",
            &format!("{MSH4}$Entities\n{} 0 0 0\n", LENGTH / 24),
            |at| format!("{at} 0 0 0 2 7 7\n"),
            "",
        ),
        repeated("many tags.msh", &format!("{MSH4}$Entities\n1 0 0 0\n1 0 0 0 {}\n", LENGTH / 4), "7 ", ""),
        text(
            "blocks.msh",
            &format!("{MSH4}$Nodes\n1 {} 1 1\n2 1 0 {}\n", LENGTH / 12, LENGTH / 12),
            |at| format!("{at}\n"),
            "",
        ),
        repeated("sections.msh", MSH2, "$A\n$EndA\n", ""),
    ]
}

fn vtk() -> Vec<File> {
    let head = "# vtk DataFile Version 3.0\na\nASCII\nDATASET POLYDATA\n";
    let points = format!("{head}POINTS 3 float\n0 0 0 1 0 0 0 1 0\n");
    let (numbers, triangles) = (LENGTH / 2, LENGTH / 8);
    let grid = points.replace("POLYDATA", "UNSTRUCTURED_GRID");
    let offsets = points.replace("3.0", "5.1");
    vec![
        repeated("points.vtk", &format!("{head}POINTS {} char\n", LENGTH / 6), "0 0 0\n", ""),
        repeated("polygon.vtk", &format!("{points}POLYGONS 1 {numbers}\n{} ", numbers - 1), "0 1 2 ", ""),
        repeated("polygons.vtk", &format!("{points}POLYGONS {triangles} {}\n", 4 * triangles), "3 0 1 2\n", ""),
        repeated("strip.vtk", &format!("{points}TRIANGLE_STRIPS 1 {numbers}\n{} ", numbers - 1), "0 1 2 ", ""),
        repeated("lines.vtk", &format!("{points}LINES {triangles} {}\n", 4 * triangles), "3 0 1 2\n", ""),
        repeated("cells.vtk", &format!("{grid}CELLS {triangles} {}\n", 4 * triangles), "3 0 1 2\n", ""),
        repeated("empty cells.vtk", &format!("{grid}CELLS {numbers} {numbers}\n"), "0 ", ""),
        repeated("offsets.vtk", &format!("{offsets}POLYGONS {numbers} 3\nOFFSETS vtktypeint64\n"), "0 ", ""),
        repeated("fields.vtk", &format!("{points}FIELD a {}\n", LENGTH / 16), "a 1 1 char\n0\n", ""),
    ]
}

fn caches() -> Vec<File> {
    let samples = LENGTH / 12;
    let one = Packer::new(false).text("POINTCACHE2\0").i32(&[1, 1]).f32(&[0.0, 1.0]).i32(&[samples as i32]);
    let times = Packer::new(true).i32(&[(LENGTH / 16) as i32, 1]);
    vec![
        ("samples.pc2".into(), [one.bytes, vec![0; 12 * samples]].concat()),
        ("samples.mdd".into(), [times.bytes, vec![0; LENGTH]].concat()),
    ]
}

fn usd() -> Vec<File> {
    let head = "#usda 1.0\n(\n    defaultPrim = \"a\"\n)\n";
    let mesh = format!("{head}def Mesh \"a\"\n{{\n");
    let triangle = "int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0,1,2]\n";
    let points = "point3f[] points = [(0,0,0),(1,0,0),(0,1,0)]\n";
    let whole = format!("{mesh}{points}{triangle}");
    let samples = format!("{mesh}{triangle}point3f[] points.timeSamples = {{\n");
    let sample = |at: usize| format!("{at}: [(0,0,0),(1,0,0),(0,1,0)],\n");
    let subset = |at: usize| format!("def GeomSubset \"s{at}\" {{ int[] indices = [0] }}\n");
    vec![
        repeated("points.usda", &format!("{mesh}{triangle}point3f[] points = ["), "(0,0,0),", "(0,0,0)]\n}\n"),
        repeated("counts.usda", &format!("{mesh}{points}int[] faceVertexCounts = ["), "3,", "3]\n}\n"),
        repeated("corners.usda", &format!("{mesh}{points}int[] faceVertexIndices = ["), "0,", "1]\n}\n"),
        repeated("nothing.usda", &format!("{mesh}{points}int[] faceVertexCounts = ["), "0,", "3]\n}\n"),
        text("prims.usda", head, |at| format!("def Mesh \"a{at}\"\n{{\n}}\n"), ""),
        text("deep.usda", head, |at| format!("def Xform \"a{at}\"\n{{\n"), ""),
        text("attributes.usda", &whole, |at| format!("float a{at} = 1\n"), "}\n"),
        text("primvars.usda", &whole, |at| format!("float[] primvars:a{at} = [1,2,3]\n"), "}\n"),
        text("samples.usda", &samples, sample, "}\n}\n"),
        text("empty samples.usda", &samples, |at| format!("{at}: [],\n"), "}\n}\n"),
        text("subsets.usda", &whole, subset, "}\n"),
        repeated("brackets.usda", &format!("{mesh}point3f[] points = "), "[", ""),
        repeated("dictionaries.usda", "#usda 1.0\n(\n customLayerData = ", "{ dictionary a = ", ""),
        repeated("references.usda", &format!("{head}def \"a\" ( references = ["), "@a.usda@,", "] ) {}\n"),
        repeated("word.usda", &format!("{mesh}string a = \""), "x", "\"\n}\n"),
    ]
}

/// Pairs of files, by the name of the one that is opened.
pub fn pairs() -> Vec<[File; 2]> {
    let node = |row: &dyn Fn(usize) -> String, markers: u32| {
        let (_, rows) = text("", &format!("{} 3 0 {markers}\n", LENGTH / 16), row, "");
        ("a.node".to_owned(), rows)
    };
    let few = ("a.node".to_owned(), crate::common::NODE.as_bytes().to_vec());
    let tets = text("a.ele", &format!("{} 4 1\n", LENGTH / 16), |at| format!("{at} 1 2 3 4 {at}\n"), "");
    let ele = ("a.ele".to_owned(), crate::common::ELE.as_bytes().to_vec());
    vec![
        [ele.clone(), node(&|at| format!("{at} 0 0 0\n"), 0)],
        [ele, node(&|at| format!("{at} 0 0 0 {at}\n"), 1)],
        [tets, few],
    ]
}

/// Files of every format.
pub fn files() -> Vec<File> {
    [obj(), ply(), stl(), gltf_files(), msh(), vtk(), caches(), usd()].concat()
}

/// Scenes that are long, wide or deep.
pub fn scenes() -> Vec<File> {
    let body = "[[cloth]]\ngenerate = { kind = \"sheet\", nx = 3, ny = 3 }\n";
    let pin = format!("{body}[[pin]]\nbody = \"cloth\"\nselect = \"all\"\n");
    let key = |at: usize| format!("{{time={at},value=[0,0,0]}},");
    vec![
        repeated("numbers.toml", "a = [", "1,", "]"),
        repeated("lists.toml", "a = [", "[1],", "]"),
        repeated("tables.toml", "a = [", "{a=1},", "]"),
        repeated("texts.toml", "a = [", "'',", "]"),
        repeated("bodies.toml", "", "[[cloth]]\n", ""),
        repeated("bodies with keys.toml", "", "[[cloth]]\na=1\n", ""),
        text("names.toml", "", |at| format!("[[cloth]]\nname=\"{at}\"\ngenerate=\"sheet\"\n"), ""),
        text("keys.toml", body, |at| format!("a{at}=1\n"), ""),
        text("headings.toml", body, |at| format!("[a{at}]\n"), ""),
        text("dots.toml", "", |at| format!("{at}.1.2.3=1\n"), ""),
        text("inline dots.toml", "", |at| format!("a{at}={{1.2.3=1}}\n"), ""),
        text("heading dots.toml", "", |at| format!("[{at}.1.2.3]\n"), ""),
        repeated("nothing.toml", "", "=\n", ""),
        repeated("half.toml", "", "a=\n", ""),
        repeated("nested.toml", "a=", "[", ""),
        repeated("nested tables.toml", "a=", "{a=", ""),
        repeated("one dotted key.toml", "a", ".a", "=1\n"),
        text("million keys.toml", &format!("{pin}motion={{translate={{keys=["), key, "]}}\n"),
        repeated("limits.toml", body, "[[limit]]\nweft=0.1\n", ""),
        repeated("unknown pins.toml", body, "[[pin]]\nbody='x'\nselect='all'\n", ""),
        text("circle.toml", body, |at| format!("[[collider]]\nname='{at}'\nfollow='{}'\nshape='plane'\n", at + 1), ""),
        repeated("comment.toml", body, "# [[a]] = {a.b}, ", "\n"),
        repeated("word.toml", body, "a", ""),
    ]
}
