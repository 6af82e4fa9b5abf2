//! Flags of the laboratory: what is tested, and how.

use crate::fail::Failure;
use clap::ValueEnum;
use taut_lab::certificate::Quantity;
use taut_lab::{Cloth, Cut, Solver};

/// What is tested: a fabric, or a fabric with some figures changed.
#[derive(clap::Args)]
pub struct Specimen {
    /// A fabric of the library, see `taut fabrics`.
    #[arg(default_value = "cotton")]
    fabric: String,
    /// Mass per area, kg/m², in place of the fabric's.
    #[arg(long, help_heading = "Figures of one's own")]
    density: Option<f64>,
    /// Young's modulus along the weft times thickness, N/m.
    #[arg(long, help_heading = "Figures of one's own")]
    weft: Option<f64>,
    /// Young's modulus along the warp times thickness, N/m.
    #[arg(long, help_heading = "Figures of one's own")]
    warp: Option<f64>,
    /// Contraction along the warp over extension along the weft.
    #[arg(long, help_heading = "Figures of one's own", allow_negative_numbers = true)]
    poisson: Option<f64>,
    /// Shear modulus times thickness, N/m.
    #[arg(long, help_heading = "Figures of one's own")]
    shear: Option<f64>,
    /// Bending rigidity along the weft, N·m.
    #[arg(long, help_heading = "Figures of one's own")]
    bend_weft: Option<f64>,
    /// Bending rigidity along the warp, N·m.
    #[arg(long, help_heading = "Figures of one's own")]
    bend_warp: Option<f64>,
}

impl Specimen {
    /// The cloth.
    pub fn cloth(&self) -> Result<Cloth, Failure> {
        let mut cloth = Cloth::named(&self.fabric)?;
        let before = cloth.clone();
        let [bend_weft, bend_warp] = &mut cloth.bend;
        let own: [(&mut f64, Option<f64>); 7] = [
            (&mut cloth.density, self.density),
            (&mut cloth.membrane.weft, self.weft),
            (&mut cloth.membrane.warp, self.warp),
            (&mut cloth.membrane.poisson, self.poisson),
            (&mut cloth.membrane.shear, self.shear),
            (bend_weft, self.bend_weft),
            (bend_warp, self.bend_warp),
        ];
        own.into_iter().for_each(|(figure, given)| *figure = given.unwrap_or(*figure));
        let figures = [cloth.density, cloth.membrane.weft, cloth.membrane.warp, cloth.membrane.shear];
        if figures.iter().chain(&cloth.bend).any(|figure| !(*figure > 0.0 && figure.is_finite())) {
            return Err(Failure::BadInput("density, moduli and rigidities of a specimen are positive numbers".into()));
        }
        if cloth != before {
            cloth.name = format!("{}-changed", before.name);
        }
        Ok(cloth)
    }
}

/// How it is tested: mesh and solver.
#[derive(clap::Args)]
pub struct Workshop {
    /// How specimens are cut into triangles.
    #[arg(long, default_value = "alternating")]
    pub mesh: Mesh,
    /// Cells across a strip or along a side, or rings of a disc.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub resolution: Option<u32>,
    /// For irregular meshes: another seed scatters other points.
    #[arg(long, default_value_t = 1)]
    pub seed: u32,
    /// What resists bending.
    #[arg(long, default_value = "patches")]
    pub bending: Bends,
    /// The solver, as scenes call it: newton, pbd, conjugate-residuals, …
    #[arg(long)]
    pub solver: Option<String>,
    /// Iterations in a substep, at most.
    #[arg(long, value_name = "N")]
    pub iterations: Option<u32>,
    /// Substeps in a step.
    #[arg(long, value_name = "N")]
    pub substeps: Option<u32>,
    /// Length of a step, s.
    #[arg(long, value_name = "SECONDS")]
    pub time_step: Option<f64>,
}

/// How specimens are cut into triangles.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum Mesh {
    /// A grid whose quads are all cut the same way.
    Regular,
    /// A grid whose quads are cut alternately.
    Alternating,
    /// Scattered points, without a preferred direction.
    Irregular,
}

/// What resists bending.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum Bends {
    /// An angle at every edge, each on its own.
    Hinges,
    /// The three angles around every triangle together.
    Patches,
}

impl From<Bends> for taut::Bending {
    fn from(bends: Bends) -> taut::Bending {
        match bends {
            Bends::Hinges => taut::Bending::Hinges,
            Bends::Patches => taut::Bending::Patches,
        }
    }
}

impl From<Mesh> for Cut {
    fn from(mesh: Mesh) -> Cut {
        match mesh {
            Mesh::Regular => Cut::Regular,
            Mesh::Alternating => Cut::Alternating,
            Mesh::Irregular => Cut::Irregular,
        }
    }
}

/// What a certificate measures.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum Measures {
    /// Strain of a strip under its own weight.
    Strain,
    /// Droop over an edge.
    Droop,
    /// Period of a swing.
    Period,
}

impl From<Measures> for Quantity {
    fn from(measure: Measures) -> Quantity {
        match measure {
            Measures::Strain => Quantity::Strain,
            Measures::Droop => Quantity::Droop,
            Measures::Period => Quantity::Period,
        }
    }
}

/// Newton's method for motion.
pub fn moving() -> Solver {
    Solver { step: 1.0 / 120.0, tolerance: Some(1e-7), iterations: Some(30), ..Solver::still() }
}
