"""No cliff: twice the input is at most a little more than twice the work, hostile input included.

Work is counted, not timed (:mod:`tests.work`). Sizes are small, so that the table stays quick, and large
enough that what does not depend on the input is a small part. What matching one text with another costs
is elsewhere: what is counted here is what Python runs, and what SQLite does.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest

from hud_components import Hud, HudItem, ItemsSection, check_layout, parse
from hud_runtime import EventDraft, HudSession, HudStore, read_transcript, replay, state_of
from hud_runtime.context.pruning import MODES, ModeName, OldOutputs, SmartPruning, ToolOutput
from hud_runtime.editing import changes, for_editing
from hud_runtime.history.exchange import (
    export_session,
    import_session,
    read_session_file,
    session_file,
)
from hud_runtime.log.projection import HUD
from hud_runtime.observe import Reader, ToolAnswer, ToolCall
from tests.hud_runtime.store.list_store import ListEventStore
from tests.hud_runtime.transcripts.stories import STORIES
from tests.ids import looped
from tests.work import Act, growth, lines_run, peak, steps
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    RenderContext,
    Renderer,
    Rung,
    compare,
    dump,
    elements,
    explain,
    from_mdast,
    load,
    render,
)
from ujsx.elements import Paragraph, Section
from ujsx.layout import read_layout
from ujsx.mdast import from_markdown

TWICE = 2.3
"""What is linear grows by 2 and a little, for what is sorted; what is quadratic by nearly 4."""

EVERYTHING = 2**31
"""Tokens: a budget under which all is shown."""

Prepared = Callable[[int], Act]


def drafts(count: int) -> list[EventDraft]:
    """A session's worth of events: notes, decisions, files and steps, ``count`` of each."""
    return [
        EventDraft("task.set", {"description": "Ship it"}),
        *(
            draft
            for number in range(count)
            for draft in (
                EventDraft("note.add", {"content": f"note {number} says something"}),
                EventDraft("decision.record", {"summary": f"use {number}", "details": "why not"}),
                EventDraft("file.edit", {"path": f"src/{number}.py"}),
                EventDraft("step.add", {"description": f"step {number}"}),
            )
        ),
    ]


def session(count: int) -> HudSession:
    made = HudStore(ListEventStore()).session("s")
    made.record_all(drafts(count))
    return made


def recorded_all(count: int) -> Act:
    made, events = HudStore(ListEventStore()).session("s"), drafts(count)
    return lambda: made.record_all(events)


def replayed(count: int) -> Act:
    made, events = HudStore(ListEventStore()).session("s"), drafts(count)
    return lambda: replay(events, made)


def folded(count: int) -> Act:
    events = [*session(count).events()]
    return lambda: state_of(events)


def recorded(count: int, event_type: Any, fields: Callable[[int], dict[str, Any]]) -> Act:
    made, payload = session(count), fields(count)
    return lambda: made.record(event_type, **payload)


def replaced_files(count: int) -> dict[str, Any]:
    return {"active_files": [{"path": f"src/{number}.py"} for number in reversed(range(count))]}


def replaced_notes(count: int) -> dict[str, Any]:
    return {"notes": [{"content": f"note {number} anew"} for number in range(count)]}


def reordered(count: int) -> dict[str, Any]:
    return {"ids": [f"step {number}" for number in reversed(range(count))]}


def shown(count: int, **options: Any) -> Act:
    made = session(count)
    return lambda: made.hud(**options)


def shown_again(count: int) -> Act:
    made = session(count)
    before = made.hud(budget=EVERYTHING)
    made.record("note.add", content="one more")
    return lambda: made.hud(budget=EVERYTHING, previous=before)


def noted(count: int) -> Act:
    made = HudStore(ListEventStore()).session("s")
    made.record_all([EventDraft("note.add", {"content": f"note {n}"}) for n in range(count)])
    made.hud()
    made.record("note.add", content="one more")
    return made.hud


def shown_text(count: int, text: str) -> Act:
    made = HudStore(ListEventStore()).session("s")
    made.record("note.add", content=text * count)
    return lambda: made.hud(budget=300)


def read_back(count: int) -> Act:
    text = session(count).hud(budget=EVERYTHING).text
    return lambda: parse(text)


