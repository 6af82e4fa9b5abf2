//! Cloth that keeps its length: the hierarchy, tethers and the limit, in the step.

mod common;

use taut::{Precision, Width};

use taut::limit::{LimitSpec, StretchBounds};
use taut::measure::{elastic_energy, state_hash, strains};
use taut::mesh::TriMesh;
use taut::{
    Cloth, ClothElasticity, ClothStiffness, ElasticDamping, Grain, Inextensibility, InextensibilityReport, Membrane,
    Model, ModelBuilder, Orthotropic, Params, Scratch, Solid, SolidElasticity, SolidStiffness, State, StepReport, step,
};

const NO_ROWS: ClothStiffness = ClothStiffness { weft: 0.0, warp: 0.0, shear: 0.0, area: 0.0, bend: 0.0, edge: 0.0 };
const DT: f64 = 1.0 / 60.0;

fn edges_only() -> Cloth {
    Cloth { stiffness: ClothStiffness { edge: 1.0, ..NO_ROWS }, ..Cloth::default() }
}

fn rows_only() -> Cloth {
    let stiffness = ClothStiffness { weft: 1.0, warp: 1.0, shear: 0.3, ..NO_ROWS };
    Cloth { stiffness, ..Cloth::default() }
}

fn model<T: Precision>(mesh: &TriMesh, cloth: &Cloth) -> Model<T> {
    let mut builder = ModelBuilder::new();
    builder.add_cloth("sheet", mesh, cloth).unwrap();
    builder.build().unwrap()
}

fn params(hold: Inextensibility) -> Params {
    Params { substeps: 16, inextensibility: hold, ..Params::default() }
}

/// A sheet of n × n vertices held at two corners of one edge, released flat: the largest stretch of an edge or along
/// weft or warp at the end of any frame, and the last report.
fn hang<T: Precision>(n: usize, cloth: &Cloth, hold: Inextensibility, frames: usize) -> (f64, StepReport) {
    let model = model::<T>(&common::sheet(n), cloth);
    let mut state = State::new(&model);
    state.pin(&model, 0);
    state.pin(&model, n as u32 - 1);
    let mut scratch = Scratch::new(1);
    let (mut peak, mut last) = (0.0f64, StepReport::default());
    for _ in 0..frames {
        last = step(&model, &mut state, &mut scratch, &params(hold), DT);
        let strains = strains(&model, &state);
        let triangles = strains.triangles.iter().flat_map(|t| [t[0], t[1]]);
        peak = if strains.edges.is_empty() {
            triangles.fold(peak, f64::max)
        } else {
            strains.edges.iter().copied().fold(peak, f64::max)
        };
        assert!(state.positions(&model).iter().flatten().all(|c| c.is_finite()));
    }
    (peak, last)
}

#[test]
fn a_hanging_sheet_stretches_by_no_more_than_the_limit() {
    for cloth in [edges_only(), rows_only()] {
        let (plain, _) = hang::<f32>(41, &cloth, Inextensibility::NONE, 100);
        assert!(plain > 0.2, "without holding it stretches by {plain}");
        for (peak, report) in [
            hang::<f32>(41, &cloth, Inextensibility::within(0.01), 100),
            hang::<f64>(41, &cloth, Inextensibility::within(0.01), 100),
        ] {
            assert!(peak <= 0.01, "{peak}");
            assert_eq!(report.inextensibility.unmet, 0);
            assert!(report.inextensibility.levels >= 2 && report.inextensibility.tethers == 2 * (41 * 41 - 2));
        }
    }
}

