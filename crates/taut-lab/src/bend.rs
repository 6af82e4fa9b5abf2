//! Bending: the cantilever of ASTM D1388, and pure bending.
//!
//! D1388 pushes a strip of 25 mm over an edge until its tip touches a plane at 41.5°: the overhang O gives the bending
//! length c = O/2 and the flexural rigidity B = ρ g c³. The exact curve of a heavy strip ([`elastica`]) touches the
//! plane at ρ g O³/B = 8.004, so that the standard's rule and the exact one agree to 0.05 %.
//!
//! In pure bending both ends are turned against each other; between them the strip becomes a circular arc with the
//! energy ½ B κ² for each m².

mod report;

pub use report::report;

use crate::rest::{Rest, build, settle};
use crate::{Cloth, Cut, GRAVITY, LabError, Machine, elastica};
use taut_scene::simulation::Simulation;

/// Width of the strip, m.
pub const WIDTH: f64 = 0.025;

/// A strip that bends along the weft or the warp.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// What is bent.
    pub cloth: Cloth,
    /// Mesh and solver; `cells` are those along the free length.
    pub machine: Machine,
    /// The strip's direction from the weft, degrees: 0 bends the weft, 90 the warp.
    pub degrees: f64,
}

/// A strip that hangs over an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overhang {
    /// Length beyond the edge, m.
    pub length: f64,
    /// How far the tip hangs below the edge, m.
    pub droop: f64,
    /// The angle from the edge to the tip below the horizontal, degrees.
    pub angle: f64,
    /// Where the edge is along the strip, m from its middle.
    pub edge: f64,
    /// How it came to rest.
    pub rest: Rest,
}

/// What the cantilever test finds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cantilever {
    /// The overhang whose tip touches the plane at 41.5°.
    pub overhang: Overhang,
    /// ρ g c³ with the bending length c = O/2, as the standard has it, N·m.
    pub standard: f64,
    /// ρ g O³/Λ by the exact curve, N·m.
    pub exact: f64,
}

/// What pure bending finds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Arc {
    /// Curvature in the middle half, 1/m.
    pub curvature: f64,
    /// The largest distance of its line from a circle there, m.
    pub off_circle: f64,
    /// Bending rigidity, N·m: the moment for each m of width over the curvature.
    pub rigidity: f64,
    /// How it came to rest.
    pub rest: Rest,
}

impl Strip {
    /// The rigidity given, N·m; between weft and warp B = B₁ c² + B₂ s² of the angle.
    pub fn given(&self) -> f64 {
        let (s, c) = self.degrees.to_radians().sin_cos();
        self.cloth.bend[0] * c * c + self.cloth.bend[1] * s * s
    }

    /// An angle at the edge spreads its bend over half a cell to either side: the free length begins half a cell before
    /// the last held vertices of a grid. The cell's size for a free length, m.
    fn cell(&self, length: f64) -> f64 {
        length / (f64::from(self.machine.cells.max(2)) + 0.5)
    }

    fn scene_of(&self, about: &str, gravity: f64, size: f64, cell: f64) -> String {
        let (sin, cos) = self.degrees.to_radians().sin_cos();
        let mut text = format!(
            "# {about}: {} bent {}° from the weft.\n{}\n[world]\ngravity = [0, {:?}, 0]\n\n[air]\ndensity = 0\n\n[contact]\non = false\n\n[[cloth]]\nname = \"strip\"\n",
            self.cloth.name,
            self.degrees,
            self.machine.solver.toml(),
            -gravity
        );
        text += &self.machine.sheet([size, WIDTH], cell, "lying");
        text += &self.cloth.toml();
        text + &format!("grain = [{cos:?}, 0.0, {:?}]\n", -sin)
    }

    /// The scene of a strip that hangs over an edge by `length` (m). Two cells lie on the table and are held.
    pub fn cantilever_scene(&self, length: f64) -> String {
        let cell = self.cell(length);
        let size = length + 1.5 * cell;
        let edge = -0.5 * size + 2.0 * cell;
        let text = self.scene_of("A cantilever", GRAVITY, size, cell);
        let select = format!("{{ box = {{ min = [-1e3, -1e3, -1e3], max = [{:?}, 1e3, 1e3] }} }}", edge + 1e-6 * cell);
        text + &format!("\n[[pin]]\nbody = \"strip\"\nselect = {select}\n")
    }