def pruned(count: int, line: str, mode: ModeName = "hyper") -> Act:
    output = ToolOutput(text=line * count, tool="Bash", arguments={"command": line})
    return lambda: SmartPruning().prune(output, mode=MODES[mode])


def pruned_history(count: int) -> Act:
    outputs = [ToolOutput(text=f"{n} " + "word " * 900, tool="Read") for n in range(count)]
    return lambda: OldOutputs(protect=2_000, minimum=1, turns=0).gone(outputs)


def explained(count: int) -> Act:
    hud = Hud.of(session(count).known)
    return lambda: explain(hud, budget=600)


def compared(count: int) -> Act:
    made = session(count)
    before = made.hud(budget=EVERYTHING)
    made.record("note.update", id="note 0 says something", content="changed")
    return lambda: compare(before, made.hud(budget=EVERYTHING))


def edited(count: int, edit: Callable[[str], str]) -> Act:
    hud = for_editing(session(count).known)
    text = edit(render(hud))
    return lambda: changes(hud, text)


def without_notes(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if "says something" not in line)


def with_notes_reversed(text: str) -> str:
    lines = text.split("\n")
    places = [place for place, line in enumerate(lines) if "says something" in line]
    for place, line in zip(places, [lines[place] for place in reversed(places)], strict=True):
        lines[place] = line
    return "\n".join(lines)


def with_new_texts(text: str) -> str:
    return re.sub(r"note (\d+) says something", r"entirely \1 different", text)


def exported(count: int) -> Act:
    made = session(count)
    return lambda: [*export_session(made)]


def imported(count: int) -> Act:
    lines, store = [*export_session(session(count))], HudStore(ListEventStore())
    return lambda: import_session(store, lines)


def dumped(count: int) -> Act:
    state, codec = session(count).known, HUD.codec
    assert codec is not None
    return lambda: codec.load(codec.dump(state))


def filed(count: int) -> Act:
    state = session(count).known
    return lambda: session_file(state, session_id="s").text()


def read_file(count: int, folder: Path) -> Act:
    path = folder / f"state-{count}.json"
    path.write_text(json.dumps({"sessionId": "s", "notes": [f"n {n}" for n in range(count)]}))
    return lambda: read_session_file(path).drafts()


def chat(*calls: str) -> str:
    """A transcript in which each call is a shell command, and its result an error."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Ship it"}]
    for number, command in enumerate(calls):
        function = {"name": "bash", "arguments": json.dumps({"command": command})}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "Now this", "tool_calls": [call]})
        result = "Traceback (most recent call last):\nValueError: no"
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": result})
    return "".join(json.dumps(message) + "\n" for message in messages)


def read_chat(count: int, folder: Path, calls: Callable[[int], list[str]]) -> Act:
    path = folder / f"chat-{count}.jsonl"
    path.write_text(chat(*calls(count)))
    return lambda: read_transcript(path)


def many_calls(count: int) -> list[str]:
    return [f"cat {number}.py && sed -i s/a/b/ {number}.txt" for number in range(count)]


def long_call(count: int) -> list[str]:
    return [" && ".join(f"cat {number}.py" for number in range(count))]


def hostile_call(count: int) -> list[str]:
    return ["'\"\\`$(<<EOF " * count]


def called(count: int) -> Act:
    made = session(count)
    ids = json.dumps([f"s-{5 * number + 6}" for number in range(count)])
    return lambda: made.call("hud", {"op": "steps.reorder", "ids": ids})


def laid_out(count: int) -> Act:
    text = "".join(f'<Section title="{n}">\n\ntext {n}\n\n</Section>\n\n' for n in range(count))
    return lambda: read_layout(text)


def loaded(count: int) -> Act:
    data = dump(Section(title="a")[[Paragraph()[f"text {number}"] for number in range(count)]])
    return lambda: load(data)


def sectioned(count: int, depth: Callable[[int], int]) -> Act:
    text = "".join(f"{'#' * depth(n)} heading {n}\n\ntext\n\n" for n in range(count))
    root = from_markdown(text)
    return lambda: from_mdast(root)


class Owner(Component):
    """Owns a tree, and has no part in it."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children


def rendered(count: int, tree: Callable[[int], Child]) -> Act:
    node = tree(count)
    return lambda: render(node)


