//! What the papers on strain limiting show, in small, as numbers. `examples/limit_figures` has them in full size.

mod scenes;

use scenes::{
    Alone, FRAME, Held, Running, STEP, SWEEPS, csl, csl_jacobi, esl, hanging, largest, on_a_ball, shaken, still,
};
use taut::limit::{ApslClothParams, ApslSettings, LimitSpec, SweepSettings};
use taut::measure::totals;

/// The simulator that both papers start from takes steps of 1 ms and up: what gravity gives is all the energy that there ever
/// is, and the cloth comes down.
#[test]
fn the_base_simulator_takes_long_steps() {
    for dt in [STEP, 5e-3, FRAME] {
        let mut cloth = hanging(226, [500.0, 500.0, 250.0], &[]);
        let energy = |c: &Running| {
            let t = totals(&c.model, &c.state, c.params.gravity);
            (t.kinetic + t.potential + t.elastic, t.potential)
        };
        let (start, height) = energy(&cloth);
        let mut fallen: f64 = 0.0;
        for n in 0..(0.6 / dt) as u32 {
            let report = cloth.step(dt);
            let (all, now) = energy(&cloth);
            fallen = fallen.max(height - now);
            // Of what was given; one Newton step in place of many is wrong in second order of a step's turn, either way.
            assert!(all < start + 0.01 * fallen + 1e-9, "{dt} s, step {n}: {all} J of {start} J");
            assert!(report.contained == 0, "{dt} s, step {n}: {report:?}");
        }
        // 0.2 kg, hung by one side: the middle comes down by nearly half a metre.
        assert!(fallen > 0.3 * 0.2 * 9.81, "{dt} s: {fallen} J");
    }
}

/// CSL Table 1: on a coarse mesh nothing comes near the limits, on a finer one it does, because the corners carry the same
/// weight with fewer threads; few sweeps are enough, for Jacobi more than for Gauss–Seidel; and limits hold after every step.
#[test]
fn finer_meshes_need_more_sweeps_and_jacobi_more_than_gauss_seidel() {
    let mean = |faces, limit: LimitSpec| {
        let mut cloth = hanging(faces, [500.0, 500.0, 250.0], &[limit]);
        let steps = 500;
        let mut sweeps = 0;
        for n in 0..steps {
            let report = cloth.step(STEP).limit;
            assert!(report.converged, "{faces} faces, step {n}: {report:?}");
            sweeps += report.iterations;
        }
        f64::from(sweeps) / f64::from(steps)
    };
    let limits = [0.1, 0.1, 0.2];
    assert_eq!([mean(226, csl(limits)), mean(226, csl_jacobi(limits)), mean(226, esl(0.1))], [0.0; 3]);
    let [gs, jacobi, edges] = [mean(904, csl(limits)), mean(904, csl_jacobi(limits)), mean(904, esl(0.1))];
    assert!(0.0 < gs && gs < jacobi && 0.0 < edges && edges < jacobi, "{gs} {jacobi} {edges}");
    assert!(jacobi < 5.0, "{jacobi}");
}

/// CSL Fig. 6: every component keeps to a limit of its own, and goes beyond the other's where its own is loose. Limits on
/// edges keep no component.
#[test]
fn each_component_has_its_own_limit() {
    // Softer than the paper's, for a mesh so coarse that corners carry less.
    let most = |limits: &[LimitSpec]| {
        let mut cloth = hanging(226, [30.0, 30.0, 9.0], limits);
        let mut most = [0.0f64; 3];
        for _ in 0..600 {
            let report = cloth.step(STEP).limit;
            assert!(report.converged, "{report:?}");
            let now = cloth.most();
            most = [0, 1, 2].map(|k| most[k].max(now[k]));
        }
        most
    };
    let free = most(&[]);
    assert!(free[0] > 0.2 && free[1] > 0.2, "{free:?} needs no limits");
    let (tight, loose) = (0.02, 0.2);
    // Tight limits take up to some hundred sweeps.
    let long = SweepSettings { iterations: 5000, ..SWEEPS };
    for limits in [[tight; 3], [tight, tight, loose], [tight, loose, loose], [loose, tight, loose]] {
        let found = most(&[csl(limits).with_sweeps(long)]);
        for k in 0..3 {
            assert!(found[k] <= limits[k] + SWEEPS.tolerance + 1e-9, "{limits:?}: {found:?}");
            // Well beyond the tight one, or the difference could not be seen.
            assert!(limits[k] == tight || found[k] > 2.0 * tight, "{limits:?}: {found:?}");
        }
    }
    // No edge is longer by more than 2 %, but triangles can still be stretched across their edges, by far more.
    let edges = most(&[esl(tight).with_sweeps(long)]);
    assert!(edges[0] > 2.0 * tight && edges[1] > 2.0 * tight && edges[2] > 2.0 * tight, "{edges:?}");
}

