"""The display of a value in a notebook and a terminal: the document that it is, rendered."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ujsx.errors import UjsxError


class Displayed:
    r"""A value that is shown as a document: by notebooks, and by ``rich`` in a terminal.

    A document that cannot be rendered is shown as what is wrong with it, so that a cell of a notebook
    tells of the mistake. All text in it stays text.

    >>> from ujsx.elements import Paragraph, strong
    >>> Paragraph()["Port ", strong("8080")]._repr_markdown_()
    'Port **8080**\n'
    """

    __slots__ = ()

    def _as_document(self) -> Any:
        """Return the node, or the Markdown, that this is shown as."""
        return self

    def _document(self) -> Any:
        """What this is shown as, or why it cannot be told: of a store that is closed, for one."""
        try:
            return self._as_document()
        except UjsxError as error:
            return _why_not(error)

    def _repr_markdown_(self) -> str | None:
        from ujsx.rendering._render import render

        shown = self._document()
        return (shown if isinstance(shown, str) else _made(render, shown)) or None

    def _repr_html_(self) -> str | None:
        if self._repr_markdown_() is None:  # what says nothing may have tags all the same
            return None
        shown = self._document()
        if isinstance(shown, str):
            return _html(shown)
        from ujsx.rendering._render_html import render_html

        return _made(render_html, shown)

    def __rich__(self) -> Any:
        # Whoever calls this has rich: it is no dependency of ours.
        markdown = self._repr_markdown_()
        if markdown is None:
            return import_module("rich.text").Text(repr(self))
        return import_module("rich.markdown").Markdown(markdown)


def _html(markdown: str) -> str:
    from ujsx.hast import to_html
    from ujsx.mdast import from_markdown
    from ujsx.transforms import registry

    return to_html(registry.transform("mdast -> hast", from_markdown(markdown)))


def _made(make: Callable[[Any], str], shown: Any) -> str:
    try:
        return make(shown)
    except UjsxError as error:
        return make(_why_not(error))


def _why_not(error: UjsxError) -> Any:
    from ujsx.elements import CodeBlock

    return CodeBlock(value=f"{type(error).__name__}: {error}")
