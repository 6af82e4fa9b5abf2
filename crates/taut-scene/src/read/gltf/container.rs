//! From bytes to JSON and buffers: GLB chunks, external files, data URIs.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use base64::Engine;

use super::json::{Buffer, Node, Root};
use crate::read::Source;
use crate::read::budget::Budget;
use crate::read::bytes::Bytes;
use crate::read::error::{ReadError, Result, quote};

pub(super) const GLB_MAGIC: &[u8] = b"glTF";
const JSON_CHUNK: u32 = 0x4e4f_534a;
const BIN_CHUNK: u32 = 0x004e_4942;

/// A parsed file with the content of its buffers.
pub(super) struct Document<'a> {
    pub root: Root,
    pub buffers: Vec<Content<'a>>,
    /// What may still be taken, with everything here counted.
    pub budget: Budget,
}

/// What a buffer holds. Several may be one file.
pub(super) type Content<'a> = Rc<Cow<'a, [u8]>>;

pub(super) fn open<'a>(source: &Source<'a>) -> Result<Document<'a>> {
    let is_glb = source.bytes.starts_with(GLB_MAGIC);
    let (json, bin) = if is_glb { split_glb(source)? } else { (source.bytes, None) };
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
    let mut budget = source.budget;
    let parsed = held_by_json(json);
    budget.check(source.name, parsed)?;
    budget.hold(parsed);
    let root: Root = serde_json::from_slice(json).map_err(|e| {
        if is_glb {
            ReadError::item(source.name, "the JSON chunk", e.to_string())
        } else {
            let message = e.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            ReadError::line(source.name, e.line().max(1) as u64, message)
        }
    })?;
    check(source, &root)?;
    let nodes = root.nodes.len().saturating_mul(BYTES_PER_NODE);
    budget.check(source.name, nodes)?;
    budget.hold(nodes);
    let mut loader = Loader { source, bin, budget, files: HashMap::new() };
    let buffers = root.buffers.iter().enumerate().map(|(i, buffer)| loader.load(i, buffer));
    let buffers = buffers.collect::<Result<_>>()?;
    Ok(Document { buffers, budget: loader.budget, root })
}

/// What a node takes on top of its JSON, bytes: where it is placed, in its parent and in the world, as the scene has it
/// and while it
/// is worked out, and its place in lists.
const BYTES_PER_NODE: usize = 700;

/// The most memory that parsed JSON takes, bytes, by its braces, colons and commas. Braces may open the largest thing
/// there is, a
/// node, in a list of which half is empty; a colon may stand in a map of names; a comma between numbers, or in a list
/// of short ones.
fn held_by_json(json: &[u8]) -> usize {
    let cost = |&byte: &u8| match byte {
        b'{' => 2 * size_of::<Node>(),
        b':' => 2 * (size_of::<(String, usize)>() + 16),
        b',' | b'[' => 2 * size_of::<usize>(),
        _ => 0,
    };
    // Text, such as a buffer's content, is copied.
    json.iter().map(cost).sum::<usize>() + json.len()
}

fn check(source: &Source, root: &Root) -> Result<()> {
    if !root.asset.version.starts_with("2.") {
        let found = quote(root.asset.version.as_bytes());
        return Err(ReadError::item(source.name, "asset", format!("the version is {found}, expected \"2.0\"")));
    }
    // Others change how things look; these hide the geometry.
    let unreadable = ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];
    if let Some(name) = root.extensions_required.iter().find(|name| unreadable.contains(&name.as_str())) {
        let message = format!("{name} is not supported; export the file without compression");
        return Err(ReadError::item(source.name, "extensionsRequired", message));
    }
    Ok(())
}

/// The JSON and, if there is one, the binary chunk.
fn split_glb<'a>(source: &Source<'a>) -> Result<(&'a [u8], Option<&'a [u8]>)> {
    let mut bytes = Bytes::new(source.name, source.bytes, GLB_MAGIC.len(), false);
    let version = bytes.u32("the version")?;
    if version != 2 {
        return Err(bytes.fail(format!("the version is {version}, expected 2")));
    }
    let length = bytes.u32("the length")? as usize;
    if length > source.bytes.len() {
        let found = source.bytes.len();
        return Err(bytes.fail(format!("the file claims {length} bytes, but has {found}")));
    }
    let (mut json, mut bin) = (None, None);
    // Only whole chunks within the claimed length: what follows it is not ours.
    while bytes.offset() + 8 <= length {
        let size = bytes.u32("a chunk's length")? as usize;
        let kind = bytes.u32("a chunk's type")?;
        let chunk = bytes.take(size, "a chunk")?;
        match kind {
            JSON_CHUNK if json.is_none() => json = Some(chunk),
            BIN_CHUNK if bin.is_none() => bin = Some(chunk),
            _ => {}
        }
    }
    Ok((json.ok_or_else(|| bytes.fail("the file has no JSON chunk"))?, bin))
}

/// Loads buffers, each file once: a file that is named a thousand times takes no more than one.
struct Loader<'s, 'a> {
    source: &'s Source<'a>,
    bin: Option<&'a [u8]>,
    budget: Budget,
    files: HashMap<String, Content<'a>>,
}

impl<'a> Loader<'_, 'a> {
    fn load(&mut self, index: usize, buffer: &Buffer) -> Result<Content<'a>> {
        let name = self.source.name;
        let fail = |message: String| ReadError::item(name, format!("buffers[{index}]"), message);
        let content: Content = match &buffer.uri {
            None if index > 0 => return Err(fail("the buffer has no uri, but only the first one may lack it".into())),
            None => {
                let missing = || fail("the buffer has no uri, and the file no binary chunk".into());
                Rc::new(Cow::Borrowed(self.bin.ok_or_else(missing)?))
            }
            Some(uri) => match uri.strip_prefix("data:") {
                Some(data) => {
                    self.budget.check(name, data.len())?;
                    let decoded = decode_data(data).map_err(fail)?;
                    self.budget.hold(decoded.capacity());
                    Rc::new(Cow::Owned(decoded))
                }
                None => self.file(&percent_decoded(uri))?,
            },
        };
        if content.len() < buffer.byte_length {
            let (claimed, found) = (buffer.byte_length, content.len());
            return Err(fail(format!("the buffer claims {claimed} bytes, but {found} are there")));
        }
        Ok(content)
    }

    fn file(&mut self, name: &str) -> Result<Content<'a>> {
        // `a.bin` and `./a.bin` are one file.
        let key = name.split('/').filter(|part| !matches!(*part, "" | ".")).collect::<Vec<_>>().join("/");
        if let Some(known) = self.files.get(&key) {
            return Ok(known.clone());
        }
        let content: Content = Rc::new(Cow::Owned(self.source.load(name, &mut self.budget)?));
        self.files.insert(key, content.clone());
        Ok(content)
    }
}

/// The content of a data URI, after "data:".
fn decode_data(data: &str) -> std::result::Result<Vec<u8>, String> {
    let (kind, content) = data.split_once(',').ok_or("the data uri has no comma")?;
    if !kind.ends_with(";base64") {
        return Err(format!("the data uri is {}, expected base64", quote(kind.as_bytes())));
    }
    let engine = base64::engine::general_purpose::STANDARD;
    engine.decode(content.trim()).map_err(|e| format!("the data uri is no valid base64: {e}"))
}

/// `my%20file.bin` as `my file.bin`.
fn percent_decoded(uri: &str) -> String {
    let mut out = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| byte == b'%');
        let code = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        out.push(code.unwrap_or(byte));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&out).into_owned()
}
