//! How to step.

use crate::arrays;
use crate::collider::{Collider, Kind};
use crate::error::argument;
use crate::guard::hold;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::Mutex;
use taut::{ContactMaterial, Integrator, Solver};

/// How to step: gravity, air, colliders, contact, solver. May differ from step to step; every value is an attribute.
///
/// gravity (m/s²), substeps (0: chosen), iterations, solver ("pbd", "jacobi", "minimum-residual",
/// "conjugate-residuals", "nonlinear-cg", "newton-cg", "newton-cholesky", "newton", "multigrid"), integrator
/// ("implicit-euler", "bdf2", ("alpha-beta", α, β), ("newmark", β, γ)), tolerance, warm_start, relaxation, wind (m/s),
/// air_density (kg/m³), colliders, contact (see `contact`), contact_every, max_stretch, levels, tethers, rounds.
/// `Params.inextensible(0.01)` and `Params.fabric()` are two good beginnings.
#[pyclass(frozen, module = "taut")]
pub struct Params {
    inner: Mutex<Inner>,
}

#[derive(Clone, Default)]
struct Inner {
    engine: taut::Params,
    colliders: Vec<Collider>,
}

/// Solvers by the names that scenes have for them.
const SOLVERS: [(&str, Solver); 9] = [
    ("pbd", Solver::GaussSeidel { relaxation: 1.0, block: false }),
    ("jacobi", Solver::Jacobi { relaxation: 1.0 }),
    ("minimum-residual", Solver::MinimumResidual),
    ("conjugate-residuals", Solver::ConjugateResiduals),
    ("nonlinear-cg", Solver::NonlinearCg),
    ("newton-cg", Solver::NewtonCg),
    ("newton-cholesky", Solver::NewtonCholesky),
    ("newton", Solver::Newton),
    ("multigrid", Solver::Multigrid),
];

fn solver_named(name: &str) -> PyResult<Solver> {
    let known = SOLVERS.iter().find(|(known, _)| *known == name).map(|(_, solver)| *solver);
    let names: Vec<&str> = SOLVERS.iter().map(|(name, _)| *name).collect();
    known.ok_or_else(|| argument("solver", format!("{name:?}"), &format!("one of {}", names.join(", "))))
}

fn name_of(solver: Solver) -> &'static str {
    let same = |other: &Solver| std::mem::discriminant(other) == std::mem::discriminant(&solver);
    SOLVERS.iter().find(|(_, other)| same(other)).map_or("pbd", |(name, _)| name)
}

fn integrator_of(value: &Bound<'_, PyAny>) -> PyResult<Integrator> {
    let bad = || {
        let found = value.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string());
        let expected =
            "\"implicit-euler\", \"bdf2\", (\"alpha-beta\", 0 to 1, 0 to 1) or (\"newmark\", 0.001 to 0.5, 0 to 1)";
        argument("integrator", found, expected)
    };
    if let Ok(name) = value.extract::<String>() {
        return match name.as_str() {
            "implicit-euler" => Ok(Integrator::ImplicitEuler),
            "bdf2" => Ok(Integrator::Bdf2),
            _ => Err(bad()),
        };
    }
    let (name, a, b) = value.extract::<(String, f64, f64)>().map_err(|_| bad())?;
    let share = |x: f64| (0.0..=1.0).contains(&x);
    match name.as_str() {
        "alpha-beta" if share(a) && share(b) => Ok(Integrator::AlphaBeta { alpha: a, beta: b }),
        "newmark" if (0.001..=0.5).contains(&a) && share(b) => Ok(Integrator::Newmark { beta: a, gamma: b }),
        _ => Err(bad()),
    }
}

/// A number in a range.
fn within(name: &str, value: f64, least: f64, most: f64) -> PyResult<f64> {
    let fits = (least..=most).contains(&value);
    if fits { Ok(value) } else { Err(argument(name, value, &format!("a number from {least} to {most}"))) }
}

fn rounds(name: &str, value: i64, least: i64, most: i64) -> PyResult<u32> {
    let fits = (least..=most).contains(&value);
    let found = u32::try_from(value).ok().filter(|_| fits);
    found.ok_or_else(|| argument(name, value, &format!("a whole number from {least} to {most}")))
}

