//! What cloth and soft bodies cannot enter.

use crate::arrays;
use crate::error::argument;
use pyo3::prelude::*;
use std::sync::Arc;
use taut::{ColliderMesh, MeshCollider, Pose, Shape};

/// A shape or mesh that cloth and soft bodies cannot enter, where it is at the start of a step and at its end.
///
/// Made by `Collider.plane`, `.sphere`, `.capsule`, `.box` or `.mesh`; frozen. `moved` gives the same one on its way
/// somewhere. Friction is Coulomb's coefficient, thickness the distance kept, m.
#[pyclass(frozen, module = "taut")]
#[derive(Clone)]
pub struct Collider {
    pub kind: Kind,
}

#[derive(Clone)]
pub enum Kind {
    Simple(taut::Collider),
    Mesh(MeshCollider),
}

/// Where a shape is.
fn pose(position: Option<&Bound<'_, PyAny>>, rotation: Option<&Bound<'_, PyAny>>, usual: Pose) -> PyResult<Pose> {
    Ok(Pose {
        position: position.map_or(Ok(usual.position), |p| arrays::vector("position", p))?,
        rotation: rotation.map_or(Ok(usual.rotation), |r| arrays::vector("rotation", r))?,
    })
}

fn check(friction: f64, thickness: f64) -> PyResult<()> {
    if !(friction.is_finite() && friction >= 0.0) {
        return Err(argument("friction", friction, "0 or more"));
    }
    let sound = thickness.is_finite() && (0.0..1e9).contains(&thickness);
    if sound { Ok(()) } else { Err(argument("thickness", thickness, "m, 0 or more")) }
}

/// Where and what it is made of, but for its form.
type Place<'a, 'py> = (Option<&'a Bound<'py, PyAny>>, Option<&'a Bound<'py, PyAny>>);

fn simple(shape: Shape, (position, rotation): Place<'_, '_>, friction: f64, thickness: f64) -> PyResult<Collider> {
    check(friction, thickness)?;
    let fixed = taut::Collider::fixed(shape, pose(position, rotation, Pose::default())?);
    let collider = taut::Collider { friction, thickness, ..fixed };
    if !collider.sound::<f64>() {
        return Err(argument("its size", format!("{shape:?}"), "finite numbers above 0"));
    }
    Ok(Collider { kind: Kind::Simple(collider) })
}

#[pymethods]
impl Collider {
    /// Everything below y = 0 in its own frame. Position in m, rotation a quaternion (x, y, z, w).
    #[staticmethod]
    #[pyo3(signature = (position=None, rotation=None, *, friction=0.3, thickness=0.002))]
    fn plane(
        position: Option<&Bound<'_, PyAny>>,
        rotation: Option<&Bound<'_, PyAny>>,
        friction: f64,
        thickness: f64,
    ) -> PyResult<Self> {
        simple(Shape::Plane, (position, rotation), friction, thickness)
    }

    /// A ball of `radius` (m).
    #[staticmethod]
    #[pyo3(signature = (radius, position=None, *, friction=0.3, thickness=0.002))]
    fn sphere(radius: f64, position: Option<&Bound<'_, PyAny>>, friction: f64, thickness: f64) -> PyResult<Self> {
        simple(Shape::Sphere { radius }, (position, None), friction, thickness)
    }

    /// A cylinder along y with round ends: `radius` and half the distance between the ends' centres, m.
    #[staticmethod]
    #[pyo3(signature = (radius, half_length, position=None, rotation=None, *, friction=0.3, thickness=0.002))]
    fn capsule(
        radius: f64,
        half_length: f64,
        position: Option<&Bound<'_, PyAny>>,
        rotation: Option<&Bound<'_, PyAny>>,
        friction: f64,
        thickness: f64,
    ) -> PyResult<Self> {
        simple(Shape::Capsule { radius, half_length }, (position, rotation), friction, thickness)
    }

