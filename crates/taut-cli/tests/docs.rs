//! Commands of the README and of the pages in docs/ are right: words, flags and built-in scenes exist.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use taut_scene::scene::builtin;

fn taut(args: &[&str]) -> (String, bool) {
    let output = Command::new(env!("CARGO_BIN_EXE_taut")).args(args).output().unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success())
}

fn pages(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, out);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            out.push(path);
        }
    }
}

/// Commands in a page: lines of shell blocks and words between backticks that begin with `taut` or run it by cargo.
fn commands(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut shell = false;
    for line in text.lines() {
        if line.starts_with("```") {
            shell = line.trim() == "```sh";
            continue;
        }
        let parts: Vec<&str> = if shell { vec![line] } else { line.split('`').skip(1).step_by(2).collect() };
        for part in parts {
            let part = part.split(" #").next().unwrap_or("").split(['|', '\\']).next().unwrap_or("").trim();
            let own = part.strip_prefix("taut ");
            let built = part.strip_prefix("cargo run --release -- ");
            let viewed = part.strip_prefix("cargo run --release --features view -- ");
            out.extend(own.or(built).or(viewed).map(str::to_owned));
        }
    }
    out
}

#[test]
fn every_command_of_the_documentation_is_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> = ["README.md", "CONTRIBUTING.md", "SECURITY.md"].map(|name| root.join(name)).into();
    files.push(root.join("crates/taut-scene/project/README.md"));
    pages(&root.join("docs"), &mut files);
    let mut helps: BTreeMap<String, String> = BTreeMap::new();
    let mut count = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        for command in commands(&text) {
            let at = format!("{}: taut {command}", file.display());
            let words: Vec<&str> = command.split_whitespace().collect();
            // Such as `taut …`.
            if !words.first().is_some_and(|word| word.chars().all(|c| c.is_ascii_lowercase())) {
                continue;
            }
            // The longest row of words that have a help of their own.
            let deep = if matches!(words[0], "bench" | "lab" | "paper") { 2 } else { 1 };
            let mut path: Vec<&str> =
                words.iter().take(deep).take_while(|w| w.starts_with(char::is_lowercase)).copied().collect();
            let known = |path: &[&str], helps: &mut BTreeMap<String, String>| {
                let key = path.join(" ");
                if !helps.contains_key(&key) {
                    let (help, fine) = taut(&[path, &["--help"]].concat());
                    helps.insert(key.clone(), if fine { help } else { String::new() });
                }
                helps[&key].clone()
            };
            if path.len() == 2 && known(&path, &mut helps).is_empty() {
                path.pop();
            }
            let help = known(&path, &mut helps);
            assert!(!help.is_empty(), "{at}: there is no such command");
            for flag in words.iter().filter(|word| word.starts_with("--")) {
                let flag = flag.split('=').next().unwrap_or(flag).trim_end_matches([',', '…', ')', ']']);
                assert!(help.contains(flag), "{at}: {flag} is no flag of it");
            }
            let scene = words.get(1).filter(|_| matches!(words[0], "run" | "view")).copied().unwrap_or("SCENE");
            let name = scene.split(':').next().unwrap_or(scene);
            if name.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !name.starts_with('-') {
                assert!(builtin(name).is_some(), "{at}: there is no scene {name}");
            }
            count += 1;
        }
    }
    assert!(count > 40, "only {count} commands were found");
}
