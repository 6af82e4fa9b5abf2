//! What a mesh file has beside its mesh, for people: maps, parts by name, animations.

use super::error::count;
use super::parts::PartKind;
use super::{Map, MeshFile, Part};
use serde_json::{Value as Json, json};

/// An animation of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// When it ends, s.
    pub seconds: f64,
    /// Whether it plays if nothing else is said: see [`Options::animation`](super::Options::animation).
    pub plays: bool,
}

/// Names that are listed in a row.
const SHOWN: usize = 24;

impl MeshFile {
    /// A word and what there is of it: maps with their ranges, groups, nodes, materials and bones with their triangles,
    /// animations with their lengths.
    pub fn contents(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        let mut row = |label, list: Vec<String>| {
            if !list.is_empty() {
                let more = list.len().saturating_sub(SHOWN);
                let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
                rows.push((label, list.into_iter().take(SHOWN).collect::<Vec<_>>().join(", ") + &rest));
            }
        };
        row("maps", self.maps.iter().map(map_words).collect());
        for kind in [PartKind::Node, PartKind::Material, PartKind::Bone] {
            let parts = self.parts.iter().filter(|part| part.kind == kind);
            row(kind.plural(), parts.map(part_words).collect());
        }
        row("animations", self.clips.iter().map(clip_words).collect());
        rows
    }

    /// The same for programs.
    pub fn contents_json(&self) -> Json {
        let map = |map: &Map| json!({ "name": map.name, "range": map.range() });
        let part =
            |part: &Part| json!({ "kind": part.kind.name(), "name": part.name, "triangles": part.triangles.len() });
        let clip = |clip: &Clip| json!({ "name": clip.name, "seconds": clip.seconds, "plays": clip.plays });
        json!({
            "maps": self.maps.iter().map(map).collect::<Json>(),
            "parts": self.parts.iter().map(part).collect::<Json>(),
            "animations": self.clips.iter().map(clip).collect::<Json>(),
        })
    }
}

fn map_words(map: &Map) -> String {
    let odd = map.values.iter().filter(|value| !value.is_finite()).count();
    let range = map.range().map_or("no numbers".to_owned(), |[low, high]| format!("{low} to {high}"));
    let odd = if odd > 0 { format!(", {} not finite", count(odd, "value is", "values are")) } else { String::new() };
    format!("{} ({range}{odd})", map.name)
}

fn part_words(part: &Part) -> String {
    format!("{} ({})", part.name, count(part.triangles.len(), "triangle", "triangles"))
}

fn clip_words(clip: &Clip) -> String {
    let name = clip.name.as_deref().unwrap_or("without a name");
    let plays = if clip.plays { ", plays" } else { "" };
    format!("{name} ({:.3} s{plays})", clip.seconds)
}
