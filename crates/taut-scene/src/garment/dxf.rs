//! Patterns of apparel programs: DXF as AAMA and ASTM D6673 have it. Such files know pieces, not what is sewn to what.
//!
//! | in the file | here |
//! | --- | --- |
//! | a block | a panel: a piece in one of the sizes that the file has |
//! | texts `Piece Name`, `Size`, `Quantity`; of the whole file `Units`, `Sample Size`, `Style Name` | names, which size, m |
//! | layer 1, closed or joined end to end; layer 14, where sewing lines are, instead | the outline |
//! | layer 2, turn points | where edges of the outline begin |
//! | layer 4, 80 to 83 | notches |
//! | layer 6 | the fold: the other half is added |
//! | layer 7 | grain |
//! | layer 8; layer 11 | lines; holes |

use super::check::PatternError;
use super::curve::{Point, distance};
use super::pattern::{Curve, Edge, Panel, Pattern, polygon_area, up};
use crate::read::Source;
use crate::read::budget::Budget;
use std::collections::BTreeMap;

/// Ends of lines that are nearer than this are one, m.
const SAME: f64 = 2e-4;
/// A point that is meant to be on the outline is no further from it, m.
const NEAR: f64 = 2e-3;
/// Without turn points, edges begin where the outline turns by more than this, degrees.
const CORNER: f64 = 30.0;
/// On a fold an edge begins where the whole outline turns by more than this, degrees.
const FOLDED: f64 = 10.0;
/// Points of a piece, at most, and pieces of a file, in all sizes.
const MOST_POINTS: usize = 20_000;
const MOST_PIECES: usize = 20_000;

type Result<T> = std::result::Result<T, PatternError>;

/// A line of a piece, in the file's units.
#[derive(Clone, Debug, Default)]
struct Path {
    layer: u32,
    closed: bool,
    points: Vec<Point>,
}

/// A block.
#[derive(Clone, Debug, Default)]
struct Piece {
    block: String,
    texts: BTreeMap<String, String>,
    paths: Vec<Path>,
    /// Layer and place.
    marks: Vec<(u32, Point)>,
}

impl Piece {
    fn text(&self, key: &str) -> Option<&str> {
        self.texts.get(key).map(String::as_str).filter(|text| !text.is_empty())
    }

    fn size(&self) -> &str {
        self.text("size").unwrap_or_default()
    }

    fn name(&self) -> &str {
        self.text("piece name").unwrap_or(&self.block)
    }

    fn on(&self, layer: u32) -> impl Iterator<Item = &Path> {
        self.paths.iter().filter(move |path| path.layer == layer)
    }

    fn count(&self) -> usize {
        self.marks.len() + self.paths.iter().map(|path| path.points.len()).sum::<usize>()
    }
}

/// An entity that is being read.
#[derive(Default)]
struct Entity {
    kind: String,
    layer: Option<u32>,
    flags: i64,
    text: String,
    name: String,
    xs: Vec<f64>,
    ys: Vec<f64>,
    ends: [Option<f64>; 2],
}

impl Entity {
    fn points(&self) -> impl Iterator<Item = Point> {
        self.xs.iter().zip(&self.ys).map(|(x, y)| [*x, *y])
    }
}

/// All of a file.
struct Reader<'a> {
    file: &'a str,
    budget: Budget,
    section: String,
    pieces: Vec<Piece>,
    piece: Option<Piece>,
    /// A polyline whose vertices follow.
    open: Option<Path>,
    /// Texts outside of blocks.
    texts: BTreeMap<String, String>,
    /// Kinds of entities that are not read, and how often they were met.
    skipped: BTreeMap<String, usize>,
}

/// Whether bytes look like DXF: a number on a line of its own, then a word.
pub(super) fn is_dxf(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.next().unwrap_or_default();
    let second = lines.next().unwrap_or_default();
    matches!((first, second), (b"0", b"SECTION") | (b"999", _)) || second.eq_ignore_ascii_case(b"section")
}

/// Reads the pieces of a size; if none is asked for, of the one that the file was drafted in. Not checked yet.
pub(super) fn read(source: &Source, name: &str, size: Option<&str>) -> Result<Pattern> {
    let mut reader = Reader {
        file: source.name,
        budget: source.budget,
        section: String::new(),
        pieces: Vec::new(),
        piece: None,
        open: None,
        texts: BTreeMap::new(),
        skipped: BTreeMap::new(),
    };
    reader.all(source.bytes)?;
    reader.pattern(name, size)
}