/// Kinetic and potential energy by frame of 2 s of a square metre that is held at two corners and released flat, from
/// that at the start, over what the fall to where it hangs is worth; and the least and most substeps of a frame.
fn energies(substeps: u32) -> (Vec<f64>, [u32; 2]) {
    let model = model::<f32>(&common::sheet(43), &edges_only());
    let mut state = State::new(&model);
    state.pin(&model, 0);
    state.pin(&model, 42);
    let mut scratch = Scratch::new(1);
    let params = Params { substeps, ..params(Inextensibility::within(0.01)) };
    // A square metre, which hangs half a metre lower on the mean.
    let fall = 0.5 * edges_only().density * 9.81;
    let mut range = [u32::MAX, 0];
    let energies = (0..120).map(|_| {
        let used = step(&model, &mut state, &mut scratch, &params, DT).substeps;
        range = [range[0].min(used), range[1].max(used)];
        let totals = taut::measure::totals(&model, &state, params.gravity);
        (totals.kinetic + totals.potential) / fall
    });
    (energies.collect(), range)
}

/// With as many substeps as are chosen, energy stays within a tenth of the fall of what it is with 160; more are chosen
/// while the cloth whips around than while it hangs.
#[test]
fn energy_is_that_of_many_substeps() {
    let ((chosen, range), (many, _)) = (energies(0), energies(160));
    for (frame, (a, b)) in chosen.iter().zip(&many).enumerate() {
        assert!((a - b).abs() < 0.1, "frame {frame}: {a} instead of {b}");
    }
    assert!(range[0] == 10 && range[1] >= 20, "{range:?}");
}

#[test]
fn the_report_says_how_far_cloth_is_stretched() {
    let (peak, report) =
        hang::<f64>(21, &edges_only(), Inextensibility { rounds: 1, ..Inextensibility::within(1e-4) }, 1);
    // One frame: its end is the peak. Measured by other code, in the same precision.
    assert!((report.inextensibility.stretch - peak).abs() < 1e-12, "{} {peak}", report.inextensibility.stretch);
    let InextensibilityReport { unmet, given_up, .. } = report.inextensibility;
    assert!(unmet + given_up > 0, "one round cannot meet a hundredth of a percent");
}

#[test]
fn each_part_alone_helps() {
    let of = |hold: Inextensibility| hang::<f32>(41, &edges_only(), hold, 60).0;
    let plain = of(Inextensibility::NONE);
    let levels = of(Inextensibility { levels: 12, ..Inextensibility::NONE });
    let tethers = of(Inextensibility { tethers: true, ..Inextensibility::NONE });
    let limit = of(Inextensibility { max_stretch: 0.01, ..Inextensibility::NONE });
    assert!(levels < 0.5 * plain && tethers < 0.5 * plain && limit < 0.5 * plain, "{plain} {levels} {tethers} {limit}");
}

/// Nothing that holds may act on cloth that is not stretched.
#[test]
fn free_fall_is_not_disturbed() {
    let model = model::<f64>(&common::sheet(33), &edges_only());
    let run = |hold: Inextensibility| {
        let mut state = State::new(&model);
        let mut scratch = Scratch::new(1);
        for _ in 0..30 {
            step(&model, &mut state, &mut scratch, &params(hold), DT);
        }
        state.positions(&model)
    };
    let (plain, held) = (run(Inextensibility::NONE), run(Inextensibility::within(0.01)));
    for (a, b) in plain.iter().flatten().zip(held.iter().flatten()) {
        // Means of up to hundreds of positions of order 1 round at 1e-14 or so, thirty frames of sixteen substeps.
        assert!((a - b).abs() < 1e-10, "{a} {b}");
    }
}

#[test]
fn a_folded_sheet_is_not_unfolded() {
    let model = model::<f64>(&common::sheet(33), &edges_only());
    let run = |hold: Inextensibility| {
        let mut state = State::new(&model);
        for v in 0..model.vertices() as u32 {
            // In pleats: half as wide, no edge longer.
            let [x, _, z] = state.position(&model, v);
            let step = (x * 32.0).round();
            let y = if step % 2.0 == 0.0 { 0.0 } else { 0.75f64.sqrt() / 32.0 };
            state.set_position(&model, v, [0.5 * x, y, z]);
        }
        let mut scratch = Scratch::new(1);
        let params = Params { gravity: [0.0; 3], ..params(hold) };
        step(&model, &mut state, &mut scratch, &params, DT);
        state.positions(&model)
    };
    let hold = Inextensibility { max_stretch: 0.0, ..Inextensibility::within(0.01) };
    let width = |p: &[[f64; 3]]| p[32][0] - p[0][0];
    // What edges across pleats do is the elements' doing, in both.
    let (plain, held) = (run(Inextensibility::NONE), run(hold));
    assert!((width(&plain) - width(&held)).abs() < 0.01, "{} {}", width(&plain), width(&held));
}

