//! How the program ends: 0 done, 1 failed, 2 bad input.

use std::fmt;
use std::process::ExitCode;
use taut_scene::read::ReadError;
use taut_scene::scene::SceneError;
use taut_scene::write::WriteError;

/// Why a job did not end well.
#[derive(Debug)]
pub enum Failure {
    /// What the user gave cannot be used; the message says what, where and what would be right.
    BadInput(String),
    /// A scene that cannot be used. Its message has a heading for every problem.
    Scene(Box<SceneError>),
    /// The work itself failed: a disk is full, a file cannot be written.
    Failed(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::BadInput(message) | Failure::Failed(message) => write!(f, "error: {message}"),
            Failure::Scene(error) => error.fmt(f),
        }
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Failure::Scene(Box::new(error))
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Failure::BadInput(error.to_string())
    }
}

impl From<WriteError> for Failure {
    /// What a format cannot hold, or an earlier output that does not fit, is for the user to change.
    fn from(error: WriteError) -> Self {
        let message = error.to_string();
        match error {
            WriteError::Limit { .. } | WriteError::Resume { .. } | WriteError::Setup { .. } => {
                Failure::BadInput(message)
            }
            _ => Failure::Failed(message),
        }
    }
}

impl Failure {
    /// The file system refused: what was tried, on what.
    pub fn io(action: &str, path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Failure {
        let place = format!("cannot {action} {}", path.display());
        move |error| Failure::Failed(format!("{place}: {error}"))
    }
}

/// Prints what went wrong, if anything, and gives the exit code. The one place where errors become codes.
pub fn exit(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{}", taut_scene::scene::harmless(&failure.to_string()));
            ExitCode::from(match failure {
                Failure::BadInput(_) | Failure::Scene(_) => 2,
                Failure::Failed(_) => 1,
            })
        }
    }
}

/// Does a job such that a panic in it becomes an error of one line, without a backtrace.
pub fn contain(job: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    use std::sync::Mutex;
    static SAID: Mutex<String> = Mutex::new(String::new());
    std::panic::set_hook(Box::new(|info| {
        // Of several threads, the first says why.
        if let Ok(mut said) = SAID.lock()
            && said.is_empty()
        {
            *said = info.to_string().replace('\n', " ");
        }
    }));
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(job)).unwrap_or_else(|_| {
        let said = SAID.lock().map(|said| said.clone()).unwrap_or_default();
        // The reader of a pipe has seen enough, as `head` does.
        if said.contains("failed printing to stdout") && said.contains("Broken pipe") {
            return Ok(());
        }
        Err(Failure::Failed(format!("taut has a defect, please report it: {said}")))
    })
}
