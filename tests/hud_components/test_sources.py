"""What others than the agent said says so, where its model asks for it."""

from __future__ import annotations

import itertools
from types import new_class
from typing import Any, ClassVar

import pytest

from hud_components import (
    CODING,
    Domain,
    Hud,
    HudItem,
    HudState,
    HudValue,
    ItemsSection,
    Line,
    Moment,
    NotesSection,
    ValueSection,
    Verb,
    parse,
)
from hud_components.declaring import HudModel
from hud_components.folding import least_trusted
from hud_components.layout import layout_vocabulary
from hud_runtime import HudStore
from tests.ids import looped
from ujsx import DefinitionError, Density, RenderContext, read_layout, render
from ujsx.elements import List

SOURCE = ("said_by", "said_in", "said_at")
"""The fields that say where an item is from."""


class Finding(HudItem):
    """Something that was found."""

    what: Line


class Findings(ItemsSection[Finding]):
    """What was found."""

    name = "findings"
    noun = "finding|findings"
    verbs = ("add", "update", "append", "replace")
    lines = {"full": "**{what}**", "compact": "{what}"}  # noqa: RUF012


class Asked(HudValue):
    """What is asked for."""

    what: Line


class Ask(ValueSection[Asked]):
    """What is asked for."""

    name = "ask"
    lines = {"full": "{what}"}  # noqa: RUF012


DESK: Domain[Any] = Domain("desk", [Ask, Findings])


def after(*said: tuple[str, str, dict[str, Any]]) -> Any:
    """The state after what these actors said."""
    state = DESK.state()
    for version, (actor, event_type, words) in enumerate(said, start=2):
        payload = DESK.payload(event_type)(**words)
        state = DESK.after(state, event_type, payload, Moment(version, version * 2, 0, actor))  # type: ignore[arg-type]
    return state


class TestAnItem:
    def test_knows_who_said_it_in_which_turn_and_event(self) -> None:
        [item] = after(("tool", "findings.add", {"what": "Port 8080"}))[Findings]
        assert (item.said_by, item.said_in, item.said_at) == ("tool", 4, 2)

    @looped(
        ("event_type", "words"),
        [
            ("findings.update", {"id": "f-2", "what": "Port 9090"}),
            ("findings.append", {"id": "f-2", "text": "and 9091"}),
            ("findings.replace", {"items": [{"id": "f-2", "what": "Port 9090"}]}),
        ],
    )
    def test_stays_as_untrusted_as_what_it_was_made_of(
        self, event_type: str, words: dict[str, Any]
    ) -> None:
        [item] = after(
            ("tool", "findings.add", {"what": "Port 8080"}), ("agent", event_type, words)
        )[Findings]
        assert (item.said_by, item.said_in, item.said_at) == ("tool", 6, 3)

    @looped(
        ("said_before", "by"),
        [({}, "user"), ({"details": "Seen in the log"}, "agent")],
    )
    def test_is_the_users_once_the_user_has_changed_all_of_it(
        self, said_before: dict[str, str], by: str
    ) -> None:
        added = CODING.payload("decision.record")(summary="Port 8080", **said_before)
        state = CODING.after(HudState(), "decision.record", added, Moment(2, 4, 1, "agent"))
        words = {"id": state.decisions[0].id, "summary": "Port 9090"}
        changed = CODING.payload("decision.update")(**words)
        after = CODING.after(state, "decision.update", changed, Moment(3, 6, 2, "user"))
        assert after.decisions[0].said_by == by
        text = render(Hud.of(after), density="compact")
        assert ("Port 9090 *said by the user*" in text) is (by == "user")

    def test_is_the_same_when_nothing_is_said_anew(self) -> None:
        first = after(("agent", "findings.add", {"what": "Port 8080"}))
        again = DESK.payload("findings.update")(id="f-2", what="Port 8080")
        assert DESK.after(first, "findings.update", again, Moment(3, 9, 9, "tool")) is first


