//! Pins that give: springs, leashes and sliding, as constraints of the user's own in the engine. The rows are made
//! once; where they pull to is told before every step.

use super::pins::select;
use super::{Object, ObjectKind};
use crate::generate::nearest::Nearest;
use crate::scene::settings::{Hold, Pin};
use crate::scene::{Scene, SceneError};
use glam::DVec3;
use std::sync::{Arc, PoisonError, RwLock};
use taut::{Constraint, ConstraintRow, ModelBuilder, RowSide, RowStrength};

/// What makes weight of mass, m/s².
const GRAVITY: f64 = 9.81;
/// How far a leash or a surface gives under the cloth's own weight, m.
const HARDLY: f64 = 1e-4;
/// Lengths below this have no direction, m.
const NOWHERE: f64 = 1e-9;

/// Where the vertices of a pin are pulled to in the step that comes; nothing while it does not hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Pull(Arc<RwLock<Vec<Aim>>>);

/// Where one vertex is pulled to.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Aim {
    /// m.
    place: DVec3,
    /// Off the surface that it slides on; of no length for others.
    normal: DVec3,
}

impl Pull {
    /// Pulls to some places, m.
    pub fn to(&self, places: &[[f64; 3]]) {
        self.set(places.iter().map(|&place| Aim { place: place.into(), normal: DVec3::ZERO }).collect());
    }

    /// Keeps vertices, which are now at some places, at some distances from a surface (all m), wherever on it.
    pub fn onto(&self, places: &[[f64; 3]], distances: &[f64], positions: &[[f64; 3]], triangles: &[[u32; 3]]) {
        let surface = Nearest::new(positions, triangles);
        let aim = |(&place, &distance): (&[f64; 3], &f64)| {
            let place = DVec3::from(place);
            let none = Aim { place, normal: DVec3::ZERO };
            let Some((foot, normal)) = foot(&surface, place, positions, triangles) else { return none };
            Aim { place: foot + distance * normal, normal }
        };
        self.set(places.iter().zip(distances).map(aim).collect());
    }

    /// Lets go.
    pub fn rest(&self) {
        self.set(Vec::new());
    }

    fn set(&self, aims: Vec<Aim>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = aims;
    }
}

