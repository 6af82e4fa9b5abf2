//! How far a long job is: a bar on a terminal, a line every few seconds elsewhere.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};
use taut_scene::simulation::Simulation;

/// Tells on standard error how far a job is.
pub struct Progress {
    what: String,
    total: u64,
    /// Where it began: what was done before does not count for the time left.
    first: u64,
    begun: Instant,
    shown: Option<Instant>,
    style: Style,
}

#[derive(Clone, Copy, PartialEq)]
enum Style {
    Silent,
    Bar,
    Lines,
}

impl Progress {
    /// A job of `total` pieces, of which `first` are done.
    pub fn new(what: &str, first: u64, total: u64, quiet: bool) -> Self {
        let style = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Style::Silent,
            (_, true) => Style::Bar,
            _ => Style::Lines,
        };
        Progress { what: what.into(), total, first, begun: Instant::now(), shown: None, style }
    }

    /// Says that `done` pieces are done, with a note, unless it has said so a moment ago.
    pub fn at(&mut self, done: u64, note: impl FnOnce() -> String) {
        let pause = match self.style {
            Style::Silent => return,
            Style::Bar => Duration::from_millis(100),
            Style::Lines => Duration::from_secs(3),
        };
        let since = self.shown.unwrap_or(self.begun).elapsed();
        // The first bar comes at once, the first line only if the job takes long.
        if since < pause && (self.style == Style::Lines || self.shown.is_some()) {
            return;
        }
        self.shown = Some(Instant::now());
        let left = self.left(done).map_or(String::new(), |left| format!(", {} left", duration(left)));
        let (what, total, note) = (&self.what, self.total, note());
        // Nobody to listen is no reason to fail.
        let _ = match self.style {
            Style::Bar => {
                let filled = (24 * done / total.max(1)).min(24) as usize;
                let bar = format!("{}{}", "█".repeat(filled), "░".repeat(24 - filled));
                write!(std::io::stderr(), "\r\x1b[2K{what} {bar} {done}/{total}{left}{note}")
            }
            _ => writeln!(std::io::stderr(), "{what}: {done} of {total}{left}{note}"),
        };
        let _ = std::io::stderr().flush();
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if self.style == Style::Bar && self.shown.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }

    /// Seconds until the end, once there is something to guess from.
    fn left(&self, done: u64) -> Option<f64> {
        let pieces = done.checked_sub(self.first).filter(|&pieces| pieces > 0)?;
        let each = self.begun.elapsed().as_secs_f64() / pieces as f64;
        Some(each * self.total.saturating_sub(done) as f64)
    }
}

/// Computes a simulation's frames up to this one, and says how far it is.
pub fn advance_to(simulation: &mut Simulation, frame: u32, mut progress: Progress) {
    while simulation.frame() < frame {
        simulation.advance();
        progress.at(simulation.frame().into(), String::new);
    }
    progress.finish();
}

/// Seconds for people.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round().max(0.0) as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m} min {s:02} s"),
        (h, m, _) => format!("{h} h {m:02} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        assert_eq!([0.2, 59.6, 3599.0, 7322.0].map(duration), ["0 s", "1 min 00 s", "59 min 59 s", "2 h 02 min"]);
    }

    #[test]
    fn what_was_done_before_does_not_count() {
        let progress = Progress::new("x", 50, 100, true);
        assert_eq!(progress.left(50), None);
        std::thread::sleep(Duration::from_millis(20));
        let left = progress.left(51).unwrap_or(0.0);
        assert!(left > 0.9, "{left}: 49 pieces of 20 ms or more are left");
    }
}
