//! Pictures of simple scenes, judged by numbers.

use taut_render::{
    Bounds, Camera, Floor, Framing, Item, Light, Markers, Material, Picture, Renderer, Rgb, Scale, Scene3, Style,
    Values, Wireframe, palette,
};

/// A flat look in which a lit surface has exactly its own colour.
fn flat() -> Style {
    Style { key: 0.0, ambient: 0.0, ..Style::studio() }
}

/// A camera for which one metre at the origin is `height / 2` pixels.
fn front() -> Camera {
    Camera::look_at([0.0, 0.0, 2.0], [0.0; 3], 2.0 * 0.5f64.atan().to_degrees())
}

fn matt(colour: Rgb) -> Material {
    Material { front: colour, back: colour, sheen: 0.0, gloss: 0.0, crease_degrees: None }
}

fn is_backdrop(p: [u8; 4]) -> bool {
    p[0] > 150
}

/// A square of the given half size in the plane z, as two triangles.
fn square(half: f64, z: f64) -> Vec<[f64; 3]> {
    vec![[-half, -half, z], [half, -half, z], [half, half, z], [-half, half, z]]
}

const QUAD: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

fn draw(scene: &Scene3, camera: &Camera, style: Style) -> Picture {
    Renderer::new(120, 90).with_style(style).render(scene, camera)
}

/// The share of the picture that is darkened by black material, to a fraction of a pixel.
fn covered(picture: &Picture, empty: &Picture) -> f64 {
    let light = |p: [u8; 4]| {
        let c = Rgb::hex((p[0] as u32) << 16 | (p[1] as u32) << 8 | p[2] as u32);
        c.luminance() as f64
    };
    let share = |(a, b): (&[u8; 4], &[u8; 4])| 1.0 - light(*a) / light(*b);
    picture.pixels().iter().zip(empty.pixels()).map(share).sum::<f64>()
}

#[test]
fn coverage_is_true_to_a_fraction_of_a_pixel() {
    let camera = Camera::look_at([0.0, 0.0, 1.0], [0.0; 3], 90.0);
    let empty = draw(&Scene3::default(), &camera, flat());
    // Half the picture, cut at a slant: from (-x, +edge) to (+x, -edge).
    for edge in [0.0, 0.1, 0.37] {
        let points = [
            [-9.0, 9.0 * edge, 0.0],
            [9.0, -9.0 * edge, 0.0],
            [0.0, -40.0, 0.0],
            [-40.0, -40.0, 0.0],
            [40.0, -40.0, 0.0],
        ];
        let triangles = [[0, 2, 1], [0, 3, 2], [1, 2, 4]];
        let item = Item::new(&points, &triangles, matt(Rgb::default()));
        let picture = draw(&Scene3 { items: vec![item], ..Scene3::default() }, &camera, flat());
        let pixels = covered(&picture, &empty);
        assert!((pixels - 120.0 * 45.0).abs() < 12.0, "slope {edge}: {pixels} of 5400");
        // Along the edge there are many steps of grey, not two.
        let mut greys: Vec<u8> = picture.pixels().iter().map(|p| p[0]).collect();
        greys.sort_unstable();
        greys.dedup();
        assert!(edge == 0.0 || greys.len() > 8, "{greys:?}");
    }
}

#[test]
fn a_square_lands_on_its_pixels() {
    let camera = Camera::look_at([0.0, 0.0, 1.0], [0.0; 3], 90.0);
    // 45 pixels a metre: from 37.5 to 82.5 across, 22.5 to 67.5 down.
    let points = square(0.5, 0.0);
    let item = Item::new(&points, &QUAD, matt(Rgb::default()));
    let picture = draw(&Scene3 { items: vec![item], ..Scene3::default() }, &camera, flat());
    for (x, y, inside) in [
        (38, 23, true),
        (81, 66, true),
        (60, 45, true),
        (36, 45, false),
        (83, 45, false),
        (60, 21, false),
        (60, 68, false),
    ] {
        assert_eq!(picture.pixel(x, y)[0] < 10, inside, "{x}, {y}: {:?}", picture.pixel(x, y));
    }
    let half = picture.pixel(37, 45)[0];
    assert!((140..200).contains(&half), "half covered in linear light: {half}");
}

