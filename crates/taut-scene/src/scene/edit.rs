//! A scene's text with the changes of `--set` written into it.

use super::overrides::segments;
use super::{Scene, SceneError};
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

impl Scene {
    /// The text with all changes written where they belong; comments and order stay.
    pub fn written(&self) -> Result<String, SceneError> {
        let whole = |message: String| SceneError::whole(self.name(), message, Vec::new());
        let mut document: DocumentMut =
            self.text().parse().map_err(|error: toml_edit::TomlError| whole(error.message().to_owned()))?;
        for set in self.sets() {
            // They have been applied once, so they can be.
            let Some((path, value)) = set.split_once('=') else { continue };
            let Some(path) = segments(path) else { continue };
            let value = value.trim();
            let value = value.parse::<Value>().unwrap_or_else(|_| Value::from(value));
            let root = document.as_table_mut();
            // Keys of the root stand above all sections: a new section goes behind them instead.
            if let [section, _, ..] = &path[..]
                && !root.contains_key(section)
            {
                root.insert(section, Item::Table(Table::new()));
            }
            put(root, &path, value).ok_or_else(|| whole(format!("there is no place for {set}")))?;
        }
        Ok(document.to_string())
    }
}

/// Puts a value at a path.
fn put(table: &mut dyn TableLike, path: &[String], value: Value) -> Option<()> {
    let (key, rest) = path.split_first()?;
    if rest.is_empty() {
        match table.get_mut(key) {
            // The comment behind the old value stays.
            Some(Item::Value(old)) => {
                let decor = old.decor().clone();
                *old = value;
                *old.decor_mut() = decor;
            }
            _ => {
                table.insert(key, Item::Value(value));
            }
        }
        return Some(());
    }
    if table.get(key).is_none() {
        // `stiffness.warp = 1` reads better than a section of its own.
        let mut inner = InlineTable::new();
        inner.set_dotted(true);
        table.insert(key, inner.into());
    }
    match table.get_mut(key)? {
        Item::ArrayOfTables(elements) => {
            let (which, rest) = rest.split_first()?;
            let at = element(elements, which)?;
            put(elements.get_mut(at)?, rest, value)
        }
        Item::Value(Value::Array(elements)) => {
            let (which, rest) = rest.split_first()?;
            let named =
                |v: &Value| v.as_inline_table().and_then(|t| t.get("name")).and_then(Value::as_str) == Some(which);
            let at = elements.iter().position(named).or_else(|| which.parse().ok())?;
            match elements.get_mut(at)? {
                Value::InlineTable(inner) => put(inner, rest, value),
                old if rest.is_empty() => {
                    *old = value;
                    Some(())
                }
                _ => None,
            }
        }
        other => put(other.as_table_like_mut()?, rest, value),
    }
}

/// The element that a part of a path addresses: by name, else by number from 0.
fn element(elements: &ArrayOfTables, which: &str) -> Option<usize> {
    let named = |t: &Table| t.get("name").and_then(Item::as_str) == Some(which);
    elements.iter().position(named).or_else(|| which.parse().ok())
}

#[cfg(test)]
mod tests {
    use crate::scene::{BUILTIN, Scene};

    fn written(text: &str, sets: &[&str]) -> String {
        let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
        let scene = Scene::parse("a.toml", text, None, &sets).unwrap_or_else(|error| panic!("{error}"));
        let out = scene.written().unwrap();
        let again = Scene::parse("a.toml", &out, None, &[]).unwrap_or_else(|error| panic!("{error}\n{out}"));
        assert_eq!(again.settings, scene.settings, "{out}");
        out
    }

    #[test]
    fn changes_are_written_where_they_belong_and_comments_stay() {
        let text = "# A flag.\n[time]\nfps = 50 # smooth\n\n[[cloth]]\nname = \"flag\"\ngenerate = { kind = \"sheet\", nx = 5 }\n";
        let out = written(
            text,
            &[
                "time.fps=30",
                "cloth.flag.stiffness.warp=0.25",
                "cloth.0.generate.ny=7",
                "air.wind=[1.0, 0.0, 2.0]",
                "solver.substeps=7",
            ],
        );
        assert!(out.starts_with("# A flag.\n[time]\nfps = 30 # smooth\n"), "{out}");
        assert!(out.contains("stiffness.warp = 0.25"), "{out}");
    }

    #[test]
    fn whole_sections_and_lists_can_be_put_in_place_of_others() {
        let text = "[solver]\nsubsteps = 3\n[[cloth]]\ngenerate = \"sheet\"\n[[limit]]\nweft = 0.1\n";
        let sets = ["solver={ kind = \"newton\", iterations = 9 }", "limit=[{ kind = \"sbd\", warp = \"4 %\" }]"];
        let out = written(text, &sets);
        assert!(!out.contains("weft") && !out.contains("substeps"), "{out}");
    }

    #[test]
    fn every_built_in_scene_takes_changes() {
        for builtin in BUILTIN {
            written(builtin.text, &["time.fps=48", "world.gravity=[0.0, -1.5, 0.0]", "camera.fov=31.5"]);
        }
    }
}
