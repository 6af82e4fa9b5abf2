//! Whole scenes: files in SI units, and the simulations of them.

use crate::arrays;
use crate::error::{Error, argument, scene as scene_error};
use crate::guard::{hold, work};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::path::Path;
use std::sync::Mutex;
use taut_render::Scale;
use taut_scene::scene::settings::Precision;
use taut_scene::simulation::{self, FrameReport, ObjectKind};
use taut_studio::{Heat, HeatMap, Look, Shot};

/// A scene that has been read and checked: what `Scene` in Python holds.
#[pyclass(frozen, module = "taut._taut", name = "Scene", subclass)]
pub struct Scene {
    inner: Mutex<taut_scene::scene::Scene>,
}

impl Scene {
    /// Looks at the scene.
    pub fn read<A>(&self, f: impl FnOnce(&taut_scene::scene::Scene) -> A) -> PyResult<A> {
        Ok(f(&*hold("scene", &self.inner)?))
    }
}

#[pymethods]
impl Scene {
    /// A scene by path or by the name of a built-in one; or from `text`, with the folder in which files are looked for.
    #[new]
    #[pyo3(signature = (which, text=None, folder=None, sets=Vec::new()))]
    fn new(which: &str, text: Option<&str>, folder: Option<&str>, sets: Vec<String>) -> PyResult<Self> {
        let scene = match text {
            Some(text) => taut_scene::scene::Scene::parse(which, text, folder.map(Path::new), &sets),
            None => taut_scene::scene::Scene::open(which, &sets),
        };
        Ok(Scene { inner: Mutex::new(scene.map_err(scene_error)?) })
    }

    /// Makes changes, each `key=value` as on the command line. If one cannot be made, none is.
    fn _change(&self, sets: Vec<String>) -> PyResult<()> {
        let mut inner = hold("scene", &self.inner)?;
        let sets: Vec<String> = inner.sets().iter().cloned().chain(sets).collect();
        let changed = taut_scene::scene::Scene::parse(inner.name(), inner.text(), inner.folder(), &sets);
        *inner = changed.map_err(scene_error)?;
        Ok(())
    }

    /// The file's name, as it was given.
    #[getter]
    fn name(&self) -> PyResult<String> {
        self.read(|scene| scene.name().to_owned())
    }

    /// The title, or else the file's name without its ending.
    #[getter]
    fn title(&self) -> PyResult<String> {
        self.read(taut_scene::scene::Scene::title)
    }

    /// The text it was read from, without changes.
    #[getter]
    fn text(&self) -> PyResult<String> {
        self.read(|scene| scene.text().to_owned())
    }

    /// The changes made to the text, each as `key=value`.
    #[getter]
    fn sets(&self) -> PyResult<Vec<String>> {
        self.read(|scene| scene.sets().to_vec())
    }

    /// Where files that it names are looked for, if it has a folder.
    #[getter]
    fn folder(&self) -> PyResult<Option<String>> {
        self.read(|scene| scene.folder().map(|folder| folder.to_string_lossy().into_owned()))
    }

    /// The precision that it asks for: "f32" or "f64".
    #[getter]
    fn precision(&self) -> PyResult<&'static str> {
        self.read(|scene| scene.precision().name())
    }

    /// Everything it says, defaults filled in, as JSON.
    fn _json(&self) -> PyResult<String> {
        self.read(|scene| scene.to_json().to_string())
    }
}

/// The built-in scenes, by name.
#[pyfunction]
pub fn builtin_scenes() -> Vec<&'static str> {
    taut_scene::scene::BUILTIN.iter().map(|scene| scene.name).collect()
}

/// A JSON schema of scene files.
#[pyfunction]
pub fn scene_schema() -> String {
    taut_scene::scene::schema().to_string()
}

/// A scene under way. At frame 0 when it is made; `advance` computes the next frame.
#[pyclass(frozen, module = "taut")]
pub struct Simulation {
    inner: Mutex<simulation::Simulation>,
}

impl Simulation {
    fn lock(&self) -> PyResult<std::sync::MutexGuard<'_, simulation::Simulation>> {
        hold("simulation", &self.inner)
    }
}

