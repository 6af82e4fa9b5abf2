//! A session without a window: what a person does to a scene, and what becomes of it.

use std::sync::Arc;
use taut_scene::scene::Scene;
use taut_scene::simulation::Simulation;
use taut_view::session::{Command, Document, Heat, Most, Session, Snapshot, Thread};
use taut_view::wire;

/// A small sheet, held at two corners.
const SHEET: &str = r#"
[time]
fps = 60

[solver]
substeps = 8

[[cloth]]
name = "sheet"
generate = { kind = "sheet", width = 1.0, height = 1.0, nx = 9, ny = 9, centre = [0.0, 1.0, 0.0] }

[[pin]]
body = "sheet"
select = { indices = [0, 8] }
"#;

fn document(text: &str) -> Document {
    Document { name: "sheet.toml".into(), text: text.into(), ..Document::default() }
}

fn session(text: &str) -> Session {
    Session::new(document(text), 1).unwrap_or_else(|error| panic!("{error}"))
}

fn steps(session: &mut Session, count: u32) {
    (0..count).for_each(|_| session.apply(Command::Step));
}

fn see(session: &Session) -> Snapshot {
    session.snapshot(None)
}

/// Runs a scene's text for some frames, as `taut run` does, and gives the state's hash.
fn run(text: &str, frames: u32) -> u64 {
    let scene = Scene::parse("again.toml", text, None, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut simulation = Simulation::new(&scene, scene.precision(), 1).unwrap();
    (0..frames).for_each(|_| drop(simulation.advance()));
    simulation.state_hash()
}

#[test]
fn a_session_steps_what_a_run_steps() {
    let mut session = session(SHEET);
    steps(&mut session, 12);
    assert_eq!((session.frame(), session.state_hash()), (12, run(SHEET, 12)));
}

#[test]
fn what_hands_do_is_in_the_file_to_the_bit() {
    // Two steps a frame: hands move in between, too.
    let text = SHEET.replace("fps = 60", "fps = 60\nsteps = 2");
    let mut session = session(&text);
    steps(&mut session, 5);
    session.apply(Command::Grab { object: 0, vertex: 76 });
    for k in 1..=6 {
        session.apply(Command::Pull([0.01 * f64::from(k), 0.0123 * f64::from(k), 0.07]));
        steps(&mut session, 1);
    }
    session.apply(Command::LetGo);
    steps(&mut session, 4);
    session.apply(Command::TogglePin { object: 0, vertex: 40 });
    steps(&mut session, 5);
    // Unpins both corners, which one pin holds.
    session.apply(Command::TogglePin { object: 0, vertex: 8 });
    steps(&mut session, 5);
    assert_eq!(session.error(), None);
    let untouched = run(&text, 25);
    let written = session.written().unwrap();
    assert_ne!(session.state_hash(), untouched);
    assert_eq!(run(&written, 25), session.state_hash(), "{written}");
}

#[test]
fn a_pulled_vertex_is_where_the_hand_is_and_falls_when_let_go() {
    let mut session = session(SHEET);
    let at = |session: &Session| see(session).sides[0].positions[0][80];
    let before = at(&session);
    session.apply(Command::Grab { object: 0, vertex: 80 });
    session.apply(Command::Pull([0.1, 0.2, -0.05]));
    steps(&mut session, 1);
    let way = (0..3).map(|k| (at(&session)[k] - before[k]).powi(2)).sum::<f64>().sqrt();
    assert!(way > 0.02 && way < 0.1, "a pointer leaps, a hand does not: {way}");
    steps(&mut session, 5);
    let held = at(&session);
    for (k, offset) in [0.1, 0.2, -0.05].into_iter().enumerate() {
        // The state is in 32 bits, of numbers about 1.
        assert!((held[k] - before[k] - offset).abs() < 1e-6, "{before:?} {held:?}");
    }
    assert_eq!(see(&session).hand, Some((0, 80)));
    session.apply(Command::LetGo);
    steps(&mut session, 10);
    let freed = at(&session);
    assert!((0..3).any(|k| (freed[k] - held[k]).abs() > 0.05), "the cloth pulls it back: {held:?} {freed:?}");
}

#[test]
fn nonsense_from_a_hand_does_nothing() {
    let mut session = session(SHEET);
    for command in [
        Command::Grab { object: 7, vertex: 0 },
        Command::Grab { object: 0, vertex: 81 },
        Command::Grab { object: 0, vertex: u32::MAX },
        Command::Pull([f64::NAN; 3]),
        Command::TogglePin { object: 3, vertex: 0 },
        Command::LetGo,
        Command::Speed(f64::NAN),
    ] {
        session.apply(command);
    }
    session.apply(Command::Grab { object: 0, vertex: 40 });
    session.apply(Command::Pull([f64::INFINITY, 0.0, 0.0]));
    steps(&mut session, 2);
    assert!(see(&session).sides[0].positions[0].iter().flatten().all(|x| x.is_finite()));
}

fn set(session: &mut Session, path: &str, value: &str) {
    session.apply(Command::Set { side: 0, path: path.into(), value: value.into() });
    session.settle();
}

#[test]
fn a_changed_setting_acts_from_where_everything_is() {
    let mut session = session(SHEET);
    steps(&mut session, 10);
    let before = see(&session);
    set(&mut session, "cloth.0.stiffness.shear", "0.01");
    let after = see(&session);
    assert_eq!((after.frame, &after.sides[0].positions), (10, &before.sides[0].positions));
    assert_eq!(after.sides[0].scene.settings.cloth[0].material.stiffness.shear, 0.01);
    let hash = session.state_hash();
    steps(&mut session, 10);
    assert_ne!(session.state_hash(), hash);
    let written = session.written().unwrap();
    assert!(written.contains("stiffness.shear = 0.01"), "{written}");
    // The same key again takes the place of the first.
    set(&mut session, "cloth.0.stiffness.shear", "0.5");
    let written = session.written().unwrap();
    assert!(!written.contains("0.01") && written.contains("stiffness.shear = 0.5"), "{written}");
}

#[test]
fn solver_and_wind_change_without_a_new_model() {
    // Multipliers of a soft constraint are part of a model's state: with the same settings again nothing may change.
    let text =
        SHEET.replace("substeps = 8", "kind = \"pbd\"\nsubsteps = 8\nwarm_start = true") + "\n[air]\ndensity = 1.2\n";
    let text = text.replace("name = \"sheet\"", "name = \"sheet\"\nelastic = { weft = 500 }");
    let (mut one, mut other) = (session(&text), session(&text));
    steps(&mut one, 10);
    steps(&mut other, 10);
    set(&mut other, "world.gravity", "[0.0, -1.0, 0.0]");
    set(&mut other, "world.gravity", "[0.0, -9.81, 0.0]");
    steps(&mut one, 5);
    steps(&mut other, 5);
    assert_eq!(one.state_hash(), other.state_hash());
    set(&mut other, "air.wind", "[4.0, 0.0, 0.0]");
    steps(&mut one, 5);
    steps(&mut other, 5);
    assert_ne!(one.state_hash(), other.state_hash());
}

#[test]
fn bad_values_and_scenes_are_told_and_change_nothing() {
    let mut session = session(SHEET);
    steps(&mut session, 3);
    let hash = session.state_hash();
    set(&mut session, "solver.substeps", "-4");
    assert!(session.error().unwrap().contains("solver.substeps"), "{:?}", session.error());
    // It can be read, but not built.
    set(&mut session, "cloth.0.generate.nx", "1");
    assert!(session.error().is_some());
    session.apply(Command::Dismiss);
    assert_eq!(session.error(), None);
    session.apply(Command::Open(document("[[cloth]]\nname = 3\n")));
    assert!(session.error().unwrap().contains("name"), "{:?}", session.error());
    session.apply(Command::Text("this is [no toml".into()));
    assert!(session.error().unwrap().contains("TOML"), "{:?}", session.error());
    assert_eq!((session.frame(), session.state_hash()), (3, hash));
    session.apply(Command::Step);
    assert_eq!((session.frame(), session.state_hash()), (4, run(SHEET, 4)));
}

#[test]
fn reset_keeps_settings_and_forgets_hands() {
    let mut session = session(SHEET);
    set(&mut session, "solver.substeps", "5");
    steps(&mut session, 4);
    session.apply(Command::TogglePin { object: 0, vertex: 44 });
    session.apply(Command::Throw { from: [0.0, 1.0, 3.0], velocity: [0.0, 0.0, -2.0], radius: 0.1 });
    steps(&mut session, 2);
    session.apply(Command::Reset);
    assert_eq!(session.error(), None);
    steps(&mut session, 7);
    assert_eq!(session.state_hash(), run(&SHEET.replace("substeps = 8", "substeps = 5"), 7));
}

#[test]
fn a_thrown_ball_flies_hits_and_is_in_the_file() {
    let (mut session, mut alone) = (session(SHEET), session(SHEET));
    steps(&mut session, 60);
    steps(&mut alone, 105);
    let untouched = session.state_hash();
    let from = [0.0, 0.6, 1.5];
    session.apply(Command::Throw { from, velocity: [0.0, 0.0, -4.0], radius: 0.15 });
    assert_eq!(session.error(), None);
    assert_eq!(session.state_hash(), untouched);
    steps(&mut session, 45);
    let view = see(&session);
    let centre = |k: usize| {
        view.sides[0].colliders[0].iter().map(|p| p[k]).sum::<f64>() / view.sides[0].colliders[0].len() as f64
    };
    // Three quarters of a second at 4 m/s.
    assert!((centre(2) - (1.5 - 3.0)).abs() < 1e-2, "{}", centre(2));
    let alone = see(&alone);
    let hit = view.sides[0].positions[0].iter().zip(&alone.sides[0].positions[0]);
    let most = hit.map(|(p, q)| (0..3).map(|k| (p[k] - q[k]).abs()).fold(0.0, f64::max)).fold(0.0, f64::max);
    assert!(most > 0.05, "the ball moved the sheet by {most} m");
    let written = session.written().unwrap();
    assert_eq!(run(&written, 105), session.state_hash(), "{written}");
}

#[test]
fn two_sides_see_the_same_hand_and_differ_by_their_settings() {
    let mut session = session(SHEET);
    steps(&mut session, 5);
    session.apply(Command::Compare(true));
    session.apply(Command::Grab { object: 0, vertex: 76 });
    for k in 1..=5 {
        session.apply(Command::Pull([0.0, 0.02 * f64::from(k), 0.0]));
        steps(&mut session, 1);
    }
    let view = see(&session);
    assert_eq!(view.sides.len(), 2);
    assert_eq!(view.sides[0].positions, view.sides[1].positions);
    session.apply(Command::Set { side: 1, path: "cloth.0.stiffness.weft".into(), value: "0.001".into() });
    steps(&mut session, 5);
    let view = see(&session);
    assert_ne!(view.sides[0].positions, view.sides[1].positions);
    let held = |side: usize| view.sides[side].positions[0][76];
    assert_eq!(held(0), held(1), "both follow the hand");
    assert!(!session.written().unwrap().contains("0.001"), "the file is the first side's");
    session.apply(Command::Compare(false));
    assert_eq!(see(&session).sides.len(), 1);
}

#[test]
fn time_goes_on_as_fast_as_asked_and_never_catches_up() {
    let mut session = session(SHEET);
    let still = || 0.0;
    assert!(!session.run(0.0, 1.0, &still), "it is paused");
    session.apply(Command::Play(true));
    // A clock that stands still costs no budget: a second of frames in real time, a tenth in slow motion.
    for tick in 0..60 {
        session.run(f64::from(tick) / 60.0, 1.0, &still);
    }
    assert!((59..=61).contains(&session.frame()), "{}", session.frame());
    session.apply(Command::Speed(0.1));
    let before = session.frame();
    for tick in 60..120 {
        session.run(f64::from(tick) / 60.0, 1.0, &still);
    }
    assert!((5..=8).contains(&(session.frame() - before)), "{}", session.frame() - before);
    // The window was away for an hour.
    session.apply(Command::Speed(1.0));
    let before = session.frame();
    session.run(3600.0, 1e9, &|| 3600.0);
    session.run(3600.01, 1e9, &|| 3600.01);
    assert!(session.frame() - before <= 3, "{}", session.frame() - before);
}

#[test]
fn a_budget_that_is_spent_ends_the_work() {
    let mut session = session(SHEET);
    session.apply(Command::Play(true));
    session.run(0.0, 0.01, &|| 0.0);
    let before = session.frame();
    // Every look at the clock costs 6 ms; ten frames are due.
    let time = std::cell::Cell::new(10.0);
    let clock = || {
        time.set(time.get() + 0.006);
        time.get()
    };
    session.run(10.0, 0.01, &clock);
    assert!(session.frame() - before <= 2, "{}", session.frame() - before);
}

#[test]
fn heat_maps_show_the_strain_of_the_cloth_and_the_use_of_its_limits() {
    let text = SHEET.to_owned() + "\n[[limit]]\nkind = \"sbd\"\nweft = 0.05\n";
    // Without the limits that hold by default: one is enough to see.
    let text = text.replace("[solver]", "[world]\ngravity = [0, 0, 0]\n[solver]\nmax_stretch = \"off\"");
    let mut session = session(&text);
    session.apply(Command::Heat(Heat::Weft));
    assert!(see(&session).sides[0].values[0].as_ref().unwrap().iter().all(|v| v.abs() < 1e-6));
    session.apply(Command::Heat(Heat::Cloth));
    assert!(see(&session).sides[0].values[0].is_none());
    session.apply(Command::Heat(Heat::Stretch));
    assert!(see(&session).sides[0].values[0].is_none(), "cloth has no such field");
    // Pulls one vertex along the weft: stretched on one side of it and compressed on the other.
    session.apply(Command::Grab { object: 0, vertex: 40 });
    session.apply(Command::Pull([0.02, 0.0, 0.0]));
    steps(&mut session, 1);
    session.apply(Command::Heat(Heat::Weft));
    let view = see(&session);
    let strain = view.sides[0].values[0].as_ref().unwrap();
    assert!(strain.iter().any(|&v| v > 0.005) && strain.iter().any(|&v| v < -0.005), "{strain:?}");
    session.apply(Command::Heat(Heat::Use));
    let view = see(&session);
    let uses = view.sides[0].values[0].as_ref().unwrap();
    // Where only this strain counts, the use is the strain over its limit, averaged alike; compression has no limit.
    let most = view.sides[0].fields[0][0].iter().map(|v| (v / 0.05).max(0.0)).fold(0.0, f64::max);
    let shown = uses.iter().copied().fold(0.0, f32::max);
    assert!(f64::from(shown) <= most + 1e-6 && f64::from(shown) > 0.2 * most && most > 0.1, "{shown} of {most}");
    assert!(uses.iter().all(|&v| v >= 0.0));
}

/// Colours show each painted map by its name, on a scale of its own.
#[test]
fn painted_maps_are_colours_too() {
    let maps = "maps = [{ name = \"worn\", file = \"worn.csv\" }, { name = \"hot\", file = \"hot.csv\" }]\n[[pin]]";
    let list =
        |value: &dyn Fn(i32) -> i32| (0..81).map(|at| format!("{}\n", value(at))).collect::<String>().into_bytes();
    let files = [("worn.csv", list(&|at| at % 2)), ("hot.csv", list(&|at| at - 40))];
    let attached = files.map(|(name, bytes)| (name.to_owned(), Arc::from(bytes))).to_vec();
    let document = Document { attached, ..document(&SHEET.replacen("[[pin]]", maps, 1)) };
    let mut session = Session::new(document, 1).unwrap_or_else(|error| panic!("{error}"));
    let known = &see(&session).sides[0].shape.maps;
    let known: Vec<_> = known.iter().map(|map| (map.name.as_str(), map.range)).collect();
    assert_eq!(known, [("worn", [0.0, 1.0]), ("hot", [-40.0, 40.0])]);
    for (number, (name, ends)) in (0..).zip([("worn", [0.0, 1.0]), ("hot", [-40.0, 40.0])]) {
        session.apply(Command::Heat(Heat::Map(number)));
        let view = see(&session);
        let values = view.sides[0].values[0].as_ref().unwrap();
        assert_eq!((values[0], values[80]), if number == 0 { (0.0, 0.0) } else { (-40.0, 40.0) });
        let legend = view.legend(0.05).unwrap();
        assert_eq!((legend.label.as_str(), [legend.scale.min, legend.scale.max]), (name, ends));
    }
}

#[test]
fn dropped_files_become_scenes_or_errors() {
    let obj: Arc<[u8]> = Arc::from(&b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0.1\nf 1 2 3\nf 2 4 3\n"[..]);
    let found = Document::dropped("patch.obj", obj, None).unwrap();
    let mut session = Session::new(found, 1).unwrap_or_else(|error| panic!("{error}"));
    steps(&mut session, 20);
    assert_eq!(see(&session).sides[0].positions[0].len(), 4);
    assert!(see(&session).sides[0].positions[0].iter().all(|p| p[1] > -0.26), "it lies on the floor");
    for (name, bytes) in [
        ("a.obj", &b"v 1 2\nf 1 2 3\n"[..]),
        ("b.ply", b"ply\nformat nonsense\n"),
        ("c.toml", b"\xff\xfe"),
        ("d.xyz", b"1"),
    ] {
        let error = Document::dropped(name, Arc::from(bytes), None).unwrap_err();
        assert!(error.contains(name), "{error}");
    }
    // A scene that is text but no scene is told when it is opened, and what runs goes on.
    let bad = Document::dropped("e.toml", Arc::from(&b"[[cloth]]\n"[..]), None).unwrap();
    let frame = session.frame();
    session.apply(Command::Open(bad));
    assert!(session.error().unwrap().contains("e.toml"), "{:?}", session.error());
    session.apply(Command::Step);
    assert_eq!(session.frame(), frame + 1);
}

#[test]
fn a_recording_is_a_point_cache_of_what_was_seen() {
    let folder = std::env::temp_dir().join(format!("taut-view-record-{}", std::process::id()));
    let mut session = session(SHEET);
    steps(&mut session, 3);
    session.apply(Command::Record(Some(folder.clone())));
    steps(&mut session, 4);
    session.apply(Command::Record(None));
    assert_eq!(session.error(), None);
    let bytes = std::fs::read(folder.join("sheet.pc2")).unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    // A header of 32 bytes, five frames of 81 vertices.
    assert_eq!(bytes.len(), 32 + 5 * 81 * 12);
    let last: Vec<f32> = bytes[32 + 4 * 81 * 12..].as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    let seen: Vec<f32> = see(&session).sides[0].positions[0].iter().flatten().map(|&x| x as f32).collect();
    assert_eq!(last, seen);
}

#[test]
fn a_scene_ends_where_it_says_and_play_begins_anew() {
    let mut session = session(&SHEET.replace("fps = 60", "fps = 60\nframes = 5"));
    let run = |session: &mut Session, ticks: std::ops::Range<u32>| {
        ticks.for_each(|tick| _ = session.run(f64::from(tick) / 60.0, 1.0, &|| 0.0));
    };
    session.apply(Command::Play(true));
    run(&mut session, 0..20);
    let view = see(&session);
    assert_eq!((view.frame, view.last, view.playing), (5, 5, false));
    assert!(view.note.unwrap().contains("frame 5"));
    assert_eq!(session.due(), None, "nothing is computed any more");
    session.apply(Command::Step);
    assert_eq!(session.frame(), 5);
    session.apply(Command::Play(true));
    assert_eq!((session.frame(), see(&session).note), (0, None));
    // Who wants more than the scene gets it.
    session.apply(Command::Endless(true));
    run(&mut session, 20..40);
    assert!(session.frame() > 10, "{}", session.frame());
    session.apply(Command::Step);
    assert!(see(&session).playing);
}

#[test]
fn what_was_computed_after_stop_is_taken_back() {
    let (mut stopped, mut straight) = (session(SHEET), session(SHEET));
    stopped.apply(Command::Play(true));
    let time = std::cell::Cell::new(0.0);
    let clock = || time.get();
    for tick in 0..4 {
        time.set(f64::from(tick) / 60.0);
        stopped.run(time.get(), 1.0, &clock);
    }
    let shown = see(&stopped);
    // A frame that lasts from 10 s to 12 s, and a person who says stop at 11 s.
    let slow = || {
        time.set(12.0);
        10.0
    };
    stopped.run(10.0, 1.0, &|| if time.get() < 10.0 { slow() } else { time.get() });
    assert_eq!(stopped.frame(), shown.frame + 1);
    stopped.hear(Command::Play(false), 11.0);
    let view = see(&stopped);
    assert_eq!((view.frame, view.playing, &view.sides[0].positions), (shown.frame, false, &shown.sides[0].positions));
    assert_eq!(view.sides[0].history.samples().len(), shown.sides[0].history.samples().len());
    assert_eq!(view.sides[0].history.metrics(), shown.sides[0].history.metrics());
    steps(&mut stopped, 3);
    steps(&mut straight, shown.frame + 3);
    assert_eq!(stopped.state_hash(), straight.state_hash(), "and goes on as if nothing had been");
    // What was on the screen when stop was said stays.
    stopped.apply(Command::Play(true));
    time.set(20.0);
    stopped.run(20.0, 1.0, &clock);
    let shown = stopped.frame();
    stopped.hear(Command::Play(false), 21.0);
    assert_eq!(stopped.frame(), shown);
}

/// What a cloth may be stretched by: along weft and warp as fractions, in shear as degrees.
fn limits(session: &Session, cloth: usize) -> [Option<f64>; 3] {
    see(session).sides[0].reach[cloth].threads.map(|thread| thread.most)
}

fn bound(session: &mut Session, cloth: usize, thread: Thread, most: Option<f64>) {
    session.apply(Command::Bound { side: 0, cloth, thread, most });
    session.settle();
    assert_eq!(session.error(), None);
}

#[test]
fn limits_along_weft_warp_and_in_shear_are_set_each_on_its_own() {
    let mut session = session(SHEET);
    assert_eq!(limits(&session, 0), [Some(0.01), Some(0.01), None], "what holds by default");
    bound(&mut session, 0, Thread::Weft, Some(0.05));
    assert_eq!(limits(&session, 0), [Some(0.05), Some(0.01), None]);
    bound(&mut session, 0, Thread::Shear, Some(12.0));
    bound(&mut session, 0, Thread::Warp, None);
    let [weft, warp, shear] = limits(&session, 0);
    assert_eq!((weft, warp), (Some(0.05), None));
    assert!((shear.unwrap() - 12.0).abs() < 1e-9);
    // It is in the file, and a run of the file has it.
    let written = session.written().unwrap();
    let again = Scene::parse("again.toml", &written, None, &[]).unwrap_or_else(|error| panic!("{error}\n{written}"));
    assert_eq!(again.settings.limits(), session_scene(&session).settings.limits());
    session.apply(Command::Bound { side: 0, cloth: 7, thread: Thread::Weft, most: None });
    assert!(session.error().is_some());
}

fn session_scene(session: &Session) -> Arc<Scene> {
    see(session).sides[0].scene.clone()
}

#[test]
fn a_limit_on_one_cloth_leaves_those_of_others_and_other_kinds_alone() {
    let second =
        "\n[[cloth]]\nname = \"other\"\ngenerate = { kind = \"sheet\", nx = 5, ny = 5, centre = [3.0, 1.0, 0.0] }\n";
    let list = "\n[[limit]]\nkind = \"csl\"\nweft = { tension = 0.04, compression = 0.1 }\nwarp = 0.03\n";
    let mut session = session(&format!("{SHEET}{second}{list}"));
    assert_eq!(limits(&session, 1)[0], Some(0.04));
    bound(&mut session, 0, Thread::Weft, Some(0.2));
    assert_eq!(limits(&session, 0)[..2], [Some(0.2), Some(0.03)]);
    assert_eq!(limits(&session, 1)[..2], [Some(0.04), Some(0.03)], "the other cloth keeps its own");
    let list = session_scene(&session).to_json()["limit"].clone();
    let mine = list.as_array().unwrap().iter().find(|limit| limit["bodies"] == serde_json::json!(["sheet"]));
    assert_eq!(mine.unwrap()["weft"]["compression"], 0.1, "compression is not what was asked about: {list}");
}

#[test]
fn a_lower_limit_is_kept_and_what_is_reached_stands_beside_it() {
    let text = SHEET.replace("name = \"sheet\"", "name = \"sheet\"\nstiffness = { weft = 0.01, warp = 0.01 }");
    let mut session = session(&text);
    steps(&mut session, 40);
    let free = see(&session).sides[0].reach[0].threads[1];
    assert!(free.most.is_none() && free.peak.value > 0.05, "soft and free: {free:?}");
    bound(&mut session, 0, Thread::Warp, Some(0.02));
    assert_eq!(see(&session).sides[0].reach[0].threads[1].peak, Most::default(), "what was before does not count");
    steps(&mut session, 40);
    let view = see(&session);
    let held = view.sides[0].reach[0].threads[1];
    assert!(held.now <= 0.0203 && held.now > 0.005, "{held:?}");
    // When and where it was most, and on the sheet.
    let (frame, at) = held.peak.seen.expect("it was stretched");
    assert!((41..=80).contains(&frame) && held.peak.value >= held.now, "{held:?}");
    let near = view.sides[0].positions[0].iter().any(|&p| glam::DVec3::from(p).distance(at.into()) < 0.3);
    assert!(near && held.peak.when_and_where().starts_with(&format!(" in frame {frame}, at (")), "{held:?}");
    // The same, measured on the picture's own positions: the rest length of an edge along the warp is an eighth of a
    // metre.
    let place = |at: usize| glam::DVec3::from(view.sides[0].positions[0][at]);
    let most = (0..72).map(|at| place(at).distance(place(at + 9)) / 0.125 - 1.0).fold(0.0, f64::max);
    assert!(most <= 0.021, "{most}");
}

#[test]
fn warnings_of_contact_and_limits_reach_the_window() {
    // A pin that tears the sheet to twice its length: no limit can hold.
    let torn = SHEET.replace("indices = [0, 8]", "indices = [0]").replace(
        "[[pin]]",
        "[[pin]]\nbody = \"sheet\"\nselect = { indices = [80] }\nmotion.translate = { keys = [{ time = 0, value = [0, 0, 0] }, \
         { time = 0.2, value = [2.0, 0.0, 2.0] }] }\n\n[[pin]]",
    );
    let mut session = session(&torn);
    assert!(!see(&session).sides[0].warnings.iter().any(|said| said.contains("beyond its limit")));
    steps(&mut session, 24);
    let said = see(&session).sides[0].warnings.clone();
    assert!(said.iter().any(|said| said.contains("beyond its limit")), "{said:?}");
    assert!(see(&session).sides[0].reach[0].threads.iter().any(|thread| thread.beyond > 0));
    // A ball that closes on the sheet from both sides leaves it no room.
    let jaw = |z: f64| {
        format!(
            "[[collider]]\nname = \"jaw {z}\"\nshape = {{ kind = \"box\", size = [4, 0.2, 4] }}\ntranslate = [0, {y:?}, 0]\n\
         motion.translate = {{ keys = [{{ time = 0, value = [0, 0, 0] }}, {{ time = 0.2, value = [0, {way:?}, 0] }}] }}\n",
            y = 1.0 + z,
            way = -z
        )
    };
    let mut session = self::session(&format!("{SHEET}\n[contact]\nthickness = 0.004\n{}{}", jaw(0.3), jaw(-0.3)));
    steps(&mut session, 24);
    let said = see(&session).sides[0].warnings.clone();
    assert!(said.iter().any(|said| said.contains("no room") || said.contains("intersect")), "{said:?}");
}

#[test]
fn a_snapshot_that_went_through_bytes_is_the_same() {
    let mut session = session(SHEET);
    steps(&mut session, 3);
    session.apply(Command::Heat(Heat::Warp));
    session.apply(Command::Throw { from: [0.0, 0.6, 1.5], velocity: [0.0, 0.0, -4.0], radius: 0.15 });
    session.apply(Command::Write);
    let first = see(&session);
    let whole = wire::pack(&first, None).unwrap();
    let there = wire::unpack(&whole, None).unwrap();
    steps(&mut session, 1);
    let second = session.snapshot(Some(&first));
    let part = wire::pack(&second, Some(&first)).unwrap();
    assert!(part.len() < whole.len(), "what is there already is not sent: {} {}", part.len(), whole.len());
    assert!(wire::unpack(&part, None).is_err(), "but it has to be there");
    for (sent, got) in [(&first, &there), (&second, &wire::unpack(&part, Some(&there)).unwrap())] {
        let (a, b) = (&sent.sides[0], &got.sides[0]);
        assert_eq!(
            (&a.positions, &a.colliders, &a.values, &a.fields),
            (&b.positions, &b.colliders, &b.values, &b.fields)
        );
        assert_eq!((&a.history, &a.reach, &a.warnings, &a.pins), (&b.history, &b.reach, &b.warnings, &b.pins));
        assert_eq!((&*a.shape, &a.scene.settings, &a.sets), (&*b.shape, &b.scene.settings, &b.sets));
        assert_eq!(
            (sent.version, sent.frame, sent.heat, &sent.written),
            (got.version, got.frame, got.heat, &got.written)
        );
    }
    // What is cut off or scrambled is an error, never a panic.
    for cut in 0..whole.len().min(400) {
        assert!(wire::unpack(&whole[..cut], None).is_err());
        let mut bad = whole.clone();
        bad[cut] ^= 0xa5;
        let _ = wire::unpack(&bad, None);
    }
}
