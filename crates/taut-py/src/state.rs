//! What changes, and the step that changes it.

use crate::error::{Error, StepError, argument};
use crate::guard::{hold, work};
use crate::model::{Engine, Model};
use crate::multipliers::multipliers;
use crate::params::Params;
use crate::report::StepReport;
use crate::{arrays, constraint, contacts};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, Mutex};
use taut::{Precision, Scratch, measure};

/// Positions, velocities and pins of a model, at a time. All arrays are in the order in which vertices were added.
///
/// The engine keeps vertices in an order of its own, four numbers each, so that arrays are gathered: `positions` and
/// the like are new arrays every time, `positions_into` fills one of yours. A state that a thread is stepping gives a
/// `BusyError` to others.
#[pyclass(frozen, module = "taut")]
pub struct State {
    model: Engine,
    /// Whether a step calls functions of Python.
    python: bool,
    inner: Mutex<Inner>,
}

enum Inner {
    F32(Box<Live<f32>>),
    F64(Box<Live<f64>>),
}

/// A state and what its steps work in.
struct Live<T: Precision> {
    model: Arc<taut::Model<T>>,
    state: taut::State<T>,
    scratch: Scratch<T>,
    threads: usize,
}

/// Most threads that a state may ask for.
const MOST_THREADS: usize = 256;

impl<T: Precision> Live<T> {
    fn new(model: &Arc<taut::Model<T>>, threads: usize) -> Box<Self> {
        let scratch = Scratch::new(threads).with_clock(taut_scene::simulation::seconds);
        Box::new(Live { model: model.clone(), state: taut::State::new(model), scratch, threads })
    }

    fn with(&self, state: taut::State<T>) -> Box<Self> {
        let mut live = Live::new(&self.model, self.threads);
        live.state = state;
        live
    }

    /// Steps. If a function of Python raises, the state is as it was before.
    fn step(&mut self, params: &taut::Params, dt: f64, python: bool) -> PyResult<taut::StepReport> {
        let before = python.then(|| self.state.clone());
        let done = constraint::raising(|| taut::step(&self.model, &mut self.state, &mut self.scratch, params, dt));
        if let (Err(_), Some(before)) = (&done, before) {
            self.state = before;
        }
        done
    }

    fn checked(&self, name: &str, rows: &Bound<'_, PyAny>) -> PyResult<Vec<[f64; 3]>> {
        let rows = arrays::rows_of::<3>(name, rows, self.model.vertices())?;
        match rows.iter().position(|p| !p.iter().all(|c| T::of(*c).finite())) {
            Some(at) => Err(argument(&format!("{name}[{at}]"), format!("{:?}", rows[at]), "finite numbers")),
            None => Ok(rows),
        }
    }
}

/// Does the same with a state of either precision.
macro_rules! live {
    ($inner:expr, $live:ident => $body:expr) => {
        match $inner {
            Inner::F32($live) => $body,
            Inner::F64($live) => $body,
        }
    };
}

/// What is gathered from a state.
#[derive(Clone, Copy)]
enum Vectors {
    Positions,
    Velocities,
    Normals,
}

fn gather<T: Precision, S: taut::Scalar>(live: &Live<T>, what: Vectors, out: &mut [[S; 3]]) {
    match what {
        Vectors::Positions => live.state.positions_into(&live.model, out),
        Vectors::Velocities => live.state.velocities_into(&live.model, out),
        Vectors::Normals => live.state.normals_into(&live.model, out),
    }
}

impl State {
    pub fn new(model: &Bound<'_, Model>, threads: usize) -> PyResult<Self> {
        let model = model.get();
        if !(1..=MOST_THREADS).contains(&threads) {
            return Err(argument("threads", threads, "1 to 256"));
        }
        // A function of Python is called on the thread that steps, so that its exception gets to who called.
        let threads = if model.python { 1 } else { threads };
        let inner = match &model.engine {
            Engine::F32(model) => Inner::F32(Live::new(model, threads)),
            Engine::F64(model) => Inner::F64(Live::new(model, threads)),
        };
        Ok(State { model: model.engine.clone(), python: model.python, inner: Mutex::new(inner) })
    }

