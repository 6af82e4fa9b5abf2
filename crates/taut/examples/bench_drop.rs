//! A sheet dropped on a ball, or edge-on onto the floor, with contact between all surfaces: what each stage of a frame
//! costs, and how many triangles intersect. Or without anything to touch: hung by two corners, or swinging from level
//! by an edge.
//!
//! `cargo run --release -p taut --example bench_drop -- [scene=ball|heap|hang|swing] [side=101] [frames=120]
//! [substeps=10] [every=1] [iterations=1] [fabric=NAME] [friction=0.3] [threads=1] [precision=f32|f64] [seed=0]`
//!
//! Every frame is checked with exact arithmetic, outside of what is timed.

use std::time::Instant;
use taut::Precision;
use taut::fabric::Fabric;
use taut::internals::contact::exact::IntersectionFinder;
use taut::limit::LimitSpec;
use taut::mesh::TriMesh;
use taut::{Cloth, Collider, Contact, ContactMaterial, ModelBuilder, Params, Pose, Scratch, Shape, Stage, State, step};

fn main() {
    let options: Vec<String> = std::env::args().skip(1).collect();
    #[cfg(feature = "f64")]
    if option(&options, "precision", "f32") == "f64" {
        return run::<f64>(&options);
    }
    run::<f32>(&options);
}

/// The value of `name=value`, or what it is without.
fn option<'a>(options: &'a [String], name: &str, default: &'a str) -> &'a str {
    options.iter().find_map(|o| o.strip_prefix(name)?.strip_prefix('=')).unwrap_or(default)
}

fn number(options: &[String], name: &str, default: u32) -> u32 {
    option(options, name, "").parse().unwrap_or(default)
}

/// What a scene gives cloth of a fabric.
fn with_fabric(fabric: &Fabric, options: &[String], mut params: Params) -> Params {
    let asked = option(options, "friction", "").parse().ok();
    params.colliders.iter_mut().for_each(|c| c.friction = asked.unwrap_or(c.friction));
    let friction = asked.unwrap_or(fabric.friction);
    let material = ContactMaterial { thickness: fabric.thickness, friction, self_contact: true };
    let usual = Params::fabric();
    Params {
        substeps: number(options, "substeps", 0),
        iterations: number(options, "iterations", usual.iterations),
        solver: usual.solver,
        integrator: usual.integrator,
        tolerance: usual.tolerance,
        contact: Contact { materials: vec![material], ..params.contact },
        ..params
    }
}

