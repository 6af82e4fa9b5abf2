//! How far cloth is stretched, on the positions as they are written: in a frame, and in all of a run.
//!
//! Tension and compression are told apart. What lies between held vertices alone is counted on its own: nothing that a
//! simulation could do would move it.

use super::{Object, ObjectKind};
use serde_json::{Map, Value as Json, json};
use taut::Body;
use taut::limit::{LimitSpec, StretchBounds};
use taut::measure::TriangleStretch;

/// A way in which cloth is stretched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Along the weft.
    Weft,
    /// Along the warp.
    Warp,
    /// The cosine of the angle between weft and warp, without its sign.
    Shear,
    /// Along the direction in which it is stretched most.
    Any,
    /// Along the edges of its triangles.
    Edge,
    /// The areas of its triangles.
    Area,
}

impl Way {
    /// All of them.
    pub const ALL: [Way; Way::COUNT] = [Way::Weft, Way::Warp, Way::Shear, Way::Any, Way::Edge, Way::Area];
    /// How many there are.
    pub const COUNT: usize = 6;

    /// One word for it.
    pub fn key(self) -> &'static str {
        match self {
            Way::Weft => "weft",
            Way::Warp => "warp",
            Way::Shear => "shear",
            Way::Any => "any",
            Way::Edge => "edge",
            Way::Area => "area",
        }
    }

    /// What a person calls it.
    pub fn name(self) -> &'static str {
        match self {
            Way::Any => "largest direction",
            Way::Edge => "edges",
            Way::Area => "areas",
            other => other.key(),
        }
    }

    /// What bounds say about it; ∞ if nothing. A cosine of 1 is no bound.
    pub fn bound(self, bounds: &StretchBounds) -> f64 {
        match self {
            Way::Weft => bounds.weft,
            Way::Warp => bounds.warp,
            Way::Shear if bounds.shear >= 1.0 => f64::INFINITY,
            Way::Shear => bounds.shear,
            Way::Any => bounds.any,
            Way::Edge => bounds.edge,
            Way::Area => bounds.area,
        }
    }

    /// What bounds say about how much shorter or smaller it may become; ∞ if nothing.
    pub fn shorter(self, bounds: &StretchBounds) -> f64 {
        let most = match self {
            Way::Weft => bounds.weft_shorter,
            Way::Warp => bounds.warp_shorter,
            Way::Edge => bounds.edge_shorter,
            Way::Area => bounds.area_less,
            Way::Shear | Way::Any => f64::INFINITY,
        };
        if most < 1.0 { most } else { f64::INFINITY }
    }

    fn at(self) -> usize {
        self as usize
    }
}

/// What is beyond a bound is so by more than this share of it: rounding is no miss.
pub const SLACK: f64 = 0.01;

/// Whether a stretch misses a bound. Numbers in 32 bits cannot meet a bound of nothing to the last digit.
fn beyond(value: f64, bound: f64) -> bool {
    !(value <= bound * (1.0 + SLACK) || value <= bound + ROUNDING)
}

/// What 32 bits make of the length of an edge, over that length.
const ROUNDING: f64 = 2e-5;

/// The largest of something, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// How much; −1 if there is nothing that could be.
    pub value: f64,
    /// The number of a triangle of the body.
    pub triangle: u32,
    /// The middle of the triangle or edge, m.
    pub at: [f64; 3],
}

impl Peak {
    const NONE: Peak = Peak { value: -1.0, triangle: 0, at: [0.0; 3] };

    /// Whether there is any.
    pub fn is_some(&self) -> bool {
        self.value > -1.0
    }

    fn raise(&mut self, value: f64, triangle: u32, at: impl FnOnce() -> [f64; 3]) {
        // What cannot be computed is as bad as can be.
        let value = if value.is_nan() { f64::INFINITY } else { value };
        if value > self.value {
            *self = Peak { value, triangle, at: at() };
        }
    }

    fn json(&self, into: &mut Map<String, Json>) {
        if self.is_some() {
            into.insert("max".into(), json!(self.value));
            into.insert("triangle".into(), json!(self.triangle));
            into.insert("at".into(), json!(self.at));
        }
    }
}

