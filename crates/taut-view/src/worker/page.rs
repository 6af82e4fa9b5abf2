//! Sessions in workers of the browser. Both sides run this program: the page draws, the worker computes.
//!
//! The page sends commands with the time they were given at; the worker answers with snapshots, the next one when the
//! last has arrived, so that a slow page has no queue.

use super::{Asked, BUDGET, now};
use crate::session::{Command, Document, Session, Snapshot, Start};
use crate::wire;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::*;

/// From the page to a worker.
#[derive(Serialize, Deserialize)]
enum Message {
    /// The first one.
    Begin(Start),
    /// What is asked, and when, s.
    Do(Command, f64),
    /// The last snapshot has arrived.
    Seen,
}

/// From a worker to the page: that it is there, a snapshot, or why there is none.
#[derive(Serialize, Deserialize)]
enum Answer {
    Ready,
    Snapshot(Vec<u8>),
    Failed(String),
}

fn bytes_of(event: &web_sys::MessageEvent) -> Vec<u8> {
    js_sys::Uint8Array::new(&event.data()).to_vec()
}

/// Bytes that change owners instead of being copied once more.
fn parcel(bytes: &[u8]) -> (js_sys::ArrayBuffer, js_sys::Array) {
    let buffer = js_sys::Uint8Array::from(bytes).buffer();
    let moved = js_sys::Array::of1(&buffer);
    (buffer, moved)
}

/// What has arrived from a worker.
#[derive(Default)]
struct Inbox {
    ready: bool,
    latest: Option<Arc<Snapshot>>,
    failed: Option<String>,
}

/// A worker, from the page's side. Dropping it ends it, whatever it is at.
struct Line {
    worker: web_sys::Worker,
    inbox: Rc<RefCell<Inbox>>,
    asked: Asked,
    begin: Option<Start>,
    _hear: Closure<dyn FnMut(web_sys::MessageEvent)>,
    _fail: Closure<dyn FnMut(web_sys::Event)>,
}

impl Drop for Line {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

/// Called whenever there is something new to show.
type Tell = Rc<RefCell<Box<dyn Fn()>>>;

impl Line {
    fn new(start: Start, tell: &Tell) -> Result<Self, String> {
        let options = web_sys::WorkerOptions::new();
        options.set_type(web_sys::WorkerType::Module);
        let worker = web_sys::Worker::new_with_options("./worker.js", &options)
            .map_err(|error| format!("the browser starts no worker: {error:?}"))?;
        let inbox = Rc::new(RefCell::new(Inbox::default()));
        let (to, told, answers) = (inbox.clone(), tell.clone(), worker.clone());
        let hear = Closure::<dyn FnMut(web_sys::MessageEvent)>::new(move |event: web_sys::MessageEvent| {
            let mut inbox = to.borrow_mut();
            match postcard::from_bytes(&bytes_of(&event)) {
                Ok(Answer::Ready) => inbox.ready = true,
                Ok(Answer::Failed(error)) => inbox.failed = Some(error),
                Ok(Answer::Snapshot(bytes)) => {
                    match wire::unpack(&bytes, inbox.latest.as_deref()) {
                        Ok(snapshot) => inbox.latest = Some(Arc::new(snapshot)),
                        Err(error) => inbox.failed = Some(error),
                    }
                    post(&answers, &Message::Seen);
                }
                Err(error) => inbox.failed = Some(error.to_string()),
            }
            drop(inbox);
            (told.borrow())();
        });
        worker.set_onmessage(Some(hear.as_ref().unchecked_ref()));
        let (to, told) = (inbox.clone(), tell.clone());
        let fail = Closure::<dyn FnMut(web_sys::Event)>::new(move |event: web_sys::Event| {
            let said = event.dyn_ref::<web_sys::ErrorEvent>().map(web_sys::ErrorEvent::message);
            let said = said.unwrap_or_else(|| "worker.js cannot be loaded".into());
            to.borrow_mut().failed = Some(format!("the simulation has stopped: {said}"));
            (told.borrow())();
        });
        worker.set_onerror(Some(fail.as_ref().unchecked_ref()));
        Ok(Line { worker, inbox, asked: Asked::default(), begin: Some(start), _hear: hear, _fail: fail })
    }

    /// Sends the first message when the worker is there.
    fn greet(&mut self) {
        if self.inbox.borrow().ready
            && let Some(start) = self.begin.take()
        {
            post(&self.worker, &Message::Begin(start));
        }
    }

    fn latest(&self) -> Option<Arc<Snapshot>> {
        self.inbox.borrow().latest.clone()
    }

    fn failed(&self) -> Option<String> {
        self.inbox.borrow_mut().failed.take()
    }
}

fn post(worker: &web_sys::Worker, message: &Message) {
    if let Ok(bytes) = postcard::to_stdvec(message) {
        let (buffer, moved) = parcel(&bytes);
        // A worker that ended has said why.
        let _ = worker.post_message_with_transfer(&buffer, &moved);
    }
}

/// A session in a worker, and perhaps one that is being opened.
pub struct Worker {
    line: Line,
    shown: Arc<Snapshot>,
    opening: Option<Line>,
    sessions: u64,
    tell: Tell,
}

impl Worker {
    /// Opens a scene, and is there when its first picture can be drawn.
    pub async fn new(start: Start) -> Result<Self, String> {
        let tell: Tell = Rc::new(RefCell::new(Box::new(|| ())));
        let mut line = Line::new(start, &tell)?;
        loop {
            line.greet();
            if let Some(error) = line.failed() {
                return Err(error);
            }
            if let Some(shown) = line.latest() {
                return Ok(Worker { line, shown, opening: None, sessions: 0, tell });
            }
            let wake = js_sys::Promise::new(&mut |done, _| {
                *tell.borrow_mut() = Box::new(move || drop(done.call0(&JsValue::NULL)));
            });
            let _ = wasm_bindgen_futures::JsFuture::from(wake).await;
        }
    }

