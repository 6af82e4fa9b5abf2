//! Patterns of GarmentCode and its relatives: `*_specification.json`.
//!
//! | in the file | here |
//! | --- | --- |
//! | `properties.units_in_meter` | everything in m |
//! | relative control points, along and across an edge in its lengths | points |
//! | `rotation`, three angles | axes that turn along, or fixed ones: whichever leaves smaller gaps at seams |
//! | stitches, end of one edge to start of the other; `right_wrong`: start to start | [`Seam`], `same_way` |

use super::check::{MOST_EDGES, MOST_PANELS, MOST_SEAMS, PatternError};
use super::curve::Point;
use super::pattern::{Curve, Edge, EdgeRef, Panel, Pattern, Placement, Seam, up};
use serde_json::Value;

/// What is read, with the way to it for messages.
#[derive(Clone)]
struct At<'a> {
    file: &'a str,
    path: String,
    value: &'a Value,
}

type Result<T> = std::result::Result<T, PatternError>;

impl<'a> At<'a> {
    fn wrong<T>(&self, expected: &str) -> Result<T> {
        let found = self.value.to_string();
        let mut shown: String = found.chars().take(40).collect();
        if shown.len() < found.len() {
            shown.push('…');
        }
        Err(PatternError::one(self.file, format!("{}: found {shown}, expected {expected}", self.path)))
    }

    fn key(&self, key: &str) -> Option<At<'a>> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Some(At { file: self.file, path, value })
    }

    fn need(&self, key: &str) -> Result<At<'a>> {
        self.key(key).ok_or_else(|| {
            let place = if self.path.is_empty() { String::new() } else { format!("{}: ", self.path) };
            PatternError::one(self.file, format!("{place}there is no {key:?}"))
        })
    }

    fn list(&self, most: usize) -> Result<Vec<At<'a>>> {
        let Value::Array(all) = self.value else { return self.wrong("a list") };
        if all.len() > most {
            let (path, count) = (&self.path, all.len());
            return Err(PatternError::one(
                self.file,
                format!("{path}: it has {count} entries, expected at most {most}"),
            ));
        }
        let at = |(i, value)| At { file: self.file, path: format!("{}[{i}]", self.path), value };
        Ok(all.iter().enumerate().map(at).collect())
    }

    fn number(&self) -> Result<f64> {
        match self.value.as_f64() {
            Some(x) if x.is_finite() => Ok(x),
            _ => self.wrong("a number"),
        }
    }

    fn numbers<const N: usize>(&self) -> Result<[f64; N]> {
        let list = self.list(N)?;
        if list.len() != N {
            return self.wrong(&format!("{N} numbers"));
        }
        let mut out = [0.0; N];
        for (to, from) in out.iter_mut().zip(list) {
            *to = from.number()?;
        }
        Ok(out)
    }

    fn index(&self, count: usize, what: &str) -> Result<usize> {
        match self.value.as_u64() {
            Some(i) if (i as usize) < count => Ok(i as usize),
            _ => self.wrong(&format!("the number of {what}, 0 to {}", count.saturating_sub(1))),
        }
    }
}

/// Reads a pattern from parsed JSON. Not checked yet.
pub(super) fn read(file: &str, name: &str, json: &Value) -> Result<Pattern> {
    let root = At { file, path: String::new(), value: json };
    let pattern = root.need("pattern")?;
    let (scale, relative) = properties(&root)?;
    let panels = pattern.need("panels")?;
    let Value::Object(all) = panels.value else { return panels.wrong("panels by name") };
    if all.len() > MOST_PANELS {
        return Err(PatternError::one(file, format!("it has {} panels, expected at most {MOST_PANELS}", all.len())));
    }
    let mut out = Pattern { name: name.to_owned(), ..Pattern::default() };
    let mut angles = Vec::new();
    for (name, value) in all {
        let at = At { file, path: format!("panel {name:?}"), value };
        let (panel, turned) = panel(&at, name, scale, relative)?;
        out.panels.push(panel);
        angles.push(turned);
    }
    if let Some(stitches) = pattern.key("stitches") {
        for stitch in stitches.list(MOST_SEAMS)? {
            out.seams.push(seam(&stitch, &out)?);
        }
    }
    turn(&mut out, &angles);
    Ok(out)
}

/// Metres in a unit, and whether control points are relative to their edge.
fn properties(root: &At) -> Result<(f64, bool)> {
    let Some(all) = root.key("properties") else { return Ok((0.01, true)) };
    let units = all.key("units_in_meter").map_or(Ok(100.0), |at| match at.number()? {
        x if x > 0.0 => Ok(x),
        _ => at.wrong("a number above 0"),
    })?;
    let relative = all.key("curvature_coords").map_or(Ok(true), |at| match at.value.as_str() {
        Some("relative") => Ok(true),
        Some("absolute") => Ok(false),
        _ => at.wrong("\"relative\" or \"absolute\""),
    })?;
    Ok((1.0 / units, relative))
}

/// A panel without its rotation, and the angles of that, degrees.
fn panel(at: &At, name: &str, scale: f64, relative: bool) -> Result<(Panel, [f64; 3])> {
    let mut points = Vec::new();
    for vertex in at.need("vertices")?.list(4 * MOST_EDGES)? {
        points.push(vertex.numbers::<2>()?.map(|x| x * scale));
    }
    let mut outline = Vec::new();
    for edge in at.need("edges")?.list(MOST_EDGES)? {
        outline.push(self::edge(&edge, &points, scale, relative)?);
    }
    let translation = at.key("translation").map_or(Ok([0.0; 3]), |at| at.numbers())?.map(|x: f64| x * scale);
    let angles = at.key("rotation").map_or(Ok([0.0; 3]), |at| at.numbers())?;
    let placement = Placement { translation, ..Placement::default() };
    Ok((Panel { name: name.to_owned(), outline, placement, grain: up(), ..Panel::default() }, angles))
}

