//! What a scene is told before it runs, and after.

use taut_scene::scene::Scene;
use taut_scene::scene::settings::Precision;
use taut_scene::simulation::Simulation;

const SHEET: &str = r#"
[solver]
kind = "pbd"

[[cloth]]
name = "sheet"
generate = { kind = "sheet", nx = 6, ny = 6 }
elastic = { weft = 100 }

[[pin]]
body = "sheet"
select = { nearest = [[-0.5, 0.0, -0.5], [0.5, 0.0, -0.5]] }
"#;

const SHARES: &str =
    "[solver]\nkind = \"pbd\"\n[[cloth]]\nname = \"sheet\"\ngenerate = { kind = \"sheet\", nx = 6, ny = 6 }\n";

fn build(text: &str, sets: &[&str]) -> Simulation {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    let scene = Scene::parse("advice.toml", text, None, &sets).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scene, Precision::F64, 1).unwrap()
}

fn warnings(text: &str, sets: &[&str]) -> Vec<String> {
    build(text, sets).warnings()
}

/// Exactly one warning, with these words in it.
fn one(text: &str, sets: &[&str], words: &[&str]) {
    let said = warnings(text, sets);
    assert!(said.len() == 1 && words.iter().all(|word| said[0].contains(word)), "{sets:?}: {said:#?}");
}

#[test]
fn what_holds_is_left_alone() {
    let good = [
        "solver={kind='pbd',substeps=1}",
        "solver={kind='pbd',integrator={kind='alpha-beta',alpha=0.6,beta=0.6}}",
        "solver={kind='pbd',substeps=200,integrator={kind='alpha-beta',alpha=0.5,beta=0.5}}",
        "solver={kind='pbd',integrator={kind='bdf2'},relaxation=1.9,warm_start=true,block=true}",
        "solver={kind='newton',integrator={kind='newmark',beta=0.28,gamma=0.55}}",
    ];
    for set in good {
        assert_eq!(warnings(SHEET, &[set]), [""; 0], "{set}");
    }
    assert_eq!(warnings(SHARES, &["solver={kind='pbd',substeps=5,iterations=3,relaxation=1.2}"]), [""; 0]);
}

/// A bare 4 is four times as long, not four percent.
#[test]
fn limits_that_were_likely_meant_in_percent_are_told() {
    one(SHEET, &["limit=[{weft=4}]"], &["`limit.0.weft` is 4, which is 400 %", "4 % is written \"4 %\""]);
    one(SHEET, &["limit=[{kind='edges',strain={tension=2}}]"], &["`limit.0.strain.tension` is 2, which is 200 %"]);
    one(SHEET, &["solver={kind='auto',max_stretch=1}"], &["`solver.max_stretch` is 1, which is 100 %"]);
    for meant in [
        "limit=[{weft='400 %'}]",
        "limit=[{weft=0.04}]",
        "limit=[{kind='rate',weft=4}]",
        "solver={kind='auto',max_stretch='100 %'}",
    ] {
        assert_eq!(warnings(SHEET, &[meant]), [""; 0], "{meant}");
    }
}

/// Layers, which only a start phase brings apart.
#[test]
fn layers_without_a_start_phase_are_told() {
    one(SHEET, &["cloth.sheet.layer=2"], &["`cloth.sheet.layer` has no effect", "`start.duration`"]);
    assert_eq!(warnings(SHEET, &["cloth.sheet.layer=2", "start.duration=1"]), [""; 0]);
}

/// The substeps that a warning asks for hold: the sheet swings for 2 s, and has no more energy than the fall gave it.
#[test]
fn explicit_integrators_are_told_their_steps() {
    for (alpha, beta) in [(0, 1), (1, 0)] {
        for gamma in ["0", "0.002"] {
            let explicit = format!("solver.integrator={{kind='alpha-beta',alpha={alpha},beta={beta}}}");
            let damping = format!("cloth.sheet.elastic.damping={{stretch={gamma},shear={gamma},bend={gamma}}}");
            let said = warnings(SHEET, &["solver.substeps=1", &explicit, &damping]);
            assert!(said.len() == 1 && said[0].contains("is explicit and holds up to substeps of"), "{said:?}");
            let wanted = said[0].split("`solver.substeps = ").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
            let substeps = format!("solver.substeps={wanted}");
            let mut simulation = build(SHEET, &[&substeps, &explicit, &damping]);
            assert_eq!(simulation.warnings(), [""; 0]);
            let energy = |simulation: &Simulation| {
                let m = simulation.metrics().to_json();
                ["kinetic", "potential", "elastic"].map(|kind| m["energy"][kind].as_f64().unwrap()).iter().sum::<f64>()
            };
            let first = energy(&simulation);
            while simulation.frame() < 120 {
                simulation.advance();
                // The sheet weighs 0.2 kg and falls 1 m: 2 J, a twentieth of which it may seem to have between the
                // scheme's moments.
                let gained = energy(&simulation) - first;
                assert!(gained < 0.1, "α {alpha} β {beta} γ {gamma}, frame {}: {gained} J", simulation.frame());
            }
        }
    }
}

