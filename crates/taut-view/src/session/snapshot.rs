//! What a window shows of a session at a moment. It holds no part of the session, so that both can go on.

use super::Heat;
use super::Session;
use super::history::History;
use super::reach::ClothReach;
use super::side::Side;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use taut_render::{Legend, Scale};
use taut_scene::scene::Scene;
use taut_scene::scene::settings::Colour;
use taut_scene::simulation::ObjectKind;

/// A surface that does not change but for where its vertices are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Colour, sRGB; that of colliders if the scene asks for none.
    pub colour: Option<[u8; 3]>,
}

/// What an object is, but for where it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectShape {
    /// Its surface.
    pub surface: Surface,
    /// Its name.
    pub name: String,
    /// The names of its fields.
    pub fields: Vec<String>,
    /// For each triangle of the surface its element, a triangle of cloth or a tetrahedron.
    pub elements: Vec<u32>,
    /// Whether it is cloth, with two sides.
    pub cloth: bool,
}

/// Everything that stays while a scene is the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// Cloth and solids.
    pub objects: Vec<ObjectShape>,
    /// Colliders; those that are not to be seen have no triangles.
    pub colliders: Vec<Surface>,
    /// The painted maps, in the order that [`Heat::Map`] counts them.
    pub maps: Vec<PaintedMap>,
}

/// A painted map that colours can show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PaintedMap {
    /// What it is called.
    pub name: String,
    /// The numbers at the ends of its colours.
    pub range: [f64; 2],
}

/// One side of a session at a moment.
#[derive(Clone, Debug)]
pub struct SideView {
    /// The scene with its settings.
    pub scene: Arc<Scene>,
    /// What stays.
    pub shape: Arc<Shape>,
    /// Positions of each object's vertices, m.
    pub positions: Vec<Vec<[f64; 3]>>,
    /// Positions of each collider's vertices, m.
    pub colliders: Vec<Vec<[f64; 3]>>,
    /// The height of the floor, if there is one, m.
    pub floor: Option<f64>,
    /// Where held vertices are marked, m.
    pub pins: Vec<[f64; 3]>,
    /// What the colours show, at each object's vertices; nothing where an object has no such values.
    pub values: Vec<Option<Vec<f32>>>,
    /// For each object the values of each of its fields.
    pub fields: Vec<Vec<Vec<f64>>>,
    /// The frames so far.
    pub history: History,
    /// Changes to the scene, each as a path and a value.
    pub sets: Vec<(String, String)>,
    /// How far each cloth may be stretched, and is.
    pub reach: Vec<ClothReach>,
    /// What was odd about the scene, and what a person should know before trusting what is seen: limits missed, contact
    /// without room.
    pub warnings: Vec<String>,
}

/// A session at a moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Which session it is of, and a number that rises whenever anything in it changes.
    pub version: (u64, u64),
    /// How many commands had been heard.
    pub heard: u64,
    /// The name of what is open.
    pub name: String,
    /// The frame.
    pub frame: u32,
    /// The last frame of the scene.
    pub last: u32,
    /// Its time, s.
    pub time: f64,
    /// Whether time goes on.
    pub playing: bool,
    /// Whether it goes on behind the scene's last frame.
    pub endless: bool,
    /// How fast, 1 for real time.
    pub speed: f64,
    /// What the colours show.
    pub heat: Heat,
    /// One side, or two that are compared.
    pub sides: Vec<SideView>,
    /// The object and vertex in the hand.
    pub hand: Option<(usize, u32)>,
    /// Whether a point cache grows.
    pub recording: bool,
    /// What could not be done last.
    pub error: Option<String>,
    /// What was done, where a person would want to know.
    pub note: Option<String>,
    /// The scene file that was asked for last, and which one it is.
    pub written: Option<(u64, Result<String, String>)>,
}

impl Snapshot {
    /// What the colours mean, where `strain` is at the end of a scale of strains; nothing without colours.
    pub fn legend(&self, strain: f64) -> Option<Legend> {
        let Heat::Map(at) = self.heat else { return self.heat.legend(strain) };
        let map = self.sides[0].shape.maps.get(usize::from(at))?;
        let [low, high] = map.range;
        let scale = if low < 0.0 { Scale::around_zero(high) } else { Scale::up_to(high) };
        Some(Legend { scale, label: map.name.clone(), unit: String::new(), factor: 1.0 })
    }

