//! Animation channels: what moves which part of a node, and how it is interpolated.

use super::accessor::Accessors;
use super::container::Document;
use super::json::{Animation, Root, Sampler};
use super::transform::{normalized, slerp};
use crate::read::error::{ReadError, Result, quote};
use crate::read::{Clip, Options};
use glam::DQuat;
use std::collections::HashSet;

/// Which part of a node a track moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    Translation,
    Rotation,
    Scale,
    Weights,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Interpolation {
    Step,
    Linear,
    CubicSpline,
}

/// One animated part of one node.
#[derive(Clone, Debug)]
pub(super) struct Track {
    pub node: usize,
    pub part: Part,
    interpolation: Interpolation,
    times: Vec<f32>,
    /// Per key, and for cubic splines thrice: in-tangent, value, out-tangent.
    values: Vec<f32>,
    /// Numbers per value: 3, 4, or the number of morph targets.
    width: usize,
}

impl Track {
    /// When the last key is, s.
    pub fn end(&self) -> f64 {
        self.times.last().map_or(0.0, |&t| f64::from(t))
    }

    /// The value at a time, held outside the keys. Replaces what `out` holds.
    pub fn sample(&self, seconds: f64, out: &mut Vec<f64>) {
        out.clear();
        let next = self.times.partition_point(|&time| f64::from(time) <= seconds);
        if next == 0 || next == self.times.len() {
            out.extend(self.value(next.saturating_sub(1)).iter().map(|&x| f64::from(x)));
            return;
        }
        let (before, after) = (f64::from(self.times[next - 1]), f64::from(self.times[next]));
        let step = after - before;
        let t = (seconds - before) / step;
        match self.interpolation {
            Interpolation::Step => out.extend(self.value(next - 1).iter().map(|&x| f64::from(x))),
            Interpolation::CubicSpline => self.sample_spline(next, t, step, out),
            Interpolation::Linear if self.part == Part::Rotation => {
                let unit =
                    |k: usize| normalized(DQuat::from_array(std::array::from_fn(|i| f64::from(self.value(k)[i]))));
                out.extend(slerp(unit(next - 1), unit(next), t).to_array());
            }
            Interpolation::Linear => {
                let pairs = self.value(next - 1).iter().zip(self.value(next));
                out.extend(pairs.map(|(&a, &b)| f64::from(a) * (1.0 - t) + f64::from(b) * t));
            }
        }
    }

    /// The cubic Hermite spline of glTF's appendix C. Rotations are normalized by whoever uses them.
    fn sample_spline(&self, next: usize, t: f64, step: f64, out: &mut Vec<f64>) {
        let (t2, t3) = (t * t, t * t * t);
        let (from, out_tangent) = (self.value(next - 1), self.spline_part(next - 1, 2));
        let (to, in_tangent) = (self.value(next), self.spline_part(next, 0));
        out.extend((0..self.width).map(|k| {
            (2.0 * t3 - 3.0 * t2 + 1.0) * f64::from(from[k])
                + step * (t3 - 2.0 * t2 + t) * f64::from(out_tangent[k])
                + (-2.0 * t3 + 3.0 * t2) * f64::from(to[k])
                + step * (t3 - t2) * f64::from(in_tangent[k])
        }));
    }

    fn value(&self, key: usize) -> &[f32] {
        match self.interpolation {
            Interpolation::CubicSpline => self.spline_part(key, 1),
            _ => &self.values[key * self.width..(key + 1) * self.width],
        }
    }

    fn spline_part(&self, key: usize, part: usize) -> &[f32] {
        let start = (3 * key + part) * self.width;
        &self.values[start..start + self.width]
    }
}

/// The tracks of the animations that play; none if the file has none.
pub(super) fn read_tracks(
    file: &str,
    root: &Root,
    accessors: &Accessors,
    options: &Options,
    targets_of_nodes: &[usize],
) -> Result<Vec<Track>> {
    let mut tracks = Vec::new();
    for (index, animation) in playing(file, root, options)? {
        read_animation(file, root, accessors, (index, animation), targets_of_nodes, &mut tracks)?;
    }
    Ok(tracks)
}

fn read_animation(
    file: &str,
    root: &Root,
    accessors: &Accessors,
    (index, animation): (usize, &Animation),
    targets_of_nodes: &[usize],
    tracks: &mut Vec<Track>,
) -> Result<()> {
    for (k, channel) in animation.channels.iter().enumerate() {
        let fail = |message: String| ReadError::item(file, format!("animations[{index}].channels[{k}]"), message);
        // Extensions animate other things than nodes.
        let Some(node) = channel.target.node else { continue };
        if node >= root.nodes.len() {
            return Err(fail(format!("moves nodes[{node}], but the file has {}", root.nodes.len())));
        }
        let part = match channel.target.path.as_str() {
            "translation" => Part::Translation,
            "rotation" => Part::Rotation,
            "scale" => Part::Scale,
            "weights" => Part::Weights,
            _ => continue,
        };
        let sampler = animation.samplers.get(channel.sampler);
        let sampler = sampler.ok_or_else(|| {
            fail(format!("uses samplers[{}], but the animation has {}", channel.sampler, animation.samplers.len()))
        })?;
        let width = match part {
            Part::Translation | Part::Scale => 3,
            Part::Rotation => 4,
            Part::Weights => targets_of_nodes[node],
        };
        if width > 0 {
            tracks.push(read_track(sampler, accessors, node, part, width, &fail)?);
        }
    }
    Ok(())
}

