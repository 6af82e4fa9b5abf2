//! Legacy VTK (`# vtk DataFile`), text and binary: unstructured grids and polygon data.
//!
//! Both layouts of cells are read: the old one with a length before each cell, and that of version 5 with offsets.
//! Reading stops at the first data attribute; attributes are not used.

use super::budget::{Budget, held};
use super::bytes::Bytes;
use super::cells::Cells;
use super::error::{ReadError, Result, quote};
use super::polygon::Triangulator;
use super::text::Scanner;
use super::{MeshFile, Options, Source};

const SIGNATURE: &[u8] = b"# vtk DataFile Version ";

pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(SIGNATURE)
}

pub(super) fn read(source: &Source, _: &Options) -> Result<MeshFile> {
    let mut reader = Reader::start(source)?;
    let format = if reader.is_binary { "VTK binary" } else { "VTK text" };
    reader.scanner.expect("DATASET")?;
    let dataset = reader.scanner.expect_word("the kind of dataset")?;
    if !dataset.eq_ignore_ascii_case(b"UNSTRUCTURED_GRID") && !dataset.eq_ignore_ascii_case(b"POLYDATA") {
        let message = format!("the dataset is {}, expected UNSTRUCTURED_GRID or POLYDATA", quote(dataset));
        return Err(reader.scanner.fail(message));
    }
    while let Some(word) = reader.scanner.any_word() {
        let keyword = word.to_ascii_uppercase();
        match keyword.as_slice() {
            b"POINTS" => reader.read_points()?,
            b"CELLS" => reader.grid = Some(reader.read_cells()?),
            b"CELL_TYPES" => reader.read_types()?,
            b"POLYGONS" => {
                let polygons = reader.read_cells()?;
                polygons.iter().try_for_each(|nodes| reader.polygon(&polygons, nodes))?;
            }
            b"TRIANGLE_STRIPS" => {
                let strips = reader.read_cells()?;
                for nodes in strips.iter() {
                    reader.check_memory(strips.held() + 12 * nodes.len())?;
                    reader.cells.strip(nodes);
                }
            }
            b"VERTICES" | b"LINES" => drop(reader.read_cells()?),
            b"FIELD" => reader.skip_fields()?,
            b"METADATA" => reader.skip_metadata(),
            b"CELL_DATA" | b"POINT_DATA" => {
                let name = String::from_utf8_lossy(&keyword).into_owned();
                reader.cells.warnings.extend(super::ignored_attributes(&[name]));
                break;
            }
            _ => return Err(reader.scanner.fail(format!("found {}, expected a part such as POINTS", quote(word)))),
        }
    }
    if reader.grid.is_some() {
        return Err(reader.scanner.fail("the file ends where CELL_TYPES are expected"));
    }
    reader.cells.finish(source.name, format)
}

/// A type of number in an array.
#[derive(Clone, Copy)]
enum Number {
    Signed(usize),
    Unsigned(usize),
    Float(usize),
}

impl Number {
    fn parse(scanner: &Scanner, word: &[u8]) -> Result<Self> {
        Ok(match word.to_ascii_lowercase().as_slice() {
            b"char" => Self::Signed(1),
            b"unsigned_char" => Self::Unsigned(1),
            b"short" => Self::Signed(2),
            b"unsigned_short" => Self::Unsigned(2),
            // Whatever its size in memory, VTK stores vtkIdType as an int.
            b"int" | b"vtkidtype" => Self::Signed(4),
            b"unsigned_int" => Self::Unsigned(4),
            b"long" | b"vtktypeint64" => Self::Signed(8),
            b"unsigned_long" | b"vtktypeuint64" => Self::Unsigned(8),
            b"float" => Self::Float(4),
            b"double" => Self::Float(8),
            _ => return Err(scanner.fail(format!("{} is no type of number that we can read", quote(word)))),
        })
    }

    fn size(self) -> usize {
        let (Self::Signed(size) | Self::Unsigned(size) | Self::Float(size)) = self;
        size
    }
}

/// Cells as lists of nodes, one after another.
struct Lists {
    nodes: Vec<u32>,
    /// Where each cell ends.
    ends: Vec<usize>,
}

