//! Fig. 5: skin that slides over a bending limb, against linear blend skinning.

use super::FRAME;
use crate::{Claim, Error, Outcome, Size, Table};
use glam::DVec3;
use taut::measure::Spread;
use taut::mesh::TetMesh;
use taut::{ModelBuilder, Params, Solid, SolidStiffness};
use taut_render::export::contact_sheet;
use taut_render::{Legend, Material, Picture, Scale, palette};
use taut_scene::generate::{CapsuleParams, SkinParams, capsule, skin};
use taut_studio::{Framed, Running, Surface};

/// Radius of the limb, m.
const RADIUS: f64 = 0.06;
/// How far the elbow bends, rad.
const BEND: f64 = 1.25;
/// Within this distance of the elbow both bones have a say, m.
const BLEND: f64 = 0.075;
/// Thickness of the layer, m.
const THICK: f64 = 0.028;

/// A limb along y with an elbow in its middle, and a layer of tetrahedra on it.
struct Limb {
    mesh: TetMesh,
    /// The layer's outside: triangles by the layer's vertices.
    outside: Vec<[u32; 3]>,
}

impl Limb {
    fn new(rings: u32) -> Result<Self, Error> {
        let surface = capsule(&CapsuleParams { radius: RADIUS, length: 0.42, rings, centre: [0.0; 3] })?;
        let layers = 2;
        let mesh = skin(&surface, &SkinParams { thickness: THICK, layers, ..SkinParams::default() })?;
        // Columns of vertices run from the inside out; every vertex of the surface has one.
        let outside = surface.triangles.iter().map(|t| t.map(|v| v * (layers + 1) + layers)).collect();
        Ok(Limb { mesh, outside })
    }

    /// Linear blend skinning: where a point at rest goes when the elbow is bent by an angle, rad.
    fn skinned(p: [f64; 3], angle: f64) -> [f64; 3] {
        let t = ((p[1] + BLEND) / (2.0 * BLEND)).clamp(0.0, 1.0);
        // Smooth at both ends.
        let weight = t * t * (3.0 - 2.0 * t);
        let (sin, cos) = angle.sin_cos();
        let (p, turned) = (DVec3::from(p), DVec3::new(cos * p[0] - sin * p[1], sin * p[0] + cos * p[1], p[2]));
        (p + weight * (turned - p)).into()
    }

    /// How much each triangle of the outside is stretched: its area over that at rest − 1.
    fn stretch(&self, positions: &[[f64; 3]]) -> Vec<f64> {
        self.outside.iter().map(|t| area(positions, t) / area(&self.mesh.positions, t) - 1.0).collect()
    }
}

fn area(x: &[[f64; 3]], t: &[u32; 3]) -> f64 {
    let [a, b, c] = t.map(|v| DVec3::from(x[v as usize]));
    0.5 * (b - a).cross(c - a).length()
}

/// The layer simulated: its inside follows the skinned bones, the rest gives way.
fn simulated(limb: &Limb, frames: u32) -> Result<Running<f32>, Error> {
    // Axis 3 is the surface's normal: shear between it and the others is what sliding needs.
    let stiffness = SolidStiffness { stretch: [0.9, 0.9, 0.02], shear: [0.02, 0.0005, 0.0005], volume: 0.5 };
    let mut builder = ModelBuilder::new();
    builder.add_solid("skin", &limb.mesh, &Solid { stiffness, damping: 20.0, ..Solid::default() })?;
    let params = Params { gravity: [0.0; 3], ..Params::default() };
    let inside = limb.mesh.group("inner").unwrap_or_default();
    let mut running = Running::new(builder.build()?, params).pinned(inside.iter().copied());
    for frame in 1..=frames {
        // Bent after two thirds of the time, then still.
        let share = (1.5 * f64::from(frame) / f64::from(frames)).min(1.0);
        let angle = BEND * share * share * (3.0 - 2.0 * share);
        let target = |&v: &u32| (v, Limb::skinned(limb.mesh.positions[v as usize], angle));
        running.state.set_pin_targets(&running.model, &inside.iter().map(target).collect::<Vec<_>>());
        running.run(1, FRAME);
    }
    Ok(running)
}

