//! `taut run` from beginning to end.

mod common;

use common::{Place, pixels};
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn a_run_leaves_what_it_promises() {
    let place = Place::new("promises");
    let said = place.taut(&["run", "scene.toml", "--out", "o"]).good();
    assert!(said.out().contains("o/report.html"), "{}", said.out());
    let mut expected = vec![".taut.lock", "checkpoint.bin", "loading.txt", "metrics.jsonl", "pictures", "report.html"];
    expected.extend(["sheet.obj", "sheet.pc2", "taut.json"]);
    assert_eq!(place.names("o"), expected);
    let loading = std::fs::read_to_string(place.path("o/loading.txt")).unwrap();
    assert!(loading.contains("Mesh Cache"), "how to load the point cache: {loading}");
    let pictures = place.names("o/pictures");
    for name in ["frame_0000.png", "frame_0020.png", "frame_0040.png", "heat_weft.png", "motion.gif", "sheet.png"] {
        assert!(pictures.iter().any(|found| found == name), "{name} is missing: {pictures:?}");
    }
    let lines = std::fs::read_to_string(place.path("o/metrics.jsonl")).unwrap();
    let frames: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(frames.len(), 41);
    assert!(frames.iter().enumerate().all(|(at, frame)| frame["frame"] == at));
    let page = std::fs::read_to_string(place.path("o/report.html")).unwrap();
    for part in ["<svg", "data:image/gif", "Largest tension", "nx = 9"] {
        assert!(page.contains(part), "{part}");
    }
    let energy = page.lines().find(|line| line.contains("kinetic energy</th>")).unwrap();
    assert!(energy.contains("J</td>") && !energy.contains("e0<") && !energy.contains("e-"), "{energy}");
    let (width, height, samples) = pixels(&place.path("o/pictures/frame_0040.png"));
    assert_eq!((width, height), (160, 120));
    assert!(samples.iter().max().unwrap() - samples.iter().min().unwrap() > 100, "the picture is blank");
}

#[test]
fn the_list_names_only_what_is_there() {
    let place = Place::new("list");
    for flags in [&["--no-pictures"][..], &["--formats", "usd,pc2,glb"]] {
        place.taut(&[&["run", "scene.toml", "--out", "o", "--frames", "4"], flags].concat()).good();
        let list: Value = serde_json::from_str(&std::fs::read_to_string(place.path("o/taut.json")).unwrap()).unwrap();
        let files = list["files"].as_array().unwrap();
        assert!(files.len() > 3 && list["result"]["frames"] == 4, "{list}");
        for name in files {
            assert!(place.path("o").join(name.as_str().unwrap()).exists(), "{name} is named and not there");
        }
    }
}

/// A sheet that its springs throw apart: explicit, with steps that are far too long.
const EXPLODING: &str = r#"
[time]
fps = 10
frames = 40
[solver]
kind = "pbd"
substeps = 1
integrator = { kind = "alpha-beta", alpha = 0.0, beta = 1.0 }
[[cloth]]
name = "sheet"
generate = { kind = "sheet", nx = 5, ny = 5 }
elastic = { weft = 1e9, warp = 1e9 }
[[pin]]
body = "sheet"
select = "left"
[contact]
on = false
"#;

#[test]
fn positions_that_are_not_finite_are_a_warning_and_under_verify_a_failure() {
    let place = Place::new("finite");
    place.write("exploding.toml", EXPLODING);
    let result = place.taut(&["run", "exploding.toml", "--no-pictures", "--json", "--out", "a"]).json();
    assert!(result["warnings"].to_string().contains("no longer finite and were put back"), "{}", result["warnings"]);
    let said = place.taut(&["run", "exploding.toml", "--no-pictures", "--verify", "--out", "b"]);
    assert_eq!(said.code(), Some(1), "{}{}", said.out(), said.err());
    assert!(said.err().contains("no longer finite and were put back"), "{}", said.err());
}

#[test]
fn the_result_has_exactly_these_keys() {
    let place = Place::new("keys");
    let said = place.taut(&["run", "scene.toml", "--json", "--frames", "5", "--no-pictures"]);
    let result = said.json();
    let keys: Vec<&str> = result.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = [
        "frames",
        "steps",
        "ms_per_frame",
        "stages",
        "strain",
        "tension",
        "area_change",
        "volume_change",
        "energy",
        "momentum",
        "inverted",
        "contacts",
        "intersections",
        "state_hash",
        "warnings",
        "failures",
    ];
    expected.sort_unstable();
    assert_eq!(keys, expected);
    for kind in ["weft", "warp", "shear"] {
        assert!(["max", "mean", "p99"].iter().all(|key| result["strain"][kind][key].is_f64()), "{kind}");
    }
    assert_eq!((&result["frames"], &result["steps"]), (&5.into(), &5.into()));
    assert!(said.err().is_empty(), "a short run says nothing: {}", said.err());
    assert!(!place.path("out/scene/pictures").exists());
}

