"""The grammar of agents' layouts takes what the check takes, and nothing else; sampled both ways."""

from __future__ import annotations

import copy
import json
from functools import cache
from importlib.util import find_spec
from itertools import product
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hud_components import (
    BlockersList,
    ContextBar,
    DecisionsList,
    Domain,
    ErrorsList,
    Hints,
    HudItem,
    HudModel,
    HudState,
    ItemsSection,
    Line,
    NextSteps,
    NotesSection,
    State,
    TaskSection,
    WarningBanner,
    agent_layout_of_data,
    agent_vocabulary,
    check_agent_layout,
    layout_grammar,
)
from hud_components.layout._bound import ORDERS
from hud_components.layout._path_patterns import Compared, Items, paths, uses_in
from hud_components.layout._value import Value
from hud_components.layout._when import When
from tests.ujsx.schema.engines import llguidance_lark, xgrammar_gbnf
from tests.ujsx.schema.gbnf import Judge, read_gbnf, texts_of
from ujsx import LayoutError, LoadError, SchemaError, dump, load, read_layout
from ujsx.schema._json_grammar import text_like


class Person(HudModel):
    name: str = ""
    boss: Person | None = None
    more: Any = None
    mixed: Person | Any = None


class Risk(HudItem):
    what: Line
    owner: Person | None = None
    status: Literal["open", "closed"] = "open"
    tags: tuple[str, ...] = ()
    people: tuple[Person, ...] = ()
    things: tuple[Any, ...] = ()
    either: int | str = 0
    done: bool = False


class Risks(ItemsSection[Risk]):
    name = "risks"
    lines = {"full": "{what}"}  # noqa: RUF012 - as an author writes it
    stays_shown = True


SMALL = (
    TaskSection, NotesSection, DecisionsList, ErrorsList, NextSteps, BlockersList, Hints, WarningBanner, ContextBar,
)  # fmt: skip
STATES: dict[str, type[State]] = {
    "small": Domain("small", sections=SMALL).state,
    "careful": Domain("careful", sections=(TaskSection, Risks, ContextBar)).state,
}
"""The second has items in items, of their own class, and values of which nothing is known."""

GOOD = [
    "<Hud/>",
    '<Hud title="Uploads">\n  <TaskSection/>\n\n  Run the *slow* tests.\n\n  <NotesSection limit={2}/>\n</Hud>',
    '<Hud><When field="notes" above={5}>Too many notes.</When><NotesSection density="compact"/></Hud>',
    '<Hud><List><Each of="next_steps" limit={3}><Item><Value of="description"/></Item></Each></List></Hud>',
    "<Hud><Compact><DecisionsList show_ids/></Compact><BlockersList/><ContextBar/></Hud>",
    '<Hud><When lacks="task">*None*</When><When has="blockers">Stop.</When><TaskSection/></Hud>',
    '<Hud><When any="next_steps" field="completed" equals={true}><TaskSection/></When><ContextBar/></Hud>',
    '<Hud><When has="usage"><ContextBar/></When><Compact><Hints/></Compact><WarningBanner/></Hud>',
    '<Hud><Each of="notes" has="content" lacks="task"><When none="errors" has="message">a</When></Each></Hud>',
    '<Hud><When field="usage.percentage" above={1} at_most={9.5} level="red"/></Hud>',
]

