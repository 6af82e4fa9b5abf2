use crate::scenes::*;
use std::time::Instant;
pub fn main() {
    let a: Vec<String> = std::env::args().skip(2).collect();
    let faces: usize = a[1].parse().unwrap();
    let t = Instant::now();
    match a[0].as_str() {
        "hang" => {
            let m: f64 = a[2].parse().unwrap();
            let l: Vec<f64> = a[3].split(',').map(|v| v.parse().unwrap()).collect();
            let limits = match a[4].as_str() { "gs" => vec![csl([l[0], l[1], l[2]])], "jac" => vec![csl_jacobi([l[0], l[1], l[2]])], "esl" => vec![esl(l[0])], _ => vec![] };
            let mut c = hanging(faces, [m, m, a[5].parse().unwrap()], &limits);
            println!("{} faces", c.mesh.triangles.len());
            let (mut it, mut cg, mut worst, mut sl, mut unconv) = (0, 0, [0f64; 3], 0, 0);
            for s in 0..1000 {
                let r = c.step(STEP);
                it += r.limit.iterations.max(1); cg += r.iterations; sl += r.limit.iterations; if !r.limit.converged { unconv += 1; }
                let m = c.most();
                for k in 0..3 { worst[k] = worst[k].max(m[k]); }
                if s % 100 == 99 { println!("{s}: {m:.3?} worst {worst:.3?} it {:.2} cg {:.2} {:.1?} unconverged {unconv} sweeps {sl}", it as f64 / (s + 1) as f64, cg as f64 / (s + 1) as f64, t.elapsed()); }
            }
        }
        "ball" => {
            let l: Vec<f64> = a[2].split(',').map(|v| v.parse().unwrap()).collect();
            let limits = match a[3].as_str() { "gs" => vec![csl([l[0], l[1], l[2]])], "esl" => vec![esl(l[0])], _ => vec![] };
            let mut c = on_a_ball(faces, [1000., 200., 100.], &limits);
            println!("{} faces", c.mesh.triangles.len());
            let (mut it, mut cg, mut worst) = (0, 0, [0f64; 3]);
            for s in 0..1000 {
                let r = c.step(STEP);
                it += r.limit.iterations.max(1); cg += r.iterations;
                let m = c.most();
                for k in 0..3 { worst[k] = worst[k].max(m[k]); }
                if s % 100 == 99 { println!("{s}: {m:.3?} worst {worst:.3?} it {:.2} cg {:.2} {:.1?} contacts {}", it as f64 / (s + 1) as f64, cg as f64 / (s + 1) as f64, t.elapsed(), r.contacts); }
            }
        }
        "cost" => {
            let mut c = hanging(faces, [500., 500., 250.], &[csl([0.1, 0.1, 0.2])]);
            c.params.tolerance = a[2].parse().unwrap();
            c.scratch = taut::Scratch::new(1).with_clock(crate::table::clock);
            let (mut best, mut cg) = ([f64::MAX; 7], 0);
            for s in 0..80 { let r = c.step(STEP); if s > 30 { for k in 0..7 { best[k] = best[k].min(r.seconds[k] * 1e3); } cg += r.iterations; } }
            println!("{best:.3?} cg {}", cg as f64 / 49.0);
        }
        "mesh" => meshes(),
        _ => {}
    }
}
pub fn meshes() {
    use taut_scene::generate::*;
    for (n0, n1) in [(9, 14), (19, 24), (40, 46)] { for n in n0..n1 { let v: Vec<usize> = (0..12).map(|seed| sheet(&SheetParams { nx: n, ny: n, tessellation: Tessellation::Irregular { seed }, ..Default::default() }).unwrap().triangles.len()).collect(); println!("{n} {v:?}"); } }
    for n in 25..30 { let v: Vec<usize> = (0..12).map(|seed| disc(&DiscParams { rings: n, tessellation: DiscTessellation::Irregular { seed }, ..Default::default() }).unwrap().triangles.len()).collect(); println!("{n} {v:?}"); }
}
