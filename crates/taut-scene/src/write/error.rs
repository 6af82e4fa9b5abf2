//! What can go wrong while writing, in words a person can act on.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why an output could not be written.
#[derive(Debug)]
pub enum WriteError {
    /// The file system refused.
    Io {
        /// The file or folder in question.
        path: PathBuf,
        /// What was tried, as in "cannot {action} {path}".
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The description of the clip makes no sense: an index out of range, no objects, a bad frame rate…
    Setup {
        /// The object it is about, if it is about one.
        object: Option<String>,
        /// What was found and what was expected.
        message: String,
    },
    /// A frame does not fit the clip: a wrong count, a value that is not finite, a frame out of order.
    Frame {
        /// The index the frame came with.
        frame: usize,
        /// The object it is about, if it is about one.
        object: Option<String>,
        /// What was found and what was expected.
        message: String,
    },
    /// An output of an earlier run cannot be continued.
    Resume {
        /// The file that should have held the earlier frames.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// The format cannot hold this much.
    Limit {
        /// The format's name.
        format: &'static str,
        /// How much there is, how much fits, and what to use instead.
        message: String,
    },
    /// The writer was finished before it saw a frame.
    NoFrames {
        /// The format's name.
        format: &'static str,
    },
}

impl WriteError {
    /// Wraps an input/output error with the path and what was tried on it.
    pub fn io(action: &'static str, path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        let path = path.as_ref().to_path_buf();
        move |source| Self::Io { path, action, source }
    }

    pub(crate) fn setup(object: Option<&str>, message: impl Into<String>) -> Self {
        Self::Setup { object: object.map(str::to_owned), message: message.into() }
    }

    pub(crate) fn frame(frame: usize, object: Option<&str>, message: impl Into<String>) -> Self {
        Self::Frame { frame, object: object.map(str::to_owned), message: message.into() }
    }

    pub(crate) fn resume(path: &Path, message: impl Into<String>) -> Self {
        Self::Resume { path: path.to_path_buf(), message: message.into() }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |object: &Option<String>| object.as_ref().map(|o| format!("object {o:?}: ")).unwrap_or_default();
        match self {
            Self::Io { path, action, source } => write!(f, "cannot {action} {}: {source}", path.display()),
            Self::Setup { object, message } => write!(f, "output: {}{message}", of(object)),
            Self::Frame { frame, object, message } => write!(f, "output, frame {frame}: {}{message}", of(object)),
            Self::Resume { path, message } => write!(f, "cannot continue {}: {message}", path.display()),
            Self::Limit { format, message } => write!(f, "{format}: {message}"),
            Self::NoFrames { format } => write!(f, "{format}: there was no frame to write"),
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