TASK = {"type": "TaskSection"}
BAD: list[tuple[str, list[Any]]] = [
    ("a section in a list", [{"type": "List", "children": [TASK]}]),
    ("a link", [{"type": "Link", "props": {"url": "https://a.b"}, "children": ["a"]}]),
    ("a path that leads nowhere", [{"type": "When", "props": {"has": "blokers"}, "children": ["a"]}]),
    ("a path of an item", [{"type": "Value", "props": {"of": "content"}}]),
    ("a path to a whole", [{"type": "Value", "props": {"of": "task"}}]),
    ("data of a section", [{"type": "NotesSection", "props": {"notes": []}}]),
    ("what is left out of a section", [{"type": "NotesSection", "props": {"unlisted": 3}}]),
    ("a setting of what is shown in any case", [{"type": "BlockersList", "props": {"limit": 1}}]),
    ("a handle", [{"type": "Each", "props": {"of": "notes", "handle": "x"}, "children": ["a"]}]),
    ("another Hud inside", [{"type": "Labelled", "children": []}]),
    ("a Hud in a Hud", [{"type": "Hud"}]),
    ("nothing of the session", ["a", {"type": "Paragraph", "children": ["b"]}, {"type": "Compact"}]),
    ("a section behind what changes", [{"type": "ContextBar"}, TASK]),
    ("a list behind what changes", [
        {"type": "Compact", "children": [{"type": "Hints"}]},
        {"type": "Paragraph", "children": [{"type": "Each", "props": {"of": "notes"}, "children": ["a"]}]},
    ]),
    ("what changes in a section, and one behind it", [{"type": "TaskSection", "children": [{"type": "Hints"}]}, TASK]),
    ("what is shown in any case under a condition", [
        {"type": "When", "props": {"has": "task"}, "children": [{"type": "BlockersList"}]},
    ]),
    ("what is shown in any case in short", [{"type": "Compact", "children": [{"type": "WarningBanner"}]}]),
    ("a section in an item", [{"type": "Each", "props": {"of": "notes"}, "children": [TASK]}]),
    ("a list in an item", [
        {"type": "Each", "props": {"of": "notes"}, "children": [
            {"type": "Each", "props": {"of": "errors"}, "children": ["a"]},
        ]},
    ]),
    ("a list with nothing to repeat", [{"type": "Each", "props": {"of": "notes"}, "children": []}]),
    ("a list that is none", [{"type": "Each", "props": {"of": "task"}, "children": ["a"]}]),
    ("no condition", [{"type": "When", "props": {}, "children": ["a"]}]),
    ("a field without a comparison", [{"type": "When", "props": {"field": "notes"}}]),
    ("a comparison without a field", [{"type": "When", "props": {"above": 1}}]),
    ("any and none", [{"type": "When", "props": {"any": "notes", "none": "notes"}}]),
    ("a text above a number", [{"type": "When", "props": {"field": "session.title", "above": 1}}]),
    ("a number that is a text", [{"type": "When", "props": {"field": "notes", "equals": "a"}}]),
    ("a text that it is never", [{"type": "When", "props": {"field": "usage.trend", "equals": "a"}}]),
    ("a field of another list's items", [
        {"type": "When", "props": {"has": "message", "any": "notes"}},
    ]),
]  # fmt: skip
"""A mistake of each kind that the check knows."""


@cache
def rules(name: str) -> Any:
    return read_gbnf(layout_grammar(STATES[name]))


@cache
def texts(name: str) -> st.SearchStrategy[str]:
    return texts_of(rules(name), 80)


@cache
def judge(name: str) -> Judge:
    return Judge(rules(name))


def spelt(data: Any) -> Any:
    """A tree as the grammar spells it: without keys, with a HUD around it."""
    hud = _spelt(data)
    return hud if hud["type"] == "Hud" else {"type": "Hud", "props": {}, "children": [hud]}


def _spelt(data: Any) -> Any:
    if isinstance(data, str):
        return data
    children = [_spelt(each) for each in data["children"]]
    return {"type": data["type"], "props": data["props"], "children": children}


def mistake_of(data: Any, state: type[State]) -> str:
    """What the check of ``layout.set`` says of a tree, sizes aside."""
    try:
        text = agent_layout_of_data(data, state)
    except (LayoutError, LoadError) as error:
        return str(error)
    return "; ".join(
        each.message
        for each in check_agent_layout(text, state)
        if "is the most" not in each.message
    )


SOME_PATHS = (
    ".", "task", "task.description", "notes", "next_steps", "errors", "content", "status", "description", "usage.trend",
    "usage.used", "session.title", "order", "risks", "owner", "owner.boss.boss.name", "owner.more.a.b", "owner.mixed.nam",
    "owner.mixed.name.x", "tags", "people", "things", "either", "done", "boss.name", "id", "updated_at", "nowhere", "task.no",
)  # fmt: skip
SOME_VALUES = ("red", "open", "todo", "a", 3, 0.5, True, None)
WRAPPERS: tuple[dict[str, Any], ...] = (
    {"type": "When", "props": {"level": "red"}},
    {"type": "Each", "props": {"of": "notes"}},
    {"type": "Each", "props": {"of": "risks"}},
    *({"type": name, "props": {}} for name in ("Compact", "TaskSection", "List", "Item", "Paragraph", "Strong")),
)  # fmt: skip


