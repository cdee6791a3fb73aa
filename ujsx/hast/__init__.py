"""hast: HTML as a tree. Node classes, JSON in and out, and the text of a page.

Trees are made by the registry's rules ("mdast -> hast", "ujsx -> hast") or by hand. There is no
HTML parser here: who has one that gives hast JSON hands it to ``from_dict``.

>>> from ujsx.hast import Element, Text, to_html
>>> to_html(Element("p", {"title": "a & b"}, (Text("1 < 2"),)))
'<p title="a &amp; b">1 &lt; 2</p>'
"""

from __future__ import annotations

from ujsx.hast._json import from_dict, to_dict
from ujsx.hast._nodes import (
    AnyNode,
    Comment,
    Content,
    Doctype,
    Element,
    PropertyValue,
    Raw,
    Root,
    Text,
)
from ujsx.hast._to_html import to_html
from ujsx.hast._urls import is_safe_url, percent_encoded
from ujsx.on_demand import on_demand

__all__ = [
    "AnyNode",
    "Comment",
    "Content",
    "Doctype",
    "Element",
    "PropertyValue",
    "Raw",
    "Root",
    "Text",
    "from_dict",
    "is_safe_url",
    "percent_encoded",
    "to_dict",
    "to_html",
]

on_demand(globals())
