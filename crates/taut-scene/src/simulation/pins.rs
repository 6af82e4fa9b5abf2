//! Pins: which vertices a scene holds, and where they have to be.

use super::Object;
use super::attachment;
use super::colliders::ColliderObject;
use super::engine::Engine;
use super::extras::SOON;
use super::follow::{self, Leader};
use super::ground::{Ground, KeptOff, has_inside};
use super::motion::{moved, moves};
use super::soft::Pull;
use super::whole::{self, Tie, keep_whole};
use super::{links, maps};
use crate::scene::settings::{FollowBy, Hold, Motion, Pin, Select, SelectTable};
use crate::scene::{Scene, SceneError};
use glam::{DQuat, DVec3};
use std::collections::HashSet;
use taut::limit::LimitSpec;

/// A pin of the scene, with the vertices it holds.
pub(super) struct PinnedVertices {
    /// The engine's vertices.
    vertices: Vec<u32>,
    /// Where each was when it was taken, m.
    places: Vec<[f64; 3]>,
    motion: Option<Motion>,
    follow: Option<Leader>,
    /// Which of its vertices are neighbours, by their places in its list; only if it follows something.
    links: Vec<[u32; 2]>,
    /// As the scene has it.
    source: Pin,
    until: f64,
    taken: bool,
    released: bool,
    /// Edges between its vertices that the skin they follow may not draw apart.
    ties: Vec<Tie>,
    /// What keeps it off the body that it follows, if that has an inside and they meet.
    off: Option<KeptOff>,
    /// Where it pulls to, if it does not hold fast.
    pull: Option<Pull>,
    /// How far its vertices were from what it slides on when they were taken, m.
    distances: Vec<f64>,
}

/// The numbers within a body of the vertices that pins hold from the beginning, ascending. What cannot be found is
/// none: [`pin_all`] says so.
pub(super) fn held_at_the_start(scene: &Scene, object: &Object, engine: &dyn Engine) -> Vec<u32> {
    let places = engine.positions(object.vertices.clone());
    let holds = |pin: &&Pin| pin.body == object.info.name && pin.from <= SOON && matches!(pin.hold, Hold::Fast(_));
    let chosen = |pin: &Pin| select(scene, "pin", &pin.select, object, &places).unwrap_or_default();
    let mut held: Vec<u32> = scene.settings.pin.iter().filter(holds).flat_map(chosen).collect();
    held.sort_unstable();
    held
}

/// Finds the vertices of all pins, pins those that are held from the beginning, and puts them where they have to be.
pub(super) fn pin_all(
    scene: &Scene,
    objects: &[Object],
    colliders: &[ColliderObject],
    engine: &mut dyn Engine,
    pulls: Vec<Option<Pull>>,
) -> Result<Vec<PinnedVertices>, SceneError> {
    let mut pins = Vec::new();
    for ((at, pin), pull) in scene.settings.pin.iter().enumerate().zip(pulls) {
        let Some(number) = objects.iter().position(|object| object.info.name == pin.body) else { continue };
        let object = &objects[number];
        let base = object.vertices.start;
        let path = scene.element_path("pin", at) + ".select";
        let chosen = select(scene, &path, &pin.select, object, &engine.positions(object.vertices.clone()))?;
        let vertices: Vec<u32> = chosen.into_iter().map(|v| base + v).collect();
        let links = match &pin.follow {
            Some(leader) => {
                follow::check(scene, &scene.element_path("pin", at), &leader.0, colliders)?;
                links::links(object, &vertices)
            }
            None => Vec::new(),
        };
        let mut held = PinnedVertices {
            places: engine.places(&vertices),
            vertices,
            motion: pin.motion.clone(),
            follow: None,
            links,
            source: pin.clone(),
            until: pin.until.unwrap_or(f64::INFINITY),
            taken: false,
            released: false,
            ties: Vec::new(),
            off: None,
            pull,
            distances: Vec::new(),
        };
        if let Some(leader) = pin.follow.as_ref().filter(|_| held.fast()) {
            let bounds = LimitSpec::bounds_of_body(engine.limits(), number);
            let limit = super::tightest(&bounds);
            let edges = links::edges(object, &held.vertices);
            let ties = if limit.is_finite() { whole::ties(&edges, &held.places, limit) } else { Vec::new() };
            held.off = gap(scene, number, colliders, &leader.0.collider).map(|gap| {
                let deepest = DEEPEST * super::unsolved::diagonal(&held.places);
                KeptOff { gap, deepest, edges, ties: ties.clone() }
            });
            held.ties = if leader.0.by == FollowBy::Together { Vec::new() } else { ties };
        }
        if held.begun(0.0) {
            hold(&mut held, scene, colliders, engine);
        }
        pins.push(held);
    }
    Ok(pins)
}