    /// Says what is called whenever there is something new to show.
    pub fn tell(&mut self, tell: impl Fn() + 'static) {
        *self.tell.borrow_mut() = Box::new(tell);
    }

    /// Asks for something.
    pub fn send(&mut self, command: Command) {
        self.line.asked.note(&command);
        post(&self.line.worker, &Message::Do(command, now()));
    }

    /// Opens another scene, which is shown as soon as it is there.
    pub fn open(&mut self, document: Document, shown: &Snapshot) {
        self.sessions += 1;
        let number = self.sessions;
        let start = Start { document, threads: 1, number, playing: true, endless: shown.endless, heat: shown.heat };
        match Line::new(start, &self.tell) {
            Ok(line) => self.opening = Some(line),
            Err(error) => self.line.inbox.borrow_mut().failed = Some(error),
        }
    }

    /// Whether a scene is being opened.
    pub fn opening(&self) -> bool {
        self.opening.is_some()
    }

    /// The session as it was last; or why one could not be opened.
    pub fn latest(&mut self) -> (Arc<Snapshot>, Option<String>) {
        let mut trouble = self.line.failed();
        if let Some(opening) = &mut self.opening {
            opening.greet();
            let failed = opening.failed();
            if failed.is_some() {
                (trouble, self.opening) = (failed, None);
            } else if opening.latest().is_some()
                && let Some(line) = self.opening.take()
            {
                self.line = line;
            }
        }
        if let Some(latest) = self.line.latest() {
            self.shown = latest;
        }
        (self.shown.clone(), trouble)
    }

    /// Whether time goes on, as it was asked last.
    pub fn playing(&self, snapshot: &Snapshot) -> bool {
        self.line.asked.playing(snapshot)
    }
}

/// The worker's side.
#[derive(Default)]
struct Desk {
    session: Option<Session>,
    /// What the page has.
    sent: Option<Snapshot>,
    /// Whether the page has yet to see it.
    waits: bool,
    /// Whether there is something newer.
    stale: bool,
    timer: Option<i32>,
    tick: Option<Closure<dyn FnMut()>>,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

fn scope() -> web_sys::DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn answer(answer: &Answer) {
    if let Ok(bytes) = postcard::to_stdvec(answer) {
        let (buffer, moved) = parcel(&bytes);
        // A page that is gone needs no answer.
        let _ = scope().post_message_with_transfer(&buffer, &moved);
    }
}

/// Serves a page, in a worker: called once by `worker.js`.
#[wasm_bindgen]
pub fn serve() {
    let hear = Closure::<dyn FnMut(web_sys::MessageEvent)>::new(|event: web_sys::MessageEvent| {
        DESK.with(|desk| desk.borrow_mut().hear(&bytes_of(&event)));
    });
    scope().set_onmessage(Some(hear.as_ref().unchecked_ref()));
    // It lasts as long as the worker.
    hear.forget();
    let tick = Closure::<dyn FnMut()>::new(|| DESK.with(|desk| desk.borrow_mut().tick()));
    DESK.with(|desk| desk.borrow_mut().tick = Some(tick));
    answer(&Answer::Ready);
}

impl Desk {
    fn hear(&mut self, bytes: &[u8]) {
        match postcard::from_bytes(bytes) {
            Ok(Message::Begin(start)) => match Session::begin(start) {
                Ok(session) => (self.session, self.stale) = (Some(session), true),
                Err(error) => answer(&Answer::Failed(error)),
            },
            Ok(Message::Do(command, asked)) => {
                if let Some(session) = &mut self.session {
                    session.hear(command, asked);
                    self.stale = true;
                }
            }
            Ok(Message::Seen) => self.waits = false,
            Err(error) => answer(&Answer::Failed(error.to_string())),
        }
        self.wind(0.0);
    }

    /// Shows what was done, and works on. Messages that came meanwhile have been heard before.
    fn tick(&mut self) {
        self.timer = None;
        self.show();
        let Some(session) = &mut self.session else { return };
        self.stale |= session.run(now(), BUDGET, &now);
        match session.due() {
            _ if self.stale && !self.waits => self.wind(0.0),
            Some(due) => self.wind((due - now()).clamp(0.0, 1.0)),
            None => {}
        }
    }

    /// Sends what is newer, once the page has seen the last.
    fn show(&mut self) {
        let Some(session) = &self.session else { return };
        if !self.stale || self.waits {
            return;
        }
        let next = session.snapshot(self.sent.as_ref());
        match wire::pack(&next, self.sent.as_ref()) {
            Ok(bytes) => answer(&Answer::Snapshot(bytes)),
            Err(error) => return answer(&Answer::Failed(error)),
        }
        (self.sent, self.waits, self.stale) = (Some(next), true, false);
    }

    /// Asks for a [`tick`](Self::tick), s from now.
    fn wind(&mut self, seconds: f64) {
        let Some(tick) = &self.tick else { return };
        let function = tick.as_ref().unchecked_ref();
        let milliseconds = (1e3 * seconds).ceil() as i32;
        if let Some(timer) = self.timer.take() {
            scope().clear_timeout_with_handle(timer);
        }
        self.timer = scope().set_timeout_with_callback_and_timeout_and_arguments_0(function, milliseconds).ok();
    }
}
