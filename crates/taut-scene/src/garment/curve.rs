//! Edges of panels: lines, Bézier curves and arcs, by the length along them.

use super::pattern::{Curve, Edge};

/// Straight pieces that a curve is measured by.
const PIECES: usize = 128;

/// Points of the plane, m.
pub(super) type Point = [f64; 2];

pub(super) fn distance(a: Point, b: Point) -> f64 {
    ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])).sqrt()
}

pub(super) fn mix(a: Point, b: Point, t: f64) -> Point {
    [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t]
}

/// An arc as a centre and angles, rad.
struct Arc {
    centre: Point,
    radius: f64,
    start: f64,
    turn: f64,
}

impl Arc {
    /// The arc of SVG's rules, angles counted from x towards y. A radius shorter than half the chord is taken as that.
    fn new(edge: &Edge, radius: f64, large: bool, right: bool) -> Self {
        let (from, to) = (edge.from, edge.to);
        let chord = distance(from, to);
        let radius = radius.abs().max(0.5 * chord);
        let off = (radius * radius - 0.25 * chord * chord).max(0.0).sqrt();
        let side = if large == right { -1.0 } else { 1.0 };
        let middle = mix(from, to, 0.5);
        let along = [(to[0] - from[0]) / chord.max(1e-300), (to[1] - from[1]) / chord.max(1e-300)];
        let centre = [middle[0] - side * off * along[1], middle[1] + side * off * along[0]];
        let angle = |p: Point| libm::atan2(p[1] - centre[1], p[0] - centre[0]);
        let (start, end) = (angle(from), angle(to));
        let full = 2.0 * std::f64::consts::PI;
        let mut turn = end - start;
        if right && turn < 0.0 {
            turn += full;
        } else if !right && turn > 0.0 {
            turn -= full;
        }
        Arc { centre, radius, start, turn }
    }

    fn at(&self, t: f64) -> Point {
        let angle = self.start + self.turn * t;
        [self.centre[0] + self.radius * libm::cos(angle), self.centre[1] + self.radius * libm::sin(angle)]
    }
}

impl Edge {
    /// The point at parameter `t`, 0 to 1: not by length.
    fn point(&self, t: f64) -> Point {
        if t <= 0.0 {
            return self.from;
        }
        if t >= 1.0 {
            return self.to;
        }
        match self.curve {
            Curve::Line => mix(self.from, self.to, t),
            Curve::Through { ref points } => {
                let place = t * (points.len() + 1) as f64;
                let piece = (place as usize).min(points.len());
                let at = |i: usize| if i == 0 { self.from } else { points.get(i - 1).copied().unwrap_or(self.to) };
                mix(at(piece), at(piece + 1), place - piece as f64)
            }
            Curve::Quadratic { control } => {
                let (a, b) = (mix(self.from, control, t), mix(control, self.to, t));
                mix(a, b, t)
            }
            Curve::Cubic { controls: [c, d] } => {
                let (a, b, e) = (mix(self.from, c, t), mix(c, d, t), mix(d, self.to, t));
                mix(mix(a, b, t), mix(b, e, t), t)
            }
            Curve::Arc { radius, large, right } => Arc::new(self, radius, large, right).at(t),
        }
    }

    /// Into how many pieces it is taken apart, if a curve is into so many.
    fn pieces(&self, of_a_curve: usize) -> usize {
        match &self.curve {
            Curve::Line => 1,
            Curve::Through { points } => points.len() + 1,
            _ => of_a_curve,
        }
    }

    /// Cut in two at a part of its length, 0 to 1: both halves through points, if it is no line.
    pub(super) fn cut(&self, part: f64) -> [Edge; 2] {
        let mut table: Vec<f64> = self.table().into_iter().map(|(_, length)| length).collect();
        let all = table.pop().unwrap_or(0.0).max(1e-300);
        let parts: Vec<f64> = table.iter().skip(1).map(|length| length / all).collect();
        let points = self.points_at(&parts);
        let middle = self.points_at(&[part])[0];
        let half = |from: Point, to: Point, within: &dyn Fn(f64) -> bool| {
            let points: Vec<Point> =
                parts.iter().zip(&points).filter(|(at, _)| within(**at)).map(|(_, point)| *point).collect();
            let curve = if points.is_empty() { Curve::Line } else { Curve::Through { points } };
            Edge { from, to, curve, label: self.label.clone() }
        };
        [half(self.from, middle, &|at| at < part - 1e-9), half(middle, self.to, &|at| at > part + 1e-9)]
    }

