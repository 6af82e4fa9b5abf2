//! From meshes and materials to a frozen model.

use crate::error::{Error, argument, build};
use crate::guard::{caught, hold, work};
use crate::{arrays, constraint, limit};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::{Arc, Mutex};
use taut::fabric::Fabric;
use taut::limit::LimitSpec;
use taut::mesh::{TetMesh, TriMesh};
use taut::{
    Bending, BodyKind, Cloth, ClothDamping, ClothElasticity, ClothStiffness, ElasticDamping, Grain, Membrane,
    Orthotropic, Solid, SolidElasticity,
};

/// Collects bodies and turns them into a `Model`. A call that fails leaves nothing behind.
///
/// Lengths are in m, masses in kg. Bodies have numbers in the order of adding, and so have vertices.
#[pyclass(frozen, module = "taut")]
pub struct ModelBuilder {
    inner: Mutex<Collected>,
}

#[derive(Clone, Default)]
struct Collected {
    builder: taut::ModelBuilder,
    /// How many there are.
    vertices: usize,
    bodies: usize,
    /// Whether any constraint is written in Python.
    python: bool,
}

/// Named numbers from a dict, each of which must be known.
struct Named<'a, 'py> {
    what: &'static str,
    dict: Option<&'a Bound<'py, PyDict>>,
}

impl<'a, 'py> Named<'a, 'py> {
    fn new(what: &'static str, dict: Option<&'a Bound<'py, PyDict>>, known: &[&str]) -> PyResult<Self> {
        for key in dict.iter().flat_map(|dict| dict.keys()) {
            let key = key.extract::<String>()?;
            if !known.contains(&key.as_str()) {
                let found = format!("with a key {key:?}");
                return Err(argument(what, found, &format!("keys among {}", known.join(", "))));
            }
        }
        Ok(Named { what, dict })
    }

    fn value(&self, key: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.dict.map_or(Ok(None), |dict| dict.get_item(key))
    }

    fn number(&self, key: &str, usual: f64) -> PyResult<f64> {
        let Some(value) = self.value(key)? else { return Ok(usual) };
        value.extract().map_err(|_| argument(&format!("{}[{key:?}]", self.what), value.get_type(), "a number"))
    }

    /// A number for all, or N of them.
    fn numbers<const N: usize>(&self, key: &str, usual: [f64; N]) -> PyResult<[f64; N]> {
        let Some(value) = self.value(key)? else { return Ok(usual) };
        match value.extract::<f64>() {
            Ok(one) => Ok([one; N]),
            Err(_) => arrays::vector(&format!("{}[{key:?}]", self.what), &value),
        }
    }
}

fn fabric_named(name: &str) -> PyResult<&'static Fabric> {
    taut_scene::fabric::find(name).map(|fabric| fabric.engine).map_err(|error| Error::new_err(error.to_string()))
}

/// Stiffness in physical units.
fn cloth_elasticity(dict: &Bound<'_, PyDict>, base: Option<&Fabric>) -> PyResult<ClothElasticity> {
    let known = ["weft", "warp", "poisson", "shear", "bend", "area", "damping"];
    let given = Named::new("elastic", Some(dict), &known)?;
    let usual = base.map_or(Orthotropic::isotropic(0.0, 0.0), |fabric| fabric.membrane);
    let membrane = Orthotropic {
        weft: given.number("weft", usual.weft)?,
        warp: given.number("warp", usual.warp)?,
        poisson: given.number("poisson", usual.poisson)?,
        shear: given.number("shear", usual.shear)?,
    };
    let [stretch, shear, bend] = given.numbers("damping", [0.0; 3])?;
    Ok(ClothElasticity {
        membrane: Membrane::Continuum(membrane),
        area: given.number("area", 0.0)?,
        bend: given.numbers("bend", base.map_or([0.0; 2], |fabric| fabric.bending))?,
        damping: ElasticDamping { stretch, shear, bend },
    })
}

/// How cloth behaves, as keywords say it.
const CLOTH_WORDS: [&str; 8] =
    ["fabric", "density", "elastic", "stiffness", "damping", "grain", "rest_stretch", "bending"];

const ROWS: [&str; 6] = ["weft", "warp", "shear", "area", "bend", "edge"];

