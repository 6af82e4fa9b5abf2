//! `generate = { kind = …, … }`: the generators' parameters as scene files have them. Defaults are the generators' own.

use crate::generate as make;
use crate::generate::{GenerateError, MAX_LENGTH, MIN_LENGTH, SphereDetail};
use crate::scene::decode::Rule;
use taut::mesh::{TetMesh, TriMesh};

const LENGTH: Rule = Rule::ANY.from(MIN_LENGTH).to(MAX_LENGTH).unit("m");
const PLACE: Rule = Rule::ANY.from(-MAX_LENGTH).to(MAX_LENGTH).unit("m");

/// A whole number of at least `least`.
const fn count(least: f64) -> Rule {
    Rule::ANY.from(least).to(1e6)
}

variants! {
    /// A surface made from a few numbers.
    pub enum GenerateSurface {
        /// A rectangular sheet.
        Sheet(Sheet) = "sheet",
        /// A flat disc.
        Disc(Disc) = "disc",
        /// An open tube around the y axis.
        Tube(Tube) = "tube",
        /// A flared skirt around the y axis.
        Skirt(Skirt) = "skirt",
        /// A dress with two straps, its front towards +z.
        Dress(Dress) = "dress",
        /// A ribbon that begins in a loose overhand knot.
        Knot(Knot) = "knot",
        /// A closed sphere.
        Sphere(SphereSurface) = "sphere",
        /// A closed box.
        Box(BoxSurface) = "box",
        /// A closed capsule along the y axis.
        Capsule(CapsuleSurface) = "capsule",
    }
}

choice! {
    /// Lying or upright.
    pub enum Lie {
        /// Lying: x to the right, −z to the top, the front up.
        Lying = "lying",
        /// Upright: x to the right, y to the top, the front towards +z.
        Upright = "upright",
    }
}

impl From<Lie> for make::Plane {
    fn from(lie: Lie) -> Self {
        match lie {
            Lie::Lying => make::Plane::Xz,
            Lie::Upright => make::Plane::Xy,
        }
    }
}

choice! {
    /// How a sheet is cut into triangles.
    pub enum Cut {
        /// A grid whose quads are cut alternately.
        Alternating = "alternating",
        /// A grid whose quads are all cut the same way.
        Regular = "regular",
        /// Scattered points, without a preferred direction.
        Irregular = "irregular",
    }
}

section! {
    /// A rectangular sheet, weft along its width.
    pub struct Sheet {
        /// Extent along x, the weft.
        width: f64 = make::SheetParams::default().width => LENGTH;
        /// Extent along the warp.
        height: f64 = make::SheetParams::default().height => LENGTH;
        /// Vertices along the width.
        nx: u32 = make::SheetParams::default().nx => count(2.0);
        /// Vertices along the height.
        ny: u32 = make::SheetParams::default().ny => count(2.0);
        /// Lying or upright.
        plane: Lie = Lie::Lying;
        /// Where its middle is.
        centre: [f64; 3] = [0.0; 3] => PLACE;
        /// How it is cut into triangles.
        cut: Cut = Cut::Alternating;
        /// For the irregular cut: another seed scatters other points.
        seed: u32 = 1;
    }
}

section! {
    /// A flat disc.
    pub struct Disc {
        /// Radius.
        radius: f64 = make::DiscParams::default().radius => LENGTH;
        /// Rings of vertices: n rings are 6 n² triangles.
        rings: u32 = make::DiscParams::default().rings => count(1.0);
        /// Lying or upright.
        plane: Lie = Lie::Lying;
        /// Where its middle is.
        centre: [f64; 3] = [0.0; 3] => PLACE;
        /// Whether points are scattered rather than in rings.
        irregular: bool = false;
        /// For scattered points: another seed scatters others.
        seed: u32 = 1;
    }
}

