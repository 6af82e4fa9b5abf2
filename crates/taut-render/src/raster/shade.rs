//! Lights the surfaces and writes the pixels.

use super::View;
use super::filter::match_of;
use super::geometry::Geometry;
use super::resolve::{FLOOR, Fragment, Seen, Surface};
use crate::colour::{Encoder, Rgb};
use crate::math::{mix, smoothstep};
use crate::scene::{Material, Style};
use glam::Vec3;

/// Everything lighting needs to know.
pub(crate) struct Shader<'a> {
    style: &'a Style,
    materials: Vec<(Material, bool)>,
    view: &'a View,
    /// To the main light.
    light: Vec3,
    /// To a weak light from the other side, which keeps shaded folds readable.
    fill: Vec3,
    seen: &'a Seen,
    /// Shares of the main light and of the sky that arrive, for the surface that fills most of each pixel.
    arriving: [&'a [f32]; 2],
}

impl<'a> Shader<'a> {
    pub fn new(
        style: &'a Style,
        geometry: &Geometry,
        view: &'a View,
        light: Vec3,
        seen: &'a Seen,
        arriving: [&'a [f32]; 2],
    ) -> Shader<'a> {
        let materials = geometry.items.iter().map(|item| (item.material, item.field.is_some())).collect();
        let fill = Vec3::new(-light.x, 0.25 * light.y, 0.6).normalize_or(view.up);
        Shader { style, materials, view, light, fill, seen, arriving }
    }

    /// Writes the pixels of the rows from `y0`; `fragments` are theirs, in order.
    pub fn shade_rows(&self, fragments: &[Fragment], y0: usize, rows: &mut [[u8; 4]]) {
        let width = self.view.width;
        let encoder = Encoder::get();
        let mut next = 0;
        for (row, pixels) in rows.chunks_mut(width).enumerate() {
            let first = (y0 + row) * width;
            for (x, out) in pixels.iter_mut().enumerate() {
                let backdrop = self.backdrop(x, y0 + row);
                let (mut sum, mut rest) = (Rgb::default(), 1.0);
                while let Some(fragment) = fragments.get(next).filter(|f| f.pixel as usize == first + x) {
                    sum = sum + self.light_fragment(fragment, backdrop) * fragment.weight;
                    rest -= fragment.weight;
                    next += 1;
                }
                let [r, g, b] = encoder.srgb8(sum + backdrop * rest);
                *out = [r, g, b, 255];
            }
        }
    }

    fn light_fragment(&self, fragment: &Fragment, backdrop: Rgb) -> Rgb {
        match fragment.item {
            FLOOR => self.floor(fragment, backdrop),
            item => {
                let (material, field) = &self.materials[item as usize];
                // Toned before averaging: else one bright sample would erase the edge's other side. Floor and
                // backdrop are not, so that they are exactly the colours asked for and meet without an edge.
                tone(self.surface(fragment, material, *field))
            }
        }
    }

    /// The wall behind everything: a soft gradient, a little darker towards the corners.
    fn backdrop(&self, x: usize, y: usize) -> Rgb {
        let (x, y) = (x as f32 / self.view.width as f32 - 0.5, y as f32 / self.view.height as f32);
        let corner = x * x + (y - 0.5) * (y - 0.5);
        self.style.top.mix(self.style.bottom, smoothstep(0.0, 1.0, y)) * (1.0 - 0.10 * corner)
    }

    /// The floor is the backdrop, darkened by as much light as it lacks.
    fn floor(&self, fragment: &Fragment, backdrop: Rgb) -> Rgb {
        let [key, sky] = self.arriving_at(fragment);
        let Some(floor) = &self.view.floor else { return backdrop };
        let away = (fragment.position - floor.centre).length() / floor.extent;
        let fade = 1.0 - smoothstep(0.55, 1.0, away);
        let facing = self.view.up.dot(self.light).max(0.0);
        let (direct, around) = (self.style.key * facing, self.style.ambient);
        let sky = mix(1.0, sky, self.style.occlusion);
        let share = (direct * key + around * sky) / (direct + around).max(1e-6);
        let lost = (1.0 - share) * self.style.floor_shadow * fade;
        // Shadows are slightly cool: the light that remains is the sky's.
        let shaded = backdrop * Rgb::linear(1.0 - lost, 1.0 - 0.985 * lost, 1.0 - 0.955 * lost);
        let line = self.grid_cover(fragment.position) * (1.0 - smoothstep(0.15, 0.75, away));
        let ink = if backdrop.luminance() > 0.2 { shaded * 0.72 } else { shaded + Rgb::linear(0.06, 0.06, 0.06) };
        shaded.mix(ink, line)
    }