/// What one way of being stretched comes to, on one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WayTension {
    /// The largest tension of what can move.
    pub most: Peak,
    /// The largest compression of what can move: 0.1 is ten percent shorter. None in shear.
    pub compression: Peak,
    /// Triangles that can move and are shorter than they may be.
    pub squeezed: u32,
    /// Triangles that can move and are beyond the bound.
    pub beyond: u32,
    /// Of those the one that is so most, over its own bound, and that bound.
    pub missed: Peak,
    /// The bound of `missed`.
    pub missed_bound: f64,
    /// The largest tension between held vertices alone.
    pub held: Peak,
    /// Triangles that are beyond the bound between held vertices alone.
    pub held_beyond: u32,
}

impl WayTension {
    const NONE: WayTension = WayTension {
        most: Peak::NONE,
        compression: Peak::NONE,
        squeezed: 0,
        beyond: 0,
        missed: Peak::NONE,
        missed_bound: f64::INFINITY,
        held: Peak::NONE,
        held_beyond: 0,
    };
}

/// How far a cloth is stretched.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyTension {
    /// The number of the body in [`Simulation::objects`](super::Simulation::objects).
    pub body: usize,
    /// Its name.
    pub name: String,
    /// How far it may be stretched.
    pub bounds: StretchBounds,
    /// Its triangles.
    pub triangles: u32,
    /// Triangles with all corners held.
    pub held: u32,
    /// Triangles that can move and are beyond a bound of any kind.
    pub beyond: u32,
    ways: [WayTension; Way::COUNT],
}

impl BodyTension {
    /// One way of being stretched.
    pub fn way(&self, way: Way) -> &WayTension {
        &self.ways[way.at()]
    }

    /// Its triangles with the middle of each, measured on `positions` (m), which are the body's own.
    fn of(
        at: usize,
        object: &Object,
        body: &Body,
        all: &[TriangleStretch],
        positions: &[[f64; 3]],
        bounds: StretchBounds,
    ) -> Self {
        let list = all.get(body.strains.start as usize..body.strains.end as usize).unwrap_or_default();
        let mut out = BodyTension {
            body: at,
            name: object.info.name.clone(),
            bounds,
            triangles: list.len() as u32,
            held: 0,
            beyond: 0,
            ways: [WayTension::NONE; Way::COUNT],
        };
        let corner =
            |vertex: u32| positions.get((vertex - object.vertices.start) as usize).copied().unwrap_or_default();
        for (stretch, &triangle) in list.iter().zip(&body.strained) {
            let corners = body.triangles.get(triangle as usize).copied().unwrap_or_default().map(corner);
            let own = body.limits.get(triangle as usize);
            let bounds = own.map_or(bounds, |own| bounds.and(own));
            out.add(stretch, triangle, corners, &bounds);
        }
        out
    }

    fn add(&mut self, s: &TriangleStretch, triangle: u32, corners: [[f64; 3]; 3], bounds: &StretchBounds) {
        let mut any = false;
        self.held += u32::from(s.held.all);
        // A side between two pins sets how far the triangle is stretched along it, wherever its third corner goes.
        let side = |k: usize| if s.held.sides[k] { s.sides[k] } else { -1.0 };
        let pulled = beyond((0..3).map(side).fold(-1.0, f64::max), bounds.any);
        let whole = || middle(&corners);
        for (way, value, held) in [
            (Way::Weft, s.weft, s.held.weft),
            (Way::Warp, s.warp, s.held.warp),
            (Way::Shear, s.shear.abs(), s.held.all),
            (Way::Any, s.any, s.held.all || pulled),
            (Way::Area, s.area, s.held.all),
        ] {
            let bound = [way.bound(bounds), way.shorter(bounds)];
            any |= self.put(way, value, (held, bound), triangle, &whole);
        }
        let ends = [[corners[0], corners[1]], [corners[0], corners[2]], [corners[1], corners[2]]];
        let before = *self.way(Way::Edge);
        let bound = [bounds.edge, Way::Edge.shorter(bounds)];
        for k in 0..3 {
            any |= self.put(Way::Edge, s.sides[k], (s.held.sides[k], bound), triangle, &|| middle(&ends[k]));
        }
        // Triangles count, not their sides.
        let edge = &mut self.ways[Way::Edge.at()];
        edge.beyond = edge.beyond.min(before.beyond + 1);
        edge.squeezed = edge.squeezed.min(before.squeezed + 1);
        edge.held_beyond = edge.held_beyond.min(before.held_beyond + 1);
        self.beyond += u32::from(any);
    }

