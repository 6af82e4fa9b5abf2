//! What the tests of readers share: small valid files of every format, and ways to damage them.
#![allow(dead_code, reason = "each test program uses its own part")]

pub mod gltf;

use std::collections::HashMap;
use std::io;

use taut_scene::read::{MeshFile, Options, ReadError, Source, read_bytes};

/// Reads a file that stands alone.
pub fn read(name: &str, bytes: &[u8]) -> Result<MeshFile, ReadError> {
    read_bytes(&Source::new(name, bytes), &Options::default())
}

/// The message for a file that cannot be read.
pub fn error(name: &str, bytes: impl AsRef<[u8]>) -> String {
    match read(name, bytes.as_ref()) {
        Ok(file) => panic!("{name} was read: {file:?}"),
        Err(e) => e.to_string(),
    }
}

/// Other files by name, in memory.
pub fn files(map: HashMap<String, Vec<u8>>) -> impl Fn(&str) -> io::Result<Vec<u8>> {
    move |name| map.get(name).cloned().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
}

/// Every index in range, every number finite: what all readers promise.
pub fn assert_sound(file: &MeshFile) {
    if let Some(mesh) = &file.surface {
        assert!(mesh.positions.iter().flatten().chain(mesh.uvs.iter().flatten()).all(|x| x.is_finite()));
        assert!(mesh.triangles.iter().flatten().all(|&v| (v as usize) < mesh.positions.len()));
        assert!(mesh.uv_triangles.iter().flatten().all(|&v| (v as usize) < mesh.uvs.len()));
        assert!(mesh.uvs.is_empty() == mesh.uv_triangles.is_empty());
        assert!(mesh.uv_triangles.is_empty() || mesh.uv_triangles.len() == mesh.triangles.len());
        assert!(mesh.groups.iter().flat_map(|g| &g.vertices).all(|&v| (v as usize) < mesh.positions.len()));
    }
    if let Some(mesh) = &file.tets {
        assert!(mesh.positions.iter().flatten().all(|x| x.is_finite()));
        assert!(mesh.tets.iter().flatten().all(|&v| (v as usize) < mesh.positions.len()));
        assert!(mesh.groups.iter().flat_map(|g| &g.vertices).all(|&v| (v as usize) < mesh.positions.len()));
    }
    assert!(file.surface.is_some() || file.tets.is_some());
}

/// Cuts a file off after every byte. What is still readable must be sound; with `strict`, only what ends in cut-off
/// blanks may be readable at all, and it must then be the same mesh.
pub fn truncate_everywhere(strict: bool, bytes: &[u8], read: impl Fn(&[u8]) -> Result<MeshFile, ReadError>) {
    let whole = read(bytes).expect("the whole file is valid");
    for length in 0..bytes.len() {
        match read(&bytes[..length]) {
            Ok(file) => {
                assert_sound(&file);
                assert!(!strict || file == whole, "cut at {length} of {} bytes", bytes.len());
            }
            Err(e) => assert!(!e.message.is_empty() && !e.file.is_empty()),
        }
    }
}

/// Sets every byte to a few telling values, and every aligned and unaligned four bytes to extreme counts.
pub fn corrupt_everywhere(bytes: &[u8], read: impl Fn(&[u8]) -> Result<MeshFile, ReadError>) {
    let mut damaged = bytes.to_vec();
    let mut check = |at: usize, value: &[u8]| {
        let end = (at + value.len()).min(damaged.len());
        let saved = damaged[at..end].to_vec();
        damaged[at..end].copy_from_slice(&value[..end - at]);
        if let Ok(file) = read(&damaged) {
            assert_sound(&file);
        }
        damaged[at..end].copy_from_slice(&saved);
    };
    for at in 0..bytes.len() {
        for value in [b"\0".as_slice(), b"\xff", b"\x7f", b"\x80", b"-", b"9", b"\n", b" ", b"#", b"\\"] {
            check(at, value);
        }
        for value in
            [b"\xff\xff\xff\x7f", b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"\x00\x00\xc0\x7f", b"9999", b"-1e9"]
        {
            check(at, value);
        }
    }
}

/// Numbers as bytes, one after another, in either byte order.
pub struct Packer {
    pub bytes: Vec<u8>,
    big: bool,
}

