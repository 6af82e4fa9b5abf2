//! A camera that circles a point, and the maths between the world and a picture.

use glam::DVec3;
// y up and depth 0 to 1, as wgpu has it.
use glam::dcamera::rh::{proj::directx as projection, view::look_to_mat4};
use taut_render::{Camera, Framing};

/// A matrix by columns, as shaders want it.
pub type Matrix = [[f32; 4]; 4];

/// A camera that circles a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// What it looks at, m.
    pub target: DVec3,
    /// The angle around the vertical, radians.
    pub yaw: f64,
    /// The angle above the horizon, radians.
    pub pitch: f64,
    /// How far from the target, m.
    pub distance: f64,
    /// Vertical angle of view, degrees.
    pub fov: f64,
}

/// Straight up and down there is no right.
const STEEPEST: f64 = 1.55;
/// How near and how far the eye may be, in distances from which all just fits into the picture's height.
const NEAREST: f64 = 0.005;
const FARTHEST: f64 = 6.0;
/// How far from the middle of everything it may look, in radii.
const WANDER: f64 = 3.0;

impl Orbit {
    /// The camera that sees all points from a direction, in pictures with this width over height. There is room for a
    /// legend at the right.
    pub fn framing(points: &[[f64; 3]], direction: [f64; 3], fov: f64, aspect: f64) -> Self {
        let framing = Framing { direction, fov_y_degrees: fov, aspect, margins: [0.08, 0.13, 0.1, 0.1] };
        Orbit::of(&Camera::fitting(points, &framing))
    }

    /// As another camera, whose up is up.
    pub fn of(camera: &Camera) -> Self {
        let target = DVec3::from(camera.target);
        let away = DVec3::from(camera.eye) - target;
        let distance = away.length().max(1e-6);
        let pitch = (away.y / distance).clamp(-1.0, 1.0).asin().clamp(-STEEPEST, STEEPEST);
        Orbit { target, yaw: away.x.atan2(away.z), pitch, distance, fov: camera.fov_y_degrees }
    }

    /// From the target to the eye, of length 1.
    pub fn direction(&self) -> DVec3 {
        let (sin, cos) = self.pitch.sin_cos();
        DVec3::new(self.yaw.sin() * cos, sin, self.yaw.cos() * cos)
    }

    /// Where the eye is, m.
    pub fn eye(&self) -> DVec3 {
        self.target + self.direction() * self.distance
    }

    /// Right, up, and back towards the viewer.
    pub fn basis(&self) -> [DVec3; 3] {
        let back = self.direction();
        let right = DVec3::new(self.yaw.cos(), 0.0, -self.yaw.sin());
        [right, back.cross(right), back]
    }

    /// Turns by angles, radians.
    pub fn turn(&mut self, yaw: f64, pitch: f64) {
        self.yaw = (self.yaw + yaw).rem_euclid(std::f64::consts::TAU);
        self.pitch = (self.pitch + pitch).clamp(-STEEPEST, STEEPEST);
    }

    /// Moves across the view, by shares of the picture's height; never away from what is to be seen, a ball.
    pub fn pan(&mut self, right: f64, up: f64, (centre, radius): (DVec3, f64)) {
        let [x, y, _] = self.basis();
        let size = 2.0 * self.distance * self.half();
        let target = self.target + x * (right * size) + y * (up * size);
        self.target = centre + (target - centre).clamp_length_max(WANDER * radius.max(1e-6));
    }

    /// Comes closer (below 1) or goes away, as far as what is to be seen, a ball, does not become a dot.
    pub fn zoom(&mut self, factor: f64, (_, radius): (DVec3, f64)) {
        let whole = radius.max(1e-6) / self.half();
        self.distance = (self.distance * factor).clamp(NEAREST * whole, FARTHEST * whole);
    }

    /// A camera a share of the way to another one, that looks from the same direction.
    pub fn towards(&self, other: &Orbit, share: f64) -> Orbit {
        let target = self.target + (other.target - self.target) * share;
        Orbit { target, distance: self.distance + share * (other.distance - self.distance), ..*self }
    }

    /// The tangent of half the angle of view.
    fn half(&self) -> f64 {
        (0.5 * self.fov.to_radians()).tan()
    }

    /// From the world to clip space, with depth 0 to 1, for pictures with this width over height.
    pub fn matrix(&self, aspect: f64) -> Matrix {
        let (near, far) = (0.02 * self.distance, 50.0 * self.distance);
        let projection = projection::perspective(self.fov.to_radians(), aspect, near, far);
        let [_, up, back] = self.basis();
        (projection * look_to_mat4(self.eye(), -back, up)).as_mat4().to_cols_array_2d()
    }

    /// Where a point falls in a picture of this size, pixels right and down; nothing behind the eye.
    pub fn project(&self, point: DVec3, [width, height]: [f64; 2]) -> Option<[f64; 2]> {
        let [x, y, z] = self.basis().map(|axis| axis.dot(point - self.eye()));
        let size = 0.5 * height / self.half();
        (z < 0.0).then(|| [0.5 * width - x / z * size, 0.5 * height + y / z * size])
    }

