//! Parts of a surface that have a name in their file: nodes, materials, bones, groups of faces.

use super::error::quote;

/// What a part is in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartKind {
    /// A group of faces (`g` and `o` in OBJ).
    Group,
    /// A node of a scene with a mesh on it.
    Node,
    /// What has one material.
    Material,
    /// The triangles that one bone of a skeleton moves more than any other does.
    Bone,
}

impl PartKind {
    /// All of them.
    pub const ALL: [PartKind; 4] = [PartKind::Group, PartKind::Node, PartKind::Material, PartKind::Bone];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            PartKind::Group => "group",
            PartKind::Node => "node",
            PartKind::Material => "material",
            PartKind::Bone => "bone",
        }
    }

    /// What several of them are called.
    pub fn plural(self) -> &'static str {
        match self {
            PartKind::Group => "groups",
            PartKind::Node => "nodes",
            PartKind::Material => "materials",
            PartKind::Bone => "bones",
        }
    }
}

/// Triangles of a surface that have a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is in the file.
    pub kind: PartKind,
    /// Its name there.
    pub name: String,
    /// Its triangles, by number, ascending.
    pub triangles: Vec<u32>,
}

/// Names that are listed of each kind.
const MOST_LISTED: usize = 24;

/// What parts there are, for errors: a text for each kind that there is any of.
pub fn list(parts: &[Part]) -> Vec<String> {
    let of = |kind: PartKind| {
        let names: Vec<&str> = parts.iter().filter(|part| part.kind == kind).map(|part| part.name.as_str()).collect();
        let shown: Vec<String> = names.iter().take(MOST_LISTED).map(|name| quote(name.as_bytes())).collect();
        let more = names.len().saturating_sub(MOST_LISTED);
        let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
        (!names.is_empty()).then(|| format!("its {}: {}{rest}", kind.plural(), shown.join(", ")))
    };
    PartKind::ALL.into_iter().filter_map(of).collect()
}

/// The name of the part of a kind, if there is only one.
pub fn only(parts: &[Part], kind: PartKind) -> Option<String> {
    let mut some = parts.iter().filter(|part| part.kind == kind);
    some.next().filter(|_| some.next().is_none()).map(|part| part.name.clone())
}

/// For each of `count` triangles whether it is in a part whose name fits one of some patterns, in which `*` stands for
/// anything; or the number of the first pattern that no name fits.
pub fn find(parts: &[Part], patterns: &[String], count: usize) -> Result<Vec<bool>, usize> {
    let mut inside = vec![false; count];
    for (at, pattern) in patterns.iter().enumerate() {
        let mut any = false;
        for part in parts.iter().filter(|part| fits(pattern.as_bytes(), part.name.as_bytes())) {
            any = true;
            for &triangle in &part.triangles {
                if let Some(inside) = inside.get_mut(triangle as usize) {
                    *inside = true;
                }
            }
        }
        if !any {
            return Err(at);
        }
    }
    Ok(inside)
}

/// Whether a name fits a pattern in which `*` stands for anything, also for nothing.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let mut pieces = pattern.split(|&byte| byte == b'*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    for piece in pieces {
        // The earliest place leaves the most for what follows.
        let at = (0..=rest.len().saturating_sub(piece.len())).find(|&at| rest[at..].starts_with(piece));
        let Some(at) = at else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        let all = [
            ("arm", "arm", true),
            ("arm", "arms", false),
            ("arm", "", false),
            ("*", "", true),
            ("arm*", "arm_L_1", true),
            ("*_L_*", "arm_L_1", true),
            ("*_L_*", "arm_R_1", false),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("*ab*ab", "abab", true),
            ("*ab*ab", "ab", false),
        ];
        for (pattern, name, expected) in all {
            assert_eq!(fits(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} on {name}");
        }
    }

    #[test]
    fn parts_of_one_name_are_one_and_unknown_names_are_told() {
        let part = |kind, name: &str, triangles: &[u32]| Part { kind, name: name.into(), triangles: triangles.into() };
        let parts =
            [part(PartKind::Node, "a", &[0, 9]), part(PartKind::Bone, "a", &[2]), part(PartKind::Bone, "b", &[])];
        assert_eq!(
            find(&parts, &["a".into()], 3),
            Ok(vec![true, false, true]),
            "a number beyond the triangles is none"
        );
        assert_eq!(find(&parts, &["b".into(), "c*".into()], 3), Err(1));
        assert_eq!(list(&parts), ["its nodes: \"a\"", "its bones: \"a\", \"b\""]);
    }
}
