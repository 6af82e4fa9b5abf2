//! Stills, the contact sheet, the animated picture and heat maps. One camera for all of them.

use super::folder::Folder;
use super::outputs::Plan;
use super::spool::Spool;
use crate::fail::Failure;
use std::path::PathBuf;
use taut_render::export::{GifOptions, GifWriter, Mp4Error, Mp4Writer, contact_sheet};
use taut_render::report::ReportPicture;
use taut_render::{Picture, Scale};
use taut_scene::scene::settings::Coloured;
use taut_scene::simulation::{ObjectKind, Simulation};
use taut_scene::write::atomic::{AtomicFile, subfolder};
use taut_studio::{Heat, HeatMap, Look, Progress, Shot};

const FOLDER: &str = "pictures";
/// Makes all pictures and gives those that the report shows.
pub fn make(
    simulation: &Simulation,
    spool: &mut Spool,
    folder: &mut Folder,
    threads: usize,
    quiet: bool,
) -> Result<Vec<ReportPicture>, Failure> {
    let settings = &simulation.scene().settings;
    let pictures = &settings.output.pictures;
    let last = Shot::of(simulation);
    let mut look = Look::new(simulation, threads);
    look.include(&last);
    // The last one is drawn whatever the plan says.
    let (mut frames, mut total) = (Vec::new(), 1);
    let plan = Plan::new(pictures, settings.time.fps, simulation.frames());
    spool.each(|shot, _| {
        look.include(&shot);
        let still = plan.still(shot.frame) && shot.frame < last.frame;
        total += u64::from(still) + u64::from(plan.moving(shot.frame));
        frames.push(shot.frame);
        Ok(true)
    })?;
    let size = pictures.size.map(|side| side as usize);
    let progress = Progress::new("pictures", 0, total, quiet);
    let dir = subfolder(folder.dir(), FOLDER)?;
    let mut studio = Studio { look, plan, size, dir, folder, progress, done: 0 };
    let mut shown = Vec::new();
    if plan.motion > 0 {
        shown.extend(studio.motion(spool, &frames, settings.time.fps / f64::from(plan.motion))?);
    }
    shown.extend(studio.stills(spool, &last, &pictures.show, pictures.strain_scale)?);
    shown.extend(studio.heat_maps(&last, pictures.strain_scale)?);
    shown.extend(studio.painted(&last)?);
    studio.progress.finish();
    debug_assert!(studio.done <= total, "{} pictures of {total}", studio.done);
    Ok(shown)
}

/// The picture of a place where the start phase left something wrong: its name in the folder.
pub fn place(
    simulation: &Simulation,
    at: [f64; 3],
    folder: &mut Folder,
    threads: usize,
) -> Result<&'static str, Failure> {
    const NAME: &str = "start.png";
    let shot = Shot::plain(simulation);
    let mut look = Look::new(simulation, threads);
    look.include(&shot);
    look.near(at);
    let size = simulation.scene().settings.output.pictures.size.map(|side| side as usize);
    let dir = subfolder(folder.dir(), FOLDER)?;
    folder.claim(&[format!("{FOLDER}/{NAME}")])?;
    taut_studio::save(&dir, NAME, &look.draw(&shot, None, size))?;
    Ok(NAME)
}

/// What all pictures need.
struct Studio<'a, 'b> {
    look: Look<'a>,
    plan: Plan,
    size: [usize; 2],
    dir: PathBuf,
    folder: &'b mut Folder,
    progress: Progress,
    done: u64,
}

impl Studio<'_, '_> {
    fn claim(&mut self, name: &str) -> Result<(), Failure> {
        self.folder.claim(&[format!("{FOLDER}/{name}")])
    }

    fn save(&mut self, name: &str, picture: &Picture) -> Result<(), Failure> {
        self.claim(name)?;
        taut_studio::save(&self.dir, name, picture)?;
        Ok(())
    }

    /// A picture that has been made, for the report.
    fn shown(&self, name: &str, caption: String, alt: &str) -> Result<ReportPicture, Failure> {
        let path = self.dir.join(name);
        let bytes = std::fs::read(&path).map_err(Failure::io("read", &path))?;
        Ok(ReportPicture { caption, alt: alt.into(), bytes })
    }

    fn tick(&mut self) {
        self.done += 1;
        self.progress.at(self.done, String::new);
    }

    /// The animated picture: GIF, and MP4 where ffmpeg is installed.
    fn motion(&mut self, spool: &mut Spool, frames: &[u32], fps: f64) -> Result<Option<ReportPicture>, Failure> {
        let moving: Vec<u32> = frames.iter().copied().filter(|&frame| self.plan.moving(frame)).collect();
        if moving.len() < 2 {
            return Ok(None);
        }
        let size = self.size.map(|side| (side / 2).max(8));
        let name = "motion.gif";
        self.claim(name)?;
        self.claim("motion.mp4")?;
        let samples = [0, moving.len() / 2, moving.len() - 1].map(|at| moving[at]);
        let mut sampled = Vec::new();
        spool.each(|shot, _| {
            if samples.contains(&shot.frame) {
                sampled.push(self.look.draw(&shot, None, size));
            }
            Ok(true)
        })?;
        let bad = |error| Failure::io("write", &self.dir.join(name))(error);
        let file = AtomicFile::create(&self.dir, name)?;
        let options = GifOptions { frames_per_second: fps, dither: true };
        let mut gif = GifWriter::new(file, &sampled.iter().collect::<Vec<_>>(), options).map_err(bad)?;
        let film_path = self.dir.join("motion.mp4");
        let temporary = self.dir.join("motion.mp4.tmp");
        let mut film = Mp4Writer::start(&temporary, size[0], size[1], fps);
        spool.each(|shot, _| {
            if moving.contains(&shot.frame) {
                let picture = self.look.draw(&shot, None, size);
                gif.push(&picture).map_err(Failure::io("write", &self.dir.join(name)))?;
                film = push(std::mem::replace(&mut film, Err(Mp4Error::NoFfmpeg)), &picture);
                self.tick();
            }
            Ok(true)
        })?;
        gif.finish().map_err(Failure::io("write", &self.dir.join(name)))?.commit()?;
        // A film is welcome, but nothing depends on it.
        match film.and_then(Mp4Writer::finish) {
            Ok(()) => std::fs::rename(&temporary, &film_path).map_err(Failure::io("write", &film_path))?,
            Err(_) => drop(std::fs::remove_file(&temporary)),
        }
        let caption = format!("{} frames, {fps:.0} a second", moving.len());
        Ok(Some(self.shown(name, caption, "The motion, as an animated picture")?))
    }

