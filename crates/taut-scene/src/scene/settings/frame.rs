//! What the coordinates of a mesh file mean.

choice! {
    /// Which way is up in a file.
    pub enum Up {
        /// y, as everywhere here.
        Y = "y",
        /// z: x stays, and what was away from the viewer (y) is so still, towards −z.
        Z = "z",
    }
}

choice! {
    /// The unit of lengths in a file.
    pub enum Unit {
        /// Metres.
        Metre = "m",
        /// Decimetres.
        Decimetre = "dm",
        /// Centimetres.
        Centimetre = "cm",
        /// Millimetres.
        Millimetre = "mm",
        /// Inches of 25.4 mm.
        Inch = "in",
        /// Feet of 12 inches.
        Foot = "ft",
    }
}

impl Unit {
    /// Its length, m.
    pub(crate) fn metres(self) -> f64 {
        match self {
            Unit::Metre => 1.0,
            Unit::Decimetre => 0.1,
            Unit::Centimetre => 0.01,
            Unit::Millimetre => 0.001,
            Unit::Inch => 0.0254,
            Unit::Foot => 0.3048,
        }
    }
}

/// From a file's coordinates to metres with y up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FileFrame {
    pub up: Up,
    pub unit: Unit,
}

impl FileFrame {
    /// A point of the file, m.
    pub fn point(self, p: [f64; 3]) -> [f64; 3] {
        let metres = self.unit.metres();
        let [x, y, z] = match self.up {
            Up::Y => p,
            Up::Z => [p[0], p[2], -p[1]],
        };
        // Whole metres stay what they are, to the bit.
        if metres == 1.0 { [x, y, z] } else { [x * metres, y * metres, z * metres] }
    }
}
