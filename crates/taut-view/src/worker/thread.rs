//! Sessions on threads.

use super::{Asked, BUDGET, now};
use crate::session::{Command, Document, Session, Snapshot, Start};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Called whenever there is something new to show.
type Tell = Arc<dyn Fn() + Send + Sync>;

/// What is asked, and when, s.
type Message = (Command, f64);

/// A session on its thread.
struct Line {
    messages: Sender<Message>,
    latest: Arc<Mutex<Arc<Snapshot>>>,
    asked: Asked,
}

impl Line {
    fn new(session: Session, tell: Tell) -> Result<Self, String> {
        let latest = Arc::new(Mutex::new(Arc::new(session.snapshot(None))));
        let (messages, inbox) = mpsc::channel();
        let shown = latest.clone();
        let work = move || work(session, &inbox, &shown, &tell);
        std::thread::Builder::new().name("session".into()).spawn(work).map_err(|error| error.to_string())?;
        Ok(Line { messages, latest, asked: Asked::default() })
    }
}

/// A session on a thread of its own, and perhaps one that is being opened.
pub struct Worker {
    line: Line,
    opening: Option<Receiver<Result<Line, String>>>,
    threads: usize,
    sessions: u64,
    tell: Tell,
}

impl Worker {
    /// Opens a scene. `tell` is called whenever there is something new to show.
    pub fn new(start: Start, tell: impl Fn() + Send + Sync + 'static) -> Result<Self, String> {
        let tell: Tell = Arc::new(tell);
        let threads = start.threads;
        let line = Line::new(Session::begin(start)?, tell.clone())?;
        Ok(Worker { line, opening: None, threads, sessions: 0, tell })
    }

    /// Asks for something.
    pub fn send(&mut self, command: Command) {
        self.line.asked.note(&command);
        // A session that ended has said why.
        let _ = self.line.messages.send((command, now()));
    }

    /// Opens another scene, which is shown as soon as it is there.
    pub fn open(&mut self, document: Document, shown: &Snapshot) {
        self.sessions += 1;
        let (threads, number) = (self.threads, self.sessions);
        let start = Start { document, threads, number, playing: true, endless: shown.endless, heat: shown.heat };
        let (answer, wait) = mpsc::channel();
        let tell = self.tell.clone();
        let work = move || {
            let line = Session::begin(start).and_then(|session| Line::new(session, tell.clone()));
            // Nobody may be waiting any more.
            let _ = answer.send(line);
            tell();
        };
        if let Err(error) = std::thread::Builder::new().name("opening".into()).spawn(work) {
            let (answer, failed) = mpsc::channel();
            let _ = answer.send(Err(error.to_string()));
            self.opening = Some(failed);
            return;
        }
        self.opening = Some(wait);
    }

    /// Whether a scene is being opened.
    pub fn opening(&self) -> bool {
        self.opening.is_some()
    }

    /// The session as it was last; or why one could not be opened.
    pub fn latest(&mut self) -> (Arc<Snapshot>, Option<String>) {
        let mut trouble = None;
        if let Some(opening) = &self.opening {
            match opening.try_recv() {
                Err(TryRecvError::Empty) => {}
                Ok(Ok(line)) => (self.line, self.opening) = (line, None),
                Ok(Err(error)) => (trouble, self.opening) = (Some(error), None),
                Err(TryRecvError::Disconnected) => {
                    (trouble, self.opening) = (Some("the scene could not be opened".into()), None);
                }
            }
        }
        (self.line.latest.lock().unwrap_or_else(PoisonError::into_inner).clone(), trouble)
    }

    /// Whether time goes on, as it was asked last.
    pub fn playing(&self, snapshot: &Snapshot) -> bool {
        self.line.asked.playing(snapshot)
    }
}