/// Holds vertices from the beginning, where they have to be.
fn hold(held: &mut PinnedVertices, scene: &Scene, colliders: &[ColliderObject], engine: &mut dyn Engine) {
    held.take(colliders, engine, 0.0);
    // In a start phase they come out as the body grows.
    let out = held.off.is_some() && scene.settings.start.duration == 0.0;
    if held.fast() && (held.motion.is_some() || out) {
        let targets = held.targets(colliders, 0.0);
        held.vertices.iter().zip(targets).for_each(|(&vertex, at)| engine.set_positions(vertex, &[at]));
    }
}

/// Pins deeper inside what they follow than this share of the size of all of them are left there.
const DEEPEST: f64 = 0.5;

/// How far what is held of a cloth stays off a collider with a name (m): as far as contact keeps the two apart. Nothing
/// if they do not meet, or if the collider has no inside.
fn gap(scene: &Scene, cloth: usize, colliders: &[ColliderObject], name: &str) -> Option<f64> {
    let cloth = scene.settings.cloth.get(cloth).filter(|_| scene.settings.contact.on)?;
    let thickness = scene.settings.contact.cloth(cloth).thickness;
    let leader = colliders.iter().find(|collider| collider.name == name && !collider.simple())?;
    let meet = thickness > 0.0 && has_inside(&leader.mesh.triangles);
    meet.then(|| 0.5 * (thickness + leader.thickness()))
}

/// Puts what is held fast from the beginning where it has to be then.
pub(super) fn put_on(pins: &[PinnedVertices], colliders: &[ColliderObject], engine: &mut dyn Engine) {
    for pin in pins.iter().filter(|pin| pin.holds() && pin.fast()) {
        let targets = pin.targets(colliders, 0.0);
        pin.vertices.iter().zip(targets).for_each(|(&vertex, target)| engine.set_positions(vertex, &[target]));
    }
}

impl PinnedVertices {
    /// Holds its vertices where they are at a time, s.
    fn take(&mut self, colliders: &[ColliderObject], engine: &mut dyn Engine, time: f64) {
        self.places = engine.places(&self.vertices);
        if self.fast() {
            engine.pin(&self.vertices);
        }
        self.taken = true;
        self.lead(colliders, time);
    }

    /// Whether its vertices are where they are told to be, and nowhere else.
    fn fast(&self) -> bool {
        self.pull.is_none()
    }

    /// Says where its vertices are pulled to in a step that ends at a time, s, if it does not hold fast.
    fn pull(&self, colliders: &[ColliderObject], engine: &dyn Engine, time: f64) {
        let Some(pull) = &self.pull else { return };
        let told = self.targets(colliders, time);
        let positions = |number: usize| colliders[number].positions(time);
        match (self.leader(), &self.source.hold) {
            _ if !self.holds() => pull.rest(),
            (Some(number), Hold::Slide(_)) => {
                let positions = positions(number);
                let ground = Ground::new(&positions, &colliders[number].mesh.triangles);
                pull.onto(&engine.places(&self.vertices), &told, &self.distances, &ground);
            }
            (Some(number), Hold::Within(within)) if within.backstop.is_some() => {
                let positions = positions(number);
                pull.before(&told, &Ground::new(&positions, &colliders[number].mesh.triangles));
            }
            _ => pull.to(&told),
        }
    }

