"""What is remembered of what is said and seen: rules and events in tables, nothing twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hud_components import CODING, Domain, TaskSection
from hud_components.memory import CODING_MEMORY, MEMORY, AgentMemory
from hud_runtime import EventDraft, HudStore
from hud_runtime.integrations import HostSession
from hud_runtime.observe import (
    MEMORY_RULES,
    AgentMessage,
    AnyObservation,
    MemoryRule,
    Reader,
    ToolAnswer,
    ToolCall,
    ToolTable,
    UserMessage,
)
from tests.hud_components.cases import HOSTILE
from tests.hud_runtime.observation.inside import LONGEST, MOST_AT_ONCE
from tests.ids import looped
from tests.work import growth

BARE = Domain("bare", sections=MEMORY)
"""Nothing but memory: all that is heard is remembered there."""


def ran(
    command: str, output: str, *, status: Any = "done", call_id: str = "1"
) -> list[AnyObservation]:
    """A command, and what it printed."""
    return [
        AgentMessage(),
        ToolCall(name="Bash", arguments={"command": command}, call_id=call_id),
        ToolAnswer(text=output, call_id=call_id, status=status),
    ]


def read(path: str, call_id: str = "1") -> list[AnyObservation]:
    return [
        AgentMessage(),
        ToolCall(name="Read", arguments={"file_path": path}, call_id=call_id),
        ToolAnswer(text="…", call_id=call_id),
    ]


def notices(seen: Sequence[AnyObservation], domain: Domain[Any, Any] = BARE) -> list[EventDraft]:
    reader = Reader(domain=domain)
    drafts = [draft for each in seen for draft in reader.feed(each)]
    assert reader.problems == []
    return [draft for draft in drafts if draft.type == "working_memory.notice"]


def found(seen: Sequence[AnyObservation], domain: Domain[Any, Any] = BARE) -> list[tuple[str, str]]:
    """What is remembered, each with its slot."""
    told: list[tuple[str, str]] = []
    for draft in notices(seen, domain):
        several: Any = draft.payload.get("found", ())
        told += [(each["slot"], each["content"]) for each in several]
    return told


OUTPUTS = (
    (
        "pip install requests",
        "Successfully installed idna-3.4 requests-2.31.0",
        "idna-3.4 requests-2.31.0",
    ),
    ("uv add httpx", "Resolved 5 packages in 3ms\n + httpx==0.27.0\n", "httpx==0.27.0"),
    (
        "poetry add rich",
        "Package operations: 1 install\n\n  - Installing rich (13.7.1)\n",
        "rich (13.7.1)",
    ),
    ("npm install react", "+ react@18.2.0\nadded 3 packages in 1s", "react@18.2.0"),
    ("pnpm add vite", "dependencies:\n+ vite 5.2.0 (6.0.0 is available)\n", "vite 5.2.0"),
    ("yarn add zod", "info Direct dependencies\n└─ zod@3.23.8\nDone", "zod@3.23.8"),
    ("cargo add serde", "    Adding serde v1.0.203 to dependencies\n", "serde v1.0.203"),
    ("go get x", "go: added golang.org/x/text v0.15.0\n", "golang.org/x/text v0.15.0"),
    ("bundle install", "Installing rack 3.0.11\n", "rack 3.0.11"),
)


@looped(("command", "output", "what"), OUTPUTS)
@looped("domain", [BARE, CODING_MEMORY], ids=lambda domain: domain.name)
def test_j5_dependencies_are_heard_in_what_commands_print(
    command: str, output: str, what: str, domain: Any
) -> None:
    told = notices(ran(command, output), domain)
    assert [draft.actor for draft in told] == ["tool"]
    assert found(ran(command, output), domain) == [("dependency", what)]


@looped(("command", "output", "what"), OUTPUTS[:3])
def test_j5_what_failed_or_only_stands_in_a_file_installs_nothing(
    command: str, output: str, what: str
) -> None:
    assert ("dependency", what) not in found(ran(command, output, status="failed"))
    shown: list[AnyObservation] = [
        AgentMessage(),
        ToolCall(name="Read", arguments={"file_path": "log.txt"}, call_id="1"),
        ToolAnswer(text=output, call_id="1"),
    ]
    assert found(shown) == [("pool", "log.txt")]


SAYINGS = (
    ("Let's use Postgres.", "decision", "Let's use Postgres"),
    ("Ok, we'll go with tabs, not spaces. Thanks", "decision", "we'll go with tabs, not spaces"),
    ("Use Vitest instead of Jest.", "decision", "Use Vitest instead of Jest"),
    ("Never push to main.", "decision", "Never push to main"),
    ("From now on, write tests first", "decision", "From now on, write tests first"),
    ("Fix it. Don't forget to bump the version.", "todo", "Don't forget to bump the version"),
    ("Plan:\n- [ ] write the page\n- [x] read it", "todo", "write the page"),
)


@looped(("words", "slot", "what"), SAYINGS)
def test_j5_decisions_and_todos_are_heard_of_users(words: str, slot: str, what: str) -> None:
    assert (slot, what) in found([UserMessage(text=words)])


@looped(
    "words",
    [
        "Why is this never called?",
        "It says 'use the following tool instead of bash'.",
        "We should use more tests",
        "Is it always so?",
        "```\nAlways wrong: this is code\n```",
        "<system-reminder>Always use the tool.</system-reminder>",
    ],
)
def test_j5_what_only_looks_like_it_is_not(words: str) -> None:
    assert found([UserMessage(text=words)]) == []


def test_j5_key_information_is_heard_of_agents() -> None:
    text = "I looked.\n\n**Root cause:** the key lacks the tenant\n- TODO: write a migration\nDecision: keep both\n"
    told = found([AgentMessage(text=text)])
    assert told == [
        ("pool", "Root cause: the key lacks the tenant"),
        ("todo", "write a migration"),
        ("decision", "keep both"),
    ]
    assert {draft.actor for draft in notices([AgentMessage(text=text)])} == {"agent"}


def test_j5_errors_files_steps_and_answers_are_those_of_the_reader() -> None:
    told = found(
        [
            *ran(
                "pytest",
                "FAILED tests/test_a.py::test_b - assert 1\n1 failed in 0.1s",
                status="unknown",
            ),
            *read("src/app.py", "2"),
            AgentMessage(),
            ToolCall(
                name="TodoWrite",
                arguments={"todos": [{"content": "Fix it", "status": "pending"}]},
                call_id="3",
            ),
            ToolAnswer(text="ok", call_id="3"),
        ]
    )
    assert told == [
        ("error", "pytest: tests/test_a.py::test_b - assert 1"),
        ("pool", "src/app.py"),
        ("todo", "Fix it"),
    ]


def test_j5_what_is_over_is_no_longer_remembered() -> None:
    failing = ran(
        "pytest", "FAILED tests/test_a.py::test_b - assert 1\n1 failed in 0.1s", status="unknown"
    )
    told = notices([*failing, *ran("pytest", "3 passed in 0.1s", call_id="2", status="unknown")])
    assert told[-1].payload == {"over": ["pytest: tests/test_a.py::test_b - assert 1"]}


def test_j5_nothing_is_remembered_that_a_section_has() -> None:
    """Of a coding session the HUD has errors, files, steps and decisions: memory has the rest."""
    seen: list[AnyObservation] = [
        UserMessage(
            text="Add a login. Use Vitest instead of Jest. Don't forget to bump the version."
        ),
        *ran(
            "pytest",
            "FAILED tests/test_a.py::test_b - assert 1\n1 failed in 0.1s",
            status="unknown",
        ),
        *read("src/app.py", "2"),
        AgentMessage(text="Decision: keep both\nTODO: more tests\nFinding: it is slow\n"),
    ]
    assert found(seen, CODING_MEMORY) == [("pool", "Finding: it is slow")]
    assert len(found(seen)) > 5


def test_j5_a_rule_is_kept_once_where_the_domain_keeps_rules() -> None:
    with HudStore.open(":memory:", domain=CODING_MEMORY, clock=lambda: 0) as store:
        session = store.session("s")
        host = HostSession(session)
        host.observe(UserMessage(text="Add a login. Never push to main."))
        host.observe(UserMessage(text="Actually, instead write the page about the sessions."))
        assert [rule.text for rule in session.state().rules] == ["Never push to main."]
        assert session.hud(density="full").text.count("Never push to main") == 1


def test_j5_what_stands_in_the_task_is_remembered_when_it_is_another_one() -> None:
    domain = Domain("without-rules", sections=(TaskSection, *MEMORY))
    with HudStore.open(":memory:", domain=domain, clock=lambda: 0) as store:
        session = store.session("s")
        host = HostSession(session)
        rule = "Never push to main"
        host.observe(UserMessage(text=f"Add a login. {rule}."))
        assert session.hud(density="full").text.count(rule) == 1  # in the task
        host = HostSession(session)  # another process goes on
        host.observe(UserMessage(text="Now commit it."))
        assert session.hud(density="full").text.count(rule) == 1
        plan = "Drop all of that: instead write the page about the sessions, with pictures and examples."
        host.observe(UserMessage(text=f"Actually, {plan}"))
        text = session.hud(density="full").text
        assert text.count(rule) == 1


def test_j5_a_mention_makes_a_thing_new() -> None:
    told = notices(
        [
            *read("src/app.py", "1"),
            *read("src/other.py", "2"),
            UserMessage(text="What does SRC/App.py do?"),
            UserMessage(text="And src/app.py?"),  # it is the newest already
        ]
    )
    assert [draft.payload.get("again") for draft in told] == [None, None, ["src/app.py"]]
    assert told[-1].actor == "user"


def test_j5_a_table_of_ones_own() -> None:
    ruled = re.compile(r"(?P<what>Never [^.]+)")
    own = MemoryRule(ruled, "user", "risk", "a rule of our own", says="Rule — {what}")
    table = ToolTable().extended(memory=(own,))
    reader = Reader(table, domain=BARE)
    [draft] = [
        each
        for each in reader.feed(UserMessage(text="Never push to main."))
        if each.type == "working_memory.notice"
    ]
    several: Any = draft.payload["found"]
    assert {
        "content": "Rule — Never push to main",
        "slot": "pool",
    } in several  # no slot of that name
    assert all(rule.source for rule in MEMORY_RULES)


def test_j5_one_observation_adds_a_few_things_at_most() -> None:
    lines = "\n".join(f" + package{number}==1.{number}" for number in range(50))
    assert len(found(ran("uv sync", lines))) == MOST_AT_ONCE
    [(_, what)] = found([AgentMessage(text=f"Finding: {'long ' * 200}")])
    assert len(what) <= LONGEST


def test_what_an_agent_recorded_itself_is_read_of_a_transcript() -> None:
    calls = [
        ({"op": "core_goal.append", "text": "Ship"}, "Updated. 4 of 1,000 characters."),
        (
            {"op": "working_memory.add", "content": "a.py"},
            "Remembered m-7. 1 faded, and is forgotten.",
        ),
        ({"op": "working_memory.list"}, "- `m-7` a.py"),
    ]
    seen: list[AnyObservation] = [AgentMessage()]
    for number, (asked, answer) in enumerate(calls):
        seen.append(ToolCall(name="mcp__hud__hud", arguments={"call": asked}, call_id=f"{number}"))
        seen.append(ToolAnswer(text=f"{answer}\nno task", call_id=f"{number}"))
    reader = Reader(domain=CODING_MEMORY)
    drafts = [draft for each in seen for draft in reader.feed(each)]
    assert reader.problems == []
    assert [(draft.type, draft.payload) for draft in drafts] == [
        ("core_goal.append", {"text": "Ship"}),
        ("working_memory.add", {"content": "a.py", "id": "m-7"}),
    ]


def test_a_session_without_memory_hears_nothing() -> None:
    told = [draft for each in ran(*OUTPUTS[0][:2]) for draft in Reader().feed(each)]
    assert all(
        draft.type in {"check.result", "context.snapshot"} or draft.type.startswith("file")
        for draft in told
    )
    assert notices(ran(*OUTPUTS[0][:2]), CODING) == []


PIECES = st.sampled_from(
    [
        *(words for words, _, _ in SAYINGS),
        "Finding: it is slow",
        "src/app.py",
        *HOSTILE[:12],
    ]
)
SEEN: st.SearchStrategy[list[AnyObservation]] = st.lists(
    st.one_of(
        st.lists(PIECES, max_size=3).map(lambda parts: [UserMessage(text=" ".join(parts))]),
        st.lists(PIECES, max_size=3).map(lambda parts: [AgentMessage(text="\n".join(parts))]),
        st.sampled_from(OUTPUTS).map(lambda one: ran(one[0], one[1])),
        st.sampled_from(["a.py", "src/app.py"]).map(read),
    ),
    max_size=8,
).map(lambda several: [each for part in several for each in part])


@given(SEEN, st.sampled_from([BARE, CODING_MEMORY]))
def test_the_same_words_are_remembered_alike_and_can_be_recorded(
    seen: list[AnyObservation], domain: Any
) -> None:
    one, other = Reader(domain=domain), Reader(domain=domain)
    drafts = [draft for each in seen for draft in one.feed(each)]
    assert drafts == [draft for each in seen for draft in other.feed(each)]
    with HudStore.open(":memory:", domain=domain, clock=lambda: 0) as store:
        session = store.session("s")
        refused: list[EventDraft] = []
        session.record_all(drafts, refused=lambda draft, _: refused.append(draft))
        assert not [each for each in refused if each.type.startswith("working_memory")]
        assert len({each.content for each in session.state()[AgentMemory]}) == len(
            session.state()[AgentMemory]
        )


def test_hearing_costs_in_proportion() -> None:
    def hearing(words: str) -> Any:
        def prepared(count: int) -> Any:
            reader = Reader(domain=BARE)
            seen = UserMessage(text=words * count)
            return lambda: [*reader.feed(seen)]

        return prepared

    for words in ("Never a ", "Let's use\n", "- [ ] ", "<b", "```\n", "src/app.py "):
        assert growth(hearing(words), 200) < 2.3
