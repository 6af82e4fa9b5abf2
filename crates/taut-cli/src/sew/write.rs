//! What `taut sew` leaves behind.

use crate::fail::Failure;
use std::fmt::Write;
use std::path::Path;
use taut::fabric::Fabric;
use taut::mesh::TriMesh;
use taut_render::{Material, export, palette};
use taut_scene::garment::{Pattern, SewReport, SewnMesh, surface_obj};
use taut_scene::write::atomic::write_atomic;
use taut_scene::write::{Clip, Format, Frame, ObjectFrame, ObjectInfo, Setup};
use taut_studio::{Framed, Surface};

/// The pattern as it was read: `pattern.svg`, `pattern.json`.
pub fn pattern(dir: &Path, pattern: &Pattern) -> Result<(), Failure> {
    write_atomic(dir, "pattern.svg", pattern.to_svg().as_bytes())?;
    write_atomic(dir, "pattern.json", pattern.to_json().as_bytes())?;
    Ok(())
}

/// What a scene needs: `garment.obj`, `body.obj`, `scene.toml`.
pub fn start(dir: &Path, sewn: &SewnMesh, body: &TriMesh, scene: &str) -> Result<(), Failure> {
    write_atomic(dir, "garment.obj", sewn.to_obj("garment").as_bytes())?;
    write_atomic(dir, "body.obj", surface_obj("body", body).as_bytes())?;
    write_atomic(dir, "scene.toml", scene.as_bytes())?;
    Ok(())
}

/// The garment in file formats, pictures from four sides, `report.json`.
pub fn results(
    dir: &Path,
    formats: &[&'static Format],
    pattern: &Pattern,
    sewn: &SewnMesh,
    body: &TriMesh,
    report: &SewReport,
) -> Result<(), Failure> {
    let objects = vec![ObjectInfo::from_triangles(&pattern.name, &sewn.mesh)];
    let clip = Clip::new(Setup { objects, fps: 60.0, planned_frames: 1, ..Setup::default() })?;
    for format in formats {
        let mut writer = format.open(&clip, dir, 0)?;
        let object = ObjectFrame { positions: &sewn.mesh.positions, ..ObjectFrame::default() };
        writer.frame(&Frame { index: 0, time: 0.0, objects: &[object] })?;
        writer.finish()?;
    }
    let text = serde_json::to_string_pretty(report).unwrap_or_default();
    write_atomic(dir, "report.json", text.as_bytes())?;
    pictures(dir, sewn, body)
}

/// Four sides, each on its own and all on one sheet.
fn pictures(dir: &Path, sewn: &SewnMesh, body: &TriMesh) -> Result<(), Failure> {
    let cloth = Surface::cloth(sewn.mesh.positions.clone(), &sewn.mesh.triangles);
    let figure = Surface::new(body.positions.clone(), &body.triangles, Material::solid(palette::plaster()));
    let points: Vec<[f64; 3]> = sewn.mesh.positions.iter().chain(&body.positions).copied().collect();
    let mut sheet = Vec::new();
    for (name, direction) in
        [("front", [0.0, 0.1, 1.0]), ("left", [1.0, 0.1, 0.0]), ("back", [0.0, 0.1, -1.0]), ("right", [-1.0, 0.1, 0.0])]
    {
        let picture = Framed::of(&points, direction, [720, 960]).draw(&[cloth.clone(), figure.clone()], &[]);
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
