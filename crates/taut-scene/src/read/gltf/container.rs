//! From bytes to JSON and buffers: GLB chunks, external files, data URIs.

use std::borrow::Cow;

use base64::Engine;

use super::json::{Buffer, Root};
use crate::read::Source;
use crate::read::bytes::Bytes;
use crate::read::error::{ReadError, Result, quote};

pub(super) const GLB_MAGIC: &[u8] = b"glTF";
const JSON_CHUNK: u32 = 0x4e4f_534a;
const BIN_CHUNK: u32 = 0x004e_4942;

/// A parsed file with the content of its buffers.
pub(super) struct Document<'a> {
    pub root: Root,
    pub buffers: Vec<Cow<'a, [u8]>>,
}

pub(super) fn open<'a>(source: &Source<'a>) -> Result<Document<'a>> {
    let is_glb = source.bytes.starts_with(GLB_MAGIC);
    let (json, bin) = if is_glb { split_glb(source)? } else { (source.bytes, None) };
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
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
    let buffers = root.buffers.iter().enumerate().map(|(i, buffer)| load_buffer(source, i, buffer, bin));
    Ok(Document { buffers: buffers.collect::<Result<_>>()?, root })
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

fn load_buffer<'a>(source: &Source, index: usize, buffer: &Buffer, bin: Option<&'a [u8]>) -> Result<Cow<'a, [u8]>> {
    let fail = |message: String| ReadError::item(source.name, format!("buffers[{index}]"), message);
    let content = match &buffer.uri {
        None if index > 0 => return Err(fail("the buffer has no uri, but only the first one may lack it".into())),
        None => Cow::Borrowed(bin.ok_or_else(|| fail("the buffer has no uri, and the file no binary chunk".into()))?),
        Some(uri) => match uri.strip_prefix("data:") {
            Some(data) => Cow::Owned(decode_data(data).map_err(fail)?),
            None => Cow::Owned(source.load(&percent_decoded(uri))?),
        },
    };
    if content.len() < buffer.byte_length {
        return Err(fail(format!("the buffer claims {} bytes, but {} are there", buffer.byte_length, content.len())));
    }
    Ok(content)
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
