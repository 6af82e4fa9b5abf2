//! From where and in which colours a scene is seen.

use crate::heat::painted;
use crate::surface::material;
use crate::{Heat, Shot, rgb};
use glam::DVec3;
use taut_render::{
    Bounds, Camera, Floor, Framing, Item, Legend, Markers, Material, Picture, Renderer, Scale, Scene3, Style, Values,
    Wireframe, palette,
};
use taut_scene::scene::settings;
use taut_scene::simulation::{ObjectKind, Simulation};

/// Where pictures are taken from.
#[derive(Clone, Copy, Debug)]
pub struct Viewpoint {
    /// Where the camera is, m; found from `direction` if not given.
    pub eye: Option<[f64; 3]>,
    /// Where it looks, m; the middle of everything if not given.
    pub target: Option<[f64; 3]>,
    /// From the middle towards the camera.
    pub direction: [f64; 3],
    /// Vertical angle of view, degrees.
    pub fov: f64,
}

impl From<&settings::Camera> for Viewpoint {
    fn from(camera: &settings::Camera) -> Viewpoint {
        Viewpoint { eye: camera.eye, target: camera.target, direction: camera.direction, fov: camera.fov }
    }
}

impl Viewpoint {
    /// The camera for pictures of some shape that show all points; `right` is the share of the width that is kept free
    /// for a legend.
    pub fn camera(&self, points: &[[f64; 3]], aspect: f64, right: f64) -> Camera {
        let mut margins = Framing::default().margins;
        margins[1] = margins[1].max(right);
        let framing = Framing { direction: self.direction, fov_y_degrees: self.fov, aspect, margins };
        let framed = Camera::fitting(points, &framing);
        match (self.eye, self.target) {
            (None, None) => framed,
            (Some(eye), target) => {
                Camera::look_at(eye, target.unwrap_or_else(|| Bounds::of(points).centre()), self.fov)
            }
            (None, Some(target)) => {
                let away = DVec3::from(framed.eye) - DVec3::from(framed.target);
                Camera::look_at((DVec3::from(target) + away).into(), target, self.fov)
            }
        }
    }
}

/// What colours show, and on which scale.
#[derive(Clone, Copy, Debug)]
pub struct HeatMap {
    /// What they show.
    pub heat: Heat,
    /// Its colours.
    pub scale: Scale,
}

/// How a simulation is drawn: the same camera and floor for every frame.
pub struct Look<'a> {
    simulation: &'a Simulation,
    /// Where pictures are taken from.
    pub view: Viewpoint,
    /// Whether the edges of triangles are drawn.
    pub wireframe: bool,
    /// Colours of the backdrop and the light.
    pub style: Style,
    /// Threads to draw with.
    pub threads: usize,
    /// Places that are marked, m.
    pub marks: Vec<[f64; 3]>,
    bounds: Bounds,
    /// What must be in view, m.
    points: Vec<[f64; 3]>,
}

/// How far away what is looked at closely is, over the size of everything.
const NEAR: f64 = 0.5;
/// Of larger meshes, only about so many points decide where the camera is.
const POINTS: usize = 2000;

impl<'a> Look<'a> {
    /// As the scene wants it, with nothing in view yet: see [`Look::include`].
    pub fn new(simulation: &'a Simulation, threads: usize) -> Self {
        let settings = &simulation.scene().settings;
        Look {
            simulation,
            view: Viewpoint::from(&settings.camera),
            wireframe: settings.output.pictures.wireframe,
            style: Style::studio(),
            threads,
            marks: Vec::new(),
            bounds: Bounds::EMPTY,
            points: Vec::new(),
        }
    }

    /// Makes sure that a frame is in view.
    pub fn include(&mut self, shot: &Shot) {
        let colliders = self.simulation.colliders().iter().filter(|c| c.visible && !c.plane);
        let colliders: Vec<_> = colliders.map(|collider| collider.positions(shot.time)).collect();
        for positions in shot.positions.iter().chain(&colliders) {
            self.bounds.include(positions);
            self.points.extend(positions.iter().step_by(positions.len().div_ceil(POINTS).max(1)));
            self.points.extend(extremes(positions));
        }
    }

    /// Goes near to a place (m) and marks it, seen from outside of what is in view, with the edges of triangles.
    pub fn near(&mut self, place: [f64; 3]) {
        let out = DVec3::from(place) - DVec3::from(self.bounds.centre());
        let out = DVec3::new(out.x, 0.0, out.z).try_normalize().unwrap_or(DVec3::from(self.view.direction));
        let away = NEAR * self.bounds.radius() * (out + DVec3::new(0.0, 0.4, 0.0)).normalize_or(DVec3::Z);
        self.view.eye = Some((DVec3::from(place) + away).into());
        self.view.target = Some(place);
        (self.wireframe, self.marks) = (true, vec![place]);
    }

