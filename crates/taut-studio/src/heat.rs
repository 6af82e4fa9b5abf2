//! What the colours of a picture show, and the numbers behind them.

use glam::DVec3;
use taut::limit::{Band, LimitKind, LimitSpec};
use taut_render::{Legend, Scale};
use taut_scene::simulation::{ObjectKind, Simulation};

/// What the colours show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heat {
    /// The bodies' own colours.
    #[default]
    Cloth,
    /// Strain along the weft.
    Weft,
    /// Strain along the warp.
    Warp,
    /// Shear.
    Shear,
    /// Change of area.
    Area,
    /// Strain over the limit that the scene sets for it: 1 is at the limit.
    Use,
    /// The largest strain of soft bodies along their axes.
    Stretch,
    /// Change of volume of soft bodies.
    Volume,
    /// A painted map, by its number among [`painted`].
    Map(u8),
}

/// The names of all painted maps of a simulation's bodies, each once, in their order.
pub fn painted(simulation: &Simulation) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for map in simulation.objects().iter().flat_map(|object| object.maps()) {
        if !names.contains(&map.name) && names.len() < usize::from(u8::MAX) {
            names.push(map.name.clone());
        }
    }
    names
}

impl Heat {
    /// All of them but maps, in the order that a person chooses from.
    pub const ALL: [Heat; 8] =
        [Heat::Cloth, Heat::Weft, Heat::Warp, Heat::Shear, Heat::Area, Heat::Use, Heat::Stretch, Heat::Volume];

    /// What a person calls it.
    pub fn name(self) -> &'static str {
        match self {
            Heat::Cloth => "fabric",
            Heat::Weft => "weft strain",
            Heat::Warp => "warp strain",
            Heat::Shear => "shear",
            Heat::Area => "area change",
            Heat::Use => "use of limits",
            Heat::Stretch => "stretch",
            Heat::Volume => "volume change",
            Heat::Map(_) => "painted map",
        }
    }

    /// One word for it: that of the simulation's field, if it is one.
    pub fn key(self) -> &'static str {
        match self {
            Heat::Weft => "weft",
            Heat::Warp => "warp",
            Heat::Shear => "shear",
            Heat::Area => "area",
            Heat::Stretch => "stretch",
            Heat::Volume => "volume",
            Heat::Cloth => "cloth",
            Heat::Use => "use",
            Heat::Map(_) => "map",
        }
    }

    /// What a key or a field's name stands for.
    pub fn from_key(key: &str) -> Option<Heat> {
        Heat::ALL.into_iter().find(|heat| heat.key() == key)
    }

    /// The painted map of a name, if a body has one; capitals and underscores at its beginning do not matter.
    pub fn of_map(simulation: &Simulation, name: &str) -> Option<Heat> {
        let found = simulation.objects().iter().find_map(|object| taut_scene::read::maps::find(object.maps(), name))?;
        let at = painted(simulation).iter().position(|known| *known == found.name)?;
        u8::try_from(at).ok().map(Heat::Map)
    }

    /// The numbers of a painted map from its least to its largest, or from 0 to 1 if they are within that.
    pub fn map_scale(self, simulation: &Simulation) -> Scale {
        let name = self.map_name(simulation).unwrap_or_default();
        let maps = simulation.objects().iter().flat_map(|object| object.maps()).filter(|map| map.name == name);
        let ranges = maps.filter_map(|map| map.range()).map(|range| range.map(f64::from));
        let [low, high] = ranges.fold([0.0, 0.0], |[a, b]: [f64; 2], [c, d]| [a.min(c), b.max(d)]);
        let up = if high <= 1.0 { 1.0 } else { high };
        if low < 0.0 { Scale::around_zero(high.max(-low)) } else { Scale::up_to(up) }
    }

    /// The name of the map that it is, if it is one.
    pub fn map_name(self, simulation: &Simulation) -> Option<String> {
        let Heat::Map(at) = self else { return None };
        painted(simulation).into_iter().nth(at.into())
    }

    /// What the colours of a picture mean, on a scale.
    pub fn legend_on(self, simulation: &Simulation, scale: Scale) -> Legend {
        match self.map_name(simulation) {
            Some(label) => Legend { scale, label, unit: String::new(), factor: 1.0 },
            None => Legend::percent(self.name(), scale),
        }
    }

    /// The colour of every number, where `strain` is at the end of the scale; nothing without a heat map.
    pub fn legend(self, strain: f64) -> Option<Legend> {
        match self {
            Heat::Cloth => None,
            Heat::Map(_) => {
                Some(Legend { scale: Scale::up_to(1.0), label: self.name().into(), unit: String::new(), factor: 1.0 })
            }
            Heat::Use => Some(Legend::percent(self.name(), Scale::up_to(1.0))),
            // Above zero is tension, below it compression: the sign is half of the news.
            Heat::Weft => Some(Legend::percent("weft, + is tension", Scale::around_zero(strain))),
            Heat::Warp => Some(Legend::percent("warp, + is tension", Scale::around_zero(strain))),
            _ => Some(Legend::percent(self.name(), Scale::around_zero(strain))),
        }
    }

    /// The values at the vertices of an object, where its fields and positions are these; nothing if it has no such
    /// values.
    pub fn values(
        self,
        simulation: &Simulation,
        object: usize,
        fields: &[Vec<f64>],
        positions: &[[f64; 3]],
    ) -> Option<Vec<f64>> {
        let body = &simulation.objects()[object];
        let values = match self {
            Heat::Use => uses(simulation, object, fields, positions)?,
            Heat::Map(_) => {
                let name = self.map_name(simulation)?;
                let map = body.maps().iter().find(|map| map.name == name)?;
                let number = |value: &f32| if value.is_finite() { f64::from(*value) } else { 0.0 };
                return Some(map.values.iter().map(number).collect());
            }
            _ => {
                let at = body.info.fields.iter().position(|field| field.name == self.key())?;
                fields.get(at)?.clone()
            }
        };
        let triangles = body.info.triangles.iter().map(|t| &t[..]);
        Some(vertex_means(body.info.rest.len(), triangles.chain(body.info.tets.iter().map(|t| &t[..])), &values))
    }
}

