//! The engine in Python: `import taut`.
//!
//! What is here is the extension module `taut._taut`: classes and functions that hold or touch Rust memory. All that
//! can be Python is Python, in `python/taut/`. Three rules keep it from ever taking the interpreter down:
//!
//! - **Locks never wait.** Every class is frozen, and what changes is behind a mutex that is only ever *tried*: who
//!   finds an object in use by another thread, or by the step that called a constraint of theirs, gets a `BusyError`.
//!   Waiting could stop for ever, because a step may need the interpreter's lock while its object is held.
//! - **The interpreter's lock is released** around everything that takes long ([`guard::work`]), and a panic in there
//!   becomes an `InternalError`.
//! - **Arrays are checked** ([`arrays`]): kind of number, shape, range of indices; an error names the argument.

mod arrays;
mod collider;
mod constraint;
mod contacts;
mod error;
mod guard;
mod limit;
mod model;
mod multipliers;
mod params;
mod report;
mod scene;
mod state;
mod studio;

use pyo3::prelude::*;

/// Classes and functions of `taut` that hold or touch Rust memory.
#[pymodule]
fn _taut(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    error::register(m)?;
    m.add_class::<model::ModelBuilder>()?;
    m.add_class::<model::Model>()?;
    m.add_class::<state::State>()?;
    m.add_class::<params::Params>()?;
    m.add_class::<collider::Collider>()?;
    m.add_class::<report::StepReport>()?;
    m.add_class::<report::LimitReport>()?;
    m.add_class::<limit::Limiter>()?;
    m.add_class::<constraint::CFunction>()?;
    m.add_class::<scene::Scene>()?;
    m.add_class::<scene::Simulation>()?;
    m.add_function(wrap_pyfunction!(state::step, m)?)?;
    m.add_function(wrap_pyfunction!(model::fabrics, m)?)?;
    m.add_function(wrap_pyfunction!(constraint::gradient_error, m)?)?;
    m.add_function(wrap_pyfunction!(scene::builtin_scenes, m)?)?;
    m.add_function(wrap_pyfunction!(scene::scene_schema, m)?)?;
    studio::register(m)
}
