//! Names for files and for things inside files, made from whatever names the objects have.

use std::collections::HashSet;

/// Longest file stem, in bytes: room for a frame number and an extension under every file system's 255.
const MAX_STEM: usize = 100;

/// Names that Windows keeps for devices, with any extension.
const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// One file stem per name, in order: plain, safe on every file system, and no two alike even where case is ignored.
///
/// Letters and digits of any script stay, as do `-`, `_` and inner dots; everything else becomes `_`.
pub(super) fn file_stems<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    unique(names.into_iter().map(stem))
}

/// A name for files made from the file `path`: its own, without folders and ending, made safe.
pub fn stem_of(path: &str) -> String {
    let stem = std::path::Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    file_stems([stem.as_deref().unwrap_or("scene")]).remove(0)
}

/// One ASCII identifier per name, in order and no two alike: for formats whose names are program identifiers.
pub fn identifiers<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    unique(names.into_iter().map(identifier))
}

fn stem(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' }).collect();
    // A leading dot hides a file, a trailing one is dropped by Windows.
    let mut stem = plain.trim_matches('.').to_owned();
    stem.truncate(stem.floor_char_boundary(MAX_STEM));
    if stem.is_empty() {
        return "object".into();
    }
    let first = stem.split('.').next().unwrap_or_default().to_lowercase();
    let device = first.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = first.len() - device.len();
    // con, prn, aux, nul stand alone; com and lpt are reserved with one digit.
    if RESERVED.contains(&device) && digits == usize::from(matches!(device, "com" | "lpt")) {
        stem.insert(0, '_');
    }
    stem
}

fn identifier(name: &str) -> String {
    let mut id: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    id.truncate(MAX_STEM);
    if id.trim_matches('_').is_empty() {
        return "object".into();
    }
    if id.starts_with(|c: char| c.is_ascii_digit()) {
        id.insert(0, '_');
    }
    id
}

/// Appends `_2`, `_3`… to names that are taken, ignoring case.
fn unique(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut result = Vec::new();
    for name in names {
        let mut candidate = name.clone();
        let mut number = 2;
        while !taken.insert(candidate.to_lowercase()) {
            candidate = format!("{name}_{number}");
            number += 1;
        }
        result.push(candidate);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_plain_and_unique() {
        let names = ["sheet", "Sheet", "a/b", "..", "", "../../etc/passwd", "a b", "rød dug", "布", "con", "COM1.x"];
        let expected = [
            "sheet",
            "Sheet_2",
            "a_b",
            "object",
            "object_2",
            "_.._etc_passwd",
            "a_b_2",
            "rød_dug",
            "布",
            "_con",
            "_COM1.x",
        ];
        assert_eq!(file_stems(names), expected);
        assert_eq!(
            file_stems(["console", "com", "com12", "lpt0", "NUL.obj"]),
            ["console", "com", "com12", "_lpt0", "_NUL.obj"]
        );
    }

    #[test]
    fn a_made_up_suffix_does_not_take_a_given_name() {
        assert_eq!(file_stems(["a", "a_2", "a"]), ["a", "a_2", "a_3"]);
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        let long = "布".repeat(200);
        let stems = file_stems([long.as_str(), long.as_str()]);
        assert!(stems.iter().all(|s| s.len() <= MAX_STEM + 2));
        assert_ne!(stems[0], stems[1]);
    }

    #[test]
    fn identifiers_are_ascii() {
        assert_eq!(
            identifiers(["sheet", "2nd", "布", "a-b", "a b", ""]),
            ["sheet", "_2nd", "object", "a_b", "a_b_2", "object_2"]
        );
    }

    #[test]
    fn every_stem_is_accepted_as_a_file_name() {
        for stem in file_stems(["a:b", "\\\\x", "\n", "a\0b", "~", "-", ".hidden.", "x.tmp"]) {
            assert!(crate::write::atomic::inside(std::path::Path::new("out"), &stem).is_ok(), "{stem:?}");
        }
    }
}
