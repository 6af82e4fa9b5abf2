//! Soft bodies: tetrahedra with strain and volume.

use super::frames::THINNEST;
use super::{BuildError, ModelBuilder, Oddity, SolidElasticity, StrainForm, check_number, check_rate, check_stiffness};
use crate::boundary::boundary_triangles;
use crate::constraint::Loose;
use crate::lanes::V3;
use crate::mesh::TetMesh;
use crate::model::{Body, BodyKind};
use std::collections::HashSet;

/// How a soft body behaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// Mass per volume, kg/m³.
    pub density: f64,
    /// Which form of the strain rows.
    pub form: StrainForm,
    /// How strongly each row is held.
    pub stiffness: SolidStiffness,
    /// The lengths along the frame's axes that count as unstretched, over those of the mesh.
    pub rest_stretch: [f64; 3],
    /// How fast motion along the strain rows dies, 1/s. Rigid motion is never damped.
    pub damping: f64,
    /// Stiffness in physical units. If given, `form`, `stiffness` and `damping` have no say.
    pub elasticity: Option<SolidElasticity>,
}

/// The part of each row's error that one projection removes, 0 to 1 (SBD Eq. 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidStiffness {
    /// Stretch along the three axes of the material frame.
    pub stretch: [f64; 3],
    /// Shear between axes 1 and 2, 1 and 3, 2 and 3.
    pub shear: [f64; 3],
    /// Volume, signed: this turns inverted elements back. Close to 1 together with stiff strain it jitters.
    pub volume: f64,
}

impl Default for SolidStiffness {
    fn default() -> Self {
        SolidStiffness { stretch: [0.9; 3], shear: [0.9; 3], volume: 0.5 }
    }
}

impl Default for Solid {
    fn default() -> Self {
        Solid {
            density: 1000.0,
            form: StrainForm::default(),
            stiffness: SolidStiffness::default(),
            rest_stretch: [1.0; 3],
            damping: 0.0,
            elasticity: None,
        }
    }
}

impl Solid {
    /// The form of the strain rows its tetrahedra get: `form`, or that of its elasticity.
    pub fn strain_form(&self) -> StrainForm {
        if self.elasticity.is_some() { StrainForm::Plain } else { self.form }
    }

    fn check(&self, body: &str) -> Result<(), BuildError> {
        let k = &self.stiffness;
        check_number(body, "density", self.density, "kg/m³, above 0", self.density.is_finite() && self.density > 0.0)?;
        for s in k.stretch {
            check_stiffness(body, "stiffness.stretch", s)?;
        }
        for s in k.shear {
            check_stiffness(body, "stiffness.shear", s)?;
        }
        check_stiffness(body, "stiffness.volume", k.volume)?;
        if let Some(elasticity) = &self.elasticity {
            elasticity.check(body)?;
        }
        check_rate(body, "damping", self.damping)?;
        for s in self.rest_stretch {
            check_number(body, "rest_stretch", s, "0.01 to 100", (0.01..=100.0).contains(&s))?;
        }
        Ok(())
    }
}

impl ModelBuilder {
    /// Adds a soft body with vertices of its own. Returns the number of its first vertex.
    pub fn add_solid(&mut self, name: &str, mesh: &TetMesh, solid: &Solid) -> Result<u32, BuildError> {
        self.or_nothing(|builder| {
            let base = builder.add_vertices(&mesh.positions)?;
            builder.solid_on(name, base, mesh, solid)?;
            Ok(base)
        })
    }

    fn solid_on(&mut self, name: &str, base: u32, mesh: &TetMesh, solid: &Solid) -> Result<(), BuildError> {
        solid.check(name)?;
        let given = mesh.tets.len();
        if !mesh.frames.is_empty() && mesh.frames.len() != given {
            let (body, list) = (name.to_owned(), "frames");
            return Err(BuildError::Length { body, list, found: mesh.frames.len(), expected: given });
        }
        let tets = self.turned_tets(name, base, mesh)?;
        let mut found = Inspection::default();
        let form = solid.strain_form();
        let first = self.elements_of(form).len() as u32;
        let mut strained = Vec::with_capacity(given);
        let mut seen = HashSet::with_capacity(given);
        for (t, &index) in tets.iter().enumerate() {
            let mut sorted = index;
            sorted.sort_unstable();
            if !seen.insert(sorted) {
                found.twice.push(t);
            } else if let Some(element) = self.strain_element(t, index, mesh, solid, &mut found) {
                self.elements_of(form).push(element);
                strained.push(t as u32);
            }
        }
        self.warn(name, Oddity::NoVolume, &found.flat);
        self.warn(name, Oddity::DuplicateTet, &found.twice);
        self.warn(name, Oddity::BadFrame, &found.bad_frame);
        if strained.is_empty() {
            return Err(BuildError::NothingLeft { body: name.to_owned(), element: "tetrahedron", given });
        }
        let kept: Vec<_> = strained.iter().map(|&t| tets[t as usize]).collect();
        let triangles = boundary_triangles(&kept);
        self.faces.extend(triangles.iter().map(|&index| Loose::bare(index, [1.0])));
        let elements = first..self.elements_of(form).len() as u32;
        self.bodies.push(Body {
            name: name.to_owned(),
            base,
            triangles,
            tets,
            limits: Vec::new(),
            contact: Vec::new(),
            strained,
            strains: self.next_strains(BodyKind::Solid, elements.len()),
            elements,
            kind: BodyKind::Solid,
            form,
        });
        Ok(())
    }

