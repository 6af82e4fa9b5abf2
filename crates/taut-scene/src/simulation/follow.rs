//! How pins go along with a collider: with its pose if it is stiff, with its skin if it deforms.

use super::attachment::Attachment;
use super::colliders::ColliderObject;
use super::engine::Engine;
use super::grip::Grip;
use super::motion::{from_world, to_world};
use super::skin::{Foot, Skin, components};
use super::unsolved::diagonal;
use super::{Object, ObjectKind};
use crate::read::parts;
use crate::scene::settings::{Follow, FollowBy};
use crate::scene::{Scene, SceneError, did_you_mean};
use glam::DVec3;
use std::collections::HashMap;

/// What a pin follows.
pub(super) struct Leader {
    /// The collider's number.
    pub collider: usize,
    hold: Hold,
    /// When the vertices were taken, s.
    since: f64,
}

/// How vertices are held.
enum Hold {
    /// By the pose of something stiff.
    Pose,
    /// Each by a triangle.
    Triangles(Vec<Attachment>),
    /// By stiff pieces on a skin; for each vertex the number of its piece.
    Pieces(Vec<Grip>, Vec<u32>),
}

/// How far around a vertex the skin counts if nothing else is said, over the collider's size.
const RADIUS: f64 = 0.1;

impl Leader {
    /// What follows a collider from a time (s) on: vertices at some places (m), with links between neighbours.
    pub fn new(
        follow: &Follow,
        colliders: &[ColliderObject],
        places: &[[f64; 3]],
        links: &[[u32; 2]],
        since: f64,
    ) -> Option<Self> {
        let collider = colliders.iter().position(|collider| collider.name == follow.collider)?;
        let leader = &colliders[collider];
        let hold = if leader.deforms() { Hold::new(follow, leader, places, links, since) } else { Hold::Pose };
        Some(Leader { collider, hold, since })
    }

    /// Where points that were at these places when they were taken are at a time (s), m.
    pub fn carry(&self, places: &mut [[f64; 3]], colliders: &[ColliderObject], time: f64) {
        let leader = &colliders[self.collider];
        match &self.hold {
            Hold::Pose => {
                let (start, now) = (leader.pose(self.since), leader.pose(time));
                places.iter_mut().for_each(|place| *place = to_world(&now, from_world(&start, *place)));
            }
            Hold::Triangles(attachments) => {
                let positions = leader.positions(time);
                places.iter_mut().zip(attachments).for_each(|(place, attachment)| *place = attachment.at(&positions));
            }
            Hold::Pieces(grips, piece) => {
                let positions = leader.positions(time);
                let motions: Vec<_> = grips.iter().map(|grip| grip.motion(&positions)).collect();
                for (place, &piece) in places.iter_mut().zip(piece) {
                    *place = motions[piece as usize].carry(*place);
                }
            }
        }
    }
}

/// The worst that following a skin will do, known before anything is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Worst {
    /// How much longer an edge between held vertices is than at first, over its length.
    pub stretch: f64,
    /// Which one, by its place in the list.
    pub edge: usize,
    /// In which frame.
    pub frame: u32,
    /// How far the skin is from where a stiff piece would have it, m.
    pub strayed: f64,
    /// In which frame.
    pub strayed_frame: u32,
}

/// Frames that are looked at for it.
const MOST_FRAMES: u32 = 48;

impl Leader {
    /// Whether it goes with a skin.
    pub fn on_skin(&self) -> bool {
        !matches!(self.hold, Hold::Pose)
    }

