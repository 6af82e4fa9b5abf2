//! The engine's layers import one way: a lower one never names a higher one.
//!
//! This reads the source as text. A name behind `crate::` is a module, or an item of the crate's root, which is looked
//! up in the `pub use` lines of `lib.rs`. Tests inside the sources may use whatever they like.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Modules from the lowest layer to the highest. Those of one line do not know each other either, but for the model's
/// own.
const LAYERS: &[&[&str]] = &[
    &["lanes"],
    &["team"],
    &["mesh", "boundary", "eigen", "sets"],
    &["element"],
    &["constraint"],
    &["solve"],
    &["limit"],
    &["levels"],
    &["contact"],
    &["model", "state", "builder", "fabric"],
    &["measure"],
    &["step"],
];
/// Modules that are one thing in several files.
const TOGETHER: &[&str] = &["model", "state", "builder", "fabric", "mesh", "boundary"];

fn rank(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// What a file says to the compiler: no comments, nothing after its tests begin.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..end].lines().filter(|l| !l.trim_start().starts_with("//"));
    lines.map(|l| l.split(" // ").next().unwrap_or(l)).collect::<Vec<_>>().join("\n")
}

/// Files of modules that are only compiled for tests, as paths without `.rs`.
fn test_modules(files: &[PathBuf]) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for path in files {
        let text = fs::read_to_string(path).unwrap();
        let folder = match path.file_name().and_then(|n| n.to_str()) {
            Some("mod.rs" | "lib.rs") => path.parent().unwrap().to_path_buf(),
            _ => path.with_extension(""),
        };
        let named = text.split("#[cfg(test)]\n").skip(1);
        let named = named.filter_map(|rest| rest.split(';').next()?.rsplit_once("mod ").map(|(_, name)| name.trim()));
        out.extend(named.filter(|n| n.chars().all(|c| c.is_alphanumeric() || c == '_')).map(|n| folder.join(n)));
    }
    out
}

/// The names that follow `crate::` directly: one, or those of a list in braces.
fn names_after(text: &str, prefix: &str) -> Vec<String> {
    let word = |s: &str| s.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut out = Vec::new();
    for (at, _) in text.match_indices(prefix) {
        let rest = &text[at + prefix.len()..];
        let Some(list) = rest.strip_prefix('{') else {
            out.push(word(rest));
            continue;
        };
        let (mut depth, mut start) = (0, 0);
        for (i, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => {
                    out.push(word(list[start..i].trim_start()));
                    break;
                }
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    out.push(word(list[start..i].trim_start()));
                    start = i + 1;
                }
                _ => {}
            }
        }
    }
    out.retain(|n| !n.is_empty());
    out
}

/// Which module an item of the crate's root comes from.
fn root_items(lib: &str) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for statement in lib.split(';').filter_map(|s| s.trim().strip_prefix("pub use ")) {
        let path: Vec<&str> = statement.splitn(2, "::").collect();
        let [module, _] = path[..] else { continue };
        let tail = statement.rsplit("::").next().unwrap_or_default();
        for item in tail.trim_matches(|c| c == '{' || c == '}').split(',') {
            out.insert(item.trim().to_string(), module.to_string());
        }
    }
    out
}

#[test]
fn lower_layers_do_not_know_higher_ones() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    let tests = test_modules(&files);
    let items = root_items(&code(&root.join("lib.rs")));
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for path in &files {
        let inside = path.strip_prefix(&root).unwrap();
        let name = inside.to_string_lossy().replace('\\', "/");
        let of_tests = tests.iter().any(|t| path.with_extension("").starts_with(t));
        if name == "lib.rs" || name == "internals.rs" || of_tests {
            continue;
        }
        let module = name.split('/').next().unwrap().trim_end_matches(".rs").to_string();
        let mine = rank(&module).unwrap_or_else(|| panic!("{name}: a module without a layer"));
        for used in names_after(&code(path), "crate::") {
            let other = items.get(&used).unwrap_or(&used);
            let Some(theirs) = rank(other) else { continue };
            seen += 1;
            let together = TOGETHER.contains(&module.as_str()) && TOGETHER.contains(&other.as_str());
            if *other != module && (theirs > mine || (theirs == mine && !together)) {
                wrong.push(format!("{name} uses {other} ({used})"));
            }
        }
    }
    wrong.dedup();
    assert!(seen > 100, "the sources were not read");
    assert!(wrong.is_empty(), "{} imports go up:\n{}", wrong.len(), wrong.join("\n"));
}

/// What the test above rests on.
#[test]
fn the_reader_understands_lists_and_paths() {
    let text = "use crate::a::{b, c};\nuse crate::{d, e::{f, g}, h};\nlet x = crate::i(1);";
    assert_eq!(names_after(text, "crate::"), ["a", "d", "e", "h", "i"]);
    let items = root_items("pub use builder::{A,\n B};\npub use solve::scheme::C;");
    assert_eq!(items["B"], "builder");
    assert_eq!(items["C"], "solve");
}
