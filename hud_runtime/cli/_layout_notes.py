"""What a layout that can be used probably does not mean: templates' braces, and no component."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ujsx.components import Node, as_element
from ujsx.elements import CodeBlock

SHOWN = 5
"""Places in braces that a note names."""

_BRACES = re.compile(
    r"\{\{[^{}\n]{1,60}\}\}"  # Mustache, Jinja2
    r"|\{%[^{}\n]{1,60}%\}"
    r"|\{/\*.{0,60}?\*/\}"  # a comment in JSX
    r"|\$?\{[A-Za-z_][\w.\[\]()]{0,60}\}"  # JSX, Python, a shell
)


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
    if not components_in(tree):
        yield f"no component of the HUD in it, so it shows nothing of a session{_fenced(tree)}"


def _fenced(tree: Node) -> str:
    elements = (as_element(each) for each in nodes_of(tree) if not isinstance(each, str))
    blocks = (each.component for each in elements if isinstance(each.component, CodeBlock))
    has_tags = any("<" in each.value for each in blocks)
    return "; is the whole layout in a code fence?" if has_tags else ""
