"""XML text: a tree in the tags that many prompts are written with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, cast

from ujsx import elements
from ujsx.components._component import Component
from ujsx.components._element import Element
from ujsx.components._fragment import Fragment
from ujsx.errors import TargetError, shown
from ujsx.targets._xml_text import attribute_text, content_text, element_name, is_name
from ujsx.text._hidden import joined

CONTENT: dict[type[Component], str] = {
    elements.InlineCode: "value",
    elements.CodeBlock: "value",
    elements.Html: "value",
    elements.FrontMatter: "value",
    elements.TrustedMarkdown: "source",
}
"""Primitives with a prop that is their content: it stands between the tags."""

UNWRITTEN: dict[type[Component], set[str]] = {elements.Omitted: {"ids"}}
"""Props that are no part of what is shown: a mark for what is left out costs less than what is."""

KEY = "key"


@dataclass(slots=True)
class XmlPart:
    """An element under construction: its parts are texts, escaped already, and elements."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    parts: list[XmlPart | str] = field(default_factory=list["XmlPart | str"])


class XmlTarget:
    """Folds a tree into XML text (XML 1.0, fifth edition), well-formed for any tree.

    Elements are named after classes, in snake case, so that no text can open or close one; ``<``,
    ``>``, ``&`` and quotes are written as references. A prop that has its default is left out; a
    string, number or boolean is an attribute, anything else an element of the prop's name before
    the children, with ``<item>`` and ``<entry name="…">`` in it. Where an element holds text,
    nothing is added to it; where it holds elements alone, each has a line of its own.

    What a text hides, and what XML has no form for, is in forms that are seen, as in Markdown:
    ``␀`` for U+0000, ``⟦U+200B⟧`` for a space without width. All other text is read back as it was.

    :param root: the name of the element around several roots, or a text alone.
    :param indent: spaces by which elements are indented; with ``None`` all stand in one line.
    :raises TargetError: for a root that is no name, and an indent that is no number of spaces.

    >>> from ujsx import fold
    >>> from ujsx.elements import Section, strong
    >>> print(fold(Section(title="Notes")["a < b, ", strong("</section>")], XmlTarget()))
    <section title="Notes">a &lt; b, <strong>&lt;/section&gt;</strong></section>
    """

    def __init__(self, *, root: str = "fragment", indent: int | None = 2) -> None:
        if not is_name(root):
            raise TargetError(
                f"{shown(root)} is no name for an element; take letters, digits, _ . and -, "
                "a letter first"
            )
        spaces: object = indent
        if spaces is not None and (type(spaces) is not int or spaces < 0):
            raise TargetError(f"an indent is a number of spaces, or None, not {shown(spaces)}")
        self._root = root
        self._indent = indent

    def create_instance(self, element: Element) -> XmlPart:
        """Return the element of a primitive, with its props."""
        component = element.component
        cls = type(component)
        is_group = isinstance(component, Fragment)
        part = XmlPart(self._root if is_group else element_name(cls.__name__))
        if element.key is not None:
            name = f"_{KEY}" if KEY in cls.model_fields else KEY
            part.attributes[name] = attribute_text(element.key)
        content = CONTENT.get(cls)
        unwritten = UNWRITTEN.get(cls)
        props = component.model_dump(mode="json", exclude_defaults=True, exclude=unwritten)
        for name, value in props.items():
            if name == content:
                part.parts.append(content_text(value))
            else:
                _add(part, element_name(name), value)
        return part

    def create_text(self, text: str) -> XmlPart:
        """Return a text: an element without a name, which gives way to its content."""
        return XmlPart("", parts=[content_text(text)])

    def append(self, parent: XmlPart, child: XmlPart) -> None:
        """Put a child behind what its parent holds."""
        if child.name:
            parent.parts.append(child)
        else:
            parent.parts += child.parts

    def finish(self, root: XmlPart) -> str:
        """Return the text of the whole, without a line end."""
        if not root.name:
            root.name = self._root
        if self._indent is None:
            return "".join(_inline(root))
        return "\n".join(_lines(root, " " * self._indent))


def _add(part: XmlPart, name: str, value: Any) -> None:
    """Add a value under a name: as an attribute if it is a scalar, else as an element."""
    if isinstance(value, str):
        part.attributes[name] = attribute_text(value)
    elif isinstance(value, bool):
        part.attributes[name] = "true" if value else "false"
    elif isinstance(value, int | float):
        part.attributes[name] = repr(value)
    else:
        part.parts.append(_filled(XmlPart(name), value))


def _filled(part: XmlPart, value: Any) -> XmlPart:
    """Put a value between an element's tags; nothing stands for null."""
    if isinstance(value, list):
        part.parts += [_filled(XmlPart("item"), each) for each in value]  # pyright: ignore[reportUnknownVariableType]
    elif isinstance(value, dict):
        for name, each in value.items():  # pyright: ignore[reportUnknownVariableType]
            entry = XmlPart("entry", {"name": attribute_text(str(name))})  # pyright: ignore[reportUnknownArgumentType]
            part.parts.append(_filled(entry, each))
    elif isinstance(value, bool):
        part.parts.append("true" if value else "false")
    elif value is not None:
        part.parts.append(content_text(str(value)))
    return part


def _opening(part: XmlPart) -> str:
    attributes = "".join(f' {name}="{value}"' for name, value in part.attributes.items())
    return f"<{part.name}{attributes}" + (">" if part.parts else "/>")


def _inline(part: XmlPart) -> Iterator[str]:
    yield _opening(part)
    for is_text, parts in groupby(part.parts, lambda each: isinstance(each, str)):
        if is_text:
            yield joined(cast("list[str]", list(parts)))
        else:
            for each in cast("Iterator[XmlPart]", parts):
                yield from _inline(each)
    if part.parts:
        yield f"</{part.name}>"


def _lines(part: XmlPart, indent: str) -> Iterator[str]:
    inner = [each for each in part.parts if isinstance(each, XmlPart)]
    if not inner or len(inner) < len(part.parts):
        yield "".join(_inline(part))
        return
    yield _opening(part)
    for each in inner:
        for line in _lines(each, indent):
            yield f"{indent}{line}"
    yield f"</{part.name}>"
