"""The text of a tree: what is text stays text, whatever characters it holds."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from ujsx.errors import HastError, shown
from ujsx.hast._attributes import attributes
from ujsx.hast._json import MAX_DEPTH
from ujsx.hast._nodes import AnyNode, Comment, Doctype, Element, Raw, Root, Text

_ESCAPES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
"""Characters that could end a text or an attribute's value. What is not here becomes U+FFFD: HTML
has no way to say NUL, and no file can hold half a surrogate pair."""

_NEEDS_ESCAPE = re.compile('[&<>"\0\ud800-\udfff]')

VOID: Final = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param",
     "source", "track", "wbr"}
)  # fmt: skip
"""Elements without content or end tag (HTML, 13.1.2)."""

UNESCAPED: Final = frozenset(
    {"iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "xmp"}
)
"""Elements in which a browser reads no references, so that nothing in them can be escaped."""

_DROPS_LINE_END: Final = frozenset({"listing", "pre", "textarea"})
"""Elements in which a browser drops a line end that comes first."""

_TAG_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._:-]*")
_FILTERED_TAG = re.compile(
    r"<(?=/?(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext)(?:[\s/>]|\Z))",
    re.IGNORECASE,
)


def to_html(
    node: AnyNode,
    *,
    allow_dangerous_html: bool = False,
    tag_filter: bool = False,
    allow_dangerous_urls: bool = False,
    close_self_closing: bool = False,
) -> str:
    """Return a tree as HTML.

    Text and attribute values are escaped; no text can become a tag or an attribute. Elements and
    attributes are the tree's, and are written as they are: a tree from outside is not cleaned of
    them.

    :param allow_dangerous_html: write ``Raw`` as it is, and elements whose content cannot be
        escaped (``script``, ``style`` …). Otherwise ``Raw`` is shown as text, and those elements
        are left out.
    :param tag_filter: of ``Raw`` that is written, show the tags as text that GFM disallows
        (``script``, ``iframe``, ``title`` …; GFM specification 0.29, 6.11).
    :param allow_dangerous_urls: write URLs of every scheme. Otherwise an attribute with
        ``javascript:``, ``vbscript:``, ``file:`` or ``data:`` is left out; an image may be data.
    :param close_self_closing: write ``<br />`` instead of ``<br>``.
    :raises HastError: for what is no hast node, a name that cannot be a tag's or an attribute's,
        content that would close its own element, and a tree nested more than 200 levels deep;
        with the path of the element.

    >>> to_html(Element("p", {}, (Text("a"), Element("br"), Raw("<b>"))))
    '<p>a<br>&lt;b&gt;</p>'
    >>> to_html(Element("a", {"href": "javascript:alert(1)"}, (Text("x"),)))
    '<a>x</a>'
    """
    writer = _Writer(
        allow_dangerous_html, tag_filter, allow_dangerous_urls, " />" if close_self_closing else ">"
    )
    writer.write(node, 0)
    return "".join(writer.out)


class _Writer(msgspec.Struct):
    allow_dangerous_html: bool
    tag_filter: bool
    allow_dangerous_urls: bool
    void_end: str
    out: list[str] = []

    def write(self, node: AnyNode, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise HastError(f"nested more than {MAX_DEPTH} levels deep; flatten the tree")
        match node:
            case Text():
                self.out.append(escaped(node.value))
            case Element():
                try:
                    self.element(node, depth)
                except HastError as error:
                    error.within(node.tag_name)
                    raise
            case Root():
                for child in node.children:
                    self.write(child, depth + 1)
            case Raw():
                self.out.append(self.raw(node.value))
            case Comment():
                # nothing ends a comment without this sign, and nothing can be escaped in it
                self.out.append(f"<!--{node.value.replace('>', '&gt;')}-->")
            case Doctype():
                self.out.append("<!doctype html>")
            case _:
                kind = f"{type(node).__module__}.{type(node).__name__}"
                raise HastError(f"{kind} is no hast node; registry.transform makes one of it")

    def element(self, node: Element, depth: int) -> None:
        name = node.tag_name
        if not _TAG_NAME.fullmatch(name):
            raise HastError(f"{shown(name)} cannot be a tag's name; use letters, digits, hyphens")
        lower = name.lower()
        if lower in UNESCAPED and not self.allow_dangerous_html:
            return
        given = attributes(node, allow_dangerous_urls=self.allow_dangerous_urls)
        tag = "".join(f' {key}="{escaped(value)}"' for key, value in given)
        if lower in VOID:
            self.out.append(f"<{name}{tag}{self.void_end}")
            return
        self.out.append(f"<{name}{tag}>")
        if lower in UNESCAPED:
            self.out.append(_unescaped_content(node, lower))
        else:
            if lower in _DROPS_LINE_END and _begins_with_line_end(node):
                self.out.append("\n")
            for child in node.children:
                self.write(child, depth + 1)
        self.out.append(f"</{name}>")

    def raw(self, html: str) -> str:
        if not self.allow_dangerous_html:
            return escaped(html)
        return _FILTERED_TAG.sub("&lt;", html) if self.tag_filter else html


def escaped(text: str) -> str:
    """Return text as it stands between tags, and between the quotes of an attribute.

    >>> escaped('<a title="&">')
    '&lt;a title=&quot;&amp;&quot;&gt;'
    """
    return _NEEDS_ESCAPE.sub(lambda found: _ESCAPES.get(found[0], "\ufffd"), text)


def _unescaped_content(node: Element, name: str) -> str:
    children: Any = node.children
    if not all(isinstance(child, Text | Raw) for child in children):
        raise HastError("holds text and nothing else; put elements beside it")
    content = "".join(child.value for child in children)
    if re.search(f"</{name}|<!--", content, re.IGNORECASE):
        raise HastError(f'its text may not contain "</{name}" or "<!--": that could end it early')
    return content


def _begins_with_line_end(node: Element) -> bool:
    first = node.children[0] if node.children else None
    return isinstance(first, Text) and first.value.startswith("\n")
