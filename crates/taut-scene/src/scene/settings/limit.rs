//! `[[limit]]`: strain limiters, in the order they act.

use super::cap::{Cap, ShearCap};
use super::{Cloth, Settings};
use crate::scene::bounds::Named;
use crate::scene::check::body_names;
use crate::scene::decode::{Reader, Rule, Value, number};
use crate::scene::document::{Node, Tree};
use crate::scene::units;
use serde_json::{Value as Json, json};
use taut::limit::{
    ApslSettings, Band, CslMotion, CslScheme, CslSettings, LimitKind, LimitSpec, StrainLimits, StretchBounds,
    SweepSettings,
};

const STRAIN: Rule = Rule::ANY.from(0.0).to(100.0);
const SHEAR: Rule = Rule::ANY.from(0.0).to(1.0);
const RATE: Rule = Rule::ANY.from(0.0).to(1e6).unit("1/s");
const TANGENT: Rule = Rule::ANY.from(0.0).to(1000.0);
const SWEEPS: Rule = Rule::ANY.from(1.0).to(10_000.0);
const TOLERANCE: Rule = Rule::ANY.from(0.0).to(1.0);

variants! {
    /// A strain limiter. They act one after another in every substep, after the solver and in turn with contact. What
    /// they allow in tension and shear of cloth is also a bound that the end of every step keeps, together with
    /// contact, and takes the place of what holds by default.
    pub enum Limit default "csl" {
        /// Weft, warp and shear strain of cloth, each on its own (continuum-based strain limiting).
        Csl(CslLimit) = "csl",
        /// The same with the limits that the fabric of each cloth has in the library.
        Fabric(FabricLimit) = "fabric",
        /// Weft, warp and shear of cloth by the rows of Strain Based Dynamics.
        Sbd(SbdLimit) = "sbd",
        /// Lengths of the edges of cloth and solids.
        Edges(EdgeLimit) = "edges",
        /// How far cloth may be stretched at the end of a step, whatever else acts on it; nothing in the substeps.
        Stretch(StretchLimit) = "stretch",
        /// Areas of the triangles of cloth, all at once (area-preserving strain limiting). At the end of a step
        /// none changes by more than `change` and `tolerance` together.
        Area(SizeLimit) = "area",
        /// Volumes of the tetrahedra of solids, all at once, likewise.
        Volume(SizeLimit) = "volume",
        /// How fast weft, warp and shear strain of cloth may change. Acts on velocities, after contact.
        Rate(RateLimit) = "rate",
        /// How fast the lengths of edges may change, likewise.
        EdgeRate(EdgeRateLimit) = "edge-rate",
    }
}

section! {
    /// Continuum-based strain limiting.
    pub struct CslLimit {
        /// The cloth it is for; all if not given.
        bodies: Vec<String> = Vec::new();
        /// Strain along the weft: a fraction or text such as "4 %", in tension, or { tension, compression }.
        weft: Option<Bound> = None => STRAIN;
        /// Strain along the warp, likewise.
        warp: Option<Bound> = None => STRAIN;
        /// Shear strain to both sides, half of the shear angle in radians.
        shear: Option<Bound> = None => SHEAR;
        /// How triangles are combined.
        method: CslMethod = CslMethod::GaussSeidel;
        /// How a triangle moves towards its limits.
        motion: CslWay = CslWay::Least;
        /// Most sweeps in a substep.
        iterations: u32 = 20 => SWEEPS;
        /// What counts as within the limits: a fraction or text such as "0.1 %".
        tolerance: Fraction = Fraction(1e-3) => TOLERANCE;
    }
}

choice! {
    /// How triangles are combined.
    pub enum CslMethod {
        /// One after another, each seeing what the others did.
        GaussSeidel = "gauss-seidel",
        /// All on their own, then averaged at the vertices. Slower.
        Jacobi = "jacobi",
    }
}

choice! {
    /// How a triangle moves towards its limits.
    pub enum CslWay {
        /// With the least kinetic energy; strains within their limits may change within them.
        Least = "least",
        /// As in the paper: strains within their limits stay as they are.
        Paper = "paper",
    }
}