    /// What following will do to vertices that were taken at some places (m) and to the edges between them, in so many
    /// frames at so many in a second.
    pub fn worst(
        &self,
        places: &[[f64; 3]],
        edges: &[[u32; 2]],
        colliders: &[ColliderObject],
        (frames, fps): (u32, f64),
    ) -> Worst {
        let mut worst = Worst { stretch: 0.0, edge: 0, frame: 0, strayed: 0.0, strayed_frame: 0 };
        let length =
            |places: &[[f64; 3]], [a, b]: [u32; 2]| DVec3::from(places[a as usize]).distance(places[b as usize].into());
        for frame in (1..=frames).step_by(frames.div_ceil(MOST_FRAMES).max(1) as usize) {
            let time = f64::from(frame) / fps;
            let mut now = places.to_vec();
            self.carry(&mut now, colliders, time);
            for (edge, &ends) in edges.iter().enumerate() {
                let stretch = length(&now, ends) / length(places, ends).max(f64::MIN_POSITIVE) - 1.0;
                if stretch > worst.stretch {
                    worst = Worst { stretch, edge, frame, ..worst };
                }
            }
            if let Hold::Pieces(grips, _) = &self.hold {
                let positions = colliders[self.collider].positions(time);
                let strayed = grips.iter().map(|grip| grip.strayed(&positions)).fold(0.0, f64::max);
                if strayed > worst.strayed {
                    worst = Worst { strayed, strayed_frame: frame, ..worst };
                }
            }
        }
        worst
    }
}

impl Hold {
    fn new(follow: &Follow, leader: &ColliderObject, places: &[[f64; 3]], links: &[[u32; 2]], since: f64) -> Self {
        let positions = leader.positions(since);
        let skin = Skin::new(&positions, followed(follow, leader));
        // Each with what it is nearest to, whatever its neighbours do.
        let links = if follow.by == FollowBy::Triangle { &[] } else { links };
        let Some(feet) = skin.feet(places, links) else { return Hold::Pose };
        let held = match follow.by {
            FollowBy::Triangle => {
                let attach = |(&place, foot): (&[f64; 3], &Foot)| Attachment::new(place, foot, &positions);
                return Hold::Triangles(places.iter().zip(&feet).map(attach).collect());
            }
            FollowBy::Together => together(&feet, links, &positions),
            FollowBy::Blend => {
                let radius = follow.radius.unwrap_or(RADIUS * diagonal(&positions));
                blend(&skin, &feet, radius, &positions)
            }
        };
        held.map_or(Hold::Pose, |(grips, piece)| Hold::Pieces(grips, piece))
    }
}

/// Cloth that goes with a skin as a whole: its first vertex, where all of them are (m), and what carries them. The
/// skin is
/// that of the collider that pins of it follow, or else the first that deforms.
pub(super) fn wear(
    scene: &Scene,
    objects: &[Object],
    colliders: &[ColliderObject],
    engine: &dyn Engine,
) -> Vec<(u32, Vec<[f64; 3]>, Leader)> {
    let worn = |object: &Object| {
        let pins = scene.settings.pin.iter().filter(|pin| pin.body == object.info.name);
        let named = pins.filter_map(|pin| pin.follow.as_ref()).map(|leader| leader.0.clone()).next();
        let first = colliders.iter().find(|collider| collider.deforms()).map(|collider| collider.name.clone());
        let bare = || Some(Follow { collider: first?, by: FollowBy::Blend, only: Vec::new(), radius: None });
        let follow = Follow { by: FollowBy::Blend, ..named.or_else(bare)? };
        let vertices: Vec<u32> = object.vertices.clone().collect();
        let places = engine.positions(object.vertices.clone());
        let leader = Leader::new(&follow, colliders, &places, &super::links::links(object, &vertices), 0.0)?;
        Some((object.vertices.start, places, leader))
    };
    objects.iter().filter(|object| object.kind == ObjectKind::Cloth).filter_map(worn).collect()
}

/// The triangles that are followed.
fn followed(follow: &Follow, leader: &ColliderObject) -> Vec<[u32; 3]> {
    let all = &leader.mesh.triangles;
    match parts::find(leader.parts(), &follow.only, all.len()) {
        Ok(inside) if !follow.only.is_empty() => {
            all.iter().zip(inside).filter(|(_, inside)| *inside).map(|(triangle, _)| *triangle).collect()
        }
        _ => all.clone(),
    }
}

