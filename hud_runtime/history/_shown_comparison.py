"""Two sessions side by side, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hud_components.words import line
from hud_runtime.history._compare import Comparison, Figures
from hud_runtime.history._shown import TITLE, moment, place_of, table_of
from ujsx import Child
from ujsx.elements import Item, List, Paragraph, code, em

LISTED = 30
"""Files that are listed on each side of a comparison."""


def shown_comparison(both: Comparison) -> Child:
    """Two sessions side by side."""
    left, right = both.left, both.right
    sides = [[*_figures(left)], [*_figures(right)]]
    rows: list[list[Child]] = [
        [name, one, other] for (name, one), (_, other) in zip(*sides, strict=True)
    ]
    table = table_of(["", line(left.session.title, TITLE), line(right.session.title, TITLE)], rows)
    lists = {
        "changed in both": left.files & right.files,
        "changed in the first alone": left.files - right.files,
        "changed in the second alone": right.files - left.files,
    }
    same = (
        f"The first {both.same:,} messages say the same."
        if both.same
        else "They begin in different ways."
    )
    return [
        table,
        Paragraph()[same],
        [_files(name, files) for name, files in lists.items() if files],
    ]


def _figures(one: Figures) -> Iterator[tuple[str, Child]]:
    about = one.session
    yield "session", code(about.id)
    yield "folder", place_of(about)
    yield "from", moment(about.created)
    yield "to", moment(about.updated)
    yield "messages", f"{about.messages:,}" + _counted(one.roles)
    yield "calls of tools", f"{one.tools.total():,}" + _counted(one.tools)
    yield "calls that failed", f"{one.failed:,}"
    yield "answers that ended in an error", f"{one.errors:,}"
    yield "compactions", f"{one.compactions:,}"
    yield "tokens in the context at most", f"{one.largest:,}"
    yield "tokens written", f"{one.output:,}"
    yield "models", line(", ".join(sorted(one.models)))
    yield "files changed", f"{len(one.files):,}"


def _counted(counts: Mapping[str, int]) -> str:
    told = ", ".join(f"{line(name)} {count:,}" for name, count in sorted(counts.items()))
    return f" ({told})" if told else ""


def _files(name: str, files: set[str]) -> Child:
    rows = [Item()[code(line(each))] for each in sorted(files)[:LISTED]]
    more = len(files) - LISTED
    return [
        Paragraph()[f"{name}:"],
        List()[rows, Item()[em(f"… {more:,} more")] if more > 0 else None],
    ]
