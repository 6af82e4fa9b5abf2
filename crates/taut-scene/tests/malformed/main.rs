//! Files that want to do harm: each format in each way of being broken, and sound ones that make much of little.
//! Nothing panics, and
//! nothing takes more memory than the file's size explains.

#[path = "../common/mod.rs"]
mod common;
mod hungry;
mod meter;
mod ways;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hungry::File;
use taut_scene::read::animated::{read_animated_bytes, read_sequence};
use taut_scene::read::{Files, Memory, Options, ReadError, Source, read_bytes};
use taut_scene::scene::Scene;
use taut_scene::scene::settings::Precision;
use taut_scene::simulation::Simulation;

/// What a file of a size on disk may take, bytes. A quarter of a megabyte is for messages and the test itself.
fn allowed(stored: usize) -> u64 {
    Memory::default().0 + 20 * stored as u64 + (1 << 18)
}

/// Reads a file as everything it could be; gives the message if it cannot be.
fn read(name: &str, bytes: &[u8], files: &Files) -> Option<String> {
    let options = Options::default();
    let source = Source::with_files(name, bytes, files);
    let mesh = read_bytes(&source, &options);
    if let Ok(mesh) = &mesh {
        common::assert_sound(mesh);
    }
    let mesh = mesh.map(drop);
    let moving = read_animated_bytes(&source, None, 24.0, &options).map(|moving| {
        let mut positions = Vec::new();
        moving.positions_at(0.3, &mut positions);
        assert!(positions.iter().flatten().all(|x| x.is_finite()));
    });
    let topology = taut::mesh::TriMesh { positions: vec![[0.0; 3]; 3], ..Default::default() };
    let cache = read_animated_bytes(&source, Some(&topology), 24.0, &options).map(drop);
    let message = |read: Result<(), ReadError>| read.err().map(|error| error.to_string());
    [mesh, moving, cache].into_iter().filter_map(message).next()
}

/// Reads a file, with the memory that takes; the file itself is among it.
fn measure(name: &str, bytes: &[u8], files: &Files) -> (Option<String>, u64) {
    let read = || catch_unwind(AssertUnwindSafe(|| read(name, bytes, files)));
    let (done, peak) = meter::peak(read);
    let said = done.unwrap_or_else(|_| panic!("{name} of {} bytes: a reader panics", bytes.len()));
    (said, peak + bytes.len() as u64)
}

fn no_files(_: &str) -> std::io::Result<Vec<u8>> {
    Err(std::io::ErrorKind::NotFound.into())
}

/// Demands that a file keeps to what it may take, as it is and packed. Tells whether it was refused for that.
fn keeps_to_its_budget((name, bytes): &File) -> [bool; 2] {
    let packed = (format!("{name}.gz"), ways::gzip(bytes));
    [(name, bytes), (&packed.0, &packed.1)].map(|(name, bytes)| {
        let (said, peak) = measure(name, bytes, &no_files);
        let (most, size) = (allowed(bytes.len()), bytes.len());
        let said = said.unwrap_or_default();
        assert!(
            peak <= most,
            "{name}, {size} bytes: takes {peak}, {:.1} times as much as it may: {said}",
            peak as f64 / most as f64
        );
        said.contains("--memory allows more")
    })
}

#[test]
fn files_that_make_much_of_little_are_refused_in_time() {
    let mut refused = 0;
    for file in hungry::files() {
        let [plain, packed] = keeps_to_its_budget(&file);
        refused += usize::from(plain) + usize::from(packed);
    }
    assert!(refused > 25, "many of them want too much: {refused}");
}

#[test]
fn pairs_of_files_share_a_budget() {
    for [(opened, bytes), (other, partner)] in hungry::pairs() {
        for pack in [<[u8]>::to_vec, ways::gzip] {
            let (bytes, partner) = (pack(&bytes), pack(&partner));
            let files = |name: &str| match name == other {
                true => Ok(partner.clone()),
                false => no_files(name),
            };
            let (said, peak) = measure(&opened, &bytes, &files);
            let most = allowed(bytes.len() + partner.len());
            assert!(peak <= most, "{opened}: takes {peak} of {most}: {said:?}");
        }
    }
}

