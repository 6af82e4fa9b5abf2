//! A camera that circles a point, and the maths between the world and a picture.

use taut_render::{Camera, Framing};

/// A point or direction, m.
pub type V3 = [f64; 3];

pub(crate) fn add(a: V3, b: V3) -> V3 {
    std::array::from_fn(|k| a[k] + b[k])
}
pub(crate) fn sub(a: V3, b: V3) -> V3 {
    std::array::from_fn(|k| a[k] - b[k])
}
pub(crate) fn scale(a: V3, s: f64) -> V3 {
    a.map(|x| x * s)
}
pub(crate) fn dot(a: V3, b: V3) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}
pub(crate) fn cross(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
/// A direction of length 1; zero stays zero.
pub(crate) fn unit(a: V3) -> V3 {
    scale(a, 1.0 / dot(a, a).sqrt().max(f64::MIN_POSITIVE))
}

/// A matrix by columns, as shaders want it.
pub type Matrix = [[f32; 4]; 4];

/// A camera that circles a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// What it looks at, m.
    pub target: V3,
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

impl Orbit {
    /// The camera that sees all points from a direction, in pictures with this width over height. There is room for a legend at
    /// the right.
    pub fn framing(points: &[V3], direction: V3, fov: f64, aspect: f64) -> Self {
        let framing = Framing { direction, fov_y_degrees: fov, aspect, margins: [0.08, 0.13, 0.1, 0.1] };
        Orbit::of(&Camera::fitting(points, &framing))
    }

    /// As another camera, whose up is up.
    pub fn of(camera: &Camera) -> Self {
        let away = sub(camera.eye, camera.target);
        let distance = dot(away, away).sqrt().max(1e-6);
        let pitch = (away[1] / distance).clamp(-1.0, 1.0).asin().clamp(-STEEPEST, STEEPEST);
        Orbit { target: camera.target, yaw: away[0].atan2(away[2]), pitch, distance, fov: camera.fov_y_degrees }
    }

    /// From the target to the eye, of length 1.
    pub fn direction(&self) -> V3 {
        let (sin, cos) = self.pitch.sin_cos();
        [self.yaw.sin() * cos, sin, self.yaw.cos() * cos]
    }

    /// Where the eye is, m.
    pub fn eye(&self) -> V3 {
        add(self.target, scale(self.direction(), self.distance))
    }

    /// Right, up, and back towards the viewer.
    pub fn basis(&self) -> [V3; 3] {
        let back = self.direction();
        let right = [self.yaw.cos(), 0.0, -self.yaw.sin()];
        [right, cross(back, right), back]
    }

    /// Turns by angles, radians.
    pub fn turn(&mut self, yaw: f64, pitch: f64) {
        self.yaw = (self.yaw + yaw).rem_euclid(std::f64::consts::TAU);
        self.pitch = (self.pitch + pitch).clamp(-STEEPEST, STEEPEST);
    }

    /// Moves across the view, by shares of the picture's height.
    pub fn pan(&mut self, right: f64, up: f64) {
        let [x, y, _] = self.basis();
        let size = 2.0 * self.distance * self.half();
        self.target = add(self.target, add(scale(x, right * size), scale(y, up * size)));
    }

    /// Comes closer (below 1) or goes away.
    pub fn zoom(&mut self, factor: f64) {
        self.distance = (self.distance * factor).clamp(1e-3, 1e4);
    }

    /// A camera a share of the way to another one, that looks from the same direction.
    pub fn towards(&self, other: &Orbit, share: f64) -> Orbit {
        let target = add(self.target, scale(sub(other.target, self.target), share));
        Orbit { target, distance: self.distance + share * (other.distance - self.distance), ..*self }
    }

    /// The tangent of half the angle of view.
    fn half(&self) -> f64 {
        (0.5 * self.fov.to_radians()).tan()
    }

    /// From the world to clip space, with depth 0 to 1, for pictures with this width over height.
    pub fn matrix(&self, aspect: f64) -> Matrix {
        let (near, far) = (0.02 * self.distance, 50.0 * self.distance);
        let [x, y, z] = self.basis();
        let eye = self.eye();
        let (fy, fx) = (1.0 / self.half(), 1.0 / (self.half() * aspect));
        let (a, b) = (far / (near - far), near * far / (near - far));
        // Rows of the product of projection and view.
        let row = |axis: V3, s: f64| [axis[0] * s, axis[1] * s, axis[2] * s, -dot(axis, eye) * s];
        let depth = row(z, 1.0);
        let rows =
            [row(x, fx), row(y, fy), [depth[0] * a, depth[1] * a, depth[2] * a, depth[3] * a + b], depth.map(|v| -v)];
        std::array::from_fn(|column| std::array::from_fn(|k| rows[k][column] as f32))
    }

    /// Where a point falls in a picture of this size, pixels right and down; nothing behind the eye.
    pub fn project(&self, point: V3, [width, height]: [f64; 2]) -> Option<[f64; 2]> {
        let [x, y, z] = self.basis().map(|axis| dot(axis, sub(point, self.eye())));
        let size = 0.5 * height / self.half();
        (z < 0.0).then(|| [0.5 * width - x / z * size, 0.5 * height + y / z * size])
    }

    /// The direction from the eye through a pixel, of length 1.
    pub fn ray(&self, [px, py]: [f64; 2], [width, height]: [f64; 2]) -> V3 {
        let [x, y, z] = self.basis();
        let s = 2.0 * self.half() / height.max(1.0);
        unit(sub(add(scale(x, (px - 0.5 * width) * s), scale(y, (0.5 * height - py) * s)), z))
    }
}

/// From the world to the depth picture of a light far away in a direction, which sees a ball.
pub fn light_matrix(towards: V3, centre: V3, radius: f64) -> Matrix {
    let z = unit(towards);
    let x = unit(cross(if z[1].abs() > 0.99 { [0.0, 0.0, 1.0] } else { [0.0, 1.0, 0.0] }, z));
    let y = cross(z, x);
    let r = radius.max(1e-6);
    let row = |axis: V3, s: f64, off: f64| [axis[0] * s, axis[1] * s, axis[2] * s, off - dot(axis, centre) * s];
    let rows = [row(x, 1.0 / r, 0.0), row(y, 1.0 / r, 0.0), row(z, -0.5 / r, 0.5), [0.0, 0.0, 0.0, 1.0]];
    std::array::from_fn(|column| std::array::from_fn(|k| rows[k][column] as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> Orbit {
        Orbit { target: [0.1, 0.5, -0.2], yaw: 0.7, pitch: 0.4, distance: 3.0, fov: 30.0 }
    }

    fn times(m: &Matrix, p: V3) -> [f64; 4] {
        let p = [p[0], p[1], p[2], 1.0];
        std::array::from_fn(|row| (0..4).map(|column| f64::from(m[column][row]) * p[column]).sum())
    }

    #[test]
    fn matrix_projection_and_ray_agree() {
        let (camera, size) = (camera(), [800.0, 500.0]);
        for point in [[0.3, 0.9, 0.1], [-0.6, 0.2, -0.9], camera.target] {
            let pixel = camera.project(point, size).unwrap();
            let clip = times(&camera.matrix(size[0] / size[1]), point);
            let shown = [0.5 * (1.0 + clip[0] / clip[3]) * size[0], 0.5 * (1.0 - clip[1] / clip[3]) * size[1]];
            assert!((0..2).all(|k| (pixel[k] - shown[k]).abs() < 1e-2), "{pixel:?} {shown:?}");
            assert!((0.0..1.0).contains(&(clip[2] / clip[3])));
            let (ray, way) = (camera.ray(pixel, size), unit(sub(point, camera.eye())));
            assert!(dot(ray, way) > 1.0 - 1e-9, "{ray:?} {way:?}");
        }
        assert!(camera.project(add(camera.eye(), camera.direction()), size).is_none());
    }

    #[test]
    fn pan_moves_the_picture_by_as_much_as_the_hand() {
        let mut camera = camera();
        let before = camera.target;
        camera.pan(-0.25, 0.1);
        let pixel = camera.project(before, [600.0, 400.0]).unwrap();
        assert!((pixel[0] - 400.0).abs() < 1e-6 && (pixel[1] - 240.0).abs() < 1e-6, "{pixel:?}");
    }

    #[test]
    fn an_orbit_of_a_camera_has_its_eye() {
        let points = [[-1.0, 0.0, -1.0], [1.0, 1.0, 1.0]];
        let orbit = Orbit::framing(&points, [0.5, 0.4, 1.0], 28.0, 1.5);
        for point in points {
            let [x, y] = orbit.project(point, [300.0, 200.0]).unwrap();
            assert!((0.0..300.0).contains(&x) && (0.0..200.0).contains(&y), "{x} {y}");
        }
    }

    #[test]
    fn the_light_sees_the_whole_ball_and_what_is_nearer_is_less_deep() {
        let towards = unit([0.3, 1.0, 0.2]);
        let m = light_matrix(towards, [1.0, 2.0, 3.0], 2.0);
        let near = times(&m, add([1.0, 2.0, 3.0], scale(towards, 1.9)));
        let far = times(&m, sub([1.0, 2.0, 3.0], scale(towards, 1.9)));
        assert!(near[2] > 0.0 && near[2] < 0.1 && far[2] > 0.9 && far[2] < 1.0, "{near:?} {far:?}");
        let side = times(&m, add([1.0, 2.0, 3.0], scale(unit(cross(towards, [1.0, 0.0, 0.0])), 1.9)));
        assert!(side[0].abs() <= 1.0 && side[1].abs() <= 1.0, "{side:?}");
    }
}
