//! One run of a sweep: a pure function of a scene, whose result is kept under a name that says all it depends on.

use serde_json::{Value as Json, json};
use std::path::Path;
use taut_scene::scene::settings::Precision;
use taut_scene::scene::{Scene, SceneError};
use taut_scene::simulation::{Metrics, Simulation};

/// What is run: a scene with its changes, in a precision, for so many frames.
#[derive(Clone, Debug)]
pub struct SweepRun {
    /// The scene, changed.
    pub scene: Scene,
    /// The size of numbers.
    pub precision: Precision,
    /// Frames after the first.
    pub frames: u32,
}

/// Size of a run's picture, pixels.
const PICTURE: [usize; 2] = [480, 360];

impl SweepRun {
    /// A run of `scene`; precision and frames are the scene's own if not given.
    pub fn new(scene: Scene, precision: Option<Precision>, frames: Option<u32>) -> Self {
        let precision = precision.unwrap_or_else(|| scene.precision());
        let frames = frames.unwrap_or_else(|| scene.settings.time.frame_count());
        SweepRun { scene, precision, frames }
    }

    /// The name of its result, 32 hexadecimal digits: of everything that the scene says with defaults filled in, of the
    /// bytes of all files that it names, of precision, frames and this version. Two ways to say the same have one name.
    /// Not of the scene's own name, nor of where it is.
    pub fn key(&self) -> String {
        let mut settings = self.scene.to_json();
        // What decides how many frames there are; those are known.
        if let Some(time) = settings["time"].as_object_mut() {
            time.remove("frames");
            time.remove("duration");
        }
        let mut parts = vec![env!("CARGO_PKG_VERSION").as_bytes().to_vec(), self.precision.name().into()];
        parts.push(self.frames.to_le_bytes().to_vec());
        parts.push(settings.to_string().into_bytes());
        if let Some(folder) = self.scene.folder() {
            named_files(&settings, folder, &mut parts);
        }
        format!("{:032x}", fnv(&parts))
    }

    /// Runs it on one thread: what it came to as JSON, the same to the last digit wherever it is run, and a picture of
    /// its end as a PNG.
    pub fn run(&self) -> Result<(Json, Vec<u8>), SceneError> {
        let mut simulation = Simulation::new(&self.scene, self.precision, 1)?;
        let mut curves = Curves::default();
        curves.add(&simulation.metrics());
        while simulation.frame() < self.frames {
            simulation.advance();
            curves.add(&simulation.metrics());
        }
        let shot = crate::Shot::of(&simulation);
        let mut look = crate::Look::new(&simulation, 1);
        look.include(&shot);
        let picture = crate::png(&look.draw(&shot, None, PICTURE));
        let series = curves.0.iter().map(|(name, values)| ((*name).to_owned(), json!(values)));
        let json = json!({
            "key": self.key(),
            "title": self.scene.title(),
            "changes": self.scene.sets(),
            "precision": self.precision.name(),
            "summary": summary(&simulation, &curves),
            "curves": series.collect::<serde_json::Map<_, _>>(),
            "warnings": simulation.warnings(),
        });
        Ok((json, picture))
    }
}