#[test]
fn threads_and_lane_widths_give_the_same_bits() {
    // Large enough for levels and lists that workers share, and limits narrow enough that many elements are beyond.
    let model = model::<f32>(&common::sheet(140), &edges_only());
    let run = |threads: usize, width: Width, hold: Inextensibility| {
        let mut state = State::new(&model);
        state.pin(&model, 0);
        state.pin(&model, 139);
        let mut scratch = Scratch::new(threads).with_width(width).eager();
        let mut rounds = 0;
        for _ in 0..6 {
            rounds += step(&model, &mut state, &mut scratch, &Params { substeps: 4, ..params(hold) }, DT)
                .inextensibility
                .rounds;
        }
        (state_hash(&model, &state), rounds)
    };
    let narrow = Inextensibility { rounds: 20, ..Inextensibility::within(0.001) };
    let one = run(1, Width::W16, narrow);
    assert!(one.1 > 100, "{} rounds", one.1);
    assert_eq!(run(3, Width::W16, narrow), one);
    assert_eq!(run(2, Width::W4, narrow), one);
    assert_eq!(run(1, Width::W1, narrow), one);
    // Lists that dwindle to nothing: one worker goes on alone where the others' time is not worth it.
    let usual = Inextensibility::within(0.003);
    let one = run(1, Width::W16, usual);
    assert!(one.1 > 100, "{} rounds", one.1);
    assert_eq!(run(3, Width::W16, usual), one);
    assert_eq!(run(2, Width::W4, usual), one);
}

/// Letting go of what was held rebuilds everything: nothing may hold on to where the pins were.
#[test]
fn cloth_that_is_let_go_falls() {
    let n = 33;
    let model = model::<f32>(&common::sheet(n), &edges_only());
    let mut state = State::new(&model);
    let pins = [0, n as u32 - 1];
    pins.iter().for_each(|&p| state.pin(&model, p));
    let mut scratch = Scratch::new(1);
    let hold = params(Inextensibility::within(0.01));
    for _ in 0..30 {
        step(&model, &mut state, &mut scratch, &hold, DT);
    }
    pins.iter().for_each(|&p| state.unpin(&model, p));
    let middle = |state: &State<f32>| state.positions(&model).iter().map(|p| p[1]).sum::<f64>() / (n * n) as f64;
    let (before, speed) = (middle(&state), state.velocities(&model).iter().map(|v| v[1]).sum::<f64>() / (n * n) as f64);
    for _ in 0..60 {
        let report = step(&model, &mut state, &mut scratch, &hold, DT);
        assert_eq!(report.inextensibility.tethers, 0);
    }
    // The pins had the speed 0 and a little mass; the middle of all falls by v t − g t²/2, a substep early or late.
    let fallen = middle(&state) - before;
    let expected = speed - 0.5 * 9.81;
    assert!((fallen - expected).abs() < 0.01 * 9.81, "{fallen} {expected}");
}

