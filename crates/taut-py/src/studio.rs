//! The laboratory, the papers and runs of sweeps: what they find, as plain numbers and tables.

use crate::error::{Error, argument};
use crate::guard::work;
use crate::scene::Scene;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use taut::Orthotropic;
use taut_lab::bend::Strip;
use taut_lab::shear::Frame;
use taut_lab::tensile::Tensile;
use taut_lab::{Cloth, LabError, Machine, Outcome, Solver, bend, drape, shear, swing, tensile};
use taut_papers::Size;
use taut_studio::SweepRun;

/// Puts the functions into the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(lab_pull, m)?)?;
    m.add_function(wrap_pyfunction!(lab_shear, m)?)?;
    m.add_function(wrap_pyfunction!(lab_bend, m)?)?;
    m.add_function(wrap_pyfunction!(lab_cantilever, m)?)?;
    m.add_function(wrap_pyfunction!(lab_report, m)?)?;
    m.add_function(wrap_pyfunction!(papers, m)?)?;
    m.add_function(wrap_pyfunction!(sweep_key, m)?)?;
    m.add_function(wrap_pyfunction!(sweep_run, m)?)?;
    m.add_function(wrap_pyfunction!(paper, m)?)
}

/// A cloth as the laboratory has it: a name of the library, or a dict of figures.
#[derive(FromPyObject)]
enum Specimen {
    Named(String),
    Own(Figures),
}

#[derive(FromPyObject)]
struct Figures {
    #[pyo3(item)]
    name: String,
    #[pyo3(item)]
    density: f64,
    #[pyo3(item)]
    weft: f64,
    #[pyo3(item)]
    warp: f64,
    #[pyo3(item)]
    poisson: f64,
    #[pyo3(item)]
    shear: f64,
    #[pyo3(item)]
    bend: [f64; 2],
    #[pyo3(item)]
    limits: Option<[f64; 3]>,
}

impl Specimen {
    fn cloth(self) -> PyResult<Cloth> {
        match self {
            Specimen::Named(name) => Cloth::named(&name).map_err(lab_error),
            Specimen::Own(f) => {
                let membrane = Orthotropic { weft: f.weft, warp: f.warp, poisson: f.poisson, shear: f.shear };
                let numbers = [f.density, f.weft, f.warp, f.shear, f.bend[0], f.bend[1]];
                if !numbers.iter().all(|n| n.is_finite() && *n > 0.0) {
                    return Err(argument("the cloth", format!("{numbers:?}"), "figures above 0"));
                }
                Ok(Cloth { name: f.name, density: f.density, membrane, bend: f.bend, limits: f.limits })
            }
        }
    }
}

fn lab_error(error: LabError) -> PyErr {
    match error {
        LabError::Scene(error) => crate::error::scene(*error),
        other => Error::new_err(other.to_string()),
    }
}

fn machine(cells: u32) -> PyResult<Machine> {
    if !(1..=1000).contains(&cells) {
        return Err(argument("cells", cells, "1 to 1000"));
    }
    Ok(Machine { cells, solver: Solver::still(), ..Machine::default() })
}

fn within(name: &str, values: &[f64], low: f64, high: f64) -> PyResult<()> {
    match values.iter().find(|v| !(low..=high).contains(*v)) {
        Some(bad) => Err(argument(name, bad, &format!("numbers from {low} to {high}"))),
        None => Ok(()),
    }
}

/// Pulls a strip: (force N/m, along, across, turn rad) for each force.
#[pyfunction]
fn lab_pull(
    py: Python<'_>,
    cloth: Specimen,
    degrees: f64,
    forces: Vec<f64>,
    cells: u32,
    limited: bool,
) -> PyResult<Vec<[f64; 4]>> {
    within("degrees", &[degrees], -360.0, 360.0)?;
    within("forces", &forces, 1e-9, 1e9)?;
    let test = Tensile { cloth: cloth.cloth()?, machine: machine(cells)?, degrees, limited };
    let (pulls, _) = work(py, || test.pull(&forces))?.map_err(lab_error)?;
    Ok(pulls.iter().map(|p| [p.force, p.along, p.across, p.turn]).collect())
}

/// Shears a square in a picture frame: (angle rad, force N/m) for each point.
#[pyfunction]
fn lab_shear(py: Python<'_>, cloth: Specimen, degrees: f64, points: u32, cells: u32) -> PyResult<Vec<[f64; 2]>> {
    within("degrees", &[degrees], 0.1, 80.0)?;
    within("points", &[f64::from(points)], 1.0, 1000.0)?;
    let test = Frame { cloth: cloth.cloth()?, machine: machine(cells)?, degrees, points };
    let (curve, _) = work(py, || test.draw())?.map_err(lab_error)?;
    Ok(curve.iter().map(|p| [p.angle, p.force]).collect())
}

/// Bends a strip of a length (m) to arcs of some angles (degrees): (curvature 1/m, moment per width N) for each.
#[pyfunction]
fn lab_bend(
    py: Python<'_>,
    cloth: Specimen,
    degrees: f64,
    length: f64,
    angles: Vec<f64>,
    cells: u32,
) -> PyResult<Vec<[f64; 2]>> {
    within("degrees", &[degrees], -360.0, 360.0)?;
    within("length", &[length], 1e-3, 10.0)?;
    within("angles", &angles, 0.1, 180.0)?;
    let strip = Strip { cloth: cloth.cloth()?, machine: machine(cells)?, degrees };
    let mut out = Vec::new();
    for angle in angles {
        let (arc, _) = work(py, || strip.arc(length, angle))?.map_err(lab_error)?;
        out.push([arc.curvature, arc.rigidity * arc.curvature]);
    }
    Ok(out)
}

