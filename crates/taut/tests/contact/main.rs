//! The layers of contact, each against something slower or exact.

#[path = "../common/mod.rs"]
mod common;

mod bvh;
mod candidates;
mod ccd;
mod distance;
mod exact;
mod friction;
mod safety;
mod stepped;
mod worlds;

use taut::internals::contact::bvh::Aabb;
use taut::internals::contact::candidates::{Pairs, SurfaceBvh};

/// The regions of vertices that move straight from `from` to `to` (m), with `pad` (m) around.
fn swept_regions(from: &[[f64; 3]], to: &[[f64; 3]], pad: f64) -> Vec<Aabb> {
    from.iter().zip(to).map(|(a, b)| Aabb::around(&[*a, *b], pad)).collect()
}

/// The pairs of all surfaces: within each that can be deformed, and between every two of which at least one can.
fn all_pairs(surfaces: &[SurfaceBvh], deforms: &[bool]) -> Pairs {
    let mut pairs = Pairs::default();
    for (i, surface) in surfaces.iter().enumerate() {
        if deforms[i] {
            surface.self_pairs(&mut pairs);
        }
        for j in (i + 1..surfaces.len()).filter(|&j| deforms[i] || deforms[j]) {
            surface.pairs(&surfaces[j], &mut pairs);
        }
    }
    pairs
}
