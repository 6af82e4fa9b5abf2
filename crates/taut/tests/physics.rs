//! Motion against closed forms, and scenes that published methods blow up in.

mod common;

use taut::measure::{strains, totals};
use taut::{
    Air, Cloth, ClothDamping, ClothStiffness, Collider, ModelBuilder, Params, Pose, Scratch, Shape, Solid,
    SolidStiffness, State, step,
};

const G: f64 = 9.81;
const DT: f64 = 1.0 / 60.0;

/// After n substeps of h, a free fall with velocities first is at −g h² n(n+1)/2.
#[test]
fn free_fall_is_exact_with_damping_and_every_row() {
    let damping = ClothDamping { weft: 50.0, warp: 50.0, shear: 50.0, area: 50.0, bend: 50.0, edge: 50.0 };
    let stiffness = ClothStiffness { area: 0.5, edge: 0.5, ..ClothStiffness::default() };
    let mut builder = ModelBuilder::new();
    builder.add_cloth("cloth", &common::sheet(6), &Cloth { stiffness, damping, ..Cloth::default() }).unwrap();
    builder.add_solid("solid", &common::bar(2, 1, 1, 0.2), &Solid { damping: 50.0, ..Solid::default() }).unwrap();
    let model = builder.build::<f64>().unwrap();
    let mut state = State::new(&model);
    let start = state.positions(&model);
    let mut scratch = Scratch::new(1);
    for _ in 0..60 {
        step(&model, &mut state, &mut scratch, &Params::default(), DT);
    }
    let (h, n) = (DT / 20.0, 1200.0);
    let fall = -G * h * h * n * (n + 1.0) / 2.0;
    for (now, then) in state.positions(&model).iter().zip(&start) {
        assert!((now[1] - then[1] - fall).abs() < 1e-9, "{} {}", now[1] - then[1], fall);
        assert!((now[0] - then[0]).abs() + (now[2] - then[2]).abs() < 1e-9);
    }
}

/// A sheet that spins in space while it ripples keeps its momenta, and damping takes nothing from its rigid motion.
#[test]
fn a_spinning_damped_sheet_keeps_its_momenta() {
    let run = |rate: f64| {
        let damping = ClothDamping { weft: rate, warp: rate, shear: rate, area: 0.0, bend: rate, edge: 0.0 };
        let mut builder = ModelBuilder::new();
        builder.add_cloth("cloth", &common::sheet(9), &Cloth { damping, ..Cloth::default() }).unwrap();
        let model = builder.build::<f64>().unwrap();
        let mut state = State::new(&model);
        for v in 0..model.vertices() as u32 {
            let [x, _, z] = state.position(&model, v);
            state.set_velocity(&model, v, [0.3 + 2.0 * (z - 0.5), 0.1 * (7.0 * x).sin(), -2.0 * (x - 0.5)]);
        }
        let params = Params { gravity: [0.0; 3], ..Params::default() };
        let before = totals(&model, &state, [0.0; 3]);
        let mut scratch = Scratch::new(1);
        for _ in 0..60 {
            step(&model, &mut state, &mut scratch, &params, DT);
        }
        (before, totals(&model, &state, [0.0; 3]))
    };
    let ((before, free), (_, damped)) = (run(0.0), run(20.0));
    for k in 0..3 {
        // Rounding of 1,200 substeps is all that may be lost.
        assert!((damped.momentum[k] - before.momentum[k]).abs() < 1e-11, "{before:?} {damped:?}");
        // Turning along straight lines loses some spin (first order in the substep); damping must not lose more.
        let spin = before.angular_momentum[1];
        assert!((free.angular_momentum[k] - before.angular_momentum[k]).abs() < 3e-3 * spin, "{before:?} {free:?}");
        assert!((damped.angular_momentum[k] - free.angular_momentum[k]).abs() < 1e-3 * spin, "{free:?} {damped:?}");
    }
    assert!(damped.kinetic < free.kinetic, "the ripples were not damped");
    // The ripples are under 1 % of the energy; the rest is rigid and stays.
    assert!(damped.kinetic > 0.97 * before.kinetic, "{} of {} J", damped.kinetic, before.kinetic);
}

