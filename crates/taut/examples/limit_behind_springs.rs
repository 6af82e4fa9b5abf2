//! CSL behind a mass–spring simulator that knows nothing of taut.
//!
//! The simulator below is as plain as they come: soft springs along edges, explicit steps, two pinned corners, where
//! its cloth is drawn out far. With a few lines more, marked LIMIT, no triangle is ever stretched by more than 5 %
//! along weft or 10 % along warp, whatever the springs say.
//!
//! `cargo run --release -p taut --example limit_behind_springs`

use taut::limit::{Band, CslSettings, LimitScratch, Limiter, RestTriangle, StrainLimits, SweepSettings};

/// Side of the cloth in vertices; it is 1 m wide and weighs 0.2 kg.
const N: usize = 21;
const STIFFNESS: f64 = 50.0; // N/m
const DT: f64 = 1.0 / 1000.0; // s
const STEPS: u32 = 3000;
/// Strain this little beyond its limit is left alone.
const TOLERANCE: f64 = 2e-3;

struct Cloth {
    rest: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    springs: Vec<(usize, usize, f64)>,
    x: Vec<[f64; 3]>,
    v: Vec<[f64; 3]>,
    inverse_masses: Vec<f64>,
}

fn cloth() -> Cloth {
    let h = 1.0 / (N - 1) as f64;
    let rest: Vec<[f64; 3]> = (0..N * N).map(|i| [(i % N) as f64 * h, 0.0, (i / N) as f64 * h]).collect();
    let (mut triangles, mut springs) = (Vec::new(), Vec::new());
    for j in 0..N {
        for i in 0..N {
            let a = j * N + i;
            let right = i + 1 < N;
            let down = j + 1 < N;
            springs.extend(right.then_some((a, a + 1, h)));
            springs.extend(down.then_some((a, a + N, h)));
            if right && down {
                springs.extend([(a, a + N + 1, h * 2f64.sqrt()), (a + 1, a + N, h * 2f64.sqrt())]);
                let [a, b, c, d] = [a, a + 1, a + N, a + N + 1].map(|v| v as u32);
                triangles.extend([[a, c, b], [b, c, d]]);
            }
        }
    }
    let mass = 0.2 / (N * N) as f64;
    let mut inverse_masses = vec![1.0 / mass; N * N];
    (inverse_masses[0], inverse_masses[N - 1]) = (0.0, 0.0);
    Cloth { x: rest.clone(), v: vec![[0.0; 3]; N * N], rest, triangles, springs, inverse_masses }
}

/// Velocities after a step of springs and gravity.
fn forces(c: &mut Cloth) {
    for (v, _) in c.v.iter_mut().zip(&c.inverse_masses).filter(|(_, w)| **w > 0.0) {
        v[1] -= 9.81 * DT;
        *v = v.map(|s| s * (1.0 - 2.0 * DT));
    }
    for &(a, b, length) in &c.springs {
        let d: [f64; 3] = core::array::from_fn(|k| c.x[b][k] - c.x[a][k]);
        let now = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt().max(1e-9);
        for k in 0..3 {
            let push = STIFFNESS * (now - length) * d[k] / now * DT;
            c.v[a][k] += push * c.inverse_masses[a];
            c.v[b][k] -= push * c.inverse_masses[b];
        }
    }
}

/// Simulates 3 s; returns by how much strain was ever beyond its limits.
fn simulate(limited: bool) -> f64 {
    let mut c = cloth();
    // LIMIT: the rest shape with weft along x, and what is allowed.
    let rest = RestTriangle::all(&c.triangles, &c.rest, [1.0, 0.0, 0.0]);
    let limits = StrainLimits { weft: Band::upto(0.05), warp: Band::upto(0.1), shear: Band::both(0.3) };
    let settings =
        CslSettings { sweeps: SweepSettings { tolerance: TOLERANCE, iterations: 300, seed: 0 }, ..Default::default() };
    let csl = Limiter::<f64>::csl(c.x.len(), &rest, &[limits], settings).expect("a sound mesh");
    let mut scratch = LimitScratch::new(1);
    let (mut worst, mut last, mut iterations) = (0.0f64, 0.0, 0);
    for _ in 0..STEPS {
        forces(&mut c);
        // LIMIT: filter what the springs want.
        let mut filtered = c.v.clone();
        let report = csl.apply(&c.x, &c.inverse_masses, &mut filtered, &[], DT, &mut scratch);
        if limited {
            c.v = filtered;
            last = report.after.worst();
            iterations += report.iterations;
        } else {
            last = report.before.worst();
        }
        worst = worst.max(last);
        for (x, v) in c.x.iter_mut().zip(&c.v) {
            for k in 0..3 {
                x[k] += DT * v[k];
            }
        }
    }
    let lowest = c.x.iter().map(|x| x[1]).fold(0.0, f64::min);
    let kind = if limited { "springs and CSL" } else { "springs alone" };
    println!(
        "{kind:<16} hangs {:.2} m deep; beyond its limits by {last:.4} in the end, {worst:.4} at worst; {:.2} sweeps a step",
        -lowest,
        f64::from(iterations) / f64::from(STEPS)
    );
    worst
}

fn main() {
    let loose = simulate(false);
    let tight = simulate(true);
    assert!(loose > 0.2 && tight <= TOLERANCE, "beyond the limits by {loose} without and {tight} with them");
}