impl Lists {
    /// Bytes of memory that they take.
    fn held(&self) -> usize {
        held(&self.nodes) + held(&self.ends)
    }

    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.nodes[start..end])
    }
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    file: &'a str,
    bytes: &'a [u8],
    budget: Budget,
    is_binary: bool,
    has_offsets: bool,
    cells: Cells,
    /// Cells that wait for their types.
    grid: Option<Lists>,
}

impl<'a> Reader<'a> {
    /// Reads the header: signature with version, title, text or binary.
    fn start(source: &Source<'a>) -> Result<Self> {
        let mut scanner = Scanner::new(source.name, source.bytes);
        let signature = scanner.rest_of_line();
        let version = signature.strip_prefix(SIGNATURE.trim_ascii_end()).map(<[u8]>::trim_ascii);
        let Some(version) = version else {
            return Err(scanner.fail(format!("found {}, expected \"# vtk DataFile Version\"", quote(signature))));
        };
        let version = scanner.to_number(version, "the version")?;
        scanner.next_line();
        scanner.next_line();
        let word = scanner.expect_word("ASCII or BINARY")?;
        let is_binary = word.eq_ignore_ascii_case(b"BINARY");
        if !is_binary && !word.eq_ignore_ascii_case(b"ASCII") {
            return Err(scanner.fail(format!("found {}, expected ASCII or BINARY", quote(word))));
        }
        let (file, bytes, budget, has_offsets) = (source.name, source.bytes, source.budget, version >= 5.0);
        Ok(Self { scanner, file, bytes, budget, is_binary, has_offsets, cells: Cells::default(), grid: None })
    }

    /// Refuses to hold more memory than the file may take, on top of what is known, bytes.
    fn check_memory(&self, more: usize) -> Result<()> {
        let waiting = self.grid.as_ref().map_or(0, Lists::held);
        self.budget.check(self.file, self.cells.held() + waiting + more)
    }

    /// Splits one of some polygons.
    fn polygon(&mut self, all: &Lists, nodes: &[u32]) -> Result<()> {
        self.check_memory(all.held() + 12 * nodes.len() + Triangulator::held_by(nodes.len()))?;
        self.cells.polygon(nodes);
        Ok(())
    }

    fn read_points(&mut self) -> Result<()> {
        let points = self.scanner.count("points", if self.is_binary { 1 } else { 6 })?;
        let word = self.scanner.expect_word("the type of coordinates")?;
        let number = Number::parse(&self.scanner, word)?;
        let mut axis = [0.0; 3];
        let mut filled = 0;
        // Their number is trusted as far as the file goes; the meshes get nodes of their own.
        self.check_memory(points.saturating_mul(3 * 24 + 8))?;
        let positions = &mut self.cells.positions;
        positions.reserve_exact(points);
        let array = Array { what: "a coordinate", number, length: (points as u64).saturating_mul(3) };
        read_array(&mut self.scanner, self.file, self.bytes, self.is_binary, array, |value, fail| {
            if !value.is_finite() {
                return Err(fail(format!("a coordinate is {value}, expected a finite number")));
            }
            axis[filled % 3] = value;
            filled += 1;
            if filled % 3 == 0 {
                positions.push(axis);
            }
            Ok(())
        })
    }

    /// An array of whole numbers.
    fn integers(&mut self, what: &'static str, length: u64, number: Number) -> Result<Vec<i64>> {
        let least = if self.is_binary { number.size() } else { 2 };
        // Twice: the numbers, and the lists that are made of them.
        let room = (self.scanner.remaining() / least + 1).min(usize::try_from(length).unwrap_or(usize::MAX));
        self.check_memory(room.saturating_mul(8 + 12))?;
        let mut values = Vec::with_capacity(room);
        let array = Array { what, number, length };
        read_array(&mut self.scanner, self.file, self.bytes, self.is_binary, array, |value, fail| {
            // Beyond 2⁵³ neighbours of a whole number are missing, but no index is that large.
            if value.fract() != 0.0 || value.abs() > 9e15 || value.is_nan() {
                return Err(fail(format!("{what} is {value}, expected a whole number")));
            }
            values.push(value as i64);
            Ok(())
        })?;
        Ok(values)
    }

    fn read_cells(&mut self) -> Result<Lists> {
        let cells = self.scanner.integer("the number of cells")?;
        let size = self.scanner.integer("the size of the list")?;
        let (Ok(cells), Ok(size)) = (u64::try_from(cells), u64::try_from(size)) else {
            return Err(self.scanner.fail(format!("the list claims {cells} cells of size {size}, expected 0 or more")));
        };
        if self.has_offsets { self.read_offset_cells(cells, size) } else { self.read_counted_cells(cells, size) }
    }

