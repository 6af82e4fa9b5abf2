//! Pins that go along with a body that deforms, and bodies of which parts are left out.

mod common;

use common::{TempDir, gltf};
use std::fs;
use taut_scene::scene::Scene;
use taut_scene::simulation::Simulation;

/// A figure in a folder: the angles by which hip, arm and chest turn within a second.
fn figure(name: &str, angles: [f32; 3]) -> TempDir {
    let dir = TempDir::new(name);
    fs::write(dir.0.join("figure.glb"), gltf::figure(angles).glb()).unwrap();
    dir
}

/// A hoop of cloth around the hip, held at its waist, which is at y = 0.35 m; without gravity. On one side it passes
/// between the trunk and the arm, and is nearer to the arm.
fn scene(follow: &str, shape: &str) -> String {
    format!(
        r#"
[time]
frames = 60
[world]
gravity = [0, 0, 0]
[contact]
on = false
[[cloth]]
name = "skirt"
generate = {{ kind = "skirt", top_radius = 0.125, bottom_radius = 0.125, height = 0.1, around = 48, along = 4, centre = [0, 0.3, 0] }}
[[pin]]
body = "skirt"
select = "waist"
follow = {follow}
[[collider]]
name = "man"
shape = {{ kind = "mesh", mesh = "figure.glb"{shape} }}
"#
    )
}

fn try_build(dir: &TempDir, text: &str) -> Result<Simulation, String> {
    let scene = Scene::parse("test.toml", text, Some(&dir.0), &[]).map_err(|error| error.to_string())?;
    Simulation::new(&scene, scene.precision(), 1).map_err(|error| error.to_string())
}

fn build(dir: &TempDir, text: &str) -> Simulation {
    try_build(dir, text).unwrap_or_else(|error| panic!("{error}"))
}

