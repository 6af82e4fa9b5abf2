//! Friction over a long time: a sheet that hangs over the edge of a box.

use crate::stepped::{World, placed};
use taut::{Cloth, ClothDamping, Collider, Pose, Shape};

/// A sheet that hangs over the edge of a box by a quarter stays there for a minute.
#[test]
fn a_sheet_over_an_edge_does_not_creep() {
    let damping = ClothDamping { weft: 20.0, warp: 20.0, shear: 20.0, bend: 200.0, ..ClothDamping::default() };
    let sheet = placed(13, 0.4, 5, |[x, y, z]| [x + 0.1, y + 0.003, z]);
    let mut world = World::<f32>::of(&[sheet], &Cloth { damping, ..Cloth::default() });
    let table = Shape::Box { half: [0.2, 0.1, 0.3] };
    world.params.colliders = vec![Collider { friction: 0.5, ..Collider::fixed(table, Pose::at([0.0, -0.1, 0.0])) }];
    for _ in 0..600 {
        world.step();
    }
    let settled = world.state.positions(&world.model);
    for _ in 0..3000 {
        world.step();
    }
    let end = world.state.positions(&world.model);
    let gone = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    let most = settled.iter().zip(&end).map(gone).fold(0.0, f64::max);
    assert_eq!(world.intersections(), 0);
    assert!(most < 0.002, "creeps {most} m in 50 s");
}
