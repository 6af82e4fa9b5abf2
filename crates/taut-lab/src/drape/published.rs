//! Drape coefficients that others have measured.

/// A published coefficient, or a band of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The fabric of the library that it is nearest to.
    pub fabric: &'static str,
    /// What was measured.
    pub what: &'static str,
    /// From, %.
    pub low: f64,
    /// To, %.
    pub high: f64,
    /// Where it was published.
    pub source: &'static str,
}

/// What we know of.
pub const PUBLISHED: [Published; 7] = [
    Published {
        fabric: "cotton",
        what: "a cotton, measured",
        low: 68.4,
        high: 68.4,
        source: "Gan, Ly, Steven 1991, as quoted by others",
    },
    Published {
        fabric: "cotton",
        what: "the same cotton, by finite elements",
        low: 71.0,
        high: 71.0,
        source: "Gan, Ly, Steven 1991, as quoted by others",
    },
    Published {
        fabric: "cotton",
        what: "one plain weave, 18.5 to 32 picks per cm",
        low: 48.1,
        high: 71.9,
        source: "Analysis of a fabric drape profile, Vlákna a textil 1/2018",
    },
    Published {
        fabric: "polycotton",
        what: "plain weave of half cotton, half polyester, 221 g/m²",
        low: 80.0,
        high: 80.0,
        source: "Analysis of a fabric drape profile, Vlákna a textil 1/2018",
    },
    Published {
        fabric: "silk-habotai",
        what: "silks",
        low: 20.0,
        high: 40.0,
        source: "the usual band of the literature",
    },
    Published {
        fabric: "silk-charmeuse",
        what: "silks",
        low: 20.0,
        high: 40.0,
        source: "the usual band of the literature",
    },
    Published {
        fabric: "leather",
        what: "four sheep nappas",
        low: 47.35,
        high: 69.9,
        source: "Memon, Chaklie, Yesuf, Zhu 2021, Materials 14(16), 4553",
    },
];

impl Published {
    /// Those of a fabric.
    pub fn of(fabric: &str) -> impl Iterator<Item = &'static Published> {
        PUBLISHED.iter().filter(move |published| published.fabric == fabric)
    }

    /// The band as text: "47 to 70", or one number.
    pub fn band(&self) -> String {
        match self.low == self.high {
            true => format!("{:.1} %", self.low),
            false => format!("{:.1} to {:.1} %", self.low, self.high),
        }
    }
}