macro_rules! pack {
    ($($name:ident $type:ty;)*) => {$(
        pub fn $name(mut self, values: &[$type]) -> Self {
            for v in values {
                let raw = if self.big { v.to_be_bytes() } else { v.to_le_bytes() };
                self.bytes.extend(raw);
            }
            self
        }
    )*};
}

impl Packer {
    pub fn new(big: bool) -> Self {
        Self { bytes: Vec::new(), big }
    }

    pub fn text(mut self, text: &str) -> Self {
        self.bytes.extend(text.as_bytes());
        self
    }

    pack! { u8 u8; u16 u16; u32 u32; i32 i32; u64 u64; i64 i64; f32 f32; f64 f64; }
}

pub const TET_POINTS: [[f64; 3]; 5] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];

pub const OBJ: &str = "# a square of two quads with a seam\r\n\
    mtllib a.mtl\r\no sheet\r\nv 0 0 0\r\nv 1 0 0 0.5 0.5 0.5\r\nv 2 0 0\r\nv 0 1 0\r\nv 1 1 0\r\nv 2 1 0\r\n\
    vt 0 0\r\nvt .5 0\r\nvt 0 .5\r\nvt .5 .5\r\nvt 0.6 0\r\nvt 1.1 0\r\nvt 0.6 0.5\r\nvt 1.1 0.5\r\nvn 0 0 1\r\n\
    g left\r\nf 1/1/1 2/2/1 5/4/1 4/3/1\r\ng right pins\r\nf 2/5/1 3/6/1 \\\r\n 6/8/1 -2/-2/1";

pub const PLY_TEXT: &str = "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\n\
    property float y\nproperty double z\nproperty float nx\nproperty float s\nproperty float t\n\
    element face 1\nproperty uchar red\nproperty list uchar int vertex_indices\nelement edge 0\nproperty int a\n\
    end_header\n0 0 0 nan 0 0\n1 0 0 1 1 0\n1 1 0.5 1 1 1\n0 1 0 1 0 1\n255 4 0 1 2 3\n";

/// The same square as `PLY_TEXT`, with an empty element and lists of unusual types.
pub fn ply_binary(big: bool) -> Vec<u8> {
    let order = if big { "big" } else { "little" };
    let mut out = Packer::new(big).text(&format!(
        "ply\r\nformat binary_{order}_endian 1.0\r\nelement vertex 4\r\nproperty float x\r\nproperty float y\r\n\
         property double z\r\nproperty ushort flags\r\nelement nothing 4000000000\r\nelement face 1\r\n\
         property list uint ushort vertex_index\r\nproperty list uchar float texcoord\r\nend_header\r\n"
    ));
    for (x, y, z) in [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.5), (0.0, 1.0, 0.0)] {
        out = out.f32(&[x, y]).f64(&[z]).u16(&[7]);
    }
    out.u32(&[4]).u16(&[0, 1, 2, 3]).u8(&[8]).f32(&[0., 0., 1., 0., 1., 1., 0., 1.]).bytes
}

pub const STL_TEXT: &str = "solid front part\n facet normal 0 0 nan\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n\
    \x20  vertex 0 1 0\n  endloop\n endfacet\nendsolid front part\nsolid back\n facet normal 0 0 1\n  outer loop\n\
    \x20  vertex 1 0 -0.0\n   vertex 1 1 0\n   vertex 0 1 0\n  endloop\n endfacet\nendsolid back\n";

pub fn stl_binary() -> Vec<u8> {
    let mut out = Packer::new(false).text(&format!("{:80}", "solid but binary")).u32(&[2]);
    for corners in [[0., 0., 0., 1., 0., 0., 0., 1., 0.], [1., 0., 0., 1., 1., 0., 0., 1., 0.]] {
        out = out.f32(&[0., 0., f32::NAN]).f32(&corners).u16(&[0]);
    }
    out.bytes
}

/// Two tetrahedra, of which the second is the wrong way round, a triangle, a line and a node that nothing uses.
pub const MSH2_TEXT: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"clamped face\"\n3 9 \"jelly\"\n\
    $EndPhysicalNames\n$Comments\nnothing $Nodes here\n$EndComments\n$Nodes\n6\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n\
    50 1 1 1\n60 9 9 9\n$EndNodes\n$Elements\n4\n1 4 2 9 1 10 20 30 40\n2 4 2 9 1 20 40 30 50\n3 2 2 7 2 10 30 20\n\
    4 1 2 0 3 10 20\n$EndElements\n";

