//! States that no simulator should produce, and some do.

use super::common::sheet;
use taut::limit::LimitError;
use taut::limit::{
    ApslCloth, ApslClothParams, ApslSettings, Band, CslScheme, CslSettings, LimitScratch, Limiter, RestTet,
    RestTriangle, StrainLimits, SweepSettings, edges_of,
};

fn all(n: usize, rest: &[RestTriangle], positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<Limiter<f32>> {
    let limits = [StrainLimits::both(0.05, 0.05, 0.1)];
    let jacobi = CslSettings { scheme: CslScheme::Jacobi { held: 2.0 }, ..CslSettings::default() };
    vec![
        Limiter::csl(n, rest, &limits, CslSettings::default()).unwrap(),
        Limiter::csl(n, rest, &limits, jacobi).unwrap(),
        Limiter::sbd(n, rest, &limits, SweepSettings::default()).unwrap(),
        Limiter::edges(n, &edges_of(triangles, positions), Band::both(0.05), SweepSettings::default()).unwrap(),
        Limiter::areas(n, rest, ApslSettings::default()).unwrap(),
    ]
}

/// Positions and inverse masses.
struct Vertices {
    x: Vec<[f32; 3]>,
    w: Vec<f32>,
}

impl Vertices {
    fn of(positions: &[[f64; 3]]) -> Self {
        Vertices { x: positions.iter().map(|p| p.map(|c| c as f32)).collect(), w: vec![500.0; positions.len()] }
    }
}

/// A sheet of 9×9 with a bad vertex in its middle (40), stretched so that limiters have work.
fn filtered(
    spoil: impl Fn(&mut Vertices, &mut Vec<[f32; 3]>),
) -> Vec<(&'static str, Vec<[f32; 3]>, taut::limit::LimitReport)> {
    let mesh = sheet(9);
    let rest = RestTriangle::all(&mesh.triangles, &mesh.positions, [1.0, 0.0, 0.0]);
    let n = mesh.positions.len();
    let mut at = Vertices::of(&mesh.positions);
    let mut v: Vec<[f32; 3]> = at.x.iter().map(|x| [x[0] * 20.0, 0.1, x[2] * 5.0]).collect();
    spoil(&mut at, &mut v);
    let mut out = Vec::new();
    for limiter in all(n, &rest, &mesh.positions, &mesh.triangles) {
        let mut v = v.clone();
        let report = limiter.apply(&at.x, &at.w, &mut v, &[], 0.01, &mut LimitScratch::new(1));
        let name = limiter.name();
        assert!(v.iter().flatten().all(|c| c.is_finite()), "{name}: not finite");
        assert!(v.iter().flatten().all(|c| c.abs() < 1e4), "{name}: thrown");
        out.push((name, v, report));
    }
    out
}

#[test]
fn nan_stays_where_it_is_and_is_counted() {
    for (name, v, report) in filtered(|at, _| at.x[40][1] = f32::NAN) {
        assert!(report.skipped.not_finite > 0, "{name}: {report:?}");
        assert!(report.after.worst() < report.before.worst(), "{name}: the rest was not limited");
        assert_eq!(v[40][0], 0.5 * 20.0, "{name}: a velocity that was sound has changed");
    }
    for (name, v, report) in filtered(|_, v| v[40] = [f32::INFINITY, f32::NAN, 0.0]) {
        assert_eq!((v[40], report.contained), ([0.0; 3], 1), "{name}");
        assert!(report.skipped.not_finite > 0, "{name}");
    }
}

#[test]
fn huge_numbers_are_skipped_or_mended() {
    for (name, _, report) in filtered(|at, _| at.x[40][0] = 3e30) {
        assert!(report.skipped.not_finite > 0, "{name}: {report:?}");
    }
}

#[test]
fn odd_masses_hold_vertices() {
    for mass in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        for (name, v, _) in filtered(|at, _| at.w[40] = mass) {
            assert_eq!(v[40], [10.0, 0.1, 2.5], "{name}: moved with an inverse mass of {mass}");
        }
    }
    for (name, v, report) in filtered(|at, _| at.w.fill(0.0)) {
        assert!(report.skipped.held > 0 && report.iterations == 0, "{name}: {report:?}");
        assert_eq!(v[41], [12.5, 0.1, 2.5], "{name}");
    }
}

#[test]
fn collapsed_elements_give_finite_velocities() {
    // A whole neighbourhood in one point, and another on one line.
    let point = |at: &mut Vertices, v: &mut Vec<[f32; 3]>| {
        for i in [30, 31, 32, 39, 40, 41, 48, 49, 50] {
            (at.x[i], v[i]) = ([0.5, 0.0, 0.5], [0.0; 3]);
        }
    };
    for (name, v, report) in filtered(point) {
        assert!(report.before.worst() > 0.9, "{name}: {report:?}");
        // Compression is limited too: the point must come apart.
        if name.starts_with("csl") || name == "sbd" {
            assert!(v[39] != v[40] || v[40] != v[41], "{name}: still a point");
        }
    }
    let line = |at: &mut Vertices, v: &mut Vec<[f32; 3]>| {
        at.x.iter_mut().for_each(|x| *x = [x[0] + x[2], 0.0, 0.0]);
        v.fill([0.0; 3]);
    };
    filtered(line);
    filtered(|at, _| at.x.fill([0.0; 3]));
}

