//! What is compared: scenes with changes of their own, and what was measured of them.

use crate::fail::Failure;
use crate::flags::{SceneFlags, stem};
use taut_scene::scene::Scene;
use taut_scene::simulation::{FrameReport, Metrics, ObjectKind, Simulation};

/// One of the things compared.
pub struct Case {
    /// What tells it from the others.
    pub label: String,
    /// The simulation.
    pub simulation: Simulation,
    /// One for each frame, the first the beginning.
    pub rows: Vec<Row>,
    /// Frames to the common end.
    frames: u32,
}

/// What is measured of a frame.
pub struct Row {
    /// What the frame is in numbers.
    pub metrics: Metrics,
    /// Iterations of the solver.
    pub iterations: u64,
    /// Sweeps of strain limiters.
    pub sweeps: u32,
    /// What the last solve left unsolved, m/s.
    pub residual: f64,
    /// Milliseconds.
    pub ms: f64,
}

impl Row {
    fn new(simulation: &Simulation, report: &FrameReport) -> Self {
        Row {
            metrics: simulation.metrics(),
            iterations: report.iterations,
            sweeps: report.limit.iterations,
            residual: report.residual,
            ms: 1e3 * report.stage_seconds.iter().sum::<f64>(),
        }
    }

    /// Kinetic, potential and elastic energy together, J.
    pub fn energy(&self) -> f64 {
        self.metrics.totals.kinetic + self.metrics.totals.potential + self.metrics.totals.elastic
    }
}

impl Case {
    /// Frames to the common end.
    pub fn frames(&self) -> u32 {
        self.frames
    }

    /// Computes frames up to this one.
    pub fn advance_to(&mut self, frame: u32) {
        while self.simulation.frame() < frame {
            let report = self.simulation.advance();
            self.rows.push(Row::new(&self.simulation, &report));
        }
    }

    /// Whether anything in it is of a kind.
    pub fn has(&self, kind: ObjectKind) -> bool {
        self.simulation.objects().iter().any(|object| object.kind == kind)
    }

    /// The largest of a number over all frames.
    pub fn most(&self, of: impl Fn(&Row) -> f64) -> f64 {
        self.rows.iter().map(of).fold(0.0, f64::max)
    }

    /// The mean of a number over all frames but the beginning, which takes no time.
    pub fn mean(&self, of: impl Fn(&Row) -> f64) -> f64 {
        let computed = self.rows.get(1..).unwrap_or_default();
        computed.iter().map(of).sum::<f64>() / computed.len().max(1) as f64
    }
}

/// Reads and builds all. They are compared up to the end of the shortest.
pub fn open(which: &[String], flags: &SceneFlags) -> Result<Vec<Case>, Failure> {
    let mut cases = Vec::new();
    for argument in which {
        let (name, own) = split(argument);
        let mut flags = flags.clone();
        flags.set.extend(own.iter().cloned());
        let scene = flags.open(&name)?;
        let simulation = flags.build(&scene)?;
        let first = Row::new(&simulation, &FrameReport::default());
        let label = if own.is_empty() { stem(&scene) } else { own.join(", ") };
        cases.push(Case { label, frames: simulation.frames(), simulation, rows: vec![first] });
    }
    let end = cases.iter().map(|case| duration(case.simulation.scene(), case.frames)).fold(f64::INFINITY, f64::min);
    for case in &mut cases {
        let fps = case.simulation.scene().settings.time.fps;
        // A frame more than there are would be one too many, however fps rounds.
        case.frames = ((end * fps + 1e-6) as u32).clamp(1, case.frames.max(1));
    }
    name_apart(&mut cases, which);
    Ok(cases)
}

fn duration(scene: &Scene, frames: u32) -> f64 {
    f64::from(frames) / scene.settings.time.fps
}

/// Where labels would not tell cases apart, or scenes differ, the scene's name comes first; what is still alike gets a
/// number.
fn name_apart(cases: &mut [Case], which: &[String]) {
    let names: Vec<String> = cases.iter().map(|case| stem(case.simulation.scene())).collect();
    if names.iter().any(|name| *name != names[0]) {
        for ((case, name), argument) in cases.iter_mut().zip(&names).zip(which) {
            let own = split(argument).1;
            if !own.is_empty() {
                case.label = format!("{name}: {}", own.join(", "));
            }
        }
    }
    for at in 1..cases.len() {
        let earlier = cases[..at].iter().filter(|case| case.label == cases[at].label).count();
        if earlier > 0 {
            cases[at].label = format!("{} ({})", cases[at].label, earlier + 1);
        }
    }
}

/// A scene and its own changes. What follows the first colon is changes if it has the shape of one; commas part them
/// unless they are inside brackets or quotes.
pub fn split(argument: &str) -> (String, Vec<String>) {
    let colon = argument.char_indices().find(|&(at, c)| {
        let key = argument[at + c.len_utf8()..].split('=').next().unwrap_or_default();
        let sound = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '"' | '\'' | ' ');
        c == ':' && argument[at..].contains('=') && !key.is_empty() && key.chars().all(sound)
    });
    let Some((at, _)) = colon else { return (argument.to_owned(), Vec::new()) };
    let (mut sets, mut depth, mut quote) = (vec![String::new()], 0, None);
    for c in argument[at + 1..].chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                sets.push(String::new());
                continue;
            }
            _ => (),
        }
        if let Some(last) = sets.last_mut() {
            last.push(c);
        }
    }
    let sets = sets.iter().map(|set| set.trim().to_owned()).filter(|set| !set.is_empty()).collect();
    (argument[..at].to_owned(), sets)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn changes_follow_a_colon_and_commas_part_them() {
        let sets = |argument: &str| split(argument).1;
        assert_eq!(split("hang"), ("hang".into(), vec![]));
        assert_eq!(split("hang:solver.substeps=40"), ("hang".into(), vec!["solver.substeps=40".into()]));
        assert_eq!(sets("hang:a=1,b=2"), ["a=1", "b=2"]);
        assert_eq!(sets("hang:world.gravity=[0, -1, 0], b=\"x,y\""), ["world.gravity=[0, -1, 0]", "b=\"x,y\""]);
        assert_eq!(sets("hang:air.drag={ across = 1, along = 2 }"), ["air.drag={ across = 1, along = 2 }"]);
        // A path with a colon is a path.
        assert_eq!(split(r"C:\scenes\a.toml").0, r"C:\scenes\a.toml");
        assert_eq!(split(r"C:\a.toml:time.fps=30"), (r"C:\a.toml".into(), vec!["time.fps=30".into()]));
    }
}
