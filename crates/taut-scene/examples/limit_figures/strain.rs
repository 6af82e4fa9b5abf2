//! CSL's Figs. 6 and 8: strain of cloth under different limits, as tables and maps.

use crate::draw::{Shot, camera, legend, save};
use crate::scenes::{BALL, Running, STEP, csl, esl, hanging, on_a_ball};
use crate::{Done, in_pairs};
use std::path::Path;
use taut::limit::LimitSpec;
use taut_render::{Picture, Scale};
use taut_scene::generate::{SphereParams, sphere};

/// A cloth with its limits, and what came of them.
struct Case {
    name: String,
    /// What weft, warp and shear are limited to by, where they are.
    limits: Option<[f64; 3]>,
    limit: Option<LimitSpec>,
    moduli: [f64; 3],
}

struct Outcome {
    /// The largest of each component in any step.
    most: [f64; 3],
    /// The largest at the moment of the picture, and its strains.
    then: [f64; 3],
    strain: Vec<[f64; 3]>,
    shot: Shot,
    rest: Vec<[f64; 3]>,
}

/// Shares in percent, without needless digits.
fn percent(values: &[f64]) -> String {
    let all: Vec<String> = values.iter().map(|v| format!("{}", (1000.0 * v).round() / 10.0)).collect();
    all.join(" ")
}

impl Case {
    fn csl(limits: [f64; 3], moduli: [f64; 3]) -> Self {
        let name = format!("CSL {} %", percent(&limits));
        Case { name, limits: Some(limits), limit: Some(csl(limits)), moduli }
    }

    fn esl(limit: f64, moduli: [f64; 3]) -> Self {
        Case { name: format!("edges {} %", percent(&[limit])), limits: None, limit: Some(esl(limit)), moduli }
    }

    fn none(moduli: [f64; 3]) -> Self {
        Case { name: "no limits".into(), limits: None, limit: None, moduli }
    }

    /// The first number of steps of 1 ms, with a picture taken after the second.
    fn run(&self, scene: fn(usize, [f64; 3], &[LimitSpec]) -> Running, faces: usize, steps: [usize; 2]) -> Outcome {
        let mut cloth = scene(faces, self.moduli, self.limit.as_slice());
        let mut most = [0.0f64; 3];
        let mut outcome = None;
        for step in 1..=steps[0] {
            cloth.step(STEP);
            let now = cloth.most();
            most = std::array::from_fn(|k| most[k].max(now[k]));
            if step == steps[1] {
                outcome = Some((now, cloth.strain(), Shot::of(&cloth)));
            }
        }
        let (then, strain, shot) = outcome.unwrap_or_else(|| (most, cloth.strain(), Shot::of(&cloth)));
        Outcome { most, then, strain, shot, rest: cloth.mesh.positions }
    }
}

fn table(cases: &[Case], outcomes: &[Outcome]) {
    println!(
        "  largest strain, %: weft warp shear, over all steps | at the picture | limits | faces beyond them by a tenth, %"
    );
    for (case, outcome) in cases.iter().zip(outcomes) {
        let row = |v: [f64; 3]| v.map(|v| format!("{:6.1}", 100.0 * v)).join(" ");
        let limits = case.limits.map_or_else(|| "–".into(), |l| percent(&l));
        let beyond = |l: [f64; 3]| {
            let over = |s: &&[f64; 3]| s[0] > 1.1 * l[0] || s[1] > 1.1 * l[1] || s[2].abs() > 1.1 * l[2];
            outcome.strain.iter().filter(over).count() as f64 / outcome.strain.len() as f64
        };
        let share = case.limits.map_or_else(|| "–".into(), |l| percent(&[beyond(l)]));
        println!("  {:<18} {} | {} | {limits} | {share}", case.name, row(outcome.most), row(outcome.then));
    }
}

/// The middle of a triangle at rest, along x.
fn along(outcome: &Outcome, t: &[u32; 3]) -> f64 {
    t.iter().map(|&v| outcome.rest[v as usize][0]).sum()
}

