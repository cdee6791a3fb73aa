"""The tree of errors."""

from __future__ import annotations

import inspect
import re

import ujsx
from tests.ids import looped
from ujsx import errors
from ujsx.errors import UjsxError, did_you_mean, nearest, shown

CLASSES = [
    value
    for _, value in inspect.getmembers(errors, inspect.isclass)
    if issubclass(value, UjsxError)
]


class TestTree:
    def test_is_drawn_with_every_class_and_its_parent(self) -> None:
        drawn = re.findall(r"[├└]── (\w+) .*?(?:\((\w+)\))?$", errors.__doc__ or "", re.MULTILINE)
        real = {
            (cls.__name__, cls.__bases__[1].__name__ if len(cls.__bases__) > 1 else "")
            for cls in CLASSES
            if cls is not UjsxError
        }
        assert set(drawn) == real

    @looped("cls", CLASSES)
    def test_is_exported(self, cls: type) -> None:
        assert getattr(ujsx, cls.__name__) is cls


class TestUjsxError:
    def test_shows_its_path_and_message(self) -> None:
        assert str(UjsxError("wrong", path="Hud / X[2]")) == "Hud / X[2]: wrong"

    def test_without_a_path_is_its_message(self) -> None:
        assert str(UjsxError("wrong")) == "wrong"

    def test_gains_its_parents_as_it_passes_them(self) -> None:
        error = UjsxError("wrong")
        error.within("Y[0]")
        error.within("X[2]")
        assert error.path == "X[2] / Y[0]"


class TestNearest:
    @looped(
        ("name", "known", "expected"),
        [
            ("titel", ["title", "tile"], "title"),
            ("SECTION", ["Section"], "Section"),
            ("x", ["title"], None),
            ("x", [], None),
            ("", ["a"], None),
        ],
    )
    def test_is_the_closest_known_name(
        self, name: str, known: list[str], expected: str | None
    ) -> None:
        assert nearest(name, known) == expected

    def test_does_not_depend_on_the_order_of_the_known(self) -> None:
        assert nearest("aa", ["ab", "ac", "ad"]) == nearest("aa", ["ad", "ac", "ab"])

    def test_without_a_near_one_the_known_are_listed(self) -> None:
        assert did_you_mean("x", ["b", "a"]) == "known: a, b"
        assert did_you_mean("x", []) == "there are none"


class TestShown:
    def test_is_cut(self) -> None:
        assert len(shown("x" * 1_000)) == 60
        assert shown("x" * 1_000).endswith("…")

    def test_is_the_repr_where_that_is_short(self) -> None:
        assert shown({"a": 1}) == "{'a': 1}"
