//! Locking: cloth bent across its mesh.
//!
//! A square of 1 m whose triangles all have their long edge along one diagonal is held on one side of the *other*
//! diagonal, and the rest falls. To hang down it has to bend along a line that no edge of the mesh runs along, which
//! takes a little shear in the triangles it passes through. There is no bending stiffness; whatever resists is the
//! limiter.

use super::tools::point;
use taut::limit::{
    ApslSettings, Band, CslSettings, LimitScratch, Limiter, RestTriangle, StrainLimits, SweepSettings, edges_of,
};
use taut::mesh::TriMesh;

const N: usize = 7;

fn one_way() -> TriMesh {
    let at = |i: usize| i as f64 / (N - 1) as f64;
    let id = |i: usize, j: usize| (j * N + i) as u32;
    let mut mesh = TriMesh::default();
    for j in 0..N {
        mesh.positions.extend((0..N).map(|i| [at(i), 0.0, at(j)]));
    }
    for j in 0..N - 1 {
        for i in 0..N - 1 {
            let (a, b, c, d) = (id(i, j), id(i + 1, j), id(i, j + 1), id(i + 1, j + 1));
            mesh.triangles.extend([[a, d, b], [a, c, d]]);
        }
    }
    mesh
}

/// Drops the free half for 1.5 s, with soft springs (10 N/m) along weft and warp and in air that lets it come to rest.
/// Returns how far below its height the free corner is on average in the last third, over how far it can be (the height
/// of the triangle that hangs, 0.707 m).
fn drop(limiter: Option<&Limiter<f64>>) -> f64 {
    let mesh = one_way();
    let weight = |p: &[f64; 3]| if p[0] + p[2] < 1.0 + 1e-9 { 0.0 } else { 1000.0 };
    let mut x = mesh.positions.clone();
    let w: Vec<f64> = x.iter().map(weight).collect();
    let mut v = vec![[0.0; 3]; x.len()];
    let mut scratch = LimitScratch::new(1);
    let length = 1.0 / (N - 1) as f64;
    let springs = edges_of(&mesh.triangles, &mesh.positions).into_iter().filter(|e| e.length < 1.2 * length);
    let springs: Vec<[usize; 2]> = springs.map(|e| e.vertices.map(|v| v as usize)).collect();
    let (dt, steps) = (0.005, 300);
    let mut sum = 0.0;
    for step in 0..steps {
        for [a, b] in &springs {
            let d = point(&x[*b]) - point(&x[*a]);
            let push = d * (10.0 * (1.0 - length / d.norm2().sqrt()) * dt);
            for (i, push) in [(*a, push), (*b, -push)] {
                v[i] = (point(&v[i]) + push * w[i]).into();
            }
        }
        for (_, v) in w.iter().zip(&mut v).filter(|(w, _)| **w > 0.0) {
            v[1] -= 9.81 * dt;
            *v = v.map(|c| c / (1.0 + 3.0 * dt));
        }
        if let Some(limiter) = limiter {
            limiter.apply(&x, &w, &mut v, &[], dt, &mut scratch);
        }
        for (x, v) in x.iter_mut().zip(&v) {
            (0..3).for_each(|k| x[k] += dt * v[k]);
        }
        if step >= 2 * steps / 3 {
            sum -= point(&x[N * N - 1]).y / f64::from(steps / 3);
        }
    }
    sum / 0.5f64.sqrt()
}

#[test]
fn tight_edges_lock_and_the_others_do_not() {
    let mesh = one_way();
    let n = mesh.positions.len();
    let rest = RestTriangle::all(&mesh.triangles, &mesh.positions, [1.0, 0.0, 0.0]);
    let edges = edges_of(&mesh.triangles, &mesh.positions);
    let tight = 1e-4;
    let sweeps = SweepSettings { iterations: 1000, tolerance: 2e-5, seed: 0 };
    let csl =
        |limits| Limiter::<f64>::csl(n, &rest, &[limits], CslSettings { sweeps, ..CslSettings::default() }).unwrap();
    let loose = StrainLimits { shear: Band::both(0.3), ..StrainLimits::both(tight, tight, 0.0) };
    let areas = ApslSettings { threshold: tight, substeps: 20, alpha: 1.001, ..ApslSettings::default() };
    let none = drop(None);
    let both = drop(Some(&Limiter::edges(n, &edges, Band::both(tight), sweeps).unwrap()));
    let upto = drop(Some(&Limiter::edges(n, &edges, Band::upto(tight), sweeps).unwrap()));
    let sheared = drop(Some(&csl(loose)));
    let drawn = drop(Some(&csl(StrainLimits::new(tight, tight, 0.3))));
    let stiff = drop(Some(&csl(StrainLimits::both(tight, tight, tight))));
    let rows = drop(Some(&Limiter::sbd(n, &rest, &[loose], sweeps).unwrap()));
    let area = drop(Some(&Limiter::areas(n, &rest, areas).unwrap()));
    println!("the free corner hangs down by this share of what it could:");
    for (name, share) in [
        ("soft springs alone", none),
        ("edges within ±0.01 %", both),
        ("edges up to +0.01 %", upto),
        ("CSL, weft, warp and shear ±0.01 %", stiff),
        ("CSL, weft and warp ±0.01 %, shear ±0.3", sheared),
        ("SBD, the same", rows),
        ("CSL, weft and warp up to +0.01 %, shear ±0.3", drawn),
        ("APSL, area ±0.01 %", area),
    ] {
        println!("{name:<48} {:>6.1} %", 100.0 * share);
    }
    assert!(both < 0.5, "edges have not locked: {both}");
    assert!(drawn > 0.9, "CSL locks: {drawn}");
    assert!(rows > 0.9, "SBD locks: {rows}");
    assert!(area > 0.9, "APSL locks: {area}");
}
