//! A report with made-up numbers.

use std::fs;
use std::io;
use std::path::Path;
use taut_render::Scale;
use taut_render::chart::{Chart, HeatTable};
use taut_render::report::{Report, ReportPicture};

const SCENE: &str = r#"# A flag in wind.
[time]
frames = 40
frames_per_second = 25

[[cloth]]
name = "flag"
grid = { size = [1.2, 0.8], cells = [79, 53] }
fabric = "polyester"
pins = [{ near = [0.0, 1.0, 0.0] }, { near = [0.0, 0.2, 0.0] }]

[wind]
velocity = [6.0, 0.0, 1.5] # m/s
"#;

/// The page; pictures are those already in the folder.
pub fn page(folder: &Path) -> io::Result<String> {
    let mut report = Report {
        title: "flag: a flag in wind".into(),
        subtitle: "taut 0.1.0 · 40 frames of 4 substeps · f32 · 2 threads".into(),
        warnings: vec!["frame 12: 3 vertices moved faster than 20 m/s and were slowed down".into()],
        scene: SCENE.into(),
        ..Report::default()
    };
    report.fact("frames", 40, "");
    report.fact("time per frame", "8.4", "ms");
    report.fact("largest weft strain", "4.98", "%");
    report.fact("largest warp strain", "3.10", "%");
    report.fact("area change", "−0.42", "%");
    report.fact("state hash", "9f3ac2d17be04415", "");
    for (name, caption) in
        [("flag.gif", "The animation"), ("strain.png", "Weft strain at frame 32"), ("sheet.png", "Every fifth frame")]
    {
        let bytes = fs::read(folder.join(name))?;
        report.pictures.push(ReportPicture { caption: caption.into(), alt: caption.into(), bytes });
    }
    report.charts = charts();
    Ok(report.html())
}

fn charts() -> Vec<String> {
    let over_time = |f: fn(f64) -> f64| (0..200).map(move |i| [i as f64 * 0.02, f(i as f64 * 0.02)]);
    let strain = Chart::lines("Largest strain by component")
        .x("time", "s")
        .y("strain", "%")
        .series("weft", over_time(|t| 4.9 * (1.0 - (-3.0 * t).exp()) + 0.1 * (9.0 * t).sin()))
        .limit_of_last("weft limit", 5.0)
        .series("warp", over_time(|t| 3.0 * (1.0 - (-2.0 * t).exp()) + 0.3 * (5.0 * t).sin()))
        .series("shear", over_time(|t| if (1.0..1.4).contains(&t) { f64::NAN } else { 2.0 + (3.0 * t).cos() }));
    let energy = Chart::lines("Energy by kind")
        .x("time", "s")
        .y("energy", "J")
        .log_y()
        .series("kinetic", over_time(|t| 0.4 * (-1.2 * t).exp() * (1.05 + (8.0 * t).sin())))
        .series("elastic", over_time(|t| 0.02 + 0.1 * (-0.5 * t).exp()))
        .series("potential", over_time(|t| 6.0 + 2.0 * (-t).exp()));
    let stages = Chart::stacked_areas("Time per frame by stage")
        .x("frame", "")
        .y("time", "ms")
        .series("predict", (0..40).map(|i| [i as f64, 0.6 + 0.05 * (i as f64).sin()]))
        .series("detect", (0..40).map(|i| [i as f64, 1.5 + 0.3 * (i as f64 * 0.7).sin()]))
        .series("solve", (0..40).map(|i| [i as f64, 4.8 + 0.6 * (i as f64 * 0.3).cos()]))
        .series("limit", (0..40).map(|i| [i as f64, 1.1]))
        .series("guard", (0..40).map(|i| [i as f64, 0.5]))
        .limit("25 frames a second", 40.0 / 4.0);
    let scaling = Chart::points("Cost against size")
        .x("triangles", "")
        .y("time per step", "ms")
        .log_x()
        .log_y()
        .series("1 thread", (3..=12).map(|i| [4f64.powi(i), 4f64.powi(i) * 2e-5 + 0.01]))
        .series("2 threads", (3..=12).map(|i| [4f64.powi(i), 4f64.powi(i) * 1.1e-5 + 0.015]));
    let bars = Chart::stacked_bars("Iterations by substep")
        .x("substep", "")
        .y("iterations", "")
        .series("solver", (1..=8).map(|i| [i as f64, 10.0 + (i % 3) as f64]))
        .series("limiter", (1..=8).map(|i| [i as f64, 3.0 + (i % 2) as f64]));
    let table = HeatTable {
        title: "Largest strain (%) by iterations and substeps".into(),
        rows: ["1 substep", "2 substeps", "4 substeps", "8 substeps"].map(String::from).to_vec(),
        columns: ["5", "10", "20", "40"].map(String::from).to_vec(),
        values: (0..4).map(|r| (0..4).map(|c| 9.0 / (1.0 + r as f64) / (1.0 + c as f64)).collect()).collect(),
        scale: Scale::up_to(9.0),
    };
    vec![strain.svg(), energy.svg(), stages.svg(), scaling.svg(), bars.svg(), table.svg()]
}
