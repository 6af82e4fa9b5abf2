//! Ctrl-C, and a system that wants the run to end: it stops after the frame it is at, or within a frame that takes
//! long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How long a stop waits for the frame that is under way. Frames that take longer are followed by a checkpoint each, so
/// that what a stop takes back is this frame and nothing else.
pub const PATIENCE: Duration = Duration::from_millis(600);

/// Whether someone wants the run to stop, and what it is at.
#[derive(Default)]
pub struct Stop {
    wanted: AtomicBool,
    /// The frame under way; 0 while none is: files are written, or pictures drawn.
    frame: AtomicU32,
    /// What is said when a frame is given up, after its number.
    farewell: String,
}

impl Stop {
    /// Listens from now on. A second wish to stop does not wait for anything.
    pub fn listen(farewell: String) -> Arc<Stop> {
        let stop = Arc::new(Stop { farewell, ..Stop::default() });
        let heard = stop.clone();
        // Without a handler Ctrl-C still ends the run, and --resume still goes on from its last checkpoint.
        let _ = ctrlc::set_handler(move || {
            if heard.wanted.swap(true, Ordering::SeqCst) {
                std::process::exit(1);
            }
            eprintln!("\nstopping; once more to stop at once");
            heard.give_up_frame();
        });
        stop
    }

    /// Whether to stop.
    pub fn wanted(&self) -> bool {
        self.wanted.load(Ordering::SeqCst)
    }

    /// Computes a frame, which a stop does not wait for if it takes long.
    pub fn within<T>(&self, frame: u32, compute: impl FnOnce() -> T) -> T {
        self.frame.store(frame, Ordering::SeqCst);
        let computed = compute();
        self.frame.store(0, Ordering::SeqCst);
        computed
    }

    /// Ends the program if the frame that is under way stays so. What is on the disk then is what a kill would leave,
    /// which `--resume` goes on from.
    fn give_up_frame(&self) {
        let (heard, under_way) = (Instant::now(), self.frame.load(Ordering::SeqCst));
        while heard.elapsed() < PATIENCE {
            if self.frame.load(Ordering::SeqCst) != under_way {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        if under_way != 0 {
            eprintln!("error: stopped within frame {under_way}{}", self.farewell);
            std::process::exit(1);
        }
    }
}