@st.composite
def changed(draw: st.DrawFn, name: str) -> Any:
    """A layout of the grammar with something else somewhere in it, right or wrong."""
    data = json.loads(draw(texts(name)))
    for _ in range(draw(st.integers(1, 2))):
        _change(draw, data, sorted(agent_vocabulary(STATES[name])))
    return data


def _change(draw: st.DrawFn, data: Any, names: list[str]) -> None:
    nodes = [*_nodes(data)]
    bound = [each for each in nodes if each["type"] in {"When", "Each", "Value"}]
    node: Any = draw(st.sampled_from([*bound * 3, *nodes]))
    props, children = node.setdefault("props", {}), node.setdefault("children", [])
    what = draw(st.sampled_from(["type", "prop", "no prop", "wrap", "leave", "copy", "add"]))
    if what == "type":
        node["type"] = draw(st.sampled_from(names))
    elif what == "prop":
        known = [
            "has",
            "lacks",
            "field",
            "equals",
            *ORDERS,
            "any",
            "none",
            "of",
            "level",
            "handle",
            "limit",
        ]
        prop = draw(st.sampled_from(sorted(props) or known) | st.sampled_from(known))
        props[prop] = draw(st.sampled_from(SOME_PATHS + SOME_VALUES))
    elif what == "no prop" and props:
        del props[draw(st.sampled_from(sorted(props)))]
    elif what == "add":
        child = {"type": draw(st.sampled_from(names)), "props": {}, "children": []}
        children.insert(draw(st.integers(0, len(children))), child)
    elif children:
        place = draw(st.integers(0, len(children) - 1))
        if what == "wrap":
            wrapper = copy.deepcopy(draw(st.sampled_from(WRAPPERS)))
            children[place] = {**wrapper, "children": [children[place]]}
        elif what == "leave":
            del children[place]
        elif what == "copy":
            children.append(copy.deepcopy(draw(st.sampled_from(nodes[1:])) if nodes[1:] else "a"))


def _nodes(data: Any) -> Any:
    if not isinstance(data, str):
        yield data
        for child in data.get("children", ()):
            yield from _nodes(child)


def in_order(data: Any, known: Any) -> Any:
    """A tree with its props in the order of their declaration."""
    if isinstance(data, str):
        return data
    names = [*known[data["type"]].model_fields]
    props = data.get("props", {})
    return {
        "type": data["type"],
        "props": {name: props[name] for name in [*names, *props] if name in props},
        "children": [in_order(child, known) for child in data.get("children", ())],
    }


