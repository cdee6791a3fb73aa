"""From a tag to its component: looked up in the vocabulary, its props validated."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pydantic import SkipValidation

from ujsx._other_names import component_for
from ujsx.components._component import Component
from ujsx.components._fragment import Fragment
from ujsx.components._vocabulary import WIDER, ComponentClass, Vocabulary
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
from ujsx.errors import PropError, nearest, shown
from ujsx.layout._faults import Faults
from ujsx.layout._origins import Origin
from ujsx.layout._tags import Attribute, Tag, short

KEY = "key"
"""The attribute that is no prop: what names an element among its siblings."""

UNKNOWN = "is no component that may stand here"
"""What is said of a tag that the vocabulary does not have."""

_TAG = re.compile(r"<(\w+)")

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
        self, vocabulary: Vocabulary | Iterable[ComponentClass] | None, faults: Faults
    ) -> None:
        self._vocabulary = Vocabulary.of(vocabulary).without(TrustedMarkdown)
        self._faults = faults
        self._is_told = False
        """Whether it was said already how an unknown component can be in the vocabulary, and which are."""

    def __call__(self, tag: Tag, origin: Origin) -> tuple[Component, str | None]:
        """Return the component of an opening tag, and its key if it has one.

        Who gathers mistakes gets an :class:`Unread` in place of what cannot be made.
        """
        cls = self._class(tag, origin)
        if cls is None or tag.is_broken:
            return Unread(kind=cls), None
        props = {each.name: each for each in tag.attributes}
        key = None if KEY in cls.model_fields else props.pop(KEY, None)
        if key is not None and not isinstance(key.value, str):
            message = f"a key is a string, not {shown(key.value)}"
            self._faults.add(message, origin.offset(key.value_at))
            key = None
        try:
            component = cls(**{name: each.value for name, each in props.items()})
        except PropError as error:
            self._mistakes(error, tag, props, origin)
            component = Unread(kind=cls)
        return component, None if key is None else str(key.value)

    def refusal_of(self, braces: str) -> str:
        """Return what is said of braces that hold neither a text nor a comment: what says what they mean."""
        wider = self._vocabulary.wider()
        known = {**self._vocabulary, **wider}
        tags = (each.for_expression(braces[1:-1], known) for each in known.values())
        tag = next((each for each in tags if each is not None), None)
        how = f" and pass {WIDER}" if tag and wider.keys() & {*_TAG.findall(tag)} else ""
        tag = tag or 'a text as {"…"}'
        return (
            f"nothing in braces is evaluated; write {tag}{how}, or for the character \\{braces[0]}"
        )

    def _mistakes(
        self, error: PropError, tag: Tag, props: dict[str, Attribute], origin: Origin
    ) -> None:
        """Tell what is wrong with the props: of all at once, or of each at its place."""
        mistakes = [PropError(message, path=path) for path, message in error.problems] or [error]
        for each in mistakes if self._faults.gathers else [error]:
            at = origin.offset(place_of_prop(each.path, each.message, tag, props))
            self._faults.add(f"{each}".replace(f"; {tag.name}.", "; "), at)

    def _class(self, tag: Tag, origin: Origin) -> type[Component] | None:
        if not tag.name:
            return Fragment
        if tag.name in self._vocabulary:
            return self._vocabulary[tag.name]
        if tag.name == TrustedMarkdown.__name__:
            message = "TrustedMarkdown is for an author's own code; write the Markdown as it is"
        elif tag.name.islower() and nearest(tag.name, self._vocabulary) is None:
            meant = component_for(tag.name, self._vocabulary)
            instead = (
                f"write <{meant}>, or for the character" if meant else "for the character write"
            )
            message = f"<{short(tag.name)}> is HTML, which a layout has none of; {instead} \\<"
        else:
            message = f"<{short(tag.name)}> {UNKNOWN}"
            is_near = self._vocabulary.is_near(short(tag.name))
            if is_near or not self._is_told:
                message += f"; {self._vocabulary.hint(short(tag.name))}"
            self._is_told = self._is_told or not is_near
        self._faults.add(message, origin.offset(tag.at))
        return None


class Unread(Component):
    """What stands for a tag that cannot be read, so that the rest of a layout can be checked."""

    kind: SkipValidation[type[Component] | None]
    """The class that it names, if there is one."""


def place_of_prop(
    path: str | None, message: str, tag: Tag, props: dict[str, Attribute] | None = None
) -> int:
    """Where the prop that an error is about stands: its name if it is unknown, else its value."""
    given = {each.name: each for each in tag.attributes} if props is None else props
    _, *rest = (path or "").split(".")
    attribute = given.get(rest[0]) if rest else None
    if attribute is None:
        return tag.at
    return attribute.at if message.startswith("no such prop") else attribute.value_at
