"""Figures and tables of the papers, run again."""

from __future__ import annotations

import json
from typing import Any

from . import _taut
from ._table import Table


class Outcome:
    """What came of a test or of a paper's figure: ``tables`` by title, ``findings``, ``claims``, ``figures``, ``notes``."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.setup: str = given["setup"]
        self.findings: list[dict[str, Any]] = given["findings"]
        """Numbers with their units, beside what was expected."""
        self.claims: list[dict[str, Any]] = given["claims"]
        """What a paper says, its number, ours, and the verdict."""
        self.notes: list[str] = given["notes"]
        self.tables: dict[str, Table] = {
            title: Table(columns, json.loads(rows), title) for title, columns, rows in given["tables"]
        }
        self.figures: dict[str, bytes] = {name: data for name, _, data in given["figures"]}
        """PNG and SVG files, by name."""
        self.text: str = given["text"]

    @property
    def table(self) -> Table:
        """The first table; of the findings or the claims, where there is none."""
        if self.tables:
            return next(iter(self.tables.values()))
        rows = self.findings or self.claims
        return Table(list(rows[0]) if rows else [], [list(row.values()) for row in rows], self.setup)

    def __repr__(self) -> str:
        return self.text.rstrip()

    def _repr_html_(self) -> str:
        import base64
        import html

        parts = [f"<p>{html.escape(self.setup)}</p>", *(t._repr_html_() for t in self.tables.values())]
        for name, data in self.figures.items():
            kind = "image/svg+xml" if name.endswith(".svg") else "image/png"
            encoded = base64.b64encode(data).decode()
            parts.append(f'<img alt="{html.escape(name)}" style="max-width:640px" src="data:{kind};base64,{encoded}">')
        return "".join(parts)


def papers() -> Table:
    """Every figure and table of the papers that can be run."""
    return Table(["name", "paper", "place", "title"], _taut.papers(), "The papers, figure by figure")


def paper(name: str, *, full: bool = False) -> Outcome:
    """Runs a figure or table of a paper: ``taut.paper("csl-table-1").table``.

    Small by default, which takes seconds; ``full`` is what the paper has, which takes up to an hour.
    """
    return Outcome(_taut.paper(name, full))