/// "f32" or "f64".
pub fn precision_named(name: &str) -> PyResult<Precision> {
    match name {
        "f32" | "float32" => Ok(Precision::F32),
        "f64" | "float64" => Ok(Precision::F64),
        other => Err(argument("precision", format!("{other:?}"), "\"f32\" or \"f64\"")),
    }
}

/// The number of an object by its name.
fn number(of: &simulation::Simulation, name: &str) -> PyResult<usize> {
    let names: Vec<&str> = of.objects().iter().map(|object| object.info.name.as_str()).collect();
    let found = names.iter().position(|known| *known == name);
    found.ok_or_else(|| argument("object", format!("{name:?}"), &format!("one of {}", names.join(", "))))
}

#[pymethods]
impl Simulation {
    /// Builds a scene: reads and makes its meshes, pins its pins. precision: "f32", "f64", or what the scene says.
    #[new]
    #[pyo3(signature = (scene, precision=None, threads=1))]
    fn new(py: Python<'_>, scene: &Bound<'_, Scene>, precision: Option<&str>, threads: usize) -> PyResult<Self> {
        if !(1..=256).contains(&threads) {
            return Err(argument("threads", threads, "1 to 256"));
        }
        let scene = scene.get().read(Clone::clone)?;
        let precision = precision.map_or_else(|| Ok(scene.precision()), precision_named)?;
        let built = work(py, || simulation::Simulation::new(&scene, precision, threads))?;
        Ok(Simulation { inner: Mutex::new(built.map_err(scene_error)?) })
    }

