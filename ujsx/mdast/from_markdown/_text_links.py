r"""Autolink literals in text that the tokenizer left as text (GFM).

GitHub's reader looks for them a second time, in the finished text: there it finds ``mailto:`` and
``xmpp:`` addresses, and what stood behind a bracket that was never closed. remark does so too, but
in decoded text, so that no escape keeps ``a\@b.co`` from being a link. Here a link is never made
of characters that were escaped or referenced: a writer can protect its text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence

from ujsx.mdast._nodes import Link, PhrasingContent, Text

from ._characters import UNICODE_WHITESPACE, is_punctuation

Span = tuple[int, int]
"""Where a character stands that was written as an escape or a reference: start and end."""

_URL = re.compile(
    r"(?<![0-9A-Za-z])(https?://|www(?=\.))([A-Za-z0-9_-]*\.[\w.-]*)([^\t\n\r ]*)",
    re.IGNORECASE | re.ASCII,
)
_ADDRESS = r"[\w+.-]++@([\w-]++(?:\.[\w-]++)++)"
_XMPP = re.compile(rf"(?<![\w+.@-])xmpp:{_ADDRESS}(/(?:[\w/-]|\.(?=[0-9A-Za-z]))*+)?", re.ASCII)
_MAILTO = re.compile(rf"(?<![\w+.@-])mailto:{_ADDRESS}", re.ASCII)
_NO_SCHEME = "".join(
    f"(?<!{before}{scheme}:)" for scheme in ("mailto", "xmpp") for before in ("^", "[^0-9@A-Za-z]")
)
_EMAIL = re.compile(rf"(?<![\w+.-]){_NO_SCHEME}{_ADDRESS}", re.ASCII)

_TRAIL = "!\"&'),.:;<>?]}"
"""What is left off a URL's end."""


def link_literals(text: str, decoded: Sequence[Span] = ()) -> list[PhrasingContent]:
    """Return a text as text and links.

    >>> link_literals("see mailto:a@b.co")[1].url
    'mailto:a@b.co'
    """
    pieces: list[tuple[int, str] | Link] = [(0, text)]
    for trigger, pattern, build in _PATTERNS:
        if trigger in text:
            pieces = [
                new
                for piece in pieces
                for new in (
                    [piece] if isinstance(piece, Link) else _split(piece, pattern, build, decoded)
                )
            ]
    return [piece if isinstance(piece, Link) else Text(piece[1]) for piece in pieces]


def may_hold_literal(text: str) -> bool:
    """Return whether ``link_literals`` could find anything."""
    return "@" in text or "://" in text or "ww." in text.lower()


def _split(
    piece: tuple[int, str],
    pattern: re.Pattern[str],
    build: Callable[[re.Match[str]], tuple[Link, int] | None],
    decoded: Sequence[Span],
) -> list[tuple[int, str] | Link]:
    offset, text = piece
    pieces: list[tuple[int, str] | Link] = []
    at = done = 0
    while match := pattern.search(text, at):
        at = match.start() + 1
        found = build(match)
        if found is None:
            continue
        link, end = found
        if _overlaps(decoded, offset + match.start(), offset + end):
            continue
        if match.start() > done:
            pieces.append((offset + done, text[done : match.start()]))
        pieces.append(link)
        at = done = end
    if done < len(text):
        pieces.append((offset + done, text[done:]))
    return pieces


def _overlaps(decoded: Sequence[Span], start: int, end: int) -> bool:
    after = bisect_left(decoded, (end, 0))
    return after > 0 and decoded[after - 1][1] > start


def _url(match: re.Match[str]) -> tuple[Link, int] | None:
    before = match.string[match.start() - 1 : match.start()]
    if before and not (before in UNICODE_WHITESPACE or is_punctuation(before)):
        return None
    protocol, domain, path = match.groups()
    if protocol[0] in "wW":
        domain, protocol, prefix = protocol + domain, "", "http://"
    else:
        prefix = protocol
    if is_punctuation(domain[0]) or not _is_domain(domain):
        return None
    url = _without_trail(domain + path)
    return Link(prefix + url, children=(Text(protocol + url),)), match.start() + len(protocol + url)


def _is_domain(domain: str) -> bool:
    parts = domain.split(".")
    return len(parts) > 1 and all(
        "_" not in part and any(c.isascii() and c.isalnum() for c in part)
        for part in parts[-2:]
        if part
    )


def _without_trail(url: str) -> str:
    """Leave punctuation off the end, but keep parentheses that close one within."""
    kept = url.rstrip(_TRAIL)
    open_count = kept.count("(") - kept.count(")")
    end = len(kept)
    while open_count > 0 and (closing := url.find(")", end)) >= 0:
        end = closing + 1
        open_count -= 1
    return url[:end]


def _address(match: re.Match[str]) -> tuple[Link, int] | None:
    if match[1][-1] in "-_0123456789":
        return None
    prefix = "mailto:" if match.re is _EMAIL else ""
    return Link(prefix + match[0], children=(Text(match[0]),)), match.end()


def _xmpp(match: re.Match[str]) -> tuple[Link, int] | None:
    resource = match[2]
    after = match.string[match.end() : match.end() + 1]
    if resource and (not resource[-1].isalpha() or after == "@"):
        return None
    return _address(match)


_PATTERNS = (
    (".", _URL, _url),
    ("xmpp:", _XMPP, _xmpp),
    ("mailto:", _MAILTO, _address),
    ("@", _EMAIL, _address),
)
