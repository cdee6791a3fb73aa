"""Law 1 on one tree: what is written reads back as the same tree."""

from __future__ import annotations

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
    read = from_markdown(to_markdown(canonical))
    return None if read == canonical else "read back as another tree"
