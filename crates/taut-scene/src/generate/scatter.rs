//! Irregular triangulations without slivers: points no nearer than a spacing h, packed until no circle of radius h
//! is empty, and their Delaunay triangulation.
//!
//! Every edge is then at least h long and every circumcircle at most h in radius, so no angle is below 30° (Chew's
//! bound: sin α = edge / 2R ≥ ½). It holds at the border too, because border points come first, little more than h
//! apart, and keep the others away.

use spade::{DelaunayTriangulation, HasPosition, Point2, Triangulation};

use super::error::GenerateError;
use super::planar::Pattern;
use super::rng::SplitMix64;

/// Tries around each point. Few are enough, for the gaps that stay are found and filled in the triangulation.
const TRIES: usize = 12;

/// No point in this cell.
const EMPTY: u32 = u32::MAX;

/// Where points may be scattered.
pub(super) struct Region<'a> {
    /// The corner of the bounding box with the least coordinates, m.
    pub low: [f64; 2],
    /// The size of the bounding box, m.
    pub size: [f64; 2],
    /// The least distance of two points, m.
    pub spacing: f64,
    /// Whether a point may be here. The region must be convex.
    pub inside: &'a dyn Fn([f64; 2]) -> bool,
}

/// The spacing at which about `count` points fill a region of the given area (m²) and perimeter (m).
///
/// Points per area and per length of border were measured on large and on slim regions.
pub(super) fn spacing_for(count: f64, area: f64, perimeter: f64) -> f64 {
    const PER_AREA: f64 = 0.69;
    const PER_BORDER: f64 = 0.53;
    // count = PER_AREA · area / h² + PER_BORDER · perimeter / h, solved for 1/h.
    let border = PER_BORDER * perimeter;
    2.0 * PER_AREA * area / ((border * border + 4.0 * PER_AREA * area * count).sqrt() - border)
}

/// Scatters points in the region around the given ones and triangulates them all. The given points must be at least
/// the spacing apart and must include the region's border; points end up along a Hilbert curve.
pub(super) fn scatter(given: Vec<[f64; 2]>, region: &Region, seed: u64) -> Result<Pattern, GenerateError> {
    let mut cloud = Cloud::new(given, region);
    cloud.grow(&mut SplitMix64::new(seed));
    let triangles = triangulate(&mut cloud)?;
    Ok(sort_along_curve(cloud.points, triangles, region))
}

/// Points and a grid that finds the ones near a place: with cells a little smaller than h/√2, each holds one point
/// at most.
struct Cloud<'a> {
    region: &'a Region<'a>,
    points: Vec<[f64; 2]>,
    cell_size: f64,
    columns: usize,
    rows: usize,
    cells: Vec<u32>,
}

impl<'a> Cloud<'a> {
    fn new(given: Vec<[f64; 2]>, region: &'a Region<'a>) -> Self {
        let cell_size = 0.7 * region.spacing;
        let [columns, rows] = region.size.map(|size| (size / cell_size) as usize + 1);
        let mut cloud =
            Self { region, points: Vec::new(), cell_size, columns, rows, cells: vec![EMPTY; columns * rows] };
        given.into_iter().for_each(|point| cloud.push(point));
        cloud
    }

    fn cell_of(&self, point: [f64; 2]) -> (usize, usize) {
        // A float-to-integer cast saturates, so a point just outside lands in a border cell.
        let column = ((point[0] - self.region.low[0]) / self.cell_size) as usize;
        let row = ((point[1] - self.region.low[1]) / self.cell_size) as usize;
        (column.min(self.columns - 1), row.min(self.rows - 1))
    }

    fn push(&mut self, point: [f64; 2]) {
        let (column, row) = self.cell_of(point);
        self.cells[row * self.columns + column] = self.points.len() as u32;
        self.points.push(point);
    }

    /// Whether a point may be added here.
    fn is_free(&self, point: [f64; 2]) -> bool {
        if !(self.region.inside)(point) {
            return false;
        }
        let (column, row) = self.cell_of(point);
        let least = self.region.spacing * self.region.spacing;
        let columns = column.saturating_sub(2)..(column + 3).min(self.columns);
        (row.saturating_sub(2)..(row + 3).min(self.rows)).all(|row| {
            self.cells[row * self.columns..][columns.clone()]
                .iter()
                .all(|&other| other == EMPTY || distance_squared(self.points[other as usize], point) >= least)
        })
    }

    /// Bridson's Poisson-disc sampling (SIGGRAPH 2007 sketches), breadth first: neighbours in space are then
    /// neighbours in time, and found in the cache.
    fn grow(&mut self, rng: &mut SplitMix64) {
        let mut next = 0;
        while next < self.points.len() {
            for _ in 0..TRIES {
                let offset = annulus(rng);
                let around = self.points[next];
                let point = [0, 1].map(|axis| around[axis] + self.region.spacing * offset[axis]);
                if self.is_free(point) {
                    self.push(point);
                }
            }
            next += 1;
        }
    }
}

