//! Every generator's output, bit for bit: the same on every machine and in every build. A change here must be meant,
//! for it changes every scene made with the generator.

use taut::mesh::{TetMesh, TriMesh};
use taut_scene::generate::*;

/// FNV-1a over 64-bit words.
struct Hash(u64);

impl Hash {
    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0100_0000_01b3);
    }

    fn numbers<'a>(&mut self, numbers: impl IntoIterator<Item = &'a f64>) {
        numbers.into_iter().for_each(|number| self.add(number.to_bits()));
    }

    fn indices<'a>(&mut self, indices: impl IntoIterator<Item = &'a u32>) {
        indices.into_iter().for_each(|&index| self.add(u64::from(index)));
    }
}

fn surface_hash(mesh: Result<TriMesh, GenerateError>) -> u64 {
    let mesh = mesh.unwrap();
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    hash.numbers(mesh.positions.iter().flatten());
    hash.indices(mesh.triangles.iter().flatten());
    hash.numbers(mesh.uvs.iter().flatten());
    hash.indices(mesh.uv_triangles.iter().flatten());
    mesh.groups.iter().for_each(|group| hash.indices(&group.vertices));
    hash.0
}

fn solid_hash(mesh: Result<TetMesh, GenerateError>) -> u64 {
    let mesh = mesh.unwrap();
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    hash.numbers(mesh.positions.iter().flatten());
    hash.indices(mesh.tets.iter().flatten());
    hash.numbers(mesh.frames.iter().flatten().flatten());
    mesh.groups.iter().for_each(|group| hash.indices(&group.vertices));
    hash.0
}

fn turned_ball() -> Result<TetMesh, GenerateError> {
    let rotate = Rotation::AxisAngle { axis: [1.0, 2.0, 3.0], degrees: 40.0 };
    let mut mesh = Transform { rotate, ..Default::default() }.tet_mesh(ball(&BallParams::default())?)?;
    frames_from_surface(&mut mesh, [0.0, 1.0, 0.0])?;
    Ok(mesh)
}

#[test]
fn meshes_are_the_same_bit_for_bit() {
    let irregular_sheet = SheetParams { tessellation: Tessellation::Irregular { seed: 1 }, ..Default::default() };
    let irregular_disc = DiscParams { tessellation: DiscTessellation::Irregular { seed: 1 }, ..Default::default() };
    let found = [
        ("sheet", surface_hash(sheet(&SheetParams::default()))),
        ("irregular sheet", surface_hash(sheet(&irregular_sheet))),
        ("disc", surface_hash(disc(&DiscParams::default()))),
        ("irregular disc", surface_hash(disc(&irregular_disc))),
        ("tube", surface_hash(tube(&TubeParams::default()))),
        ("skirt", surface_hash(skirt(&SkirtParams::default()))),
        ("sphere", surface_hash(sphere(&SphereParams::default()))),
        ("box", surface_hash(box_surface(&BoxParams::default()))),
        ("capsule", surface_hash(capsule(&CapsuleParams::default()))),
        ("beam", solid_hash(beam(&BeamParams::default()))),
        ("turned ball", solid_hash(turned_ball())),
        ("torus", solid_hash(torus(&TorusParams::default()))),
        ("skin", solid_hash(skin(&sphere(&SphereParams::default()).unwrap(), &SkinParams::default()))),
    ];
    let expected = [
        ("sheet", 0x6828_e71e_1b79_82bf),
        ("irregular sheet", 0xc541_fd50_f1df_dff6),
        ("disc", 0xa91b_3934_d043_c80b),
        ("irregular disc", 0x8f7d_a031_7338_09c0),
        ("tube", 0x5a4d_8323_c002_e3bf),
        ("skirt", 0x190b_0202_080a_ed27),
        ("sphere", 0x5cd9_7f09_4188_77fc),
        ("box", 0x36ba_3dcb_8a18_24ae),
        ("capsule", 0x39f1_6c20_b0a7_9cf5),
        ("beam", 0x5656_226a_f834_2c05),
        ("turned ball", 0x214a_9a72_bb30_07a3),
        ("torus", 0x5a43_60e9_f8e0_bafa),
        ("skin", 0x1717_942e_be76_9e26),
    ];
    assert_eq!(found, expected, "\n{found:#x?}");
}
