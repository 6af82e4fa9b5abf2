//! Gmsh, TetGen and VTK: exact values out of small files, exact messages out of bad ones, and no panic whatever the
//! bytes.

mod common;

use std::collections::HashMap;

use common::*;
use taut_scene::read::{MeshFile, Options, ReadError, Source, read_bytes};

/// All Gmsh files hold the same mesh.
fn check_gmsh(bytes: &[u8], format: &str) {
    let file = read("a.msh", bytes).unwrap();
    assert_sound(&file);
    assert_eq!(file.format, format);
    assert_eq!(file.warnings, ["1 of 2 tetrahedra had negative volume and were turned round"]);
    let tets = file.tets.unwrap();
    assert_eq!(tets.positions, TET_POINTS);
    assert_eq!(tets.tets, [[0, 1, 2, 3], [1, 3, 4, 2]]);
    assert_eq!(tets.group("jelly").unwrap(), [0, 1, 2, 3, 4]);
    assert_eq!(tets.group("clamped face").unwrap(), [0, 1, 2]);
    let surface = file.surface.unwrap();
    assert_eq!(surface.positions, TET_POINTS[..3]);
    assert_eq!(surface.triangles, [[0, 2, 1]]);
    assert_eq!(surface.group("clamped face").unwrap(), [0, 1, 2]);
}

#[test]
fn gmsh_gives_exact_values() {
    check_gmsh(MSH2_TEXT.as_bytes(), "Gmsh 2 text");
    check_gmsh(MSH2_TEXT.replace('\n', "\r\n").trim_end().as_bytes(), "Gmsh 2 text");
    check_gmsh(MSH4_TEXT.as_bytes(), "Gmsh 4.1 text");
    for big in [false, true] {
        check_gmsh(&msh2_binary(big), "Gmsh 2 binary");
        check_gmsh(&msh4_binary(big), "Gmsh 4.1 binary");
    }
}

#[test]
fn gmsh_without_physical_groups_gives_entities() {
    let text = MSH4_TEXT.replace("1 7 0\n", "0 0\n").replace("1 9 1 2\n", "0 1 2\n");
    let tets = read("a.msh", text.as_bytes()).unwrap().tets.unwrap();
    assert_eq!(tets.group("entity_3_1").unwrap(), [0, 1, 2, 3, 4]);
    assert_eq!(tets.group("entity_2_2").unwrap(), [0, 1, 2]);
    let unnamed = MSH2_TEXT.replace("2 7 \"clamped face\"", "2 8 \"other\"");
    let tets = read("a.msh", unnamed.as_bytes()).unwrap().tets.unwrap();
    assert_eq!(tets.group("physical_2_7").unwrap(), [0, 1, 2]);
}

#[test]
fn gmsh_higher_order_and_other_shapes() {
    let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 .5 0 0\n5 .5 .5 0\n6 0 .5 0\n\
        $EndNodes\n$Elements\n2\n1 9 0 1 2 3 4 5 6\n2 6 0 1 2 3 4 5 6\n$EndElements\n";
    let file = read("a.msh", text.as_bytes()).unwrap();
    let surface = file.surface.unwrap();
    assert_eq!((surface.positions.len(), surface.triangles.as_slice()), (3, [[0, 1, 2]].as_slice()));
    assert_eq!(file.warnings[0], "1 prisms skipped: only tetrahedra and flat polygons are used");
    assert_eq!(file.warnings[1], "1 curved cell taken as straight: nodes on edges are ignored");
}

#[test]
fn gmsh_errors_name_the_place() {
    let change = |from: &str, to: &str| error("a.msh", MSH2_TEXT.replace(from, to));
    assert_eq!(
        change("20 40 30 50", "20 40 30 51"),
        "a.msh:24: element refers to node 51, which is not among the file's 6 nodes"
    );
    assert_eq!(change("2.2 0 8", "3.0 0 8"), "a.msh:2: the format's version is 3, expected 2.2 or 4.1");
    assert_eq!(change("2.2 0 8", "4.0 0 8"), "a.msh:2: the format's version is 4, expected 2.2 or 4.1");
    assert_eq!(change("2.2 0 8", "2.2 0 4"), "a.msh:2: the data size is 4, expected 8");
    assert_eq!(change("$Nodes\n6\n", "$Nodes\n5\n"), "a.msh:19: found \"60\", expected \"$EndNodes\"");
    assert_eq!(
        change("$Nodes\n6\n", "$Nodes\n999999999999\n"),
        "a.msh:13: the file claims 999999999999 nodes, too many for the bytes that follow"
    );
    assert_eq!(change("20 1 0 0", "20 1 nan 0"), "a.msh:15: y is \"nan\", expected a finite number");
    assert_eq!(change("20 1 0 0", "10 1 0 0"), "a.msh:19: node 10 is defined twice");
    assert_eq!(change("1 4 2 9", "1 444 2 9"), "a.msh:23: element type 444 is not known");
    assert_eq!(change("$EndComments", "$EndComment"), "a.msh:28: the file ends before $EndComments");
    assert_eq!(
        error("a.msh", &MSH2_TEXT[..MSH2_TEXT.find("$Elements").unwrap()]),
        "a.msh: found 6 nodes, but no tetrahedra and no triangles"
    );
    let mut binary = msh4_binary(false);
    let at = binary.windows(7).position(|w| w == b"$Nodes\n").unwrap() + 7;
    binary[at + 8..at + 16].copy_from_slice(&u64::MAX.to_le_bytes());
    let message = error("a.msh", &binary);
    assert!(message.contains("the file claims 18446744073709551615 nodes, but only "), "{message}");
    let mut swapped = msh2_binary(false);
    let at = swapped.iter().position(|&b| b == 1).unwrap();
    swapped[at] = 2;
    assert_eq!(error("a.msh", &swapped), "a.msh: byte 24: the byte order mark is 0x2, expected 1 in either byte order");
}

