//! What touches what, as arrays.

use crate::arrays;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use taut::measure::{Touch, Toucher};

/// No body, no collider, no vertex.
const NONE: i64 = -1;

/// Arrays of contacts, with colliders by their numbers in the list of Python's, of simple ones and of meshes.
pub fn arrays<'py>(py: Python<'py>, found: &[Touch], [simple, meshes]: &[Vec<i64>; 2]) -> PyResult<Bound<'py, PyDict>> {
    let body = |t: Toucher| if let Toucher::Body(number) = t { i64::from(number) } else { NONE };
    let collider = |t: Toucher| match t {
        Toucher::Collider(number) => simple.get(number as usize).copied().unwrap_or(NONE),
        Toucher::Mesh(number) => meshes.get(number as usize).copied().unwrap_or(NONE),
        _ => NONE,
    };
    let vertex = |v: Option<u32>| v.map_or(NONE, i64::from);
    let dict = PyDict::new(py);
    dict.set_item("bodies", arrays::give(py, found.iter().map(|t| t.between.map(body)).collect())?)?;
    dict.set_item("colliders", arrays::give(py, found.iter().map(|t| t.between.map(collider)).collect())?)?;
    dict.set_item("vertices", arrays::give(py, found.iter().map(|t| t.vertices.map(vertex)).collect())?)?;
    dict.set_item("weights", arrays::give(py, found.iter().map(|t| t.weights).collect())?)?;
    dict.set_item("positions", arrays::give(py, found.iter().map(|t| t.at).collect())?)?;
    dict.set_item("normals", arrays::give(py, found.iter().map(|t| t.normal).collect())?)?;
    dict.set_item("distances", arrays::give_list(py, found.iter().map(|t| t.distance).collect()))?;
    dict.set_item("kept", arrays::give_list(py, found.iter().map(|t| t.kept).collect()))?;
    Ok(dict)
}
