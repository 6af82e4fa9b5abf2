//! Charts must be well-formed, show their data where it belongs, and survive odd data.

use taut_render::chart::{Chart, HeatTable, Limit};
use taut_render::{Rgb, Scale, TextStyle, text_width};

fn parse(svg: &str) -> roxmltree::Document<'_> {
    roxmltree::Document::parse(svg).unwrap_or_else(|e| panic!("{e}\n{svg}"))
}

/// The points of a path, one list for each unbroken piece.
fn pieces(path: &str) -> Vec<Vec<[f64; 2]>> {
    let mut found: Vec<Vec<[f64; 2]>> = Vec::new();
    let mut rest = path;
    while let Some(start) = rest.find(['M', 'L']) {
        let end = rest[start + 1..].find(['M', 'L', 'h', 'Z']).map_or(rest.len(), |e| start + 1 + e);
        let mut numbers = rest[start + 1..end].split(' ').map(|n| n.parse().unwrap());
        if rest[start..].starts_with('M') {
            found.push(Vec::new());
        }
        found.last_mut().unwrap().push([numbers.next().unwrap(), numbers.next().unwrap()]);
        rest = &rest[end..];
    }
    found
}

fn series_paths(svg: &str) -> Vec<Vec<Vec<[f64; 2]>>> {
    let document = parse(svg);
    let paths = document.descendants().filter(|n| n.attribute("class") == Some("series"));
    paths.map(|n| pieces(n.attribute("d").unwrap())).collect()
}

#[test]
fn values_map_linearly_to_places() {
    let mut chart = Chart::lines("t").series("a", [[0.0, 0.0], [1.0, 5.0], [2.0, 10.0]]);
    chart.y.range = Some([0.0, 10.0]);
    let line = &series_paths(&chart.svg())[0][0];
    assert_eq!(line.len(), 3);
    for axis in 0..2 {
        let middle = 0.5 * (line[0][axis] + line[2][axis]);
        assert!((line[1][axis] - middle).abs() < 0.02, "{line:?}");
    }
    assert!(line[0][0] < line[2][0] && line[0][1] > line[2][1], "x to the right, y up: {line:?}");
}

#[test]
fn log_axes_space_decades_evenly() {
    let decades = (0..5).map(|i| [10f64.powi(i), 10f64.powi(-i)]);
    let line = &series_paths(&Chart::lines("t").log_x().log_y().series("a", decades).svg())[0][0];
    for axis in 0..2 {
        let step = line[1][axis] - line[0][axis];
        assert!(line.windows(2).all(|w| (w[1][axis] - w[0][axis] - step).abs() < 0.03), "{line:?}");
    }
}