/// A contact material from (thickness, friction, self_contact), of which the later may be missing.
fn material(value: &Bound<'_, PyAny>) -> PyResult<ContactMaterial> {
    let usual = ContactMaterial::default();
    let (thickness, friction, self_contact) = match value.extract::<f64>() {
        Ok(thickness) => (thickness, usual.friction, true),
        Err(_) => match value.extract::<(f64, f64)>() {
            Ok((thickness, friction)) => (thickness, friction, true),
            Err(_) => value.extract::<(f64, f64, bool)>().map_err(|_| {
                let found = value.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string());
                argument("contact", found, "thickness, (thickness, friction) or (thickness, friction, self_contact)")
            })?,
        },
    };
    within("contact thickness (m)", thickness, 0.0, 1e3)?;
    within("contact friction", friction, 0.0, 1e3)?;
    Ok(ContactMaterial { thickness, friction, self_contact })
}

impl Params {
    /// The engine's own, now.
    pub fn engine(&self) -> PyResult<taut::Params> {
        Ok(hold("Params object", &self.inner)?.engine.clone())
    }

    /// The numbers that simple colliders, and meshes, have in the list of both.
    pub fn collider_numbers(&self) -> PyResult<[Vec<i64>; 2]> {
        let mut out = [Vec::new(), Vec::new()];
        for (number, collider) in (0..).zip(&hold("Params object", &self.inner)?.colliders) {
            out[usize::from(matches!(collider.kind, Kind::Mesh(_)))].push(number);
        }
        Ok(out)
    }

    fn read<A>(&self, f: impl FnOnce(&taut::Params) -> A) -> PyResult<A> {
        Ok(f(&hold("Params object", &self.inner)?.engine))
    }

    fn write(&self, f: impl FnOnce(&mut taut::Params)) -> PyResult<()> {
        f(&mut hold("Params object", &self.inner)?.engine);
        Ok(())
    }

    fn of(engine: taut::Params, values: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let params = Params { inner: Mutex::new(Inner { engine, colliders: Vec::new() }) };
        for (name, value) in values.into_iter().flatten() {
            params.set(&name.extract::<String>()?, &value)?;
        }
        Ok(params)
    }

    /// Sets a value by the name of its attribute.
    fn set(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let number = || value.extract::<f64>();
        match name {
            "gravity" => self.set_gravity(value),
            "wind" => self.set_wind(value),
            "substeps" => self.set_substeps(value.extract()?),
            "iterations" => self.set_iterations(value.extract()?),
            "solver" => self.set_solver(&value.extract::<String>()?),
            "integrator" => self.set_integrator(value),
            "relaxation" => self.set_relaxation(number()?),
            "tolerance" => self.set_tolerance(number()?),
            "warm_start" => self.set_warm_start(value.extract()?),
            "air_density" => self.set_air_density(number()?),
            "colliders" => self.set_colliders(value),
            "contact" => self.set_contact(value),
            "contact_every" => self.set_contact_every(value.extract()?),
            "max_stretch" => self.set_max_stretch(number()?),
            "levels" => self.set_levels(value.extract()?),
            "tethers" => self.set_tethers(value.extract()?),
            "rounds" => self.set_rounds(value.extract()?),
            _ => Err(pyo3::exceptions::PyTypeError::new_err(format!("Params has no value `{name}`"))),
        }
    }
}

#[pymethods]
impl Params {
    #[new]
    #[pyo3(signature = (**values))]
    fn new(values: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Params::of(taut::Params::default(), values)
    }

    /// For stiff cloth: coarse levels, tethers, and a bound on stretch at the end of every step; substeps are chosen.
    #[staticmethod]
    #[pyo3(signature = (max_stretch=0.01, **values))]
    fn inextensible(max_stretch: f64, values: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        within("max_stretch", max_stretch, 0.0, 100.0)?;
        let inextensibility = taut::Inextensibility::within(max_stretch);
        Params::of(taut::Params { substeps: 0, inextensibility, ..taut::Params::default() }, values)
    }

    /// For cloth with a fabric or moduli: implicit steps behind multigrid, 60 in a second, as scenes take them.
    #[staticmethod]
    #[pyo3(signature = (**values))]
    fn fabric(values: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Params::of(taut::Params::fabric(), values)
    }

    /// A copy, with some values changed.
    #[pyo3(signature = (**values))]
    fn replace(&self, values: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let inner = hold("Params object", &self.inner)?.clone();
        let copy = Params { inner: Mutex::new(inner) };
        for (name, value) in values.into_iter().flatten() {
            copy.set(&name.extract::<String>()?, &value)?;
        }
        Ok(copy)
    }

