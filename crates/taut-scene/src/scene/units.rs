//! Numbers that someone wrote with their unit: what they are in the unit the key has.

/// What a text such as `200 g/m2` is in `wanted`, the unit of a key; nothing if it is not a number and a unit of the
/// same kind.
pub(crate) fn convert(text: &str, wanted: &str) -> Option<f64> {
    let text = text.trim();
    let split = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+')))?;
    let (number, unit) = text.split_at(split);
    let number: f64 = number.parse().ok()?;
    let unit = unit.trim().replace('2', "²").replace('3', "³");
    let &(_, factor, _) = UNITS.iter().find(|&&(name, _, base)| name == unit && base == wanted)?;
    let value = number * factor;
    // Twelve digits hide that 0.001 is not a number of the computer's.
    format!("{value:.12}").parse().ok()
}

/// A unit's name, what one of it is in the base unit, and the base unit.
static UNITS: &[(&str, f64, &str)] = &[
    ("m", 1.0, "m"),
    ("cm", 0.01, "m"),
    ("mm", 0.001, "m"),
    ("in", 0.0254, "m"),
    ("inch", 0.0254, "m"),
    ("ft", 0.3048, "m"),
    ("s", 1.0, "s"),
    ("ms", 0.001, "s"),
    ("min", 60.0, "s"),
    ("m/s", 1.0, "m/s"),
    ("km/h", 1.0 / 3.6, "m/s"),
    ("kmh", 1.0 / 3.6, "m/s"),
    ("mph", 0.44704, "m/s"),
    ("m/s²", 1.0, "m/s²"),
    ("kg/m²", 1.0, "kg/m²"),
    ("g/m²", 0.001, "kg/m²"),
    ("gsm", 0.001, "kg/m²"),
    ("kg/m³", 1.0, "kg/m³"),
    ("g/cm³", 1000.0, "kg/m³"),
    ("°", 1.0, "degrees"),
    ("deg", 1.0, "degrees"),
    ("degrees", 1.0, "degrees"),
    ("rad", 180.0 / std::f64::consts::PI, "degrees"),
    ("fps", 1.0, "1/s"),
    ("Hz", 1.0, "1/s"),
    ("1/s", 1.0, "1/s"),
    ("%/s", 0.01, "1/s"),
    ("%", 0.01, ""),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_the_same_kind_convert() {
        assert_eq!(convert("200 g/m2", "kg/m²"), Some(0.2));
        assert_eq!(convert("3mm", "m"), Some(0.003));
        assert_eq!(convert(" 36 km/h ", "m/s"), Some(10.0));
        assert_eq!(convert("50 %", ""), Some(0.5));
        assert_eq!(convert("50 %/s", "1/s"), Some(0.5));
        assert_eq!(convert("3 kg", "m"), None);
        assert_eq!(convert("heavy", "kg/m²"), None);
        assert_eq!(convert("3", "m"), None);
    }
}
