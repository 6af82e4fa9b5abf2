#![no_main]

use taut_scene::read::animated::{AnimatedMesh, PointCache, read_sequence};
use taut_scene::read::{Options, Source};

// Point caches of either kind, and the same bytes as an OBJ sequence of three frames.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for name in ["a.pc2", "a.mdd"] {
        for partial_cache in [false, true] {
            let options = Options { partial_cache, ..Options::default() };
            let Ok(cache) = PointCache::read(&Source::new(name, bytes), 24.0, &options) else { continue };
            let mut still = AnimatedMesh::still(Default::default()).mesh;
            still.positions = vec![[0.0; 3]; cache.points()];
            taut_fuzz::play(AnimatedMesh::with_cache(still, cache));
        }
    }
    let parts: Vec<&[u8]> = bytes.splitn(3, |&b| b == 0).collect();
    let missing = || std::io::Error::from(std::io::ErrorKind::NotFound);
    let load = |name: &str| {
        let frame = name.trim_start_matches('a').trim_end_matches(".obj").parse::<usize>();
        frame.ok().and_then(|frame| parts.get(frame)).map(|part| part.to_vec()).ok_or_else(missing)
    };
    taut_fuzz::play(read_sequence("a#.obj", None, 24.0, &load));
});