class TestShown:
    def test_what_is_the_agents_own_says_nothing(self) -> None:
        state = after(("agent", "findings.add", {"what": "Port 8080"}))
        assert render(Findings(findings=state.findings)) == "# Findings\n\n- **Port 8080**\n"

    @looped("show_ids", [False, True])
    @looped("density", ["full", "compact"])
    def test_what_another_said_says_so_and_is_read_back(self, density: Any, show_ids: bool) -> None:
        made = (
            Finding(id="f-2", what="Port 8080", said_by="tool"),
            Finding(id="project:f-1", what="Python 3.11", said_by="user"),
            Finding(id="f-3", what="Mine"),
        )
        node = Findings(findings=made, show_ids=show_ids)
        text = render(node, density=density)
        assert "*said by a tool*" in text
        assert "*said by the user, from the project*" in text
        assert parse(text, vocabulary=[Findings]).children == (node.as_shown(density),)

    def test_of_one_value(self) -> None:
        state = after(("user", "ask.set", {"what": "A refund"}))
        node = Ask(ask=state.ask)
        assert render(node) == "# Ask\n\nA refund *said by the user*\n"
        assert render(node, density="compact") == "**Ask:** A refund *said by the user*\n"
        assert parse(render(node), vocabulary=[Ask]).children == (node.as_shown(),)

    @looped("what", ["Port 8080", "Port\n\n8080"])
    def test_in_a_list_of_all_as_well(self, what: str) -> None:
        told = render(
            List()[Findings.listing(Finding(id="f-2", what=what, said_by="tool"), RenderContext())]
        )
        assert "*said by a tool*" in told.splitlines()[0]
        assert "said by" not in render(
            List()[Findings.listing(Finding(id="f-2", what=what), RenderContext())]
        )

    def test_in_an_answer_that_tells_a_value(self) -> None:
        assert render(Ask.told(Asked(what="A refund", said_by="user"), RenderContext())).endswith(
            "*said by the user*\n"
        )

    def test_in_words_of_ones_own(self) -> None:
        from ujsx import RenderContext

        context = RenderContext(texts={"source.tool": "aus einem Werkzeug"})
        node = Findings(findings=(Finding(what="Port 8080", said_by="tool"),))
        assert "*aus einem Werkzeug*" in render(node, context=context)


class TestTrust:
    def test_a_tool_is_trusted_least(self) -> None:
        assert least_trusted("user", "agent") == "agent"
        assert least_trusted("host", "agent") == "host"
        assert least_trusted("tool", "host") == "tool"

    def test_nobody_fills_it_in(self) -> None:
        assert set(Findings.draft.model_fields) == {"what"}
        assert issubclass(Findings.draft, HudModel)


def corrected(items: tuple[Finding, ...], said: Correction, moment: Moment) -> tuple[Finding, ...]:
    """A verb of one's own, which knows nothing of sources."""
    last = items[-1].model_copy(update={"what": said.what})
    return (*items[:-1], last, Finding(id=f"f-{moment.version}", what="It was wrong before"))


def joined(items: tuple[Finding, ...], said: Correction, moment: Moment) -> tuple[Finding, ...]:
    """A verb of one's own that makes one item of all."""
    return (Finding(id=f"f-{moment.version}", what=", ".join(each.what for each in items)),)


def heard(items: tuple[Heard, ...], said: Any, moment: Moment) -> tuple[Heard, ...]:
    """What another section's event makes of this one."""
    return (*items, Heard(id=f"h-{moment.version}", what=f"They say {said.what}"))


def copied(items: tuple[Heard, ...], said: Any, moment: Moment) -> tuple[Heard, ...]:
    """An item that is made of what a tool said before."""
    return (Heard(id=items[0].id, what=said.text, said_by="tool"), *items[1:])


class Correction(HudModel):
    """What is right."""

    what: Line


class Heard(HudItem):
    """Something that was heard."""

    what: Line


class Hearsay(ItemsSection[Heard]):
    """What was heard."""

    name = "hearsay"
    lines = {"full": "*{what}*"}  # noqa: RUF012
    on = {"findings.add": heard, "findings.append": copied}  # noqa: RUF012