/// A number for each row.
fn by_row<'py>(words: &Named<'_, 'py>, key: &'static str, usual: [f64; 6]) -> PyResult<[f64; 6]> {
    let Some(value) = words.value(key)? else { return Ok(usual) };
    let dict = value.cast_into::<PyDict>().map_err(|e| argument(key, e, "a dict"))?;
    let given = Named::new(key, Some(&dict), &ROWS)?;
    let mut out = usual;
    for (to, row) in out.iter_mut().zip(ROWS) {
        *to = given.number(row, *to)?;
    }
    Ok(out)
}

/// The material, and the fabric it is of.
fn cloth_of(words: Option<&Bound<'_, PyDict>>) -> PyResult<(Cloth, Option<&'static Fabric>)> {
    let words = Named::new("cloth", words, &CLOTH_WORDS)?;
    let text = |key: &str| -> PyResult<Option<String>> {
        words.value(key)?.map(|v| v.extract().map_err(|_| argument(key, v.get_type(), "a text"))).transpose()
    };
    let fabric = text("fabric")?.as_deref().map(fabric_named).transpose()?;
    let mut cloth = fabric.map_or_else(Cloth::default, Cloth::from);
    cloth.density = words.number("density", cloth.density)?;
    if let Some(elastic) = words.value("elastic")? {
        let elastic = elastic.cast_into::<PyDict>().map_err(|e| argument("elastic", e, "a dict"))?;
        cloth.elasticity = Some(cloth_elasticity(&elastic, fabric)?);
    }
    let k = ClothStiffness::default();
    let [weft, warp, shear, area, bend, edge] =
        by_row(&words, "stiffness", [k.weft, k.warp, k.shear, k.area, k.bend, k.edge])?;
    cloth.stiffness = ClothStiffness { weft, warp, shear, area, bend, edge };
    let [weft, warp, shear, area, bend, edge] = by_row(&words, "damping", [0.0; 6])?;
    cloth.damping = ClothDamping { weft, warp, shear, area, bend, edge };
    if let Some(grain) = words.value("grain")? {
        cloth.grain = Grain::Direction(arrays::vector("grain", &grain)?);
    }
    cloth.rest_stretch = words.numbers("rest_stretch", cloth.rest_stretch)?;
    cloth.bending = match text("bending")?.as_deref() {
        None => cloth.bending,
        Some("hinges") => Bending::Hinges,
        Some("patches") => Bending::Patches,
        Some(other) => return Err(argument("bending", format!("{other:?}"), "\"hinges\" or \"patches\"")),
    };
    Ok((cloth, fabric))
}

/// How a soft body behaves.
fn solid_of(
    density: f64,
    stiffness: Option<&Bound<'_, PyDict>>,
    elastic: Option<&Bound<'_, PyDict>>,
) -> PyResult<Solid> {
    let mut solid = Solid { density, ..Solid::default() };
    let k = Named::new("stiffness", stiffness, &["stretch", "shear", "volume"])?;
    solid.stiffness.stretch = k.numbers("stretch", solid.stiffness.stretch)?;
    solid.stiffness.shear = k.numbers("shear", solid.stiffness.shear)?;
    solid.stiffness.volume = k.number("volume", solid.stiffness.volume)?;
    if elastic.is_some() {
        let e = Named::new("elastic", elastic, &["young", "poisson", "volume", "damping"])?;
        solid.elasticity = Some(SolidElasticity {
            young: e.number("young", 0.0)?,
            poisson: e.number("poisson", 0.3)?,
            volume: e.number("volume", 0.0)?,
            damping: e.number("damping", 0.0)?,
        });
    }
    Ok(solid)
}

#[pymethods]
impl ModelBuilder {
    #[new]
    fn new() -> Self {
        ModelBuilder { inner: Mutex::default() }
    }

    /// Adds vertices (n, 3) at rest positions (m); returns the number of the first. For bodies that share them.
    fn add_vertices(&self, positions: &Bound<'_, PyAny>) -> PyResult<u32> {
        let positions = arrays::rows::<3>("positions", positions)?;
        let mut inner = hold("builder", &self.inner)?;
        let base = inner.builder.add_vertices(&positions).map_err(build)?;
        inner.vertices += positions.len();
        Ok(base)
    }

