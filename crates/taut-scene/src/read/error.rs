//! What a reader says when a file cannot be read.

use std::fmt;
use std::path::Path;

/// Where in a file something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line of a text file, counted from 1.
    Line(u64),
    /// A byte of a binary file, counted from 0; of the decompressed bytes if the file was compressed.
    Byte(u64),
    /// A named part, such as `accessors[3]` in glTF.
    Item(String),
}

/// A file that cannot be read: which one, where in it, what was found and what was expected.
///
/// ```
/// use taut_scene::read::{Options, Source, read_bytes};
/// let bytes = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n";
/// let error = read_bytes(&Source::new("sheet.obj", bytes), &Options::default()).unwrap_err();
/// assert_eq!(error.to_string(), "sheet.obj:4: face refers to vertex 9, but the file has 3 vertices");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The file's name, as the caller gave it or as another file referred to it.
    pub file: String,
    /// Where in the file.
    pub place: Place,
    /// What was found and what was expected, one sentence without a full stop.
    pub message: String,
}

/// What readers return.
pub type Result<T> = std::result::Result<T, ReadError>;

impl ReadError {
    /// An error about a file as a whole.
    pub fn file(file: &str, message: impl Into<String>) -> Self {
        Self { file: file.into(), place: Place::File, message: message.into() }
    }

    /// The same error, with the file at a path called as people call it. Of a file that it refers to, the name stays.
    pub(crate) fn calling(mut self, path: &Path, name: &str) -> Self {
        if self.file == path.to_string_lossy() {
            name.clone_into(&mut self.file);
        }
        self
    }

    pub(crate) fn line(file: &str, line: u64, message: impl Into<String>) -> Self {
        Self { file: file.into(), place: Place::Line(line), message: message.into() }
    }

    pub(crate) fn byte(file: &str, at: usize, message: impl Into<String>) -> Self {
        Self { file: file.into(), place: Place::Byte(at as u64), message: message.into() }
    }

    pub(crate) fn item(file: &str, item: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: file.into(), place: Place::Item(item.into()), message: message.into() }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::File => write!(f, "{}: {}", self.file, self.message),
            Place::Line(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            Place::Byte(at) => write!(f, "{}: byte {at}: {}", self.file, self.message),
            Place::Item(item) => write!(f, "{}: {item}: {}", self.file, self.message),
        }
    }
}

impl std::error::Error for ReadError {}

/// A piece of a file as it may be shown to a person: short, printable, in quotes.
pub(crate) fn quote(found: &[u8]) -> String {
    const SHOWN: usize = 40;
    let text = String::from_utf8_lossy(&found[..found.len().min(4 * SHOWN)]);
    let mut shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}

/// `1 face`, `2 faces`.
pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
