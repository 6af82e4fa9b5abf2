//! What the Strain Based Dynamics paper shows, as numbers.

mod scenes;

use scenes::{figure_3, figure_4_hang, figure_4_tangle, remaining_stretch};
use taut::measure::{strains, totals};
use taut::{SolidStiffness, StrainForm};
use taut_scene::generate::Tessellation;

/// Fig. 4 (a)–(d), over 20 seeds: no element inverted, the volume back within 5 %.
#[test]
fn a_scrambled_torus_recovers() {
    let recover = |seed: u64| {
        let mut torus = figure_4_tangle(seed);
        assert!(torus.model.elements().tetrahedra.count >= 2000);
        assert!(strains(&torus.model, &torus.state).inverted() > 500, "not scrambled");
        torus.run(240);
        let inverted = strains(&torus.model, &torus.state).inverted();
        let volume = totals(&torus.model, &torus.state, [0.0; 3]).volume_change;
        (seed, inverted, volume)
    };
    let failed: Vec<_> = std::thread::scope(|scope| {
        let half = |odd: u64| (0..10).map(move |i| recover(2 * i + odd)).collect::<Vec<_>>();
        let odd = scope.spawn(move || half(1));
        let even = half(0);
        even.into_iter().chain(odd.join().unwrap()).filter(|r| r.1 > 0 || r.2.abs() > 0.05).collect()
    });
    assert!(failed.is_empty(), "(seed, inverted, volume change): {failed:?}");
}

/// §3.4: the square root leaves less stretch after the same number of iterations.
#[test]
fn the_square_root_of_strain_leaves_less_stretch() {
    let meshes = [Tessellation::Regular, Tessellation::Alternating, Tessellation::Irregular { seed: 1 }];
    println!("mean stretch left after 20 iterations, and improved over plain");
    for stretch in [1.1, 1.5, 3.0, 10.0] {
        let mut sum = 0.0;
        for mesh in meshes {
            let left = |form| remaining_stretch(form, mesh, stretch, 20);
            let (improved, plain) = (left(StrainForm::Improved), left(StrainForm::Plain));
            println!("{stretch:>4} {mesh:?}: improved {improved:.4} plain {plain:.4} ratio {:.3}", improved / plain);
            sum += improved / plain / 3.0;
        }
        println!("{stretch:>4} mean ratio {sum:.3}");
        assert!(sum < 1.0, "{stretch}: {sum}");
    }
}

/// Fig. 3: (high, high, high), (high, high, low), (low, high, high).
#[test]
fn cloth_gives_where_it_is_soft_and_only_there() {
    let means = |weft, warp, shear| {
        let mut cloth = figure_3(weft, warp, shear);
        cloth.run(240);
        let [a, b, c, _] = strains(&cloth.model, &cloth.state).cloth();
        [a.mean, b.mean, c.mean]
    };
    let stiff = means(1.0, 1.0, 1.0);
    let sheared = means(1.0, 1.0, 0.001);
    let soft = means(0.001, 1.0, 1.0);
    println!("weft, warp, shear: stiff {stiff:?} low shear {sheared:?} low weft {soft:?}");
    assert!(stiff.iter().all(|s| *s < 0.01), "{stiff:?}");
    assert!(sheared[2] > 5.0 * stiff[2] && sheared[0] < 0.01 && sheared[1] < 0.01, "{sheared:?}");
    assert!(soft[0] > 10.0 * stiff[0] && soft[1] < 0.01 && soft[2] < 0.03, "{soft:?}");
}

/// Fig. 4 (e)–(h), as the captions say.
#[test]
fn soft_bodies_give_where_they_are_soft() {
    let hang = |stretch, shear, volume| {
        let mut torus = figure_4_hang(SolidStiffness { stretch, shear, volume });
        torus.run(180);
        let measured = strains(&torus.model, &torus.state);
        assert_eq!(measured.inverted(), 0);
        let [a, b, c, d, e, f, _] = measured.solid().map(|s| s.mean);
        let volume = totals(&torus.model, &torus.state, [0.0; 3]).volume_change;
        ([a, b, c], (d + e + f) / 3.0, volume)
    };
    const LOW: f64 = 0.002;
    const HIGH: f64 = 0.9;
    let stiff = hang([HIGH; 3], [HIGH; 3], 0.5);
    let e = hang([LOW; 3], [LOW; 3], 0.9);
    let f = hang([LOW, HIGH, HIGH], [HIGH; 3], LOW);
    let g = hang([LOW; 3], [HIGH; 3], LOW);
    let h = hang([HIGH; 3], [LOW; 3], LOW);
    let stretch = |case: &([f64; 3], f64, f64)| case.0.iter().sum::<f64>() / 3.0;
    println!("stretch per axis, shear, volume:\nstiff {stiff:?}\n(e) {e:?}\n(f) {f:?}\n(g) {g:?}\n(h) {h:?}");
    assert!(stretch(&e) > 5.0 * stretch(&stiff) && e.2.abs() < 0.02, "(e) deforms heavily, keeps its volume");
    assert!(f.0[0] > 5.0 * f.0[1] && f.0[0] > 5.0 * f.0[2], "(f) stretches along the ring only");
    assert!(stretch(&g) > 3.0 * g.1, "(g) stretches, angles stay");
    assert!(h.1 > 3.0 * stretch(&h) && h.1 > 3.0 * g.1, "(h) shears and bends, little stretch");
}