impl Reader<'_> {
    fn wrong<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(PatternError::one(self.file, what))
    }

    /// Refuses to hold more than the file's size explains.
    fn hold(&mut self, bytes: usize) -> Result<()> {
        self.budget.check(self.file, bytes).map_err(|error| PatternError::one(self.file, error.message))?;
        self.budget.hold(bytes);
        Ok(())
    }

    fn all(&mut self, bytes: &[u8]) -> Result<()> {
        let mut lines = bytes.split(|&b| b == b'\n').enumerate();
        let mut entity = Entity::default();
        while let Some((number, code)) = lines.next() {
            let code = String::from_utf8_lossy(code.trim_ascii());
            let Some((_, value)) = lines.next() else {
                if code.is_empty() {
                    break;
                }
                return self.wrong(format!("line {}: the file ends after a group code", number + 1));
            };
            let Ok(code) = code.parse::<i32>() else {
                let shown: String = code.chars().take(30).collect();
                return self
                    .wrong(format!("line {}: found {shown:?}, expected the number of a group code", number + 1));
            };
            let value = String::from_utf8_lossy(value.trim_ascii());
            if code == 0 {
                self.end(&std::mem::take(&mut entity))?;
                entity.kind = value.into_owned();
                if entity.kind == "EOF" {
                    return Ok(());
                }
                continue;
            }
            let place = || format!("line {}", number + 2);
            match code {
                1 => entity.text = value.into_owned(),
                2 => entity.name = value.into_owned(),
                8 => entity.layer = value.parse().ok(),
                70 => entity.flags = value.parse().unwrap_or(0),
                10 | 20 | 11 | 21 => {
                    let number = match value.parse::<f64>() {
                        Ok(x) if x.is_finite() => x,
                        _ => return self.wrong(format!("{}: found {value:?}, expected a number", place())),
                    };
                    match code {
                        10 => entity.xs.push(number),
                        20 => entity.ys.push(number),
                        _ => entity.ends[usize::from(code == 21)] = Some(number),
                    }
                    self.hold(8)?;
                }
                _ => {}
            }
        }
        self.end(&entity)?;
        if self.section.is_empty() { self.wrong("it has no sections, expected DXF") } else { Ok(()) }
    }

    /// An entity is complete.
    fn end(&mut self, entity: &Entity) -> Result<()> {
        match entity.kind.as_str() {
            "SECTION" => self.section = entity.name.clone(),
            "BLOCK" => self.piece = Some(Piece { block: entity.name.clone(), ..Piece::default() }),
            "ENDBLK" => {
                self.close();
                if let Some(piece) = self.piece.take().filter(|piece| !piece.paths.is_empty()) {
                    if self.pieces.len() == MOST_PIECES {
                        return self.wrong(format!("it has more than {MOST_PIECES} pieces"));
                    }
                    self.hold(size_of::<Piece>())?;
                    self.pieces.push(piece);
                }
            }
            "POLYLINE" => {
                self.close();
                let layer = entity.layer.unwrap_or(0);
                self.open = Some(Path { layer, closed: entity.flags & 1 == 1, points: Vec::new() });
            }
            "VERTEX" => {
                if let Some(open) = &mut self.open {
                    open.points.extend(entity.points());
                }
            }
            "SEQEND" => self.close(),
            "LWPOLYLINE" => {
                let points = entity.points().collect();
                self.add(Path { layer: entity.layer.unwrap_or(0), closed: entity.flags & 1 == 1, points });
            }
            "LINE" => {
                if let (Some(from), [Some(x), Some(y)]) = (entity.points().next(), entity.ends) {
                    self.add(Path { layer: entity.layer.unwrap_or(0), closed: false, points: vec![from, [x, y]] });
                }
            }
            "POINT" => {
                if let (Some(piece), Some(at)) = (&mut self.piece, entity.points().next()) {
                    piece.marks.push((entity.layer.unwrap_or(0), at));
                }
            }
            "TEXT" | "MTEXT" | "ATTRIB" | "ATTDEF" => {
                let texts = self.piece.as_mut().map_or(&mut self.texts, |piece| &mut piece.texts);
                if let Some((key, text)) = entity.text.split_once(':') {
                    texts.entry(key.trim().to_ascii_lowercase()).or_insert_with(|| text.trim().to_owned());
                }
            }
            "ARC" | "CIRCLE" | "ELLIPSE" | "SPLINE" | "HATCH" | "INSERT" if self.piece.is_some() => {
                *self.skipped.entry(entity.kind.clone()).or_default() += 1;
            }
            _ => {}
        }
        Ok(())
    }

    /// The open polyline is complete.
    fn close(&mut self) {
        if let Some(path) = self.open.take() {
            self.add(path);
        }
    }

    fn add(&mut self, path: Path) {
        if let Some(piece) = self.piece.as_mut().filter(|_| path.points.len() > 1) {
            piece.paths.push(path);
        }
    }

    /// The pieces of a size as panels.
    fn pattern(mut self, name: &str, wanted: Option<&str>) -> Result<Pattern> {
        if self.pieces.is_empty() {
            return self.wrong("it has no pieces: no block with a line in it");
        }
        let mut out = Pattern { name: name.to_owned(), ..Pattern::default() };
        let unit = match self.texts.get("units").map(|units| units.to_ascii_lowercase()) {
            Some(units) if units.starts_with("metric") => 1e-3,
            Some(units) if units.starts_with("english") => 0.0254,
            other => {
                let found = other.map_or("are not named".to_owned(), |other| format!("are {other:?}"));
                out.notes.push(format!("its units {found}: taken as mm"));
                1e-3
            }
        };
        let size = self.choose(wanted, &mut out.notes)?;
        let pieces = std::mem::take(&mut self.pieces);
        for piece in pieces.iter().filter(|piece| piece.size() == size || piece.size().is_empty()) {
            // Its outline as edges, and once more for a mirrored half.
            self.hold(piece.count() * 2 * (size_of::<Edge>() + 64))?;
            let mut panel = piece.panel(unit, &mut out.notes).map_err(|what| PatternError::one(self.file, what))?;
            let same = out.panels.iter().filter(|other| other.name == panel.name).count();
            if same > 0 {
                panel.name = format!("{} ({})", panel.name, piece.block);
            }
            out.panels.push(panel);
        }
        for (kind, count) in &self.skipped {
            out.notes.push(format!("{count} entities of kind {kind} in its pieces are not read"));
        }
        Ok(out)
    }

    /// Which size is read.
    fn choose(&self, wanted: Option<&str>, notes: &mut Vec<String>) -> Result<String> {
        let mut sizes: Vec<&str> = self.pieces.iter().map(Piece::size).filter(|size| !size.is_empty()).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let known = |size: &&str| sizes.contains(size);
        if let Some(wanted) = wanted {
            return match known(&wanted) {
                true => Ok(wanted.to_owned()),
                false => self.wrong(format!("it has no size {wanted:?}, expected one of {}", list(&sizes))),
            };
        }
        let sample = self.texts.get("sample size").map(String::as_str).filter(known);
        let size = sample.or(sizes.first().copied()).unwrap_or_default();
        if sizes.len() > 1 {
            notes.push(format!("it has the sizes {}: {size:?} is read", list(&sizes)));
        }
        Ok(size.to_owned())
    }
}

