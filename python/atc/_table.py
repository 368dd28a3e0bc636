"""Tables for reports, as text and as HTML for notebooks."""

from __future__ import annotations

import html
from typing import List, Optional, Sequence

Row = Sequence[str]


def as_text(head: Row, rows: Sequence[Row]) -> str:
    """Returns a table as text. A column is as wide as its longest text, with two blanks between
    columns."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [head, *rows]]
    return "\n".join(lines)


def as_html(title: str, head: Row, rows: Sequence[Row], notes: Sequence[str] = ()) -> str:
    """Returns a table as HTML, with a title above and notes below. Every text is escaped."""
    parts: List[str] = [f"<p>{html.escape(title)}</p>", "<table><thead><tr>"]
    parts += [f"<th>{html.escape(cell)}</th>" for cell in head]
    parts.append("</tr></thead><tbody>")
    for row in rows:
        parts.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>")
    parts.append("</tbody></table>")
    parts += [f"<p>{html.escape(note)}</p>" for note in notes]
    return "".join(parts)


def time_text(seconds: Optional[float]) -> str:
    """Returns a time with three digits and a unit; "" for None."""
    if seconds is None:
        return ""
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def factor_text(factor: Optional[float]) -> str:
    """Returns a factor as a text such as "1.25 x"; "" for None."""
    return "" if factor is None else f"{factor:.2f} x"
