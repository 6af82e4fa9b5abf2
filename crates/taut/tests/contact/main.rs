//! The layers of contact, each against something slower or exact.

#[path = "../common/mod.rs"]
mod common;

mod broad;
mod ccd;
mod detect;
mod distance;
mod exact;
mod guard;
mod stepped;
