//! Moving, turning and scaling whole meshes.

use taut::mesh::{TetMesh, TriMesh};

use super::error::{GenerateError, MAX_LENGTH, MIN_LENGTH, check_point};
use super::frames::check_direction;
use super::vec3::frame;
use glam::{DMat3, DVec3};

/// A rotation. Angles are in degrees, since people write them; whole quarter turns are exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rotation {
    /// Around an axis through the origin, counter-clockwise seen from the axis's tip.
    AxisAngle {
        /// The axis, of any length.
        axis: [f64; 3],
        /// The angle, degrees.
        degrees: f64,
    },
    /// Around the fixed x axis, then the fixed y axis, then the fixed z axis, degrees.
    Euler {
        /// The angle around each axis, degrees.
        degrees: [f64; 3],
    },
}

impl Default for Rotation {
    /// No rotation.
    fn default() -> Self {
        Rotation::Euler { degrees: [0.0; 3] }
    }
}

/// A change of place: scales, then rotates, both about the origin, then translates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Factors along x, y and z, not zero. A negative one mirrors, and elements are turned so that outside stays
    /// outside.
    pub scale: [f64; 3],
    /// The rotation.
    pub rotate: Rotation,
    /// The translation, m.
    pub translate: [f64; 3],
}

impl Default for Transform {
    /// No change.
    fn default() -> Self {
        Self { scale: [1.0; 3], rotate: Rotation::default(), translate: [0.0; 3] }
    }
}

impl Transform {
    /// The mesh transformed. Texture coordinates are on the cloth and stay as they are; a mirrored cloth shows them
    /// mirrored.
    pub fn tri_mesh(&self, mut mesh: TriMesh) -> Result<TriMesh, GenerateError> {
        let linear = self.linear()?;
        self.place(linear, &mut mesh.positions)?;
        if self.mirrors() {
            mesh.triangles.iter_mut().chain(&mut mesh.uv_triangles).for_each(|corners| corners.swap(1, 2));
        }
        Ok(mesh)
    }

    /// The mesh transformed, its material frames with it: axis 0 stays along its fibres, axis 1 as near to its own as a
    /// right angle allows, axis 2 completes them right-handed.
    pub fn tet_mesh(&self, mut mesh: TetMesh) -> Result<TetMesh, GenerateError> {
        let linear = self.linear()?;
        self.place(linear, &mut mesh.positions)?;
        if self.mirrors() {
            mesh.tets.iter_mut().for_each(|corners| corners.swap(2, 3));
        }
        // The world axes are no longer the material's once they are turned.
        if mesh.frames.is_empty() && self.rotate != Rotation::default() {
            mesh.frames = vec![[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]; mesh.tets.len()];
        }
        for axes in &mut mesh.frames {
            if let Some(first) = (linear * DVec3::from(axes[0])).try_normalize() {
                *axes = frame(first, linear * DVec3::from(axes[1])).map(|axis| axis.to_array());
            }
        }
        Ok(mesh)
    }

    fn mirrors(&self) -> bool {
        self.scale.iter().filter(|&&factor| factor < 0.0).count() % 2 == 1
    }

    fn place(&self, linear: DMat3, positions: &mut [[f64; 3]]) -> Result<(), GenerateError> {
        check_point("translate", self.translate)?;
        for position in positions {
            *position = (linear * DVec3::from(*position) + DVec3::from(self.translate)).into();
            if !position.iter().all(|x| x.is_finite()) {
                return Err(GenerateError::new("mesh", format!("a vertex moved to {position:?}"), "finite positions"));
            }
        }
        Ok(())
    }

    /// The matrix that scales and rotates.
    fn linear(&self) -> Result<DMat3, GenerateError> {
        if !self.scale.iter().all(|factor| (MIN_LENGTH..=MAX_LENGTH).contains(&factor.abs())) {
            let expected = format!("factors from {MIN_LENGTH} to {MAX_LENGTH}, or negative ones");
            return Err(GenerateError::new("scale", format!("{:?}", self.scale), expected));
        }
        let mut columns = DVec3::AXES;
        match self.rotate {
            Rotation::AxisAngle { axis, degrees } => {
                let axis = check_direction("rotate", axis)?;
                columns = turned(columns, axis, degrees)?;
            }
            Rotation::Euler { degrees } => {
                for (axis, degrees) in columns.into_iter().zip(degrees) {
                    columns = turned(columns, axis, degrees)?;
                }
            }
        }
        let [x, y, z] = [0, 1, 2].map(|axis| columns[axis] * self.scale[axis]);
        Ok(DMat3::from_cols(x, y, z))
    }
}

/// The vectors rotated around a unit axis (Rodrigues' formula).
fn turned(vectors: [DVec3; 3], axis: DVec3, degrees: f64) -> Result<[DVec3; 3], GenerateError> {
    if !degrees.is_finite() {
        return Err(GenerateError::new("rotate", degrees, "an angle in degrees"));
    }
    let (sin, cos) = sin_cos_degrees(degrees);
    Ok(vectors.map(|vector| vector * cos + axis.cross(vector) * sin + axis * (axis.dot(vector) * (1.0 - cos))))
}

/// Sine and cosine of an angle in degrees, exact at quarter turns, where radians are not.
fn sin_cos_degrees(degrees: f64) -> (f64, f64) {
    let turn = degrees % 360.0;
    let quarters = turn / 90.0;
    if quarters != quarters.trunc() {
        return libm::sincos(turn.to_radians());
    }
    match (quarters as i32).rem_euclid(4) {
        0 => (0.0, 1.0),
        1 => (1.0, 0.0),
        2 => (0.0, -1.0),
        _ => (-1.0, 0.0),
    }
}
