//! Patterns: reading, what is wrong with them, meshing and sewing, on small ones made here.

use serde_json::{Value, json};
use taut_scene::garment::{Choice, Figure, Pattern, SewReport, SewnMesh, draw_together, place_around};
use taut_scene::read::Source;

/// Two panels of 20 × 30 cm, front and back of a tube, sewn at both sides.
fn tube() -> Value {
    let panel = |z: f64| {
        let vertices = [[-10.0, 0.0], [10.0, 0.0], [10.0, 30.0], [-10.0, 30.0]];
        let edges: Vec<Value> = (0..4).map(|i| json!({ "endpoints": [i, (i + 1) % 4] })).collect();
        json!({ "vertices": vertices, "edges": edges, "translation": [0.0, 0.0, z], "rotation": [0.0, 0.0, 0.0] })
    };
    // The back is seen from behind: its own x runs the other way.
    let mut back = panel(-12.0);
    back["rotation"] = json!([0.0, 180.0, 0.0]);
    json!({
        "pattern": {
            "panels": { "front": panel(12.0), "back": back },
            "stitches": [
                [{ "panel": "front", "edge": 1 }, { "panel": "back", "edge": 3 }],
                [{ "panel": "front", "edge": 3 }, { "panel": "back", "edge": 1 }],
            ],
        },
        "properties": { "curvature_coords": "relative", "units_in_meter": 100 },
    })
}

fn read(value: &Value) -> Result<Pattern, String> {
    read_text(&value.to_string())
}

fn read_text(text: &str) -> Result<Pattern, String> {
    Pattern::read(&Source::new("tube.json", text.as_bytes()), &Choice::default()).map_err(|error| error.to_string())
}

#[test]
fn a_pattern_is_read_in_metres_and_written_so_that_it_reads_the_same() {
    let pattern = read(&tube()).unwrap();
    assert_eq!(pattern.panels.len(), 2);
    // By name.
    assert_eq!(pattern.panels[0].name, "back");
    assert!((pattern.panels[1].area() - 0.06).abs() < 1e-12);
    assert_eq!(pattern.panels[1].placement.place([0.1, 0.3]), [0.1, 0.3, 0.12]);
    assert!(pattern.notes.is_empty(), "{:?}", pattern.notes);
    assert_eq!(read_text(&pattern.to_json()).unwrap(), pattern);
    let svg = pattern.to_svg();
    assert!(svg.contains(">front<") && svg.matches("<text").count() == 2 + 4, "{svg}");
}

/// With two angles the two readings differ. Only one brings the sewn edges together.
#[test]
fn of_two_readings_of_a_rotation_the_one_with_smaller_gaps_is_taken() {
    for (order, words) in [([2, 1, 0], "axes that turn along"), ([0, 1, 2], "fixed axes")] {
        let angles = [40.0f64, 70.0, 0.0];
        // The other panel continues the turned one: its corners are where the turned ones are.
        let turned = |p: [f64; 2]| {
            let mut v = [p[0], p[1], 0.0];
            for axis in order {
                let (s, c) = f64::to_radians(angles[axis]).sin_cos();
                let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
                (v[j], v[k]) = (c * v[j] - s * v[k], s * v[j] + c * v[k]);
            }
            v
        };
        let mut value = tube();
        value["pattern"]["panels"]["front"]["rotation"] = json!(angles);
        value["pattern"]["panels"]["front"]["translation"] = json!([0.0, 0.0, 0.0]);
        // A seam on the right side of the front to the left side of a panel that starts where that is.
        let place = turned([20.0, 0.0]);
        value["pattern"]["panels"]["back"]["translation"] = json!(place);
        value["pattern"]["panels"]["back"]["rotation"] = json!(angles);
        value["pattern"]["stitches"] = json!([[{ "panel": "front", "edge": 1 }, { "panel": "back", "edge": 3 }]]);
        let pattern = read(&value).unwrap();
        let note = pattern.notes.join(" ");
        assert!(note.contains(words) && note.contains("then 0.0 cm apart"), "{words}: {note}");
    }
}

