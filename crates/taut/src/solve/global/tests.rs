//! Every method on a sheet in motion, against the equations it has to solve and against each other.

mod sheet;

use super::*;
use crate::constraint::LooseElements;
use crate::team::Team;
use sheet::{G, H, Sheet, distance, moving, plus, settings, sheet};

/// Those that solve for all elements together.
/// Those on a table of rows. Multigrid has the elements in lanes: tests/solvers.rs.
const ALL: &[Solver] = Solver::ALL.split_at(8).0.split_at(1).1;

/// Solves until nothing changes. Methods of one Newton step are called again and again, from where they came to.
fn to_the_end(sheet: &Sheet, solver: Solver) -> (Sheet, Outcome) {
    let mut candidates = sheet.candidates();
    let (team, mut global) = (Team::new(1), Global::default());
    let rounds = if matches!(solver, Solver::NewtonCg | Solver::NewtonCholesky) { 25 } else { 1 };
    let settings = SolveSettings { tolerance: 1e-8, ..settings(solver) };
    let (mut found, mut outcome) = (sheet.clone(), Outcome::default());
    for _ in 0..rounds {
        (found, outcome) = sheet.solve(&mut global, &team, &settings, &candidates);
        candidates.iter_mut().zip(&found.x).for_each(|(c, x)| c.x = *x);
    }
    (found, outcome)
}

/// How far positions are from x̃ + s M⁻¹ Jᵀ λ, m, with J and λ found without the solver's help.
fn stray(sheet: &Sheet, found: &Sheet) -> f64 {
    let pull = found.pull();
    let off = |(i, c): (usize, &Candidate)| distance(found.x[i], plus(c.target, H * H * c.w, pull[i]));
    sheet.candidates().iter().enumerate().map(off).fold(0.0, f64::max)
}

#[test]
fn every_method_finds_the_same_solution_damped_or_not() {
    for gamma in [0.0, 0.01] {
        let (large, small) = (moving(15, gamma), moving(7, gamma));
        for &solver in ALL {
            // Jacobi needs ten thousand iterations for a large sheet.
            let start = if matches!(solver, Solver::Jacobi { .. }) { &small } else { &large };
            let (reference, outcome) = start.step(&settings(Solver::Newton));
            assert!(outcome.residual < 1e-9, "Newton, γ = {gamma}: {outcome:?}");
            assert!(start.apart(&reference) > 0.01, "the sheet does not move");
            let (found, outcome) = to_the_end(start, solver);
            let (apart, stray) = (found.apart(&reference), stray(start, &found));
            assert!(apart < 1e-6, "{solver:?}, γ = {gamma}: {apart:e} apart, {outcome:?}");
            // The multipliers belong to the positions, and are where the model looks for them.
            assert!(stray < 1e-7, "{solver:?}, γ = {gamma}: positions {stray:e} from the multipliers'");
        }
    }
}

#[test]
fn damping_makes_a_difference() {
    let mut start = moving(8, 0.0);
    let (free, _) = start.step(&settings(Solver::Newton));
    start.elements = sheet::<f64>(8, sheet::YOUNG, 0.01).elements;
    let (damped, _) = start.step(&settings(Solver::Newton));
    assert!(free.apart(&damped) > 1e-4, "{:e}", free.apart(&damped));
}

#[test]
fn the_solution_is_a_minimum_of_the_energy() {
    let start = moving(15, 0.0);
    let candidates = start.candidates();
    let (found, _) = start.step(&settings(Solver::Newton));
    let least = found.phi(&candidates);
    // Central differences err by about ∂³Φ δ²/6, and ∂³Φ is about modulus / spacing² = 1e5 N/m³; Φ is rounded to
    // about 1e-16 J. Both are below 1e-7 N for δ = 1e-6 m, a hundred-thousandth of a vertex's weight.
    let delta = 1e-6;
    for i in (1..225).step_by(11).filter(|&i| start.w[i] > 0.0) {
        for d in 0..3 {
            let phi = |step: f64| {
                let mut moved = found.clone();
                moved.x[i][d] += step;
                moved.phi(&candidates)
            };
            let slope = (phi(delta) - phi(-delta)) / (2.0 * delta);
            assert!(slope.abs() < 1e-7, "vertex {i} axis {d}: {slope:e} N");
            assert!(phi(1e-3) > least && phi(-1e-3) > least, "vertex {i} axis {d}: not a minimum");
        }
    }
}

