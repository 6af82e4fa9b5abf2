//! Fig. 2: constraint values and projection vectors of one triangle, in six panels.

use crate::{Claim, Error, Outcome, Size};
use taut::internals::element::{Improved, Plain, TriStrain, evaluate};
use taut::internals::lanes::V3;
use taut_render::export::contact_sheet;
use taut_render::{Picture, Rgb};

/// A row at a place of the free vertex.
#[derive(Clone, Copy)]
struct Seen {
    value: f64,
    /// ∂C at the free vertex.
    gradient: [f64; 2],
    /// How much of the row's gradient at the attached vertices lies along their axes, 0 to 1: whether stretch changes
    /// shear.
    along: f64,
}

/// The values of C at the free vertex `p` of a right triangle whose other vertices are attached at (1, 0) and (0, 1);
/// weft and warp lie along its legs.
fn rows(improved: bool, p: [f64; 2]) -> [Seen; 3] {
    let x = [[p[0], p[1], 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(V3::from);
    let rest = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    let found = match improved {
        true => evaluate::<TriStrain<Improved>, f64, 3, 2, 6, 4>(&rest, &x),
        false => evaluate::<TriStrain<Plain>, f64, 3, 2, 6, 4>(&rest, &x),
    };
    [0, 1, 2].map(|r| {
        let g = found.gradients[r];
        let share = |k: usize| {
            let axis = x[k] - x[0];
            let size = (g[k].norm2() * axis.norm2()).sqrt();
            if size > 1e-9 { g[k].dot(axis).abs() / size } else { 0.0 }
        };
        Seen { value: found.values[r], gradient: [g[0].x, g[0].y], along: share(1).max(share(2)) }
    })
}

impl Seen {
    /// Where one projection (SBD Eq. 1 and 2) moves the free vertex, with a share of stiffness.
    fn step(&self, share: f64) -> [f64; 2] {
        let size = self.gradient[0].powi(2) + self.gradient[1].powi(2);
        if size < 1e-12 { [0.0; 2] } else { self.gradient.map(|g| -share * self.value * g / size) }
    }
}

/// The part of the plane that is shown: its lower left corner and its side.
const VIEW: ([f64; 2], f64) = ([-1.2, -1.2], 3.0);
/// Values beyond this are shown like it.
const CLAMP: f64 = 1.0;
/// Steps of colour from zero to there.
const BANDS: f64 = 12.0;
/// Projections are drawn no longer than this, or they would hide each other.
const LONGEST: f64 = 0.3;
/// "To be on the safe side, one can reduce the shear coefficient as done in Fig. 2."
const SHEAR_SHARE: f64 = 0.5;

fn places(n: usize) -> impl Iterator<Item = [f64; 2]> {
    let at = move |i: usize, k: usize| VIEW.0[k] + VIEW.1 * (i as f64 + 0.5) / n as f64;
    (0..n * n).map(move |i| [at(i % n, 0), at(i / n, 1)])
}

/// Six panels, and what the caption says of them.
pub fn figure_2(size: Size) -> Result<Outcome, Error> {
    let mut out = Outcome::new(
        "One right triangle whose legs are weft and warp. Two vertices are attached (black); the third (white, at its rest place) is \
         put everywhere in their plane. Colours: the value of the row, green positive, red negative, clamped; the dark curve is its \
         zero set. Lines: where one projection takes the vertex, cut off at 0.3, with half the stiffness for shear, as the paper has it. \
         The rows are those of the engine (`element::evaluate`).",
    );
    let mut pictures = Vec::new();
    let names = [["S11 − 1", "S22 − 1", "S12"], ["√S11 − 1", "√S22 − 1", "S12 / |f1||f2|"]];
    for (form, names) in names.into_iter().enumerate() {
        for (row, name) in names.into_iter().enumerate() {
            pictures.push((panel(form == 1, row, size.pixels(360)), name.to_owned()));
        }
    }
    out.picture(
        "sbd-2.png",
        "Constraint values and projection vectors, plain (top) and improved (bottom)",
        &contact_sheet(&pictures, 3, size.pixels(360)),
    );
    claims(&mut out);
    Ok(out)
}

fn claims(out: &mut Outcome) {
    let (mut differ, mut left, mut coupled) = (0, [0.0f64; 2], [0.0f64; 2]);
    let mut count = 0;
    for p in places(61) {
        let both = [rows(false, p), rows(true, p)];
        for k in 0..3 {
            count += 1;
            differ += usize::from(both[0][k].value * both[1][k].value < -1e-12);
        }
        for (form, rows_here) in both.iter().enumerate() {
            for k in 0..2 {
                let step = rows_here[k].step(1.0);
                let after = rows(form == 1, [p[0] + step[0], p[1] + step[1]])[k];
                // What is left of the stretch itself, whichever form measures it.
                let stretch = if form == 1 { after.value } else { (after.value + 1.0).max(0.0).sqrt() - 1.0 };
                left[form] = left[form].max(stretch.abs());
            }
            coupled[form] = coupled[form].max(rows_here[2].along);
        }
    }
    out.claim(
        Claim::new("the zero sets are unchanged", "panels")
            .ours(format!("of {count} values {differ} have another sign"))
            .holds(differ == 0),
    );
    out.claim(
        Claim::new("the modified x- and y-constraints are solved with a single step", "panels")
            .ours(format!("stretch left after one step, at most: {:.0e}; standard functions: {:.2}", left[1], left[0]))
            .holds(left[1] < 1e-12 && left[0] > 0.1),
    );
    out.claim(
        Claim::new("the modified shear function decouples shear from stretch", "panels")
            .ours(format!(
                "largest cosine between its gradient and the axes it stretches: {:.0e}; standard: {:.2}",
                coupled[1], coupled[0]
            ))
            .holds(coupled[1] < 1e-9 && coupled[0] > 0.5),
    );
    out.note(
        "Straight steps of the modified shear have no bound where the axes become parallel; in the engine they are multiplied by the \
         sine of the angle (docs/design/sbd.md). The panels show the paper's.",
    );
}

/// One panel: values, zero set and projections.
fn panel(improved: bool, row: usize, side: usize) -> Picture {
    let scale = side as f64 / VIEW.1;
    let mut canvas = Canvas { side, pixels: vec![[255; 4]; side * side] };
    let (green, red) = (Rgb::oklch(0.72, 0.15, 150.0), Rgb::oklch(0.65, 0.19, 27.0));
    let white = Rgb::hex(0xffffff);
    for (at, [x, y]) in places(side).enumerate() {
        let seen = rows(improved, [x, y])[row];
        let share = ((seen.value.abs() / CLAMP).min(1.0) * BANDS).ceil() / BANDS;
        let colour = white.mix(if seen.value > 0.0 { green } else { red }, share as f32);
        let steep = (seen.gradient[0].powi(2) + seen.gradient[1].powi(2)).sqrt();
        let distance = scale * seen.value.abs() / steep.max(1e-9);
        canvas.set(at % side, side - 1 - at / side, colour);
        canvas.blend(at % side, side - 1 - at / side, Rgb::hex(0x202428), (1.6 - distance).clamp(0.0, 1.0));
    }
    let to_pixels = |p: [f64; 2]| [(p[0] - VIEW.0[0]) * scale, side as f64 - (p[1] - VIEW.0[1]) * scale];
    let share = if row == 2 { SHEAR_SHARE } else { 1.0 };
    for p in places(15) {
        let step = rows(improved, p)[row].step(share);
        let cut = (LONGEST / step[0].hypot(step[1]).max(1e-12)).min(1.0);
        let end = [p[0] + cut * step[0], p[1] + cut * step[1]];
        canvas.line(to_pixels(p), to_pixels(end), 0.0022 * side as f64, Rgb::hex(0x2a3140));
        canvas.dot(to_pixels(p), 0.005 * side as f64, Rgb::hex(0x2a3140));
    }
    let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(to_pixels);
    for k in 0..3 {
        canvas.line(corners[k], corners[(k + 1) % 3], 0.004 * side as f64, Rgb::hex(0x000000));
    }
    let big = 0.022 * side as f64;
    corners.iter().for_each(|c| canvas.dot(*c, big, Rgb::hex(0x000000)));
    canvas.dot(corners[0], 0.72 * big, white);
    Picture::from_pixels(side, side, canvas.pixels).unwrap_or_else(|| Picture::filled(side, side, white))
}

/// Pixels to draw lines on.
struct Canvas {
    side: usize,
    pixels: Vec<[u8; 4]>,
}

impl Canvas {
    fn set(&mut self, x: usize, y: usize, colour: Rgb) {
        let [r, g, b] = colour.to_srgb8();
        self.pixels[y * self.side + x] = [r, g, b, 255];
    }

    fn blend(&mut self, x: usize, y: usize, colour: Rgb, opacity: f64) {
        let pixel = &mut self.pixels[y * self.side + x];
        for (old, new) in pixel.iter_mut().zip(colour.to_srgb8()) {
            *old = (f64::from(*old) + opacity * (f64::from(new) - f64::from(*old))).round() as u8;
        }
    }

    /// A line of some half width, pixels, with round ends.
    fn line(&mut self, a: [f64; 2], b: [f64; 2], half: f64, colour: Rgb) {
        let (half, end) = (half.max(0.5), self.side as f64);
        let range = |k: usize| {
            let (lo, hi) = (a[k].min(b[k]) - half - 1.0, a[k].max(b[k]) + half + 1.0);
            lo.clamp(0.0, end) as usize..hi.clamp(0.0, end) as usize
        };
        let along = [b[0] - a[0], b[1] - a[1]];
        let length2 = (along[0].powi(2) + along[1].powi(2)).max(1e-12);
        for y in range(1) {
            for x in range(0) {
                let p = [x as f64 + 0.5 - a[0], y as f64 + 0.5 - a[1]];
                let t = ((p[0] * along[0] + p[1] * along[1]) / length2).clamp(0.0, 1.0);
                let distance = (p[0] - t * along[0]).hypot(p[1] - t * along[1]);
                let opacity = (half + 0.5 - distance).clamp(0.0, 1.0);
                if opacity > 0.0 {
                    self.blend(x, y, colour, opacity);
                }
            }
        }
    }

    fn dot(&mut self, at: [f64; 2], radius: f64, colour: Rgb) {
        self.line(at, at, radius, colour);
    }
}