    /// Lets a strip hang over an edge by `length` (m).
    pub fn hang(&self, length: f64) -> Result<(Overhang, Simulation), LabError> {
        let mut simulation = build("cantilever", &self.cantilever_scene(length))?;
        let overhang = self.sag(&mut simulation, length, self.edge(length), 1.0);
        Ok((overhang, simulation))
    }

    /// Where a grid's edge is, m from the middle of a strip that hangs over it by `length` (m).
    fn edge(&self, length: f64) -> f64 {
        1.5 * self.cell(length) - 0.5 * (length + 1.5 * self.cell(length))
    }

    /// Lets a strip come to rest under some times gravity. Seen from `edge` (m from the strip's middle).
    fn sag(&self, simulation: &mut Simulation, length: f64, edge: f64, times: f64) -> Overhang {
        let rest = settle(simulation, self.most(), 1e-6 * length, |params| {
            params.gravity = [0.0, -GRAVITY * times, 0.0];
        });
        let tip = tip(simulation);
        let (droop, reach) = (-tip[1], tip[0] - edge);
        let length = length + self.edge(length) - edge;
        Overhang { length, droop, angle: droop.atan2(reach).to_degrees(), edge, rest }
    }

    /// Finds the overhang whose tip is on the plane of 41.5°. Not by pushing, which would change the mesh with every
    /// try: the shape depends on g O³ alone, so gravity is varied, and the overhang under 1 g follows.
    ///
    /// A mesh is clamped no sharper than its cells are, and where points are scattered the last ones held are no line.
    /// So the edge is where the strip's own curve leaves the level: that of the elastica which follows its outer four
    /// fifths best.
    pub fn cantilever(&self) -> Result<(Cantilever, Simulation), LabError> {
        let load = elastica::load_at(elastica::PLANE_DEGREES);
        let weight = self.cloth.density * GRAVITY;
        let length = (load * self.given() / weight).cbrt();
        let mut simulation = build("cantilever", &self.cantilever_scene(length))?;
        let (mut last, mut times) = (1.0, 1.05);
        self.sag(&mut simulation, length, self.edge(length), last);
        let edge = clamp(&simulation, self.edge(length), load);
        let mut before = self.sag(&mut simulation, length, edge, last);
        let mut now = self.sag(&mut simulation, length, edge, times);
        for _ in 0..8 {
            let slope = (now.angle - before.angle) / (times - last);
            let miss = elastica::PLANE_DEGREES - now.angle;
            if miss.abs() < 1e-4 || !slope.is_finite() || slope <= 0.0 {
                break;
            }
            let next = (times + miss / slope).clamp(0.3 * times, 3.0 * times);
            (last, before, times) = (times, now, next);
            now = self.sag(&mut simulation, length, edge, times);
        }
        let scale = times.cbrt();
        let overhang = Overhang { length: now.length * scale, droop: now.droop * scale, ..now };
        let cube = overhang.length.powi(3);
        Ok((Cantilever { overhang, standard: weight * cube / 8.0, exact: weight * cube / load }, simulation))
    }

