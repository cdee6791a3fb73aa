"""hast: HTML as a tree. Node classes, JSON in and out, and the text of a page.

Trees are created by the registry's rules ("mdast -> hast", "ujsx -> hast") or by hand. There is no HTML parser: pass
another parser's hast JSON to ``from_dict``.

>>> from ujsx.hast import Element, Text, to_html
>>> to_html(Element("p", {"title": "a & b"}, (Text("1 < 2"),)))
'<p title="a &amp; b">1 &lt; 2</p>'
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, TypeAlias, cast

import msgspec

from ujsx.errors import HastError, did_you_mean, shown
from ujsx.mdast import Node, Parent
from ujsx.on_demand import on_demand

__all__ = [
    "Comment",
    "Doctype",
    "Element",
    "Raw",
    "Root",
    "Text",
    "from_dict",
    "to_dict",
    "to_html",
]

on_demand(globals())


# The hast node classes: an abstract syntax tree of HTML.
#
# Names and fields are those of hast (https://github.com/syntax-tree/hast), and ``Raw`` that of mdast-util-to-hast;
# ``tag_name`` is ``tagName`` in JSON. Like nodes of :mod:`ujsx.mdast`, they are frozen structs, compared by value, with
# ``children`` as a tuple, and ``position`` and ``data`` by keyword.

PropertyValue: TypeAlias = str | int | float | bool | tuple[str | int | float, ...] | None
"""The value of an element's property. ``True`` is an attribute without a value, ``False`` and ``None`` mean no
attribute, a tuple is a list of words.
"""


class Text(Node, frozen=True):
    """Literal text."""

    value: str


class Comment(Node, frozen=True):
    """A comment, visible in the source only."""

    value: str


class Doctype(Node, frozen=True):
    """``<!doctype html>``."""


class Raw(Node, frozen=True):
    """Unparsed HTML."""

    value: str


class Element(Parent, frozen=True):
    """An element; ``properties`` have their DOM names (``className``, ``dataFoot``).

    >>> Element("a", {"href": "/"}, (Text("home"),))
    Element(tag_name='a', properties={'href': '/'}, children=(Text(value='home'),))
    """

    tag_name: str
    properties: dict[str, PropertyValue] = {}  # noqa: RUF012 - msgspec gives each its own
    children: tuple[Content, ...] = ()

    def __hash__(self) -> int:
        # a dict has no hash; equal elements have equal children and so equal hashes
        return hash((self.tag_name, self.children))


class Root(Parent, frozen=True):
    """A document, or a part of one."""

    children: tuple[Content, ...] = ()


Content: TypeAlias = Text | Element | Comment | Doctype | Raw
"""The children of a root; without the doctype, those of an element."""

AnyNode: TypeAlias = Root | Content
"""Every node kind."""


# URLs: their form in an attribute, and which of them may be followed.

URL_ATTRIBUTES: Final = frozenset(
    {"action", "background", "cite", "data", "formaction", "href", "longdesc", "poster", "src",
     "xlink:href"}
)  # fmt: skip
"""Attributes whose value a browser fetches or navigates to, by their HTML names."""

UNSAFE_SCHEMES: Final = frozenset({"data", "file", "javascript", "vbscript"})
"""Schemes that run code, or access the reader's files: those that cmark refuses."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_IGNORED_BY_BROWSERS = re.compile(r"^[\x00-\x20]+|[\t\n\r]")
_PICTURE = re.compile(r"data:image/(?:png|gif|jpeg|webp)[;,]", re.IGNORECASE)

_ENCODED = re.compile(r"[^A-Za-z0-9!#$%&'()*+,./:;=?@_~-]|%(?![0-9A-Fa-f]{2})")
_SURROGATE = re.compile("[\ud800-\udfff]")


def percent_encoded(url: str) -> str:
    """Return a URL as in the CommonMark specification's examples.

    Characters not allowed in a URL become the ``%XX`` of their UTF-8 bytes. Existing escapes stay; any other percent
    sign is escaped.

    >>> percent_encoded("/a b?q=ä&r=100%&s=%20")
    '/a%20b?q=%C3%A4&r=100%25&s=%20'
    """
    return _ENCODED.sub(_bytes_of, url)


