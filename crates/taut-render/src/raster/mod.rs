//! The picture's making: triangles to samples, samples to lit pixels.
//!
//! 1. `geometry` gathers all meshes in the axes of the view, with normals.
//! 2. `fill` finds, in bands of rows, which triangle is nearest at each sample.
//! 3. `resolve` merges the samples of each pixel into the few surfaces that are seen there.
//! 4. `shadow`, `dome` and `occlusion` tell how much of each light arrives; `filter` takes out their noise.
//! 5. `shade` lights the surfaces and writes the pixels.
//!
//! Work is cut into bands that do not depend on the number of threads, and no band reads what another writes in
//! the same stage: the picture is the same to the last bit for any number of threads.

mod dome;
mod fill;
mod filter;
mod geometry;
mod occlusion;
mod resolve;
mod shade;
mod shadow;

use crate::camera::{Bounds, Camera};
use crate::picture::Picture;
use crate::scene::{Scene3, Style};
use glam::Vec3;
use std::sync::Mutex;

/// Rows per piece of work. A band's samples (16 rows × 800 pixels × 8 samples × 8 bytes) fit the second-level cache.
const BAND: usize = 16;

/// Draws scenes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Renderer {
    /// Picture width, pixels.
    pub width: usize,
    /// Picture height, pixels.
    pub height: usize,
    /// The look.
    pub style: Style,
    /// How many threads to use; the picture does not depend on it.
    pub threads: usize,
}

impl Renderer {
    /// A single-threaded renderer in the studio style.
    pub fn new(width: usize, height: usize) -> Renderer {
        Renderer { width, height, style: Style::studio(), threads: 1 }
    }

    /// The same with another look.
    pub fn with_style(self, style: Style) -> Renderer {
        Renderer { style, ..self }
    }

    /// The same with more threads.
    pub fn with_threads(self, threads: usize) -> Renderer {
        Renderer { threads, ..self }
    }

    /// Draws one picture.
    pub fn render(&self, scene: &Scene3, camera: &Camera) -> Picture {
        let mut picture = Picture::filled(self.width, self.height, self.style.bottom);
        if self.width == 0 || self.height == 0 {
            return picture;
        }
        let view = View::new(self, camera, scene);
        let markers = geometry::marker_meshes(scene);
        let geometry = geometry::Geometry::gather(scene, &markers, camera);
        let light = camera.direction_to_view(self.style.light_direction(camera));
        let mut seen = resolve::Seen::new(self.width, self.height);
        let bins = fill::Bins::sort(&geometry, &view);
        let fragments = self.rasterise(&geometry, &view, &bins, &mut seen);
        let shadow = self.shadow(&geometry, &view, light, &seen);
        let sky = self.sky(&geometry, camera, &view, &seen);
        let shader = shade::Shader::new(&self.style, &geometry, &view, light, &seen, [&shadow, &sky]);
        self.in_bands(picture.pixels_mut(), |y0, rows| shader.shade_rows(&fragments[y0 / BAND], y0, rows));
        picture
    }

    /// Finds what is seen: writes the nearest surface of each pixel to `seen` and returns all surfaces, by band.
    fn rasterise(
        &self,
        geometry: &geometry::Geometry,
        view: &View,
        bins: &fill::Bins,
        seen: &mut resolve::Seen,
    ) -> Vec<Vec<resolve::Fragment>> {
        let mut fragments: Vec<Vec<resolve::Fragment>> = vec![Vec::new(); self.height.div_ceil(BAND)];
        let size = BAND * self.width;
        let jobs = fragments.iter_mut().zip(seen.surfaces.chunks_mut(size)).enumerate();
        run(self.threads, jobs.collect(), fill::Samples::default, |samples, (band, (out, surfaces))| {
            samples.clear(self.width, surfaces.len() / self.width);
            bins.fill(band, view, samples);
            resolve::resolve(geometry, view, samples, band * BAND, out, surfaces);
        });
        fragments
    }

