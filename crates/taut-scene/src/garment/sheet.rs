//! A garment as a person writes it: TOML that takes panels from a pattern file or has them itself, and says what is
//! sewn to what and where panels start. For patterns in DXF, which know no seams, and for small ones made by hand.

use super::check::{MOST_EDGES, MOST_PANELS, MOST_SEAMS, PatternError};
use super::curve::Point;
use super::pattern::{Curve, Edge, EdgeRef, Panel, Pattern, Placement, Seam, up};
use super::{Choice, garmentcode, stem};
use crate::read::Source;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    /// What it is called; the file's name if nothing is said.
    name: Option<String>,
    /// A pattern file beside this one.
    pattern: Option<String>,
    /// Which size of it.
    size: Option<String>,
    /// Panels of it that are left out, by name.
    #[serde(default)]
    leave: Vec<String>,
    #[serde(default)]
    panel: Vec<Cut>,
    #[serde(default)]
    place: Vec<Place>,
    #[serde(default)]
    seam: Vec<Sewn>,
}

/// A panel of its own: straight edges from point to point, some of them bent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cut {
    name: String,
    /// m, counter-clockwise seen from outside.
    points: Vec<Point>,
    #[serde(default)]
    curves: Vec<Bent>,
    #[serde(default)]
    lines: Vec<Vec<Point>>,
    #[serde(default = "up")]
    grain: Point,
}

/// An edge that is no line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bent {
    edge: usize,
    /// Of a Bézier curve: one or two, m.
    controls: Vec<Point>,
}

/// Where a panel starts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    panel: String,
    #[serde(default)]
    translate: [f64; 3],
    /// Around fixed axes x, y and z, degrees.
    #[serde(default)]
    rotate: [f64; 3],
    /// The radius of a cylinder that it lies on, m.
    #[serde(default)]
    wrap: f64,
}

/// `panel:edge`, or `panel:edge:from-to` for a part of an edge, 0 to 1.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sewn {
    sides: [Vec<String>; 2],
    #[serde(default)]
    same_way: bool,
}

type Result<T> = std::result::Result<T, PatternError>;

/// Whether text is a garment of this kind: it begins with a comment, a table or a key.
pub(super) fn is_sheet(source: &Source) -> bool {
    source.extension() == "toml"
}

/// Reads a garment. Not checked yet.
pub(super) fn read(source: &Source) -> Result<Pattern> {
    let file = source.name;
    let wrong = |what: String| PatternError::one(file, what);
    let text = std::str::from_utf8(source.bytes).map_err(|error| wrong(format!("it is not text: {error}")))?;
    let sheet: Sheet = toml::from_str(text).map_err(|error| wrong(error.to_string().trim_end().to_owned()))?;
    let mut pattern = match &sheet.pattern {
        Some(name) => {
            let mut budget = source.budget;
            let bytes = source.load(name, &mut budget).map_err(|error| wrong(error.to_string()))?;
            let inner = Source { name, bytes: &bytes, budget, ..*source };
            if is_sheet(&inner) {
                return Err(wrong(format!("its pattern {name:?} is a garment file itself, expected JSON or DXF")));
            }
            super::read_unchecked(&inner, &Choice { size: sheet.size.clone() })?
        }
        None => Pattern::default(),
    };
    // A file that is not checked yet may sew what is not there.
    if pattern.seams.iter().flat_map(|seam| seam.sides.iter().flatten()).any(|edge| edge.panel >= pattern.panels.len())
    {
        pattern.check(sheet.pattern.as_deref().unwrap_or(file))?;
    }
    pattern.name = sheet.name.clone().unwrap_or_else(|| stem(source.file_name()).to_owned());
    if sheet.panel.len() > MOST_PANELS || sheet.seam.len() > MOST_SEAMS {
        let (panels, seams) = (sheet.panel.len(), sheet.seam.len());
        return Err(wrong(format!(
            "it has {panels} panels and {seams} seams, expected at most {MOST_PANELS} and {MOST_SEAMS}"
        )));
    }
    for name in &sheet.leave {
        let at = find(&pattern, name).map_err(wrong)?;
        let sewn = |seam: &Seam| seam.sides.iter().flatten().any(|edge| edge.panel == at);
        pattern.seams.retain(|seam| !sewn(seam));
        pattern.seams.iter_mut().flat_map(|seam| seam.sides.iter_mut().flatten()).for_each(|edge| {
            edge.panel -= usize::from(edge.panel > at);
        });
        pattern.panels.remove(at);
    }
    for cut in &sheet.panel {
        pattern.panels.push(cut.panel().map_err(wrong)?);
    }
    for place in &sheet.place {
        let all = place.rotate.iter().chain(&place.translate).chain([&place.wrap]);
        if !all.clone().all(|x| x.is_finite()) || place.wrap < 0.0 {
            let name = &place.panel;
            return Err(wrong(format!("place of panel {name:?}: expected finite numbers, and a wrap of 0 or more")));
        }
        let at = find(&pattern, &place.panel).map_err(wrong)?;
        let axes = garmentcode::axes(place.rotate, false);
        pattern.panels[at].placement = Placement { axes, translation: place.translate, wrap: place.wrap };
    }
    sew(&mut pattern, &sheet.seam).map_err(wrong)?;
    Ok(pattern)
}

