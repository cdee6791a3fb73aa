"""What history says is what the states before and after an event differ in."""

from __future__ import annotations

from string import Formatter
from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from hud_components import CODING, CodingEvent, HudState
from hud_components.folding import VERBS
from hud_components.words import cut, line
from hud_runtime import EventDraft, HudSession, HudStore, project
from hud_runtime.log.projection import (
    EVENT_FACTS,
    NOTHING,
    OF_THE_STORE,
    WIDTH,
    WORDS,
    described,
    story,
)
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.drafts import event_drafts
from tests.ids import looped

LISTS = ("decisions", "active_files", "next_steps", "notes", "blockers", "errors")

SAID: list[tuple[str, dict[str, Any], str]] = [
    ("session.title", {"title": "Sign-in"}, "session named: Sign-in"),
    ("session.title", {"title": "Sign-in"}, "session named: Sign-in; nothing changed"),
    ("task.set", {"description": "Add a login"}, "task set: Add a login"),
    ("task.update", {"description": "Add OAuth"}, "task reads: Add OAuth; it was: Add a login"),
    ("task.goal", {"goal": "Sign-in"}, "the goal: Sign-in"),
    ("check.result", {"name": "mypy", "command": "uv run mypy", "result": "pass"}, "mypy: pass"),
    ("fact.set", {"name": "branch", "value": "main"}, "branch: main"),
    ("rule.add", {"text": "Never push"}, "rule-9 holds: Never push"),
    ("rule.lift", {"id": "rule-9"}, "rule-9 lifted: Never push"),
    ("message.said", {"text": "Shall I push?"}, "said: Shall I push?"),
    ("message.said", {"text": "Shall I push?"}, "said: Shall I push?"),
    ("task.clear", {}, "task cleared; it was: Add OAuth"),
    ("task.clear", {}, "task cleared; nothing changed"),
    ("decision.record", {"summary": "JWT", "details": "Stateless", "id": "d"},
     "d recorded: JWT — Stateless"),
    ("decision.record", {"summary": "JWT"}, "d recorded: JWT; nothing changed"),
    ("decision.update", {"id": "d", "summary": "Sessions", "details": ""},
     "d changed: summary Sessions (was: JWT), no details (was: Stateless)"),
    ("decision.remove", {"id": "d"}, "d removed: Sessions"),
    ("note.add", {"content": "Port\n8080", "id": "n"}, "n added: Port 8080"),
    ("note.update", {"id": "n", "content": "Port 9090"},
     "n changed: content Port 9090 (was: Port 8080)"),
    ("note.remove", {"id": "n"}, "n removed: Port 9090"),
    ("file.open", {"path": "a.py"}, "a.py opened (reading)"),
    ("file.edit", {"path": "a.py"}, "a.py edited"),
    ("file.open", {"path": "a.py", "timestamp": 9_999_999}, "a.py opened (editing)"),
    ("file.close", {"path": "a.py"}, "a.py closed"),
    ("step.add", {"description": "one", "id": "s1"}, "s1 added: one"),
    ("step.add", {"description": "two", "id": "s2", "completed": True}, "s2 added: two (done)"),
    ("step.add", {"description": "three", "id": "s3"}, "s3 added: three"),
    ("step.add", {"description": "four", "id": "s4"}, "s4 added: four"),
    ("step.update", {"id": "s2", "completed": False}, "s2 changed: not completed: two"),
    ("step.complete", {"id": "s1"}, "s1 completed: one"),
    ("step.complete", {"id": "s1"}, "s1 completed: one; nothing changed"),
    ("step.reorder", {"ids": ["s3"]}, "s3 moved before s1"),
    ("step.reorder", {"ids": ["s1", "s2", "s3"]}, "s3 moved behind s2"),
    ("step.reorder", {"ids": ["s4", "s3"]}, "steps in another order: s4, s3, s1, s2"),
    ("step.reorder", {"ids": ["s4"]}, "steps in another order: s4, s3, s1, s2; nothing changed"),
    ("step.remove", {"id": "s4"}, "s4 removed: four"),
    ("error.encountered", {"message": "500", "id": "e"}, "e met: 500"),
    ("error.resolved", {"id": "e"}, "e resolved: 500"),
    ("blocker.add", {"description": "No key", "id": "b"}, "b in the way: No key"),
    ("blocker.update", {"id": "b", "description": "No keys"},
     "b changed: description No keys (was: No key)"),
    ("blocker.resolve", {"id": "b"}, "b resolved: No keys"),
    ("blocker.remove", {"id": "b"}, "b removed: No keys"),
    ("section.replace", {"next_steps": [{"id": "s2", "description": "two"},
     {"id": "s1", "description": "won"}, {"description": "new"}]},
     "next steps replaced: 1 new, 1 gone, 1 changed, 1 as before, in another order"),
    ("section.clear", {"section": "next_steps"}, "next steps (3) cleared"),
    ("section.clear", {"section": "notes"}, "notes cleared; nothing changed"),
    ("section.clear", {}, "all sections cleared: errors (1), checks (1), facts (1), where (2)"),
    ("section.pin", {"section": "steps"}, "next steps pinned open"),
    ("section.pin", {"section": "next_steps"}, "next steps pinned open; nothing changed"),
    ("section.fold", {"section": "next_steps"}, "next steps folded"),
    ("section.reset", {"section": "steps"}, "next steps shown as usual"),
    ("section.reset", {}, "all sections shown as usual; nothing changed"),
    ("context.snapshot", {"used": 190_000}, "context at 95.0% (190,000 of 200,000 tokens)"),
    ("context.intervention", {"level": "critical", "used": 190_000, "limit": 200_000},
     "the agent told that the context is critical, at 95.0% (190,000 of 200,000 tokens); nothing changed"),
    ("compact.before", {"reason": "full"}, "conversation about to be compacted: full; nothing changed"),
    ("compact.after", {"summary": "We built it."},
     "conversation compacted at 95.0% (190,000 of 200,000 tokens): We built it."),
    ("compact.failed", {"error": "no model answered"},
     "compaction failed: no model answered; nothing changed"),
    ("session.look", {"layout": "<Hud/>", "words": {"hud.title": "Lage"}, "digest": "a1"},
     "HUD given a layout and 1 words"),
    ("session.look", {"digest": "a2"}, "HUD given the usual look"),
    ("layout.reset", {}, "layout reset; nothing changed"),
    ("layout.set", {"layout": "<Hud>\n<NotesSection/>\n</Hud>"}, "layout set: <Hud> <NotesSection/> </Hud>"),
    ("layout.set", {"layout": "<Hud>\n<NotesSection/>\n</Hud>"},
     "layout set: <Hud> <NotesSection/> </Hud>; nothing changed"),
    ("layout.reset", {}, "layout reset"),
]  # fmt: skip


