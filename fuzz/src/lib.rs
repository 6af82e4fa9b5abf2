//! The targets, as plain functions of bytes, and what all of them check: indices in range, numbers finite, and nothing
//! that panics
//! on the way. A fuzzer calls them, and so does a test on stable Rust, over the seeds.

use taut_scene::garment::{Choice, Pattern, SewnMesh};
use taut_scene::inspect::inspect;
use taut_scene::read::animated::{AnimatedMesh, PointCache, read_animated_bytes, read_sequence};
use taut_scene::read::{MeshFile, Options, ReadError, Source, read_bytes};
use taut_scene::scene::Scene;
use taut_scene::scene::settings::Precision;
use taut_scene::simulation::Simulation;

/// A target: what it is called, and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 15] = [
    ("obj", |bytes| read("a.obj", bytes)),
    ("ply", |bytes| read("a.ply", bytes)),
    ("stl", |bytes| read("a.stl", bytes)),
    ("gltf", |bytes| both("a.gltf", bytes)),
    ("msh", |bytes| read("a.msh", bytes)),
    ("tetgen", tetgen),
    ("vtk", |bytes| read("a.vtk", bytes)),
    ("cache", cache),
    ("scene", parse_scene),
    ("frames", frames),
    ("pattern", |bytes| pattern("a.json", bytes)),
    ("dxf", |bytes| pattern("a.dxf", bytes)),
    ("maps", maps),
    ("usd", |bytes| both("a.usd", bytes)),
    ("alembic", |bytes| both("a.abc", bytes)),
];

/// Does what the target of a name does.
pub fn run(name: &str, bytes: &[u8]) {
    if let Some((_, target)) = TARGETS.iter().find(|(known, _)| *known == name) {
        target(bytes);
    }
}

/// A file as a mesh, and as one that moves.
fn both(name: &str, bytes: &[u8]) {
    read(name, bytes);
    play(read_animated_bytes(&Source::new(name, bytes), None, 24.0, &Default::default()));
}

/// A pattern: read, shown, read again as shown, and sewn coarsely.
fn pattern(name: &str, bytes: &[u8]) {
    let choice = Choice::default();
    let Ok(pattern) = Pattern::read(&Source::new(name, bytes), &choice) else { return };
    let again = Pattern::read(&Source::new("a.json", pattern.to_json().as_bytes()), &choice);
    assert_eq!(again.map(|again| again.panels.len()), Ok(pattern.panels.len()));
    assert!(pattern.to_svg().starts_with("<svg"));
    let Ok(sewn) = SewnMesh::new(&pattern, 0.2) else { return };
    assert!(sewn.mesh.positions.as_flattened().iter().all(|x| x.is_finite()));
    let vertices = sewn.mesh.positions.len() as u32;
    assert!(sewn.mesh.triangles.as_flattened().iter().all(|&v| v < vertices));
}

/// A list of numbers beside a scene, and, behind a zero byte, a PLY mesh with properties of its own: by both a cloth is
/// pinned, and its weight varies.
fn maps(bytes: &[u8]) {
    let cut = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    let (list, mesh) = (&bytes[..cut], bytes.get(cut + 1..).unwrap_or_default());
    let list: &[u8] = if bytes.starts_with(b"\x93NUMPY") { bytes } else { list };
    check(read_bytes(&Source::new("a.ply", mesh), &Default::default()));
    for (source, map, column) in [
        ("generate = { kind = \"sheet\", nx = 3, ny = 2 }", "list", ""),
        ("mesh = \"a.ply\"", "pin", ", column = \"pin\""),
        ("mesh = \"a.ply\"", "list", ""),
    ] {
        let text = format!(
            "[[cloth]]\nname = \"c\"\n{source}\nmaps = [{{ name = \"list\", file = \"m.csv\"{column} }}]\n\
             vary = [{{ map = \"{map}\", density = [0.1, 0.3] }}]\n\
             [[pin]]\nbody = \"c\"\nselect = {{ map = \"{map}\", above = 0.5 }}\n"
        );
        let scene = Scene::parse("scene.toml", &text, None, &[]).unwrap_or_else(|error| panic!("{error}"));
        let scene = scene.attach("m.csv", list.into()).attach("a.ply", mesh.into());
        match Simulation::new(&scene, Precision::F32, 1) {
            Ok(simulation) => {
                assert!(simulation.warnings().iter().flat_map(|said| said.chars()).all(|c| !c.is_control()))
            }
            Err(error) => assert!(error.to_string().chars().all(|c| c == '\n' || !c.is_control())),
        }
    }
}

/// The two files of a pair, with a zero byte in between.
fn tetgen(bytes: &[u8]) {
    let cut = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    let (node, ele) = (&bytes[..cut], bytes.get(cut + 1..).unwrap_or_default());
    let files = |name: &str| Ok(if name.ends_with(".node") { node.to_vec() } else { ele.to_vec() });
    check(read_bytes(&Source::with_files("a.ele", ele, &files), &Default::default()));
    check(read_bytes(&Source::with_files("a.node", node, &files), &Default::default()));
}

