//! The other jobs, and what a person sees when something is wrong.

mod common;

use common::{Place, pixels};
use std::process::Stdio;

#[test]
fn unknown_scenes_get_a_suggestion() {
    let place = Place::new("unknown");
    place.taut(&["run", "drpe"]).refused(&["no built-in scene called `drpe`", "did you mean `drape`?"]);
    place.taut(&["run", "none/such.toml"]).refused(&["error: "]);
    place.taut(&["run", "."]).refused(&["this is a folder", "did you mean `./scene.toml`?"]);
    assert!(!place.path("out").exists());
}

#[test]
fn wrong_scenes_name_the_place() {
    let place = Place::new("wrong");
    place.write("wrong.toml", &common::SCENE.replace("density", "x").replace("select =", "selct ="));
    for job in ["run", "check", "render"] {
        let said = place.taut(&[job, "wrong.toml"]);
        said.refused(&["wrong.toml:", "selct", "did you mean `select`?"]);
        assert!(said.err().starts_with("error: ") && !said.err().contains("error: error"), "{}", said.err());
    }
    place.taut(&["run", "scene.toml", "--set", "time.fsp=3"]).refused(&["fsp", "did you mean `fps`?"]);
    place.taut(&["run", "scene.toml", "--formats", "fbx"]).refused(&["--formats fbx", "pc2, mdd, abc, usd"]);
    place.taut(&["run", "scene.toml", "--frames", "0"]).refused(&["--frames"]);
    place.taut(&["run"]).refused(&["SCENE"]);
    assert!(!place.path("out").exists());
}

#[test]
fn check_says_what_is_there_and_writes_nothing() {
    let place = Place::new("check");
    let said = place.taut(&["check", "scene.toml"]).good();
    assert!(said.out().contains("81 vertices, 128 triangles") && said.out().contains("40 frames"), "{}", said.out());
    let found = place.taut(&["check", "scene.toml", "--json"]).json();
    assert_eq!(found["bodies"][0]["triangles"], 128);
    assert_eq!(found["held"], 9);
    assert_eq!(place.names("."), ["scene.toml"]);
}

#[test]
fn every_built_in_scene_is_listed_and_can_be_built() {
    let place = Place::new("scenes");
    let list = place.taut(&["scenes", "--json"]).json();
    let names: Vec<&str> = list.as_array().unwrap().iter().map(|scene| scene["name"].as_str().unwrap()).collect();
    assert!(names.len() >= 12 && names[0] == "drape", "{names:?}");
    let text = place.taut(&["scenes"]).good().out();
    for name in names {
        assert!(text.contains(name));
        place.taut(&["check", name]).good();
    }
}

#[test]
fn fabrics_are_listed_and_shown_with_their_sources() {
    let place = Place::new("fabrics");
    let list = place.taut(&["fabrics", "--json"]).json();
    let names: Vec<&str> = list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert!(names.len() >= 12 && names.contains(&"denim"), "{names:?}");
    let table = place.taut(&["fabrics"]).good().out();
    assert!(names.iter().all(|name| table.lines().any(|line| line.starts_with(name))), "{table}");
    let denim = place.taut(&["fabrics", "denim"]).good().out();
    assert!(denim.contains("0.324 kg/m²") && denim.contains("Wang, H."), "{denim}");
    assert_eq!(place.taut(&["fabrics", "jeans", "--json"]).json()["density"]["value"], 0.324);
    assert!(place.taut(&["fabrics", "--markdown"]).good().out().starts_with("# Fabrics\n"));
    place.taut(&["fabrics", "denmi"]).refused(&["no fabric called `denmi`", "did you mean `denim`?"]);
}

#[test]
fn a_new_project_runs() {
    let place = Place::new("new");
    let said = place.taut(&["new", "flag"]).good();
    assert!(said.out().contains("taut run flag/scene.toml"), "{}", said.out());
    place.taut(&["check", "flag/scene.toml"]).good();
    place.taut(&["run", "flag/scene.toml", "--frames", "2", "--no-pictures"]).good();
    place.taut(&["new", "flag"]).refused(&["flag is there already"]);
    let schema = std::fs::read_to_string(place.path("flag/scene.schema.json")).unwrap();
    assert_eq!(place.taut(&["schema"]).good().out(), schema);
}

#[test]
fn names_in_files_cannot_command_a_terminal() {
    let place = Place::new("escape");
    let mesh = "g \u{1b}[5mblink\nusemtl \u{1b}]0;title\u{7}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 \u{1b}[2J\n";
    place.write("bad.obj", mesh);
    place.write("good.obj", mesh.rsplit_once("f 1 2 ").unwrap().0);
    place.write("a.toml", "[scene]\ntitle = \"\\u001b[2J\"\n[[cloth]]\nname = \"\\u001b[31m\"\nmesh = \"good.obj\"\n");
    let harmless = |text: String| assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    let info = place.taut(&["info", "good.obj"]).good().out();
    assert!(info.contains("blink") && info.contains("title"), "{info}");
    harmless(info);
    harmless(place.taut(&["check", "a.toml"]).good().out());
    harmless(place.taut(&["run", "a.toml", "--frames", "1", "--no-pictures", "--out", "o"]).good().out());
    harmless(place.taut(&["info", "bad.obj"]).err());
}

