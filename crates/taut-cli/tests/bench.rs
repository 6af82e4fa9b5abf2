//! `taut bench solvers` on a small sheet.

mod common;

use common::Place;

fn elastic() -> String {
    common::SCENE
        .replace("nx = 9, ny = 9, centre = [0, 1, 0] }", "nx = 7, ny = 7 }\nelastic = { weft = 40, bend = 1e-4 }")
}

#[test]
fn scenes_without_physical_stiffness_are_refused() {
    let place = Place::new("bench-none");
    place.taut(&["bench", "solvers", "scene.toml"]).refused(&["scene.toml", "physical stiffness", "elastic"]);
}

/// All solvers come nearer to the reference with more iterations; those that solve the whole nonlinear system arrive.
#[test]
fn solvers_come_nearer_to_the_reference() {
    let place = Place::new("bench");
    place.write("elastic.toml", &elastic());
    let flags = ["bench", "solvers", "elastic.toml", "--frame", "5", "--rounds", "1", "--out", "out", "--json"];
    let found = place.taut(&flags).json();
    assert!(found["reference"]["residual"].as_f64().unwrap() < 1e-9, "{}", found["reference"]);
    let mut rows = 1;
    for solver in found["solvers"].as_array().unwrap() {
        let runs = solver["runs"].as_array().unwrap();
        rows += runs.len();
        let errors: Vec<f64> = runs.iter().map(|run| run["error"].as_f64().unwrap()).collect();
        let (first, last) = (errors[0], errors[errors.len() - 1]);
        let name = solver["solver"].as_str().unwrap();
        // One Newton step has nothing to add.
        assert!(last < first || runs.len() == 1, "{name}: {errors:?}");
        // Positions follow from velocities by the frame's 1/60 s: a residual of 1e-9 m/s is 1e-11 m and less.
        let solves = ["pbd to tolerance", "conjugate-residuals", "nonlinear-cg", "newton"].contains(&name);
        assert!(!solves || last < 1e-7, "{name}: {errors:?}");
    }
    assert_eq!(place.names("out"), ["solvers.csv", "solvers.svg"]);
    assert_eq!(std::fs::read_to_string(place.path("out/solvers.csv")).unwrap().lines().count(), rows);
}
