//! Arrays in and out: checked when they come, without copies when they go.
//!
//! In: anything that `numpy.asarray` takes, of integers or floating-point numbers; copied, since the engine keeps its
//! vertices in an order of its own. Out: what a call computes is handed over with its memory; what a frozen object
//! holds is lent as a read-only view.

use crate::error::{Error, argument};
use numpy::ndarray::ArrayView2;
use numpy::{Element, PyArray1, PyArray2, PyArray3, PyArrayDyn, PyArrayMethods, PyReadwriteArray2, PyUntypedArray};
use numpy::{PyArrayDescrMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// `numpy.asarray(value)`, as an array of numbers of one of these kinds (`f`, `i`, `u`, `b`).
fn numbers<'py>(name: &str, value: &Bound<'py, PyAny>, kinds: &str) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = value.py();
    let array = py.import("numpy")?.call_method1("asarray", (value,));
    let array = array.map_err(|e| Error::new_err(format!("{name} is not an array of numbers: {e}")))?;
    let array = array.cast_into::<PyUntypedArray>()?;
    let kind = array.dtype().kind() as char;
    // An empty list has no kind of its own.
    if !kinds.contains(kind) && array.len() > 0 {
        let of = if kinds.contains('f') { "numbers" } else { "whole numbers" };
        return Err(Error::new_err(format!("{name} has dtype {}; expected {of}", array.dtype())));
    }
    Ok(array)
}

/// The same in one dtype, contiguous.
fn as_dtype<'py, T: Element>(array: &Bound<'py, PyUntypedArray>, dtype: &str) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let options = PyDict::new(array.py());
    options.set_item("dtype", dtype)?;
    let array = array.py().import("numpy")?.call_method("ascontiguousarray", (array,), Some(&options))?;
    Ok(array.cast_into::<PyArrayDyn<T>>()?)
}

/// All numbers of an array, of any shape.
fn flat<T: Element + Copy>(array: &Bound<'_, PyUntypedArray>, dtype: &str) -> PyResult<Vec<T>> {
    let array = as_dtype::<T>(array, dtype)?;
    // Someone else may be writing to it: numpy knows no other way than to hope they do not.
    let array = array.try_readonly().map_err(|e| Error::new_err(e.to_string()))?;
    Ok(array.as_slice().map_err(|e| Error::new_err(e.to_string()))?.to_vec())
}

fn wrong_shape(name: &str, array: &Bound<'_, PyUntypedArray>, expected: &str) -> PyErr {
    let shape: Vec<String> = array.shape().iter().map(ToString::to_string).collect();
    Error::new_err(format!("{name} has the shape ({}); expected {expected}", shape.join(", ")))
}

/// (n, N) floating-point numbers.
pub fn rows<const N: usize>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<[f64; N]>> {
    let array = numbers(name, value, "fiu")?;
    match array.shape() {
        [_, n] if *n == N => {}
        [0] => return Ok(Vec::new()),
        _ => return Err(wrong_shape(name, &array, &format!("(n, {N})"))),
    }
    Ok(flat::<f64>(&array, "float64")?.as_chunks().0.to_vec())
}

