//! Round numbers for axes and legends, and how to write them.

/// Round numbers from `lo` to `hi`, about `wanted` of them: steps of 1, 2 or 5 times a power of ten.
pub(crate) fn linear(lo: f64, hi: f64, wanted: usize) -> Vec<f64> {
    let span = hi - lo;
    if span.is_nan() || span <= 0.0 || !span.is_finite() {
        return vec![lo];
    }
    let rough = span / wanted.max(1) as f64;
    let decade = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * decade).into_iter().min_by(|a, b| {
        let off = |s: f64| (s / rough).ln().abs();
        off(*a).total_cmp(&off(*b))
    });
    let step = step.unwrap_or(decade);
    let first = (lo / step - 1e-6).ceil() as i64;
    let last = (hi / step + 1e-6).floor() as i64;
    (first..=last).map(|i| i as f64 * step).collect()
}

/// Round numbers that include both ends, if a round step fits; else as [`linear`].
pub(crate) fn with_ends(lo: f64, hi: f64) -> Vec<f64> {
    let span = hi - lo;
    if span.is_nan() || span <= 0.0 || !span.is_finite() {
        return vec![lo];
    }
    let decade = 10f64.powf(span.log10().floor());
    let whole = |v: f64| (v - v.round()).abs() < 1e-6;
    let steps = [5.0, 2.0, 2.5, 1.0, 0.5, 0.2, 0.25, 0.1].map(|m| m * decade);
    let fits = |s: &f64| (4..=6).contains(&((span / s).round() as i64)) && whole(lo / s) && whole(hi / s);
    match steps.into_iter().find(fits) {
        Some(step) => (0..=(span / step).round() as i64).map(|i| lo + i as f64 * step).collect(),
        None => linear(lo, hi, 5),
    }
}

/// Powers of ten from `lo` to `hi`, with 2 and 5 between where there are few.
pub(crate) fn logarithmic(lo: f64, hi: f64) -> Vec<f64> {
    let (first, last) = (lo.log10().floor() as i32, hi.log10().ceil() as i32);
    let leads: &[f64] = if last - first <= 3 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let every = ((last - first) / 10 + 1) as usize;
    let inside = |v: &f64| *v >= lo * (1.0 - 1e-9) && *v <= hi * (1.0 + 1e-9);
    let decades = (first..=last).step_by(every).map(|e| 10f64.powi(e));
    decades.flat_map(|d| leads.iter().map(move |l| l * d)).filter(inside).collect()
}

/// A number with as many decimals as the distance to its neighbours calls for.
pub(crate) fn label(value: f64, step: f64) -> String {
    let size = value.abs().max(step.abs());
    if value == 0.0 {
        return "0".into();
    }
    if !(1e-4..1e6).contains(&size) {
        return tidy(&format!("{value:.1e}").replace(".0e", "e"));
    }
    let whole = |d: usize| (step * 10f64.powi(d as i32)).fract().abs() < 1e-6 * step.abs().max(1.0);
    let first = if step > 0.0 { (-(step * 1.0001).log10().floor()).clamp(0.0, 9.0) as usize } else { 2 };
    // A step of 2.5 needs one more decimal than its size tells.
    let decimals = if step <= 0.0 || whole(first) { first } else { first + 1 };
    tidy(&format!("{value:.decimals$}"))
}

/// A tick of a logarithmic axis: plain while short, else as a power of ten.
pub(crate) fn power_label(value: f64) -> String {
    if (1e-3..1e4).contains(&value) {
        return significant(value);
    }
    let power = (value * (1.0 + 1e-9)).log10().floor();
    let lead = (value / 10f64.powf(power)).round();
    let raised = |c: char| match c {
        '-' => '⁻',
        digit => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit.to_digit(10).unwrap_or(0) as usize],
    };
    let power: String = format!("{power}").chars().map(raised).collect();
    if lead == 1.0 { format!("10{power}") } else { format!("{lead}·10{power}") }
}

/// A number with three significant digits, for tables and tooltips.
pub(crate) fn significant(value: f64) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    if value == 0.0 {
        return "0".into();
    }
    let power = value.abs().log10().floor() as i32;
    if !(-4..6).contains(&power) {
        return tidy(&format!("{value:.2e}"));
    }
    let decimals = (2 - power).max(0) as usize;
    let text = format!("{value:.decimals$}");
    tidy(if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text })
}