    /// The collider that it follows.
    fn leader(&self) -> Option<usize> {
        self.follow.as_ref().map(|leader| leader.collider)
    }

    /// Follows what it has to, from where its vertices were taken at a time, s.
    fn lead(&mut self, colliders: &[ColliderObject], time: f64) {
        let follow = self.source.follow.as_ref();
        self.follow = follow.and_then(|leader| Leader::new(&leader.0, colliders, &self.places, &self.links, time));
        if let Some(number) = self.leader().filter(|_| matches!(self.source.hold, Hold::Slide(_))) {
            let surface = &colliders[number];
            let positions = surface.positions(time);
            self.distances = Ground::new(&positions, &surface.mesh.triangles).distances(&self.places);
        }
    }

    /// Whether it holds in a step that begins at a time, s.
    fn begun(&self, from: f64) -> bool {
        !self.late() || self.source.from <= from + SOON
    }

    /// Whether it takes hold later than at the beginning.
    fn late(&self) -> bool {
        self.source.from > SOON
    }

    /// Where its vertices have to be at a time (s), m.
    fn targets(&self, colliders: &[ColliderObject], time: f64) -> Vec<[f64; 3]> {
        let mut places = self.places.clone();
        if let Some(leader) = &self.follow {
            leader.carry(&mut places, colliders, time);
            keep_whole(&mut places, &self.ties, &self.places);
        }
        if let Some(motion) = &self.motion {
            places.iter_mut().for_each(|place| *place = moved(motion, *place, time));
        }
        self.put_out(&mut places, colliders, time);
        places
    }

    /// Puts places (m) out of the body that it follows as that is at a time, s. Gives how deep the deepest was, m.
    fn put_out(&self, places: &mut [[f64; 3]], colliders: &[ColliderObject], time: f64) -> f64 {
        let (Some(off), Some(leader)) = (&self.off, self.leader()) else { return 0.0 };
        let positions = colliders[leader].positions(time);
        off.put_out(places, &Ground::new(&positions, &colliders[leader].mesh.triangles))
    }

    /// Whether it holds its vertices now.
    fn holds(&self) -> bool {
        self.taken && !self.released
    }

    /// Whether it lets go before a step that begins at a time, s.
    fn over(&self, from: f64) -> bool {
        self.until <= from + SOON
    }

    fn moves(&self, colliders: &[ColliderObject]) -> bool {
        let led = self.follow.as_ref().is_some_and(|leader| colliders[leader.collider].moves());
        self.motion.as_ref().is_some_and(moves) || led
    }
}

/// Takes and lets go what is to be taken and let go before the step from one time to another (s), all but a vertex in a
/// hand. Gives where vertices that are moved have to be at its end, m; of a vertex that is there twice, the later
/// counts.
pub(super) fn drive(
    pins: &mut [PinnedVertices],
    colliders: &[ColliderObject],
    engine: &mut dyn Engine,
    hand: Option<u32>,
    [from, to]: [f64; 2],
) -> Vec<(u32, [f64; 3])> {
    let mut targets = Vec::new();
    for at in 0..pins.len() {
        if !pins[at].released && pins[at].over(from) {
            pins[at].released = true;
            if !pins[at].taken {
                continue;
            }
            if let Some(pull) = &pins[at].pull {
                pull.rest();
                continue;
            }
            let others: HashSet<u32> = pinned(pins).into_iter().chain(hand).collect();
            let mine = pins[at].vertices.iter().copied().filter(|vertex| !others.contains(vertex));
            engine.unpin(&mine.collect::<Vec<_>>());
        }
        let pin = &mut pins[at];
        if !pin.released && !pin.taken && pin.begun(from) {
            pin.take(colliders, engine, from);
        }
        pin.pull(colliders, engine, to);
        // In a start phase bodies take other poses, though no time goes by.
        let posed = from == to && pin.off.is_some();
        if pin.holds() && pin.fast() && (pin.moves(colliders) || posed) {
            targets.extend(pin.vertices.iter().copied().zip(pin.targets(colliders, to)));
        }
    }
    targets
}

