//! What moves when a glTF file plays: nodes, and the bodies that hang on them.

use super::track::{Part, Track};
use super::transform::Placement;
use glam::{DAffine3, DQuat, DVec3};

/// A node: where it stands in its parent.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    pub parent: Option<usize>,
    pub placement: Placement,
}

/// The joints that bend a body.
#[derive(Clone, Debug)]
pub(super) struct Skin {
    pub joints: Vec<usize>,
    /// From the body's own space to each joint's.
    pub inverse_bind: Vec<DAffine3>,
}

/// A mesh on a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    /// The node it hangs on; none for a mesh outside any scene.
    pub node: Option<usize>,
    pub skin: Option<Skin>,
    pub positions: Vec<[f32; 3]>,
    /// Joint (of the skin) and weight, `influences_each` for every vertex; weights add up to 1.
    pub influences: Vec<(u32, f32)>,
    pub influences_each: usize,
    /// For each morph target where it moves every vertex.
    pub targets: Vec<Vec<[f32; 3]>>,
    /// How strong each target is where no track says so.
    pub weights: Vec<f64>,
}

/// Everything needed to place all vertices at any time.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(super) nodes: Vec<Joint>,
    /// The nodes, each after its parent.
    pub(super) order: Vec<usize>,
    pub(super) bodies: Vec<Body>,
    pub(super) tracks: Vec<Track>,
}

impl Scene {
    /// When the last track ends, s.
    pub fn duration(&self) -> f64 {
        self.tracks.iter().map(Track::end).fold(0.0, f64::max)
    }

    /// The positions of all vertices at a time, or as the file places them without its animation.
    pub fn positions_at(&self, seconds: Option<f64>, out: &mut Vec<[f64; 3]>) {
        let mut placements: Vec<Placement> = self.nodes.iter().map(|node| node.placement).collect();
        let mut weights: Vec<Option<Vec<f64>>> = vec![None; self.nodes.len()];
        if let Some(seconds) = seconds {
            let mut value = Vec::new();
            for track in &self.tracks {
                track.sample(seconds, &mut value);
                if track.part == Part::Weights {
                    weights[track.node] = Some(value.clone());
                } else {
                    set_part(&mut placements[track.node], track.part, &value);
                }
            }
        }
        let globals = self.globals(&placements);
        out.clear();
        for body in &self.bodies {
            let animated = body.node.and_then(|node| weights[node].as_deref());
            body.place(&globals, animated.unwrap_or(&body.weights), out);
        }
    }

    /// From each node's space to the world's.
    pub(super) fn globals(&self, placements: &[Placement]) -> Vec<DAffine3> {
        let mut globals = vec![DAffine3::IDENTITY; placements.len()];
        for &node in &self.order {
            let local = placements[node].affine();
            globals[node] = match self.nodes[node].parent {
                Some(parent) => globals[parent] * local,
                None => local,
            };
        }
        globals
    }
}

fn set_part(placement: &mut Placement, part: Part, value: &[f64]) {
    let Placement::Parts { translation, rotation, scale } = placement else { return };
    match part {
        Part::Translation => *translation = DVec3::from_slice(value),
        Part::Rotation => *rotation = DQuat::from_slice(value),
        Part::Scale => *scale = DVec3::from_slice(value),
        Part::Weights => {}
    }
}

impl Body {
    /// The joint of the skin that has most of a triangle's weight; of equal ones the first.
    pub(super) fn strongest(&self, triangle: &[u32; 3]) -> usize {
        let each = self.influences_each;
        let of = |&v: &u32| &self.influences[v as usize * each..(v as usize + 1) * each];
        let all = || triangle.iter().flat_map(of);
        let total = |joint: u32| all().filter(|i| i.0 == joint).map(|i| i.1).sum::<f32>();
        let best = all().map(|&(joint, _)| (total(joint), joint)).reduce(|best, next| {
            let better = next.0 > best.0 || (next.0 == best.0 && next.1 < best.1);
            if better { next } else { best }
        });
        best.map_or(usize::MAX, |(_, joint)| joint as usize)
    }

    fn place(&self, globals: &[DAffine3], weights: &[f64], out: &mut Vec<[f64; 3]>) {
        let own = self.node.map_or(DAffine3::IDENTITY, |node| globals[node]);
        let bones: Vec<DAffine3> = match &self.skin {
            Some(skin) => skin.joints.iter().zip(&skin.inverse_bind).map(|(&j, bind)| globals[j] * *bind).collect(),
            None => Vec::new(),
        };
        for (vertex, position) in self.positions.iter().enumerate() {
            let mut position = DVec3::from(position.map(f64::from));
            for (target, &weight) in self.targets.iter().zip(weights) {
                if weight != 0.0 {
                    position += weight * DVec3::from(target[vertex].map(f64::from));
                }
            }
            let at =
                if bones.is_empty() { own.transform_point3(position) } else { self.bend(vertex, position, &bones) };
            out.push(at.into());
        }
    }

    /// Linear blend skinning. The node's own place does not matter: the joints' do.
    fn bend(&self, vertex: usize, position: DVec3, bones: &[DAffine3]) -> DVec3 {
        let start = vertex * self.influences_each;
        let mut bent = DVec3::ZERO;
        for &(joint, weight) in &self.influences[start..start + self.influences_each] {
            if weight != 0.0 {
                bent += f64::from(weight) * bones[joint as usize].transform_point3(position);
            }
        }
        bent
    }
}
