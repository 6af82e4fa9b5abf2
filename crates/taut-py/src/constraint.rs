//! Constraints written in Python, or in C behind an address.

use crate::arrays;
use crate::error::{Error, argument};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArrayDyn};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cell::Cell;
use std::ffi::c_void;
use taut::{Constraint, ConstraintRow, RowSide, RowStrength};

thread_local! {
    /// The first exception that a function raised on this thread since somebody looked.
    static RAISED: Cell<Option<PyErr>> = const { Cell::new(None) };
}

/// Does `f`; if a constraint's function raises meanwhile, on this thread, that is what comes of it. May be nested: a
/// function may step something else.
pub fn raising<A>(f: impl FnOnce() -> A) -> PyResult<A> {
    let before = RAISED.take();
    let done = f();
    RAISED.replace(before).map_or(Ok(done), Err)
}

fn raise(error: PyErr) {
    let first = RAISED.take().unwrap_or(error);
    RAISED.set(Some(first));
}

/// A function in C that computes the rows of a constraint, by its address: of a library (`ctypes`, `cffi`), or compiled
/// at run time (`numba.cfunc`). It takes the place of a Python function in `add_constraint` and `gradient_error`.
///
/// ```c
/// int rows(void *data, size_t count, size_t arity, const uint32_t *numbers,
///          const double *x, double *values, double *gradients);
/// ```
///
/// `x` and `gradients` hold count × arity vectors of three numbers, row after row, in m and in the unit of the row over
/// m; `values` holds count numbers. It returns 0; anything else ends the step with a `taut.Error`, the state as it was.
/// `data` is an address handed through to it. `owner` is kept alive as long as the function is: what holds its code,
/// and what `data` points at. It is called without the interpreter's lock.
///
/// **The address is trusted**: a wrong one, or a function of another signature, takes the process down.
#[pyclass(frozen, module = "taut")]
pub struct CFunction {
    address: usize,
    data: usize,
    owner: Option<Py<PyAny>>,
}

/// What is called.
type Rows =
    unsafe extern "C" fn(*mut c_void, usize, usize, *const u32, *const f64, *mut f64, *mut f64) -> std::ffi::c_int;

#[pymethods]
impl CFunction {
    #[new]
    #[pyo3(signature = (address, data=0, owner=None))]
    fn new(address: usize, data: usize, owner: Option<Py<PyAny>>) -> PyResult<Self> {
        if address == 0 {
            return Err(argument("address", "0", "that of a function"));
        }
        Ok(CFunction { address, data, owner })
    }

    /// The address of the function.
    #[getter]
    fn address(&self) -> usize {
        self.address
    }

    /// The address that is handed through to it.
    #[getter]
    fn data(&self) -> usize {
        self.data
    }

    fn __repr__(&self) -> String {
        format!("CFunction({:#x})", self.address)
    }
}

/// A constraint whose values and gradients a function in C computes.
pub struct CConstraint {
    name: String,
    function: Rows,
    data: usize,
    /// Kept alive.
    _owner: Option<Py<PyAny>>,
}

impl std::fmt::Debug for CConstraint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CConstraint({:?})", self.name)
    }
}

impl CConstraint {
    fn new(name: &str, of: &Bound<'_, CFunction>) -> Self {
        let CFunction { address, data, owner } = of.get();
        // SAFETY: who made the object promises that a function of this signature is there; it is not 0.
        let function = unsafe { std::mem::transmute::<usize, Rows>(*address) };
        let owner = owner.as_ref().map(|owner| owner.clone_ref(of.py()));
        CConstraint { name: name.to_owned(), function, data: *data, _owner: owner }
    }
}

impl Constraint for CConstraint {
    fn name(&self) -> &str {
        &self.name
    }

    fn evaluate(&self, rows: &[u32], x: &[[f64; 3]], values: &mut [f64], gradients: &mut [[f64; 3]]) {
        let arity = x.len() / rows.len().max(1);
        let data = std::ptr::with_exposed_provenance_mut(self.data);
        let out = (values.as_mut_ptr(), gradients.as_flattened_mut().as_mut_ptr());
        // SAFETY: it is a function of this signature, as promised; lists are as long as it is told, and its own meanwhile.
        let code =
            unsafe { (self.function)(data, rows.len(), arity, rows.as_ptr(), x.as_flattened().as_ptr(), out.0, out.1) };
        if code != 0 {
            raise(Error::new_err(format!("the function in C of '{}' returned {code}; expected 0", self.name)));
            values.fill(f64::NAN);
        }
    }
}

/// A constraint from outside, in either language.
pub enum Own {
    Python(PyConstraint),
    C(CConstraint),
}

