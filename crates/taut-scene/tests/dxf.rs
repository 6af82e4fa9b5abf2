//! Patterns of apparel programs (DXF), and garments in TOML that say what of them is sewn to what: files made here.

use taut_scene::garment::{Choice, Curve, Pattern, SewnMesh};
use taut_scene::read::Source;

/// A group code and its value, a line each.
fn pairs(list: &[(i32, &str)]) -> String {
    list.iter().map(|(code, value)| format!("{code:3}\r\n{value}\r\n")).collect()
}

fn text(text: &str) -> String {
    pairs(&[(0, "TEXT"), (8, "1"), (1, text)])
}

fn polyline(layer: &str, closed: bool, points: &[[f64; 2]]) -> String {
    let mut out = pairs(&[(0, "POLYLINE"), (8, layer), (66, "1"), (70, if closed { "1" } else { "0" })]);
    for [x, y] in points {
        out += &pairs(&[(0, "VERTEX"), (8, layer), (10, &x.to_string()), (20, &y.to_string())]);
    }
    out + &pairs(&[(0, "SEQEND")])
}

fn line(layer: &str, [a, b]: [[f64; 2]; 2]) -> String {
    let [ax, ay, bx, by] = [a[0], a[1], b[0], b[1]].map(|x| x.to_string());
    pairs(&[(0, "LINE"), (8, layer), (10, &ax), (20, &ay), (11, &bx), (21, &by)])
}

fn point(layer: &str, [x, y]: [f64; 2]) -> String {
    pairs(&[(0, "POINT"), (8, layer), (10, &x.to_string()), (20, &y.to_string())])
}

fn block(name: &str, size: &str, content: &str) -> String {
    let names = text(&format!("Piece Name: {name}")) + &text(&format!("Size: {size}"));
    pairs(&[(0, "BLOCK"), (8, "0"), (2, &format!("{name}_{size}")), (70, "64")])
        + &names
        + content
        + &pairs(&[(0, "ENDBLK")])
}

fn file(units: &str, blocks: &str) -> String {
    let [section, end] = [pairs(&[(0, "SECTION"), (2, "BLOCKS")]), pairs(&[(0, "ENDSEC")])];
    let entities = pairs(&[(0, "SECTION"), (2, "ENTITIES")]);
    let texts = text(&format!("UNITS: {units}")) + &text("SAMPLE SIZE: M");
    section + blocks + &end + &entities + &texts + &end + &pairs(&[(0, "EOF")])
}

/// 100 × 200 in the file's units, clockwise, as programs write it.
const SHEET: [[f64; 2]; 4] = [[50.0, 10.0], [50.0, 210.0], [150.0, 210.0], [150.0, 10.0]];

fn sheet() -> String {
    polyline("1", true, &SHEET) + &SHEET.map(|p| point("2", p)).concat()
}

fn open(text: &str, size: Option<&str>) -> Result<Pattern, String> {
    let choice = Choice { size: size.map(str::to_owned) };
    Pattern::read(&Source::new("a.dxf", text.as_bytes()), &choice).map_err(|error| error.to_string())
}

fn lengths(pattern: &Pattern, panel: usize) -> Vec<i64> {
    pattern.panels[panel].outline.iter().map(|edge| (edge.length() * 1e4).round() as i64).collect()
}

#[test]
fn a_piece_is_a_panel_in_metres_from_the_middle_of_its_lower_side() {
    for (units, scale) in [("METRIC", 0.001), ("ENGLISH", 0.0254)] {
        let pattern = open(&file(units, &block("front", "M", &sheet())), None).unwrap();
        assert_eq!((pattern.panels.len(), pattern.panels[0].name.as_str()), (1, "front"));
        let corners: Vec<[i64; 2]> =
            pattern.panels[0].outline.iter().map(|e| e.from.map(|x| (x / scale).round() as i64)).collect();
        // Counter-clockwise from the lower left.
        assert_eq!(corners, [[-50, 0], [50, 0], [50, 200], [-50, 200]], "{units}");
        assert!((pattern.panels[0].area() - 20_000.0 * scale * scale).abs() < 1e-9);
        assert!(pattern.notes.is_empty(), "{:?}", pattern.notes);
        assert_eq!(pattern.panels[0].grain, [0.0, 1.0]);
    }
    let unsaid = open(&file("FURLONGS", &block("front", "M", &sheet())), None).unwrap();
    assert_eq!(unsaid.notes, ["its units are \"furlongs\": taken as mm"]);
}