/// Makes pins what they are after a step that began at a time, s; the state is taken care of elsewhere.
pub(super) fn rewind(pins: &mut [PinnedVertices], from: f64) {
    pins.iter_mut().for_each(|pin| (pin.taken, pin.released) = (pin.begun(from), pin.over(from)));
}

/// Where the vertices were that were taken later than at the beginning, m: nothing else tells it again.
pub(super) fn late_places(pins: &[PinnedVertices]) -> Vec<f64> {
    let late = pins.iter().filter(|pin| pin.late() && pin.taken);
    late.flat_map(|pin| pin.places.as_flattened()).copied().collect()
}

/// Takes up what [`late_places`] gave, after [`rewind`]; false if it is of other pins.
pub(super) fn set_late_places(pins: &mut [PinnedVertices], colliders: &[ColliderObject], places: &[f64]) -> bool {
    let (mut places, []) = places.as_chunks::<3>() else { return false };
    for pin in pins.iter_mut().filter(|pin| pin.late() && pin.taken) {
        let Some((mine, rest)) = places.split_at_checked(pin.vertices.len()) else { return false };
        (pin.places, places) = (mine.to_vec(), rest);
        pin.lead(colliders, pin.source.from);
    }
    places.is_empty()
}

/// Tells pins that were taken later than at the beginning where: as other pins have it, or else where vertices are now,
/// m.
pub(super) fn place_late(
    pins: &mut [PinnedVertices],
    others: &[PinnedVertices],
    colliders: &[ColliderObject],
    engine: &dyn Engine,
) {
    for (at, pin) in pins.iter_mut().enumerate().filter(|(_, pin)| pin.late() && pin.taken) {
        let same = |other: &&PinnedVertices| other.taken && other.source.from == pin.source.from;
        let known = others.get(at).filter(same);
        pin.places = engine.places(&pin.vertices);
        for (i, (vertex, place)) in pin.vertices.iter().zip(&mut pin.places).enumerate() {
            if let Some(other) = known.filter(|other| other.vertices.get(i) == Some(vertex)) {
                *place = other.places[i];
            }
        }
        pin.lead(colliders, pin.source.from);
    }
}

/// Pins of the vertex nearest to a point that is farther away than the body is large: the vertex was hardly meant.
pub(super) fn far_points(scene: &Scene, pins: &[PinnedVertices], objects: &[Object]) -> Vec<String> {
    let mut out = Vec::new();
    for (at, pin) in pins.iter().enumerate() {
        let Select::Where(SelectTable { nearest: Some(points), .. }) = &pin.source.select else { continue };
        let Some(body) = objects.iter().find(|object| object.info.name == pin.source.body) else { continue };
        let away = |point: &[f64; 3]| {
            let to = |place: &[f64; 3]| glam::DVec3::from(*place).distance((*point).into());
            pin.places.iter().map(to).fold(f64::INFINITY, f64::min)
        };
        let far = points.iter().map(away).filter(|away| away.is_finite()).fold(0.0, f64::max);
        if far > super::unsolved::diagonal(&body.info.rest) {
            out.push(format!(
                "`{}.select.nearest`: a point is {far:.2} m away from {:?}, farther than that is large",
                scene.element_path("pin", at),
                pin.source.body
            ));
        }
    }
    out
}

/// Places of a pin that are compared with what it follows.
const MOST_COMPARED: usize = 64;