#[test]
fn bombs_are_refused_and_say_why() {
    for (name, row) in
        [("zeros.obj.gz", &[0][..]), ("v.obj.gz", b"v 0 0 0\n"), ("ply.ply.gz", b"ply\n"), ("x.pc2.gz", &[0])]
    {
        let bomb = ways::gzip(&row.repeat((300 << 20) / row.len()));
        assert!(bomb.len() < 3 << 20, "{}", bomb.len());
        let (said, peak) = measure(name, &bomb, &no_files);
        assert!(peak <= allowed(bomb.len()), "{name}: {peak}");
        let said = said.unwrap_or_default();
        assert!(
            said.contains("of memory, which is 64 MB and 20 times the ") && said.contains("--memory allows more"),
            "{said}"
        );
    }
}

#[test]
fn one_buffer_with_a_thousand_names_is_loaded_once() {
    let buffers: String =
        (0..1000).map(|at| format!("{{\"uri\":\"{}a.bin\",\"byteLength\":1}},", "./".repeat(at % 7))).collect();
    let text = format!("{{\"asset\":{{\"version\":\"2.0\"}},\"buffers\":[{}]}}", buffers.trim_end_matches(','));
    let loads = std::cell::Cell::new(0);
    let files = |_: &str| {
        loads.set(loads.get() + 1);
        Ok(vec![0; 1 << 20])
    };
    let options = Options::default();
    let (_, peak) =
        meter::peak(|| read_bytes(&Source::with_files("a.gltf", text.as_bytes(), &files), &options).is_ok());
    assert_eq!(loads.get(), 1);
    assert!(peak < 4 << 20, "{peak}");
}

#[test]
fn sequences_share_a_budget() {
    let frame = ways::gzip("v 0 0 0\n".repeat(200_000).as_bytes());
    let first = ways::gzip(format!("{}f 1 2 3\n", "v 0 0 0\n".repeat(200_000)).as_bytes());
    let files = |name: &str| match name.trim_matches(|c: char| !c.is_ascii_digit()).parse::<u32>() {
        Ok(0) => Ok(first.clone()),
        Ok(1..1000) => Ok(frame.clone()),
        _ => no_files(name),
    };
    let read = || read_sequence("a####.obj", None, 24.0, &Options::default(), &files).unwrap_err().to_string();
    let (said, peak) = meter::peak(read);
    assert!(said.contains("--memory allows more"), "{said}");
    assert!(peak < allowed(1000 * frame.len()), "{peak}");
}

/// Small sound files of every format.
fn seeds() -> Vec<File> {
    use common::*;
    let seed = |name: &str, bytes: &[u8]| (name.to_owned(), bytes.to_vec());
    vec![
        seed("a.obj", OBJ.as_bytes()),
        seed("a.ply", PLY_TEXT.as_bytes()),
        seed("le.ply", &ply_binary(false)),
        seed("be.ply", &ply_binary(true)),
        seed("a.stl", STL_TEXT.as_bytes()),
        seed("b.stl", &stl_binary()),
        seed("square.glb", &gltf::square().glb()),
        seed("square.gltf", &gltf::square().embedded()),
        seed("skinned.glb", &gltf::skinned().glb()),
        seed("skinned.gltf", &gltf::skinned().embedded()),
        seed("2.msh", MSH2_TEXT.as_bytes()),
        seed("4.msh", MSH4_TEXT.as_bytes()),
        seed("2b.msh", &msh2_binary(false)),
        seed("2be.msh", &msh2_binary(true)),
        seed("4b.msh", &msh4_binary(false)),
        seed("4be.msh", &msh4_binary(true)),
        seed("a.ele", ELE.as_bytes()),
        seed("a.node", NODE.as_bytes()),
        seed("a.vtk", VTK_TEXT.as_bytes()),
        seed("poly.vtk", VTK_POLY.as_bytes()),
        seed("b.vtk", &vtk_binary()),
        seed("5.vtk", &vtk5_binary()),
        seed("a.pc2", &pc2()),
        seed("a.mdd", &mdd()),
        seed("a.usda", &written("usd")),
        seed("a.usdc", &written("usdc")),
        seed("a.abc", &written("abc")),
    ]
}

