//! How far a cloth may be stretched, as the scene's list of limits.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use taut_scene::scene::Scene;
use taut_scene::simulation::Way;

/// A direction in which cloth is limited by a control of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Thread {
    /// Along the weft.
    Weft,
    /// Along the warp.
    Warp,
    /// The angle between both.
    Shear,
}

impl Thread {
    /// All of them.
    pub const ALL: [Thread; 3] = [Thread::Weft, Thread::Warp, Thread::Shear];

    /// The key of a limit.
    pub fn key(self) -> &'static str {
        self.way().key()
    }

    pub(super) fn way(self) -> Way {
        match self {
            Thread::Weft => Way::Weft,
            Thread::Warp => Way::Warp,
            Thread::Shear => Way::Shear,
        }
    }

    /// As a person reads it: shear, a cosine, in degrees.
    pub(super) fn shown(self, value: f64) -> f64 {
        match self {
            Thread::Shear => value.clamp(-1.0, 1.0).asin().to_degrees(),
            _ => value,
        }
    }

    /// As a limit of the end of a step has it.
    fn written(self, most: Option<f64>) -> Json {
        match (self, most.filter(|most| most.is_finite())) {
            (_, None) => json!("off"),
            (Thread::Shear, Some(degrees)) => json!(format!("{} deg", degrees.clamp(0.0, 89.0))),
            (_, Some(most)) => json!(most.max(0.0)),
        }
    }
}

/// The scene's limits with another one on a cloth, as a TOML value; nothing if there is no such cloth. All other bounds
/// stay as they are: limits that hold for several bodies go on for the others.
pub(super) fn changed(scene: &Scene, cloth: usize, thread: Thread, most: Option<f64>) -> Option<String> {
    let name = scene.settings.cloth.get(cloth)?.shape.name.as_str();
    let cloths: Vec<&str> = scene.settings.cloth.iter().map(|cloth| cloth.shape.name.as_str()).collect();
    let mut out = Vec::new();
    for limit in scene.to_json()["limit"].as_array().into_iter().flatten() {
        out.extend(without(limit, name, &cloths, thread));
    }
    let own = |limit: &&mut Json| limit["kind"] == "stretch" && limit["bodies"] == json!([name]);
    match out.iter_mut().find(own) {
        Some(limit) => limit[thread.key()] = thread.written(most),
        None => out.push(json!({ "kind": "stretch", "bodies": [name], thread.key(): thread.written(most) })),
    }
    Some(toml(&Json::Array(out)))
}

/// A limit that says nothing any more about one direction of one cloth: for the other bodies as it was, and for this
/// one what is left of it.
fn without(limit: &Json, name: &str, cloths: &[&str], thread: Thread) -> Vec<Json> {
    let kind = limit["kind"].as_str().unwrap_or("csl");
    let named: Vec<&str> = limit["bodies"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let here = named.is_empty() || named.contains(&name);
    let says = match kind {
        "csl" | "sbd" | "stretch" => !limit[thread.key()].is_null(),
        // The end of a step keeps the same by default.
        "fabric" => true,
        _ => false,
    };
    if !here || !says {
        return vec![limit.clone()];
    }
    let all = if named.is_empty() { cloths.to_vec() } else { named };
    let others: Vec<&str> = all.into_iter().filter(|other| *other != name).collect();
    let mut out = Vec::new();
    if !others.is_empty() {
        let mut rest = limit.clone();
        rest["bodies"] = json!(others);
        out.push(rest);
    }
    if kind != "fabric" {
        out.extend(left_of(limit, name, thread));
    }
    out
}

/// What a limit says about one cloth but for one direction, if it says anything; compression stays.
fn left_of(limit: &Json, name: &str, thread: Thread) -> Option<Json> {
    let mut left: Map<String, Json> = limit.as_object()?.clone();
    left.insert("bodies".into(), json!([name]));
    let side = left.remove(thread.key()).and_then(|value| value.get("compression").cloned());
    if let Some(side) = side.filter(|side| !side.is_null()) {
        left.insert(thread.key().into(), json!({ "compression": side }));
    }
    let keys = ["weft", "warp", "shear", "any", "edge"];
    keys.iter().any(|key| left.get(*key).is_some_and(|value| !value.is_null())).then_some(Json::Object(left))
}

/// JSON as a TOML value on one line; what is null is left out.
pub(crate) fn toml(value: &Json) -> String {
    match value {
        Json::Array(items) => format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(", ")),
        Json::Object(entries) => {
            let entry = |(key, value): (&String, &Json)| format!("{key} = {}", toml(value));
            let said = entries.iter().filter(|(_, value)| !value.is_null());
            format!("{{ {} }}", said.map(entry).collect::<Vec<_>>().join(", "))
        }
        // The escapes of JSON's text are a part of TOML's.
        plain => plain.to_string(),
    }
}
