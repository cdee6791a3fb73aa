r"""Admonitions of Python-Markdown and MkDocs: ``!!! note "Title"`` in front of indented blocks.

``???`` folds one, ``???+`` folds one that is open at first. The plugin of mdit-py-plugins reads them. A kind without
a title has its name for one; ``""`` stands for none.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Literal

from mdit_py_plugins.admon import admon_plugin
from msgspec.structs import replace

from ujsx.mdast._extension import LineStart
from ujsx.mdast._nodes import FlowContent, Parent, PhrasingContent, Text
from ujsx.mdast.to_markdown._errors import Unwritable
from ujsx.mdast.to_markdown._flow import indented
from ujsx.mdast.util import to_string

from ._plugins import TokenNode, extension_of

_QUOTED = re.compile(r'\s*([^"\s](?:[^"]*[^"\s])?)\s+".*"[^"\s]*\Z')
_KIND = re.compile(r"[^\s\"]+(?: [^\s\"]+)*")


class AdmonitionTitle(Parent, frozen=True):
    """The first child of an admonition with a title."""

    children: tuple[PhrasingContent, ...] = ()


class Admonition(Parent, frozen=True):
    """A box around blocks; ``kind`` is its class, or several with spaces between; ``fold``: ``-`` folded, ``+`` open."""

    kind: str
    fold: Literal["-", "+"] | None = None
    children: tuple[AdmonitionTitle | FlowContent, ...] = ()
    stands_tight: ClassVar[bool] = True


_MARKERS = {None: "!!!", "-": "???", "+": "???+"}


def kind(token: Any) -> str:
    """Return the classes that a token names."""
    quoted = _QUOTED.match(token.info)
    words = quoted[1].split(" ") if quoted else token.info.strip().split(" ")[:1]
    return " ".join(word.lower() for word in words if word)


def fold(token: Any) -> str | None:
    """Return how a token says that its box can be folded."""
    return next(each for each, marker in _MARKERS.items() if marker == token.markup)


def write(node: Admonition, writing: Any) -> str:
    """``!!! kind "Title"``, and the blocks under it, indented by four."""
    if _KIND.fullmatch(node.kind) is None or node.kind != node.kind.lower():
        raise Unwritable(node, f"{node.kind!r} is not a name in lower case, or several")
    title, *blocks = node.children or (None,)
    if not isinstance(title, AdmonitionTitle):
        title, blocks = None, [*node.children]
    writing.enter(node)
    words = "" if title is None else _title(title, writing)
    must_end, writing.must_end = writing.must_end, True
    written = writing.flow(node, blocks) if blocks else ""
    writing.must_end = must_end
    writing.leave()
    is_usual = title is not None and title.children == (Text(node.kind.title()),)
    head = f"{_MARKERS[node.fold]} {node.kind}" + ("" if is_usual else f' "{words}"')
    return indented(f"{head}\n{written}", "    ") if written else head


def clean(node: Admonition) -> Admonition:
    """Return an admonition whose kind and title can be written."""
    kind = " ".join(re.sub(r'["\0]', " ", node.kind.lower()).split()) or "note"
    title, *blocks = node.children or (None,)
    if isinstance(title, AdmonitionTitle):
        words = " ".join(to_string(title).split())
        blocks = [AdmonitionTitle((Text(words),)), *blocks] if words else blocks
    else:
        blocks = [*node.children]
    return replace(node, kind=kind, children=tuple(blocks))


def _title(node: AdmonitionTitle, writing: Any) -> str:
    one_line, writing.one_line = writing.one_line, True
    words = str(writing.run(node.children, "text"))
    writing.one_line = one_line
    if not words or words != words.strip():
        raise Unwritable(node, "it is empty, or has white space at an edge")
    return words


EXTENSION = extension_of(
    admon_plugin,
    {
        "admonition": TokenNode(
            node=Admonition,
            write=write,
            fields={"kind": kind, "fold": fold},
            holds="flow",
            clean=clean,
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
