//! The JSON schema of scene files, for editors, and the reference for people.

use super::decode::{Field, Section};
use serde_json::{Value as Json, json};

/// The schema of scene files (JSON Schema, draft 2020-12).
pub fn schema() -> Json {
    let mut schema = of_section::<super::Settings>(None);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("taut scene");
    schema
}

/// The schema of a section. `kind` is the value of its key `kind`, if it has one.
pub(crate) fn of_section<S: Section>(kind: Option<&str>) -> Json {
    let mut properties = serde_json::Map::new();
    if let Some(kind) = kind {
        properties.insert("kind".into(), json!({ "const": kind }));
    }
    let fields = S::fields();
    let required: Vec<&str> = fields.iter().filter(|field| field.default.is_none()).map(|field| field.name).collect();
    let mut schema = json!({ "type": "object", "additionalProperties": false, "description": S::ABOUT.trim_ascii() });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    properties.extend(fields.into_iter().map(|field| (field.name.to_owned(), of_field(field))));
    schema["properties"] = Json::Object(properties);
    schema
}

/// The schema of a key: that of its type, with what only the key knows.
fn of_field(field: Field) -> Json {
    let mut schema = field.schema;
    let unit = if field.rule.unit.is_empty() { String::new() } else { format!(" [{}]", field.rule.unit) };
    schema["description"] = json!(format!("{}{unit}", field.doc));
    match field.default {
        // The keys of a table have their own defaults.
        None | Some(Json::Null | Json::Object(_)) => {}
        Some(default) => schema["default"] = default,
    }
    schema
}

/// The schema of tables told apart by `kind`.
pub(crate) fn of_variants(default: Option<&str>, variants: Vec<(&str, &str, Json)>) -> Json {
    let mut any = Vec::new();
    for (kind, doc, mut schema) in variants {
        schema["title"] = json!(kind);
        schema["description"] = json!(doc);
        let bare = schema.get("required").is_none();
        if default != Some(kind) {
            let mut required = vec![json!("kind")];
            required.extend(schema["required"].as_array().cloned().unwrap_or_default());
            schema["required"] = Json::Array(required);
        }
        any.push(schema);
        if bare {
            any.push(json!({ "const": kind, "description": doc }));
        }
    }
    json!({ "anyOf": any })
}