/// A direction that the material leaves soft stretches as the material does; the other is held.
#[test]
fn a_soft_direction_stays_soft() {
    let membrane = Membrane::StretchShear { weft: 1e5, warp: 60.0, shear: 100.0 };
    let elasticity = Some(ClothElasticity { membrane, area: 0.0, bend: [0.0; 2], damping: ElasticDamping::default() });
    let cloth = Cloth { elasticity, ..Cloth::default() };
    let n = 33;
    let mut model = model::<f64>(&common::sheet(n), &cloth);
    let weft_only = StretchBounds { weft: 0.01, ..StretchBounds::NONE };
    model.set_limits(&[LimitSpec::stretch(weft_only)]).unwrap();
    let run = |hold: Inextensibility, substeps: u32| {
        let mut state = State::new(&model);
        // Held along weft at one edge, hanging along warp.
        for v in 0..n as u32 {
            state.pin(&model, v);
        }
        let mut scratch = Scratch::new(1);
        let (mut warp, mut peak) = (0.0, 0.0f64);
        for frame in 0..90 {
            step(&model, &mut state, &mut scratch, &Params { substeps, ..params(hold) }, DT);
            let all = strains(&model, &state).triangles;
            peak = all.iter().map(|t| t[0]).fold(peak, f64::max);
            warp += if frame >= 30 { all.iter().map(|t| t[1]).sum::<f64>() / all.len() as f64 / 60.0 } else { 0.0 };
        }
        (warp, peak)
    };
    let (truth, _) = run(Inextensibility::NONE, 200);
    let (warp, peak) = run(Inextensibility { max_stretch: 0.0, ..Inextensibility::within(0.01) }, 0);
    assert!(truth > 0.01, "soft enough to tell: {truth}");
    assert!((warp / truth - 1.0).abs() < 0.05, "stiffer or softer than the material: {warp}, {truth}");
    assert!(peak <= 0.01, "weft {peak}");
}

/// How stiff cloth is follows from its moduli, whatever strain its rows measure. Rows of Green's strain change twice as
/// fast as the stretch, and a fabric counted as a quarter as stiff as it is: a bed sheet of cotton had no limit at all.
#[test]
fn a_continuum_is_held_from_the_same_modulus_on_as_stretch_and_shear() {
    let limited = |membrane: Membrane| {
        let elasticity =
            Some(ClothElasticity { membrane, area: 0.0, bend: [0.0; 2], damping: ElasticDamping::default() });
        let cloth = Cloth { elasticity, ..Cloth::default() };
        hang::<f64>(9, &cloth, Inextensibility::within(0.01), 1).1.inextensibility.tethers
    };
    let mut seen = [false; 2];
    for step in 0..24 {
        let k = 10.0 * 1.5f64.powi(step);
        let continuum = limited(Membrane::Continuum(Orthotropic { weft: k, warp: k, poisson: 0.0, shear: 0.1 * k }));
        assert_eq!(continuum, limited(Membrane::StretchShear { weft: k, warp: k, shear: 0.1 * k }), "{k} N/m");
        seen[usize::from(continuum > 0)] = true;
    }
    assert_eq!(seen, [true; 2], "soft and stiff ones");
}

#[test]
fn loads_across_the_grain_are_held() {
    let cloth = Cloth { grain: Grain::Direction([0.8, 0.0, 0.6]), ..edges_only() };
    let (peak, report) = hang::<f32>(41, &cloth, Inextensibility::within(0.01), 100);
    assert!(peak <= 0.01, "{peak}, {} unmet", report.inextensibility.unmet);
}

/// Cloth without stiffness, without area to hang on, or flung about beyond all reason: finite, and no panic.
#[test]
fn odd_cloth_stays_finite() {
    let (peak, report) =
        hang::<f32>(9, &Cloth { stiffness: NO_ROWS, ..Cloth::default() }, Inextensibility::within(0.01), 5);
    // It has nothing to hold it but what was asked for.
    assert!(peak <= 0.01 && report.inextensibility.tethers == 0, "{peak}");
    let model = model::<f32>(&common::sheet(33), &edges_only());
    let mut state = State::new(&model);
    state.pin(&model, 0);
    state.set_velocity(&model, 500, [1e30, -1e30, 1e25]);
    state.set_position(&model, 40, [1e18, 0.0, 0.0]);
    let mut scratch = Scratch::new(1);
    for _ in 0..5 {
        step(&model, &mut state, &mut scratch, &params(Inextensibility::within(0.01)), DT);
    }
    assert!(state.positions(&model).iter().flatten().all(|c| c.is_finite()));
    for hold in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
        step(&model, &mut state, &mut scratch, &params(Inextensibility::within(hold)), DT);
    }
    assert!(state.positions(&model).iter().flatten().all(|c| c.is_finite()));
}

