//! Numbers out of buffers. Nothing in the JSON is trusted: every offset, stride and count is checked against the bytes
//! that are there.

use std::cell::Cell;

use super::container::Document;
use super::json::{Accessor, Sparse};
use crate::read::error::{ReadError, Result, quote};

/// The most memory that a number takes on its way from a buffer into a mesh, bytes: as it is read, in the body, in the
/// search
/// for vertices at one place, and in the mesh. Many small pieces of JSON can refer to the same bytes, so that it is
/// numbers
/// read that count, not bytes.
const BYTES_PER_NUMBER: usize = 40;

/// Reads accessors of a document.
pub(super) struct Accessors<'a> {
    file: &'a str,
    document: &'a Document<'a>,
    numbers: Cell<usize>,
}

/// A number type that accessors can be read as.
trait Number: Copy + Default {
    /// The number in the first bytes of `raw`, of glTF component type `component`; nothing if it does not suit.
    fn decode(component: u32, normalized: bool, raw: &[u8]) -> Option<Self>;
}

impl Number for f32 {
    fn decode(component: u32, normalized: bool, raw: &[u8]) -> Option<Self> {
        let (value, largest) = match component {
            5120 => (f32::from(raw[0] as i8), 127.0),
            5121 => (f32::from(raw[0]), 255.0),
            5122 => (f32::from(i16::from_le_bytes([raw[0], raw[1]])), 32767.0),
            5123 => (f32::from(u16::from_le_bytes([raw[0], raw[1]])), 65535.0),
            5126 => return Some(f32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]])).filter(|x| x.is_finite()),
            _ => return None,
        };
        Some(if normalized { (value / largest).max(-1.0) } else { value })
    }
}

impl Number for u32 {
    fn decode(component: u32, _: bool, raw: &[u8]) -> Option<Self> {
        match component {
            5121 => Some(raw[0].into()),
            5123 => Some(u16::from_le_bytes([raw[0], raw[1]]).into()),
            5125 => Some(u32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]])),
            _ => None,
        }
    }
}

/// Where equal things lie in a buffer view.
struct Layout {
    offset: usize,
    count: usize,
    /// Bytes of one thing.
    size: usize,
    /// Whether the view's stride applies.
    strided: bool,
}

impl<'a> Accessors<'a> {
    pub fn new(file: &'a str, document: &'a Document<'a>) -> Self {
        Self { file, document, numbers: Cell::new(0) }
    }

    /// Takes from the amount of numbers that may still be read or made.
    pub fn spend(&self, numbers: usize) -> Result<()> {
        let all = self.numbers.get().saturating_add(numbers);
        self.document.budget.check(self.file, all.saturating_mul(BYTES_PER_NUMBER))?;
        self.numbers.set(all);
        Ok(())
    }

    /// Numbers of an accessor of the given type, such as `"VEC3"`, one element after another. All are finite.
    pub fn floats(&self, index: usize, kind: &str) -> Result<Vec<f32>> {
        self.numbers(index, kind, "a finite float or a small integer")
    }

