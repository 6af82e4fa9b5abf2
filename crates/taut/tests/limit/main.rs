//! Strain limiters on bare arrays.

#[path = "../common/mod.rs"]
mod common;

mod apsl;
mod bad_state;
mod element;
mod fixed;
mod locking;
mod sheet;
mod tools;
