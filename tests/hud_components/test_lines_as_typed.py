"""Lines are shown as their author typed them; an item that would be read otherwise has a mark."""

from __future__ import annotations

import types
import warnings
from datetime import date
from functools import cache
from itertools import combinations, product
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import (
    Domain,
    HudItem,
    HudValue,
    ItemsSection,
    Line,
    ValueSection,
    Wording,
    check_texts,
    parse,
)
from hud_components.declaring import LayoutWarning
from hud_components.words import TextError
from hud_runtime import HudStore
from hud_runtime.editing import changes, for_editing, record_changes
from tests.ids import looped
from ujsx import DefinitionError, Density, RenderContext, render


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
        warnings.filterwarnings("ignore", '.* shows "—" in this line')
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


@pytest.mark.filterwarnings('ignore:.* shows "—" in this line')
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


class Episode(HudItem):
    """What has parts that may be unset."""

    title: str
    guest: str | None = None
    out: date | None = None
    tags: tuple[str, ...] = ()
    cut: int = 3
    done: bool = False


class Show(HudValue):
    """The same as a value."""

    title: str
    guest: str | None = None
    out: date | None = None
    tags: tuple[str, ...] = ()
    cut: int = 3


PARTED = "**{title}**{? with {guest}?}{?, out {out:%d.%m.%Y}?}, {cut} cuts{? ({tags: / })?}"
LOOSE = "{title}{? with {guest}?}{?, out {out}?}{? ({tags})?}"
PARTED_LINES: tuple[Any, ...] = (
    PARTED,
    {"full": PARTED, "compact": "{?*{guest}*: ?}{title}", "minimal": "{title}{? ({tags})?}"},
    {"full": (Wording("~~{title}~~{? by {guest}?}", {"cut": 0}), PARTED)},
    LOOSE,
)
PARTS: dict[str, Any] = {"guest": "Bob", "out": date(2026, 3, 2), "tags": ("a", "b")}
CHOICES = [dict(each) for n in range(4) for each in combinations(PARTS.items(), n)]


@cache
def _of_parts(base: Any, number: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LayoutWarning)
        body = {"lines": PARTED_LINES[number], "name": "shown_parts"}
        return _made(base, body | ({"in_line": False} if base.__origin__ is ItemsSection else {}))


@looped("said", CHOICES)
def test_a_line_shows_the_parts_that_are_set(said: dict[str, Any]) -> None:
    section = _of_parts(ItemsSection[Episode], 0)
    guest = " with Bob" if "guest" in said else ""
    out = ", out 02.03.2026" if "out" in said else ""
    tags = " (a / b)" if "tags" in said else ""
    for title, shown in (("Nine", "Nine"), (" ", "—")):
        text = render(section(shown_parts=(Episode(title=title, **said),)))
        assert text.endswith(f"\n- **{shown}**{guest}{out}, 3 cuts{tags}\n")


_parted_words = st.sampled_from(
    ("a", "b with c", "d, out 02.03.2026", "e (f)", "g, 3 cuts", "*h*: i", "—", "{? j ?}", "~~k~~", "(l)")
)  # fmt: skip


@given(
    st.fixed_dictionaries(
        {"title": _parted_words, "cut": st.integers(0, 3)},
        optional={
            "guest": _parted_words,
            "out": st.dates(date(1000, 1, 1)),
            "tags": st.lists(_parted_words, min_size=1, max_size=2).map(tuple),
        },
    ),
    st.sampled_from((0, 1, 2, 3)),
    st.sampled_from(Density),
)
def test_parts_are_read_back(said: dict[str, Any], number: int, density: Density) -> None:
    for base, model in ((ItemsSection[Episode], Episode), (ValueSection[Show], Show)):
        section = _of_parts(base, number)
        held = model(**said)
        node = section(shown_parts=(held,) if section.holds_items else held)
        text = render(node, density=density)
        assert parse(text, section) == node.as_shown(density)
        if density is Density.FULL and number < 2:
            read: Any = parse(text, section).shown_parts
            [one] = read if section.holds_items else [read]
            assert one.model_dump(include=PARTS.keys()) == held.model_dump(include=PARTS.keys())


@looped(("said", "added"), [(said, name) for said in CHOICES for name in PARTS if name not in said])
def test_a_part_is_added_by_an_edit(said: dict[str, Any], added: str) -> None:
    section = _of_parts(ItemsSection[Episode], 0)
    with HudStore.open(":memory:", domain=Domain("own", [section])) as store:
        session = store.session("s")
        session.record("shown_parts.add", title="Nine", **said)
        hud = for_editing(session.state())
        wanted = render(
            section(shown_parts=(Episode(title="Nine", **said, **{added: PARTS[added]}),))
        )
        edited = wanted.splitlines()[-1].removeprefix("- ")
        line = next(each for each in render(hud).splitlines() if "**Nine**" in each)
        before = line[: line.index("**Nine**")]
        found = changes(hud, render(hud).replace(line, before + edited))
        assert not found.problems
        record_changes(session, found, since=session.version)
        [item] = session.state().shown_parts
        assert getattr(item, added) == PARTS[added]
        assert {name: getattr(item, name) for name in said} == said