fn list(sizes: &[&str]) -> String {
    let shown = sizes.iter().take(30).map(|size| format!("{size:?}")).collect::<Vec<_>>().join(", ");
    if sizes.len() > 30 { format!("{shown}, …") } else { shown }
}

impl Piece {
    fn panel(&self, unit: f64, notes: &mut Vec<String>) -> std::result::Result<Panel, String> {
        let name = self.name().to_owned();
        let wrong = |what: String| Err(format!("piece {name:?}: {what}"));
        if self.count() > MOST_POINTS {
            return wrong(format!("it has {} points, expected at most {MOST_POINTS}", self.count()));
        }
        let scaled = |layer: u32| -> Vec<Vec<Point>> {
            self.on(layer).map(|path| path.points.iter().map(|p| p.map(|x| x * unit)).collect()).collect()
        };
        let loops = |layer: u32| -> Vec<(Vec<Point>, f64)> {
            let paths =
                self.on(layer).map(|path| (path.closed, path.points.iter().map(|p| p.map(|x| x * unit)).collect()));
            joined(paths.collect())
        };
        let largest = |loops: Vec<(Vec<Point>, f64)>| {
            loops.into_iter().max_by(|a, b| polygon_area(&a.0).abs().total_cmp(&polygon_area(&b.0).abs()))
        };
        let sewing = largest(loops(14)).filter(|(points, gap)| *gap < SAME && points.len() > 2);
        if sewing.is_some() {
            notes.push(format!("piece {name:?}: its sewing line is taken, not the line it is cut along"));
        }
        let Some((mut outline, gap)) = sewing.or_else(|| largest(loops(1))) else {
            return wrong("it has no outline: no line on layer 1".into());
        };
        if gap > SAME {
            let [x, y] = outline[0];
            return wrong(format!("its outline is open by {:.2} cm at ({x:.3}, {y:.3}) m", 100.0 * gap));
        }
        if outline.len() < 3 {
            return wrong(format!("its outline has {} points, expected 3 or more", outline.len()));
        }
        let marks = |wanted: &dyn Fn(u32) -> bool| -> Vec<Point> {
            self.marks.iter().filter(|(layer, _)| wanted(*layer)).map(|(_, at)| at.map(|x| x * unit)).collect()
        };
        let mut turns = marks(&|layer| layer == 2);
        let mut notches = marks(&|layer| layer == 4 || (80..=83).contains(&layer));
        let mut lines = scaled(8);
        let mut holes: Vec<Vec<Point>> = loops(11).into_iter().map(|(points, _)| points).collect();
        let mut folds: Vec<[Point; 2]> = scaled(6).iter().filter_map(|line| Some([line[0], *line.last()?])).collect();
        folds.dedup_by(|a, b| is_on(a[0], *b) && is_on(a[1], *b));
        match folds[..] {
            [] => {}
            [fold] => match unfolded(&outline, fold) {
                Some(whole) => {
                    let other = |p: &Point| mirrored(*p, fold);
                    let both = |points: &[Point]| -> Vec<Point> {
                        points.iter().copied().chain(points.iter().filter(|p| !is_on(**p, fold)).map(other)).collect()
                    };
                    outline = whole;
                    (turns, notches) = (both(&turns), both(&notches));
                    // What was a corner of the half may be none of the whole.
                    let bends = |p: Point| nearest(&outline, p).is_some_and(|at| bend(&outline, at) > FOLDED);
                    turns.retain(|&p| !is_on(p, fold) || bends(p));
                    for paths in [&mut lines, &mut holes] {
                        let halves: Vec<Vec<Point>> =
                            paths.iter().map(|path| path.iter().map(other).collect()).collect();
                        paths.extend(halves);
                    }
                    notes.push(format!("piece {name:?} is cut on a fold: its other half is added"));
                }
                None => {
                    let words = "has a fold line that is no edge of its outline: taken as the whole piece";
                    notes.push(format!("piece {name:?} {words}"));
                }
            },
            _ => return wrong(format!("it has {} fold lines, expected at most one", folds.len())),
        }
        if let Some(quantity) = self.text("quantity").filter(|quantity| !["1", "1,0", "1, 0"].contains(quantity)) {
            notes.push(format!("piece {name:?} is to be cut {quantity} times: it is read once"));
        }
        let grain = scaled(7).iter().find_map(|line| direction(line[0], *line.last()?)).unwrap_or_else(up);
        if polygon_area(&outline) < 0.0 {
            outline.reverse();
        }
        // From the middle of its lower side.
        let range = |k: usize| outline.iter().fold([f64::MAX, f64::MIN], |[l, h], p| [l.min(p[k]), h.max(p[k])]);
        let ([left, right], [low, _]) = (range(0), range(1));
        let home = |p: &Point| [p[0] - 0.5 * (left + right), p[1] - low];
        let at_home = |points: &[Point]| points.iter().map(home).collect::<Vec<_>>();
        Ok(Panel {
            outline: edges(&at_home(&outline), &at_home(&turns)),
            holes: holes.iter().filter(|hole| hole.len() > 2).map(|hole| edges(&at_home(hole), &[])).collect(),
            lines: lines.iter().map(|line| at_home(line)).collect(),
            notches: at_home(&notches),
            grain,
            name,
            ..Panel::default()
        })
    }
}