#[test]
fn no_format_panics_however_it_is_broken() {
    let pair = HashMap::from([("a.node", common::NODE), ("a.ele", common::ELE)]);
    let files = |name: &str| pair.get(name).map_or_else(|| no_files(name), |text| Ok(text.as_bytes().to_vec()));
    let (mut broken, mut refused) = (0, 0);
    let seeds = seeds();
    for (name, seed) in &seeds {
        for (way, breaks) in ways::ALL {
            for bytes in breaks(seed) {
                let (said, peak) = measure(name, &bytes, &files);
                assert!(peak <= allowed(bytes.len()), "{name}, {way}: takes {peak}");
                broken += 1;
                refused += u32::from(said.is_some());
            }
        }
        // Under the name of every other format.
        for (other, _) in &seeds {
            measure(other, seed, &files);
        }
    }
    assert!(broken > 20_000 && refused > broken / 2, "{broken} files, of which {refused} were refused");
}

/// Reads a scene, with the memory that takes.
fn measure_scene(name: &str, bytes: &[u8]) -> (Option<String>, u64) {
    let text = String::from_utf8_lossy(bytes);
    let parse = || catch_unwind(|| Scene::parse(name, &text, None, &[]).err().map(|error| error.to_string()));
    let (done, peak) = meter::peak(parse);
    (done.unwrap_or_else(|_| panic!("{name}: the parser panics")), peak + bytes.len() as u64)
}

#[test]
fn scenes_keep_to_their_budget_however_long_wide_or_deep() {
    for (name, bytes) in hungry::scenes() {
        // As long as it may be, and as long as it takes to be read at all.
        for length in [bytes.len(), bytes.len() / 8, bytes.len() / 64] {
            let (said, peak) = measure_scene(&name, &bytes[..length]);
            let most = allowed(length);
            assert!(peak <= most, "{name}, {length} bytes: takes {peak} of {most}: {said:?}");
        }
    }
}

#[test]
fn no_scene_panics_however_it_is_broken() {
    let (mut broken, mut refused) = (0, 0);
    for builtin in taut_scene::scene::BUILTIN.iter().take(6) {
        for (way, breaks) in ways::ALL {
            for bytes in breaks(builtin.text.as_bytes()) {
                let (said, peak) = measure_scene(builtin.name, &bytes);
                assert!(peak <= allowed(bytes.len()), "{}, {way}: takes {peak}", builtin.name);
                broken += 1;
                refused += u32::from(said.is_some());
            }
        }
    }
    assert!(broken > 4000 && refused > broken / 2, "{broken} scenes, of which {refused} were refused");
}