fn read_pair(name: &str, bytes: &[u8], other: &str, other_bytes: &[u8]) -> Result<MeshFile, ReadError> {
    let files = files(HashMap::from([(other.to_owned(), other_bytes.to_vec())]));
    read_bytes(&Source::with_files(name, bytes, &files), &Options::default())
}

#[test]
fn tetgen_finds_its_other_half() {
    let from_node = read_pair("x/a.node", NODE.as_bytes(), "a.ele", ELE.as_bytes()).unwrap();
    let from_ele = read_pair("x/a.ele", ELE.as_bytes(), "a.node", NODE.as_bytes()).unwrap();
    assert_eq!(from_node, from_ele);
    assert_sound(&from_node);
    let tets = from_node.tets.unwrap();
    assert_eq!(tets.positions, TET_POINTS);
    assert_eq!(tets.tets, [[0, 1, 2, 3], [1, 3, 4, 2]]);
    assert_eq!(tets.group("marker_3").unwrap(), [1, 2]);
    assert_eq!(tets.group("marker_-2").unwrap(), [4]);
    assert_eq!(tets.group("region_20").unwrap(), [1, 2, 3, 4]);
    let zero_based = "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1";
    let file = read_pair("a.ele", b"1 4 0\n0 0 1 2 3\n", "a.node", zero_based.as_bytes()).unwrap();
    assert_eq!(file.tets.unwrap().tets, [[0, 1, 2, 3]]);
    assert_eq!(file.warnings, ["1 node belongs to no tetrahedron: left out, later ones renumbered"]);
}

#[test]
fn tetgen_errors_name_the_place() {
    let message =
        |node: &str, ele: &str| read_pair("a.node", node.as_bytes(), "a.ele", ele.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        message(NODE, &ELE.replace("2 4 3 5", "2 4 3 6")),
        "a.ele:3: tetrahedron refers to node 6, but a.node has nodes 1 to 5"
    );
    assert_eq!(
        message(NODE, &ELE.replace("2 4 3 5", "2 4 3 0")),
        "a.ele:3: tetrahedron refers to node 0, but a.node has nodes 1 to 5"
    );
    assert_eq!(
        message(NODE, "9999999 4 0\n1 1 2 3 4"),
        "a.ele:1: the file claims 9999999 tetrahedra, but only 14 bytes follow, too few for that many"
    );
    assert_eq!(message(&NODE.replace("2 1 0 0", "7 1 0 0"), ELE), "a.node:4: found node 7, expected node 2");
    assert_eq!(message(&NODE.replace("5 3 1 1", "5 2 1 1"), ELE), "a.node:2: the dimension is 2, expected 3");
    assert_eq!(message(NODE, &ELE.replace("2 4 1", "2 5 1")), "a.ele:1: tetrahedra have 5 nodes, expected 4 or 10");
    assert_eq!(
        error("a.node", NODE),
        "a.node: needs its other half a.ele, which cannot be read: no other files are at hand"
    );
}

fn check_vtk(bytes: &[u8]) {
    let file = read("a.vtk", bytes).unwrap();
    assert_sound(&file);
    assert_eq!(file.warnings.last().unwrap(), "1 of 2 tetrahedra had negative volume and were turned round");
    let tets = file.tets.unwrap();
    assert_eq!(tets.positions, TET_POINTS);
    assert_eq!(tets.tets, [[0, 1, 2, 3], [1, 3, 4, 2]]);
    let surface = file.surface.unwrap();
    assert_eq!(surface.positions, [0, 1, 2, 4].map(|i| TET_POINTS[i]));
    assert_eq!(surface.triangles, [[0, 2, 1], [1, 3, 2], [1, 2, 0]]);
}