    fn lock(&self) -> PyResult<std::sync::MutexGuard<'_, Inner>> {
        hold("state", &self.inner)
    }

    fn vectors<'py>(&self, py: Python<'py>, what: Vectors) -> PyResult<Bound<'py, PyAny>> {
        fn new<'py, T: Precision + Element>(
            py: Python<'py>,
            live: &Live<T>,
            what: Vectors,
        ) -> PyResult<Bound<'py, PyAny>> {
            let mut out = vec![[T::of(0.0); 3]; live.model.vertices()];
            work(py, || gather(live, what, &mut out))?;
            Ok(arrays::give(py, out)?.into_any())
        }
        live!(&*self.lock()?, live => new(py, live, what))
    }

    fn fill(&self, py: Python<'_>, what: Vectors, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let inner = self.lock()?;
        let expected = || {
            Error::new_err(format!(
                "out must be a contiguous, writable array of float32 or float64 with the shape ({}, 3)",
                self.model.vertices()
            ))
        };
        if let Ok(array) = out.cast::<PyArray2<f32>>() {
            let mut array = array.try_readwrite().map_err(|_| expected())?;
            let rows = array.as_slice_mut().map_err(|_| expected())?.as_chunks_mut::<3>().0;
            if rows.len() != self.model.vertices() {
                return Err(expected());
            }
            return work(py, || live!(&*inner, live => gather(live, what, rows)));
        }
        let array = out.cast::<PyArray2<f64>>().map_err(|_| expected())?;
        let mut array = array.try_readwrite().map_err(|_| expected())?;
        let rows = array.as_slice_mut().map_err(|_| expected())?.as_chunks_mut::<3>().0;
        if rows.len() != self.model.vertices() {
            return Err(expected());
        }
        work(py, || live!(&*inner, live => gather(live, what, rows)))
    }
}

