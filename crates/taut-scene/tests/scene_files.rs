//! Scene files: what they mean, and that nothing in them can do harm.

use serde_json::Value as Json;
mod common;

use common::TempDir;
use std::fs;
use taut_scene::generate::rng::SplitMix64;
use taut_scene::scene::settings::{Settings, Solver};
use taut_scene::scene::{BUILTIN, Scene, new_project, schema};
use taut_scene::simulation::Simulation;

const FLAG: &str = "[[cloth]]\nname = \"flag\"\ngenerate = \"sheet\"\n";

fn parse(text: &str, sets: &[&str]) -> Scene {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    Scene::parse("test.toml", text, None, &sets).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_minimal_scene_has_sensible_defaults() {
    let settings: Settings = parse(FLAG, &[]).settings;
    let Solver::Auto(solver) = &settings.solver else { panic!("not the default solver") };
    assert_eq!((settings.time.fps, settings.time.frame_count(), solver.substeps), (60.0, 240, 0));
    assert_eq!(settings.cloth[0].material.params(), taut::Cloth::default());
    assert_eq!(settings.world.gravity, [0.0, -9.81, 0.0]);
}

#[test]
fn solids_default_to_what_the_engine_defaults_to() {
    let settings = parse("[[solid]]\ngenerate = \"ball\"\n", &[]).settings;
    assert_eq!(settings.solid[0].material.params(), taut::Solid::default());
}

/// The value that the schema says a key has if it is not written, and the value it then has.
fn compare(schema: &Json, settings: &Json, path: &str, count: &mut usize) {
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{key}");
        let value = settings.get(key).unwrap_or(&Json::Null);
        // A scene needs a body, so its list is not empty.
        if let Some(default) = property.get("default").filter(|_| path != ".cloth") {
            assert_eq!(default, value, "{path}");
            *count += 1;
        }
        // What is left out altogether has no values of its own.
        if !value.is_null() {
            compare(property, value, &path, count);
        }
    }
}

#[test]
fn defaults_in_the_schema_are_those_that_hold() {
    let schema = schema();
    let mut count = 0;
    compare(&schema, &parse(FLAG, &[]).to_json(), "", &mut count);
    assert!(count > 20, "only {count} defaults");
    // Elements of lists: what a cloth and a solid are if nothing but their mesh is given.
    let scene = parse("[[cloth]]\ngenerate = \"sheet\"\n[[solid]]\ngenerate = \"ball\"\n", &[]).to_json();
    for list in ["cloth", "solid"] {
        let before = count;
        compare(&schema["properties"][list]["items"], &scene[list][0], list, &mut count);
        assert!(count > before + 5, "{list}");
    }
}

#[test]
fn the_schema_documents_every_key() {
    fn walk(schema: &Json, path: &str, count: &mut usize) {
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}.{key}");
            let described = property["description"].as_str().is_some_and(|text| text.len() > 3);
            assert!(described || key == "kind" || key == "value", "{path} has no description");
            *count += 1;
            walk(property, &path, count);
        }
        for key in ["items", "anyOf", "oneOf"] {
            match &schema[key] {
                Json::Array(all) => all.iter().for_each(|one| walk(one, path, count)),
                one if one.is_object() => walk(one, path, count),
                _ => {}
            }
        }
    }
    let mut count = 0;
    walk(&schema(), "", &mut count);
    assert!(count > 150, "only {count} keys");
}

#[test]
fn what_is_written_comes_back() {
    let text = "[[cloth]]\nname = \"a\"\ngenerate = { kind = \"disc\", rings = 5 }\nrotate = { axis = [0, 1, 0], \
                degrees = 30 }\ngrain = [0, 0, 1]\ncolour = \"#0a0b0c\"\n[[pin]]\nbody = \"a\"\nselect = \"rim\"\n\
                motion.translate.keys = [{ time = 0, value = [0, 0, 0] }, { time = 1, value = [0, 1, 0] }]\n";
    let json = parse(text, &[]).to_json();
    assert_eq!(json["cloth"][0]["generate"]["rings"], 5);
    assert_eq!(json["cloth"][0]["colour"], "#0a0b0c");
    assert_eq!(json["pin"][0]["motion"]["translate"]["keys"][1]["value"][1], 1);
}

#[test]
fn sets_change_what_they_name() {
    let two = format!("{FLAG}{}", FLAG.replace("flag", "my.sail"));
    let scene = parse(
        &two,
        &[
            "cloth.flag.stiffness.warp=0.2",
            "cloth.1.density = 0.3",
            "cloth.\"my.sail\".generate={ kind = \"disc\", rings = 3 }",
            "scene.title=Two of them",
            "solver.precision=f64",
            "air.wind=[1, 2, 3]",
            "time.frames=7",
        ],
    );
    let settings = &scene.settings;
    assert_eq!((settings.cloth[0].material.stiffness.warp, settings.cloth[1].material.density), (0.2, Some(0.3)));
    assert_eq!((settings.scene.title.as_str(), settings.time.frame_count()), ("Two of them", 7));
    assert_eq!((scene.precision().name(), settings.air.wind.at(0.0)), ("f64", [1.0, 2.0, 3.0]));
    assert_ne!(scene.hash(), parse(&two, &[]).hash());
}