#[test]
fn nearer_things_hide_farther_ones_in_any_order() {
    let (near, far) = (square(0.3, 0.5), square(0.6, -0.5));
    let red = Style { key: 0.0, ambient: 1.0, occlusion: 0.0, ..Style::studio() };
    let items = [Item::new(&near, &QUAD, matt(Rgb::hex(0xc00000))), Item::new(&far, &QUAD, matt(Rgb::hex(0x0000c0)))];
    for order in [[0, 1], [1, 0]] {
        let scene = Scene3 { items: order.map(|i| items[i]).to_vec(), ..Scene3::default() };
        let picture = draw(&scene, &front(), red);
        let [middle, side] = [60, 79].map(|x| picture.pixel(x, 45).map(u32::from));
        assert!(middle[0] > 2 * middle[2], "{middle:?}");
        assert!(side[2] > 2 * side[0], "{side:?}");
    }
}

#[test]
fn front_and_back_have_their_own_colours() {
    let points = square(0.5, 0.0);
    let material = Material { front: Rgb::hex(0xc00000), back: Rgb::hex(0x0000c0), ..matt(Rgb::default()) };
    let turned = [[0u32, 2, 1], [0, 3, 2]];
    for (triangles, red) in [(QUAD, true), (turned, false)] {
        let scene = Scene3 { items: vec![Item::new(&points, &triangles, material)], ..Scene3::default() };
        let p = draw(&scene, &front(), Style::studio()).pixel(60, 45);
        assert_eq!(p[0] > p[2], red, "{p:?}");
    }
}

#[test]
fn shadow_falls_below_the_occluder_and_nowhere_else() {
    // Light from straight above, a plate 1 m wide at 0.5 m, seen from above at a slant.
    let plate: Vec<[f64; 3]> = square(0.5, 0.0).iter().map(|p| [p[0], 0.5, -p[1]]).collect();
    let style =
        Style { light: Light::World([0.0, 1.0, 0.0]), softness_degrees: 1.0, occlusion: 0.0, ..Style::studio() };
    let camera = Camera::look_at([0.0, 1.5, 5.0], [0.0, 0.2, 0.0], 30.0);
    let floor = Some(Floor { height: 0.0, grid: None });
    let items = vec![Item::new(&plate, &QUAD, matt(Rgb::hex(0x808080)))];
    let render = |items| {
        Renderer::new(400, 300).with_style(style).render(&Scene3 { items, floor, ..Scene3::default() }, &camera)
    };
    let (with, without) = (render(items), render(Vec::new()));
    let ratio = |x: f64, z: f64| {
        let [px, py, _] = camera.project([x, 0.0, z], 400, 300).unwrap();
        let at = |p: &Picture| p.pixel(px as usize, py as usize)[1] as f64;
        at(&with) / at(&without)
    };
    for (x, z) in [(0.0, 0.3), (0.4, 0.4), (-0.4, 0.1), (0.0, 0.45)] {
        assert!(ratio(x, z) < 0.8, "dark at {x}, {z}: {}", ratio(x, z));
    }
    for (x, z) in [(0.6, 0.0), (-0.6, 0.3), (0.0, 0.6), (0.0, 0.9), (0.9, -0.3), (0.57, 0.4)] {
        assert!(ratio(x, z) > 0.99, "lit at {x}, {z}: {}", ratio(x, z));
    }
}

