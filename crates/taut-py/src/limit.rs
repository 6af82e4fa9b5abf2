//! Strain limiters: in a model, and as filters on bare arrays.

use crate::arrays;
use crate::error::{argument, limit as limit_error};
use crate::guard::{hold, work};
use crate::report::LimitReport;
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Mutex;
use taut::limit::{
    ApslSettings, Band, CslScheme, CslSettings, LimitKind, LimitScratch, LimitSpec, RestEdge, RestTet, RestTriangle,
    StrainLimits, StretchBounds, SweepSettings, edges_of,
};

/// A limit as a number (in tension only, or to both sides) or as (least, most).
fn band(value: &Bound<'_, PyAny>, name: &str, both: bool) -> PyResult<Band> {
    if value.is_none() {
        return Ok(Band::NONE);
    }
    if let Ok(most) = value.extract::<f64>() {
        return Ok(if both { Band::both(most) } else { Band::upto(most) });
    }
    let pair = value.extract::<(f64, f64)>();
    let (least, most) = pair.map_err(|_| argument(name, value.get_type(), "a number or (least, most)"))?;
    Ok(Band { least, most })
}

/// Reads named limits and takes note of those it was asked for.
struct Limits<'a, 'py> {
    dict: Option<&'a Bound<'py, PyDict>>,
}

impl Limits<'_, '_> {
    fn check(&self, kind: &str, known: &[&str]) -> PyResult<()> {
        for key in self.dict.iter().flat_map(|dict| dict.keys()) {
            let key = key.extract::<String>()?;
            if !known.contains(&key.as_str()) {
                let expected = format!("limits among {}", known.join(", "));
                return Err(argument(&format!("limit {kind:?}"), format!("given {key:?}"), &expected));
            }
        }
        Ok(())
    }

    fn band(&self, key: &str, both: bool) -> PyResult<Band> {
        match self.dict.map_or(Ok(None), |dict| dict.get_item(key))? {
            Some(value) => band(&value, key, both),
            None => Ok(Band::NONE),
        }
    }

    fn most(&self, key: &str) -> PyResult<f64> {
        Ok(self.band(key, false)?.most)
    }

    fn strain(&self) -> PyResult<StrainLimits> {
        Ok(StrainLimits {
            weft: self.band("weft", false)?,
            warp: self.band("warp", false)?,
            shear: self.band("shear", true)?,
        })
    }
}

/// A limit of a model from its kind and named limits.
pub fn spec(kind: &str, limits: Option<&Bound<'_, PyDict>>) -> PyResult<LimitSpec> {
    let limits = Limits { dict: limits };
    let strain = ["weft", "warp", "shear"];
    Ok(match kind {
        "stretch" => {
            limits.check(kind, &["weft", "warp", "shear", "any", "edge"])?;
            LimitSpec::stretch(StretchBounds {
                weft: limits.most("weft")?,
                warp: limits.most("warp")?,
                shear: limits.most("shear")?,
                any: limits.most("any")?,
                edge: limits.most("edge")?,
                ..StretchBounds::NONE
            })
        }
        "csl" | "sbd" | "rate" => {
            limits.check(kind, &strain)?;
            let strain = limits.strain()?;
            match kind {
                "csl" => LimitSpec::csl(strain),
                "sbd" => LimitSpec::sbd(strain),
                _ => LimitSpec::rate(strain),
            }
        }
        "edges" | "edge-rate" => {
            limits.check(kind, &["edge"])?;
            let band = limits.band("edge", false)?;
            if kind == "edges" { LimitSpec::edges(band) } else { LimitSpec::edge_rate(band) }
        }
        "area" | "volume" => {
            limits.check(kind, &["size"])?;
            let found = limits.band("size", true)?;
            let band = if found == Band::NONE { ApslSettings::default().band } else { found };
            let settings = ApslSettings { band, ..ApslSettings::default() };
            LimitSpec::new(if kind == "area" { LimitKind::Areas(settings) } else { LimitKind::Volumes(settings) })
        }
        other => {
            let expected = "\"stretch\", \"csl\", \"sbd\", \"rate\", \"edges\", \"edge-rate\", \"area\" or \"volume\"";
            return Err(argument("kind", format!("{other:?}"), expected));
        }
    })
}

/// A strain limiter on bare arrays, behind any simulator. Made by the functions of `taut.limit`.
///
/// Called between computing velocities and moving by them: `velocities = limiter(positions, velocities, dt)`.
#[pyclass(frozen, module = "taut")]
pub struct Limiter {
    engine: taut::limit::Limiter<f64>,
    scratch: Mutex<LimitScratch<f64>>,
}

/// What a limiter is laid over.
struct Rest {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<RestTriangle>,
    tets: Vec<RestTet>,
    edges: Vec<RestEdge>,
}