class TestLayoutGrammar:
    @pytest.mark.parametrize("text", GOOD)
    def test_takes_layouts_that_can_be_shown(self, text: str) -> None:
        tree = read_layout(text, agent_vocabulary(STATES["small"]))
        assert not mistake_of(dump(tree), STATES["small"])
        assert judge("small")(json.dumps(spelt(dump(tree)), ensure_ascii=False))

    @pytest.mark.parametrize(("name", "children"), BAD, ids=[name for name, _ in BAD])
    def test_refuses_what_may_not_stand_in_one(self, name: str, children: list[Any]) -> None:
        data = {"type": "Hud", "children": children}
        assert mistake_of(data, STATES["small"])
        assert not judge("small")(json.dumps(data))

    @pytest.mark.parametrize("name", STATES)
    def test_takes_nothing_that_the_check_refuses(self, name: str) -> None:
        @settings(max_examples=settings().max_examples // 2, suppress_health_check=[*HealthCheck])
        @given(text=texts(name))
        def check(text: str) -> None:
            assert not mistake_of(json.loads(text), STATES[name])

        check()

    @pytest.mark.parametrize("name", STATES)
    def test_takes_what_the_check_takes_and_no_more(self, name: str) -> None:
        known = agent_vocabulary(STATES[name])
        told: list[bool] = []

        @settings(suppress_health_check=[*HealthCheck])
        @given(data=changed(name))
        def check(data: Any) -> None:
            mistake = mistake_of(data, STATES[name])
            if mistake:
                assert not judge(name)(json.dumps(in_order(data, known))), mistake
            else:
                assert judge(name)(json.dumps(spelt(dump(load(data, known)))))
            told.append(bool(mistake))

        check()
        assert 0 < sum(told) < len(told)

    def test_grows_by_what_can_be_asked_for(self) -> None:
        few = Domain("few", sections=(TaskSection, ContextBar)).state
        assert len(layout_grammar(few)) < 30_000
        assert len(layout_grammar(STATES["small"])) < 75_000
        assert len(layout_grammar(HudState)) < 150_000

    def test_of_an_unknown_syntax_is_an_error_with_the_nearest(self) -> None:
        with pytest.raises(SchemaError, match="is no syntax of grammars"):
            layout_grammar(HudState, syntax="bnf")


def takes(scopes: Any, use: Any, path: str) -> bool:
    """Whether the check lets a path stand for a use."""
    if use == "named":
        components: list[Any] = [When(has=path)]
    elif use == "shown":
        components = [Value(of=path)]
    elif isinstance(use, Items):
        [items] = [When(any=path).bindings(scopes)]
        return not any(items)
    else:
        components = [When(field=path, equals=text) for text in use.texts or ()]
        components += [When(field=path, equals="any text")] * (use.texts is None)
        components += [When(field=path, equals=1), When(field=path, equals=True)] * use.has_numbers
        components += [When(field=path, above=1)] * use.has_order
    return not any(error for each in components for error in each.bindings(scopes))


LONG = (
    "owner.boss.mixed.boss.name", "boss.boss.boss.boss.more.x.y", "boss.boss.boss.nam", "owner.more.a.b_1.C", "owner.more.9",
    "owner.mixed.names", "owner.mixed.name.x", "mixed.boss.mixed.nam.x", "people.name", "done", "tags", "people", "",
)  # fmt: skip


class TestPaths:
    SCOPES: tuple[Any, ...] = (
        ((STATES["careful"],),),
        ((Risk,), (STATES["careful"],)),
        ((Person,), (Risk,), (STATES["careful"],)),
        ((Any,), (STATES["careful"],)),
        ((Person, Any), (STATES["careful"],)),
        ((HudState,),),
    )

    @pytest.mark.parametrize("scopes", SCOPES, ids=str)
    def test_are_those_that_the_check_follows(self, scopes: Any) -> None:
        names = (
            "boss",
            "mixed",
            "more",
            "name",
            "nam",
            "owner",
            "task",
            "status",
            "things",
            "either",
            "_x",
            "9",
            "usage",
            "used",
        )
        each = [".", *names, *(".".join(some) for some in product(names, repeat=2)), *LONG]
        uses = {use: Judge({"root": _either(paths(scopes, use))}) for use in uses_in(scopes)}
        for path in each:
            for use, is_taken in uses.items():
                if not isinstance(use, Items | Compared):
                    assert is_taken(json.dumps(path)) is _follows(scopes, use, path), (use, path)
                elif is_taken(json.dumps(path)):
                    assert _follows(scopes, use, path), (use, path)


def _either(schema: Any) -> Any:
    from ujsx.schema._expressions import choice

    return choice([text_like(each) for each in schema.get("anyOf", [schema])])


def _follows(scopes: Any, use: Any, path: str) -> bool:
    try:
        return takes(scopes, use, path)
    except ValueError:  # no path at all
        return False


class TestEngines:
    @pytest.mark.parametrize(
        ("engine", "compile_", "syntax"),
        [("xgrammar", xgrammar_gbnf, "gbnf"), ("llguidance", llguidance_lark, "lark")],
    )
    @pytest.mark.parametrize("name", STATES)
    def test_read_the_grammars_of_layouts(
        self, engine: str, compile_: Any, syntax: str, name: str
    ) -> None:
        if find_spec(engine) is None:
            pytest.skip(f"{engine} is not installed")
        takes = compile_(layout_grammar(STATES[name], syntax=syntax))
        known = agent_vocabulary(STATES[name])

        @settings(suppress_health_check=[*HealthCheck], deadline=None)
        @given(text=texts(name), data=changed(name))
        def check(text: str, data: Any) -> None:
            assert takes(text), text
            other = json.dumps(in_order(data, known))
            assert takes(other) is judge(name)(other), other

        check()
