//! How the program ends: 0 done, 1 failed, 2 bad input.

use std::fmt;
use std::process::ExitCode;

/// Why a job did not end well.
#[derive(Debug)]
pub enum Failure {
    /// What the user gave cannot be used; the message says what, where and what would be right.
    BadInput(String),
    /// The work itself failed: a disk is full, a file cannot be written.
    Failed(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Failure::BadInput(message) | Failure::Failed(message)) = self;
        f.write_str(message)
    }
}

/// Prints what went wrong, if anything, and gives the exit code. The one place where errors become codes.
pub fn exit(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(match failure {
                Failure::BadInput(_) => 2,
                Failure::Failed(_) => 1,
            })
        }
    }
}
