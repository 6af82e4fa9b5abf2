//! Fig. 4: a soft torus.

use super::FRAME;
use crate::{Claim, Error, Outcome, Size, Table, in_pairs};
use taut::measure::{strains, totals};
use taut::mesh::TetMesh;
use taut::{ModelBuilder, Params, Solid, SolidStiffness};
use taut_render::export::contact_sheet;
use taut_render::{Bounds, Picture};
use taut_scene::generate::rng::SplitMix64;
use taut_scene::generate::{TorusParams, torus};
use taut_studio::{Framed, Running};

fn ring() -> Result<TetMesh, Error> {
    Ok(torus(&TorusParams::default())?)
}

/// (a)–(d): every vertex of a torus thrown to a random place in its bounding box.
fn tangled(seed: u64) -> Result<Running<f32>, Error> {
    let mesh = ring()?;
    let mut builder = ModelBuilder::new();
    builder.add_solid("torus", &mesh, &Solid::default())?;
    let params = Params { gravity: [0.0; 3], ..Params::default() };
    let mut running = Running::new(builder.build()?, params);
    let Bounds { min: lo, max: hi } = Bounds::of(&mesh.positions);
    let mut rng = SplitMix64::new(seed);
    for v in 0..running.model.vertices() as u32 {
        let place = core::array::from_fn(|k| rng.range(lo[k], hi[k]));
        running.state.set_position(&running.model, v, place);
    }
    Ok(running)
}

/// (e)–(h): a torus upright, held at its top, hanging under gravity.
fn hung(stiffness: SolidStiffness) -> Result<Running<f32>, Error> {
    let mut mesh = ring()?;
    // Upright: the ring in the xy-plane.
    let turn = |p: [f64; 3]| [p[0], p[2], -p[1]];
    for p in &mut mesh.positions {
        *p = turn(*p);
    }
    for frame in &mut mesh.frames {
        *frame = frame.map(turn);
    }
    let mut builder = ModelBuilder::new();
    builder.add_solid("torus", &mesh, &Solid { stiffness, damping: 2.0, ..Solid::default() })?;
    let mut running = Running::new(builder.build()?, Params::default());
    for (v, p) in mesh.positions.iter().enumerate() {
        if p[1] > 0.33 {
            running.state.pin(&running.model, v as u32);
        }
    }
    Ok(running)
}

/// How one tangle fared.
struct Recovery {
    inverted_first: usize,
    inverted: usize,
    volume: f64,
    /// When the last tetrahedron had turned back, s.
    turned: f64,
}

fn recover(seed: u64) -> Result<Recovery, Error> {
    let mut torus = tangled(seed)?;
    let inverted_first = torus.strains().inverted();
    let mut turned = 0.0;
    for frame in 1..=240 {
        torus.run(1, FRAME);
        if frame < 240 && torus.strains().inverted() > 0 {
            turned = f64::from(frame + 1) * FRAME;
        }
    }
    let volume = totals(&torus.model, &torus.state, [0.0; 3]).volume_change;
    Ok(Recovery { inverted_first, inverted: torus.strains().inverted(), volume, turned })
}

/// (a) to (h).
pub fn figure_4(size: Size) -> Result<Outcome, Error> {
    let seeds: Vec<u64> = (0..size.pick(2, 20)).collect();
    let tetrahedra = ring()?.tets.len();
    let mut out = Outcome::new(format!(
        "A torus of {tetrahedra} tetrahedra with axes along the ring. (a)–(d): all vertices thrown to random places in its \
         bounding box, 4 s, {} seeds. (e)–(h): held at its top, hanging, 3 s; low is a share of {LOW} per projection, high {HIGH}.",
        seeds.len()
    ));
    out.picture("sbd-4-recovery.png", "(a)–(d): a tangle finds back to its shape", &recovery_pictures(size)?);
    let all = in_pairs(&seeds, |&seed| recover(seed)).into_iter().collect::<Result<Vec<_>, _>>()?;
    let most = |of: fn(&Recovery) -> f64| all.iter().map(of).fold(0.0, f64::max);
    let least_first = all.iter().map(|r| r.inverted_first).min().unwrap_or(0);
    let (inverted, volume) = (most(|r| r.inverted as f64), most(|r| r.volume.abs()));
    out.claim(
        Claim::new("the torus recovers from a heavily entangled state by its volume stiffness", "pictures, “a few iterations”")
            .ours(format!(
                "of at least {least_first} inverted tetrahedra {inverted} are left; volume within {:.1} %; the last turns back \
                 after {:.2} s at most",
                100.0 * volume,
                most(|r| r.turned)
            ))
            .holds(least_first > 500 && inverted == 0.0 && volume < 0.05),
    );
    stiffness_by_mode(size, &mut out)?;
    out.note(
        "The dent in (e), on the right, is where the ring's numbering closes and its prisms are cut differently: a mesh seen \
         through a very soft material.",
    );
    Ok(out)
}

