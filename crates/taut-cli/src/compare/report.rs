//! The numbers of a comparison: a table, curves over each other, CSV, JSON and one page.

use super::cases::{Case, Row};
use serde_json::{Value, json};
use std::fmt::Write;
use taut_render::chart::Chart;
use taut_render::report::{Report, ReportPicture, Table};
use taut_scene::simulation::ObjectKind;
use taut_studio::warnings;

/// A number of a case, as the table has it.
struct Column {
    name: &'static str,
    key: &'static str,
    digits: usize,
    of: fn(&Case, &Case) -> f64,
}

fn last(case: &Case) -> &Row {
    &case.rows[case.rows.len() - 1]
}

/// The one list of what is compared; the second case is the first of all, which times are measured by.
const CLOTH: [Column; 5] = [
    Column {
        name: "weft, at the end %",
        key: "weft_end",
        digits: 2,
        of: |c, _| 100.0 * last(c).metrics.strain.weft.max,
    },
    Column {
        name: "warp, at the end %",
        key: "warp_end",
        digits: 2,
        of: |c, _| 100.0 * last(c).metrics.strain.warp.max,
    },
    Column {
        name: "shear, at the end %",
        key: "shear_end",
        digits: 2,
        of: |c, _| 100.0 * last(c).metrics.strain.shear.max,
    },
    Column {
        name: "stretch, in any frame %",
        key: "stretch_most",
        digits: 2,
        of: |c, _| 100.0 * c.most(|row| row.metrics.strain.weft.max.max(row.metrics.strain.warp.max)),
    },
    Column {
        name: "area, at the end %",
        key: "area_end",
        digits: 2,
        of: |c, _| 100.0 * last(c).metrics.totals.area_change,
    },
];
const SOLID: [Column; 2] = [
    Column {
        name: "stretch of solids, at the end %",
        key: "solid_end",
        digits: 2,
        of: |c, _| 100.0 * last(c).metrics.strain.stretch.max,
    },
    Column {
        name: "volume, at the end %",
        key: "volume_end",
        digits: 2,
        of: |c, _| 100.0 * last(c).metrics.totals.volume_change,
    },
];
const ALL: [Column; 7] = [
    Column { name: "kinetic, at the end J", key: "kinetic_end", digits: 4, of: |c, _| last(c).metrics.totals.kinetic },
    Column { name: "elastic, at the end J", key: "elastic_end", digits: 4, of: |c, _| last(c).metrics.totals.elastic },
    Column { name: "energy lost J", key: "energy_lost", digits: 4, of: |c, _| c.rows[0].energy() - last(c).energy() },
    Column { name: "iterations a frame", key: "iterations", digits: 1, of: |c, _| c.mean(|row| row.iterations as f64) },
    Column { name: "limiter sweeps a frame", key: "sweeps", digits: 1, of: |c, _| c.mean(|row| f64::from(row.sweeps)) },
    Column { name: "ms a frame", key: "ms", digits: 2, of: |c, _| c.mean(|row| row.ms) },
    Column {
        name: "time over the first's",
        key: "time_ratio",
        digits: 2,
        of: |c, first| c.mean(|row| row.ms) / first.mean(|row| row.ms),
    },
];

/// What these cases have.
fn columns(cases: &[Case]) -> Vec<&'static Column> {
    let has = |kind| cases.iter().any(|case| case.has(kind));
    let cloth = CLOTH.iter().filter(|_| has(ObjectKind::Cloth));
    cloth.chain(SOLID.iter().filter(|_| has(ObjectKind::Solid))).chain(&ALL).collect()
}

fn table(cases: &[Case]) -> Table {
    let columns = columns(cases);
    let cells = |case: &Case| columns.iter().map(|c| format!("{:.*}", c.digits, (c.of)(case, &cases[0]))).collect();
    Table {
        title: "Largest strains, energy, work and time".into(),
        columns: columns.iter().map(|c| c.name.to_owned()).collect(),
        rows: cases.iter().map(|case| (case.label.clone(), cells(case))).collect(),
    }
}

/// The table for a person: a row for each number, for labels are long.
pub fn print(cases: &[Case]) {
    let table = table(cases);
    for (at, case) in cases.iter().enumerate() {
        println!("  [{}] {}", at + 1, case.label);
        warnings(&case.simulation).iter().for_each(|warning| println!("      warning: {warning}"));
    }
    let heads: String = (1..=cases.len()).map(|number| format!("{:>12}", format!("[{number}]"))).collect();
    println!("  {:<32}{heads}", "");
    for (at, name) in table.columns.iter().enumerate() {
        let cells: String = table.rows.iter().map(|(_, cells)| format!("{:>12}", cells[at])).collect();
        println!("  {name:<32}{cells}");
    }
}

