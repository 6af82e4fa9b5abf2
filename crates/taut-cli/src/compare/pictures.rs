//! One strip for each case, plain and as strain maps, from one camera and on one scale; and all strips on one sheet.

use super::cases::Case;
use taut_render::export::contact_sheet;
use taut_render::{Picture, Scale};
use taut_scene::simulation::ObjectKind;
use taut_studio::{Heat, HeatMap, Look, Shot};

/// A picture to be written.
pub struct Made {
    /// The file's name.
    pub file: String,
    /// The picture.
    pub picture: Picture,
    /// Written below.
    pub caption: String,
    /// For those who cannot see it.
    pub alt: String,
}

/// The sheet of all cases first, then a strip for each.
pub fn draw(cases: &[Case], threads: usize) -> Vec<Made> {
    let shots: Vec<Shot> = cases.iter().map(|case| Shot::of(&case.simulation)).collect();
    let mut looks: Vec<Look> = cases.iter().map(|case| Look::new(&case.simulation, threads)).collect();
    let view = looks.first().map(|look| look.view);
    for look in &mut looks {
        look.view = view.unwrap_or(look.view);
        shots.iter().for_each(|shot| look.include(shot));
    }
    let scale = scale(cases, &looks, &shots);
    let size = cases[0].simulation.scene().settings.output.pictures.size.map(|side| side as usize);
    let (mut all, mut strips, mut columns) = (Vec::new(), Vec::new(), 1);
    for ((case, look), shot) in cases.iter().zip(&looks).zip(&shots) {
        let mut strip = vec![(look.draw(shot, None, size), case.label.clone())];
        for heat in fields(look) {
            strip.push((look.draw(shot, Some(&HeatMap { heat, scale }), size), heat.key().to_owned()));
        }
        columns = columns.max(strip.len());
        strips.push(strip);
    }
    for strip in &strips {
        let blank = || (Picture::filled(size[0], size[1], taut_render::Rgb::hex(0xffffff)), String::new());
        all.extend(strip.iter().cloned().chain(std::iter::repeat_with(blank)).take(columns));
    }
    let time = shots.first().map_or(0.0, |shot| shot.time);
    let mut made = vec![Made {
        file: "compare.png".into(),
        picture: contact_sheet(&all, columns, 420),
        caption: format!("All at {time:.2} s, on one scale: extension red, compression blue"),
        alt: "A row for each case: as it looks, and its strains".into(),
    }];
    for (number, (strip, case)) in strips.iter().zip(cases).enumerate() {
        made.push(Made {
            file: format!("case_{}.png", number + 1),
            picture: contact_sheet(strip, 2, 640),
            caption: case.label.clone(),
            alt: format!("{}: as it looks, and its strains", case.label),
        });
    }
    made
}

fn fields(look: &Look) -> Vec<Heat> {
    let cloth = look.fields(ObjectKind::Cloth);
    if cloth.is_empty() { look.fields(ObjectKind::Solid) } else { cloth }
}

/// The widest of the scales that suit each.
fn scale(cases: &[Case], looks: &[Look], shots: &[Shot]) -> Scale {
    let most =
        cases.iter().map(|case| case.simulation.scene().settings.output.pictures.strain_scale).fold(0.0, f64::max);
    let each = looks.iter().zip(shots).map(|(look, shot)| look.scale(&[shot], &fields(look), most));
    Scale::around_zero(each.map(|scale| scale.max).fold(1e-6, f64::max))
}
