"""Labels and identifiers: what a reader gives back for them."""

from __future__ import annotations

import re

from ujsx.mdast.to_markdown._inline import FOOTNOTE_LABEL, LABEL
from ujsx.mdast.to_markdown._resources import decode, identifier, label, single_spaced

_NOT_IN_FOOTNOTE_LABEL = re.compile(r"[\s\x00-\x20\x7f\[\]\\^&|`<]+")


def reference_label(key: str, text: str | None) -> tuple[str, str] | None:
    """Return the identifier and label that are read back; ``None`` if none can be written."""
    found = _read_back(key, text)
    # An identifier with escapes in it is a source itself, so that its label may lose its case.
    return None if found is None else _read_back(*found)


def _read_back(key: str, text: str | None) -> tuple[str, str] | None:
    key = single_spaced(key.replace("\0", "\ufffd"))
    sources = [key, label(key)]
    if text is not None:
        sources.insert(0, label(text.replace("\0", "\ufffd")))
    for wanted in (identifier(key), identifier(label(key))):
        for source in sources:
            if LABEL.fullmatch(source) and identifier(source) == wanted:
                return wanted, decode(source)
    return None


def footnote_label(key: str, text: str | None) -> tuple[str, str]:
    """Return the identifier and label that are read back, with ``-`` for what cannot stand."""
    for source in (text, key):
        if source and FOOTNOTE_LABEL.fullmatch(source) and identifier(source) == identifier(key):
            return identifier(source), source
    source = _NOT_IN_FOOTNOTE_LABEL.sub("-", key) or "-"
    return identifier(source), source
