//! Point caches and OBJ sequences.

mod common;

use std::collections::HashMap;
use std::path::PathBuf;

use common::*;
use taut::mesh::TriMesh;
use taut_scene::read::animated::{AnimatedMesh, PointCache, read_animated, read_animated_bytes, read_sequence};
use taut_scene::read::{Options, ReadError, Source};

fn triangle() -> TriMesh {
    TriMesh { positions: vec![[0.0; 3]; 3], triangles: vec![[0, 1, 2]], ..TriMesh::default() }
}

fn cached(name: &str, bytes: &[u8]) -> Result<AnimatedMesh, ReadError> {
    read_animated_bytes(&Source::new(name, bytes), Some(&triangle()), 10.0, &Options::default())
}

fn first_x(mesh: &AnimatedMesh, seconds: f64) -> f64 {
    let mut out = Vec::new();
    mesh.positions_at(seconds, &mut out);
    assert_eq!(out.len(), mesh.mesh.positions.len());
    out[0][0]
}

#[test]
fn pc2_is_straight_between_samples_and_held_outside() {
    let mesh = cached("a.pc2", &pc2()).unwrap();
    // Two frames per sample at ten frames per second, three samples.
    assert_eq!((mesh.duration, mesh.triangles()), (0.4, [[0, 1, 2]].as_slice()));
    assert_eq!([-1.0, 0.0, 0.1, 0.2, 0.3, 0.4, 9.0].map(|t| first_x(&mesh, t)), [0.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.0]);
    let mut out = Vec::new();
    mesh.positions_at(0.4, &mut out);
    assert_eq!(out, [[2., 0., 0.], [1., 2., 0.], [0., 1., 2.]]);
}

#[test]
fn mdd_has_its_own_times() {
    let mesh = cached("a.mdd", &mdd()).unwrap();
    assert_eq!(mesh.duration, 1.0);
    assert_eq!([0.0, 0.125, 0.25, 0.625, 1.0, 5.0].map(|t| first_x(&mesh, t)), [0.0, 0.5, 1.0, 1.5, 2.0, 2.0]);
}

#[test]
fn cache_errors_name_the_place() {
    let message = |name: &str, bytes: &[u8]| cached(name, bytes).unwrap_err().to_string();
    let with = |at: usize, value: [u8; 4]| {
        let mut bytes = pc2();
        bytes[at..at + 4].copy_from_slice(&value);
        message("a.pc2", &bytes)
    };
    let huge = i32::MAX.to_le_bytes();
    assert_eq!(with(28, huge), "a.pc2: byte 32: the file ends after 3 of 2147483647 samples of 3 points");
    assert_eq!(with(16, huge), "a.pc2: byte 32: the file ends after 0 of 3 samples of 2147483647 points");
    assert_eq!(
        with(16, (-1_i32).to_le_bytes()),
        "a.pc2: byte 32: the file claims 3 samples of -1 points, expected 1 or more"
    );
    assert_eq!(with(12, 2_i32.to_le_bytes()), "a.pc2: byte 16: the version is 2, expected 1");
    assert_eq!(
        with(24, 0_f32.to_le_bytes()),
        "a.pc2: byte 32: there are 0 frames per sample, expected a number above 0"
    );
    assert_eq!(with(36, f32::NAN.to_le_bytes()), "a.pc2: byte 36: y is NaN, expected a finite number");
    assert_eq!(message("a.pc2", b"hello"), "a.pc2: byte 0: the file does not start with \"POINTCACHE2\"");
    let mut late = mdd();
    late[8..12].copy_from_slice(&1_f32.to_be_bytes());
    assert_eq!(message("a.mdd", &late), "a.mdd: byte 16: a sample's time is 0.75 s, earlier than the one before");
    let square = TriMesh { positions: vec![[0.0; 3]; 4], ..triangle() };
    let source = pc2();
    let source = Source::new("a.pc2", &source);
    let message = |mesh, fps| read_animated_bytes(&source, mesh, fps, &Options::default()).unwrap_err().to_string();
    assert_eq!(message(Some(&square), 10.0), "a.pc2: the cache has 3 points, but its mesh has 4 vertices");
    assert_eq!(message(None, 10.0), "a.pc2: a point cache needs a mesh that says how its points are connected");
    assert_eq!(message(Some(&square), 0.0), "a.pc2: the frames per second are 0, expected a number above 0");
}