pub fn msh2_binary(big: bool) -> Vec<u8> {
    let mut out = Packer::new(big).text("$MeshFormat\n2.2 1 8\n").i32(&[1]);
    out = out.text(
        "\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"clamped face\"\n3 9 \"jelly\"\n$EndPhysicalNames\n$Nodes\n6\n",
    );
    for (i, p) in TET_POINTS.iter().chain(&[[9.0; 3]]).enumerate() {
        out = out.i32(&[10 * (i as i32 + 1)]).f64(p);
    }
    out = out.text("\n$EndNodes\n$Elements\n4\n").i32(&[4, 2, 2]);
    out = out.i32(&[1, 9, 1, 10, 20, 30, 40]).i32(&[2, 9, 1, 20, 40, 30, 50]);
    out = out.i32(&[2, 1, 2, 3, 7, 2, 10, 30, 20]).i32(&[1, 1, 2, 4, 0, 3, 10, 20]);
    out.text("\n$EndElements\n").bytes
}

pub const MSH4_TEXT: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"clamped face\"\n3 9 \"jelly\"\n\
    $EndPhysicalNames\n$Entities\n1 0 1 1\n5 0 0 0 0\n2 0 0 0 1 1 1 1 7 0\n1 0 0 0 1 1 1 1 9 1 2\n$EndEntities\n\
    $Nodes\n3 6 10 60\n2 2 1 3\n10\n20\n30\n0 0 0 0.1 0.2\n1 0 0 0.1 0.2\n0 1 0 0.1 0.2\n3 1 0 2\n40\n50\n0 0 1\n1 1 1\n\
    0 5 0 1\n60\n9 9 9\n$EndNodes\n$Elements\n2 3 1 3\n3 1 4 2\n1 10 20 30 40\n2 20 40 30 50\n2 2 2 1\n3 10 30 20\n\
    $EndElements\n";

pub fn msh4_binary(big: bool) -> Vec<u8> {
    let out = Packer::new(big).text("$MeshFormat\n4.1 1 8\n").i32(&[1]);
    let out = out.text("\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"clamped face\"\n3 9 \"jelly\"\n$EndPhysicalNames\n");
    let out = out.text("$Entities\n").u64(&[1, 0, 1, 1]).i32(&[5]).f64(&[0.0; 3]).u64(&[0]);
    let out = out.i32(&[2]).f64(&[0., 0., 0., 1., 1., 1.]).u64(&[1]).i32(&[7]).u64(&[0]);
    let out = out.i32(&[1]).f64(&[0., 0., 0., 1., 1., 1.]).u64(&[1]).i32(&[9]).u64(&[1]).i32(&[2]);
    let out = out.text("\n$EndEntities\n$Periodic\nwhatever $\n$EndPeriodic\n$Nodes\n").u64(&[3, 6, 10, 60]);
    let mut out = out.i32(&[2, 2, 1]).u64(&[3, 10, 20, 30]);
    for p in &TET_POINTS[..3] {
        out = out.f64(p).f64(&[0.1, 0.2]);
    }
    let out = out.i32(&[3, 1, 0]).u64(&[2, 40, 50]).f64(&TET_POINTS[3]).f64(&TET_POINTS[4]);
    let out = out.i32(&[0, 5, 0]).u64(&[1, 60]).f64(&[9.0; 3]).text("\n$EndNodes\n$Elements\n").u64(&[2, 3, 1, 3]);
    let out = out.i32(&[3, 1, 4]).u64(&[2, 1, 10, 20, 30, 40, 2, 20, 40, 30, 50]);
    out.i32(&[2, 2, 2]).u64(&[1, 3, 10, 30, 20]).text("\n$EndElements\n").bytes
}

pub const NODE: &str = "# nodes\n5 3 1 1\n1 0 0 0 0.5 0\n2 1 0 0 0.5 3\n3 0 1 0 0.5 3\n4 0 0 1 0.5 0\n5 1 1 1 0.5 -2\n";
pub const ELE: &str = "2 4 1\n1 1 2 3 4 10\n2 2 4 3 5 20 # last\n";

