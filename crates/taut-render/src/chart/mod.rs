//! Charts as self-contained SVG text.
//!
//! ```
//! use taut_render::chart::Chart;
//! let svg = Chart::lines("Strain")
//!     .x("time", "s")
//!     .y("strain", "%")
//!     .series("weft", (0..50).map(|i| [i as f64 * 0.02, (i as f64 * 0.1).sin()]))
//!     .limit("limit", 1.2)
//!     .svg();
//! assert!(svg.starts_with("<svg"));
//! ```

mod axis;
mod plot;
mod svg;
mod table;

pub use table::HeatTable;

pub(crate) use svg::escape;

use crate::colour::Rgb;

/// How the series of a chart are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A line through the points of each series; values that are not finite leave gaps.
    Lines,
    /// A dot at each point.
    Points,
    /// Areas on top of each other; the series share the x of the first.
    StackedAreas,
    /// Bars on top of each other; the series share the x of the first.
    StackedBars,
}

/// What an axis shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is measured: "time".
    pub label: String,
    /// Its unit: "s"; empty for none.
    pub unit: String,
    /// Powers of ten at equal distances; values that are not positive are left out.
    pub log: bool,
    /// The ends; chosen from the data if not given.
    pub range: Option<[f64; 2]>,
}

/// Named points.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// x and y, ascending in x except for [`Kind::Points`].
    pub points: Vec<[f64; 2]>,
}

/// A dashed line across the chart at a value that matters.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// What it means; written on the line.
    pub name: String,
    /// Where on the y axis.
    pub value: f64,
    /// The series it belongs to, which lends its colour; None for a neutral one.
    pub series: Option<usize>,
}

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Written above.
    pub title: String,
    /// How the series are drawn.
    pub kind: Kind,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is shown.
    pub series: Vec<Series>,
    /// Lines that must not be crossed.
    pub limits: Vec<Limit>,
    /// Width, in SVG units; shown at any size.
    pub width: f64,
    /// Height, in SVG units.
    pub height: f64,
}

impl Chart {
    /// A chart without data.
    pub fn new(title: &str, kind: Kind) -> Chart {
        let (x, y) = (Axis::default(), Axis::default());
        Chart { title: title.into(), kind, x, y, series: Vec::new(), limits: Vec::new(), width: 520.0, height: 300.0 }
    }

    /// A line chart.
    pub fn lines(title: &str) -> Chart {
        Chart::new(title, Kind::Lines)
    }

    /// A scatter chart.
    pub fn points(title: &str) -> Chart {
        Chart::new(title, Kind::Points)
    }

    /// A chart of areas on top of each other.
    pub fn stacked_areas(title: &str) -> Chart {
        Chart::new(title, Kind::StackedAreas)
    }

    /// A chart of bars on top of each other.
    pub fn stacked_bars(title: &str) -> Chart {
        Chart::new(title, Kind::StackedBars)
    }

    /// Names the horizontal axis.
    pub fn x(mut self, label: &str, unit: &str) -> Chart {
        self.x = Axis { label: label.into(), unit: unit.into(), ..self.x };
        self
    }

    /// Names the vertical axis.
    pub fn y(mut self, label: &str, unit: &str) -> Chart {
        self.y = Axis { label: label.into(), unit: unit.into(), ..self.y };
        self
    }

    /// Makes the horizontal axis logarithmic.
    pub fn log_x(mut self) -> Chart {
        self.x.log = true;
        self
    }

    /// Makes the vertical axis logarithmic.
    pub fn log_y(mut self) -> Chart {
        self.y.log = true;
        self
    }

    /// Adds a series.
    pub fn series(mut self, name: &str, points: impl IntoIterator<Item = [f64; 2]>) -> Chart {
        self.series.push(Series { name: name.into(), points: points.into_iter().collect() });
        self
    }

    /// Adds dashed lines, such as those that a material must not cross; there may be none. Names share the right end of
    /// the chart without covering each other.
    pub fn with_limits(mut self, limits: impl IntoIterator<Item = Limit>) -> Chart {
        self.limits.extend(limits);
        self
    }

    /// Adds a dashed line for all series.
    pub fn limit(mut self, name: &str, value: f64) -> Chart {
        self.limits.push(Limit { name: name.into(), value, series: None });
        self
    }

    /// Adds a dashed line in the colour of the series added last.
    pub fn limit_of_last(mut self, name: &str, value: f64) -> Chart {
        let series = self.series.len().checked_sub(1);
        self.limits.push(Limit { name: name.into(), value, series });
        self
    }

    /// The chart as one `<svg>` element that needs nothing else, readable on light and dark pages.
    pub fn svg(&self) -> String {
        plot::draw(self)
    }
}

/// The colour of the `index`-th series: told apart on white and on black, and by most colour-blind people.
pub(crate) fn series_colour(index: usize) -> Rgb {
    const HUES: [(f64, f64, f64); 10] = [
        (0.60, 0.13, 250.0),
        (0.68, 0.16, 50.0),
        (0.62, 0.13, 160.0),
        (0.60, 0.17, 15.0),
        (0.62, 0.13, 305.0),
        (0.74, 0.13, 90.0),
        (0.66, 0.10, 205.0),
        (0.58, 0.03, 260.0),
        (0.50, 0.09, 55.0),
        (0.74, 0.10, 345.0),
    ];
    let (lightness, chroma, hue) = HUES[index % HUES.len()];
    Rgb::oklch(lightness, chroma, hue)
}