section! {
    /// An open tube around the y axis.
    pub struct Tube {
        /// Radius.
        radius: f64 = make::TubeParams::default().radius => LENGTH;
        /// Extent along y.
        height: f64 = make::TubeParams::default().height => LENGTH;
        /// Vertices around.
        around: u32 = make::TubeParams::default().around => count(3.0);
        /// Rows of quads from top to bottom.
        along: u32 = make::TubeParams::default().along => count(1.0);
        /// Where its middle is.
        centre: [f64; 3] = [0.0; 3] => PLACE;
    }
}

choice! {
    /// How the cloth of a skirt is cut.
    pub enum SkirtCut {
        /// One piece, sewn at the back: the threads are straight on the pattern.
        OnePiece = "one_piece",
        /// A narrow gore for each column of quads: weft around and warp down everywhere.
        Gores = "gores",
    }
}

section! {
    /// A flared skirt around the y axis.
    pub struct Skirt {
        /// Radius at the waist.
        top_radius: f64 = make::SkirtParams::default().top_radius => LENGTH;
        /// Radius at the hem.
        bottom_radius: f64 = make::SkirtParams::default().bottom_radius => LENGTH;
        /// Extent along y.
        height: f64 = make::SkirtParams::default().height => LENGTH;
        /// Vertices around.
        around: u32 = make::SkirtParams::default().around => count(3.0);
        /// Rows of quads from waist to hem.
        along: u32 = make::SkirtParams::default().along => count(1.0);
        /// Where the middle of its axis is.
        centre: [f64; 3] = [0.0; 3] => PLACE;
        /// How the cloth is cut.
        pattern: SkirtCut = SkirtCut::OnePiece;
    }
}

section! {
    /// A dress with two straps around the y axis, its front towards +z.
    pub struct Dress {
        /// Half its width at the bust, at the waist and at the hem.
        radii: [f64; 3] = make::DressParams::default().radii => LENGTH;
        /// Depth from front to back over width.
        depth: f64 = make::DressParams::default().depth => Rule::ANY.from(0.05).to(20.0);
        /// Extent along y from bust to hem.
        height: f64 = make::DressParams::default().height => LENGTH;
        /// How far the straps rise above the bust.
        strap: f64 = make::DressParams::default().strap => LENGTH;
        /// Vertices around, a multiple of 4.
        around: u32 = make::DressParams::default().around => count(24.0);
        /// Rows of quads from bust to hem.
        along: u32 = make::DressParams::default().along => count(3.0);
        /// Quads across a strap, at most an eighth of `around`.
        strap_across: u32 = make::DressParams::default().strap_across => count(1.0);
        /// Rows of quads along a strap.
        strap_along: u32 = make::DressParams::default().strap_along => count(4.0);
        /// Where the middle of its axis is, from bust to hem.
        centre: [f64; 3] = [0.0; 3] => PLACE;
    }
}

section! {
    /// A ribbon that begins in a loose overhand knot in the xy-plane; at rest it is flat.
    pub struct Knot {
        /// Length of the ribbon.
        length: f64 = make::KnotParams::default().length => LENGTH;
        /// Width of the ribbon.
        width: f64 = make::KnotParams::default().width => LENGTH;
        /// The distance left where the ribbon crosses itself.
        gap: f64 = make::KnotParams::default().gap => LENGTH;
        /// Vertices along.
        nx: u32 = make::KnotParams::default().nx => count(64.0);
        /// Vertices across.
        ny: u32 = make::KnotParams::default().ny => count(2.0);
        /// Where its middle is.
        centre: [f64; 3] = [0.0; 3] => PLACE;
    }
}

section! {
    /// A closed sphere.
    pub struct SphereSurface {
        /// Radius.
        radius: f64 = make::SphereParams::default().radius => LENGTH;
        /// Steps along each edge of the icosahedron it is made from: n steps are 20 n² triangles.
        steps: u32 = 8 => count(1.0);
        /// Where its middle is.
        centre: [f64; 3] = [0.0; 3] => PLACE;
    }
}

section! {
    /// A closed box with edges along the axes.
    pub struct BoxSurface {
        /// Extent along x, y and z.
        size: [f64; 3] = make::BoxParams::default().size => LENGTH;
        /// Quads along x, y and z.
        divisions: [u32; 3] = make::BoxParams::default().divisions => count(1.0);
        /// Where its middle is.
        centre: [f64; 3] = [0.0; 3] => PLACE;
    }
}

