//! How long a frame takes, on one thread: the paper's "under 16 ms" and "20 ms or more".

use crate::Done;
use crate::hanging::{Hanging, PROJECTION, Piece, params};
use std::time::Instant;
use taut::{Integrator, Membrane, Orthotropic};

/// Cloth of 40 × 40 vertices, and one of as many triangles as the paper's dress, 25 iterations in a frame of 1/60 s.
pub fn frames() -> Done {
    println!("ms for a frame of 1/60 s: 25 iterations, finite elements and hinges, f32, 1 thread; best and median");
    for (nx, ny) in [(40, 40), (54, 130)] {
        let membrane = Membrane::Continuum(Orthotropic::isotropic(1000.0, 0.3));
        let piece = Piece { nx, ny, density: 0.2, membrane, bend: 1e-5, gamma: 0.002 };
        let mut cloth = Hanging::<f32>::new(&piece, params(PROJECTION, Integrator::ImplicitEuler, 25))?;
        let triangles = cloth.model.bodies[0].triangles.len();
        let mut times = Vec::new();
        for _ in 0..240 {
            let start = Instant::now();
            cloth.frame();
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_unstable_by(f64::total_cmp);
        println!("  {nx} × {ny} ({} vertices, {triangles} triangles): {:.2}, {:.2}", nx * ny, times[0], times[120]);
    }
    Ok(())
}
