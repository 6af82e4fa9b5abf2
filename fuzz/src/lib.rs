//! What all targets check: indices in range, numbers finite, and nothing that panics on the way.

use taut_scene::inspect::inspect;
use taut_scene::read::animated::AnimatedMesh;
use taut_scene::read::{MeshFile, ReadError, Source, read_bytes};
use taut_scene::scene::Scene;

/// Reads a file that stands alone, and looks at what comes out.
pub fn read(name: &str, bytes: &[u8]) {
    check(read_bytes(&Source::new(name, bytes), &Default::default()));
}

/// Checks what a reader promises.
pub fn check(result: Result<MeshFile, ReadError>) {
    let file = match result {
        Ok(file) => file,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(file.surface.is_some() || file.tets.is_some());
    if let Some(mesh) = &file.surface {
        let n = mesh.positions.len();
        assert!(mesh.positions.iter().flatten().all(|x| x.is_finite()));
        assert!(mesh.uvs.iter().flatten().all(|x| x.is_finite()));
        assert!(mesh.triangles.iter().flatten().all(|&v| (v as usize) < n));
        assert!(mesh.uv_triangles.iter().flatten().all(|&v| (v as usize) < mesh.uvs.len()));
        assert!(mesh.uv_triangles.is_empty() || mesh.uv_triangles.len() == mesh.triangles.len());
        assert!(mesh.groups.iter().flat_map(|g| &g.vertices).all(|&v| (v as usize) < n));
        assert!(mesh.groups.iter().all(|g| g.vertices.is_sorted_by(|a, b| a < b)));
        assert!(!inspect(mesh).to_string().is_empty());
    }
    if let Some(mesh) = &file.tets {
        let n = mesh.positions.len();
        assert!(mesh.positions.iter().flatten().all(|x| x.is_finite()));
        assert!(mesh.tets.iter().flatten().all(|&v| (v as usize) < n));
        assert!(mesh.groups.iter().flat_map(|g| &g.vertices).all(|&v| (v as usize) < n));
        assert!(!inspect(mesh).to_string().is_empty());
    }
}

/// Plays a moving mesh.
pub fn play(result: Result<AnimatedMesh, ReadError>) {
    let Ok(mesh) = result else { return };
    let mut positions = Vec::new();
    for seconds in [-1.0, 0.0, 0.3 * mesh.duration, mesh.duration, f64::INFINITY, f64::NAN] {
        mesh.positions_at(seconds, &mut positions);
        assert_eq!(positions.len(), mesh.mesh.positions.len());
        assert!(positions.iter().flatten().all(|x| x.is_finite()));
    }
}

/// Parses a scene. What follows a line of `%%` are `--set` arguments, one a line.
pub fn parse_scene(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (scene, sets) = text.split_once("\n%%\n").unwrap_or((&text, ""));
    let sets: Vec<String> = sets.lines().map(str::to_owned).collect();
    match Scene::parse("scene.toml", scene, None, &sets) {
        Ok(scene) => assert!(scene.to_json().is_object() && scene.settings.time.frame_count() > 0),
        Err(error) => {
            assert!(error.count() > 0 && error.lines().len() == error.count());
            assert!(error.to_string().chars().all(|c| c == '\n' || !c.is_control()));
        }
    }
}