class Corrected(Findings):
    """What was found, and put right."""

    name = "findings"
    verbs = ("add", "append", "remove", "reorder", Verb("correct", corrected), Verb("join", joined))


def test_values_in_a_layout_say_it() -> None:
    state = after(
        ("user", "ask.set", {"what": "a login"}),
        ("tool", "findings.add", {"what": "Port 8080"}),
        ("agent", "findings.add", {"what": "Port 9090"}),
    )
    layout = '<Value of="ask.what"/>\n\n<Each of="findings">\n\n- <Value of=\'what\'/>\n\n</Each>'
    tree = read_layout(layout, layout_vocabulary())
    assert render(tree, context=RenderContext().with_value(state)) == (
        "a login *said by the user*\n\n- Port 8080 *said by a tool*\n- Port 9090\n"
    )


def test_history_and_search_say_it() -> None:
    with HudStore.open(":memory:", domain=DESK) as store:
        session = store.session("s")
        session.record("findings.add", what="Port 8080", actor="tool")
        session.record("findings.add", what="Port 9090")
        history = session.call("hud", {"op": "history"}).text
        found = session.call("hud", {"op": "search", "query": "port"})
    assert history.count("*said by a tool*") == 1
    assert found.text.count("*said by a tool*") == 1
    assert sorted(hit["actor"] for hit in found.data["hits"]) == ["agent", "tool"]


class TestFunctionsOfOnesOwn:
    @staticmethod
    def after(*said: tuple[str, str, dict[str, Any]]) -> Any:
        domain: Domain[Any] = Domain("rumours", [Corrected, Hearsay])
        state = domain.state()
        for version, (actor, event_type, words) in enumerate(said, start=2):
            payload = domain.payload(event_type)(**words)
            moment = Moment(version, version * 2, 0, actor)  # type: ignore[arg-type]
            state = domain.after(state, event_type, payload, moment)
        return state

    def test_make_what_the_actor_said(self) -> None:
        state = self.after(("tool", "findings.add", {"what": "Port 8080"}))
        [item] = state[Hearsay]
        assert (item.said_by, item.said_in, item.said_at) == ("tool", 4, 2)

    def test_change_what_stays_as_untrusted_as_it_was(self) -> None:
        state = self.after(
            ("host", "findings.add", {"what": "Port 8080"}),
            ("agent", "findings.correct", {"what": "Port 9090"}),
        )
        old, new = state[Corrected]
        assert (old.what, old.said_by, old.said_at) == ("Port 9090", "host", 3)
        assert (new.said_by, new.said_in, new.said_at) == ("agent", 6, 3)

    def test_make_one_of_several_which_is_as_untrusted_as_any_of_them(self) -> None:
        state = self.after(
            ("tool", "findings.add", {"what": "Port 8080"}),
            ("user", "findings.add", {"what": "Port 9090"}),
            ("agent", "findings.join", {"what": "all"}),
        )
        [item] = state[Corrected]
        assert (item.what, item.said_by, item.said_at) == ("Port 8080, Port 9090", "tool", 4)

    def test_may_say_that_something_is_less_trusted(self) -> None:
        state = self.after(
            ("agent", "findings.add", {"what": "Port 8080"}),
            ("agent", "findings.append", {"id": "f-2", "text": "and 9091"}),
        )
        [item] = state[Hearsay]
        assert (item.said_by, item.said_at) == ("tool", 3)

    def test_leave_what_they_do_not_change(self) -> None:
        said = [("tool", "findings.add", {"what": f"Port {n}"}) for n in range(3)]
        before = self.after(*said)
        state = self.after(*said, ("agent", "findings.correct", {"what": "x"}))
        assert state[Corrected][:2] == before[Corrected][:2]


