//! `[[weight]]`: masses sewn on.

use taut_scene::scene::Scene;
use taut_scene::scene::settings::Precision;
use taut_scene::simulation::Simulation;

const SHEET: &str = "[[cloth]]\nname = \"sheet\"\ndensity = 0.2\ngenerate = { kind = \"sheet\", nx = 4, ny = 3, width = 2, centre = [3, 1, 0] }\n";

fn build(more: &str) -> Result<Simulation, String> {
    let scene = Scene::parse("test.toml", &format!("{SHEET}{more}"), None, &[]).map_err(|error| error.to_string())?;
    Simulation::new(&scene, Precision::F64, 1).map_err(|error| error.to_string())
}

/// A weight is where it was sewn on, all of it: at rest m g h more, and a side is loaded evenly, so that the centre of
/// what was added is the side's middle.
#[test]
fn weights_are_where_they_were_sewn_on() {
    let weight = |select: &str| format!("[[weight]]\nbody = \"sheet\"\nselect = {select}\nmass = 0.5\n");
    // Gravity along an axis tells the first moment of the mass along it.
    let moment = |axis: usize, more: &str| {
        let mut gravity = [0.0; 3];
        gravity[axis] = -1.0;
        build(&format!("{more}[world]\ngravity = {gravity:?}\n")).unwrap().metrics().totals.potential
    };
    for (select, centre) in [
        ("\"right\"", [4.0, 1.0, 0.0]),
        ("\"bottom\"", [3.0, 1.0, 0.5]),
        ("{ indices = [0, 11] }", [3.0, 1.0, 0.0]),
        ("{ indices = [3] }", [4.0, 1.0, 0.5]),
    ] {
        for axis in 0..3 {
            let added = moment(axis, &weight(select)) - moment(axis, "");
            assert!((added - 0.5 * centre[axis]).abs() < 1e-12, "{select}, axis {axis}: {added}");
        }
    }
}

#[test]
fn weights_on_nothing_are_refused() {
    for (weight, says) in [
        ("body = \"shet\"\nselect = \"all\"\nmass = 1", "did you mean `sheet`?"),
        ("body = \"sheet\"\nselect = \"hem\"\nmass = 1", "no vertex group called \"hem\""),
        ("body = \"sheet\"\nselect = \"all\"\nmass = 0", "above 0"),
        ("body = \"sheet\"\nselect = { box = { min = [9, 9, 9], max = [10, 10, 10] } }\nmass = 1", "picks none"),
    ] {
        let error = build(&format!("[[weight]]\n{weight}\n")).unwrap_err();
        assert!(error.contains(says), "{error}");
    }
}
