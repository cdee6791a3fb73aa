"""Properties of an element become attributes of its tag."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, cast

from ujsx.errors import HastError, shown
from ujsx.hast._nodes import Element
from ujsx.hast._urls import URL_ATTRIBUTES, is_safe_url

_NAMED_APART: Final = {
    "acceptCharset": "accept-charset",
    "className": "class",
    "htmlFor": "for",
    "httpEquiv": "http-equiv",
    "xLinkHref": "xlink:href",
}
"""Properties whose attribute has another name than their own in lower case."""

_COMMA_SEPARATED: Final = frozenset({"accept", "coords", "sizes", "srcset"})

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]*")
_CAPITAL = re.compile("[A-Z]")


def attribute_name(property_name: str) -> str:
    """Return the attribute that a property is written as.

    :raises HastError: for a name that could end the tag or begin another attribute.

    >>> [attribute_name(name) for name in ("className", "colSpan", "ariaLabel", "dataFootnoteRef")]
    ['class', 'colspan', 'aria-label', 'data-footnote-ref']
    """
    if not _NAME.fullmatch(property_name):
        raise HastError(
            f"{shown(property_name)} cannot be an attribute's name; "
            "a name has letters, digits, hyphens, dots and colons"
        )
    if property_name in _NAMED_APART:
        return _NAMED_APART[property_name]
    if re.match("aria[A-Z]", property_name):
        return f"aria-{property_name[4:].lower()}"
    if re.match("data[A-Z]", property_name):
        return _CAPITAL.sub(lambda capital: f"-{capital[0].lower()}", property_name)
    return property_name.lower()


def attributes(element: Element, *, allow_dangerous_urls: bool) -> Iterator[tuple[str, str]]:
    """Yield an element's attributes, names and values not yet escaped, in their order.

    Two properties of one attribute are one; a browser, too, takes the first.

    :raises HastError: for a name that cannot be one.
    """
    written: set[str] = set()
    for property_name, value in element.properties.items():
        name = attribute_name(property_name)
        text = _value(name, value)
        if text is None or name in written:
            continue
        if name in URL_ATTRIBUTES and not allow_dangerous_urls:
            picture = name == "src" and element.tag_name.lower() == "img"
            if not is_safe_url(text, picture=picture):
                continue
        written.add(name)
        yield name, text


def _value(name: str, value: Any) -> str | None:
    if value is None or value is False:
        return None
    if value is True:
        return ""
    if isinstance(value, tuple | list):
        words = map(str, cast("tuple[object, ...]", value))
        return (", " if name in _COMMA_SEPARATED else " ").join(words)
    return str(value)