REFUSED_PARTS: tuple[tuple[str, str], ...] = (
    ("{title}{? x?}", "{title} x"),
    ("{title}{? by {guest}", "{title}{? by {guest}?}"),
    ("{title} by {guest}?}", "{title} by {guest}"),
    ("{title}{? by {guest}{? ({tags})?}?}", "{title}{? by {guest}?}{? ({tags})?}"),
    ("{title}{?, {cut} cuts?}", "{title}, {cut} cuts"),
    ("{cut}{? a {a}?}{? b {b}?}{? c {c}?}{? d {d}?}{? e {e}?}", "{cut}{? a {a}?}{? b {b}?}{? c {c}?}{? d {d}?} e {e}"),
)  # fmt: skip
"""Lines with parts that are refused, and the lines to write."""


@looped(("line", "better"), REFUSED_PARTS)
def test_parts_that_no_line_can_have_are_refused(line: str, better: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        _made(ItemsSection[Episode], {"lines": line, "name": "own"})
    assert f"write {better!r}" in str(refused.value)


def test_braces_in_a_line_are_no_part() -> None:
    section = things("{{? {name} ?}}{{")
    assert render(section(things=(Thing(name="x"),))) == "# Things\n\n- {? x ?}{\n"


def test_a_line_with_parts_is_at_most_16_lines() -> None:
    class Five(HudItem):
        name: Line
        a: int | None = None
        b: int | None = None
        c: int | None = None
        d: int | None = None

    line = "**{name}**{? a {a}?}{? b {b}?}{? c {c}?}{? d {d}?}"
    section = _declared(ItemsSection[Five], {"lines": line, "name": "fives"})
    assert len(section.forms) == 16
    assert [form.fields for form in section.forms[:2]] == [("name", *"abcd"), ("name", *"abc")]


def test_a_text_replaces_a_line_with_its_parts() -> None:
    section = _of_parts(ItemsSection[Episode], 0)
    name, german = (
        "shown_parts.full",
        "{?({tags}) ?}**{title}**{? mit {guest}?}, {cut} Schnitte{?, am {out}?}",
    )
    context = RenderContext(texts=check_texts({name: german}, sections=(section,)))
    for said in CHOICES:
        node = section(shown_parts=(Episode(title="Nine", **said),))
        text = render(node, context=context)
        assert (" mit Bob" in text) == ("guest" in said)
        assert (", am 02.03.2026" in text) == ("out" in said)
        assert ("- (a / b) **Nine**" in text) == ("tags" in said)
        assert parse(text, section, context=context) == node.as_shown()
    for wrong in (german.replace("mit {guest}", "mit"), "**{title}** mit {guest}", "{titel}{? mit"):
        with pytest.raises(TextError):
            check_texts({name: wrong}, sections=(section,))


LOSSES: tuple[tuple[Any, str], ...] = (
    (("**{title}** (*{guest}*) — {out:%F}", "**{title}**"), "**{title}**{? ({guest})?}{? ({out:%F})?}"),
    (("**{title}**, {guest}", "**{title}**: {out}", "**{title}**"), "**{title}**, {guest}{? ({out})?}"),
    (("{tags} **{title}** {guest}", "**{title}**"), "**{title}**{? ({tags})?}{? ({guest})?}"),
    (("**{title}**{? by {guest}?}", "**{title}** ({tags})"), "**{title}**{? by {guest}?}{? ({tags})?}"),
    (("**{title}** by {guest}", "**{title}**"), ""),
    (("**{title}**{? by {guest}, {out}?}", "~~{title}~~"), ""),
    (("**{title}**, {cut}: {guest}", "**{title}**, {cut}"), ""),
    (("**{guest}**", "{title}"), ""),
    ((Wording("~~{title}~~", {"done": True}), "{title}{? by {guest}?}"), ""),
)  # fmt: skip
"""Lines, and the line to write in place of one that loses a field; empty for none."""


@looped(("lines", "better"), LOSSES)
def test_a_line_that_loses_a_field_is_warned_of(lines: Any, better: str) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        _made(
            ItemsSection[Episode], {"lines": {"full": lines, "compact": "{title}"}, "name": "own"}
        )
    lost = [str(each.message) for each in told if "which does not show it" in str(each.message)]
    assert bool(lost) == bool(better)
    assert not better or lost[0].endswith(f"write {better!r}")