    /// Version 5: offsets (one more than there are cells), then nodes.
    fn read_offset_cells(&mut self, offsets: u64, nodes: u64) -> Result<Lists> {
        let mut arrays = [Vec::new(), Vec::new()];
        let parts = [("OFFSETS", "an offset", offsets), ("CONNECTIVITY", "a node", nodes)];
        for (array, (keyword, what, length)) in arrays.iter_mut().zip(parts) {
            self.scanner.expect(keyword)?;
            let word = self.scanner.expect_word("a type of number")?;
            let number = Number::parse(&self.scanner, word)?;
            *array = self.integers(what, length, number)?;
        }
        let [offsets, found] = arrays;
        let ends = Vec::with_capacity(offsets.len());
        let mut lists = Lists { nodes: Vec::with_capacity(found.len()), ends };
        for (cell, pair) in offsets.windows(2).enumerate() {
            if pair[0] < 0 || pair[0] > pair[1] || pair[1] as usize > found.len() {
                let (from, to, n) = (pair[0], pair[1], found.len());
                return Err(self.scanner.fail(format!("cell {cell} has offsets {from} to {to}, of {n} nodes")));
            }
        }
        if offsets.first().is_some_and(|&first| first != 0) {
            return Err(self.scanner.fail(format!("the first offset is {}, expected 0", offsets[0])));
        }
        for (i, node) in found.into_iter().enumerate() {
            let cell = || offsets.partition_point(|&offset| offset <= i as i64).saturating_sub(1);
            lists.nodes.push(self.node(node, cell)?);
        }
        lists.ends.extend(offsets.iter().skip(1).map(|&end| end as usize));
        Ok(lists)
    }

    /// Before version 5: each cell is its number of nodes, then the nodes.
    fn read_counted_cells(&mut self, cells: u64, size: u64) -> Result<Lists> {
        let values = self.integers("a node", size, Number::Signed(4))?;
        let ends = usize::try_from(cells).unwrap_or(usize::MAX).min(values.len());
        let mut lists = Lists { nodes: Vec::with_capacity(values.len()), ends: Vec::with_capacity(ends) };
        let mut rest = values.as_slice();
        while let Some((&length, after)) = rest.split_first() {
            let Some(nodes) = usize::try_from(length).ok().and_then(|length| after.get(..length)) else {
                let left = after.len();
                return Err(self.scanner.fail(format!("a cell claims {length} nodes, but {left} numbers follow")));
            };
            for &node in nodes {
                lists.nodes.push(self.node(node, || lists.ends.len())?);
            }
            lists.ends.push(lists.nodes.len());
            rest = &after[nodes.len()..];
        }
        if lists.ends.len() as u64 != cells {
            let found = lists.ends.len();
            return Err(self.scanner.fail(format!("the list claims {cells} cells, but its numbers make {found}")));
        }
        Ok(lists)
    }

    /// Checks a node of a cell whose number is worked out only for errors.
    fn node(&self, found: i64, cell: impl Fn() -> usize) -> Result<u32> {
        let points = self.cells.positions.len();
        match u32::try_from(found) {
            Ok(node) if (node as usize) < points => Ok(node),
            _ => {
                let cell = cell();
                let message = format!("cell {cell} refers to point {found}, but the file has {points} points");
                Err(self.scanner.fail(message))
            }
        }
    }

    fn read_types(&mut self) -> Result<()> {
        let claimed = self.scanner.integer("the number of cell types")?;
        let grid = self.grid.take().ok_or_else(|| self.scanner.fail("found CELL_TYPES before CELLS"))?;
        if usize::try_from(claimed) != Ok(grid.ends.len()) {
            let cells = grid.ends.len();
            return Err(self.scanner.fail(format!("found {claimed} cell types for {cells} cells")));
        }
        let types = self.integers("a cell type", claimed as u64, Number::Signed(4))?;
        for (nodes, kind) in grid.iter().zip(types) {
            self.check_memory(grid.held() + 12 * nodes.len())?;
            self.add_cell(kind, nodes, &grid)?;
        }
        Ok(())
    }