impl Cut {
    fn panel(&self) -> std::result::Result<Panel, String> {
        let name = &self.name;
        let count = self.points.len();
        if !(3..=MOST_EDGES).contains(&count) {
            return Err(format!("panel {name:?} has {count} points, expected 3 to {MOST_EDGES}"));
        }
        let next = self.points.iter().cycle().skip(1);
        let line =
            |(from, to): (&Point, &Point)| Edge { from: *from, to: *to, curve: Curve::Line, label: String::new() };
        let mut outline: Vec<Edge> = self.points.iter().zip(next).map(line).collect();
        for bent in &self.curves {
            let number = bent.edge;
            let last = count - 1;
            let Some(edge) = outline.get_mut(number) else {
                return Err(format!("panel {name:?} has no edge {number}, expected 0 to {last}"));
            };
            edge.curve = match bent.controls[..] {
                [control] => Curve::Quadratic { control },
                [a, b] => Curve::Cubic { controls: [a, b] },
                _ => {
                    let found = bent.controls.len();
                    return Err(format!("panel {name:?}, edge {number}: found {found} controls, expected one or two"));
                }
            };
        }
        let length = (self.grain[0] * self.grain[0] + self.grain[1] * self.grain[1]).sqrt();
        if !(length > 1e-9 && length.is_finite()) {
            return Err(format!("panel {name:?}: its grain has no direction"));
        }
        let grain = self.grain.map(|x| x / length);
        Ok(Panel { name: name.clone(), outline, lines: self.lines.clone(), grain, ..Panel::default() })
    }
}

fn find(pattern: &Pattern, name: &str) -> std::result::Result<usize, String> {
    pattern.panels.iter().position(|panel| panel.name == name).ok_or_else(|| {
        let names: Vec<String> = pattern.panels.iter().take(20).map(|panel| format!("{:?}", panel.name)).collect();
        format!("there is no panel {name:?}, expected one of {}", names.join(", "))
    })
}

/// A side's edge as it is written.
#[derive(Clone, Copy, Debug)]
struct Part {
    at: EdgeRef,
    span: [f64; 2],
}

fn part(pattern: &Pattern, text: &str) -> std::result::Result<Part, String> {
    let wrong = || format!("found {text:?}, expected \"panel:edge\" or \"panel:edge:from-to\" with parts from 0 to 1");
    let (rest, last) = text.rsplit_once(':').ok_or_else(wrong)?;
    let (name, edge, span) = match last.split_once('-') {
        None => (rest, last, [0.0, 1.0]),
        Some((from, to)) => {
            let (name, edge) = rest.rsplit_once(':').ok_or_else(wrong)?;
            let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
            (name, edge, [number(from)?, number(to)?])
        }
    };
    if !(span[0] >= 0.0 && span[1] <= 1.0 && span[1] - span[0] > 1e-6) {
        return Err(wrong());
    }
    let panel = find(pattern, name)?;
    let edge: usize = edge.trim().parse().map_err(|_| wrong())?;
    let count = pattern.panels[panel].outline.len();
    if edge >= count {
        let last = count.saturating_sub(1);
        return Err(format!("panel {name:?} has no edge {edge} in its outline, expected 0 to {last}"));
    }
    Ok(Part { at: EdgeRef { panel, edge }, span })
}

/// Adds seams; edges of which parts are sewn are cut there.
fn sew(pattern: &mut Pattern, seams: &[Sewn]) -> std::result::Result<(), String> {
    let mut sides: Vec<[Vec<Part>; 2]> = Vec::new();
    for (number, seam) in seams.iter().enumerate() {
        let read = |side: &[String]| {
            let parts = side.iter().map(|text| part(pattern, text)).collect::<std::result::Result<Vec<_>, _>>();
            parts.map_err(|what| format!("seam {number}: {what}"))
        };
        sides.push([read(&seam.sides[0])?, read(&seam.sides[1])?]);
    }
    // Where each edge is cut: the numbers of edges before it grow with that.
    let mut cuts: Vec<Vec<Vec<f64>>> =
        pattern.panels.iter().map(|panel| vec![Vec::new(); panel.outline.len()]).collect();
    for part in sides.iter().flatten().flatten() {
        cuts[part.at.panel][part.at.edge].extend(part.span.into_iter().filter(|x| *x > 1e-6 && *x < 1.0 - 1e-6));
    }
    for (panel, cuts) in pattern.panels.iter_mut().zip(&mut cuts) {
        let mut outline = Vec::new();
        for (edge, cuts) in panel.outline.iter().zip(cuts) {
            cuts.sort_by(f64::total_cmp);
            cuts.dedup_by(|a, b| *a - *b < 1e-6);
            let (mut rest, mut begun) = (edge.clone(), 0.0);
            for &at in cuts.iter() {
                let [first, second] = rest.cut((at - begun) / (1.0 - begun));
                outline.push(first);
                (rest, begun) = (second, at);
            }
            outline.push(rest);
        }
        panel.outline = outline;
    }
    let numbers = |part: &Part| -> Vec<EdgeRef> {
        let of = &cuts[part.at.panel];
        let first = of[..part.at.edge].iter().map(|cuts| cuts.len() + 1).sum::<usize>();
        let ends = &of[part.at.edge];
        let within = |k: &usize| {
            let [from, to] = [if *k == 0 { 0.0 } else { ends[k - 1] }, ends.get(*k).copied().unwrap_or(1.0)];
            from > part.span[0] - 1e-6 && to < part.span[1] + 1e-6
        };
        let pieces = (0..=ends.len()).filter(within);
        pieces.map(|k| EdgeRef { panel: part.at.panel, edge: first + k }).collect()
    };
    for (seam, [first, second]) in seams.iter().zip(&sides) {
        // The second side is gone along from its last edge's end, so the pieces of each of its edges are too.
        let second = second.iter().flat_map(|part| {
            let mut pieces = numbers(part);
            if !seam.same_way {
                pieces.reverse();
            }
            pieces
        });
        let sides = [first.iter().flat_map(numbers).collect(), second.collect()];
        pattern.seams.push(Seam { sides, same_way: seam.same_way });
    }
    Ok(())
}