#[test]
fn unusable_calls_do_nothing() {
    let rest = [RestTriangle::in_pattern([0, 1, 2], [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])];
    let csl = Limiter::<f64>::csl(3, &rest, &[StrainLimits::new(0.0, 0.0, 0.0)], CslSettings::default()).unwrap();
    let (x, w) = ([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]], [1.0; 3]);
    let mut scratch = LimitScratch::new(1);
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-320] {
        let mut v = [[0.0; 3]; 3];
        assert!(!csl.apply(&x, &w, &mut v, &[], dt, &mut scratch).converged);
        assert_eq!(v, [[0.0; 3]; 3]);
    }
    let mut short = [[0.0; 3]; 2];
    assert!(!csl.apply(&x, &w, &mut short, &[], 0.1, &mut scratch).converged);
    let mut v = [[0.0; 3]; 3];
    assert!(!csl.apply(&x[..2], &w, &mut v, &[], 0.1, &mut scratch).converged);
    assert!(!csl.apply(&x, &w[..2], &mut v, &[], 0.1, &mut scratch).converged);
    assert!(!csl.apply_to_candidates(&mut x.clone(), &w[..2], &[], &mut scratch).converged);
    assert_eq!(v, [[0.0; 3]; 3]);
}

#[test]
fn what_cannot_be_built_says_why() {
    let good = RestTriangle::in_pattern([0, 1, 2], [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    let flat = RestTriangle::in_pattern([0, 1, 2], [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]);
    let twice = RestTriangle { vertices: [0, 1, 1], ..good };
    let limits = [StrainLimits::new(0.1, 0.1, 0.1)];
    let csl = |t: &[RestTriangle], l: &[StrainLimits], s: CslSettings| Limiter::<f32>::csl(3, t, l, s);
    let far = RestTriangle { vertices: [0, 1, 3], ..good };
    assert!(matches!(
        csl(&[good, far], &limits, CslSettings::default()),
        Err(LimitError::Index { number: 1, vertex: 3, .. })
    ));
    let odd = StrainLimits { weft: Band { least: 0.2, most: 0.1 }, ..limits[0] };
    assert!(matches!(
        csl(&[good], &[odd], CslSettings::default()),
        Err(LimitError::Parameter { name: "weft limit", .. })
    ));
    let none =
        CslSettings { sweeps: SweepSettings { iterations: 0, ..SweepSettings::default() }, ..CslSettings::default() };
    assert!(matches!(csl(&[good], &limits, none), Err(LimitError::Parameter { name: "iterations", .. })));
    assert!(matches!(csl(&[good; 3], &[limits[0]; 2], CslSettings::default()), Err(LimitError::Length { .. })));
    let settings = ApslSettings { alpha: 1.0, ..ApslSettings::default() };
    assert!(matches!(Limiter::<f32>::areas(3, &[good], settings), Err(LimitError::Parameter { name: "alpha", .. })));
    // Without area, and with a vertex twice: left out and counted.
    let csl = csl(&[good, flat, twice], &limits, CslSettings::default()).unwrap();
    let x = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0f32]];
    let report = csl.apply(&x, &[1.0; 3], &mut [[0.0; 3]; 3], &[], 0.1, &mut LimitScratch::new(1));
    assert_eq!(report.skipped.degenerate, 2);
    let tet = RestTet::in_space([0, 1, 2, 3], &[[0.0; 3]; 4]);
    let apsl = Limiter::<f32>::volumes(4, &[tet], ApslSettings::default()).unwrap();
    let report = apsl.apply(&[[0.0; 3]; 4], &[0.0; 4], &mut [[0.0; 3]; 4], &[], 0.1, &mut LimitScratch::new(1));
    assert!(report.converged && report.skipped.degenerate == 1);
}

