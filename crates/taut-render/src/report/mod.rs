//! The report: one HTML file that holds everything about a run and needs nothing else.

mod base64;

use crate::chart::escape;
use crate::ticks::prefixed;
use std::fmt::Write;

/// A row of the summary table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fact {
    /// What: "largest weft strain".
    pub name: String,
    /// How much: "4.98".
    pub value: String,
    /// In what unit: "%"; empty for none.
    pub unit: String,
}

/// Several numbers for each of a few things.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What the numbers are, with their unit: "Strain, %".
    pub title: String,
    /// What each column holds: "largest".
    pub columns: Vec<String>,
    /// Names and their numbers, one for each column.
    pub rows: Vec<(String, Vec<String>)>,
}

/// A picture with its file's bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportPicture {
    /// Written below.
    pub caption: String,
    /// What can be seen, for those who cannot see it.
    pub alt: String,
    /// The bytes of a PNG, GIF, WebP or JPEG file.
    pub bytes: Vec<u8>,
}

/// Everything a report shows. Text is plain: it is escaped where it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The heading.
    pub title: String,
    /// A line below it: version, date, machine.
    pub subtitle: String,
    /// Things the reader must know first.
    pub warnings: Vec<String>,
    /// The results, one per row.
    pub summary: Vec<Fact>,
    /// Tables beside the results.
    pub tables: Vec<Table>,
    /// The pictures; the first is shown large.
    pub pictures: Vec<ReportPicture>,
    /// Charts as made by [`crate::chart`]; put into the page as they are.
    pub charts: Vec<String>,
    /// The scene file's text.
    pub scene: String,
}

impl Report {
    /// Adds a row to the summary.
    pub fn fact(&mut self, name: &str, value: impl ToString, unit: &str) {
        self.summary.push(Fact { name: name.into(), value: value.to_string(), unit: unit.into() });
    }

    /// Adds a measured quantity in an SI unit, in the prefix that suits its size: 0.0123 J is written as 12.3 mJ.
    pub fn quantity(&mut self, name: &str, value: f64, unit: &str) {
        let (value, unit) = prefixed(value, unit);
        self.summary.push(Fact { name: name.into(), value, unit });
    }

    /// The whole page.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let mut page = String::new();
        let _ = write!(
            page,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
             <header><h1>{title}</h1>\n<p class=\"subtitle\">{}</p></header>\n",
            escape(&self.subtitle)
        );
        self.write_warnings(&mut page);
        self.write_pictures(&mut page);
        self.write_summary(&mut page);
        self.write_charts(&mut page);
        self.write_scene(&mut page);
        let _ = write!(page, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
        page
    }

    fn write_warnings(&self, page: &mut String) {
        if self.warnings.is_empty() {
            return;
        }
        page.push_str("<section class=\"warnings\" role=\"note\">\n<h2>Warnings</h2>\n<ul>\n");
        for warning in &self.warnings {
            let _ = writeln!(page, "<li>{}</li>", escape(warning));
        }
        page.push_str("</ul>\n</section>\n");
    }

    fn write_pictures(&self, page: &mut String) {
        if self.pictures.is_empty() {
            return;
        }
        page.push_str("<section class=\"pictures\" aria-label=\"Pictures\">\n");
        for picture in &self.pictures {
            let (kind, bytes) = (media_type(&picture.bytes), base64::encode(&picture.bytes));
            let (alt, caption) = (escape(&picture.alt), escape(&picture.caption));
            let _ = writeln!(
                page,
                "<figure><img alt=\"{alt}\" src=\"data:{kind};base64,{bytes}\"><figcaption>{caption}</figcaption></figure>"
            );
        }
        page.push_str("</section>\n");
    }

    fn write_summary(&self, page: &mut String) {
        if self.summary.is_empty() && self.tables.is_empty() {
            return;
        }
        page.push_str("<section>\n<h2>Results</h2>\n<div class=\"results\">\n");
        if !self.summary.is_empty() {
            page.push_str("<table class=\"facts\">\n<tbody>\n");
        }
        for fact in &self.summary {
            let (name, value, unit) = (escape(&fact.name), escape(&fact.value), escape(&fact.unit));
            let _ = writeln!(page, "<tr><th scope=\"row\">{name}</th><td>{value}</td><td>{unit}</td></tr>");
        }
        if !self.summary.is_empty() {
            page.push_str("</tbody>\n</table>\n");
        }
        self.tables.iter().for_each(|table| table.write(page));
        page.push_str("</div>\n</section>\n");
    }