/// Builds a scene whose colliders follow one another, computes a frame, and tells the memory that took.
fn chain(links: usize) -> u64 {
    let link = |at: usize| {
        let shape = "shape = { kind = \"sphere\", radius = 0.01 }";
        let motion =
            "motion = { translate = { keys = [{ time = 0, value = [0, 9, 0] }, { time = 1, value = [0, 9, 1e-3] }] } }";
        format!("[[collider]]\nname = \"{at}\"\nfollow = \"{}\"\n{shape}\n{motion}\n", at + 1)
    };
    let body = "[solver]\nkind = \"pbd\"\nsubsteps = 1\n[[cloth]]\ngenerate = { kind = \"sheet\", nx = 3, ny = 3 }\n";
    let last = format!("[[collider]]\nname = \"{links}\"\nshape = \"plane\"\n");
    let text: String = std::iter::once(body.to_owned()).chain((0..links).map(link)).chain([last]).collect();
    let run = || {
        let scene = Scene::parse("chain.toml", &text, None, &[]).unwrap_or_else(|error| panic!("{error}"));
        let mut simulation = Simulation::new(&scene, Precision::F64, 1).unwrap();
        simulation.advance();
        let all = simulation.colliders();
        assert!(all.iter().all(|collider| collider.pose(1.0).position.iter().all(|x| x.is_finite())));
        let along = all[0].pose(1.0).position[2];
        assert!((along - 1e-3 * links as f64).abs() < 1e-9, "{along}");
    };
    meter::peak(run).1
}

#[test]
fn long_chains_of_colliders_take_memory_by_their_length() {
    let [short, long] = [500, 2000].map(chain);
    assert!(long < 5 * short, "{short} bytes for 500 links, {long} for 2000");
    assert!(long < Memory::default().0, "{long} bytes for 2000 links");
}

#[test]
fn lists_of_numbers_keep_to_their_budget() {
    let scene = "[[cloth]]\nname = \"c\"\ngenerate = { kind = \"sheet\", nx = 3, ny = 2 }\n\
                 maps = [{ name = \"m\", file = \"m.csv\", column = \"x\" }]\n";
    for row in ["1,", "a,", "x,1\n", "1 ", "\"", "\u{fffd}", "x\n1\n"] {
        let list = row.repeat((16 << 20) / row.len()).into_bytes();
        let size = list.len();
        let scene = Scene::parse("s.toml", scene, None, &[]).unwrap().attach("m.csv", list.into());
        let (said, peak) = meter::peak(|| Simulation::new(&scene, Precision::F32, 1).err().map(|e| e.to_string()));
        let said = said.unwrap_or_else(|| panic!("{row:?} is taken for six numbers"));
        assert!(said.contains("m.csv") && said.len() < 4000, "{row:?}: {} bytes are said", said.len());
        assert!(peak <= allowed(size), "{row:?}: takes {peak} for {size}");
    }
}

/// Sixty bytes of a scene could take 15 GB, and three minutes before it was refused.
#[test]
fn what_is_made_from_a_few_numbers_is_refused_before_it_is_made() {
    let sheet = "kind = \"sheet\", nx = 3000, ny = 3000";
    let cloth = |generate: &str| format!("[[cloth]]\nname = \"a\"\ngenerate = {{ {generate} }}\n");
    let solid = |generate: &str| cloth(generate).replace("cloth", "solid");
    let collider = |name: &str, nx: u32| {
        let shape = format!("{{ kind = \"mesh\", generate = {{ kind = \"sheet\", nx = {nx}, ny = 900 }} }}");
        format!("[[collider]]\nname = \"{name}\"\nshape = {shape}\n")
    };
    let small = cloth("kind = \"sheet\", nx = 3, ny = 3");
    for (text, at) in [
        (cloth(sheet), "`cloth.a`"),
        (cloth(&format!("{sheet}, cut = \"irregular\"")), "`cloth.a`"),
        (solid("kind = \"ball\", shells = 99"), "`solid.a`"),
        (small.clone() + &collider("b", 5000), "`collider.b`"),
        (small.clone() + &collider("b", 600) + &collider("c", 600), "`collider.c`"),
    ] {
        let scene = Scene::parse("a.toml", &text, None, &[]).unwrap_or_else(|error| panic!("{error}"));
        let (said, peak) =
            meter::peak(|| Simulation::new(&scene, Precision::F32, 1).err().map(|error| error.to_string()));
        let said = said.unwrap_or_default();
        assert!(said.contains(at) && said.contains("--memory allows more"), "{said}");
        assert!(peak < 1 << 20, "{at}: takes {peak}");
    }
}