    /// How much of the main light arrives at each pixel.
    fn shadow(&self, geometry: &geometry::Geometry, view: &View, light: Vec3, seen: &resolve::Seen) -> Vec<f32> {
        // About as fine as the picture: finer would be filtered away.
        let size = (self.height * 5 / 4).clamp(256, 4096);
        let map = shadow::ShadowMap::build(geometry, light, self.style.softness_degrees, size);
        let mut noisy = vec![1.0; self.width * self.height];
        self.in_bands(&mut noisy, |y0, rows| shadow::light_rows(&map, seen, view, y0, rows));
        let mut across = vec![1.0; noisy.len()];
        self.in_bands(&mut across, |y0, rows| filter::shadows_across(&noisy, seen, view, y0, rows));
        self.in_bands(&mut noisy, |y0, rows| filter::shadows_down(&across, seen, view, y0, rows));
        noisy
    }

    /// How much of the light from all around arrives at each pixel.
    fn sky(&self, geometry: &geometry::Geometry, camera: &Camera, view: &View, seen: &resolve::Seen) -> Vec<f32> {
        let dome = dome::Dome::build(geometry, camera, view, self.threads);
        let coarse = occlusion::Coarse::new(seen, view);
        let mut noisy = vec![1.0; coarse.width * coarse.height];
        let mut passed = noisy.clone();
        let (wide, rows) = (coarse.width, occlusion::COARSE_BAND);
        self.in_chunks(&mut noisy, wide, rows, |y0, rows| coarse.occlude_rows(&dome, seen, view, y0, rows));
        // Twice, because few directions leave more noise than one pass takes.
        self.in_chunks(&mut passed, wide, rows, |y0, out| filter::coarse_across(&noisy, &coarse, seen, view, y0, out));
        self.in_chunks(&mut noisy, wide, rows, |y0, out| filter::coarse_down(&passed, &coarse, seen, view, y0, out));
        let mut across = vec![1.0; self.width * coarse.height];
        self.in_bands(&mut across, |y0, rows| filter::sky_across(&noisy, &coarse, seen, view, y0, rows));
        let mut sky = vec![1.0; self.width * self.height];
        self.in_bands(&mut sky, |y0, rows| filter::sky_down(&across, seen, view, y0, rows));
        sky
    }

    /// Runs `work(first_row, rows)` over all bands of a buffer with one entry per pixel.
    fn in_bands<T: Send>(&self, buffer: &mut [T], work: impl Fn(usize, &mut [T]) + Sync) {
        self.in_chunks(buffer, self.width, BAND, work);
    }

    /// The same for a buffer of any width, some rows at a time.
    fn in_chunks<T: Send>(&self, buffer: &mut [T], width: usize, rows: usize, work: impl Fn(usize, &mut [T]) + Sync) {
        let jobs = buffer.chunks_mut(rows * width).enumerate().collect();
        run(self.threads, jobs, || (), |_, (i, part)| work(i * rows, part));
    }
}

/// Does all jobs on the given number of threads. Each thread has its own workspace.
fn run<J: Send, W>(threads: usize, jobs: Vec<J>, workspace: impl Fn() -> W + Sync, work: impl Fn(&mut W, J) + Sync) {
    if threads <= 1 {
        let mut space = workspace();
        return jobs.into_iter().for_each(|job| work(&mut space, job));
    }
    let queue = Mutex::new(jobs.into_iter());
    // A panic of another thread while it held the lock leaves the iterator as it was.
    let next = || queue.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut space = workspace();
                while let Some(job) = next() {
                    work(&mut space, job);
                }
            });
        }
    });
}

/// How view space maps to pixels, and the floor in view space.
pub(crate) struct View {
    width: usize,
    height: usize,
    /// Pixels per unit at unit distance.
    focal: f32,
    /// Nothing nearer than this is drawn.
    near: f32,
    /// Up in the world.
    up: Vec3,
    /// The box around everything.
    bounds: ViewBox,
    floor: Option<FloorPlane>,
}

