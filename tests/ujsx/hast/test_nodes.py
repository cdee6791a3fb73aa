"""hast nodes are values."""

from __future__ import annotations

import pytest

from ujsx.hast import Element, Raw, Root, Text


class TestElement:
    def test_is_compared_by_value(self) -> None:
        assert Element("a", {"b": 1}, (Text("c"),)) == Element("a", {"b": 1}, (Text("c"),))
        assert Element("a", {"b": 1}) != Element("a", {"b": 2})
        assert Text("a") != Raw("a")

    def test_has_a_hash_that_equal_ones_share(self) -> None:
        assert len({Element("a", {"b": 1}), Element("a", {"b": 1}), Element("a")}) == 2

    def test_takes_children_from_any_iterable(self) -> None:
        assert Root([Text("a")]).children == (Text("a"),)  # type: ignore[arg-type]

    def test_is_frozen(self) -> None:
        with pytest.raises(AttributeError):
            Element("a").tag_name = "b"  # type: ignore[misc]

    def test_has_properties_of_its_own(self) -> None:
        assert Element("a").properties is not Element("a").properties