    /// Stills, and a contact sheet of them.
    fn stills(
        &mut self,
        spool: &mut Spool,
        last: &Shot,
        show: &[Coloured],
        strain_scale: f64,
    ) -> Result<Option<ReportPicture>, Failure> {
        let mut cells = Vec::new();
        spool.each(|shot, _| {
            if self.plan.still(shot.frame) && shot.frame < last.frame {
                cells.push(self.still(&shot, show, strain_scale)?);
                self.tick();
            }
            Ok(true)
        })?;
        cells.push(self.still(last, show, strain_scale)?);
        self.tick();
        let [count, columns] = layout(cells.len());
        if count < 2 {
            return Ok(None);
        }
        // The first and the last one, and some evenly in between.
        let step = (cells.len() - 1) as f64 / (count - 1) as f64;
        let cells: Vec<_> = (0..count).map(|cell| cells[(cell as f64 * step).round() as usize].clone()).collect();
        self.save("sheet.png", &contact_sheet(&cells, columns, 320))?;
        Ok(Some(self.shown("sheet.png", "The motion in stills".into(), "Stills side by side, with their times")?))
    }

    /// One still in everything it is to show. Gives a small copy of the first, with its caption.
    fn still(&mut self, shot: &Shot, show: &[Coloured], strain_scale: f64) -> Result<(Picture, String), Failure> {
        let caption = format!("{:.2} s", shot.time);
        let mut first = None;
        for (at, coloured) in show.iter().enumerate() {
            let heat = Heat::from_key(coloured.name()).filter(|&heat| heat != Heat::Cloth);
            let map = heat.map(|heat| HeatMap { heat, scale: Scale::around_zero(strain_scale) });
            let picture = self.look.draw(shot, map.as_ref(), self.size);
            let suffix = if at == 0 { String::new() } else { format!("_{}", coloured.name()) };
            self.save(&format!("frame_{:04}{suffix}.png", shot.frame), &picture)?;
            first.get_or_insert_with(|| {
                let [width, height] = self.size;
                picture.resized(320, (320 * height / width.max(1)).max(1))
            });
        }
        Ok((first.unwrap_or_else(|| self.look.draw(shot, None, [320, 240])), caption))
    }

    /// The strains of the last frame.
    fn heat_maps(&mut self, last: &Shot, strain_scale: f64) -> Result<Vec<ReportPicture>, Failure> {
        let mut shown = Vec::new();
        for (kind, name) in [(ObjectKind::Cloth, "heat.png"), (ObjectKind::Solid, "heat_solid.png")] {
            let fields = self.look.fields(kind);
            let scale = self.look.scale(&[last], &fields, strain_scale);
            let mut cells = Vec::new();
            for heat in fields {
                let picture = self.look.draw(last, Some(&HeatMap { heat, scale }), self.size);
                self.save(&format!("heat_{}.png", heat.key()), &picture)?;
                cells.push((picture, heat.key().to_owned()));
            }
            if cells.is_empty() {
                continue;
            }
            self.save(name, &contact_sheet(&cells, 2, 640))?;
            let caption = format!("Strain at {:.2} s, extension red and compression blue", last.time);
            shown.push(self.shown(name, caption, "Heat maps of the last frame, one for each kind of strain")?);
        }
        Ok(shown)
    }

    /// The painted maps on the last frame.
    fn painted(&mut self, last: &Shot) -> Result<Option<ReportPicture>, Failure> {
        let mut cells = Vec::new();
        for heat in self.look.maps().into_iter().take(MOST_MAPS) {
            let (scale, name) = self.look.map(heat);
            cells.push((self.look.draw(last, Some(&HeatMap { heat, scale }), self.size), name));
        }
        if cells.is_empty() {
            return Ok(None);
        }
        self.save("maps.png", &contact_sheet(&cells, 2, 640))?;
        Ok(Some(self.shown("maps.png", "What is painted".into(), "The painted maps, on the last frame")?))
    }
}

/// Painted maps that are drawn at most.
const MOST_MAPS: usize = 12;

/// Adds a frame to a film; after an error there is none.
fn push(film: Result<Mp4Writer, Mp4Error>, picture: &Picture) -> Result<Mp4Writer, Mp4Error> {
    let mut film = film?;
    film.push(picture)?;
    Ok(film)
}

/// How many of some stills a contact sheet shows, and in how many columns: full rows look best.
fn layout(stills: usize) -> [usize; 2] {
    match stills {
        12.. => [12, 4],
        8.. => [8, 4],
        6.. => [6, 3],
        4.. => [4, 4],
        few => [few, few.max(1)],
    }
}

#[cfg(test)]
mod tests {
    use super::layout;

    #[test]
    fn contact_sheets_have_full_rows() {
        for stills in 1..50 {
            let [count, columns] = layout(stills);
            assert!(count <= stills && count % columns == 0, "{stills}");
        }
    }
}