#[test]
fn newton_lowers_the_energy_and_doubles_its_digits() {
    let start = moving(15, 0.0);
    let candidates = start.candidates();
    let (mut energy, mut residual) = (f64::INFINITY, f64::INFINITY);
    let mut doubled = 0;
    for iterations in 0..30 {
        let (found, outcome) = start.step(&SolveSettings { iterations, ..settings(Solver::Newton) });
        let now = found.phi(&candidates);
        assert!(now <= energy * (1.0 + 1e-12), "step {iterations}: {energy} to {now}");
        // Near the end, the error is squared: in units of the largest velocity that still counts as near, 1 m/s.
        doubled += u32::from(residual < 0.1 && outcome.residual < residual.powf(1.7));
        (energy, residual) = (now, outcome.residual);
        if outcome.iterations < iterations {
            break;
        }
    }
    assert!(residual < 1e-10 && doubled >= 1, "{residual:e}, doubled {doubled} times");
}

#[test]
fn conjugate_gradients_and_factorisation_take_the_same_newton_step() {
    for gamma in [0.0, 0.01] {
        let start = moving(15, gamma);
        let (a, by_cg) = start.step(&settings(Solver::NewtonCg));
        let (b, by_factor) = start.step(&settings(Solver::NewtonCholesky));
        assert!(a.apart(&b) < 1e-9, "{:e}", a.apart(&b));
        assert!(by_cg.iterations > 10 && by_factor.iterations == 1);
        let (reference, _) = start.step(&settings(Solver::Newton));
        assert!(a.apart(&reference) < 0.05 * start.apart(&reference), "{:e}", a.apart(&reference));
    }
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_workers() {
    let start = moving(15, 0.01);
    let bits = |s: &Sheet| s.x.iter().flatten().chain(&s.lambda).map(|n| n.to_bits()).collect::<Vec<_>>();
    for &solver in ALL {
        let run = |threads| {
            let settings = SolveSettings { iterations: 12, ..settings(solver) };
            start.solve(&mut Global::default(), &Team::new(threads), &settings, &start.candidates())
        };
        let (one, outcome) = run(1);
        for threads in [2, 3] {
            let (several, same) = run(threads);
            assert_eq!(bits(&one), bits(&several), "{solver:?} on {threads} threads");
            assert_eq!(outcome, same);
        }
    }
}

#[test]
fn memory_from_another_model_does_not_matter() {
    let (large, small) = (moving(10, 0.0), moving(6, 0.01));
    for &solver in ALL {
        let settings = SolveSettings { iterations: 12, ..settings(solver) };
        let (mut global, team) = (Global::default(), Team::new(1));
        large.solve(&mut global, &team, &settings, &large.candidates());
        let (again, _) = small.solve(&mut global, &team, &settings, &small.candidates());
        assert_eq!(again.x, small.step(&settings).0.x, "{solver:?}");
    }
}

#[test]
fn held_vertices_stay_and_free_fall_is_free() {
    let mut start = moving(8, 0.0);
    start.w[20] = 0.0;
    for &solver in ALL {
        let candidates = start.candidates();
        let (found, _) = start.step(&SolveSettings { iterations: 30, ..settings(solver) });
        for i in [0, 7, 20] {
            assert_eq!(found.x[i], candidates[i].x, "{solver:?} moved held vertex {i}");
        }
    }
    // A sheet at rest that nothing holds falls as one, whatever its stiffness.
    let mut loose = sheet::<f64>(8, 1e4, 0.0);
    loose.w = loose.w.iter().map(|w| if *w > 0.0 { *w } else { 1e3 }).collect();
    for x in &mut loose.x {
        x[1] = 0.0;
    }
    for &solver in ALL {
        let (found, outcome) = loose.step(&SolveSettings { iterations: 20, ..settings(solver) });
        let fell = found.x.iter().map(|x| (x[1] + G * H * H).abs()).fold(0.0, f64::max);
        assert!(fell < 1e-12 && outcome.residual < 1e-9, "{solver:?}: {fell:e} {outcome:?}");
    }
}

#[test]
fn single_precision_models_are_solved_in_double() {
    let single = sheet::<f32>(8, sheet::YOUNG, 0.0);
    let double = sheet::<f64>(8, sheet::YOUNG, 0.0);
    for solver in [Solver::ConjugateResiduals, Solver::Newton] {
        let (a, _) = single.step(&settings(solver));
        let (b, _) = double.step(&settings(solver));
        // Rest numbers are rounded to 6e-8, which shifts a sheet of 1 m by about as much times its slackness.
        let apart = a.x.iter().zip(&b.x).map(|(a, b)| distance(*a, *b)).fold(0.0, f64::max);
        assert!(apart < 1e-5, "{solver:?}: {apart:e}");
    }
}

/// Runs every method on something absurd; what comes out must be finite, within the cap, or what went in.
fn survive(what: &str, start: &Sheet, candidates: &[Candidate], change: impl Fn(&mut SolveSettings)) -> Vec<Outcome> {
    let one = |solver| {
        let mut settings = SolveSettings { iterations: 40, ..settings(solver) };
        change(&mut settings);
        let (found, outcome) = start.solve(&mut Global::default(), &Team::new(1), &settings, candidates);
        assert!(outcome.iterations <= 40, "{what}, {solver:?}: {outcome:?}");
        if outcome.residual.is_infinite() {
            let same = |(x, c): (&[f64; 3], &Candidate)| x.map(f64::to_bits) == c.x.map(f64::to_bits);
            assert!(found.x.iter().zip(candidates).all(same), "{what}, {solver:?}: failed and moved");
        } else {
            assert!(found.x.iter().flatten().all(|c| c.is_finite()), "{what}, {solver:?}: positions");
            assert!(found.lambda.iter().all(|c| c.is_finite()), "{what}, {solver:?}: multipliers");
        }
        outcome
    };
    ALL.iter().copied().map(one).collect()
}

#[test]
fn absurd_input_is_survived() {
    let normal = moving(6, 0.01);
    let at = normal.candidates();
    let change = |f: &dyn Fn(usize, &mut Candidate)| {
        let mut out = at.clone();
        out.iter_mut().enumerate().for_each(|(i, c)| f(i, c));
        out
    };
    let stiff = sheet::<f64>(6, 1e12, 1e6);
    survive("stiffness 1e12, damping for days", &stiff, &stiff.candidates(), |_| ());
    survive(
        "masses from 1e-12 to 1e12",
        &normal,
        &change(&|i, c| c.w *= if i % 2 == 0 { 1e12 } else { 1e-12 }),
        |_| (),
    );
    survive("a far target", &normal, &change(&|i, c| c.target[0] += if i == 9 { 1e9 } else { 0.0 }), |_| ());
    survive(
        "a target beyond the numbers",
        &normal,
        &change(&|i, c| c.target[1] += if i == 9 { 1e300 } else { 0.0 }),
        |_| (),
    );
    survive("all in one point", &normal, &change(&|_, c| (c.x, c.target) = ([0.0; 3], [0.0; 3])), |_| ());
    survive("a long time step", &normal, &at, |s| (s.reach, s.rate) = (1e8, 1e-4));
    survive("a short time step", &normal, &at, |s| (s.reach, s.rate) = (1e-24, 1e12));
    survive("all held", &normal, &change(&|_, c| c.w = 0.0), |_| ());
    survive("no tolerance", &normal, &at, |s| s.tolerance = f64::NAN);
    let refused = [
        survive("not a number", &normal, &change(&|i, c| c.x[2] = if i == 9 { f64::NAN } else { c.x[2] }), |_| ()),
        survive("a negative mass", &normal, &change(&|i, c| c.w = if i == 9 { -1.0 } else { c.w }), |_| ()),
        survive("no reach", &normal, &at, |s| s.reach = 0.0),
        survive("no rate", &normal, &at, |s| s.rate = f64::NAN),
    ];
    assert!(refused.iter().flatten().all(|o| o.residual.is_infinite() && o.iterations == 0), "{refused:?}");
    let empty =
        Sheet { x: Vec::new(), v: Vec::new(), w: Vec::new(), elements: LooseElements::default().pack(&[]), ..normal };
    survive("nothing at all", &empty, &[], |_| ());
}