def recorded(drafts: list[EventDraft]) -> HudSession:
    session = HudStore.open(":memory:", clock=Ticking()).session("s")
    session.record_all(drafts, refused=lambda *_: None)
    return session


class TestWords:
    def test_there_are_some_for_every_type(self) -> None:
        assert set(WORDS) | set(CODING.section_events) == set(get_args(CodingEvent))
        assert all(each.verb.told for each in CODING.section_events.values())

    def test_have_nothing_in_them_that_is_not_told(self) -> None:
        told = [*(each.verb.told for each in CODING.section_events.values())]
        told += [verb.told for verb in VERBS.values()]
        holes = {
            name
            for words in (*WORDS.values(), *OF_THE_STORE.values(), *told)
            for _, name, _, _ in Formatter().parse(words)
        }
        assert holes - {None} == set(EVENT_FACTS)

    def test_say_what_each_event_does(self) -> None:
        assert {name for name, _, _ in SAID} == set(get_args(CodingEvent)) - {"session.start"}
        with HudStore.open(":memory:", clock=Ticking()) as store:
            session = store.session("s", "shop")
            for name, payload, _ in SAID:
                session.record(name, **payload)  # type: ignore[arg-type]
            lines = [words for _, words in story(session.events(), HudState())]
        assert lines == ["session began, project shop", *(words for _, _, words in SAID)]

    def test_of_a_session_tell_what_it_inherits(self) -> None:
        with HudStore.open(":memory:") as store:
            parent = store.session("parent")
            parent.record("task.set", description="Add a login")
            parent.record("decision.record", summary="JWT")
            child = store.session("child", parent="parent")
            assert [words for _, words in story(child.events(), HudState())] == [
                "session began, parent parent, with the task Add a login, decisions (1)"
            ]

    @given(st.lists(event_drafts, max_size=15))
    def test_agree_with_the_fold(self, drafts: list[EventDraft]) -> None:
        before = HudState()
        for event, words in story(recorded(drafts).events(), before):
            after = project(before, event)
            fields = {n for n, was in before if getattr(after, n) != was} - {"updated_at"}
            assert words.endswith(NOTHING) == (not fields)
            for name in fields & {*LISTS}:
                if event.type not in ("section.clear", "section.replace", "step.reorder"):
                    names = changed(getattr(before, name), getattr(after, name))
                    assert all(each in words for each in names)
            before = after

    @given(event_drafts)
    def test_are_one_line_of_bounded_length(self, draft: EventDraft) -> None:
        for event in recorded([draft]).events():
            assert len(described(event).splitlines()) <= 1
            assert len(described(event)) <= 6 * WIDTH

    def test_of_much_name_a_few(self) -> None:
        session = recorded([EventDraft("step.add", {"description": str(n)}) for n in range(50)])
        ids = [step.id for step in session.state().next_steps]
        session.record("step.reorder", ids=ids[::-1])
        assert next(story([*session.events()][-1:], session.state(51)))[1] == (
            "steps in another order: s-51, s-50, s-49, s-48, s-47, s-46, 44 more"
        )

    @looped("name", ["a b", "x" * 500, "a\nb"])
    def test_of_a_long_path_are_cut(self, name: str) -> None:
        with HudStore.open(":memory:") as store:
            event = store.session("s").record("file.edit", path=name)
        assert len(described(event)) < 200
        assert "\n" not in described(event)


def changed(before: tuple[Any, ...], after: tuple[Any, ...]) -> set[str]:
    """The names of what is in one and not in the other, as a line shows them."""
    names = {getattr(one, "id", "") or getattr(one, "path", "") for one in {*before} ^ {*after}
             if not is_renumbered(one, before, after)}  # fmt: skip
    return {cut(line(name), WIDTH) for name in names}


def is_renumbered(one: Any, before: tuple[Any, ...], after: tuple[Any, ...]) -> bool:
    """Whether a step only has another place."""
    place = {"order": 0}
    return hasattr(one, "order") and all(
        one.model_copy(update=place) in [each.model_copy(update=place) for each in items]
        for items in (before, after)
    )