fn edge(at: &At, points: &[Point], scale: f64, relative: bool) -> Result<Edge> {
    let ends = at.need("endpoints")?;
    let list = ends.list(2)?;
    let [from, to] = &list[..] else { return ends.wrong("two numbers of vertices") };
    let [from, to] = [points[from.index(points.len(), "a vertex")?], points[to.index(points.len(), "a vertex")?]];
    let along = [to[0] - from[0], to[1] - from[1]];
    let control = |at: &At| -> Result<Point> {
        let [a, b] = at.numbers::<2>()?;
        Ok(if relative {
            [from[0] + a * along[0] - b * along[1], from[1] + a * along[1] + b * along[0]]
        } else {
            [a * scale, b * scale]
        })
    };
    let curve = match at.key("curvature") {
        None => Curve::Line,
        // As older files have it.
        Some(bare) if bare.value.is_array() => Curve::Quadratic { control: control(&bare)? },
        Some(of) => {
            let (kind, params) = (of.need("type")?, of.need("params")?);
            match kind.value.as_str() {
                Some("quadratic") => match &params.list(1)?[..] {
                    [c] => Curve::Quadratic { control: control(c)? },
                    _ => return params.wrong("one control point"),
                },
                Some("cubic") => match &params.list(2)?[..] {
                    [c, d] => Curve::Cubic { controls: [control(c)?, control(d)?] },
                    _ => return params.wrong("two control points"),
                },
                Some("circle") => {
                    let list = params.list(3)?;
                    let [radius, large, right] = &list[..] else { return params.wrong("radius, large, right") };
                    let flag = |at: &At| match (at.value.as_bool(), at.value.as_f64()) {
                        (Some(yes), _) => Ok(yes),
                        (_, Some(x)) => Ok(x != 0.0),
                        _ => at.wrong("0 or 1"),
                    };
                    Curve::Arc { radius: radius.number()? * scale, large: flag(large)?, right: flag(right)? }
                }
                _ => return kind.wrong("\"quadratic\", \"cubic\" or \"circle\""),
            }
        }
    };
    let label = at.key("label").and_then(|label| label.value.as_str().map(str::to_owned)).unwrap_or_default();
    Ok(Edge { from, to, curve, label })
}

fn seam(at: &At, pattern: &Pattern) -> Result<Seam> {
    let list = at.list(3)?;
    let (Some(first), Some(second)) = (list.first(), list.get(1)) else { return at.wrong("two edges") };
    let side = |at: &At| -> Result<EdgeRef> {
        let of = at.need("panel")?;
        let named = |panel: &Panel| Some(panel.name.as_str()) == of.value.as_str();
        let Some(panel) = pattern.panels.iter().position(named) else {
            return of.wrong("the name of a panel that there is");
        };
        let count = pattern.panels[panel].outline.len();
        let edge = at.need("edge")?.index(count, &format!("an edge of panel {:?}", pattern.panels[panel].name))?;
        Ok(EdgeRef { panel, edge })
    };
    let same_way = match list.get(2) {
        None => false,
        Some(at) if at.value.as_str() == Some("right_wrong") => true,
        Some(at) => return at.wrong("\"right_wrong\" or nothing"),
    };
    Ok(Seam { sides: [vec![side(first)?], vec![side(second)?]], same_way })
}

/// Turns panels by their angles, in the way that brings what is sewn nearer together.
fn turn(pattern: &mut Pattern, angles: &[[f64; 3]]) {
    let turned = |pattern: &mut Pattern, intrinsic: bool| {
        for (panel, angles) in pattern.panels.iter_mut().zip(angles) {
            panel.placement.axes = axes(*angles, intrinsic);
        }
        pattern.seams.iter().map(|seam| pattern.seam_gap(seam, false)).sum::<f64>()
    };
    let intrinsic = turned(pattern, true);
    if !angles.iter().any(|angles| angles.iter().filter(|angle| **angle != 0.0).count() > 1) {
        return;
    }
    let fixed = turned(pattern, false);
    let (words, better, worse) = if fixed < intrinsic {
        ("around fixed axes", fixed, intrinsic)
    } else {
        turned(pattern, true);
        ("around axes that turn along", intrinsic, fixed)
    };
    let mean = |sum: f64| 100.0 * sum / pattern.seams.len().max(1) as f64;
    let note = format!(
        "panels are turned about x, y and z {words}: what is sewn is then {:.1} cm apart at the start, and {:.1} cm the \
         other way",
        mean(better),
        mean(worse)
    );
    pattern.notes.push(note);
}

/// What becomes of the axes under three turns (degrees): Rx·Ry·Rz, or Rz·Ry·Rx around fixed axes.
pub(super) fn axes(angles: [f64; 3], intrinsic: bool) -> [[f64; 3]; 3] {
    let turn = |axis: usize, v: [f64; 3]| {
        let (sin, cos) = match angles[axis].rem_euclid(360.0) {
            // Quarter turns are exact.
            0.0 => (0.0, 1.0),
            90.0 => (1.0, 0.0),
            180.0 => (0.0, -1.0),
            270.0 => (-1.0, 0.0),
            angle => libm::sincos(angle.to_radians()),
        };
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut out = v;
        (out[j], out[k]) = (cos * v[j] - sin * v[k], sin * v[j] + cos * v[k]);
        out
    };
    let order = if intrinsic { [2, 1, 0] } else { [0, 1, 2] };
    let unit = |i: usize| std::array::from_fn(|k| if i == k { 1.0 } else { 0.0 });
    [0, 1, 2].map(|i| order.into_iter().fold(unit(i), |v, axis| turn(axis, v)))
}
