//! OBJ, PLY and STL: exact values out of small files, exact messages out of bad ones, and no panic whatever the bytes.

mod common;

use std::io::Write;

use common::*;
use taut::mesh::TriMesh;

fn surface(name: &str, bytes: impl AsRef<[u8]>) -> TriMesh {
    let file = read(name, bytes.as_ref()).unwrap();
    assert_sound(&file);
    file.surface.unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// A sheet of n × n quads as OBJ.
fn sheet(n: usize) -> String {
    let mut text = String::new();
    for i in 0..=n {
        for k in 0..=n {
            text += &format!("v {i}.25 {k}.5 -1e-3\nvt {k} {i}\n");
        }
    }
    for i in 0..n {
        for k in 0..n {
            let a = i * (n + 1) + k + 1;
            let corners = [a, a + 1, a + n + 2, a + n + 1];
            text += &format!("f {}\n", corners.map(|c| format!("{c}/{c}")).join(" "));
        }
    }
    text
}

#[test]
fn obj_gives_exact_values() {
    let mesh = surface("a.obj", OBJ);
    assert_eq!(mesh.positions.len(), 6);
    assert_eq!(mesh.positions[5], [2.0, 1.0, 0.0]);
    assert_eq!(mesh.triangles, [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]]);
    assert_eq!(mesh.uv_triangles, [[0, 1, 3], [0, 3, 2], [4, 5, 7], [4, 7, 6]]);
    assert_eq!(mesh.uvs[1], [0.5, 0.0]);
    assert_eq!(mesh.group("sheet").unwrap(), [0, 1, 2, 3, 4, 5]);
    assert_eq!(mesh.group("left").unwrap(), [0, 1, 3, 4]);
    assert_eq!(mesh.group("right"), mesh.group("pins"));
    assert_eq!(mesh.group("pins").unwrap(), [1, 2, 4, 5]);
}

#[test]
fn obj_may_be_packed() {
    assert_eq!(surface("a.obj.gz", gzip(OBJ.as_bytes())), surface("a.obj", OBJ));
    let packed = gzip(sheet(20).as_bytes());
    for length in 0..packed.len() {
        assert!(read("a.obj.gz", &packed[..length]).is_err(), "cut at {length}");
    }
    let cut = error("a.obj.gz", &packed[..packed.len() - 3]);
    assert!(cut.starts_with("a.obj.gz: the gzip data is damaged or ends early, after "), "{cut}");
}

#[test]
fn obj_faces_may_come_before_vertices() {
    let mesh = surface("a.obj", "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0");
    assert_eq!(mesh.triangles, [[0, 1, 2]]);
}

#[test]
fn obj_errors_name_the_place() {
    let three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let with = |line: &str| error("a.obj", format!("{three}{line}"));
    assert_eq!(with("f 1 2 99999"), "a.obj:4: face refers to vertex 99999, but the file has 3 vertices");
    assert_eq!(with("f 1 2 0\n"), "a.obj:4: face refers to vertex 0, but OBJ counts from 1");
    assert_eq!(with("f 1 2 -4"), "a.obj:4: face refers to vertex -4, but only 3 vertices come before it");
    assert_eq!(
        with("f 1/1 2/1 3/1"),
        "a.obj:4: face refers to texture coordinate 1, but the file has 0 texture coordinates"
    );
    assert_eq!(with("f 1 2"), "a.obj:4: face has 2 corners, expected 3 or more");
    assert_eq!(with("f 1 2 x"), "a.obj:4: face refers to vertex \"x\", expected a whole number");
    assert_eq!(with("v 1 nan 2"), "a.obj:4: y is \"nan\", expected a finite number");
    assert_eq!(with("v 1 2 1e999"), "a.obj:4: z is \"1e999\", expected a finite number");
    assert_eq!(with("v 1 2"), "a.obj:4: the line ends where z is expected");
    assert_eq!(with("\n\nv 1 2,5 0"), "a.obj:6: y is \"2,5\", expected a number");
    assert_eq!(with("# nothing"), "a.obj: found 3 vertices, but no faces (lines that start with \"f\")");
    assert_eq!(
        with("f 1 2 99999999999"),
        "a.obj:4: face refers to vertex 99999999999, which is more than any file can hold"
    );
    assert_eq!(
        with("f 1 2 99999999999999999999"),
        "a.obj:4: face refers to vertex \"99999999999999999999\", expected a whole number"
    );
    assert_eq!(error("a.obj", "hello"), "a.obj: no vertices found (lines that start with \"v\"): is this an OBJ file?");
    assert_eq!(error("a.obj", " \n"), "a.obj: the file is empty");
}

