//! What comes back is the mesh that was given: its polygons, vertices, texture coordinates, groups, materials and name.

mod common;

use common::TempDir;
use std::fs;
use taut_scene::read::{Options, read_mesh};
use taut_scene::scene::Scene;
use taut_scene::simulation::Simulation;
use taut_scene::write::{Clip, Frame, ObjectFrame, format};

/// Two panels that are sewn at x = 1 and not welded: quads, a triangle and a pentagon, in centimetres, z up.
const GARMENT: &str = "\
o Left Sleeve.001
v 0 0 100
v 100 0 100
v 100 0 200
v 0 0 200
v 100 0 100
v 200 0 100
v 200 0 200
v 100 0 200
v 300 0 150
v 50 0 250
v 0 0 300
v -20 0 250
vt 0 0
vt 1 0
vt 1 1
vt 0 1
vt 2 0
vt 3 0
vt 3 1
vt 2 1
vt 4 0.5
vt 0.5 1.5
vt 0 2
vt -0.2 1.5
usemtl denim
f 1/1 2/2 3/3 4/4
g panel hem
usemtl silk
f 5/5 6/6 7/7 8/8
g hem
f 7/7 6/6 9/9
g off
usemtl denim
f 4/4 3/3 10/10 11/11 12/12
";

fn scene(dir: &TempDir, more: &str) -> Simulation {
    let text = format!(
        "[time]\nfps = 24\nframes = 3\n[solver]\nkind = \"pbd\"\n[contact]\non = false\n{more}\n[[cloth]]\n\
         name = \"shirt\"\nmesh = \"shirt.obj\"\nup = \"z\"\nunit = \"cm\"\nweld = 0\n"
    );
    let scene = Scene::parse("a.toml", &text, Some(&dir.0), &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scene, scene.precision(), 1).unwrap_or_else(|error| panic!("{error}"))
}

/// Writes all frames in a format.
fn write(dir: &TempDir, simulation: &mut Simulation, name: &str) {
    let format = format(name).unwrap();
    let setup = simulation.setup();
    let wanted = format.wants(setup.details);
    let clip = Clip::new(setup.with(wanted)).unwrap();
    let mut writer = format.open(&clip, &dir.0, 0).unwrap();
    for index in 0..=3 {
        let (positions, velocities, fields) = (simulation.positions(0), simulation.velocities(0), simulation.fields());
        let fields: Vec<&[f64]> = fields[0].iter().map(Vec::as_slice).collect();
        let object = ObjectFrame {
            positions: &positions,
            velocities: if wanted.velocities { &velocities } else { &[] },
            fields: if wanted.fields { &fields } else { &[] },
        };
        writer.frame(&Frame { index, time: simulation.time(), objects: &[object] }).unwrap();
        simulation.advance();
    }
    writer.finish().unwrap();
}

/// The lines of an OBJ file but its vertices and comments.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with("v ") && !line.starts_with('#')).collect()
}

fn garment(name: &str) -> TempDir {
    let dir = TempDir::new(name);
    fs::write(dir.0.join("shirt.obj"), GARMENT).unwrap();
    dir
}

