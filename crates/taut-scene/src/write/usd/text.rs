//! A layer as text.

use super::layer::{About, Attribute, Layer, Sampler, Value};
use crate::write::WriteError;
use crate::write::atomic::AtomicFile;
use std::fmt::Write;
use std::path::{Path, PathBuf};

pub(super) struct Text {
    file: AtomicFile,
    depth: usize,
}

impl Text {
    pub(super) fn create(dir: &Path, name: &str) -> Result<Self, WriteError> {
        Ok(Text { file: AtomicFile::create(dir, name)?, depth: 0 })
    }

    /// Writes a line at the depth of the prim that is open, and so much further in.
    fn line(&mut self, further: usize, text: &str) -> Result<(), WriteError> {
        let indent = "    ".repeat(self.depth + further);
        self.file.put(format!("{indent}{text}\n").as_bytes())
    }

    fn about(&mut self, attribute: Attribute, text: &str) -> Result<(), WriteError> {
        let Some(interpolation) = attribute.interpolation else { return self.line(0, text) };
        self.line(0, &format!("{text} ("))?;
        self.line(1, &format!("interpolation = \"{interpolation}\""))?;
        self.line(0, ")")
    }
}

impl Layer for Text {
    fn head(&mut self, said: &[(&str, Value)]) -> Result<(), WriteError> {
        self.file.put(b"#usda 1.0\n(\n")?;
        for (key, value) in said {
            self.line(1, &format!("{key} = {}", written(value)))?;
        }
        self.file.put(b")\n\n")
    }

    fn begin(&mut self, kind: &str, name: &str, about: About) -> Result<(), WriteError> {
        let said = about.title.is_some() || about.api.is_some();
        self.line(0, &format!("def {kind} \"{name}\"{}", if said { " (" } else { "" }))?;
        if let Some(api) = about.api {
            self.line(1, &format!("prepend apiSchemas = [\"{api}\"]"))?;
        }
        if let Some(title) = about.title {
            self.line(1, "customData = {")?;
            self.line(2, &format!("string name = {}", quoted(title)))?;
            self.line(1, "}")?;
        }
        if said {
            self.line(0, ")")?;
        }
        self.line(0, "{")?;
        self.depth += 1;
        Ok(())
    }

    fn put(&mut self, attribute: Attribute, value: Value) -> Result<(), WriteError> {
        let uniform = if attribute.uniform { "uniform " } else { "" };
        self.about(attribute, &format!("{uniform}{} {} = {}", attribute.kind, attribute.name, written(&value)))
    }

    fn samples(
        &mut self,
        attribute: Attribute,
        first: usize,
        frames: usize,
        sample: Sampler,
    ) -> Result<(), WriteError> {
        let called = format!("{} {}", attribute.kind, attribute.name);
        if attribute.interpolation.is_some() {
            self.about(attribute, &called)?;
        }
        self.line(0, &format!("{called}.timeSamples = {{"))?;
        for frame in 0..frames {
            let value = sample(frame)?;
            self.line(1, &format!("{}: {},", first + frame, written(&value)))?;
        }
        self.line(0, "}")
    }

    fn relation(&mut self, name: &str, path: &str) -> Result<(), WriteError> {
        self.line(0, &format!("rel {name} = <{path}>"))
    }

    fn end(&mut self) -> Result<(), WriteError> {
        self.depth -= 1;
        self.line(0, "}")
    }

    fn finish(self: Box<Self>) -> Result<PathBuf, WriteError> {
        self.file.commit()
    }
}

fn written(value: &Value) -> String {
    match value {
        Value::Bool(is) => u8::from(*is).to_string(),
        Value::Double(number) => number.to_string(),
        Value::Token(text) => quoted(text),
        Value::Ints(list) => joined(list.iter()),
        Value::Floats(1, list) => joined(list.iter()),
        Value::Floats(width, list) => {
            let mut text = String::with_capacity(list.len() * 12 + 2);
            text.push('[');
            for (at, together) in list.chunks_exact((*width).max(1)).enumerate() {
                text += if at == 0 { "(" } else { ", (" };
                for (k, number) in together.iter().enumerate() {
                    let _ = write!(text, "{}{number}", if k == 0 { "" } else { ", " });
                }
                text.push(')');
            }
            text.push(']');
            text
        }
    }
}

fn joined<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut text = String::from("[");
    for (at, item) in items.into_iter().enumerate() {
        let _ = write!(text, "{}{item}", if at == 0 { "" } else { ", " });
    }
    text.push(']');
    text
}

/// A string literal on one line.
fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            c if c.is_control() => literal.push(' '),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}
