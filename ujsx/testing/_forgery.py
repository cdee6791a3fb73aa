"""The unintended structure that a reader sees in a text, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from ujsx import mdast
from ujsx.errors import shown
from ujsx.mdast._difference import first_difference

_STRUCTURE = 4
"""How many forged nodes a message names."""


def account(meant: mdast.Root, read: mdast.Root) -> str:
    """Return how ``read`` differs from ``meant``: what was forged, out of what, and where.

    >>> from ujsx.mdast import Heading, Paragraph, Root, Text
    >>> print(account(Root((Paragraph((Text("a # b"),)),)), Root((Heading(1, (Text("b"),)),))))
    text became structure:
      heading 'b' out of the text 'a # b'
    the first difference is at root.children[0]:
      meant: paragraph 'a # b'
      read:  heading 'b'
    """
    path, wanted, found = first_difference(meant, read, "root")
    forged = list(_beyond(meant, read))
    lines = [f"  {_forged(node, meant)}" for node in forged[:_STRUCTURE]]
    if len(forged) > _STRUCTURE:
        lines.append(f"  … {len(forged) - _STRUCTURE} more")
    head = ["text became structure:", *lines] if forged else ["it is read back as another tree"]
    return "\n".join(
        (
            *head,
            f"the first difference is at {path}:",
            f"  meant: {_named(wanted)}",
            f"  read:  {_named(found)}",
        )
    )


def _beyond(meant: mdast.Root, read: mdast.Root) -> Iterator[Any]:
    """The nodes of ``read``, but text and paragraphs, that are more than ``meant`` has of the kind.

    Those that ``meant`` has by value are not among them.
    """
    known = Counter(map(_named, _walk(meant)))
    for node in _walk(read):
        if isinstance(node, mdast.Root | mdast.Text | mdast.Paragraph):
            continue
        name = _named(node)
        if known[name]:
            known[name] -= 1
        else:
            yield node


def _forged(node: Any, meant: mdast.Root) -> str:
    """A forged node, its line, and the text that it was made of."""
    line = f", line {node.position.start.line}" if getattr(node, "position", None) else ""
    words = _plain(node).split()
    source = next((text for text in _strings(meant) if all(word in text for word in words)), None)
    out_of = f" out of the text {shown(source)}" if source and words else ""
    return f"{_named(node)}{line}{out_of}"


def _strings(node: Any) -> Iterator[str]:
    for each in _walk(node):
        for name in each.__struct_fields__:
            value = getattr(each, name)
            if isinstance(value, str):
                yield value


def _walk(node: Any) -> Iterator[Any]:
    yield node
    for child in getattr(node, "children", ()):
        yield from _walk(child)


def _plain(node: Any) -> str:
    own = getattr(node, "value", None) or getattr(node, "url", None) or ""
    return " ".join((own, *map(_plain, getattr(node, "children", ())))).strip()


def _named(node: Any) -> str:
    """A node's type in mdast and its words, or a field's value."""
    if node is None:
        return "nothing"
    if not _is_node(node):
        return shown(node)
    words = _plain(node)
    return f"{mdast.to_dict(node)['type']} {shown(words)}" if words else mdast.to_dict(node)["type"]


def _is_node(value: Any) -> bool:
    return isinstance(value, msgspec.Struct)
