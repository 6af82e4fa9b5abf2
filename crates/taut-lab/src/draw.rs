//! Pictures of specimens.

use taut_render::{
    Camera, Floor, Framing, Item, Legend, Markers, Material, Picture, Renderer, Rgb, Scale, Scene3, Values, Wireframe,
    palette,
};
use taut_scene::simulation::Simulation;

/// How a specimen is shown.
pub(crate) struct Portrait<'a> {
    /// Written above.
    pub title: &'a str,
    /// Written below that, smaller.
    pub note: &'a str,
    /// From the middle towards the camera.
    pub direction: [f64; 3],
    /// Width and height, pixels.
    pub size: [usize; 2],
    /// A field of its triangles by number (weft, warp, shear, area), and what the legend calls it.
    pub field: Option<(usize, &'a str)>,
    /// Whether the edges of triangles are drawn.
    pub wireframe: bool,
    /// Whether it stands above a floor; held vertices are then hidden, for the plates that hold them would be.
    pub floor: bool,
}

impl Portrait<'_> {
    /// Draws the first body of a simulation.
    pub fn draw(&self, simulation: &Simulation) -> Picture {
        let object = &simulation.objects()[0];
        let positions = simulation.positions(0);
        let values = self.field.map(|(at, _)| {
            let fields = simulation.fields();
            at_vertices(&object.info.triangles, &fields[0][at], positions.len())
        });
        let scale = values.as_deref().map(Scale::fitting_around_zero);
        let [r, g, b] = object.colour.0.map(u32::from);
        let material = Material::cloth(Rgb::hex(r << 16 | g << 8 | b));
        let mut item = Item::new(&positions, &object.info.triangles, material);
        if let (Some(values), Some(scale)) = (&values, scale) {
            item = item.with_field(Values::PerVertex(values), scale);
        }
        if self.wireframe {
            item = item.with_wireframe(Wireframe::default());
        }
        let mut scene = Scene3 { items: vec![item], ..Scene3::default() };
        let bounds = scene.bounds();
        if self.floor {
            scene.floor = Some(Floor { height: bounds.min[1] - 0.15 * bounds.radius(), grid: None });
        }
        let points = if self.floor { Vec::new() } else { simulation.marked_positions() };
        scene.markers.push(Markers { points, radius: 0.008 * bounds.radius(), colour: palette::signal() });
        let [width, height] = self.size;
        let mut margins = [0.06, 0.06, 0.14, 0.06];
        if scale.is_some() {
            margins[1] = Legend::WIDTH;
        }
        let aspect = width as f64 / height.max(1) as f64;
        let framing = Framing { direction: self.direction, aspect, margins, ..Framing::default() };
        let mut picture = Renderer::new(width, height).render(&scene, &Camera::fitting(&positions, &framing));
        if let (Some(scale), Some((_, label))) = (scale, self.field) {
            Legend::percent(label, scale).draw(&mut picture);
        }
        picture.title(self.title, self.note);
        picture
    }
}

/// Values of triangles at vertices: the mean of those around each.
fn at_vertices(triangles: &[[u32; 3]], values: &[f64], count: usize) -> Vec<f64> {
    let mut sums = vec![[0.0; 2]; count];
    for (triangle, value) in triangles.iter().zip(values) {
        for &v in triangle {
            sums[v as usize][0] += value;
            sums[v as usize][1] += 1.0;
        }
    }
    sums.into_iter().map(|[sum, count]| sum / count).collect()
}