    /// A name for files made from it: without folders or ending.
    pub fn stem(&self) -> String {
        taut_scene::write::stem_of(&self.name)
    }
}

impl Session {
    /// What a window shows now. What did not change since `before` is shared with it.
    pub fn snapshot(&self, before: Option<&Snapshot>) -> Snapshot {
        let first = &self.sides[0].simulation;
        let known = |at: usize| before.and_then(|before| before.sides.get(at));
        Snapshot {
            version: (self.number, self.version),
            heard: self.heard,
            name: self.document.name.clone(),
            frame: first.frame(),
            last: first.frames(),
            time: first.time(),
            playing: self.tempo.playing,
            endless: self.tempo.endless,
            speed: self.tempo.speed,
            heat: self.heat,
            sides: self.sides.iter().enumerate().map(|(at, side)| side.view(self.heat, known(at))).collect(),
            hand: first.in_hand(),
            recording: self.recorder.is_some(),
            error: self.error.clone(),
            note: self.note.clone(),
            written: self.written.clone(),
        }
    }
}

impl Side {
    fn view(&self, heat: Heat, before: Option<&SideView>) -> SideView {
        let simulation = &self.simulation;
        let count = simulation.objects().len();
        let same = before.filter(|before| Arc::ptr_eq(&before.scene, &self.scene));
        let positions: Vec<_> = (0..count).map(|object| simulation.positions(object)).collect();
        let fields = simulation.fields();
        let narrow = |values: Vec<f64>| values.into_iter().map(|value| value as f32).collect();
        let values =
            (0..count).map(|at| heat.values(simulation, at, &fields[at], &positions[at]).map(narrow)).collect();
        let colliders = simulation.colliders();
        SideView {
            scene: self.scene.clone(),
            shape: same.map_or_else(|| Arc::new(self.shape()), |same| same.shape.clone()),
            positions,
            colliders: (0..colliders.len()).map(|at| simulation.collider_positions(at)).collect(),
            floor: colliders.iter().filter(|c| c.visible).find_map(|c| c.floor(simulation.time())),
            pins: simulation.marked_positions(),
            values,
            fields,
            history: self.history.clone(),
            sets: self.sets.clone(),
            reach: ClothReach::all(simulation),
            warnings: taut_studio::warnings(simulation),
        }
    }

    fn shape(&self) -> Shape {
        let simulation = &self.simulation;
        let objects = simulation.objects().iter().map(|object| {
            let cloth = object.kind == ObjectKind::Cloth;
            ObjectShape {
                surface: Surface { triangles: object.surface.clone(), colour: Some(object.colour.0) },
                name: object.info.name.clone(),
                fields: object.info.fields.iter().map(|field| field.name.clone()).collect(),
                elements: if cloth { triangle_numbers(object) } else { object.surface_tets.clone() },
                cloth,
            }
        });
        // Level planes are floors, and drawn as such.
        let shown = simulation.colliders().iter().map(|collider| {
            let seen = collider.visible && collider.floor(simulation.time()).is_none();
            let triangles = if seen { collider.mesh.triangles.clone() } else { Vec::new() };
            Surface { triangles, colour: collider.colour.map(|Colour(rgb)| rgb) }
        });
        let maps = taut_studio::painted(simulation).into_iter().zip(0u8..).map(|(name, at)| {
            let scale = Heat::Map(at).map_scale(simulation);
            PaintedMap { name, range: [scale.min, scale.max] }
        });
        Shape { objects: objects.collect(), colliders: shown.collect(), maps: maps.collect() }
    }
}

/// For each triangle of a cloth's surface, its number in the mesh: the engine may have left some out.
fn triangle_numbers(object: &taut_scene::simulation::Object) -> Vec<u32> {
    let mut at = 0;
    let all = &object.info.triangles;
    let number = |triangle: &[u32; 3]| {
        let found = all[at.min(all.len())..].iter().position(|t| t == triangle).map(|found| at + found);
        let found = found.or_else(|| all.iter().position(|t| t == triangle));
        at = found.map_or(at, |found| found + 1);
        found.unwrap_or(0) as u32
    };
    object.surface.iter().map(number).collect()
}