    /// The type of an accessor, such as `"VEC3"`; nothing if it is not there.
    pub fn kind(&self, index: usize) -> Option<&'a str> {
        self.document.root.accessors.get(index).map(|accessor| accessor.kind.as_str())
    }

    /// Whole numbers of an accessor of the given type.
    pub fn integers(&self, index: usize, kind: &str) -> Result<Vec<u32>> {
        self.numbers(index, kind, "an unsigned integer")
    }

    fn numbers<T: Number>(&self, index: usize, kind: &str, expected: &str) -> Result<Vec<T>> {
        let fail = |message: String| ReadError::item(self.file, format!("accessors[{index}]"), message);
        let accessors = &self.document.root.accessors;
        let accessor =
            accessors.get(index).ok_or_else(|| fail(format!("not there: the file has {}", accessors.len())))?;
        if accessor.kind != kind {
            return Err(fail(format!("the type is {}, expected {kind}", quote(accessor.kind.as_bytes()))));
        }
        let width = width(kind);
        let size = component_size(accessor.component_type)
            .ok_or_else(|| fail(format!("the component type is {}, expected 5120 to 5126", accessor.component_type)))?;
        let layout = Layout { offset: accessor.byte_offset, count: accessor.count, size: size * width, strided: true };
        let decode = |raw: &[u8], out: &mut Vec<T>| {
            for component in raw.chunks_exact(size) {
                let value = T::decode(accessor.component_type, accessor.normalized, component);
                let message = || fail(format!("element {} is not {expected}", out.len() / width));
                let value = value.ok_or_else(message)?;
                out.push(value);
            }
            Ok(())
        };
        let mut values = Vec::new();
        if let Some(view) = accessor.buffer_view {
            self.check_layout(view, &layout, &fail)?;
            self.spend(layout.count.saturating_mul(width))?;
            values.reserve_exact(layout.count * width);
            self.each(view, &layout, &fail, |raw| decode(raw, &mut values))?;
        } else {
            values = self.zeros(accessor, width, &fail)?;
        }
        if let Some(sparse) = &accessor.sparse {
            let mut changed = Vec::new();
            let layout = Layout { offset: sparse.values.byte_offset, count: sparse.count, strided: false, ..layout };
            self.spend(sparse.count.saturating_mul(width))?;
            self.each(sparse.values.buffer_view, &layout, &fail, |raw| decode(raw, &mut changed))?;
            self.replace(sparse, width, &changed, &mut values, &fail)?;
        }
        Ok(values)
    }

    /// An accessor without a view is all zeros. Nothing but its count says how many, so that is held against the size
    /// of the buffers: real files use this for the few vertices that a morph target moves.
    fn zeros<T: Number>(
        &self,
        accessor: &Accessor,
        width: usize,
        fail: &dyn Fn(String) -> ReadError,
    ) -> Result<Vec<T>> {
        let held: usize = self.document.buffers.iter().map(|b| b.len()).sum();
        if accessor.count > held {
            return Err(fail(format!(
                "the accessor claims {} elements, but all buffers hold {held} bytes",
                accessor.count
            )));
        }
        self.spend(accessor.count.saturating_mul(width))?;
        Ok(vec![T::default(); accessor.count * width])
    }

    /// Puts the changed elements of a sparse accessor in place.
    fn replace<T: Number>(
        &self,
        sparse: &Sparse,
        width: usize,
        changed: &[T],
        values: &mut [T],
        fail: &dyn Fn(String) -> ReadError,
    ) -> Result<()> {
        let component = sparse.indices.component_type;
        let size = component_size(component).unwrap_or(4);
        let layout = Layout { offset: sparse.indices.byte_offset, count: sparse.count, size, strided: false };
        let mut changed = changed.chunks_exact(width);
        self.each(sparse.indices.buffer_view, &layout, fail, |raw| {
            let index = u32::decode(component, false, raw).ok_or_else(|| {
                fail(format!("the component type of sparse indices is {component}, expected 5121, 5123 or 5125"))
            })?;
            let count = values.len() / width;
            let target = values.chunks_exact_mut(width).nth(index as usize);
            let target = target.ok_or_else(|| fail(format!("sparse index {index} is beyond the {count} elements")))?;
            target.copy_from_slice(changed.next().unwrap_or_default());
            Ok(())
        })
    }

    /// Calls back with the bytes of each thing.
    fn each(
        &self,
        view: usize,
        layout: &Layout,
        fail: &dyn Fn(String) -> ReadError,
        mut receive: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let (content, stride) = self.check_layout(view, layout, fail)?;
        for i in 0..layout.count {
            let start = layout.offset + i * stride;
            receive(&content[start..start + layout.size])?;
        }
        Ok(())
    }

    /// The bytes of a view and the distance from thing to thing, if all of them lie within.
    fn check_layout(&self, view: usize, layout: &Layout, fail: &dyn Fn(String) -> ReadError) -> Result<(&[u8], usize)> {
        let views = &self.document.root.buffer_views;
        let found = views
            .get(view)
            .ok_or_else(|| fail(format!("bufferViews[{view}] is not there: the file has {}", views.len())))?;
        let buffer = self.document.buffers.get(found.buffer);
        let end = found.byte_offset.checked_add(found.byte_length);
        let content = buffer.and_then(|buffer| buffer.get(found.byte_offset..end?)).ok_or_else(|| {
            let held = buffer.map_or(0, |b| b.len());
            let (from, length) = (found.byte_offset, found.byte_length);
            fail(format!("bufferViews[{view}] is {length} bytes from byte {from}, but its buffer has {held}"))
        })?;
        let stride = found.byte_stride.filter(|_| layout.strided).unwrap_or(layout.size);
        if stride < layout.size {
            return Err(fail(format!(
                "the stride of bufferViews[{view}] is {stride}, less than an element's {} bytes",
                layout.size
            )));
        }
        let last = layout.count.saturating_sub(1).checked_mul(stride).and_then(|n| n.checked_add(layout.offset));
        let end = last.and_then(|last| last.checked_add(layout.size)).unwrap_or(usize::MAX);
        if layout.count > 0 && end > content.len() {
            let (count, held) = (layout.count, content.len());
            return Err(fail(format!("{count} elements do not fit into bufferViews[{view}], which has {held} bytes")));
        }
        Ok((content, stride))
    }
}

fn component_size(component: u32) -> Option<usize> {
    match component {
        5120 | 5121 => Some(1),
        5122 | 5123 => Some(2),
        5125 | 5126 => Some(4),
        _ => None,
    }
}

fn width(kind: &str) -> usize {
    match kind {
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        _ => 1,
    }
}