#[test]
fn obj_texture_coordinates_are_all_or_none() {
    let file = read("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\nf 1 2 3\n").unwrap();
    assert_eq!(file.warnings, ["1 of 2 faces have no texture coordinates; those of the others are ignored"]);
    assert!(file.surface.unwrap().uvs.is_empty());
}

#[test]
fn obj_groups_cannot_explode() {
    let mut text = String::from("v 0 0 0\nv 1 0 0\nv 0 1 0\ng");
    (0..10_000).for_each(|i| text += &format!(" g{i}"));
    (0..10_000).for_each(|_| text += "\nf 1 2 3");
    let file = read("a.obj", text.as_bytes()).unwrap();
    assert_eq!(file.surface.unwrap().groups.len(), 8);
}

#[test]
fn ply_gives_exact_values() {
    let text = surface("a.ply", PLY_TEXT);
    assert_eq!(text.positions, [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.5], [0., 1., 0.]]);
    assert_eq!(text.triangles, [[1, 2, 3], [1, 3, 0]]);
    assert_eq!(text.uvs, [[0., 0.], [1., 0.], [1., 1.], [0., 1.]]);
    assert_eq!(text.uv_triangles, text.triangles);
    for big in [false, true] {
        assert_eq!(surface("a.ply", ply_binary(big)), text);
    }
    assert_eq!(surface("a.ply", PLY_TEXT.replace('\n', "\r\n").trim_end()), text);
}

#[test]
fn ply_strips_become_triangles() {
    let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
        element tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n\
        8 0 1 2 3 -1 0 1 3\n";
    assert_eq!(surface("a.ply", text).triangles, [[0, 1, 2], [2, 1, 3], [0, 1, 3]]);
}

#[test]
fn ply_errors_name_the_place() {
    let change = |from: &str, to: &str| error("a.ply", PLY_TEXT.replace(from, to));
    assert_eq!(
        change("255 4 0 1 2 3", "255 4 0 1 2 4"),
        "a.ply:21: face refers to vertex 4, but the file has vertices 0 to 3"
    );
    assert_eq!(
        change("255 4 0 1 2 3", "255 4 0 1 -2 3"),
        "a.ply:21: face refers to vertex -2, but the file has vertices 0 to 3"
    );
    assert_eq!(change("255 4 0 1 2 3", "255 2 0 1"), "a.ply:21: face has 2 corners, expected 3 or more");
    assert_eq!(change("255 4 0 1 2 3", "255 4 0 1 2"), "a.ply:21: the line ends where vertex_indices is expected");
    assert_eq!(
        change("255 4 ", "255 4000000000 "),
        "a.ply:21: vertex_indices claims 4000000000 items, but only 9 bytes follow"
    );
    assert_eq!(change("1 1 0.5 1", "1 inf 0.5 1"), "a.ply:19: y is inf, expected a finite number");
    assert_eq!(change("1 1 0.5 1", "1 x 0.5 1"), "a.ply:19: y is \"x\", expected a number");
    assert_eq!(
        change("ascii", "utf8"),
        "a.ply:2: the format is \"utf8\", expected ascii, binary_little_endian or binary_big_endian"
    );
    assert_eq!(change("vertex 4", "vertex -4"), "a.ply:4: the number of elements is -4, expected 0 or more");
    assert_eq!(change("face 1", "face 99999999999"), "a.ply:22: the file ends where another face is expected");
    assert_eq!(
        change("list uchar", "list float"),
        "a.ply:13: the type of a list's length is a float, expected a whole number type"
    );
    let text = String::from_utf8_lossy(&ply_binary(false)).replace("vertex 4\r", "vertex 4000000000\r");
    assert!(error("a.ply", text).contains("the file claims 4000000000 elements of kind \"vertex\", but only "));
}

