//! Pictures of specimens.

use taut_render::{
    Camera, Floor, Framing, Item, Legend, Markers, Material, Picture, Renderer, Scale, Scene3, Values, Wireframe,
    palette,
};
use taut_scene::simulation::Simulation;
use taut_studio::{Heat, rgb};

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
    /// What its colours show.
    pub field: Option<Heat>,
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
        let values = self.field.and_then(|heat| heat.values(simulation, 0, &simulation.fields()[0], &positions));
        let scale = values.as_deref().map(Scale::fitting_around_zero);
        let mut item = Item::new(&positions, &object.info.triangles, Material::cloth(rgb(object.colour)));
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
        if let (Some(scale), Some(heat)) = (scale, self.field) {
            Legend::percent(heat.name(), scale).draw(&mut picture);
        }
        picture.title(self.title, self.note);
        picture
    }
}