#[test]
fn slanted_and_curved_surfaces_do_not_shade_themselves() {
    // A hill lit at a slant: wherever it faces the light, brightness follows the angle alone.
    let count = 60;
    let at = |i: usize| i as f64 / (count - 1) as f64 * 2.0 - 1.0;
    let height = |x: f64, z: f64| 0.25 * (-2.0 * (x * x + z * z)).exp();
    let points: Vec<[f64; 3]> =
        (0..count * count).map(|i| (at(i % count), at(i / count))).map(|(x, z)| [x, height(x, z), z]).collect();
    let mut triangles = Vec::new();
    for i in 0..count - 1 {
        for j in 0..count - 1 {
            let a = (i * count + j) as u32;
            let (b, c, d) = (a + 1, a + count as u32, a + count as u32 + 1);
            triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    let camera = Camera::look_at([0.0, 3.0, 3.0], [0.0; 3], 40.0);
    let items = || vec![Item::new(&points, &triangles, matt(Rgb::hex(0x909090)))];
    let lit = Style { light: Light::World([0.8, 1.0, 0.3]), ambient: 0.0, occlusion: 0.0, ..Style::studio() };
    let picture =
        Renderer::new(400, 300).with_style(lit).render(&Scene3 { items: items(), ..Scene3::default() }, &camera);
    // Neighbouring pixels on the smooth hill differ by little; acne would be stripes of dark.
    let mut worst = 0;
    for y in 110..190 {
        for x in 130..270 {
            worst = worst.max(picture.pixel(x, y)[0].abs_diff(picture.pixel(x + 1, y)[0]));
        }
    }
    assert!(worst <= 4, "{worst}");
}

#[test]
fn folds_are_darker_than_open_places() {
    // A narrow valley between two walls, light from all around only.
    let points = [
        [-1.0, 0.0, -1.0],
        [-1.0, 0.0, 1.0],
        [-0.1, 0.0, 1.0],
        [-0.1, 0.0, -1.0],
        [0.0, -0.5, -1.0],
        [0.0, -0.5, 1.0],
        [0.1, 0.0, -1.0],
        [0.1, 0.0, 1.0],
        [1.0, 0.0, -1.0],
        [1.0, 0.0, 1.0],
    ];
    let triangles = [[0, 1, 2], [0, 2, 3], [3, 2, 5], [3, 5, 4], [4, 5, 7], [4, 7, 6], [6, 7, 9], [6, 9, 8]];
    let material = Material { crease_degrees: Some(30.0), ..matt(Rgb::hex(0xa0a0a0)) };
    let style = Style { key: 0.0, ambient: 0.9, ..Style::studio() };
    let camera = Camera::look_at([0.0, 3.0, 0.6], [0.0; 3], 30.0);
    let scene = Scene3 { items: vec![Item::new(&points, &triangles, material)], ..Scene3::default() };
    let picture = Renderer::new(300, 300).with_style(style).render(&scene, &camera);
    let (fold, open) = (picture.pixel(150, 150)[0], picture.pixel(60, 150)[0]);
    assert!(fold + 40 < open, "fold {fold}, open {open}");
}

#[test]
fn things_that_reach_behind_the_eye_are_cut() {
    // A road that passes under the eye: its visible part fills the lower half.
    let points = [[-50.0, -1.0, 50.0], [50.0, -1.0, 50.0], [50.0, -1.0, -5000.0], [-50.0, -1.0, -5000.0]];
    let item = Item::new(&points, &QUAD, matt(Rgb::default()));
    let camera = Camera::look_at([0.0, 0.0, 0.0], [0.0, 0.0, -1.0], 60.0);
    let picture = draw(&Scene3 { items: vec![item], ..Scene3::default() }, &camera, flat());
    assert!((0..120).all(|x| (47..90).all(|y| !is_backdrop(picture.pixel(x, y)))));
    assert!((0..120).all(|x| (0..43).all(|y| is_backdrop(picture.pixel(x, y)))));
    let behind = points.map(|[x, y, _]| [x, y, 70.0 + x]);
    let item = Item::new(&behind, &QUAD, matt(Rgb::default()));
    let picture = draw(&Scene3 { items: vec![item], ..Scene3::default() }, &camera, flat());
    assert!(picture.pixels().iter().all(|p| is_backdrop(*p)));
}

#[test]
fn broken_meshes_are_drawn_as_far_as_they_go() {
    let mut points = square(0.5, 0.0);
    points.extend([[f64::NAN; 3], [f64::INFINITY, 0.0, 0.0], [1e300, -1e300, 1e300]]);
    let triangles = [[0, 1, 2], [0, 2, 3], [0, 1, 4], [0, 1, 5], [0, 1, 6], [0, 1, 99], [0, 0, 0], [1, 1, 2]];
    let values = [f64::NAN, 1.0];
    for material in [matt(Rgb::default()), Material { crease_degrees: Some(20.0), ..matt(Rgb::default()) }] {
        let item = Item::new(&points, &triangles, material);
        let heated =
            item.with_field(Values::PerVertex(&values), Scale::up_to(1.0)).with_wireframe(Wireframe::default());
        for item in [item, heated] {
            let markers = vec![Markers { points: vec![[f64::NAN; 3]], radius: f64::NAN, colour: palette::signal() }];
            let floor = Some(Floor { height: -1.0, grid: Some(0.0) });
            let picture = draw(&Scene3 { items: vec![item], markers, floor }, &front(), Style::studio());
            assert!(!is_backdrop(picture.pixel(60, 45)), "the good part is there");
        }
    }
    let bounds = Bounds::of(&points[..6]);
    assert!(Camera::framed(&bounds, &Framing::default()).eye.iter().all(|v| v.is_finite()));
}

#[test]
fn what_is_not_finite_leaves_the_rest_untouched() {
    // Seen at a slant, where a spoilt normal shows.
    let camera = Camera::look_at([1.5, 1.0, 2.0], [0.0; 3], 40.0);
    let mut points = square(0.5, 0.0);
    let clean = points.clone();
    points.extend([[f64::NAN; 3], [f64::INFINITY, 0.0, 0.0]]);
    let triangles = [[0, 1, 2], [0, 2, 3], [0, 1, 4], [2, 5, 3], [0, 1, 99]];
    for crease_degrees in [None, Some(20.0)] {
        let material = Material { crease_degrees, ..Material::default() };
        let items = [Item::new(&points, &triangles, material), Item::new(&clean, &QUAD, material)];
        let [broken, whole] =
            items.map(|item| draw(&Scene3 { items: vec![item], ..Scene3::default() }, &camera, Style::studio()));
        assert!(broken == whole, "normals, shadows or samples were spoilt");
    }
}

#[test]
fn empty_scenes_and_sizes_are_fine() {
    let floor = Some(Floor { height: 0.0, grid: Some(0.1) });
    for scene in [Scene3::default(), Scene3 { floor, ..Scene3::default() }] {
        for (width, height) in [(0, 0), (1, 1), (7, 3), (3, 50)] {
            let picture = Renderer::new(width, height).render(&scene, &front());
            assert_eq!((picture.width(), picture.height()), (width, height));
        }
    }
    let item = Item::new(&[], &[], Material::default());
    draw(&Scene3 { items: vec![item], ..Scene3::default() }, &front(), Style::studio());
}

#[test]
fn threads_do_not_change_a_single_bit() {
    let points: Vec<[f64; 3]> =
        (0..900).map(|i| [(i % 30) as f64 / 29.0, (i as f64 * 0.7).sin() * 0.1, (i / 30) as f64 / 29.0]).collect();
    let triangles: Vec<[u32; 3]> =
        (0..870).filter(|i| i % 30 < 29).flat_map(|i| [[i, i + 30, i + 1], [i + 1, i + 30, i + 31]]).collect();
    let item = Item::new(&points, &triangles, Material::default());
    let scene = Scene3 { items: vec![item], floor: Some(Floor { height: -0.2, grid: None }), ..Scene3::default() };
    let camera = Camera::framed(&scene.bounds(), &Framing::default());
    let one = Renderer::new(333, 221).render(&scene, &camera);
    for threads in [2, 3, 8] {
        assert!(Renderer::new(333, 221).with_threads(threads).render(&scene, &camera) == one, "{threads} threads");
    }
}

#[test]
fn heat_maps_show_the_colours_of_their_scale() {
    let points = square(0.6, 0.0);
    let scale = Scale::around_zero(0.1);
    let even = Style { key: 0.0, ambient: 1.3, occlusion: 0.0, ..Style::studio() };
    for (values, wanted) in [([0.1, 0.1], 0.1), ([-0.1, -0.1], -0.1), ([f64::NAN; 2], f64::NAN)] {
        let item = Item::new(&points, &QUAD, Material::default()).with_field(Values::PerFace(&values), scale);
        let p = draw(&Scene3 { items: vec![item], ..Scene3::default() }, &front(), even).pixel(60, 45);
        let c = scale.colour(wanted).to_srgb8();
        assert!((0..3).all(|k| p[k].abs_diff(c[k]) < 22), "{p:?} is not {c:?}");
    }
    // Interpolated before it is coloured: the middle of −0.1 … 0.1 is the neutral middle, not violet.
    let values = [-0.1, 0.1, 0.1, -0.1];
    let item = Item::new(&points, &QUAD, Material::default()).with_field(Values::PerVertex(&values), scale);
    let p = draw(&Scene3 { items: vec![item], ..Scene3::default() }, &front(), even).pixel(60, 40);
    assert!(p[0].abs_diff(p[2]) < 16 && p[1] > 190, "{p:?}");
}

#[test]
fn creases_keep_boxes_sharp_and_smooth_surfaces_smooth() {
    // A roof: two planes that meet at a right angle, lit from one side.
    let points =
        [[-1.0, 0.0, -1.0], [-1.0, 0.0, 1.0], [0.0, 1.0, -1.0], [0.0, 1.0, 1.0], [1.0, 0.0, -1.0], [1.0, 0.0, 1.0]];
    let triangles = [[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]];
    let style = Style { light: Light::World([-1.0, 1.0, 0.2]), occlusion: 0.0, ..Style::studio() };
    let camera = Camera::look_at([0.0, 6.0, 0.5], [0.0; 3], 30.0);
    let step = |crease_degrees| {
        let material = Material { crease_degrees, ..matt(Rgb::hex(0x909090)) };
        let scene = Scene3 { items: vec![Item::new(&points, &triangles, material)], ..Scene3::default() };
        let picture = draw(&scene, &camera, style);
        picture.pixel(56, 45)[0] as i32 - picture.pixel(64, 45)[0] as i32
    };
    assert!(step(Some(30.0)) > 45, "{}", step(Some(30.0)));
    assert!(step(None).abs() < 30, "{}", step(None));
}

#[test]
fn markers_are_round_and_where_they_should_be() {
    let markers = vec![Markers { points: vec![[0.25, 0.25, 0.0]], radius: 0.1, colour: palette::signal() }];
    let camera = front();
    let picture = draw(&Scene3 { markers, ..Scene3::default() }, &camera, Style::studio());
    let [cx, cy, _] = camera.project([0.25, 0.25, 0.0], 120, 90).unwrap();
    let (edge, ..) = (camera.project([0.35, 0.25, 0.0], 120, 90).unwrap()[0] - cx, 0);
    for (i, p) in picture.pixels().iter().enumerate() {
        let away = ((i % 120) as f64 + 0.5 - cx).hypot((i / 120) as f64 + 0.5 - cy);
        let red = p[0] as i32 - p[1] as i32 > 30;
        assert!(red || away > edge - 1.5, "hole at {i}");
        assert!(!red || away < edge + 1.5, "outside at {i}");
    }
}

#[test]
fn wireframe_draws_edges_and_leaves_faces() {
    let points = square(0.6, 0.0);
    let wire = Wireframe { colour: Rgb::default(), width: 2.0, opacity: 1.0 };
    let item = Item::new(&points, &QUAD, matt(Rgb::hex(0xd0d0d0))).with_wireframe(wire);
    let style = Style { key: 0.0, ambient: 1.3, occlusion: 0.0, ..Style::studio() };
    let picture = draw(&Scene3 { items: vec![item], ..Scene3::default() }, &front(), style);
    // The diagonal runs from bottom left to top right through the middle.
    assert!(picture.pixel(60, 45)[0] < 90 || picture.pixel(60, 44)[0] < 90);
    assert!(picture.pixel(52, 37)[0] > 150 && picture.pixel(68, 53)[0] > 150);
}

#[test]
fn floor_hides_what_is_below_it() {
    let below: Vec<[f64; 3]> = square(0.5, 0.0).iter().map(|p| [p[0], p[1] - 1.0, p[2]]).collect();
    let item = Item::new(&below, &QUAD, matt(Rgb::default()));
    let camera = Camera::look_at([0.0, 1.0, 4.0], [0.0, -0.5, 0.0], 40.0);
    let with = |floor| draw(&Scene3 { items: vec![item], floor, ..Scene3::default() }, &camera, flat());
    let dark = |p: &Picture| p.pixels().iter().filter(|p| p[0] < 60).count();
    assert!(dark(&with(None)) > 500);
    assert_eq!(dark(&with(Some(Floor { height: 0.0, grid: None }))), 0);
}