    /// Parameters and lengths (m) from the start at the ends of its pieces.
    fn table(&self) -> Vec<(f64, f64)> {
        let pieces = self.pieces(PIECES);
        let mut out = vec![(0.0, 0.0)];
        let (mut last, mut length) = (self.from, 0.0);
        for piece in 1..=pieces {
            let t = piece as f64 / pieces as f64;
            let point = self.point(t);
            length += distance(last, point);
            out.push((t, length));
            last = point;
        }
        out
    }

    /// Its length, m.
    pub fn length(&self) -> f64 {
        self.table().last().map_or(0.0, |&(_, length)| length)
    }

    /// The points at these parts of its length, 0 to 1.
    pub fn points_at(&self, parts: &[f64]) -> Vec<[f64; 2]> {
        let table = self.table();
        let all = table.last().map_or(0.0, |&(_, length)| length);
        let at = |&part: &f64| {
            let wanted = part * all;
            let after = table.partition_point(|&(_, length)| length < wanted).clamp(1, table.len() - 1);
            let ((t0, l0), (t1, l1)) = (table[after - 1], table[after]);
            let within = if l1 > l0 { ((wanted - l0) / (l1 - l0)).clamp(0.0, 1.0) } else { 0.0 };
            if part <= 0.0 { self.from } else { self.point(t0 + (t1 - t0) * within) }
        };
        parts.iter().map(at).collect()
    }

    /// Points along it, without the last one: few for a line, enough to see a curve.
    pub(super) fn sketch(&self) -> Vec<Point> {
        let pieces = self.pieces(16);
        (0..pieces).map(|piece| self.point(piece as f64 / pieces as f64)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(curve: Curve) -> Edge {
        Edge { from: [0.0, 0.0], to: [1.0, 0.0], curve, label: String::new() }
    }

    #[test]
    fn lengths_of_known_curves() {
        assert_eq!(edge(Curve::Line).length(), 1.0);
        let half = Curve::Arc { radius: 0.5, large: false, right: true };
        assert!((edge(half).length() - 0.5 * std::f64::consts::PI).abs() < 1e-4);
        // Three quarters of a circle around (½, −½) or (½, ½).
        let large = Curve::Arc { radius: 0.5f64.sqrt(), large: true, right: true };
        let expected = 1.5 * std::f64::consts::PI * 0.5f64.sqrt();
        assert!((edge(large.clone()).length() - expected).abs() < 1e-3, "{}", edge(large).length());
        // y = 2·h·t(1−t) with h = 1: a parabola of height ½.
        let bow = Curve::Quadratic { control: [0.5, 1.0] };
        let exact = 0.5 * 5f64.sqrt() + 0.25 * 2f64.asinh();
        assert!((edge(bow).length() - exact).abs() < 1e-4);
        let straight = Curve::Cubic { controls: [[0.2, 0.0], [0.9, 0.0]] };
        assert!((edge(straight).length() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn an_arc_to_the_right_goes_counter_clockwise() {
        let half = edge(Curve::Arc { radius: 0.5, large: false, right: true });
        let [middle] = half.points_at(&[0.5])[..] else { panic!("one point") };
        assert!(distance(middle, [0.5, -0.5]) < 1e-9, "{middle:?}");
    }

    #[test]
    fn an_edge_that_is_cut_is_as_long_as_before() {
        let curve = edge(Curve::Cubic { controls: [[0.05, 0.25], [0.15, 0.2]] });
        let bent = edge(Curve::Through { points: vec![[0.5, 0.5], [0.75, 0.0]] });
        assert!((bent.length() - (0.5f64.sqrt() + 0.3125f64.sqrt() + 0.25)).abs() < 1e-12);
        for whole in [curve, bent, edge(Curve::Line)] {
            let [first, second] = whole.cut(0.3);
            assert_eq!((first.from, second.to, first.to), (whole.from, whole.to, second.from));
            assert!((first.length() - 0.3 * whole.length()).abs() < 1e-4 * whole.length(), "{whole:?}");
            assert!((first.length() + second.length() - whole.length()).abs() < 1e-6, "{whole:?}");
        }
    }

    #[test]
    fn points_are_spaced_by_length() {
        let curve = edge(Curve::Cubic { controls: [[0.05, 0.25], [0.15, 0.2]] });
        let parts: Vec<f64> = (0..=10).map(|i| f64::from(i) / 10.0).collect();
        let points = curve.points_at(&parts);
        assert_eq!((points[0], points[10]), (curve.from, curve.to));
        let steps: Vec<f64> = points.windows(2).map(|pair| distance(pair[0], pair[1])).collect();
        let mean = curve.length() / 10.0;
        // Chords are a little shorter than the curve where it bends.
        assert!(steps.iter().all(|step| *step < 1.001 * mean && *step > 0.9 * mean), "{steps:?} of {mean}");
    }
}