    /// A box with half its edges (m).
    #[staticmethod]
    #[pyo3(signature = (half, position=None, rotation=None, *, friction=0.3, thickness=0.002))]
    fn r#box(
        half: &Bound<'_, PyAny>,
        position: Option<&Bound<'_, PyAny>>,
        rotation: Option<&Bound<'_, PyAny>>,
        friction: f64,
        thickness: f64,
    ) -> PyResult<Self> {
        simple(Shape::Box { half: arrays::vector("half", half)? }, (position, rotation), friction, thickness)
    }

    /// A mesh: vertices (n, 3) in m, triangles (m, 3). Bodies meet it only with a contact thickness of their own.
    #[staticmethod]
    #[pyo3(signature = (vertices, triangles, *, friction=0.3, thickness=0.002))]
    fn mesh(
        py: Python<'_>,
        vertices: &Bound<'_, PyAny>,
        triangles: &Bound<'_, PyAny>,
        friction: f64,
        thickness: f64,
    ) -> PyResult<Self> {
        check(friction, thickness)?;
        let vertices = arrays::rows::<3>("vertices", vertices)?;
        let triangles = arrays::index_rows::<3>("triangles", triangles)?;
        if let Some(bad) = triangles.iter().flatten().find(|&&v| v as usize >= vertices.len()) {
            return Err(argument(
                "triangles",
                format!("of vertex {bad}"),
                &format!("those of {} vertices", vertices.len()),
            ));
        }
        finite("vertices", &vertices)?;
        let shape = crate::guard::work(py, || Arc::new(ColliderMesh::new(&vertices, &triangles)))?;
        Ok(Collider { kind: Kind::Mesh(MeshCollider { friction, thickness, ..MeshCollider::fixed(shape) }) })
    }

    /// The same one, which starts the next step where it was to be at the end of the last one and ends it elsewhere: at
    /// a position (m) and rotation (quaternion x, y, z, w), or a mesh with its vertices (n, 3) at `vertices` (m).
    #[pyo3(signature = (position=None, rotation=None, *, vertices=None))]
    fn moved(
        &self,
        position: Option<&Bound<'_, PyAny>>,
        rotation: Option<&Bound<'_, PyAny>>,
        vertices: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let kind = match (&self.kind, vertices) {
            (Kind::Simple(old), None) => {
                let to = pose(position, rotation, old.to)?;
                Kind::Simple(taut::Collider { from: old.to, to, ..*old })
            }
            (Kind::Mesh(old), Some(vertices)) if position.is_none() && rotation.is_none() => {
                let to = arrays::rows_of::<3>("vertices", vertices, old.shape.vertices())?;
                finite("vertices", &to)?;
                Kind::Mesh(MeshCollider { from: old.to.clone(), to: to.into(), ..old.clone() })
            }
            (Kind::Simple(_), Some(_)) => {
                return Err(argument("vertices", "given", "a position or rotation for a shape"));
            }
            (Kind::Mesh(_), _) => return Err(argument("a mesh's place", "a pose", "its vertices, as `vertices=`")),
        };
        Ok(Collider { kind })
    }

    /// What it is: "plane", "sphere", "capsule", "box" or "mesh".
    #[getter]
    fn shape(&self) -> &'static str {
        match &self.kind {
            Kind::Mesh(_) => "mesh",
            Kind::Simple(c) => match c.shape {
                Shape::Plane => "plane",
                Shape::Sphere { .. } => "sphere",
                Shape::Capsule { .. } => "capsule",
                Shape::Box { .. } => "box",
            },
        }
    }

    /// Coulomb's coefficient of friction.
    #[getter]
    fn friction(&self) -> f64 {
        match &self.kind {
            Kind::Simple(c) => c.friction,
            Kind::Mesh(c) => c.friction,
        }
    }

    /// The distance kept, m.
    #[getter]
    fn thickness(&self) -> f64 {
        match &self.kind {
            Kind::Simple(c) => c.thickness,
            Kind::Mesh(c) => c.thickness,
        }
    }

    /// Where it is at the end of the step: a shape's origin, m; nothing for a mesh.
    #[getter]
    fn position(&self) -> Option<[f64; 3]> {
        match &self.kind {
            Kind::Simple(c) => Some(c.to.position),
            Kind::Mesh(_) => None,
        }
    }

    fn __repr__(&self) -> String {
        match &self.kind {
            Kind::Simple(c) => format!("Collider({:?} at {:?} m, friction {})", c.shape, c.to.position, c.friction),
            Kind::Mesh(c) => {
                format!("Collider(mesh of {} triangles, friction {})", c.shape.triangles().len(), c.friction)
            }
        }
    }
}

/// Places are numbers, and not out of this world.
fn finite(name: &str, places: &[[f64; 3]]) -> PyResult<()> {
    match places.iter().position(|p| !p.iter().all(|c| c.is_finite() && c.abs() < 1e9)) {
        Some(at) => Err(argument(&format!("{name}[{at}]"), format!("{:?}", places[at]), "finite coordinates, m")),
        None => Ok(()),
    }
}
