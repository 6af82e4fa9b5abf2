//! `taut lab`, as a user meets it.

mod common;

use common::Place;
use serde_json::Value;

/// A test leaves numbers, a chart, a picture and the scene it ran, which runs on its own; and says what it found.
#[test]
fn a_test_leaves_numbers_a_chart_a_picture_and_its_scene() {
    let place = Place::new("lab-shear");
    let said = place.taut(&["lab", "shear", "denim", "--resolution", "3", "--angle", "10", "--json", "--out", "shear"]);
    let said = said.0;
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let json: Value = serde_json::from_slice(&said.stdout).unwrap();
    let found = json["findings"][0]["value"].as_f64().unwrap();
    // The picture frame's strain is the same everywhere, which triangles represent exactly.
    assert!((found / 26.69 - 1.0).abs() < 1e-6, "{found}");
    let files: Value = serde_json::from_str(&std::fs::read_to_string(place.path("shear/shear.json")).unwrap()).unwrap();
    assert_eq!(files, json);
    let csv = std::fs::read_to_string(place.path("shear/curve.csv")).unwrap();
    assert!(csv.starts_with("angle_degrees,energy_J,") && csv.lines().count() == 26, "{csv}");
    assert!(std::fs::read_to_string(place.path("shear/curve.svg")).unwrap().starts_with("<svg"));
    assert!(std::fs::read(place.path("shear/shear.png")).unwrap().starts_with(b"\x89PNG"));
    let checked = place.taut(&["check", "shear/shear.toml"]).0;
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}

/// Figures of one's own replace those of the fabric, and make no sense below zero.
#[test]
fn figures_and_names_are_checked() {
    let place = Place::new("lab-flags");
    let own = ["lab", "shear", "cotton", "--shear", "50", "--resolution", "2", "--json", "--out", "own"];
    let json: Value = serde_json::from_slice(&place.taut(&own).0.stdout).unwrap();
    assert_eq!(json["cloth"], "cotton-changed");
    assert!((json["findings"][0]["value"].as_f64().unwrap() / 50.0 - 1.0).abs() < 1e-6);
    for (flags, says) in [
        (&["lab", "shear", "coton"][..], "did you mean `cotton`?"),
        (&["lab", "shear", "--shear", "0"], "positive"),
        (&["lab", "shear", "--solver", "newtom"], "newton"),
        (&["lab", "bend", "--time-step", "7"], "from 0.00001 to 1"),
    ] {
        let said = place.taut(flags).0;
        let error = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.status.code() == Some(2) && error.contains(says), "{flags:?}: {error}");
    }
}