    fn elements_of(&mut self, form: StrainForm) -> &mut Vec<Loose<4, 12, 7>> {
        match form {
            StrainForm::Improved | StrainForm::StretchShear => &mut self.loose.tetrahedra,
            StrainForm::Plain => &mut self.loose.plain_tetrahedra,
        }
    }

    /// The tetrahedra in the model's vertex numbers, in range and right side out.
    fn turned_tets(&mut self, name: &str, base: u32, mesh: &TetMesh) -> Result<Vec<[u32; 4]>, BuildError> {
        let own = mesh.positions.len();
        let mut turned = Vec::new();
        let mut out = Vec::with_capacity(mesh.tets.len());
        for (number, t) in mesh.tets.iter().enumerate() {
            if let Some(&vertex) = t.iter().find(|&&v| v as usize >= own) {
                let body = name.to_owned();
                return Err(BuildError::Index { body, element: "tetrahedron", number, vertex, vertices: own });
            }
            let mut moved = t.map(|v| v.saturating_add(base));
            self.check_index(name, "tetrahedron", number, &moved)?;
            let e = self.edge_vectors(moved);
            if e[0].dot(e[1].cross(e[2])) < 0.0 {
                moved.swap(2, 3);
                turned.push(number);
            }
            out.push(moved);
        }
        self.warn(name, Oddity::InsideOut, &turned);
        Ok(out)
    }

    fn edge_vectors(&self, tet: [u32; 4]) -> [V3<f64>; 3] {
        let x = tet.map(|v| V3::from(self.positions[v as usize]));
        [x[1] - x[0], x[2] - x[0], x[3] - x[0]]
    }

    /// The element of one tetrahedron, whose mass goes to its vertices; none if it is flat.
    fn strain_element(
        &mut self,
        t: usize,
        index: [u32; 4],
        mesh: &TetMesh,
        solid: &Solid,
        found: &mut Inspection,
    ) -> Option<Loose<4, 12, 7>> {
        let e = self.edge_vectors(index);
        let six_volumes = e[0].dot(e[1].cross(e[2]));
        let size = (e[0].norm2() + e[1].norm2() + e[2].norm2()).sqrt();
        let fat = six_volumes > size * size * size * THINNEST;
        if !fat {
            found.flat.push(t);
            return None;
        }
        let frame = mesh.frames.get(t).copied().unwrap_or(WORLD);
        let frame = if orthonormal(&frame) {
            frame
        } else {
            found.bad_frame.push(t);
            WORLD
        };
        for v in index {
            self.masses[v as usize] += six_volumes / 24.0 * solid.density;
        }
        // B_ik = (Q⁻¹)_ki with Q = Rᵀ[e1 e2 e3]; rows of [e]⁻¹ are the reciprocal vectors, seen in the frame.
        let d = 1.0 / six_volumes;
        let reciprocal = [e[1].cross(e[2]) * d, e[2].cross(e[0]) * d, e[0].cross(e[1]) * d];
        let mut rest = [0.0; 12];
        for i in 0..3 {
            for k in 0..3 {
                rest[3 * i + k] = reciprocal[k].dot(V3::from(frame[i]));
            }
            rest[9 + i] = solid.rest_stretch[i];
        }
        let k = &solid.stiffness;
        let stiffness = [k.stretch[0], k.stretch[1], k.stretch[2], k.shear[0], k.shear[1], k.shear[2], k.volume];
        let c = solid.damping;
        let (stiffness, damping, elastic) = match &solid.elasticity {
            Some(e) => ([0.0; 7], [0.0; 7], Some(e.tetrahedron(six_volumes / 6.0, solid.rest_stretch))),
            None => (stiffness, [c, c, c, c, c, c, 0.0], None),
        };
        Some(Loose { index, rest, stiffness, damping, elastic })
    }
}

/// Tetrahedra that were odd.
#[derive(Default)]
struct Inspection {
    flat: Vec<usize>,
    twice: Vec<usize>,
    bad_frame: Vec<usize>,
}

const WORLD: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Three perpendicular unit vectors, right-handed: a left-handed frame would turn the sign of the volume.
fn orthonormal(frame: &[[f64; 3]; 3]) -> bool {
    let [a, b, c] = frame.map(V3::from);
    let close = |x: f64, to: f64| (x - to).abs() < 1e-3;
    close(a.norm2(), 1.0) && close(b.norm2(), 1.0) && close(a.dot(b), 0.0) && close(a.cross(b).dot(c), 1.0)
}
