//! Where the eye is and how a box is brought into view.

use glam::{DMat3, DVec3, Vec3};

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The smallest coordinates, m.
    pub min: [f64; 3],
    /// The largest coordinates, m.
    pub max: [f64; 3],
}

impl Bounds {
    /// The box that holds nothing: what [`Bounds::include`] starts from.
    pub const EMPTY: Bounds = Bounds { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };

    /// The box of the finite points.
    pub fn of(points: &[[f64; 3]]) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        bounds.include(points);
        bounds
    }

    /// Grows to hold the points too; one box over all frames of an animation keeps its camera still. Points
    /// that are not finite are left out.
    pub fn include(&mut self, points: &[[f64; 3]]) {
        for p in points.iter().filter(|p| p.iter().all(|v| v.is_finite())) {
            for axis in 0..3 {
                self.min[axis] = self.min[axis].min(p[axis]);
                self.max[axis] = self.max[axis].max(p[axis]);
            }
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        (0..3).any(|axis| self.min[axis] > self.max[axis])
    }

    /// The middle; the origin if empty.
    pub fn centre(&self) -> [f64; 3] {
        if self.is_empty() { [0.0; 3] } else { std::array::from_fn(|i| 0.5 * (self.min[i] + self.max[i])) }
    }

    /// Half the diagonal; 0 if empty.
    pub fn radius(&self) -> f64 {
        if self.is_empty() { 0.0 } else { 0.5 * DVec3::from(self.max).distance(self.min.into()) }
    }

    fn corners(&self) -> [[f64; 3]; 8] {
        std::array::from_fn(|k| {
            std::array::from_fn(|axis| if k >> axis & 1 == 0 { self.min[axis] } else { self.max[axis] })
        })
    }
}

/// How [`Camera::framed`] places the eye.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Framing {
    /// From the middle of the box towards the eye; any length.
    pub direction: [f64; 3],
    /// Vertical angle of view, degrees. Small angles look calm, large ones dramatic.
    pub fov_y_degrees: f64,
    /// Picture width over height.
    pub aspect: f64,
    /// Empty parts of the picture as fractions of its size: left, right, top, bottom. Give one side more to leave
    /// room for a legend or caption.
    pub margins: [f64; 4],
}

impl Default for Framing {
    fn default() -> Framing {
        Framing { direction: [0.55, 0.45, 1.0], fov_y_degrees: 28.0, aspect: 4.0 / 3.0, margins: [0.08; 4] }
    }
}

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the eye is, m.
    pub eye: [f64; 3],
    /// What it looks at, m.
    pub target: [f64; 3],
    /// What is up in the picture.
    pub up: [f64; 3],
    /// Vertical angle of view, degrees.
    pub fov_y_degrees: f64,
}

impl Camera {
    /// A camera at `eye` looking at `target`, y up.
    pub fn look_at(eye: [f64; 3], target: [f64; 3], fov_y_degrees: f64) -> Camera {
        Camera { eye, target, up: [0.0, 1.0, 0.0], fov_y_degrees }
    }

    /// The nearest camera in the wanted direction that sees the whole box inside the margins.
    pub fn framed(bounds: &Bounds, framing: &Framing) -> Camera {
        let bounds = if bounds.is_empty() { Bounds { min: [-0.5; 3], max: [0.5; 3] } } else { *bounds };
        Camera::fitting(&bounds.corners(), framing)
    }