/// Root mean square about the mean, over triangles by their area at rest.
fn unevenness(limb: &Limb, stretch: &[f64]) -> f64 {
    let areas: Vec<f64> = limb.outside.iter().map(|t| area(&limb.mesh.positions, t)).collect();
    let all: f64 = areas.iter().sum();
    let mean = stretch.iter().zip(&areas).map(|(s, a)| s * a).sum::<f64>() / all;
    (stretch.iter().zip(&areas).map(|(s, a)| (s - mean).powi(2) * a).sum::<f64>() / all).sqrt()
}

/// Linear blend skinning and skin that slides.
pub fn figure_5(size: Size) -> Result<Outcome, Error> {
    let limb = Limb::new(size.pick(4, 8))?;
    let frames = size.pick(90, 180);
    let blended: Vec<[f64; 3]> = limb.mesh.positions.iter().map(|p| Limb::skinned(*p, BEND)).collect();
    let mut running = simulated(&limb, frames)?;
    let slid = running.positions();
    let mut out = Outcome::new(format!(
        "In place of the alien bull a limb of our own: {} m across, its elbow bent by {:.0}° in {:.1} s; a layer {} mm thick of {} \
         tetrahedra with axes along the surface, its inside moved by linear blend skinning, stiff along the surface (0.9 per \
         projection), very soft in shear between surface and normal (0.0005).",
        2.0 * RADIUS,
        BEND.to_degrees(),
        f64::from(frames) * FRAME * 2.0 / 3.0,
        1e3 * THICK,
        limb.mesh.tets.len()
    ));
    let stretches = [limb.stretch(&blended), limb.stretch(&slid)];
    let uneven = [0, 1].map(|k| unevenness(&limb, &stretches[k]));
    let spreads = [0, 1].map(|k| Spread::of(&stretches[k]));
    let mut table = Table::new(
        "Stretch of the outside by area, %",
        &["", "unevenness", "99 of 100 below", "largest", "tetrahedra inside out"],
    );
    let slid_inverted = running.strains().inverted();
    running.state.set_positions(&running.model, &blended);
    let inverted = [running.strains().inverted(), slid_inverted];
    for (k, name) in ["linear blend skinning", "skin that slides"].into_iter().enumerate() {
        table.row(
            name,
            [uneven[k], spreads[k].p99, spreads[k].max]
                .map(|v| format!("{:.1}", 100.0 * v))
                .into_iter()
                .chain([inverted[k].to_string()]),
        );
    }
    let pictures = [
        (draw(&limb, &blended, &stretches[0], size), "linear blend skinning".to_owned()),
        (draw(&limb, &slid, &stretches[1], size), "skin that slides".to_owned()),
    ];
    out.picture("sbd-5.png", "Change of area of the skin's outside", &contact_sheet(&pictures, 2, size.pixels(480)));
    out.tables.push(table);
    out.claim(
        Claim::new("skin sliding significantly reduces the uneven stretching of linear blend skinning", "pictures")
            .ours(format!(
                "unevenness {:.1} % against {:.1} %: {:.2} of it",
                100.0 * uneven[1],
                100.0 * uneven[0],
                uneven[1] / uneven[0]
            ))
            .holds(uneven[1] < 0.7 * uneven[0]),
    );
    Ok(out)
}

fn draw(limb: &Limb, positions: &[[f64; 3]], stretch: &[f64], size: Size) -> Picture {
    let scale = Scale::around_zero(0.8);
    let mut part = Surface::new(positions.to_vec(), &limb.outside, Material::soft_body(palette::plaster()));
    part = part.mapped(stretch, scale);
    part.wireframe = size == Size::Full;
    let side = size.pixels(640);
    let view = Framed::around([-0.27, -0.26, -0.06], [0.1, 0.1, 0.06], [0.1, 0.2, 1.0], [side, side]);
    let mut picture = view.draw(&[part], &[]);
    Legend::percent("area change", scale).draw(&mut picture);
    picture
}
