//! From data to places along an axis.

use super::Axis;
use crate::ticks;

/// An axis with its ends chosen.
pub(crate) struct Ruler {
    lo: f64,
    hi: f64,
    log: bool,
    /// Where the ends lie, in SVG units.
    from: f64,
    to: f64,
}

impl Ruler {
    /// Chooses the ends so that all usable `values` fit. `padded` leaves some air; `from_zero` keeps zero in view when
    /// all values are on one side of it.
    pub fn fit(
        axis: &Axis,
        values: impl Iterator<Item = f64>,
        padded: bool,
        from_zero: bool,
        [from, to]: [f64; 2],
    ) -> Ruler {
        let usable = |v: &f64| is_usable(*v, axis.log);
        let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
        values.filter(usable).for_each(|v| (lo, hi) = (lo.min(v), hi.max(v)));
        if let Some([a, b]) = axis.range.filter(|[a, b]| a < b && usable(a) && usable(b)) {
            return Ruler { lo: a, hi: b, log: axis.log, from, to };
        }
        if lo > hi {
            (lo, hi) = if axis.log { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        if axis.log {
            let air = if padded { (hi / lo).powf(0.05).max(1.1) } else { 1.0 };
            let (lo, hi) = if lo == hi { (lo / 2.0, hi * 2.0) } else { (lo / air, hi * air) };
            return Ruler { lo, hi, log: true, from, to };
        }
        if from_zero {
            (lo, hi) = (lo.min(0.0), hi.max(0.0));
        }
        if lo == hi {
            let air = if lo == 0.0 { 1.0 } else { 0.1 * lo.abs() };
            (lo, hi) = (lo - air, hi + air);
        } else if padded {
            let air = 0.06 * (hi - lo);
            // No air below zero when nothing goes there.
            (lo, hi) = (if lo == 0.0 { lo } else { lo - air }, if hi == 0.0 { hi } else { hi + air });
        }
        Ruler { lo, hi, log: false, from, to }
    }

    /// Where a value lies; None if it has no place here.
    pub fn place(&self, value: f64) -> Option<f64> {
        if !is_usable(value, self.log) {
            return None;
        }
        let t = match self.log {
            true => (value / self.lo).ln() / (self.hi / self.lo).ln(),
            false => (value - self.lo) / (self.hi - self.lo),
        };
        Some(self.from + t * (self.to - self.from))
    }

    /// Round values along the axis, and how to write them.
    pub fn ticks(&self, wanted: usize) -> Vec<(f64, String)> {
        if self.log {
            let values = ticks::logarithmic(self.lo, self.hi);
            if values.len() >= 2 {
                return values.into_iter().map(|v| (v, ticks::power_label(v))).collect();
            }
        }
        let values = ticks::linear(self.lo, self.hi, wanted);
        let step = if values.len() > 1 { values[1] - values[0] } else { 0.0 };
        values.into_iter().map(|v| (v, ticks::label(v, step))).collect()
    }

    /// What a script needs to turn places back into values.
    pub fn describe(&self) -> String {
        format!("{},{},{},{},{}", self.from, self.to, self.lo, self.hi, self.log as u8)
    }
}

/// Whether a value can have a place. Values so large that their differences overflow cannot.
fn is_usable(value: f64, log: bool) -> bool {
    value.abs() < 1e300 && (!log || value > 1e-300)
}

impl Axis {
    /// The label with its unit.
    pub(crate) fn caption(&self) -> String {
        match (self.label.is_empty(), self.unit.is_empty()) {
            (_, true) => self.label.clone(),
            (true, false) => self.unit.clone(),
            (false, false) => format!("{} ({})", self.label, self.unit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruler(log: bool, values: &[f64]) -> Ruler {
        let axis = Axis { log, ..Axis::default() };
        Ruler::fit(&axis, values.iter().copied(), false, false, [0.0, 100.0])
    }

    #[test]
    fn places_are_linear_or_logarithmic() {
        let linear = ruler(false, &[2.0, f64::NAN, 4.0, f64::INFINITY]);
        assert_eq!(linear.place(3.0), Some(50.0));
        assert_eq!(linear.place(f64::NAN), None);
        let log = ruler(true, &[-5.0, 0.0, 1.0, 100.0]);
        assert!((log.place(10.0).unwrap() - 50.0).abs() < 1e-9);
        assert_eq!(log.place(0.0), None);
    }

    #[test]
    fn odd_data_still_gives_an_axis() {
        for values in [&[][..], &[f64::NAN], &[0.0], &[7.0], &[-1e300, 1e300], &[1e-300]] {
            for log in [false, true] {
                let ruler = ruler(log, values);
                assert!(ruler.lo < ruler.hi, "{values:?} {log}");
                assert!(!ruler.ticks(5).is_empty());
            }
        }
    }
}
