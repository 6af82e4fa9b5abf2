//! The picture: drawn by the graphics card, touched by the pointer.

use super::fabric::words;
use super::{Viewer, knobs};
use crate::camera::Orbit;
use crate::geometry::Geometry;
use crate::gpu::{Renderer, Shot};
use crate::pick::{Pick, pick};
use crate::session::{Command, Heat, SideView, Snapshot, Thread};
use eframe::egui::{self, Color32, Key, Pos2, Rect};
use eframe::egui_wgpu::RenderState;
use glam::DVec3;
use taut_render::Legend;

/// All that a picture depends on: the snapshot's version, the camera, pixels, wireframe, the scale of strain, the
/// floor.
type Shows = ((u64, u64), Orbit, [u32; 2], bool, f64, f64);

/// A picture on the graphics card, and the window's name for it.
struct Pane {
    renderer: Renderer,
    texture: Option<egui::TextureId>,
    /// What it shows: nothing is drawn twice.
    shows: Option<Shows>,
}

/// What the pointer holds.
#[derive(Clone, Copy)]
struct Hold {
    /// Where the vertex was when it was taken, m.
    from: DVec3,
    /// The view's own direction then: the vertex moves across it.
    across: DVec3,
    /// Which of two pictures.
    pane: usize,
}

/// The pictures and what the pointer does on them.
pub(super) struct Stage {
    panes: Vec<Pane>,
    hold: Option<Hold>,
    /// What is under the pointer.
    under: Option<(usize, Pick)>,
    /// Where the pictures are in the window.
    rects: Vec<Rect>,
}

impl Stage {
    pub fn new(graphics: &RenderState, fine: bool) -> Self {
        let slow = graphics.adapter.get_info().device_type == wgpu::DeviceType::Cpu && !fine;
        let pane = || Pane { renderer: Renderer::new(&graphics.device, slow), texture: None, shows: None };
        Stage { panes: vec![pane(), pane()], hold: None, under: None, rects: Vec::new() }
    }

    /// Fetches the picture that is shown, of all sides.
    pub fn read(&self, graphics: &RenderState) -> Option<Shot> {
        let shown = &self.panes[..self.rects.len()];
        let read = |pane: &Pane| pane.renderer.read(&graphics.device, &graphics.queue);
        let all = !shown.is_empty() && shown.iter().all(|pane| pane.shows.is_some());
        all.then(|| Shot(shown.iter().map(read).collect()))
    }

    /// Where in the window the middle vertex of the first object is seen, for scripts that pull it.
    pub fn handle(&self, snapshot: &Snapshot, camera: Option<&Orbit>) -> Option<[f32; 2]> {
        let (rect, camera) = (self.rects.first()?, camera?);
        let positions = snapshot.sides[0].positions.first()?;
        let [x, y] = camera.project((*positions.get(positions.len() / 2)?).into(), size(*rect))?;
        Some([rect.min.x + x as f32, rect.min.y + y as f32])
    }
}

/// Towards the light: to the left of where the scene's own camera is, and above. It stays when the view turns.
fn light(camera: DVec3) -> DVec3 {
    let turn = camera.x.atan2(camera.z) - 38f64.to_radians();
    let (rise, level) = 48f64.to_radians().sin_cos();
    DVec3::new(turn.sin() * level, rise, turn.cos() * level)
}

fn size(rect: Rect) -> [f64; 2] {
    [f64::from(rect.width()), f64::from(rect.height())]
}

fn inside(rect: Rect, at: Pos2) -> [f64; 2] {
    [f64::from(at.x - rect.min.x), f64::from(at.y - rect.min.y)]
}

impl Viewer {
    /// All pictures, beside each other.
    pub(super) fn pictures(&mut self, ui: &mut egui::Ui, graphics: &RenderState) {
        let whole = ui.available_rect_before_wrap();
        self.note("picture", whole);
        let count = self.snapshot.sides.len();
        let width = whole.width() / count as f32;
        self.stage.rects = (0..count)
            .map(|at| {
                let left = whole.min + egui::vec2(at as f32 * width, 0.0);
                Rect::from_min_size(left, egui::vec2(width - if count > 1 { 1.0 } else { 0.0 }, whole.height()))
            })
            .collect();
        if let (Some(&rect), None) = (self.stage.rects.first(), self.stage.hold)
            && rect.width() >= 4.0
            && rect.height() >= 4.0
        {
            self.look.follow(&self.snapshot, size(rect), self.clock.passed);
        }
        for pane in 0..count {
            let rect = self.stage.rects[pane];
            if rect.width() < 4.0 || rect.height() < 4.0 {
                continue;
            }
            let response = ui.allocate_rect(rect, egui::Sense::click_and_drag());
            self.touch(ui, &response, pane);
            self.draw(ui, rect, pane, graphics);
            self.overlays(ui, rect, pane);
        }
    }

