//! One run at a time in a folder: two would write over each other's frames.
//!
//! The lock belongs to the process, and the system lets go of it when the process ends, however it ends: there is
//! nothing to clean up after a kill. The file itself stays, because removing it would let a third run lock a new one
//! while a second still waits for the old.

use crate::fail::Failure;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

const NAME: &str = ".taut.lock";

/// A folder that no other run may write to as long as this lives.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the folder, or says who has it.
    pub fn take(dir: &Path) -> Result<Lock, Failure> {
        let path = dir.join(NAME);
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(Failure::io("write", &path))?;
        match file.try_lock() {
            Ok(()) => note_owner(&mut file),
            Err(TryLockError::WouldBlock) => return Err(busy(dir, &mut file)),
            // Some network folders know no locks. A run without a guard is better than none.
            Err(TryLockError::Error(_)) => {}
        }
        Ok(Lock { _file: file })
    }
}

/// Leaves the process number for the message of others; nothing depends on it.
fn note_owner(file: &mut File) {
    let _ = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
}

fn busy(dir: &Path, file: &mut File) -> Failure {
    let mut owner = String::new();
    // Where locks also keep readers out, the message does without.
    let known = file.take(20).read_to_string(&mut owner).is_ok() && owner.parse::<u32>().is_ok();
    let who = if known { format!("another run (process {owner})") } else { "another run".into() };
    let dir = dir.display();
    let help = "wait until it is over, or choose another folder with --out";
    Failure::BadInput(format!("{dir} is taken: {who} is writing to it\n  = {help}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_free_again_when_its_lock_is_gone() {
        let dir = std::env::temp_dir().join(format!("taut-lock-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        // What a killed run leaves: a name in the file, and no lock.
        std::fs::write(dir.join(NAME), "4194304999").unwrap();
        let lock = Lock::take(&dir).unwrap_or_else(|error| panic!("{error}"));
        let Err(error) = Lock::take(&dir) else { panic!("taken twice") };
        #[cfg(unix)]
        assert!(error.to_string().contains(&format!("(process {})", std::process::id())), "{error}");
        assert!(error.to_string().contains("is writing to it"), "{error}");
        drop(lock);
        assert!(Lock::take(&dir).is_ok());
        std::fs::remove_dir_all(dir).unwrap();
    }
}
