use super::*;
use std::collections::BTreeSet;

#[test]
fn the_embedded_data_can_be_read() {
    let read = data::parse(include_str!("fabrics.toml")).unwrap();
    assert!(read.len() >= 12);
    assert_eq!(read, all());
}

#[test]
fn wrong_data_say_where() {
    let text = include_str!("fabrics.toml");
    let wrong = |from: &str, to: &str| data::parse(&text.replacen(from, to, 1)).unwrap_err();
    assert!(wrong("source = [\"penava2014\"]", "source = [\"nobody\"]").contains("cotton: no source called `nobody`"));
    assert!(wrong("method = \"feng-median\"", "method = \"guess\"").contains("cotton: no method called `guess`"));
    assert!(wrong("\npoisson = ", "\npoison = ").contains("poison"));
}

#[test]
fn names_are_unique_and_in_kebab_case() {
    let mut seen = BTreeSet::new();
    for name in all().iter().flat_map(Fabric::names) {
        let parts_fit = name.split('-').all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase()));
        assert!(parts_fit, "{name}");
        assert!(seen.insert(name), "{name} twice");
        assert!(named(name).is_some_and(|found| found.names().any(|known| known == name)));
    }
}

#[test]
fn unknown_names_get_a_suggestion_or_the_list() {
    assert_eq!(find("spandex").unwrap().name, "swim-knit");
    assert_eq!(find("lether").unwrap_err().to_string(), "no fabric called `lether`; did you mean `leather`?");
    let far = find("unobtainium").unwrap_err().to_string();
    assert!(far.contains("there are cotton, ") && far.contains("rubber"), "{far}");
}

#[test]
fn every_figure_has_a_source_or_says_that_it_is_an_estimate() {
    for fabric in all() {
        assert!(fabric.about.ends_with('.') && fabric.about.len() > 20, "{}", fabric.name);
        assert!(!fabric.modulus.is_empty());
        let entries = fabric.entries();
        assert!(entries.iter().any(|entry| !entry.figure.sources.is_empty()), "{} has no source", fabric.name);
        for Entry { key, figure, .. } in entries {
            let place = format!("{} {key}", fabric.name);
            assert!(figure.value.is_finite(), "{place}");
            assert!(!figure.how.is_empty(), "{place} does not say how");
            assert!(figure.estimated || !figure.sources.is_empty(), "{place} has no source");
            let told = figure.sources.iter().all(|source| source.text.len() > 20 && !source.read.is_empty());
            assert!(told, "{place} has an empty source");
        }
    }
}

/// Far outside of these bounds, a figure has the wrong unit: what apparel has spans less than each.
#[test]
fn figures_are_of_the_size_of_cloth() {
    for fabric in all() {
        let within = |figure: &Figure, low: f64, high: f64| {
            assert!((low..=high).contains(&figure.value), "{}: {figure:?}", fabric.name);
        };
        within(&fabric.figures.density, 0.02, 1.5);
        within(&fabric.figures.thickness, 2e-5, 3e-3);
        [&fabric.figures.stiffness_weft, &fabric.figures.stiffness_warp]
            .into_iter()
            .for_each(|figure| within(figure, 10.0, 1e5));
        within(&fabric.figures.shear, 1.0, 5e3);
        [&fabric.figures.bending_weft, &fabric.figures.bending_warp]
            .into_iter()
            .for_each(|figure| within(figure, 1e-7, 1e-3));
        [&fabric.figures.limit_weft, &fabric.figures.limit_warp, &fabric.figures.limit_shear]
            .into_iter()
            .for_each(|figure| within(figure, 0.005, 3.0));
        within(&fabric.figures.friction, 0.05, 1.5);
        fabric.figures.drape.iter().for_each(|figure| within(figure, 5.0, 100.0));
        // Between loose pile and solid fibre.
        let bulk = fabric.figures.density.value / fabric.figures.thickness.value;
        assert!((100.0..=1500.0).contains(&bulk), "{} has {bulk} kg/m³", fabric.name);
    }
}

#[test]
fn membranes_are_positive_definite_and_pull_as_their_moduli_say() {
    for fabric in all() {
        let (weft, warp, poisson) =
            (fabric.figures.stiffness_weft.value, fabric.figures.stiffness_warp.value, fabric.figures.poisson.value);
        assert!(poisson * poisson * warp / weft < 1.0, "{}", fabric.name);
        let [c11, c12, c22, c33] = fabric.membrane();
        assert!(c11 > 0.0 && c11 * c22 - c12 * c12 > 0.0 && c33 > 0.0, "{}", fabric.name);
        // A pull of 1 N/m along the weft, the warp free: inverse of the 2 × 2 block.
        let det = c11 * c22 - c12 * c12;
        let [along, across] = [c22 / det, -c12 / det];
        assert!((along * weft - 1.0).abs() < 1e-12, "{}", fabric.name);
        assert!((across / along + poisson).abs() < 1e-12, "{}", fabric.name);
        assert!((c11 / det * warp - 1.0).abs() < 1e-12, "{}", fabric.name);
    }
}