/// A quantity with three significant digits and the SI prefix that keeps it between 1 and 1000, as number and unit:
/// 0.0123 and "J" give "12.3" and "mJ". Beyond pico and tera, "0" and a power of ten.
pub(crate) fn prefixed(value: f64, unit: &str) -> (String, String) {
    const PREFIXES: [(f64, &str); 9] = [
        (1e12, "T"),
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "k"),
        (1.0, ""),
        (1e-3, "m"),
        (1e-6, "µ"),
        (1e-9, "n"),
        (1e-12, "p"),
    ];
    // What rounds to 1000 belongs to the next prefix.
    let fits = |(size, _): &&(f64, &str)| value.abs() >= 0.9995 * size;
    match PREFIXES.iter().find(fits) {
        Some(&(size, prefix)) if value.abs() < 1e15 => (significant(value / size), format!("{prefix}{unit}")),
        None if value.is_finite() => ("0".into(), unit.into()),
        _ => (significant(value), unit.into()),
    }
}

/// A true minus sign, as wide as a plus.
fn tidy(text: &str) -> String {
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(linear(0.0, 1.0, 5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(linear(-7.0, 8.0, 6), [-6.0, -4.0, -2.0, 0.0, 2.0, 4.0, 6.0, 8.0]);
        for (lo, hi) in [(0.0, 1e-9), (-3e8, 7e8), (0.123, 0.124), (-1.0, 0.0)] {
            let ticks = linear(lo, hi, 5);
            assert!((3..=9).contains(&ticks.len()), "{lo}..{hi}: {ticks:?}");
            let slack = 1e-5 * (hi - lo);
            assert!(ticks.iter().all(|t| *t >= lo - slack && *t <= hi + slack), "{ticks:?}");
        }
    }

    #[test]
    fn legends_show_their_ends() {
        assert_eq!(with_ends(-5.0, 5.0), [-5.0, -2.5, 0.0, 2.5, 5.0]);
        assert_eq!(with_ends(-20.0, 20.0), [-20.0, -10.0, 0.0, 10.0, 20.0]);
        assert_eq!(with_ends(0.0, 100.0), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(with_ends(0.0, 0.0), [0.0]);
        assert!(with_ends(0.013, 0.987).len() >= 3);
        assert_eq!(label(-2.5, 2.5), "\u{2212}2.5");
        assert_eq!(label(5.0, 2.5), "5.0");
        assert_eq!(label(0.25, 0.25), "0.25");
    }

    #[test]
    fn log_ticks_are_powers_of_ten() {
        assert_eq!(logarithmic(1.0, 1e6), [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6]);
        assert_eq!(logarithmic(3.0, 60.0), [5.0, 10.0, 20.0, 50.0]);
        assert!(logarithmic(1e-30, 1e30).len() <= 12);
    }

    #[test]
    fn quantities_have_prefixes() {
        let written = |value| prefixed(value, "J");
        let pair = |number: &str, unit: &str| (number.to_owned(), unit.to_owned());
        assert_eq!(written(3.4), pair("3.4", "J"));
        assert_eq!(written(-0.01234), pair("\u{2212}12.3", "mJ"));
        assert_eq!(written(1234.0), pair("1.23", "kJ"));
        assert_eq!(written(999.7), pair("1", "kJ"));
        assert_eq!(written(0.9996e-6), pair("1", "µJ"));
        assert_eq!(written(0.0), pair("0", "J"));
        assert_eq!(written(1e-20), pair("0", "J"));
        assert_eq!(written(2e20), pair("2.00e20", "J"));
        assert_eq!(written(f64::NAN), pair("–", "J"));
    }

    #[test]
    fn labels_have_the_decimals_they_need() {
        assert_eq!(label(0.6000000000000001, 0.2), "0.6");
        assert_eq!(label(-0.05, 0.05), "\u{2212}0.05");
        assert_eq!(label(1500.0, 500.0), "1500");
        assert_eq!(label(2e7, 1e7), "2e7");
        assert_eq!(label(0.0, 1e-9), "0");
        assert_eq!(significant(0.012345), "0.0123");
        assert_eq!(significant(1234.5), "1234");
        assert_eq!(significant(2.5), "2.5");
        assert_eq!(significant(100.0), "100");
        assert_eq!(significant(f64::NAN), "–");
        assert_eq!(power_label(100.0), "100");
        assert_eq!(power_label(1e6), "10⁶");
        assert_eq!(power_label(5e-12), "5·10⁻¹²");
    }
}