    /// Adds a cloth: vertices (n, 3) in m, triangles (m, 3). Returns the number of its first vertex.
    ///
    /// uv (k, 2) gives the grain, weft along u, by vertex or by corner with uv_triangles (m, 3). With `base` the cloth
    /// lies on vertices that are there, from that one on, and `vertices` is None.
    ///
    /// Of what it is, by keyword: fabric (a name of `taut.fabrics()`; its limits hold unless `limits` is False),
    /// density (kg/m²), elastic (dict of weft, warp, shear, area in N/m, poisson, bend in N·m, damping in s; what is
    /// not given is the fabric's), stiffness and damping (dicts of weft, warp, shear, area, bend, edge: 0 to 1 per
    /// projection, and 1/s), grain (direction of the weft), rest_stretch (two numbers), bending ("hinges" or
    /// "patches").
    #[pyo3(signature = (name, vertices, triangles, *, uv=None, uv_triangles=None, base=None, limits=true, **words))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn add_cloth(
        &self,
        name: &str,
        vertices: Option<&Bound<'_, PyAny>>,
        triangles: &Bound<'_, PyAny>,
        uv: Option<&Bound<'_, PyAny>>,
        uv_triangles: Option<&Bound<'_, PyAny>>,
        base: Option<u32>,
        limits: bool,
        words: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<u32> {
        let (cloth, fabric) = cloth_of(words)?;
        let mut mesh = tri_mesh(vertices, triangles, uv, uv_triangles)?;
        if vertices.is_some() == base.is_some() {
            return Err(Error::new_err("a cloth has either vertices of its own or a base"));
        }
        let mut inner = hold("builder", &self.inner)?;
        let first = match base {
            Some(base) => {
                // Only how many there are counts.
                mesh.positions = vec![[0.0; 3]; inner.vertices.saturating_sub(base as usize)];
                inner.builder.add_cloth_on(name, base, &mesh, &cloth).map_err(build)?;
                base
            }
            None => {
                let first = inner.builder.add_cloth(name, &mesh, &cloth).map_err(build)?;
                inner.vertices += mesh.positions.len();
                first
            }
        };
        if let Some(fabric) = fabric.filter(|_| limits) {
            let body = inner.bodies;
            inner.builder.limit(LimitSpec::stretch(fabric.stretch_bounds()).on(&[body]));
        }
        inner.bodies += 1;
        Ok(first)
    }