#[pymethods]
impl State {
    /// Positions (n, 3), m, in the model's dtype: a new array. Assign an array to put vertices elsewhere.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.vectors(py, Vectors::Positions)
    }

    #[setter]
    fn set_positions(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        live!(&mut *self.lock()?, live => {
            let rows = live.checked("positions", value)?;
            live.state.set_positions(&live.model, &rows);
            Ok(())
        })
    }

    /// Velocities (n, 3), m/s, likewise.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.vectors(py, Vectors::Velocities)
    }

    #[setter]
    fn set_velocities(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        live!(&mut *self.lock()?, live => {
            let rows = live.checked("velocities", value)?;
            live.state.set_velocities(&live.model, &rows);
            Ok(())
        })
    }

    /// Unit normals at vertices (n, 3); zero where there are no triangles.
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.vectors(py, Vectors::Normals)
    }

    /// Writes positions (m) into an array (n, 3) of float32 or float64: no memory is asked for.
    fn positions_into(&self, py: Python<'_>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        self.fill(py, Vectors::Positions, out)
    }

    /// Writes velocities (m/s), likewise.
    fn velocities_into(&self, py: Python<'_>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        self.fill(py, Vectors::Velocities, out)
    }

    /// Simulated time, s.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        live!(&*self.lock()?, live => Ok(live.state.time()))
    }

    /// Holds vertices where they are.
    fn pin(&self, vertices: &Bound<'_, PyAny>) -> PyResult<()> {
        let list = arrays::vertices("vertices", vertices, self.model.vertices())?;
        live!(&mut *self.lock()?, live => live.state.set_pins(&live.model, &list));
        Ok(())
    }

    /// Lets vertices go, with the velocity they were moved at.
    fn unpin(&self, vertices: &Bound<'_, PyAny>) -> PyResult<()> {
        let list = arrays::vertices("vertices", vertices, self.model.vertices())?;
        live!(&mut *self.lock()?, live => list.iter().for_each(|&v| live.state.unpin(&live.model, v)));
        Ok(())
    }

    /// Which vertices are held: (n,) of bool.
    #[getter]
    fn pinned<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let count = self.model.vertices() as u32;
        let list = live!(&*self.lock()?, live => (0..count).map(|v| live.state.pinned(&live.model, v)).collect());
        Ok(arrays::give_list(py, list))
    }

    /// Moves pinned vertices: at the end of the next step they will be at `positions` (m), going straight.
    fn move_pins(&self, vertices: &Bound<'_, PyAny>, positions: &Bound<'_, PyAny>) -> PyResult<()> {
        let list = arrays::vertices("vertices", vertices, self.model.vertices())?;
        let positions = arrays::rows_of::<3>("positions", positions, list.len())?;
        live!(&mut *self.lock()?, live => {
            if let Some(&free) = list.iter().find(|&&v| !live.state.pinned(&live.model, v)) {
                return Err(Error::new_err(format!("vertex {free} is not pinned")));
            }
            let targets: Vec<(u32, [f64; 3])> = list.iter().copied().zip(positions).collect();
            match live.state.set_pin_targets(&live.model, &targets) {
                0 => Ok(()),
                n => Err(Error::new_err(format!("{n} of the positions are not finite; those pins stay"))),
            }
        })
    }

    /// Strain fields of each body by name: of cloth weft, warp, shear (the cosine between the yarns) and area, on its
    /// triangles; of solids stretch and volume, in its tetrahedra. Lengths over those at rest − 1.
    fn strains<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let found = work(py, || live!(&*inner, live => measure::strains(&live.model, &live.state)))?;
        let all = PyDict::new(py);
        for body in self.model.bodies() {
            let fields = PyDict::new(py);
            for field in found.fields(body) {
                fields.set_item(field.name, arrays::give_list(py, field.values))?;
            }
            all.set_item(&body.name, fields)?;
        }
        Ok(all)
    }

    /// What touches what, one by one, measured on the positions: a dict of arrays with an entry for each contact.
    ///
    /// Two features touch if they are no farther apart than `reach` times the distance that contact keeps between them:
    /// a vertex and a triangle, two edges, or a vertex and a shape. Colliders and contact are those of `params`,
    /// colliders at the end of their way; surfaces meet each other and meshes only with a `Params.contact`.
    ///
    /// bodies (m, 2): the body of the first feature and of the second, −1 for a collider's or none; colliders (m, 2):
    /// numbers in `params.colliders`, −1 for a body's; vertices (m, 4): those of the first feature, then of the second,
    /// −1 in the places of a collider's; weights (m, 4) of the closest points, which add up to 1 for the first feature
    /// and to −1 for the second; positions (m, 3), m, half way between the two; normals (m, 3) from the second to the
    /// first; distances (m,), m, below 0 inside a shape; kept (m,), m, the distance that contact keeps.
    #[pyo3(signature = (params, reach=1.1))]
    fn contacts<'py>(&self, py: Python<'py>, params: &Bound<'py, Params>, reach: f64) -> PyResult<Bound<'py, PyDict>> {
        if !(0.0..=100.0).contains(&reach) {
            return Err(argument("reach", reach, "a number from 0 to 100"));
        }
        let (numbers, params) = (params.get().collider_numbers()?, params.get().engine()?);
        let (contact, colliders) = (&params.contact, (&params.colliders[..], &params.meshes[..]));
        let inner = self.lock()?;
        let found = work(
            py,
            || live!(&*inner, live => measure::contacts(&live.model, &live.state, contact, colliders, reach)),
        )?;
        contacts::arrays(py, &found, &numbers)
    }

    /// Multipliers λ of the rows with a physical stiffness in the last substep, by kind of element: (elements, rows),
    /// in J over the unit of the row (forces are Jᵀ λ); rows that have none are 0.
    fn multipliers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let found = work(py, || live!(&*inner, live => multipliers(&live.model, &live.state)))?;
        let all = PyDict::new(py);
        for kind in found {
            let rows = kind.values.len() / kind.rows.max(1);
            all.set_item(kind.name, PyArray1::from_vec(py, kind.values).reshape([rows, kind.rows])?)?;
        }
        Ok(all)
    }

    /// Energies (J), momenta (kg m/s, kg m²/s), and relative changes of area and volume, with gravity in m/s².
    #[pyo3(signature = (gravity=[0.0, -9.81, 0.0]))]
    fn totals<'py>(&self, py: Python<'py>, gravity: [f64; 3]) -> PyResult<Bound<'py, PyDict>> {
        let t = live!(&*self.lock()?, live => measure::totals(&live.model, &live.state, gravity));
        let dict = PyDict::new(py);
        dict.set_item("kinetic", t.kinetic)?;
        dict.set_item("potential", t.potential)?;
        dict.set_item("elastic", t.elastic)?;
        dict.set_item("momentum", t.momentum)?;
        dict.set_item("angular_momentum", t.angular_momentum)?;
        dict.set_item("area_change", t.area_change)?;
        dict.set_item("volume_change", t.volume_change)?;
        Ok(dict)
    }

    /// A fingerprint of all positions and velocities, 16 hexadecimal digits: the same for any number of threads.
    #[getter]
    fn hash(&self) -> PyResult<String> {
        live!(&*self.lock()?, live => Ok(format!("{:016x}", measure::state_hash(&live.model, &live.state))))
    }

    /// A copy that goes its own way.
    fn copy(&self) -> PyResult<State> {
        let inner = match &*self.lock()? {
            Inner::F32(live) => Inner::F32(live.with(live.state.clone())),
            Inner::F64(live) => Inner::F64(live.with(live.state.clone())),
        };
        Ok(State { model: self.model.clone(), python: self.python, inner: Mutex::new(inner) })
    }

    /// All of it but the time and targets of pins as plain numbers, for keeping; `restore` takes them up again, bit by
    /// bit.
    fn numbers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &*self.lock()? {
            Inner::F32(live) => Ok(arrays::give_list(py, live.state.to_numbers()).into_any()),
            Inner::F64(live) => Ok(arrays::give_list(py, live.state.to_numbers()).into_any()),
        }
    }

    /// Takes up what `numbers` gave for a state of the same model, at a time (s).
    fn restore(&self, numbers: &Bound<'_, PyAny>, time: f64) -> PyResult<()> {
        fn back<T: Precision>(live: &mut Live<T>, numbers: &[f64], time: f64) -> PyResult<()> {
            let numbers: Vec<T> = numbers.iter().map(|&n| T::of(n)).collect();
            let state = taut::State::from_numbers(&live.model, &numbers, time).filter(|_| time.is_finite());
            live.state = state.ok_or_else(|| Error::new_err("these numbers are not of a state of this model"))?;
            Ok(())
        }
        let count = numbers.len()?;
        let numbers = arrays::per_item("numbers", numbers, count)?;
        live!(&mut *self.lock()?, live => back(live, &numbers, time))
    }

    fn __repr__(&self) -> PyResult<String> {
        let time = self.time()?;
        Ok(format!("State({} vertices, at {time} s)", self.model.vertices()))
    }
}