    /// The direction from the eye through a pixel, of length 1.
    pub fn ray(&self, [px, py]: [f64; 2], [width, height]: [f64; 2]) -> DVec3 {
        let [x, y, z] = self.basis();
        let s = 2.0 * self.half() / height.max(1.0);
        (x * ((px - 0.5 * width) * s) + y * ((0.5 * height - py) * s) - z).normalize_or_zero()
    }
}

/// From the world to the depth picture of a light far away in a direction, which sees a ball.
pub fn light_matrix(towards: DVec3, centre: DVec3, radius: f64) -> Matrix {
    let z = towards.normalize_or_zero();
    let up = if z.y.abs() > 0.99 { DVec3::Z } else { DVec3::Y };
    let r = radius.max(1e-6);
    let projection = projection::orthographic(-r, r, -r, r, -r, r);
    (projection * look_to_mat4(centre, -z, up)).as_mat4().to_cols_array_2d()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> Orbit {
        Orbit { target: DVec3::new(0.1, 0.5, -0.2), yaw: 0.7, pitch: 0.4, distance: 3.0, fov: 30.0 }
    }

    fn times(m: &Matrix, p: DVec3) -> [f64; 4] {
        (glam::Mat4::from_cols_array_2d(m).as_dmat4() * p.extend(1.0)).to_array()
    }

    #[test]
    fn matrix_projection_and_ray_agree() {
        let (camera, size) = (camera(), [800.0, 500.0]);
        for point in [DVec3::new(0.3, 0.9, 0.1), DVec3::new(-0.6, 0.2, -0.9), camera.target] {
            let pixel = camera.project(point, size).unwrap();
            let clip = times(&camera.matrix(size[0] / size[1]), point);
            let shown = [0.5 * (1.0 + clip[0] / clip[3]) * size[0], 0.5 * (1.0 - clip[1] / clip[3]) * size[1]];
            assert!((0..2).all(|k| (pixel[k] - shown[k]).abs() < 1e-2), "{pixel:?} {shown:?}");
            assert!((0.0..1.0).contains(&(clip[2] / clip[3])));
            let (ray, way) = (camera.ray(pixel, size), (point - camera.eye()).normalize());
            assert!(ray.dot(way) > 1.0 - 1e-9, "{ray:?} {way:?}");
        }
        assert!(camera.project(camera.eye() + camera.direction(), size).is_none());
    }

    #[test]
    fn pan_moves_the_picture_by_as_much_as_the_hand() {
        let mut camera = camera();
        let before = camera.target;
        camera.pan(-0.25, 0.1, (before, 10.0));
        let pixel = camera.project(before, [600.0, 400.0]).unwrap();
        assert!((pixel[0] - 400.0).abs() < 1e-6 && (pixel[1] - 240.0).abs() < 1e-6, "{pixel:?}");
    }

    #[test]
    fn neither_the_wheel_nor_the_hand_lose_what_is_to_be_seen() {
        let (mut camera, size) = (camera(), [600.0, 400.0]);
        let ball = (DVec3::new(0.1, 0.5, -0.2), 0.8);
        (0..500).for_each(|_| camera.zoom(1.3, ball));
        // A twelfth of the picture's height is more than a dot.
        let [top, bottom] = [0.8, -0.8].map(|y| camera.project(ball.0 + camera.basis()[1] * y, size).unwrap()[1]);
        assert!((bottom - top).abs() > 400.0 / 12.0, "{top} {bottom}");
        (0..500).for_each(|_| camera.zoom(0.7, ball));
        assert!(camera.distance > 1e-3 && camera.matrix(1.5).iter().flatten().all(|x| x.is_finite()));
        (0..5000).for_each(|_| camera.pan(1.0, 1.0, ball));
        assert!(camera.target.distance(ball.0) <= 3.0 * ball.1 + 1e-9);
        (0..500).for_each(|_| camera.zoom(1.3, ball));
        assert!(
            camera.project(ball.0, size).is_some_and(|[x, y]| (0.0..600.0).contains(&x) && (0.0..400.0).contains(&y))
        );
    }

    #[test]
    fn an_orbit_of_a_camera_has_its_eye() {
        let points = [[-1.0, 0.0, -1.0], [1.0, 1.0, 1.0]];
        let orbit = Orbit::framing(&points, [0.5, 0.4, 1.0], 28.0, 1.5);
        for point in points {
            let [x, y] = orbit.project(point.into(), [300.0, 200.0]).unwrap();
            assert!((0.0..300.0).contains(&x) && (0.0..200.0).contains(&y), "{x} {y}");
        }
    }

    #[test]
    fn the_light_sees_the_whole_ball_and_what_is_nearer_is_less_deep() {
        let (towards, centre) = (DVec3::new(0.3, 1.0, 0.2).normalize(), DVec3::new(1.0, 2.0, 3.0));
        let m = light_matrix(towards, centre, 2.0);
        let near = times(&m, centre + towards * 1.9);
        let far = times(&m, centre - towards * 1.9);
        assert!(near[2] > 0.0 && near[2] < 0.1 && far[2] > 0.9 && far[2] < 1.0, "{near:?} {far:?}");
        let side = times(&m, centre + towards.cross(DVec3::X).normalize() * 1.9);
        assert!(side[0].abs() <= 1.0 && side[1].abs() <= 1.0, "{side:?}");
    }
}