/// The point of a surface that is nearest to a place (m), and the direction off the surface there.
fn foot(surface: &Nearest, place: DVec3, positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Option<(DVec3, DVec3)> {
    let hit = surface.find(place, None)?;
    let corners = triangles[hit.triangle].map(|v| DVec3::from(positions[v as usize]));
    let foot = hit.weights[0] * corners[0] + hit.weights[1] * corners[1] + hit.weights[2] * corners[2];
    let (away, flat) = (place - foot, (corners[1] - corners[0]).cross(corners[2] - corners[0]));
    let normal = if away.length() > NOWHERE { away } else { flat };
    Some((foot, normal.try_normalize()?))
}

/// How far places are from a surface, m; 0 without one.
pub(super) fn distances(places: &[[f64; 3]], positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<f64> {
    let surface = Nearest::new(positions, triangles);
    let from = |&place: &[f64; 3]| {
        let place = DVec3::from(place);
        foot(&surface, place, positions, triangles).map_or(0.0, |(foot, _)| foot.distance(place))
    };
    places.iter().map(from).collect()
}

/// The rows of one pin. All see one vertex.
#[derive(Debug)]
enum Rows {
    /// Three rows for each vertex: how far it is from its place along x, y and z, m.
    Spring(Pull),
    /// How far a vertex is from its place beyond what it may, m.
    Leash(Pull, Vec<f64>),
    /// How far a vertex is off the surface that it slides on, m.
    Slide(Pull),
}

impl Constraint for Rows {
    fn name(&self) -> &str {
        match self {
            Rows::Spring(_) => "soft pin",
            Rows::Leash(..) => "leash",
            Rows::Slide(_) => "sliding pin",
        }
    }

    fn evaluate(&self, rows: &[u32], x: &[[f64; 3]], values: &mut [f64], gradients: &mut [[f64; 3]]) {
        let (Rows::Spring(pull) | Rows::Leash(pull, _) | Rows::Slide(pull)) = self;
        let aims = pull.0.read().unwrap_or_else(PoisonError::into_inner);
        for (at, &row) in rows.iter().enumerate() {
            let row = row as usize;
            let vertex = if matches!(self, Rows::Spring(_)) { row / 3 } else { row };
            let Some(aim) = aims.get(vertex) else {
                // Nothing holds: a row that is fulfilled whatever happens.
                (values[at], gradients[at]) = (0.0, [0.0; 3]);
                continue;
            };
            let away = DVec3::from(x[at]) - aim.place;
            let (value, gradient) = match self {
                Rows::Spring(_) => (away[row % 3], DVec3::AXES[row % 3]),
                Rows::Leash(_, reach) => (away.length() - reach[vertex], away.normalize_or_zero()),
                Rows::Slide(_) => (away.dot(aim.normal), aim.normal),
            };
            (values[at], gradients[at]) = (value, gradient.into());
        }
    }
}

/// Adds the rows of all pins that give. For each pin of the scene where it pulls to, if it does not hold fast.
/// `starts` has where the vertices of each object begin, m.
pub(super) fn add(
    scene: &Scene,
    objects: &[Object],
    builder: &mut ModelBuilder,
    starts: &[Vec<[f64; 3]>],
    masses: &[Vec<f64>],
) -> Result<Vec<Option<Pull>>, SceneError> {
    let mut pulls = Vec::new();
    for (at, pin) in scene.settings.pin.iter().enumerate() {
        let of = objects.iter().position(|object| object.info.name == pin.body);
        let Some(of) = of.filter(|_| !matches!(pin.hold, Hold::Fast(_))) else {
            pulls.push(None);
            continue;
        };
        let path = scene.element_path("pin", at);
        if objects[of].kind == ObjectKind::Solid {
            let message = format!("`{path}.hold` is of a solid; only pins of cloth give");
            return Err(scene.error(&format!("{path}.hold"), message, Vec::new()));
        }
        let chosen = select(scene, &format!("{path}.select"), &pin.select, &objects[of], &starts[of])?;
        let pull = Pull::default();
        let (constraint, rows) = rows(scene, &path, pin, &objects[of], &chosen, &masses[of], &pull)?;
        builder.add_constraint(constraint, &rows).map_err(super::build::builder(scene, &path))?;
        pulls.push(Some(pull));
    }
    Ok(pulls)
}

fn rows(
    scene: &Scene,
    path: &str,
    pin: &Pin,
    object: &Object,
    chosen: &[u32],
    masses: &[f64],
    pull: &Pull,
) -> Result<(Rows, Vec<ConstraintRow>), SceneError> {
    let map = |map: &Option<String>| match map {
        None => Ok(vec![1.0; chosen.len()]),
        Some(name) => {
            let (count, triangles) = (object.info.rest.len(), &object.info.triangles);
            let values =
                object.marks.values(scene, &format!("{path}.hold.map"), name, &object.groups, triangles, count)?;
            Ok(chosen.iter().map(|&v| f64::from(values[v as usize]).clamp(0.0, 1.0)).collect::<Vec<f64>>())
        }
    };
    // Together they carry the whole cloth.
    let held: f64 = chosen.iter().map(|&vertex| masses[vertex as usize]).sum();
    let carried = masses.iter().sum::<f64>() / held.max(f64::MIN_POSITIVE);
    let row = |vertex: u32, give: f64, share: f64, side: RowSide| {
        // A share of nothing is a spring that is not felt.
        let mass = (masses[vertex as usize] * carried).max(f64::MIN_POSITIVE);
        let stiffness = mass * GRAVITY / give * share.max(1e-6);
        let strength = RowStrength::Compliance { compliance: 1.0 / stiffness, damping: 0.0 };
        ConstraintRow { vertices: vec![object.vertices.start + vertex], strength, side }
    };
    Ok(match &pin.hold {
        Hold::Fast(_) => (Rows::Spring(pull.clone()), Vec::new()),
        Hold::Soft(soft) => {
            let shares = map(&soft.map)?;
            let of = |(&v, share): (&u32, f64)| [(); 3].map(|()| row(v, soft.give, share, RowSide::Zero));
            (Rows::Spring(pull.clone()), chosen.iter().zip(shares).flat_map(of).collect())
        }
        Hold::Within(leash) => {
            let reach = map(&leash.map)?.into_iter().map(|share| share * leash.distance).collect();
            let rows = chosen.iter().map(|&v| row(v, HARDLY, 1.0, RowSide::AtMost)).collect();
            (Rows::Leash(pull.clone(), reach), rows)
        }
        Hold::Slide(_) => {
            let rows = chosen.iter().map(|&v| row(v, HARDLY, 1.0, RowSide::Zero)).collect();
            (Rows::Slide(pull.clone()), rows)
        }
    })
}