impl Rest {
    /// From rest positions and elements (n, 2), (n, 3) or (n, 4); weft along a direction, or u of texture coordinates
    /// in m.
    fn new(
        vertices: &Bound<'_, PyAny>,
        elements: &Bound<'_, PyAny>,
        weft: Option<&Bound<'_, PyAny>>,
        pattern: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let vertices = arrays::rows::<3>("rest", vertices)?;
        if let Some(at) = vertices.iter().position(|p| !p.iter().all(|c| c.is_finite() && c.abs() < 1e7)) {
            return Err(argument(&format!("rest[{at}]"), format!("{:?}", vertices[at]), "finite coordinates, m"));
        }
        let (list, arity) = arrays::index_groups("elements", elements)?;
        if let Some(bad) = list.iter().find(|&&v| v as usize >= vertices.len()) {
            return Err(argument(
                "elements",
                format!("of vertex {bad}"),
                &format!("those of {} vertices", vertices.len()),
            ));
        }
        let mut rest = Rest { vertices, triangles: Vec::new(), tets: Vec::new(), edges: Vec::new() };
        let weft = weft.map_or(Ok([1.0, 0.0, 0.0]), |weft| arrays::vector("weft", weft))?;
        let pattern = pattern.map(|p| arrays::rows_of::<2>("pattern", p, rest.vertices.len())).transpose()?;
        match arity {
            2 => {
                let at = |v: u32| rest.vertices[v as usize];
                let length =
                    |[a, b]: [u32; 2]| at(a).iter().zip(at(b)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                rest.edges =
                    list.as_chunks::<2>().0.iter().map(|&e| RestEdge { vertices: e, length: length(e) }).collect();
            }
            3 => {
                let triangles = list.as_chunks::<3>().0;
                rest.edges = edges_of(triangles, &rest.vertices);
                rest.triangles = match pattern {
                    Some(at) => {
                        let flat = |t: &[u32; 3]| RestTriangle::in_pattern(*t, t.map(|v| at[v as usize]));
                        triangles.iter().map(flat).collect()
                    }
                    None => RestTriangle::all(triangles, &rest.vertices, weft),
                };
            }
            4 => rest.tets = list.as_chunks::<4>().0.iter().map(|&t| RestTet::in_space(t, &rest.vertices)).collect(),
            _ => return Err(argument("elements", format!("of {arity} vertices each"), "(n, 2), (n, 3) or (n, 4)")),
        }
        Ok(rest)
    }
}

/// How often a limiter sweeps.
fn sweeps(iterations: i64, tolerance: f64) -> PyResult<SweepSettings> {
    let count = u32::try_from(iterations).map_err(|_| argument("iterations", iterations, "1 to 10,000"))?;
    Ok(SweepSettings { iterations: count, tolerance, ..SweepSettings::default() })
}

#[pymethods]
impl Limiter {
    #[new]
    #[pyo3(signature = (
        kind, rest, elements, *, limits=None, weft=None, pattern=None, iterations=100, tolerance=1e-4, jacobi=false,
        threads=1
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        py: Python<'_>,
        kind: &str,
        rest: &Bound<'_, PyAny>,
        elements: &Bound<'_, PyAny>,
        limits: Option<&Bound<'_, PyDict>>,
        weft: Option<&Bound<'_, PyAny>>,
        pattern: Option<&Bound<'_, PyAny>>,
        iterations: i64,
        tolerance: f64,
        jacobi: bool,
        threads: usize,
    ) -> PyResult<Self> {
        let rest = Rest::new(rest, elements, weft, pattern)?;
        let sweeps = sweeps(iterations, tolerance)?;
        if !(1..=256).contains(&threads) {
            return Err(argument("threads", threads, "1 to 256"));
        }
        let kind = spec(kind, limits)?.kind;
        let engine = work(py, || limiter(&rest, kind, sweeps, jacobi))?.map_err(limit_error)?;
        let engine = engine.ok_or_else(|| argument("kind", "\"stretch\"", "a limiter that acts on its own"))?;
        Ok(Limiter { engine, scratch: Mutex::new(LimitScratch::new(threads)) })
    }

    /// How many vertices it was made for.
    #[getter]
    fn vertices(&self) -> usize {
        self.engine.vertices()
    }

