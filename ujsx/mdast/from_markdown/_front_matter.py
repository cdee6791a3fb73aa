"""Front matter: a block of YAML between ``---`` lines at a document's very start."""

from __future__ import annotations

import re

_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:(.*?)\n)??---[ \t]*(?:\n|\Z)", re.DOTALL)


def match_front_matter(text: str) -> re.Match[str] | None:
    r"""Match front matter at the start of a text; group 1 is its content, ``None`` when empty.

    >>> match_front_matter("---\na: 1\n---\ntext")[1]
    'a: 1'
    """
    return _FRONT_MATTER.match(text)