    /// Adds a soft body: vertices (n, 3) in m, tetrahedra (m, 4), density in kg/m³. `stiffness` has stretch, shear and
    /// volume (0 to 1 per projection); `elastic` has young and volume in Pa, poisson, damping in s, and takes its
    /// place. Returns the number of its first vertex.
    #[pyo3(signature = (name, vertices, tetrahedra, *, density=1000.0, stiffness=None, elastic=None))]
    fn add_solid(
        &self,
        name: &str,
        vertices: &Bound<'_, PyAny>,
        tetrahedra: &Bound<'_, PyAny>,
        density: f64,
        stiffness: Option<&Bound<'_, PyDict>>,
        elastic: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<u32> {
        let solid = solid_of(density, stiffness, elastic)?;
        let positions = arrays::rows::<3>("vertices", vertices)?;
        let tets = arrays::index_rows::<4>("tetrahedra", tetrahedra)?;
        let count = positions.len();
        let mesh = TetMesh { positions, tets, ..TetMesh::default() };
        let mut inner = hold("builder", &self.inner)?;
        let first = inner.builder.add_solid(name, &mesh, &solid).map_err(build)?;
        inner.vertices += count;
        inner.bodies += 1;
        Ok(first)
    }

    /// Adds springs between pairs (n, 2) of vertices, at rest as they are: stiffness in N/m, damping time in s.
    #[pyo3(signature = (pairs, stiffness, damping=0.0))]
    fn add_springs(&self, pairs: &Bound<'_, PyAny>, stiffness: f64, damping: f64) -> PyResult<()> {
        let pairs = arrays::index_rows::<2>("pairs", pairs)?;
        hold("builder", &self.inner)?.builder.add_springs(&pairs, stiffness, damping).map_err(build)
    }

    /// Adds mass to a vertex, kg: a button, a weight in the hem.
    fn add_mass(&self, vertex: u32, mass: f64) -> PyResult<()> {
        hold("builder", &self.inner)?.builder.add_mass(vertex, mass).map_err(build)
    }

    /// Limits the strain of bodies (by number; all that have what is limited if not given).
    ///
    /// kind: "stretch" (bounds on weft, warp, shear, any, edge at the end of every step), "csl", "sbd", "rate" (weft,
    /// warp, shear), "edges", "edge-rate" (edge), "area", "volume" (size). A limit is a number (0.04: 4 % longer) or
    /// (least, most). Shear: the tensor's entry for "csl", the cosine between the yarns for the others. Rates in 1/s.
    #[pyo3(signature = (kind, *, bodies=None, **limits))]
    fn limit(&self, kind: &str, bodies: Option<Vec<usize>>, limits: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let spec = limit::spec(kind, limits)?;
        hold("builder", &self.inner)?.builder.limit(spec.on(&bodies.unwrap_or_default()));
        Ok(())
    }

    /// Adds a constraint written in Python: rows c(x) over groups of 1 to 5 vertices each, in the step like any
    /// element.
    ///
    /// `function` may also be a `CFunction`. `vertices` is (n, k); `function(rows, x)` gets the numbers of some rows
    /// (m,) and their vertices' positions (m, k, 3) in m and returns values (m,) and gradients (m, k, 3). Strength is
    /// either `compliance` (energy ½ c²/compliance J, with a `damping` time in s) or `stiffness` (0 to 1 per
    /// projection), a number or one for each row. `side` says what is allowed: "zero", "at-most" or "at-least" 0.
    #[pyo3(signature = (name, vertices, function, *, compliance=None, stiffness=None, damping=0.0, side="zero"))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn add_constraint(
        &self,
        name: &str,
        vertices: &Bound<'_, PyAny>,
        function: Bound<'_, PyAny>,
        compliance: Option<&Bound<'_, PyAny>>,
        stiffness: Option<&Bound<'_, PyAny>>,
        damping: f64,
        side: &str,
    ) -> PyResult<()> {
        let rows = constraint::rows(vertices, [compliance, stiffness], damping, side)?;
        let mut inner = hold("builder", &self.inner)?;
        match constraint::Own::new(name, function)? {
            constraint::Own::Python(own) => inner.builder.add_constraint(own, &rows),
            constraint::Own::C(own) => inner.builder.add_constraint(own, &rows),
        }
        .map_err(build)?;
        inner.python = true;
        Ok(())
    }

    /// Checks, numbers, colours and packs all of it. dtype: "f32" for speed, "f64" for study. The builder can go on.
    #[pyo3(signature = (dtype="f32"))]
    fn build(&self, py: Python<'_>, dtype: &str) -> PyResult<Model> {
        let Collected { builder, python, .. } = hold("builder", &self.inner)?.clone();
        let engine = match dtype {
            "f32" | "float32" => Engine::F32(Arc::new(work(py, || builder.build::<f32>())?.map_err(build)?)),
            "f64" | "float64" => Engine::F64(Arc::new(work(py, || builder.build::<f64>())?.map_err(build)?)),
            other => return Err(argument("dtype", format!("{other:?}"), "\"f32\" or \"f64\"")),
        };
        Ok(Model { engine, python })
    }

    /// How many vertices there are.
    #[getter]
    fn vertices(&self) -> PyResult<usize> {
        Ok(hold("builder", &self.inner)?.vertices)
    }

    fn __repr__(&self) -> PyResult<String> {
        let inner = hold("builder", &self.inner)?;
        Ok(format!("ModelBuilder({} bodies, {} vertices)", inner.bodies, inner.vertices))
    }
}

