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
    /// Who left the first of those no room.
    pub impossible_between: Blockers,
    /// How often a vertex was held where it was, because no other motion could be proved to be free of intersections
    /// within the budget of work.
    pub held: u64,
    /// What safety passes looked at, in pairs of features, a closer look at one counted as 64. Bounded by the mesh; the
    /// same on every machine.
    pub work: u64,
    /// Pairs of triangles that intersected at the start of the step, and are being pulled apart.
    pub tangled: u64,
    /// Where the first of those was, m.
    pub tangled_at: Option<[f64; 3]>,
}

/// What left cloth no room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blockers {
    /// Up to two colliders, by their numbers: those of [`Params::colliders`](crate::Params::colliders), then of
    /// [`Params::meshes`](crate::Params::meshes), counted without those that were left out.
    pub colliders: [Option<u32>; 2],
    /// A held vertex, by the user's number.
    pub pin: Option<u32>,
}