    /// The nearest camera in the wanted direction that sees all points inside the margins: closer than for the box
    /// around them. Points that are not finite are left out.
    pub fn fitting(points: &[[f64; 3]], framing: &Framing) -> Camera {
        let bounds = Bounds::of(points);
        if bounds.is_empty() {
            return Camera::framed(&bounds, framing);
        }
        let direction = if framing.direction != [0.0; 3] { framing.direction } else { [0.0, 0.0, 1.0] };
        let probe = Camera::look_at(direction, [0.0; 3], framing.fov_y_degrees);
        let basis = probe.basis();
        let half_y = (0.5 * framing.fov_y_degrees.to_radians()).tan();
        let half_x = half_y * framing.aspect;
        let [left, right, top, bottom] = framing.margins.map(|m| 1.0 - 2.0 * m.clamp(0.0, 0.45));
        let finite = points.iter().filter(|p| p.iter().all(|v| v.is_finite()));
        let seen: Vec<DVec3> = finite.map(|p| basis.transpose() * DVec3::from(*p)).collect();
        let (x, z_for_x) = fit_axis(seen.iter().map(|c| (c.x, c.z)), half_x * left, half_x * right);
        let (y, z_for_y) = fit_axis(seen.iter().map(|c| (c.y, c.z)), half_y * bottom, half_y * top);
        // Points without extent would put the eye among themselves.
        let front = seen.iter().map(|c| c.z).fold(f64::NEG_INFINITY, f64::max);
        let z = z_for_x.max(z_for_y).max(front + 1e-3 + 0.1 * bounds.radius());
        let x = x(z);
        let y = y(z);
        let at = |z: f64| (basis * DVec3::new(x, y, z)).to_array();
        Camera { eye: at(z), target: at(basis.z_axis.dot(bounds.centre().into())), ..probe }
    }

    /// Where a point falls in a picture of this size: x right and y down in pixels (pixel centres at .5), and its
    /// distance in front of the eye, m. None behind the eye.
    pub fn project(&self, point: [f64; 3], width: usize, height: usize) -> Option<[f64; 3]> {
        let offset = DVec3::from(point) - DVec3::from(self.eye);
        let DVec3 { x, y, z } = self.basis().transpose() * offset;
        let depth = -z;
        if depth.is_nan() || depth <= 0.0 {
            return None;
        }
        let scale = self.pixels_per_unit(height) / depth;
        Some([0.5 * width as f64 + x * scale, 0.5 * height as f64 - y * scale, depth])
    }

    /// Pixels that one metre covers at a distance of one metre.
    pub(crate) fn pixels_per_unit(&self, height: usize) -> f64 {
        0.5 * height as f64 / (0.5 * self.fov_y_degrees.clamp(0.1, 170.0).to_radians()).tan()
    }

    /// The picture's axes in the world: right, up, and back towards the viewer.
    pub(crate) fn basis(&self) -> DMat3 {
        let back = unit(DVec3::from(self.eye) - DVec3::from(self.target)).unwrap_or(DVec3::Z);
        // Straight up or down there is no right: any will do.
        let right = unit(DVec3::from(self.up).cross(back)).or_else(|| unit(DVec3::NEG_Z.cross(back)));
        let right = right.unwrap_or(DVec3::X);
        DMat3::from_cols(right, back.cross(right), back)
    }

    /// Points relative to the eye, in the axes of [`Camera::basis`].
    pub(crate) fn all_in_view(&self, points: &[[f64; 3]]) -> Vec<Vec3> {
        let (view, eye) = (self.basis().transpose(), DVec3::from(self.eye));
        points.iter().map(|p| (view * (DVec3::from(*p) - eye)).as_vec3()).collect()
    }

    /// A direction of the world in the axes of the view.
    pub(crate) fn direction_to_view(&self, direction: [f64; 3]) -> Vec3 {
        (self.basis().transpose() * DVec3::from(direction)).as_vec3().normalize_or(Vec3::Y)
    }
}

/// The nearest eye, along one picture axis, from which all `(side, back)` points lie within tangents `low` and
/// `high` of the view direction: each point is two half-planes, and the eye is the tip of their wedge. Returns the
/// eye's side coordinate as a function of how far back it stands, and the smallest such distance.
fn fit_axis(points: impl Iterator<Item = (f64, f64)> + Clone, low: f64, high: f64) -> (impl Fn(f64) -> f64, f64) {
    let worst = |f: &dyn Fn((f64, f64)) -> f64| points.clone().map(f).fold(f64::NEG_INFINITY, f64::max);
    let p = worst(&|(a, b)| a + high * b);
    let q = worst(&|(a, b)| -a + low * b);
    let side = move |z: f64| 0.5 * ((p - high * z) + (low * z - q));
    (side, (p + q) / (low + high))
}