fn recovery_pictures(size: Size) -> Result<Picture, Error> {
    let side = size.pixels(420);
    let view = Framed::around([-0.36; 3], [0.36; 3], [0.15, 0.6, 1.0], [side, side]);
    let mut torus = tangled(1)?;
    let mut pictures = Vec::new();
    for (letter, frames, total) in [("a", 0, 0), ("b", 1, 1), ("c", 2, 3), ("d", 117, 120)] {
        torus.run(frames, FRAME);
        pictures.push((super::draw(&torus, &view, false), format!("({letter}) {:.2} s", f64::from(total) * FRAME)));
    }
    Ok(contact_sheet(&pictures, 4, side))
}

const LOW: f64 = 0.002;
const HIGH: f64 = 0.9;

/// Mean stretch along the ring and across it, mean shear, change of volume.
struct Modes {
    ring: f64,
    across: f64,
    shear: f64,
    volume: f64,
    inverted: usize,
}

impl Modes {
    fn of(torus: &Running<f32>) -> Self {
        let measured = strains(&torus.model, &torus.state);
        let [a, b, c, d, e, f, _] = measured.solid().map(|s| s.mean);
        let volume = totals(&torus.model, &torus.state, [0.0; 3]).volume_change;
        Modes { ring: a, across: b.max(c), shear: (d + e + f) / 3.0, volume, inverted: measured.inverted() }
    }

    fn stretch(&self) -> f64 {
        (self.ring + 2.0 * self.across) / 3.0
    }
}

fn stiffness_by_mode(size: Size, out: &mut Outcome) -> Result<(), Error> {
    let cases = [
        ("all stiff", [HIGH; 3], [HIGH; 3], 0.5),
        ("(e) all soft but volume", [LOW; 3], [LOW; 3], HIGH),
        ("(f) volume and ring soft", [LOW, HIGH, HIGH], [HIGH; 3], LOW),
        ("(g) shear stiff, stretch soft", [LOW; 3], [HIGH; 3], LOW),
        ("(h) stretch stiff, shear soft", [HIGH; 3], [LOW; 3], LOW),
    ];
    let columns = ["", "along ring", "across", "shear", "volume"];
    let mut table = Table::new("Mean stretch, mean shear and change of volume, %", &columns);
    let side = size.pixels(420);
    let view = Framed::around([-0.45, -0.75, -0.2], [0.45, 0.42, 0.2], [0.15, 0.1, 1.0], [side, side]);
    let (mut found, mut pictures) = (Vec::new(), Vec::new());
    for (name, stretch, shear, volume) in cases {
        let mut torus = hung(SolidStiffness { stretch, shear, volume })?;
        torus.run(180, FRAME);
        let m = Modes::of(&torus);
        table.row(name, [m.ring, m.across, m.shear, m.volume].map(|v| format!("{:.2}", 100.0 * v)));
        found.push(m);
        if name.starts_with('(') {
            pictures.push((super::draw(&torus, &view, false), name.to_owned()));
        }
    }
    out.picture("sbd-4-stiffness.png", "(e)–(h): where the torus is soft", &contact_sheet(&pictures, 4, side));
    out.tables.push(table);
    let [stiff, e, f, g, h] = [0, 1, 2, 3, 4].map(|k| &found[k]);
    let whole = found.iter().all(|m| m.inverted == 0);
    let percent = |v: f64| format!("{:.1} %", 100.0 * v);
    out.claim(
        Claim::new("(e) all but volume soft: deforms heavily, keeps its volume", "picture")
            .ours(format!("stretch {}, volume {}", percent(e.stretch()), percent(e.volume)))
            .holds(whole && e.stretch() > 5.0 * stiff.stretch() && e.volume.abs() < 0.02),
    );
    out.claim(
        Claim::new("(f) volume and main axis soft: stretches along the ring", "picture")
            .ours(format!("along {}, across {}", percent(f.ring), percent(f.across)))
            .holds(whole && f.ring > 5.0 * f.across),
    );
    out.claim(
        Claim::new("(g) high shear, low stretch resistance: stretched, angles hardly distorted", "picture")
            .ours(format!("stretch {}, shear {}", percent(g.stretch()), percent(g.shear)))
            .holds(whole && g.stretch() > 3.0 * g.shear),
    );
    out.claim(
        Claim::new("(h) the opposite: bends heavily, hardly stretches", "picture")
            .ours(format!("shear {}, stretch {}", percent(h.shear), percent(h.stretch())))
            .holds(whole && h.shear > 3.0 * h.stretch() && h.shear > 3.0 * g.shear),
    );
    Ok(())
}
