//! Dual numbers: a value and its derivative along one direction, for checking gradients.

use super::Real;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// `value + derivative·ε` with ε² = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual {
    /// The value.
    pub value: f64,
    /// The derivative.
    pub derivative: f64,
}

impl Dual {
    /// A number that does not depend on the variable.
    pub fn constant(value: f64) -> Self {
        Dual { value, derivative: 0.0 }
    }

    /// The variable itself.
    pub fn variable(value: f64) -> Self {
        Dual { value, derivative: 1.0 }
    }
}

impl Add for Dual {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Dual { value: self.value + b.value, derivative: self.derivative + b.derivative }
    }
}

impl Sub for Dual {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Dual { value: self.value - b.value, derivative: self.derivative - b.derivative }
    }
}

impl Mul for Dual {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        Dual { value: self.value * b.value, derivative: self.derivative * b.value + self.value * b.derivative }
    }
}

impl Div for Dual {
    type Output = Self;
    fn div(self, b: Self) -> Self {
        let value = self.value / b.value;
        Dual { value, derivative: (self.derivative - value * b.derivative) / b.value }
    }
}

impl Neg for Dual {
    type Output = Self;
    fn neg(self) -> Self {
        Dual { value: -self.value, derivative: -self.derivative }
    }
}

impl Real for Dual {
    type Mask = bool;
    const ATAN: &'static [f64] = <f64 as Real>::ATAN;
    fn lit(self, v: f64) -> Self {
        Dual::constant(v)
    }
    fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        Dual { value, derivative: self.derivative / (2.0 * value) }
    }
    fn abs(self) -> Self {
        if self.value < 0.0 { -self } else { self }
    }
    fn lt(self, other: Self) -> bool {
        self.value < other.value
    }
    fn any(mask: bool) -> bool {
        mask
    }
    fn bits(mask: bool) -> u32 {
        mask as u32
    }
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    // The closed derivative, not that of the polynomial: this checks the polynomial's users, not the polynomial.
    fn atan2(self, x: Self) -> Self {
        let r2 = self.value * self.value + x.value * x.value;
        Dual {
            value: Real::atan2(self.value, x.value),
            derivative: (self.derivative * x.value - self.value * x.derivative) / r2,
        }
    }
}
