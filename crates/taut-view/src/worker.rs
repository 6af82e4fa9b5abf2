//! Where a session runs: on a thread of its own, or between two pictures where there are no threads.

use crate::session::{Command, Document, Session, Snapshot};
use std::sync::Arc;

/// Seconds on a clock that only goes forward.
pub fn now() -> f64 {
    use std::sync::OnceLock;
    static START: OnceLock<web_time::Instant> = OnceLock::new();
    START.get_or_init(web_time::Instant::now).elapsed().as_secs_f64()
}

#[cfg(not(target_arch = "wasm32"))]
mod imp {
    use super::*;
    use std::sync::Mutex;
    use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
    use std::time::Duration;

    enum Message {
        Do(Command),
        Written(Sender<Result<String, String>>),
    }

    /// A session on a thread of its own, so that no scene makes the window wait.
    pub struct Worker {
        messages: Sender<Message>,
        latest: Arc<Mutex<Arc<Snapshot>>>,
    }

    impl Worker {
        /// Opens a scene. `tell` is called whenever there is something new to show.
        pub fn new(document: Document, threads: usize, tell: impl Fn() + Send + 'static) -> Result<Self, String> {
            let session = Session::new(document, threads)?;
            let latest = Arc::new(Mutex::new(Arc::new(session.snapshot(None))));
            let (messages, inbox) = mpsc::channel();
            let shown = latest.clone();
            let work = move || work(session, &inbox, &shown, &tell);
            std::thread::Builder::new().name("session".into()).spawn(work).map_err(|error| error.to_string())?;
            Ok(Worker { messages, latest })
        }

        /// Asks for something.
        pub fn send(&mut self, command: Command) {
            // A session that ended has said why.
            let _ = self.messages.send(Message::Do(command));
        }

        /// The session as it was last.
        pub fn latest(&mut self) -> Arc<Snapshot> {
            self.latest.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
        }

        /// The scene file of all that was done.
        pub fn written(&mut self) -> Result<String, String> {
            let (answer, wait) = mpsc::channel();
            let _ = self.messages.send(Message::Written(answer));
            wait.recv_timeout(Duration::from_secs(10)).map_err(|_| "the simulation does not answer".to_owned())?
        }
    }

    /// Longest without a look at what is asked, s.
    const BUDGET: f64 = 0.03;

    fn work(mut session: Session, inbox: &Receiver<Message>, shown: &Mutex<Arc<Snapshot>>, tell: &impl Fn()) {
        let mut last: Option<Arc<Snapshot>> = None;
        loop {
            let first = match session.due() {
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => inbox.recv_timeout(Duration::from_secs_f64((due - now()).clamp(0.0, 1.0))),
            };
            let mut changed = first.is_ok();
            match first {
                Ok(message) => answer(&mut session, message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            inbox.try_iter().for_each(|message| answer(&mut session, message));
            changed |= session.run(now(), BUDGET, &now);
            if changed {
                let next = Arc::new(session.snapshot(last.as_deref()));
                *shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = next.clone();
                last = Some(next);
                tell();
            }
        }
    }

    fn answer(session: &mut Session, message: Message) {
        match message {
            Message::Do(command) => session.apply(command),
            // Nobody may be waiting any more.
            Message::Written(to) => drop(to.send(session.written())),
        }
    }
}

#[cfg(target_arch = "wasm32")]
mod imp {
    use super::*;

    /// A session that goes on a little whenever it is looked at.
    pub struct Worker {
        session: Session,
        latest: Arc<Snapshot>,
    }

    /// What is left of a sixtieth of a second when a picture has been drawn, s.
    const BUDGET: f64 = 0.008;

    impl Worker {
        /// Opens a scene.
        pub fn new(document: Document, threads: usize, _: impl Fn() + 'static) -> Result<Self, String> {
            let session = Session::new(document, threads)?;
            let latest = Arc::new(session.snapshot(None));
            Ok(Worker { session, latest })
        }

        /// Asks for something.
        pub fn send(&mut self, command: Command) {
            self.session.apply(command);
        }

        /// Lets the session go on, and gives what it then is.
        pub fn latest(&mut self) -> Arc<Snapshot> {
            self.session.run(now(), BUDGET, &now);
            if self.session.version() != self.latest.version {
                self.latest = Arc::new(self.session.snapshot(Some(&self.latest)));
            }
            self.latest.clone()
        }

        /// The scene file of all that was done.
        pub fn written(&mut self) -> Result<String, String> {
            self.session.written()
        }
    }
}

pub use imp::Worker;