section! {
    /// The limits that the fabrics of the library have: the strain at which a cloth becomes nearly inextensible, and
    /// the shear at which its yarns lock.
    pub struct FabricLimit {
        /// The cloth it is for; all that has a `fabric` if not given.
        bodies: Vec<String> = Vec::new();
        /// Most sweeps in a substep.
        iterations: u32 = 20 => SWEEPS;
        /// What counts as within the limits.
        tolerance: Fraction = Fraction(1e-3) => TOLERANCE;
    }
}

section! {
    /// The strain rows of Strain Based Dynamics, active beyond their limits.
    pub struct SbdLimit {
        /// The cloth it is for; all if not given.
        bodies: Vec<String> = Vec::new();
        /// Stretch along the weft: a fraction or text such as "4 %", in tension, or { tension, compression }.
        weft: Option<Bound> = None => STRAIN;
        /// Stretch along the warp, likewise.
        warp: Option<Bound> = None => STRAIN;
        /// The cosine of the angle between weft and warp, to both sides.
        shear: Option<Bound> = None => SHEAR;
        /// Most sweeps in a substep.
        iterations: u32 = 20 => SWEEPS;
        /// What counts as within the limits.
        tolerance: Fraction = Fraction(1e-3) => TOLERANCE;
    }
}

section! {
    /// Lengths of edges.
    pub struct EdgeLimit {
        /// The bodies it is for; all if not given.
        bodies: Vec<String> = Vec::new();
        /// Strain: a fraction or text such as "4 %", in tension, or { tension, compression }.
        strain: Bound => STRAIN;
        /// Most sweeps in a substep.
        iterations: u32 = 20 => SWEEPS;
        /// What counts as within the limits.
        tolerance: Fraction = Fraction(1e-3) => TOLERANCE;
    }
}

section! {
    /// How far cloth may be stretched at the end of a step: tension and shear. What is not given stays as it is by
    /// default.
    pub struct StretchLimit {
        /// The cloth it is for; all if not given.
        bodies: Vec<String> = Vec::new();
        /// Threads along the weft: a fraction or text such as "4 %"; "off" for as far as it goes.
        weft: Option<Cap> = None => STRAIN;
        /// Along the warp, likewise.
        warp: Option<Cap> = None => STRAIN;
        /// The angle between the yarns and a right angle: text such as "20 deg", or its tangent; or "off".
        shear: Option<ShearCap> = None => TANGENT;
        /// Along any direction, the bias too.
        any: Option<Cap> = None => STRAIN;
        /// Edges of triangles.
        edge: Option<Cap> = None => STRAIN;
    }
}

section! {
    /// Areas or volumes.
    pub struct SizeLimit {
        /// The bodies it is for; all that have some if not given.
        bodies: Vec<String> = Vec::new();
        /// The change of size that is left alone: a fraction or text such as "4 %", to both sides, or { tension,
        /// compression }.
        change: Bound = Bound::Both(0.0) => STRAIN;
        /// What counts as within that.
        tolerance: Fraction = Fraction(ApslSettings::default().threshold) => TOLERANCE;
        /// Most linear systems in a substep, each put together where the last has led.
        iterations: u32 = ApslSettings::default().substeps => SWEEPS;
        /// Factor on the system's diagonal, above 1: larger is faster and looser.
        alpha: f64 = ApslSettings::default().alpha => Rule::ANY.above(1.0).to(1e4);
    }
}

section! {
    /// Rates of strain. Vertices that contact has stopped stay so, and their neighbours follow them.
    pub struct RateLimit {
        /// The cloth it is for; all if not given.
        bodies: Vec<String> = Vec::new();
        /// Along the weft: strain a second or text such as "50 %/s", to both sides, or { tension, compression }.
        weft: Option<Bound> = None => RATE;
        /// Along the warp, likewise.
        warp: Option<Bound> = None => RATE;
        /// In shear.
        shear: Option<Bound> = None => RATE;
        /// Most sweeps in a substep.
        iterations: u32 = 20 => SWEEPS;
        /// What counts as within the limits.
        tolerance: Fraction = Fraction(1e-3) => TOLERANCE;
    }
}

