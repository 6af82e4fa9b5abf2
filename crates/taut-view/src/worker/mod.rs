//! Where a session runs: on a thread of its own, or in a browser's worker. The window never waits for it.
//!
//! Another scene is opened beside the one that is shown, which goes on until the new one is there, or for good if that
//! cannot be opened.

#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(not(target_arch = "wasm32"))]
mod thread;

#[cfg(target_arch = "wasm32")]
pub use page::Worker;
#[cfg(not(target_arch = "wasm32"))]
pub use thread::Worker;

use crate::session::{Command, Snapshot};

/// Seconds on a clock.
#[cfg(not(target_arch = "wasm32"))]
pub fn now() -> f64 {
    use std::sync::OnceLock;
    static START: OnceLock<std::time::Instant> = OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}

/// Seconds on a clock that pages and their workers share.
#[cfg(target_arch = "wasm32")]
pub fn now() -> f64 {
    1e-3 * js_sys::Date::now()
}

/// Longest that a session works without a look at what is asked, s.
const BUDGET: f64 = 0.03;

/// What was asked of a session, as far as the window has to know before it is heard.
#[derive(Default)]
struct Asked {
    sent: u64,
    /// Whether time is to go on, and which command said so.
    play: Option<(u64, bool)>,
}

impl Asked {
    fn note(&mut self, command: &Command) {
        self.sent += 1;
        if let Command::Play(playing) = command {
            self.play = Some((self.sent, *playing));
        }
    }

    /// Whether time goes on: as it was asked last, until the session has heard it.
    fn playing(&self, snapshot: &Snapshot) -> bool {
        match self.play {
            Some((number, playing)) if number > snapshot.heard => playing,
            _ => snapshot.playing,
        }
    }
}
