//! What a limiter did.

/// By how much limits are exceeded, at the worst element for each component; 0 where all hold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Violation {
    /// Strain along weft beyond its limit.
    pub weft: f64,
    /// Strain along warp beyond its limit.
    pub warp: f64,
    /// Shear beyond its limit.
    pub shear: f64,
    /// Strain of an edge beyond its limit.
    pub edge: f64,
    /// Relative change of area (triangles) or volume (tetrahedra).
    pub size: f64,
}

impl Violation {
    /// The largest of all.
    pub fn worst(&self) -> f64 {
        [self.weft, self.warp, self.shear, self.edge, self.size].into_iter().fold(0.0, f64::max)
    }

    /// The larger of each component.
    pub fn or(&self, other: &Violation) -> Violation {
        Violation {
            weft: self.weft.max(other.weft),
            warp: self.warp.max(other.warp),
            shear: self.shear.max(other.shear),
            edge: self.edge.max(other.edge),
            size: self.size.max(other.size),
        }
    }
}

/// Elements that a limiter could do nothing for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Without area, volume or length at rest, or with a vertex twice: left out when the limiter was made.
    pub degenerate: u64,
    /// With a vertex that is not finite, or stretched beyond what can be computed with.
    pub not_finite: u64,
    /// With no vertex that could move: all fixed, or without mass.
    pub held: u64,
}

/// What a limiter did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LimitReport {
    /// Sweeps over all elements, or linear systems solved.
    pub iterations: u32,
    /// Whether all limits hold to the tolerance. Skipped elements do not count.
    pub converged: bool,
    /// Violations of the candidate as it came.
    pub before: Violation,
    /// Violations as it left.
    pub after: Violation,
    /// Elements it could do nothing for.
    pub skipped: Skipped,
    /// Elements squeezed to a line or a point. They are treated like others.
    pub collapsed: u64,
    /// Vertices whose velocity was not finite, before or after; it was set to zero.
    pub contained: u64,
    /// Iterations of conjugate gradients, in all systems together.
    pub cg_iterations: u64,
    /// The threads that worked.
    pub threads: usize,
}

impl LimitReport {
    /// Nothing limited, and no limit exceeded: what others are [joined](Self::join) to.
    pub fn none() -> Self {
        LimitReport { converged: true, ..LimitReport::default() }
    }

    /// Two applications as one: the work of both, the worst of either.
    pub fn join(&self, other: &LimitReport) -> LimitReport {
        let (a, b) = (&self.skipped, &other.skipped);
        LimitReport {
            iterations: self.iterations.saturating_add(other.iterations),
            converged: self.converged && other.converged,
            before: self.before.or(&other.before),
            after: self.after.or(&other.after),
            skipped: Skipped {
                degenerate: a.degenerate.max(b.degenerate),
                not_finite: a.not_finite.max(b.not_finite),
                held: a.held.max(b.held),
            },
            collapsed: self.collapsed.max(other.collapsed),
            contained: self.contained + other.contained,
            cg_iterations: self.cg_iterations + other.cg_iterations,
            threads: self.threads.max(other.threads),
        }
    }
}
