//! How far cloth is stretched, as a run tells it, against a meter that reads only the written files and shares no code
//! with it; and what `--verify` makes of limits that are missed.

mod common;

use common::Place;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const WAYS: [&str; 5] = ["weft", "warp", "shear", "any", "edge"];

/// Whether there is a Python to run the meter with; elsewhere than on a developer's machine there has to be.
fn python() -> bool {
    let there = Command::new("python3").arg("--version").output().is_ok_and(|out| out.status.success());
    assert!(there || std::env::var_os("CI").is_none(), "no python3");
    there
}

/// What the meter says about a cloth, and its exit code.
fn meter(dir: &Path, name: &str, flags: &[&str]) -> (Option<i32>, Value) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/check_tension.py");
    let out = Command::new("python3").arg(script).arg(dir).arg(name).args(flags).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let said = serde_json::from_str(&text);
    (out.status.code(), said.unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&out.stderr))))
}

/// Every frame of `metrics.jsonl` but the first: what it says about each cloth.
fn frames(dir: &Path) -> Vec<BTreeMap<String, Value>> {
    let lines = std::fs::read_to_string(dir.join("metrics.jsonl")).unwrap();
    let line = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let bodies = line["tension"]["bodies"].as_array().unwrap().clone();
        bodies.into_iter().map(|body| (body["name"].as_str().unwrap().to_owned(), body)).collect()
    };
    lines.lines().skip(1).map(line).collect()
}

/// Runs a scene and demands that both meters agree on every cloth in every frame. Gives the run's result.
fn agree(place: &Place, scene: &str, flags: &[&str], held: &[(&str, &str)]) -> Value {
    let common = ["run", scene, "--out", "o", "--formats", "pc2", "--no-pictures", "--json"];
    let result = place.taut(&[&common[..], flags].concat()).json();
    let dir = place.path("o");
    let told = frames(&dir);
    assert!(told.len() > 5);
    for name in told[0].keys() {
        let file = held.iter().find(|(body, _)| body == name).map(|(_, file)| place.path(file));
        let held = file.map_or(Vec::new(), |file| vec!["--held".to_owned(), file.display().to_string()]);
        let held: Vec<&str> = held.iter().map(String::as_str).collect();
        let stem = name.replace(' ', "_");
        let (code, found) = meter(&dir, &stem, &[&["--frames"], &held[..]].concat());
        assert_eq!(code, Some(0), "{found}");
        assert_eq!(found["without_grain"], 0, "{name}: {found}");
        let each = found["each"].as_array().unwrap();
        assert_eq!(each.len(), told.len());
        for (at, (found, told)) in each.iter().zip(&told).enumerate() {
            for way in WAYS {
                let (found, told) = (found[way].as_f64().unwrap(), told[name][way]["max"].as_f64().unwrap());
                assert!((found - told).abs() < 1e-4, "{scene} {name}, frame {}: {way} {found} {told}", at + 1);
            }
        }
        let bodies = result["tension"]["bodies"].as_array().unwrap();
        let body = bodies.iter().find(|body| body["name"] == name.as_str()).unwrap();
        for way in WAYS {
            let (found, told) = (&found[way], &body[way]);
            let (most, frame) = (found["max"].as_f64().unwrap(), told["frame"].as_u64().unwrap());
            assert!((most - told["max"].as_f64().unwrap()).abs() < 1e-4, "{scene} {name}: {way} {found} {told}");
            let then = each[frame as usize - 1][way].as_f64().unwrap();
            assert!((then - most).abs() < 1e-4, "{scene} {name}: {way} was not largest in frame {frame}: {found}");
        }
    }
    result
}

