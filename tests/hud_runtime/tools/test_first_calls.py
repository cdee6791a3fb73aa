"""First calls: what an agent that has read the tool and the instructions, and nothing else, calls for a task.

Each task is in words, each call as the schema and its list of operations have it. A call is right where it
is accepted as it stands, nothing repaired, and the state or the answer has what was asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from hud_components import CODING, Domain
from hud_runtime import HudSession, HudStore
from hud_runtime.tools import definitions, hud_toolset, instructions_of
from tests.docs.domains.cases import CASES
from tests.ids import looped
from ujsx.schema import DIALECTS, schema_tokens
from ujsx.tokens import rs_bpe_counter


class Task(NamedTuple):
    """What an agent is to do, the call that it makes, and what has to hold then."""

    words: str
    op: str
    arguments: dict[str, Any]
    holds: Callable[[Any], object]
    """Of the state where it is a change, of the answer's text where the operation only reads."""


def texts(items: Any, field: str) -> list[str]:
    return [getattr(each, field) for each in items]


TASKS = (
    Task("You begin: see what is known.", "snapshot", {}, lambda text: "The API is at v2" in text),
    Task(
        "The user wants rate limiting for the API.",
        "task.set",
        {"description": "Add rate limiting to the API"},
        lambda state: state.task.description == "Add rate limiting to the API",
    ),
    Task(
        "The user drops the task without a new one.",
        "task.clear",
        {},
        lambda state: state.task is None,
    ),
    Task(
        "The user told you the API key rotates weekly: keep it.",
        "notes.add",
        {"content": "The API key rotates weekly, as the user said."},
        lambda state: (
            "The API key rotates weekly, as the user said." in texts(state.notes, "content")
        ),
    ),
    Task(
        "You chose Redis over memory because there are several instances.",
        "decisions.record",
        {"summary": "Counters are in Redis", "details": "There are several instances."},
        lambda state: state.decisions[-1].details == "There are several instances.",
    ),
    Task(
        "You chose token buckets; in short: buckets.",
        "decisions.record",
        {"summary": "Limits are token buckets", "label": "buckets"},
        lambda state: state.decisions[-1].label == "buckets",
    ),
    Task(
        "The decision for JWT no longer holds.",
        "decisions.remove",
        {"id": "Sessions are JWT"},
        lambda state: not state.decisions,
    ),
    Task(
        "The API moved to v3: correct the note that says v2.",
        "notes.update",
        {"id": "The API is at v2", "content": "The API is at v3"},
        lambda state: texts(state.notes, "content") == ["The API is at v3"],
    ),
    Task(
        "The note on v2 is wrong altogether.",
        "notes.remove",
        {"id": "The API is at v2"},
        lambda state: not state.notes,
    ),
    Task(
        "Plan: next you write the tests.",
        "steps.add",
        {"description": "Write the tests"},
        lambda state: texts(state.steps, "description")[-1] == "Write the tests",
    ),
    Task(
        "The middleware is written, and its tests pass.",
        "steps.complete",
        {"id": "Write the middleware"},
        lambda state: state.steps[0].completed,
    ),
    Task(
        "The middleware is not needed after all.",
        "steps.remove",
        {"id": "Write the middleware"},
        lambda state: not state.steps,
    ),
    Task(
        "You cannot go on: staging has no Redis.",
        "blockers.add",
        {"description": "Staging has no Redis"},
        lambda state: texts(state.blockers, "description")[-1] == "Staging has no Redis",
    ),
    Task(
        "You have access to staging now.",
        "blockers.resolve",
        {"id": "No access to staging"},
        lambda state: state.blockers[0].resolved,
    ),
    Task(
        "Keep in view that you read src/limits.py.",
        "files.open",
        {"path": "src/limits.py"},
        lambda state: ("src/limits.py", "reading") in files(state),
    ),
    Task(
        "Keep in view that you change src/app.py.",
        "files.edit",
        {"path": "src/app.py"},
        lambda state: ("src/app.py", "editing") in files(state),
    ),
    Task(
        "You are done with src/old.py.",
        "files.close",
        {"path": "src/old.py"},
        lambda state: not files(state),
    ),
    Task(
        "The import error is fixed.",
        "errors.resolve",
        {"id": "No module named redis"},
        lambda state: state.errors[0].resolved,
    ),
    Task(
        "The notes fill the HUD: show their count alone.",
        "section.fold",
        {"section": "notes"},
        lambda state: state.folded_sections == ("notes",),
    ),
    Task(
        "The decisions must stay in full view.",
        "section.pin",
        {"section": "decisions"},
        lambda state: "decisions" in state.pinned_sections,
    ),
    Task(
        "The steps need not be pinned any more.",
        "section.reset",
        {"section": "steps"},
        lambda state: not state.pinned_sections,
    ),
    Task(
        "The HUD leaves notes out: see them all.",
        "notes.list",
        {},
        lambda text: "The API is at v2" in text,
    ),
    Task(
        "What was said of staging, long ago?",
        "search",
        {"query": "staging"},
        lambda text: "No access to staging" in text,
    ),
    Task("What changed last?", "history", {"limit": 1}, lambda text: "pinned" in text),
    Task(
        "How are the steps put in another order?",
        "help",
        {"operation": "steps.reorder"},
        lambda text: '"ids"' in text,
    ),
)