    /// Takes note of one number, with how much longer and how much shorter it may be; tells whether it can move and is
    /// beyond that.
    fn put(
        &mut self,
        way: Way,
        value: f64,
        (held, [bound, shorter]): (bool, [f64; 2]),
        triangle: u32,
        at: &dyn Fn() -> [f64; 3],
    ) -> bool {
        let far = beyond(value, bound);
        let to = &mut self.ways[way.at()];
        if held {
            to.held.raise(value, triangle, at);
            to.held_beyond += u32::from(far);
            return false;
        }
        to.most.raise(value, triangle, at);
        let squeezed = way != Way::Shear && beyond(-value, shorter);
        if way != Way::Shear {
            to.compression.raise(-value, triangle, at);
            to.squeezed += u32::from(squeezed);
        }
        if far {
            to.beyond += 1;
            let worse = value * to.missed_bound > to.missed.value * bound;
            if worse || !to.missed.is_some() || !value.is_finite() {
                to.missed_bound = bound;
                to.missed = Peak::NONE;
                to.missed.raise(value, triangle, at);
            }
        }
        far || squeezed
    }
}

fn middle(points: &[[f64; 3]]) -> [f64; 3] {
    std::array::from_fn(|k| points.iter().map(|p| p[k]).sum::<f64>() / points.len() as f64)
}

/// How far each cloth is stretched in a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tension {
    /// The cloth, in the order of [`Simulation::objects`](super::Simulation::objects).
    pub bodies: Vec<BodyTension>,
}

impl Tension {
    /// Measures all cloth. `positions` gives those of an object, m.
    pub(super) fn of(
        objects: &[Object],
        bodies: &[Body],
        limits: &[LimitSpec],
        all: &[TriangleStretch],
        positions: impl Fn(&Object) -> Vec<[f64; 3]>,
    ) -> Self {
        let cloth = objects.iter().zip(bodies).enumerate().filter(|(_, (object, _))| object.kind == ObjectKind::Cloth);
        let each = cloth.map(|(at, (object, body))| {
            BodyTension::of(at, object, body, all, &positions(object), LimitSpec::bounds_of_body(limits, at))
        });
        Tension { bodies: each.collect() }
    }

    /// The body that is stretched most in some way.
    pub fn most(&self, way: Way) -> Option<&BodyTension> {
        let there = self.bodies.iter().filter(|body| body.way(way).most.is_some());
        there.max_by(|a, b| a.way(way).most.value.total_cmp(&b.way(way).most.value))
    }

    /// The largest tension along threads, of what can move.
    pub fn threads(&self) -> f64 {
        let largest = |way| self.most(way).map_or(0.0, |body| body.way(way).most.value);
        largest(Way::Weft).max(largest(Way::Warp)).max(0.0)
    }

    /// The share of all triangles that are beyond a bound of any kind.
    pub fn share_beyond(&self) -> f64 {
        let count = |of: &dyn Fn(&BodyTension) -> u32| self.bodies.iter().map(|body| u64::from(of(body))).sum::<u64>();
        count(&|body| body.beyond) as f64 / count(&|body| body.triangles).max(1) as f64
    }

