//! How glTF places nodes, and turns them.

use glam::{DAffine3, DMat4, DQuat, DVec3};

/// How a node is placed in its parent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Placement {
    /// A matrix, which glTF does not animate.
    Fixed(DAffine3),
    /// Scaled, then turned, then moved.
    Parts { translation: DVec3, rotation: DQuat, scale: DVec3 },
}

impl Placement {
    pub fn affine(&self) -> DAffine3 {
        match *self {
            Self::Fixed(affine) => affine,
            Self::Parts { translation, rotation, scale } => {
                DAffine3::from_scale_rotation_translation(scale, normalized(rotation), translation)
            }
        }
    }
}

/// From glTF's 4×4 matrix, column after column; its last row is 0 0 0 1 for anything that places things.
pub(super) fn from_columns(m: &[f64; 16]) -> DAffine3 {
    DAffine3::from_mat4(DMat4::from_cols_array(m))
}

/// The unit quaternion along `q`, or no rotation if `q` is zero.
pub(super) fn normalized(q: DQuat) -> DQuat {
    let length = q.length();
    if length > 0.0 && length.is_finite() { q / length } else { DQuat::IDENTITY }
}

/// The rotation between two unit quaternions, the short way round, at constant speed.
pub(super) fn slerp(a: DQuat, b: DQuat, t: f64) -> DQuat {
    let cosine = a.dot(b);
    let (b, cosine) = if cosine < 0.0 { (-b, -cosine) } else { (b, cosine) };
    let (wa, wb) = if cosine > 1.0 - 1e-9 {
        // Too close for the sine below; a straight line is as good.
        (1.0 - t, t)
    } else {
        // Not the platform's functions: their last digits differ, and colliders must move alike everywhere.
        let angle = libm::acos(cosine);
        let sine = libm::sin(angle);
        (libm::sin((1.0 - t) * angle) / sine, libm::sin(t * angle) / sine)
    };
    normalized(a * wa + b * wb)
}
