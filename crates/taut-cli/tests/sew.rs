//! `taut sew` and what `taut info` says of patterns, on small ones.

mod common;

use common::Place;

/// Two squares sewn at three sides: a sack, upside down, of so many centimetres, its panels so many from the middle.
fn sack(side: f64, off: f64) -> String {
    let (half, side, off) = (side / 200.0, side / 100.0, off / 100.0);
    let panel = |name: &str| {
        format!(
            "[[panel]]\nname = \"{name}\"\npoints = [[-{half}, 0.0], [{half}, 0.0], [{half}, {side}], [-{half}, {side}]]\n"
        )
    };
    let seam = |a: usize, b: usize| format!("[[seam]]\nsides = [[\"front:{a}\"], [\"back:{b}\"]]\n");
    panel("front")
        + &panel("back")
        + &format!("[[place]]\npanel = \"front\"\ntranslate = [0.0, 0.0, {off}]\n")
        + &format!("[[place]]\npanel = \"back\"\ntranslate = [0.0, 0.0, -{off}]\nrotate = [0, 180, 0]\n")
        + &seam(1, 3)
        + &seam(3, 1)
        + &seam(2, 2)
}

/// A ball of 6 cm, 20 cm above the ground.
fn ball() -> String {
    let (around, down) = (24, 12);
    let mut out = "v 0 0.26 0\n".to_owned();
    for row in 1..down {
        let (s, c) = (std::f64::consts::PI * f64::from(row) / f64::from(down)).sin_cos();
        for column in 0..around {
            let (t, d) = (std::f64::consts::TAU * f64::from(column) / f64::from(around)).sin_cos();
            out += &format!("v {} {} {}\n", 0.06 * s * t, 0.2 + 0.06 * c, 0.06 * s * d);
        }
    }
    out += "v 0 0.14 0\n";
    let at = |row: i32, column: i32| 2 + (row - 1) * around + column % around;
    let last = 2 + (down - 1) * around;
    for column in 0..around {
        out += &format!("f 1 {} {}\n", at(1, column), at(1, column + 1));
        out += &format!("f {last} {} {}\n", at(down - 1, column + 1), at(down - 1, column));
        for row in 1..down - 1 {
            let [a, b, c, d] = [at(row, column), at(row + 1, column), at(row + 1, column + 1), at(row, column + 1)];
            out += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
        }
    }
    out
}

fn place(name: &str) -> Place {
    let place = Place::new(name);
    place.write("ball.obj", &ball());
    place.write("sack.toml", &sack(22.0, 9.0));
    place.write("over.toml", &sack(32.0, 13.0));
    place
}

const FLAGS: [&str; 8] = ["--body", "ball.obj", "--edge", "0.03", "--frames", "20", "--formats", "glb"];

#[test]
fn a_sack_is_sewn_over_a_ball_once_and_draped_again() {
    let place = place("sew");
    let flags = |more: &[&'static str]| -> Vec<&'static str> {
        ["sew", "sack.toml"].into_iter().chain(FLAGS).chain(["--out", "sack"]).chain(more.iter().copied()).collect()
    };
    let said = place.taut(&flags(&["--json"])).json();
    let report = &said["garments"][0]["report"];
    assert_eq!(report["intersections"], serde_json::json!([0, 0]));
    assert_eq!(report["seams"].as_array().unwrap().len(), 3);
    assert!(report["seams"].as_array().unwrap().iter().all(|seam| seam["gap"].as_f64().unwrap() < 1e-3), "{report}");
    let names = place.names("sack");
    for name in ["garment.obj", "scene.glb", "scene.toml", "body.obj", "pattern.svg", "pattern.json", "report.json"] {
        assert!(names.iter().any(|found| found == name), "{name} of {names:?}");
    }
    let before = std::fs::read(place.path("sack/garment.obj")).unwrap();
    let again = place.taut(&flags(&["--resume"]));
    assert!(again.out().contains("sewn already"), "{}{}", again.out(), again.err());
    assert_eq!(std::fs::read(place.path("sack/garment.obj")).unwrap(), before, "the same, sewn or taken from before");
    // Of another fabric it is sewn anew.
    let other: Vec<&str> = flags(&["--resume", "--fabric", "denim"]);
    assert!(!place.taut(&other).out().contains("sewn already"));
}

#[test]
fn a_second_sack_is_sewn_over_the_first() {
    let place = place("sew-two");
    let flags: Vec<&str> =
        ["sew", "sack.toml", "over.toml"].into_iter().chain(FLAGS).chain(["--out", "two", "--json"]).collect();
    let said = place.taut(&flags).json();
    for garment in said["garments"].as_array().unwrap() {
        assert_eq!(garment["report"]["intersections"], serde_json::json!([0, 0]), "{garment}");
    }
    let names = place.names("two");
    assert!(
        names.iter().any(|name| name == "garment_2.obj") && names.iter().any(|name| name == "garment_2_report.json")
    );
    assert!(place.taut(&["check", "two/scene.toml"]).good().out().contains("garment_2"));
}

#[test]
fn a_pattern_without_seams_is_listed_but_not_sewn() {
    let place = place("sew-none");
    let text = sack(22.0, 9.0);
    place.write("none.toml", &text[..text.find("[[seam]]").unwrap()]);
    let said = place.taut(&["info", "none.toml"]).good().out();
    for part in ["a pattern of 2 panels and 0 seams", "edge  2:   22.0 cm", "no seams"] {
        assert!(said.contains(part), "{said}");
    }
    let flags: Vec<&str> = ["sew", "none.toml"].into_iter().chain(FLAGS).chain(["--out", "none"]).collect();
    place.taut(&flags).refused(&["it names no seams", "\"front\", \"back\""]);
}
