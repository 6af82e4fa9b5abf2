//! Point caches: where every vertex is, sample by sample. PC2 and MDD, as Blender's Mesh Cache uses them.

use super::bytes::Bytes;
use super::error::{ReadError, Result, count};
use super::{Options, Source};

const PC2_SIGNATURE: &[u8] = b"POINTCACHE2\0";

/// Vertex positions at increasing times, at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct PointCache {
    name: String,
    times: Vec<f64>,
    points: usize,
    /// All points of the first sample, then of the second, and so on. Single precision is what the files hold, and half
    /// the memory.
    positions: Vec<[f32; 3]>,
    warnings: Vec<String>,
}

impl PointCache {
    /// Reads a PC2 or MDD file. PC2 counts in frames, of which there are `fps` in a second; MDD has its own times.
    pub fn read(source: &Source, fps: f64, options: &Options) -> Result<Self> {
        super::unpacked(&source.with_memory(options.memory), |source| Self::read_unpacked(source, fps, options))
    }

    pub(super) fn read_unpacked(source: &Source, fps: f64, options: &Options) -> Result<Self> {
        check_fps(source.name, fps)?;
        if source.bytes.starts_with(PC2_SIGNATURE) {
            return read_pc2(source, fps, options.partial_cache);
        }
        match source.extension().as_str() {
            "mdd" => read_mdd(source, options.partial_cache),
            "pc2" => Err(ReadError::byte(source.name, 0, "the file does not start with \"POINTCACHE2\"")),
            _ => Err(ReadError::file(source.name, "expected a point cache, .pc2 or .mdd")),
        }
    }

    /// A cache out of samples of `points` points, `fps` of them in a second, with at least one.
    pub(super) fn from_samples(name: &str, fps: f64, points: usize, positions: Vec<[f32; 3]>) -> Self {
        let times = (0..positions.len() / points.max(1)).map(|i| i as f64 / fps).collect();
        Self { name: name.into(), times, points, positions, warnings: Vec::new() }
    }

    /// A cache out of samples of `points` points at increasing times (s), at least one.
    pub(super) fn from_times(name: &str, times: Vec<f64>, points: usize, positions: Vec<[f32; 3]>) -> Self {
        Self { name: name.into(), times, points, positions, warnings: Vec::new() }
    }

    /// The name of the file it comes from.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// When each sample is, s, counted from the first.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// How many points each sample has.
    pub fn points(&self) -> usize {
        self.points
    }

    /// What was odd about the file.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The positions at a time, straight between samples, held before the first and after the last.
    pub fn positions_at(&self, seconds: f64, out: &mut Vec<[f64; 3]>) {
        out.clear();
        let next = self.times.partition_point(|&time| time <= seconds);
        let sample = |k: usize| &self.positions[k * self.points..(k + 1) * self.points];
        if next == 0 || next == self.times.len() {
            out.extend(sample(next.saturating_sub(1)).iter().map(|p| p.map(f64::from)));
            return;
        }
        let (before, after) = (self.times[next - 1], self.times[next]);
        let weight = (seconds - before) / (after - before);
        let mix = |(a, b): (&[f32; 3], &[f32; 3])| {
            std::array::from_fn(|k| f64::from(a[k]) * (1.0 - weight) + f64::from(b[k]) * weight)
        };
        out.extend(sample(next - 1).iter().zip(sample(next)).map(mix));
    }

    /// The time of the last sample, s.
    pub fn duration(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }
}

pub(super) fn check_fps(file: &str, fps: f64) -> Result<()> {
    if fps.is_finite() && fps > 0.0 {
        return Ok(());
    }
    Err(ReadError::file(file, format!("the frames per second are {fps}, expected a number above 0")))
}

/// Little-endian: signature, version, points, first frame, frames per sample, samples; then the samples.
fn read_pc2(source: &Source, fps: f64, allow_partial: bool) -> Result<PointCache> {
    let mut bytes = Bytes::new(source.name, source.bytes, PC2_SIGNATURE.len(), false);
    let version = bytes.i32("the version")?;
    if version != 1 {
        return Err(bytes.fail(format!("the version is {version}, expected 1")));
    }
    let points = bytes.i32("the number of points")?;
    bytes.finite(false, "the first frame")?;
    let rate = bytes.finite(false, "the number of frames per sample")?;
    let samples = bytes.i32("the number of samples")?;
    if rate <= 0.0 {
        return Err(bytes.fail(format!("there are {rate} frames per sample, expected a number above 0")));
    }
    let (positions, warnings) = read_samples(source, &mut bytes, samples, points, allow_partial)?;
    let times = (0..positions.len() / points as usize).map(|i| i as f64 * rate / fps).collect();
    Ok(PointCache { name: source.name.into(), times, points: points as usize, positions, warnings })
}

/// Big-endian: samples, points, the time of each sample in seconds; then the samples.
fn read_mdd(source: &Source, allow_partial: bool) -> Result<PointCache> {
    let mut bytes = Bytes::new(source.name, source.bytes, 0, true);
    let samples = bytes.i32("the number of samples")?;
    let points = bytes.i32("the number of points")?;
    let mut times = Vec::new();
    for _ in 0..bytes.room_for(u64::try_from(samples).unwrap_or(0), 4, "samples")? {
        let time = bytes.finite(false, "a sample's time")?;
        if times.last().is_some_and(|&last| time < last) {
            return Err(bytes.fail(format!("a sample's time is {time} s, earlier than the one before")));
        }
        times.push(time);
    }
    let (positions, warnings) = read_samples(source, &mut bytes, samples, points, allow_partial)?;
    times.truncate(positions.len() / points as usize);
    let first = times[0];
    times.iter_mut().for_each(|time| *time -= first);
    Ok(PointCache { name: source.name.into(), times, points: points as usize, positions, warnings })
}

/// At least one whole sample, or an error.
fn read_samples(
    source: &Source,
    bytes: &mut Bytes,
    samples: i32,
    points: i32,
    allow_partial: bool,
) -> Result<(Vec<[f32; 3]>, Vec<String>)> {
    if samples < 1 || points < 1 {
        return Err(bytes.fail(format!("the file claims {samples} samples of {points} points, expected 1 or more")));
    }
    let sample_bytes = 12 * points as u64;
    let present = bytes.remaining() as u64 / sample_bytes;
    let mut warnings = Vec::new();
    let mut samples = samples as u64;
    if present < samples {
        let message = format!("the file ends after {present} of {samples} samples of {points} points");
        if !allow_partial || present == 0 {
            return Err(bytes.fail(message));
        }
        warnings.push(message);
        samples = present;
    }
    let extra = bytes.remaining() as u64 - samples * sample_bytes;
    if extra > 0 && warnings.is_empty() {
        warnings.push(format!(
            "{} the last sample and were ignored",
            count(extra as usize, "byte follows", "bytes follow")
        ));
    }
    // With the time of each, 8 bytes, of which there may be twice as many while they grow.
    source.budget.check(source.name, (samples * (sample_bytes + 16)) as usize)?;
    let mut positions = Vec::with_capacity((samples * points as u64) as usize);
    for _ in 0..samples * points as u64 {
        let mut position = [0.0; 3];
        for (coordinate, axis) in position.iter_mut().zip(["x", "y", "z"]) {
            *coordinate = bytes.finite(false, axis)? as f32;
        }
        positions.push(position);
    }
    Ok((positions, warnings))
}
