//! Pins that give: springs, leashes and sliding, as constraints of the user's own in the engine. The rows are made
//! once; where they pull to is told before every step.

use super::extras::GRAVITY;
use super::ground::Ground;
use super::pins::select;
use super::{Object, ObjectKind};
use crate::scene::settings::{Hold, Pin};
use crate::scene::{Scene, SceneError};
use glam::DVec3;
use std::sync::{Arc, PoisonError, RwLock};
use taut::{Constraint, ConstraintRow, ModelBuilder, RowSide, RowStrength};

/// How far a leash or a surface gives under the cloth's own weight, m.
const HARDLY: f64 = 1e-4;

/// Where the vertices of a pin are pulled to in the step that comes; nothing while it does not hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Pull(Arc<RwLock<Vec<Aim>>>);

/// Where one vertex is pulled to.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Aim {
    /// Where it is told to be, m.
    told: DVec3,
    /// A point of the plane that it slides on or stays before, m.
    on: DVec3,
    /// Off that plane; of no length without one.
    normal: DVec3,
}

impl Pull {
    /// Pulls to some places, m.
    pub fn to(&self, places: &[[f64; 3]]) {
        let aim = |&told: &[f64; 3]| Aim { told: told.into(), on: told.into(), normal: DVec3::ZERO };
        self.set(places.iter().map(aim).collect());
    }

    /// Keeps vertices, which are now at some places, at some distances from a surface, not too far from where they are
    /// told to be (all m).
    pub fn onto(&self, places: &[[f64; 3]], told: &[[f64; 3]], distances: &[f64], surface: &Ground) {
        let aim = |((&place, &told), &distance): ((&[f64; 3], &[f64; 3]), &f64)| {
            let told = DVec3::from(told);
            let Some((foot, normal)) = surface.foot(place.into()) else {
                return Aim { told, on: place.into(), normal: DVec3::ZERO };
            };
            Aim { told, on: foot + distance * normal, normal }
        };
        self.set(places.iter().zip(told).zip(distances).map(aim).collect());
    }

    /// Pulls to some places (m) before a surface.
    pub fn before(&self, places: &[[f64; 3]], surface: &Ground) {
        let aim = |&told: &[f64; 3]| {
            let told = DVec3::from(told);
            Aim { told, on: told, normal: surface.foot(told).map_or(DVec3::ZERO, |foot| foot.1) }
        };
        self.set(places.iter().map(aim).collect());
    }

    /// Lets go.
    pub fn rest(&self) {
        self.set(Vec::new());
    }

    fn set(&self, aims: Vec<Aim>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = aims;
    }
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
    /// How far a vertex is before the plane that it must not go behind, m.
    Stop(Pull, f64),
}

impl Constraint for Rows {
    fn name(&self) -> &str {
        match self {
            Rows::Spring(_) => "soft pin",
            Rows::Leash(..) => "leash",
            Rows::Slide(_) => "sliding pin",
            Rows::Stop(..) => "backstop",
        }
    }

    fn evaluate(&self, rows: &[u32], x: &[[f64; 3]], values: &mut [f64], gradients: &mut [[f64; 3]]) {
        let (Rows::Spring(pull) | Rows::Leash(pull, _) | Rows::Slide(pull) | Rows::Stop(pull, _)) = self;
        let aims = pull.0.read().unwrap_or_else(PoisonError::into_inner);
        for (at, &row) in rows.iter().enumerate() {
            let row = row as usize;
            let vertex = if matches!(self, Rows::Spring(_)) { row / 3 } else { row };
            let Some(aim) = aims.get(vertex) else {
                // Nothing holds: a row that is fulfilled whatever happens.
                (values[at], gradients[at]) = (0.0, [0.0; 3]);
                continue;
            };
            let (away, off) = (DVec3::from(x[at]) - aim.told, (DVec3::from(x[at]) - aim.on).dot(aim.normal));
            let (value, gradient) = match self {
                Rows::Spring(_) => (away[row % 3], DVec3::AXES[row % 3]),
                Rows::Leash(_, reach) => (away.length() - reach[vertex], away.normalize_or_zero()),
                Rows::Slide(_) => (off, aim.normal),
                Rows::Stop(_, depth) => (off + depth, aim.normal),
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
        for (constraint, rows) in rows(scene, &path, pin, &objects[of], &chosen, &masses[of], &pull)? {
            builder.add_constraint(constraint, &rows).map_err(super::build::builder(scene, &path))?;
        }
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
) -> Result<Vec<(Rows, Vec<ConstraintRow>)>, SceneError> {
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
    let all = |side: RowSide| chosen.iter().map(|&v| row(v, HARDLY, 1.0, side)).collect::<Vec<_>>();
    Ok(match &pin.hold {
        Hold::Fast(_) => Vec::new(),
        Hold::Soft(soft) => {
            let shares = map(&soft.map)?;
            let of = |(&v, share): (&u32, f64)| [(); 3].map(|()| row(v, soft.give, share, RowSide::Zero));
            vec![(Rows::Spring(pull.clone()), chosen.iter().zip(shares).flat_map(of).collect())]
        }
        Hold::Within(leash) => {
            let reach = map(&leash.map)?.into_iter().map(|share| share * leash.distance).collect();
            let mut out = vec![(Rows::Leash(pull.clone(), reach), all(RowSide::AtMost))];
            if let Some(depth) = leash.backstop {
                if pin.follow.is_none() {
                    let message = format!("`{path}.hold.backstop` is before a collider, but `{path}` follows none");
                    return Err(scene.error(&format!("{path}.hold.backstop"), message, Vec::new()));
                }
                out.push((Rows::Stop(pull.clone(), depth), all(RowSide::AtLeast)));
            }
            out
        }
        Hold::Slide(slide) => {
            let reach = vec![slide.distance; chosen.len()];
            vec![
                (Rows::Slide(pull.clone()), all(RowSide::Zero)),
                (Rows::Leash(pull.clone(), reach), all(RowSide::AtMost)),
            ]
        }
    })
}