    /// How much of a grid line covers the pixel at a point of the floor.
    fn grid_cover(&self, position: Vec3) -> f32 {
        let Some((floor, spacing)) = self.view.floor.as_ref().and_then(|f| f.grid.map(|g| (f, g))) else {
            return 0.0;
        };
        let place = position - floor.origin;
        let pixel = -position.z / self.view.focal;
        // Seen at a slant a pixel covers more floor along the view than across it.
        let slant = (position.normalize_or(self.view.up).dot(self.view.up)).abs().max(0.05);
        let cover = |axis: Vec3| {
            let along = Vec3::NEG_Z.dot(axis).abs();
            let width = pixel * mix(1.0, 1.0 / slant, along);
            let cycles = place.dot(axis) / spacing;
            let distance = (cycles - cycles.round()).abs() * spacing;
            // Lines closer than a few pixels would be a grey haze.
            (1.0 - smoothstep(0.2, 1.2, distance / width)) * smoothstep(2.0, 6.0, spacing / width)
        };
        cover(floor.axes[0]).max(cover(floor.axes[1]))
    }

    fn surface(&self, fragment: &Fragment, material: &Material, field: bool) -> Rgb {
        let [key, sky] = self.arriving_at(fragment);
        let n = fragment.normal;
        let toward = -fragment.position.normalize_or(Vec3::NEG_Z);
        let facing = n.dot(self.light);
        let sky = mix(1.0, sky, self.style.occlusion);
        let direct = self.style.key * facing.max(0.0) * key;
        let up = 0.5 + 0.5 * n.dot(self.view.up);
        // Cool from above, warm and weaker from the floor.
        let above = Rgb::linear(0.96, 0.99, 1.05) * (up * self.style.ambient);
        let below = Rgb::linear(0.54, 0.50, 0.46) * ((1.0 - up) * self.style.ambient);
        let fill = 0.16 * self.style.key * n.dot(self.fill).max(0.0);
        let warm = Rgb::linear(1.02, 1.0, 0.97);
        // What the floor throws back goes under things, where the sky does not reach.
        let soft = bounced(above + Rgb::linear(fill, fill, fill), sky, fragment.colour) + below * mix(0.6, 1.0, sky);
        let arriving = warm * direct + soft;
        if field {
            // Heat maps keep their hue and much of their lightness, so that the legend holds.
            let level = 0.25 + 0.75 * arriving.luminance();
            return fragment.colour * level.min(1.1);
        }
        let edge = (1.0 - n.dot(toward).clamp(0.0, 1.0)).powi(4);
        let half = (self.light + toward).normalize_or(n);
        let highlight = n.dot(half).max(0.0).powi(24) * key * smoothstep(0.0, 0.15, facing);
        let sheen = material.sheen * 0.35 * edge * (0.35 + 0.65 * key * facing.max(0.0)) * sky;
        let white = sheen + 0.5 * material.gloss * highlight;
        fragment.colour * arriving + Rgb::linear(white, white, white)
    }

    /// The light that arrives at a fragment. The buffers hold it for the surface that fills most of each pixel: another
    /// one takes it from the neighbour that shows the same surface best.
    fn arriving_at(&self, fragment: &Fragment) -> [f32; 2] {
        let pixel = fragment.pixel as usize;
        let own = Surface { depth: -fragment.position.z, normal: fragment.normal };
        if fragment.weight > 0.55 {
            return self.arriving.map(|a| a[pixel]);
        }
        // Slivers have no such neighbour next to them: then look a little farther.
        let (near, likeness) = self.best_match(&own, fragment.position, pixel, 1);
        let best = if likeness > 1e-3 { near } else { self.best_match(&own, fragment.position, pixel, 4).0 };
        self.arriving.map(|a| a[best])
    }

    /// The pixel within `reach` that shows a surface best, and how well.
    fn best_match(&self, own: &Surface, position: Vec3, pixel: usize, reach: usize) -> (usize, f32) {
        let (x, y) = (pixel % self.seen.width, pixel / self.seen.width);
        let (mut best, mut likest) = (pixel, -1.0);
        for row in y.saturating_sub(reach)..(y + reach + 1).min(self.seen.height) {
            for column in x.saturating_sub(reach)..(x + reach + 1).min(self.seen.width) {
                let place = row * self.seen.width + column;
                let like = match_of(own, position, self.seen, place, self.view);
                if like > likest {
                    (best, likest) = (place, like);
                }
            }
        }
        (best, likest)
    }
}

/// Light from the sky after it was partly shut out. Part of what is shut out comes back by way of the surface itself,
/// tinted by it: folds of bright cloth glow where those of dark cloth are black.
fn bounced(light: Rgb, open: f32, colour: Rgb) -> Rgb {
    let share = |c: f32| open / (1.0 - 0.75 * c.clamp(0.0, 1.0) * (1.0 - open));
    light * Rgb::linear(share(colour.r), share(colour.g), share(colour.b))
}

/// Leaves colours alone up to 0.7 and bends brighter ones gently below 1.
fn tone(colour: Rgb) -> Rgb {
    const KNEE: f32 = 0.7;
    const ROOM: f32 = 1.0 - KNEE;
    let bend = |v: f32| if v <= KNEE { v } else { KNEE + ROOM * (1.0 - (-(v - KNEE) / ROOM).exp()) };
    Rgb::linear(bend(colour.r), bend(colour.g), bend(colour.b))
}
