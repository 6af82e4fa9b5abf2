#![no_main]

use taut_scene::read::Source;
use taut_scene::read::animated::read_animated_bytes;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    taut_fuzz::read("a.gltf", bytes);
    taut_fuzz::play(read_animated_bytes(&Source::new("a.gltf", bytes), None, 24.0, &Default::default()));
});