/// The direction from one point to another, upwards; none if they are one.
fn direction(a: Point, b: Point) -> Option<Point> {
    let length = distance(a, b);
    let up = if b[1] < a[1] { -1.0 } else { 1.0 };
    (length > SAME).then(|| [up * (b[0] - a[0]) / length, up * (b[1] - a[1]) / length])
}

/// Lines joined where their ends meet, without points that repeat, and how far their ends are apart, m.
fn joined(paths: Vec<(bool, Vec<Point>)>) -> Vec<(Vec<Point>, f64)> {
    let (closed, mut open): (Vec<_>, Vec<_>) = paths.into_iter().partition(|(closed, _)| *closed);
    let mut out: Vec<Vec<Point>> = closed.into_iter().map(|(_, points)| points).collect();
    let whole = out.len();
    while let Some((_, mut line)) = open.pop() {
        while let Some(&end) = line.last() {
            let next = open.iter().position(|(_, other)| {
                [other.first(), other.last()].into_iter().flatten().any(|&p| distance(p, end) < SAME)
            });
            let Some(next) = next else { break };
            let (_, mut other) = open.swap_remove(next);
            if other.first().is_none_or(|&p| distance(p, end) >= SAME) {
                other.reverse();
            }
            line.extend(other.into_iter().skip(1));
        }
        out.push(line);
    }
    let measured = out.into_iter().enumerate().map(|(at, mut points)| {
        points.dedup_by(|a, b| distance(*a, *b) < 1e-6);
        let gap = match (points.first(), points.last()) {
            (Some(&first), Some(&last)) => distance(first, last),
            _ => 0.0,
        };
        if gap < SAME && points.len() > 1 {
            points.pop();
        }
        (points, if at < whole || gap < SAME { 0.0 } else { gap })
    });
    measured.filter(|(points, _)| !points.is_empty()).collect()
}