section! {
    /// A closed capsule along the y axis.
    pub struct CapsuleSurface {
        /// Radius.
        radius: f64 = make::CapsuleParams::default().radius => LENGTH;
        /// Length of the straight part.
        length: f64 = make::CapsuleParams::default().length => Rule::ANY.from(0.0).to(MAX_LENGTH).unit("m");
        /// Rings of vertices from each pole to the straight part.
        rings: u32 = make::CapsuleParams::default().rings => count(1.0);
        /// Where its middle is.
        centre: [f64; 3] = [0.0; 3] => PLACE;
    }
}

impl GenerateSurface {
    /// Where the vertices of the mesh begin, m, if they do not begin at rest.
    pub fn start(&self) -> Result<Option<Vec<[f64; 3]>>, GenerateError> {
        match self {
            Self::Knot(p) => Ok(Some(make::knot(&p.params())?.1)),
            _ => Ok(None),
        }
    }

    /// Makes the mesh, as it is at rest.
    pub fn mesh(&self) -> Result<TriMesh, GenerateError> {
        match *self {
            Self::Sheet(ref p) => make::sheet(&p.params()),
            Self::Disc(ref p) => make::disc(&p.params()),
            Self::Tube(Tube { radius, height, around, along, centre }) => {
                make::tube(&make::TubeParams { radius, height, around, along, centre })
            }
            Self::Skirt(ref p) => make::skirt(&p.params()),
            Self::Dress(ref p) => make::dress(&p.params()),
            Self::Knot(ref p) => Ok(make::knot(&p.params())?.0),
            Self::Sphere(SphereSurface { radius, steps, centre }) => {
                make::sphere(&make::SphereParams { radius, detail: SphereDetail::Divisions(steps), centre })
            }
            Self::Box(BoxSurface { size, divisions, centre }) => {
                make::box_surface(&make::BoxParams { size, divisions, centre })
            }
            Self::Capsule(CapsuleSurface { radius, length, rings, centre }) => {
                make::capsule(&make::CapsuleParams { radius, length, rings, centre })
            }
        }
    }
}

impl GenerateSurface {
    /// About how many triangles it has; known before any is made.
    pub fn triangles(&self) -> f64 {
        match self {
            Self::Sheet(p) => product(&[2, p.nx.saturating_sub(1), p.ny.saturating_sub(1)]),
            Self::Disc(p) => product(&[6, p.rings, p.rings]),
            Self::Tube(p) => product(&[2, p.around, p.along]),
            Self::Skirt(p) => product(&[2, p.around, p.along]),
            Self::Dress(p) => product(&[2, p.around, p.along]) + product(&[4, p.strap_across, p.strap_along]),
            Self::Knot(p) => product(&[2, p.nx.saturating_sub(1), p.ny.saturating_sub(1)]),
            Self::Sphere(p) => product(&[20, p.steps, p.steps]),
            Self::Box(BoxSurface { divisions: [x, y, z], .. }) => {
                4.0 * [[x, y], [y, z], [z, x]].map(|[&a, &b]| product(&[a, b])).iter().sum::<f64>()
            }
            Self::Capsule(p) => {
                let around = product(&[6, p.rings]);
                let rows = p.length / (p.radius * std::f64::consts::TAU / around);
                2.0 * around * (f64::from(p.rings) + rows)
            }
        }
    }
}

/// Of numbers that are too large together for whole ones.
fn product(factors: &[u32]) -> f64 {
    factors.iter().map(|&factor| f64::from(factor)).product()
}

impl Sheet {
    fn params(&self) -> make::SheetParams {
        make::SheetParams {
            width: self.width,
            height: self.height,
            nx: self.nx,
            ny: self.ny,
            plane: self.plane.into(),
            centre: self.centre,
            tessellation: match self.cut {
                Cut::Alternating => make::Tessellation::Alternating,
                Cut::Regular => make::Tessellation::Regular,
                Cut::Irregular => make::Tessellation::Irregular { seed: u64::from(self.seed) },
            },
        }
    }
}

