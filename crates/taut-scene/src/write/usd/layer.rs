//! What a layer of USD is made of, whichever way it is written.

use crate::write::WriteError;
use std::path::PathBuf;

/// A value.
pub(super) enum Value<'a> {
    Bool(bool),
    Double(f64),
    Token(&'a str),
    Ints(Vec<i32>),
    /// So many numbers that belong together, and all of them.
    Floats(usize, Vec<f32>),
}

/// An attribute: its type as text has it, its name, and what is said about it.
#[derive(Clone, Copy, Default)]
pub(super) struct Attribute<'a> {
    pub kind: &'a str,
    pub name: &'a str,
    pub uniform: bool,
    pub interpolation: Option<&'a str>,
}

impl<'a> Attribute<'a> {
    pub(super) fn new(kind: &'a str, name: &'a str) -> Self {
        Attribute { kind, name, ..Attribute::default() }
    }

    pub(super) fn uniform(self) -> Self {
        Attribute { uniform: true, ..self }
    }

    pub(super) fn on(self, interpolation: &'a str) -> Self {
        Attribute { interpolation: Some(interpolation), ..self }
    }
}

/// What is said about a prim.
#[derive(Clone, Copy, Default)]
pub(super) struct About<'a> {
    /// What people call it.
    pub title: Option<&'a str>,
    /// A schema that is applied to it.
    pub api: Option<&'a str>,
}

/// The samples of an attribute: for each frame its value.
pub(super) type Sampler<'a> = &'a mut dyn FnMut(usize) -> Result<Value<'static>, WriteError>;

/// A layer in the making. Prims are begun and ended like braces.
pub(super) trait Layer {
    /// What the layer says of itself, before any prim.
    fn head(&mut self, said: &[(&str, Value)]) -> Result<(), WriteError>;
    fn begin(&mut self, kind: &str, name: &str, about: About) -> Result<(), WriteError>;
    fn put(&mut self, attribute: Attribute, value: Value) -> Result<(), WriteError>;
    /// Samples for so many frames, of which the first has a number.
    fn samples(&mut self, attribute: Attribute, first: usize, frames: usize, sample: Sampler)
    -> Result<(), WriteError>;
    /// A relationship to another prim, by its path.
    fn relation(&mut self, name: &str, path: &str) -> Result<(), WriteError>;
    fn end(&mut self) -> Result<(), WriteError>;
    /// Completes the file.
    fn finish(self: Box<Self>) -> Result<PathBuf, WriteError>;
}