#[test]
fn stl_gives_exact_values() {
    let text = surface("a.stl", STL_TEXT);
    assert_eq!(text.positions, [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [1., 1., 0.]]);
    assert_eq!(text.triangles, [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(text.group("front part").unwrap(), [0, 1, 2]);
    assert_eq!(text.group("back").unwrap(), [1, 2, 3]);
    let binary = surface("a.stl", stl_binary());
    assert_eq!((binary.positions, binary.triangles), (text.positions, text.triangles));
}

#[test]
fn stl_errors_name_the_place() {
    let mut binary = stl_binary();
    binary[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    binary[0] = b'x';
    let message =
        "a.stl: byte 84: the file claims 4294967295 triangles, but only 100 bytes follow, too few for that many";
    assert_eq!(error("a.stl", &binary), message);
    let mut binary = stl_binary();
    binary[100..104].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(error("a.stl", &binary), "a.stl: byte 100: y is NaN, expected a finite number");
    assert_eq!(
        error("a.stl", STL_TEXT.replace("endloop", "endlop")),
        "a.stl:7: found \"endlop\", expected \"endloop\""
    );
    assert_eq!(
        error("a.stl", STL_TEXT.replace("1 1 0", "1 NaN 0")),
        "a.stl:14: y is \"NaN\", expected a finite number"
    );
    assert_eq!(error("a.stl", "solid x\nendsolid x"), "a.stl: the file holds no triangles");
    let mut longer = stl_binary();
    longer.push(0);
    longer[0] = b'x';
    assert_eq!(read("a.stl", &longer).unwrap().warnings, ["1 byte follows the last triangle and were ignored"]);
}

#[test]
fn content_beats_the_extension() {
    let file = read("a.obj", PLY_TEXT.as_bytes()).unwrap();
    assert_eq!(
        (file.format, file.warnings.as_slice()),
        ("PLY text", ["the name ends in .obj, but the content is PLY".into()].as_slice())
    );
    assert_eq!(
        error("a.fbx", "x"),
        "a.fbx: it has the extension .fbx, expected one of .obj, .ply, .stl, .gltf, .glb, .usda, .usdc, .usd, .abc, .msh, \
         .node, .ele, .vtk"
    );
}

#[test]
fn truncated_files_never_panic() {
    let gz = gzip(OBJ.as_bytes());
    truncate_everywhere(false, OBJ.as_bytes(), |b| read("a.obj", b));
    truncate_everywhere(true, &gz, |b| read("a.obj.gz", b));
    truncate_everywhere(false, PLY_TEXT.as_bytes(), |b| read("a.ply", b));
    truncate_everywhere(true, &ply_binary(false), |b| read("a.ply", b));
    truncate_everywhere(true, &ply_binary(true), |b| read("a.ply", b));
    truncate_everywhere(true, &stl_binary(), |b| read("a.stl", b));
    truncate_everywhere(false, STL_TEXT.as_bytes(), |b| read("a.stl", b));
    let large = sheet(60);
    for length in (0..large.len()).step_by(1024) {
        if let Ok(file) = read("a.obj", &large.as_bytes()[..length]) {
            assert_sound(&file);
        }
    }
}

#[test]
fn corrupt_files_never_panic() {
    corrupt_everywhere(OBJ.as_bytes(), |b| read("a.obj", b));
    corrupt_everywhere(PLY_TEXT.as_bytes(), |b| read("a.ply", b));
    corrupt_everywhere(&ply_binary(false), |b| read("a.ply", b));
    corrupt_everywhere(&ply_binary(true), |b| read("a.ply", b));
    corrupt_everywhere(STL_TEXT.as_bytes(), |b| read("a.stl", b));
    corrupt_everywhere(&stl_binary(), |b| read("a.stl", b));
}