fn mirrored(p: Point, [a, b]: [Point; 2]) -> Point {
    let d = [b[0] - a[0], b[1] - a[1]];
    let length = (d[0] * d[0] + d[1] * d[1]).max(1e-300);
    let along = ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / length;
    let foot = [a[0] + along * d[0], a[1] + along * d[1]];
    [2.0 * foot[0] - p[0], 2.0 * foot[1] - p[1]]
}

fn is_on(p: Point, line: [Point; 2]) -> bool {
    distance(p, mirrored(p, line)) < 2.0 * NEAR
}

/// An outline that has an edge on a fold, with its other half; none if it has no such edge.
fn unfolded(outline: &[Point], fold: [Point; 2]) -> Option<Vec<Point>> {
    let count = outline.len();
    let on: Vec<bool> = outline.iter().map(|&p| is_on(p, fold)).collect();
    // The last point of the run of points on the fold: the outline leaves it there.
    let leaves = (0..count).find(|&i| on[i] && on[(i + count - 1) % count] && !on[(i + 1) % count])?;
    let run = (0..count).take_while(|k| on[(leaves + count - k) % count]).count();
    let half: Vec<Point> = (0..=count - run + 1).map(|k| outline[(leaves + k) % count]).collect();
    if half.len() < 3 || run >= count {
        return None;
    }
    let other = half[1..half.len() - 1].iter().rev().map(|&p| mirrored(p, fold));
    Some(half.iter().copied().chain(other).collect())
}

/// By how much an outline turns at a point, degrees.
fn bend(outline: &[Point], at: usize) -> f64 {
    let count = outline.len();
    let (a, b, c) = (outline[(at + count - 1) % count], outline[at], outline[(at + 1) % count]);
    let (u, v) = ([b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]);
    libm::atan2(u[0] * v[1] - u[1] * v[0], u[0] * v[0] + u[1] * v[1]).to_degrees().abs()
}

/// The point of an outline that is nearest to a point, if it is near.
fn nearest(outline: &[Point], to: Point) -> Option<usize> {
    let far = |i: usize| distance(outline[i], to);
    let near = (0..outline.len()).min_by(|&i, &j| far(i).total_cmp(&far(j)))?;
    (far(near) < NEAR).then_some(near)
}

/// An outline, counter-clockwise, as edges that begin at its turn points: the first at the lowest left one.
fn edges(outline: &[Point], turns: &[Point]) -> Vec<Edge> {
    let count = outline.len();
    let mut corners: Vec<usize> = turns.iter().filter_map(|&turn| nearest(outline, turn)).collect();
    corners.sort_unstable();
    corners.dedup();
    if corners.len() < 2 {
        corners = (0..count).filter(|&i| bend(outline, i) > CORNER).collect();
    }
    if corners.len() < 2 {
        corners = vec![0, count / 2];
    }
    let lowest = |i: &usize| outline[*i][0] + outline[*i][1];
    let first = (0..corners.len()).min_by(|&i, &j| lowest(&corners[i]).total_cmp(&lowest(&corners[j]))).unwrap_or(0);
    corners.rotate_left(first);
    let ends = corners.iter().cycle().skip(1);
    let edge = |(&from, &to): (&usize, &usize)| {
        let length = (to + count - from - 1) % count + 1;
        let points: Vec<Point> = (1..length).map(|k| outline[(from + k) % count]).collect();
        let curve = if points.is_empty() { Curve::Line } else { Curve::Through { points } };
        Edge { from: outline[from], to: outline[to], curve, label: String::new() }
    };
    corners.iter().zip(ends).map(edge).collect()
}