/// Point caches of either kind, and the same bytes as an OBJ sequence of three frames.
fn cache(bytes: &[u8]) {
    for name in ["a.pc2", "a.mdd"] {
        for partial_cache in [false, true] {
            let options = Options { partial_cache, ..Options::default() };
            let Ok(cache) = PointCache::read(&Source::new(name, bytes), 24.0, &options) else { continue };
            let mut still = AnimatedMesh::still(Default::default()).mesh;
            still.positions = vec![[0.0; 3]; cache.points()];
            play(AnimatedMesh::with_cache(still, cache));
        }
    }
    let parts: Vec<&[u8]> = bytes.splitn(3, |&b| b == 0).collect();
    let missing = || std::io::Error::from(std::io::ErrorKind::NotFound);
    let load = |name: &str| {
        let frame = name.trim_start_matches('a').trim_end_matches(".obj").parse::<usize>();
        frame.ok().and_then(|frame| parts.get(frame)).map(|part| part.to_vec()).ok_or_else(missing)
    };
    play(read_sequence("a#.obj", None, 24.0, &Options::default(), &load));
}

/// A whole scene: built, and stepped for three frames. What counts things is made small first: a fuzzer is to look at
/// many scenes.
fn frames(bytes: &[u8]) {
    let text = small_counts(&String::from_utf8_lossy(bytes));
    let sets = ["time.frames=3", "time.steps=1"].map(str::to_owned);
    let Ok(scene) = Scene::parse("scene.toml", &text, None, &sets) else { return };
    let settings = &scene.settings;
    if settings.cloth.len() + settings.solid.len() > 3 || settings.collider.len() > 8 {
        return;
    }
    let Ok(mut simulation) = Simulation::new(&scene, Precision::F32, 1) else { return };
    if simulation.objects().iter().map(|object| object.info.rest.len()).sum::<usize>() > 3000 {
        return;
    }
    while simulation.frame() < simulation.frames() {
        simulation.advance();
        for object in 0..simulation.objects().len() {
            let positions = simulation.positions(object);
            assert!(positions.iter().flatten().all(|x| x.is_finite()), "a position is not finite");
        }
    }
    assert!(simulation.metrics().to_json().is_object() && simulation.warnings().iter().all(|said| !said.is_empty()));
}

/// The text with whole numbers of two digits or more replaced by 9: meshes of a few hundred elements, a few substeps.
fn small_counts(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let (number, after) = from.split_at(from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len()));
        let part = before.ends_with(|c: char| c == '.' || c == '_' || c.is_alphanumeric())
            || after.starts_with(['.', 'e', '_']);
        out.push_str(before);
        out.push_str(if number.len() > 1 && !part { "9" } else { number });
        rest = after;
    }
    out + rest
}

/// Reads a file that stands alone, and looks at what comes out.
pub fn read(name: &str, bytes: &[u8]) {
    check(read_bytes(&Source::new(name, bytes), &Default::default()));
}

/// Checks what a reader promises.
pub fn check(result: Result<MeshFile, ReadError>) {
    let file = match result {
        Ok(file) => file,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(file.surface.is_some() || file.tets.is_some());
    if let Some(mesh) = &file.surface {
        let n = mesh.positions.len();
        assert!(mesh.positions.iter().flatten().all(|x| x.is_finite()));
        assert!(mesh.uvs.iter().flatten().all(|x| x.is_finite()));
        assert!(mesh.triangles.iter().flatten().all(|&v| (v as usize) < n));
        assert!(mesh.uv_triangles.iter().flatten().all(|&v| (v as usize) < mesh.uvs.len()));
        assert!(mesh.uv_triangles.is_empty() || mesh.uv_triangles.len() == mesh.triangles.len());
        assert!(mesh.groups.iter().flat_map(|g| &g.vertices).all(|&v| (v as usize) < n));
        assert!(mesh.groups.iter().all(|g| g.vertices.is_sorted_by(|a, b| a < b)));
        assert!(!inspect(mesh).to_string().is_empty());
    }
    if let Some(mesh) = &file.tets {
        let n = mesh.positions.len();
        assert!(mesh.positions.iter().flatten().all(|x| x.is_finite()));
        assert!(mesh.tets.iter().flatten().all(|&v| (v as usize) < n));
        assert!(mesh.groups.iter().flat_map(|g| &g.vertices).all(|&v| (v as usize) < n));
        assert!(!inspect(mesh).to_string().is_empty());
    }
}

/// Plays a moving mesh.
pub fn play(result: Result<AnimatedMesh, ReadError>) {
    let Ok(mesh) = result else { return };
    let mut positions = Vec::new();
    for seconds in [-1.0, 0.0, 0.3 * mesh.duration, mesh.duration, f64::INFINITY, f64::NAN] {
        mesh.positions_at(seconds, &mut positions);
        assert_eq!(positions.len(), mesh.mesh.positions.len());
        assert!(positions.iter().flatten().all(|x| x.is_finite()));
    }
}

/// Parses a scene. What follows a line of `%%` are `--set` arguments, one a line.
pub fn parse_scene(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (scene, sets) = text.split_once("\n%%\n").unwrap_or((&text, ""));
    let sets: Vec<String> = sets.lines().map(str::to_owned).collect();
    match Scene::parse("scene.toml", scene, None, &sets) {
        Ok(scene) => assert!(scene.to_json().is_object() && scene.settings.time.frame_count() > 0),
        Err(error) => {
            assert!(error.count() > 0 && error.lines().len() == error.count());
            assert!(error.to_string().chars().all(|c| c == '\n' || !c.is_control()));
        }
    }
}
