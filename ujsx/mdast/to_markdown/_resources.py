"""The resources of links: destinations, titles, labels (CommonMark 4.7, 6.3)."""

from __future__ import annotations

import re
from html import unescape

from ._characters import ASCII_PUNCTUATION, reference

_PLAIN = re.compile(r"[^\x00-\x20\x7f<>()\\&]+")
_NEEDS_BRACKETS = re.compile(r"[\x00-\x20\x7f]|\Z(?<!.)", re.DOTALL)
_BACKSLASH = r"\\(?=[!-/:-@\[-`{-~\n\r]|\Z)"
_REFERENCE = r"&(?=#?[0-9A-Za-z]{1,31};)"
_RAW_UNSAFE = re.compile(rf"{_BACKSLASH}|{_REFERENCE}|\A<")
_RAW_UNSAFE_PARENTHESES = re.compile(rf"{_BACKSLASH}|{_REFERENCE}|\A<|[()]")
_BRACKETED_UNSAFE = re.compile(rf"{_BACKSLASH}|{_REFERENCE}|[<>\n\r]")
_TITLE_UNSAFE = {
    quote: re.compile(rf"{_BACKSLASH}|{_REFERENCE}|[\n\r{quote}]") for quote in ('"', "'")
}
_LABEL_UNSAFE = re.compile(rf"{_BACKSLASH}|{_REFERENCE}|[\[\]]|\A\^")
_LABEL_SPACES = re.compile(r"[ \t\r\n]+")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])|&#?[0-9A-Za-z]{1,31};")
_PARENTHESES = re.compile(r"[()]")

MAX_PARENTHESES = 32
"""How deep parentheses may nest in a destination without brackets (CommonMark 6.3)."""


def destination(url: str) -> str:
    """Return a URL as a link's destination.

    >>> destination("a b"), destination("/wiki/A_(b)"), destination("")
    ('<a b>', '/wiki/A_(b)', '<>')
    """
    if _PLAIN.fullmatch(url):
        return url
    if not url or _NEEDS_BRACKETS.search(url):
        return f"<{_BRACKETED_UNSAFE.sub(_escaped, url)}>"
    unsafe = _RAW_UNSAFE if _balanced(url) else _RAW_UNSAFE_PARENTHESES
    return unsafe.sub(_escaped, url)


def title(text: str, quote: str) -> str:
    r"""Return a title within its quotes.

    >>> title('the "best"', '"')
    '"the \\"best\\""'
    """
    # cmark-gfm takes the quote after a backslash for an escaped one, even if the backslash is.
    last = reference("\\") if text.endswith("\\") else ""
    body = _TITLE_UNSAFE[quote].sub(_escaped, text[:-1] if last else text)
    return f"{quote}{body}{last}{quote}"


def resource(url: str, text: str | None, quote: str) -> str:
    """Return what follows a link's brackets, parentheses included."""
    if text is None:
        return "()" if url == "" else f"({destination(url)})"
    return f"({destination(url)} {title(text, quote)})"


def label(text: str) -> str:
    """Return a reference's label, without its brackets."""
    return _LABEL_UNSAFE.sub(r"\\\g<0>", single_spaced(text))


def single_spaced(text: str) -> str:
    """Return a label with single spaces for white space, and none at its edges."""
    return _LABEL_SPACES.sub(" ", text).strip(" ")


def identifier(source: str) -> str:
    """Return the identifier that a label stands for (CommonMark 4.7, "matches")."""
    return single_spaced(source).lower().upper().lower()


def decode(source: str) -> str:
    """Return what a label's source stands for: backslash escapes and references resolved."""
    return _ESCAPE.sub(lambda match: match[1] or unescape(match[0]), source)


def _balanced(url: str) -> bool:
    depth = 0
    for parenthesis in _PARENTHESES.findall(url):
        depth += 1 if parenthesis == "(" else -1
        if not 0 <= depth <= MAX_PARENTHESES:
            return False
    return depth == 0


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if character == "&":
        return "&amp;"  # cmark resolves references before escapes, outside of text
    return f"\\{character}" if character in ASCII_PUNCTUATION else reference(character)
