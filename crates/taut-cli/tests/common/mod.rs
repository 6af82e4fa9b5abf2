//! Runs the program on small scenes in folders of their own.
#![allow(dead_code)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A sheet of 81 vertices that hangs by one side.
pub const SCENE: &str = r#"
[time]
fps = 60
frames = 40
[solver]
substeps = 4
[[cloth]]
name = "sheet"
generate = { kind = "sheet", nx = 9, ny = 9, centre = [0, 1, 0] }
[[pin]]
body = "sheet"
select = "left"
[output]
formats = ["pc2"]
pictures = { every = 20, size = [160, 120] }
"#;

/// A folder that is gone after the test.
pub struct Place(PathBuf);

impl Place {
    /// A folder with the small scene as `scene.toml`.
    pub fn new(name: &str) -> Place {
        let dir = std::env::temp_dir().join(format!("taut-cli-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("scene.toml"), SCENE).unwrap();
        Place(dir)
    }

    /// The path of something in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// The program with flags, to be run in the folder.
    pub fn command(&self, flags: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taut"));
        command.args(flags).current_dir(&self.0).stdin(Stdio::null());
        command
    }

    /// Runs the program.
    pub fn taut(&self, flags: &[&str]) -> Said {
        Said(self.command(flags).output().unwrap())
    }

    /// Names of what is in a folder of it, sorted.
    pub fn names(&self, dir: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(dir)).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a run of the program said.
pub struct Said(pub Output);

impl Said {
    /// The exit code.
    pub fn code(&self) -> Option<i32> {
        self.0.status.code()
    }

    /// Standard output.
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    /// Standard error.
    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    /// Demands that all went well.
    pub fn good(self) -> Said {
        assert_eq!(self.code(), Some(0), "{}{}", self.out(), self.err());
        self
    }

    /// The one JSON object on standard output.
    pub fn json(&self) -> Value {
        assert_eq!(self.code(), Some(0), "{}", self.err());
        assert_eq!(self.out().lines().count(), 1, "{}", self.out());
        serde_json::from_str(&self.out()).unwrap()
    }

    /// Demands a refusal of bad input that says all of this.
    pub fn refused(&self, parts: &[&str]) {
        assert_eq!(self.code(), Some(2), "{}", self.err());
        for part in parts {
            assert!(self.err().contains(part), "{:?} lacks {part:?}", self.err());
        }
        assert!(!self.err().contains("panicked"), "{}", self.err());
    }
}

/// The pixels of a PNG file, as rows of samples.
pub fn pixels(path: &Path) -> (u32, u32, Vec<u8>) {
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut samples = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut samples).unwrap();
    (info.width, info.height, samples)
}