#[test]
fn of_several_sizes_the_sample_is_read_or_the_one_that_is_asked_for() {
    let smaller = polyline("1", true, &SHEET.map(|p| p.map(|x| 0.8 * x)));
    let blocks = block("front", "S", &smaller) + &block("front", "M", &sheet()) + &block("front", "L", &sheet());
    let text = file("METRIC", &blocks);
    let pattern = open(&text, None).unwrap();
    assert_eq!(lengths(&pattern, 0), [1000, 2000, 1000, 2000]);
    assert_eq!(pattern.notes, ["it has the sizes \"L\", \"M\", \"S\": \"M\" is read"]);
    assert_eq!(lengths(&open(&text, Some("S")).unwrap(), 0), [800, 1600, 800, 1600]);
    assert_eq!(
        open(&text, Some("XL")).unwrap_err(),
        "a.dxf: it has no size \"XL\", expected one of \"L\", \"M\", \"S\""
    );
}

#[test]
fn lines_that_meet_end_to_end_are_one_outline_and_turn_points_begin_its_edges() {
    // Three sides, the right one bowed, each drawn from another end.
    let bow: Vec<[f64; 2]> =
        (0..=20).map(|i| [150.0 + 2.0 * f64::from(i * (20 - i)) / 10.0, 10.0 * f64::from(i)]).collect();
    let content = polyline("1", false, &[[50.0, 200.0], [50.0, 0.0], [150.0, 0.0]])
        + &polyline("1", false, &bow)
        + &line("1", [[50.0, 200.0], [150.0, 200.0]])
        + &[[50.0, 0.0], [150.0, 0.0], [150.0, 200.0], [50.0, 200.0]].map(|p| point("2", p)).concat()
        + &point("4", [50.0, 120.0])
        + &polyline("8", false, &[[60.0, 20.0], [60.0, 180.0]])
        + &line("7", [[100.0, 150.0], [50.0, 100.0]])
        + &polyline("11", true, &[[90.0, 90.0], [110.0, 90.0], [110.0, 110.0], [90.0, 110.0]]);
    let pattern = open(&file("METRIC", &block("front", "M", &content)), None).unwrap();
    let panel = &pattern.panels[0];
    assert_eq!(panel.outline.len(), 4);
    assert!(matches!(&panel.outline[1].curve, Curve::Through { points } if points.len() == 19));
    assert!((panel.outline[1].length() - 0.2052).abs() < 1e-3, "{}", panel.outline[1].length());
    assert_eq!((panel.notches.len(), panel.lines.len(), panel.holes.len()), (1, 1, 1));
    let half = 0.5f64.sqrt();
    assert!((panel.grain[0] - half).abs() < 1e-12 && (panel.grain[1] - half).abs() < 1e-12, "{:?}", panel.grain);
    // The notch is on the left side, 12 cm up.
    let left = panel.outline[0].from[0];
    assert!((panel.notches[0][0] - left).abs() < 1e-9 && (panel.notches[0][1] - 0.12).abs() < 1e-9);
    // A hole of 2 × 2 cm is missing from its triangles.
    let sewn = SewnMesh::new(&pattern, 0.01).unwrap();
    let area: f64 = sewn.mesh.uv_triangles.iter().map(|t| area(t.map(|v| sewn.mesh.uvs[v as usize]))).sum();
    assert!((area - panel.area()).abs() < 2e-5, "{area} of {}", panel.area());
}