#[test]
fn both_sides_of_a_seam_have_as_many_vertices_and_become_one() {
    let sewn = SewnMesh::new(&read(&tube()).unwrap(), 0.02).unwrap();
    assert_eq!(sewn.seams.iter().map(Vec::len).collect::<Vec<_>>(), [16, 16]);
    // A tube: as many edges as vertices and triangles together, and two rims of two sides of 10 edges each.
    let mut edges = std::collections::HashMap::new();
    for t in &sewn.mesh.triangles {
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            *edges.entry([a.min(b), a.max(b)]).or_insert(0) += 1;
        }
    }
    let rim = edges.values().filter(|count| **count == 1).count();
    assert_eq!(edges.len(), sewn.mesh.positions.len() + sewn.mesh.triangles.len());
    assert_eq!((rim, edges.values().max()), (40, Some(&2)));
    // Seams lie between the panels.
    assert!(sewn.seams.iter().flatten().all(|&v| sewn.mesh.positions[v as usize][2].abs() < 1e-12));
    let area: f64 = sewn
        .mesh
        .uv_triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| sewn.mesh.uvs[v as usize]);
            0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
        })
        .sum();
    assert!((area - 0.12).abs() < 1e-9, "{area}");
}

#[test]
fn cutting_triangles_keeps_the_surface_and_its_seams() {
    let sewn = SewnMesh::new(&read(&tube()).unwrap(), 0.04).unwrap();
    let fine = sewn.split(3);
    assert_eq!(fine.mesh.triangles.len(), 9 * sewn.mesh.triangles.len());
    assert_eq!(fine.seams[0].len(), 3 * (sewn.seams[0].len() - 1) + 1);
    // Still a tube, so that nothing came apart at the seams.
    let edges: std::collections::HashSet<[u32; 2]> = fine
        .mesh
        .triangles
        .iter()
        .flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])])
        .map(|(a, b)| [a.min(b), a.max(b)])
        .collect();
    assert_eq!(edges.len(), fine.mesh.positions.len() + fine.mesh.triangles.len());
    let same = SewnMesh::new(&read(&tube()).unwrap(), 0.04).unwrap();
    assert_eq!(sewn, same, "the same bits each time");
}

/// A gathered seam: 20 cm to 10 cm.
#[test]
fn gathers_are_by_ratio() {
    let mut value = tube();
    value["pattern"]["stitches"] = json!([[{ "panel": "front", "edge": 0 }, { "panel": "back", "edge": 2 }]]);
    value["pattern"]["panels"]["back"]["vertices"] = json!([[-10, 0], [10, 0], [5, 30], [-5, 30]]);
    let pattern = read(&value).unwrap();
    let sewn = SewnMesh::new(&pattern, 0.02).unwrap();
    // The longer side says how many: ten of 2 cm, ten of 1 cm.
    assert_eq!(sewn.seams[0].len(), 11);
}

/// A tube of 40 cm around a ball of radius 5 cm.
#[test]
fn a_tube_is_drawn_onto_a_ball_without_an_intersection() {
    let detail = taut_scene::generate::SphereDetail::Divisions(6);
    let ball = taut_scene::generate::SphereParams { radius: 0.05, detail, centre: [0.0, 0.15, 0.0] };
    let figure = Figure::new(&taut_scene::generate::sphere(&ball).unwrap());
    let pattern = read(&tube()).unwrap();
    let mut sewn = SewnMesh::new(&pattern, 0.03).unwrap();
    assert_eq!(place_around(&pattern, &mut sewn, &figure), Vec::<String>::new());
    let before = SewReport::new(&pattern, &sewn, [0.02, 0.02], [0, 0]);
    assert!(before.open_seams().count() == 2 && before.seams[0].gap > 0.05, "{before:?}");
    let mut stages = 0;
    let last = draw_together(&mut sewn, &figure, 0.02, 0.001, &mut |_| {
        stages += 1;
        true
    });
    let last = last.unwrap();
    assert!(last.stretch < 1.02, "{last:?} after {stages}");
    assert_eq!(figure.crossings(&sewn.mesh).count(), 0);
    let after = SewReport::new(&pattern, &sewn, [0.02, 0.02], [0, 0]);
    assert_eq!(after.open_seams().count(), 0, "{after:?}");
}

