//! Cusick's drape test: a disc of 30 cm is held between plates of 18 cm, its rim falls in folds, and light from above
//! throws its shadow. The drape coefficient is the part of the free ring that is in the shadow:
//! DC = (shadow − plate)/(disc − plate). Stiff cloth has 100 %, and a cloth that hung straight down would have 0 %.

mod published;
mod report;

pub use published::{PUBLISHED, Published};
pub use report::report;

use crate::rest::{Rest, build, settle};
use crate::shadow::{Shadow, nodes};
use crate::{Cloth, Cut, GRAVITY, LabError, Machine, Solver};
use taut_scene::simulation::Simulation;

/// Radius of the disc, m.
pub const RADIUS: f64 = 0.15;
/// Radius of the plates, m.
pub const SUPPORT: f64 = 0.09;
/// What counts as a node: the shadow's edge rises and falls by this, m.
pub const NODE: f64 = 0.003;

/// A disc on its support.
#[derive(Clone, Debug, PartialEq)]
pub struct Drape {
    /// What is draped.
    pub cloth: Cloth,
    /// Mesh and solver; `cells` are rings of vertices from the middle to the rim. Grids have no discs: what is not
    /// irregular is made of rings.
    pub machine: Machine,
    /// Which specimen: each has its own small unevenness, from which folds grow.
    pub specimen: u32,
}

/// What a disc does.
#[derive(Clone, Debug, PartialEq)]
pub struct Draped {
    /// Drape coefficient, %.
    pub coefficient: f64,
    /// Folds.
    pub nodes: usize,
    /// Distance of the rim's lowest point below the plates, m.
    pub depth: f64,
    /// The shadow.
    pub shadow: Shadow,
    /// Pairs of triangles that intersect: cloth that would have touched itself.
    pub intersections: u64,
    /// How it came to rest.
    pub rest: Rest,
}

impl Drape {
    /// The solver for discs: one exact Newton step for each 1/30 s, which is calm.
    pub fn solver() -> Solver {
        Solver { step: 1.0 / 30.0, ..Solver::named("newton-cholesky") }
    }

    /// The scene.
    pub fn scene(&self) -> String {
        let irregular = self.machine.cut == Cut::Irregular;
        format!(
            "# Cusick's drape test: {}.\n{}\n[world]\ngravity = [0, -{GRAVITY}, 0]\n\n[contact]\non = false\n\n[[cloth]]\nname = \"disc\"\n\
             generate = {{ kind = \"disc\", radius = {RADIUS}, rings = {}, irregular = {irregular}, seed = {} }}\n{}{}\n\
             [[initial]]\nbody = \"disc\"\njitter = {{ amount = 2e-5, seed = {} }}\n\n\
             [[pin]]\nbody = \"disc\"\nselect = {{ sphere = {{ centre = [0, 0, 0], radius = {} }} }}\n",
            self.cloth.name,
            self.machine.solver.toml(),
            self.machine.cells,
            self.machine.seed,
            self.machine.bending_toml(),
            self.cloth.toml(),
            self.specimen,
            SUPPORT * 1.001,
        )
    }

    /// Lets the disc fall and hang.
    pub fn hang(&self) -> Result<(Draped, Simulation), LabError> {
        let mut simulation = build("drape", &self.scene())?;
        // Twelve seconds at most; a tenth of a millimetre a second changes the coefficient by a hundredth of a percent.
        let most = (12.0 / self.machine.solver.step) as u32;
        let rest = settle(&mut simulation, most, 1e-4 * self.machine.solver.step, |_| ());
        let info = &simulation.objects()[0].info;
        let positions = simulation.positions(0);
        let shadow = Shadow::of(&positions, &info.triangles, 1.2 * RADIUS, PIXELS);
        let flat = Shadow::of(&info.rest, &info.triangles, 1.2 * RADIUS, PIXELS).area();
        let plate = std::f64::consts::PI * SUPPORT * SUPPORT;
        let coefficient = 100.0 * (shadow.area() - plate) / (flat - plate);
        let depth = -positions.iter().map(|p| p[1]).fold(0.0, f64::min);
        let nodes = nodes(&shadow.outline(720), NODE);
        let intersections = simulation.intersections().count as u64;
        Ok((Draped { coefficient, nodes, depth, shadow, intersections, rest }, simulation))
    }
}

/// Pixels along the side of a shadow: 0.2 mm each.
const PIXELS: usize = 1800;