def _bytes_of(found: re.Match[str]) -> str:
    character = _SURROGATE.sub("\ufffd", found[0])
    return "".join(f"%{byte:02X}" for byte in character.encode())


def is_safe_url(url: str, *, picture: bool = False) -> bool:
    r"""Tell whether a URL may be followed: it has no scheme, or none of the unsafe ones.

    The scheme is read as in a browser, which skips tabs, line ends and leading control characters. With ``picture``,
    for an image's URL, PNG, GIF, JPEG and WebP may be data.

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


# The properties of an element, as attributes of its tag.

_NAMED_APART: Final = {
    "acceptCharset": "accept-charset",
    "className": "class",
    "htmlFor": "for",
    "httpEquiv": "http-equiv",
    "xLinkHref": "xlink:href",
}
"""Properties whose attribute is not their name in lower case."""

_COMMA_SEPARATED: Final = frozenset({"accept", "coords", "sizes", "srcset"})

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]*")
_CAPITAL = re.compile("[A-Z]")


def attribute_name(property_name: str) -> str:
    """Return the attribute name of a property.

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

    Of two properties with the same attribute, the first is used, as in browsers.

    :raises HastError: for an invalid name.
    """
    written: set[str] = set()
    for property_name, value in element.properties.items():
        name = attribute_name(property_name)
        text = _value(name, value)
        if text is None or name in written:
            continue
        is_followed = name in URL_ATTRIBUTES and not allow_dangerous_urls
        picture = name == "src" and element.tag_name.lower() == "img"
        if is_followed and not is_safe_url(text, picture=picture):
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


# hast trees as JSON data, field for field as the hast specification has it.

MAX_DEPTH: Final = 200
"""The maximum levels of nodes, read and written. A tree from Markdown has fewer: at most 150 nested containers, plus
three for a table or a code block in the last.
"""

_LITERALS: Final[dict[str, type[Text | Comment | Raw]]] = {
    "text": Text,
    "comment": Comment,
    "raw": Raw,
}
_KINDS: Final = ("root", "element", "doctype", *_LITERALS)


def to_dict(node: AnyNode) -> dict[str, Any]:
    """Return a tree as JSON data; ``position`` and ``data`` only if set.

    :raises HastError: when the tree is nested more than ``MAX_DEPTH`` levels deep.

    >>> to_dict(Element("ol", {"start": 2, "className": ("a", "b")}))["properties"]
    {'start': 2, 'className': ['a', 'b']}
    """
    return _to_dict(node, "$", 0)


def _to_dict(node: AnyNode, path: str, depth: int) -> dict[str, Any]:
    _check_depth(path, depth)
    result: dict[str, Any] = {"type": node.__struct_config__.tag}
    if isinstance(node, Text | Comment | Raw):
        result["value"] = node.value
    if isinstance(node, Element):
        result["tagName"] = node.tag_name
        result["properties"] = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in node.properties.items()
        }
    if isinstance(node, Root | Element):
        result["children"] = [
            _to_dict(child, f"{path}.children[{index}]", depth + 1)
            for index, child in enumerate(node.children)
        ]
    if node.data is not None:
        result["data"] = node.data
    if node.position is not None:
        result["position"] = msgspec.to_builtins(node.position)
    return result


def from_dict(data: Any) -> AnyNode:
    """Return the tree of JSON data; fields unknown to hast are ignored.

    :raises HastError: with the place (``$.children[0].value``) for an unknown or misplaced node type, a missing field
        or one of a wrong type, and data nested more than ``MAX_DEPTH`` levels deep.

    >>> from_dict({"type": "element", "tagName": "hr"})
    Element(tag_name='hr')
    >>> from_dict({"type": "elment"})
    Traceback (most recent call last):
        ...
    ujsx.errors.HastError: $.type: there is no node type 'elment'; did you mean "element"?
    """
    return _from_dict(data, "$", 0)


def _from_dict(data: Any, path: str, depth: int) -> AnyNode:
    _check_depth(path, depth)
    if not isinstance(data, dict):
        raise HastError(f'a node is an object with a "type", not {shown(data)}', path=path)
    fields = cast("dict[str, Any]", data)
    kind = fields.get("type")
    if kind not in _KINDS:
        hint = did_you_mean(str(kind), _KINDS)
        raise HastError(f"there is no node type {shown(kind)}; {hint}", path=f"{path}.type")
    if depth and kind == "root":
        raise HastError("a root is the top of a tree; it cannot be inside one", path=path)
    extra: Any = {"data": fields.get("data")}
    if kind in _LITERALS:
        return _LITERALS[kind](_text(fields, "value", path), **extra)
    if kind == "doctype":
        return Doctype(**extra)
    children: Any = tuple(
        _from_dict(child, f"{path}.children[{index}]", depth + 1)
        for index, child in enumerate(_of(list, fields.get("children") or [], f"{path}.children"))
    )
    if kind == "root":
        return Root(children, **extra)
    return Element(_text(fields, "tagName", path), _properties(fields, path), children, **extra)


def _properties(fields: dict[str, Any], path: str) -> dict[str, PropertyValue]:
    given = _of(dict, fields.get("properties") or {}, f"{path}.properties")
    properties: dict[str, PropertyValue] = {}
    for name, value in given.items():
        is_list = isinstance(value, list | tuple)
        words = tuple(cast("list[Any]", value)) if is_list else (value,)
        if not all(isinstance(word, str | int | float | None) for word in words):
            place = f"{path}.properties.{name}"
            raise HastError(
                f"a property is text, a number, a boolean, or a list of words, not {shown(value)}",
                path=place,
            )
        properties[str(name)] = words if is_list else value
    return properties


def _text(fields: dict[str, Any], name: str, path: str) -> str:
    text: str = _of(str, fields.get(name), f"{path}.{name}")
    return text


_IN_JSON: Final[dict[type, str]] = {str: "a text", list: "a list", dict: "an object"}


def _of(kind: type, value: Any, path: str) -> Any:
    if not isinstance(value, kind):
        raise HastError(f"{_IN_JSON[kind]} is expected, not {shown(value)}", path=path)
    return value


def _check_depth(path: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise HastError(f"nested more than {MAX_DEPTH} levels deep; flatten the tree", path=path)


# The text of a tree: text stays text, whatever characters it contains.

_ESCAPES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
"""Characters that could end a text or an attribute's value. Others to escape become U+FFFD: HTML cannot represent NUL,
and no file half a surrogate pair.
"""

_NEEDS_ESCAPE = re.compile('[&<>"\0\ud800-\udfff]')

VOID: Final = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param",
     "source", "track", "wbr"}
)  # fmt: skip
"""Elements without content or end tag (HTML, 13.1.2)."""

UNESCAPED: Final = frozenset(
    {"iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "xmp"}
)
"""Elements in which browsers read no references, so that their content cannot be escaped."""

_DROPS_LINE_END: Final = frozenset({"listing", "pre", "textarea"})
"""Elements in which browsers drop a leading line end."""

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

    Text and attribute values are escaped; no text can become a tag or an attribute. The tree's elements and attributes
    are written unchanged: an untrusted tree is not sanitized.

    :param allow_dangerous_html: write ``Raw`` unchanged, and elements whose content cannot be escaped (``script``,
        ``style`` …). Otherwise ``Raw`` is shown as text, and those elements are omitted.
    :param tag_filter: in written ``Raw``, show as text the tags that GFM disallows (``script``, ``iframe``, ``title``
        …; GFM specification 0.29, 6.11).
    :param allow_dangerous_urls: write URLs of every scheme. Otherwise attributes with ``javascript:``, ``vbscript:``,
        ``file:`` or ``data:`` are omitted; an image may be data.
    :param close_self_closing: write ``<br />`` instead of ``<br>``.
    :raises HastError: for a value that is not a hast node, an invalid tag or attribute name, content that would close
        its own element, and a tree nested more than 200 levels deep; with the path of the element.

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
                raise HastError(f"{kind} is not a hast node; registry.transform makes one of it")

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
    """Return text escaped for the place between tags, or between the quotes of an attribute.

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
