//! Keys and the values they take.

use serde_json::Value as Json;
use std::str::FromStr;

/// A key of a scene and the values it takes, as text.
#[derive(Clone, Debug, PartialEq)]
pub struct Vary {
    /// A dotted path.
    pub key: String,
    /// TOML values, or bare text.
    pub values: Vec<String>,
}

impl Vary {
    /// As on the command line.
    pub fn text(&self) -> String {
        format!("{}={}", self.key, self.values.join(","))
    }
}

impl FromStr for Vary {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("{text:?} is not of the form KEY=VALUE,VALUE,…");
        let (key, values) = text.split_once('=').ok_or_else(bad)?;
        let values = split(values);
        if key.trim().is_empty() || values.iter().any(String::is_empty) {
            return Err(bad());
        }
        Ok(Vary { key: key.trim().to_owned(), values })
    }
}

/// Splits at commas that are not inside brackets or quotes.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut depth, mut quote) = (vec![String::new()], 0i64, None);
    for c in text.chars() {
        match (c, quote) {
            (_, Some(end)) if c == end => quote = None,
            ('"' | '\'', None) => quote = Some(c),
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth -= 1,
            _ => {}
        }
        match parts.last_mut() {
            Some(last) if c != ',' || depth != 0 || quote.is_some() => last.push(c),
            _ => parts.push(String::new()),
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).collect()
}

/// A value for a table: a number if it is one.
pub fn plain(text: &str) -> Json {
    match serde_json::from_str(text) {
        Ok(number @ (Json::Number(_) | Json::Bool(_))) => number,
        _ => Json::String(text.trim_matches(['"', '\'']).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_inside_brackets_and_quotes_do_not_split() {
        let vary: Vary = "world.gravity=[0, -9.8, 0],[0, -1, 0]".parse().unwrap();
        assert_eq!(vary.values, ["[0, -9.8, 0]", "[0, -1, 0]"]);
        assert_eq!(split("\"a,b\",'c,d', 5"), ["\"a,b\"", "'c,d'", "5"]);
        for bad in ["", "a", "=1", "a=", "a=1,,2"] {
            assert!(bad.parse::<Vary>().is_err(), "{bad:?}");
        }
        assert_eq!(vary.text().parse::<Vary>().unwrap(), vary);
    }
}