/// A mass on a rigid massless-like rod of cloth swings with the period of a pendulum.
#[test]
fn a_pendulum_has_its_period() {
    let mut builder = ModelBuilder::new();
    let mesh = taut::mesh::TriMesh {
        positions: vec![[0.0, 0.0, 0.0], [0.0, 0.0, 0.01], [1.0, 0.0, 0.005]],
        triangles: vec![[0, 1, 2]],
        ..Default::default()
    };
    builder.add_cloth("rod", &mesh, &Cloth::default()).unwrap();
    builder.add_mass(2, 1.0).unwrap();
    let model = builder.build::<f64>().unwrap();
    let mut state = State::new(&model);
    state.pin(&model, 0);
    state.pin(&model, 1);
    // Released 0.1 rad from hanging.
    let (s, c) = (0.1f64.sin(), 0.1f64.cos());
    state.set_position(&model, 2, [s, -c, 0.005]);
    let mut scratch = Scratch::new(1);
    let (mut crossings, mut last) = (Vec::new(), s);
    for n in 1..=2400 {
        step(&model, &mut state, &mut scratch, &Params { substeps: 10, ..Params::default() }, 0.002);
        let x = state.position(&model, 2)[0];
        if (x > 0.0) != (last > 0.0) {
            crossings.push(0.002 * (f64::from(n) - x / (x - last)));
        }
        last = x;
    }
    // 2π√(l/g) (1 + a²/16); the triangle's own mass and width move it by well under 1 %.
    let period = 2.0 * std::f64::consts::PI * (1.0 / G).sqrt() * (1.0 + 0.01 / 16.0);
    assert!((crossings[2] - crossings[0] - period).abs() < 0.005 * period, "{crossings:?} {period}");
}

/// Wind carries a free sheet up to its own speed and not beyond (0.1 %: ripples of the cloth), however light the cloth
/// and strong the wind.
#[test]
fn wind_never_overtakes_itself() {
    for (density, speed) in [(0.2, 5.0), (0.001, 100.0)] {
        let mut builder = ModelBuilder::new();
        builder.add_cloth("sail", &common::sheet(7), &Cloth { density, ..Cloth::default() }).unwrap();
        let model = builder.build::<f32>().unwrap();
        let mut state = State::new(&model);
        let mut scratch = Scratch::new(1);
        let air = Air { wind: [0.0, speed, 0.0], density: 1.2, ..Air::default() };
        let params = Params { gravity: [0.0; 3], air, ..Params::default() };
        let mut last = 0.0;
        for _ in 0..120 {
            step(&model, &mut state, &mut scratch, &params, DT);
            let p = totals(&model, &state, [0.0; 3]).momentum[1] / (density * 1.0);
            assert!(p >= last - 1e-3 * speed && p <= speed * 1.001, "{p} after {last} in a wind of {speed}");
            last = p;
        }
        assert!(last > 0.5 * speed, "{last} of {speed}");
    }
}

/// A sheet on an incline stays below the friction angle and slides above it as Coulomb says.
#[test]
fn friction_holds_below_its_angle_and_slides_above() {
    let slide = |degrees: f64| {
        let mut builder = ModelBuilder::new();
        builder.add_cloth("sheet", &common::sheet(6), &Cloth::default()).unwrap();
        let model = builder.build::<f64>().unwrap();
        let mut state = State::new(&model);
        let (s, c) = degrees.to_radians().sin_cos();
        let half = (degrees / 2.0).to_radians();
        let tilt = Pose { position: [0.0; 3], rotation: [0.0, 0.0, half.sin(), half.cos()] };
        for v in 0..model.vertices() as u32 {
            let [x, _, z] = state.position(&model, v);
            state.set_position(&model, v, [c * x - s * 0.002, s * x + c * 0.002, z]);
        }
        let params = Params { colliders: vec![Collider::fixed(Shape::Plane, tilt)], ..Params::default() };
        let start = state.position(&model, 0);
        let mut scratch = Scratch::new(1);
        for _ in 0..60 {
            step(&model, &mut state, &mut scratch, &params, DT);
        }
        let end = state.position(&model, 0);
        ((end[0] - start[0]).powi(2) + (end[1] - start[1]).powi(2)).sqrt()
    };
    // Friction 0.3: the angle is 16.7°.
    assert!(slide(15.7) < 1e-4, "creeps {}", slide(15.7));
    let angle = 25f64.to_radians();
    let expected = 0.5 * G * (angle.sin() - 0.3 * angle.cos());
    assert!((slide(25.0) - expected).abs() < 0.03 * expected, "{} {expected}", slide(25.0));
}

