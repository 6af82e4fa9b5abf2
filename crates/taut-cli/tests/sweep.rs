//! `taut sweep` on small scenes.

mod common;

use common::Place;

const VARY: [&str; 6] =
    ["sweep", "scene.toml", "--vary", "solver.substeps=2,4", "--vary", "cloth.0.density=0.1,0.2,0.1"];

/// Every combination is run once, what is the same only once; the table has what `taut run` gives; a repeated sweep
/// runs nothing.
#[test]
fn every_combination_is_run_once_and_never_again() {
    let place = Place::new("sweep");
    let flags: Vec<&str> = VARY.iter().copied().chain(["--frames", "3", "--out", "kept", "--json"]).collect();
    let found = place.taut(&flags).json();
    assert_eq!(found["computed"], 4, "two of the six are the same");
    let (columns, rows) = (found["columns"].as_array().unwrap(), found["rows"].as_array().unwrap());
    assert_eq!((rows.len(), &columns[0], &columns[1]), (6, &"solver.substeps".into(), &"cloth.0.density".into()));
    assert!(rows[1][0] == 2 && rows[1][1] == 0.2 && rows[4][0] == 4, "the last key varies fastest: {found}");
    assert_eq!(rows[0], rows[2]);
    let hash = columns.iter().position(|name| name == "hash").unwrap();
    let set =
        ["--set", "solver.substeps=4", "--set", "cloth.0.density=0.2", "--frames", "3", "--no-pictures", "--json"];
    let alone = place.taut(&["run", "scene.toml"].into_iter().chain(set).collect::<Vec<_>>()).json();
    assert_eq!(alone["state_hash"], rows[4][hash]);
    let names = place.names("kept");
    assert_eq!(names.iter().filter(|name| name.ends_with(".png")).count(), 4);
    let log = std::fs::read_to_string(place.path("kept/computed.log")).unwrap();
    assert_eq!(log.lines().count(), 4);
    let again = place.taut(&flags).json();
    assert_eq!((&again["computed"], &again["rows"]), (&0.into(), &found["rows"]));
    // One that was cut off is run anew, the others are not.
    let first = names.iter().find(|name| name.ends_with(".json")).unwrap();
    let whole = std::fs::read(place.path(&format!("kept/{first}"))).unwrap();
    std::fs::write(place.path(&format!("kept/{first}")), &whole[..whole.len() / 2]).unwrap();
    let mended = place.taut(&flags).json();
    assert_eq!((&mended["computed"], &mended["rows"]), (&1.into(), &found["rows"]));
}

#[test]
fn what_cannot_be_swept_is_refused() {
    let place = Place::new("sweep-bad");
    place.taut(&["sweep", "scene.toml", "--vary", "solver.substep=1,2"]).refused(&["substep", "substeps"]);
    place.taut(&["sweep", "nowhere.toml", "--vary", "solver.substeps=1,2"]).refused(&["nowhere"]);
    assert_eq!(place.taut(&["sweep", "scene.toml", "--vary", "solver.substeps"]).code(), Some(2));
    assert_eq!(place.taut(&["sweep", "scene.toml"]).code(), Some(2), "nothing varies");
}
