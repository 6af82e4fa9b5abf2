//! What no single key can know: names that refer to each other, keys that exclude each other.

use super::Settings;
use super::decode::ticked;
use super::document::{Node, Tree, quoted};
use super::error::{MOST_PROBLEMS, Problem};
use super::settings::{Collider, GenerateSolid, GenerateSurface, Limit, MeshShape, Shape};
use super::suggest::did_you_mean;
use std::collections::{HashMap, HashSet};

/// Everything in a scene that does not fit together.
pub(crate) fn problems(settings: &Settings, root: &Node) -> Vec<Problem> {
    let mut check = Check { root, problems: Vec::new() };
    check.anything();
    check.counts();
    if !check.problems.is_empty() {
        return check.problems;
    }
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
        if self.problems.len() >= MOST_PROBLEMS {
            return;
        }
        self.problems.push(Problem { span: Some(self.root.locate(path)), message, help });
    }

    fn anything(&mut self) {
        // A list that could not be read is not empty.
        if self.root.get("cloth").is_none() && self.root.get("solid").is_none() {
            let message = "the scene has nothing that moves; expected a [[cloth]] or a [[solid]]".into();
            self.problems.push(Problem { span: None, message, help: vec![] });
        }
    }

    /// Lists that nobody has written by hand, and that would be compared with one another element by element.
    fn counts(&mut self) {
        for entry in self.root.entries().unwrap_or_default() {
            let Tree::Array(items) = &entry.node.tree else { continue };
            if items.len() > MOST_ELEMENTS {
                let (list, many) = (ticked(&entry.key), items.len());
                let message = format!("{list} has {many} elements; expected at most {MOST_ELEMENTS}");
                self.problems.push(Problem { span: Some(entry.at), message, help: vec![] });
            }
        }
    }

    fn bodies(&mut self, settings: &Settings) {
        let cloth = settings.cloth.iter().enumerate().map(|(at, cloth)| ("cloth", at, cloth.shape.name.as_str()));
        let solid = settings.solid.iter().enumerate().map(|(at, solid)| ("solid", at, solid.shape.name.as_str()));
        let mut taken: HashSet<&str> = HashSet::new();
        for (list, at, name) in cloth.chain(solid) {
            let path = format!("{list}.{at}");
            if name.is_empty() {
                self.report(&format!("{path}.name"), format!("`{path}.name` is empty; expected a name"), vec![]);
            } else if !taken.insert(name) {
                let message = format!("there are two bodies called {}; expected a name for each", ticked(name));
                self.report(&format!("{path}.name"), message, vec![]);
            }
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
        let bodies = Names::new(body_names(settings));
        let colliders = collider_names(settings);
        for (at, pin) in settings.pin.iter().enumerate() {
            let path = self.root.element_path("pin", at);
            self.known(&format!("{path}.body"), "body", &pin.body, &bodies);
            if let Some(follow) = &pin.follow {
                let written = self.element("pin", at).and_then(|pin| pin.get("follow")).map(|node| &node.tree);
                let key = if matches!(written, Some(Tree::Table(_))) { "follow.collider" } else { "follow" };
                self.known(&format!("{path}.{key}"), "collider", &follow.0.collider, &colliders);
            }
        }
        let cloths = Names::new(settings.cloth.iter().map(|cloth| cloth.shape.name.as_str()));
        for (at, join) in settings.join.iter().enumerate() {
            self.known(&format!("join.{at}.body"), "cloth", &join.body, &cloths);
            self.known(&format!("join.{at}.to"), "cloth", &join.to, &cloths);
        }
        for (at, crease) in settings.crease.iter().enumerate() {
            self.known(&format!("crease.{at}.body"), "cloth", &crease.body, &cloths);
        }
        for (at, pressure) in settings.pressure.iter().enumerate() {
            self.known(&format!("pressure.{at}.body"), "cloth", &pressure.body, &cloths);
        }
        for (at, weight) in settings.weight.iter().enumerate() {
            self.known(&format!("weight.{at}.body"), "body", &weight.body, &bodies);
        }
        for (at, initial) in settings.initial.iter().enumerate() {
            self.known(&format!("initial.{at}.body"), "body", &initial.body, &bodies);
        }
    }

    fn known(&mut self, path: &str, what: &str, name: &str, known: &Names) {
        if known.set.contains(name) || self.problems.len() >= MOST_PROBLEMS {
            return;
        }
        let mut help: Vec<String> = did_you_mean(name, known.list.iter().copied()).into_iter().collect();
        help.push(match &known.list[..] {
            [] => format!("no {what} has a name"),
            few if few.len() <= MOST_NAMES => format!("known: {}", few.join(", ")),
            many => format!("known: {}, and {} more", many[..MOST_NAMES].join(", "), many.len() - MOST_NAMES),
        });
        self.report(path, format!("`{path}` is {}, but no {what} is called that", super::document::quoted(name)), help);
    }

    fn limits(&mut self, settings: &Settings) {
        let all = Names::new(body_names(settings));
        for (at, limit) in settings.limit.iter().enumerate() {
            let (path, kind) = (format!("limit.{at}"), limit.kind());
            let fit = Names::new(limit.fits(settings).into_iter());
            let what = match limit {
                Limit::Volume(_) => "solid",
                Limit::Fabric(_) => "cloth with a fabric",
                Limit::Edges(_) | Limit::EdgeRate(_) => "body",
                _ => "cloth",
            };
            for (number, name) in limit.bodies().iter().enumerate() {
                let path = format!("{path}.bodies.{number}");
                if all.set.contains(name.as_str()) && !fit.set.contains(name.as_str()) {
                    let message = format!(
                        "`{path}` is {}, which is no {what}: \"{kind}\" has nothing to limit there",
                        quoted(name)
                    );
                    self.report(&path, message, vec![]);
                } else {
                    self.known(&path, what, name, &fit);
                }
            }
            if limit.bodies().is_empty() && fit.list.is_empty() && !all.list.is_empty() {
                let message = format!("`{path}` has nothing to limit: the scene has no {what}");
                self.report(&path, message, vec![]);
            }
            // What it names and could not be read has been reported.
            let named = |key| self.root.list("limit").get(at).is_some_and(|limit| limit.get(key).is_some());
            if limit.is_empty() && !["weft", "warp", "shear", "any", "edge"].into_iter().any(named) {
                let message = format!("`{path}` limits nothing; expected `weft`, `warp` or `shear`");
                self.report(&path, message, vec!["weft = \"4 %\" lets cloth stretch by 4 % along the weft".into()]);
            }
        }
    }

    fn colliders(&mut self, settings: &Settings) {
        let names = collider_names(settings);
        let chains = Chains::new(&settings.collider);
        let mut taken: HashSet<&str> = HashSet::new();
        for (at, collider) in settings.collider.iter().enumerate() {
            let path = self.root.element_path("collider", at);
            if let Shape::Mesh(mesh) = &collider.shape {
                self.mesh(&path, at, mesh);
            }
            if let Some(name) = collider.name.as_deref().filter(|name| !taken.insert(name)) {
                let (path, name) = (format!("collider.{at}.name"), ticked(name));
                self.report(&path, format!("there are two colliders called {name}; expected a name for each"), vec![]);
            }
            if let Some(follow) = &collider.follow {
                self.known(&format!("{path}.follow"), "collider", follow, &names);
                if chains.depth(at).is_none() {
                    let path = format!("{path}.follow");
                    self.report(&path, format!("`{path}` leads back to itself"), vec![]);
                }
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

/// Names by which something can be referred to.
struct Names<'a> {
    list: Vec<&'a str>,
    set: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    fn new(names: impl Iterator<Item = &'a str>) -> Self {
        let list: Vec<&str> = names.collect();
        Names { set: list.iter().copied().collect(), list }
    }
}

fn collider_names(settings: &Settings) -> Names<'_> {
    Names::new(settings.collider.iter().filter_map(|collider| collider.name.as_deref()))
}

/// Which collider moves along with which.
#[derive(Clone, Debug)]
pub(crate) struct Chains {
    /// The one that each moves along with.
    leaders: Vec<Option<usize>>,
    /// How many others each moves along with; nothing if they lead round in a circle.
    depths: Vec<Option<usize>>,
}

impl Chains {
    /// Those of all colliders, in time that grows with their number, however long the chains.
    pub fn new(all: &[Collider]) -> Self {
        let named = all.iter().enumerate().filter_map(|(at, collider)| Some((collider.name.as_deref()?, at)));
        // Of several with one name, the first counts.
        let by_name: HashMap<&str, usize> = named.rev().collect();
        let leader = |collider: &Collider| by_name.get(collider.follow.as_deref()?).copied();
        let leaders: Vec<Option<usize>> = all.iter().map(leader).collect();
        let mut depths = vec![None; all.len()];
        let mut seen = vec![false; all.len()];
        for start in 0..all.len() {
            let mut way = Vec::new();
            let mut here = Some(start);
            while let Some(at) = here.filter(|&at| !seen[at]) {
                seen[at] = true;
                way.push(at);
                here = leaders[at];
            }
            // Where the way ends: at nothing, at what is known, or at itself, which then is a circle.
            let mut depth = here.map_or(Some(0), |at| depths[at].map(|depth: usize| depth + 1));
            for &at in way.iter().rev() {
                depths[at] = depth;
                depth = depth.map(|depth| depth + 1);
            }
        }
        Chains { leaders, depths }
    }

    /// The collider that one moves along with.
    pub fn leader(&self, at: usize) -> Option<usize> {
        self.leaders[at]
    }

    /// How many others a collider moves along with; nothing if they lead round in a circle.
    pub fn depth(&self, at: usize) -> Option<usize> {
        self.depths[at]
    }
}

/// Elements that a list of a scene may have: it is compared with others, and nobody writes more.
const MOST_ELEMENTS: usize = 10_000;

/// Names that are listed for who has misspelt one.
const MOST_NAMES: usize = 40;

/// The names of all cloth and solids.
pub(crate) fn body_names(settings: &Settings) -> impl Iterator<Item = &str> {
    settings.cloth.iter().map(|c| c.shape.name.as_str()).chain(settings.solid.iter().map(|s| s.shape.name.as_str()))
}
