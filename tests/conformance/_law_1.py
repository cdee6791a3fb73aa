"""Law 1 on one tree: what is written reads back as the same tree."""

from __future__ import annotations

from ujsx import MdastError
from ujsx.mdast import Root, from_markdown, normalize, to_markdown


def broken(tree: Root) -> str | None:
    """Return how a tree breaks the law, in words; ``None`` if it does not.

    >>> from ujsx.mdast import Paragraph, Text
    >>> broken(Root(children=[Paragraph(children=[Text("1. *a*")])]))
    """
    try:
        return _broken(tree)
    except Exception as error:  # noqa: BLE001  # nothing may be raised, whatever it is
        return f"{type(error).__name__}: {error}"


def _broken(tree: Root) -> str | None:
    canonical = normalize(tree)
    if normalize(canonical) != canonical:
        return "canonical form is not stable"
    written = to_markdown(canonical)
    if from_markdown(written) != canonical:
        return "read back as another tree"
    return (
        None if _as_it_grew(tree) in (None, written) else "written otherwise than in canonical form"
    )


def _as_it_grew(tree: Root) -> str | None:
    """Return the Markdown of a tree that nobody made canonical; ``None`` if it is refused."""
    try:
        return to_markdown(tree)
    except MdastError:
        return None
