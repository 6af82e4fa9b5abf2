//! `[[limit]]` in scene files.

use taut::limit::{ApslSettings, Band, CslMotion, CslScheme, LimitKind, StrainLimits};
use taut_scene::fabric;
use taut_scene::scene::Scene;
use taut_scene::simulation::Simulation;

const BODIES: &str = r#"
[[cloth]]
name = "sheet"
generate = { kind = "sheet", nx = 9, ny = 9, plane = "upright" }
elastic = { weft = 5, bend = 1e-6, damping = { stretch = 0.05 } }
[[cloth]]
name = "jeans"
generate = { kind = "sheet", nx = 9, ny = 9 }
translate = [5.0, 0.0, 0.0]
fabric = "denim"
[[solid]]
name = "ball"
generate = "ball"
translate = [0.0, 0.0, 5.0]
[[pin]]
body = "sheet"
select = "top"
"#;

fn open(limits: &str) -> Scene {
    Scene::parse("a.toml", &format!("{BODIES}{limits}"), None, &[]).unwrap()
}

#[test]
fn limits_are_fractions_or_percent_and_stack_in_order() {
    let scene = open(
        r#"
        [[limit]]
        weft = "4 %"
        warp = { tension = 0.1, compression = "2%" }
        shear = 0.2
        method = "jacobi"
        motion = "paper"
        iterations = 7
        tolerance = "0.5 %"
        [[limit]]
        kind = "volume"
        bodies = ["ball"]
        change = "1 %"
        [[limit]]
        kind = "edges"
        bodies = ["ball", "sheet"]
        strain = { compression = 0.2 }
        [[limit]]
        kind = "rate"
        weft = "50 %/s"
        warp = { tension = 3 }
        "#,
    );
    let specs = scene.settings.limits();
    let LimitKind::Csl(limits, settings) = specs[0].kind else { panic!("{specs:?}") };
    let expected =
        StrainLimits { weft: Band::upto(0.04), warp: Band { least: -0.02, most: 0.1 }, shear: Band::both(0.2) };
    assert_eq!(limits, expected);
    assert_eq!((settings.scheme, settings.motion), (CslScheme::Jacobi { held: 1.0 }, CslMotion::PAPER));
    assert_eq!((settings.sweeps.iterations, settings.sweeps.tolerance), (7, 0.005));
    let LimitKind::Volumes(volumes) = specs[1].kind else { panic!("{specs:?}") };
    assert_eq!(volumes, ApslSettings { band: Band::both(0.01), ..ApslSettings::default() });
    // Cloth comes first, whatever the file's order.
    assert_eq!((&specs[1].bodies, &specs[2].bodies), (&vec![2], &vec![2, 0]));
    assert!(matches!(specs[2].kind, LimitKind::Edges(Band { least: -0.2, most: f64::INFINITY }, _)));
    let LimitKind::Rate(rates, _) = specs[3].kind else { panic!("{specs:?}") };
    assert_eq!((rates.weft, rates.warp), (Band::both(0.5), Band::upto(3.0)));
}

/// A shape with the fabric's limits has just the strains that are allowed.
#[test]
fn fabrics_bring_their_limits() {
    let scene = open("[[limit]]\nkind = \"fabric\"");
    let specs = scene.settings.limits();
    assert_eq!(specs.len(), 1);
    assert_eq!(specs[0].bodies, [1]);
    let denim = fabric::named("denim").unwrap();
    let LimitKind::Csl(limits, _) = specs[0].kind else { panic!("{specs:?}") };
    assert_eq!(limits.weft, Band::upto(denim.figures.limit_weft.value));
    assert_eq!(limits.warp, Band::upto(denim.figures.limit_warp.value));
    // Yarns of unit length, turned towards each other by half of γ each: F is symmetric, so it is its own stretch.
    let half = 0.5 * denim.figures.limit_shear.value.atan();
    let [warp, weft] = [[half.sin(), half.cos()], [half.cos(), half.sin()]];
    assert_eq!(weft[1], warp[0]);
    let tangent = (weft[0] * warp[0] + weft[1] * warp[1]).asin().tan();
    assert!((tangent - denim.figures.limit_shear.value).abs() < 1e-12 && (limits.shear.most - weft[1]).abs() < 1e-15);
}

#[test]
fn limits_hold_in_a_simulation_and_change_under_way() {
    let scene = open("[[limit]]\nbodies = [\"sheet\"]\nwarp = \"2 %\"");
    let mut simulation = Simulation::new(&scene, scene.precision(), 1).unwrap();
    let most = |simulation: &mut Simulation, frames| {
        for _ in 0..frames {
            simulation.advance();
        }
        simulation.metrics().strain.warp.max
    };
    let limited = most(&mut simulation, 60);
    let metrics = simulation.metrics();
    assert!(metrics.limit.unwrap().before.warp > 0.0, "nothing to do");
    assert!(limited < 0.02 + 2e-3, "{limited}");
    assert!(metrics.to_json()["limit"]["after"]["warp"].as_f64().unwrap() < 2e-3);
    let mut again = Simulation::new(&scene, scene.precision(), 2).unwrap();
    again.restore(simulation.save()).unwrap();
    assert_eq!(again.metrics(), metrics);
    again.advance();
    simulation.set_limits(&[]).unwrap();
    let free = most(&mut simulation, 60);
    assert!(free > 0.1, "{free}");
    assert_eq!(simulation.metrics().limit, None);
}

/// Two soft sheets on a ball and on each other: limits hold, and the guard still has the last word.
#[test]
fn limited_cloth_does_not_intersect() {
    let text = r#"
        contact = { on = true }
        [solver]
        substeps = 10
        [[cloth]]
        name = "under"
        generate = { kind = "sheet", width = 0.8, height = 0.8, nx = 11, ny = 11 }
        translate = [0.0, 0.45, 0.0]
        elastic = { weft = 5, bend = 1e-6, damping = { stretch = 0.02 } }
        [[cloth]]
        name = "over"
        generate = { kind = "sheet", width = 0.8, height = 0.8, nx = 11, ny = 11 }
        rotate = [0, 40, 0]
        translate = [0.02, 0.5, 0.03]
        elastic = { weft = 5, bend = 1e-6, damping = { stretch = 0.02 } }
        [[collider]]
        shape = { kind = "sphere", radius = 0.2 }
        translate = [0.0, 0.22, 0.0]
        friction = 0.5
        [[collider]]
        shape = "plane"
        [[limit]]
        weft = "3 %"
        warp = "3 %"
        shear = 0.2
    "#;
    let scene = Scene::parse("a.toml", text, None, &[]).unwrap();
    let mut simulation = Simulation::new(&scene, scene.precision(), 1).unwrap();
    assert_eq!(simulation.verify().count, 0);
    let (mut sweeps, mut pairs) = (0, 0);
    for _ in 0..40 {
        let report = simulation.advance();
        sweeps += report.limit.iterations;
        // Sheets slide off the ball and off each other: what touches in one frame need not in the last.
        pairs = pairs.max(simulation.contact().frame.pairs);
        assert_eq!(report.intersections.map(|found| found.count), Some(0), "frame {}", report.frame);
    }
    // Cloth is stiff short of its limits, and leaves limiters little.
    assert!(sweeps > 100 && pairs > 10, "{sweeps} sweeps, {pairs} pairs at most in a frame");
}