#[test]
fn values_that_are_not_finite_leave_gaps() {
    let values = [1.0, 2.0, f64::NAN, 3.0, f64::INFINITY, 4.0, 5.0];
    let svg = Chart::lines("t").series("a", values.into_iter().enumerate().map(|(i, v)| [i as f64, v])).svg();
    let lengths: Vec<usize> = series_paths(&svg)[0].iter().map(|p| p.len()).collect();
    assert_eq!(lengths, [2, 1, 2]);
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn long_series_are_thinned_but_keep_their_peaks() {
    let spike = |i: usize| if i == 51_234 { 9.0 } else { (i as f64 * 0.01).sin() };
    let svg = Chart::lines("t").series("a", (0..100_000).map(|i| [i as f64, spike(i)])).svg();
    assert!(svg.len() < 60_000, "{}", svg.len());
    let paths = series_paths(&svg);
    let top = paths[0][0].iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
    let others = paths[0][0].iter().filter(|p| p[1] < top + 50.0).count();
    assert!(others <= 2, "one spike, {others} points near its height");
}

#[test]
fn stacked_areas_lie_on_top_of_each_other() {
    let flat = |v: f64| (0..3).map(move |i| [i as f64, v]);
    let mut chart = Chart::stacked_areas("t").series("a", flat(1.0)).series("b", flat(f64::NAN)).series("c", flat(3.0));
    chart.y.range = Some([0.0, 4.0]);
    let svg = chart.svg();
    let document = parse(&svg);
    let areas: Vec<Vec<[f64; 2]>> = document
        .descendants()
        .filter(|n| n.has_tag_name("path"))
        .map(|n| pieces(n.attribute("d").unwrap()).remove(0))
        .collect();
    let height = |k: usize| areas[k][5][1] - areas[k][0][1];
    assert!((height(2) - 3.0 * height(0)).abs() < 0.05 && height(1).abs() < 0.01, "{areas:?}");
    assert!((areas[2][5][1] - areas[0][0][1]).abs() < 0.01);
}

#[test]
fn every_kind_is_well_formed_whatever_the_data() {
    let odd: Vec<Vec<[f64; 2]>> = vec![
        vec![],
        vec![[0.0, 0.0]],
        vec![[f64::NAN, f64::NAN]; 3],
        vec![[1.0, -1e308], [2.0, 1e308]],
        vec![[0.0, 5.0]; 4],
        (0..5).map(|i| [i as f64, -(i as f64)]).collect(),
    ];
    let kinds = [Chart::lines, Chart::points, Chart::stacked_areas, Chart::stacked_bars];
    for points in &odd {
        for new in kinds {
            let name = "<&\"'>\u{0}";
            let chart = new(name).x(name, name).y(name, "").series(name, points.clone()).series("b", points.clone());
            let chart = chart.limit(name, 0.0).limit_of_last("f", f64::NAN);
            for svg in [chart.clone().svg(), chart.log_x().log_y().svg()] {
                let document = parse(&svg);
                assert_eq!(document.root_element().tag_name().name(), "svg");
                assert!(!svg.contains("NaN"), "{points:?}");
            }
        }
    }
}

/// An attribute as a number.
fn at(node: roxmltree::Node, name: &str) -> f64 {
    node.attribute(name).unwrap().parse().unwrap()
}

fn of_class<'a, 'b>(document: &'a roxmltree::Document<'b>, class: &str) -> Vec<roxmltree::Node<'a, 'b>> {
    document.descendants().filter(|n| n.attribute("class") == Some(class)).collect()
}

#[test]
fn limits_are_dashed_lines_with_names_at_their_values() {
    // The limit lies beyond the data: the axis must make room for it.
    let chart = Chart::lines("t").series("a", [[0.0, 0.0], [1.0, 1.0]]).limit("most allowed", 2.0);
    let svg = chart.svg();
    let document = parse(&svg);
    let lines = of_class(&document, "limit");
    assert_eq!(lines.len(), 1);
    let (y, line) = (at(lines[0], "y1"), &series_paths(&svg)[0][0]);
    assert_eq!(y, at(lines[0], "y2"));
    let expected = line[0][1] + 2.0 * (line[1][1] - line[0][1]);
    assert!((y - expected).abs() < 0.03, "{y} instead of {expected}");
    assert!(document.descendants().any(|n| n.text() == Some("most allowed")));
    let none = Chart::lines("t").series("a", [[0.0, 0.0], [1.0, 1.0]]).with_limits([]).svg();
    assert!(of_class(&parse(&none), "limit").is_empty());
}

#[test]
fn limits_of_a_fabric_have_the_colours_of_their_strains_and_names_that_can_be_read() {
    let strain = |top: f64| (0..50).map(move |i| [0.02 * f64::from(i), top * f64::from(i) / 50.0]);
    let mut chart =
        Chart::lines("t").series("weft", strain(5.0)).series("warp", strain(4.0)).series("shear", strain(9.0));
    let limit = |name: &str, value, series| Limit { name: name.into(), value, series: Some(series) };
    // Two alike and one close to them, and one at the very top of the axis.
    chart.y.range = Some([0.0, 20.0]);
    let limits = [("weft limit", 5.0, 0), ("warp limit", 5.0, 1), ("warp, bias cut", 5.3, 1), ("shear limit", 20.0, 2)];
    let svg = chart.with_limits(limits.map(|(name, value, series)| limit(name, value, series))).svg();
    let document = parse(&svg);
    let colour = |node: &roxmltree::Node| node.attribute("stroke").unwrap().to_owned();
    let series: Vec<String> = of_class(&document, "series").iter().map(colour).collect();
    let lines: Vec<String> = of_class(&document, "limit").iter().map(colour).collect();
    assert_eq!(lines, [0, 1, 1, 2].map(|at| series[at].clone()));
    let box_of = |node: &roxmltree::Node| {
        let width = text_width(node.text().unwrap(), &TextStyle::new(11.0, Rgb::default())) as f64;
        let (right, base) = (at(*node, "x"), at(*node, "y"));
        [right - width, right, base - 8.0, base]
    };
    let names: Vec<[f64; 4]> = of_class(&document, "note soft").iter().map(box_of).collect();
    assert_eq!(names.len(), 4);
    let top = names.iter().map(|name| name[2]).fold(f64::INFINITY, f64::min);
    let highest = of_class(&document, "limit").iter().map(|line| at(*line, "y1")).fold(f64::INFINITY, f64::min);
    assert!(top >= highest, "the uppermost name would stand in the legend");
    for (at, a) in names.iter().enumerate() {
        for b in &names[..at] {
            let apart = a[1] <= b[0] || b[1] <= a[0] || a[3] <= b[2] || b[3] <= a[2];
            assert!(apart, "{a:?} covers {b:?}");
        }
    }
}

#[test]
fn heat_tables_colour_their_cells() {
    let table = HeatTable {
        title: "iterations".into(),
        rows: vec!["a".into(), "b".into()],
        columns: vec!["x".into(), "y".into()],
        values: vec![vec![0.0, 1.0], vec![f64::NAN]],
        scale: Scale::up_to(1.0),
    };
    let svg = table.svg();
    let document = parse(&svg);
    let fills: Vec<&str> = document.descendants().filter_map(|n| n.attribute("fill")).collect();
    assert_eq!(fills, [table.scale.colour(0.0).css(), table.scale.colour(1.0).css()]);
}

/// A series of one point is drawn as a dot that can be seen among lines.
#[test]
fn a_single_point_is_a_dot() {
    let chart = Chart::lines("Solvers").series("many", [[1.0, 1.0], [2.0, 2.0]]).series("one", [[1.5, 1.0]]);
    let svg = chart.svg();
    assert_eq!(svg.matches("<circle").count(), 1, "{svg}");
    assert!(svg.contains("<title>one</title></circle>"), "{svg}");
}