#[test]
fn truncated_caches_are_refused_or_used_up_to_the_last_whole_sample() {
    let partial = Options { partial_cache: true, ..Options::default() };
    for (name, whole, header) in [("a.pc2", pc2(), 32), ("a.mdd", mdd(), 20)] {
        for length in 0..whole.len() {
            let source = Source::new(name, &whole[..length]);
            assert!(PointCache::read(&source, 10.0, &Options::default()).is_err());
            let samples = length.saturating_sub(header) / 36;
            let found = PointCache::read(&source, 10.0, &partial).map_or(0, |cache| {
                assert_eq!((cache.points(), cache.warnings().len()), (3, 1));
                cache.times().len()
            });
            assert_eq!(found, samples, "{name} cut at {length}");
        }
    }
}

#[test]
fn corrupt_caches_never_panic() {
    for (name, whole) in [("a.pc2", pc2()), ("a.mdd", mdd())] {
        for at in 0..whole.len() {
            for value in [0, 0x7f, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] = value;
                if let Ok(mesh) = cached(name, &bytes) {
                    assert!([-1.0, 0.15, 1e30].iter().all(|&t| first_x(&mesh, t).is_finite()));
                }
            }
        }
    }
}

fn frame(x: f64) -> String {
    format!("v {x} 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
}

#[test]
fn sequences_keep_the_first_frames_triangles() {
    let frames = [(1, 0.0), (2, 5.0), (3, -5.0)].map(|(n, x)| (format!("walk_{n:03}.obj"), frame(x).into_bytes()));
    let files = files(HashMap::from(frames));
    let mesh = read_sequence("walk_###.obj", None, 2.0, &Options::default(), &files).unwrap();
    assert_eq!((mesh.duration, mesh.triangles().len()), (1.0, 2));
    assert_eq!([0.0, 0.25, 0.5, 0.75, 1.0].map(|t| first_x(&mesh, t)), [0.0, 2.5, 5.0, 0.0, -5.0]);
    assert!(read_sequence("walk_###.obj", Some(2), 2.0, &Options::default(), &files).is_ok_and(|m| m.duration == 0.5));
    let message = read_sequence("run_###.obj", None, 2.0, &Options::default(), &files).unwrap_err().to_string();
    assert_eq!(message, "run_000.obj: cannot be read: entity not found");
}

#[test]
fn sequences_must_keep_their_vertices() {
    let files = files(HashMap::from([
        ("a0.obj".to_owned(), frame(0.0).into_bytes()),
        ("a1.obj".to_owned(), b"v 0 0 0\n".to_vec()),
    ]));
    let message = read_sequence("a#.obj", None, 2.0, &Options::default(), &files).unwrap_err().to_string();
    assert_eq!(message, "a1.obj: found 1 vertex, but the first frame has 4");
}

#[test]
fn sequences_cannot_overflow_single_precision() {
    let files = files(HashMap::from([
        ("a0.obj".to_owned(), frame(0.0).into_bytes()),
        ("a1.obj".to_owned(), frame(1e60).into_bytes()),
    ]));
    let message = read_sequence("a#.obj", None, 2.0, &Options::default(), &files).unwrap_err().to_string();
    assert_eq!(message, "a1.obj: vertex 1 is further away than single precision can hold");
}

#[test]
fn sequences_on_disk_start_anywhere_and_have_no_gaps() {
    let folder: PathBuf = std::env::temp_dir().join(format!("taut-sequence-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for n in [101, 102, 103] {
        std::fs::write(folder.join(format!("a_{n:04}.obj")), frame(n as f64)).unwrap();
    }
    let pattern = folder.join("a_####.obj");
    let mesh = read_animated(&pattern, None, 1.0, &Options::default()).unwrap();
    assert_eq!((mesh.duration, first_x(&mesh, 1.5)), (2.0, 102.5));
    std::fs::write(folder.join("a_0105.obj"), frame(0.0)).unwrap();
    let message = read_animated(&pattern, None, 1.0, &Options::default()).unwrap_err().message;
    assert_eq!(message, "a_0104.obj is missing, but later frames up to 105 exist");
    let literal = folder.join("take#1.obj");
    std::fs::write(&literal, frame(7.0)).unwrap();
    assert_eq!(first_x(&read_animated(&literal, None, 1.0, &Options::default()).unwrap(), 0.0), 7.0);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn any_mesh_can_stand_still() {
    let mesh = read_animated_bytes(&Source::new("a.obj", OBJ.as_bytes()), None, 24.0, &Options::default()).unwrap();
    assert_eq!((mesh.duration, first_x(&mesh, 3.0)), (0.0, 0.0));
}
