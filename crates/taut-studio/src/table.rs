//! Rows of values under names.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Rows of values under names, for pages, terminals, CSV and JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// What they are, with their unit; or the file's name, without its ending.
    pub title: String,
    /// What is in each column.
    pub columns: Vec<String>,
    /// The values, row by row.
    pub rows: Vec<Vec<Value>>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: &str, columns: &[&str]) -> Self {
        Table { title: title.into(), columns: columns.iter().map(|&c| c.into()).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, cells: impl IntoIterator<Item = impl Into<Value>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Adds a row with a name in its first column.
    pub fn row(&mut self, name: &str, cells: impl IntoIterator<Item = String>) {
        self.push(std::iter::once(name.to_owned()).chain(cells));
    }

    /// All cells as text, row by row; missing values are empty.
    fn cells(&self) -> impl Iterator<Item = Vec<String>> {
        let cell = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        self.rows.iter().map(move |row| row.iter().map(cell).collect())
    }

    /// As CSV.
    pub fn csv(&self) -> String {
        let mut text = self.columns.join(",") + "\n";
        for row in self.cells() {
            let row: Vec<String> = row.iter().map(|cell| cell.replace([',', '"', '\n'], " ")).collect();
            text += &(row.join(",") + "\n");
        }
        text
    }

    /// As Markdown, without its title.
    pub fn markdown(&self) -> String {
        let mut text = format!("| {} |\n|{}\n", self.columns.join(" | "), " --- |".repeat(self.columns.len()));
        for row in self.cells() {
            text += &(markdown_row(&row) + "\n");
        }
        text
    }

    /// For a terminal: a line for each row and one for the names, in columns, without its title.
    pub fn lines(&self) -> Vec<String> {
        let all: Vec<Vec<String>> = std::iter::once(self.columns.clone()).chain(self.cells()).collect();
        let width = |k: usize| all.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        all.iter().map(line).collect()
    }
}

/// A row of a Markdown table; no cell can end early.
pub fn markdown_row(cells: &[impl AsRef<str>]) -> String {
    let cells: Vec<String> = cells.iter().map(|c| c.as_ref().replace('|', "\\|").replace('\n', " ")).collect();
    format!("| {} |", cells.join(" | "))
}