/// Advances a state of `model` by `dt` seconds and tells what happened. Other threads of Python go on meanwhile.
///
/// Raises `StepError`, with the state as it was, for a state of another model or a time step that cannot be computed
/// with; and whatever a constraint written in Python raised.
#[pyfunction]
#[pyo3(signature = (model, state, params=None, dt=1.0/60.0))]
pub fn step(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    state: &Bound<'_, State>,
    params: Option<&Bound<'_, Params>>,
    dt: f64,
) -> PyResult<StepReport> {
    let params = params.map_or_else(|| Ok(taut::Params::default()), |params| params.get().engine())?;
    let (python, mut inner) = (state.get().python, state.get().lock()?);
    let same = match (&model.get().engine, &mut *inner) {
        (Engine::F32(model), Inner::F32(live)) if live.state.fits(model) => adopt(model, live),
        (Engine::F64(model), Inner::F64(live)) if live.state.fits(model) => adopt(model, live),
        _ => false,
    };
    if !same {
        return Err(StepError::new_err("its state was made for another model"));
    }
    let report = match &mut *inner {
        Inner::F32(live) => work(py, || live.step(&params, dt, python))??,
        Inner::F64(live) => work(py, || live.step(&params, dt, python))??,
    };
    match report.problem {
        Some(problem) => Err(StepError::new_err(problem.to_string())),
        None => Ok(StepReport(report)),
    }
}

/// A model with other limits takes the place of the one that a state was made for.
fn adopt<T: Precision>(model: &Arc<taut::Model<T>>, live: &mut Live<T>) -> bool {
    live.model = model.clone();
    true
}