    fn draw(&mut self, ui: &egui::Ui, rect: Rect, at: usize, graphics: &RenderState) {
        let scale = ui.ctx().pixels_per_point();
        let size = [rect.width(), rect.height()].map(|length| (length * scale).round().max(1.0) as u32);
        let snapshot = self.snapshot.clone();
        let camera = *self.look.camera(&snapshot, f64::from(rect.width() / rect.height()));
        let side = &snapshot.sides[at];
        let legend = snapshot.legend(self.look.strain);
        let pane = &mut self.stage.panes[at];
        let shows = (snapshot.version, camera, size, self.look.wireframe, self.look.strain, self.look.floor);
        if pane.shows != Some(shows) {
            let mut geometry = Geometry::of(side, legend.as_ref(), self.look.wireframe);
            if side.floor.is_none() {
                self.look.floor = self.look.floor.min(geometry.floor);
                geometry.floor = self.look.floor;
            }
            let device = &graphics.device;
            let light = light(side.scene.settings.camera.direction.into());
            let anew = pane.renderer.draw((device, &graphics.queue), &geometry, &camera, light, size);
            let mut windows = graphics.renderer.write();
            let (view, filter) = (pane.renderer.view(), wgpu::FilterMode::Nearest);
            match pane.texture {
                None => pane.texture = Some(windows.register_native_texture(device, view, filter)),
                Some(id) if anew => windows.update_egui_texture_from_wgpu_texture(device, view, filter, id),
                Some(_) => {}
            }
            pane.shows = Some((snapshot.version, camera, size, self.look.wireframe, self.look.strain, self.look.floor));
            self.script.pictures += 1;
        }
        if let Some(texture) = pane.texture {
            let all = Rect::from_min_max(Pos2::ZERO, egui::pos2(1.0, 1.0));
            ui.painter().image(texture, rect, all, Color32::WHITE);
        }
    }

    /// What the pointer does on a picture.
    fn touch(&mut self, ui: &egui::Ui, response: &egui::Response, pane: usize) {
        let rect = response.rect;
        let aspect = f64::from(rect.width() / rect.height());
        let snapshot = self.snapshot.clone();
        let camera = *self.look.camera(&snapshot, aspect);
        let pointer = response.interact_pointer_pos().or(response.hover_pos());
        if let Some(at) = pointer.filter(|_| self.stage.hold.is_none()) {
            let ray = camera.ray(inside(rect, at), size(rect));
            let found = pick(&snapshot.sides[pane], camera.eye(), ray).map(|found| (pane, found));
            if response.hovered() || response.drag_started() {
                self.stage.under = found;
            }
        }
        if !response.hovered() && self.stage.hold.is_none() && self.stage.under.is_some_and(|under| under.0 == pane) {
            self.stage.under = None;
        }
        let shift = ui.input(|input| input.modifiers.shift);
        if response.drag_started_by(egui::PointerButton::Primary) && !shift {
            self.open.hint = false;
            self.take(&camera, response, pane);
        }
        let moved = response.drag_delta();
        let (dx, dy) = (f64::from(moved.x), f64::from(moved.y));
        let height = f64::from(rect.height());
        if self.stage.hold.is_some_and(|hold| hold.pane == pane) {
            self.pull(&camera, response);
        } else if response.dragged_by(egui::PointerButton::Primary) && !shift {
            self.look.moved().into_iter().for_each(|camera| camera.turn(-0.008 * dx, 0.008 * dy));
        } else if response.dragged() {
            let around = crate::geometry::around(&snapshot.sides[pane]);
            self.look.moved().into_iter().for_each(|camera| camera.pan(-dx / height, dy / height, around));
        }
        if response.hovered() {
            let (scroll, pinch) = ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
            let factor = (-0.002 * f64::from(scroll)).exp() / f64::from(pinch);
            if factor != 1.0 {
                let around = crate::geometry::around(&snapshot.sides[pane]);
                self.look.moved().into_iter().for_each(|camera| camera.zoom(factor, around));
            }
            self.pointer_keys(ui, &camera, pointer.map(|at| camera.ray(inside(rect, at), size(rect))), pane);
        }
    }