impl Disc {
    fn params(&self) -> make::DiscParams {
        make::DiscParams {
            radius: self.radius,
            rings: self.rings,
            plane: self.plane.into(),
            centre: self.centre,
            tessellation: match self.irregular {
                false => make::DiscTessellation::Rings,
                true => make::DiscTessellation::Irregular { seed: u64::from(self.seed) },
            },
        }
    }
}

impl Skirt {
    fn params(&self) -> make::SkirtParams {
        make::SkirtParams {
            top_radius: self.top_radius,
            bottom_radius: self.bottom_radius,
            height: self.height,
            around: self.around,
            along: self.along,
            centre: self.centre,
            pattern: match self.pattern {
                SkirtCut::Gores => make::SkirtPattern::Gores,
                SkirtCut::OnePiece => make::SkirtPattern::OnePiece,
            },
        }
    }
}

impl Dress {
    fn params(&self) -> make::DressParams {
        make::DressParams {
            radii: self.radii,
            depth: self.depth,
            height: self.height,
            strap: self.strap,
            around: self.around,
            along: self.along,
            strap_across: self.strap_across,
            strap_along: self.strap_along,
            centre: self.centre,
        }
    }
}

impl Knot {
    fn params(&self) -> make::KnotParams {
        make::KnotParams {
            length: self.length,
            width: self.width,
            gap: self.gap,
            nx: self.nx,
            ny: self.ny,
            centre: self.centre,
        }
    }
}

variants! {
    /// A soft body made from a few numbers.
    pub enum GenerateSolid {
        /// A beam along the x axis.
        Beam(Beam) = "beam",
        /// A ball.
        Ball(Ball) = "ball",
        /// A ring lying around the y axis.
        Torus(Torus) = "torus",
        /// A layer of skin on a closed surface.
        Skin(Skin) = "skin",
    }
}

choice! {
    /// How each cell of a beam is cut into tetrahedra.
    pub enum CellCut {
        /// Five tetrahedra, mirrored from cell to cell: no preferred diagonal.
        Alternating = "alternating",
        /// Six alike around the diagonal, the same in every cell.
        Diagonal = "diagonal",
    }
}

section! {
    /// A box of cells.
    pub struct Beam {
        /// Extent along x, y and z.
        size: [f64; 3] = make::BeamParams::default().size => LENGTH;
        /// Cells along x, y and z.
        cells: [u32; 3] = make::BeamParams::default().cells => count(1.0);
        /// How each cell is cut into tetrahedra.
        cut: CellCut = CellCut::Alternating;
        /// Where its middle is.
        centre: [f64; 3] = [0.0; 3] => PLACE;
    }
}

section! {
    /// A ball.
    pub struct Ball {
        /// Radius.
        radius: f64 = make::BallParams::default().radius => LENGTH;
        /// Shells around the centre: n shells are 20 n³ tetrahedra.
        shells: u32 = make::BallParams::default().shells => count(1.0);
        /// Where its middle is.
        centre: [f64; 3] = [0.0; 3] => PLACE;
    }
}

section! {
    /// A ring lying around the y axis.
    pub struct Torus {
        /// Distance of the tube's middle from the axis.
        major_radius: f64 = make::TorusParams::default().major_radius => LENGTH;
        /// Radius of the tube.
        minor_radius: f64 = make::TorusParams::default().minor_radius => LENGTH;
        /// Slices around the axis.
        segments: u32 = make::TorusParams::default().segments => count(3.0);
        /// Rings of vertices in each slice: a torus has 18 `segments` `rings`² tetrahedra.
        rings: u32 = make::TorusParams::default().rings => count(1.0);
        /// Where its middle is.
        centre: [f64; 3] = [0.0; 3] => PLACE;
    }
}

choice! {
    /// To which side of the surface a layer of skin grows.
    pub enum Side {
        /// The surface becomes the layer's outside.
        Inward = "inward",
        /// The surface becomes the layer's inside.
        Outward = "outward",
    }
}

