//! What `taut sew` leaves behind.

use super::Garment;
use crate::fail::Failure;
use std::fmt::Write;
use std::path::Path;
use taut::fabric::Fabric;
use taut::mesh::TriMesh;
use taut_render::{Material, export, palette};
use taut_scene::garment::{Pattern, SewReport, scene_text, surface_obj};
use taut_scene::write::atomic::write_atomic;
use taut_scene::write::{Clip, Format, Frame, ObjectFrame, ObjectInfo, Setup};
use taut_studio::{Framed, Surface};

/// A pattern as it was read: `pattern.svg`, `pattern.json`; of further garments with their names before.
pub fn pattern(dir: &Path, name: &str, pattern: &Pattern) -> Result<(), Failure> {
    write_atomic(dir, &named(name, "pattern.svg"), pattern.to_svg().as_bytes())?;
    write_atomic(dir, &named(name, "pattern.json"), pattern.to_json().as_bytes())?;
    Ok(())
}

/// The name of a garment's file: that of the first is the file's alone.
fn named(name: &str, file: &str) -> String {
    if name == "garment" { file.to_owned() } else { format!("{name}_{file}") }
}

/// A scene of an outfit on its body, to go on with.
pub fn scene(outfit: &[Garment], fabric: &str) -> String {
    let title = outfit.iter().map(|garment| garment.pattern.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut out = scene_text(&title, fabric);
    for Garment { name, .. } in outfit.iter().skip(1) {
        let _ = write!(
            out,
            "\n[[cloth]]\nname = \"{name}\"\nmesh = \"{name}.obj\"\nrest = \"uv\"\nfabric = \"{fabric}\"\n"
        );
    }
    out
}

/// What a scene needs: a mesh of each garment, `body.obj`, `scene.toml`.
pub fn start(dir: &Path, outfit: &[Garment], body: &TriMesh, scene: &str) -> Result<(), Failure> {
    for Garment { name, sewn, .. } in outfit {
        write_atomic(dir, &format!("{name}.obj"), sewn.to_obj(name).as_bytes())?;
    }
    write_atomic(dir, "body.obj", surface_obj("body", body).as_bytes())?;
    write_atomic(dir, "scene.toml", scene.as_bytes())?;
    Ok(())
}

/// The garments in file formats, pictures from four sides, `report.json`.
pub fn results(
    dir: &Path,
    formats: &[&'static Format],
    outfit: &[Garment],
    body: &TriMesh,
    reports: &[SewReport],
) -> Result<(), Failure> {
    let object = |garment: &Garment| ObjectInfo::from_triangles(&garment.pattern.name, &garment.sewn.mesh);
    let objects = outfit.iter().map(object).collect();
    let clip = Clip::new(Setup { objects, fps: 60.0, planned_frames: 1, ..Setup::default() })?;
    for format in formats {
        let mut writer = format.open(&clip, dir, 0)?;
        let objects: Vec<ObjectFrame> = outfit
            .iter()
            .map(|garment| ObjectFrame { positions: &garment.sewn.mesh.positions, ..ObjectFrame::default() })
            .collect();
        writer.frame(&Frame { index: 0, time: 0.0, objects: &objects })?;
        writer.finish()?;
    }
    for (Garment { name, .. }, report) in outfit.iter().zip(reports) {
        let text = serde_json::to_string_pretty(report).unwrap_or_default();
        write_atomic(dir, &named(name, "report.json"), text.as_bytes())?;
    }
    pictures(dir, outfit, body)
}

/// Four sides, each on its own and all on one sheet.
fn pictures(dir: &Path, outfit: &[Garment], body: &TriMesh) -> Result<(), Failure> {
    let mut surfaces = vec![Surface::new(body.positions.clone(), &body.triangles, Material::solid(palette::plaster()))];
    let mut points = body.positions.clone();
    for (at, Garment { sewn, .. }) in outfit.iter().enumerate() {
        let material = Material::cloth(palette::cloth(at));
        surfaces.push(Surface::new(sewn.mesh.positions.clone(), &sewn.mesh.triangles, material));
        points.extend(&sewn.mesh.positions);
    }
    let mut sheet = Vec::new();
    for (name, direction) in
        [("front", [0.0, 0.1, 1.0]), ("left", [1.0, 0.1, 0.0]), ("back", [0.0, 0.1, -1.0]), ("right", [-1.0, 0.1, 0.0])]
    {
        let picture = Framed::of(&points, direction, [720, 960]).draw(&surfaces, &[]);
        taut_studio::save(dir, &format!("{name}.png"), &picture)?;
        sheet.push((picture, name.to_owned()));
    }
    taut_studio::save(dir, "sides.png", &export::contact_sheet(&sheet, 4, 480))?;
    Ok(())
}

/// The report for people.
pub fn words(report: &SewReport, fabric: &Fabric) -> String {
    let mut out = String::new();
    let worst = report.seams.iter().max_by(|a, b| a.gap.total_cmp(&b.gap));
    let closed = report.seams.len() - report.open_seams().count();
    let _ = writeln!(out, "  seams          {closed} of {} closed", report.seams.len());
    if let Some(seam) = worst {
        let _ = writeln!(out, "  least closed   {}: {:.2} mm", seam.name, 1000.0 * seam.gap);
    }
    let [own, body] = report.intersections;
    let _ = writeln!(out, "  intersections  {own} with itself, {body} with the body");
    let (motion, [x, y, z]) = (report.motion, report.motion.at);
    let _ = writeln!(
        out,
        "  at the end     {}: {:.3} m/s in the mean, {:.2} m/s at most, at ({x:.3}, {y:.3}, {z:.3})",
        if motion.calm { "it hangs still" } else { "it still moves" },
        motion.mean,
        motion.fastest
    );
    let limits = fabric.limits;
    let percent = |x: f64| format!("{:.1} %", 100.0 * x);
    let _ = writeln!(
        out,
        "  tension        at most, and of 99 in 100 triangles; {} gives {} along weft, {} along warp",
        fabric.name,
        percent(limits[0]),
        percent(limits[1])
    );
    for panel in &report.panels {
        let _ = writeln!(
            out,
            "    {:20} weft {:>7} {:>7}   warp {:>7} {:>7}",
            panel.name,
            percent(panel.weft[0]),
            percent(panel.weft[1]),
            percent(panel.warp[0]),
            percent(panel.warp[1])
        );
    }
    out.trim_end().to_owned()
}
