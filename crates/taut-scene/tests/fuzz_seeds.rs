//! The fuzzer's targets on stable Rust: over the seeds that are committed, and over some of their offspring.
//! `scripts/fuzz.sh` runs
//! them for long.

mod common;
#[path = "common/mutate.rs"]
mod mutate;
#[path = "../../../fuzz/src/lib.rs"]
mod targets;

use std::path::{Path, PathBuf};

use common::*;
use mutate::{Random, mutate};

/// Mutants of each target, and of the one that computes.
const MUTANTS: [usize; 2] = [3000, 60];

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

#[test]
fn every_target_stands_its_seeds_and_their_offspring() {
    let seeds = seeds();
    for (name, target) in targets::TARGETS {
        let (_, files) = seeds.iter().find(|(seeded, _)| *seeded == name).expect(name);
        files.iter().for_each(|file| target(file));
        let mut random = Random(0x5eed);
        let mutants = if name == "frames" { MUTANTS[1] } else { MUTANTS[0] };
        for _ in 0..mutants {
            target(&mutate(files, &mut random));
        }
        targets::run(name, &files[0]);
    }
}

#[test]
fn the_seeds_that_are_committed_are_these() {
    for (target, files) in seeds() {
        for (i, file) in files.iter().enumerate() {
            let path = corpus().join(target).join(format!("seed{i}"));
            let found = std::fs::read(&path).unwrap_or_default();
            assert!(found == *file, "{}: run the ignored test of this file, and commit", path.display());
        }
    }
}

#[test]
#[ignore = "writes to fuzz/corpus"]
fn write_fuzz_seeds() {
    for (target, files) in seeds() {
        std::fs::create_dir_all(corpus().join(target)).unwrap();
        for (i, file) in files.iter().enumerate() {
            std::fs::write(corpus().join(target).join(format!("seed{i}")), file).unwrap();
        }
    }
}

/// Small valid files, for each target.
fn seeds() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let pair = format!("{NODE}\0{ELE}");
    let sequence = format!("{}\0v 1 1 1\nv 2 0 0\nv 0 5 0\n", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    vec![
        ("obj", vec![OBJ.into()]),
        ("ply", vec![PLY_TEXT.into(), ply_binary(false), ply_binary(true)]),
        ("stl", vec![STL_TEXT.into(), stl_binary()]),
        (
            "gltf",
            vec![gltf::square().glb(), gltf::square().embedded(), gltf::skinned().glb(), gltf::skinned().embedded()],
        ),
        (
            "msh",
            vec![
                MSH2_TEXT.into(),
                MSH4_TEXT.into(),
                msh2_binary(false),
                msh2_binary(true),
                msh4_binary(false),
                msh4_binary(true),
            ],
        ),
        ("tetgen", vec![pair.into()]),
        ("vtk", vec![VTK_TEXT.into(), VTK_POLY.into(), vtk_binary(), vtk5_binary()]),
        ("cache", vec![pc2(), mdd(), sequence.into()]),
        ("scene", scenes()),
        ("frames", frames()),
        ("pattern", vec![PATTERN.into()]),
        ("dxf", vec![DXF.into()]),
        ("maps", vec![painted("0\n0.5\n1\n1\n0\n0.25\n"), painted("v;pin\n0;1\n1;0\n2;0.5\n"), npy(), commanding()]),
        ("usd", vec![written("usd"), written("usdc")]),
        ("alembic", vec![written("abc")]),
    ]
}

/// A list of numbers, and a mesh that is painted, too.
fn painted(list: &str) -> Vec<u8> {
    let head = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
    let body = "property float pin\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
    format!("{list}\0{head}{body}0 0 0 1\n1 0 0 0\n0 1 0 0.5\n3 0 1 2\n").into()
}

/// A mesh whose map has a name that a terminal obeys.
fn commanding() -> Vec<u8> {
    String::from_utf8(painted("0\n1\n1\n")).unwrap().replace("float pin", "float \u{1b}[2J").into()
}

/// Six numbers as NumPy writes them.
fn npy() -> Vec<u8> {
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }\n";
    let numbers = [0.0_f32, 0.5, 1.0, 0.25, -1.0, 3.0].iter().flat_map(|x| x.to_le_bytes());
    [&b"\x93NUMPY\x01\0"[..], &(header.len() as u16).to_le_bytes(), header.as_bytes()]
        .concat()
        .into_iter()
        .chain(numbers)
        .collect()
}