#[test]
fn set_and_precision_change_the_result_and_threads_do_not() {
    let place = Place::new("set");
    let hash = |flags: &[&str]| {
        let common = ["run", "scene.toml", "--json", "--frames", "10", "--no-pictures", "--quiet"];
        place.taut(&[&common[..], flags].concat()).json()["state_hash"].as_str().unwrap().to_owned()
    };
    let plain = hash(&[]);
    assert_eq!(plain, hash(&["--threads", "2"]));
    assert_ne!(plain, hash(&["--set", "world.gravity=[0,-5,0]"]));
    assert_ne!(plain, hash(&["--precision", "f64"]));
}

#[test]
fn a_killed_run_goes_on_to_the_same_state() {
    let place = Place::new("kill");
    let flags = ["--json", "--checkpoint", "0.02", "--formats", "pc2,usd", "--frames", "400"];
    let whole = place.taut(&[&["run", "scene.toml", "--out", "whole"], &flags[..]].concat()).json();
    let broken = [&["run", "scene.toml", "--out", "broken", "--resume"], &flags[..]].concat();
    let mut kills = 0;
    for delay in [150, 250, 400] {
        let mut child = place.command(&broken).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        kills += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(kills > 0, "the run was over before it could be killed");
    let resumed = place.taut(&broken).json();
    assert_eq!(resumed["state_hash"], whole["state_hash"]);
    assert_eq!(resumed["frames"], 400);
    for name in ["sheet.pc2", "scene.usda"] {
        let read = |dir: &str| std::fs::read(place.path(dir).join(name)).unwrap();
        assert!(read("whole") == read("broken"), "{name} differs");
    }
    let lines = std::fs::read_to_string(place.path("broken/metrics.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 401);
    assert_eq!(place.names("whole/pictures"), place.names("broken/pictures"));
    let gif = |dir: &str| std::fs::read(place.path(dir).join("pictures/motion.gif")).unwrap();
    assert!(gif("whole") == gif("broken"), "pictures show the whole motion");
}

#[test]
fn a_run_killed_while_it_draws_goes_on() {
    let place = Place::new("late");
    let flags = ["run", "scene.toml", "--json", "--formats", "usd,glb,pc2,mdd,vtu", "--out"];
    let whole = place.taut(&[&flags[..], &["whole"]].concat()).json();
    place.taut(&[&flags[..], &["late"]].concat()).good();
    // As a kill leaves it: every frame is written, and nothing says that the run was over.
    let list = std::fs::read_to_string(place.path("late/taut.json")).unwrap();
    let mut list: Value = serde_json::from_str(&list).unwrap();
    list["result"] = Value::Null;
    place.write("late/taut.json", &list.to_string());
    std::fs::remove_file(place.path("late/report.html")).unwrap();
    let late = place.taut(&[&flags[..], &["late", "--resume"]].concat()).json();
    assert_eq!(late["state_hash"], whole["state_hash"]);
    assert_eq!(place.names("late"), place.names("whole"));
    let film = |dir: &str| std::fs::read(place.path(dir).join("scene.usda")).unwrap();
    assert!(film("late") == film("whole"));
}

#[test]
#[cfg(unix)]
fn ctrl_c_leaves_everything_so_far() {
    let place = Place::new("interrupt");
    let flags = [
        "run",
        "scene.toml",
        "--out",
        "o",
        "--frames",
        "100000",
        "--formats",
        "pc2,usd",
        "--set",
        "output.pictures.gif=false",
        "--set",
        "output.pictures.every=0",
    ];
    let child = place.command(&flags).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while std::fs::metadata(place.path("o/metrics.jsonl")).map_or(0, |m| m.len()) < 5000 {
        assert!(begun.elapsed() < Duration::from_secs(60), "no frame has come");
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let said = common::Said(child.wait_with_output().unwrap());
    assert_eq!(said.code(), Some(1), "{}", said.err());
    assert!(
        said.err().contains("go on with: taut run scene.toml") && said.err().contains("--resume"),
        "{}",
        said.err()
    );
    for name in ["report.html", "sheet.pc2", "scene.usda", "checkpoint.bin"] {
        assert!(place.path("o").join(name).is_file(), "{name}");
    }
    let done = std::fs::read_to_string(place.path("o/metrics.jsonl")).unwrap().lines().count();
    let more = (done + 10).to_string();
    let mut again = flags.to_vec();
    again[5] = &more;
    let resumed = place.taut(&[&again[..], &["--resume", "--json"]].concat()).json();
    let fresh = place.taut(&["run", "scene.toml", "--out", "f", "--json", "--no-pictures", "--frames", &more]).json();
    assert_eq!(resumed["frames"], fresh["frames"]);
    // Pictures are no part of the state, but --set is part of what a run is: only the numbers agree.
    assert_eq!(resumed["state_hash"], fresh["state_hash"]);
}

#[test]
fn two_runs_cannot_share_a_folder() {
    let place = Place::new("two");
    let flags = ["run", "scene.toml", "--out", "o", "--no-pictures", "--checkpoint", "0", "--frames"];
    let run = |frames| [&flags[..], &[frames]].concat();
    let mut first = place.command(&run("100000")).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while !place.path("o/checkpoint.bin").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no frame has come");
        std::thread::sleep(Duration::from_millis(5));
    }
    for resume in [&["--resume"][..], &[]] {
        let said = place.taut(&[&run("5")[..], resume].concat());
        said.refused(&["o is taken", "is writing to it", "choose another folder with --out"]);
    }
    assert!(first.try_wait().unwrap().is_none(), "the first run goes on");
    first.kill().unwrap();
    first.wait().unwrap();
    // Nothing is left behind that would keep others out.
    assert_eq!(place.taut(&[&run("5")[..], &["--json"]].concat()).json()["frames"], 5);
}

#[test]
fn resume_refuses_what_has_changed() {
    let place = Place::new("changed");
    let run = |flags: &[&str]| place.taut(&[&["run", "scene.toml", "--out", "o", "--no-pictures"], flags].concat());
    run(&["--frames", "3"]).good();
    run(&["--frames", "6", "--resume", "--precision", "f64"]).refused(&["computed with f32, not f64", "starts over"]);
    run(&["--frames", "6", "--resume", "--set", "solver.substeps=5"]).refused(&["have changed since"]);
    run(&["--frames", "2", "--resume"]).refused(&["3 frames already"]);
    assert!(run(&["--frames", "3", "--resume"]).good().out().contains("there already"));
    assert_eq!(run(&["--frames", "6", "--resume", "--json"]).json()["frames"], 6);
}

#[test]
fn files_of_others_are_left_alone() {
    let place = Place::new("others");
    std::fs::create_dir(place.path("o")).unwrap();
    place.write("o/notes.txt", "mine");
    let run = |flags: &[&str]| place.taut(&[&["run", "scene.toml", "--out", "o", "--frames", "2"], flags].concat());
    run(&["--formats", "usd", "--no-pictures"]).good();
    assert!(place.path("o/scene.usda").is_file());
    run(&["--formats", "pc2", "--no-pictures"]).good();
    assert!(!place.path("o/scene.usda").exists(), "what an earlier run left is gone");
    place.write("o/scene.glb", "mine");
    run(&["--formats", "glb", "--no-pictures"]).refused(&["scene.glb is in the way"]);
    assert_eq!(std::fs::read(place.path("o/scene.glb")).unwrap(), b"mine");
    assert_eq!(std::fs::read(place.path("o/notes.txt")).unwrap(), b"mine");
    place.write("f", "a file");
    place.taut(&["run", "scene.toml", "--out", "f"]).refused(&["f is a file"]);
}

#[test]
fn soft_bodies_run_too() {
    let place = Place::new("solid");
    let solid = "[time]\nframes = 3\n[[solid]]\nname = \"ball\"\ngenerate = { kind = \"beam\" }\n";
    place.write("solid.toml", solid);
    let checked = place.taut(&["check", "solid.toml"]);
    assert_eq!(checked.code(), Some(0), "{}", checked.err());
    let result = place.taut(&["run", "solid.toml", "--json", "--set", "output.pictures.size=[80,60]"]).json();
    assert_eq!(result["inverted"], 0);
    assert!(place.path("out/solid/pictures/heat_volume.png").is_file());
}

#[test]
fn what_a_kill_at_the_very_end_leaves_is_removed() {
    let place = Place::new("leftovers");
    let flags = ["run", "scene.toml", "--out", "o", "--frames", "3", "--no-pictures"];
    place.taut(&flags).good();
    let list = std::fs::read_to_string(place.path("o/taut.json")).unwrap();
    place.write("o/taut.json", &list.replace("\"files\": [", "\"files\": [\"pictures.spool\","));
    place.write("o/pictures.spool", "frames");
    place.write("o/taut.json.tmp", "half a li");
    for _ in 0..2 {
        let said = place.taut(&[&flags[..], &["--resume"]].concat()).good();
        assert!(said.out().contains("everything is there already"), "{}", said.out());
        let names = place.names("o");
        assert!(!names.iter().any(|name| name.ends_with(".tmp") || name.ends_with(".spool")), "{names:?}");
        assert!(!std::fs::read_to_string(place.path("o/taut.json")).unwrap().contains("spool"));
    }
}

/// A small sheet falls on a large one that is held by its sides. What matters is what intersects: no limits.
const FALLING: &str = r#"
[time]
frames = 30
[solver]
max_stretch = "off"
[[cloth]]
name = "held"
generate = { kind = "sheet", width = 0.5, height = 0.5, nx = 11, ny = 11, centre = [0, 0.5, 0] }
[[cloth]]
name = "falling"
generate = { kind = "sheet", width = 0.2, height = 0.2, nx = 6, ny = 6 }
rotate = [0, 0, 20]
translate = [0.01, 0.55, 0.02]
[[pin]]
body = "held"
select = "left"
[[pin]]
body = "held"
select = "right"
"#;

#[test]
fn verify_tells_whether_anything_intersects() {
    let place = Place::new("verify");
    place.write("falling.toml", FALLING);
    let flags = ["run", "falling.toml", "--no-pictures", "--verify", "--json"];
    let met = place.taut(&flags).json();
    assert_eq!(met["intersections"], 0);
    let lines = std::fs::read_to_string(place.path("out/falling/metrics.jsonl")).unwrap();
    let frames: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(frames[1..].iter().all(|frame| frame["intersections"] == 0), "every frame is checked");
    assert!(frames.iter().any(|frame| frame["touch"]["pairs"].as_u64() > Some(0)), "the sheets have met");
    // Without contact one falls through the other: the run is whole, and says that it is wrong.
    let off = [&flags[..], &["--set", "contact.on=false", "--out", "off"]].concat();
    let said = place.taut(&off);
    assert_eq!(said.code(), Some(1), "{}", said.err());
    for part in ["began free of intersections and did not stay so", "\"held\" and \"falling\"", " s, at ("] {
        assert!(said.err().contains(part), "{part}: {}", said.err());
    }
    assert!(said.out().contains("\"frames\":30") && place.path("off/report.html").is_file());
    // Unasked, nothing is checked on the way, and what is so at the end is counted.
    let unasked = place.taut(&["run", "falling.toml", "--no-pictures", "--json", "--set", "contact.on=false"]).json();
    assert!(unasked["intersections"].is_u64());
}

#[test]
fn a_tangled_beginning_is_reported_and_no_failure_if_it_comes_apart() {
    let place = Place::new("tangled");
    place.write("tangled.toml", &FALLING.replace("0.55, 0.02", "0.5, 0.02"));
    let checked = place.taut(&["check", "tangled.toml"]).good();
    let tangled = "intersections at the beginning, first of \"held\" with \"falling\"";
    assert!(checked.out().contains(tangled), "{}", checked.out());
    let told = place.taut(&["check", "tangled.toml", "--json"]).json();
    let warnings: Vec<&str> = told["warnings"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(warnings.iter().any(|warning| warning.contains(tangled)), "{told}");
    // Whatever is said to people, programs get, too.
    assert!(warnings.iter().all(|warning| checked.out().contains(warning)), "{told}");
    let said = place.taut(&["run", "tangled.toml", "--no-pictures", "--verify"]).good();
    assert!(said.out().contains("warning: ") && said.out().contains("triangles intersected at"), "{}", said.out());
    // What stays tangled is one.
    let off = ["run", "tangled.toml", "--no-pictures", "--verify", "--set", "contact.on=false", "--frames", "2"];
    let said = place.taut(&off);
    assert_eq!(said.code(), Some(1), "{}{}", said.out(), said.err());
    assert!(said.err().contains("began with intersections and did not come free of them"), "{}", said.err());
}
