"""The losses and the cost of exporting components."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

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

    What is the same in all dialects, as what is missing is, is told once.

    :param dialects: how many were looked at.
    """
    if not found:
        return f"every keyword is kept, in {'the dialect' if dialects == 1 else 'all dialects'}\n"
    pairs = {(_told(each), each["dialect"]) for each in found}
    times = Counter(told for told, _ in pairs)
    paragraphs: dict[tuple[str, str], dict[Told, None]] = {}
    for each in found:
        told = _told(each)
        where = "all dialects" if 1 < dialects == times[told] else each["dialect"]
        paragraphs.setdefault((each["component"], where), {})[told] = None
    return "\n".join("".join(_paragraph(*key, group)) for key, group in paragraphs.items())


class Told(NamedTuple):
    """A loss as it is told."""

    component: str
    pointer: str
    text: str


def _told(loss: dict[str, Any]) -> Told:
    value = "" if loss["outcome"] == "missing" else f" {shown(loss['value'], width=40)}"
    text = f"{loss['keyword']}{value}: {loss['outcome']}, {loss['reason']}"
    return Told(loss["component"], loss["pointer"], text)


def _paragraph(component: str, where: str, group: Iterable[Told]) -> Iterator[str]:
    yield f"{component} in {where}\n"
    for each in group:
        yield f"  {each.pointer or '(root)'}\n    {each.text}\n"


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
    """Return costs as a table, with a last row for all together, where no dialect refuses one.

    :param width: how much room there is; ``None`` for as much as is needed.
    """
    rows: dict[str, dict[str, int | None]] = dict(found["tokens"])
    dialects = [*next(iter(rows.values()))]
    if len(rows) > 1:
        given = [*rows.values()]
        rows["together"] = {each: _sum([row[each] for row in given]) for each in dialects}
    cells = [["tokens", *(f"{each:>{COLUMN}}" for each in dialects)]]
    for name, row in rows.items():
        cells.append([name, *(_cost(row[each]) for each in dialects)])
    refused = any(None in row.values() for row in rows.values())
    why = [f"{REFUSED} the dialect refuses it: --lint says why"] if refused else []
    lines = [*in_columns(cells, width), "", *why, f"counted by: {found['counter']}", ""]
    return "\n".join(lines)


def _cost(tokens: int | None) -> str:
    return REFUSED if tokens is None else f"{tokens:,}"


def _sum(tokens: Sequence[int | None]) -> int | None:
    """What all cost together; ``None`` where one of them is refused, as less than all is no sum to compare."""
    known = [each for each in tokens if each is not None]
    return sum(known) if len(known) == len(tokens) else None


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
