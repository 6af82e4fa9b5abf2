//! What a step or a limiter did.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use taut::Stage;
use taut::limit::Violation;

/// What a step did. All of it is measured on the state that is returned.
#[pyclass(frozen, module = "taut")]
pub struct StepReport(pub taut::StepReport);

#[pymethods]
impl StepReport {
    /// Substeps made.
    #[getter]
    fn substeps(&self) -> u32 {
        self.0.substeps
    }

    /// Iterations of the solver, in all substeps together.
    #[getter]
    fn iterations(&self) -> u64 {
        self.0.iterations
    }

    /// What the last solve left of rows with a physical stiffness: strain, rad or m/s, by solver.
    #[getter]
    fn residual(&self) -> f64 {
        self.0.residual
    }

    /// Threads that worked: small models stay on one.
    #[getter]
    fn threads(&self) -> usize {
        self.0.threads
    }

    /// How often a vertex was no longer finite and was put back where it was.
    #[getter]
    fn contained(&self) -> u64 {
        self.0.contained
    }

    /// Touches of vertices and simple colliders in the last sweep.
    #[getter]
    fn contacts(&self) -> u64 {
        self.0.contacts
    }

    /// Contact between surfaces: pairs kept apart, vertices stopped, share of motion removed (0 to 1), pairs without
    /// room (`impossible`), and pairs that intersect (`tangled`), the last two with where the first is (m).
    #[getter]
    fn contact<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (dict, c) = (PyDict::new(py), &self.0.contact);
        dict.set_item("pairs", c.pairs)?;
        dict.set_item("stopped", c.stopped)?;
        dict.set_item("removed", c.removed)?;
        dict.set_item("impossible", c.impossible)?;
        dict.set_item("impossible_at", c.impossible_at)?;
        dict.set_item("tangled", c.tangled)?;
        dict.set_item("tangled_at", c.tangled_at)?;
        Ok(dict)
    }

    /// The largest stretch of what has a bound, over its length at rest.
    #[getter]
    fn stretch(&self) -> f64 {
        self.0.inextensibility.stretch
    }

    /// How much of its bounds the worst element uses: 1 is all of it, more is beyond.
    #[getter]
    fn used(&self) -> f64 {
        self.0.inextensibility.used
    }

    /// Vertices whose motion was given up because bounds and contact could not be met otherwise.
    #[getter]
    fn given_up(&self) -> u64 {
        self.0.inextensibility.given_up
    }

    /// What is beyond its bounds: how many elements, and of the worst its corners, place (m), how much of its bounds it
    /// uses, the pins that pull it apart, and whether something touches it. None if all bounds hold.
    #[getter]
    fn missed<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(missed) = self.0.inextensibility.missed else { return Ok(None) };
        let dict = PyDict::new(py);
        dict.set_item("elements", missed.elements)?;
        dict.set_item("corners", missed.corners)?;
        dict.set_item("at", missed.at)?;
        dict.set_item("used", missed.used)?;
        dict.set_item("pins", missed.pins)?;
        dict.set_item("touching", missed.touching)?;
        Ok(Some(dict))
    }

    /// What the model's strain limiters did in all substeps.
    #[getter]
    fn limit(&self) -> LimitReport {
        LimitReport(self.0.limit)
    }

    /// Seconds in each stage of the step, by name.
    #[getter]
    fn seconds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (stage, seconds) in Stage::ALL.iter().zip(self.0.seconds) {
            dict.set_item(stage.name(), seconds)?;
        }
        Ok(dict)
    }

    /// Colliders that could not be computed with and were left out.
    #[getter]
    fn left_out(&self) -> u32 {
        self.0.left_out.colliders + self.0.left_out.meshes
    }

    fn __repr__(&self) -> String {
        let r = &self.0;
        format!(
            "StepReport(substeps={}, iterations={}, residual={:.3e}, contacts={}, pairs={}, stretch={:.4})",
            r.substeps, r.iterations, r.residual, r.contacts, r.contact.pairs, r.inextensibility.stretch
        )
    }
}

/// What a strain limiter did.
#[pyclass(frozen, module = "taut")]
pub struct LimitReport(pub taut::limit::LimitReport);

fn violation<'py>(py: Python<'py>, v: &Violation) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in [("weft", v.weft), ("warp", v.warp), ("shear", v.shear), ("edge", v.edge), ("size", v.size)] {
        dict.set_item(name, value)?;
    }
    Ok(dict)
}

#[pymethods]
impl LimitReport {
    /// Sweeps over all elements, or linear systems solved.
    #[getter]
    fn iterations(&self) -> u32 {
        self.0.iterations
    }

    /// Whether all limits hold to the tolerance.
    #[getter]
    fn converged(&self) -> bool {
        self.0.converged
    }

    /// The largest violation of each kind as it came: weft, warp, shear, edge (strain), size (relative change).
    #[getter]
    fn before<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        violation(py, &self.0.before)
    }

    /// The same as it left.
    #[getter]
    fn after<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        violation(py, &self.0.after)
    }

    /// Elements it could do nothing for: without size at rest, not finite, or held all over.
    #[getter]
    fn skipped(&self) -> u64 {
        let s = &self.0.skipped;
        s.degenerate + s.not_finite + s.held
    }

    /// Vertices whose velocity was not finite; it was set to zero.
    #[getter]
    fn contained(&self) -> u64 {
        self.0.contained
    }

    fn __repr__(&self) -> String {
        let r = &self.0;
        format!(
            "LimitReport(converged={}, iterations={}, before={:.3e}, after={:.3e})",
            if r.converged { "True" } else { "False" },
            r.iterations,
            r.before.worst(),
            r.after.worst()
        )
    }
}
