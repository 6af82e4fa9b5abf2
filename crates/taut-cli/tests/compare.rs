//! `taut compare` and `taut paper` on small scenes.

mod common;

use common::{Place, pixels};

/// More substeps leave less stretch; the table, the curves and the pictures have both cases, and each is what `taut
/// run` gives.
#[test]
fn settings_are_compared_side_by_side() {
    let place = Place::new("compare");
    let flags = ["compare", "scene.toml:solver.substeps=2", "scene.toml:solver.substeps=16", "--out", "out", "--json"];
    let found = place.taut(&flags).json();
    let cases = found["cases"].as_array().unwrap();
    let number = |case: usize, key: &str| cases[case][key].as_f64().unwrap();
    assert_eq!([&cases[0]["label"], &cases[1]["label"]], ["solver.substeps=2", "solver.substeps=16"]);
    assert!(number(1, "stretch_most") < 0.5 * number(0, "stretch_most"), "{found}");
    assert_eq!([number(0, "iterations"), number(1, "iterations")], [2.0, 16.0]);
    assert_eq!(number(0, "time_ratio"), 1.0);
    assert_eq!(place.names("out"), ["case_1.png", "case_2.png", "compare.csv", "compare.html", "compare.png"]);
    // The same scene computed on its own ends in the same state.
    let alone = place.taut(&["run", "scene.toml", "--set", "solver.substeps=16", "--no-pictures", "--json"]).json();
    assert_eq!(alone["state_hash"], cases[1]["state_hash"]);
    let csv = std::fs::read_to_string(place.path("out/compare.csv")).unwrap();
    // A head, and frames 0 to 40 of both.
    assert_eq!(csv.lines().count(), 1 + 2 * 41);
    let page = std::fs::read_to_string(place.path("out/compare.html")).unwrap();
    assert!(page.matches("<svg").count() >= 6 && page.contains("solver.substeps=16"));
    // A row of the sheet for each case: twice as high as wide cells are, captions aside.
    let (width, height, _) = pixels(&place.path("out/compare.png"));
    assert!(width > 2 * height, "{width} × {height}: five pictures in each of two rows");
}

/// Scenes that differ in length are compared as long as both go on.
#[test]
fn the_shortest_scene_ends_the_comparison() {
    let place = Place::new("compare-short");
    let flags =
        ["compare", "scene.toml", "scene.toml:time.frames=7", "scene.toml:time.fps=30", "--no-pictures", "--json"];
    let found = place.taut(&flags).json();
    let frames: Vec<_> =
        found["cases"].as_array().unwrap().iter().map(|case| case["frames"].as_u64().unwrap()).collect();
    // 7/60 s are 3 whole frames at 30 a second.
    assert_eq!(frames, [7, 7, 3]);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let place = Place::new("compare-bad");
    place.taut(&["compare", "scene.toml", "scene.toml:solver.substep=3"]).refused(&["substep", "substeps"]);
    place.taut(&["compare", "scene.toml", "nowhere.toml"]).refused(&["nowhere"]);
    assert_eq!(place.taut(&["compare", "scene.toml"]).code(), Some(2), "one scene is nothing to compare");
}

/// A figure is run, kept, and put on a page that says which were not.
#[test]
fn papers_are_run_and_put_on_a_page() {
    let place = Place::new("paper");
    assert!(place.taut(&["paper", "list"]).good().out().contains("csl-table-1"));
    place.taut(&["paper", "sbd-7"]).refused(&["sbd-7", "sbd-6"]);
    let flags = ["paper", "sbd-2", "--small", "--out", "out", "--docs", "page/papers.md", "--json"];
    let found = place.taut(&flags).json();
    assert_eq!(found[0]["name"], "sbd-2");
    assert!(found[0]["claims"].as_array().unwrap().iter().all(|claim| claim["verdict"] == "holds"));
    assert_eq!(place.names("out"), ["sbd-2.json", "sbd-2.png"]);
    assert_eq!(place.names("page/pictures/papers"), ["sbd-2.png"]);
    let page = std::fs::read_to_string(place.path("page/papers.md")).unwrap();
    assert!(page.contains("pictures/papers/sbd-2.png") && page.contains("small size"));
    assert!(page.contains("`taut paper soft-1` has not been run"));
}