/// The cantilever of ASTM D1388: overhang (m), rigidity by the standard's rule and by the exact curve (N·m).
#[pyfunction]
fn lab_cantilever(py: Python<'_>, cloth: Specimen, degrees: f64, cells: u32) -> PyResult<[f64; 3]> {
    within("degrees", &[degrees], -360.0, 360.0)?;
    let strip = Strip { cloth: cloth.cloth()?, machine: machine(cells)?, degrees };
    let (found, _) = work(py, || strip.cantilever())?.map_err(lab_error)?;
    Ok([found.overhang.length, found.standard, found.exact])
}

/// A whole test with its report, as `taut lab` makes it.
#[pyfunction]
fn lab_report<'py>(py: Python<'py>, test: &str, cloth: Specimen, cells: Option<u32>) -> PyResult<Bound<'py, PyDict>> {
    let cloth = cloth.cloth()?;
    let sized = |usual| machine(cells.unwrap_or(usual));
    let outcome = match test {
        "tensile" => {
            let machine = sized(4)?;
            work(py, || tensile::report(&cloth, &machine, &[0.0, 45.0, 90.0], true))?
        }
        "shear" => {
            let machine = sized(12)?;
            work(py, || shear::report(&cloth, &machine, 30.0))?
        }
        "bend" => {
            let machine = sized(40)?;
            work(py, || bend::report(&cloth, &machine, &[0.0, 90.0]))?
        }
        "drape" => {
            let machine = Machine { solver: drape::Drape::solver(), ..sized(30)? };
            work(py, || drape::report(&cloth, &machine, 1))?
        }
        "swing" => {
            let machine = Machine { solver: Solver::named("pbd"), ..sized(4)? };
            work(py, || swing::report(&cloth, &machine, 10.0, 6.0))?
        }
        other => {
            let expected = "\"tensile\", \"shear\", \"bend\", \"drape\" or \"swing\"";
            return Err(argument("test", format!("{other:?}"), expected));
        }
    };
    given(py, &outcome.map_err(lab_error)?)
}

/// Every figure and table of the papers: (name, paper, place, title).
#[pyfunction]
fn papers() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    let all = taut_papers::ENTRIES.iter();
    all.map(|entry| (entry.name, entry.paper.title(), entry.figure, entry.title)).collect()
}

/// Runs a figure or table of the papers.
#[pyfunction]
fn paper<'py>(py: Python<'py>, name: &str, full: bool) -> PyResult<Bound<'py, PyDict>> {
    let names = || taut_papers::ENTRIES.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
    let entry = taut_papers::entry(name);
    let entry = entry.ok_or_else(|| argument("name", format!("{name:?}"), &format!("one of {}", names())))?;
    let size = if full { Size::Full } else { Size::Small };
    let outcome = work(py, || (entry.run)(size))?.map_err(|error| Error::new_err(error.to_string()))?;
    given(py, &outcome)
}

/// What came of a run, as plain objects of Python.
fn given<'py>(py: Python<'py>, outcome: &Outcome) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("setup", &outcome.setup)?;
    dict.set_item("notes", &outcome.notes)?;
    let findings = PyList::empty(py);
    for f in &outcome.findings {
        let one = PyDict::new(py);
        one.set_item("what", &f.what)?;
        one.set_item("value", f.value)?;
        one.set_item("unit", f.unit)?;
        one.set_item("expected", f.expected.as_ref().map(|(value, _)| *value))?;
        one.set_item("holds", f.holds())?;
        findings.append(one)?;
    }
    dict.set_item("findings", findings)?;
    let claims = PyList::empty(py);
    for c in &outcome.claims {
        let one = PyDict::new(py);
        one.set_item("says", &c.says)?;
        one.set_item("theirs", &c.theirs)?;
        one.set_item("ours", &c.ours)?;
        one.set_item("verdict", c.verdict.words())?;
        one.set_item("why", &c.why)?;
        claims.append(one)?;
    }
    dict.set_item("claims", claims)?;
    let tables = PyList::empty(py);
    for table in &outcome.tables {
        let rows = serde_json::to_string(&table.rows).map_err(|error| Error::new_err(error.to_string()))?;
        tables.append((&table.title, &table.columns, rows))?;
    }
    dict.set_item("tables", tables)?;
    let figures = PyList::empty(py);
    for figure in &outcome.figures {
        figures.append((&figure.file, &figure.shows, PyBytes::new(py, &figure.bytes)))?;
    }
    dict.set_item("figures", figures)?;
    dict.set_item("text", outcome.text())?;
    Ok(dict)
}

/// A run of a sweep.
fn sweep_of(scene: &Bound<'_, Scene>, precision: Option<&str>, frames: Option<u32>) -> PyResult<SweepRun> {
    let precision = precision.map(crate::scene::precision_named).transpose()?;
    Ok(SweepRun::new(scene.get().read(Clone::clone)?, precision, frames))
}

/// The name of a run's result, of all that it depends on.
#[pyfunction]
fn sweep_key(scene: &Bound<'_, Scene>, precision: Option<&str>, frames: Option<u32>) -> PyResult<String> {
    Ok(sweep_of(scene, precision, frames)?.key())
}

/// Runs it: what it came to as JSON, and a picture of its end as a PNG.
#[pyfunction]
fn sweep_run<'py>(
    py: Python<'py>,
    scene: &Bound<'py, Scene>,
    precision: Option<&str>,
    frames: Option<u32>,
) -> PyResult<(String, Bound<'py, PyBytes>)> {
    let run = sweep_of(scene, precision, frames)?;
    let (json, picture) = work(py, || run.run())?.map_err(crate::error::scene)?;
    Ok((json.to_string(), PyBytes::new(py, &picture)))
}
