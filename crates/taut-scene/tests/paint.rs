//! Painted maps: read from every format, selected by, and blended into material and limits.

mod common;

use common::{TempDir, gltf::Maker, read};
use serde_json::json;
use std::fs;
use taut_scene::read::Map;
use taut_scene::scene::Scene;
use taut_scene::simulation::{Simulation, Way};

fn map<'a>(maps: &'a [Map], name: &str) -> &'a [f32] {
    let names: Vec<&str> = maps.iter().map(|map| map.name.as_str()).collect();
    &maps.iter().find(|map| map.name == name).unwrap_or_else(|| panic!("{name} is not among {names:?}")).values
}

/// A square as Blender writes it: vertices along the diagonal are there twice, for their normals.
fn square(pin: &[f32]) -> Maker {
    let mut m = Maker::new();
    let position = m.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.]);
    let indices = m.shorts("SCALAR", &[0, 1, 2, 3, 4, 5]);
    let pin = m.floats("SCALAR", pin);
    let colour = m.floats("VEC4", &[0.25, 0., 0., 1.].repeat(6));
    let flow = m.floats("VEC3", &[1., 2., 3.].repeat(6));
    let attributes = json!({"POSITION": position, "_PIN": pin, "COLOR_0": colour, "_FLOW": flow});
    m.set("meshes", json!([{"primitives": [{"attributes": attributes, "indices": indices}]}]));
    m.set("nodes", json!([{"name": "sheet", "mesh": 0}]));
    m
}

#[test]
fn maps_come_out_of_every_format() {
    let file = read("a.glb", &square(&[0.0, 0.5, 1.0, 0.5, 0.75, 1.0]).glb()).unwrap();
    assert_eq!(map(&file.maps, "_PIN"), [0.0, 0.5, 1.0, 0.75], "the vertices that became one have one value");
    assert_eq!((map(&file.maps, "COLOR_0.r"), map(&file.maps, "COLOR_0.a")), (&[0.25; 4][..], &[1.0; 4][..]));
    assert_eq!(map(&file.maps, "_FLOW.z"), [3.0; 4]);
    assert!(file.warnings.is_empty(), "{:?}", file.warnings);
    let mixed = read("a.glb", &square(&[0.0, 0.5, 1.0, 0.4, 0.75, 1.0]).glb()).unwrap();
    assert_eq!(mixed.warnings, ["1 vertex has several colours or other numbers at one place: the first count"]);

    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
               property float nx\nproperty uchar red\nproperty float pin\nelement face 1\n\
               property list uchar int vertex_indices\nend_header\n0 0 0 1 255 0.5\n1 0 0 1 51 nan\n0 1 0 1 0 2\n3 0 1 2\n";
    let file = read("a.ply", ply.as_bytes()).unwrap();
    assert_eq!((map(&file.maps, "red"), file.maps.len()), (&[1.0, 0.2, 0.0][..], 2));
    let pin = map(&file.maps, "pin");
    assert!(pin[0] == 0.5 && pin[1].is_nan() && pin[2] == 2.0);

    let obj = "v 0 0 0 0.1 0.2 0.3\nv 1 0 0 1 0 0\nv 0 1 0 1.0 0.5 0.25 0.125\nusemtl red wool\nf 1 2 3\n";
    let file = read("a.obj", obj.as_bytes()).unwrap();
    assert_eq!(map(&file.maps, "green"), [0.2, 0.0, 0.25], "with a weight before it the colour is last");
    assert_eq!(file.parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>(), ["red wool"]);
    let some = read("a.obj", b"v 0 0 0 1 1 1\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    assert_eq!(
        (some.maps.len(), &some.warnings[..]),
        (0, &["1 of 3 vertices have a colour: they are ignored".to_owned()][..])
    );
}

#[test]
fn groups_that_blender_wrote_as_faces_are_told() {
    let faces = "v 0 0 0\nv 1 0 0\nv 0 1 0\ng waist\nf 1 2 3\n";
    let file = read("a.obj", format!("# Blender 4.2.0\n{faces}").as_bytes()).unwrap();
    assert!(file.warnings.iter().any(|text| text.contains("its groups are sets of faces")), "{:?}", file.warnings);
    assert!(read("a.obj", faces.as_bytes()).unwrap().warnings.is_empty());
}

/// A hanging sheet from a file: 9 × 9 vertices of 1 m, held by what is painted; `more` are lines of its cloth.
fn hanging(dir: &TempDir, select: &str, more: &str) -> String {
    let mut ply = "ply\nformat ascii 1.0\nelement vertex 81\nproperty float x\nproperty float y\nproperty float z\n\
                   property float s\nproperty float t\nproperty float pin\nproperty float right\nproperty float none\n\
                   element face 64\nproperty list uchar int vertex_indices\nend_header\n"
        .to_owned();
    for k in 0..81 {
        let (x, y) = (f64::from(k % 9) / 8.0, f64::from(k / 9) / 8.0);
        ply += &format!("{x} {y} 0 {x} {y} {} {x} 0\n", f64::from(u8::from(k / 9 == 8)));
    }
    for k in (0..72).filter(|k| k % 9 < 8) {
        ply += &format!("4 {k} {} {} {}\n", k + 1, k + 10, k + 9);
    }
    fs::write(dir.0.join("sheet.ply"), ply).unwrap();
    format!(
        "[time]\nfps = 24\nframes = 24\n[contact]\non = false\n[[cloth]]\nname = \"sheet\"\nmesh = \"sheet.ply\"\n{more}\n\
         [[pin]]\nbody = \"sheet\"\nselect = {select}\n"
    )
}