pub const VTK_TEXT: &str = "# vtk DataFile Version 3.0\na title\nASCII\nDATASET UNSTRUCTURED_GRID\n\
    FIELD FieldData 1\nTIME 1 1 double\n0.5\nPOINTS 5 float\n0 0 0 1 0 0\n0 1 0 0 0 1 1 1 1\n\
    METADATA\nINFORMATION 0\n\nCELLS 4 19\n4 0 1 2 3\n4 1 3 2 4\n3 0 2 1\n4 0 1 4 2\n\
    CELL_TYPES 4\n10 10 5 9\nPOINT_DATA 5\nSCALARS s float\nLOOKUP_TABLE default\n0 0 0 0 0\n";

pub fn vtk_binary() -> Vec<u8> {
    let out =
        Packer::new(true).text("# vtk DataFile Version 2.0\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n");
    let out = out.f64(&TET_POINTS.concat()).text("\nCELLS 4 19\n");
    let out = out.i32(&[4, 0, 1, 2, 3, 4, 1, 3, 2, 4, 3, 0, 2, 1, 4, 0, 1, 4, 2]);
    out.text("\nCELL_TYPES 4\n").i32(&[10, 10, 5, 9]).text("\n").bytes
}

pub fn vtk5_binary() -> Vec<u8> {
    let out =
        Packer::new(true).text("# vtk DataFile Version 5.1\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n");
    let out = out.f32(&TET_POINTS.concat().iter().map(|&x| x as f32).collect::<Vec<_>>());
    let out = out.text("\nMETADATA\nINFORMATION 0\n\nCELLS 5 15\nOFFSETS vtktypeint64\n").i64(&[0, 4, 8, 11, 15]);
    let out = out.text("\nCONNECTIVITY vtktypeint64\n").i64(&[0, 1, 2, 3, 1, 3, 2, 4, 0, 2, 1, 0, 1, 4, 2]);
    out.text("\nCELL_TYPES 4\n").i32(&[10, 10, 5, 9]).text("\n").bytes
}

pub const VTK_POLY: &str = "# vtk DataFile Version 4.2\nx\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0 1 1 0 0 1 0\n\
    LINES 1 3\n2 0 1\nPOLYGONS 1 5\n4 0 1 2 3\nTRIANGLE_STRIPS 1 5\n4 0 1 3 2\n";

pub fn pc2() -> Vec<u8> {
    let out = Packer::new(false).text("POINTCACHE2\0").i32(&[1, 3]).f32(&[1.0, 2.0]).i32(&[3]);
    (0..3).fold(out, |out, s| out.f32(&[s as f32, 0., 0., 1., s as f32, 0., 0., 1., s as f32])).bytes
}

pub fn mdd() -> Vec<u8> {
    let out = Packer::new(true).i32(&[3, 3]).f32(&[0.5, 0.75, 1.5]);
    (0..3).fold(out, |out, s| out.f32(&[s as f32, 0., 0., 1., s as f32, 0., 0., 1., s as f32])).bytes
}

/// A square that moves, as the writer of a format leaves it.
pub fn written(name: &str) -> Vec<u8> {
    use taut_scene::write::{Clip, Frame, ObjectFrame, ObjectInfo, Setup, format};
    let rest = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let triangles = vec![[0, 1, 2], [0, 2, 3]];
    let object = ObjectInfo { name: "square".into(), rest: rest.clone(), triangles, ..ObjectInfo::default() };
    let clip = Clip::new(Setup { objects: vec![object], fps: 24.0, planned_frames: 2, ..Setup::default() }).unwrap();
    // Tests of one program write at once.
    static CALLS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let call = CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let dir = TempDir::new(&format!("written-{name}-{call}"));
    let mut writer = format(name).unwrap().open(&clip, &dir.0, 0).unwrap();
    for index in 0..2 {
        let positions: Vec<_> = rest.iter().map(|p| [p[0], p[1], index as f64]).collect();
        let objects = [ObjectFrame { positions: &positions, ..ObjectFrame::default() }];
        writer.frame(&Frame { index, time: index as f64 / 24.0, objects: &objects }).unwrap();
    }
    std::fs::read(&writer.finish().unwrap()[0]).unwrap()
}

/// A folder that is removed at the end.
pub struct TempDir(pub std::path::PathBuf);

impl TempDir {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("taut-test-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        TempDir(path)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