    /// For a line of metrics: the largest of all cloth with where it is, and each cloth on its own. Numbers that are
    /// not finite become null.
    pub fn to_json(&self) -> Json {
        let mut out = Map::new();
        for way in Way::ALL {
            let Some(body) = self.most(way) else { continue };
            let mut entry = Map::new();
            body.way(way).most.json(&mut entry);
            entry.insert("body".into(), json!(body.name));
            entry.insert("limit".into(), json!(way.bound(&body.bounds)));
            let compression = self.bodies.iter().map(|body| body.way(way).compression.value).fold(0.0, f64::max);
            if way != Way::Shear {
                entry.insert("compression".into(), json!(compression));
            }
            out.insert(way.key().into(), Json::Object(entry));
        }
        out.insert("beyond".into(), json!(self.bodies.iter().map(|body| body.beyond).sum::<u32>()));
        out.insert("share_beyond".into(), json!(self.share_beyond()));
        out.insert("bodies".into(), self.bodies.iter().map(body_json).collect());
        Json::Object(out)
    }
}

/// One cloth: for each way the largest tension, what the bound is, how many are beyond it, and what pins alone decide.
fn body_json(body: &BodyTension) -> Json {
    let mut out = json!({ "name": body.name, "triangles": body.triangles, "beyond": body.beyond, "held": body.held });
    for way in Way::ALL {
        let of = body.way(way);
        let mut entry = json!({ "beyond": of.beyond });
        if of.most.is_some() {
            entry["max"] = json!(of.most.value);
        }
        let limit = way.bound(&body.bounds);
        if limit.is_finite() {
            entry["limit"] = json!(limit);
        }
        let shorter = way.shorter(&body.bounds);
        if shorter.is_finite() {
            entry["compression_limit"] = json!(shorter);
            entry["squeezed"] = json!(of.squeezed);
        }
        if of.held.is_some() {
            entry["between_pins"] = json!(of.held.value);
            entry["between_pins_beyond"] = json!(of.held_beyond);
        }
        out[way.key()] = entry;
    }
    out
}

/// The largest of something in a run, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// How much, and where.
    pub peak: Peak,
    /// In which frame.
    pub frame: u32,
    /// When, s.
    pub time: f64,
}

impl Record {
    const NONE: Record = Record { peak: Peak::NONE, frame: 0, time: 0.0 };
    const NUMBERS: usize = 7;

    fn raise(&mut self, peak: Peak, frame: u32, time: f64) {
        if peak.value > self.peak.value {
            *self = Record { peak, frame, time };
        }
    }

    /// When and where, after what it is; nothing without any.
    pub fn when_and_where(&self) -> String {
        match self.peak.is_some() {
            true => format!(" in frame {}, at {}", self.frame, place(self.peak.at)),
            false => String::new(),
        }
    }

    /// What, over which limit, when and where.
    fn words(&self, way: Way, bound: f64) -> String {
        let (name, value, limit) = (way.name(), amount(way, self.peak.value), limit_words(way, bound));
        format!("{name} {value} ({limit}) in frame {}, at {:.3} s, at {}", self.frame, self.time, place(self.peak.at))
    }

    fn numbers(&self) -> [f64; Self::NUMBERS] {
        let Peak { value, triangle, at: [x, y, z] } = self.peak;
        [value, f64::from(triangle), x, y, z, f64::from(self.frame), self.time]
    }

    fn from_numbers(&[value, triangle, x, y, z, frame, time]: &[f64; Self::NUMBERS]) -> Self {
        Record { peak: Peak { value, triangle: triangle as u32, at: [x, y, z] }, frame: frame as u32, time }
    }

    fn json(&self) -> Json {
        let mut entry = Map::new();
        self.peak.json(&mut entry);
        if self.peak.is_some() {
            entry.insert("frame".into(), json!(self.frame));
            entry.insert("time".into(), json!(self.time));
        }
        Json::Object(entry)
    }
}

/// What one way of being stretched came to in a run, on one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WayLog {
    /// The largest tension of what could move.
    pub most: Record,
    /// The largest compression of what could move.
    pub compression: Record,
    /// Frames in which some triangle was shorter than it may be.
    pub frames_squeezed: u32,
    /// Frames in which some triangle was beyond the bound.
    pub frames_beyond: u32,
    /// What missed the bound most, and the bound it had then.
    pub missed: Record,
    /// The bound that was missed.
    pub missed_bound: f64,
    /// The largest tension between held vertices alone.
    pub held: Record,
    /// Frames in which it was beyond the bound.
    pub held_frames_beyond: u32,
}