/// A random point between the circles of radius 1 and 2. Rejection needs no trigonometry.
fn annulus(rng: &mut SplitMix64) -> [f64; 2] {
    loop {
        let point = [rng.range(-2.0, 2.0), rng.range(-2.0, 2.0)];
        if (1.0..4.0).contains(&distance_squared(point, [0.0, 0.0])) {
            return point;
        }
    }
}

fn distance_squared(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])
}

/// A point that knows its place in the cloud, since bulk loading reorders.
struct Site {
    position: Point2<f64>,
    index: u32,
}

impl HasPosition for Site {
    type Scalar = f64;
    fn position(&self) -> Point2<f64> {
        self.position
    }
}

/// Triangulates the cloud, adding the circumcentre of every triangle that leaves room for a point.
fn triangulate(cloud: &mut Cloud) -> Result<Vec<[u32; 3]>, GenerateError> {
    let refused = |error| GenerateError::new("irregular tessellation", error, "points that can be triangulated");
    let site = |point: [f64; 2], index| Site { position: Point2::new(point[0], point[1]), index };
    let sites = (0..).zip(&cloud.points).map(|(index, &point)| site(point, index)).collect();
    let mut delaunay = DelaunayTriangulation::<Site>::bulk_load(sites).map_err(refused)?;
    let least = cloud.region.spacing * cloud.region.spacing * (1.0 + 1e-9);
    // Each round adds points that keep their distance, of which a bounded region holds finitely many.
    loop {
        let gaps: Vec<_> = (delaunay.inner_faces())
            .filter_map(|face| {
                let (centre, radius_squared) = face.circumcircle();
                (radius_squared > least).then(|| ([centre.x, centre.y], face.vertices()[0].fix()))
            })
            .collect();
        let before = cloud.points.len();
        for (point, near) in gaps {
            if cloud.is_free(point) {
                let index = cloud.points.len() as u32;
                delaunay.insert_with_hint(site(point, index), near).map_err(refused)?;
                cloud.push(point);
            }
        }
        if cloud.points.len() == before {
            break;
        }
    }
    Ok(delaunay.inner_faces().map(|face| face.vertices().map(|vertex| vertex.data().index)).collect())
}

/// Numbers the points along a Hilbert curve and the triangles by their points, so that what is near in space is near
/// in memory.
fn sort_along_curve(points: Vec<[f64; 2]>, mut triangles: Vec<[u32; 3]>, region: &Region) -> Pattern {
    let scale = f64::from(CURVE_SIDE) / region.size[0].max(region.size[1]);
    let cell = |point: [f64; 2], axis: usize| (((point[axis] - region.low[axis]) * scale) as u32).min(CURVE_SIDE - 1);
    let mut order: Vec<_> =
        (0..).zip(&points).map(|(index, &point)| (hilbert(cell(point, 0), cell(point, 1)), index)).collect();
    order.sort_unstable();
    let mut rank = vec![0; points.len()];
    for (new, &(_, old)) in (0..).zip(&order) {
        rank[old as usize] = new;
    }
    for triangle in &mut triangles {
        let [a, b, c] = triangle.map(|vertex| rank[vertex as usize]);
        // The smallest first, without changing the orientation.
        *triangle = if a < b && a < c {
            [a, b, c]
        } else if b < c {
            [b, c, a]
        } else {
            [c, a, b]
        };
    }
    triangles.sort_unstable();
    Pattern { points: order.iter().map(|&(_, old): &(u64, u32)| points[old as usize]).collect(), triangles }
}

/// Cells along each side of the square that the Hilbert curve fills: more than enough to tell points apart.
const CURVE_SIDE: u32 = 1 << 20;

/// How far along the Hilbert curve the cell (x, y) is: one base-four digit for each halving of the square.
fn hilbert(mut x: u32, mut y: u32) -> u64 {
    let mut along = 0;
    let mut half = CURVE_SIDE / 2;
    while half > 0 {
        let (right, upper) = (x & half != 0, y & half != 0);
        along = 4 * along
            + match (right, upper) {
                (false, false) => 0,
                (false, true) => 1,
                (true, true) => 2,
                (true, false) => 3,
            };
        // The first and last quarters are traversed turned, so that the ends of neighbouring quarters meet.
        if !upper {
            if right {
                (x, y) = (!x, !y);
            }
            (x, y) = (y, x);
        }
        half /= 2;
    }
    along
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_on_the_hilbert_curve_are_neighbours_in_the_plane() {
        // The first 64 × 64 cells, which the curve visits before any other.
        let mut cells: Vec<_> = (0..64).flat_map(|x| (0..64).map(move |y| (hilbert(x, y), x, y))).collect();
        cells.sort_unstable();
        for (expected, &(along, ..)) in (0..).zip(&cells) {
            assert_eq!(along, expected);
        }
        for pair in cells.windows(2) {
            assert_eq!(pair[0].1.abs_diff(pair[1].1) + pair[0].2.abs_diff(pair[1].2), 1, "{pair:?}");
        }
    }
}