/// Two panels with every kind of edge, sewn at two sides.
const PATTERN: &str = r#"{"pattern": {"panels": {
"front": {"vertices": [[-10, 0], [10, 0], [10, 30], [-10, 30]], "edges": [
{"endpoints": [0, 1], "curvature": [0.5, 0.1]},
{"endpoints": [1, 2], "curvature": {"type": "cubic", "params": [[0.3, 0.1], [0.6, 0.1]]}},
{"endpoints": [2, 3], "curvature": {"type": "circle", "params": [15, 0, 1]}},
{"endpoints": [3, 0], "label": "side"}], "translation": [0, 0, 12], "rotation": [0, 0, 0]},
"back": {"vertices": [[-10, 0], [10, 0], [10, 30], [-10, 30]], "edges": [
{"endpoints": [0, 1], "curvature": {"type": "quadratic", "params": [[0.5, 0.1]]}},
{"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}],
"translation": [0, 0, -12], "rotation": [10, 180, 0]}},
"stitches": [[{"panel": "front", "edge": 1}, {"panel": "back", "edge": 3}],
[{"panel": "front", "edge": 3}, {"panel": "back", "edge": 1}, "right_wrong"]]},
"properties": {"curvature_coords": "relative", "units_in_meter": 100}}
"#;

/// Half a piece with a fold, its turn points, a notch, grain, a line and a hole.
const DXF: &str = "0\nSECTION\n2\nBLOCKS\n0\nBLOCK\n8\n0\n2\nfront_M\n0\nTEXT\n8\n1\n1\nPiece Name: front\n0\nTEXT\n8\n1\n1\nSize: M\n\
0\nPOLYLINE\n8\n1\n70\n1\n0\nVERTEX\n8\n1\n10\n0\n20\n0\n0\nVERTEX\n8\n1\n10\n200\n20\n0\n0\nVERTEX\n8\n1\n10\n190\n20\n150\n\
0\nVERTEX\n8\n1\n10\n150\n20\n300\n0\nVERTEX\n8\n1\n10\n0\n20\n300\n0\nSEQEND\n0\nPOINT\n8\n2\n10\n200\n20\n0\n\
0\nPOINT\n8\n2\n10\n150\n20\n300\n0\nPOINT\n8\n4\n10\n190\n20\n150\n0\nLINE\n8\n6\n10\n0\n20\n0\n11\n0\n21\n300\n\
0\nLINE\n8\n7\n10\n50\n20\n50\n11\n50\n21\n250\n0\nPOLYLINE\n8\n11\n70\n1\n0\nVERTEX\n10\n60\n20\n60\n0\nVERTEX\n10\n90\n20\n60\n\
0\nVERTEX\n10\n60\n20\n90\n0\nSEQEND\n0\nENDBLK\n0\nENDSEC\n0\nSECTION\n2\nENTITIES\n0\nTEXT\n1\nUNITS: METRIC\n0\nENDSEC\n0\nEOF\n";

/// The built-in scenes, the first with a change.
fn scenes() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = taut_scene::scene::BUILTIN.iter().map(|builtin| builtin.text.into()).collect();
    all[0].extend(b"\n%%\ncloth.0.density=0.3\ntime.frames = 7\n");
    all
}

/// Small scenes that can be computed: cloth with every kind of limit, a soft body, things to meet.
fn frames() -> Vec<Vec<u8>> {
    let cloth = "[[cloth]]\nname = \"a\"\ngenerate = { kind = \"sheet\", width = 0.5, height = 0.5, nx = 7, ny = 7 }\n";
    let pin = "[[pin]]\nbody = \"a\"\nselect = \"left\"\n";
    let ball =
        "[[collider]]\nname = \"b\"\nshape = { kind = \"sphere\", radius = 0.1 }\ntranslate = [0.0, -0.15, 0.0]\n";
    let solid = "[[solid]]\nname = \"s\"\ngenerate = { kind = \"beam\" }\n";
    let solver = |kind: &str| format!("[solver]\nkind = \"{kind}\"\n");
    let elastic = "elastic = { weft = 100, warp = 80 }\n";
    let limit = "[[limit]]\nweft = \"4 %\"\nshear = \"10 %\"\n";
    let moved =
        "motion = { translate = { keys = [{ time = 0, value = [0, 0, 0] }, { time = 1, value = [1, 1, 0] }] } }\n";
    let all = [
        format!("{cloth}{pin}{ball}"),
        format!("{}{cloth}{elastic}{pin}{moved}{limit}", solver("newton")),
        format!("{}{cloth}fabric = \"denim\"\n{pin}[air]\nwind = [3, 0, 1]\n", solver("pbd")),
        format!("{solid}{ball}[world]\ngravity = [0, -3, 0]\n"),
        format!("{cloth}{ball}{moved}[[initial]]\nbody = \"a\"\n[contact]\nthickness = 0.02\n"),
    ];
    all.into_iter().map(String::into_bytes).collect()
}