    /// Draws a frame: in the bodies' colours, or as a heat map with its legend.
    pub fn draw(&self, shot: &Shot, map: Option<&HeatMap>, [width, height]: [usize; 2]) -> Picture {
        let right = if map.is_some() { Legend::WIDTH } else { 0.0 };
        let camera = self.view.camera(&self.points, width as f64 / height.max(1) as f64, right);
        let values = |(at, positions): (usize, &Vec<[f64; 3]>)| {
            map.and_then(|map| map.heat.values(self.simulation, at, shot.fields.get(at)?, positions))
        };
        let values: Vec<Option<Vec<f64>>> = shot.positions.iter().enumerate().map(values).collect();
        let colliders: Vec<_> = self.simulation.colliders().iter().map(|c| c.positions(shot.time)).collect();
        let mut scene =
            Scene3 { floor: Some(Floor { height: self.floor(shot.time), grid: None }), ..Scene3::default() };
        let objects = self.simulation.objects().iter().zip(&shot.positions);
        scene.items.extend(objects.zip(&values).map(|((object, positions), values)| {
            let mut item = Item::new(positions, &object.surface, material(object, map.is_some()));
            if let (Some(map), Some(values)) = (map, values) {
                item = item.with_field(Values::PerVertex(values), map.scale);
            }
            if self.wireframe { item.with_wireframe(Wireframe::default()) } else { item }
        }));
        for (collider, positions) in self.simulation.colliders().iter().zip(&colliders) {
            if collider.visible && collider.floor(shot.time).is_none() {
                let colour = collider.colour.map_or_else(palette::plaster, rgb);
                scene.items.push(Item::new(positions, &collider.mesh.triangles, Material::solid(colour)));
            }
        }
        let radius = 0.006 * self.bounds.radius();
        if map.is_some() {
            scene.markers.push(Markers { points: shot.held.clone(), radius, colour: palette::signal() });
        }
        scene.markers.push(Markers { points: self.marks.clone(), radius, colour: palette::signal() });
        let renderer = Renderer::new(width, height).with_style(self.style).with_threads(self.threads);
        let mut picture = renderer.render(&scene, &camera);
        if let Some(map) = map {
            map.heat.legend_on(self.simulation, map.scale).draw(&mut picture);
        }
        picture
    }

    /// A scale that suits all the given fields of some frames, and ends no further than `most`.
    pub fn scale(&self, shots: &[&Shot], fields: &[Heat], most: f64) -> Scale {
        let mut values = Vec::new();
        for shot in shots {
            for (object, all) in self.simulation.objects().iter().zip(&shot.fields) {
                let named = object.info.fields.iter().zip(all);
                values.extend(
                    named.filter(|(info, _)| fields.iter().any(|heat| heat.key() == info.name)).flat_map(|(_, v)| v),
                );
            }
        }
        let fitting = Scale::fitting_around_zero(&values);
        if fitting.max < most { fitting } else { Scale::around_zero(most) }
    }

    /// The painted maps of its bodies.
    pub fn maps(&self) -> Vec<Heat> {
        (0..painted(self.simulation).len()).filter_map(|at| u8::try_from(at).ok()).map(Heat::Map).collect()
    }

    /// The scale of a painted map, and its name.
    pub fn map(&self, heat: Heat) -> (Scale, String) {
        (heat.map_scale(self.simulation), heat.map_name(self.simulation).unwrap_or_default())
    }

    /// What can be shown of objects of a kind, if anything can happen to one of them.
    pub fn fields(&self, kind: ObjectKind) -> Vec<Heat> {
        let objects = self.simulation.objects().iter().enumerate();
        let of_kind = objects.filter(|(at, object)| object.kind == kind && !self.simulation.pinned_all_over(*at));
        of_kind.take(1).flat_map(|(_, o)| o.info.fields.iter().filter_map(|f| Heat::from_key(&f.name))).collect()
    }

    /// The height of the floor: that of a level plane, or else just below everything.
    fn floor(&self, time: f64) -> f64 {
        let planes = self.simulation.colliders().iter().filter(|c| c.visible);
        let lowest = if self.bounds.is_empty() { 0.0 } else { self.bounds.min[1] };
        planes.filter_map(|c| c.floor(time)).next().unwrap_or(lowest - 0.02 * self.bounds.radius())
    }
}

/// The points that reach furthest along the axes and diagonals: some of many points may miss the ends.
fn extremes(points: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let ways = (0..27).map(|code: i32| DVec3::from([code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1].map(f64::from)));
    let furthest = |way: DVec3| {
        let along = |point: &[f64; 3]| way.dot(DVec3::from(*point));
        points.iter().max_by(|a, b| along(a).total_cmp(&along(b))).copied()
    };
    ways.filter_map(furthest).collect()
}