#[test]
fn assets_stay_in_the_scene_folder() {
    let dir = TempDir::new("assets");
    let inside = dir.0.join("scene");
    fs::create_dir_all(inside.join("deep")).unwrap();
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    fs::write(dir.0.join("secret.obj"), mesh).unwrap();
    fs::write(inside.join("deep/own.obj"), mesh).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(dir.0.join("secret.obj"), inside.join("link.obj")).unwrap();
        std::os::unix::fs::symlink(inside.join("deep/own.obj"), inside.join("fine.obj")).unwrap();
    }
    let build = |file: &str| {
        let text = format!("[[cloth]]\nmesh = {file:?}\n");
        let path = inside.join("scene.toml");
        fs::write(&path, text).unwrap();
        let scene = Scene::load(&path, &[]).map_err(|error| error.to_string())?;
        Simulation::new(&scene, scene.precision(), 1).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(build("deep/own.obj"), Ok(()));
    assert_eq!(build("./deep/own.obj"), Ok(()));
    let absolute = dir.0.join("secret.obj").to_string_lossy().into_owned();
    for outside in ["../secret.obj", "deep/../../secret.obj", "..\\secret.obj", "C:/secret.obj", &absolute, "", "deep"]
    {
        let message = build(outside).unwrap_err();
        assert!(message.contains("scene's folder"), "{outside}: {message}");
    }
    #[cfg(unix)]
    {
        assert_eq!(build("fine.obj"), Ok(()));
        assert!(build("link.obj").unwrap_err().contains("a link out of it"));
    }
    let no_folder = Scene::parse("a.toml", "[[cloth]]\nmesh = \"own.obj\"\n", None, &[]).unwrap();
    assert!(Simulation::new(&no_folder, no_folder.precision(), 1).unwrap_err().to_string().contains("no folder"));
}

#[test]
fn truncated_scenes_are_refused_or_read_but_never_panic() {
    for builtin in BUILTIN {
        for end in 0..builtin.text.len() {
            if let Some(text) = builtin.text.get(..end)
                && let Err(error) = Scene::parse("a.toml", text, None, &[])
            {
                assert!(error.count() > 0 && !error.to_string().is_empty());
            }
        }
    }
}

#[test]
fn garbled_scenes_are_refused_or_read_but_never_panic() {
    let mut rng = SplitMix64::new(20);
    for builtin in BUILTIN {
        for _ in 0..400 {
            let mut bytes = builtin.text.as_bytes().to_vec();
            for _ in 0..1 + rng.next_u64() % 4 {
                let at = (rng.next_u64() % bytes.len() as u64) as usize;
                bytes[at] = (rng.next_u64() % 128) as u8;
            }
            let text = String::from_utf8_lossy(&bytes);
            if let Err(error) = Scene::parse("a.toml", &text, None, &[]) {
                assert!(error.count() > 0 && error.lines().len() == error.count() && !error.to_string().is_empty());
            }
        }
    }
}

#[test]
fn a_new_project_builds_and_overwrites_nothing() {
    let dir = TempDir::new("project");
    let project = dir.0.join("deep/napkin");
    let files = new_project(&project).unwrap();
    assert!(files.len() >= 4 && files.iter().all(|file| file.starts_with(&project) && file.is_file()));
    let scene = Scene::load(&files[0], &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(&scene, scene.precision(), 1).unwrap_or_else(|error| panic!("{error}"));
    assert!(simulation.warnings().is_empty(), "{:?}", simulation.warnings());
    assert_eq!(simulation.pinned_positions().len(), 4);
    for _ in 0..scene.settings.time.frame_count() {
        simulation.advance();
    }
    let metrics = simulation.metrics();
    assert!(metrics.contained == 0 && metrics.contacts > 50 && metrics.strain.weft.p99 < 0.1, "{metrics:?}");
    let before = fs::read_to_string(&files[0]).unwrap();
    let message = new_project(&project).unwrap_err().to_string();
    assert!(message.ends_with("napkin is there already and not an empty folder; nothing is overwritten"), "{message}");
    assert_eq!(fs::read_to_string(&files[0]).unwrap(), before);
    fs::write(dir.0.join("file"), "mine").unwrap();
    assert!(new_project(&dir.0.join("file")).is_err());
    assert_eq!(fs::read_to_string(dir.0.join("file")).unwrap(), "mine");
}

#[test]
fn a_new_project_names_every_format_that_can_be_written() {
    let text = include_str!("../project/scene.toml");
    let line = text.lines().find(|line| line.starts_with("formats = ")).expect("a line of formats");
    let (_, comment) = line.split_once("# ").expect("a comment behind it");
    let known: Vec<&str> = taut_scene::write::FORMATS.iter().map(|format| format.name).collect();
    assert_eq!(comment, known.join(", "));
}