def files(state: Any) -> list[tuple[str, str]]:
    return [(each.path, each.status) for each in state.active_files]


@pytest.fixture
def session() -> Iterator[HudSession]:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        made = store.session("s")
        made.record("task.set", description="Harden the API")
        made.record("decision.record", summary="Sessions are JWT")
        made.record("note.add", content="The API is at v2")
        made.record("step.add", description="Write the middleware")
        made.record("blocker.add", description="No access to staging")
        made.record("file.open", path="src/old.py")
        made.record("error.encountered", message="No module named redis")
        made.record("section.pin", section="steps")
        yield made


def of_hud(dialect: str) -> dict[str, Any]:
    tool = definitions(dialect)[0]
    inner = tool.get("function", tool)
    return next(
        value for key, value in inner.items() if "schema" in key.lower() or key == "parameters"
    )


@pytest.mark.parametrize("task", TASKS, ids=lambda each: each.op)
def test_a_task_is_done_with_what_the_tool_says(session: HudSession, task: Task) -> None:
    call = {"call": {"op": task.op, **task.arguments}}
    Draft202012Validator(of_hud("mcp")).validate(call)
    lines = of_hud("mcp")["properties"]["call"]["description"].splitlines()
    [line] = [each for each in lines if task.op in re.split(r", |: ", each)]
    taken = line.partition(": ")[2].split(", ")
    assert {*task.arguments} <= {each.rstrip("?") for each in taken}
    assert {each for each in taken if each[-1] != "?" and " " not in each} <= {*task.arguments}
    result = session.call("hud", call)
    assert not result.is_error, result.text
    assert not result.repairs
    reads = hud_toolset(None).operations[task.op].reads
    assert task.holds(result.text if reads else session.state())


def test_several_are_called_at_once_as_the_tool_says(session: HudSession) -> None:
    told = definitions("mcp")[0]["description"]
    sample = re.search(r'\{"calls":.*\}', told)
    assert sample is not None
    another = '{"op":"steps.add","description":"Write the tests"}'
    result = session.call("hud", json.loads(sample[0].replace("…]", f"{another}]")))
    assert not result.is_error
    assert not result.repairs
    assert session.state().steps[-1].description == "Write the tests"


def test_where_a_provider_holds_the_model_to_the_schema_a_rare_operation_can_be_called(
    session: HudSession,
) -> None:
    given: dict[str, Any] = {
        "op": "decisions.update",
        "id": "Sessions are JWT",
        "details": "Short.",
    }
    fields = of_hud("openai-strict")["properties"]["call"]["properties"]
    call = {"call": dict.fromkeys(fields) | given}
    Draft202012Validator(of_hud("openai-strict")).validate(call)
    assert not session.call("hud", call).is_error
    assert session.state().decisions[0].details == "Short."


LIMIT = 600
"""Tokens of all that each request contains beside the HUD."""

FOR_EACH = 20
"""Tokens for each operation of an own domain, with what its author says of the fields; the coding HUD has 10."""

TRUNCATED = 2_000
"""Characters of a description, or of instructions, that Claude Code shows (its limit is 2 KB)."""


def in_a_request(dialect: str, domain: Domain[Any], *, is_shown: bool = False) -> int:
    pytest.importorskip("rs_bpe", reason="rs_bpe is not installed: make bench")
    count = rs_bpe_counter("o200k_base")
    tools = (schema_tokens(each, count) for each in definitions(dialect, domain=domain))
    return sum(tools) + count(instructions_of(domain, is_shown=is_shown))


class TestCost:
    @looped("is_shown", [False, True])
    @looped("dialect", DIALECTS)
    def test_tools_and_instructions_have_at_most_600_tokens(
        self, dialect: str, is_shown: bool
    ) -> None:
        assert in_a_request(dialect, CODING, is_shown=is_shown) <= LIMIT

    @looped("case", CASES, ids=lambda each: each.name)
    def test_of_an_own_domain_are_in_proportion(self, case: Any) -> None:
        operations = hud_toolset(None, domain=case.domain).operations
        assert in_a_request("mcp", case.domain) <= FOR_EACH * len(operations)

    def test_each_is_whole_where_a_host_truncates(self) -> None:
        for is_shown in (False, True):
            assert len(instructions_of(CODING, layouts=True, is_shown=is_shown)) < TRUNCATED
        assert all(len(each["description"]) < TRUNCATED for each in definitions("mcp"))

    def test_no_operation_and_no_argument_is_named_twice(self) -> None:
        described = of_hud("mcp")["properties"]["call"]["description"]
        names = re.findall(r"[a-z]+\.[a-z]+", described)
        assert len(names) == len({*names})
        assert set(names) & {*CODING.operations} == {
            name for name, each in CODING.operations.items() if not each.verb.rare
        }