/// One object for programs.
pub fn json(cases: &[Case]) -> Value {
    let columns = columns(cases);
    let one = |case: &Case| {
        let mut out: serde_json::Map<String, Value> =
            columns.iter().map(|c| (c.key.to_owned(), json!((c.of)(case, &cases[0])))).collect();
        out.insert("label".into(), json!(case.label));
        out.insert("scene".into(), json!(case.simulation.scene().name()));
        out.insert("frames".into(), json!(case.frames()));
        out.insert("warnings".into(), json!(warnings(&case.simulation)));
        out.insert("state_hash".into(), json!(format!("{:016x}", case.simulation.state_hash())));
        Value::Object(out)
    };
    json!({ "cases": cases.iter().map(one).collect::<Vec<_>>() })
}

/// A line for each frame of each case.
pub fn csv(cases: &[Case]) -> String {
    let mut out = String::from(
        "case,frame,time_s,weft_max,weft_p99,warp_max,warp_p99,shear_max,shear_p99,area_change,solid_stretch_max,volume_change,\
         kinetic_J,potential_J,elastic_J,iterations,limiter_sweeps,residual,ms\n",
    );
    for case in cases {
        // A label may hold commas and quotes.
        let label = format!("\"{}\"", case.label.replace('"', "\"\""));
        for row in &case.rows {
            let m = &row.metrics;
            let numbers = [
                m.time,
                m.strain.weft.max,
                m.strain.weft.p99,
                m.strain.warp.max,
                m.strain.warp.p99,
                m.strain.shear.max,
                m.strain.shear.p99,
                m.totals.area_change,
                m.strain.stretch.max,
                m.totals.volume_change,
                m.totals.kinetic,
                m.totals.potential,
                m.totals.elastic,
                row.iterations as f64,
                f64::from(row.sweeps),
                row.residual,
                row.ms,
            ];
            let _ = write!(out, "{label},{}", m.frame);
            numbers.iter().for_each(|number| {
                let _ = write!(out, ",{number}");
            });
            out.push('\n');
        }
    }
    out
}

/// The page.
pub fn page(cases: &[Case], pictures: Vec<ReportPicture>) -> String {
    let end = cases.iter().map(|case| case.simulation.time()).fold(0.0, f64::max);
    let labelled = |case: &Case| {
        warnings(&case.simulation).into_iter().map(|w| format!("{}: {w}", case.label)).collect::<Vec<_>>()
    };
    let scenes = cases.iter().map(|case| {
        let scene = case.simulation.scene();
        let sets: String = scene.sets().iter().map(|set| format!("# --set {set}\n")).collect();
        (scene.text(), format!("### {}\n# {}\n{sets}", case.label, scene.name()))
    });
    // A scene that is compared with itself is shown once.
    let (mut text, mut seen) = (String::new(), Vec::new());
    for (scene, head) in scenes {
        text += &head;
        if !seen.contains(&scene) {
            let _ = writeln!(text, "{scene}");
            seen.push(scene);
        }
    }
    let report = Report {
        title: format!("{} compared", cases.iter().map(|case| case.label.as_str()).collect::<Vec<_>>().join(" · ")),
        subtitle: format!("{end:.2} s, all in turns on one machine · taut {}", env!("CARGO_PKG_VERSION")),
        warnings: cases.iter().flat_map(labelled).collect(),
        tables: vec![table(cases)],
        pictures,
        charts: charts(cases),
        scene: text,
        ..Report::default()
    };
    report.html()
}

/// Curves over each other: one chart for each quantity, one line for each case.
fn charts(cases: &[Case]) -> Vec<String> {
    let has = |kind| cases.iter().any(|case| case.has(kind));
    let chart = |title: &str, label: &str, unit: &str, skip: usize, of: &dyn Fn(&Row, &Case) -> f64| {
        let mut chart = Chart::lines(title).x("time", "s").y(label, unit);
        for case in cases {
            let points = case.rows.iter().skip(skip).map(|row| [row.metrics.time, of(row, case)]);
            chart = chart.series(&case.label, points.collect::<Vec<_>>());
        }
        chart.svg()
    };
    let mut out = Vec::new();
    if has(ObjectKind::Cloth) {
        out.push(chart("Largest strain along the weft", "strain", "%", 0, &|row, _| {
            100.0 * row.metrics.strain.weft.max
        }));
        out.push(chart("Largest strain along the warp", "strain", "%", 0, &|row, _| {
            100.0 * row.metrics.strain.warp.max
        }));
        out.push(chart("Largest shear", "cosine", "%", 0, &|row, _| 100.0 * row.metrics.strain.shear.max));
    }
    if has(ObjectKind::Solid) {
        out.push(chart("Largest stretch of solids", "strain", "%", 0, &|row, _| {
            100.0 * row.metrics.strain.stretch.max
        }));
        out.push(chart("Volume of solids", "change", "%", 0, &|row, _| 100.0 * row.metrics.totals.volume_change));
    }
    out.push(chart("Kinetic energy", "energy", "J", 0, &|row, _| row.metrics.totals.kinetic));
    out.push(chart("All energy, from the start", "energy", "J", 0, &|row, case| row.energy() - case.rows[0].energy()));
    // The beginning takes no time.
    out.push(chart("Iterations", "a frame", "", 1, &|row, _| row.iterations as f64));
    out.push(chart("Time", "a frame", "ms", 1, &|row, _| row.ms));
    out
}
