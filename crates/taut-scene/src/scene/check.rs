//! What no single key can know: names that refer to each other, keys that exclude each other.

use super::Settings;
use super::decode::ticked;
use super::document::{Node, Tree, quoted};
use super::error::Problem;
use super::settings::{Collider, GenerateSolid, GenerateSurface, Limit, MeshShape, Shape};
use super::suggest::did_you_mean;

/// Everything in a scene that does not fit together.
pub(crate) fn problems(settings: &Settings, root: &Node) -> Vec<Problem> {
    let mut check = Check { root, problems: Vec::new() };
    check.anything();
    check.bodies(settings);
    check.pins(settings);
    check.colliders(settings);
    check.limits(settings);
    check.problems
}

struct Check<'a> {
    root: &'a Node,
    problems: Vec<Problem>,
}

impl<'a> Check<'a> {
    fn report(&mut self, path: &str, message: String, help: Vec<String>) {
        self.problems.push(Problem { span: Some(self.root.locate(path)), message, help });
    }

    fn anything(&mut self) {
        // A list that could not be read is not empty.
        if self.root.get("cloth").is_none() && self.root.get("solid").is_none() {
            let message = "the scene has nothing that moves; expected a [[cloth]] or a [[solid]]".into();
            self.problems.push(Problem { span: None, message, help: vec![] });
        }
    }

    fn bodies(&mut self, settings: &Settings) {
        let cloth = settings.cloth.iter().enumerate().map(|(at, cloth)| ("cloth", at, cloth.shape.name.as_str()));
        let solid = settings.solid.iter().enumerate().map(|(at, solid)| ("solid", at, solid.shape.name.as_str()));
        let mut taken: Vec<&str> = Vec::new();
        for (list, at, name) in cloth.chain(solid) {
            let path = format!("{list}.{at}");
            if name.is_empty() {
                self.report(&format!("{path}.name"), format!("`{path}.name` is empty; expected a name"), vec![]);
            } else if taken.contains(&name) {
                let message = format!("there are two bodies called {}; expected a name for each", ticked(name));
                self.report(&format!("{path}.name"), message, vec![]);
            }
            taken.push(name);
            let kinds = if list == "cloth" { GenerateSurface::KINDS } else { GenerateSolid::KINDS };
            self.one_mesh(&path, &format!("{list} {}", ticked(name)), self.element(list, at), kinds);
        }
    }

