//! The four papers, figure by figure: each a scene, a measurement, a picture, and what the paper claims as a checked
//! condition.
//!
//! ```
//! use taut_papers::{Size, Verdict, entry};
//!
//! let outcome = (entry("sbd-2").unwrap().run)(Size::Small)?;
//! assert!(outcome.claims.iter().all(|claim| claim.verdict == Verdict::Holds));
//! # Ok::<(), taut_papers::Error>(())
//! ```
//!
//! Scenes are held once, here or among the built-in ones, and used in two sizes: the paper's own, and one that a test
//! can run.

mod apsl;
mod clock;
mod csl;
mod limited;
pub mod page;
mod sbd;
mod soft;

pub use taut_studio::{Claim, Figure, Outcome, Table, Verdict};

/// Why an entry could not be run.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// One of the papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paper {
    /// Strain Based Dynamics.
    Sbd,
    /// Cloth Simulation Using Soft Constraints.
    Soft,
    /// Area Preserving Strain Limiting.
    Apsl,
    /// Continuum-based Strain Limiting.
    Csl,
}

impl Paper {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Paper; 4] = [Paper::Sbd, Paper::Soft, Paper::Apsl, Paper::Csl];

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Paper::Sbd => "Strain Based Dynamics",
            Paper::Soft => "Cloth Simulation Using Soft Constraints",
            Paper::Apsl => "Area Preserving Strain Limiting",
            Paper::Csl => "Continuum-based Strain Limiting",
        }
    }

    /// Who wrote it, and when.
    pub fn authors(self) -> &'static str {
        match self {
            Paper::Sbd => "Müller, Chentanez, Kim and Macklin 2014",
            Paper::Soft => "Frâncu and Moldoveanu 2015",
            Paper::Apsl => "Han 2015",
            Paper::Csl => "Thomaszewski, Pabst and Straßer 2009",
        }
    }
}

/// How large an entry is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Seconds: coarse meshes, few frames, small pictures. For tests.
    Small,
    /// What the paper has, as far as it tells.
    Full,
}

impl Size {
    /// One of two.
    fn pick<T>(self, small: T, full: T) -> T {
        match self {
            Size::Small => small,
            Size::Full => full,
        }
    }

    /// The side of a picture, pixels.
    fn pixels(self, full: usize) -> usize {
        self.pick(full / 2, full)
    }

    /// What a person calls it.
    pub fn name(self) -> &'static str {
        self.pick("small", "full")
    }
}

/// A figure or table of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What it is called by: `sbd-3`.
    pub name: &'static str,
    /// Whose it is.
    pub paper: Paper,
    /// Its place there: `Fig. 3`.
    pub figure: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Runs it. Slow in full size: up to an hour.
    pub run: fn(Size) -> Result<Outcome, Error>,
}

macro_rules! entries {
    ($($name:literal $paper:ident $figure:literal $title:literal $run:path;)*) => {
        /// Every entry: the one list.
        pub static ENTRIES: &[Entry] = &[$(Entry {
            name: $name,
            paper: Paper::$paper,
            figure: $figure,
            title: $title,
            run: $run,
        }),*];
    };
}

entries! {
    "sbd-1" Sbd "Fig. 1" "a tight skirt in a long step: stiff, soft, soft around only" sbd::skirt::figure_1;
    "sbd-2" Sbd "Fig. 2" "constraint values and projection vectors, six panels" sbd::rows::figure_2;
    "sbd-3" Sbd "Fig. 3" "stiffness along weft, along warp and in shear, each on its own" sbd::cloth::figure_3;
    "sbd-4" Sbd "Fig. 4" "a soft torus: recovery from a tangle, and stiffness by mode" sbd::torus::figure_4;
    "sbd-5" Sbd "Fig. 5" "skin sliding against linear blend skinning" sbd::skin::figure_5;
    "sbd-6" Sbd "Fig. 6" "the time of one iteration" sbd::times::figure_6;
    "sbd-3.4" Sbd "§3.4" "the square root of strain leaves less stretch" sbd::cloth::section_3_4;
    "soft-1" Soft "Fig. 1" "four solvers, one energy" soft::energy::figure_1;
    "soft-2" Soft "Fig. 2" "a dress on a figure" soft::dress::figure_2;
    "soft-3" Soft "Fig. 3" "finite elements against springs of the same modulus" soft::strain::figure_3;
    "soft-4" Soft "Fig. 4" "energy over time of three methods" soft::energy::figure_4;
    "soft-5" Soft "Fig. 5" "damping" soft::energy::figure_5;
    "apsl-1" Apsl "Fig. 1" "areas behind the implicit solver, hanging" apsl::figure_1;
    "apsl-5" Apsl "Fig. 5" "the largest change of area, frame by frame" apsl::figure_5;
    "apsl-6" Apsl "Fig. 6" "the limiter as a solver of its own" apsl::figure_6;
    "apsl-7" Apsl "Fig. 7" "areas behind the implicit solver, shaken" apsl::figure_7;
    "csl-6" Csl "Fig. 6" "seven limits on a hanging sheet" csl::strain::figure_6;
    "csl-7" Csl "Fig. 7" "a dress that is spun: shear with limits on strain and on edges" csl::dress::figure_7;
    "csl-8" Csl "Fig. 8" "limits on a disc over a ball" csl::strain::figure_8;
    "csl-table-1" Csl "Table 1" "what limiting costs" csl::table::table_1;
}

/// The entry with this name.
pub fn entry(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

/// Does all, two at a time, in their order.
fn in_pairs<A: Sync, B: Send>(list: &[A], work: impl Fn(&A) -> B + Sync) -> Vec<B> {
    let mut out: Vec<B> = Vec::with_capacity(list.len());
    for pair in list.chunks(2) {
        std::thread::scope(|scope| {
            let threads: Vec<_> = pair.iter().map(|a| scope.spawn(|| work(a))).collect();
            out.extend(threads.into_iter().filter_map(|t| t.join().ok()));
        });
    }
    out
}