    /// The scene of a strip of free length `length` (m) whose ends are turned by `degrees` against each other. A cell
    /// and a half is held at each end, and half a cell of the free length.
    pub fn arc_scene(&self, length: f64, degrees: f64) -> String {
        let (cell, half) = (self.arc_cell(length), 0.5 * degrees);
        let size = length + 3.0 * cell;
        let text = self.scene_of("Pure bending", 0.0, size, cell);
        // A line through scattered points is half a cell before the first ones that it holds, on average.
        let held = if self.machine.cut == Cut::Irregular { 1.0 } else { 0.5 };
        let pin = |side: f64| {
            let edge = side * (0.5 * length - held * cell);
            let (low, high) = if side < 0.0 { (-1e3, edge + 1e-6 * cell) } else { (edge - 1e-6 * cell, 1e3) };
            let about = side * 0.5 * length;
            let keys = |f: &dyn Fn(f64) -> String| -> String {
                let key = |i: u32| format!("{{ time = {i}, value = {} }}, ", f(f64::from(i) / f64::from(TURNS)));
                (0..=TURNS).map(key).collect()
            };
            let turned = keys(&|part| format!("{:?}", side * half * part));
            let moved = keys(&|part| {
                let angle = half.to_radians() * part;
                // Cells stay flat: not an arc but a polygon of the same length, about a circle that it touches in the
                // middle of each side. On the arc itself cloth would be stretched, by little, but cloth is stiff: 2 %
                // of the energy.
                let radius = 0.5 * cell / (0.5 * angle * cell / (0.5 * length)).tan();
                let (x, y) = match part > 0.0 {
                    true => (radius * angle.sin() - 0.5 * length, radius * (1.0 - angle.cos())),
                    false => (0.0, 0.0),
                };
                format!("[{:?}, {y:?}, 0.0]", side * x)
            });
            format!(
                "\n[[pin]]\nbody = \"strip\"\nselect = {{ box = {{ min = [{low:?}, -1e3, -1e3], max = [{high:?}, 1e3, 1e3] }} }}\n\
                 motion.rotate = {{ about = [{about:?}, 0.0, 0.0], axis = [0.0, 0.0, 1.0], degrees = {{ interpolation = \"linear\", keys = [{turned}] }} }}\n\
                 motion.translate = {{ interpolation = \"linear\", keys = [{moved}] }}\n"
            )
        };
        text + &pin(-1.0) + &pin(1.0)
    }

    fn arc_cell(&self, length: f64) -> f64 {
        length / f64::from(self.machine.cells.max(3))
    }

    /// Bends a strip of free length `length` (m) to an arc of `degrees`.
    pub fn arc(&self, length: f64, degrees: f64) -> Result<(Arc, Simulation), LabError> {
        let mut simulation = build("arc", &self.arc_scene(length, degrees))?;
        let turning = (f64::from(TURNS) / self.machine.solver.step).ceil() as u32;
        settle(&mut simulation, turning, 0.0, |_| ());
        let rest = settle(&mut simulation, self.most(), 1e-6 * length, |_| ());
        let (curvature, off_circle) = circle(&simulation, 0.25 * length);
        // The moment by work: half of it times the angle is the energy. It is the same all along, so that the clamps,
        // which are no sharper than a cell, have no say.
        let moment = 2.0 * simulation.metrics().totals.elastic / degrees.to_radians();
        let rigidity = moment / (curvature * WIDTH);
        Ok((Arc { curvature, off_circle, rigidity, rest }, simulation))
    }

    fn most(&self) -> u32 {
        (60.0 / self.machine.solver.step).clamp(300.0, 20_000.0) as u32
    }
}

/// Seconds over which the ends of an arc are turned.
const TURNS: u32 = 12;

/// The middle of the free end, m.
fn tip(simulation: &Simulation) -> [f64; 3] {
    let object = &simulation.objects()[0];
    let now = simulation.positions(0);
    let end = object.groups.iter().find(|group| group.name == "right").map_or(&[][..], |group| &group.vertices);
    std::array::from_fn(|k| end.iter().map(|&v| now[v as usize][k]).sum::<f64>() / end.len().max(1) as f64)
}

