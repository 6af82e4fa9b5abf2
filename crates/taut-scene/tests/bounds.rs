//! How far cloth may be stretched if nobody asks, and who may change it.

use taut::limit::{LimitKind, StretchBounds};
use taut_scene::fabric;
use taut_scene::scene::Scene;
use taut_scene::simulation::{Change, Simulation, Way};

/// A cloth of each kind: stiff, soft along the weft, of edges, of a fabric, of one without a direction, of moduli.
const SCENE: &str = r#"
[[cloth]]
name = "stiff"
generate = { kind = "sheet", nx = 4, ny = 4 }
[[cloth]]
name = "soft"
generate = { kind = "sheet", nx = 4, ny = 4 }
stiffness.weft = 0.3
[[cloth]]
name = "edges"
generate = { kind = "sheet", nx = 4, ny = 4 }
stiffness = { weft = 0, warp = 0, shear = 0, edge = 1 }
[[cloth]]
name = "cotton"
generate = { kind = "sheet", nx = 4, ny = 4 }
fabric = "cotton"
[[cloth]]
name = "leather"
generate = { kind = "sheet", nx = 4, ny = 4 }
fabric = "leather"
[[cloth]]
name = "moduli"
generate = { kind = "sheet", nx = 4, ny = 4 }
elastic = { weft = 100, warp = 50 }
"#;

fn open(more: &str, sets: &[&str]) -> Scene {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    Scene::parse("a.toml", &format!("{more}{SCENE}"), None, &sets).unwrap_or_else(|error| panic!("{error}"))
}

/// The bounds of each cloth, by what the engine is given.
fn bounds(scene: &Scene) -> Vec<(String, StretchBounds)> {
    let simulation = Simulation::new(scene, scene.precision(), 1).unwrap();
    simulation.tension().bodies.into_iter().map(|body| (body.name, body.bounds)).collect()
}

fn of(more: &str, sets: &[&str], name: &str) -> StretchBounds {
    let found = bounds(&open(more, sets)).into_iter().find(|(known, _)| known == name);
    found.unwrap_or_else(|| panic!("{name}")).1
}

const NONE: StretchBounds = StretchBounds::NONE;

#[test]
fn each_material_has_its_own() {
    assert_eq!(of("", &[], "stiff"), StretchBounds::threads(0.01));
    assert_eq!(of("", &[], "soft"), StretchBounds { warp: 0.01, ..NONE });
    assert_eq!(of("", &[], "edges"), StretchBounds { edge: 0.01, ..NONE });
    assert_eq!(of("", &[], "cotton"), fabric::named("cotton").unwrap().engine.stretch_bounds());
    let leather = fabric::named("leather").unwrap().engine.stretch_bounds();
    assert_eq!(of("", &[], "leather"), StretchBounds { any: leather.weft, shear: leather.shear, ..NONE });
    assert_eq!(of("", &[], "moduli"), NONE);
    // Only fabrics without a direction are bounded in all of them.
    let even: Vec<&str> = fabric::all()
        .iter()
        .map(|fabric| fabric.engine.name)
        .filter(|name| of("", &[&format!("cloth.cotton.fabric={name}")], "cotton").any.is_finite())
        .collect();
    assert_eq!(even, ["leather", "rubber"]);
}

#[test]
fn the_solver_changes_them_for_all_cloth() {
    let asked = "[solver]\nmax_stretch = \"2 %\"\nmax_shear = \"30 deg\"\n";
    let shear = 0.5;
    let near = |found: StretchBounds, expected: StretchBounds| {
        assert!((found.shear - expected.shear).abs() < 1e-12, "{found:?}");
        assert_eq!(StretchBounds { shear: expected.shear, ..found }, expected);
    };
    for name in ["stiff", "soft", "cotton", "moduli"] {
        near(of(asked, &[], name), StretchBounds { weft: 0.02, warp: 0.02, shear, ..NONE });
    }
    near(of(asked, &[], "edges"), StretchBounds { edge: 0.02, shear, ..NONE });
    near(of(asked, &[], "leather"), StretchBounds { any: 0.02, shear, ..NONE });
    // As fabrics have it, a number is a tangent.
    let tangent = of("", &["solver.max_shear=0.5"], "stiff").shear;
    assert!((tangent - of("", &[], "cotton").shear).abs() < 1e-15);
    for (_, bounds) in bounds(&open("", &["solver.max_stretch=off"])) {
        assert_eq!(bounds, NONE);
    }
    assert_eq!(of("", &["solver.max_shear=off"], "cotton").shear, f64::INFINITY);
    assert_eq!(of("", &["solver.max_stretch=0"], "stiff"), StretchBounds::threads(0.0), "nothing is a limit, too");
    // The unlimited ways are there by their names.
    for kind in ["pbd", "newton"] {
        assert!(
            bounds(&open("", &[&format!("solver.kind={kind}")])).iter().all(|(_, bounds)| *bounds == NONE),
            "{kind}"
        );
    }
}

