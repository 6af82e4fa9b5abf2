//! The ten scenes of contact, small: whatever happens in them, nothing ever intersects.
//!
//! At full size and with ten seeds: `cargo run --release -p taut-scene --example contact_scenes`.

use taut_scene::scene::{CONTACT_SCENES, Scene, builtin};
use taut_scene::simulation::Simulation;
use taut_scene::write::Checkpoint;

/// What makes a scene small enough for a test, and how many frames it takes until everything has met.
fn small(name: &str) -> (&'static [&'static str], u32) {
    match name {
        "drape" => (&["cloth.0.generate.nx=29", "cloth.0.generate.ny=29"], 90),
        "heap" => (&["cloth.0.generate.nx=27", "cloth.0.generate.ny=27"], 90),
        "twist" => (&["cloth.0.generate.around=30", "cloth.0.generate.along=32"], 200),
        "knot" => (&["cloth.0.generate.nx=121", "cloth.0.generate.ny=3"], 210),
        "trick" => (&["cloth.0.generate.nx=40", "cloth.0.generate.ny=28", "solid.0.generate.cells=[2, 3, 2]"], 130),
        "funnel" => (&["cloth.0.generate.rings=16"], 200),
        "skirt" => (&["cloth.0.generate.around=40", "cloth.0.generate.along=11"], 210),
        "dress" => (
            &[
                "cloth.0.generate.around=40",
                "cloth.0.generate.along=18",
                "cloth.0.generate.strap_across=3",
                "cloth.0.generate.strap_along=20",
            ],
            150,
        ),
        "catch" => (
            &[
                "cloth.0.generate.nx=27",
                "cloth.0.generate.ny=27",
                "solid.0.generate.segments=18",
                "solid.0.generate.rings=1",
            ],
            90,
        ),
        "layers" => (
            &[
                "cloth.0.generate.nx=21",
                "cloth.0.generate.ny=21",
                "cloth.1.generate.nx=21",
                "cloth.1.generate.ny=21",
                "cloth.2.generate.nx=21",
                "cloth.2.generate.ny=21",
            ],
            100,
        ),
        other => panic!("{other} is not one of the ten"),
    }
}

fn build(name: &str, seed: u32, sets: &[&str]) -> Simulation {
    let mut all = builtin(name).map(|scene| scene.with_seed(seed)).unwrap_or_default();
    assert!(!all.is_empty(), "{name} has no jitter");
    all.extend(sets.iter().map(|&set| set.to_owned()));
    let scene = Scene::open(name, &all).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scene, scene.precision(), 2).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn nothing_ever_intersects() {
    for name in CONTACT_SCENES {
        let (sets, frames) = small(name);
        let mut simulation = build(name, 1, sets);
        assert_eq!(simulation.verify().count, 0, "{name} does not begin free");
        let mut touched = 0;
        for _ in 0..frames {
            let report = simulation.advance();
            touched += report.contact.pairs + report.contacts;
        }
        let log = simulation.contact();
        let [a, b] = log.crossed_between.map(|number| simulation.name_of(number));
        assert_eq!(log.crossed.frames, 0, "{name}: {a:?} with {b:?}: {log:?}");
        assert_eq!(log.began_free, Some(true));
        // A scene in which nothing meets shows nothing.
        assert!(touched > 20, "{name}: only {touched} contacts");
        assert_eq!(simulation.metrics().contained, 0, "{name}");
        for object in 0..simulation.objects().len() {
            assert!(simulation.positions(object).iter().flatten().all(|x| x.abs() < 10.0), "{name} flies apart");
        }
    }
}

/// The check can fail: the same scenes without contact do intersect.
#[test]
fn without_contact_the_same_scenes_intersect() {
    for name in ["heap", "layers", "funnel", "catch"] {
        let (sets, frames) = small(name);
        let mut simulation = build(name, 1, &[sets, &["contact.on=false"]].concat());
        assert_eq!(simulation.verify().count, 0);
        for _ in 0..frames {
            simulation.advance();
        }
        let log = simulation.contact();
        assert!(log.crossed.frames > 3 && log.began_free == Some(true), "{name}: {log:?}");
        assert_eq!(simulation.metrics().contact, taut::ContactReport::default());
    }
}

/// Through a checkpoint, with folds that lie on themselves.
#[test]
fn a_resumed_heap_has_the_same_bits() {
    let (sets, _) = small("heap");
    let mut whole = build("heap", 3, sets);
    whole.verify();
    (0..45).for_each(|_| drop(whole.advance()));
    assert!(whole.contact().frame.pairs > 0, "nothing touches yet");
    let dir = std::env::temp_dir().join(format!("taut-heap-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let path = whole.save().write(&dir, "heap.ckpt").unwrap();
    let mut resumed = build("heap", 3, sets);
    resumed.restore(Checkpoint::read(&path, resumed.identity()).unwrap()).unwrap();
    resumed.verify();
    std::fs::remove_dir_all(&dir).unwrap();
    assert_eq!(resumed.contact(), whole.contact());
    for _ in 0..20 {
        assert_eq!(resumed.advance().contact, whole.advance().contact);
        assert_eq!(resumed.metrics(), whole.metrics());
        assert_eq!(resumed.contact(), whole.contact());
    }
}

/// Large enough that two threads share the work.
#[test]
fn threads_do_not_change_a_bit() {
    let run = |threads: usize| {
        let sets = ["cloth.0.generate.nx=181", "cloth.0.generate.ny=181", "cloth.0.translate=[0, -0.05, 0]"];
        let sets: Vec<String> = sets.iter().chain(&["solver.substeps=4"]).map(|&set| set.to_owned()).collect();
        let scene = Scene::open("drape", &sets).unwrap();
        let mut simulation = Simulation::new(&scene, scene.precision(), threads).unwrap();
        let reports: Vec<_> = (0..6).map(|_| simulation.advance()).collect();
        let touch: Vec<_> = reports.iter().map(|report| (report.contact, report.contacts)).collect();
        (simulation.state_hash(), touch, reports[0].threads)
    };
    let ((one, touched, threads), (two, touched_too, shared)) = (run(1), run(2));
    assert_eq!((threads, shared), (1, 2));
    assert!(touched.iter().any(|(_, contacts)| *contacts > 0));
    assert_eq!((one, touched), (two, touched_too));
}
