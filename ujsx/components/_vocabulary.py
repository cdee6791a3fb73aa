"""Trees from data and markup: the allowed components, and the source places of values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from weakref import ref

from ujsx.components._component import Component
from ujsx.errors import DefinitionError, did_you_mean, listed, nearest, quoted, shown

if TYPE_CHECKING:
    from ujsx.components._component import FunctionComponent


# The components allowed in a tree from data.

ComponentClass: TypeAlias = "type[Component] | FunctionComponent[...]"
"""A component class, or the result of the ``component`` decorator."""


OWN = "add your own to the vocabulary, as in PRIMITIVES | [{name}]"
"""The hint for adding an author's own component to a vocabulary."""


WIDER = "layout_vocabulary(), from hud_components import layout_vocabulary"
"""The hint for the vocabulary of a HUD's layout."""


MISSPELT = 0.75
"""The similarity, from 0 to 1, above which a name counts as misspelt: `Bagde` and `Badge` have 0.8, while
`WeatherSection` and `NotesSection`, or `Season` and `Section`, have 0.62.
"""


class Vocabulary(Mapping[str, type[Component]]):
    """Component classes by name, passed to each reader of trees and never global.

    :param own: the hint in a message about an unknown name, how to add an own component, with ``{name}`` for the name;
        empty if none can be added.
    :raises DefinitionError: when two classes have the same name, or a value is not a component class.

    >>> from ujsx.elements import Paragraph, Strong
    >>> sorted(Vocabulary(Paragraph, Strong))
    ['Paragraph', 'Strong']
    """

    __slots__ = ("_classes", "_own")

    def __init__(self, *classes: ComponentClass, own: str = OWN) -> None:
        self._own = own
        self._classes: dict[str, type[Component]] = {}
        for cls in classes:
            if not (isinstance(cls, type) and issubclass(cls, Component)):
                raise DefinitionError(
                    f"{cls!r} is not a component class; give classes one by one, and add them to a "
                    "vocabulary with |, as in PRIMITIVES | [Mine]"
                )
            if self._classes.setdefault(cls.__name__, cls) is not cls:
                raise DefinitionError(f'two components are called "{cls.__name__}"')

    @classmethod
    def of(cls, classes: Vocabulary | Iterable[ComponentClass] | None) -> Vocabulary:
        """Return the vocabulary of those classes; the primitives when ``classes`` is ``None``.

        :raises DefinitionError: for a value that is not a collection of component classes.
        """
        if classes is None:
            from ujsx.elements import PRIMITIVES  # a higher layer, so imported on demand

            return PRIMITIVES
        if isinstance(classes, Vocabulary):
            return classes
        given: object = classes
        if isinstance(given, type | str) or not isinstance(given, Iterable):
            name = given.__name__ if isinstance(given, type) else "Mine"
            raise DefinitionError(
                f"a vocabulary is made of several classes, not of {shown(classes)}; write [{name}]"
            )
        return cls(*classes)

    def __getitem__(self, name: str, /) -> type[Component]:
        return self._classes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)

    def __or__(self, other: Vocabulary | Iterable[ComponentClass]) -> Vocabulary:
        """Return the vocabulary of both."""
        return Vocabulary(
            *self._classes.values(), *Vocabulary.of(other)._classes.values(), own=self._own
        )

    def without(self, *classes: type[Component]) -> Vocabulary:
        """Return the vocabulary without these classes and their subclasses."""
        kept = (each for each in self._classes.values() if not issubclass(each, classes))
        return Vocabulary(*kept, own=self._own)

    def hint(self, name: str) -> str:
        """Return the end of a message about an unknown name.

        It suggests the nearest name if one is similar, or else tells how to add an own component, and lists the names.

        >>> from ujsx.elements import Paragraph, Strong
        >>> Vocabulary(Paragraph, Strong).hint("Pargraph")
        'did you mean "Paragraph"?'
        >>> Vocabulary(Paragraph, Strong).hint("Oven")
        'add your own to the vocabulary, as in PRIMITIVES | [Oven]; known: Paragraph, Strong'
        """
        if name in self.wider():
            return f"pass {WIDER}"
        from ujsx._other_names import component_for, of_one_subject  # only mistakes need it

        if meant := component_for(name, self._classes):
            return did_you_mean(meant, (meant,))
        if not self.is_near(name) and (alike := of_one_subject(name, self._classes)):
            return f"did you mean {' or '.join(map(quoted, alike[:2]))}?"
        if not self._own or not name.isidentifier() or self.is_near(name):
            return did_you_mean(name, self._classes)
        return f"{self._own.replace('{name}', name)}; known: {listed(sorted(self._classes))}"

    def wider(self) -> Mapping[str, type[Component]]:
        """Return what a layout of a HUD may hold, for a message about a vocabulary of primitives alone; else nothing.

        The HUD's package stands above this one, so it is asked by name.
        """
        if not self._classes.keys() <= Vocabulary.of(None).keys() or not find_spec(
            "hud_components"
        ):
            return {}
        found: Vocabulary = import_module("hud_components").layout_vocabulary()
        return {name: each for name, each in found.items() if name not in Vocabulary.of(None)}

    def is_near(self, name: str) -> bool:
        """Tell whether an unknown name may be a misspelt name of the vocabulary.

        >>> from ujsx.elements import Section
        >>> Vocabulary(Section).is_near("Sektion"), Vocabulary(Section).is_near("Season")
        (True, False)
        """
        match = nearest(name, self._classes)
        if match is None:
            return False
        from difflib import SequenceMatcher  # only errors need it

        return SequenceMatcher(None, name.casefold(), match.casefold()).ratio() >= MISSPELT

    def __repr__(self) -> str:
        return f"Vocabulary({', '.join(self._classes)})"


# The places of a component's values in a ``jsx`` template: stored beside the component, not part of its value.


class Interpolation(NamedTuple):
    """A value in a template's braces: its expression and its place."""

    expression: str
    """The content of the braces: a Python expression in a t-string, otherwise the name of a value."""

    line: int
    """The line of the opening brace in the template, from 1."""

    column: int
    """The column of the opening brace, from 1."""

    prop: str | None = None
    """The prop that has this value; empty for several, ``{...props}``; None for a child."""

    def __str__(self) -> str:
        name = f"{self.prop}=" if self.prop else ""
        return f"{name}{{{self.expression}}} at line {self.line}, column {self.column}"


def interpolations_of(component: Component) -> tuple[Interpolation, ...]:
    """Return the template values of a component and its props; none if it is not from a template.

    >>> from ujsx import jsx
    >>> from ujsx.components import as_element
    >>> tree = jsx("<Section title={title}>{text}</Section>", title="Notes", text="a")
    >>> [str(each) for each in interpolations_of(as_element(tree).component)]
    ['title={title} at line 1, column 16']
    """
    known = _NOTED.get(id(component))
    return () if known is None or known[0]() is not component else known[1]


def note_interpolations(component: Component, found: tuple[Interpolation, ...]) -> None:
    """Store the places of a component's values for its lifetime."""
    key = id(component)
    _NOTED[key] = ref(component, lambda _: _NOTED.pop(key, None)), found


_NOTED: dict[int, tuple[ref[Any], tuple[Interpolation, ...]]] = {}