    /// Acceleration of everything free, m/s².
    #[getter]
    fn gravity(&self) -> PyResult<[f64; 3]> {
        self.read(|p| p.gravity)
    }

    #[setter]
    fn set_gravity(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = arrays::vector("gravity", value)?;
        self.write(|p| p.gravity = value)
    }

    /// Wind velocity, m/s. Acts with an `air_density` above 0.
    #[getter]
    fn wind(&self) -> PyResult<[f64; 3]> {
        self.read(|p| p.air.wind)
    }

    #[setter]
    fn set_wind(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = arrays::vector("wind", value)?;
        self.write(|p| p.air.wind = value)
    }

    /// Density of the air, kg/m³: 1.2 at sea level, 0 for none.
    #[getter]
    fn air_density(&self) -> PyResult<f64> {
        self.read(|p| p.air.density)
    }

    #[setter]
    fn set_air_density(&self, value: f64) -> PyResult<()> {
        let value = within("air_density", value, 0.0, 1e6)?;
        self.write(|p| p.air.density = value)
    }

    /// Substeps in a step; 0 for as many as are needed.
    #[getter]
    fn substeps(&self) -> PyResult<u32> {
        self.read(|p| p.substeps)
    }

    #[setter]
    fn set_substeps(&self, value: i64) -> PyResult<()> {
        let value = rounds("substeps", value, 0, 10_000)?;
        self.write(|p| p.substeps = value)
    }

    /// Most iterations of the solver in a substep.
    #[getter]
    fn iterations(&self) -> PyResult<u32> {
        self.read(|p| p.iterations)
    }

    #[setter]
    fn set_iterations(&self, value: i64) -> PyResult<()> {
        let value = rounds("iterations", value, 1, 10_000)?;
        self.write(|p| p.iterations = value)
    }

