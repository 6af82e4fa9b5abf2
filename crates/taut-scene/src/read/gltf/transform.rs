//! Affine maps and the translation, rotation and scale that make them up.

/// x ↦ A x + b, as the rows of A and b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Affine {
    rows: [[f64; 3]; 3],
    offset: [f64; 3],
}

/// How a node is placed in its parent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Placement {
    /// A matrix, which glTF does not animate.
    Fixed(Affine),
    /// Scaled, then turned (a quaternion x y z w), then moved.
    Parts { translation: [f64; 3], rotation: [f64; 4], scale: [f64; 3] },
}

impl Placement {
    pub fn affine(&self) -> Affine {
        match self {
            Self::Fixed(affine) => *affine,
            Self::Parts { translation, rotation, scale } => {
                let mut rows = rotation_rows(normalized(*rotation));
                for row in &mut rows {
                    for k in 0..3 {
                        row[k] *= scale[k];
                    }
                }
                Affine { rows, offset: *translation }
            }
        }
    }
}

impl Affine {
    pub const IDENTITY: Self = Self { rows: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], offset: [0.0; 3] };

    /// From glTF's 4×4 matrix, column after column; its last row is 0 0 0 1 for anything that places things.
    pub fn from_columns(m: &[f64; 16]) -> Self {
        let row = |k: usize| [m[k], m[4 + k], m[8 + k]];
        Self { rows: [row(0), row(1), row(2)], offset: [m[12], m[13], m[14]] }
    }

    pub fn apply(&self, p: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|k| {
            let row = &self.rows[k];
            row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + self.offset[k]
        })
    }

    /// First `inner`, then this.
    pub fn after(&self, inner: &Self) -> Self {
        let column = |k: usize| [inner.rows[0][k], inner.rows[1][k], inner.rows[2][k]];
        let columns = [column(0), column(1), column(2)].map(|c| {
            let moved = self.apply(c);
            [moved[0] - self.offset[0], moved[1] - self.offset[1], moved[2] - self.offset[2]]
        });
        let rows = std::array::from_fn(|i| std::array::from_fn(|k| columns[k][i]));
        Self { rows, offset: self.apply(inner.offset) }
    }

    /// Whether the map turns things inside out.
    pub fn mirrors(&self) -> bool {
        let [a, b, c] = &self.rows;
        let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
        a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2] < 0.0
    }
}

/// The unit quaternion along `q`, or no rotation if `q` is zero.
pub(super) fn normalized(q: [f64; 4]) -> [f64; 4] {
    let length = dot4(q, q).sqrt();
    if length > 0.0 && length.is_finite() { q.map(|x| x / length) } else { [0.0, 0.0, 0.0, 1.0] }
}

/// The rotation between two unit quaternions, the short way round, at constant speed.
pub(super) fn slerp(a: [f64; 4], b: [f64; 4], t: f64) -> [f64; 4] {
    let cosine = dot4(a, b);
    let (b, cosine) = if cosine < 0.0 { (b.map(|x| -x), -cosine) } else { (b, cosine) };
    let (wa, wb) = if cosine > 1.0 - 1e-9 {
        // Too close for the sine below; a straight line is as good.
        (1.0 - t, t)
    } else {
        // Not the platform's functions: their last digits differ, and colliders must move alike everywhere.
        let angle = libm::acos(cosine);
        let sine = libm::sin(angle);
        (libm::sin((1.0 - t) * angle) / sine, libm::sin(t * angle) / sine)
    };
    normalized(std::array::from_fn(|k| wa * a[k] + wb * b[k]))
}

fn dot4(a: [f64; 4], b: [f64; 4]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

fn rotation_rows([x, y, z, w]: [f64; 4]) -> [[f64; 3]; 3] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}
