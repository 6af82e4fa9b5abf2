//! APSL's Figs. 1, 5, 6 and 7: areas under the implicit solver alone, with the limiter behind it, and by the limiter alone.

use crate::Done;
use crate::draw::{Shot, camera, save};
use crate::scenes::{Alone, Held, Motion, largest, shaken, still};
use std::path::Path;
use taut::limit::{ApslClothParams, ApslSettings, LimitReport, LimitSpec};
use taut_render::chart::Chart;
use taut_render::{Picture, Scale};

const FACES: usize = 1600;

/// The paper's ten systems at most, with an α that conjugate gradients solve in about three iterations.
fn printed() -> ApslSettings {
    ApslSettings { alpha: 1.3, adaptive: false, ..ApslSettings::default() }
}

/// One way to simulate, frame by frame.
enum Way {
    Implicit(Box<Held>),
    Alone(Box<Alone>),
}

/// What came of it.
struct Trace {
    name: &'static str,
    way: Way,
    /// The largest change of area after each frame, %.
    worst: Vec<[f64; 2]>,
    work: LimitReport,
    steps: u32,
    /// Shape and changes of area at the frame of the picture.
    taken: Option<(Shot, Vec<f64>)>,
}

impl Trace {
    fn new(name: &'static str, way: Way) -> Self {
        Trace { name, way, worst: Vec::new(), work: LimitReport::none(), steps: 0, taken: None }
    }

    fn frame(&mut self, number: u32, take: bool) {
        let (report, area, shot) = match &mut self.way {
            Way::Implicit(held) => (held.frame().limit, held.cloth.area(), Shot::of(&held.cloth)),
            Way::Alone(alone) => (alone.frame(), alone.area(), Shot::alone(alone)),
        };
        self.work = self.work.join(&report);
        self.steps += 1;
        self.worst.push([f64::from(number), 100.0 * largest(&area)]);
        if take {
            self.taken = Some((shot, area));
        }
    }

    fn row(&self, at: u32) -> String {
        let most = self.worst.iter().map(|p| p[1]).fold(0.0, f64::max);
        let mean = self.worst.iter().map(|p| p[1]).sum::<f64>() / self.worst.len() as f64;
        let then = self.worst[at as usize - 1][1];
        let systems = f64::from(self.work.iterations);
        let each = if systems > 0.0 { self.work.cg_iterations as f64 / systems } else { 0.0 };
        format!(
            "{:<34} {then:8.2} {most:8.2} {mean:8.2} | {:5.1} systems a frame, {each:5.2} CG iterations each",
            self.name,
            systems / f64::from(self.steps)
        )
    }
}

fn traces(motion: Motion) -> Vec<Trace> {
    let limited =
        |steps, settings| Way::Implicit(Box::new(Held::new(FACES, steps, &[LimitSpec::areas(settings)], motion)));
    let alone = ApslClothParams { substeps: 10, ..ApslClothParams::default() };
    vec![
        Trace::new("implicit alone, 10 steps", Way::Implicit(Box::new(Held::new(FACES, 10, &[], motion)))),
        Trace::new("with APSL, α 1.3, 10 steps", limited(10, printed())),
        Trace::new("with APSL, α 1.3, 1 step", limited(1, printed())),
        Trace::new("with APSL, α 1.01, 1 step", limited(1, ApslSettings::default())),
        Trace::new("APSL alone", Way::Alone(Box::new(Alone::new(FACES, alone, motion)))),
    ]
}

/// Runs all for some frames, with a picture at one of them.
fn run(motion: Motion, frames: u32, at: u32) -> Vec<Trace> {
    let mut all = traces(motion);
    std::thread::scope(|scope| {
        for trace in &mut all {
            scope.spawn(move || (1..=frames).for_each(|f| trace.frame(f, f == at)));
        }
    });
    all
}

fn report(title: &str, traces: &[Trace], at: u32) {
    println!("{title}: largest change of area, %: at frame {at}, in any frame, mean of frames");
    traces.iter().for_each(|t| println!("  {}", t.row(at)));
}

/// Rows of three: the cloth, its changes of area, and the same over the largest of them.
fn pictures(traces: &[&Trace], full: f64, at: u32) -> Vec<(Picture, String)> {
    let all: Vec<[f64; 3]> =
        traces.iter().filter_map(|t| t.taken.as_ref()).flat_map(|(s, _)| s.positions.iter().copied()).collect();
    let size = [420, 420];
    let camera = camera(&all, [0.35, 0.1, 1.0], 1.0);
    let mut out = Vec::new();
    for trace in traces {
        let Some((shot, area)) = &trace.taken else { continue };
        let area: Vec<f64> = area.iter().map(|a| a.abs()).collect();
        let most = largest(&area);
        out.push((shot.draw(&camera, size, None, &[]), format!("{}, frame {at}", trace.name)));
        let label = format!("area change, yellow from {:.0} %", 100.0 * full);
        out.push((shot.draw(&camera, size, Some((&area, Scale::up_to(full))), &[]), label));
        let label = format!("over the largest, {:.2} %", 100.0 * most);
        out.push((shot.draw(&camera, size, Some((&area, Scale::up_to(most))), &[]), label));
    }
    out
}

/// Figs. 1 and 6: cloth let go lying, held by two corners.
pub fn figure_1(folder: &Path) -> Done {
    let at = 30;
    let all = run(still, 120, at);
    report("APSL Figs. 1 and 6, two-corner hang, 2 s", &all, at);
    println!(
        "  the paper, at its frame: implicit alone 96.3, with APSL 1.94, APSL alone 4.77; 10 systems, 3 iterations each"
    );
    save(folder, "limit-area-figure-1.png", &pictures(&[&all[0], &all[1], &all[4]], 0.1, at), 3, 210)
}

/// Figs. 5 and 7: the corners are shaken, 370 frames.
pub fn figure_7(folder: &Path) -> Done {
    let at = 120;
    let all = run(shaken, 370, at);
    report("APSL Figs. 5 and 7, shaken corners, 370 frames", &all, at);
    println!("  the paper, at its frame: implicit alone 105.6, with APSL 3.64; alone often above 300");
    save(folder, "limit-area-figure-7.png", &pictures(&[&all[0], &all[1], &all[4]], 0.5, at), 3, 210)?;
    let mut chart = Chart::lines("Largest change of area, by frame").x("frame", "").y("area change", "%").log_y();
    for trace in all {
        chart = chart.series(trace.name, trace.worst);
    }
    std::fs::write(folder.join("limit-area-figure-5.svg"), Chart { width: 720.0, height: 380.0, ..chart }.svg())?;
    Ok(())
}