/// For each triangle its smallest height over its longest side, on the pattern.
fn slimness(sewn: &SewnMesh) -> Vec<f64> {
    let slim = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| sewn.mesh.uvs[v as usize]);
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        let longest = [(a, b), (b, c), (c, a)].map(|(p, q)| (p[0] - q[0]).hypot(p[1] - q[1]));
        let longest = longest.into_iter().fold(0.0, f64::max);
        area.abs() / (longest * longest)
    };
    sewn.mesh.uv_triangles.iter().map(slim).collect()
}

/// Patterns that were made by a program have edges of a millimetre where a dart meets a seam.
#[test]
fn edges_far_shorter_than_asked_for_are_points_and_leave_no_slivers() {
    let mut value = tube();
    for (name, vertices) in [
        ("front", [[-10.0, 0.0], [10.0, 0.0], [10.0, 15.0], [10.0, 15.1], [10.0, 30.0], [-10.0, 30.0]]),
        ("back", [[-10.0, 0.0], [10.0, 0.0], [10.0, 30.0], [-10.0, 30.0], [-10.0, 15.1], [-10.0, 15.0]]),
    ] {
        let edges: Vec<Value> = (0..6).map(|i| json!({ "endpoints": [i, (i + 1) % 6] })).collect();
        value["pattern"]["panels"][name]["vertices"] = json!(vertices);
        value["pattern"]["panels"][name]["edges"] = json!(edges);
    }
    let stitch = |a: usize, b: usize| json!([{ "panel": "front", "edge": a }, { "panel": "back", "edge": b }]);
    value["pattern"]["stitches"] = json!([stitch(1, 5), stitch(2, 4), stitch(3, 3), stitch(5, 1)]);
    let sewn = SewnMesh::new(&read(&value).unwrap(), 0.03).unwrap();
    assert_eq!(sewn.notes, ["1 edges far shorter than 0.03 m are taken as points"]);
    let least = slimness(&sewn).into_iter().fold(1.0, f64::min);
    assert!(least > 0.2, "{least}");
    // Both sides of the seam above are one where the short edge was.
    assert_eq!(sewn.seams[1].len(), 1);
    assert!(sewn.seams[0].contains(&sewn.seams[1][0]) && sewn.seams[2].contains(&sewn.seams[1][0]));
    // With finer edges it is an edge.
    assert!(SewnMesh::new(&read(&value).unwrap(), 0.004).unwrap().notes.is_empty());
}

/// Corners along a straight side are on it but for rounding: what lies between them has no area.
#[test]
fn straight_sides_of_several_edges_have_no_flat_triangles_beside_them() {
    let mut value = tube();
    for turn in 1..40 {
        let (s, c) = (0.1 * f64::from(turn)).sin_cos();
        let flat = [[-10.0, 0.0], [10.0, 0.0], [10.0, 7.7], [10.0, 13.1], [10.0, 30.0], [-10.0, 30.0], [-10.0, 11.3]];
        let vertices = flat.map(|[x, y]| [c * x - s * y, s * x + c * y]);
        let edges: Vec<Value> = (0..7).map(|i| json!({ "endpoints": [i, (i + 1) % 7] })).collect();
        value["pattern"]["panels"]["front"]["vertices"] = json!(vertices);
        value["pattern"]["panels"]["front"]["edges"] = json!(edges);
        value["pattern"]["stitches"] = json!([]);
        let sewn = SewnMesh::new(&read(&value).unwrap(), 0.03).unwrap();
        let least = slimness(&sewn).into_iter().fold(1.0, f64::min);
        assert!(least > 0.1, "turned by {turn}: {least}");
    }
}