/// A mesh from its arrays.
fn tri_mesh(
    vertices: Option<&Bound<'_, PyAny>>,
    triangles: &Bound<'_, PyAny>,
    uv: Option<&Bound<'_, PyAny>>,
    uv_triangles: Option<&Bound<'_, PyAny>>,
) -> PyResult<TriMesh> {
    let mut out = TriMesh { triangles: arrays::index_rows("triangles", triangles)?, ..TriMesh::default() };
    if let Some(vertices) = vertices {
        out.positions = arrays::rows("vertices", vertices)?;
    }
    if let Some(uv) = uv {
        out.uvs = arrays::rows("uv", uv)?;
        out.uv_triangles = match uv_triangles {
            Some(corners) => arrays::index_rows("uv_triangles", corners)?,
            None => out.triangles.clone(),
        };
        if let Some(bad) = out.uv_triangles.iter().flatten().find(|&&c| c as usize >= out.uvs.len()) {
            let expected = format!("those of {} texture coordinates", out.uvs.len());
            return Err(argument("uv_triangles", format!("of corner {bad}"), &expected));
        }
    }
    Ok(out)
}

/// A frozen model of bodies, made by `ModelBuilder.build`; shared by any number of states and threads.
#[pyclass(frozen, module = "taut")]
pub struct Model {
    pub engine: Engine,
    /// Whether any constraint is written in Python.
    pub python: bool,
}

/// In either precision.
#[derive(Clone)]
pub enum Engine {
    F32(Arc<taut::Model<f32>>),
    F64(Arc<taut::Model<f64>>),
}

/// Does the same with a model of either precision.
macro_rules! each {
    ($engine:expr, $model:ident => $body:expr) => {
        match $engine {
            Engine::F32($model) => $body,
            Engine::F64($model) => $body,
        }
    };
}

impl Engine {
    pub fn vertices(&self) -> usize {
        each!(self, model => model.vertices())
    }

    pub fn bodies(&self) -> &[taut::Body] {
        each!(self, model => model.bodies())
    }
}

#[pymethods]
impl Model {
    /// How many vertices there are.
    #[getter]
    pub fn vertices(&self) -> usize {
        self.engine.vertices()
    }