/// The sheet that the published shear makes diverge: 1 m, two corners pinned, released flat, full stiffness. It must
/// stay finite at every size, and nothing may rise or fly away: nothing is ever below free fall or above the pins.
#[test]
fn a_hanging_sheet_stays_bounded_at_every_size() {
    for n in [32, 43, 101, 317] {
        for (substeps, iterations) in [(1, 20), (20, 1)] {
            let mut builder = ModelBuilder::new();
            let stiffness = ClothStiffness { bend: 0.0, ..ClothStiffness::default() };
            builder.add_cloth("sheet", &common::sheet(n), &Cloth { stiffness, ..Cloth::default() }).unwrap();
            let model = builder.build::<f32>().unwrap();
            let mut state = State::new(&model);
            state.pin(&model, 0);
            state.pin(&model, n as u32 - 1);
            let mut scratch = Scratch::new(2);
            let params = Params { substeps, iterations, ..Params::default() };
            for frame in 1..=120 {
                let report = step(&model, &mut state, &mut scratch, &params, DT);
                assert_eq!(report.contained, 0, "{n} {substeps}×{iterations} frame {frame}");
                if frame % 5 != 0 {
                    continue;
                }
                let t = f64::from(frame) * DT;
                let fall = 0.5 * G * t * (t + DT);
                for [x, y, z] in state.positions(&model) {
                    let inside = y > -fall - 0.01 && y < 0.5 && x.abs() < 3.0 && z.abs() < 3.0;
                    assert!(inside, "{n} {substeps}×{iterations} frame {frame}: a vertex at {x} {y} {z}");
                }
            }
            let [weft, warp, ..] = strains(&model, &state).cloth();
            if substeps == 20 {
                let bound = [(32, 0.01), (43, 0.01), (101, 0.06), (317, 0.3)].iter().find(|b| b.0 == n).unwrap().1;
                assert!(weft.mean < bound && warp.mean < bound, "{n}: mean stretch {} {}", weft.mean, warp.mean);
            }
        }
    }
}

/// Single precision falls as far from the origin and in as small substeps as anybody asks for: what one substep adds to
/// a velocity must not be rounded away in a position.
#[test]
fn single_precision_falls_everywhere() {
    for (height, substeps) in [(0.0, 20), (100.0, 20), (1000.0, 20), (1.0, 1000)] {
        let mut mesh = common::sheet(4);
        mesh.positions.iter_mut().for_each(|p| p[1] += height);
        let mut builder = ModelBuilder::new();
        builder.add_cloth("cloth", &mesh, &Cloth::default()).unwrap();
        let model = builder.build::<f32>().unwrap();
        let mut state = State::new(&model);
        let mut scratch = Scratch::new(1);
        for _ in 0..60 {
            step(&model, &mut state, &mut scratch, &Params { substeps, ..Params::default() }, DT);
        }
        let fell = height - state.position(&model, 5)[1];
        assert!((fell - 0.5 * G).abs() < 0.05 * G, "from {height} m in {substeps} substeps: fell {fell} m");
    }
}

/// A heavy hem is as stiff as the rest of the cloth.
#[test]
fn weights_do_not_soften_what_they_hang_on() {
    let left = |weight: f64| {
        let mut builder = ModelBuilder::new();
        builder.add_cloth("cloth", &common::sheet(9), &Cloth::default()).unwrap();
        (0..9).for_each(|v| builder.add_mass(v, weight).unwrap());
        let model = builder.build::<f64>().unwrap();
        let mut state = State::new(&model);
        for v in 0..model.vertices() as u32 {
            let [x, y, z] = state.position(&model, v);
            state.set_position(&model, v, [1.1 * x, y, z]);
        }
        let params = Params { gravity: [0.0; 3], substeps: 1, iterations: 20, ..Params::default() };
        step(&model, &mut state, &mut Scratch::new(1), &params, DT);
        state.position(&model, 8)[0] - state.position(&model, 0)[0] - 1.0
    };
    assert!(left(1.0) < 1.5 * left(0.0), "{} {}", left(1.0), left(0.0));
}

/// A cloth sewn onto a solid's vertices shares them, and their masses add up.
#[test]
fn cloth_and_solid_share_vertices() {
    let solid = common::bar(2, 1, 2, 0.1);
    let mut builder = ModelBuilder::new();
    let base = builder.add_solid("block", &solid, &Solid::default()).unwrap();
    let top: Vec<u32> = (0..18).filter(|&v| solid.positions[v as usize][1] > 0.05).collect();
    let mut skin = taut::mesh::TriMesh { positions: vec![[f64::NAN; 3]; 18], ..Default::default() };
    skin.triangles = vec![[top[0], top[3], top[1]], [top[1], top[3], top[4]]];
    builder.add_cloth_on("skin", base, &skin, &Cloth { density: 3.0, ..Cloth::default() }).unwrap();
    let model = builder.build::<f64>().unwrap();
    let mass: f64 = model.masses().iter().sum();
    assert!((mass - (4.0 + 0.01 * 3.0)).abs() < 1e-12, "{mass}");
    let mut state = State::new(&model);
    state.pin(&model, top[0]);
    for _ in 0..60 {
        step(&model, &mut state, &mut Scratch::new(1), &Params::default(), DT);
    }
    let measured = strains(&model, &state);
    assert!(measured.cloth()[0].max < 0.05 && measured.inverted() == 0, "{:?}", measured.cloth());
}