class Candidate(HudItem):
    """What a line shows."""

    name: str
    skill: str


class Candidates(ItemsSection[Candidate]):
    """A list of lines without marks."""

    lines: ClassVar[Any] = {"full": "{name} ({skill})", "compact": "{name}"}


def lines_without_marks(count: int) -> Act:
    """Lines as typed, and lines that need marks, written and read back."""
    skills = ("Python", "C (99)")
    made = [Candidate(name=f"Ada {n}", skill=skills[n % 2]) for n in range(count)]
    node = Candidates(candidates=tuple(made), limit=count)
    return lambda: parse(render(node), [Candidates])


def items(count: int, text: str = "use bcrypt, as agreed", owned: int = 0) -> Child:
    """Items of one shape, under as many owners each."""
    made: list[Child] = [elements.Item()[elements.strong(text), ": ", text] for _ in range(count)]
    for _ in range(owned):
        made = [Owner()[each] for each in made]
    return elements.List()[made]


def of_all_shapes(count: int) -> Child:
    """Items of which hardly two have the same shape."""
    parts = (elements.code("c"), elements.strong("s"), "t", elements.em("e"))
    return elements.List()[
        [
            elements.Item()[[part for place, part in enumerate(parts * 5) if n >> place & 1]]
            for n in range(1, count)
        ]
    ]


def nested(count: int) -> Child:
    tree: Child = "a"
    for _ in range(count):
        tree = elements.BlockQuote()[tree, elements.List()[elements.Item()["b"]]]
    return tree


def side_by_side(count: int) -> Child:
    return [elements.Section(title=f"part {n}")["text"] for n in range(count)]


OWNERS = [type(f"Owner{n}", (Owner,), {}) for n in range(120)]


def of_owners_of_their_own(count: int) -> Child:
    """Phrases, each of another class."""
    return elements.Paragraph()[[owner()["word"] for owner in OWNERS[:count]]]


class Providing(Owner):
    """An owner that gives what it holds a context of its own."""

    def provide(self, ctx: RenderContext) -> RenderContext:
        return ctx.with_density("compact")


class Shown(Owner):
    """An owner with a ladder."""

    disclosure: ClassVar[Disclosure] = Disclosure((Rung(Density.MINIMAL),))


@dataclass(frozen=True)
class Facts:
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Fact:
    """Its equality is Python code, which is counted."""

    number: int


def again_in_an_equal_context(count: int) -> Act:
    """Each piece stands in a context of its own, which holds what equals that of the turn before."""

    def context() -> RenderContext:
        return RenderContext().with_value(Facts(tuple(map(Fact, range(count)))))

    tree = [Providing()[Shown()[f"part {n}"]] for n in range(count)]
    renderer = Renderer()
    renderer.render(tree, context=context())
    now = context()
    return lambda: renderer.render(tree, context=now)


RENDERED = [
    pytest.param(items, 100, id="items"),
    pytest.param(partial(items, text="*a* _b_ [c](d)\n# e <|f|>"), 100, id="hostile items"),
    pytest.param(partial(items, owned=5), 40, id="owned items"),
    pytest.param(of_all_shapes, 200, id="items of all shapes"),
    pytest.param(of_owners_of_their_own, 30, id="owners of all classes"),
    pytest.param(nested, 20, id="depth"),
    pytest.param(side_by_side, 60, id="sections"),
]


@looped(("tree", "size"), RENDERED)
def test_a_tree_twice_as_large_is_about_twice_the_work(
    tree: Callable[[int], Child], size: int
) -> None:
    assert growth(partial(rendered, tree=tree), size) <= TWICE