    /// "f32" or "f64".
    #[getter]
    fn dtype(&self) -> &'static str {
        match self.engine {
            Engine::F32(_) => "f32",
            Engine::F64(_) => "f64",
        }
    }

    /// Rest positions (n, 3), m: a read-only view, without a copy.
    #[getter]
    fn rest_positions(this: &Bound<'_, Self>) -> PyResult<Py<PyArray2<f64>>> {
        let rows = each!(&this.get().engine, model => model.rest_positions());
        // SAFETY: they are in the model, which this object holds as long as it lives, and never changes.
        Ok(unsafe { arrays::lend(rows, this.clone().into_any()) }?.unbind())
    }

    /// Masses (n,), kg; 0 for a vertex that nothing gives a mass, which is held.
    #[getter]
    fn masses<'py>(&self, py: Python<'py>) -> Bound<'py, numpy::PyArray1<f64>> {
        arrays::give_list(py, each!(&self.engine, model => model.masses().to_vec()))
    }

    /// The bodies in the order of adding: dicts of name, kind ("cloth" or "solid"), base (first vertex), triangles (n,
    /// 3) and tetrahedra (n, 4), in the model's vertex numbers.
    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for body in self.engine.bodies() {
            let dict = PyDict::new(py);
            dict.set_item("name", &body.name)?;
            dict.set_item("kind", if body.kind == BodyKind::Cloth { "cloth" } else { "solid" })?;
            dict.set_item("base", body.base)?;
            dict.set_item("triangles", arrays::give(py, body.triangles.clone())?)?;
            dict.set_item("tetrahedra", arrays::give(py, body.tets.clone())?)?;
            list.append(dict)?;
        }
        Ok(list)
    }

    /// What the builder found odd and how it helped itself, a sentence each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        each!(&self.engine, model => model.warnings.iter().map(ToString::to_string).collect())
    }

    /// How many elements there are of each kind.
    #[getter]
    fn elements<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, count) in each!(&self.engine, model => taut::measure::element_counts(model.as_ref())) {
            dict.set_item(name, count)?;
        }
        Ok(dict)
    }

    /// The same model with these limits instead of its own: a list of (kind, limits) or (kind, limits, bodies), as
    /// `ModelBuilder.limit` has them. States of one fit the other.
    fn with_limits(&self, py: Python<'_>, limits: &Bound<'_, PyAny>) -> PyResult<Model> {
        let mut specs = Vec::new();
        for item in limits.try_iter()? {
            let item = item?;
            let (kind, limits, bodies) = match item.extract::<(String, Bound<'_, PyDict>)>() {
                Ok((kind, limits)) => (kind, limits, Vec::new()),
                Err(_) => item.extract::<(String, Bound<'_, PyDict>, Vec<usize>)>().map_err(|_| {
                    argument("an entry of limits", item.get_type(), "(kind, dict) or (kind, dict, bodies)")
                })?,
            };
            specs.push(limit::spec(&kind, Some(&limits))?.on(&bodies));
        }
        let engine = match &self.engine {
            Engine::F32(model) => Engine::F32(Arc::new(work(py, || limited(model, &specs))??)),
            Engine::F64(model) => Engine::F64(Arc::new(work(py, || limited(model, &specs))??)),
        };
        Ok(Model { engine, python: self.python })
    }

    /// Elastic forces at positions (n, 3), m, and velocities (n, 3), m/s, at rest if not given, and how they change: a
    /// dict of forces (n, 3), N; pairs (m, 2) of vertices i, j; stiffness (m, 3, 3), −∂fᵢ/∂xⱼ in N/m; damping (m, 3,
    /// 3), −∂fᵢ/∂vⱼ in N·s/m, empty if nothing is damped. A pair may be there more than once: its blocks add up.
    ///
    /// Of all that has a physical stiffness; what is projected has no forces. Exact second derivatives, not made
    /// positive definite. `taut.Tape` makes gradients of it.
    #[pyo3(signature = (positions, velocities=None))]
    fn tangent<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
        velocities: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let count = self.engine.vertices();
        let x = arrays::finite_rows("positions", positions, count)?;
        let still = || Ok(vec![[0.0; 3]; count]);
        let v = velocities.map_or_else(still, |v| arrays::finite_rows("velocities", v, count))?;
        let found =
            work(py, || constraint::raising(|| each!(&self.engine, model => taut::measure::tangent(model, &x, &v))))??;
        let found = found.ok_or_else(|| argument("positions", "of another model", "one for each vertex"))?;
        let dict = PyDict::new(py);
        dict.set_item("forces", arrays::give(py, found.forces)?)?;
        dict.set_item("pairs", arrays::give(py, found.pairs)?)?;
        dict.set_item("stiffness", arrays::give_blocks(py, found.stiffness)?)?;
        dict.set_item("damping", arrays::give_blocks(py, found.damping)?)?;
        Ok(dict)
    }

    /// A new state of this model, at rest. Steps use up to so many threads; the results do not depend on it.
    #[pyo3(signature = (threads=1))]
    fn state(this: &Bound<'_, Self>, threads: usize) -> PyResult<crate::state::State> {
        caught(|| crate::state::State::new(this, threads))?
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.engine.bodies().iter().map(|body| body.name.as_str()).collect();
        format!("Model({} vertices, {}, bodies {names:?})", self.engine.vertices(), self.dtype())
    }
}

fn limited<T: taut::Precision>(model: &taut::Model<T>, specs: &[LimitSpec]) -> PyResult<taut::Model<T>> {
    let mut model = model.clone();
    model.set_limits(specs).map_err(build)?;
    Ok(model)
}

/// The fabrics by name: density (kg/m²), thickness (m), weft, warp and shear (N/m), poisson, bend_weft and bend_warp
/// (N·m), limit_weft, limit_warp (strain), limit_shear (tangent), friction.
#[pyfunction]
pub fn fabrics(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for fabric in Fabric::all() {
        let dict = PyDict::new(py);
        dict.set_item("about", fabric.about)?;
        dict.set_item("aliases", fabric.aliases.to_vec())?;
        let m = &fabric.membrane;
        let [limit_weft, limit_warp, limit_shear] = fabric.limits;
        for (key, value) in [
            ("density", fabric.density),
            ("thickness", fabric.thickness),
            ("weft", m.weft),
            ("warp", m.warp),
            ("poisson", m.poisson),
            ("shear", m.shear),
            ("bend_weft", fabric.bending[0]),
            ("bend_warp", fabric.bending[1]),
            ("limit_weft", limit_weft),
            ("limit_warp", limit_warp),
            ("limit_shear", limit_shear),
            ("friction", fabric.friction),
        ] {
            dict.set_item(key, value)?;
        }
        all.set_item(fabric.name, dict)?;
    }
    Ok(all)
}