/// Strain is relative to the rest stretch: cloth and solids at their rest stretch have none.
#[test]
fn strain_is_relative_to_the_rest_stretch() {
    for s in [0.8, 1.3] {
        let mut builder = ModelBuilder::new();
        let cloth = Cloth { rest_stretch: [s, s], ..Cloth::default() };
        builder.add_cloth("cloth", &common::sheet(4), &cloth).unwrap();
        let solid = Solid { rest_stretch: [s; 3], ..Solid::default() };
        builder.add_solid("solid", &common::bar(2, 1, 1, 0.1), &solid).unwrap();
        let model = builder.build::<f64>().unwrap();
        let mut state = State::new(&model);
        let rest = strains(&model, &state);
        assert_eq!(rest.inverted(), 0);
        assert!((rest.cloth()[0].max - (1.0 / s - 1.0).abs()).abs() < 1e-12);
        for v in 0..model.vertices() as u32 {
            let p = state.position(&model, v);
            state.set_position(&model, v, [-s * p[0], s * p[1], s * p[2]]);
        }
        let mirrored = strains(&model, &state);
        assert_eq!(mirrored.inverted(), mirrored.tetrahedra.len());
        assert!(mirrored.cloth().iter().all(|c| c.max < 1e-12));
        assert!(mirrored.solid()[..6].iter().all(|c| c.max < 1e-12));
    }
}

/// Extreme input gives finite states.
#[test]
fn nothing_explodes() {
    let damping = ClothDamping { weft: 1.0, warp: 1e39, shear: 5.0, area: 1.0, bend: 1.0, edge: 1.0 };
    let mut builder = ModelBuilder::new();
    builder.add_cloth("cloth", &common::sheet(8), &Cloth { damping, ..Cloth::default() }).unwrap();
    builder.add_solid("solid", &common::bar(3, 1, 1, 0.1), &Solid { damping: 3.0, ..Solid::default() }).unwrap();
    let model = builder.build::<f32>().unwrap();
    for (dt, jump) in
        [(1.0, 0.0), (100.0, 0.0), (1e-9, 0.0), (DT, 1e6), (DT, 1e30), (1e30, 0.0), (1e-40, 0.0), (f64::NAN, 0.0)]
    {
        let mut state = State::new(&model);
        state.pin(&model, 0);
        state.set_position(&model, 3, [f64::NAN; 3]);
        state.set_velocity(&model, 4, [f64::INFINITY; 3]);
        let mut scratch = Scratch::new(2).eager();
        let huge = Collider::fixed(Shape::Sphere { radius: 1e300 }, Pose::default());
        let air = Air { density: 1.2, wind: [100.0, 0.0, 0.0], ..Air::default() };
        let colliders = vec![huge, Collider::fixed(Shape::Plane, Pose::at([0.0, -0.1, 0.0]))];
        let params = Params { air, colliders, iterations: 0, ..Params::default() };
        for frame in 0..30 {
            let side = if frame % 2 == 0 { jump } else { -jump };
            state.move_pin(&model, 0, [side, side, 0.0]);
            step(&model, &mut state, &mut scratch, &params, dt);
            let all = [state.positions(&model), state.velocities(&model)].concat();
            assert!(all.iter().flatten().all(|c| c.is_finite()), "dt {dt}, jump {jump}, frame {frame}");
        }
    }
}

/// A bar whose held vertices leave single corners of tetrahedra free, at a slant to its material frames: rows that
/// the free corners hardly touch must not throw them away.
#[test]
fn a_partly_held_bar_does_not_explode() {
    let mut mesh = common::bar(8, 3, 3, 0.05);
    let (s, c) = (0.6, 0.8);
    mesh.frames = vec![[[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]; mesh.tets.len()];
    for stiffness in [SolidStiffness::default(), SolidStiffness { volume: 1.0, stretch: [1.0; 3], shear: [1.0; 3] }] {
        let mut builder = ModelBuilder::new();
        builder.add_solid("bar", &mesh, &Solid { stiffness, damping: 2.0, ..Solid::default() }).unwrap();
        let model = builder.build::<f32>().unwrap();
        let mut state = State::new(&model);
        for (v, p) in mesh.positions.iter().enumerate() {
            if p[0] + 0.7 * p[1] < 0.11 {
                state.pin(&model, v as u32);
            }
        }
        let mut scratch = Scratch::new(1);
        for _ in 0..120 {
            step(&model, &mut state, &mut scratch, &Params::default(), DT);
        }
        let measured = strains(&model, &state);
        assert_eq!(measured.inverted(), 0);
        assert!(measured.solid()[..6].iter().all(|s| s.max < 0.3), "{:?}", measured.solid());
    }
}
