//! Whether what a scene makes from a few numbers fits into the memory that it is allowed: asked before any of it is made.

use crate::generate::MAX_ELEMENTS;
use crate::read::Memory;
use crate::scene::settings::Shape;
use crate::scene::{Scene, SceneError};

/// Triangles and tetrahedra that a scene may make whatever memory it is allowed, and the bytes that one takes.
const MADE: u64 = 2_000_000;
const ELEMENT_BYTES: u64 = 1000;

/// How many of them it may make within the memory that it is allowed.
fn at_most(memory: Memory) -> u64 {
    (memory.0 / ELEMENT_BYTES).clamp(MADE, u64::from(MAX_ELEMENTS))
}

/// Refuses bodies and colliders that are made from a few numbers and are too much together. What is read from files is as
/// large as its files.
pub(super) fn check(scene: &Scene) -> Result<(), SceneError> {
    let settings = &scene.settings;
    let cloth = settings.cloth.iter().enumerate().map(|(at, cloth)| {
        let made = cloth.shape.generate.as_ref().map(|generate| generate.triangles());
        ("cloth", at, made)
    });
    let solid = settings.solid.iter().enumerate().map(|(at, solid)| {
        let made = solid.shape.generate.as_ref().map(|generate| generate.tetrahedra());
        ("solid", at, made)
    });
    let collider = settings.collider.iter().enumerate().map(|(at, collider)| {
        let Shape::Mesh(mesh) = &collider.shape else { return ("collider", at, None) };
        let made = mesh.generate.as_ref().map(|generate| generate.triangles());
        ("collider", at, made)
    });
    let most = at_most(scene.memory());
    let mut all = 0.0;
    for (list, at, made) in cloth.chain(solid).chain(collider) {
        all += made.unwrap_or_default();
        if all > most as f64 {
            let path = scene.element_path(list, at);
            let message = format!(
                "`{path}` and what is made before it have {all:.0} triangles and tetrahedra; expected at most {most}"
            );
            let help = format!("each takes about {ELEMENT_BYTES} bytes to simulate; --memory allows more");
            let shape = if list == "collider" { ".shape" } else { "" };
            return Err(scene.error(&format!("{path}{shape}.generate"), message, vec![help]));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_scene_makes_from_a_few_numbers_is_held_to_its_memory() {
        assert_eq!(at_most(Memory::default()), MADE);
        assert_eq!(at_most(Memory(5_000_000_000)), 5_000_000);
        assert_eq!(at_most(Memory(u64::MAX)), u64::from(MAX_ELEMENTS));
    }
}
