//! Area-preserving strain limiting (APSL): the areas of all triangles, or the volumes of all tetrahedra, at once.

mod cloth;
mod system;

pub use cloth::{ApslCloth, ApslClothParams};

use super::apply::{Application, MemorySize, Tally};
use super::error::{LimitError, bad};
use super::policy::{addressable, check_indices};
use super::{Band, LimitReport, RestTet, RestTriangle, Skipped, Violation};
use crate::lanes::Scalar;
use crate::sets::Grouped;
use system::{CHUNK, System};

/// How to preserve areas or volumes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApslSettings {
    /// The diagonal of G is multiplied by this, above 1 (APSL §4). Larger solves in fewer iterations and holds areas
    /// more loosely in one solve, above all changes that vary slowly over the cloth, which G hardly sees: at 1.1 a
    /// solve takes 4 iterations and a sheet stretched to twice its length is still 11 % too large after 30, at 1.001
    /// one takes 50 and 4 are enough.
    pub alpha: f64,
    /// Raises α for the next solve when conjugate gradients do not converge in `cg_iterations`, and lets it down again
    /// when they take less than half of that (APSL §4).
    pub adaptive: bool,
    /// Most linear systems in one application, each built anew where the last has led: the paper's sub-steps, 1 to
    /// 10,000.
    pub substeps: u32,
    /// Relative changes of size up to this count as none: the paper's target threshold.
    pub threshold: f64,
    /// Conjugate gradients stop when the residual has fallen to this share.
    pub cg_tolerance: f64,
    /// Most iterations of conjugate gradients for one system, 1 to 10,000.
    pub cg_iterations: u32,
    /// The relative change of size that is left alone. The paper's is none; `Band::upto(0.0)` lets cloth be squeezed.
    pub band: Band,
}

impl Default for ApslSettings {
    fn default() -> Self {
        ApslSettings {
            alpha: 1.01,
            adaptive: true,
            substeps: 10,
            threshold: 0.02,
            cg_tolerance: 0.1,
            cg_iterations: 60,
            band: Band::both(0.0),
        }
    }
}

impl ApslSettings {
    /// How much larger and how much smaller than at rest a size may be at the end of a step, over that.
    pub(super) fn bounds(&self) -> [f64; 2] {
        [self.band.most, self.band.shorter()].map(|by| by + self.threshold)
    }

    fn check(&self) -> Result<(), LimitError> {
        self.band.check("size limit")?;
        match self {
            s if !(s.alpha > 1.0 && s.alpha <= MOST_ALPHA) => bad("alpha", s.alpha, "above 1, at most 1e4"),
            s if !(1..=10_000).contains(&s.substeps) => bad("substeps", f64::from(s.substeps), "1 to 10,000"),
            s if !(s.threshold >= 0.0 && s.threshold.is_finite()) => bad("threshold", s.threshold, "0 or more"),
            s if !(s.cg_tolerance > 0.0 && s.cg_tolerance < 1.0) => {
                bad("CG tolerance", s.cg_tolerance, "above 0, below 1")
            }
            s if !(1..=10_000).contains(&s.cg_iterations) => {
                bad("CG iterations", f64::from(s.cg_iterations), "1 to 10,000")
            }
            _ => Ok(()),
        }
    }
}

const MOST_ALPHA: f64 = 1e4;

/// The limiter of Han: "Area Preserving Strain Limiting".
///
/// Every triangle has a pressure; pressures push vertices along the gradients of the triangles' areas, and are found
/// from one linear system G p = A − A₀ with **G = Δt² J M⁻¹ Jᵀ**, J the gradients of all areas. The paper's own entries
/// are not symmetric (ERRATA); this G is, and couples triangles that share a vertex. One condition for each triangle
/// leaves the others of its freedoms alone: no locking. Tetrahedra with volumes work alike.
///
/// The rows are the engine's area and volume rows, sizes relative to rest; Δt² only scales pressures and is left out. G
/// is applied, never stored. Sums are taken in a fixed order.
#[derive(Clone, Debug)]
pub(super) struct Apsl<T> {
    settings: ApslSettings,
    vertices: usize,
    shapes: Shapes<T>,
    /// Vertices of elements, one after another.
    index: Vec<u32>,
    /// Corners are element × corners + corner.
    incidence: Grouped,
    degenerate: u64,
}