/// Values have four digits, a half of the last being at most 5e-4 of the value; published means have five: 5e-5 more.
#[test]
fn values_are_what_their_published_figures_convert_to() {
    let mut checked = 0;
    for fabric in all() {
        for Entry { key, figure, .. } in fabric.entries() {
            let Some(printed) = &figure.published else { continue };
            let si = convert::to_si(printed.value, &printed.unit)
                .unwrap_or_else(|| panic!("{} {key}: unit `{}`", fabric.name, printed.unit));
            assert!((si / figure.value - 1.0).abs() <= 6e-4, "{} {key}: {si} against {}", fabric.name, figure.value);
            checked += 1;
        }
    }
    assert!(checked > 25, "{checked}");
}

/// The logarithms are what Kawabata's equations have; the data hold them converted.
#[test]
fn suitings_follow_from_the_logarithms_of_their_means() {
    let suit = named("wool-suiting").unwrap();
    let near = |figure: &Figure, expected: f64| assert!((figure.value / expected - 1.0).abs() < 6e-4, "{figure:?}");
    near(&suit.figures.density, 10f64.powf(1.4208) * 1e-2);
    near(&suit.figures.bending_weft, convert::kes_bending(10f64.powf(-0.8673)));
    near(&suit.figures.shear, convert::kes_shear(10f64.powf(-0.0143)));
    let extension = convert::kes_extension(0.6082, 10f64.powf(0.9621));
    near(&suit.figures.limit_warp, extension / 100.0);
    near(&suit.figures.stiffness_warp, convert::chord_modulus(extension, 500.0));
}

#[test]
fn wang_coefficients_give_the_moduli_of_the_data() {
    for (name, c) in [
        ("denim", [205.352, 10.2341, 1013.886, 53.3872]),
        ("swim-knit", [47.9712, 6.8345, 104.6155, 60.7737]),
        ("blanket", [151.504, 106.028, 244.831, 30.2502]),
    ] {
        let fabric = named(name).unwrap();
        let figures = [
            &fabric.figures.stiffness_weft,
            &fabric.figures.stiffness_warp,
            &fabric.figures.poisson,
            &fabric.figures.shear,
        ];
        for (converted, figure) in convert::wang_coefficients(c).into_iter().zip(figures) {
            // ν of the denim is given with three digits.
            assert!((converted / figure.value - 1.0).abs() < 1e-3, "{name}: {converted} {figure:?}");
        }
    }
}

/// By hand, each with its units written out.
#[test]
fn conversions_match_hand_calculations() {
    let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-3, "{a} {b}");
    // 1 gf = 9.80665e-3 N; times 1e-4 m² over 1e-2 m.
    near(convert::kes_bending(1.0), 9.80665e-5);
    // 0.980665 N/m for one degree, which is 0.0174533 rad.
    near(convert::kes_shear(1.0), 0.980665 / 0.0174533);
    // 490.33 N/m at 5 %.
    near(convert::chord_modulus(5.0, 500.0), 9806.65);
    near(convert::chord_modulus(2.0, 100.0), 4903.3);
    // A straight line to 500 gf/cm at 4 % holds ½ · 500 · 0.04 = 10 gf·cm/cm².
    near(convert::kes_extension(1.0, 10.0), 4.0);
    // A laboratory's sheet of a 168 g/m² suiting: 15.00 mm, printed as 5.56 µN·m; 14.50 mm as 5.02 µN·m.
    near(convert::cantilever_bending(0.168, 0.015), 5.56e-6);
    near(convert::cantilever_bending(0.168, 0.0145), 5.02e-6);
    // 8 mommes are about an ounce per square yard, 34.7 g/m².
    near(convert::momme(8.0), 0.034719);
    near(convert::ounces_per_square_yard(1.0), 0.0339057);
    // No. 8 duck: 11 oz on 22/36 of a square yard, that is 18 oz/yd².
    near(convert::duck_number(8.0), 18.0 * 0.0339057);
    assert_eq!(convert::to_si(1.0, "furlongs"), None);
    // The same sheet: EB5 of 4.7 %, printed as 26.17 N/m with SiroFAST's rounded 123, which is 0.34 % above 122.58.
    assert!((convert::fast_shear(4.7) / 26.17 - 1.0).abs() < 4e-3);
}

#[test]
fn estimates_are_marked_wherever_figures_are_shown() {
    let denim = named("denim").unwrap();
    let text = details(denim);
    let after =
        |label: &str| text.lines().find(|line| line.starts_with(label)).unwrap()[label.len()..].trim().to_owned();
    assert_eq!(after("friction on itself"), "~0.5");
    assert_eq!(after("density"), "0.324 kg/m²");
    assert!(text.contains("estimate: ") && text.contains("[1] Wang, H."), "{text}");
    let row = table().lines().find(|line| line.starts_with("denim")).unwrap().to_owned();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!([cells[1], cells[3], cells[12]], ["324", "410.5", "~0.5"], "{row}");
    let json = serde_json::to_value(denim).unwrap();
    assert_eq!(json["friction"]["estimated"], true);
    assert_eq!(json["bending_warp"]["published"]["unit"], "gf·cm²/cm");
}

/// `taut fabrics --markdown > docs/reference/fabrics.md` after a change of the data.
#[test]
fn the_page_of_the_guide_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/fabrics.md");
    let page = std::fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    assert!(page == markdown(), "docs/reference/fabrics.md is not what `taut fabrics --markdown` writes");
}