fn area([a, b, c]: [[f64; 2]; 3]) -> f64 {
    0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs()
}

#[test]
fn a_piece_on_a_fold_gets_its_other_half() {
    // Half a front, 100 wide below and 60 above, with its fold to the left, or to the right, or slanted.
    let half = [[0.0, 0.0], [100.0, 0.0], [60.0, 200.0], [0.0, 200.0]];
    for (mirror, turn) in [(1.0, 0.0f64), (-1.0, 0.0), (1.0, 0.4)] {
        let place = |[x, y]: [f64; 2]| {
            let (s, c) = turn.sin_cos();
            [c * mirror * x - s * y, s * mirror * x + c * y]
        };
        let at = half.map(place);
        let content = polyline("1", true, &at)
            + &at.map(|p| point("2", p)).concat()
            + &line("6", [at[3], at[0]])
            + &point("4", place([80.0, 100.0]))
            + &polyline("8", false, &[place([10.0, 10.0]), place([20.0, 50.0])]);
        let pattern = open(&file("METRIC", &block("front", "M", &content)), None).unwrap();
        let panel = &pattern.panels[0];
        assert_eq!(pattern.notes, ["piece \"front\" is cut on a fold: its other half is added"]);
        assert!((panel.area() - 0.032).abs() < 1e-9, "{}", panel.area());
        // The corners on the fold are none any more.
        let mut lengths = lengths(&pattern, 0);
        lengths.sort_unstable();
        assert_eq!(lengths, [1200, 2000, 2040, 2040], "{mirror} {turn}");
        assert_eq!((panel.notches.len(), panel.lines.len()), (2, 2));
    }
    // A fold line through the middle of a piece that is whole.
    let content = sheet() + &line("6", [[100.0, 10.0], [100.0, 210.0]]);
    let pattern = open(&file("METRIC", &block("front", "M", &content)), None).unwrap();
    assert_eq!(lengths(&pattern, 0), [1000, 2000, 1000, 2000]);
    assert!(pattern.notes[0].contains("no edge of its outline"), "{:?}", pattern.notes);
}

#[test]
fn the_line_that_is_sewn_goes_before_the_line_that_is_cut() {
    let inner = SHEET.map(|[x, y]| [100.0 + 0.9 * (x - 100.0), 110.0 + 0.9 * (y - 110.0)]);
    let pattern =
        open(&file("METRIC", &block("front", "M", &(sheet() + &polyline("14", true, &inner)))), None).unwrap();
    assert_eq!(lengths(&pattern, 0), [900, 1800, 900, 1800]);
    assert_eq!(pattern.notes, ["piece \"front\": its sewing line is taken, not the line it is cut along"]);
}

/// What a person sees of files that are broken.
#[test]
fn broken_files_are_told_with_line_and_piece() {
    let whole = |content: &str| file("METRIC", &block("front", "M", content));
    let folds = [line("6", [[50.0, 10.0], [50.0, 210.0]]), line("6", [[150.0, 10.0], [150.0, 210.0]])].concat();
    let many: Vec<[f64; 2]> = (0..30_000).map(|i| [f64::from(i), 0.0]).collect();
    for (text, expected) in [
        (String::new(), "the file is empty"),
        ("0\nSECTION\nx\nBLOCKS\n".into(), "line 3: found \"x\", expected the number of a group code"),
        ("0\nSECTION\n2".into(), "line 3: the file ends after a group code"),
        (" 12\nwords\n".into(), "it has no sections, expected DXF"),
        (file("METRIC", ""), "it has no pieces: no block with a line in it"),
        (whole(&sheet().replace("210", "NaN")), "line 48: found \"NaN\", expected a number"),
        (whole(&polyline("8", true, &SHEET)), "piece \"front\": it has no outline: no line on layer 1"),
        (whole(&polyline("1", false, &SHEET)), "piece \"front\": its outline is open by 10.00 cm at (0.050, 0.010) m"),
        (whole(&polyline("1", true, &SHEET[..2])), "piece \"front\": its outline has 2 points, expected 3 or more"),
        (whole(&(sheet() + &folds)), "piece \"front\": it has 2 fold lines, expected at most one"),
        (whole(&polyline("1", true, &many)), "piece \"front\": it has 30000 points, expected at most 20000"),
        (
            whole(&polyline("1", true, &SHEET.map(|p| p.map(|x| 1000.0 * x)))),
            "panel \"front\" is 200 m across, expected 0.005 to 20 m: are its units right?",
        ),
    ] {
        let said = open(&text, None).err().unwrap_or_else(|| "read without an error".into());
        assert_eq!(said, format!("a.dxf: {expected}"));
    }
    // Not a file of 20 times its size.
    assert!(open(&"0\nSECTION\n".repeat(1 << 21), None).unwrap_err().contains("larger than 16 MB"));
}

