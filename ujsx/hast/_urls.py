"""URLs: how they are written in an attribute, and which may be followed."""

from __future__ import annotations

import re
from typing import Final

URL_ATTRIBUTES: Final = frozenset(
    {"action", "background", "cite", "data", "formaction", "href", "longdesc", "poster", "src",
     "xlink:href"}
)  # fmt: skip
"""Attributes whose value a browser fetches or goes to, by their names in HTML."""

UNSAFE_SCHEMES: Final = frozenset({"data", "file", "javascript", "vbscript"})
"""Schemes that run code, or reach into the reader's own files: those that cmark refuses."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_IGNORED_BY_BROWSERS = re.compile(r"^[\x00-\x20]+|[\t\n\r]")
_PICTURE = re.compile(r"data:image/(?:png|gif|jpeg|webp)[;,]", re.IGNORECASE)

_ENCODED = re.compile(r"[^A-Za-z0-9!#$%&'()*+,./:;=?@_~-]|%(?![0-9A-Fa-f]{2})")
_SURROGATE = re.compile("[\ud800-\udfff]")


def percent_encoded(url: str) -> str:
    """Return a URL as the CommonMark specification's examples write it.

    What cannot stand in a URL becomes the ``%XX`` of its bytes in UTF-8. Escapes that are there
    already stay, a percent sign that begins none becomes one.

    >>> percent_encoded("/a b?q=ä&r=100%&s=%20")
    '/a%20b?q=%C3%A4&r=100%25&s=%20'
    """
    return _ENCODED.sub(_bytes_of, url)


def _bytes_of(found: re.Match[str]) -> str:
    character = _SURROGATE.sub("\ufffd", found[0])
    return "".join(f"%{byte:02X}" for byte in character.encode())


def is_safe_url(url: str, *, picture: bool = False) -> bool:
    r"""Tell whether a URL may be followed: it has no scheme, or none of the unsafe ones.

    The scheme is read as a browser reads it, which skips tabs and line ends and what stands in
    front. ``picture`` says that the URL is an image's: PNG, GIF, JPEG and WebP may then be data.

    >>> is_safe_url("https://a.co"), is_safe_url("/a:b"), is_safe_url(" Java\nScript:alert(1)")
    (True, True, False)
    >>> is_safe_url("data:image/png;base64,aa", picture=True)
    True
    """
    read = _IGNORED_BY_BROWSERS.sub("", url)
    scheme = _SCHEME.match(read)
    if scheme is None or scheme[1].lower() not in UNSAFE_SCHEMES:
        return True
    return picture and _PICTURE.match(read) is not None
