//! Fig. 1: a tight skirt.

use crate::{Claim, Error, Outcome, Size, Table};
use taut_render::export::contact_sheet;
use taut_render::{Legend, Picture, Scale};
use taut_scene::scene::Scene;
use taut_scene::simulation::Simulation;
use taut_studio::{Framed, Surface, surfaces};

/// What is low, as a share per projection; high is 1.
const LOW: f64 = 0.008;

/// What came of one skirt.
struct Found {
    /// Mean height of the hem, m.
    hem: f64,
    /// Mean strain around and down.
    weft: f64,
    warp: f64,
    /// Root mean square speed at the end, m/s.
    restless: f64,
    /// How deep vertices are inside the figure, at most, m; and triangles that intersect it or each other.
    crossings: usize,
    parts: Vec<Surface>,
    weft_map: Vec<f64>,
    warp_map: Vec<f64>,
}

/// Runs the scene for some seconds with stiffness around and down.
fn run(size: Size, [weft, warp]: [f64; 2], frames: u32) -> Result<Found, Error> {
    let (around, along) = size.pick((48, 30), (84, 52));
    let sets = [
        // The paper's method, without what taut adds to it.
        "solver.kind=pbd".to_owned(),
        format!("cloth.skirt.generate.around={around}"),
        format!("cloth.skirt.generate.along={along}"),
        format!("cloth.skirt.stiffness.weft={weft}"),
        format!("cloth.skirt.stiffness.warp={warp}"),
    ];
    let scene = Scene::open("pencil-skirt", &sets)?;
    let mut simulation = Simulation::new(&scene, scene.precision(), 1)?;
    for _ in 0..frames {
        simulation.advance();
    }
    let metrics = simulation.metrics();
    let positions = simulation.positions(0);
    let groups = &simulation.objects()[0].groups;
    let hem: Vec<u32> = groups.iter().filter(|g| g.name == "hem").flat_map(|g| g.vertices.clone()).collect();
    let mean = hem.iter().map(|&v| positions[v as usize][1]).sum::<f64>() / hem.len().max(1) as f64;
    let speeds = simulation.velocities(0);
    let square = speeds.iter().flatten().map(|v| v * v).sum::<f64>() / speeds.len().max(1) as f64;
    let fields = simulation.fields().swap_remove(0);
    Ok(Found {
        hem: mean,
        weft: metrics.strain.weft.mean,
        warp: metrics.strain.warp.mean,
        restless: square.sqrt(),
        crossings: simulation.intersections().count,
        parts: surfaces(&simulation),
        weft_map: fields[0].clone(),
        warp_map: fields[1].clone(),
    })
}

/// Bind pose, stiff, soft, soft around only.
pub fn figure_1(size: Size) -> Result<Outcome, Error> {
    let frames = size.pick(120, 150);
    let bind = run(size, [1.0, 1.0], 20)?;
    let cases = [("stiff", [1.0, 1.0]), ("soft all over", [LOW, LOW]), ("soft around only", [LOW, 1.0])];
    let found = crate::in_pairs(&cases, |(_, stiffness)| run(size, *stiffness, frames));
    let found = found.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut out = Outcome::new(format!(
        "The built-in scene `pencil-skirt`: a tight skirt of {} triangles on a figure of capsules, held at the waist; the figure takes a \
         long step, and after {:.1} s the skirt is measured. High stiffness is a share of 1 per projection, low {LOW}.",
        bind.parts[0].triangles.len(),
        f64::from(frames) / 60.0
    ));
    out.picture("sbd-1.png", "The bind pose; the step with a stiff skirt, a soft one, and one soft around only; below strain around, and down", &pictures(&bind, &found, size));
    let names = cases.map(|(name, _)| name);
    compare(&mut out, &bind, &names, &found);
    Ok(out)
}

fn compare(out: &mut Outcome, bind: &Found, names: &[&str], found: &[Found]) {
    let columns = [
        "",
        "hem lower than in the bind pose, mm",
        "mean strain around, %",
        "mean strain down, %",
        "still moving at, mm/s",
        "intersections",
    ];
    let mut table = Table::new("After the step", &columns);
    let drop = |f: &Found| 1e3 * (bind.hem - f.hem);
    for (name, f) in names.iter().zip(found) {
        let cells = [
            format!("{:.0}", drop(f)),
            format!("{:.1}", 100.0 * f.weft),
            format!("{:.1}", 100.0 * f.warp),
            format!("{:.1}", 1e3 * f.restless),
            f.crossings.to_string(),
        ];
        table.row(name, cells);
    }
    out.tables.push(table);
    let [stiff, soft, around] = [&found[0], &found[1], &found[2]];
    out.claim(
        Claim::new("a stiff skirt causes problems in a pose that differs significantly from the bind pose", "picture")
            .ours(format!(
                "its hem is dragged up by {:.0} mm, by {:.0} mm more than that of the one that is soft around",
                -drop(stiff),
                drop(around) - drop(stiff)
            ))
            .holds(drop(stiff) < drop(around) - 10.0),
    );
    out.claim(
        Claim::new("lowering the overall stiffness makes it sag", "picture")
            .ours(format!(
                "its hem hangs {:.0} mm lower than that of the one that is soft around; strain down {:.1} % against {:.1} %",
                drop(soft) - drop(around), 100.0 * soft.warp, 100.0 * around.warp
            ))
            .holds(drop(soft) > drop(around) + 30.0 && soft.warp > 5.0 * around.warp),
    );
    out.claim(
        Claim::new("lowering it along the horizontal only solves the problem", "picture")
            .ours(format!(
                "strain around {:.1} %, down {:.1} %, hem within {:.0} mm of the bind pose",
                100.0 * around.weft,
                100.0 * around.warp,
                drop(around).abs()
            ))
            .holds(around.weft > 3.0 * around.warp && around.warp < 0.02 && drop(around).abs() < 30.0),
    );
}

fn pictures(bind: &Found, found: &[Found], size: Size) -> Picture {
    let view =
        Framed::around([-0.24, 0.02, -0.34], [0.24, 1.02, 0.34], [1.4, 0.1, 1.0], [size.pixels(420), size.pixels(560)]);
    let names = ["bind pose", "stiff", "soft all over", "soft around only"];
    let scale = Scale::around_zero(0.3);
    let mut rows: [Vec<(Picture, String)>; 3] = Default::default();
    for (name, f) in names.into_iter().zip(std::iter::once(bind).chain(found)) {
        let plain = view.draw(&f.parts, &[]);
        let mapped = |map: &[f64], what| {
            let mut all = f.parts.clone();
            all[0] = all[0].mapped(map, scale);
            let mut picture = view.draw(&all, &[]);
            // One is enough, where there is room for it.
            if rows[1].len() + rows[2].len() < 2 {
                Legend::percent(what, scale).draw(&mut picture);
            }
            picture
        };
        let (around, down) = (mapped(&f.weft_map, "around"), mapped(&f.warp_map, "down"));
        rows[0].push((plain, name.to_owned()));
        rows[1].push((around, format!("{name}: around")));
        rows[2].push((down, format!("{name}: down")));
    }
    contact_sheet(&rows.concat(), 4, size.pixels(300))
}