/// A body that is narrower further up: radius 10 cm at its feet, 2 cm at its top.
fn cone() -> taut::mesh::TriMesh {
    let (around, up) = (32, 50);
    let mut mesh = taut::mesh::TriMesh::default();
    for row in 0..=up {
        let y = f64::from(row) / f64::from(up);
        for column in 0..around {
            let (s, c) = (std::f64::consts::TAU * f64::from(column) / f64::from(around)).sin_cos();
            mesh.positions.push([(0.1 - 0.08 * y) * s, y, (0.1 - 0.08 * y) * c]);
        }
    }
    let at = |row: i32, column: i32| (row * around + column % around) as u32;
    for (row, column) in (0..up).flat_map(|row| (0..around).map(move |column| (row, column))) {
        let [a, b] = [at(row, column), at(row, column + 1)];
        let [c, d] = [at(row + 1, column + 1), at(row + 1, column)];
        mesh.triangles.extend([[a, b, c], [a, c, d]]);
    }
    let [low, top] = [mesh.positions.len() as u32, mesh.positions.len() as u32 + 1];
    mesh.positions.extend([[0.0; 3], [0.0, 1.0, 0.0]]);
    for column in 0..around {
        mesh.triangles.push([low, at(0, column + 1), at(0, column)]);
        mesh.triangles.push([top, at(up, column), at(up, column + 1)]);
    }
    mesh
}

/// A tube of 40 cm around what is 53 cm there: it starts where that is 40 cm.
#[test]
fn a_ring_that_is_narrower_than_the_body_starts_where_it_fits() {
    let mut value = tube();
    for (name, z) in [("front", 12.0), ("back", -12.0)] {
        value["pattern"]["panels"][name]["translation"] = json!([0.0, 20.0, z]);
    }
    let (pattern, figure) = (read(&value).unwrap(), Figure::around(&cone()));
    let mut sewn = SewnMesh::new(&pattern, 0.03).unwrap();
    let notes = place_around(&pattern, &mut sewn, &figure);
    let up = "back, front start 24 cm further up than the pattern says: they fit there";
    assert!(notes.iter().any(|note| note == up), "{notes:?}");
    let lowest = sewn.mesh.positions.iter().map(|p| p[1]).fold(f64::MAX, f64::min);
    assert!((lowest - 0.44).abs() < 0.03, "{lowest}");
    assert_eq!(figure.crossings(&sewn.mesh).count(), 0);
    // Where it fits it stays.
    for name in ["front", "back"] {
        value["pattern"]["panels"][name]["translation"][1] = json!(47.0);
    }
    let pattern = read(&value).unwrap();
    let mut sewn = SewnMesh::new(&pattern, 0.03).unwrap();
    assert_eq!(place_around(&pattern, &mut sewn, &figure), Vec::<String>::new());
}

