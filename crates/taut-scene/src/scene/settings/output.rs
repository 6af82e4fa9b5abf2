//! `[output]` and `[camera]`.

use super::frame::{Unit, Up};
use super::values::FormatName;
use crate::scene::decode::Rule;
use crate::write::{Details, Setup, UpAxis};

section! {
    /// What is written.
    pub struct Output + Default {
        /// File formats for the animation.
        formats: Vec<FormatName> = vec![FormatName("pc2")];
        /// The number of the first frame: in names of files, in the times of USD and Alembic, in the head of PC2.
        frame_start: u32 = 0 => Rule::ANY.from(0.0).to(1e6);
        /// Which way is up in the files.
        up: Up = Up::Y;
        /// The unit of lengths in the files.
        unit: Unit = Unit::Metre;
        /// What USD and Alembic have beside positions. PLY has velocities in any case, VTU all but normals.
        with: Vec<Beside> = vec![Beside::Velocity];
        /// Whether colliders that pictures show are written, too; planes, which have no end, are not.
        colliders: bool = false;
        /// Pictures.
        pictures: Pictures = Pictures::default();
    }
}

choice! {
    /// What files have beside positions.
    pub enum Beside {
        /// Velocities, for motion blur.
        Velocity = "velocity",
        /// Normals.
        Normal = "normal",
        /// Strain along weft and warp, shear and change of area.
        Strain = "strain",
    }
}

impl Output {
    /// How files are to be written.
    pub(crate) fn setup(&self) -> Setup {
        let with = |what: Beside| self.with.contains(&what);
        let details =
            Details { velocities: with(Beside::Velocity), normals: with(Beside::Normal), fields: with(Beside::Strain) };
        let up_axis = if self.up == Up::Z { UpAxis::Z } else { UpAxis::Y };
        let (first_frame, metres_per_unit) = (self.frame_start, self.unit.metres());
        Setup { first_frame, up_axis, metres_per_unit, details, ..Setup::default() }
    }
}

choice! {
    /// What the colours of a picture show.
    pub enum Coloured {
        /// The bodies' own colours.
        Cloth = "cloth",
        /// Strain along the weft.
        Weft = "weft",
        /// Strain along the warp.
        Warp = "warp",
        /// Shear.
        Shear = "shear",
        /// Change of area.
        Area = "area",
        /// Strain of soft bodies along their axes, the largest of three.
        Stretch = "stretch",
        /// Change of volume of soft bodies.
        Volume = "volume",
    }
}

section! {
    /// Pictures of the run.
    pub struct Pictures + Default {
        /// A picture of every nth frame; 0 for none.
        every: u32 = 30;
        /// Width and height.
        size: [u32; 2] = [960, 720] => Rule::ANY.from(16.0).to(8192.0).unit("pixels");
        /// What the colours show, a picture for each.
        show: Vec<Coloured> = vec![Coloured::Cloth];
        /// The strain at the end of the colour scale.
        strain_scale: f64 = 0.1 => Rule::ANY.above(0.0).to(100.0);
        /// Whether the edges of triangles are drawn.
        wireframe: bool = false;
        /// Whether an animated picture (GIF) is made.
        gif: bool = true;
        /// Frames of the animated picture in a second; the nearest that the frame rate can be divided into.
        gif_fps: f64 = 20.0 => Rule::ANY.from(1.0).to(50.0).unit("1/s");
    }
}

section! {
    /// Where pictures are taken from. Without `eye` and `target`, everything that moves is framed.
    pub struct Camera + Default {
        /// Where the camera is; found from `direction` if not given.
        eye: Option<[f64; 3]> = None => Rule::ANY.unit("m");
        /// Where it looks; the middle of the bodies if not given.
        target: Option<[f64; 3]> = None => Rule::ANY.unit("m");
        /// From the middle towards the camera, of any length. Used without `eye`.
        direction: [f64; 3] = [0.55, 0.45, 1.0];
        /// Vertical angle of view.
        fov: f64 = 28.0 => Rule::ANY.from(1.0).to(150.0).unit("degrees");
    }
}
