"""A failing tree made small, so that a person sees what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ujsx import UjsxError
from ujsx.mdast import Root, from_dict, to_dict

MOST_TRIES = 3_000
"""Trees that are tried for one failure."""


def shrunk(tree: Root, broken: Callable[[Root], str | None]) -> Root:
    """Return a smaller tree that is broken in the same way.

    >>> from ujsx.mdast import Paragraph, Text, ThematicBreak
    >>> large = Root(children=[Paragraph(children=[Text("some $ text")]), ThematicBreak()])
    >>> shrunk(large, lambda tree: "has a $" if "$" in repr(tree) else None)
    Root(children=(Paragraph(children=(Text(value='$'),)),))
    """
    kind = _kind(broken(tree))
    best: dict[str, Any] = to_dict(tree)
    tries = 0
    shrinks = True
    while shrinks:
        shrinks = False
        for candidate in smaller(best):
            tries += 1
            if tries > MOST_TRIES:
                return _root(best)
            if _is_broken(candidate, kind, broken):
                best, shrinks = candidate, True
                break
    return _root(best)


def smaller(value: Any) -> Iterator[Any]:
    """Yield data like ``value`` with a bit less in it, the boldest cuts first."""
    match value:
        case str() if value:
            half = len(value) // 2
            if half:
                yield value[:half]
                yield value[half:]
            for place in range(min(len(value), 60)):
                yield value[:place] + value[place + 1 :]
            if value[0] != "a":
                yield "a" + value[1:]
        case list():
            for place, child in enumerate(value):
                before, after = value[:place], value[place + 1 :]
                yield before + after
                if isinstance(child, dict) and child.get("children"):
                    yield before + child["children"] + after
                yield from ([*before, less, *after] for less in smaller(child))
        case dict():
            for key, field in value.items():
                if key not in ("type", "referenceType"):
                    yield from ({**value, key: less} for less in smaller(field))
                    if field is not None and key in ("title", "alt", "lang", "meta", "checked"):
                        yield {**value, key: None}
        case _:
            return


def _is_broken(data: dict[str, Any], kind: str, broken: Callable[[Root], str | None]) -> bool:
    try:
        return _kind(broken(_root(data))) == kind
    except (UjsxError, TypeError):  # a cut that leaves no tree
        return False


def _kind(fault: str | None) -> str:
    return (fault or "").partition(":")[0]


def _root(data: dict[str, Any]) -> Root:
    root = from_dict(data)
    assert isinstance(root, Root)
    return root