/// What is said of pins that are far from the collider they follow: half its size and more. Colliders that nobody sees
/// are there to
/// be followed, and planes are everywhere.
pub(super) fn far_from_leaders(scene: &Scene, pins: &[PinnedVertices], colliders: &[ColliderObject]) -> Vec<String> {
    let mut out = Vec::new();
    for (at, pin) in pins.iter().enumerate() {
        let Some(leader) = pin.follow.as_ref().map(|leader| &colliders[leader.collider]) else { continue };
        if leader.plane || !leader.visible {
            continue;
        }
        let (surface, size) = (leader.positions(0.0), super::unsolved::diagonal(&leader.mesh.positions));
        let places = pin.places.iter().step_by(pin.places.len().div_ceil(MOST_COMPARED).max(1));
        let away = |&place: &[f64; 3]| attachment::distance(place, &surface, &leader.mesh.triangles);
        let near = places.map(away).fold(f64::INFINITY, f64::min);
        if near.is_finite() && near > 0.5 * size {
            let (path, name) = (scene.element_path("pin", at), &leader.name);
            out.push(format!(
                "`{path}.follow`: collider {name:?} is {near:.2} m away from what it is to carry, further than half its size"
            ));
        }
    }
    out
}

/// Depths that are worth a word, m.
const DEEP: f64 = 1e-3;

/// What is said of pins that begin inside the body they follow.
pub(super) fn inside_leaders(scene: &Scene, pins: &[PinnedVertices], colliders: &[ColliderObject]) -> Vec<String> {
    let mut out = Vec::new();
    for (at, pin) in pins.iter().enumerate().filter(|(_, pin)| pin.holds()) {
        let Some(leader) = pin.leader() else { continue };
        let deepest = pin.put_out(&mut pin.places.clone(), colliders, 0.0);
        if deepest > DEEP {
            let (path, name, deep) = (scene.element_path("pin", at), &colliders[leader].name, 1e3 * deepest);
            out.push(format!(
                "`{path}`: some of its vertices are up to {deep:.1} mm inside {name:?}, which they follow: they are kept \
                 just outside of it, and what lies between them is stretched by that"
            ));
        }
    }
    out
}

/// Frames of which that is asked.
const FRAMES_ASKED: u32 = 20_000;

/// How far pins that hold fast turn in a frame at most, rad, with what they follow and of their own.
pub(super) fn fastest_turn(pins: &[PinnedVertices], colliders: &[ColliderObject], (frames, fps): (u32, f64)) -> f64 {
    let turned = |pin: &PinnedVertices, from: f64, to: f64| {
        let led = pin.leader().filter(|&leader| colliders[leader].moves()).map_or(0.0, |leader| {
            let [a, b] = [from, to].map(|time| DQuat::from_array(colliders[leader].pose(time).rotation));
            2.0 * a.dot(b).abs().min(1.0).acos()
        });
        let own = pin.motion.as_ref().and_then(|motion| motion.rotate.as_ref());
        led + own.map_or(0.0, |turn| (turn.degrees.at(to) - turn.degrees.at(from)).abs().to_radians())
    };
    let mut most = 0.0f64;
    for pin in pins.iter().filter(|pin| pin.fast()) {
        for frame in 0..frames.min(FRAMES_ASKED) {
            let time = |frame: f64| frame / fps;
            let (from, to) = (f64::from(frame), f64::from(frame) + 1.0);
            most = most.max(turned(pin, time(from), time(from + 0.5)) + turned(pin, time(from + 0.5), time(to)));
        }
    }
    most
}

/// A stretch that is worth a word where no limit says so.
const WORTH_SAYING: f64 = 0.05;

/// How far a skin may go its own way under a stiff piece without a word, over the collider's size.
const MOST_STRAYED: f64 = 0.04;