    /// The solver's name.
    #[getter]
    fn solver(&self) -> PyResult<&'static str> {
        self.read(|p| name_of(p.solver))
    }

    #[setter]
    fn set_solver(&self, value: &str) -> PyResult<()> {
        let solver = solver_named(value)?;
        self.write(|p| p.solver = solver)
    }

    /// Over-relaxation of "pbd" (above 0, below 2) and relaxation of "jacobi" (above 0 to 1).
    #[getter]
    fn relaxation(&self) -> PyResult<f64> {
        self.read(|p| match p.solver {
            Solver::GaussSeidel { relaxation, .. } | Solver::Jacobi { relaxation } => relaxation,
            _ => 1.0,
        })
    }

    #[setter]
    fn set_relaxation(&self, value: f64) -> PyResult<()> {
        let value = within("relaxation", value, 1e-3, 1.99)?;
        self.write(|p| match &mut p.solver {
            Solver::GaussSeidel { relaxation, .. } => *relaxation = value,
            Solver::Jacobi { relaxation } => *relaxation = value.min(1.0),
            _ => {}
        })
    }

    /// The integrator: its name, or a tuple of its name and its two numbers.
    #[getter]
    fn integrator<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.read(|p| p.integrator)? {
            Integrator::ImplicitEuler => Ok("implicit-euler".into_pyobject(py)?.into_any()),
            Integrator::Bdf2 => Ok("bdf2".into_pyobject(py)?.into_any()),
            Integrator::AlphaBeta { alpha, beta } => Ok(("alpha-beta", alpha, beta).into_pyobject(py)?.into_any()),
            Integrator::Newmark { beta, gamma } => Ok(("newmark", beta, gamma).into_pyobject(py)?.into_any()),
        }
    }

    #[setter]
    fn set_integrator(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = integrator_of(value)?;
        self.write(|p| p.integrator = value)
    }

    /// The residual at which a solver stops early, in its own unit; 0 for never.
    #[getter]
    fn tolerance(&self) -> PyResult<f64> {
        self.read(|p| p.tolerance)
    }

    #[setter]
    fn set_tolerance(&self, value: f64) -> PyResult<()> {
        let value = within("tolerance", value, 0.0, 1e6)?;
        self.write(|p| p.tolerance = value)
    }

    /// Whether a substep begins with the forces of the one before.
    #[getter]
    fn warm_start(&self) -> PyResult<bool> {
        self.read(|p| p.warm_start)
    }

    #[setter]
    fn set_warm_start(&self, value: bool) -> PyResult<()> {
        self.write(|p| p.warm_start = value)
    }

    /// Shapes and meshes that nothing can enter.
    #[getter]
    fn colliders<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = hold("Params object", &self.inner)?.colliders.clone();
        let list: Vec<Py<Collider>> = list.into_iter().map(|c| Py::new(py, c)).collect::<PyResult<_>>()?;
        PyList::new(py, list)
    }

    #[setter]
    fn set_colliders(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut list = Vec::new();
        for item in value.try_iter()? {
            let item = item?;
            let found = item.get_type();
            let collider = item.cast_into::<Collider>();
            let collider = collider.map_err(|_| argument("an entry of colliders", found, "a taut.Collider"))?;
            list.push(collider.get().clone());
        }
        let mut inner = hold("Params object", &self.inner)?;
        let simple = list.iter().filter_map(|c| if let Kind::Simple(c) = &c.kind { Some(*c) } else { None });
        inner.engine.colliders = simple.collect();
        let meshes = list.iter().filter_map(|c| if let Kind::Mesh(c) = &c.kind { Some(c.clone()) } else { None });
        inner.engine.meshes = meshes.collect();
        inner.colliders = list;
        Ok(())
    }

    /// Contact between surfaces: for each body (the last for all that follow) its thickness in m, or (thickness,
    /// friction), or (thickness, friction, whether it meets itself). Empty: bodies meet only simple colliders.
    #[getter]
    fn contact(&self) -> PyResult<Vec<(f64, f64, bool)>> {
        self.read(|p| p.contact.materials.iter().map(|m| (m.thickness, m.friction, m.self_contact)).collect())
    }

    #[setter]
    fn set_contact(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let materials = match value.extract::<f64>() {
            Ok(_) => vec![material(value)?],
            Err(_) => value.try_iter()?.map(|item| material(&item?)).collect::<PyResult<Vec<_>>>()?,
        };
        self.write(|p| p.contact.materials = materials)
    }

    /// For how many substeps near pairs are found at most.
    #[getter]
    fn contact_every(&self) -> PyResult<u32> {
        self.read(|p| p.contact.every)
    }

    #[setter]
    fn set_contact_every(&self, value: i64) -> PyResult<()> {
        let value = rounds("contact_every", value, 1, 10_000)?;
        self.write(|p| p.contact.every = value)
    }

    /// A bound on the tension of all cloth along weft and warp at the end of a step: 0.01 is one percent; 0 for none.
    #[getter]
    fn max_stretch(&self) -> PyResult<f64> {
        self.read(|p| p.inextensibility.max_stretch)
    }

    #[setter]
    fn set_max_stretch(&self, value: f64) -> PyResult<()> {
        let value = within("max_stretch", value, 0.0, 100.0)?;
        self.write(|p| p.inextensibility.max_stretch = value)
    }

    /// Most levels of coarse nodes; 0 for none.
    #[getter]
    fn levels(&self) -> PyResult<u32> {
        self.read(|p| p.inextensibility.levels)
    }

    #[setter]
    fn set_levels(&self, value: i64) -> PyResult<()> {
        let value = rounds("levels", value, 0, 20)?;
        self.write(|p| p.inextensibility.levels = value)
    }

    /// Whether no vertex gets further from a held one than the way along the cloth.
    #[getter]
    fn tethers(&self) -> PyResult<bool> {
        self.read(|p| p.inextensibility.tethers)
    }

    #[setter]
    fn set_tethers(&self, value: bool) -> PyResult<()> {
        self.write(|p| p.inextensibility.tethers = value)
    }

    /// Most rounds over what is beyond its bounds, in each turn at the end of an interval.
    #[getter]
    fn rounds(&self) -> PyResult<u32> {
        self.read(|p| p.inextensibility.rounds)
    }

    #[setter]
    fn set_rounds(&self, value: i64) -> PyResult<()> {
        let value = rounds("rounds", value, 1, 10_000)?;
        self.write(|p| p.inextensibility.rounds = value)
    }

    fn __repr__(&self) -> PyResult<String> {
        self.read(|p| {
            format!(
                "Params(solver={:?}, substeps={}, iterations={}, gravity={:?}, colliders={}, max_stretch={})",
                name_of(p.solver),
                p.substeps,
                p.iterations,
                p.gravity,
                p.colliders.len() + p.meshes.len(),
                p.inextensibility.max_stretch
            )
        })
    }
}