#[test]
fn limits_take_the_place_of_what_they_name() {
    let stiff = "[[limit]]\nkind = \"stretch\"\nbodies = [\"stiff\"]\n";
    let wide = of(&format!("{stiff}weft = \"5 %\"\nshear = \"20 deg\"\n"), &[], "stiff");
    assert_eq!((wide.weft, wide.warp), (0.05, 0.01));
    assert!((wide.shear - 20f64.to_radians().sin()).abs() < 1e-12);
    assert_eq!(of(&format!("{stiff}weft = \"5 %\"\n"), &[], "soft").warp, 0.01, "others keep theirs");
    assert_eq!(of(&format!("{stiff}weft = \"off\"\n"), &[], "stiff"), StretchBounds { warp: 0.01, ..NONE });
    assert_eq!(
        of(&format!("{stiff}any = 0.1\n"), &[], "stiff"),
        StretchBounds { any: 0.1, ..StretchBounds::threads(0.01) }
    );
    // Limiters that act in substeps loosen and tighten, too.
    let csl = of("[[limit]]\nbodies = [\"stiff\"]\nweft = \"4 %\"\n", &[], "stiff");
    assert_eq!(csl, StretchBounds { weft: 0.04, warp: 0.01, ..NONE });
    let short = of("[[limit]]\nbodies = [\"stiff\"]\nweft = { compression = \"4 %\" }\n", &[], "stiff");
    assert_eq!(short, StretchBounds { weft_shorter: 0.04, ..StretchBounds::threads(0.01) }, "beside tension");
    let leather = of("[[limit]]\nbodies = [\"leather\"]\nweft = 0.5\n", &[], "leather");
    let (own, none) = (of("", &[], "leather").any, f64::INFINITY);
    assert_eq!((leather.any, leather.weft, leather.warp), (none, 0.5, own), "the other thread keeps its bound");
    let both = "[[limit]]\nbodies = [\"leather\"]\nweft = 0.5\n[[limit]]\nbodies = [\"leather\"]\nwarp = 0.4\n";
    let leather = of(both, &[], "leather");
    assert_eq!((leather.any, leather.weft, leather.warp), (none, 0.5, 0.4));
    // Over what the solver says, too.
    let both = of(&format!("{stiff}weft = 0.3\n"), &["solver.max_stretch=0.02"], "stiff");
    assert_eq!(both, StretchBounds { weft: 0.3, warp: 0.02, ..NONE });
}

#[test]
fn cloth_with_the_same_bounds_shares_a_limiter() {
    let text = "[[cloth]]\nname = \"a\"\ngenerate = \"sheet\"\n[[cloth]]\nname = \"b\"\ngenerate = \"sheet\"\n";
    let scene = Scene::parse("a.toml", text, None, &[]).unwrap();
    let limits = scene.settings.limits();
    assert!(matches!(limits[..], [taut::limit::LimitSpec { kind: LimitKind::Stretch(_), .. }]), "{limits:?}");
    assert_eq!(limits[0].bodies, [0, 1]);
}

#[test]
fn what_cannot_be_a_limit_is_refused() {
    for (set, part) in [
        ("solver.max_stretch=-1", "from 0 to 100"),
        ("solver.max_stretch=\"two\"", "or \"off\""),
        ("solver.max_shear=\"90 deg\"", "20 deg"),
        ("solver.max_shear=\"5 %\"", "20 deg"),
    ] {
        let error = Scene::parse("a.toml", SCENE, None, &[set.to_owned()]).unwrap_err().to_string();
        assert!(error.contains(part), "{set}: {error}");
    }
    let nothing = format!("[[limit]]\nkind = \"stretch\"\n{SCENE}");
    assert!(Scene::parse("a.toml", &nothing, None, &[]).is_err());
}

#[test]
fn limits_change_under_way() {
    let scene = open("", &[]);
    let mut simulation = Simulation::new(&scene, scene.precision(), 1).unwrap();
    simulation.advance();
    let changed = open("", &["solver.max_stretch=0.03"]);
    assert_eq!(simulation.change(&changed, 1).unwrap(), Change::Kept);
    let bounds = |simulation: &Simulation| simulation.tension().bodies[0].bounds;
    assert_eq!(bounds(&simulation), StretchBounds::threads(0.03));
    simulation.change(&open("", &["solver.max_stretch=off"]), 1).unwrap();
    assert_eq!(bounds(&simulation), NONE);
    simulation.change(&scene, 1).unwrap();
    assert_eq!(Way::Weft.bound(&bounds(&simulation)), 0.01);
    assert_eq!(simulation.metrics().limit, None, "nothing acts in substeps");
}
