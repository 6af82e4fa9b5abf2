//! The picture's making: triangles to samples, samples to lit pixels.
//!
//! 1. `geometry` gathers all meshes in the axes of the view, with normals.
//! 2. `fill` finds, in bands of rows, which triangle is nearest at each sample.
//! 3. `resolve` merges the samples of each pixel into the few surfaces that are seen there.
//! 4. `shadow` and `occlusion` tell how much of each light arrives; `filter` takes out their noise.
//! 5. `shade` lights the surfaces and writes the pixels.
//!
//! Work is cut into bands that do not depend on the number of threads, and no band reads what another writes in
//! the same stage: the picture is the same to the last bit for any number of threads.

mod fill;
mod filter;
mod geometry;
mod occlusion;
mod resolve;
mod shade;
mod shadow;

use crate::camera::Camera;
use crate::math::Vec3;
use crate::picture::Picture;
use crate::scene::{Scene3, Style};
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
        let shadows = shadow::ShadowMap::build(&geometry, light, self.style.softness_degrees);
        let mut seen = resolve::Seen::new(self.width, self.height);
        let bins = fill::Bins::sort(&geometry, &view);
        let fragments = self.rasterise(&geometry, &view, &bins, &mut seen);
        let mut arriving = vec![[1.0f32; 2]; self.width * self.height];
        self.in_bands(&mut arriving, |y0, rows| shadow::light_rows(&shadows, &seen, &view, y0, rows));
        let reach = occlusion::reach(&geometry);
        self.in_bands(&mut arriving, |y0, rows| occlusion::occlude_rows(&seen, &view, reach, y0, rows));
        let mut across = arriving.clone();
        self.in_bands(&mut across, |y0, rows| filter::across(&arriving, &seen, &view, y0, rows));
        self.in_bands(&mut arriving, |y0, rows| filter::down(&across, &seen, &view, y0, rows));
        let shader = shade::Shader::new(&self.style, &geometry, &view, light, &seen, &arriving);
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

    /// Runs `work(first_row, rows)` over all bands of a buffer with one entry per pixel.
    fn in_bands<T: Send>(&self, buffer: &mut [T], work: impl Fn(usize, &mut [T]) + Sync) {
        let jobs = buffer.chunks_mut(BAND * self.width).enumerate().collect();
        run(self.threads, jobs, || (), |_, (band, rows)| work(band * BAND, rows));
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
    floor: Option<FloorPlane>,
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
        let to_view = |p: [f64; 3]| camera.to_view_all(&[p])[0];
        let floor = scene.floor.and_then(|floor| {
            let eye_above = (camera.eye[1] - floor.height) as f32;
            let centre = bounds.centre();
            let extent = 3.0 * bounds.radius().max(0.05) as f32;
            // From below, a floor would hide everything.
            (eye_above > 0.0).then(|| FloorPlane {
                eye_above,
                extent,
                centre: to_view([centre[0], floor.height, centre[2]]),
                axes: [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(|a| camera.direction_to_view(a)),
                origin: to_view([0.0, floor.height, 0.0]),
                grid: floor.grid.filter(|g| *g > 0.0).map(|g| g as f32),
            })
        });
        View {
            width: renderer.width,
            height: renderer.height,
            focal: camera.pixels_per_unit(renderer.height) as f32,
            near: (1e-3 * distance).max(1e-6) as f32,
            up: camera.direction_to_view([0.0, 1.0, 0.0]),
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
