//! Points and transformations of the plane.

/// A point, or a distance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

impl Point {
    pub(super) fn minus(self, other: Point) -> Point {
        Point {
            x: self.x - other.x,
            y: self.y - other.y,
        }
    }

    pub(super) fn dot(self, other: Point) -> f64 {
        self.x * other.x + self.y * other.y
    }

    /// Returns the vector turned left by a right angle.
    pub(super) fn rotated_left(self) -> Point {
        Point {
            x: -self.y,
            y: self.x,
        }
    }

    pub(super) fn length(self) -> f64 {
        self.x.hypot(self.y)
    }
}

/// A transformation, as ISO 32000-2, 8.3.3 writes it: `[a b c d e f]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix(pub(super) [f64; 6]);

impl Matrix {
    pub(super) const IDENTITY: Matrix = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// Returns this transformation followed by `next`.
    pub(super) fn then(self, next: Matrix) -> Matrix {
        let (Matrix(m), Matrix(n)) = (self, next);
        Matrix([
            m[0] * n[0] + m[1] * n[2],
            m[0] * n[1] + m[1] * n[3],
            m[2] * n[0] + m[3] * n[2],
            m[2] * n[1] + m[3] * n[3],
            m[4] * n[0] + m[5] * n[2] + n[4],
            m[4] * n[1] + m[5] * n[3] + n[5],
        ])
    }

    pub(super) fn moved(x: f64, y: f64) -> Matrix {
        Matrix([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// Transforms a point.
    pub(super) fn apply(self, x: f64, y: f64) -> Point {
        let Matrix(m) = self;
        Point {
            x: m[0] * x + m[2] * y + m[4],
            y: m[1] * x + m[3] * y + m[5],
        }
    }

    /// Transforms a distance.
    pub(super) fn apply_to_vector(self, x: f64, y: f64) -> Point {
        let Matrix(m) = self;
        Point {
            x: m[0] * x + m[2] * y,
            y: m[1] * x + m[3] * y,
        }
    }
}