/// A garment of the piece above: a tube, closed at its top by both halves of one edge.
const GARMENT: &str = r#"
pattern = "a.dxf"

[[place]]
panel = "front"
translate = [0.0, 0.3, 0.0159]
wrap = 0.0159

[[seam]]
sides = [["front:1"], ["front:3"]]

[[seam]]
sides = [["front:2:0-0.5"], ["front:2:0.5-1"]]
"#;

fn sew(text: &str) -> Result<Pattern, String> {
    let dxf = file("METRIC", &block("front", "M", &sheet()));
    let files = |name: &str| match name {
        "a.dxf" => Ok(dxf.clone().into_bytes()),
        "self.toml" => Ok(text.as_bytes().to_vec()),
        _ => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
    };
    let source = Source::with_files("sack.toml", text.as_bytes(), &files);
    Pattern::read(&source, &Choice::default()).map_err(|error| error.to_string())
}

#[test]
fn a_garment_file_names_seams_of_a_dxf_and_parts_of_edges() {
    let pattern = sew(GARMENT).unwrap();
    assert_eq!(pattern.name, "sack");
    assert_eq!(lengths(&pattern, 0), [1000, 2000, 500, 500, 2000]);
    let sides: Vec<Vec<usize>> =
        pattern.seams.iter().flat_map(|s| &s.sides).map(|s| s.iter().map(|e| e.edge).collect()).collect();
    assert_eq!(sides, [[1], [4], [2], [3]]);
    // Around a cylinder of a circumference of 10 cm: its sides meet at the back.
    let place = pattern.panels[0].placement;
    let [left, right] = [[-0.05, 0.1], [0.05, 0.1]].map(|p| place.place(p));
    assert!((left[0] - right[0]).abs() < 2e-4 && (left[2] + 0.0159).abs() < 1e-4, "{left:?} {right:?}");
    assert_eq!(place.place([0.0, 0.1]), [0.0, 0.4, 0.0159]);
    let sewn = SewnMesh::new(&pattern, 0.01).unwrap();
    assert_eq!(sewn.seams.iter().map(Vec::len).collect::<Vec<_>>(), [21, 6]);
    let again = Pattern::read(&Source::new("p.json", pattern.to_json().as_bytes()), &Choice::default()).unwrap();
    assert_eq!((again.seams, again.panels.len()), (pattern.seams, 1));
    assert_eq!(again.panels[0].placement.wrap, 0.0159);
}