    /// An element of a list at the root, as it was written.
    fn element(&self, list: &str, at: usize) -> Option<&'a Node> {
        match &self.root.get(list)?.tree {
            Tree::Array(items) => items.get(at),
            _ => None,
        }
    }

    /// A body or mesh collider has a mesh from one place. What was written counts, whether or not it could be read.
    fn one_mesh(&mut self, path: &str, what: &str, written: Option<&'a Node>, kinds: &[&str]) {
        let has = |key: &str| written.is_some_and(|item| item.get(key).is_some());
        match (has("mesh"), has("generate")) {
            (true, true) => {
                let message = format!("{what} has both `mesh` and `generate`; expected one of them");
                self.report(&format!("{path}.generate"), message, vec![]);
            }
            (false, false) => {
                let help = vec![
                    "mesh = \"file\" reads a file in the scene's folder".to_owned(),
                    format!("generate = {{ kind = … }} makes one: {}", super::decode::one_of(kinds)),
                ];
                let message = format!("{what} has neither `mesh` nor `generate`; expected one of them");
                self.report(path, message, help);
            }
            _ => {}
        }
    }

    fn pins(&mut self, settings: &Settings) {
        let bodies: Vec<&str> = body_names(settings).collect();
        let colliders: Vec<&str> = settings.collider.iter().filter_map(|c| c.name.as_deref()).collect();
        for (at, pin) in settings.pin.iter().enumerate() {
            let path = self.root.element_path("pin", at);
            self.known(&format!("{path}.body"), "body", &pin.body, &bodies);
            if let Some(follow) = &pin.follow {
                self.known(&format!("{path}.follow"), "collider", follow, &colliders);
            }
        }
        for (at, weight) in settings.weight.iter().enumerate() {
            self.known(&format!("weight.{at}.body"), "body", &weight.body, &bodies);
        }
        for (at, initial) in settings.initial.iter().enumerate() {
            self.known(&format!("initial.{at}.body"), "body", &initial.body, &bodies);
        }
    }

    fn known(&mut self, path: &str, what: &str, name: &str, known: &[&str]) {
        if known.contains(&name) {
            return;
        }
        let mut help: Vec<String> = did_you_mean(name, known.iter().copied()).into_iter().collect();
        help.push(match known {
            [] => format!("no {what} has a name"),
            known => format!("known: {}", known.join(", ")),
        });
        self.report(path, format!("`{path}` is {}, but no {what} is called that", super::document::quoted(name)), help);
    }

    fn limits(&mut self, settings: &Settings) {
        for (at, limit) in settings.limit.iter().enumerate() {
            let (path, kind) = (format!("limit.{at}"), limit.kind());
            let (all, fit): (Vec<&str>, Vec<&str>) = (body_names(settings).collect(), limit.fits(settings));
            let what = match limit {
                Limit::Volume(_) => "solid",
                Limit::Fabric(_) => "cloth with a fabric",
                Limit::Edges(_) | Limit::EdgeRate(_) => "body",
                _ => "cloth",
            };
            for (number, name) in limit.bodies().iter().enumerate() {
                let path = format!("{path}.bodies.{number}");
                if all.contains(&name.as_str()) && !fit.contains(&name.as_str()) {
                    let message = format!(
                        "`{path}` is {}, which is no {what}: \"{kind}\" has nothing to limit there",
                        quoted(name)
                    );
                    self.report(&path, message, vec![]);
                } else {
                    self.known(&path, what, name, &fit);
                }
            }
            if limit.bodies().is_empty() && fit.is_empty() && !all.is_empty() {
                let message = format!("`{path}` has nothing to limit: the scene has no {what}");
                self.report(&path, message, vec![]);
            }
            if limit.is_empty() {
                let message = format!("`{path}` limits nothing; expected `weft`, `warp` or `shear`");
                self.report(&path, message, vec!["weft = \"4 %\" lets cloth stretch by 4 % along the weft".into()]);
            }
        }
    }

    fn colliders(&mut self, settings: &Settings) {
        let names: Vec<&str> = settings.collider.iter().filter_map(|c| c.name.as_deref()).collect();
        for (at, collider) in settings.collider.iter().enumerate() {
            let path = self.root.element_path("collider", at);
            if let Shape::Mesh(mesh) = &collider.shape {
                self.mesh(&path, at, mesh);
            }
            if let Some(follow) = &collider.follow {
                self.known(&format!("{path}.follow"), "collider", follow, &names);
                if leaders(&settings.collider, at).is_none() {
                    let path = format!("{path}.follow");
                    self.report(&path, format!("`{path}` leads back to itself"), vec![]);
                }
            }
            if collider.motion.as_ref().is_some_and(|motion| motion.scale.is_some()) {
                let path = format!("collider.{at}.motion.scale");
                self.report(&path, format!("`{path}` is given, but colliders keep their size"), vec![]);
            }
        }
    }

    /// The shape of a mesh collider.
    fn mesh(&mut self, path: &str, at: usize, mesh: &MeshShape) {
        let written = self.element("collider", at).and_then(|collider| collider.get("shape"));
        let path = format!("{path}.shape");
        self.one_mesh(&path, &format!("`{path}`"), written, GenerateSurface::KINDS);
        if mesh.cache.is_some() && mesh.mesh.is_none() {
            let message = format!("`{path}.cache` moves a `mesh`, but there is none");
            let help = "mesh = \"file\" says how the points of the cache are connected".to_owned();
            self.report(&format!("{path}.cache"), message, vec![help]);
        }
    }
}

/// The colliders that one moves along with, the nearest first; nothing if they lead round in a circle.
pub(crate) fn leaders(all: &[Collider], at: usize) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    let mut last = at;
    while let Some(name) = &all[last].follow {
        let Some(next) = all.iter().position(|c| c.name.as_ref() == Some(name)) else { break };
        if next == at || found.contains(&next) {
            return None;
        }
        found.push(next);
        last = next;
    }
    Some(found)
}

/// The names of all cloth and solids.
pub(crate) fn body_names(settings: &Settings) -> impl Iterator<Item = &str> {
    settings.cloth.iter().map(|c| c.shape.name.as_str()).chain(settings.solid.iter().map(|s| s.shape.name.as_str()))
}
