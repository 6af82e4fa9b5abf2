//! Small helpers to write SVG.

use std::fmt::Write;

/// Text that is safe in XML and HTML, between tags and in quoted attributes. Characters that XML does not allow become
/// the replacement character.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\t' | '\n' | '\r' => safe.push(character),
            c if c < ' ' || c == '\u{fffe}' || c == '\u{ffff}' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// A coordinate with at most two decimals and no trailing zeros: charts are mostly coordinates.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// How text is placed.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// An SVG document under construction.
pub(crate) struct Svg {
    text: String,
}

impl Svg {
    /// Opens the document. Colours follow the page: `currentColor` is ink, and ink follows the reader's light or dark
    /// preference.
    pub fn open(width: f64, height: f64, label: &str, attributes: &str) -> Svg {
        let mut text = String::new();
        let (w, h, label) = (number(width), number(height), escape(label));
        let _ = write!(
            text,
            r#"<svg xmlns="http://www.w3.org/2000/svg" class="taut-chart" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{label}"{attributes}>"#
        );
        text.push_str(STYLE);
        Svg { text }
    }

    /// Adds raw markup.
    pub fn raw(&mut self, markup: &str) {
        self.text.push_str(markup);
        self.text.push('\n');
    }

    /// Adds a straight line of a class.
    pub fn line(&mut self, class: &str, from: [f64; 2], to: [f64; 2], attributes: &str) {
        let [x1, y1, x2, y2] = [from[0], from[1], to[0], to[1]].map(number);
        self.raw(&format!(r#"<line class="{class}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"{attributes}/>"#));
    }

    /// Adds text of a class.
    pub fn text(&mut self, class: &str, x: f64, y: f64, anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y, text) = (number(x), number(y), escape(text));
        self.raw(&format!(r#"<text class="{class}" x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>"#));
    }

    /// Ends the document.
    pub fn close(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

const STYLE: &str = "<style>\n\
.taut-chart{color:#2b3038;font:12px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;\
max-width:100%;height:auto;overflow:visible}\n\
.taut-chart text{fill:currentColor}\n\
.taut-chart .title{font-size:14px;font-weight:600}\n\
.taut-chart .soft{fill-opacity:.72}\n\
.taut-chart .grid{stroke:currentColor;stroke-opacity:.13}\n\
.taut-chart .axis{stroke:currentColor;stroke-opacity:.45}\n\
.taut-chart .series{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}\n\
.taut-chart .limit{stroke-width:1.3;stroke-dasharray:6 4;stroke-opacity:.9}\n\
.taut-chart .note{font-size:11px}\n\
@media (prefers-color-scheme:dark){.taut-chart{color:#d9dce1}}\n\
@media print{.taut-chart{color:#000}}\n\
</style>\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_escapes_the_escape() {
        assert_eq!(escape(r#"<a b="c">&'"#), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
        assert_eq!(escape("a\u{0}b\u{1b}c\nd"), "a\u{fffd}b\u{fffd}c\nd");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(["3", "0.5", "-1.25", "0"], [3.0, 0.5, -1.251, -0.001].map(number).each_ref().map(|s| s.as_str()));
    }
}