#[test]
fn the_file_comes_back_line_by_line_and_the_cache_fits_it() {
    let dir = garment("same-obj");
    let mut simulation = scene(&dir, "[output]\nup = \"z\"\nunit = \"cm\"\nframe_start = 1001");
    assert_eq!(simulation.objects()[0].info.rest.len(), 10, "sewn: two vertices of twelve are others");
    let out = TempDir::new("same-obj-out");
    write(&out, &mut simulation, "pc2");
    let text = fs::read_to_string(out.0.join("shirt.obj")).unwrap();
    assert_eq!(lines(&text), lines(GARMENT));
    let vertices =
        |text: &str| text.lines().filter(|line| line.starts_with("v ")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(vertices(&text), vertices(GARMENT), "in the file's own axes and units");
    let cache = fs::read(out.0.join("shirt.pc2")).unwrap();
    let word = |at: usize| [0, 1, 2, 3].map(|k| cache[at + k]);
    assert_eq!((i32::from_le_bytes(word(16)), f32::from_le_bytes(word(20))), (12, 1001.0));
    for frame in 0..4 {
        let place = |vertex: usize| [0, 4, 8].map(|k| word(32 + 12 * (12 * frame + vertex) + k));
        assert_eq!((place(1), place(2)), (place(4), place(7)), "the seam stays closed in frame {frame}");
        assert_ne!(place(1), place(2));
    }
}

#[test]
fn sequences_and_usd_have_polygons_sets_and_numbers_of_frames() {
    let dir = garment("same-usd");
    let out = TempDir::new("same-usd-out");
    let output = "[output]\nframe_start = 1001\nwith = [\"velocity\", \"normal\", \"strain\"]";
    write(&out, &mut scene(&dir, output), "obj");
    let last = fs::read_to_string(out.0.join("obj/shirt_1004.obj")).unwrap();
    assert_eq!(lines(&last), lines(GARMENT));
    write(&out, &mut scene(&dir, output), "ply");
    let ply = read_mesh(out.0.join("ply/shirt_1001.ply"), &Options::default()).unwrap();
    assert_eq!(ply.given.ends, [4, 8, 11, 16]);
    assert_eq!(ply.given.corners, [0, 1, 2, 3, 4, 5, 6, 7, 6, 5, 8, 3, 2, 9, 10, 11]);
    assert_eq!(ply.surface.unwrap().uvs.len(), 12, "a texture coordinate for each vertex");
    write(&out, &mut scene(&dir, output), "usd");
    let usd = fs::read_to_string(out.0.join("scene.usda")).unwrap();
    for words in [
        "def Mesh \"Left_Sleeve_001\" (",
        "string name = \"Left Sleeve.001\"",
        "int[] faceVertexCounts = [4, 4, 3, 5]",
        "int[] faceVertexIndices = [0, 1, 2, 3, 4, 5, 6, 7, 6, 5, 8, 3, 2, 9, 10, 11]",
        "int[] primvars:st:indices = [0, 1, 2, 3, 4, 5, 6, 7, 6, 5, 8, 3, 2, 9, 10, 11]",
        "startTimeCode = 1001\n    endTimeCode = 1004",
        "            1004: [",
        "normal3f[] normals.timeSamples",
        "vector3f[] velocities.timeSamples",
        "int[] indices = [0, 3]\n            rel material:binding = </World/Materials/denim>",
        "def GeomSubset \"panel\"\n",
    ] {
        assert!(usd.contains(words), "{words:?} is not in\n{usd}");
    }
    let strain = usd.split("primvars:weft.timeSamples = {\n").nth(1).unwrap().lines().next().unwrap();
    assert_eq!(strain.matches(',').count(), 4, "a value for each of four faces: {strain}");
}

/// glTF has a vertex for each texture coordinate. They are one in the cloth, and are all there again in what is
/// written.
#[test]
fn vertices_that_gltf_split_are_all_there() {
    let dir = garment("same-glb");
    let out = TempDir::new("same-glb-out");
    write(&out, &mut scene(&dir, ""), "glb");
    let text = "[solver]\nkind = \"pbd\"\n[contact]\non = false\n[[cloth]]\nname = \"shirt\"\nmesh = \"scene.glb\"\n";
    let again = Scene::parse("a.toml", text, Some(&out.0), &[]).unwrap();
    let simulation = Simulation::new(&again, again.precision(), 1).unwrap();
    assert_eq!(simulation.objects()[0].info.rest.len(), 10);
    let clip = Clip::new(simulation.setup()).unwrap();
    let object = &clip.setup().objects[0];
    assert_eq!((object.rest.len(), object.title()), (12, "Left Sleeve.001"));
    let names: Vec<&str> = object.given.materials.iter().map(|set| set.name.as_str()).collect();
    assert_eq!(names, ["denim", "silk"]);
    assert_eq!(object.given.materials[1].faces.len(), 3, "a quad and a triangle");
    assert_eq!(object.triangles, object.uv_triangles, "each vertex has its own texture coordinate");
}