/// What a person sees of patterns that are broken, each in its own way.
#[test]
fn broken_patterns_are_told_with_panel_edge_and_seam() {
    let change = |f: &dyn Fn(&mut Value)| {
        let mut value = tube();
        f(&mut value);
        read(&value).err().unwrap_or_else(|| "read without an error".into())
    };
    let panel = |name: &'static str, key: &'static str, to: Value| {
        change(&move |v| v["pattern"]["panels"][name][key] = to.clone())
    };
    let curve = |of: Value| change(&move |v| v["pattern"]["panels"]["front"]["edges"][1]["curvature"] = of.clone());
    let stitch = |key: &'static str, to: Value| change(&move |v| v["pattern"]["stitches"][1][0][key] = to.clone());
    let units = |to: f64| change(&move |v| v["properties"]["units_in_meter"] = json!(to));
    let many: Vec<[u32; 2]> = (0..100_000).map(|i| [i, 0]).collect();
    let ends = [[0, 1], [1, 2], [2, 3], [3, 1]].map(|ends| json!({ "endpoints": ends }));
    let seen = [
        (
            panel("front", "edges", json!(ends)),
            "panel \"front\": the outline is open: edge 3 ends 20.00 cm from where edge 0 begins",
        ),
        (
            panel("front", "vertices", json!([[-10, 0], [10, 30], [10, 0], [-10, 20]])),
            "panel \"front\": edges 0 and 2 cross",
        ),
        (
            stitch("edge", json!(9)),
            "pattern.stitches[1][0].edge: found 9, expected the number of an edge of panel \"front\", 0 to 3",
        ),
        (
            stitch("panel", json!("hood")),
            "pattern.stitches[1][0].panel: found \"hood\", expected the name of a panel that there is",
        ),
        (
            stitch("edge", json!(1)),
            "seam 1 (front edge 1 to back edge 1): front edge 1 is sewn already, by seam 0 (front edge 1 to back edge 3)",
        ),
        (
            panel("front", "vertices", json!([[-10, 0], [10, 0], [10, 0.0001], [-10, 0.0001]])),
            "panel \"front\" has no area",
        ),
        (
            units(0.1),
            "panel \"back\" is 300 m across, expected 0.005 to 20 m: are its units right?\ntube.json: panel \"front\" is 300 m across, expected 0.005 to 20 m: are its units right?",
        ),
        (units(0.0), "properties.units_in_meter: found 0.0, expected a number above 0"),
        (
            curve(json!({ "type": "circle", "params": [2.0, 0, 1] })),
            "panel \"front\": edge 1 is an arc of radius 2.00 cm, expected at least half the 30.00 cm between its ends",
        ),
        (
            curve(json!({ "type": "spline", "params": [] })),
            "panel \"front\".edges[1].curvature.type: found \"spline\", expected \"quadratic\", \"cubic\" or \"circle\"",
        ),
        (
            curve(json!({ "type": "cubic", "params": [[0.3, "a"], [0.6, 0.1]] })),
            "panel \"front\".edges[1].curvature.params[0][1]: found \"a\", expected a number",
        ),
        (
            panel("back", "vertices", json!([[-10, 28.5], [10, 0], [10, 30], [-10, 30]])),
            "seam 0 (front edge 1 to back edge 3) gathers 30.0 cm to 1.5 cm, expected at most 10 to 1",
        ),
        (
            panel("front", "vertices", json!(many)),
            "panel \"front\".vertices: it has 100000 entries, expected at most 4000",
        ),
        (change(&|v| v["pattern"] = json!({ "panels": {} })), "the pattern has no panels"),
        (read_text("").unwrap_err(), "the file is empty"),
        (
            read_text("{ \"pattern\": NaN }").unwrap_err(),
            "it is neither JSON nor DXF: expected value at line 1 column 14",
        ),
        (read_text("{ \"format\": \"other\" }").unwrap_err(), "its format is \"other\", expected \"taut pattern 1\""),
    ];
    for (said, expected) in &seen {
        assert_eq!(*said, format!("tube.json: {expected}"));
    }
}

/// What can be sewn but looks like a mistake is noted.
#[test]
fn far_and_twisted_seams_are_noted() {
    let mut value = tube();
    value["pattern"]["panels"]["front"]["translation"] = json!([0, 0, 400]);
    let notes = read(&value).unwrap().notes.join("\n");
    assert!(notes.contains("seam 0 (front edge 1 to back edge 3) is 4.12 m apart at the start"), "{notes}");
    let mut value = tube();
    value["pattern"]["panels"]["front"]["vertices"] = json!([[-10, 30], [10, 30], [10, 0], [-10, 0]]);
    let notes = read(&value).unwrap().notes.join("\n");
    assert!(notes.contains("seam 0 (front edge 1 to back edge 3) looks twisted"), "{notes}");
}
