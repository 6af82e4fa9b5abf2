//! What no single key can know: names that refer to each other, keys that exclude each other.

use super::Settings;
use super::decode::ticked;
use super::document::Node;
use super::error::Problem;
use super::suggest::did_you_mean;

/// Everything in a scene that does not fit together.
pub(crate) fn problems(settings: &Settings, root: &Node) -> Vec<Problem> {
    let mut check = Check { root, problems: Vec::new() };
    check.anything(settings);
    check.bodies(settings);
    check.pins(settings);
    check.colliders(settings);
    check.problems
}

struct Check<'a> {
    root: &'a Node,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn report(&mut self, path: &str, message: String, help: Vec<String>) {
        self.problems.push(Problem { span: Some(self.root.locate(path)), message, help });
    }

    fn anything(&mut self, settings: &Settings) {
        if settings.cloth.is_empty() && settings.solid.is_empty() {
            let message = "the scene has nothing that moves; expected a [[cloth]] or a [[solid]]".into();
            self.problems.push(Problem { span: None, message, help: vec![] });
        }
    }

    fn bodies(&mut self, settings: &Settings) {
        let cloth = settings.cloth.iter().map(|c| ("cloth", &c.name, c.mesh.is_some(), c.generate.is_some()));
        let solid = settings.solid.iter().map(|s| ("solid", &s.name, s.mesh.is_some(), s.generate.is_some()));
        let mut taken: Vec<&str> = Vec::new();
        let mut number = [0, 0];
        for (list, name, mesh, generate) in cloth.chain(solid) {
            let n = &mut number[usize::from(list == "solid")];
            let path = format!("{list}.{n}");
            *n += 1;
            if mesh == generate {
                let found = if mesh { "has both `mesh` and `generate`" } else { "has neither `mesh` nor `generate`" };
                let help = vec![format!("generators: generate = {{ kind = … }} with {}", kinds(list))];
                self.report(&path, format!("{list} {} {found}; expected one of them", ticked(name)), help);
            }
            if name.is_empty() {
                self.report(&format!("{path}.name"), format!("`{path}` has an empty name"), vec![]);
            } else if taken.contains(&name.as_str()) {
                let message = format!("there are two bodies called {}; expected a name for each", ticked(name));
                self.report(&format!("{path}.name"), message, vec![]);
            }
            taken.push(name);
        }
    }

    fn pins(&mut self, settings: &Settings) {
        let bodies: Vec<&str> = body_names(settings).collect();
        let colliders: Vec<&str> = settings.collider.iter().filter_map(|c| c.name.as_deref()).collect();
        for (at, pin) in settings.pin.iter().enumerate() {
            self.known(&format!("pin.{at}.body"), "body", &pin.body, &bodies);
            if let Some(follow) = &pin.follow {
                self.known(&format!("pin.{at}.follow"), "collider", follow, &colliders);
            }
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
            [] => format!("there is no {what} with a name"),
            known => format!("there is {}", known.join(", ")),
        });
        self.report(path, format!("`{path}` is {}, but no {what} is called that", super::document::quoted(name)), help);
    }

    fn colliders(&mut self, settings: &Settings) {
        for (at, collider) in settings.collider.iter().enumerate() {
            if collider.motion.as_ref().is_some_and(|motion| motion.scale.is_some()) {
                let path = format!("collider.{at}.motion.scale");
                self.report(&path, format!("`{path}` is given, but colliders keep their size"), vec![]);
            }
        }
    }
}

/// The names of all cloth and solids.
pub(crate) fn body_names(settings: &Settings) -> impl Iterator<Item = &str> {
    settings.cloth.iter().map(|c| c.name.as_str()).chain(settings.solid.iter().map(|s| s.name.as_str()))
}

fn kinds(list: &str) -> String {
    let kinds = match list {
        "cloth" => super::settings::GenerateSurface::KINDS,
        _ => super::settings::GenerateSolid::KINDS,
    };
    super::decode::one_of(kinds)
}