/// CSL Fig. 8: the tight limit holds whichever way it runs, on a ball that pushes from below.
#[test]
fn limits_hold_on_a_ball_and_can_be_exchanged() {
    let most = |moduli, limits: &[LimitSpec]| {
        let mut cloth = on_a_ball(600, moduli, limits);
        for _ in 0..600 {
            cloth.step(STEP);
        }
        cloth.most()
    };
    // Softer than the paper's, as above.
    let (one, other) = ([300.0, 60.0, 30.0], [60.0, 300.0, 30.0]);
    let free = most(one, &[]);
    let weft = most(one, &[csl([0.04, 0.2, 0.4])]);
    let warp = most(other, &[csl([0.2, 0.04, 0.4])]);
    assert!(free[0] > 0.06 && free[1] > 0.2, "{free:?} needs no limits");
    // Contact has the last word; it may stretch what touches by a tenth of the limit.
    let slack = SWEEPS.tolerance + 0.1 * 0.04;
    assert!(weft[0] < 0.04 + slack && weft[1] < 0.2 + slack && weft[1] > 0.08, "{weft:?}");
    assert!(warp[1] < 0.04 + slack && warp[0] < 0.2 + slack && warp[0] > 0.08, "{warp:?}");
}

/// APSL Figs. 1, 5, 6 and 7: areas change a lot under the implicit solver alone, and by no more than the threshold with the
/// limiter behind it or instead of it, hanging still or shaken.
#[test]
fn areas_are_kept_behind_the_implicit_solver_and_without_it() {
    for (motion, frames) in [(still as scenes::Motion, 60), (shaken, 120)] {
        let settings = ApslSettings::default();
        let mut free = Held::new(400, 1, &[], motion);
        let mut held = Held::new(400, 1, &[LimitSpec::areas(settings)], motion);
        let mut alone = Alone::new(400, ApslClothParams { substeps: 10, ..ApslClothParams::default() }, motion);
        let mut most = [0.0f64; 3];
        for _ in 0..frames {
            free.frame();
            held.frame();
            alone.frame();
            let now = [largest(&free.cloth.area()), largest(&held.cloth.area()), largest(&alone.area())];
            most = [0, 1, 2].map(|k| most[k].max(now[k]));
        }
        assert!(most[0] > 0.5, "{most:?} needs no limits");
        assert!(most[1] <= settings.threshold + 1e-9, "{most:?}");
        // What the paper has for its own.
        assert!(most[2] < 0.0477, "{most:?}");
    }
}

/// APSL §4: with an α at which a system takes three or four iterations, ten systems are enough behind time steps of 1.7 ms.
#[test]
fn few_iterations_for_each_of_ten_systems() {
    let settings = ApslSettings { alpha: 1.3, adaptive: false, ..ApslSettings::default() };
    let steps = 10;
    let mut cloth = Held::new(400, steps, &[LimitSpec::areas(settings)], still);
    let (mut systems, mut iterations, mut most) = (0, 0, 0.0f64);
    for _ in 0..40 {
        let report = cloth.frame().limit;
        systems += report.iterations;
        iterations += report.cg_iterations;
        most = most.max(largest(&cloth.cloth.area()));
    }
    let (each, mean) = (f64::from(systems) / f64::from(40 * steps), iterations as f64 / f64::from(systems));
    assert!(each <= 10.0 && (2.0..5.0).contains(&mean), "{each} systems of {mean} iterations");
    // The paper has 1.94 and 3.64 % with that.
    assert!(most < 0.0364, "{most}");
}