class TestByDefault:
    def test_items_and_values_know_who_said_them(self) -> None:
        assert {"said_by", "said_in", "said_at"} <= {*HudItem.model_fields}
        assert {"said_by", "said_in", "said_at"} == {*HudValue.model_fields}

    def test_a_repr_tells_it_last_where_another_said_it(self) -> None:
        assert repr(Finding(what="x", said_at=3)) == "Finding(id='', what='x')"
        told = "Finding(id='', what='x', said_by='host', said_in=0, said_at=3)"
        assert repr(Finding(what="x", said_by="host", said_at=3)) == told


class TestWhoIsExpected:
    @looped(
        ("expected", "answer"),
        [
            ("agent", "'agent' is not a tuple; write expected_from = ('agent',)"),
            (("agent", "model"), "'model' is not a source; known:"),
        ],
    )
    def test_what_cannot_be_is_refused(self, expected: Any, answer: str) -> None:
        body = {"__module__": __name__, "__annotations__": {"what": Line}}
        alarm: Any = type("Alarm", (HudItem,), {**body, "expected_from": expected})
        said = {"__module__": __name__, "name": "alarms", "lines": {"full": "{what}"}}
        with pytest.raises(DefinitionError) as refused:
            new_class("Alarms", (ItemsSection[alarm],), {}, lambda made: made.update(said))
        assert answer in str(refused.value)


class TestOfTheCodingHud:
    @staticmethod
    def after(*said: tuple[str, str, dict[str, Any]]) -> HudState:
        state = HudState()
        for version, (actor, event_type, words) in enumerate(said, start=2):
            moment = Moment(version, version * 2, 0, actor)  # type: ignore[arg-type]
            state = CODING.after(state, event_type, CODING.payload(event_type)(**words), moment)
        return state

    SAID: ClassVar[dict[str, tuple[str, dict[str, Any]]]] = {
        "task": ("task.set", {"description": "Add a login"}),
        "decisions": ("decision.record", {"summary": "Use JWT", "details": "Stateless."}),
        "notes": ("note.add", {"content": "Port 8080"}),
        "next_steps": ("step.add", {"description": "Write the route"}),
        "blockers": ("blocker.add", {"description": "The login test fails"}),
        "active_files": ("file.open", {"path": "src/auth.py"}),
        "errors": ("error.encountered", {"message": "exit 1"}),
        "checks": ("check.result", {"name": "pytest", "command": "pytest", "result": "fail"}),
        "facts": ("fact.set", {"name": "branch", "value": "main"}),
        "where": ("message.said", {"text": "Shall I push it?"}),
        "rules": ("rule.add", {"text": "Never push to main."}),
    }
    """By field of the state, an event that makes its value, or an item."""

    def test_every_section_is_tried_here(self) -> None:
        assert self.SAID.keys() == CODING.fields.keys()
        assert all(each.is_sourced for each in CODING.fields.values())

    @looped("actor", ["user", "tool", "host"])
    @looped("field", SAID)
    def test_each_item_knows_who_said_it(self, field: str, actor: str) -> None:
        value = getattr(self.after((actor, *self.SAID[field])), field)
        item = value[0] if isinstance(value, tuple) else value
        assert (item.said_by, item.said_in, item.said_at) == (actor, 4, 2)
        assert item.model_dump(include={*SOURCE}) == dict(zip(SOURCE, (actor, 4, 2), strict=True))

    @looped("field", [each for each in SAID if each != "where"])
    def test_a_dump_of_what_the_agent_said_says_nothing_of_it(self, field: str) -> None:
        value = getattr(self.after(("agent", *self.SAID[field])), field)
        item = value[0] if isinstance(value, tuple) else value
        assert item.said_by == "agent"
        assert not {*SOURCE} & {*item.model_dump()}

    @looped(
        ("actor", "marked"),
        [
            ("agent", ()),
            ("user", ("decisions", "notes", "next_steps", "blockers")),
            ("tool", ("task", "decisions", "notes", "next_steps", "blockers", "rules")),
        ],
    )
    def test_what_would_be_a_surprise_is_marked(self, actor: Any, marked: tuple[str, ...]) -> None:
        for density in (Density.FULL, Density.COMPACT):
            for field in self.SAID:
                text = render(Hud.of(self.after((actor, *self.SAID[field]))), density=density)
                assert ("*said by " in text) == (field in marked), text

    def test_what_a_count_says_of_the_newest_is_the_agents_own(self) -> None:
        by_agent, by_tool = (
            NotesSection(notes=self.after((actor, *self.SAID["notes"])).notes, limit=1)
            for actor in ("agent", "tool")
        )
        newest = RenderContext(density=Density.MINIMAL, limit=1)
        assert "Port 8080" in str(by_agent.render(newest, ()))
        told = by_tool.as_shown_in(newest)
        assert told is not None
        assert [each.said_by for each in told.notes or ()] == ["tool"]

    def test_what_others_said_stays_theirs_where_the_agent_words_it_anew(self) -> None:
        [note] = self.after(
            ("tool", "note.add", {"content": "Port 8080"}),
            ("agent", "note.update", {"id": "n-2", "content": "Port 9090"}),
        ).notes
        assert (note.said_by, note.said_in, note.said_at) == ("tool", 6, 3)

    def test_what_the_user_said_is_the_agents_where_it_words_it_anew(self) -> None:
        [note] = self.after(
            ("user", "note.add", {"content": "Port 8080"}),
            ("agent", "note.update", {"id": "n-2", "content": "Port 9090"}),
        ).notes
        assert (note.said_by, note.said_in, note.said_at) == ("agent", 0, 0)

    def test_a_goal_that_a_tool_told_stays_a_tools_under_another_task(self) -> None:
        task = self.after(
            ("agent", "task.set", {"description": "Add a login"}),
            ("tool", "task.goal", {"goal": "Ship 2.0"}),
            ("agent", "task.set", {"description": "Add a logout"}),
        ).task
        assert task is not None
        assert (task.goal, task.said_by) == ("Ship 2.0", "tool")

    def test_a_state_is_its_dump(self) -> None:
        actors = itertools.cycle(["tool", "agent", "user", "host"])
        state = self.after(*((next(actors), *said) for said in self.SAID.values()))
        assert HudState.model_validate_json(state.model_dump_json()) == state