    fn write_charts(&self, page: &mut String) {
        if self.charts.is_empty() {
            return;
        }
        page.push_str("<section>\n<h2>Charts</h2>\n<div class=\"charts\">\n");
        for chart in &self.charts {
            let _ = writeln!(page, "<figure class=\"chart\">{chart}</figure>");
        }
        page.push_str("</div>\n</section>\n");
    }

    fn write_scene(&self, page: &mut String) {
        if self.scene.is_empty() {
            return;
        }
        let scene = escape(&self.scene);
        let _ = write!(page, "<section>\n<h2>Scene</h2>\n<pre tabindex=\"0\"><code>{scene}</code></pre>\n</section>\n");
    }
}

impl Table {
    fn write(&self, page: &mut String) {
        let _ = write!(page, "<table>\n<thead>\n<tr><th scope=\"col\">{}</th>", escape(&self.title));
        for column in &self.columns {
            let _ = write!(page, "<th scope=\"col\">{}</th>", escape(column));
        }
        page.push_str("</tr>\n</thead>\n<tbody>\n");
        for (name, values) in &self.rows {
            let _ = write!(page, "<tr><th scope=\"row\">{}</th>", escape(name));
            for value in values {
                let _ = write!(page, "<td>{}</td>", together(&escape(value)));
            }
            page.push_str("</tr>\n");
        }
        page.push_str("</tbody>\n</table>\n");
    }
}

/// The same text, in which no line ends between a number and its percent sign or within the coordinates of a place.
fn together(text: &str) -> String {
    let (mut out, mut inside) = (String::with_capacity(text.len()), false);
    for (at, c) in text.char_indices() {
        inside = c == '(' || (inside && c != ')');
        let unbroken = c == ' ' && (inside || text[at + 1..].starts_with('%'));
        out.push(if unbroken { '\u{a0}' } else { c });
    }
    out
}

/// The media type of an image file, from how it begins.
fn media_type(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [0xff, 0xd8, ..] => "image/jpeg",
        [b'R', b'I', b'F', b'F', ..] => "image/webp",
        _ => "application/octet-stream",
    }
}

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("hover.js");

#[cfg(test)]
mod tests {
    use super::*;

    fn nasty() -> Report {
        let nasty = "</script><script>alert(\"1\")</script>&'".to_string();
        Report {
            title: nasty.clone(),
            subtitle: nasty.clone(),
            warnings: vec![nasty.clone()],
            summary: vec![Fact { name: nasty.clone(), value: nasty.clone(), unit: nasty.clone() }],
            tables: vec![Table {
                title: nasty.clone(),
                columns: vec![nasty.clone()],
                rows: vec![(nasty.clone(), vec![nasty.clone()])],
            }],
            pictures: vec![ReportPicture { caption: nasty.clone(), alt: nasty.clone(), bytes: b"GIF89a".to_vec() }],
            charts: vec![crate::chart::Chart::lines(&nasty).series(&nasty, [[0.0, 1.0]]).svg()],
            scene: nasty,
        }
    }

    #[test]
    fn text_cannot_become_markup() {
        let page = nasty().html();
        assert!(!page.contains("<script>alert"));
        assert_eq!(page.matches("<script>").count(), 1);
        assert_eq!(page.matches("</script>").count(), 1);
        assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(&quot;1&quot;)"));
        assert!(!SCRIPT.contains("</"), "the script would end early");
    }

    #[test]
    fn page_needs_nothing_else() {
        let page = nasty().html();
        for outside in ["<link", "src=\"http", "href=", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(page.contains("src=\"data:image/gif;base64,R0lGODlh\""));
    }

    #[test]
    fn tables_have_a_cell_for_every_number() {
        let rows =
            vec![("weft".into(), vec!["8.4".into(), "0.6".into()]), ("warp".into(), vec!["7.9".into(), "0.5".into()])];
        let table = Table { title: "Strain, %".into(), columns: vec!["largest".into(), "mean".into()], rows };
        let page = Report { tables: vec![table], ..Report::default() }.html();
        assert_eq!(page.matches("<th scope=\"col\">").count(), 3);
        assert!(page.contains("<tr><th scope=\"row\">warp</th><td>7.9</td><td>0.5</td></tr>"));
    }

    #[test]
    fn no_line_ends_within_a_number_or_a_place() {
        assert_eq!(
            together("5.2 % in frame 8, at (1.0, 2.0, 3.0)"),
            "5.2\u{a0}% in frame 8, at (1.0,\u{a0}2.0,\u{a0}3.0)"
        );
        assert_eq!(together("é ( a"), "é (\u{a0}a");
    }

    #[test]
    fn empty_parts_leave_no_headings() {
        let page = Report { title: "t".into(), ..Report::default() }.html();
        assert!(!page.contains("<h2>"));
    }
}
