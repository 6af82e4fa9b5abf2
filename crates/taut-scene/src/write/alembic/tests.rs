//! What is written is read again by a reader that knows the container and nothing else.

use crate::read::{FaceSet, Given};
use crate::write::Details;
use crate::write::testing::{Fixture, TempDir};

/// A file in memory.
struct Tree(Vec<u8>);

impl Tree {
    fn word(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.0[at..at + 8].try_into().unwrap())
    }

    /// The children of a group: where each is, and whether it is data.
    fn children(&self, at: u64) -> Vec<(u64, bool)> {
        let at = at as usize;
        let count = if at == 0 { 0 } else { self.word(at) as usize };
        (0..count).map(|k| self.word(at + 8 + 8 * k)).map(|c| (c & !(1 << 63), c >> 63 == 1)).collect()
    }

    fn data(&self, (at, is_data): (u64, bool)) -> &[u8] {
        assert!(is_data);
        let at = at as usize;
        if at == 0 { &[] } else { &self.0[at + 8..at + 8 + self.word(at) as usize] }
    }

    /// Properties of a group: name, number of samples, whether constant, and the group of its samples.
    fn properties(&self, group: u64) -> Vec<(String, u32, bool, u64)> {
        let children = self.children(group);
        let Some((&headers, groups)) = children.split_last() else { return Vec::new() };
        let mut bytes = self.data(headers);
        let mut take = |width: usize| {
            let (head, rest) = bytes.split_at(width);
            bytes = rest;
            head.iter().rev().fold(0_u32, |number, &byte| number << 8 | u32::from(byte))
        };
        let mut found = Vec::new();
        for &(at, _) in groups {
            let info = take(4);
            let width = 1 << (info >> 2 & 3);
            let count = if info & 3 == 0 { 0 } else { take(width) };
            if info & 0x100 != 0 {
                take(width);
            }
            let length = take(width);
            let name = (0..length).map(|_| char::from(take(1) as u8)).collect();
            found.push((name, count, info & 0x800 != 0, at));
        }
        found
    }

    fn property(&self, group: u64, name: &str) -> (u32, bool, u64) {
        let all = self.properties(group);
        let found = all.iter().find(|property| property.0 == name);
        let (_, count, constant, at) = found.unwrap_or_else(|| panic!("{name} among {all:?}"));
        (*count, *constant, *at)
    }

    /// The bytes of one sample of a list, without its key.
    fn sample(&self, group: u64, number: usize) -> &[u8] {
        &self.data(self.children(group)[2 * number])[16..]
    }

    /// The properties of the mesh of an object, and the groups of its sets of faces.
    fn mesh(&self, object: usize) -> (u64, Vec<u64>) {
        let top = self.children(self.word(8))[2].0;
        let transform = self.children(self.children(top)[1 + object].0);
        let mesh = self.children(transform[1].0);
        let sets = mesh[1..mesh.len() - 1].iter().map(|child| child.0).collect();
        (self.property(mesh[0].0, ".geom").2, sets)
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    words(bytes).into_iter().map(f32::from_bits).collect()
}

fn written(fixture: &Fixture, frames: usize) -> Tree {
    let dir = TempDir::new("alembic");
    let paths = fixture.write("abc", dir.path(), 0..frames).unwrap();
    assert_eq!(dir.names(), ["scene.abc"]);
    let tree = Tree(std::fs::read(&paths[0]).unwrap());
    assert_eq!(tree.0[..8], *b"Ogawa\xff\0\x01");
    tree
}

#[test]
fn every_frame_is_there_and_what_does_not_change_is_there_once() {
    let mut fixture = Fixture::both();
    fixture.setup.details = Details::ALL;
    let tree = written(&fixture, 3);
    for (object, vertices) in [(0, 4), (1, 5)] {
        let (geometry, _) = tree.mesh(object);
        let (count, constant, points) = tree.property(geometry, "P");
        assert_eq!((count, constant), (3, false));
        for frame in 0..3 {
            assert_eq!(floats(tree.sample(points, frame)), fixture.floats(object, frame..frame + 1));
        }
        let velocities = tree.property(geometry, ".velocities").2;
        assert_eq!(floats(tree.sample(velocities, 2))[4], 6.0);
        assert_eq!(floats(tree.sample(tree.property(geometry, "N").2, 2)).len(), 3 * vertices);
    }
    let (geometry, _) = tree.mesh(0);
    let (count, constant, corners) = tree.property(geometry, ".faceIndices");
    assert_eq!((count, constant, tree.children(corners).len()), (3, true, 2));
    assert_eq!(words(tree.sample(corners, 0)), [2, 1, 0, 3, 1, 2], "clockwise");
    let uv = tree.property(geometry, "uv").2;
    assert_eq!(words(tree.sample(tree.property(uv, ".indices").2, 0)), [2, 1, 0, 3, 4, 2]);
    let shear = tree.property(tree.property(geometry, ".arbGeomParams").2, "shear").2;
    assert_eq!(floats(tree.sample(shear, 1)), [1.2, 1.21]);
    let heat = tree.property(tree.property(tree.mesh(1).0, ".arbGeomParams").2, "heat").2;
    assert_eq!(floats(tree.sample(heat, 0)).len(), 5);
}

#[test]
fn polygons_and_materials_are_those_of_the_file() {
    let mut fixture = Fixture::quad();
    let object = &mut fixture.setup.objects[0];
    object.given = Given {
        object: Some("Skirt".into()),
        ends: vec![4],
        corners: vec![0, 1, 3, 2],
        uvs: vec![0, 1, 3, 2],
        of_triangle: vec![0, 0],
        materials: vec![FaceSet { name: "red".into(), faces: vec![0] }],
        ..Given::default()
    };
    fixture.setup.details = Details::ALL;
    let tree = written(&fixture, 300);
    let (geometry, sets) = tree.mesh(0);
    assert_eq!(tree.property(geometry, "P").0, 300, "more than a byte counts");
    assert_eq!(words(tree.sample(tree.property(geometry, ".faceIndices").2, 0)), [2, 3, 1, 0]);
    assert_eq!(words(tree.sample(tree.property(geometry, ".faceCounts").2, 0)), [4]);
    let weft = tree.property(tree.property(geometry, ".arbGeomParams").2, "weft").2;
    assert_eq!(floats(tree.sample(weft, 1)), [1.005], "the mean of its triangles");
    let faces = tree.property(tree.property(tree.children(sets[0])[0].0, ".faceset").2, ".faces").2;
    assert_eq!(words(tree.sample(faces, 0)), [0]);
    assert!(tree.0.windows(10).any(|bytes| bytes == b"SkirtShape"));
}

#[test]
fn times_begin_at_the_first_frame() {
    let mut fixture = Fixture::triangle();
    fixture.setup.first_frame = 1001;
    let tree = written(&fixture, 2);
    let times = tree.data(tree.children(tree.word(8))[4]);
    let double = |at: usize| f64::from_le_bytes(times[at..at + 8].try_into().unwrap());
    assert_eq!((words(&times[24..28])[0], double(28), double(40)), (2, 1.0 / 24.0, 1001.0 / 24.0));
    assert!(tree.properties(tree.mesh(0).0).iter().all(|property| property.0 != ".velocities"));
}