/// What pins alone decide is not under the limit: a sheet held along an edge that was drawn out by 1.5 % is as short
/// as it can be (its diagonals there are 0.75 % too long).
#[test]
fn stretch_between_pins_is_nobodys_fault() {
    let n = 21;
    for cloth in [edges_only(), rows_only()] {
        let model = model::<f32>(&common::sheet(n), &cloth);
        let mut state = State::new(&model);
        for v in 0..n as u32 {
            let [x, y, z] = state.position(&model, v);
            state.set_position(&model, v, [1.015 * x, y, z]);
            state.pin(&model, v);
        }
        let mut scratch = Scratch::new(1);
        for frame in 0..30 {
            let report = step(&model, &mut state, &mut scratch, &params(Inextensibility::within(0.01)), DT);
            assert!(
                report.inextensibility.unmet == 0 && report.inextensibility.stretch <= 0.01,
                "frame {frame}: {:?}",
                report.inextensibility
            );
        }
    }
}

fn rigid() -> Solid {
    let stiffness = SolidStiffness { stretch: [1.0; 3], shear: [1.0; 3], volume: 0.0 };
    Solid { stiffness, ..Solid::default() }
}

/// A bar of cubes, n of them along each axis and 1 m long, from (`from`, 0, 0) on.
fn bar<T: Precision>(n: [usize; 3], from: f64, solid: &Solid) -> Model<T> {
    let mut mesh = common::bar(n[0], n[1], n[2], 1.0 / n[0] as f64);
    mesh.positions.iter_mut().for_each(|p| p[0] += from);
    let mut builder = ModelBuilder::new();
    builder.add_solid("bar", &mesh, solid).unwrap();
    builder.build().unwrap()
}

/// Pins the end of a bar.
fn clamp<T: Precision>(model: &Model<T>, state: &mut State<T>, from: f64) {
    let rest = model.rest_positions();
    (0..rest.len()).filter(|&v| rest[v][0] < from + 1e-6).for_each(|v| state.pin(model, v as u32));
}

/// A beam clamped at one end and let go: how far its other end sinks at most in half a second, m, and the last report.
fn sink<T: Precision>(hold: Inextensibility, gravity: f64, from: f64) -> (f64, StepReport) {
    let model = bar::<T>([30, 5, 5], from, &rigid());
    let mut state = State::new(&model);
    clamp(&model, &mut state, from);
    let rest = model.rest_positions();
    let end: Vec<usize> = (0..rest.len()).filter(|&v| rest[v][0] > from + 1.0 - 1e-6).collect();
    let params = Params { substeps: 10, gravity: [0.0, -gravity, 0.0], ..params(hold) };
    let (mut scratch, mut sunk, mut last) = (Scratch::new(1), 0.0f64, StepReport::default());
    for _ in 0..30 {
        last = step(&model, &mut state, &mut scratch, &params, DT);
        let x = state.positions(&model);
        assert!(x.iter().flatten().all(|c| c.is_finite()));
        sunk = sunk.max((end.iter().map(|&v| rest[v][1] - x[v][1]).sum::<f64>() / end.len() as f64).abs());
    }
    (sunk, last)
}

/// Levels in solids: as stiff as with four times the substeps (whose error falls by their square) or more, also a
/// kilometre from the origin in single precision; and nothing moves that has no reason to.
#[test]
fn a_stiff_beam_sinks_less() {
    for from in [0.0, 1000.0] {
        let (plain, held) =
            (sink::<f32>(Inextensibility::NONE, 9.81, from), sink::<f32>(Inextensibility::within(0.01), 9.81, from));
        assert!(held.1.inextensibility.levels >= 2 && held.1.inextensibility.nodes > 0, "{:?}", held.1.inextensibility);
        assert!(held.0 < plain.0 / 16.0, "from {from}: {} without, {} with levels", plain.0, held.0);
    }
    let still = sink::<f64>(Inextensibility::within(0.01), 0.0, 0.0).0;
    assert!(still < 1e-9, "without gravity its end moved by {still}");
}