#[test]
fn vtk_gives_exact_values() {
    check_vtk(VTK_TEXT.as_bytes());
    check_vtk(VTK_TEXT.replace('\n', "\r\n").as_bytes());
    check_vtk(&vtk_binary());
    check_vtk(&vtk5_binary());
    let poly = read("a.vtk", VTK_POLY.as_bytes()).unwrap().surface.unwrap();
    assert_eq!(poly.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 3], [3, 1, 2]]);
}

#[test]
fn vtk_errors_name_the_place() {
    let change = |from: &str, to: &str| error("a.vtk", VTK_TEXT.replace(from, to));
    assert_eq!(change("4 1 3 2 4", "4 1 3 2 5"), "a.vtk:18: cell 1 refers to point 5, but the file has 5 points");
    assert_eq!(change("CELLS 4 19", "CELLS 5 19"), "a.vtk:18: the list claims 5 cells, but its numbers make 4");
    assert_eq!(change("CELL_TYPES 4", "CELL_TYPES 3"), "a.vtk:19: found 3 cell types for 4 cells");
    assert_eq!(
        change("UNSTRUCTURED_GRID", "STRUCTURED_GRID"),
        "a.vtk:4: the dataset is \"STRUCTURED_GRID\", expected UNSTRUCTURED_GRID or POLYDATA"
    );
    assert_eq!(
        change("POINTS 5 float", "POINTS 500000 float"),
        "a.vtk:8: the file claims 500000 points, but only 193 bytes follow, too few for that many"
    );
    assert_eq!(change("0 1 0 0 0 1", "0 1 nan 0 0 1"), "a.vtk:10: a coordinate is NaN, expected a finite number");
    assert_eq!(change("10 10 5 9", "10 10 10 9"), "a.vtk:20: a cell of type 10 has 3 nodes, which does not fit");
    let cut = &VTK_TEXT[..VTK_TEXT.find("CELL_TYPES").unwrap()];
    assert_eq!(error("a.vtk", cut), "a.vtk:19: the file ends where CELL_TYPES are expected");
    let mut binary = vtk_binary();
    let at = binary.windows(10).position(|w| w == b"CELLS 4 19").unwrap();
    binary[at + 9..at + 11].copy_from_slice(b"99");
    binary.insert(at + 11, b'\n');
    let message = error("a.vtk", &binary);
    assert!(message.contains("the file claims 199 numbers, but only "), "{message}");
}

#[test]
fn truncated_files_never_panic() {
    for file in [MSH2_TEXT.as_bytes(), MSH4_TEXT.as_bytes(), &msh2_binary(false), &msh4_binary(true)] {
        truncate_everywhere(true, file, |b| read("a.msh", b));
    }
    truncate_everywhere(false, NODE.as_bytes(), |b| read_pair("a.node", b, "a.ele", ELE.as_bytes()));
    truncate_everywhere(false, ELE.as_bytes(), |b| read_pair("a.ele", b, "a.node", NODE.as_bytes()));
    truncate_everywhere(false, VTK_TEXT.as_bytes(), |b| read("a.vtk", b));
    truncate_everywhere(false, VTK_POLY.as_bytes(), |b| read("a.vtk", b));
    truncate_everywhere(true, &vtk_binary(), |b| read("a.vtk", b));
    truncate_everywhere(true, &vtk5_binary(), |b| read("a.vtk", b));
}

#[test]
fn corrupt_files_never_panic() {
    for file in [MSH2_TEXT.as_bytes(), MSH4_TEXT.as_bytes(), &msh2_binary(true), &msh4_binary(false)] {
        corrupt_everywhere(file, |b| read("a.msh", b));
    }
    corrupt_everywhere(NODE.as_bytes(), |b| read_pair("a.node", b, "a.ele", ELE.as_bytes()));
    corrupt_everywhere(ELE.as_bytes(), |b| read_pair("a.ele", b, "a.node", NODE.as_bytes()));
    for file in [VTK_TEXT.as_bytes(), VTK_POLY.as_bytes(), &vtk_binary(), &vtk5_binary()] {
        corrupt_everywhere(file, |b| read("a.vtk", b));
    }
}

#[test]
fn larger_files_survive_a_cut_at_each_kilobyte() {
    let mut nodes = String::new();
    let mut tets = String::new();
    let n = 2000;
    for i in 0..n + 3 {
        nodes += &format!("{} {} {} {}\n", i + 1, i % 7, (i / 7) % 5, i);
    }
    for i in 0..n {
        tets += &format!("{} 4 2 1 1 {} {} {} {}\n", i + 1, i + 1, i + 2, i + 3, i + 4);
    }
    let text = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n{nodes}$EndNodes\n$Elements\n{n}\n{tets}$EndElements\n",
        n + 3
    );
    assert_eq!(read("a.msh", text.as_bytes()).unwrap().tets.unwrap().tets.len(), n);
    for length in (0..text.len()).step_by(1024) {
        assert!(read("a.msh", &text.as_bytes()[..length]).is_err(), "cut at {length}");
    }
}