impl WayLog {
    const NONE: WayLog = WayLog {
        most: Record::NONE,
        compression: Record::NONE,
        frames_squeezed: 0,
        frames_beyond: 0,
        missed: Record::NONE,
        missed_bound: f64::INFINITY,
        held: Record::NONE,
        held_frames_beyond: 0,
    };
    const NUMBERS: usize = 4 * Record::NUMBERS + 4;

    fn add(&mut self, of: &WayTension, frame: u32, time: f64) {
        self.most.raise(of.most, frame, time);
        self.compression.raise(of.compression, frame, time);
        self.frames_squeezed += u32::from(of.squeezed > 0);
        self.frames_beyond += u32::from(of.beyond > 0);
        // Bounds may change while a person plays with a scene: what counts is the miss over its own bound.
        let worse = of.missed.value * self.missed_bound > self.missed.peak.value * of.missed_bound;
        if of.beyond > 0 && (worse || !self.missed.peak.is_some()) {
            (self.missed, self.missed_bound) = (Record { peak: of.missed, frame, time }, of.missed_bound);
        }
        self.held.raise(of.held, frame, time);
        self.held_frames_beyond += u32::from(of.held_beyond > 0);
    }

    fn numbers(&self) -> Vec<f64> {
        let counts = [self.frames_beyond, self.held_frames_beyond, self.frames_squeezed].map(f64::from);
        let records = [self.most, self.compression, self.missed, self.held];
        let records = records.iter().flat_map(Record::numbers);
        records.chain([self.missed_bound]).chain(counts).collect()
    }

    fn from_numbers(numbers: &[f64]) -> Option<Self> {
        let (most, rest) = numbers.split_first_chunk()?;
        let (compression, rest) = rest.split_first_chunk()?;
        let (missed, rest) = rest.split_first_chunk()?;
        let (held, rest) = rest.split_first_chunk()?;
        let &[missed_bound, frames, held_frames, frames_squeezed] = rest else { return None };
        Some(WayLog {
            most: Record::from_numbers(most),
            compression: Record::from_numbers(compression),
            frames_squeezed: frames_squeezed as u32,
            frames_beyond: frames as u32,
            missed: Record::from_numbers(missed),
            missed_bound,
            held: Record::from_numbers(held),
            held_frames_beyond: held_frames as u32,
        })
    }
}

/// How far a cloth was stretched in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyLog {
    /// Its name.
    pub name: String,
    /// How far it may be stretched.
    pub bounds: StretchBounds,
    /// Frames in which some triangle was beyond a bound of any kind.
    pub frames_beyond: u32,
    /// The largest share of its triangles that were, in a frame.
    pub share_beyond: f64,
    ways: [WayLog; Way::COUNT],
}

impl BodyLog {
    /// One way of being stretched.
    pub fn way(&self, way: Way) -> &WayLog {
        &self.ways[way.at()]
    }
}

/// How far each cloth was stretched in a run, from frame 1 on: the beginning is as a scene gives it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TensionLog {
    /// Frames so far.
    pub frames: u32,
    /// The cloth, in the order of [`Simulation::objects`](super::Simulation::objects).
    pub bodies: Vec<BodyLog>,
}

impl TensionLog {
    /// Adds a frame.
    pub(super) fn add(&mut self, tension: &Tension, frame: u32, time: f64) {
        self.frames += 1;
        let fresh = |body: &BodyTension| BodyLog {
            name: body.name.clone(),
            bounds: body.bounds,
            frames_beyond: 0,
            share_beyond: 0.0,
            ways: [WayLog::NONE; Way::COUNT],
        };
        let known = self.bodies.len();
        self.bodies.extend(tension.bodies.iter().skip(known).map(fresh));
        for (log, body) in self.bodies.iter_mut().zip(&tension.bodies) {
            log.bounds = body.bounds;
            log.frames_beyond += u32::from(body.beyond > 0);
            log.share_beyond = log.share_beyond.max(f64::from(body.beyond) / f64::from(body.triangles.max(1)));
            for way in Way::ALL {
                log.ways[way.at()].add(body.way(way), frame, time);
            }
        }
    }