/// Rest numbers of elements.
#[derive(Clone, Debug)]
enum Shapes<T> {
    Triangles(Vec<[T; 6]>),
    Tets(Vec<[T; 12]>),
}

impl<T> Shapes<T> {
    fn corners(&self) -> usize {
        match self {
            Shapes::Triangles(_) => 3,
            Shapes::Tets(_) => 4,
        }
    }
}

impl<T: Scalar> Apsl<T> {
    pub fn areas(vertices: usize, triangles: &[RestTriangle], settings: ApslSettings) -> Result<Self, LimitError> {
        check_indices::<T, 3>("triangle", vertices, triangles.iter().map(|t| t.vertices))?;
        let (mut index, mut shapes) = (Vec::new(), Vec::new());
        for t in triangles {
            if let Some([a, b, c, d]) = t.inverse() {
                index.extend(t.vertices);
                shapes.push([a, b, c, d, 1.0, 1.0].map(T::of));
            }
        }
        Apsl::new(vertices, triangles.len(), Shapes::Triangles(shapes), index, settings)
    }

    pub fn volumes(vertices: usize, tets: &[RestTet], settings: ApslSettings) -> Result<Self, LimitError> {
        check_indices::<T, 4>("tetrahedron", vertices, tets.iter().map(|t| t.vertices))?;
        let (mut index, mut shapes) = (Vec::new(), Vec::new());
        for t in tets {
            if let Some([a, b, c, d, e, f, g, h, i]) = t.inverse() {
                index.extend(t.vertices);
                shapes.push([a, b, c, d, e, f, g, h, i, 1.0, 1.0, 1.0].map(T::of));
            }
        }
        Apsl::new(vertices, tets.len(), Shapes::Tets(shapes), index, settings)
    }

    fn new(
        vertices: usize,
        given: usize,
        shapes: Shapes<T>,
        index: Vec<u32>,
        settings: ApslSettings,
    ) -> Result<Self, LimitError> {
        settings.check()?;
        addressable::<T>(vertices.saturating_add(index.len()).saturating_mul(2))?;
        let incidence = Grouped::new(vertices, index.iter().enumerate().map(|(corner, &v)| (v, corner as u32)));
        let degenerate = (given - index.len() / shapes.corners()) as u64;
        Ok(Apsl { settings, vertices, shapes, index, incidence, degenerate })
    }

    pub fn name(&self) -> &'static str {
        match self.shapes {
            Shapes::Triangles(_) => "apsl",
            Shapes::Tets(_) => "apsl-volume",
        }
    }

    fn elements(&self) -> usize {
        self.index.len() / self.shapes.corners()
    }

    /// Meeting pays from so many elements for each thread.
    pub fn workers(&self) -> usize {
        (self.elements() / 20_000).max(1)
    }

    pub fn memory(&self) -> MemorySize {
        let elements = self.elements();
        let vectors = self.vertices + self.index.len() + elements;
        MemorySize { vectors, numbers: elements, sums: elements.div_ceil(CHUNK) }
    }

    pub fn relax(&self, job: &mut Application<'_, T>) -> LimitReport {
        let s = &self.settings;
        let most = s.substeps.saturating_sub(job.spent);
        let mut seen = System::new(self, job).build(s.band);
        seen = job.add_up(&seen);
        let before = seen;
        let mut report = LimitReport { before: violation(&seen), ..LimitReport::default() };
        let mut alpha = s.alpha;
        while report.iterations < most && seen.most() > s.threshold {
            let mut system = System::new(self, job);
            let (iterations, solved) = system.solve(alpha, s.cg_tolerance, s.cg_iterations);
            alpha = match solved {
                _ if !s.adaptive => alpha,
                false => (1.0 + (alpha - 1.0) * 2.0).min(MOST_ALPHA),
                true if iterations * 2 < s.cg_iterations => (1.0 + (alpha - 1.0) * 0.5).max(s.alpha),
                true => alpha,
            };
            system.displace();
            seen = system.build(s.band);
            seen = job.add_up(&seen);
            report.iterations += 1;
            report.cg_iterations += u64::from(iterations);
        }
        let [not_finite, held, collapsed] = before.counts;
        LimitReport {
            converged: seen.most() <= s.threshold,
            after: violation(&seen),
            skipped: Skipped { degenerate: self.degenerate, not_finite, held },
            collapsed,
            ..report
        }
    }
}

fn violation(seen: &Tally) -> Violation {
    Violation { size: seen.worst[0], ..Violation::default() }
}
