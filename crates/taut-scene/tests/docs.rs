//! Scenes of the README and of the pages in docs/ are right: what a person copies from there works.

use std::path::{Path, PathBuf};
use taut_scene::scene::Scene;
use taut_scene::simulation::Simulation;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            pages(&path, out);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            out.push(path);
        }
    }
}

/// The blocks of TOML in a page, each with the number of its first line.
fn blocks(text: &str) -> Vec<(usize, String)> {
    let (mut out, mut open) = (Vec::new(), None);
    for (at, line) in text.lines().enumerate() {
        match &mut open {
            None if line.trim() == "```toml" => open = Some((at + 2, String::new())),
            None => {}
            Some(_) if line.trim() == "```" => out.extend(open.take()),
            Some((_, block)) => *block += &format!("{line}\n"),
        }
    }
    out
}

/// The words in quotation marks of lines that begin with a key.
fn named(block: &str, key: &str) -> Vec<String> {
    let lines = block.lines().filter(|line| line.trim_start().starts_with(key));
    lines
        .flat_map(|line| line.split('#').next().unwrap_or("").split('"').skip(1).step_by(2))
        .map(str::to_owned)
        .collect()
}

/// A scene of which a block is a part: with the cloth, solid and colliders that it speaks of and does not have.
fn whole(block: &str) -> String {
    let cloth = |name: &str| {
        format!("[[cloth]]\nname = \"{name}\"\ngenerate = {{ kind = \"sheet\", nx = 8, ny = 8, centre = [0, 2, 0] }}\n")
    };
    // Keys without a table are a cloth's.
    if !block.trim_start().starts_with('[') {
        return cloth("sheet") + block;
    }
    if block.contains("[[cloth]]") || block.contains("[[solid]]") {
        return block.to_owned();
    }
    let mut names = [named(block, "body "), named(block, "bodies ")].concat();
    if names.is_empty() {
        names.push("sheet".into());
    }
    names.sort();
    names.dedup();
    let solid = "[[solid]]\nname = \"solid\"\ngenerate = \"ball\"\ntranslate = [9, 0, 0]\n";
    let bodies: String = names.iter().map(|name| cloth(name) + "fabric = \"cotton\"\n").collect();
    let solid = if block.contains("volume") { solid } else { "" };
    format!("{bodies}{solid}{block}")
}

#[test]
fn every_scene_of_the_documentation_is_one() {
    let mut files = vec![root().join("README.md")];
    pages(&root().join("docs"), &mut files);
    let mut count = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        for (line, block) in blocks(&text).into_iter().filter(|(_, block)| !block.contains("[dependencies]")) {
            let at = format!("{}:{line}", file.display());
            let text = whole(&block);
            let scene = Scene::parse("page.toml", &text, Some(Path::new("/nonexistent/taut")), &[]);
            let scene = scene.unwrap_or_else(|error| panic!("{at}: {error}"));
            count += 1;
            if !block.contains("mesh = \"") {
                let built = Simulation::new(&scene, scene.precision(), 1);
                let built = built.unwrap_or_else(|error| panic!("{at}: {error}"));
                let odd: Vec<String> = built.warnings();
                assert!(odd.is_empty(), "{at}: {odd:#?}\n{text}");
            }
        }
    }
    assert!(count >= 18, "only {count} scenes were found");
}
