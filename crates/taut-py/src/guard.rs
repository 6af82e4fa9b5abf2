//! Locks that never wait, and work without the interpreter's lock.

use crate::error::{BusyError, InternalError};
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// What is behind a mutex, if nobody else has it. A panic before leaves it usable: every change of the engine's is of
/// whole numbers in place, and a state after one is as good as any.
pub fn hold<'a, A>(what: &str, of: &'a Mutex<A>) -> PyResult<MutexGuard<'a, A>> {
    match of.try_lock() {
        Ok(guard) => Ok(guard),
        Err(TryLockError::Poisoned(guard)) => Ok(guard.into_inner()),
        Err(TryLockError::WouldBlock) => Err(BusyError::new_err(format!(
            "the {what} is in use by another thread, or by the step that is under way; wait for it, or make a copy"
        ))),
    }
}

/// Does `f` without the interpreter's lock, so that other threads of Python go on.
pub fn work<A: Send>(py: Python<'_>, f: impl FnOnce() -> A + Send) -> PyResult<A> {
    py.detach(|| caught(f))
}

/// Does `f`; a panic becomes an `InternalError`.
pub fn caught<A>(f: impl FnOnce() -> A) -> PyResult<A> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|panic| InternalError::new_err(said(panic.as_ref())))
}

/// What a panic said.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    format!("taut has a fault: {text}")
}
