"""What HTML shows: its tags and attributes, and its text, where white space is as a page has it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

_WHITE_SPACE = re.compile(r"[ \t\n\r\f]+")
_INDENT = re.compile(r"\n[ \t]+")
_SPACED = frozenset({"pre", "textarea", "script", "style"})
"""Elements whose white space counts."""


def shown(html: str) -> list[str]:
    """Return what a page with this HTML shows, as a list that can be compared.

    >>> shown("<p>a\\nb <br />c</p>\\n") == shown("<p>a b<br>c</p>")
    True
    >>> shown("<pre>a\\nb</pre>") == shown("<pre>a b</pre>")
    False
    """
    page = _Page()
    page.feed(html)
    page.close()
    page.end_text()
    return page.parts


def _in_a_line(text: str) -> str:
    """Return a text as a page shows it."""
    return _WHITE_SPACE.sub(" ", text).strip(" ")


def _in_lines(text: str) -> str:
    """Return a text whose line ends are shown, but not the indents behind them."""
    return _INDENT.sub("\n", text)


_ATTRIBUTES = {"alt": _in_a_line, "title": _in_lines}
"""Attributes that are shown as text, one where there is no picture, one above it."""


def alike_shown(one: str, other: str) -> bool:
    """Return whether two readers show the same of a document, their own attributes aside.

    >>> alike_shown('<pre lang="x">a</pre>', '<pre class="x">a</pre>')
    True
    """
    return _without_attributes(one) == _without_attributes(other)


def _without_attributes(html: str) -> list[str]:
    return [re.sub(r"^(<[a-z][^ ]*) .*", r"\1", part, flags=re.DOTALL) for part in shown(html)]


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._text: list[str] = []
        self._spaced = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.handle_startendtag(tag, attrs)
        self._spaced += tag in _SPACED

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.end_text()
        meant = [(name, _ATTRIBUTES.get(name, str)(value or "")) for name, value in attrs]
        self.parts.append(f"<{tag} {sorted(meant, key=repr)}")

    def handle_endtag(self, tag: str) -> None:
        self.end_text()
        self.parts.append(f"/{tag}")
        self._spaced = max(0, self._spaced - (tag in _SPACED))

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def handle_comment(self, data: str) -> None:
        self.end_text()
        self.parts.append(f"<!--{data}")

    def handle_decl(self, decl: str) -> None:
        self.handle_comment(decl)

    def unknown_decl(self, data: str) -> None:
        self.handle_comment(data)

    def handle_pi(self, data: str) -> None:
        self.handle_comment(data)

    def end_text(self) -> None:
        """Take what has come together as one text."""
        text = "".join(self._text)
        self._text.clear()
        if not self._spaced:
            text = _in_a_line(text)
        if text:
            self.parts.append(text)