/// Where the edge is that a strip hangs over, m from its middle: that of the heavy elastica, of any rigidity, which the
/// strip's outer four fifths follow best, by least squares. Begins at `edge` and a `load` of the elastica.
fn clamp(simulation: &Simulation, edge: f64, load: f64) -> f64 {
    let rest = &simulation.objects()[0].info.rest;
    let now = simulation.positions(0);
    let right = rest.iter().map(|p| p[0]).fold(f64::NEG_INFINITY, f64::max);
    let from = edge + 0.2 * (right - edge);
    let seen: Vec<[f64; 3]> =
        rest.iter().zip(&now).filter(|(r, _)| r[0] >= from).map(|(r, p)| [r[0], p[0], p[1]]).collect();
    // How far each vertex is from where the elastica has it, along and down.
    let misses = |edge: f64, load: f64| -> Vec<f64> {
        let (shape, length) = (elastica::shape(load), right - edge);
        let miss = |&[s, x, y]: &[f64; 3]| {
            let at = ((s - edge) / length).clamp(0.0, 1.0) * (shape.len() - 1) as f64;
            let (low, part) = ((at as usize).min(shape.len() - 2), at - (at as usize).min(shape.len() - 2) as f64);
            let on = |k: usize| length * (shape[low][k] * (1.0 - part) + shape[low + 1][k] * part);
            [x - edge - on(0), y + on(1)]
        };
        seen.iter().flat_map(miss).collect()
    };
    let (mut at, mut weight) = (edge, load);
    for _ in 0..8 {
        let now = misses(at, weight);
        let (along, heavier) = (1e-4 * (right - at), 1e-4 * weight);
        let slope =
            |then: Vec<f64>, by: f64| -> Vec<f64> { then.iter().zip(&now).map(|(t, n)| (t - n) / by).collect() };
        let (u, v) = (slope(misses(at + along, weight), along), slope(misses(at, weight + heavier), heavier));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (uu, uv, vv, ru, rv) = (dot(&u, &u), dot(&u, &v), dot(&v, &v), dot(&u, &now), dot(&v, &now));
        let whole = uu * vv - uv * uv;
        if !(whole > 0.0 && whole.is_finite()) {
            return edge;
        }
        let (by, more) = ((ru * vv - rv * uv) / whole, (rv * uu - ru * uv) / whole);
        at = (at - by).clamp(edge - 0.2 * (right - edge), from);
        weight = (weight - more).clamp(0.3 * load, 3.0 * load);
        if by.abs() < 1e-6 * (right - edge) {
            break;
        }
    }
    at
}

/// Curvature of the strip within `reach` (m) of its middle, by least squares: a circle through x² + y² = 2 a x + 2 b y
/// + c; and the largest distance from it.
fn circle(simulation: &Simulation, reach: f64) -> (f64, f64) {
    let rest = &simulation.objects()[0].info.rest;
    let now = simulation.positions(0);
    let points: Vec<[f64; 2]> =
        rest.iter().zip(&now).filter(|(r, _)| r[0].abs() <= reach).map(|(_, p)| [p[0], p[1]]).collect();
    let n = points.len().max(1) as f64;
    let mean: [f64; 2] = std::array::from_fn(|k| points.iter().map(|p| p[k]).sum::<f64>() / n);
    let (mut m, mut b) = ([[0.0; 3]; 3], [0.0; 3]);
    for p in &points {
        let (x, y) = (p[0] - mean[0], p[1] - mean[1]);
        let (row, square) = ([2.0 * x, 2.0 * y, 1.0], x * x + y * y);
        for i in 0..3 {
            b[i] += row[i] * square;
            (0..3).for_each(|j| m[i][j] += row[i] * row[j]);
        }
    }
    let Some([a, c, d]) = solve(m, b) else { return (0.0, f64::INFINITY) };
    let radius = (d + a * a + c * c).max(0.0).sqrt();
    let off = points.iter().map(|p| ((p[0] - mean[0] - a).hypot(p[1] - mean[1] - c) - radius).abs());
    (1.0 / radius, off.fold(0.0, f64::max))
}

/// Three linear equations, by Cramer's rule; nothing if they say the same twice.
fn solve(m: [[f64; 3]; 3], b: [f64; 3]) -> Option<[f64; 3]> {
    let det = |m: [[f64; 3]; 3]| {
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    };
    let whole = det(m);
    let column = |k: usize| {
        let mut changed = m;
        (0..3).for_each(|i| changed[i][k] = b[i]);
        det(changed) / whole
    };
    (whole != 0.0 && whole.is_finite()).then(|| [column(0), column(1), column(2)])
}
