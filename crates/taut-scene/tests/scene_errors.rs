//! Wrong scenes and the exact messages a person sees.
//!
//! Every `tests/wrong/NAME.toml` has its message in `NAME.txt`; `NAME.args` holds `--set` arguments, one a line. Run
//! with `TAUT_BLESS=1` to write the messages anew, and then read them: they are for people.

use std::fs;
use std::path::Path;
use taut_scene::scene::Scene;
use taut_scene::simulation::Simulation;

/// The message for a scene file, with the folder left out of its name.
fn message(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let args = fs::read_to_string(path.with_extension("args")).unwrap_or_default();
    let sets: Vec<String> = args.lines().map(str::to_owned).collect();
    let name = path.file_name().unwrap().to_string_lossy();
    let scene = Scene::parse(&name, &text, path.parent(), &sets);
    let built = scene.and_then(|scene| Simulation::new(&scene, scene.precision(), 1));
    built.map(|_| ()).expect_err(&name).to_string() + "\n"
}

#[test]
fn wrong_scenes_say_what_is_wrong() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        count += 1;
        let (found, file) = (message(&path), path.with_extension("txt"));
        if std::env::var_os("TAUT_BLESS").is_some() {
            fs::write(&file, &found).unwrap();
        }
        let expected = fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(found, expected, "\n{} gives\n\n{found}\ninstead of\n\n{expected}", path.display());
    }
    assert!(count >= 10, "only {count} wrong scenes");
}

#[test]
fn a_scene_that_is_neither_file_nor_built_in() {
    let message = Scene::open("drpae", &[]).unwrap_err().to_string();
    assert!(message.contains("there is no file and no built-in scene called `drpae`"), "{message}");
    assert!(message.contains("did you mean `drape`?"), "{message}");
}

#[test]
fn messages_cannot_command_a_terminal() {
    let text = "[scene]\ntitle = \"\\u001b[31m\"\nke\u{7f}y = 3\n\"a\\u001b]0;x\" = 1";
    let message = Scene::parse("a.toml", text, None, &["time.fps=\u{1b}[2J".into()]).unwrap_err().to_string();
    assert!(message.chars().all(|c| c == '\n' || !c.is_control()), "{message:?}");
}

/// Sixty bytes of a scene could take 15 GB.
#[test]
fn a_scene_that_makes_more_than_its_memory_is_refused() {
    let text = "[[cloth]]\nname = \"sheet\"\ngenerate = { kind = \"sheet\", nx = 1002, ny = 1002 }\n";
    let scene = Scene::parse("a.toml", text, None, &[]).unwrap();
    let message = Simulation::new(&scene, scene.precision(), 1).map(|_| ()).unwrap_err().to_string();
    for part in ["`cloth.sheet`", "2004002 triangles and tetrahedra", "at most 2000000", "--memory allows more"] {
        assert!(message.contains(part), "{part} is not in: {message}");
    }
}
