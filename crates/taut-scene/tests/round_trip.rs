//! What the writers write, the readers read: the same triangles, and the same positions at every frame.

use std::path::PathBuf;

use taut::mesh::TriMesh;
use taut_scene::read::animated::{AnimatedMesh, read_animated};
use taut_scene::read::{Options, read_mesh};
use taut_scene::write::{Clip, Frame, ObjectFrame, ObjectInfo, Setup, format};

const FPS: f64 = 24.0;
const FRAMES: usize = 4;

/// A strip of four squares, cut into two pieces on its pattern.
fn strip() -> TriMesh {
    let mut mesh = TriMesh::default();
    for i in 0..5_u32 {
        for k in 0..2 {
            mesh.positions.push([f64::from(i) * 0.1, 0.0, f64::from(k) * 0.1]);
        }
    }
    for i in 0..4_u32 {
        let shift = if i < 2 { 0.0 } else { 10.0 };
        let (a, uv) = (2 * i, mesh.uvs.len() as u32);
        mesh.triangles.extend([[a, a + 1, a + 3], [a, a + 3, a + 2]]);
        mesh.uv_triangles.extend([[uv, uv + 1, uv + 3], [uv, uv + 3, uv + 2]]);
        let (near, far) = (f64::from(i) + shift, f64::from(i + 1) + shift);
        mesh.uvs.extend([[near, 0.0], [near, 1.0], [far, 0.0], [far, 1.0]]);
    }
    mesh
}

fn positions(mesh: &TriMesh, frame: usize) -> Vec<[f64; 3]> {
    mesh.positions.iter().map(|p| [p[0], p[1] + 0.3 * frame as f64 * p[0], p[2] - 0.01 * frame as f64]).collect()
}

/// Writes the moving strip and says which files there are.
fn write(name: &str, mesh: &TriMesh) -> (PathBuf, Vec<PathBuf>) {
    let dir = std::env::temp_dir().join(format!("taut-round-trip-{name}-{}", std::process::id()));
    let objects = vec![ObjectInfo::from_triangles("strip", mesh)];
    let clip = Clip::new(Setup { objects, fps: FPS, planned_frames: FRAMES, ..Default::default() }).unwrap();
    let mut writer = format(name).unwrap().open(&clip, &dir, 0).unwrap();
    for index in 0..FRAMES {
        let positions = positions(mesh, index);
        let objects = [ObjectFrame { positions: &positions, ..Default::default() }];
        writer.frame(&Frame { index, time: index as f64 / FPS, objects: &objects }).unwrap();
    }
    let files = writer.finish().unwrap();
    (dir, files)
}

fn check_motion(name: &str, animated: &AnimatedMesh, mesh: &TriMesh) {
    assert!((animated.duration - (FRAMES - 1) as f64 / FPS).abs() < 1e-6, "{name}: {} s", animated.duration);
    assert!(animated.warnings.is_empty(), "{name}: {:?}", animated.warnings);
    let mut found = Vec::new();
    for frame in 0..FRAMES {
        animated.positions_at(frame as f64 / FPS, &mut found);
        let expected = positions(mesh, frame);
        assert_eq!(found.len(), expected.len(), "{name}");
        let off = found.iter().flatten().zip(expected.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // Single precision in the files, and keys at times that single precision rounds.
        assert!(off < 1e-6, "{name}: frame {frame} is off by {off}");
    }
}

#[test]
fn point_caches_come_back() {
    let mesh = strip();
    for name in ["pc2", "mdd"] {
        let (dir, files) = write(name, &mesh);
        let cache = files.iter().find(|file| file.extension().is_some_and(|e| e == name)).unwrap();
        check_motion(name, &read_animated(cache, Some(&mesh), FPS, &Options::default()).unwrap(), &mesh);
        std::fs::remove_dir_all(dir).unwrap();
    }
}

#[test]
fn glb_comes_back() {
    let mesh = strip();
    let (dir, files) = write("glb", &mesh);
    let animated = read_animated(&files[0], None, FPS, &Options::default()).unwrap();
    assert_eq!(animated.triangles(), mesh.triangles);
    check_motion("glb", &animated, &mesh);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn sequences_come_back() {
    let mesh = strip();
    for name in ["obj", "ply"] {
        let (dir, files) = write(name, &mesh);
        let frames: Vec<_> = files.iter().filter(|file| file.extension().is_some_and(|e| e == name)).collect();
        assert_eq!(frames.len(), FRAMES, "{files:?}");
        for (frame, file) in frames.iter().enumerate() {
            let read = read_mesh(file, &Options::default()).unwrap().surface.unwrap();
            assert_eq!(read.triangles, mesh.triangles, "{name}");
            let off = read
                .positions
                .iter()
                .flatten()
                .zip(positions(&mesh, frame).iter().flatten().copied().collect::<Vec<_>>());
            assert!(off.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-7, "{name}");
        }
        let first = frames[0].to_string_lossy().into_owned();
        let digits = first.rfind('_').unwrap() + 1;
        let end = first.rfind('.').unwrap();
        let pattern = format!("{}{}{}", &first[..digits], "#".repeat(end - digits), &first[end..]);
        check_motion(name, &read_animated(pattern, None, FPS, &Options::default()).unwrap(), &mesh);
        std::fs::remove_dir_all(dir).unwrap();
    }
}

#[test]
fn usd_and_alembic_come_back() {
    let mesh = strip();
    for name in ["usd", "usdc", "abc"] {
        let (dir, files) = write(name, &mesh);
        let animated = read_animated(&files[0], None, FPS, &Options::default()).unwrap();
        assert_eq!(animated.triangles(), mesh.triangles, "{name}");
        check_motion(name, &animated, &mesh);
        let still = read_mesh(&files[0], &Options::default()).unwrap();
        let uv = |mesh: &TriMesh, t: usize, k: usize| mesh.uvs[mesh.uv_triangles[t][k] as usize];
        for (t, k) in (0..mesh.triangles.len()).flat_map(|t| (0..3).map(move |k| (t, k))) {
            assert_eq!(uv(still.surface.as_ref().unwrap(), t, k), uv(&mesh, t, k), "{name}: triangle {t}, corner {k}");
        }
        assert_eq!(still.given.object.as_deref(), Some("strip"), "{name}");
        assert_eq!(still.clips.len(), 1, "{name}");
        std::fs::remove_dir_all(dir).unwrap();
    }
}