/// A box along the world's axes, in the axes of the view.
struct ViewBox {
    centre: Vec3,
    axes: [Vec3; 3],
    half: [f32; 3],
}

impl ViewBox {
    fn new(bounds: &Bounds, camera: &Camera) -> ViewBox {
        let half = |i: usize| if bounds.is_empty() { 0.0 } else { 0.5 * (bounds.max[i] - bounds.min[i]) as f32 };
        ViewBox {
            centre: camera.all_in_view(&[bounds.centre()])[0],
            axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|a| camera.direction_to_view(a)),
            half: [half(0), half(1), half(2)],
        }
    }

    /// Half its diagonal.
    fn radius(&self) -> f32 {
        Vec3::new(self.half[0], self.half[1], self.half[2]).length()
    }

    /// How far outside the box a point is.
    fn distance(&self, p: Vec3) -> f32 {
        let offset = p - self.centre;
        let out = |i: usize| (self.axes[i].dot(offset).abs() - self.half[i]).max(0.0);
        Vec3::new(out(0), out(1), out(2)).length()
    }
}

/// The floor in the axes of the view.
struct FloorPlane {
    /// Height of the eye above the floor.
    eye_above: f32,
    /// Beyond this distance from `centre` the floor is plain backdrop.
    extent: f32,
    centre: Vec3,
    /// World x and z directions, and the grid's origin; spacing if there is a grid.
    axes: [Vec3; 2],
    origin: Vec3,
    grid: Option<f32>,
}

impl View {
    fn new(renderer: &Renderer, camera: &Camera, scene: &Scene3) -> View {
        let bounds = scene.bounds();
        let distance = (0..3).map(|i| (camera.eye[i] - camera.target[i]).powi(2)).sum::<f64>().sqrt();
        let in_view = |p: [f64; 3]| camera.all_in_view(&[p])[0];
        let floor = scene.floor.and_then(|floor| {
            let eye_above = (camera.eye[1] - floor.height) as f32;
            let centre = bounds.centre();
            let extent = 3.0 * bounds.radius().max(0.05) as f32;
            // From below, a floor would hide everything.
            (eye_above > 0.0).then(|| FloorPlane {
                eye_above,
                extent,
                centre: in_view([centre[0], floor.height, centre[2]]),
                axes: [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(|a| camera.direction_to_view(a)),
                origin: in_view([0.0, floor.height, 0.0]),
                grid: floor.grid.filter(|g| *g > 0.0).map(|g| g as f32),
            })
        });
        View {
            width: renderer.width,
            height: renderer.height,
            focal: camera.pixels_per_unit(renderer.height) as f32,
            near: (1e-3 * distance).max(1e-6) as f32,
            up: camera.direction_to_view([0.0, 1.0, 0.0]),
            bounds: ViewBox::new(&bounds, camera),
            floor,
        }
    }

    /// The view direction through a point of the picture, scaled to unit depth.
    fn ray(&self, x: f32, y: f32) -> Vec3 {
        let scale = 1.0 / self.focal;
        Vec3::new((x - 0.5 * self.width as f32) * scale, (0.5 * self.height as f32 - y) * scale, -1.0)
    }

    /// Where in the picture a point in front of the eye falls, and one over its depth.
    fn project(&self, p: Vec3) -> [f32; 3] {
        let inverse = -1.0 / p.z;
        let scale = self.focal * inverse;
        [0.5 * self.width as f32 + p.x * scale, 0.5 * self.height as f32 - p.y * scale, inverse]
    }

    /// One over the depth at which the ray meets the floor; 0 if it does not.
    fn floor_inverse_depth(&self, ray: Vec3) -> f32 {
        match &self.floor {
            Some(floor) => (-self.up.dot(ray) / floor.eye_above).max(0.0),
            None => 0.0,
        }
    }
}
