//! Values that change over time: one that stays, or keyframes.

use super::decode::{Reader, Rule, Value};
use super::document::{Node, Tree};
use serde_json::{Value as Json, json};

choice! {
    /// How a value gets from one key to the next.
    pub enum Interpolation {
        /// Smoothly through every key, without overshooting any.
        Smooth = "smooth",
        /// In straight lines.
        Linear = "linear",
        /// Stays until the next key, then jumps.
        Step = "step",
    }
}

/// What can be keyed.
pub trait Keyed: Copy + PartialEq + std::fmt::Debug {
    /// Applies a function of one component each of four values to all components.
    fn blend(values: [Self; 4], f: impl Fn([f64; 4]) -> f64) -> Self;
}

impl Keyed for f64 {
    fn blend(values: [Self; 4], f: impl Fn([f64; 4]) -> f64) -> Self {
        f(values)
    }
}

impl<const N: usize> Keyed for [f64; N] {
    fn blend(values: [Self; 4], f: impl Fn([f64; 4]) -> f64) -> Self {
        std::array::from_fn(|k| f(values.map(|value| value[k])))
    }
}

/// A value over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Track<T> {
    /// Times (s), ascending, and values; at least one.
    keys: Vec<(f64, T)>,
    interpolation: Interpolation,
    cyclic: bool,
}

impl<T: Keyed> Track<T> {
    /// One that stays.
    pub fn constant(value: T) -> Self {
        Track { keys: vec![(0.0, value)], interpolation: Interpolation::default(), cyclic: false }
    }

    /// Whether it stays.
    pub fn is_constant(&self) -> bool {
        self.keys.iter().all(|key| key.1 == self.keys[0].1)
    }

    /// The value at a time, s. Before the first key and after the last it stays, or goes round if it is cyclic.
    pub fn at(&self, time: f64) -> T {
        let (first, last) = (self.keys[0], self.keys[self.keys.len() - 1]);
        let length = last.0 - first.0;
        let time = if self.cyclic && length > 0.0 { first.0 + (time - first.0).rem_euclid(length) } else { time };
        let next = self.keys.partition_point(|key| key.0 <= time);
        if next == 0 {
            return first.1;
        }
        if next == self.keys.len() {
            return last.1;
        }
        let (from, to) = (self.keys[next - 1], self.keys[next]);
        let part = (time - from.0) / (to.0 - from.0);
        match self.interpolation {
            Interpolation::Step => from.1,
            Interpolation::Linear => T::blend([from.1, to.1, from.1, to.1], |[a, b, ..]| a + (b - a) * part),
            Interpolation::Smooth => {
                let (before, after) = (self.neighbour(next - 1, false), self.neighbour(next, true));
                let values = [before.map_or(from.1, |k| k.1), from.1, to.1, after.map_or(to.1, |k| k.1)];
                let gaps = [before.map_or(0.0, |k| from.0 - k.0), to.0 - from.0, after.map_or(0.0, |k| k.0 - to.0)];
                T::blend(values, |values| hermite(values, gaps, part))
            }
        }
    }

    /// The key next to a key, going round if the track is cyclic, with its time as seen from there.
    fn neighbour(&self, at: usize, forwards: bool) -> Option<(f64, T)> {
        let last = self.keys.len() - 1;
        let length = self.keys[last].0 - self.keys[0].0;
        match (at, forwards) {
            // The last key of a cycle is the first one of the next.
            (0, false) => self.cyclic.then(|| (self.keys[last - 1].0 - length, self.keys[last - 1].1)),
            (_, false) => Some(self.keys[at - 1]),
            (at, true) if at == last => self.cyclic.then(|| (self.keys[1].0 + length, self.keys[1].1)),
            (at, true) => Some(self.keys[at + 1]),
        }
    }
}

/// A cubic through the middle two of four values at part `t` of the way, that never leaves their range: slopes are
/// the harmonic mean of those on both sides, and zero at extrema (Fritsch and Butland, 1984).
fn hermite([a, b, c, d]: [f64; 4], [before, here, after]: [f64; 3], t: f64) -> f64 {
    let slope = |rise: f64, run: f64| if run > 0.0 { rise / run } else { 0.0 };
    let mean = |p: f64, q: f64| if p * q > 0.0 { 2.0 * p * q / (p + q) } else { 0.0 };
    let middle = slope(c - b, here);
    let (m0, m1) = (mean(slope(b - a, before), middle) * here, mean(middle, slope(d - c, after)) * here);
    let (t2, t3) = (t * t, t * t * t);
    b + (c - b) * (3.0 * t2 - 2.0 * t3) + m0 * (t3 - 2.0 * t2 + t) + m1 * (t3 - t2)
}

section! {
    /// Keyframes.
    pub struct KeyOptions {
        /// How the value gets from one key to the next.
        interpolation: Interpolation = Interpolation::Smooth;
        /// Whether it starts over after the last key, which should then equal the first.
        cyclic: bool = false;
    }
}