LINEAR = [
    pytest.param(again_in_an_equal_context, 60, id="rendering again in an equal context"),
    pytest.param(folded, 30, id="folding"),
    pytest.param(recorded_all, 30, id="recording"),
    pytest.param(replayed, 30, id="replaying"),
    pytest.param(imported, 30, id="importing"),
    pytest.param(
        partial(recorded, event_type="section.replace", fields=replaced_notes), 30, id="replacing"
    ),
    pytest.param(
        partial(recorded, event_type="step.reorder", fields=reordered), 30, id="reordering"
    ),
    pytest.param(
        partial(recorded, event_type="section.replace", fields=replaced_files), 30, id="files"
    ),
    pytest.param(partial(shown, budget=EVERYTHING), 100, id="rendering all"),
    pytest.param(partial(shown, density="compact"), 100, id="rendering some"),
    pytest.param(partial(shown, budget=600), 100, id="climbing"),
    pytest.param(shown_again, 100, id="rendering again"),
    pytest.param(partial(shown_text, text="word "), 20_000, id="a long line"),
    pytest.param(partial(shown_text, text="a line\n"), 5_000, id="a text of many lines"),
    pytest.param(partial(shown_text, text="*_`[<#\n"), 300, id="a hostile text"),
    pytest.param(read_back, 15, id="reading back"),
    pytest.param(lines_without_marks, 40, id="lines without marks"),
    pytest.param(explained, 40, id="explaining"),
    pytest.param(pruned_history, 60, id="old outputs"),
    *(
        pytest.param(partial(pruned, line=line), 300, id=f"pruning {line[:12]!r}")
        for line in (
            "step 1\n",
            "E: error\n",
            "[1,",
            '{"a": [',
            "\r",
            "\n",
            "a/b.py\n",
            '"\\',
            "x ",
            "a\nb\nc\n",
            '  File "a.py", line 1, in f\n    g()\n',
            "\tat org.junit.A.b(C.java:1)\n",
            "tests/a.py::b PASSED\n",
        )
    ),
    pytest.param(compared, 30, id="comparing"),
    pytest.param(partial(edited, edit=str), 8, id="an edit of nothing"),
    pytest.param(partial(edited, edit=without_notes), 8, id="an edit that removes"),
    pytest.param(partial(edited, edit=with_notes_reversed), 8, id="an edit that reverses"),
    pytest.param(partial(edited, edit=with_new_texts), 8, id="an edit of every text"),
    pytest.param(exported, 100, id="exporting"),
    pytest.param(dumped, 100, id="snapshots"),
    pytest.param(filed, 100, id="state files"),
    pytest.param(called, 40, id="a call with a list as text"),
    pytest.param(laid_out, 40, id="layouts"),
    pytest.param(loaded, 100, id="trees as data"),
    pytest.param(partial(sectioned, depth=lambda _: 1), 60, id="sections side by side"),
    pytest.param(partial(sectioned, depth=lambda n: n % 2 + 1), 60, id="sections in sections"),
    pytest.param(partial(sectioned, depth=lambda n: n % 6 + 1), 60, id="sections down and up"),
    pytest.param(partial(sectioned, depth=lambda n: 6 - n % 6), 60, id="headings upwards"),
    pytest.param(partial(sectioned, depth=lambda n: min(n + 1, 6)), 60, id="sections deep down"),
]


@pytest.mark.parametrize(("prepared", "size"), LINEAR)
def test_twice_the_input_is_about_twice_the_work(prepared: Prepared, size: int) -> None:
    assert growth(prepared, size) <= TWICE


def test_twice_the_notes_are_hardly_more_work_for_one_more_of_them() -> None:
    assert growth(noted, 1_000) <= 1.1


@pytest.mark.parametrize(
    ("calls", "size"), [(many_calls, 30), (long_call, 200), (hostile_call, 200)]
)
def test_of_transcripts_too(tmp_path: Path, calls: Any, size: int) -> None:
    assert growth(partial(read_chat, folder=tmp_path, calls=calls), size) <= TWICE


@pytest.mark.parametrize(
    "name",
    [
        "Claude Code",
        "Codex rollout",
        "chat messages with blocks",
        "OpenHands events",
        "Copilot CLI",
    ],
)
def test_of_transcripts_in_every_form_of_lines(tmp_path: Path, name: str) -> None:
    story = STORIES[name](tmp_path).read_text("utf-8").splitlines()

    def read(count: int) -> Act:
        path = tmp_path / f"{count}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for number in range(count):
                for line in story:
                    record = json.loads(line)
                    if "uuid" in record:
                        record["uuid"] = f"{number} {record['uuid']}"
                    file.write(json.dumps(record) + "\n")
        return lambda: read_transcript(path)

    assert growth(read, 20) <= TWICE


