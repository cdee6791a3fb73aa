"""Lines are shown as their author typed them; an item that would be read otherwise has a mark."""

from __future__ import annotations

import types
import warnings
from datetime import date
from functools import cache
from itertools import product
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import Domain, HudItem, HudValue, ItemsSection, Line, ValueSection, parse
from hud_components.declaring import LayoutWarning
from hud_runtime import HudStore
from hud_runtime.editing import changes, for_editing, record_changes
from tests.ids import looped
from ujsx import Density, render


class Thing(HudItem):
    """What a line shows."""

    name: Line
    kind: Line = "new"
    tags: tuple[str, ...] = ()
    due: date = date(2026, 1, 31)
    state: Literal["open", "shut"] = "open"
    count: int = 7
    counts: tuple[int, ...] = ()


class Account(HudValue):
    """A value."""

    name: Line
    kind: Line = "new"
    since: date = date(2026, 1, 31)


def things(lines: Any, **body: Any) -> Any:
    return _declared(ItemsSection[Thing], {"lines": lines, "name": "things", **body})


def account(lines: Any) -> Any:
    return _declared(ValueSection[Account], {"lines": lines, "name": "account"})


def _declared(base: Any, body: dict[str, Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return _made(base, body)


def _made(base: Any, body: dict[str, Any]) -> Any:
    space = {"__module__": __name__, **body}
    return types.new_class("Shown", (base,), {}, lambda own: own.update(space))


DUE = {"full": "{name}, due {due:%d.%m.%Y}", "compact": "{name}"}
BOTH = {"full": "{name} ({kind})", "compact": "{name}"}
DAYS = {"full": "{name}: {due:%d.%m. %Y}", "compact": "{name}: {due:%d.%m.}"}
SAME = {"full": "{name}: {due:%F} {count:.0f}", "compact": "{name}: {due} {count:,}"}

SHOWN: tuple[tuple[Any, str, dict[str, Any], str], ...] = (
    ("{name} ({tags})", "full", {"name": "Ada", "tags": ("a", "b")}, "Ada (a, b)"),
    ("{name} ({tags})", "full", {"name": "f(x)", "tags": ("[a]",)}, "f(x) ([a])"),
    ("{name} ({tags})", "full", {"name": "Ada (ill)", "tags": ("a",)}, "Ada (ill) (*a*)"),
    ("{name} ({tags})", "full", {"name": "Ada", "tags": ("a (b",)}, "Ada (*a (b*)"),
    ("{name} ({tags})", "full", {"name": "Ada"}, "Ada (—)"),
    ("{name} the {kind}", "full", {"name": "Ada", "kind": "Great"}, "Ada the Great"),
    ("{name} the {kind}", "full", {"name": "*Ada*", "kind": "¿7?"}, r"\*Ada\* the ¿7?"),
    ("{name} the {kind}", "full", {"name": "Ada the", "kind": "7"}, "Ada the the *7*"),
    ("{name} the {kind}", "full", {"name": "Ada", "kind": "the 7"}, "Ada the the 7"),
    ("{name} the {kind}", "full", {"name": "A the B", "kind": "7"}, "A the B the *7*"),
    ("{name}: {count} {kind}", "full", {"name": "a: 7", "kind": "b"}, "a: 7: 7 b"),
    ("{name}: {count} {kind}", "full", {"name": "a: 7 b"}, "a: 7 b: 7 *new*"),
    ("{count}{name}", "full", {"name": "x"}, "7x"),
    ("{count}{name}", "full", {"name": "7x"}, "**7**7x"),
    (DUE, "full", {"name": "Ship"}, "Ship, due 31.01.2026"),
    (DUE, "compact", {"name": "Ship"}, "Ship"),
    (DUE, "full", {"name": "Ship, due 01.02.2026"}, "Ship, due 01.02.2026, due 31.01.2026"),
    (DUE, "compact", {"name": "Ship, due 01.02.2026"}, "**Ship, due 01.02.2026**"),
    (DUE, "compact", {"name": "Ship, due 1.2.2026"}, "Ship, due 1.2.2026"),
    (BOTH, "compact", {"name": "Ada (ill)"}, "**Ada (ill)**"),
    (BOTH, "compact", {"name": "Ada (a) (b)"}, "**Ada (a) (b)**"),
    (DAYS, "full", {"name": "Ship"}, "Ship: 31.01. 2026"),
    (DAYS, "compact", {"name": "Ship"}, "Ship: 31.01."),
    (SAME, "compact", {"name": "Ship"}, "Ship: 2026-01-31 7"),
    ({"full": "{name} *{kind}*", "compact": "{name}"}, "compact", {"name": "Ada"}, "Ada"),
    ({"full": "{name} *{kind}*", "compact": "{name}"}, "compact", {"name": "Ada", "said_by": "tool"}, "**Ada** *said by a tool*"),
    ("{name} the {kind}", "full", {"name": "Ada", "kind": "7", "said_by": "tool"}, "Ada the 7 *said by a tool*"),
    ("{name} the {kind}", "full", {"name": "Ada", "kind": "b the", "said_by": "tool"}, "Ada the *b the* *said by a tool*"),
)  # fmt: skip
"""Lines, with an item, and what is shown of it."""


@looped(("lines", "density", "given", "shown"), SHOWN)
def test_an_item_is_shown_as_typed_if_it_is_read_back(
    lines: Any, density: Any, given: dict[str, Any], shown: str
) -> None:
    section = things(lines, in_line=False)
    node = section(things=(Thing(**given),))
    text = render(node, density=density)
    assert text == f"# Things\n\n- {shown}\n"
    assert parse(text, section) == node.as_shown(Density.of(density))


VALUES: tuple[tuple[str, str, str, str], ...] = (
    ("Ada", "full", "# Account\n\nAda (new)\n", "# Account\n\nAda (*a (b*)\n"),
    ("Ada", "compact", "**Account:** Ada (new)\n", "**Account:** Ada (*a (b*)\n"),
)


@pytest.mark.parametrize(("name", "density", "usual", "marked"), VALUES)
def test_a_value_is_shown_as_typed_if_it_is_read_back(
    name: str, density: Any, usual: str, marked: str
) -> None:
    section = account("{name} ({kind})")
    for kind, text in (("new", usual), ("a (b", marked)):
        node = section(account=Account(name=name, kind=kind))
        assert render(node, density=density) == text
        assert parse(text, section) == node.as_shown(Density.of(density))


MARCH = date(2026, 3, 2)
FORMATS: tuple[tuple[Any, tuple[str, str], str, dict[str, Any], str], ...] = (
    (ItemsSection[Thing], ("{name}: {due:%d.%m.%Y}", "{name}: {due:%m.%d.%Y}"), "compact", {"name": "x", "due": MARCH}, "**x**: 03.02.2026"),
    (ItemsSection[Thing], ("**{name}** *{due:%d.%m.%Y}*", "**{name}** *{due:%m.%d.%Y}*"), "compact", {"name": "x", "due": MARCH}, "*x* *03.02.2026*"),
    (ItemsSection[Thing], ("{tags} - {name}", "{tags: / } - {name}"), "compact", {"tags": ("a", "b, c"), "name": "x"}, "**a / b, c** - *x*"),
    (ItemsSection[Thing], ("{counts}", "{counts: / }"), "compact", {"counts": (1, 2)}, "**1 / 2**"),
    (ValueSection[Account], ("Account {since:%m.%d.%Y}", "Account {since:%d.%m.%Y}"), "minimal", {"since": MARCH}, "Account **02.03.2026**"),
)  # fmt: skip
"""Two lines that differ by a format only, the fields of an item, and the second line's text."""


@looped(("base", "pair", "density", "said", "shown"), FORMATS)
def test_a_format_of_another_density_is_read_as_its_own(
    base: Any, pair: tuple[str, str], density: Any, said: dict[str, Any], shown: str
) -> None:
    line, other = pair
    lines = {"full": line, "compact": line, density: other}
    with pytest.warns(LayoutWarning, match="is written in place of"):
        section = _made(base, {"lines": lines, "name": "own"})
    held = section.value(**{"name": "x", **said})
    text = render(section(own=(held,) if section.holds_items else held), density=density)
    assert shown in text
    read = parse(text, section).own
    [one] = read if section.holds_items else [read]
    assert {name: getattr(one, name) for name in said} == said


SPECS = {
    "due": ("", ":%d.%m.%Y", ":%m.%d.%Y", ":%Y%m%d", ":%Y%d%m", ":%m.%d."),
    "tags": ("", ":, ", ": / ", ":; "),
    "counts": ("", ": "),
    "count": ("", ":,", ":.1f", ":03"),
}


@cache
def _of_formats(hole: str, full: str, compact: str) -> Any:
    lines = {"full": f"{{name}}: {{{hole}{full}}}", "compact": f"{{name}}: {{{hole}{compact}}}"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LayoutWarning)
        return _made(ItemsSection[Thing], {"lines": lines, "name": "things", "in_line": False})


_words = st.sampled_from(("a", "b, c", "d / e", "f: g", "1; 2", "*h*"))
_things = st.builds(
    Thing,
    name=_words,
    due=st.dates(),
    tags=st.lists(_words, min_size=1, max_size=3).map(tuple),
    counts=st.lists(st.integers(0, 99), min_size=1, max_size=3).map(tuple),
    count=st.integers(-(10**6), 10**6),
)
_pairs = [(hole, *pair) for hole, specs in SPECS.items() for pair in product(specs, repeat=2)]


@given(_things, st.sampled_from(_pairs))
def test_each_format_is_read_as_if_it_were_the_only_one(
    thing: Thing, formats: tuple[str, str, str]
) -> None:
    hole, full, compact = formats
    both = _of_formats(hole, full, compact)
    for density, spec in ((Density.FULL, full), (Density.COMPACT, compact)):
        read = []
        for section in (both, _of_formats(hole, spec, spec)):
            text = render(section(things=(thing,)), density=density)
            read += parse(text, section).things
        assert read[0] == read[1]


def test_a_text_that_could_mean_several_items_is_none() -> None:
    section = things(BOTH)
    text = "# Things\n\n- Ada (a) (b)\n"
    read = parse(text, [section])
    assert not any(isinstance(each, section) for each in read.children)
    assert render(read) == text


EDITS: tuple[tuple[str, str, dict[str, Any] | None, str], ...] = (
    ("Ada (new)", "Bob (new)", {"name": "Bob"}, "Bob (new)"),
    ("Ada (new)", "Ada (a, b)", {"kind": "a, b"}, "Ada (a, b)"),
    ("Ada (new)", "Ada (a) (new)", None, "Ada (new)"),
    ("Ada (new)", "Ada (new) (a)", None, "Ada (new)"),
    ("Ada (new)", "Ada (*a (b*)", {"kind": "a (b"}, "Ada (*a (b*)"),
    ("Ada (new)", "Ada (a) (*new*)", {"name": "Ada (a)"}, "Ada (a) (*new*)"),
)
"""Edits of a line as typed, with the changed fields, and what is shown then; refused for None."""


@looped(("line", "edited", "changed", "shown"), EDITS)
def test_an_edit_is_read_or_refused(
    line: str, edited: str, changed: dict[str, Any] | None, shown: str
) -> None:
    section = things(BOTH)
    with HudStore.open(":memory:", domain=Domain("own", [section])) as store:
        session = store.session("s")
        session.record("things.add", name="Ada")
        hud = for_editing(session.state())
        text = render(hud)
        found = changes(hud, text.replace(line, edited))
        if changed is None:
            assert found.problems
        else:
            assert not found.problems
            record_changes(session, found, since=session.version)
            [item] = session.state().things
            assert {name: getattr(item, name) for name in changed} == changed
        assert shown in render(for_editing(session.state()))