/// A limiter of rates where others are expected, and the other way round: once this wrote positions where there was no
/// room for any.
#[test]
fn rates_and_others_are_not_mistaken_for_each_other() {
    let mesh = sheet(9);
    let rest = RestTriangle::all(&mesh.triangles, &mesh.positions, [1.0, 0.0, 0.0]);
    let n = mesh.positions.len();
    let Vertices { x, w } = Vertices::of(&mesh.positions);
    let start: Vec<[f32; 3]> = x.iter().map(|x| [20.0 * x[0], 0.0, 0.0]).collect();
    for limiter in all(n, &rest, &mesh.positions, &mesh.triangles) {
        let mut v = start.clone();
        let report = limiter.apply_to_rates(&x, &w, &mut v, &[], &mut LimitScratch::new(1));
        assert!(!report.converged && v == start, "{}: {report:?}", limiter.name());
    }
    let limits = [StrainLimits::both(0.05, 0.05, 0.1)];
    let edges = edges_of(&mesh.triangles, &mesh.positions);
    let rates: [Limiter<f32>; 3] = [
        Limiter::csl(n, &rest, &limits, CslSettings::default()).unwrap().into_rates(),
        Limiter::sbd(n, &rest, &limits, SweepSettings::default()).unwrap().into_rates(),
        Limiter::edges(n, &edges, Band::both(0.05), SweepSettings::default()).unwrap().into_rates(),
    ];
    for limiter in rates {
        let (mut v, mut scratch) = (start.clone(), LimitScratch::new(1));
        let report = limiter.apply(&x, &w, &mut v, &[], 0.01, &mut scratch);
        assert!(!report.converged && v == start, "{}: {report:?}", limiter.name());
        let report = limiter.apply_to_candidates(&mut v, &w, &[], &mut scratch);
        assert!(!report.converged && v == start, "{}: {report:?}", limiter.name());
    }
}

#[test]
fn no_mesh_is_a_mesh() {
    for limiter in all(0, &[], &[], &[]).into_iter().chain(all(5, &[], &[[0.0; 3]; 5], &[])) {
        let mut v = [[f32::NAN, 1.0, 0.0]; 5];
        let report = limiter.apply(&[[0.0; 3]; 5], &[0.0; 5], &mut v, &[], 0.1, &mut LimitScratch::new(2).eager());
        assert!(report.converged && report.iterations == 0, "{}: {report:?}", limiter.name());
        // Of what it was made for, all velocities are numbers.
        assert!(v[..limiter.vertices()].iter().flatten().all(|c| c.is_finite()), "{}", limiter.name());
        assert_eq!(report.contained, limiter.vertices() as u64, "{}", limiter.name());
    }
}

/// Hundreds of states with bad numbers thrown in at random: velocities come back finite, what was skipped is counted,
/// and two threads agree with one.
#[test]
fn any_mixture_of_bad_numbers_gives_finite_velocities() {
    let mesh = sheet(6);
    let rest = RestTriangle::all(&mesh.triangles, &mesh.positions, [1.0, 0.0, 0.0]);
    let n = mesh.positions.len();
    let limiters = all(n, &rest, &mesh.positions, &mesh.triangles);
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3e38, -3e38, 1e20, 1e-38, 1e-45, 0.0, -0.0, -1.0];
    let mut seed = 1u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below
    };
    for round in 0..300 {
        let Vertices { mut x, mut w } = Vertices::of(&mesh.positions);
        let mut v: Vec<[f32; 3]> = x.iter().map(|x| [20.0 * x[0], 0.1, 5.0 * x[2]]).collect();
        for _ in 0..next(8) {
            let (i, k, value) = (next(n), next(7), bad[next(bad.len())]);
            match k {
                0..3 => x[i][k] = value,
                3 => w[i] = value,
                _ => v[i][k - 4] = value,
            }
        }
        let spoilt = x.iter().chain(&v).flatten().any(|c| !c.is_finite());
        let fixed: Vec<bool> = (0..next(n)).map(|_| next(4) == 0).collect();
        let dt = [1e-30, 1e-6, 0.01, 1.0, 1e6, 1e30][next(6)];
        for limiter in &limiters {
            let run = |scratch: LimitScratch<f32>| {
                let (mut v, mut scratch) = (v.clone(), scratch);
                let report = limiter.apply(&x, &w, &mut v, &fixed, dt, &mut scratch);
                (v, report)
            };
            let (one, report) = run(LimitScratch::new(1));
            let (two, _) = run(LimitScratch::new(2).eager());
            let what = format!("round {round}, {}: {report:?}", limiter.name());
            assert!(one.iter().flatten().all(|c| c.is_finite()), "{what}");
            assert_eq!(one, two, "{what}");
            assert!(!spoilt || report.skipped.not_finite + report.contained > 0, "{what}");
        }
    }
}

/// The same for the cloth that is areas alone.
#[test]
fn cloth_of_areas_alone_stays_finite() {
    let mesh = sheet(6);
    let mut cloth = ApslCloth::<f32>::new(&mesh.positions, &mesh.triangles, ApslClothParams::default()).unwrap();
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-60, 1e60, 1e30, 1e-3] {
        let Vertices { mut x, w } = Vertices::of(&mesh.positions);
        let mut v = vec![[0.0; 3]; x.len()];
        (v[3], v[7]) = ([f32::NAN, 0.0, 0.0], [3e38, 0.0, f32::INFINITY]);
        let report = cloth.step(&mut x, &w, &mut v, dt, &mut LimitScratch::new(1));
        assert!(x.iter().flatten().all(|c| c.is_finite()), "{dt}: {report:?}");
        assert!(dt != 1e-3 || report.contained >= 2, "{report:?}");
    }
}