    fn add_cell(&mut self, kind: i64, nodes: &[u32], all: &Lists) -> Result<()> {
        match (kind, nodes) {
            (10 | 24 | 71, &[a, b, c, d, ..]) => self.cells.tets.push([a, b, c, d]),
            (5 | 22 | 69, &[a, b, c, ..]) => self.cells.triangles.push([a, b, c]),
            (6, _) => self.cells.strip(nodes),
            (7, _) => self.polygon(all, nodes)?,
            (8, &[a, b, c, d]) => self.cells.polygon(&[a, b, d, c]),
            (9 | 23 | 28 | 70, &[a, b, c, d, ..]) => self.cells.polygon(&[a, b, c, d]),
            (0..=4 | 21 | 68, _) => {}
            (11 | 12 | 25 | 29, _) => self.cells.skip("hexahedra"),
            (13 | 26, _) => self.cells.skip("prisms"),
            (14 | 27, _) => self.cells.skip("pyramids"),
            (5 | 8 | 9 | 10 | 22 | 23 | 24 | 28 | 69 | 70 | 71, _) => {
                let found = nodes.len();
                return Err(self.scanner.fail(format!("a cell of type {kind} has {found} nodes, which does not fit")));
            }
            _ => self.cells.skip("cells of unknown types"),
        }
        if matches!(kind, 22 | 23 | 24 | 28 | 69 | 70 | 71) {
            self.cells.note_curved();
        }
        Ok(())
    }

    /// `FIELD name n`: arrays of whatever.
    fn skip_fields(&mut self) -> Result<()> {
        self.scanner.expect_word("the field's name")?;
        for _ in 0..self.scanner.count("arrays", 4)? {
            self.scanner.expect_word("the array's name")?;
            let components = self.scanner.integer("the number of components")?;
            let tuples = self.scanner.integer("the number of tuples")?;
            let word = self.scanner.expect_word("a type of number")?;
            let number = Number::parse(&self.scanner, word)?;
            let length = u64::try_from(components).unwrap_or(0).saturating_mul(u64::try_from(tuples).unwrap_or(0));
            let array = Array { what: "a field value", number, length };
            read_array(&mut self.scanner, self.file, self.bytes, self.is_binary, array, |_, _| Ok(()))?;
        }
        Ok(())
    }

    /// Lines up to an empty one.
    fn skip_metadata(&mut self) {
        while self.scanner.next_line() && !self.scanner.line_is_done() {}
    }
}

/// Which numbers follow.
struct Array {
    what: &'static str,
    number: Number,
    length: u64,
}

/// Hands each number of an array on. A function of its own, not a method: the receiver may hold other parts of the
/// reader.
fn read_array<'a>(
    scanner: &mut Scanner<'a>,
    file: &'a str,
    bytes: &'a [u8],
    is_binary: bool,
    array: Array,
    mut receive: impl FnMut(f64, &dyn Fn(String) -> ReadError) -> Result<()>,
) -> Result<()> {
    if !is_binary {
        for _ in 0..array.length {
            let word = scanner.expect_word(array.what)?;
            let value = super::text::parse_number(word)
                .ok_or_else(|| scanner.fail(format!("{} is {}, expected a number", array.what, quote(word))))?;
            receive(value, &|message| scanner.fail(message))?;
        }
        return Ok(());
    }
    scanner.next_line();
    let mut data = Bytes::new(file, bytes, scanner.offset(), true);
    data.room_for(array.length, array.number.size(), "numbers")?;
    for _ in 0..array.length {
        let at = data.offset();
        let value = match array.number {
            Number::Signed(1) => data.i8(array.what)?.into(),
            Number::Unsigned(1) => data.u8(array.what)?.into(),
            Number::Signed(2) => data.i16(array.what)?.into(),
            Number::Unsigned(2) => data.u16(array.what)?.into(),
            Number::Signed(4) => data.i32(array.what)?.into(),
            Number::Unsigned(4) => data.u32(array.what)?.into(),
            Number::Signed(_) => data.i64(array.what)? as f64,
            Number::Unsigned(_) => data.u64(array.what)? as f64,
            Number::Float(4) => data.f32(array.what)?.into(),
            Number::Float(_) => data.f64(array.what)?,
        };
        receive(value, &|message| ReadError::byte(file, at, message))?;
    }
    scanner.jump(data.offset());
    Ok(())
}
