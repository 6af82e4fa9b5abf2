#![no_main]

use taut_scene::read::{Source, read_bytes};

// The two files of a pair, with a zero byte in between.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let cut = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    let (node, ele) = (&bytes[..cut], bytes.get(cut + 1..).unwrap_or_default());
    let files = |name: &str| Ok(if name.ends_with(".node") { node.to_vec() } else { ele.to_vec() });
    taut_fuzz::check(read_bytes(&Source::with_files("a.ele", ele, &files), &Default::default()));
    taut_fuzz::check(read_bytes(&Source::with_files("a.node", node, &files), &Default::default()));
});
