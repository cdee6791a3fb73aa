"""Findings about layout documents: all that is wrong with one, and where.

A layout is read with the sections of the domain, the HUD's other components and the primitives, and rendered without a session. All
mistakes are told: what cannot be read, what stands where it cannot stand, paths that lead to no field
of the state. Nothing in it is run, and nothing is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hud_runtime._layout_components import layout_components
from hud_runtime.cli._commands import Options, asked_name, own_components
from hud_runtime.cli._render import place, rendered_with
from hud_runtime.cli._stored import read_text
from hud_runtime.cli._target import JSON, ShownSession
from hud_runtime.cli._terminal import put, put_json
from hud_runtime.projects import is_of_nobodys, told_of_no_session
from ujsx import Component, Element, LayoutError, RenderContext, Vocabulary, read_layout
from ujsx.components import Node, as_element
from ujsx.elements import CodeBlock, Paragraph
from ujsx.errors import UjsxError
from ujsx.text import visible

WRONG = 1
"""The exit status for a layout that cannot be used."""

LONGEST = 60
"""Characters of a text that a note shows."""

SHOWN = 5
"""Places in braces that a note names."""

_BRACES = re.compile(
    r"\{\{[^{}\n]{1,60}\}\}"  # Mustache, Jinja2
    r"|\{%[^{}\n]{1,60}%\}"
    r"|\{/\*.{0,60}?\*/\}"  # a comment in JSX
    r"|\$?\{[A-Za-z_][\w.\[\]()]{0,60}\}"  # JSX, Python, a shell
)


def tell_findings(options: Options) -> int:
    """Say what is wrong with a layout, and where, or what it holds; return the exit status."""
    found = findings(options.layout, own_components())
    if options.json:
        put_json(found)
    else:
        put("".join(f"{line}\n" for line in _lines(found)))
    return 0 if found["ok"] else WRONG


def findings(name: str, own: Iterable[type[Component]] = ()) -> dict[str, Any]:
    """Return the findings about a file.

    :param own: components of the author's own that may stand in it.
    :raises UsageError: for a file that cannot be read.
    """
    from hud_components import check_layout

    text = read_text(name)
    session = ShownSession.nobodys()
    state, context = type(session.state), session.context
    known = layout_components(state) | tuple(own)
    is_data = Path(name).suffix.lower() == JSON
    found_wrong = (
        _of_data(text, name, known, context)
        if is_data
        else check_layout(text, known, state=state, context=context)
    )
    if asked_name()[0] is None and (lost := [each for each in found_wrong if is_of_nobodys(each)]):
        told_of_no_session(lost[0])
    mistakes = [_mistake(name, each) for each in found_wrong]
    found: dict[str, Any] = {"ok": not mistakes, "place": name}
    if mistakes:
        return found | mistakes[0] | {"mistakes": mistakes}
    tree = _data_tree(text, name, known) if is_data else read_layout(text, known)
    _, notes = rendered_with(tree, context, None, None)
    notes = [*notes_on(tree), *notes]
    return found | {"components": components_in(tree), "notes": notes}


def _data_tree(text: str, name: str, known: Vocabulary) -> Element:
    from hud_runtime.session import tree_of_data

    return tree_of_data(text, name, known)


def _of_data(
    text: str, name: str, known: Vocabulary, context: RenderContext
) -> tuple[LayoutError, ...]:
    """What is wrong with a tree as data: the first mistake, at its place in the data."""
    try:
        rendered_with(_data_tree(text, name, known), context, None, None)
    except UjsxError as error:
        wrong = LayoutError(str(error).removeprefix(f"{name} "))
        wrong.__cause__ = error
        return (wrong,)
    return ()


def _mistake(name: str, error: LayoutError) -> dict[str, Any]:
    return {
        "place": place(name, error),
        "message": error.message,
        "line": error.line,
        "column": error.column,
        "excerpt": error.excerpt,
    }


def _lines(found: dict[str, Any]) -> list[str]:
    if found["ok"]:
        names = ", ".join(found["components"])
        lines = [f"{found['place']} is a layout" + (f" of {names}" if names else "")]
        return [visible(line) for line in (*lines, *(f"note: {note}" for note in found["notes"]))]
    told = ((f"{each['place']}: {each['message']}", each["excerpt"]) for each in found["mistakes"])
    return [visible(line) for pair in told for line in pair if line]


def nodes_of(tree: Node) -> Iterator[Node]:
    """Yield all nodes of a tree in the order of the document."""
    pending: list[Node] = [tree]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, str):
            pending += reversed(as_element(node).children)


def components_in(tree: Node) -> list[str]:
    """Return the composites in a tree, in the order in which they first appear."""
    elements = (as_element(each) for each in nodes_of(tree) if not isinstance(each, str))
    composites = (each.component for each in elements if not each.component.is_primitive)
    return list(dict.fromkeys(type(each).__name__ for each in composites))


def notes_on(tree: Node) -> Iterator[str]:
    """Yield what is to be said of a layout's tree, a sentence each.

    >>> from ujsx.elements import Paragraph
    >>> [*notes_on(Paragraph()["{task.description}"])][0]
    '{task.description} is text; nothing is evaluated, components show the session'
    """
    texts = (each for each in nodes_of(tree) if isinstance(each, str))
    braces = list(dict.fromkeys(found for text in texts for found in _BRACES.findall(text)))
    if braces:
        named = ", ".join(braces[:SHOWN]) + (", …" if len(braces) > SHOWN else "")
        verb = "is" if len(braces) == 1 else "are"
        yield f"{named} {verb} text; nothing is evaluated, components show the session"
    if rows := [*_rows_alone(tree)]:
        yield (
            f"{rows[0]} is a text and no row: a table of Markdown ends at a tag; write <Table>, and in it <Each> around a"
            " <TableRow> of <TableCell>s"
        )
    if not components_in(tree):
        yield f"no component of the HUD in it, so it shows nothing of a session{_fenced(tree)}"


def _rows_alone(tree: Node) -> Iterator[str]:
    """The paragraphs that are written as rows of a table."""
    for node in nodes_of(tree):
        if isinstance(node, str) or not isinstance(as_element(node).component, Paragraph):
            continue
        text = _plain_text(node)
        if text[:1] == "|" == text[-1:] and len(text) > 1:
            yield text.splitlines()[0][:LONGEST]


def _plain_text(node: Node) -> str:
    """Return the texts in a node, one after the other.

    >>> from ujsx.elements import Paragraph, em
    >>> _plain_text(Paragraph()["| ", em("a"), " |"])
    '| a |'
    """
    return "".join(each for each in nodes_of(node) if isinstance(each, str)).strip()


def _fenced(tree: Node) -> str:
    elements = (as_element(each) for each in nodes_of(tree) if not isinstance(each, str))
    blocks = (each.component for each in elements if isinstance(each.component, CodeBlock))
    has_tags = any("<" in each.value for each in blocks)
    return "; is the whole layout in a code fence?" if has_tags else ""
