"""From a tag to its component: looked up in the vocabulary, its props validated."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pydantic import SkipValidation

from ujsx._other_names import component_for, founding
from ujsx.components._component import Component
from ujsx.components._documented import fields_of
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
from ujsx.layout._holes import Hole
from ujsx.layout._origins import Origin
from ujsx.layout._tags import Tag, short

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


def takes_a_line(kind: type[Component]) -> bool:
    """Return whether the content of a component class is a line, not blocks."""
    return issubclass(kind, _LINES)


class ComponentMaker:
    """Makes the components of one layout.

    :raises LayoutError: for a name that the vocabulary does not have, and for a prop that is
        unknown, missing or does not fit, at its place.
    """

    def __init__(
        self, vocabulary: Vocabulary | Iterable[ComponentClass] | None, faults: Faults
    ) -> None:
        self.vocabulary = Vocabulary.of(vocabulary).without(TrustedMarkdown)
        """The components that may stand in the layout."""
        self._faults = faults
        self._is_told = False
        """Whether it was said already how an unknown component can be in the vocabulary, and which are."""

    def __call__(self, tag: Tag, origin: Origin) -> tuple[Component, str | None]:
        """Return the component of an opening tag, and its key if it has one.

        Who gathers mistakes gets an :class:`Unread` in place of what cannot be made. A tag that waits for
        values is :class:`Unmade`.
        """
        cls = self.class_of(tag, origin)
        if cls is None or tag.is_broken:
            return Unread(kind=cls), None
        if any(type(each.value) is Hole for each in tag.attributes):
            return Unmade(kind=cls, tag=tag, origin=origin), None
        return self.made(cls, {each.name: each.value for each in tag.attributes}, tag, origin)

    def made(
        self, cls: type[Component], props: dict[str, Any], tag: Tag, origin: Origin
    ) -> tuple[Component, str | None]:
        """Return the component of a tag with these props, and its key if it has one."""
        key = props.pop(KEY, None) if KEY in props and KEY not in fields_of(cls) else None
        if key is not None and not isinstance(key, str):
            at = next(each.value_at for each in tag.attributes if each.name == KEY)
            self._faults.add(f"a key is a string, not {shown(key)}", origin.offset(at))
            key = None
        try:
            return cls(**props), key
        except PropError as error:
            self._tell(error, tag, origin)
            return Unread(kind=cls), key

    def refusal_of(self, braces: str) -> str:
        """Return what is said of braces that hold neither a text nor a comment: what says what they mean."""
        wider = self.vocabulary.wider()
        known = {**self.vocabulary, **wider}
        tags = (each.for_expression(braces[1:-1], known) for each in known.values())
        tag = next((each for each in tags if each is not None), None)
        how = f" and pass {WIDER}" if tag and wider.keys() & {*_TAG.findall(tag)} else ""
        tag = tag or 'a text as {"…"}'
        return (
            f"nothing in braces is evaluated; write {tag}{how}, or for the character \\{braces[0]}"
        )

    def _tell(self, error: PropError, tag: Tag, origin: Origin) -> None:
        """Tell what is wrong with a tag's props: of all at once, or of each at its place."""
        mistakes = [PropError(message, path=path) for path, message in error.problems] or [error]
        for each in mistakes if self._faults.gathers else [error]:
            at = origin.offset(place_of_prop(each.path, each.message, tag))
            self._faults.add(f"{each}".replace(f"; {tag.name}.", "; "), at)

    def class_of(self, tag: Tag, origin: Origin) -> type[Component] | None:
        """Return the class that a tag names; of an unknown one, which is told, None."""
        if not tag.name:
            return Fragment
        name = founding(tag.name)
        if name in self.vocabulary:
            return self.vocabulary[name]
        if tag.name == TrustedMarkdown.__name__:
            message = "TrustedMarkdown is for an author's own code; write the Markdown as it is"
        elif tag.name.islower() and nearest(tag.name, self.vocabulary) is None:
            meant = component_for(tag.name, self.vocabulary)
            instead = (
                f"write <{meant}>, or for the character" if meant else "for the character write"
            )
            message = f"<{short(tag.name)}> is HTML, which a layout has none of; {instead} \\<"
        else:
            message = f"<{short(tag.name)}> {UNKNOWN}"
            is_near = self.vocabulary.is_near(short(tag.name))
            if is_near or not self._is_told:
                message += f"; {self.vocabulary.hint(short(tag.name))}"
            self._is_told = self._is_told or not is_near
        self._faults.add(message, origin.offset(tag.at))
        return None


class Unread(Component):
    """What stands for a tag that cannot be read, so that the rest of a layout can be checked."""

    kind: SkipValidation[type[Component] | None]
    """The class that it names, if there is one."""


class Unmade(Component):
    """A tag in which a prop is a hole, in the place of its component."""

    kind: SkipValidation[type[Component]]
    """The class that it names."""
    tag: SkipValidation[Tag]
    origin: SkipValidation[Origin]
    """The tag's place."""


Unmade._open_props = ()  # noqa: SLF001 - what an author wrote may be a list


class Given(Component):
    """A hole among children."""

    name: str
    at: int
    """The offset of its brace in the source."""


def kind_of(component: Component) -> type[Component]:
    """Return a component's class; of a tag that waits for values, the class that it names."""
    return component.kind if isinstance(component, Unmade) else type(component)


def place_of_prop(path: str | None, message: str, tag: Tag) -> int:
    """The place of the prop that an error is about: its name if it is unknown, else its value."""
    given = {each.name: each for each in tag.attributes}
    _, *rest = (path or "").split(".")
    attribute = given.get(rest[0]) if rest else None
    if attribute is None:
        return tag.at
    return attribute.at if message.startswith("no such prop") else attribute.value_at