section! {
    /// Rates of the strain of edges.
    pub struct EdgeRateLimit {
        /// The bodies it is for; all if not given.
        bodies: Vec<String> = Vec::new();
        /// Strain a second or text such as "50 %/s", to both sides, or { tension, compression }.
        rate: Bound => RATE;
        /// Most sweeps in a substep.
        iterations: u32 = 20 => SWEEPS;
        /// What counts as within the limits.
        tolerance: Fraction = Fraction(1e-3) => TOLERANCE;
    }
}

/// A fraction, or text with a percent sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fraction(pub f64);

impl Value for Fraction {
    fn expected(rule: &Rule) -> String {
        format!("{}, or text such as \"4 {}\"", f64::expected(rule), percent(rule))
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        let Tree::Text(text) = &node.tree else {
            return match &node.tree {
                Tree::Integer(_) | Tree::Float(_) => f64::decode(reader, node, rule).map(Fraction),
                _ => {
                    reader.unexpected(node, &Self::expected(rule), Vec::new());
                    None
                }
            };
        };
        let value = units::convert(text, rule.unit).filter(|value| rule.allows(*value));
        if value.is_none() {
            let angle = units::convert(text, "degrees").is_some();
            let help = angle.then(|| "angles are for `shear` of `kind` = \"stretch\"".to_owned());
            reader.unexpected(node, &Self::expected(rule), help.into_iter().collect());
        }
        value.map(Fraction)
    }

    fn schema(rule: &Rule) -> Json {
        json!({ "anyOf": [f64::schema(rule), { "type": "string", "pattern": format!("^[0-9.]+ *{}$", percent(rule)) }] })
    }

    fn json(&self) -> Json {
        number(self.0)
    }
}

fn percent(rule: &Rule) -> &'static str {
    if rule.unit.is_empty() { "%" } else { "%/s" }
}

/// A limit: one number, or one for each side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// The same to both sides where a key says so, else in tension.
    Both(f64),
    /// How much longer (or larger), and how much shorter (or smaller); what is not given is not limited.
    Sides {
        /// How much longer.
        tension: Option<Fraction>,
        /// How much shorter.
        compression: Option<Fraction>,
    },
}

impl Value for Bound {
    fn expected(rule: &Rule) -> String {
        format!("{}, or {{ tension = …, compression = … }}", Fraction::expected(rule))
    }

    fn decode(reader: &mut Reader, node: &Node, rule: &Rule) -> Option<Self> {
        match &node.tree {
            Tree::Table(entries) => {
                // Not a section: the numbers have the rule of the key that this is for.
                reader.unknown(entries, &["tension", "compression"]);
                let mut side = |name, doc| reader.field(entries, (name, doc, rule), Some(None), node.span);
                let tension = side("tension", "How much longer.")?;
                Some(Bound::Sides { tension, compression: side("compression", "How much shorter.")? })
            }
            Tree::Integer(_) | Tree::Float(_) | Tree::Text(_) => {
                Fraction::decode(reader, node, rule).map(|Fraction(size)| Bound::Both(size))
            }
            _ => {
                reader.unexpected(node, &Self::expected(rule), Vec::new());
                None
            }
        }
    }

    fn schema(rule: &Rule) -> Json {
        let side = |doc: &str| {
            let mut side = Fraction::schema(rule);
            side["description"] = doc.into();
            side
        };
        let sides = json!({
            "type": "object",
            "properties": { "tension": side("How much longer."), "compression": side("How much shorter.") },
            "additionalProperties": false,
        });
        json!({ "anyOf": [Fraction::schema(rule), sides] })
    }

    fn json(&self) -> Json {
        match self {
            Bound::Both(size) => number(*size),
            Bound::Sides { tension, compression } => {
                let all = [("tension", tension), ("compression", compression)];
                all.into_iter().filter_map(|(key, side)| Some((key.to_owned(), side.as_ref()?.json()))).collect()
            }
        }
    }
}

