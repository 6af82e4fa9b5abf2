//! One run of a sweep: a pure function of a scene, whose result is kept under a name that says all it depends on.

use serde_json::{Value as Json, json};
use std::path::Path;
use taut_scene::read::Folder;
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
        let mut hash = Fnv::new();
        hash.add(env!("CARGO_PKG_VERSION").as_bytes());
        hash.add(self.precision.name().as_bytes());
        hash.add(&self.frames.to_le_bytes());
        hash.add(settings.to_string().as_bytes());
        if let Some(folder) = self.scene.folder() {
            add_named_files(&settings, folder, &mut hash);
        }
        format!("{:032x}", hash.0)
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
struct Fnv(u128);

impl Fnv {
    fn new() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    fn add(&mut self, part: &[u8]) {
        for byte in (part.len() as u64).to_le_bytes().iter().chain(part) {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
    }
}

/// Adds the files that a scene names, in the order in which it names them; of a sequence of files (`walk_####.obj`)
/// all. One is in memory at a time, and only what a scene may read is read: regular files in its folder.
fn add_named_files(value: &Json, folder: &Path, hash: &mut Fnv) {
    let mut add = |name: &str| {
        if let Ok(bytes) = Folder::new(folder).load(name) {
            hash.add(&bytes);
        }
    };
    match value {
        Json::String(text) if text.contains('#') => sequence(text, folder).iter().for_each(|name| add(name)),
        Json::String(text) if !text.is_empty() => add(text),
        Json::Array(list) => list.iter().for_each(|value| add_named_files(value, folder, hash)),
        Json::Object(map) => map.values().for_each(|value| add_named_files(value, folder, hash)),
        _ => {}
    }
}

/// The names of what is in a folder and fits `walk_####.obj`, in order.
fn sequence(pattern: &str, folder: &Path) -> Vec<String> {
    let inner = pattern.rfind('/').map_or("", |slash| &pattern[..=slash]);
    let (before, rest) = pattern[inner.len()..].split_once('#').unwrap_or_default();
    let after = rest.trim_start_matches('#');
    let files = std::fs::read_dir(folder.join(inner)).into_iter().flatten().flatten();
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    let fit = names.filter(|name| name.starts_with(before) && name.ends_with(after));
    let mut names: Vec<String> = fit.map(|name| format!("{inner}{name}")).collect();
    names.sort();
    names
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

    /// A pipe that nobody writes to would be waited for, and what lies outside of the folder is none of a scene's.
    #[cfg(unix)]
    #[test]
    fn a_key_is_of_regular_files_in_the_folder_alone() {
        let dir = std::env::temp_dir().join(format!("taut-sweep-pipe-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("scene/walk")).expect("a folder");
        let made = std::process::Command::new("mkfifo").arg(dir.join("scene/walk/w_02.obj")).status();
        assert!(made.expect("mkfifo").success());
        let key = |inside: &str, outside: &str| {
            std::fs::write(dir.join("scene/walk/w_01.obj"), inside).expect("a file");
            std::fs::write(dir.join("o_01.obj"), outside).expect("a file");
            let mut hash = Fnv::new();
            add_named_files(&json!(["walk/w_##.obj", "../o_##.obj", "../o_01.obj"]), &dir.join("scene"), &mut hash);
            hash.0
        };
        let (told, done) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(move || told.send([key("v 0 0 0", "a"), key("v 0 0 0", "b"), key("v 0 0 1", "b")]));
            let keys = done.recv_timeout(std::time::Duration::from_secs(20));
            if keys.is_err() {
                // Lets the reader go, so that the test can fail.
                drop(std::fs::File::options().write(true).open(dir.join("scene/walk/w_02.obj")));
            }
            let [first, outside, inside] = keys.expect("an answer, not a wait for a pipe");
            assert_eq!(first, outside);
            assert_ne!(outside, inside);
        });
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