fn work(mut session: Session, inbox: &Receiver<Message>, shown: &Mutex<Arc<Snapshot>>, tell: &Tell) {
    let mut last: Option<Arc<Snapshot>> = None;
    loop {
        let first = match session.due() {
            None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(due) => inbox.recv_timeout(Duration::from_secs_f64((due - now()).clamp(0.0, 1.0))),
        };
        let mut changed = first.is_ok();
        match first {
            Ok((command, asked)) => session.hear(command, asked),
            Err(RecvTimeoutError::Timeout) => {}
            // The window shows another session.
            Err(RecvTimeoutError::Disconnected) => return,
        }
        inbox.try_iter().for_each(|(command, asked)| session.hear(command, asked));
        changed |= session.run(now(), BUDGET, &now);
        // Who said stop meanwhile does not see what was done meanwhile.
        for (command, asked) in inbox.try_iter() {
            session.hear(command, asked);
            changed = true;
        }
        if changed {
            let next = Arc::new(session.snapshot(last.as_deref()));
            *shown.lock().unwrap_or_else(PoisonError::into_inner) = next.clone();
            last = Some(next);
            tell();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    /// Frames of this one take far longer than a window may wait.
    const SLOW: &str = "
[time]
fps = 24
frames = 40
[solver]
kind = \"pbd\"
substeps = 400
[[cloth]]
name = \"sheet\"
generate = { kind = \"sheet\", nx = 60, ny = 60 }
[[pin]]
body = \"sheet\"
select = { group = \"top\" }
";

    fn document(text: &str) -> Document {
        Document { name: "slow.toml".into(), text: text.into(), ..Document::default() }
    }

    fn until(worker: &mut Worker, holds: impl Fn(&Snapshot) -> bool) -> Arc<Snapshot> {
        let begun = Instant::now();
        loop {
            let (snapshot, _) = worker.latest();
            if holds(&snapshot) {
                return snapshot;
            }
            assert!(begun.elapsed() < Duration::from_secs(300), "it does not come to that: frame {}", snapshot.frame);
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn stop_means_stop_and_nothing_waits_for_a_frame() {
        let start = Start { document: document(SLOW), threads: 1, playing: true, ..Start::default() };
        let mut worker = Worker::new(start, || ()).unwrap();
        let seen = until(&mut worker, |snapshot| snapshot.frame >= 1);
        // The next frame is under way.
        std::thread::sleep(Duration::from_millis(20));
        let (shown, _) = worker.latest();
        worker.send(Command::Play(false));
        assert!(!worker.playing(&shown), "the window knows at once");
        let heard = until(&mut worker, |snapshot| snapshot.heard >= 1);
        assert!(!heard.playing);
        assert_eq!((heard.frame, &heard.sides[0].positions), (shown.frame, &shown.sides[0].positions));
        assert!(heard.frame >= seen.frame && heard.sides[0].history.samples().len() as u32 == heard.frame + 1);
        // What it goes on with are the bits of a run that was never stopped.
        worker.send(Command::Play(true));
        let on = until(&mut worker, |snapshot| snapshot.frame >= shown.frame + 2);
        let mut straight = Session::new(document(SLOW), 1).unwrap();
        (0..on.frame).for_each(|_| straight.apply(Command::Step));
        assert_eq!(on.sides[0].positions, straight.snapshot(None).sides[0].positions);
    }

    #[test]
    fn another_scene_is_there_before_a_slow_frame_ends_and_a_bad_one_changes_nothing() {
        let start = Start { document: document(SLOW), threads: 1, playing: true, ..Start::default() };
        let mut worker = Worker::new(start, || ()).unwrap();
        let shown = until(&mut worker, |snapshot| snapshot.frame >= 1);
        worker.open(document("[[cloth]]\nname = 3\n"), &shown);
        let trouble = loop {
            if let (_, Some(trouble)) = worker.latest() {
                break trouble;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        assert!(trouble.contains("name"), "{trouble}");
        assert_eq!(worker.latest().0.version.0, 0, "what was there goes on");
        let quick = SLOW.replace("substeps = 400", "substeps = 2").replace("60", "5");
        worker.open(document(&quick), &shown);
        let next = until(&mut worker, |snapshot| snapshot.version.0 == 2);
        assert_eq!(next.sides[0].positions[0].len(), 25);
        until(&mut worker, |snapshot| snapshot.version.0 == 2 && snapshot.frame >= 2);
    }
}