    /// The ways that are worth telling: edges and areas where some cloth has a limit of them.
    pub fn told(&self) -> impl Iterator<Item = Way> {
        let limited = |way: Way, body: &BodyLog| way.bound(&body.bounds).min(way.shorter(&body.bounds)).is_finite();
        let special = |way: Way| matches!(way, Way::Edge | Way::Area);
        Way::ALL.into_iter().filter(move |&way| !special(way) || self.bodies.iter().any(|body| limited(way, body)))
    }

    /// The cloth that was stretched most in some way.
    pub fn most(&self, way: Way) -> Option<&BodyLog> {
        let there = self.bodies.iter().filter(|body| body.way(way).most.peak.is_some());
        there.max_by(|a, b| a.way(way).most.peak.value.total_cmp(&b.way(way).most.peak.value))
    }

    /// The cloth that was compressed most in some way, if any was.
    pub fn most_compressed(&self, way: Way) -> Option<&BodyLog> {
        let there = self.bodies.iter().filter(|body| body.way(way).compression.peak.value > 0.0);
        there.max_by(|a, b| a.way(way).compression.peak.value.total_cmp(&b.way(way).compression.peak.value))
    }

    /// Every bound that was missed by what could move, the worst first: the cloth and the way.
    pub fn missed(&self) -> Vec<(&BodyLog, Way)> {
        let all = self.bodies.iter().flat_map(|body| Way::ALL.map(|way| (body, way)));
        let mut missed: Vec<_> = all.filter(|(body, way)| body.way(*way).frames_beyond > 0).collect();
        let by = |(body, way): &(&BodyLog, Way)| {
            let of = body.way(*way);
            of.missed.peak.value / of.missed_bound.max(1e-6)
        };
        missed.sort_by(|a, b| by(b).total_cmp(&by(a)));
        missed
    }

    /// What is said of bounds that pins alone missed, a sentence for each cloth and way.
    pub fn held(&self) -> Vec<String> {
        let all = self.bodies.iter().flat_map(|body| Way::ALL.map(|way| (body, way)));
        let held = all.filter(|(body, way)| body.way(*way).held_frames_beyond > 0);
        held.map(|(body, way)| {
            let of = body.way(way);
            let (what, times) = (of.held.words(way, way.bound(&body.bounds)), of.held_frames_beyond);
            format!(
                "pins stretch {:?} between them beyond its limit: {what}, in {times} of {} frames; nothing can move \
                 what lies between pins alone",
                body.name, self.frames
            )
        })
        .collect()
    }

    /// What is said of bounds on how much shorter cloth may become that were missed, a sentence for each cloth and way.
    pub fn squeezed(&self) -> Vec<String> {
        let all = self.bodies.iter().flat_map(|body| Way::ALL.map(|way| (body, way)));
        let squeezed = all.filter(|(body, way)| body.way(*way).frames_squeezed > 0);
        squeezed
            .map(|(body, way)| {
                let of = body.way(way);
                let (what, times) = (of.compression.words(way, way.shorter(&body.bounds)), of.frames_squeezed);
                format!(
                    "{:?} was squeezed beyond its limit: {what}, in {times} of {} frames; no motion is given up for that",
                    body.name, self.frames
                )
            })
            .collect()
    }

    /// What is said of a bound that was missed by what could move.
    pub fn miss(&self, body: &BodyLog, way: Way) -> String {
        let of = body.way(way);
        let (what, times, share) = (of.missed.words(way, of.missed_bound), of.frames_beyond, 100.0 * body.share_beyond);
        format!(
            "{:?} was stretched beyond its limit: {what}, in {times} of {} frames, up to {share:.2} % of its triangles",
            body.name, self.frames
        )
    }