/// FNV-1a in 128 bits over parts, each with its length in front: not for secrets.
fn fnv(parts: &[Vec<u8>]) -> u128 {
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    for part in parts {
        for byte in (part.len() as u64).to_le_bytes().iter().chain(part) {
            hash = (hash ^ u128::from(*byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
    }
    hash
}

/// The bytes of files that a scene names, in the order in which it names them; of a sequence of files (`walk_####.obj`)
/// those of all.
fn named_files(value: &Json, folder: &Path, parts: &mut Vec<Vec<u8>>) {
    match value {
        Json::String(text) if text.contains('#') => {
            let pattern = folder.join(text);
            let (Some(dir), Some(name)) = (pattern.parent(), pattern.file_name()) else { return };
            let name = name.to_string_lossy();
            let (start, end) = (name.find('#').unwrap_or(0), name.rfind('#').map_or(0, |at| at + 1));
            let fits = |file: &str| file.starts_with(&name[..start]) && file.ends_with(&name[end..]);
            let files = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
            let mut files: Vec<_> =
                files.filter(|path| path.file_name().is_some_and(|file| fits(&file.to_string_lossy()))).collect();
            files.sort();
            parts.extend(files.iter().filter_map(|path| std::fs::read(path).ok()));
        }
        Json::String(text) if !text.is_empty() && folder.join(text).is_file() => {
            parts.extend(std::fs::read(folder.join(text)));
        }
        Json::Array(list) => list.iter().for_each(|value| named_files(value, folder, parts)),
        Json::Object(map) => map.values().for_each(|value| named_files(value, folder, parts)),
        _ => {}
    }
}

/// Numbers over time, by name.
#[derive(Default)]
struct Curves(Vec<(&'static str, Vec<f64>)>);

impl Curves {
    fn add(&mut self, metrics: &Metrics) {
        let Metrics { strain, totals, .. } = metrics;
        let now = [
            ("time", metrics.time),
            ("weft", strain.weft.max),
            ("warp", strain.warp.max),
            ("shear", strain.shear.max),
            ("stretch", metrics.largest_stretch()),
            ("kinetic", totals.kinetic),
            ("elastic", totals.elastic),
        ];
        if self.0.is_empty() {
            self.0 = now.iter().map(|(name, _)| (*name, Vec::new())).collect();
        }
        self.0.iter_mut().zip(now).for_each(|((_, list), (_, value))| list.push(value));
    }

    /// The largest value of a curve.
    fn most(&self, name: &str) -> f64 {
        let of = self.0.iter().find(|(known, _)| *known == name);
        of.map_or(0.0, |(_, values)| values.iter().copied().fold(0.0, f64::max))
    }
}

/// A row of the sweep's table.
fn summary(simulation: &Simulation, curves: &Curves) -> Json {
    let end = simulation.metrics();
    json!({
        "hash": format!("{:016x}", end.state_hash),
        "frames": end.frame,
        "time": end.time,
        "most_stretch": curves.most("stretch"),
        "most_shear": curves.most("shear"),
        "weft": end.strain.weft.max,
        "warp": end.strain.warp.max,
        "shear": end.strain.shear.max,
        "area_change": end.totals.area_change,
        "volume_change": end.totals.volume_change,
        "kinetic": end.totals.kinetic,
        "potential": end.totals.potential,
        "elastic": end.totals.elastic,
        "contacts": end.contacts,
        "contained": end.contained,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(sets: &[&str]) -> SweepRun {
        let small = ["cloth.0.generate.nx=5", "cloth.0.generate.ny=5"].iter().chain(sets).map(|s| (*s).to_owned());
        let scene = Scene::open("hang", &small.collect::<Vec<_>>()).expect("a built-in scene");
        SweepRun::new(scene, None, Some(2))
    }

    #[test]
    fn a_key_is_of_what_is_said_and_not_of_how() {
        let same = run(&["cloth.0.density=0.30"]).key();
        assert_eq!(same, run(&["cloth.0.density=0.1", "cloth.0.density=3e-1"]).key());
        assert_ne!(same, run(&["cloth.0.density=0.31"]).key());
        assert_ne!(same, SweepRun { frames: 3, ..run(&["cloth.0.density=0.30"]) }.key());
        assert_eq!(same, SweepRun { frames: 2, ..run(&["cloth.0.density=0.30", "time.frames=9"]) }.key());
        assert_ne!(same, SweepRun { precision: Precision::F64, ..run(&["cloth.0.density=0.30"]) }.key());
        assert_eq!(same.len(), 32);
    }

    #[test]
    fn a_key_changes_with_a_file_that_the_scene_names() {
        let dir = std::env::temp_dir().join(format!("taut-sweep-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        let key = |z: f64| {
            let mesh = format!("v 0 0 0\nv 1 0 0\nv 0 0 {z}\nf 1 2 3\n");
            std::fs::write(dir.join("mesh.obj"), mesh).expect("a file");
            let text = "[[cloth]]\nname = \"a\"\nmesh = \"mesh.obj\"\n";
            let scene = Scene::parse("a.toml", text, Some(&dir), &[]).expect("a scene");
            SweepRun::new(scene, None, Some(1)).key()
        };
        assert_eq!(key(1.0), key(1.0));
        assert_ne!(key(1.0), key(2.0));
        std::fs::remove_dir_all(&dir).expect("our own folder");
    }

    #[test]
    fn a_run_gives_the_same_to_the_last_digit() {
        let (a, picture) = run(&[]).run().expect("a run");
        assert_eq!(run(&[]).run().expect("a run"), (a.clone(), picture.clone()));
        assert_eq!(a["summary"]["frames"], 2);
        assert_eq!(a["curves"]["time"].as_array().map(Vec::len), Some(3));
        assert!(picture.starts_with(b"\x89PNG"));
    }
}
