//! What hands did to a scene, as text of a scene file.

use glam::DVec3;
use std::fmt::Write as _;

/// What hands did: tables to append, and values to change.
#[derive(Clone, Debug, Default)]
pub(super) struct Edits {
    text: String,
    balls: usize,
    pub sets: Vec<(String, String)>,
}

/// A vertex on its way in a hand.
#[derive(Clone, Debug)]
pub(super) struct Drag {
    body: String,
    vertex: u32,
    /// Times (s) and how far it was then from where it was taken, m.
    keys: Vec<(f64, [f64; 3])>,
    /// How far it is to be at the next frame, m.
    offset: [f64; 3],
    /// How far the pointer is, m.
    pub wanted: [f64; 3],
    /// How far a hand moves in a frame at most, m.
    most: f64,
}

impl Drag {
    pub fn new(body: &str, vertex: u32, time: f64, most: f64) -> Self {
        let none = [0.0; 3];
        Drag { body: body.to_owned(), vertex, keys: vec![(time, none)], offset: none, wanted: none, most }
    }

    /// Moves towards the pointer, which leaps where a window is slow; hands do not. Gives how far it then is, m.
    pub fn reach(&mut self) -> [f64; 3] {
        let (from, to) = (DVec3::from(self.offset), DVec3::from(self.wanted));
        self.offset = from.move_towards(to, self.most).into();
        self.offset
    }

    /// A frame has been computed, and it is now this late, s.
    pub fn moved(&mut self, time: f64) {
        if self.keys.last().is_some_and(|last| last.0 < time) {
            self.keys.push((time, self.offset));
        }
    }
}

/// As TOML writes text. JSON's escapes are a part of TOML's.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// How long a ball flies, s.
const FLIGHT: f64 = 10.0;

impl Edits {
    /// A scene's text with all tables behind it.
    pub fn appended_to(&self, text: &str) -> String {
        format!("{text}{}{}", if text.ends_with('\n') || self.text.is_empty() { "" } else { "\n" }, self.text)
    }

    fn table(&mut self, head: &str, lines: &[String]) {
        let _ = writeln!(self.text, "\n[[{head}]]\n{}", lines.join("\n"));
    }

    /// A drag that is over is a pin that came and went. One that lasted no frame has moved nothing.
    pub fn add_drag(&mut self, drag: &Drag) {
        let (Some(first), Some(last)) = (drag.keys.first(), drag.keys.last()) else { return };
        if first.0 >= last.0 {
            return;
        }
        let keys: Vec<String> =
            drag.keys.iter().map(|(time, value)| format!("{{ time = {time:?}, value = {value:?} }}")).collect();
        self.table(
            "pin",
            &[
                "# Moved by hand.".to_owned(),
                format!("body = {}\nselect = {{ indices = [{}] }}", quoted(&drag.body), drag.vertex),
                format!("from = {:?}\nuntil = {:?}", first.0, last.0),
                format!("motion.translate = {{ interpolation = \"linear\", keys = [{}] }}", keys.join(", ")),
            ],
        );
    }

    /// Holds a vertex from a time on, s.
    pub fn add_pin(&mut self, body: &str, vertex: u32, time: f64) {
        let what = format!("body = {}\nselect = {{ indices = [{vertex}] }}\nfrom = {time:?}", quoted(body));
        self.table("pin", &["# Pinned by hand.".to_owned(), what]);
    }

    /// Ends a pin, by its number in the scene, at a time, s.
    pub fn end_pin(&mut self, pin: usize, time: f64) {
        self.sets.push((format!("pin.{pin}.until"), format!("{time:?}")));
    }

    /// A ball that flies straight on from a place (m) at a time (s), with a velocity (m/s).
    pub fn add_ball(&mut self, from: [f64; 3], velocity: [f64; 3], radius: f64, time: f64) {
        self.balls += 1;
        let way = velocity.map(|v| v * FLIGHT);
        let keys = format!(
            "{{ time = {time:?}, value = [0.0, 0.0, 0.0] }}, {{ time = {:?}, value = {way:?} }}",
            time + FLIGHT
        );
        self.table(
            "collider",
            &[
                format!("# Thrown.\nname = \"thrown ball {}\"", self.balls),
                format!("shape = {{ kind = \"sphere\", radius = {radius:?} }}\ntranslate = {from:?}"),
                format!("motion.translate = {{ interpolation = \"linear\", keys = [{keys}] }}"),
            ],
        );
    }
}