impl Bound {
    fn sides(self) -> Option<Band> {
        let Bound::Sides { tension, compression } = self else { return None };
        let most = tension.map_or(f64::INFINITY, |t| t.0);
        Some(Band { least: compression.map_or(f64::NEG_INFINITY, |c| -c.0), most })
    }

    /// One number limits tension only.
    fn stretch(bound: Option<Bound>) -> Band {
        match bound {
            None => Band::NONE,
            Some(Bound::Both(most)) => Band::upto(most),
            Some(sides) => sides.sides().unwrap_or(Band::NONE),
        }
    }

    /// One number limits both sides.
    fn both(bound: Option<Bound>) -> Band {
        match bound {
            None => Band::NONE,
            Some(Bound::Both(size)) => Band::both(size),
            Some(sides) => sides.sides().unwrap_or(Band::NONE),
        }
    }
}

impl Limit {
    /// The bodies it names.
    pub fn bodies(&self) -> &[String] {
        match self {
            Limit::Csl(l) => &l.bodies,
            Limit::Fabric(l) => &l.bodies,
            Limit::Sbd(l) => &l.bodies,
            Limit::Edges(l) => &l.bodies,
            Limit::Area(l) | Limit::Volume(l) => &l.bodies,
            Limit::Rate(l) => &l.bodies,
            Limit::EdgeRate(l) => &l.bodies,
            Limit::Stretch(l) => &l.bodies,
        }
    }

    /// Which bounds on the stretch of a cloth it names.
    pub(crate) fn named(&self, cloth: &Cloth) -> Named {
        let tension =
            |bound: &Option<Bound>| matches!(bound, Some(Bound::Both(_) | Bound::Sides { tension: Some(_), .. }));
        let threads = |weft, warp, shear: bool| Named { weft, warp, shear, ..Named::default() };
        match self {
            Limit::Csl(l) => threads(tension(&l.weft), tension(&l.warp), l.shear.is_some()),
            Limit::Sbd(l) => threads(tension(&l.weft), tension(&l.warp), l.shear.is_some()),
            Limit::Fabric(_) => {
                let some = cloth.material.fabric.is_some();
                threads(some, some, some)
            }
            Limit::Edges(l) => Named { edge: tension(&Some(l.strain)), ..Named::default() },
            Limit::Stretch(l) => Named {
                weft: l.weft.is_some(),
                warp: l.warp.is_some(),
                shear: l.shear.is_some(),
                any: l.any.is_some(),
                edge: l.edge.is_some(),
            },
            Limit::Area(_) | Limit::Volume(_) | Limit::Rate(_) | Limit::EdgeRate(_) => Named::default(),
        }
    }

    /// What it limits on cloth; nothing for those that do not tell weft, warp and shear.
    fn limits(&self) -> Option<StrainLimits> {
        let stretched = |weft, warp, shear| StrainLimits {
            weft: Bound::stretch(weft),
            warp: Bound::stretch(warp),
            shear: Bound::both(shear),
        };
        match self {
            Limit::Csl(l) => Some(stretched(l.weft, l.warp, l.shear)),
            Limit::Sbd(l) => Some(stretched(l.weft, l.warp, l.shear)),
            Limit::Rate(l) => {
                Some(StrainLimits { weft: Bound::both(l.weft), warp: Bound::both(l.warp), shear: Bound::both(l.shear) })
            }
            _ => None,
        }
    }

