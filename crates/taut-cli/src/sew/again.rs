//! What is sewn already: a garment that was drawn together is not drawn together again.

use crate::fail::Failure;
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use taut::mesh::TriMesh;
use taut_scene::garment::{Pattern, SewnMesh};
use taut_scene::read::load_regular;
use taut_scene::write::atomic::write_atomic;

/// The largest that is read, bytes.
const MOST: u64 = 1 << 30;

/// A number for everything that a sewn garment depends on. By another version of the program it may be another, and is
/// then sewn anew.
pub fn key(pattern: &Pattern, body: &TriMesh, edge: f64, thickness: f64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (env!("CARGO_PKG_VERSION"), pattern.to_json(), edge.to_bits(), thickness.to_bits()).hash(&mut hasher);
    body.triangles.hash(&mut hasher);
    body.positions.iter().flatten().for_each(|x| x.to_bits().hash(&mut hasher));
    hasher.finish()
}

/// The file in the folder of results.
fn file(name: &str) -> String {
    format!("{name}_sewn.json")
}

/// Puts a garment where it was sewn to before; false if that was another one, or none.
pub fn load(dir: &Path, name: &str, key: u64, sewn: &mut SewnMesh) -> bool {
    let Ok(bytes) = load_regular(&dir.join(file(name)), MOST) else { return false };
    let Ok(before) = serde_json::from_slice::<Value>(&bytes) else { return false };
    let point = |p: &Value| Some([p.get(0)?.as_f64()?, p.get(1)?.as_f64()?, p.get(2)?.as_f64()?]);
    let all = before.get("positions").and_then(Value::as_array);
    let positions: Option<Vec<[f64; 3]>> = all.and_then(|all| all.iter().map(point).collect());
    let same = before.get("key").and_then(Value::as_u64) == Some(key);
    match positions.filter(|positions| same && positions.len() == sewn.mesh.positions.len()) {
        Some(positions) => sewn.mesh.positions = positions,
        None => return false,
    }
    true
}

/// Keeps where a garment was sewn to.
pub fn save(dir: &Path, name: &str, key: u64, sewn: &SewnMesh) -> Result<(), Failure> {
    let text = json!({ "key": key, "positions": sewn.mesh.positions }).to_string();
    write_atomic(dir, &file(name), text.as_bytes())?;
    Ok(())
}