/// One piece for all vertices that hang together: each brings the corners of the triangle it is on.
fn together(feet: &[Foot], links: &[[u32; 2]], positions: &[[f64; 3]]) -> Option<(Vec<Grip>, Vec<u32>)> {
    let first = components(feet.len(), links);
    let mut number: HashMap<u32, u32> = HashMap::new();
    let mut weights: Vec<Vec<(u32, f64)>> = Vec::new();
    let mut piece = Vec::with_capacity(feet.len());
    for (foot, first) in feet.iter().zip(first) {
        let at = *number.entry(first).or_insert(weights.len() as u32);
        if at as usize == weights.len() {
            weights.push(Vec::new());
        }
        weights[at as usize].extend(foot.triangle.map(|vertex| (vertex, 1.0)));
        piece.push(at);
    }
    let grips = weights.iter().map(|weights| Grip::new(weights, positions)).collect::<Option<Vec<_>>>()?;
    Some((grips, piece))
}

/// Vertices of the skin that all pieces of a blend have together, about: each is looked at in every step.
const MOST_BLENDED: usize = 1 << 20;

/// A piece for each vertex: the skin around it, less and less with the distance along it.
fn blend(skin: &Skin, feet: &[Foot], radius: f64, positions: &[[f64; 3]]) -> Option<(Vec<Grip>, Vec<u32>)> {
    let most = (MOST_BLENDED / feet.len().max(1)).clamp(64, 2048);
    let grip = |foot: &Foot| {
        let reached = skin.reach(foot, radius, most);
        // As far as the skin was looked at, so that nothing begins to count of a sudden.
        let far = if reached.len() < most { radius } else { reached.last()?.1 };
        let fall = |d: f64| (1.0 - (d / far).min(1.0).powi(2)).powi(2);
        let around = reached.iter().map(|&(vertex, d)| (vertex, fall(d)));
        // A skin with triangles larger than the radius has at least those.
        let own = (0..3).map(|k| (foot.triangle[k], 1e-3 * (0.01 + foot.weights[k])));
        Grip::new(&around.chain(own).collect::<Vec<_>>(), positions)
    };
    let grips = feet.iter().map(grip).collect::<Option<Vec<_>>>()?;
    Some((grips, (0..feet.len() as u32).collect()))
}

/// Refuses a table that names parts which the collider does not have. `path` is that of the pin.
pub(super) fn check(
    scene: &Scene,
    path: &str,
    follow: &Follow,
    colliders: &[ColliderObject],
) -> Result<(), SceneError> {
    let Some(leader) = colliders.iter().find(|collider| collider.name == follow.collider) else { return Ok(()) };
    let what = format!("collider {:?}", leader.name);
    let inside = no_such_part(
        scene,
        &format!("{path}.follow.only"),
        &follow.only,
        &what,
        leader.parts(),
        leader.mesh.triangles.len(),
    )?;
    if !follow.only.is_empty() && !inside.contains(&true) {
        let path = format!("{path}.follow.only");
        return Err(scene.error(&path, format!("`{path}` leaves nothing of {what} to follow"), Vec::new()));
    }
    Ok(())
}

/// For each triangle whether it is in one of the parts that the list at a path names; refuses names that fit none.
pub(super) fn no_such_part(
    scene: &Scene,
    path: &str,
    names: &[String],
    what: &str,
    known: &[parts::Part],
    count: usize,
) -> Result<Vec<bool>, SceneError> {
    parts::find(known, names, count).map_err(|at| {
        let (path, name) = (format!("{path}.{at}"), &names[at]);
        let mut help: Vec<String> =
            did_you_mean(name, known.iter().map(|part| part.name.as_str())).into_iter().collect();
        help.extend(parts::list(known));
        if known.is_empty() {
            help.push("it has no parts with names".into());
        }
        scene.error(&path, format!("`{path}` is {name:?}, but {what} has no part called that"), help)
    })
}