#[test]
fn both_meters_agree_on_built_in_scenes() {
    if !python() {
        return;
    }
    let place = Place::new("tension-scenes");
    let small = |nx: &str, flags: &[&str]| {
        let sizes = ["cloth.0.generate.nx", "cloth.0.generate.ny"].map(|key| format!("{key}={nx}"));
        let sets = sizes.iter().flat_map(|set| ["--set", set]);
        sets.chain(flags.iter().copied()).map(str::to_owned).collect::<Vec<_>>()
    };
    let run = |scene: &str, flags: Vec<String>| {
        agree(&place, scene, &flags.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
    };
    run("hang", small("13", &["--frames", "30"]));
    run("drape", small("21", &["--frames", "35"]));
    run("flag", small("17", &["--frames", "20", "--precision", "f64"]));
    run("anisotropy", ["--frames", "6"].map(str::to_owned).to_vec());
}

/// A sheet whose weft runs aslant, shorter along it than its mesh; one side is held, and drawn to a greater length.
const ASLANT: &str = r#"
[time]
frames = 12
[solver]
kind = "pbd"
substeps = 5
[[cloth]]
name = "aslant"
generate = { kind = "sheet", width = 0.5, height = 0.5, nx = 9, ny = 9, plane = "upright", cut = "irregular" }
translate = [0, 1, 0]
grain = [2, 1, 0]
rest_stretch = [0.9, 1.05]
[[pin]]
body = "aslant"
select = { box = { min = [-1, 1.2499, -1], max = [1, 2, 1] } }
motion = { scale = { factor = { keys = [{ time = 0, value = [1, 1, 1] }, { time = 0.1, value = [1.2, 1, 1] }] } } }
"#;

#[test]
fn both_meters_agree_on_grain_rest_lengths_and_pins() {
    if !python() {
        return;
    }
    let place = Place::new("tension-grain");
    place.write("aslant.toml", ASLANT);
    let run = ["run", "aslant.toml", "--out", "first", "--formats", "pc2", "--no-pictures", "--frames", "1"];
    place.taut(&run).good();
    let rest = std::fs::read_to_string(place.path("first/aslant.obj")).unwrap();
    assert!(rest.contains("# taut weft: along 2 1 0") && rest.contains("# taut rest stretch: 0.9 1.05"), "{rest}");
    let heights = rest.lines().filter_map(|line| line.strip_prefix("v ")?.split(' ').nth(1)?.parse::<f64>().ok());
    let top: Vec<String> = heights.enumerate().filter(|(_, y)| *y > 1.2499).map(|(at, _)| at.to_string()).collect();
    assert!((9..12).contains(&top.len()), "{top:?}");
    place.write("top.txt", &format!("# the held side\n{}\n", top.join("\n")));
    let result = agree(&place, "aslant.toml", &[], &[("aslant", "top.txt")]);
    // The held side is drawn out by a fifth whatever the cloth wants, and is told apart.
    let edge = &result["tension"]["bodies"][0]["edge"];
    assert!(edge["between_pins"]["max"].as_f64() > Some(0.15), "{edge}");
    let (_, found) = meter(&place.path("o"), "aslant", &["--held", place.path("top.txt").to_str().unwrap()]);
    let (told, found) = (&edge["between_pins"]["max"], &found["held"]["edge"]["max"]);
    assert!((told.as_f64().unwrap() - found.as_f64().unwrap()).abs() < 1e-4, "{told} {found}");
}

#[test]
fn the_meter_tells_what_is_beyond_a_limit() {
    if !python() {
        return;
    }
    let place = Place::new("tension-meter");
    place.write("aslant.toml", ASLANT);
    place.taut(&["run", "aslant.toml", "--out", "o", "--formats", "pc2", "--no-pictures"]).good();
    let dir = place.path("o");
    let (code, found) = meter(&dir, "aslant", &["--limit", "0.001"]);
    assert_eq!((code, found["beyond"]["frames"].as_u64() > Some(0)), (Some(1), true), "{found}");
    assert_eq!(meter(&dir, "aslant", &["--limit", "10"]).0, Some(0));
    // Files that do not say which way the threads run cannot be judged by them.
    let rest = std::fs::read_to_string(dir.join("aslant.obj")).unwrap();
    let bare: String =
        rest.lines().filter(|line| !line.starts_with(['#', 'f'])).map(|line| format!("{line}\n")).collect();
    let corners = rest.lines().filter_map(|line| line.strip_prefix("f "));
    let bare_corner = |word: &str| word.split('/').next().unwrap_or_default().to_owned();
    let faces: String =
        corners.map(|line| format!("f {}\n", line.split(' ').map(bare_corner).collect::<Vec<_>>().join(" "))).collect();
    std::fs::write(dir.join("aslant.obj"), format!("{bare}{faces}")).unwrap();
    let (code, found) = meter(&dir, "aslant", &["--limit", "10"]);
    assert_eq!(code, Some(2), "{found}");
    assert!(found["grain"].as_str().unwrap().starts_with("unknown") && found["weft"].is_null(), "{found}");
    assert!(found["any"]["max"].is_f64() && meter(&dir, "aslant", &["--any", "10"]).0 == Some(0));
    assert_eq!(meter(&dir, "nothing", &[]).0, Some(2));
}

/// A sheet between two held sides that part by a tenth of its width in a tenth of a second.
const PARTED: &str = r#"
[time]
frames = 8
[solver]
kind = "pbd"
substeps = 5
[[cloth]]
name = "sheet"
generate = { kind = "sheet", width = 0.5, height = 0.5, nx = 9, ny = 9, centre = [0, 1, 0] }
[[limit]]
weft = "4 %"
[[pin]]
body = "sheet"
select = "left"
[[pin]]
body = "sheet"
select = "right"
motion = { translate = { keys = [{ time = 0, value = [0, 0, 0] }, { time = 0.1, value = [0.05, 0, 0] }] } }
"#;

#[test]
fn verify_fails_when_a_limit_is_missed() {
    let place = Place::new("tension-verify");
    place.write("parted.toml", PARTED);
    let flags = ["run", "parted.toml", "--no-pictures", "--verify", "--json"];
    let said = place.taut(&flags);
    assert_eq!(said.code(), Some(1), "{}{}", said.out(), said.err());
    for part in ["\"sheet\" was stretched beyond its limit: weft ", "(limit 4 %) in frame ", " s, at (", "of 8 frames"]
    {
        assert!(said.err().contains(part), "{part}: {}", said.err());
    }
    assert!(said.out().contains("\"frames\":8"), "the run is whole: {}", said.out());
    // Unasked it is a warning.
    let result = place.taut(&["run", "parted.toml", "--no-pictures", "--json"]).json();
    let warnings = result["warnings"].to_string();
    assert!(warnings.contains("was stretched beyond its limit: weft"), "{warnings}");
    let weft = &result["tension"]["bodies"][0]["weft"];
    assert!(weft["frames_beyond"].as_u64() > Some(0) && weft["limit"] == 0.04, "{weft}");
    assert!(weft["max"].as_f64() > Some(0.09) && weft["frame"].as_u64() > Some(4), "{weft}");
    // A limit that can be met is met.
    let wide = [&flags[..], &["--set", "limit.0.weft=0.2"]].concat();
    let met = place.taut(&wide).json();
    assert_eq!(met["tension"]["frames_beyond"], 0);
}

#[test]
fn what_pins_alone_stretch_is_named_and_under_verify_a_failure() {
    let place = Place::new("tension-pins");
    let scale = "motion = { scale = { about = [0, 1, 0], factor = { keys = [{ time = 0, value = [1, 1, 1] }, \
                 { time = 0.1, value = [1.3, 1, 1] }] } } }\n";
    let (before, _) = PARTED.split_once("[[pin]]").unwrap();
    place.write("held.toml", &format!("{before}[[pin]]\nbody = \"sheet\"\nselect = \"all\"\n{scale}"));
    let sentence = "pins stretch \"sheet\" between them beyond its limit: weft 30.00 % (limit 4 %)";
    let said = place.taut(&["run", "held.toml", "--no-pictures"]).good();
    assert!(said.out().contains(&format!("warning: {sentence}")), "{}", said.out());
    // What was not looked at when it was computed cannot be judged now.
    place.taut(&["run", "held.toml", "--no-pictures", "--verify", "--resume"]).refused(&["cannot verify", "--resume"]);
    for resume in [&[][..], &["--resume"]] {
        let said = place.taut(&[&["run", "held.toml", "--no-pictures", "--verify"], resume].concat());
        assert_eq!(said.code(), Some(1), "{resume:?}: {}{}", said.out(), said.err());
        assert!(said.err().contains(sentence), "{resume:?}: {}", said.err());
    }
    // The same pins that keep within the limit are no failure.
    let mild = std::fs::read_to_string(place.path("held.toml")).unwrap().replace("1.3, 1, 1", "1.03, 1, 1");
    place.write("mild.toml", &mild);
    let mild = ["run", "mild.toml", "--no-pictures", "--verify", "--frames"];
    place.taut(&[&mild[..], &["4"]].concat()).good();
    place.taut(&[&mild[..], &["6", "--resume"]].concat()).good();
    // Some frames without, in between, and the whole is not verified any more.
    let result = place.taut(&["run", "mild.toml", "--no-pictures", "--json", "--frames", "8", "--resume"]).json();
    assert!(result["failures"].is_null(), "{result}");
    place.taut(&[&mild[..], &["10", "--resume"]].concat()).refused(&["cannot verify"]);
}

#[test]
fn a_run_tells_tension_by_its_kind() {
    let place = Place::new("tension-words");
    let said = place.taut(&["run", "scene.toml", "--no-pictures"]).good();
    for part in [
        "tension at most: weft ",
        ", warp ",
        ", shear ",
        "°, largest direction ",
        "largest: weft in frame ",
        "; warp in frame ",
        "compression at most: ",
        ", at (",
    ] {
        assert!(said.out().contains(part), "{part}: {}", said.out());
    }
    let page = std::fs::read_to_string(place.path("out/scene/report.html")).unwrap();
    for part in
        ["Tension of &quot;sheet&quot; over all frames", "between pins alone", "Largest tension", "Largest shear"]
    {
        assert!(page.contains(part), "{part}");
    }
}