/// Elements know their lengths but not left from right: a mirrored body is as good as any to them. Levels that pulled
/// against them would feed it for ever.
#[test]
fn levels_leave_inverted_bodies_to_their_elements() {
    let model = bar::<f32>([16, 5, 5], 0.0, &rigid());
    let run = |hold: Inextensibility, place: &dyn Fn([f64; 3]) -> [f64; 3]| {
        let mut state = State::new(&model);
        for v in 0..model.vertices() as u32 {
            state.set_position(&model, v, place(state.position(&model, v)));
        }
        let mut scratch = Scratch::new(1);
        let params = Params { substeps: 10, gravity: [0.0; 3], ..params(hold) };
        for _ in 0..10 {
            step(&model, &mut state, &mut scratch, &params, DT);
        }
        state_hash(&model, &state)
    };
    let mirrored = |p: [f64; 3]| [p[0], -p[1], p[2]];
    let folded = |p: [f64; 3]| [if p[0] > 0.5 { 1.0 - p[0] } else { p[0] }, p[1], p[2]];
    for (name, place) in [("mirrored", &mirrored as &dyn Fn([f64; 3]) -> [f64; 3]), ("folded", &folded)] {
        assert_eq!(run(Inextensibility::within(0.01), place), run(Inextensibility::NONE, place), "{name}");
    }
    let bent = |p: [f64; 3]| [p[0], p[1] + 0.05 * p[0] * p[0], p[2]];
    assert_ne!(
        run(Inextensibility::within(0.01), &bent),
        run(Inextensibility::NONE, &bent),
        "what is bent is bent back"
    );
}

/// A free bar, twisted and let go: its energy (elastic and kinetic) never exceeds what the twist put in.
#[test]
fn levels_of_solids_do_not_feed_the_motion() {
    let elasticity = SolidElasticity { young: 1e9, poisson: 0.3, volume: 0.0, damping: 0.0 };
    let solid = Solid { elasticity: Some(elasticity), ..Solid::default() };
    let model = bar::<f64>([16, 4, 4], 0.0, &solid);
    let mut state = State::new(&model);
    for v in 0..model.vertices() as u32 {
        let [x, y, z] = state.position(&model, v);
        let (s, c) = (0.3 * x).sin_cos();
        state.set_position(&model, v, [x, c * y - s * z, s * y + c * z]);
    }
    let energy = |state: &State<f64>| {
        let speed2 = |v: usize| state.velocity(&model, v as u32).iter().map(|c| c * c).sum::<f64>();
        (0..model.vertices()).map(|v| 0.5 * model.masses()[v] * speed2(v)).sum::<f64>() + elastic_energy(&model, state)
    };
    let start = energy(&state);
    let mut scratch = Scratch::new(1);
    let params = Params { substeps: 10, gravity: [0.0; 3], ..params(Inextensibility::within(0.01)) };
    for frame in 0..60 {
        let report = step(&model, &mut state, &mut scratch, &params, DT);
        assert!(report.inextensibility.levels > 0);
        assert!(energy(&state) <= start, "frame {frame}: {} J of {start} J", energy(&state));
    }
}

#[test]
fn levels_of_solids_have_the_same_bits_for_any_threads_and_width() {
    // Enough nodes that workers share them.
    let model = bar::<f32>([48, 8, 8], 0.0, &rigid());
    let run = |threads: usize, width: Width| {
        let mut state = State::new(&model);
        clamp(&model, &mut state, 0.0);
        let mut scratch = Scratch::new(threads).with_width(width).eager();
        let params = Params { substeps: 4, ..params(Inextensibility::within(0.01)) };
        let last = (0..3).map(|_| step(&model, &mut state, &mut scratch, &params, DT)).last();
        assert!(last.is_some_and(|report| report.inextensibility.levels >= 2));
        state_hash(&model, &state)
    };
    let one = run(1, Width::W4);
    for (threads, width) in [(2, Width::W4), (3, Width::W16), (1, Width::W1)] {
        assert_eq!(run(threads, width), one, "{threads} threads, {width:?}");
    }
}