/// A panel that is left out takes its seams along, and the numbers of others go down.
#[test]
fn a_garment_file_leaves_panels_out() {
    let json = r#"{"format": "taut pattern 1", "name": "p", "panels": [PANEL0, PANEL1, PANEL2], "seams": [
        {"sides": [[{"panel": 0, "edge": 0}], [{"panel": 1, "edge": 0}]]},
        {"sides": [[{"panel": 1, "edge": 1}], [{"panel": 2, "edge": 1}]]}]}"#;
    let panel = |name: usize| {
        let edge = |a: [f64; 2], b: [f64; 2]| format!("{{\"from\": {a:?}, \"to\": {b:?}}}");
        let [a, b, c] = [[0.0, 0.0], [0.3, 0.0], [0.0, 0.3]];
        format!("{{\"name\": \"{name}\", \"outline\": [{}, {}, {}]}}", edge(a, b), edge(b, c), edge(c, a))
    };
    let json = (0..3).fold(json.to_owned(), |json, at| json.replace(&format!("PANEL{at}"), &panel(at)));
    let files = |_: &str| Ok(json.clone().into_bytes());
    let text = "pattern = \"p.json\"\nleave = [\"0\"]\n";
    let source = Source::with_files("sack.toml", text.as_bytes(), &files);
    let pattern = Pattern::read(&source, &Choice::default()).unwrap();
    assert_eq!(pattern.panels.iter().map(|panel| panel.name.as_str()).collect::<Vec<_>>(), ["1", "2"]);
    assert_eq!(pattern.seams.len(), 1);
    assert_eq!(pattern.seams[0].sides.iter().map(|side| side[0].panel).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn a_garment_file_has_panels_of_its_own() {
    let text = r#"
        [[panel]]
        name = "back"
        points = [[0, 0], [0.2, 0], [0.2, 0.3], [0, 0.3]]
        curves = [{ edge = 2, controls = [[0.1, 0.35]] }]
        [[panel]]
        name = "front: left"
        points = [[0, 0], [0.1, 0], [0.1, 0.3], [0, 0.3]]
        grain = [0, 2]
        [[seam]]
        sides = [["front: left:1"], ["back:3:0.5-1", "back:3:0-0.5"]]
    "#;
    let pattern = sew(text).unwrap();
    assert!(matches!(pattern.panels[0].outline[2].curve, Curve::Quadratic { .. }));
    assert_eq!(pattern.panels[1].grain, [0.0, 1.0]);
    assert_eq!(pattern.seams[0].sides[1].len(), 2);
}

#[test]
fn broken_garment_files_are_told_with_seam_and_panel() {
    let change = |from: &str, to: &str| {
        assert!(GARMENT.contains(from), "{from}");
        sew(&GARMENT.replace(from, to)).err().unwrap_or_else(|| "read without an error".into())
    };
    let wanted = "expected \"panel:edge\" or \"panel:edge:from-to\" with parts from 0 to 1";
    for (said, expected) in [
        (change("a.dxf", "b.dxf"), "b.dxf: cannot be read: entity not found".into()),
        (
            change("a.dxf", "self.toml"),
            "its pattern \"self.toml\" is a garment file itself, expected JSON or DXF".into(),
        ),
        (change("\"front:1\"", "\"hood:1\""), "seam 0: there is no panel \"hood\", expected one of \"front\"".into()),
        (
            change("\"front:1\"", "\"front:7\""),
            "seam 0: panel \"front\" has no edge 7 in its outline, expected 0 to 3".into(),
        ),
        (change("\"front:1\"", "\"front\""), format!("seam 0: found \"front\", {wanted}")),
        (change("0.5-1", "0.5-1.5"), format!("seam 1: found \"front:2:0.5-1.5\", {wanted}")),
        (change("0.5-1", "0.5-0.5"), format!("seam 1: found \"front:2:0.5-0.5\", {wanted}")),
        (
            change("0.5-1", "0.4-1"),
            "seam 1 (front edge 2 and front edge 3 to front edge 4 and front edge 3): front edge 3 is sewn to itself"
                .into(),
        ),
        (
            change("wrap = 0.0159", "wrap = -1.0"),
            "place of panel \"front\": expected finite numbers, and a wrap of 0 or more".into(),
        ),
    ] {
        assert_eq!(said, format!("sack.toml: {expected}"));
    }
    let unknown = change("wrap =", "wrapped =");
    assert!(unknown.contains("unknown field `wrapped`") && unknown.contains("line 7"), "{unknown}");
}