section! {
    /// A layer of skin on a closed surface.
    pub struct Skin {
        /// The closed surface it grows on.
        surface: GenerateSurface;
        /// Thickness.
        thickness: f64 = make::SkinParams::default().thickness => LENGTH;
        /// Layers of prisms, three tetrahedra each.
        layers: u32 = make::SkinParams::default().layers => count(1.0);
        /// To which side it grows.
        side: Side = Side::Inward;
    }
}

impl GenerateSolid {
    /// About how many tetrahedra it has; known before any is made.
    pub fn tetrahedra(&self) -> f64 {
        match self {
            Self::Beam(Beam { cells: [x, y, z], cut, .. }) => {
                product(&[if *cut == CellCut::Diagonal { 6 } else { 5 }, *x, *y, *z])
            }
            Self::Ball(p) => product(&[20, p.shells, p.shells, p.shells]),
            Self::Torus(p) => product(&[18, p.segments, p.rings, p.rings]),
            Self::Skin(p) => 3.0 * f64::from(p.layers) * p.surface.triangles(),
        }
    }

    /// Makes the mesh.
    pub fn mesh(&self) -> Result<TetMesh, GenerateError> {
        match self {
            Self::Beam(p) => make::beam(&make::BeamParams {
                size: p.size,
                cells: p.cells,
                split: match p.cut {
                    CellCut::Alternating => make::CellSplit::Five,
                    CellCut::Diagonal => make::CellSplit::Six,
                },
                centre: p.centre,
            }),
            Self::Ball(p) => make::ball(&make::BallParams { radius: p.radius, shells: p.shells, centre: p.centre }),
            Self::Torus(p) => make::torus(&make::TorusParams {
                major_radius: p.major_radius,
                minor_radius: p.minor_radius,
                segments: p.segments,
                rings: p.rings,
                centre: p.centre,
            }),
            Self::Skin(p) => {
                let direction = match p.side {
                    Side::Inward => make::SkinDirection::Inward,
                    Side::Outward => make::SkinDirection::Outward,
                };
                let params =
                    make::SkinParams { thickness: p.thickness, layers: p.layers, direction, ..Default::default() };
                make::skin(&p.surface.mesh()?, &params)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::scene::Scene;

    /// What is said beforehand is what comes out, but for irregular meshes and curved ones.
    #[test]
    fn how_many_elements_there_will_be_is_known_before() {
        let cloth = ["sheet", "disc", "tube", "skirt", "dress", "knot", "sphere", "box", "capsule"]
            .map(|kind| format!("kind = \"{kind}\""))
            .into_iter()
            .chain(["kind = \"sheet\", cut = \"irregular\"", "kind = \"disc\", irregular = true"].map(str::to_owned));
        for generate in cloth {
            let text = format!("[[cloth]]\nname = \"a\"\ngenerate = {{ {generate} }}\n");
            let scene = Scene::parse("a.toml", &text, None, &[]).unwrap_or_else(|error| panic!("{error}"));
            let made = scene.settings.cloth[0].shape.generate.as_ref().unwrap();
            near(made.triangles(), made.mesh().unwrap().triangles.len(), &generate);
        }
        let skin = "kind = \"skin\", surface = { kind = \"sphere\" }";
        for generate in
            ["kind = \"beam\"", "kind = \"beam\", cut = \"diagonal\"", "kind = \"ball\"", "kind = \"torus\"", skin]
        {
            let text = format!("[[solid]]\nname = \"a\"\ngenerate = {{ {generate} }}\n");
            let scene = Scene::parse("a.toml", &text, None, &[]).unwrap_or_else(|error| panic!("{error}"));
            let made = scene.settings.solid[0].shape.generate.as_ref().unwrap();
            near(made.tetrahedra(), made.mesh().unwrap().tets.len(), generate);
        }
    }

    #[track_caller]
    fn near(said: f64, made: usize, what: &str) {
        let ratio = said / made as f64;
        assert!((0.9..1.25).contains(&ratio), "{what}: {said} for {made}");
    }
}
