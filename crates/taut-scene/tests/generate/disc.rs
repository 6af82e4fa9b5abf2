use std::f64::consts::{PI, TAU};

use taut_scene::generate::{DiscParams, DiscTessellation, Plane, disc};

use crate::check::{area, assert_isometric, assert_near, border_edges, euler, fault, least_angle, length, normal, sub};

const CENTRE: [f64; 3] = [1.0, -2.0, 0.5];

fn params(rings: u32, tessellation: DiscTessellation) -> DiscParams {
    DiscParams { radius: 0.4, rings, plane: Plane::Xy, centre: CENTRE, tessellation }
}

#[test]
fn is_a_disc_with_its_own_shape_as_pattern() {
    for tessellation in [DiscTessellation::Rings, DiscTessellation::Irregular { seed: 2 }] {
        for rings in [1, 2, 7, 20] {
            let mesh = disc(&params(rings, tessellation)).unwrap();
            assert_eq!(euler(mesh.positions.len(), &mesh.triangles), 1);
            let rim = mesh.group("rim").unwrap();
            assert_eq!(border_edges(&mesh), rim.len());
            assert_isometric(&mesh, 1e-12);
            // A regular polygon with the rim's vertices.
            let corners = rim.len() as f64;
            assert_near(area(&mesh), 0.5 * corners * 0.16 * (TAU / corners).sin(), 1e-12);
            for &vertex in rim {
                assert_near(length(sub(mesh.positions[vertex as usize], CENTRE)), 0.4, 1e-12);
            }
            assert!((0..mesh.triangles.len()).all(|triangle| normal(&mesh, triangle)[2] > 0.0));
        }
    }
    let fine = disc(&params(40, DiscTessellation::Rings)).unwrap();
    assert_near(area(&fine), PI * 0.16, 2e-4);
}

#[test]
fn the_centre_is_one_ordinary_vertex() {
    for tessellation in [DiscTessellation::Rings, DiscTessellation::Irregular { seed: 2 }] {
        let mesh = disc(&params(12, tessellation)).unwrap();
        let &[centre] = mesh.group("centre").unwrap() else { panic!("one centre") };
        assert_eq!(mesh.positions[centre as usize], CENTRE);
        let valence = mesh.triangles.iter().filter(|triangle| triangle.contains(&centre)).count();
        assert!((4..=8).contains(&valence), "{valence} triangles meet at the centre");
    }
}

#[test]
fn triangles_are_well_shaped_and_as_many_as_asked_for() {
    let mesh = disc(&params(20, DiscTessellation::Rings)).unwrap();
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (1 + 3 * 20 * 21, 6 * 400));
    assert!(least_angle(&mesh) > 43.0);
    for seed in 0..8 {
        let mesh = disc(&params(20, DiscTessellation::Irregular { seed })).unwrap();
        assert!(least_angle(&mesh) > 29.99, "seed {seed}: {}°", least_angle(&mesh));
        let ratio = mesh.positions.len() as f64 / 1261.0;
        assert!((0.9..1.1).contains(&ratio), "ratio {ratio}");
    }
    let other = |seed| disc(&params(5, DiscTessellation::Irregular { seed })).unwrap();
    assert_eq!(other(1), other(1));
    assert_ne!(other(1), other(2));
}

#[test]
fn bad_parameters_are_named() {
    let good = DiscParams::default();
    let cases = [
        ("radius", DiscParams { radius: 0.0, ..good.clone() }),
        ("radius", DiscParams { radius: f64::NAN, ..good.clone() }),
        ("rings", DiscParams { rings: 0, ..good.clone() }),
        ("rings", DiscParams { rings: u32::MAX, ..good.clone() }),
        ("centre", DiscParams { centre: [f64::INFINITY, 0.0, 0.0], ..good.clone() }),
    ];
    for (parameter, params) in cases {
        assert_eq!(fault(disc(&params)), parameter);
    }
}
