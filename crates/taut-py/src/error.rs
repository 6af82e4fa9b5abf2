//! Exceptions, with the text that the program prints.

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(taut, Error, PyValueError, "What taut was given cannot be used. The base of the others.");
create_exception!(taut, BuildError, Error, "A mesh or a material cannot be built. Names the body and the element.");
create_exception!(taut, SceneError, Error, "A scene cannot be used. Names the file, the line, and what would do.");
create_exception!(taut, LimitError, Error, "A strain limiter cannot be made.");
create_exception!(taut, StepError, Error, "A step could not be made, and the state is as it was.");
create_exception!(taut, BusyError, PyRuntimeError, "An object is in use by another thread, or by the step that asks.");
create_exception!(taut, InternalError, PyRuntimeError, "A fault in taut itself. Please report it.");

/// Puts them into the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = m.py();
    m.add("Error", py.get_type::<Error>())?;
    m.add("BuildError", py.get_type::<BuildError>())?;
    m.add("SceneError", py.get_type::<SceneError>())?;
    m.add("LimitError", py.get_type::<LimitError>())?;
    m.add("StepError", py.get_type::<StepError>())?;
    m.add("BusyError", py.get_type::<BusyError>())?;
    m.add("InternalError", py.get_type::<InternalError>())
}

/// Of a builder.
pub fn build(error: taut::BuildError) -> PyErr {
    BuildError::new_err(error.to_string())
}

/// Of a limiter.
pub fn limit(error: taut::limit::LimitError) -> PyErr {
    LimitError::new_err(error.to_string())
}

/// Of a scene.
pub fn scene(error: taut_scene::scene::SceneError) -> PyErr {
    SceneError::new_err(error.to_string())
}

/// An argument that is not what it should be.
pub fn argument(name: &str, found: impl std::fmt::Display, expected: &str) -> PyErr {
    Error::new_err(format!("{name} is {found}; expected {expected}"))
}