/// The same, of a known number of rows.
pub fn rows_of<const N: usize>(name: &str, value: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<[f64; N]>> {
    let rows = rows::<N>(name, value)?;
    if rows.len() == count {
        return Ok(rows);
    }
    Err(Error::new_err(format!("{name} has the shape ({}, {N}); expected ({count}, {N})", rows.len())))
}

/// The same of vectors, all of them finite.
pub fn finite_rows(name: &str, value: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<[f64; 3]>> {
    let rows = rows_of::<3>(name, value, count)?;
    match rows.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        Some(at) => Err(argument(&format!("{name}[{at}]"), format!("{:?}", rows[at]), "finite numbers")),
        None => Ok(rows),
    }
}

/// As many numbers as expected, or one for all.
pub fn per_item(name: &str, value: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<f64>> {
    let array = numbers(name, value, "fiu")?;
    let list = flat::<f64>(&array, "float64")?;
    match (array.ndim(), list.len()) {
        (0, 1) => Ok(vec![list[0]; count]),
        (1, n) if n == count => Ok(list),
        _ => Err(wrong_shape(name, &array, &format!("a number or ({count},)"))),
    }
}

/// A vector of N numbers, all finite.
pub fn vector<const N: usize>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<[f64; N]> {
    let array = numbers(name, value, "fiu")?;
    let list = flat::<f64>(&array, "float64")?;
    let found = <[f64; N]>::try_from(list).ok().filter(|_| array.ndim() == 1);
    let found = found.ok_or_else(|| wrong_shape(name, &array, &format!("({N},)")))?;
    if found.iter().all(|c| c.is_finite()) {
        return Ok(found);
    }
    Err(Error::new_err(format!("{name} is {found:?}; expected finite numbers")))
}

/// Vertex numbers of any shape, flat, and the shape.
fn indices(name: &str, value: &Bound<'_, PyAny>) -> PyResult<(Vec<u32>, Vec<usize>)> {
    let array = numbers(name, value, "iu")?;
    let list = match array.dtype().kind() {
        b'u' => flat::<u64>(&array, "uint64")?.into_iter().map(|i| u32::try_from(i).ok()).collect::<Option<Vec<_>>>(),
        _ => flat::<i64>(&array, "int64")?.into_iter().map(|i| u32::try_from(i).ok()).collect(),
    };
    let list = list.ok_or_else(|| Error::new_err(format!("{name} has an index below 0 or beyond 4294967295")))?;
    Ok((list, array.shape().to_vec()))
}

/// (n, N) vertex numbers.
pub fn index_rows<const N: usize>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<[u32; N]>> {
    let (list, shape) = indices(name, value)?;
    match shape[..] {
        [_, n] if n == N => Ok(list.as_chunks().0.to_vec()),
        [0] => Ok(Vec::new()),
        _ => Err(Error::new_err(format!("{name} has the shape {shape:?}; expected (n, {N})"))),
    }
}

/// (n, k) vertex numbers with any k from 1 on, row after row, and k. One dimension counts as k = 1.
pub fn index_groups(name: &str, value: &Bound<'_, PyAny>) -> PyResult<(Vec<u32>, usize)> {
    let (list, shape) = indices(name, value)?;
    match shape[..] {
        [_] => Ok((list, 1)),
        [_, k] if k > 0 => Ok((list, k)),
        _ => Err(Error::new_err(format!("{name} has the shape {shape:?}; expected (n, k)"))),
    }
}

/// Vertex numbers below `count`: one, or a list of them.
pub fn vertices(name: &str, value: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<u32>> {
    let (list, shape) = indices(name, value)?;
    if shape.len() > 1 {
        return Err(Error::new_err(format!("{name} has the shape {shape:?}; expected (n,)")));
    }
    match list.iter().find(|&&v| v as usize >= count) {
        Some(bad) => Err(Error::new_err(format!("{name} has vertex {bad}, but there are {count} vertices"))),
        None => Ok(list),
    }
}

/// Flags, one for each of `count` things; none for an empty list.
pub fn flags(name: &str, value: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<bool>> {
    let array = numbers(name, value, "b")?;
    match array.shape() {
        [n] if *n == count || *n == 0 => flat::<bool>(&array, "bool"),
        _ => Err(wrong_shape(name, &array, &format!("({count},)"))),
    }
}

/// Hands over rows of N numbers with their memory.
pub fn give<T: Element, const N: usize>(py: Python<'_>, rows: Vec<[T; N]>) -> PyResult<Bound<'_, PyArray2<T>>> {
    let shape = [rows.len(), N];
    PyArray1::from_vec(py, rows.into_flattened()).reshape(shape)
}

/// Hands over matrices with their memory.
pub fn give_blocks(py: Python<'_>, blocks: Vec<[[f64; 3]; 3]>) -> PyResult<Bound<'_, PyArray3<f64>>> {
    let shape = [blocks.len(), 3, 3];
    PyArray1::from_vec(py, blocks.into_flattened().into_flattened()).reshape(shape)
}

/// Hands over numbers with their memory.
pub fn give_list<'py, T: Element>(py: Python<'py>, list: Vec<T>) -> Bound<'py, PyArray1<T>> {
    PyArray1::from_vec(py, list)
}

/// A read-only view of rows that `owner` holds.
///
/// # Safety
/// `rows` is part of `owner`, which neither moves, changes nor drops it while it lives.
pub unsafe fn lend<'py, T: Element, const N: usize>(
    rows: &[[T; N]],
    owner: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let view = ArrayView2::from_shape((rows.len(), N), rows.as_flattened());
    let view = view.map_err(|e| Error::new_err(e.to_string()))?;
    // SAFETY: as the caller promises.
    let array = unsafe { PyArray2::borrow_from_array(&view, owner) };
    frozen(array)
}

fn frozen<T: Element>(array: Bound<'_, PyArray2<T>>) -> PyResult<Bound<'_, PyArray2<T>>> {
    let writable: PyReadwriteArray2<'_, T> = array.try_readwrite().map_err(|e| Error::new_err(e.to_string()))?;
    drop(writable.make_nonwriteable());
    Ok(array)
}