#[test]
fn integrators_that_feed_motion_are_named() {
    let weighted = |alpha: f64, beta: f64| format!("solver.integrator={{kind='alpha-beta',alpha={alpha},beta={beta}}}");
    let newmark = |beta: f64, gamma: f64| format!("solver.integrator={{kind='newmark',beta={beta},gamma={gamma}}}");
    one(SHEET, &[&weighted(0.0, 0.0)], &["explicit Euler", "beta = 1"]);
    one(SHEET, &[&weighted(0.4, 0.9)], &["alpha = 0.4", "gains energy"]);
    one(SHEET, &["solver.substeps=1", &weighted(0.5, 0.5)], &["alpha = beta = 0.5", "may gain energy"]);
    one(SHEET, &[&newmark(0.25, 0.4)], &["gamma = 0.4", "gains energy"]);
    one(SHEET, &["solver.substeps=1", &newmark(0.1, 0.5)], &["beta below half of gamma", "solver.substeps = "]);
    one(SHEET, &["solver.substeps=1", &newmark(0.25, 0.5)], &["Newmark's gamma = 0.5", "may gain energy"]);
    one(SHEET, &["solver.relaxation=1.97"], &["`solver.relaxation` is 1.97", "97 %"]);
}

#[test]
fn what_has_no_effect_is_named() {
    let explicit = "solver.integrator={kind='alpha-beta',alpha=0.0,beta=1.0}";
    one(SHEET, &["solver.substeps=100", explicit, "solver.iterations=5"], &["`iterations` have no effect"]);
    let said = warnings(SHEET, &["solver.kind=newton", "solver.substeps=100", explicit]);
    assert!(said.len() == 1 && said[0].contains("`kind` have no effect"), "{said:?}");
    one(
        SHEET,
        &["cloth.sheet.stiffness.weft=0.5"],
        &["`cloth.sheet.stiffness` has no effect beside `cloth.sheet.elastic`"],
    );
    one(SHEET, &["cloth.sheet.damping.weft=5"], &["`cloth.sheet.damping`", "a `damping` of its own"]);
    one(SHEET, &["cloth.sheet.fabric=cotton"], &["only the density of `cloth.sheet.fabric` is used"]);
    one(SHEET, &["cloth.sheet.fabric=cotton", "cloth.sheet.density=0.1"], &["nothing of `cloth.sheet.fabric` is used"]);
    one(SHARES, &["cloth.sheet.fabric=cotton", "cloth.sheet.form=plain"], &["`cloth.sheet.form` has no effect"]);
    let bending = "cloth.sheet.bending=patches";
    one(SHARES, &[bending], &["`cloth.sheet.bending` has no effect without"]);
    assert_eq!(warnings(SHEET, &[bending]), [""; 0]);
    one(SHARES, &["cloth.sheet.unit=cm"], &["`cloth.sheet.unit` has no effect beside `cloth.sheet.generate`"]);
    let tube = "[[collider]]\nname = \"post\"\nshape = { kind = \"mesh\", fps = 30, generate = { kind = \"tube\" } }\n";
    one(&format!("{SHARES}{tube}"), &[], &["`collider.post.shape.fps` has no effect beside"]);
    one(SHARES, &["solver.kind=newton"], &["`solver.kind`", "projected"]);
    assert_eq!(warnings(SHARES, &["solver={kind='auto'}"]), [""; 0], "auto is for all bodies");
    one(SHARES, &["solver.tolerance=0.001", "solver.warm_start=true"], &["`tolerance`, `warm_start` only matter"]);
    one(SHARES, &["solver.integrator={kind='bdf2'}"], &["`solver.integrator` has no effect: every body"]);
}

/// A solver that stays far from done says so, once, whether or not the run was taken up in between; one that is done
/// does not.
#[test]
fn unsolved_cloth_is_reported() {
    let stiff = ["cloth.sheet.elastic.weft=100000", "solver.substeps=1"];
    for solver in ["solver.kind=pbd", "solver.kind=jacobi", "solver.kind=nonlinear-cg"] {
        let sets = [stiff[0], stiff[1], solver, "solver.iterations=1"];
        let mut simulation = build(SHEET, &sets);
        for _ in 0..60 {
            simulation.advance();
        }
        let said = simulation.warnings();
        assert!(said.len() == 1 && said[0].contains("the solver is stopped early"), "{solver}: {said:?}");
        let mut again = build(SHEET, &sets);
        again.restore(simulation.save()).unwrap();
        assert_eq!(again.warnings(), said);
    }
    let mut simulation = build(SHEET, &["solver.kind=newton", "solver.substeps=1"]);
    for _ in 0..60 {
        simulation.advance();
    }
    assert_eq!(simulation.warnings(), [""; 0]);
}