    /// Takes hold of what is under the pointer as a drag begins.
    fn take(&mut self, camera: &Orbit, response: &egui::Response, pane: usize) {
        let rect = response.rect;
        // Where the button went down, not where the pointer was when that counted as a drag.
        let origin = response.ctx.input(|input| input.pointer.press_origin());
        let Some(at) = origin.or(response.interact_pointer_pos()) else { return };
        let side = &self.snapshot.sides[pane];
        let Some(found) = pick(side, camera.eye(), camera.ray(inside(rect, at), size(rect))) else { return };
        let from = side.positions[found.object][found.vertex as usize].into();
        self.stage.hold = Some(Hold { from, across: camera.direction(), pane });
        self.stage.under = Some((pane, found));
        self.send(Command::Grab { object: found.object, vertex: found.vertex });
    }

    /// Moves what is held, in a plane across the view, or lets go.
    fn pull(&mut self, camera: &Orbit, response: &egui::Response) {
        let Some(hold) = self.stage.hold else { return };
        if response.drag_stopped() || !response.ctx.input(|input| input.pointer.any_down()) {
            self.stage.hold = None;
            self.send(Command::LetGo);
            return;
        }
        let Some(at) = response.interact_pointer_pos() else { return };
        let ray = camera.ray(inside(response.rect, at), size(response.rect));
        let way = (hold.from - camera.eye()).dot(hold.across) / ray.dot(hold.across);
        if way.is_finite() && way > 0.0 {
            let place = camera.eye() + ray * way;
            self.send(Command::Pull((place - hold.from).into()));
        }
    }

    /// Keys that are about what is under the pointer.
    fn pointer_keys(&mut self, ui: &egui::Ui, camera: &Orbit, ray: Option<DVec3>, pane: usize) {
        if ui.ctx().egui_wants_keyboard_input() {
            return;
        }
        if ui.input(|input| input.key_pressed(Key::P))
            && let Some((_, under)) = self.stage.under.filter(|under| under.0 == pane)
        {
            self.send(Command::TogglePin { object: under.object, vertex: under.vertex });
        }
        if ui.input(|input| input.key_pressed(Key::B))
            && let Some(ray) = ray
        {
            let radius = 0.045 * camera.distance;
            let velocity = (ray * (1.6 * camera.distance)).into();
            // From beside the eye, so that it does not fill the view.
            let from = camera.eye() + ray * (0.25 * camera.distance) - DVec3::Y * (0.5 * radius);
            self.send(Command::Throw { from: from.into(), velocity, radius });
        }
    }

    /// What time does, where that is not as usual.
    fn state_words(&self) -> String {
        let waited = self.clock.last - self.clock.news;
        match self.keeper.filmed() {
            _ if self.worker.opening() => "   opening …".to_owned(),
            Some(pictures) => format!("   recording, {pictures} pictures"),
            None if self.playing() && waited > 0.7 => format!("   the next one takes {waited:.0} s so far"),
            None if self.playing() => String::new(),
            None if self.snapshot.frame >= self.snapshot.last && !self.snapshot.endless => "   the end".to_owned(),
            None => "   paused".to_owned(),
        }
    }

    fn overlays(&mut self, ui: &egui::Ui, rect: Rect, pane: usize) {
        let painter = ui.painter().with_clip_rect(rect);
        let ink = Color32::from_rgb(40, 44, 52);
        let font = egui::FontId::proportional(13.0);
        let text = format!(
            "frame {} of {}   {:.2} s{}",
            self.snapshot.frame,
            self.snapshot.last,
            self.snapshot.time,
            self.state_words()
        );
        painter.text(rect.left_bottom() + egui::vec2(10.0, -8.0), egui::Align2::LEFT_BOTTOM, text, font.clone(), ink);
        if let [left, right] = &self.snapshot.sides[..] {
            let (mine, other) = if pane == 0 { (left, right) } else { (right, left) };
            let own: Vec<String> =
                mine.sets.iter().filter(|set| !other.sets.contains(set)).map(|(p, v)| format!("{p} = {v}")).collect();
            let text = if own.is_empty() { "as it was".to_owned() } else { own.join("\n") };
            let to = rect.center_top() + egui::vec2(0.0, 10.0);
            painter.text(to, egui::Align2::CENTER_TOP, text, font.clone(), ink);
        }
        for (at, text) in beyond(&self.snapshot.sides[pane]).into_iter().enumerate() {
            let to = rect.left_bottom() + egui::vec2(10.0, -28.0 - 18.0 * at as f32);
            painter.text(to, egui::Align2::LEFT_BOTTOM, text, font.clone(), Color32::DARK_RED);
        }
        if let Some(legend) = self.snapshot.legend(self.look.strain) {
            let known = self.snapshot.sides[pane].values.iter().any(Option::is_some);
            if known {
                draw_legend(&painter, rect, &legend, ink);
            } else {
                let text = match self.snapshot.heat {
                    Heat::Use => "nothing has a strain limit: add one in the settings",
                    Heat::Map(_) => "this is not painted here",
                    _ => "nothing here has such a strain",
                };
                painter.text(
                    rect.right_top() + egui::vec2(-12.0, 12.0),
                    egui::Align2::RIGHT_TOP,
                    text,
                    font.clone(),
                    ink,
                );
            }
        }
        if let Some((_, under)) = self.stage.under.filter(|under| under.0 == pane) {
            self.numbers(&painter, rect, pane, &under);
        }
    }

