//! How it is tested: the mesh and the solver, which a result should not depend on.

use taut::Bending;

/// How a specimen is cut into triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// A grid whose quads are all cut the same way.
    Regular,
    /// A grid whose quads are cut alternately.
    #[default]
    Alternating,
    /// Scattered points, without a preferred direction.
    Irregular,
}

impl Cut {
    /// All of them.
    pub const ALL: [Cut; 3] = [Cut::Regular, Cut::Alternating, Cut::Irregular];

    /// As scenes call it.
    pub fn name(self) -> &'static str {
        match self {
            Cut::Regular => "regular",
            Cut::Alternating => "alternating",
            Cut::Irregular => "irregular",
        }
    }
}

/// How the engine steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Solver {
    /// As scenes call it: `newton`, `pbd`, `conjugate-residuals`, …
    pub kind: String,
    /// Iterations in a substep, at most; the solver's own number if not given.
    pub iterations: Option<u32>,
    /// Substeps in a step; the solver's own number if not given.
    pub substeps: Option<u32>,
    /// Where it stops, see the scenes' `solver.tolerance`.
    pub tolerance: Option<f64>,
    /// Length of a step, s: 1 at most.
    pub step: f64,
    /// Further lines of `[solver]`, such as an integrator.
    pub more: String,
}

impl Solver {
    /// Newton's method with steps of a second: the quickest way to rest. A step ends 1e-9 m from its solution, well
    /// above rounding and below all that is measured.
    pub fn still() -> Solver {
        Solver {
            kind: "newton".into(),
            iterations: Some(30),
            substeps: Some(1),
            tolerance: Some(1e-9),
            step: 1.0,
            more: String::new(),
        }
    }

    /// A solver by name, with its own settings and steps of 1/60 s; for Newton's method, [`Solver::still`].
    pub fn named(kind: &str) -> Solver {
        let still = Solver::still();
        match kind {
            "newton" => still,
            _ => {
                let kind = kind.to_owned();
                Solver { kind, iterations: None, substeps: None, tolerance: None, step: 1.0 / 60.0, ..still }
            }
        }
    }

    /// The scene's `[time]` and `[solver]`, in 64 bits.
    pub(crate) fn toml(&self) -> String {
        let mut text =
            format!("[time]\nfps = {:?}\nframes = 1\n\n[solver]\nkind = \"{}\"\n", 1.0 / self.step, self.kind);
        let mut put = |key: &str, value: Option<String>| {
            if let Some(value) = value {
                text += &format!("{key} = {value}\n");
            }
        };
        put("iterations", self.iterations.map(|n| n.to_string()));
        put("substeps", self.substeps.map(|n| n.to_string()));
        put("tolerance", self.tolerance.map(|t| format!("{t:?}")));
        text + "precision = \"f64\"\n" + &self.more
    }
}

/// The mesh and the solver.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// How specimens are cut into triangles.
    pub cut: Cut,
    /// How fine: cells across a strip; other tests say what it means to them.
    pub cells: u32,
    /// For irregular meshes: another seed scatters other points.
    pub seed: u32,
    /// How the engine steps.
    pub solver: Solver,
    /// What resists bending.
    pub bending: Bending,
}

impl Default for Machine {
    /// Alternating, four cells across, Newton's method, patches.
    fn default() -> Machine {
        Machine { cut: Cut::Alternating, cells: 4, seed: 1, solver: Solver::still(), bending: Bending::Patches }
    }
}

impl Machine {
    /// The `bending` key of a cloth.
    pub(crate) fn bending_toml(&self) -> &'static str {
        match self.bending {
            Bending::Hinges => "bending = \"hinges\"\n",
            Bending::Patches => "bending = \"patches\"\n",
        }
    }

    /// The `generate` and `bending` keys of a sheet with square cells of size `cell` (m).
    pub(crate) fn sheet(&self, [width, height]: [f64; 2], cell: f64, plane: &str) -> String {
        let count = |length: f64| ((length / cell).round().max(1.0) as u32).saturating_add(1);
        let (nx, ny) = (count(width), count(height));
        format!(
            "generate = {{ kind = \"sheet\", width = {width:?}, height = {height:?}, nx = {nx}, ny = {ny}, plane = \"{plane}\", cut = \"{}\", seed = {} }}\n{}",
            self.cut.name(),
            self.seed,
            self.bending_toml()
        )
    }
}