impl Own {
    pub fn new(name: &str, function: Bound<'_, PyAny>) -> PyResult<Self> {
        match function.cast::<CFunction>() {
            Ok(function) => Ok(Own::C(CConstraint::new(name, function))),
            Err(_) => Ok(Own::Python(PyConstraint::new(name, function)?)),
        }
    }
}

/// A constraint whose values and gradients a function of Python computes.
pub struct PyConstraint {
    name: String,
    function: Py<PyAny>,
}

impl std::fmt::Debug for PyConstraint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PyConstraint({:?})", self.name)
    }
}

impl PyConstraint {
    fn new(name: &str, function: Bound<'_, PyAny>) -> PyResult<Self> {
        if !function.is_callable() {
            return Err(PyTypeError::new_err("function is not callable"));
        }
        Ok(PyConstraint { name: name.to_owned(), function: function.unbind() })
    }

    fn call(
        &self,
        py: Python<'_>,
        rows: &[u32],
        x: &[[f64; 3]],
        values: &mut [f64],
        gradients: &mut [[f64; 3]],
    ) -> PyResult<()> {
        let arity = x.len() / rows.len().max(1);
        let at = PyArray1::from_slice(py, x.as_flattened()).reshape([rows.len(), arity, 3])?;
        let numbers = PyArray1::from_slice(py, rows);
        let (c, g) = self.function.bind(py).call1((numbers, at))?.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        self.fill(&c, "values", &[rows.len()], values)?;
        self.fill(&g, "gradients", &[rows.len(), arity, 3], gradients.as_flattened_mut())
    }

    /// Copies what the function returned, if it has the right shape.
    fn fill(&self, from: &Bound<'_, PyAny>, what: &str, shape: &[usize], to: &mut [f64]) -> PyResult<()> {
        let options = PyDict::new(from.py());
        options.set_item("dtype", "float64")?;
        let array = from.py().import("numpy")?.call_method("ascontiguousarray", (from,), Some(&options))?;
        let array = array.extract::<PyReadonlyArrayDyn<'_, f64>>()?;
        let (found, list) = (array.as_array().shape().to_vec(), array.as_slice());
        match list {
            Ok(list) if found == shape => {
                to.copy_from_slice(list);
                Ok(())
            }
            _ => Err(Error::new_err(format!("'{}': {what} have the shape {found:?}; expected {shape:?}", self.name))),
        }
    }
}

impl Constraint for PyConstraint {
    fn name(&self) -> &str {
        &self.name
    }

    fn evaluate(&self, rows: &[u32], x: &[[f64; 3]], values: &mut [f64], gradients: &mut [[f64; 3]]) {
        let done = Python::attach(|py| self.call(py, rows, x, values, gradients));
        if let Err(error) = done {
            raise(error);
            // The engine passes over rows that are not finite.
            values.fill(f64::NAN);
        }
    }
}

/// Rows over groups (n, k) of vertices.
pub fn rows(
    vertices: &Bound<'_, PyAny>,
    [compliance, stiffness]: [Option<&Bound<'_, PyAny>>; 2],
    damping: f64,
    side: &str,
) -> PyResult<Vec<ConstraintRow>> {
    let (list, arity) = arrays::index_groups("vertices", vertices)?;
    let side = match side {
        "zero" => RowSide::Zero,
        "at-most" => RowSide::AtMost,
        "at-least" => RowSide::AtLeast,
        other => return Err(argument("side", format!("{other:?}"), "\"zero\", \"at-most\" or \"at-least\"")),
    };
    let count = list.len() / arity;
    let strengths: Vec<RowStrength> = match (compliance, stiffness) {
        (Some(compliance), None) => {
            let each = arrays::per_item("compliance", compliance, count)?;
            each.into_iter().map(|compliance| RowStrength::Compliance { compliance, damping }).collect()
        }
        (None, Some(stiffness)) => {
            arrays::per_item("stiffness", stiffness, count)?.into_iter().map(RowStrength::Stiffness).collect()
        }
        _ => return Err(Error::new_err("a constraint has either a compliance or a stiffness")),
    };
    let row =
        |(vertices, strength): (&[u32], RowStrength)| ConstraintRow { vertices: vertices.to_vec(), strength, side };
    Ok(list.chunks(arity).zip(strengths).map(row).collect())
}

/// How far the gradients that a constraint's function gives for row `row` are from central differences at positions (k,
/// 3), over the largest of them: 1e-6 or less for right ones.
#[pyfunction]
pub fn gradient_error(function: Bound<'_, PyAny>, x: &Bound<'_, PyAny>, row: u32) -> PyResult<f64> {
    let own = Own::new("constraint", function)?;
    let x = arrays::rows::<3>("x", x)?;
    raising(|| match &own {
        Own::Python(own) => taut::gradient_error(own, row, &x),
        Own::C(own) => taut::gradient_error(own, row, &x),
    })
}