/// Where the held vertices are at the start and after a second, m.
fn held(dir: &TempDir, text: &str) -> [Vec<[f64; 3]>; 2] {
    let mut simulation = build(dir, text);
    let start = simulation.pinned_positions();
    (0..60).for_each(|_| drop(simulation.advance()));
    [start, simulation.pinned_positions()]
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

/// The largest change of a distance between neighbours in a ring, over that distance.
fn torn([start, end]: &[Vec<[f64; 3]>; 2]) -> f64 {
    let n = start.len();
    let change = |k: usize| distance(end[k], end[(k + 1) % n]) / distance(start[k], start[(k + 1) % n]) - 1.0;
    (0..n).map(change).fold(0.0, f64::max)
}

/// Where a point on the hip goes when the hip turns by a right angle about y and rises by 0.1 m.
fn with_the_hip([x, y, z]: [f64; 3]) -> [f64; 3] {
    [z, y + 0.1, -x]
}

fn largest_miss(found: &[[f64; 3]], expected: impl Iterator<Item = [f64; 3]>) -> f64 {
    found.iter().zip(expected).map(|(&found, expected)| distance(found, expected)).fold(0.0, f64::max)
}

/// The hand that swings beside the hip takes nothing along, and the waist is where it is worn: unless each vertex goes
/// with the triangle it happens to be nearest to, and no limit keeps them together.
#[test]
fn a_waistband_stays_on_the_hip_and_whole() {
    let dir = figure("waist", [90.0, 80.0, 0.0]);
    for follow in ["\"man\"", "{ collider = \"man\" }", "{ collider = \"man\", by = \"together\" }"] {
        let both = held(&dir, &scene(follow, ""));
        assert!(torn(&both) < 1e-5, "{follow}: {}", torn(&both));
        let miss = largest_miss(&both[1], both[0].iter().map(|&p| with_the_hip(p)));
        assert!(miss < 1e-5, "{follow}: {miss} m");
    }
    let both = held(&dir, &scene("{ collider = \"man\", by = \"blend\", radius = 0.08 }", ""));
    let miss = largest_miss(&both[1], both[0].iter().map(|&p| with_the_hip(p)));
    assert!(miss < 1e-5, "the skin around each is all of the hip: {miss} m");
    let text = scene("{ collider = \"man\", by = \"triangle\" }", "");
    let both = held(&dir, &text.replace("[world]", "[solver]\nmax_stretch = \"off\"\n[world]"));
    assert!(torn(&both) > 1.0, "{}", torn(&both));
    let both = held(&dir, &text.replace("[world]", "[solver]\nmax_stretch = 0.02\n[world]"));
    assert!(torn(&both) < 0.0201, "a limit holds between pins: {}", torn(&both));
}

/// Where the skin itself bends, a blend bends too and stretches less than the skin, and a piece stays a piece.
#[test]
fn a_band_over_a_bend_is_stretched_by_triangles_most_and_not_at_all_together() {
    let dir = figure("bend", [0.0, 0.0, 40.0]);
    let at = |by: &str, limit: &str| {
        let text = scene(&format!("{{ collider = \"man\", by = {by} }}"), "").replace("0.3, 0] }", "0.55, 0] }");
        let text = text.replace("[world]", &format!("[solver]\nmax_stretch = {limit}\n[world]"));
        // All of it is held: rows of which neighbours lean by different angles.
        let text = text.replace("select = \"waist\"", "select = \"all\"");
        let mut simulation = build(&dir, &text);
        let start = simulation.positions(0);
        (0..60).for_each(|_| drop(simulation.advance()));
        let end = simulation.positions(0);
        let edges = simulation.objects()[0].surface.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let change = |[a, b]: [u32; 2]| {
            let [a, b] = [a as usize, b as usize];
            distance(end[a], end[b]) / distance(start[a], start[b]) - 1.0
        };
        edges.map(change).fold(0.0, f64::max)
    };
    let [together, wide, narrow, triangle] =
        ["\"together\"", "\"blend\", radius = 0.3", "\"blend\", radius = 0.05", "\"triangle\""]
            .map(|by| at(by, "\"off\""));
    assert!(together < 1e-5, "{together}");
    assert!(wide > 0.01 && wide < 0.7 * narrow && wide < 0.7 * triangle, "{wide} {narrow} {triangle}");
    let kept = at("\"blend\", radius = 0.05", "0.02");
    assert!(kept < 0.02 && kept > 0.005, "a limit holds between pins, too: {kept}");
}

#[test]
fn a_part_can_be_followed_by_the_name_of_a_bone_or_material() {
    let dir = figure("part", [0.0, 90.0, 0.0]);
    // The arm turns about (0.16, 0.45): what was below it is then to its right, and 0.1 m higher with the hip.
    let expected = |[x, y, z]: [f64; 3]| [0.16 - (y - 0.45), 0.45 + (x - 0.16) + 0.1, z];
    for (by, part) in [("together", "arm"), ("blend", "sleeve"), ("triangle", "a*m")] {
        let follow = format!("{{ collider = \"man\", by = \"{by}\", only = [\"{part}\"] }}");
        let [start, end] = held(&dir, &scene(&follow, ""));
        let miss = largest_miss(&end, start.iter().map(|&p| expected(p)));
        assert!(miss < 1e-5, "{follow}: {miss} m");
    }
}

#[test]
fn names_that_no_part_has_are_told_with_those_there_are() {
    let dir = figure("names", [0.0; 3]);
    let said = |follow: &str, shape: &str| try_build(&dir, &scene(follow, shape)).err().unwrap_or_default();
    let error = said("{ collider = \"man\", only = [\"hip\", \"arms\"] }", "");
    for text in [
        "`pin.0.follow.only.1` is \"arms\", but collider \"man\" has no part called that",
        "did you mean `arm`?",
        "its nodes: \"figure\"",
        "its materials: \"skin\", \"sleeve\"",
        "its bones: \"hip\", \"chest\", \"arm\"",
    ] {
        assert!(error.contains(text), "{error}");
    }
    let error = said("\"man\"", ", without = [\"leg*\"]");
    assert!(error.contains("is \"leg*\", but figure.glb has no part called that"), "{error}");
    let error = said("\"man\"", ", without = [\"*\"]");
    assert!(error.contains("without` leaves nothing of figure.glb"), "{error}");
    assert!(said("{ collider = \"women\" }", "").contains("`pin.0.follow.collider` is \"women\""));
    assert!(said("3", "").contains("the name of a collider, or a table"));
    assert!(said("{ collider = \"man\", by = \"bone\" }", "").contains("together"));
}

/// Without its arm the figure has the trunk's triangles and vertices, and they move as they did.
#[test]
fn parts_are_left_out() {
    let dir = figure("without", [90.0, 80.0, 20.0]);
    let whole = build(&dir, &scene("\"man\"", ""));
    for names in ["[\"arm\"]", "[\"sleeve\"]", "[\"*r*m*\"]"] {
        let part = build(&dir, &scene("\"man\"", &format!(", without = {names}")));
        let ([a], [b]) = (whole.colliders(), part.colliders()) else { panic!() };
        assert_eq!((a.mesh.triangles.len(), b.mesh.triangles.len()), (2 * 768, 768), "{names}");
        for time in [0.0, 0.6] {
            let (all, left) = (a.positions(time), b.positions(time));
            assert_eq!(left.len(), 17 * 24);
            for (t, u) in a.mesh.triangles.iter().zip(&b.mesh.triangles) {
                assert_eq!(t.map(|v| all[v as usize]), u.map(|v| left[v as usize]));
            }
        }
    }
}

#[test]
fn an_animation_can_begin_anew() {
    let dir = figure("loop", [90.0, 0.0, 0.0]);
    let (once, again) =
        (build(&dir, &scene("\"man\"", "")), build(&dir, &scene("\"man\"", ", loop = true, start = 0.5")));
    let at = |simulation: &Simulation, time: f64| simulation.colliders()[0].positions(time)[5];
    let near = |a: [f64; 3], b: [f64; 3]| distance(a, b) < 1e-9;
    assert!(near(at(&once, 1.3), at(&once, 1.0)) && !near(at(&once, 0.3), at(&once, 1.0)));
    for (time, into) in [(0.2, 0.7), (0.8, 0.3), (1.6, 0.1), (7.75, 0.25)] {
        assert!(near(at(&again, time), at(&once, into)), "{time}");
    }
    let fast = build(&dir, &scene("\"man\"", ", loop = true, start = 0.5, speed = 4"));
    for (time, into) in [(0.5, 0.0), (0.6, 0.4), (0.85, 0.4), (0.4, 0.6)] {
        assert!(near(at(&fast, time), at(&once, into)), "{time}, four times as fast");
    }
    let slow = build(&dir, &scene("\"man\"", ", speed = 0.5"));
    assert!(near(at(&slow, 1.2), at(&once, 0.6)) && near(at(&slow, 3.0), at(&once, 1.0)));
}

/// One vertex, two, and some in a line: a piece for each, and nothing that is not finite.
#[test]
fn few_pins_and_pins_in_a_line_follow_too() {
    let dir = figure("few", [90.0, 0.0, 0.0]);
    for select in [
        "{ indices = [0] }",
        "{ indices = [0, 1] }",
        "{ indices = [0, 24] }",
        "{ nearest = [[0.125, 0.35, 0], [0.125, 0.25, 0]] }",
    ] {
        for by in ["together", "blend"] {
            let text = scene(&format!("{{ collider = \"man\", by = \"{by}\", only = [\"hip\"] }}"), "");
            let text = text.replace("select = \"waist\"", &format!("select = {select}"));
            let [start, end] = held(&dir, &text);
            let miss = largest_miss(&end, start.iter().map(|&p| with_the_hip(p)));
            assert!(miss < 1e-5, "{select} {by}: {miss} m");
        }
    }
}

/// What will go wrong is said before it does, with the frame and the place.
#[test]
fn pins_that_will_be_pulled_apart_are_told_beforehand() {
    let dir = figure("told", [0.0, 80.0, 0.0]);
    let warnings = |by: &str| build(&dir, &scene(&format!("{{ collider = \"man\", by = \"{by}\" }}"), "")).warnings();
    let said = |by: &str| warnings(by).into_iter().filter(|text| text.contains("pin.0.follow")).collect::<Vec<_>>();
    let [text] = &said("triangle")[..] else { panic!("{:?}", warnings("triangle")) };
    assert!(
        text.contains("pulls its vertices apart, by")
            && text.contains("in frame 59 between 9 and 10")
            && text.contains("(0.1181, 0.3500"),
        "{text}"
    );
    assert_eq!(said("together"), [""; 0]);
    // All around a trunk that bends by a right angle as one piece: the skin goes its own way.
    let dir = figure("strayed", [0.0, 0.0, 90.0]);
    let text = scene("\"man\"", "").replace("select = \"waist\"", "select = \"all\"");
    let told = build(&dir, &text.replace("height = 0.1", "height = 0.6").replace("0.3, 0] }", "0.45, 0] }")).warnings();
    assert!(told.iter().any(|text| text.contains("against what follows it together, in frame 59")), "{told:?}");
}
