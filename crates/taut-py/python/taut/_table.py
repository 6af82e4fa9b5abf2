"""Rows under names, without pandas; with it, if it is there."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np


class Table:
    """Rows of values under column names.

    ``table["column"]`` is an array of numbers if all of the column are, else a list; ``table[3]`` is a row as a dict.
    ``table.pandas()`` is the same as a DataFrame, if pandas is installed. In a notebook it shows as a table.
    """

    def __init__(self, columns: Sequence[str], rows: Sequence[Sequence[Any]], title: str = "") -> None:
        self.title = title
        self.columns = list(columns)
        self.rows = [list(row) for row in rows]
        wrong = next((row for row in self.rows if len(row) != len(self.columns)), None)
        if wrong is not None:
            raise ValueError(f"a row has {len(wrong)} values, but there are {len(self.columns)} columns")

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[at] for at in range(len(self.rows)))

    def __getitem__(self, key: str | int) -> Any:
        if isinstance(key, str):
            if key not in self.columns:
                raise KeyError(f"there is no column {key!r}; columns are {', '.join(self.columns)}")
            at = self.columns.index(key)
            values = [row[at] for row in self.rows]
            numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
            return np.array(values, dtype=float) if numbers else values
        return dict(zip(self.columns, self.rows[key], strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and (self.columns, self.rows) == (other.columns, other.rows)

    __hash__ = None  # type: ignore[assignment]

    def pandas(self) -> Any:
        """The table as a pandas DataFrame. Raises ImportError where pandas is not installed."""
        # Only who asks for it needs it.
        import pandas  # type: ignore[import-not-found, import-untyped, unused-ignore]  # noqa: PLC0415

        return pandas.DataFrame(self.rows, columns=self.columns)

    def csv(self) -> str:
        """The table as CSV."""
        import csv
        import io

        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return out.getvalue()

    def __repr__(self) -> str:
        cells = [self.columns] + [[_text(value) for value in row] for row in self.rows[:40]]
        wide = [max(len(row[at]) for row in cells) for at in range(len(self.columns))]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, wide, strict=True)).rstrip() for row in cells]
        more = [f"… {len(self.rows) - 40} more rows"] if len(self.rows) > 40 else []
        return "\n".join(([self.title] if self.title else []) + lines + more)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(c)}</th>" for c in self.columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_text(v))}</td>" for v in row) + "</tr>" for row in self.rows[:200]
        )
        caption = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
