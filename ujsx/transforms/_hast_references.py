"""The targets of references, and the footnotes that a page ends with.

In HTML nothing is found by a name that only Markdown knows: a link has its URL, a footnote its
number and a way back. A run that makes a page knows all definitions before it makes the first node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ujsx import hast
from ujsx.components._context import RenderContext
from ujsx.transforms._hast_layout import is_element, laid_out
from ujsx.transforms._transform import Transform

TEXTS: Final = {
    "footnotes": "Footnotes",
    "footnotes.back": "Back to reference {number}",
}
"""The fixed texts of footnotes; ``RenderContext.texts`` replaces them by name."""

_ID: Final = "user-content-"
"""What ids begin with, so that no footnote's name can take that of something on the page."""

_BACK: Final = "↩"


class References:
    """The definitions of a tree, and which footnotes were cited, in order."""

    def __init__(self) -> None:
        self._definitions: dict[str, Any] = {}
        self._footnotes: dict[str, Callable[[], list[Any]]] = {}
        self._numbers: dict[str, int] = {}
        self._times: dict[str, int] = {}

    @staticmethod
    def of(transform: Transform) -> References:
        """Return those of the run; a node that is made by itself has none."""
        return transform.context.get(References) or References()

    def define(self, identifier: str, target: Any) -> None:
        """Note what has a ``url`` and a ``title``; the first with its name is the one."""
        self._definitions.setdefault(_folded(identifier), target)

    def define_footnote(self, identifier: str, content: Callable[[], list[Any]]) -> None:
        """Note a footnote; ``content`` makes its blocks when it was cited."""
        self._footnotes.setdefault(_folded(identifier), content)

    def definition(self, identifier: str) -> Any:
        """Return what was defined by that name, or ``None``."""
        return self._definitions.get(_folded(identifier))

    def cite(self, identifier: str) -> hast.Element | None:
        """Return a mark that leads to a footnote, or ``None`` where there is no such footnote."""
        key = _folded(identifier)
        if key not in self._footnotes:
            return None
        number = self._numbers.setdefault(key, len(self._numbers) + 1)
        self._times[key] = time = self._times.get(key, 0) + 1
        properties: dict[str, hast.PropertyValue] = {
            "href": f"#{_ID}fn-{_anchor(key)}",
            "id": f"{_ID}fnref-{_anchor(key, time)}",
            "dataFootnoteRef": True,
            "ariaDescribedBy": ("footnote-label",),
        }
        return hast.Element("sup", {}, (hast.Element("a", properties, (hast.Text(str(number)),)),))

    def footnotes(self, context: RenderContext) -> hast.Element | None:
        """Return the section of the footnotes that were cited, or ``None``."""
        contents: list[tuple[str, list[Any]]] = []
        while cited := [*self._numbers][len(contents) :]:  # content may cite further footnotes
            contents += [(key, self._footnotes[key]()) for key in cited]
        if not contents:
            return None
        items = [
            _footnote(key, blocks, number, self._times[key], context)
            for number, (key, blocks) in enumerate(contents, 1)
        ]
        label = hast.Element(
            "h2",
            {"className": ("sr-only",), "id": "footnote-label"},
            (hast.Text(_text("footnotes", context)),),
        )
        return hast.Element(
            "section",
            {"dataFootnotes": True, "className": ("footnotes",)},
            laid_out((label, hast.Element("ol", {}, laid_out(items))))[1:],
        )


def _footnote(
    key: str, blocks: list[Any], number: int, count: int, context: RenderContext
) -> hast.Element:
    back = _ways_back(key, number, count, context)
    last = blocks[-1] if blocks else None
    if last is not None and is_element(last, "p"):
        line = hast.Element("p", last.properties, (*last.children, hast.Text(" "), *back))
        blocks = [*blocks[:-1], line]
    else:
        blocks = [*blocks, *back]
    return hast.Element("li", {"id": f"{_ID}fn-{_anchor(key)}"}, laid_out(blocks))


def _ways_back(key: str, number: int, count: int, context: RenderContext) -> list[Any]:
    ways: list[Any] = []
    for time in range(1, count + 1):
        again = f"-{time}" if time > 1 else ""
        label = _text("footnotes.back", context).format(number=f"{number}{again}")
        properties: dict[str, hast.PropertyValue] = {
            "href": f"#{_ID}fnref-{_anchor(key, time)}",
            "dataFootnoteBackref": "",
            "ariaLabel": label,
            "className": ("data-footnote-backref",),
        }
        sign: tuple[Any, ...] = (hast.Text(_BACK),)
        if again:
            sign = (*sign, hast.Element("sup", {}, (hast.Text(str(time)),)))
        ways += [*([hast.Text(" ")] if ways else []), hast.Element("a", properties, sign)]
    return ways


def _text(name: str, context: RenderContext) -> str:
    return context.texts.get(name, TEXTS[name])


def _folded(identifier: str) -> str:
    # Lower case alone would keep "ß" and "SS" apart, which Markdown takes for the same.
    return identifier.upper().lower()


def _anchor(key: str, time: int = 1) -> str:
    name = hast.percent_encoded(key)
    return f"{name}-{time}" if time > 1 else name