    /// For results: each cloth with the largest of each way, when and where, and how often it was beyond its bound.
    pub fn to_json(&self) -> Json {
        let body = |body: &BodyLog| {
            let mut out = json!({
                "name": body.name,
                "frames_beyond": body.frames_beyond,
                "share_beyond": body.share_beyond,
            });
            for way in Way::ALL {
                let of = body.way(way);
                let mut entry = of.most.json();
                if way != Way::Shear {
                    entry["compression"] = json!(of.compression.peak.value.max(0.0));
                    if of.compression.peak.value > 0.0 {
                        entry["compressed"] = of.compression.json();
                    }
                    let shorter = way.shorter(&body.bounds);
                    if shorter.is_finite() {
                        entry["compression_limit"] = json!(shorter);
                        entry["frames_squeezed"] = json!(of.frames_squeezed);
                    }
                }
                let limit = way.bound(&body.bounds);
                if limit.is_finite() {
                    entry["limit"] = json!(limit);
                    entry["frames_beyond"] = json!(of.frames_beyond);
                }
                if of.held.peak.is_some() {
                    entry["between_pins"] = of.held.json();
                    entry["between_pins"]["frames_beyond"] = json!(of.held_frames_beyond);
                }
                out[way.key()] = entry;
            }
            out
        };
        let mut out = json!({ "frames": self.frames, "bodies": self.bodies.iter().map(body).collect::<Json>() });
        for way in Way::ALL {
            if let Some(body) = self.most(way) {
                out[way.key()] = body.way(way).most.json();
                out[way.key()]["body"] = json!(body.name);
                out[way.key()]["limit"] = json!(way.bound(&body.bounds));
            }
        }
        out["frames_beyond"] = json!(self.bodies.iter().map(|body| body.frames_beyond).max().unwrap_or(0));
        out
    }

    /// As numbers, for a checkpoint. Names and bounds are the scene's.
    pub(super) fn numbers(&self) -> Vec<f64> {
        let body = |body: &BodyLog| {
            let ways = body.ways.iter().flat_map(WayLog::numbers);
            [f64::from(body.frames_beyond), body.share_beyond].into_iter().chain(ways).collect::<Vec<_>>()
        };
        [f64::from(self.frames)].into_iter().chain(self.bodies.iter().flat_map(body)).collect()
    }

    /// What [`numbers`](Self::numbers) gave, of the cloth that is measured in `now`.
    pub(super) fn from_numbers(numbers: &[f64], now: &Tension) -> Option<Self> {
        let (&frames, rest) = numbers.split_first()?;
        if frames == 0.0 && rest.is_empty() {
            return Some(TensionLog::default());
        }
        let chunks = rest.chunks_exact(2 + Way::COUNT * WayLog::NUMBERS);
        let whole = chunks.remainder().is_empty() && chunks.len() == now.bodies.len();
        let body = |(of, numbers): (&BodyTension, &[f64])| {
            let (&[beyond, share_beyond], rest) = numbers.split_first_chunk()?;
            let mut ways = [WayLog::NONE; Way::COUNT];
            for (way, numbers) in ways.iter_mut().zip(rest.chunks_exact(WayLog::NUMBERS)) {
                *way = WayLog::from_numbers(numbers)?;
            }
            let (name, bounds) = (of.name.clone(), of.bounds);
            Some(BodyLog { name, bounds, frames_beyond: beyond as u32, share_beyond, ways })
        };
        let bodies = now.bodies.iter().zip(chunks).map(body).collect::<Option<Vec<_>>>()?;
        whole.then_some(TensionLog { frames: frames as u32, bodies })
    }
}

/// A stretch as a person reads it: percent, or for shear the angle that yarns are off the right one.
pub fn amount(way: Way, value: f64) -> String {
    match way {
        Way::Shear => format!("{:.1}°", value.clamp(-1.0, 1.0).asin().to_degrees()),
        _ if value.is_finite() => format!("{:.2} %", 100.0 * value),
        _ => "not finite".to_owned(),
    }
}

/// A bound as a person reads it.
pub fn limit_words(way: Way, bound: f64) -> String {
    match way {
        _ if !bound.is_finite() => "no limit".to_owned(),
        Way::Shear => format!("limit {}", amount(way, bound)),
        _ => format!("limit {} %", (1e4 * bound).round() / 100.0),
    }
}

/// A place as a person reads it.
pub fn place([x, y, z]: [f64; 3]) -> String {
    format!("({x:.4}, {y:.4}, {z:.4})")
}
