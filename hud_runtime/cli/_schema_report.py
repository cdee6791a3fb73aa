"""What exporting components loses, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from hud_runtime.cli._fitted import in_columns
from hud_runtime.cli._schema_subjects import Subject
from ujsx import SchemaError
from ujsx.errors import CounterError, shown
from ujsx.schema import schema_tokens
from ujsx.tokens import ExactCounter, estimate_tokens, rs_bpe_counter

COLUMN = 5
"""Characters of a column at least."""

REFUSED = "–"
"""Stands in the table for what a dialect cannot take."""


def losses(subjects: Sequence[Subject], dialects: Sequence[str]) -> list[dict[str, Any]]:
    """Return each loss as data, with its component and its dialect."""
    return [
        {
            "component": each.name,
            "dialect": dialect,
            "pointer": loss.pointer,
            "keyword": loss.keyword,
            "value": loss.value,
            "outcome": loss.outcome,
            "reason": loss.reason,
        }
        for each in subjects
        for dialect in dialects
        for loss in each.lint(dialect)
    ]


def account(found: Sequence[dict[str, Any]], dialects: int) -> str:
    """Return losses as text, a paragraph for each component and dialect.

    :param dialects: how many were looked at.
    """
    if not found:
        return f"every keyword is kept, in {'the dialect' if dialects == 1 else 'all dialects'}\n"
    paragraphs = groupby(found, key=lambda each: (each["component"], each["dialect"]))
    return "\n".join("".join(_paragraph(key, [*group])) for key, group in paragraphs)


def _paragraph(key: tuple[str, str], group: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield f"{key[0]} in {key[1]}\n"
    for each in group:
        value = "" if each["outcome"] == "missing" else f" {shown(each['value'], width=40)}"
        yield f"  {each['pointer'] or '(root)'}\n"
        yield f"    {each['keyword']}{value}: {each['outcome']}, {each['reason']}\n"


def costs(subjects: Sequence[Subject], dialects: Sequence[str]) -> dict[str, Any]:
    """Return what the definitions cost in tokens: the counter, and a figure for each dialect.

    A figure is ``None`` where the dialect cannot take the component.
    """
    counter = _counter()
    return {
        "counter": counter.name if isinstance(counter, ExactCounter) else "an estimate",
        "tokens": {
            each.name: {dialect: _tokens(each, dialect, counter) for dialect in dialects}
            for each in subjects
        },
    }


def table(found: dict[str, Any], width: int | None = None) -> str:
    """Return costs as a table, with a last row for all together.

    :param width: how much room there is; ``None`` for as much as is needed.
    """
    rows: dict[str, dict[str, int | None]] = dict(found["tokens"])
    dialects = [*next(iter(rows.values()))]
    if len(rows) > 1:
        rows["together"] = {each: sum(row[each] or 0 for row in rows.values()) for each in dialects}
    cells = [["tokens", *(f"{each:>{COLUMN}}" for each in dialects)]]
    for name, row in rows.items():
        cells.append([name, *(_cost(row[each]) for each in dialects)])
    refused = any(None in row.values() for row in rows.values())
    why = [f"{REFUSED} the dialect refuses it: --lint says why"] if refused else []
    lines = [*in_columns(cells, width), "", *why, f"counted by: {found['counter']}", ""]
    return "\n".join(lines)


def _cost(tokens: int | None) -> str:
    return REFUSED if tokens is None else f"{tokens:,}"


def _tokens(subject: Subject, dialect: str, counter: Any) -> int | None:
    try:
        return schema_tokens(subject.define(dialect), counter)
    except SchemaError:
        return None


def _counter() -> Any:
    """An exact counter if one is installed, and the estimate otherwise."""
    try:
        return rs_bpe_counter()
    except CounterError:
        return estimate_tokens