impl<T: Keyed + Value> Value for Track<T> {
    fn expected(rule: &Rule) -> String {
        format!("{}, or {{ keys = [{{ time = …, value = … }}, …] }}", T::expected(rule))
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        let Tree::Table(entries) = &node.tree else {
            return match &node.tree {
                Tree::Integer(_) | Tree::Float(_) | Tree::Array(_) => {
                    T::decode(reader, node, rule).map(Track::constant)
                }
                _ => {
                    reader.unexpected(node, &Self::expected(rule), Vec::new());
                    None
                }
            };
        };
        let keys = keys(reader, node, rule);
        let rest: Vec<_> = entries.iter().filter(|entry| entry.key != "keys").cloned().collect();
        let options = super::decode::Section::read(reader, &rest, Some("keys"), node.span);
        let KeyOptions { interpolation, cyclic } = options?;
        Some(Track { keys: keys?, interpolation, cyclic })
    }

    fn schema(rule: &Rule) -> Json {
        let key = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["time", "value"],
            "properties": { "time": { "type": "number", "description": "When [s]" }, "value": T::schema(rule) },
        });
        let mut keyed = super::schema::of_section::<KeyOptions>(None);
        keyed["properties"]["keys"] =
            json!({ "type": "array", "items": key, "minItems": 1, "description": "Times and values, times ascending" });
        keyed["required"] = json!(["keys"]);
        json!({ "anyOf": [T::schema(rule), keyed] })
    }

    fn json(&self) -> Json {
        match &self.keys[..] {
            [(_, value)] => value.json(),
            keys => {
                let keys: Vec<Json> =
                    keys.iter().map(|(time, value)| json!({ "time": time, "value": value.json() })).collect();
                json!({ "keys": keys, "interpolation": self.interpolation.name(), "cyclic": self.cyclic })
            }
        }
    }
}

/// The list of keys of a track, in order of time.
fn keys<T: Keyed + Value>(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Vec<(f64, T)>> {
    let list = node.get("keys");
    let Some(Tree::Array(items)) = list.map(|list| &list.tree).filter(|tree| **tree != Tree::Array(Vec::new())) else {
        let path = reader.path();
        let message = format!("`{path}` needs `keys`: a list of {{ time = …, value = … }}, at least one");
        reader.report(list.unwrap_or(node).span, message, Vec::new());
        return None;
    };
    let mut out: Vec<(f64, T)> = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let key = reader.within("keys", |r| r.within(&at.to_string(), |r| self::key(r, item, rule)))?;
        if let Some(last) = out.last().filter(|last| key.0 <= last.0) {
            let (path, last) = (reader.path(), last.0);
            let message =
                format!("`{path}.keys.{at}` is at {} s; expected a time after {last} s, that of the key before", key.0);
            reader.report(item.span, message, Vec::new());
            return None;
        }
        out.push(key);
    }
    Some(out)
}

fn key<T: Value>(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<(f64, T)> {
    let Tree::Table(entries) = &node.tree else {
        reader.unexpected(node, "{ time = …, value = … }", Vec::new());
        return None;
    };
    let time = reader.field(entries, ("time", "", &Rule::ANY.unit("s")), None, node.span);
    let value = reader.field(entries, ("value", "", rule), None, node.span);
    reader.unknown(entries, &["time", "value"]);
    Some((time?, value?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(keys: &[(f64, f64)], interpolation: Interpolation, cyclic: bool) -> Track<f64> {
        Track { keys: keys.to_vec(), interpolation, cyclic }
    }

    #[test]
    fn tracks_go_through_their_keys_and_stay_outside() {
        for &interpolation in Interpolation::ALL {
            let t = track(&[(1.0, 2.0), (2.0, 5.0), (4.0, -1.0)], interpolation, false);
            for (time, value) in [(0.0, 2.0), (1.0, 2.0), (2.0, 5.0), (4.0, -1.0), (9.0, -1.0)] {
                assert_eq!(t.at(time), value, "{interpolation:?} at {time}");
            }
        }
    }

    #[test]
    fn smooth_tracks_do_not_overshoot_and_have_no_corners() {
        let t = track(&[(0.0, 0.0), (1.0, 0.0), (1.5, 1.0), (3.0, 1.2), (4.0, 1.2)], Interpolation::Smooth, false);
        let values: Vec<f64> = (0..=4000).map(|i| t.at(f64::from(i) * 1e-3)).collect();
        assert!(values.windows(2).all(|w| w[1] >= w[0] - 1e-12), "monotone keys give a monotone curve");
        let bend = values.windows(3).map(|w| (w[2] - 2.0 * w[1] + w[0]).abs()).fold(0.0, f64::max);
        assert!(bend < 1e-4, "slope jumps by {bend}");
    }

    #[test]
    fn cyclic_tracks_go_round_without_a_jolt() {
        let t = track(&[(0.0, 0.0), (1.0, 3.0), (2.0, 1.0), (3.0, 0.0)], Interpolation::Smooth, true);
        assert!((t.at(0.7) - t.at(6.7)).abs() < 1e-12);
        assert!((t.at(2.7) - t.at(-0.3)).abs() < 1e-12);
        let values: Vec<f64> = (2000..4000).map(|i| t.at(f64::from(i) * 1e-3)).collect();
        let bend = values.windows(3).map(|w| (w[2] - 2.0 * w[1] + w[0]).abs()).fold(0.0, f64::max);
        assert!(bend < 1e-4, "slope jumps by {bend}");
    }
}