@looped("unit", ['"', "$(", "<<A\n", "a;", "'", "`", "for x in a b; do "])
def test_of_scripts_too(unit: str) -> None:
    def read(count: int) -> Act:
        call = ToolCall(name="Bash", arguments={"command": unit * count}, call_id="c")
        answer = ToolAnswer(text="Done.", call_id="c", status="done")
        return lambda: [[*Reader().feed(each)] for each in (call, answer)]

    assert growth(read, 200) <= TWICE


@pytest.mark.parametrize(
    "unit",
    [
        "{",
        "}",
        "{a} ",
        "{ a\n\n",
        "<Hud>{a &&\n",
        "{a.map(b => <Item>{b.c}</Item>)}\n\n",
        "[a](b/{c}) ",
    ],
)
def test_of_layouts_too(unit: str) -> None:
    def check(count: int) -> Act:
        return lambda: check_layout(unit * count)

    check(1)()  # what is loaded once
    assert growth(check, 100) <= TWICE


def test_of_state_files_too(tmp_path: Path) -> None:
    assert growth(partial(read_file, folder=tmp_path), 300) <= TWICE


class TestStore:
    """What SQLite does: nothing that is done once looks at the whole log."""

    @pytest.fixture
    def connections(self, monkeypatch: pytest.MonkeyPatch) -> list[sqlite3.Connection]:
        made: list[sqlite3.Connection] = []
        connect = sqlite3.connect

        def connected(*arguments: Any, **options: Any) -> sqlite3.Connection:
            made.append(connect(*arguments, **options))
            return made[-1]

        monkeypatch.setattr(sqlite3, "connect", connected)
        return made

    @pytest.mark.parametrize(
        ("act", "most"),
        [
            pytest.param(lambda one: one.record("note.add", content="new"), 1.3, id="recording"),
            pytest.param(lambda one: one.state(at=5), 1.3, id="a state of the past"),
            pytest.param(lambda one: one.search("says nothing"), 1.3, id="a search for nothing"),
            pytest.param(lambda one: one.search("note says"), TWICE, id="a search"),
            pytest.param(lambda one: [*one.events()], TWICE, id="reading all"),
        ],
    )
    def test_takes_steps_as_the_answer_is_long(
        self,
        connections: list[sqlite3.Connection],
        tmp_path: Path,
        act: Callable[[HudSession], object],
        most: float,
    ) -> None:
        def taken(count: int) -> int:
            with HudStore.open(tmp_path / f"{count}.db") as store:
                one = store.session("s")
                one.record_all(drafts(count))
                act(one)
                try:
                    return steps(connections, lambda: act(one))
                finally:
                    connections.clear()

        assert taken(400) / taken(200) <= most


class TestMemory:
    """A note of any text costs a rendering a few dozen bytes for each of its characters at the peak."""

    MOST = 96

    @pytest.mark.parametrize("text", ["word ", "a line\n", "é🎉 ", "*_`[<#\n"])
    def test_of_a_long_text_is_in_proportion(self, text: str) -> None:
        count = 20_000 // len(text)
        shown_text(3, text)()
        most = peak(shown_text(count, text))
        assert most <= self.MOST * 20_000
        assert most / peak(shown_text(count // 2, text)) <= TWICE


class TestCounts:
    """The counts tell what is linear from what is not."""

    @looped(
        ("prepared", "least", "most"),
        [
            (lambda count: lambda: [None for _ in range(count)], 1.9, 2.0),
            (lambda count: lambda: [a for a in range(count) for _ in range(count)], 3.8, 4.0),
            (lambda count: lambda: sum(1 for a in range(count) if [*range(a)]), 1.9, 2.1),
        ],
    )
    def test_of_lines(self, prepared: Prepared, least: float, most: float) -> None:
        assert least <= growth(prepared, 200) <= most

    def test_are_the_same_each_time(self) -> None:
        assert lines_run(folded(5)) == lines_run(folded(5))

    def test_of_steps(self) -> None:
        connection = sqlite3.connect(":memory:")
        numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
        query = f"{numbers} SELECT count(*) FROM n"
        try:
            one, two = (
                steps([connection], lambda: connection.execute(query, (count,)).fetchall())  # noqa: B023
                for count in (2_000, 4_000)
            )
        finally:
            connection.close()
        assert 1.9 <= two / one <= 2.1
