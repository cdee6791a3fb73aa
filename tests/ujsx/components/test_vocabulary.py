"""``Vocabulary``: the components that may appear in data."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ids import looped, stable
from ujsx import Child, Children, Component, DefinitionError, RenderContext, Vocabulary, component
from ujsx.elements import PRIMITIVES, Paragraph, Section, Strong, TrustedMarkdown


@component
def Badge(ctx: RenderContext, children: Children) -> Child:
    return children


class TestVocabulary:
    def test_is_a_mapping_by_name(self) -> None:
        known = Vocabulary(Section, Strong, Badge)
        assert dict(known) == {"Section": Section, "Strong": Strong, "Badge": Badge}
        assert len(known) == 3

    def test_takes_a_class_twice(self) -> None:
        assert list(Vocabulary(Section, Section)) == ["Section"]

    def test_refuses_two_classes_of_one_name(self) -> None:
        other: Any = type(Component)("Section", (Component,), {"__module__": __name__})
        with pytest.raises(DefinitionError, match='two components are called "Section"'):
            Vocabulary(Section, other)

    @looped("thing", [int, Paragraph(), "Section", None, lambda: None], ids=stable)
    def test_refuses_what_is_no_component_class(self, thing: Any) -> None:
        with pytest.raises(DefinitionError, match="is not a component class"):
            Vocabulary(thing)

    def test_shows_its_names(self) -> None:
        assert repr(Vocabulary(Section, Strong)) == "Vocabulary(Section, Strong)"


class TestUnion:
    def test_has_both(self) -> None:
        assert list(Vocabulary(Section) | [Badge]) == ["Section", "Badge"]
        assert list(Vocabulary(Section) | Vocabulary(Strong)) == ["Section", "Strong"]

    def test_leaves_both_as_they_were(self) -> None:
        before = list(PRIMITIVES)
        assert "Badge" in PRIMITIVES | [Badge]
        assert list(PRIMITIVES) == before

    def test_refuses_two_classes_of_one_name(self) -> None:
        other: Any = type(Component)("Section", (Component,), {"__module__": __name__})
        with pytest.raises(DefinitionError):
            PRIMITIVES | [other]


class TestOf:
    def test_nothing_is_the_primitives(self) -> None:
        assert Vocabulary.of(None) is PRIMITIVES

    def test_a_vocabulary_is_itself(self) -> None:
        known = Vocabulary(Section)
        assert Vocabulary.of(known) is known

    def test_classes_are_their_vocabulary(self) -> None:
        assert dict(Vocabulary.of(iter([Section]))) == {"Section": Section}

    def test_no_classes_are_an_empty_vocabulary(self) -> None:
        assert dict(Vocabulary.of([])) == {}


class TestPrimitives:
    def test_do_not_have_trusted_markdown(self) -> None:
        assert TrustedMarkdown not in PRIMITIVES.values()
