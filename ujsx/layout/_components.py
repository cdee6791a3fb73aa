"""From a tag to its component: looked up in the vocabulary, its props validated."""

from __future__ import annotations

from collections.abc import Iterable

from ujsx.components._component import Component
from ujsx.components._fragment import Fragment
from ujsx.components._vocabulary import ComponentClass, Vocabulary
from ujsx.elements import (
    Emphasis,
    Heading,
    Link,
    LinkReference,
    Paragraph,
    Strikethrough,
    Strong,
    TableCell,
    TrustedMarkdown,
)
from ujsx.errors import PropError, did_you_mean, nearest, shown
from ujsx.layout._faults import layout_error
from ujsx.layout._origins import Origin
from ujsx.layout._tags import Attribute, Tag, short
from ujsx.mdast.from_markdown._source import Source

KEY = "key"
"""The attribute that is no prop: what names an element among its siblings."""

_LINES = (
    Paragraph,
    Heading,
    TableCell,
    Strong,
    Emphasis,
    Strikethrough,
    Link,
    LinkReference,
)
"""Primitives whose content is a line: a paragraph between their tags is that line."""


def takes_a_line(component: Component) -> bool:
    """Return whether a component's content is a line, not blocks."""
    return isinstance(component, _LINES)


class ComponentMaker:
    """Makes the components of one layout.

    :raises LayoutError: for a name that the vocabulary does not have, and for a prop that is
        unknown, missing or does not fit, at its place.
    """

    def __init__(
        self, vocabulary: Vocabulary | Iterable[ComponentClass] | None, source: Source
    ) -> None:
        known = Vocabulary.of(vocabulary)
        self._vocabulary = Vocabulary(
            *(each for each in known.values() if not issubclass(each, TrustedMarkdown))
        )
        self._source = source

    def __call__(self, tag: Tag, origin: Origin) -> tuple[Component, str | None]:
        """Return the component of an opening tag, and its key if it has one."""
        cls = self._class(tag, origin)
        props = {each.name: each for each in tag.attributes}
        key = None if KEY in cls.model_fields else props.pop(KEY, None)
        if key is not None and not isinstance(key.value, str):
            message = f"a key is a string, not {shown(key.value)}"
            raise layout_error(self._source, message, origin.offset(key.value_at))
        try:
            component = cls(**{name: each.value for name, each in props.items()})
        except PropError as error:
            message = f"{error}".replace(f"; {tag.name}.", "; ")
            at = _place(error, tag, props)
            raise layout_error(self._source, message, origin.offset(at)) from None
        return component, None if key is None else key.value

    def _class(self, tag: Tag, origin: Origin) -> type[Component]:
        if not tag.name:
            return Fragment
        if tag.name in self._vocabulary:
            return self._vocabulary[tag.name]
        if tag.name == TrustedMarkdown.__name__:
            message = "TrustedMarkdown is for an author's own code; write the Markdown as it is"
        elif tag.name.islower() and nearest(tag.name, self._vocabulary) is None:
            message = f"<{short(tag.name)}> is HTML, which a layout has none of; for the character write \\<"
        else:
            hint = did_you_mean(tag.name, self._vocabulary)
            message = f"<{short(tag.name)}> is no component that may stand here; {hint}"
        raise layout_error(self._source, message, origin.offset(tag.at))


def _place(error: PropError, tag: Tag, props: dict[str, Attribute]) -> int:
    """Where the prop that an error is about stands: its name if it is unknown, else its value."""
    _, *rest = (error.path or "").split(".")
    attribute = props.get(rest[0]) if rest else None
    if attribute is None:
        return tag.at
    return attribute.at if error.message.startswith("no such prop") else attribute.value_at
