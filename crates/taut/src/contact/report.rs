//! What a step tells about contact between surfaces.

/// What contact between surfaces did in a step; all zero without [`Contact::materials`](super::Contact::materials).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactReport {
    /// Near pairs of features that the solver kept apart, in the last substep.
    pub pairs: u64,
    /// How often the safety pass stopped a vertex.
    pub stopped: u64,
    /// What the safety pass took back of all motion, 0 to 1.
    pub removed: f64,
    /// Pairs that could not be kept apart, because colliders or pins left no room.
    pub impossible: u64,
    /// Where the first of those was, m.
    pub impossible_at: Option<[f64; 3]>,
    /// Pairs of triangles that intersected at the start of the step, and are being pulled apart.
    pub tangled: u64,
    /// Where the first of those was, m.
    pub tangled_at: Option<[f64; 3]>,
}
