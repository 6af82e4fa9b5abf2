//! Types of values in binary USD, as far as meshes need them.

use super::stage::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    U8,
    I32,
    F16,
    F32,
    F64,
}

impl Number {
    pub fn size(self) -> usize {
        match self {
            Number::U8 => 1,
            Number::F16 => 2,
            Number::I32 | Number::F32 => 4,
            Number::F64 => 8,
        }
    }

    /// Numbers as a value of this kind.
    pub fn value(self, width: usize, list: Vec<f64>) -> Value {
        match self {
            Number::U8 | Number::I32 => Value::Ints(list.into_iter().map(|x| x as i32).collect()),
            Number::F16 | Number::F32 => Value::Floats(width, list.into_iter().map(|x| x as f32).collect()),
            Number::F64 => Value::Doubles(width, list),
        }
    }
}

/// Types of values that meshes need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Token,
    String,
    Tokens,
    Paths,
    Times,
    /// So many together.
    Numbers(Number, usize),
}

impl Kind {
    /// A sample that says there is none.
    pub const BLOCK: u8 = 51;

    pub fn of(code: u8) -> Option<Self> {
        use Number::{F16, F32, F64, I32, U8};
        Some(match code {
            1 | 2 => Kind::Numbers(U8, 1),
            3 | 4 => Kind::Numbers(I32, 1),
            7 => Kind::Numbers(F16, 1),
            8 => Kind::Numbers(F32, 1),
            9 | 56 => Kind::Numbers(F64, 1),
            10 => Kind::String,
            11 => Kind::Token,
            15 => Kind::Numbers(F64, 16),
            16 => Kind::Numbers(F64, 4),
            17 => Kind::Numbers(F32, 4),
            18 => Kind::Numbers(F16, 4),
            19 => Kind::Numbers(F64, 2),
            20 => Kind::Numbers(F32, 2),
            21 => Kind::Numbers(F16, 2),
            23 => Kind::Numbers(F64, 3),
            24 => Kind::Numbers(F32, 3),
            25 => Kind::Numbers(F16, 3),
            27 => Kind::Numbers(F64, 4),
            28 => Kind::Numbers(F32, 4),
            29 => Kind::Numbers(F16, 4),
            34 => Kind::Paths,
            41 => Kind::Tokens,
            48 => Kind::Times,
            _ => return None,
        })
    }
}

/// A number of 16 bits.
pub(super) fn half(bits: u16) -> f32 {
    let (sign, exponent, fraction) = (bits >> 15, (bits >> 10) & 31, f32::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f32.powi(i32::from(exponent) - 15),
    };
    if sign == 1 { -size } else { size }
}
