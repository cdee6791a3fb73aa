"""A Markdown file of a project is read into a session, and a session written into it: all else keeps its bytes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from difflib import SequenceMatcher
from types import MappingProxyType
from typing import Any

import pytest

from hud_components import (
    UNSET,
    Domain,
    HudItem,
    ItemsProp,
    ItemsSection,
    NotesSection,
    TaskSection,
)
from hud_runtime import HudSession, HudStore, Secrets
from hud_runtime.editing import EditError, MarkdownFile, drafts_of, written_into
from tests.hud_runtime.clock import Ticking

AGENTS = """\
---
owner: Ada
---
AGENTS.md
=========

Read me first.

## Coding conventions

* Use **uv**, see [its docs](https://docs.example/uv).
* Run `make test`:
    * and `make lint`

### Don't

+ push to main

## Plan: Move to v2

- [x] Write it
- [ ] Test __it__

Decisions
---------

1) **Use JWT** — stateless
1) Ask Ada

## Build

```sh
make   # Rules
```

| a | b |
|---|---|
"""


class Risk(HudItem):
    what: str


class Risks(ItemsSection[Risk]):
    """What may go wrong."""

    name = "risks"
    aliases = ("dangers",)
    lines = MappingProxyType({"full": "{what}"})

    risks: ItemsProp[Risk] = UNSET


@pytest.fixture
def session() -> Iterator[HudSession]:
    with HudStore.open(":memory:", clock=Ticking()) as store:
        yield store.session("s")


def read(session: HudSession[Any], text: str, name: str = "AGENTS.md") -> MarkdownFile:
    return MarkdownFile(text, session.domain, name)


def take(session: HudSession[Any], text: str, name: str = "AGENTS.md") -> int:
    drafts = drafts_of(read(session, text, name), session)
    session.record_all(drafts)
    return len(drafts)


def write(session: HudSession[Any], text: str) -> str:
    return written_into(read(session, text), session).text


class TestReading:
    def test_takes_what_is_under_headings_that_name_sections(self, session):
        take(session, AGENTS)
        state = session.state()
        assert [rule.text for rule in state.rules] == [
            "Use uv, see its docs (https://docs.example/uv).",
            "Run `make test`: and `make lint`",
            "Don't: push to main",
        ]
        assert [(step.description, step.completed) for step in state.next_steps] == [
            ("Write it", True),
            ("Test it", False),
        ]
        assert [(one.summary, one.details) for one in state.decisions] == [
            ("Use JWT", "stateless"),
            ("Ask Ada", ""),
        ]

    def test_lists_what_it_does_not_understand(self, session):
        left = read(session, AGENTS).left
        assert [(each.line, each.text[:5]) for each in left] == [
            (1, "owner"),
            (7, "Read "),
            (32, "make "),
            (36, "ab"),
        ]

    def test_says_that_a_tool_said_it_unless_its_user_vouches_for_it(self, session):
        file = read(session, AGENTS)
        assert {draft.actor for draft in drafts_of(file, session)} == {"tool"}
        assert {draft.actor for draft in drafts_of(file, session, "user")} == {"user"}
        take(session, AGENTS)
        assert "- Don't: push to main *said by a tool*" in session.hud().text

    @pytest.mark.parametrize(
        ("name", "text", "found"),
        [
            ("notes.md", "Port 8080\n\n# Ports\n\n- 8081\n", ["Port 8080", "8081"]),
            ("x.md", "# 🧠 2. Lessons learned\n\n- a\n\n# Other\n\n- b\n", ["a"]),
            ("x.md", "# Notes (2026)\n\nThese:\n\n> quoted\n\n- a\n", ["a"]),
            ("x.md", "# Notes\n\n## Build\n\n### CI\n\n- a\n", ["Build: CI: a"]),
        ],
    )
    def test_takes_notes(self, session, name, text, found):
        take(session, text, name)
        assert [note.content for note in session.state().notes] == found

    def test_takes_one_value(self, session):
        assert take(session, "# Goal\n\nShip *it*\n\nand more\n") == 1
        assert session.state().task.description == "Ship it"

    def test_takes_a_list_of_tasks_for_steps_wherever_it_is(self, session):
        assert take(session, "# Phase 1\n\n- [ ] a\n- b\n") == 1

    def test_takes_nothing_twice_nor_what_was_removed_since(self, session):
        take(session, AGENTS)
        assert take(session, AGENTS) == 0
        session.record("step.remove", id=session.state().next_steps[0].id)
        assert take(session, AGENTS) == 0

    def test_changes_the_item_whose_line_was_edited(self, session):
        take(session, AGENTS)
        before = session.state()
        edited = (
            AGENTS.replace("its docs]", "all of its docs]")
            .replace("[ ] Test __it__", "[x] Test __it__ twice")
            .replace("**Use JWT** — stateless", "**Use JWTs** — with expiry")
            .replace("Ask Ada", "Ask Ada\n1) Ask Bob too")
        )
        assert take(session, edited) == 6
        state = session.state()
        assert [rule.text for rule in state.rules] == [
            "Run `make test`: and `make lint`",
            "Don't: push to main",
            "Use uv, see all of its docs (https://docs.example/uv).",
        ]
        assert [(step.id, step.description, step.completed) for step in state.next_steps] == [
            (before.next_steps[0].id, "Write it", True),
            (before.next_steps[1].id, "Test it twice", True),
        ]
        assert [(one.summary, one.details) for one in state.decisions] == [
            ("Use JWTs", "with expiry"),
            ("Ask Ada", ""),
            ("Ask Bob too", ""),
        ]
        assert state.decisions[0].id == before.decisions[0].id
        assert take(session, edited) == 0
        assert write(session, edited) == edited

    def test_completes_a_step_that_was_ticked_in_the_file_once(self, session):
        take(session, AGENTS)
        ticked = AGENTS.replace("[ ] Test", "[x] Test")
        assert take(session, ticked) == 1
        step = session.state().next_steps[1]
        assert (step.description, step.completed) == ("Test it", True)
        assert write(session, ticked) == ticked
        session.record("step.update", id=step.id, completed=False)
        assert take(session, ticked) == 0
        assert write(session, ticked) == AGENTS

    def test_leaves_what_the_agent_said_alone_where_a_near_line_is_new(self, session):
        session.record("note.add", content="Port 8080")
        assert take(session, "# Notes\n\n- Port 8081\n") == 1
        assert [note.content for note in session.state().notes] == ["Port 8080", "Port 8081"]

    def test_changes_what_the_agent_said_where_its_line_stood_between_the_marks(self, session):
        session.record("note.add", content="Port 8080")
        text = write(session, "Hello.\n").replace("Port 8080", "Port 8081")
        take(session, text)
        assert [note.content for note in session.state().notes] == ["Port 8081"]

    def test_lets_a_tool_lift_no_rule_of_the_users(self, session):
        text = "# Rules\n\n- Never push to main\n"
        session.record_all(drafts_of(read(session, text), session, "user"))
        take(session, text.replace("Never", "Always"))
        rules = session.state().rules
        assert [(rule.text, rule.said_by) for rule in rules] == [
            ("Never push to main", "user"),
            ("Always push to main", "tool"),
        ]

    def test_adds_a_line_that_could_be_an_edit_of_several(self, session):
        take(session, "# Notes\n\n- Port 8080\n- Port 8081\n")
        assert take(session, "# Notes\n\n- Port 808\n") == 1
        assert len(session.state().notes) == 3

    def test_changes_the_item_of_a_line_that_goes_on(self, session):
        text = "# Notes\n\n- Two.\n- Go\n"
        take(session, text)
        before = session.state().notes
        assert take(session, text.replace("Two.", "Two of the three ports are open")) == 1
        assert [note.id for note in session.state().notes] == [note.id for note in before]

    def test_changes_no_step_that_is_over_for_a_new_one(self, session):
        take(session, AGENTS)
        assert take(session, AGENTS.replace("- [x] Write it\n", "- [ ] Write it all\n")) == 1
        assert [step.completed for step in session.state().next_steps] == [True, False, False]

    def test_knows_a_line_again_of_which_a_secret_was_masked(self):
        text = "# Notes\n\n- token ghp_" + "a1B2c3D4e5F6" * 3 + "\n"
        with HudStore.open(":memory:", secrets=Secrets("mask")) as store:
            session = store.session("s")
            assert (take(session, text), take(session, text)) == (1, 0)
            assert "ghp_a1" not in session.state().notes[0].content
            assert write(session, text) == text

    def test_takes_the_sections_of_a_domain_by_their_names(self):
        domain = Domain("desk", [TaskSection, Risks, NotesSection])
        with HudStore.open(":memory:", domain=domain) as store:
            session = store.session("s")
            text = "# Dangers\n\n- fire\n\n# Other\n\n- none here\n"
            assert take(session, text) == 1
            session.record("risks.add", what="flood")
            assert write(session, text) == text.replace("- fire\n", "- fire\n- flood\n")

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ('<!-- ujsx: HUD of "s" -->\n', "has no <!-- ujsx: end -->"),
            ("<!-- ujsx: end -->\n", "ends nothing"),
            (
                '<!-- ujsx: HUD of "\\q" -->\n\n<!-- ujsx: end -->\n',
                "line 3: .* is not a session's name",
            ),
            ('<!-- ujsx: HUD of "s" -->\n\n<!-- ujsx: HUD of "s" -->\n', "has no"),
        ],
    )
    def test_refuses_marks_without_their_ends(self, session, text, why):
        with pytest.raises(EditError, match=why):
            read(session, f"a\n\n{text}")


class TestWriting:
    def test_changes_nothing_that_is_as_it_was(self, session):
        take(session, AGENTS)
        assert write(session, AGENTS) == AGENTS
        crlf = "\ufeff" + AGENTS.replace("\n", "\r\n")
        assert write(session, crlf) == crlf

    def test_changes_the_lines_of_the_items_that_changed(self, session):
        take(session, AGENTS)
        state = session.state()
        session.record("step.complete", id=state.next_steps[1].id)
        session.record("step.add", description="Ship #1")
        session.record("rule.lift", id=state.rules[1].id, actor="user")
        session.record("rule.add", text="Use *tabs*", actor="user")
        assert write(session, AGENTS) == AGENTS.replace(
            "* Run `make test`:\n    * and `make lint`\n", "* Use \\*tabs\\*\n"
        ).replace("- [ ] Test __it__\n", "- [x] Test __it__\n- [ ] Ship #1\n")

    def test_puts_sections_without_a_heading_between_marks_and_replaces_them_there(self, session):
        take(session, AGENTS)
        note = session.record("note.add", content="Port\n\n8080").payload.id
        session.record("task.set", description="Ship it")
        once = write(session, AGENTS)
        assert once.startswith(AGENTS)
        assert write(session, once) == once
        assert drafts_of(read(session, once), session) == ()
        session.record("note.update", id=note, content="Port 8081")
        assert write(session, once) == once.replace("Port\n\n    8080\n", "Port 8081\n")
        session.record("note.remove", id=note)
        session.record("task.clear")
        emptied = write(session, once)
        assert emptied.startswith(AGENTS)
        assert "8080" not in emptied
        assert "Ship it" not in emptied

    def test_refuses_to_lose_a_line_between_the_marks(self, session):
        session.record("note.add", content="Port 8080")
        text = write(session, "Hello.\n").replace("- Port 8080\n", "- Port 8080\n- mine\n")
        with pytest.raises(EditError, match=r"line 8: 'mine' is between the marks"):
            write(session, text)
        take(session, text)
        assert "- mine\n" in write(session, text)

    def test_leaves_the_part_of_another_session_alone(self, session):
        session.record("note.add", content="Port 8080")
        text = write(session, "Hello.\n").replace('"s"', '"t"')
        assert drafts_of(read(session, text), session) == ()
        assert write(session, text).startswith(text)

    def test_leaves_and_names_lines_that_the_session_never_knew(self, session):
        session.record("note.add", content="one")
        written = written_into(read(session, "# Notes\n\n- theirs\n"), session)
        assert written.text == "# Notes\n\n- theirs\n- one\n"
        assert [entry.text for entry in written.unknown] == ["theirs"]

    def test_leaves_an_edited_line_and_does_not_add_its_item_again(self, session):
        take(session, AGENTS)
        session.record("step.add", description="Ship it")
        edited = AGENTS.replace("- [ ] Test __it__", "- [ ] Test __it__ twice")
        written = written_into(read(session, edited), session)
        assert written.text == edited.replace("twice\n", "twice\n- [ ] Ship it\n")
        assert [entry.text for entry in written.unknown] == ["Test it twice"]

    def test_adds_an_item_under_the_heading_whose_words_it_begins_with(self, session):
        take(session, AGENTS)
        session.record("rule.add", text="Don't: delete *tags*", actor="user")
        session.record("rule.add", text="Don't: ", actor="user")
        new = AGENTS.replace("to main\n", "to main\n+ delete \\*tags\\*\n")
        assert write(session, AGENTS) == new.replace(
            "    * and `make lint`\n", "    * and `make lint`\n* Don't:\n"
        )

    def test_fills_a_heading_without_lines(self, session):
        text = "# Rules\n\n- a\n\n## Don't\n\n## Do\n\n- b\n"
        take(session, text)
        session.record("rule.add", text="Don't: c", actor="user")
        assert write(session, text) == text.replace("Don't\n", "Don't\n\n- c\n")

    @pytest.mark.parametrize("text", ["# Notes\n\n- a\n", "Hello.\n"])
    def test_writes_no_marks_of_sources(self, session, text):
        session.record("note.add", content="Port 8080", actor="tool")
        session.record("rule.add", text="Use tabs")
        session.record("rule.add", text="Ask", actor="user")
        session.record("rule.lift", id=session.state().rules[1].id)
        assert " *" in session.hud().text
        assert "*" not in write(session, f"# Rules\n\n- Ask\n\n{text}")

    def test_adds_no_rule_that_is_proposed_to_be_lifted(self, session):
        text = "# Rules\n\n- Never push to main\n"
        session.record_all(drafts_of(read(session, text), session, "user"))
        edited = text.replace("Never", "Always")
        take(session, edited)
        written = written_into(read(session, edited), session)
        assert written.text == edited
        assert [(each.text, each.is_added) for each in written.without_line] == [
            ("Never push to main", False)
        ]

    def test_keeps_two_lists_apart_when_what_parted_them_goes(self, session):
        text = "# Notes\n\n- a\n\nb\n\n- c\n"
        take(session, text)
        session.record("note.remove", id=session.state().notes[1].id)
        assert write(session, text) == "# Notes\n\n- a\n\n<!-- -->\n\n- c\n"

    def test_leaves_no_space_where_an_indented_list_was(self, session):
        text = "# Notes\n\n  - a\n  - b\n\n# Other\n"
        take(session, text)
        for note in session.state().notes:
            session.record("note.remove", id=note.id)
        assert write(session, text) == "# Notes\n\n# Other\n"

    def test_an_imported_text_never_becomes_structure(self, session):
        text = "# Notes\n\n- \\# Rules\n- \\<!-- ujsx: end -->\n- `- [ ] x`\n"
        take(session, text)
        other = write(session, "Hello.\n")
        file = read(session, other)
        assert [entry.text for entry in file.entries] == [
            note.content for note in session.state().notes
        ]
        assert {entry.kind.name for entry in file.entries} == {"notes"}

    @pytest.mark.parametrize("seed", range(8))
    def test_any_text_is_written_as_text(self, session, seed):
        rng = random.Random(seed)
        for number in range(12):
            words = [rng.choice(HOSTILE) for _ in range(rng.randint(1, 5))]
            session.record(rng.choice(["step.add", "note.add"]), f"{''.join(words)} {number}")
        for before in ("Hello.\n", "# Plan\n\n1. a\n", "> quote"):
            once = write(session, before)
            assert once.startswith(before)
            file = read(session, once)
            assert not [
                draft for draft in drafts_of(file, session) if draft.payload != {"description": "a"}
            ]
            assert (
                len([entry for entry in file.entries if entry.part == "s" or before[0] == "#"])
                >= 12
            )
            assert write(session, once) == once

    @pytest.mark.parametrize("seed", range(20))
    def test_any_file_keeps_its_other_lines(self, session, seed):
        rng = random.Random(seed)
        text = "\n".join(rng.choice(BLOCKS) for _ in range(rng.randint(1, 14)))
        take(session, text)
        assert write(session, text) == text
        gone: set[str] = set()
        for note in session.state().notes:
            if rng.random() < 0.4:
                gone.add(note.content)
                session.record("note.remove", id=note.id)
            elif rng.random() < 0.4:
                gone.add(note.content)
                session.record("note.update", id=note.id, content=f"new *{rng.random()}*")
        session.record("note.add", content="one *more*")
        file = read(session, text)
        touched = {
            line
            for entry in file.entries
            if entry.text in gone
            for line in range(entry.line - 1, entry.node.position.end.line)
        }
        new = written_into(file, session).text
        old, now = text.splitlines(), new.splitlines()
        for what, start, end, *_ in SequenceMatcher(None, old, now, autojunk=False).get_opcodes():
            if what in ("replace", "delete"):
                lost = [old[line] for line in range(start, end) if line not in touched]
                assert not [line for line in lost if line.strip()]
        assert write(session, new) == new


HOSTILE = (
    "# Rules",
    "\n\n",
    "- [ ] x",
    "<!-- ujsx: end -->",
    '<!-- ujsx: HUD of "s" -->',
    "```",
    "~~~",
    "1. ",
    "> ",
    "[x]: /y",
    "[^1]",
    "| a |",
    "***",
    "---",
    "<b>",
    "&amp;",
    "\\",
    "~~gone~~",
    "*said by the user*",
    "**",
    "` `",
    "a",
)
BLOCKS = (
    "# Notes\n",
    "Notes\n-----\n",
    "## Build ##\n",
    "### Rules\n",
    "* _a_ `b`\n* c\n\n  d\n",
    "1) one\n1) two\n   - deeper\n",
    "- [ ] do\n- [X] done\n",
    "A paragraph with [a link][x],\nin two lines.\n",
    "```md\n# Notes\n- no item\n```\n",
    "<details>\n\n- in HTML\n\n</details>\n",
    "> # Notes\n> - quoted\n",
    "| a | b |\n|:--|--:|\n| 1 | 2 |\n",
    "[x]: /y 'z'\n",
    "***\n",
    "    code\n",
)
