//! Processes side by side, of which any may die.

use super::Planned;
use crate::fail::Failure;
use std::collections::VecDeque;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How often a run is tried whose process is killed.
const ATTEMPTS: u32 = 3;
/// How long to wait before looking again.
const PAUSE: Duration = Duration::from_millis(5);

struct Busy<'a> {
    planned: &'a Planned,
    attempt: u32,
    child: Child,
}

impl Drop for Busy<'_> {
    /// If the sweep ends early, its processes do, too.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Makes all runs, up to `jobs` at once; tells `done` how many are. One whose process is killed is tried again.
pub fn run_all(
    runs: &[&Planned],
    jobs: usize,
    command: impl Fn(&Planned) -> Result<Command, Failure>,
    mut done: impl FnMut(usize),
) -> Result<(), Failure> {
    let mut waiting: VecDeque<(&Planned, u32)> = runs.iter().map(|run| (*run, 1)).collect();
    let (mut busy, mut finished): (Vec<Busy<'_>>, usize) = (Vec::new(), 0);
    while !waiting.is_empty() || !busy.is_empty() {
        while busy.len() < jobs.max(1)
            && let Some((planned, attempt)) = waiting.pop_front()
        {
            let started = command(planned)?.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
            let child = started.map_err(|error| Failure::Failed(format!("cannot start a process: {error}")))?;
            busy.push(Busy { planned, attempt, child });
        }
        let ended = busy.iter_mut().position(|b| !matches!(b.child.try_wait(), Ok(None)));
        let Some(at) = ended else {
            std::thread::sleep(PAUSE);
            continue;
        };
        let ended = busy.swap_remove(at);
        match outcome(ended)? {
            None => {
                finished += 1;
                done(finished);
            }
            Some(again) => waiting.push_front(again),
        }
    }
    Ok(())
}

/// Nothing if the run is made; the run and its next attempt if its process was killed.
fn outcome(mut ended: Busy<'_>) -> Result<Option<(&Planned, u32)>, Failure> {
    use std::io::Read;
    let status = ended.child.wait().map_err(|error| Failure::Failed(format!("lost a process: {error}")))?;
    if status.success() {
        return Ok(None);
    }
    let mut said = String::new();
    if let Some(pipe) = &mut ended.child.stderr {
        let _ = pipe.take(1 << 16).read_to_string(&mut said);
    }
    let what = format!("run {} ({})", ended.planned.key, ended.planned.sets.join(" "));
    match status.code() {
        None if ended.attempt < ATTEMPTS => Ok(Some((ended.planned, ended.attempt + 1))),
        None => Err(Failure::Failed(format!("{what} was killed {ATTEMPTS} times"))),
        Some(_) => Err(Failure::Failed(format!("{what} failed:\n{}", said.trim_end()))),
    }
}
