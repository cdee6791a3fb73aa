"""From an mdast tree to Markdown that gives the same tree back.

One handler per node kind (``_flow``, ``_list``, ``_table``, ``_inline``), what parts two blocks
in ``_join``, what needs a backslash in the tables of ``_unsafe``, delimiter runs in
``_attention``. ``Writer`` holds a choice of options; ``to_markdown`` is a writer used once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

from ujsx.mdast._nodes import Node

from ._join import Join
from ._options import ALLOWED, Options
from ._unsafe import Unsafe
from ._writer import OnUnwritable, Writer
from ._writing import Handler, Memo, Writing

__all__ = [
    "ALLOWED",
    "Handler",
    "Join",
    "Memo",
    "OnUnwritable",
    "Options",
    "Unsafe",
    "Writer",
    "Writing",
    "to_markdown",
]


@lru_cache(maxsize=32)
def _writer(options: tuple[tuple[str, object, Any], ...]) -> Writer:
    # The type is part of the key, as 1 is equal to True but no value of an option.
    return Writer(**{name: value for name, _, value in options})


def to_markdown(node: Node, **options: Any) -> str:
    r"""Return the Markdown of a tree: in one line end at its end, or ``""`` if there is nothing.

    ``options`` are those of ``Writer``. Raises ``MdastError`` for an unknown option, and for a
    tree that Markdown has no form for unless ``on_unwritable="normalize"``.

    >>> from ujsx.mdast import Heading, Text
    >>> to_markdown(Heading(depth=2, children=[Text("C# *and* more")]))
    '## C# \\*and\\* more\n'
    """
    try:
        writer = _writer(
            tuple([(name, cast("object", type(value)), value) for name, value in options.items()])
        )
    except TypeError:  # a table of handlers cannot be hashed
        writer = Writer(**options)
    return writer.write(node)
