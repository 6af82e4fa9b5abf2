//! "Did you mean": the nearest of some known names.

/// The known name nearest to what was typed, if any is near enough to be meant.
pub(crate) fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Longer words are not names that someone mistyped, and would take long to compare.
    if typed.chars().count() > 40 {
        return None;
    }
    let typed = plain(typed);
    let allowed = (typed.chars().count() / 3).clamp(1, 3);
    known
        .into_iter()
        .map(|name| (score(&typed, &plain(name)), name))
        .filter(|&(distance, _)| distance <= allowed)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// The sentence about it, if there is one to say.
pub(crate) fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(typed, known).map(|name| format!("did you mean `{name}`?"))
}

/// Case, hyphens and underscores are not what makes a name.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

/// The distance, where a word begun and not finished counts as near.
fn score(typed: &str, name: &str) -> usize {
    let begun = typed.len() >= 3 && name.starts_with(typed);
    if begun { 1 } else { distance(typed, name) }
}

/// How many letters have to be added, removed, replaced or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_letters() {
        for (a, b, expected) in [("", "abc", 3), ("warp", "warp", 0), ("stifness", "stiffness", 1), ("wrap", "warp", 1)]
        {
            assert_eq!(distance(a, b), expected, "{a} {b}");
            assert_eq!(distance(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn only_near_names_are_suggested() {
        let known = ["stiffness", "density", "rest_stretch", "name"];
        assert_eq!(nearest("stifness", known), Some("stiffness"));
        assert_eq!(nearest("Rest-Stretch", known), Some("rest_stretch"));
        assert_eq!(nearest("dens", known), Some("density"));
        assert_eq!(nearest("gravity", known), None);
        assert_eq!(nearest("", known), None);
    }
}