    /// The numbers of the element under the pointer.
    fn numbers(&self, painter: &egui::Painter, rect: Rect, pane: usize, under: &Pick) {
        let side = &self.snapshot.sides[pane];
        let Some(shape) = side.shape.objects.get(under.object) else { return };
        let Some(&element) = shape.elements.get(under.triangle) else { return };
        let Some(&place) = side.positions[under.object].get(under.vertex as usize) else { return };
        let kind = if shape.cloth { "triangle" } else { "tetrahedron" };
        let mut text = format!("{}\n{kind} {element}, vertex {}\n", shape.name, under.vertex);
        for (name, values) in shape.fields.iter().zip(&side.fields[under.object]) {
            let Some(value) = values.get(element as usize) else { continue };
            text += &format!("{name:<8}{:+8.2} %\n", 100.0 * value);
        }
        text += &format!("at {}, {}, {} m", knobs::number(place[0]), knobs::number(place[1]), knobs::number(place[2]));
        let galley = painter.layout_no_wrap(text, egui::FontId::monospace(12.0), Color32::from_rgb(30, 34, 42));
        let at = rect.left_top() + egui::vec2(10.0, 10.0);
        let back = Rect::from_min_size(at, galley.size()).expand(6.0);
        painter.rect_filled(back, 4.0, Color32::from_rgba_unmultiplied(255, 255, 255, 190));
        painter.galley(at, galley, Color32::BLACK);
        let camera = self.look.camera.as_ref();
        if let Some([x, y]) = camera.and_then(|camera| camera.project(place.into(), size(rect))) {
            let centre = rect.min + egui::vec2(x as f32, y as f32);
            painter.circle_stroke(centre, 6.0, egui::Stroke::new(1.5, Color32::from_rgb(220, 60, 40)));
        }
    }
}

/// The colours of a map and their numbers, at the right.
fn draw_legend(painter: &egui::Painter, rect: Rect, legend: &Legend, ink: Color32) {
    let tall = (0.5 * rect.height()).clamp(40.0, 260.0);
    let bar = Rect::from_min_size(egui::pos2(rect.max.x - 70.0, rect.center().y - 0.5 * tall), egui::vec2(16.0, tall));
    let rows = tall as usize;
    for row in 0..rows {
        let [r, g, b] = legend.scale.map.at(1.0 - (row as f64 + 0.5) / rows as f64).to_srgb8();
        let top = bar.min.y + row as f32;
        let line = Rect::from_min_max(egui::pos2(bar.min.x, top), egui::pos2(bar.max.x, top + 1.0));
        painter.rect_filled(line, 0.0, Color32::from_rgb(r, g, b));
    }
    let font = egui::FontId::proportional(12.0);
    let (low, high) = (legend.scale.min, legend.scale.max);
    for k in 0..=4 {
        let t = f64::from(k) / 4.0;
        let value = legend.factor * (low + t * (high - low));
        let sign = if low < 0.0 && value > 0.0 { "+" } else { "" };
        let y = bar.max.y - (t as f32) * bar.height();
        let text = format!("{sign}{}{}", knobs::number(value), if k == 4 { " %" } else { "" });
        painter.text(egui::pos2(bar.max.x + 5.0, y), egui::Align2::LEFT_CENTER, text, font.clone(), ink);
    }
    let to = egui::pos2(rect.max.x - 10.0, bar.min.y - 12.0);
    painter.text(to, egui::Align2::RIGHT_BOTTOM, &legend.label, egui::FontId::proportional(13.0), ink);
}

/// What is wrong in this very frame, a line each: cloth beyond its limits, positions that were not finite.
fn beyond(side: &SideView) -> Vec<String> {
    let mut out = Vec::new();
    let contained = side.history.contained();
    if contained > 0 {
        out.push(format!("{contained} vertices were put back"));
    }
    for cloth in &side.reach {
        let missed = Thread::ALL.into_iter().zip(&cloth.threads).find(|(_, reached)| reached.beyond > 0);
        if let Some((thread, reached)) = missed {
            let (now, most) = (words(thread, reached.now), reached.most.map_or_else(String::new, |m| words(thread, m)));
            let count = reached.beyond;
            out.push(format!("{}: {} {now}, beyond its limit of {most}, {count} triangles", cloth.name, thread.key()));
        }
    }
    out.truncate(4);
    out
}
