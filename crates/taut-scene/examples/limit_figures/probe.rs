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
        "area" | "shake" => {
            let motion = if a[0] == "area" { still } else { shaken };
            let m: f64 = a[2].parse().unwrap();
            let l: Vec<f64> = a[3].split(',').map(|v| v.parse().unwrap()).collect();
            let set = taut::limit::ApslSettings { alpha: l[0], substeps: l[1] as u32, threshold: l[2], cg_tolerance: l[3], ..Default::default() };
            let mut h = Held::new(faces, m, &[], motion);
            let mut g = Held::new(faces, m, &[taut::limit::LimitSpec::areas(set)], motion);
            let mut s = Alone::new(faces, taut::limit::ApslClothParams { areas: set, substeps: l[4] as u32, ..Default::default() }, motion);
            let (mut w, mut sys, mut cg, mut sys2, mut cg2) = ([0f64; 3], 0, 0, 0, 0);
            let frames: usize = a[4].parse().unwrap();
            for f in 0..frames {
                h.frame(); let r = g.frame(); let r2 = s.frame();
                sys += r.limit.iterations; cg += r.limit.cg_iterations; sys2 += r2.iterations; cg2 += r2.cg_iterations;
                let m = [largest(&h.cloth.area()), largest(&g.cloth.area()), largest(&s.area())];
                for k in 0..3 { w[k] = w[k].max(m[k]); }
                if f % 10 == 9 { println!("{f}: {m:.4?} worst {w:.4?} systems {:.1} cg {:.2}; alone {:.1} {:.2} {:.1?}", sys as f64 / (f + 1) as f64, cg as f64 / sys.max(1) as f64, sys2 as f64 / (f+1) as f64, cg2 as f64 / sys2.max(1) as f64, t.elapsed()); }
            }
        }
        _ => {}
    }
}