/// Values of elements at vertices: the mean of those around each. Single triangles of a grid alternate, which hides the
/// pattern that a person looks for; and pictures are small, and triangles smaller.
pub fn vertex_means<'a>(vertices: usize, elements: impl Iterator<Item = &'a [u32]>, values: &[f64]) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); vertices];
    for (corners, value) in elements.zip(values) {
        for &vertex in corners {
            let (sum, count) = &mut sums[vertex as usize];
            (*sum, *count) = (*sum + value, *count + 1.0);
        }
    }
    sums.into_iter().map(|(sum, count)| sum / f64::max(count, 1.0)).collect()
}

/// For each element, the largest of its strains over their limits.
fn uses(simulation: &Simulation, object: usize, fields: &[Vec<f64>], positions: &[[f64; 3]]) -> Option<Vec<f64>> {
    let body = &simulation.objects()[object];
    let limits = limits(simulation.limits(), object);
    if limits.is_empty() {
        return None;
    }
    let mut out = vec![0.0; body.info.triangles.len() + body.info.tets.len()];
    for limit in &limits {
        let parts: &[(usize, Band, f64)] = &match (limit, body.kind) {
            (LimitKind::Csl(l, _), ObjectKind::Cloth) => vec![(0, l.weft, 1.0), (1, l.warp, 1.0), (2, l.shear, 0.5)],
            (LimitKind::Sbd(l, _), ObjectKind::Cloth) => vec![(0, l.weft, 1.0), (1, l.warp, 1.0), (2, l.shear, 1.0)],
            (LimitKind::Stretch(b), ObjectKind::Cloth) => {
                let shear = if b.shear < 1.0 { Band::both(b.shear) } else { Band::NONE };
                vec![(0, Band::upto(b.weft), 1.0), (1, Band::upto(b.warp), 1.0), (2, shear, 1.0)]
            }
            (LimitKind::Areas(s), ObjectKind::Cloth) => vec![(3, s.band, 1.0)],
            (LimitKind::Volumes(s), ObjectKind::Solid) => vec![(1, s.band, 1.0)],
            _ => Vec::new(),
        };
        for &(field, band, factor) in parts {
            let Some(values) = fields.get(field) else { continue };
            out.iter_mut().zip(values).for_each(|(most, value)| *most = f64::max(*most, share(band, factor * value)));
        }
        if let (LimitKind::Stretch(bounds), [weft, warp, shear, ..]) = (limit, fields) {
            let all = weft.iter().zip(warp).zip(shear);
            let most = |((weft, warp), shear): ((&f64, &f64), &f64)| largest_direction(*weft, *warp, *shear);
            let any = Band::upto(bounds.any);
            out.iter_mut().zip(all).for_each(|(to, each)| *to = f64::max(*to, share(any, most(each))));
        }
        let edges = match limit {
            LimitKind::Edges(band, _) => Some(*band),
            LimitKind::Stretch(bounds) => Some(Band::upto(bounds.edge)).filter(|band| band.limits()),
            _ => None,
        };
        if let Some(band) = edges {
            let triangles = body.info.triangles.iter().map(|t| &t[..]).chain(body.info.tets.iter().map(|t| &t[..]));
            for (most, corners) in out.iter_mut().zip(triangles) {
                let strain = edge_strains(corners, &body.info.rest, positions).map(|strain| share(band, strain));
                *most = strain.fold(*most, f64::max);
            }
        }
    }
    Some(out)
}

/// What limits an object.
fn limits(specs: &[LimitSpec], object: usize) -> Vec<LimitKind> {
    let mine = |spec: &&LimitSpec| spec.bodies.is_empty() || spec.bodies.contains(&object);
    specs.iter().filter(mine).map(|spec| spec.kind).collect()
}

/// How far cloth is stretched in the direction in which it is most, by its strain along weft and warp and the cosine
/// between them.
fn largest_direction(weft: f64, warp: f64, shear: f64) -> f64 {
    let (a, b) = (1.0 + weft, 1.0 + warp);
    let (half, off) = (0.5 * (a * a - b * b), a * b * shear);
    (0.5 * (a * a + b * b) + (half * half + off * off).sqrt()).sqrt() - 1.0
}

/// A strain over its limit on the side that it is on; 0 if there is none. Limits of nothing count as a tenth of a
/// percent.
fn share(band: Band, strain: f64) -> f64 {
    let bound = if strain > 0.0 { band.most } else { -band.least };
    if bound.is_finite() { strain.abs() / bound.max(1e-3) } else { 0.0 }
}

/// Length over rest length − 1 of all edges of an element.
fn edge_strains<'a>(corners: &'a [u32], rest: &'a [[f64; 3]], now: &'a [[f64; 3]]) -> impl Iterator<Item = f64> + 'a {
    let length =
        |places: &[[f64; 3]], a: u32, b: u32| DVec3::from(places[a as usize]).distance(places[b as usize].into());
    let pairs = (0..corners.len()).flat_map(move |i| (0..i).map(move |j| (corners[i], corners[j])));
    pairs.map(move |(a, b)| length(now, a, b) / length(rest, a, b).max(1e-12) - 1.0)
}