/// The animations that play, with their numbers: the one that is named, or else the first and all that move nothing
/// which one before them moves. Programs write an animation for each object that has one: a root, and its skeleton.
fn playing<'a>(file: &str, root: &'a Root, options: &Options) -> Result<Vec<(usize, &'a Animation)>> {
    let all = || root.animations.iter().enumerate();
    if let Some(wanted) = &options.animation {
        if let Some(found) = all().find(|(_, animation)| animation.name.as_ref() == Some(wanted)) {
            return Ok(vec![found]);
        }
        let known = super::name_list(root.animations.iter().filter_map(|animation| animation.name.as_deref()));
        return Err(ReadError::file(file, format!("there is no animation {}; {known}", quote(wanted.as_bytes()))));
    }
    let mut moved: HashSet<(usize, &str)> = HashSet::new();
    let mut chosen = Vec::new();
    for (index, animation) in all() {
        let targets = || animation.channels.iter().filter_map(|c| Some((c.target.node?, c.target.path.as_str())));
        if !targets().any(|target| moved.contains(&target)) {
            moved.extend(targets());
            chosen.push((index, animation));
        }
    }
    Ok(chosen)
}

/// What is said of a file with several animations if none is named.
pub(super) fn what_plays(file: &str, root: &Root, options: &Options) -> Option<String> {
    let many = root.animations.len();
    if many < 2 || options.animation.is_some() {
        return None;
    }
    let called = |(index, animation): &(usize, &Animation)| match &animation.name {
        Some(name) => quote(name.as_bytes()),
        None => format!("number {index}"),
    };
    let playing = playing(file, root, options).ok()?;
    let names: Vec<String> = playing.iter().take(12).map(called).collect();
    let verb = if playing.len() == 1 { "plays" } else { "play together" };
    let known = super::name_list(root.animations.iter().filter_map(|animation| animation.name.as_deref()));
    Some(format!("of {many} animations {} {verb}; `animation` names one to play alone: {known}", names.join(", ")))
}

/// The animations of a file. What cannot be read of one is none of its length.
pub(super) fn clips(file: &str, document: &Document, options: &Options) -> Vec<Clip> {
    let accessors = Accessors::new(file, document);
    let playing = playing(file, &document.root, options).unwrap_or_default();
    let clip = |(index, animation): (usize, &Animation)| {
        let ends = animation.samplers.iter().filter_map(|s| accessors.floats(s.input, "SCALAR").ok()?.last().copied());
        Clip {
            name: animation.name.clone(),
            seconds: f64::from(ends.fold(0.0, f32::max)),
            plays: playing.iter().any(|(at, _)| *at == index),
        }
    };
    document.root.animations.iter().enumerate().map(clip).collect()
}

fn read_track(
    sampler: &Sampler,
    accessors: &Accessors,
    node: usize,
    part: Part,
    width: usize,
    fail: &dyn Fn(String) -> ReadError,
) -> Result<Track> {
    let interpolation = match sampler.interpolation.as_deref() {
        None | Some("LINEAR") => Interpolation::Linear,
        Some("STEP") => Interpolation::Step,
        Some("CUBICSPLINE") => Interpolation::CubicSpline,
        Some(other) => {
            let found = quote(other.as_bytes());
            return Err(fail(format!("the interpolation is {found}, expected LINEAR, STEP or CUBICSPLINE")));
        }
    };
    let kind = match part {
        Part::Translation | Part::Scale => "VEC3",
        Part::Rotation => "VEC4",
        Part::Weights => "SCALAR",
    };
    let times = accessors.floats(sampler.input, "SCALAR")?;
    let values = accessors.floats(sampler.output, kind)?;
    if times.is_empty() {
        return Err(fail("has no keys, expected 1 or more".into()));
    }
    if times.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(fail("has times that do not increase from key to key".into()));
    }
    let per_key = if interpolation == Interpolation::CubicSpline { 3 * width } else { width };
    if times.len().checked_mul(per_key) != Some(values.len()) {
        let (keys, found) = (times.len(), values.len());
        return Err(fail(format!("has {keys} keys and {found} numbers, expected {per_key} for each key")));
    }
    Ok(Track { node, part, interpolation, times, values, width })
}