class Told(HudValue):
    """Something with a remark."""

    what: Line
    remark: Line | None = None


@looped(("base", "key"), [(ValueSection, None), (ItemsSection, "what")])
def test_a_line_whose_end_could_be_a_source_is_refused(base: Any, key: str | None) -> None:
    said = {"__module__": __name__, "name": "remarks", "verbs": ()}
    said |= {
        "lines": {"full": ("**{what}** *{remark}*", "**{what}**")},
        **({"key": key} if key else {}),
    }
    with pytest.raises(DefinitionError, match="could both write"):
        new_class("Tolds", (base[Told],), {}, lambda made: made.update(said))


def test_items_without_ids_are_marked_and_read_back() -> None:
    said = {
        "__module__": __name__,
        "name": "remarks",
        "key": "what",
        "verbs": (),
        "lines": {"full": "{what}"},
    }
    section: Any = new_class("Tolds", (ItemsSection[Told],), {}, lambda made: made.update(said))
    node = section(remarks=(Told(what="a", said_by="tool"), Told(what="b")))
    for density in Density:
        text = render(node, density=density)
        assert parse(text, vocabulary=[section]).children[0] == node.as_shown(density)
    assert "- a *said by a tool*\n- b\n" in render(node)


def test_a_values_answer_tells_what_its_line_does_not() -> None:
    said = {"__module__": __name__, "name": "remarks", "lines": {"full": "{what}"}}
    section: Any = new_class("ToldOne", (ValueSection[Told],), {}, lambda made: made.update(said))
    with HudStore.open(":memory:", domain=Domain("tell", [section])) as store:
        session = store.session("s")
        session.record("remarks.set", what="a", remark="b")
        answer = session.call("hud", {"op": "remarks.get"}).text
    assert answer.startswith("- what: a\n- remark: b\n")