/// Fig. 6: seven columns of 3,616 faces, (100, 100, 30) N/m; half weft, half warp in one map, as the paper has it.
pub fn figure_6(folder: &Path) -> Done {
    let soft = [100.0, 100.0, 30.0];
    let cases = [
        Case::csl([0.02, 0.02, 0.02], soft),
        Case::csl([0.02, 0.02, 0.2], soft),
        Case::csl([0.02, 0.2, 0.2], soft),
        Case::csl([0.2, 0.02, 0.2], soft),
        Case::esl(0.02, soft),
        Case::esl(0.2, soft),
        Case::none(soft),
    ];
    let outcomes = in_pairs(&cases, |case| case.run(hanging, 3616, [500, 440]));
    println!("CSL Fig. 6: 3,616 faces, (100, 100, 30) N/m, 0.5 s at 1 ms; picture at 0.44 s");
    table(&cases, &outcomes);
    let scale = Scale::around_zero(0.2);
    let all: Vec<[f64; 3]> = outcomes.iter().flat_map(|o| o.shot.positions.iter().copied()).collect();
    let size = [440, 560];
    let camera = camera(&all, [0.0, 0.0, 1.0], size[0] as f64 / size[1] as f64);
    let mut rows: [Vec<(Picture, String)>; 3] = Default::default();
    for (case, o) in cases.iter().zip(&outcomes) {
        let split: Vec<f64> =
            o.shot.triangles.iter().zip(&o.strain).map(|(t, s)| s[usize::from(along(o, t) > 0.0)]).collect();
        let shear: Vec<f64> = o.strain.iter().map(|s| s[2]).collect();
        rows[0].push((o.shot.draw(&camera, size, None, &[]), case.name.clone()));
        rows[1].push((o.shot.draw(&camera, size, Some((&split, scale)), &[]), "weft | warp".into()));
        rows[2].push((o.shot.draw(&camera, size, Some((&shear, scale)), &[]), "shear".into()));
    }
    rows[0].push((legend("strain", scale, [size[0] / 2, size[1] / 2]), String::new()));
    let blank = || (Picture::filled(size[0], size[1], taut_render::Rgb::hex(0xffffff)), String::new());
    rows[1].push(blank());
    rows[2].push(blank());
    save(folder, "limit-figure-6.png", &rows.concat(), 8, 130)
}

/// Fig. 8: a disc of 4,424 faces on a small ball, (1000, 200, 100) N/m, limits (0.04, 0.2, 0.4): CSL, the same with weft and
/// warp exchanged, edges within 0.04, and no limits.
pub fn figure_8(folder: &Path) -> Done {
    let (plain, swapped) = ([1000.0, 200.0, 100.0], [200.0, 1000.0, 100.0]);
    let cases = [
        Case::csl([0.04, 0.2, 0.4], plain),
        Case::csl([0.2, 0.04, 0.4], swapped),
        Case::esl(0.04, plain),
        Case::none(plain),
    ];
    let outcomes = in_pairs(&cases, |case| case.run(on_a_ball, 4424, [500, 500]));
    println!("CSL Fig. 8: disc of 4,424 faces on a ball of {BALL} m radius, 0.5 s at 1 ms; picture at the end");
    table(&cases, &outcomes);
    let ball = sphere(&SphereParams { radius: BALL, centre: [0.0, -BALL - 0.002, 0.0], ..SphereParams::default() })?;
    let scale = Scale::around_zero(0.2);
    let all: Vec<[f64; 3]> = outcomes.iter().flat_map(|o| o.shot.positions.iter().copied()).collect();
    let size = [480, 480];
    let camera = camera(&all, [0.3, 0.9, 1.0], 1.0);
    let mut pictures = Vec::new();
    for (case, o) in cases.iter().zip(&outcomes) {
        let shot = Shot { beside: Some(ball.clone()), ..o.shot.clone() };
        for (k, what) in ["weft", "warp", "shear"].into_iter().enumerate() {
            let values: Vec<f64> = o.strain.iter().map(|s| s[k]).collect();
            pictures.push((shot.draw(&camera, size, Some((&values, scale)), &[]), format!("{}: {what}", case.name)));
        }
    }
    save(folder, "limit-figure-8.png", &pictures, 6, 190)
}