/// What is said of pins whose skin will pull them apart, or go away under them. `bound` gives how far the body of that
/// number may be stretched.
pub(super) fn pulled_apart(
    scene: &Scene,
    pins: &[PinnedVertices],
    objects: &[Object],
    colliders: &[ColliderObject],
    bound: impl Fn(usize) -> f64,
) -> Vec<String> {
    let (frames, fps) = (scene.settings.time.frame_count(), scene.settings.time.fps);
    let mut out = Vec::new();
    for (at, pin) in pins.iter().enumerate() {
        let Some(leader) = pin.follow.as_ref().filter(|leader| leader.on_skin() && pin.fast()) else { continue };
        let Some(body) = objects.iter().position(|object| object.info.name == pin.source.body) else { continue };
        let edges = links::edges(&objects[body], &pin.vertices);
        let until = (pin.until * fps).floor().clamp(0.0, f64::from(frames)) as u32;
        let worst = leader.worst(&pin.places, &edges, colliders, (until, fps));
        let (path, followed) = (scene.element_path("pin", at), &colliders[leader.collider]);
        let allowed = bound(body);
        let allowed = if allowed.is_finite() { allowed * (1.0 + super::SLACK) } else { WORTH_SAYING };
        // Pins by triangles that are kept together leave the skin all the same.
        let by_triangle = pin.source.follow.as_ref().is_some_and(|leader| leader.0.by == FollowBy::Triangle);
        if worst.stretch > allowed && (pin.ties.is_empty() || by_triangle) {
            let [a, b] = edges[worst.edge];
            let base = objects[body].vertices.start;
            let [a, b] = [a, b].map(|v| (pin.vertices[v as usize] - base, pin.places[v as usize]));
            let middle = std::array::from_fn(|k| 0.5 * (a.1[k] + b.1[k]));
            let (much, place) = (100.0 * worst.stretch, super::place(middle));
            out.push(format!(
                "`{path}.follow`: the skin of {:?} pulls its vertices apart, by {much:.2} % in frame {} between {} and {}, \
                 which begin at {place}; `by = \"together\"` keeps their distances",
                followed.name, worst.frame, a.0, b.0
            ));
        }
        let stiff = pin.source.follow.as_ref().is_some_and(|leader| leader.0.by == FollowBy::Together);
        if stiff && worst.strayed > MOST_STRAYED * super::unsolved::diagonal(&followed.mesh.positions) {
            out.push(format!(
                "`{path}.follow`: the skin of {:?} moves by {:.3} m against what follows it together, in frame {}; \
                 `only` names the part of it that is meant, `by = \"blend\"` lets it bend",
                followed.name, worst.strayed, worst.strayed_frame
            ));
        }
    }
    out
}

