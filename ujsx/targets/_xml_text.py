"""Names and texts, fit for XML 1.0 (fifth edition)."""

from __future__ import annotations

import re

from ujsx.text._hidden import escaped

_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NO_NAME_CHARACTER = re.compile(r"[^A-Za-z0-9_]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")

_CONTENT: dict[int, str] = {
    ord("&"): "&amp;",
    ord("<"): "&lt;",
    ord(">"): "&gt;",
    ord("\r"): "&#13;",
}
"""A carriage return as it is would be read as a line feed (section 2.11)."""

_ATTRIBUTE: dict[int, str] = {**_CONTENT, ord('"'): "&quot;", ord("\t"): "&#9;", ord("\n"): "&#10;"}
"""White space as it is would be read as spaces (section 3.3.3)."""


def content_text(text: str) -> str:
    r"""Return a text as it stands between tags, with what it hides in forms that are seen.

    What XML cannot hold, not even as a reference (section 2.2), is among that.

    >>> content_text("a < b\x00")
    'a &lt; b␀'
    """
    return xml_references(escaped(text))


def xml_references(text: str) -> str:
    """Return a text in which no character can open or close a tag, and nothing else is changed.

    >>> xml_references("a < b & </goal>")
    'a &lt; b &amp; &lt;/goal&gt;'
    """
    return text.translate(_CONTENT)


def attribute_text(text: str) -> str:
    r"""Return a text as it stands between an attribute's quotes.

    >>> attribute_text('say "hi"\n')
    'say &quot;hi&quot;&#10;'
    """
    return escaped(text).translate(_ATTRIBUTE)


def element_name(name: str) -> str:
    """Return the name of a class or a field in snake case.

    A character that not every parser takes for a letter is written as its number.

    >>> element_name("DecisionsList"), element_name("HTMLBlock"), element_name("Größe")
    ('decisions_list', 'html_block', 'gr_xf6__xdf_e')
    """
    snake = _WORD_START.sub("_", name).lower()
    return _NO_NAME_CHARACTER.sub(lambda match: f"_x{ord(match[0]):x}_", snake)


def is_name(text: object) -> bool:
    """Tell whether a text is a name of plain letters that any parser takes."""
    return isinstance(text, str) and _NAME.fullmatch(text) is not None