/// A direction; nothing if what is there is too short to be one.
fn unit(a: DVec3) -> Option<DVec3> {
    a.try_normalize().filter(|_| a.length() > 1e-12)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: [f64; 3], wanted: [f64; 3]) {
        for axis in 0..3 {
            assert!((found[axis] - wanted[axis]).abs() < 1e-9, "{found:?} is not {wanted:?}");
        }
    }

    #[test]
    fn points_are_fitted_closer_than_their_box() {
        let octahedron: Vec<[f64; 3]> = (0..6)
            .map(|i| std::array::from_fn(|k| if k == i / 2 { 1.0 - 2.0 * (i % 2) as f64 } else { 0.0 }))
            .collect();
        let framing = Framing::default();
        let distance = |camera: &Camera| DVec3::from(camera.eye).length();
        let far = distance(&Camera::framed(&Bounds::of(&octahedron), &framing));
        let camera = Camera::fitting(&octahedron, &framing);
        assert!(distance(&camera) < 0.8 * far);
        let seen = |p: &[f64; 3]| camera.project(*p, 400, 300).unwrap();
        let inside = |[x, y, _]: [f64; 3]| (31.9..=368.1).contains(&x) && (23.9..=276.1).contains(&y);
        assert!(octahedron.iter().map(seen).all(inside));
        assert_eq!(Camera::fitting(&[[f64::NAN; 3]], &framing), Camera::framed(&Bounds::EMPTY, &framing));
    }

    #[test]
    fn known_points_project_to_known_pixels() {
        // 90° vertically: one metre to the side at one metre's distance is the picture's edge.
        let camera = Camera::look_at([0.0, 0.0, 5.0], [0.0; 3], 90.0);
        assert_near(camera.project([0.0; 3], 200, 100).unwrap(), [100.0, 50.0, 5.0]);
        assert_near(camera.project([0.0, 5.0, 0.0], 200, 100).unwrap(), [100.0, 0.0, 5.0]);
        assert_near(camera.project([2.0, -1.0, 3.0], 200, 100).unwrap(), [150.0, 75.0, 2.0]);
        assert!(camera.project([0.0, 0.0, 6.0], 200, 100).is_none());
        let from_right = Camera::look_at([4.0, 0.0, 0.0], [0.0; 3], 90.0);
        // From +x, the world's -z is on the right.
        assert_near(from_right.project([0.0, 0.0, -2.0], 100, 100).unwrap(), [75.0, 50.0, 4.0]);
    }

    #[test]
    fn framed_box_touches_its_margins_and_stays_inside() {
        let bounds = Bounds { min: [-1.0, 0.0, 2.0], max: [3.0, 0.5, 2.5] };
        let framing = Framing { margins: [0.1, 0.3, 0.05, 0.05], aspect: 2.0, ..Framing::default() };
        let camera = Camera::framed(&bounds, &framing);
        let seen = bounds.corners().map(|c| camera.project(c, 2000, 1000).unwrap());
        let range =
            |axis: usize| seen.iter().fold((f64::MAX, f64::MIN), |(lo, hi), p| (lo.min(p[axis]), hi.max(p[axis])));
        let ((left, right), (top, bottom)) = (range(0), range(1));
        assert!((left - 200.0).abs() < 1e-6 && (right - 1400.0).abs() < 1e-6, "{left} {right}");
        assert!(top >= 50.0 && bottom <= 950.0, "{top} {bottom}");
    }

    #[test]
    fn odd_boxes_give_a_finite_camera() {
        for bounds in [Bounds::EMPTY, Bounds::of(&[[1.0, 2.0, 3.0]]), Bounds::of(&[[f64::NAN; 3]])] {
            for direction in [[0.0; 3], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]] {
                let camera = Camera::framed(&bounds, &Framing { direction, ..Framing::default() });
                let centre = camera.project(bounds.centre(), 100, 100).unwrap();
                assert!(centre.iter().all(|v| v.is_finite()), "{camera:?}");
            }
        }
    }

    #[test]
    fn bounds_skip_what_is_not_finite() {
        let bounds = Bounds::of(&[[0.0; 3], [f64::NAN, 9.0, 9.0], [1.0, f64::INFINITY, 0.0], [1.0, 2.0, 2.0]]);
        assert_eq!(bounds, Bounds { min: [0.0; 3], max: [1.0, 2.0, 2.0] });
        assert_eq!(bounds.radius(), 1.5);
    }
}