    /// The names of the bodies that have what it limits.
    pub(crate) fn fits<'a>(&self, settings: &'a Settings) -> Vec<&'a str> {
        let cloth = settings.cloth.iter().filter(|c| match self {
            Limit::Volume(_) => false,
            Limit::Fabric(_) => c.material.fabric.is_some(),
            _ => true,
        });
        let solids = matches!(self, Limit::Volume(_) | Limit::Edges(_) | Limit::EdgeRate(_));
        let solid = settings.solid.iter().filter(|_| solids);
        cloth.map(|c| c.shape.name.as_str()).chain(solid.map(|s| s.shape.name.as_str())).collect()
    }

    /// Whether it has weft, warp and shear or other bounds on stretch, and says nothing about any of them.
    pub(crate) fn is_empty(&self) -> bool {
        if let Limit::Stretch(StretchLimit { weft, warp, shear, any, edge, .. }) = self {
            return shear.is_none() && [weft, warp, any, edge].iter().all(|cap| cap.is_none());
        }
        self.limits().is_some_and(|l| !(l.weft.limits() || l.warp.limits() || l.shear.limits()))
    }

    /// The engine's limiters: one, or for fabrics one for each cloth that has some.
    pub fn specs(&self, settings: &Settings) -> Vec<LimitSpec> {
        let sweeps = |iterations, tolerance: Fraction| SweepSettings { iterations, tolerance: tolerance.0, seed: 0 };
        let limits = self.limits().unwrap_or(StrainLimits::NONE);
        let size = |l: &SizeLimit| ApslSettings {
            alpha: l.alpha,
            substeps: l.iterations,
            threshold: l.tolerance.0,
            band: Bound::both(Some(l.change)),
            ..ApslSettings::default()
        };
        let kind = match self {
            Limit::Csl(l) => {
                let scheme = match l.method {
                    CslMethod::GaussSeidel => CslScheme::GaussSeidel,
                    CslMethod::Jacobi => CslScheme::Jacobi { held: 1.0 },
                };
                let motion = if l.motion == CslWay::Paper { CslMotion::PAPER } else { CslMotion::default() };
                LimitKind::Csl(limits, CslSettings { scheme, motion, sweeps: sweeps(l.iterations, l.tolerance) })
            }
            Limit::Fabric(l) => return fabrics(l, settings, sweeps(l.iterations, l.tolerance)),
            Limit::Sbd(l) => LimitKind::Sbd(limits, sweeps(l.iterations, l.tolerance)),
            Limit::Edges(l) => LimitKind::Edges(Bound::stretch(Some(l.strain)), sweeps(l.iterations, l.tolerance)),
            Limit::Area(l) => LimitKind::Areas(size(l)),
            Limit::Volume(l) => LimitKind::Volumes(size(l)),
            Limit::Rate(l) => LimitKind::Rate(limits, sweeps(l.iterations, l.tolerance)),
            Limit::Stretch(l) => {
                let cap = |cap: Option<Cap>| cap.map_or(f64::INFINITY, Cap::most);
                let bounds = StretchBounds {
                    weft: cap(l.weft),
                    warp: cap(l.warp),
                    shear: l.shear.map_or(f64::INFINITY, ShearCap::cosine),
                    any: cap(l.any),
                    edge: cap(l.edge),
                    ..StretchBounds::NONE
                };
                // Nothing but "off".
                if bounds == StretchBounds::NONE {
                    return Vec::new();
                }
                LimitKind::Stretch(bounds)
            }
            Limit::EdgeRate(l) => LimitKind::EdgeRate(Bound::both(Some(l.rate)), sweeps(l.iterations, l.tolerance)),
        };
        let number = |name: &String| body_names(settings).position(|known| known == name);
        vec![LimitSpec { kind, bodies: self.bodies().iter().filter_map(number).collect() }]
    }
}

/// The cloth that a limiter by fabrics is for: those named, or all, as far as they have a fabric.
fn fabrics(limit: &FabricLimit, settings: &Settings, sweeps: SweepSettings) -> Vec<LimitSpec> {
    let chosen = |name: &String| limit.bodies.is_empty() || limit.bodies.contains(name);
    let cloth = settings.cloth.iter().enumerate().filter(|(_, cloth)| chosen(&cloth.shape.name));
    cloth
        .filter_map(|(at, cloth)| {
            Some(LimitSpec::csl(cloth.material.fabric?.0.engine.strain_limits()).with_sweeps(sweeps).on(&[at]))
        })
        .collect()
}