    /// Filters velocities (n, 3) in m/s so that positions + dt · velocities respect the limits.
    ///
    /// positions (n, 3) in m, dt in s; masses (n,) in kg or one for all, infinite or 0 for what cannot move; fixed (n,)
    /// of bool. Returns new velocities and a `LimitReport`.
    #[pyo3(signature = (positions, velocities, dt, *, masses=None, fixed=None))]
    fn apply<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
        velocities: &Bound<'py, PyAny>,
        dt: f64,
        masses: Option<&Bound<'py, PyAny>>,
        fixed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, LimitReport)> {
        let rates = self.engine.limits_rate();
        let sound = rates || (dt.is_finite() && dt > 0.0);
        if !sound {
            return Err(argument("dt", dt, "s, above 0"));
        }
        let n = self.engine.vertices();
        let x = arrays::rows_of::<3>("positions", positions, n)?;
        let w = self.inverse_masses(masses)?;
        let mut v = arrays::rows_of::<3>("velocities", velocities, n)?;
        let fixed = fixed.map_or(Ok(Vec::new()), |fixed| arrays::flags("fixed", fixed, n))?;
        let mut scratch = hold("limiter", &self.scratch)?;
        let scratch = &mut *scratch;
        let report = work(py, || match rates {
            true => self.engine.apply_to_rates(&x, &w, &mut v, &fixed, scratch),
            false => self.engine.apply(&x, &w, &mut v, &fixed, dt, scratch),
        })?;
        Ok((arrays::give(py, v)?, LimitReport(report)))
    }

    /// The same on candidate positions (n, 3), m: returns new ones and a `LimitReport`.
    #[pyo3(signature = (positions, *, masses=None, fixed=None))]
    fn apply_to_positions<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
        masses: Option<&Bound<'py, PyAny>>,
        fixed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, LimitReport)> {
        if self.engine.limits_rate() {
            return Err(argument("this limiter", "of rates", "one that limits positions"));
        }
        let n = self.engine.vertices();
        let mut p = arrays::rows_of::<3>("positions", positions, n)?;
        let w = self.inverse_masses(masses)?;
        let fixed = fixed.map_or(Ok(Vec::new()), |fixed| arrays::flags("fixed", fixed, n))?;
        let mut scratch = hold("limiter", &self.scratch)?;
        let scratch = &mut *scratch;
        let report = work(py, || self.engine.apply_to_candidates(&mut p, &w, &fixed, scratch))?;
        Ok((arrays::give(py, p)?, LimitReport(report)))
    }

    /// `limiter(positions, velocities, dt, masses=…, fixed=…)`: the velocities alone, if all one wants is a filter in a
    /// line. Takes what `apply` takes.
    #[pyo3(signature = (*given, **named))]
    fn __call__<'py>(
        this: &Bound<'py, Self>,
        given: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        this.call_method("apply", given, named)?.get_item(0)
    }

    fn __repr__(&self) -> String {
        format!("Limiter({:?}, {} vertices)", self.engine.name(), self.engine.vertices())
    }
}

impl Limiter {
    /// In 1/kg.
    fn inverse_masses(&self, masses: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<f64>> {
        let n = self.engine.vertices();
        let masses = masses.map_or_else(|| Ok(vec![1.0; n]), |masses| arrays::per_item("masses", masses, n))?;
        if let Some(bad) = masses.iter().find(|m| m.is_nan() || **m < 0.0) {
            return Err(argument("masses", bad, "kg, 0 or more"));
        }
        let inverse = |m: f64| if m > 0.0 && m.is_finite() { 1.0 / m } else { 0.0 };
        Ok(masses.into_iter().map(inverse).collect())
    }
}

/// The engine's limiter; nothing for bounds that only the end of a step can keep.
fn limiter(
    rest: &Rest,
    kind: LimitKind,
    sweeps: SweepSettings,
    jacobi: bool,
) -> Result<Option<taut::limit::Limiter<f64>>, taut::limit::LimitError> {
    use taut::limit::Limiter as L;
    let n = rest.vertices.len();
    let scheme = if jacobi { CslScheme::Jacobi { held: 1.0 } } else { CslScheme::GaussSeidel };
    let csl = CslSettings { scheme, sweeps, ..CslSettings::default() };
    let apsl =
        |settings: ApslSettings| ApslSettings { threshold: sweeps.tolerance, substeps: sweeps.iterations, ..settings };
    Ok(Some(match kind {
        LimitKind::Stretch(_) => return Ok(None),
        LimitKind::Csl(limits, _) => L::csl(n, &rest.triangles, &[limits], csl)?,
        LimitKind::Rate(limits, _) => {
            let plain = CslSettings { scheme: CslScheme::GaussSeidel, ..csl };
            L::csl(n, &rest.triangles, &[limits], plain)?.into_rates()
        }
        LimitKind::Sbd(limits, _) => L::sbd(n, &rest.triangles, &[limits], sweeps)?,
        LimitKind::Edges(band, _) => L::edges(n, &rest.edges, band, sweeps)?,
        LimitKind::EdgeRate(band, _) => L::edges(n, &rest.edges, band, sweeps)?.into_rates(),
        LimitKind::Areas(settings) => L::areas(n, &rest.triangles, apsl(settings))?,
        LimitKind::Volumes(settings) => L::volumes(n, &rest.tets, apsl(settings))?,
    }))
}
