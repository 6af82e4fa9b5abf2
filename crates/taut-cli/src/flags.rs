//! Flags that several jobs share, so that they mean the same everywhere.

use crate::fail::Failure;
use clap::ValueEnum;
use std::num::NonZeroUsize;
use taut_scene::read::{Memory, Options};
use taut_scene::scene::{Scene, settings};
use taut_scene::simulation::Simulation;
use taut_scene::write::{FORMATS, Format, format};

/// What is said, and how.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct Say {
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors, and what --json asks for.
    #[arg(long, short)]
    pub quiet: bool,
}

/// How a scene is read and computed.
#[derive(clap::Args, Clone, Debug)]
pub struct SceneFlags {
    /// Change a value of the scene, such as time.fps=30 or cloth.sheet.density=0.2; repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Compute this many frames, whatever the scene says.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub frames: Option<u32>,
    /// Threads to use; all cores if not given. The results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// Size of numbers, whatever the scene says.
    #[arg(long)]
    pub precision: Option<Precision>,
    #[command(flatten)]
    pub input: InputFlags,
}

/// What files may take that are read.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct InputFlags {
    /// Memory that each file may take to be read, on top of 20 times its size on disk, MB. Beyond 2000 MB a scene may
    /// make as many triangles as it has kilobytes; two million otherwise.
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    memory: u32,
}

impl InputFlags {
    /// For readers.
    pub fn memory(&self) -> Memory {
        Memory(u64::from(self.memory) << 20)
    }

    /// Choices for the reader of a mesh.
    pub fn options(&self) -> Options {
        Options { memory: self.memory(), ..Options::default() }
    }
}

/// Size of numbers.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum Precision {
    /// 32 bits: fast.
    F32,
    /// 64 bits: for study.
    F64,
}

impl SceneFlags {
    /// Reads a scene by path or built-in name.
    pub fn open(&self, which: &str) -> Result<Scene, Failure> {
        let mut scene = Scene::open_within(which, &self.set, self.input.memory())?;
        // Not a change of the scene: a run may be taken up again with more frames.
        if self.frames.is_some() {
            scene.settings.time.frames = self.frames;
        }
        Ok(scene)
    }

    /// The size of numbers: from the flags, or else from the scene.
    pub fn precision(&self, scene: &Scene) -> settings::Precision {
        match self.precision {
            Some(Precision::F32) => settings::Precision::F32,
            Some(Precision::F64) => settings::Precision::F64,
            None => scene.precision(),
        }
    }

    /// How many threads to use.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.threads.map_or_else(cores, usize::from)
    }

    /// Builds a scene.
    pub fn build(&self, scene: &Scene) -> Result<Simulation, Failure> {
        Ok(Simulation::new(scene, self.precision(scene), self.threads())?)
    }
}

/// The name of a scene for files: that of its file without its ending.
pub fn stem(scene: &Scene) -> String {
    taut_scene::write::stem_of(scene.name())
}

/// Prints a line for a person: names that come from files cannot command the terminal.
macro_rules! tell {
    ($($words:tt)*) => {
        println!("{}", taut_scene::scene::harmless(&format!($($words)*)))
    };
}
pub(crate) use tell;

/// File formats by name, each once.
pub fn named_formats<'a>(names: impl Iterator<Item = &'a str>) -> Result<Vec<&'static Format>, Failure> {
    let mut formats: Vec<&'static Format> = Vec::new();
    for name in names.map(str::trim).filter(|name| !name.is_empty()) {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let unknown = || Failure::BadInput(format!("--formats {name}: expected some of {}", known.join(", ")));
        let found = format(name).ok_or_else(unknown)?;
        if !formats.iter().any(|format| format.name == found.name) {
            formats.push(found);
        }
    }
    Ok(formats)
}