fn try_build(dir: &TempDir, text: &str) -> Result<Simulation, String> {
    let scene = Scene::parse("test.toml", text, Some(&dir.0), &[]).map_err(|error| error.to_string())?;
    Simulation::new(&scene, scene.precision(), 1).map_err(|error| error.to_string())
}

fn build(dir: &TempDir, text: &str) -> Simulation {
    try_build(dir, text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_map_selects() {
    let dir = TempDir::new("select");
    fs::write(dir.0.join("own.csv"), (0..81).map(|k| format!("{k}\n")).collect::<String>()).unwrap();
    let own = "maps = [{ name = \"own\", file = \"own.csv\" }]";
    for (select, expected) in [
        ("{ map = \"pin\" }", 9),
        ("{ map = \"_Pin\", above = 0.99 }", 9),
        ("{ map = \"right\", above = 0.8 }", 18),
        ("{ map = \"right\", above = 0.2, below = 0.3 }", 9),
        ("{ map = \"right\", below = 0.1 }", 9),
        ("{ map = \"own\", above = 70.5 }", 10),
        ("{ map = \"own\", above = 70.5, every = 5 }", 2),
    ] {
        let simulation = build(&dir, &hanging(&dir, select, own));
        assert_eq!(simulation.pinned_positions().len(), expected, "{select}");
    }
    let said = |select: &str, more: &str| try_build(&dir, &hanging(&dir, select, more)).err().unwrap_or_default();
    let error = said("{ map = \"pni\" }", "");
    assert!(error.contains("`pin.0.select.map` is \"pni\", but there is no map called that"), "{error}");
    assert!(error.contains("did you mean `pin`?") && error.contains("its maps: pin, right, none"), "{error}");
    assert!(said("{ map = \"none\" }", "").contains("picks none of the 81 vertices"));
    fs::write(dir.0.join("short.csv"), "1\n2\n").unwrap();
    let error = said("\"all\"", "maps = [{ name = \"own\", file = \"short.csv\" }]");
    assert!(error.contains("short.csv has 2 numbers, but the mesh has 81 vertices"), "{error}");
    fs::write(dir.0.join("nan.csv"), "nan\n".repeat(81)).unwrap();
    let nan = "maps = [{ name = \"own\", file = \"nan.csv\" }]";
    assert!(said("{ map = \"own\" }", nan).contains("the map \"own\" is NaN at vertex 0; expected a number"));
    assert!(
        said("\"all\"", "vary = [{ map = \"soft\", density = [1, 2] }]")
            .contains("`cloth.sheet.vary.0.map` is \"soft\"")
    );
    let empty = said("\"all\"", "vary = [{ map = \"pin\" }]");
    assert!(empty.contains("`cloth.sheet.vary.0` varies nothing"), "{empty}");
}

#[test]
fn maps_that_nothing_uses_are_told() {
    let dir = TempDir::new("unused");
    let told = |more: &str| {
        let warnings = build(&dir, &hanging(&dir, "{ map = \"pin\" }", more)).warnings();
        warnings.into_iter().filter(|text| text.contains("nothing uses")).collect::<Vec<_>>()
    };
    let all = told("");
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all[0].starts_with("nothing uses the map \"right\" of \"sheet\" (0 to 1)"), "{all:?}");
    assert_eq!(told("vary = [{ map = \"right\", density = [1, 2] }]").len(), 1);
}

/// Along a soft sheet under a heavy load a painted limit is reached and not passed, each column its own.
#[test]
fn a_limit_that_is_painted_is_kept_everywhere() {
    let dir = TempDir::new("limit");
    let soft = "density = 4\nelastic = { weft = 30, warp = 30, shear = 10 }\n\
                vary = [{ map = \"right\", max_warp = [\"1 %\", \"10 %\"] }]";
    let mut simulation = build(&dir, &hanging(&dir, "{ map = \"pin\" }", soft));
    let mut most = [0.0_f64; 8];
    for _ in 0..24 {
        simulation.advance();
        let (places, object) = (simulation.positions(0), &simulation.objects()[0]);
        for triangle in &object.info.triangles {
            let at = |k: usize| (object.info.rest[triangle[k] as usize], places[triangle[k] as usize]);
            // Every triangle of the grid has one side along y: its strain is that of the warp.
            let sides = [[0, 1], [1, 2], [2, 0]].map(|[a, b]| [at(a), at(b)]);
            let [a, b] = *sides.iter().find(|[a, b]| a.0[0] == b.0[0]).unwrap();
            let length = |p: [f64; 3], q: [f64; 3]| (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
            let strain = length(a.1, b.1) / length(a.0, b.0) - 1.0;
            let right = (0..3).map(|k| at(k).0[0]).sum::<f64>() / 3.0;
            let limit = 0.01 + 0.09 * right;
            assert!(strain <= 1.01 * limit, "{strain} at x = {right}, where it may be {limit}");
            let column = (8.0 * right) as usize;
            most[column] = most[column].max(strain / limit);
        }
    }
    assert!(most.iter().all(|&used| used > 0.8), "limits that nothing reaches show nothing: {most:?}");
    let log = simulation.tension_log();
    assert!(log.missed().is_empty(), "{:?}", log.missed().len());
    assert!((log.bodies[0].bounds.warp - 0.1).abs() < 1e-12, "the loosest of it holds for the whole");
    assert!(log.bodies[0].way(Way::Warp).most.peak.value > 0.08);
}

/// Mass, stiffness and rest lengths differ from left to right: so does how far a sheet hangs.
#[test]
fn material_that_is_painted_differs_from_place_to_place() {
    let dir = TempDir::new("material");
    let elastic = "density = 1\nelastic = { weft = 200, warp = 200, shear = 60 }\n";
    // How far the middle of the left and of the right edge is below the top, after a while.
    let drop = |vary: &str| {
        let text =
            hanging(&dir, "{ map = \"pin\" }", &format!("{elastic}{vary}")).replace("frames = 24", "frames = 48");
        let mut simulation = build(&dir, &(text + "[air]\ndensity = 20\n"));
        (0..48).for_each(|_| drop(simulation.advance()));
        let p = simulation.positions(0);
        [1.0 - p[0][1], 1.0 - p[8][1]]
    };
    let [left, right] = drop("");
    assert!((left - right).abs() < 0.005, "{left} {right}");
    for (vary, more) in [
        ("density = [1, 3]", true),
        ("warp = [1, 0.3]", true),
        ("rest_warp = [1, 1.1]", true),
        ("warp = [1, 4]", false),
    ] {
        let [left, right] = drop(&format!("vary = [{{ map = \"right\", {vary} }}]"));
        assert!(if more { right > left + 0.02 } else { right < left - 0.01 }, "{vary}: {left} {right}");
    }
}

#[test]
fn files_with_z_up_in_other_units_or_with_open_seams_are_set_right_by_a_key() {
    let dir = TempDir::new("frame");
    // Two squares beside each other that share no vertex, upright along z, in centimetres.
    let square = |x: u32| format!("v {x} 0 0\nv {} 0 0\nv {} 0 100\nv {x} 0 100\n", x + 100, x + 100);
    fs::write(dir.0.join("a.obj"), square(0) + &square(100) + "f 1 2 3 4\nf 5 6 7 8\n").unwrap();
    let text = |keys: &str| {
        format!(
            "[[cloth]]\nmesh = \"a.obj\"\n{keys}\n[[collider]]\nshape = {{ kind = \"mesh\", mesh = \"a.obj\", up = \"z\", unit = \"cm\" }}\n"
        )
    };
    let simulation = build(&dir, &text("up = \"z\"\nunit = \"cm\"\nweld = 0\ntranslate = [0, 0, 3]"));
    let rest = &simulation.objects()[0].info.rest;
    assert_eq!(rest[..4], [[0., 0., 3.], [1., 0., 3.], [1., 1., 3.], [0., 1., 3.]]);
    assert_eq!(rest.len(), 6);
    assert_eq!(simulation.colliders()[0].positions(0.0)[6], [2.0, 1.0, 0.0]);
    // What is at exactly one place is sewn if nothing is said.
    for (weld, left) in [("", 6), ("weld = \"off\"", 8)] {
        let plain = build(&dir, &text(weld));
        assert_eq!((plain.objects()[0].info.rest[2], plain.objects()[0].info.rest.len()), ([100.0, 0.0, 100.0], left));
    }
}

/// Where the map is 0 a cloth is as damped as it says, where it is 1 a painted factor of nothing leaves it undamped.
#[test]
fn damping_is_painted() {
    let dir = TempDir::new("damping");
    fs::write(dir.0.join("ones.csv"), "1\n".repeat(81)).unwrap();
    let swung = |damping: &str, vary: &str| {
        let more =
            format!("maps = [{{ name = \"ones\", file = \"ones.csv\" }}]\n{vary}\n[cloth.damping]\nwarp = {damping}");
        let mut simulation = build(&dir, &hanging(&dir, "{ map = \"pin\" }", &more));
        (0..8).for_each(|_| drop(simulation.advance()));
        simulation.state_hash()
    };
    let [damped, free] = [swung("20.0", ""), swung("0.0", "")];
    assert_ne!(damped, free);
    assert_eq!(swung("20.0", "vary = [{ map = \"none\", damping = [1, 0] }]"), damped);
    assert_eq!(swung("20.0", "vary = [{ map = \"ones\", damping = [1, 0] }]"), free);
}