/// All vertices that are held now, ascending.
pub(super) fn pinned(pins: &[PinnedVertices]) -> Vec<u32> {
    let mut all: Vec<u32> =
        pins.iter().filter(|pin| pin.holds() && pin.fast()).flat_map(|pin| &pin.vertices).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The pins that hold a vertex now, by number.
pub(super) fn holding(pins: &[PinnedVertices], vertex: u32) -> Vec<usize> {
    (0..pins.len()).filter(|&at| pins[at].holds() && pins[at].fast() && pins[at].vertices.contains(&vertex)).collect()
}

/// The vertices of an object, by its own numbers, that a scene asks for at `path`, when they are at `places` (m).
pub(super) fn select(
    scene: &Scene,
    path: &str,
    select: &Select,
    object: &Object,
    places: &[[f64; 3]],
) -> Result<Vec<u32>, SceneError> {
    let picked: Vec<u32> = match select {
        Select::All => (0..object.info.rest.len() as u32).collect(),
        Select::Where(table) => picked(scene, path, table, object, places)?,
    };
    if picked.is_empty() {
        let (count, name) = (object.info.rest.len(), &object.info.name);
        let message = format!("`{path}` picks none of the {count} vertices of `{name}`");
        return Err(scene.error(
            path,
            message,
            painted_range(object, select).into_iter().chain([extent(object)]).collect(),
        ));
    }
    Ok(picked)
}

/// The vertices of an object, by its own numbers, that fulfil everything that is given.
fn picked(
    scene: &Scene,
    path: &str,
    table: &SelectTable,
    object: &Object,
    places: &[[f64; 3]],
) -> Result<Vec<u32>, SceneError> {
    let count = object.info.rest.len() as u32;
    let mut chosen: Vec<u32> = (0..count).collect();
    if let Some(name) = &table.group {
        let group = object.groups.iter().find(|group| group.name == *name).map(|group| group.vertices.clone());
        let part = || maps::vertices_of_part(&object.marks.parts, &object.info.triangles, name);
        chosen = group.or_else(part).ok_or_else(|| no_group(scene, path, name, object))?;
    }
    if let Some(name) = &table.map {
        let painted: HashSet<u32> =
            object.painted(scene, path, name, [table.above, table.below])?.into_iter().collect();
        chosen.retain(|vertex| painted.contains(vertex));
    }
    if let Some(indices) = &table.indices {
        if let Some(at) = indices.iter().position(|&index| index >= count) {
            let path = format!("{path}.indices.{at}");
            let message = format!("`{path}` is {}; expected a vertex from 0 to {}", indices[at], count - 1);
            return Err(scene.error(&path, message, Vec::new()));
        }
        let indices: HashSet<u32> = indices.iter().copied().collect();
        chosen.retain(|vertex| indices.contains(vertex));
    }
    if let Some(b) = &table.within_box {
        chosen.retain(|&vertex| {
            let p = places[vertex as usize];
            (0..3).all(|k| (b.min[k]..=b.max[k]).contains(&p[k]))
        });
    }
    if let Some(ball) = &table.sphere {
        chosen.retain(|&vertex| distance2(places[vertex as usize], ball.centre) <= ball.radius * ball.radius);
    }
    if let Some(points) = &table.nearest {
        let nearest = |&point: &[f64; 3]| {
            let key = |&v: &u32| distance2(places[v as usize], point);
            chosen.iter().copied().min_by(|a, b| key(a).total_cmp(&key(b)))
        };
        let mut found: Vec<u32> = points.iter().filter_map(nearest).collect();
        found.sort_unstable();
        found.dedup();
        chosen = found;
    }
    Ok(chosen.into_iter().step_by(table.every as usize).collect())
}

fn no_group(scene: &Scene, path: &str, name: &str, object: &Object) -> SceneError {
    let names: Vec<&str> = object.groups.iter().map(|group| group.name.as_str()).take(40).collect();
    let mut help: Vec<String> = crate::scene::did_you_mean(name, names.iter().copied()).into_iter().collect();
    help.push(match names.as_slice() {
        [] => "it has no groups; pick by `map`, `box`, `sphere`, `nearest` or `indices`".to_owned(),
        names => format!("its groups: {}", names.join(", ")),
    });
    let message = format!("`{}` has no vertex group called {name:?}", object.info.name);
    scene.error(&format!("{path}.group"), message, help)
}

/// From where to where a map goes, for those who picked by it.
fn painted_range(object: &Object, select: &Select) -> Option<String> {
    let Select::Where(SelectTable { map: Some(name), .. }) = select else { return None };
    let [low, high] = crate::read::maps::find(&object.marks.maps, name)?.range()?;
    Some(format!("the map {name:?} goes from {low} to {high}"))
}

/// Where a body is, for those who picked beside it.
fn extent(object: &Object) -> String {
    let points = || object.info.rest.iter().map(|&p| DVec3::from(p));
    let (low, high) = (points().fold(DVec3::MAX, DVec3::min), points().fold(DVec3::MIN, DVec3::max));
    let [low, high] = [low, high].map(|p| format!("({:.3}, {:.3}, {:.3})", p.x, p.y, p.z));
    format!("it reaches from {low} to {high}")
}

fn distance2(a: [f64; 3], b: [f64; 3]) -> f64 {
    DVec3::from(a).distance_squared(b.into())
}
