//! From the units of textile laboratories to SI.
//!
//! Kawabata's system (KES) prints gram-force and centimetres, SiroFAST extensions in per cent at fixed loads, the trade
//! ounces and mommes. Every function here says where its factor comes from, so that a sheet from a laboratory can be
//! turned into a fabric.
//!
//! ```
//! use taut_scene::fabric::convert;
//! // B = 0.1 gf·cm²/cm, a light suiting, is just under ten micronewton metres.
//! assert!((convert::kes_bending(0.1) - 9.80665e-6).abs() < 1e-18);
//! ```

/// Standard gravity, m/s² (exact).
pub const GRAVITY: f64 = 9.80665;
/// One ounce, kg (exact).
pub const OUNCE: f64 = 0.028349523125;
/// One inch, m (exact).
pub const INCH: f64 = 0.0254;
/// One yard, m (exact).
pub const YARD: f64 = 0.9144;
/// A line load of 1 gf/cm, N/m: 0.00980665 N over 0.01 m.
pub const GF_PER_CM: f64 = 0.980665;

/// Bending rigidity B of KES-FB2, gf·cm²/cm → N·m.
///
/// Moment over width and curvature: 1 gf·cm²/cm = 9.80665·10⁻³ N · 10⁻⁴ m² / 10⁻² m = 9.80665·10⁻⁵ N·m.
pub fn kes_bending(b: f64) -> f64 {
    b * GRAVITY * 1e-5
}

/// Shear stiffness G of KES-FB1, gf/(cm·degree) → N/m.
///
/// Force over width and angle, per radian: 1 gf/(cm·deg) = 0.980665 N/m · 180/π = 56.188 N/m.
pub fn kes_shear(g: f64) -> f64 {
    g * GF_PER_CM * (180.0 / std::f64::consts::PI)
}

/// Chord modulus from an extension in per cent at a load in gf/cm, N/m: the load over the extension.
///
/// KES-FB1 prints EMT at 500 gf/cm, SiroFAST-3 E5, E20 and E100 at 5, 20 and 100 gf/cm.
pub fn chord_modulus(extension_percent: f64, load_gf_per_cm: f64) -> f64 {
    load_gf_per_cm * GF_PER_CM / (extension_percent / 100.0)
}

/// Extension EMT (per cent) at 500 gf/cm from linearity LT and tensile energy WT (gf·cm/cm²) of KES-FB1.
///
/// LT compares WT with the energy ½ F EMT of a straight line to the same end: EMT = 2 WT / (LT F).
pub fn kes_extension(lt: f64, wt: f64) -> f64 {
    100.0 * 2.0 * wt / (lt * 500.0)
}

/// Bending rigidity from a cantilever test, N·m: B = W g c³ with the density W in kg/m² and the bending length c in m.
///
/// Peirce's bending length is half the overhang at which the tip drops to 41.5°. SiroFAST-2 prints the same as
/// B (µN·m) = W (g/m²) · c³ (mm³) · 9.81·10⁻⁶.
pub fn cantilever_bending(density: f64, bending_length: f64) -> f64 {
    density * GRAVITY * bending_length.powi(3)
}

/// Shear modulus from SiroFAST's bias extension EB5 (per cent at 5 gf/cm), N/m.
///
/// A pull σ at 45° to the yarns is a shear stress σ/2 along them; yarns that do not stretch let the bias extend by half
/// the shear angle, ε = σ/(4 G). With σ = 4.903 N/m: G = 122.6/EB5, which SiroFAST prints as 123/EB5.
pub fn fast_shear(eb5_percent: f64) -> f64 {
    5.0 * GF_PER_CM / (4.0 * eb5_percent / 100.0)
}

/// Ounces per square yard → kg/m²: 1 oz/yd² = 0.033906 kg/m².
pub fn ounces_per_square_yard(weight: f64) -> f64 {
    weight * OUNCE / (YARD * YARD)
}

/// Mommes, the weight of silk, → kg/m²: one pound for a piece of 45 inches by 100 yards, 0.0043399 kg/m².
pub fn momme(weight: f64) -> f64 {
    weight * 16.0 * OUNCE / (45.0 * INCH * 100.0 * YARD)
}

/// Number of a cotton duck → kg/m²: a piece of 36 by 22 inches weighs 19 ounces less the number.
pub fn duck_number(number: f64) -> f64 {
    (19.0 - number) * OUNCE / (36.0 * INCH * 22.0 * INCH)
}

/// Uniaxial moduli along both directions (N/m), Poisson's ratio and shear modulus (N/m) from the coefficients c11, c12,
/// c22, c33 of Wang, O'Brien and Ramamoorthi (2011).
///
/// Their solver doubles the coefficients and takes ½ (C11 ε₁² + 2 C12 ε₁ ε₂ + C22 ε₂² + C33 ε₁₂²) with the Green
/// strain: E₁ = C11 − C12²/C22, E₂ = C22 − C12²/C11, ν = C12/C22, and, as the shear angle is 2 ε₁₂, G = C33/4.
pub fn wang_coefficients([c11, c12, c22, c33]: [f64; 4]) -> [f64; 4] {
    [2.0 * (c11 - c12 * c12 / c22), 2.0 * (c22 - c12 * c12 / c11), c12 / c22, 0.5 * c33]
}

/// A figure in a unit of the data file → SI; `None` for a unit that is not known.
pub fn to_si(value: f64, unit: &str) -> Option<f64> {
    Some(match unit {
        "g/m²" => value * 1e-3,
        "mg/cm²" => value * 1e-2,
        "oz/yd²" => ounces_per_square_yard(value),
        "momme" => momme(value),
        "duck number" => duck_number(value),
        "mm" => value * 1e-3,
        "in" => value * INCH,
        "%" => value * 1e-2,
        "% at 500 gf/cm" => chord_modulus(value, 500.0),
        "gf·cm²/cm" => kes_bending(value),
        "gf/(cm·deg)" => kes_shear(value),
        _ => return None,
    })
}