fn run<T: Precision>(options: &[String]) {
    let side = number(options, "side", 101) as usize;
    let scene = option(options, "scene", "ball");
    let (heap, free) = (matches!(scene, "heap" | "hang"), matches!(scene, "hang" | "swing"));
    let mesh = sheet(side, heap);
    let mut builder = ModelBuilder::new();
    let fabric = Fabric::named(option(options, "fabric", ""));
    let cloth = fabric.map_or_else(Cloth::default, Cloth::from);
    builder.add_cloth("sheet", &mesh, &cloth).expect("a sheet");
    if let Some(fabric) = fabric {
        builder.limit(LimitSpec::stretch(fabric.stretch_bounds()));
    }
    let model = builder.build::<T>().expect("a model");
    let mut state = State::new(&model);
    state.set_positions(&model, &shaken(&mesh.positions, number(options, "seed", 0)));
    let mut scratch = Scratch::new(number(options, "threads", 1) as usize).with_clock(seconds);
    let floor = Collider::fixed(Shape::Plane, Pose::at([0.0, -0.6, 0.0]));
    let ball = Collider::fixed(Shape::Sphere { radius: 0.25 }, Pose::default());
    let params = Params {
        substeps: number(options, "substeps", 10),
        iterations: number(options, "iterations", 1),
        colliders: if heap { vec![floor] } else { vec![floor, ball] },
        contact: Contact { materials: vec![ContactMaterial::default()], every: number(options, "every", 1) },
        ..Params::default()
    };
    let mut params = fabric.map_or(params.clone(), |f| with_fabric(f, options, params));
    if free {
        (params.colliders, params.contact) = (Vec::new(), Contact::default());
        let side = side as u32;
        let edge = (side * (side - 1)..side * side).step_by(if scene == "hang" { side as usize - 1 } else { 1 });
        state.set_pins(&model, &edge.collect::<Vec<u32>>());
    }
    let triangles = &model.bodies()[0].triangles;
    let mut finder = IntersectionFinder::new(mesh.positions.as_slice(), triangles);
    let names: Vec<&str> = Stage::ALL.iter().map(|s| s.name()).collect();
    println!(
        "frame  total ms  {}  newton pairs stopped removed% impossible intersections stretch% mean%",
        names.join("  ")
    );
    let (mut bad, mut all, mut sum) = (0, Vec::new(), [0.0; Stage::ALL.len()]);
    for frame in 1..=number(options, "frames", 120) {
        let report = step(&model, &mut state, &mut scratch, &params, 1.0 / 60.0);
        let total: f64 = report.seconds.iter().sum::<f64>() * 1e3;
        all.push(total);
        sum.iter_mut().zip(report.seconds).for_each(|(s, r)| *s += r * 1e3);
        let found = finder.find(&state.positions(&model)).len();
        bad += usize::from(found > 0);
        if frame % 10 == 0 || found > 0 {
            let strains = taut::measure::strains(&model, &state);
            let stretch = strains.triangles.iter().map(|s| s[0].max(s[1])).fold(0.0, f64::max) * 100.0;
            let mean =
                strains.triangles.iter().map(|s| s[0].abs()).sum::<f64>() / strains.triangles.len() as f64 * 100.0;
            let stages: Vec<String> = report.seconds.iter().map(|s| format!("{:6.2}", s * 1e3)).collect();
            let t = report.contact;
            let (pairs, stopped, impossible) = (t.pairs, t.stopped, t.impossible);
            let (removed, newton) = (t.removed * 100.0, report.iterations);
            println!(
                "{frame:5} {total:9.2}  {}  {newton:3} {pairs:6} {stopped:5} {removed:7.3} {impossible} {found} {stretch:.2} {mean:.4}",
                stages.join(" ")
            );
        }
    }
    let frames = all.len() as f64;
    all.sort_by(f64::total_cmp);
    let mean = all.iter().sum::<f64>() / frames;
    println!(
        "mean {mean:.2} ms, median {:.2}, most {:.2}; frames with intersections: {bad}",
        all[all.len() / 2],
        all[all.len() - 1]
    );
    for (name, s) in names.iter().zip(sum) {
        println!("  {name:8} {:.2} ms", s / frames);
    }
}

/// Seconds since the first call.
fn seconds() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Places up to a millimetre from where they were; every seed shakes them differently. At rest the cloth is as it was.
fn shaken(positions: &[[f64; 3]], seed: u32) -> Vec<[f64; 3]> {
    let mut random = u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut shake = |c: f64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        c + ((random >> 11) as f64 / (1u64 << 53) as f64 - 0.5) * 0.002
    };
    positions.iter().map(|p| p.map(&mut shake)).collect()
}

/// A square of 1 m, flat above the ball or upright above the floor.
fn sheet(side: usize, upright: bool) -> TriMesh {
    let at = |i: usize| i as f64 / (side - 1) as f64 - 0.5;
    let mut positions = Vec::new();
    for j in 0..side {
        for i in 0..side {
            let (u, v) = (at(i), at(j));
            positions.push(if upright { [u, v + 0.2, 0.0] } else { [u, 0.3, v] });
        }
    }
    let mut triangles = Vec::new();
    for j in 0..side - 1 {
        for i in 0..side - 1 {
            let a = (j * side + i) as u32;
            let (b, c, d) = (a + 1, a + side as u32, a + side as u32 + 1);
            if (i + j) % 2 == 0 {
                triangles.extend([[a, c, b], [b, c, d]]);
            } else {
                triangles.extend([[a, c, d], [a, d, b]]);
            }
        }
    }
    TriMesh { positions, triangles, ..TriMesh::default() }
}
