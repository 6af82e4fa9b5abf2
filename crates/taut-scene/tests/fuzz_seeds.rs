//! Writes small valid files for the fuzzer to start from.

mod common;

use std::path::Path;

use common::*;

#[test]
#[ignore = "writes to fuzz/corpus; run it before fuzzing"]
fn write_fuzz_seeds() {
    let pair = format!("{NODE}\0{ELE}");
    let frames = format!("{}\0v 1 1 1\nv 2 0 0\nv 0 5 0\n", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let seeds: Vec<(&str, Vec<Vec<u8>>)> = vec![
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
        ("cache", vec![pc2(), mdd(), frames.into()]),
        ("scene", scenes()),
    ];
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for (target, files) in seeds {
        std::fs::create_dir_all(corpus.join(target)).unwrap();
        for (i, file) in files.iter().enumerate() {
            std::fs::write(corpus.join(target).join(format!("seed{i}")), file).unwrap();
        }
    }
}

/// The built-in scenes, the first with a change.
fn scenes() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = taut_scene::scene::BUILTIN.iter().map(|builtin| builtin.text.into()).collect();
    all[0].extend(b"\n%%\ncloth.0.density=0.3\ntime.frames = 7\n");
    all
}