#[test]
fn info_describes_a_mesh() {
    let place = Place::new("info");
    place.write("two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\nf 1 2 3\n");
    let said = place.taut(&["info", "two.obj"]).good();
    assert!(said.out().contains("1, 4 vertices") && said.out().contains("problem"), "{}", said.out());
    let found = place.taut(&["info", "two.obj", "--json"]).json();
    assert_eq!(found["meshes"][0]["triangles"], 1);
    assert!(found["problems"].to_string().contains("vertex"), "{found}");
    place.write("cross.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -1\nv 0.3 0.2 -1\nv 0.2 0.2 1\nf 1 2 3\nf 4 5 6\n");
    let said = place.taut(&["info", "cross.obj"]).good().out();
    assert!(said.contains("1 pair of triangles intersects: 0 and 1 at (0.3333, 0.3333, 0)"), "{said}");
    let found = place.taut(&["info", "cross.obj", "--json"]).json();
    assert_eq!(found["meshes"][0]["intersections"]["first"][0]["triangles"], serde_json::json!([0, 1]));
    place.write("bad.obj", "v 0 0 0\nf 1 2 3\n");
    place.taut(&["info", "bad.obj"]).refused(&["bad.obj:2"]);
    place.taut(&["info", "none.obj"]).refused(&["none.obj", "cannot be read"]);
}

#[test]
#[cfg(unix)]
fn pipes_and_bombs_are_refused_at_once() {
    let place = Place::new("pipes");
    let pipe =
        |name: &str| assert!(std::process::Command::new("mkfifo").arg(place.path(name)).status().unwrap().success());
    pipe("mesh.obj");
    pipe("scene.fifo");
    pipe("frame_2.obj");
    place.write("frame_1.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let regular = "expected a regular file";
    place.taut(&["info", "mesh.obj"]).refused(&["mesh.obj", regular]);
    place.taut(&["check", "scene.fifo"]).refused(&["scene.fifo", regular]);
    place.write("buffer.gltf", r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"mesh.obj","byteLength":9}]}"#);
    place.taut(&["info", "buffer.gltf"]).refused(&["mesh.obj", regular]);
    let collider =
        |mesh: &str| format!("{}[[collider]]\nshape = {{ kind = \"mesh\", mesh = \"{mesh}\" }}\n", common::SCENE);
    place.write("sequence.toml", &collider("frame_#.obj"));
    place.taut(&["check", "sequence.toml"]).refused(&["frame_2.obj", regular]);
    place.write("pipe.toml", &collider("mesh.obj"));
    place.taut(&["check", "pipe.toml"]).refused(&["mesh.obj", "this is no file"]);
    // A file that wants more than its size explains, and a flag that lets it.
    let groups: String = (0..300_000).map(|at| format!("g {at}\nf 1 2 3\n")).collect();
    place.write("large.obj", &format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{groups}"));
    place.taut(&["info", "large.obj", "--memory", "1"]).refused(&["large.obj", "of memory", "--memory allows more"]);
    place.taut(&["info", "large.obj", "--memory", "1000"]).good();
}

/// How many different samples there are: a blank picture has few.
fn variety(path: &std::path::Path) -> usize {
    let (_, _, samples) = pixels(path);
    samples.iter().collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
fn render_draws_meshes_and_scenes() {
    let place = Place::new("render");
    place.write("triangle.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    place.taut(&["render", "triangle.obj", "--size", "120x90", "--direction", "-0.2,0.3,1"]).good();
    assert_eq!(pixels(&place.path("triangle.png")).0, 120);
    assert!(variety(&place.path("triangle.png")) > 60);
    let flags = ["render", "scene.toml", "--time", "0.1", "--show", "warp", "--size", "120x90", "--out", "p/warp.png"];
    let said = place.taut(&[&flags[..], &["--json"]].concat()).json();
    assert_eq!((&said["frame"], &said["width"]), (&6.into(), &120.into()));
    assert!(variety(&place.path("p/warp.png")) > 60);
    place.taut(&["render", "triangle.obj", "--show", "weft"]).refused(&["no strain to show"]);
    place.taut(&["render", "scene.toml", "--frame", "1", "--show", "volume"]).refused(&["nothing in this scene"]);
    place.taut(&["render", "scene.toml", "--size", "0x0"]).refused(&["960x720"]);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let place = Place::new("pipe");
    let mut child = place.command(&["schema"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let said = common::Said(child.wait_with_output().unwrap());
    assert_eq!((said.code(), said.err().as_str()), (Some(0), ""));
}

#[cfg(not(feature = "view"))]
#[test]
fn a_program_without_its_viewer_says_how_to_build_it() {
    let place = Place::new("view");
    place.taut(&["view", "flag"]).refused(&["--features view -- view flag"]);
}