    /// Computes the next frame, and tells what happened. Other threads of Python go on meanwhile.
    fn advance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut inner = self.lock()?;
        let inner = &mut *inner;
        let report = work(py, || inner.advance())?;
        frame_report(py, &report)
    }

    /// The frame it is at; 0 is the beginning.
    #[getter]
    fn frame(&self) -> PyResult<u32> {
        Ok(self.lock()?.frame())
    }

    /// The time it is at, s.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.lock()?.time())
    }

    /// How many frames the scene asks for, after frame 0.
    #[getter]
    fn frames(&self) -> PyResult<u32> {
        Ok(self.lock()?.frames())
    }

    /// Names of the bodies, cloth first.
    #[getter]
    fn names(&self) -> PyResult<Vec<String>> {
        Ok(self.lock()?.objects().iter().map(|object| object.info.name.clone()).collect())
    }

    /// What a body is: name, kind, rest positions (n, 3) in m, triangles (m, 3) of its surface, tetrahedra, vertex
    /// groups by name.
    fn object<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let object = &inner.objects()[number(&inner, name)?];
        let dict = PyDict::new(py);
        dict.set_item("name", &object.info.name)?;
        dict.set_item("kind", if object.kind == ObjectKind::Cloth { "cloth" } else { "solid" })?;
        dict.set_item("rest", arrays::give(py, object.info.rest.clone())?)?;
        dict.set_item("triangles", arrays::give(py, object.surface.clone())?)?;
        dict.set_item("tetrahedra", arrays::give(py, object.info.tets.clone())?)?;
        let groups = PyDict::new(py);
        for group in &object.groups {
            groups.set_item(&group.name, arrays::give_list(py, group.vertices.clone()))?;
        }
        dict.set_item("groups", groups)?;
        Ok(dict)
    }

    /// Positions (n, 3) of a body, m; the array owns its memory.
    fn positions<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let inner = self.lock()?;
        arrays::give(py, inner.positions(number(&inner, name)?))
    }

    /// Velocities (n, 3) of a body, m/s.
    fn velocities<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let inner = self.lock()?;
        arrays::give(py, inner.velocities(number(&inner, name)?))
    }

    /// Strain fields by body and name: of cloth weft, warp, shear and area on triangles, of solids stretch and volume.
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let all = PyDict::new(py);
        for (object, fields) in inner.objects().iter().zip(inner.fields()) {
            let dict = PyDict::new(py);
            for (info, values) in object.info.fields.iter().zip(fields) {
                dict.set_item(&info.name, arrays::give_list(py, values))?;
            }
            all.set_item(&object.info.name, dict)?;
        }
        Ok(all)
    }

    /// The colliders' surfaces now: dicts of name, positions (n, 3) in m, triangles (m, 3) and whether it is a plane.
    fn colliders<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let inner = self.lock()?;
        let list = PyList::empty(py);
        for collider in inner.colliders().iter().filter(|collider| collider.visible) {
            let dict = PyDict::new(py);
            dict.set_item("name", &collider.name)?;
            dict.set_item("positions", arrays::give(py, collider.positions(inner.time()))?)?;
            dict.set_item("triangles", arrays::give(py, collider.mesh.triangles.clone())?)?;
            dict.set_item("plane", collider.plane)?;
            list.append(dict)?;
        }
        Ok(list)
    }

    /// What the frame is in numbers, as a line of `metrics.jsonl`.
    fn _metrics(&self, py: Python<'_>) -> PyResult<String> {
        let mut inner = self.lock()?;
        let inner = &mut *inner;
        work(py, move || inner.metrics().to_json().to_string())
    }

    /// A fingerprint of all positions and velocities, as `taut run` prints it.
    #[getter]
    fn hash(&self) -> PyResult<String> {
        Ok(format!("{:016x}", self.lock()?.state_hash()))
    }

    /// What was odd, what has no effect, what will not hold: a sentence each.
    #[getter]
    fn warnings(&self) -> PyResult<Vec<String>> {
        Ok(self.lock()?.warnings())
    }

    /// Where vertices are held now, (n, 3), m.
    fn pinned_positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        arrays::give(py, self.lock()?.pinned_positions())
    }

    /// How many pairs intersect now, by exact arithmetic.
    fn intersections(&self, py: Python<'_>) -> PyResult<usize> {
        let mut inner = self.lock()?;
        let inner = &mut *inner;
        work(py, || inner.intersections().count)
    }

    /// A picture of the frame as the bytes of a PNG: in the bodies' colours, or by a field ("weft", "warp", "shear",
    /// "area", "use", "stretch", "volume") on a scale that ends at `scale` (strain).
    #[pyo3(signature = (width=640, height=480, field=None, scale=0.05))]
    fn picture<'py>(
        &self,
        py: Python<'py>,
        width: usize,
        height: usize,
        field: Option<&str>,
        scale: f64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        if !(8..=8192).contains(&width) || !(8..=8192).contains(&height) {
            return Err(argument("the picture", format!("{width} × {height}"), "8 to 8192 pixels each way"));
        }
        let positive = scale.is_finite() && scale > 0.0;
        if !positive {
            return Err(argument("scale", scale, "a strain above 0"));
        }
        let map = match field {
            None => None,
            Some(key) => {
                let heat = Heat::from_key(key).ok_or_else(|| Error::new_err(format!("there is no field {key:?}")))?;
                let colours = if heat == Heat::Use { Scale::up_to(1.0) } else { Scale::around_zero(scale) };
                Some(HeatMap { heat, scale: colours })
            }
        };
        let mut inner = self.lock()?;
        let inner = &mut *inner;
        let bytes = work(py, move || {
            let shot = Shot::of(inner);
            let mut look = Look::new(inner, 1);
            look.include(&shot);
            taut_studio::png(&look.draw(&shot, map.as_ref(), [width, height]))
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __repr__(&self) -> PyResult<String> {
        let inner = self.lock()?;
        Ok(format!("Simulation({:?}, frame {} of {})", inner.scene().title(), inner.frame(), inner.frames()))
    }
}

fn frame_report<'py>(py: Python<'py>, report: &FrameReport) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("frame", report.frame)?;
    dict.set_item("time", report.time)?;
    dict.set_item("steps", report.steps)?;
    dict.set_item("iterations", report.iterations)?;
    dict.set_item("residual", report.residual)?;
    dict.set_item("contained", report.contained)?;
    dict.set_item("contacts", report.contacts)?;
    dict.set_item("pairs", report.contact.pairs)?;
    dict.set_item("stretch", report.inextensibility.stretch)?;
    dict.set_item("used", report.inextensibility.used)?;
    dict.set_item("given_up", report.inextensibility.given_up)?;
    dict.set_item("threads", report.threads)?;
    let seconds: f64 = report.stage_seconds.iter().sum();
    dict.set_item("seconds", seconds)?;
    Ok(dict)
}
