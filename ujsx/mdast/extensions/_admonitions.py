r"""Admonitions of Python-Markdown and MkDocs: ``!!! note "Title"`` in front of indented blocks.

``???`` folds one, ``???+`` folds one that is open at first. The plugin of mdit-py-plugins reads them. Words without
quotes are classes to Python-Markdown and a title to the plugin, so they are kept as they stand.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Literal

from mdit_py_plugins.admon import admon_plugin
from msgspec.structs import replace

from ujsx.mdast._nodes import FlowContent, LineStart, Parent, PhrasingContent, Text
from ujsx.mdast.extensions._plugins import TokenNode, extension_of
from ujsx.mdast.to_markdown._flow import indented
from ujsx.mdast.to_markdown._phrasing import Unwritable
from ujsx.mdast.util import to_string

_QUOTED = re.compile(r'\s*([^"\s](?:[^"]*[^"\s])?)\s+".*"[^"\s]*\Z')
_NEVER_IN_KIND = re.compile(r'["\0\s]+')


class AdmonitionTitle(Parent, frozen=True):
    """The first child of an admonition whose title is in quotes; without children, it has none on purpose."""

    children: tuple[PhrasingContent, ...] = ()


class Admonition(Parent, frozen=True):
    """A box around blocks.

    ``kind`` is its class, or several with spaces between. ``fold``: ``-`` for one that is folded at first, ``+`` for
    one that is open.
    """

    kind: str
    fold: Literal["-", "+"] | None = None
    children: tuple[AdmonitionTitle | FlowContent, ...] = ()
    stands_tight: ClassVar[bool] = True


_MARKERS = {None: "!!!", "-": "???", "+": "???+"}


def build(token: Any, children: tuple[Any, ...]) -> Admonition:
    """Return an admonition, with a title only where there are quotes around one."""
    quoted = _QUOTED.match(token.info)
    blocks = children[1:] if children and isinstance(children[0], AdmonitionTitle) else children
    if quoted is None:
        return Admonition(token.info.strip(), fold(token), blocks)
    title = children[: len(children) - len(blocks)] or (AdmonitionTitle(),)
    return Admonition(quoted[1], fold(token), (*title, *blocks))


def fold(token: Any) -> Any:
    """Return how a token says that its box can be folded."""
    return next(each for each, marker in _MARKERS.items() if marker == token.markup)


def write(node: Admonition, writing: Any) -> str:
    """``!!! kind "Title"``, and the blocks under it, indented by four."""
    title, blocks = _parts(node)
    writing.enter(node)
    words = "" if title is None else f' "{_title(title, writing)}"'
    must_end, writing.must_end = writing.must_end, True
    written = writing.flow(node, blocks) if blocks else ""
    writing.must_end = must_end
    writing.leave()
    head = f"{_MARKERS[node.fold]} {node.kind}{words}"
    return indented(f"{head}\n{written}", "    ") if written else head


def _parts(node: Admonition) -> tuple[AdmonitionTitle | None, tuple[Any, ...]]:
    match node.children:
        case (AdmonitionTitle() as title, *blocks):
            return title, tuple(blocks)
        case blocks:
            return None, blocks


def _title(node: AdmonitionTitle, writing: Any) -> str:
    one_line, writing.one_line = writing.one_line, True
    words = str(writing.run(node.children, "text"))
    writing.one_line = one_line
    if words != words.strip():
        raise Unwritable(node, "it has white space at an edge")
    return words


def clean(node: Admonition) -> Admonition:
    """Return an admonition whose kind and title can be written."""
    title, blocks = _parts(node)
    if title is not None:
        words = " ".join(to_string(title).split())
        blocks = (AdmonitionTitle((Text(words),) if words else ()), *blocks)
    return replace(node, kind=_NEVER_IN_KIND.sub(" ", node.kind).strip() or "note", children=blocks)


EXTENSION = extension_of(
    admon_plugin,
    {
        "admonition": TokenNode(
            node=Admonition, write=write, holds="flow", build=build, clean=clean
        ),
        "admonition_title": TokenNode(
            node=AdmonitionTitle, write=_title, stands_as="part", holds="line"
        ),
    },
    name="admonitions",
    line_starts=(
        LineStart("!", "an admonition", r"!!!(?=.*\S)"),
        LineStart("?", "an admonition", r"\?\?\?(?=.*\S)"),
    ),
)
"""``!!! note`` in front of indented blocks."""
