"""Layout documents from the command line."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from hud_components import Hud, Task, TaskSection
from hud_components.layout import layout_vocabulary
from hud_runtime import HudStore
from hud_runtime.history.exchange import replayed
from tests.ids import looped
from ujsx import read_layout, render, write_layout

LAYOUT = '<Hud title="Auth">\n  <TaskSection/>\n  ## Rules\n  - *Never* push.\n</Hud>\n'


@pytest.fixture
def layout(tmp_path: Path) -> Path:
    path = tmp_path / "hud.md"
    path.write_text(LAYOUT, encoding="utf-8")
    return path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with one session, whose task is to log in."""
    path = tmp_path / "session.db"
    with HudStore.open(path, clock=lambda: 0) as opened:
        opened.session("s-1").record("task.set", description="Log in")
    return path


class TestRender:
    def test_shows_the_state_of_a_transcript(self, ujsx, layout, demo):
        out = ujsx("render", layout, "--session", demo, "--density", "full").out
        assert out.startswith("# Auth\n\n## Task\n\nSupport wants to sign a customer out")
        assert out.endswith("## Rules\n\n- *Never* push.\n")

    def test_shows_the_state_of_a_session_of_a_store(self, ujsx, layout, store):
        out = ujsx("render", layout, "--session", "s-1", "--store", store).out
        tree = Hud(title="Auth")[TaskSection(task=Task(description="Log in"))]
        assert out == render(tree) + "\n## Rules\n\n- *Never* push.\n"

    def test_looks_an_id_up_in_your_own_store_by_default(
        self, ujsx, layout, store, tmp_path, monkeypatch
    ):
        monkeypatch.setenv("UJSX_HOME", str(tmp_path / "home"))
        with HudStore.open() as opened:
            opened.session("mine").record("task.set", description="Log out")
        assert "Log out" in ujsx("render", layout, "--session", "mine").out

    def test_of_a_store_records_nothing(self, ujsx, layout, store):
        ujsx("render", layout, "--session", "s-1", "--store", store)
        with HudStore.open(store) as opened:
            assert (opened.sessions(), opened.session("s-1").version) == (("s-1",), 2)

    def test_shows_an_empty_state_without_a_session(self, ujsx, layout):
        assert ujsx("render", layout).out == "# Auth\n\n## Rules\n\n- *Never* push.\n"

    def test_reads_standard_input(self, ujsx, layout, monkeypatch):
        piped = io.TextIOWrapper(io.BytesIO(LAYOUT.encode()))
        monkeypatch.setattr(sys, "stdin", piped)
        assert ujsx("render", "-") == ujsx("render", layout)

    def test_takes_a_density_or_what_the_pressure_picks(self, ujsx, layout, demo):
        picked = ujsx("render", layout, "--session", demo)
        assert picked == ujsx("render", layout, "--session", demo, "--density", "minimal")
        assert picked != ujsx("render", layout, "--session", demo, "--density", "full")

    def test_takes_a_budget_and_says_when_it_is_too_small(self, ujsx, layout, demo):
        done = ujsx("render", layout, "--session", demo, "--budget", 1)
        assert done.err.startswith("over the budget: the least that can be shown has ")
        assert ujsx("render", layout, "--session", demo, "--budget", 500).err == ""

    def test_remarks_on_what_the_layout_costs(self, ujsx, layout):
        layout.write_text("<Hud>\n<ContextBar/>\n<TaskSection/>\n</Hud>", encoding="utf-8")
        assert "ContextBar changes every turn" in ujsx("render", layout).err

    def test_as_data_has_the_text_and_its_account(self, ujsx, layout, demo):
        data = ujsx("render", layout, "--session", demo, "--density", "full", "--json").data
        assert data["text"] == ujsx("render", layout, "--session", demo, "--density", "full").out
        assert (data["density"], data["budget"], data["over_budget"]) == ("full", None, False)
        assert "TaskSection" in [each["name"] for each in data["sections"]]


class TestHud:
    def test_with_all_its_data_is_a_layout_too(self, demo):
        with replayed(demo) as session:
            hud = Hud.of(session.state(session.turns))
        text = write_layout(hud)
        assert read_layout(text, layout_vocabulary()) == hud
        assert text.startswith("<Hud>\n  <TaskSection task={{")


class TestRefusal:
    @looped("name", ["app:layout", "app.py:layout", "app.py"])
    def test_of_python_names_what_shows_it(self, ujsx, tmp_path, monkeypatch, name):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "app.py").write_text("layout = 1")
        assert f"`ujsx preview {name}" in ujsx("render", name).refusal

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ("a\n<Hud titel='x'/>", '2:6: Hud.titel: no such prop (got \'x\'); did you mean "title"?'),
            ("<TaskSecton/>", '1:1: <TaskSecton> is not a known component; did you mean "TaskSection"?'),
            ("<TrustedMarkdown source='# a'/>", "1:1: TrustedMarkdown is for an author's own code; write the Markdown as it is"),
        ],
    )  # fmt: skip
    def test_of_what_is_no_layout_has_file_line_and_column(self, ujsx, layout, text, sentence):
        layout.write_text(text, encoding="utf-8")
        assert ujsx("render", layout).refusal == f"ujsx render: {layout}:{sentence}"

    def test_of_what_cannot_be_rendered_names_the_node(self, ujsx, layout):
        layout.write_text("a <Hud/>", encoding="utf-8")
        assert "cannot go inside inline text" in ujsx("render", layout).refusal

    def test_of_an_unknown_session_names_the_nearest(self, ujsx, layout, store):
        refusal = ujsx("render", layout, "--session", "s-2", "--store", store).refusal
        assert refusal == f'ujsx render: {store} has no session "s-2"; did you mean "s-1"?'

    def test_of_a_session_without_a_store_names_where_it_looked(
        self, ujsx, layout, tmp_path, monkeypatch
    ):
        monkeypatch.setenv("UJSX_HOME", str(tmp_path / "home"))
        refusal = ujsx("render", layout, "--session", "s-1").refusal
        assert (
            f'there is no file "s-1", and there is no store with sessions at {tmp_path / "home"}'
            in refusal
        )
        assert not (tmp_path / "home").exists()

    def test_of_a_transcript_that_is_not_there_names_its_neighbour(self, ujsx, layout, store):
        refusal = ujsx("render", layout, "--session", layout.with_name("hdu.md")).refusal
        assert f'did you mean "{layout}"?' in refusal

    def test_of_a_store_without_a_session_says_so(self, ujsx, layout, store):
        assert "--store needs --session" in ujsx("render", layout, "--store", store).refusal

    def test_of_a_store_that_is_not_there_makes_none(self, ujsx, layout, tmp_path):
        missing = tmp_path / "none.db"
        assert (
            "there is no file"
            in ujsx("render", layout, "--session", "s", "--store", missing).refusal
        )
        assert not missing.exists()

    def test_of_density_and_budget_at_once(self, ujsx, layout):
        assert (
            "not allowed with" in ujsx("render", layout, "--density", "full", "--budget", 9).refusal
        )

    def test_of_a_budget_that_is_no_number(self, ujsx, layout):
        assert '"x" is not a number of tokens' in ujsx("render", layout, "--budget", "x").refusal

    @pytest.mark.parametrize("command", ["render", "explain", "watch", "preview"])
    def test_of_a_budget_below_nothing(self, ujsx, layout, command):
        sentence = "a budget must be a number of tokens, 0 or more, not -5"
        assert sentence in ujsx(command, layout, "--budget", "-5").refusal


class TestCheck:
    def test_of_a_layout_names_its_components(self, ujsx, layout):
        done = ujsx("layout", "check", layout)
        assert (done.status, done.out) == (0, f"{layout} is a layout of Hud, TaskSection\n")
        assert ujsx("layout", "check", layout, "--json").data == {
            "ok": True,
            "place": str(layout),
            "components": ["Hud", "TaskSection"],
            "notes": [],
        }

    def test_of_a_mistake_shows_its_place(self, ujsx, layout):
        layout.write_text("<Hud>\n  <TaskSection limt={3}/>\n</Hud>", encoding="utf-8")
        done = ujsx("layout", "check", layout)
        assert (done.status, done.err) == (1, "")
        assert done.out == (
            f'{layout}:2:16: TaskSection.limt: no such prop (got 3); did you mean "limit"?\n'
            "    <TaskSection limt={3}/>\n"
            "                 ^\n"
        )

    def test_of_a_mistake_as_data_has_line_and_column(self, ujsx, layout):
        layout.write_text("<Hud>", encoding="utf-8")
        done = ujsx("layout", "check", layout, "--json")
        assert done.status == 1
        assert (done.data["ok"], done.data["line"], done.data["column"]) == (False, 1, 1)
        assert done.data["excerpt"] == "  <Hud>\n  ^"

    def test_finds_what_stands_where_it_cannot(self, ujsx, layout):
        layout.write_text("a <Hud>b</Hud>", encoding="utf-8")
        done = ujsx("layout", "check", layout)
        assert done.status == 1
        assert done.out.startswith(
            f"{layout}:1:3: a Hud is a block and cannot go inside inline text; "
        )

    def test_cannot_steer_the_terminal(self, ujsx, layout):
        layout.write_text("\x1b[2J\u202e <Bagde/>", encoding="utf-8")
        done = ujsx("layout", "check", layout)
        assert not {"\x1b", "\u202e"} & {*done.out}

    def test_notes_what_the_layout_costs(self, ujsx, layout):
        layout.write_text("<Hud>\n<ContextBar/>\n<TaskSection/>\n</Hud>", encoding="utf-8")
        done = ujsx("layout", "check", layout)
        assert done.status == 0
        [_, note] = done.out.splitlines()
        assert note.startswith(
            "note: ContextBar changes every turn, so nothing after it (TaskSection)"
        )

    def test_refuses_braces_with_the_tag_that_says_them(self, ujsx, layout, demo):
        layout.write_text("<Hud>\n<TaskSection/>\n\nFor {state.task}.\n</Hud>\n", encoding="utf-8")
        done = ujsx("layout", "check", layout)
        assert done.status == 1
        told = 'braces are not evaluated; write <Value of="task.description"/>, or'
        assert done.out.startswith(f"{layout}:4:5: {told}")
        for command in (("render", layout), ("hud", "--session", demo, "--layout", layout)):
            assert told in (refused := ujsx(*command)).err + refused.out

    def test_notes_braces_in_a_text_of_a_tree(self, ujsx, tmp_path):
        layout = tmp_path / "hud.json"
        heading = {"type": "Heading", "children": ["{{ title }}: {task.description} {3}"]}
        tree = {"type": "Hud", "children": [{"type": "TaskSection"}, heading]}
        layout.write_text(json.dumps(tree), encoding="utf-8")
        done = ujsx("layout", "check", layout)
        assert done.status == 0
        [_, note] = done.out.splitlines()
        assert note.startswith(
            "note: {{ title }}, {task.description} are text; nothing is evaluated"
        )
        assert "{task.description}" in ujsx("render", layout).out

    def test_a_row_of_markdown_in_a_tag_is_said_to_be_none(self, ujsx, tmp_path):
        layout, table = tmp_path / "hud.md", "| step | done |\n| --- | --- |\n"
        row = "<Each of='next_steps'>\n| a | b |\n</Each>\n"
        layout.write_text(table + row, encoding="utf-8")
        [_, note] = ujsx("layout", "check", layout).out.splitlines()
        assert note.startswith("note: | a | b | is a text and no row")
        cells = "<TableCell>a</TableCell><TableCell>b</TableCell>"
        row = f"<Each of='next_steps'><TableRow>{cells}</TableRow></Each>"
        layout.write_text(f"<Table>\n<TableRow>{cells}</TableRow>\n{row}\n</Table>\n")
        assert len(ujsx("layout", "check", layout).out.splitlines()) == 1

    @pytest.mark.parametrize(
        ("text", "is_fenced"),
        [
            ("", False),
            ("# Rules\n", False),
            ("```sh\nmake test\n```\n", False),
            ("Here it is:\n\n```jsx\n<Hud>\n  <TaskSection/>\n</Hud>\n```\n", True),
        ],
    )
    def test_notes_that_there_is_no_component(self, ujsx, layout, text, is_fenced):
        layout.write_text(text, encoding="utf-8")
        done = ujsx("layout", "check", layout)
        assert done.status == 0
        [_, note] = done.out.splitlines()
        assert note.startswith("note: no component of the HUD in it")
        assert note.endswith("; is the whole layout in a code fence?") is is_fenced


class TestMistakes:
    """``--check`` names mistakes as problem matchers of editors read them."""

    WRONG = '<Section title="a">\n\n<NotesSectio/>\n\n</Section>\n\n<TaskSection task={x}/>\n'

    @pytest.fixture
    def layout(self, tmp_path):
        path = tmp_path / "hud.md"
        path.write_text(self.WRONG, "utf-8")
        return path

    def test_gives_file_line_column_and_message(self, ujsx, layout):
        done = ujsx("render", layout, "--check")
        assert (done.status, done.err) == (1, "")
        assert [line.split(": ")[0] for line in done.out.splitlines()] == [
            f"{layout}:3:1",
            f"{layout}:7:20",
        ]
        lines = ujsx("render", layout, "--check", "--json").out.splitlines()
        found = [json.loads(line) for line in lines]
        assert [[*each] for each in found] == [["file", "line", "column", "message"]] * 2
        assert (found[0]["file"], found[0]["line"], found[0]["column"]) == (str(layout), 3, 1)
        assert 'did you mean "NotesSection"?' in found[0]["message"]

    def test_says_nothing_of_what_is_right(self, ujsx, layout):
        layout.write_text("<NotesSection/>\n", "utf-8")
        assert ujsx("render", layout, "--check") == ujsx("render", layout, "--check", "--json")
        assert ujsx("render", layout, "--check").out == ""

    def test_of_a_file_that_cannot_be_read_names_its_first_line(self, ujsx, layout):
        layout.write_bytes(b"\xff")
        assert ujsx("render", layout, "--check").out.startswith(f"{layout}:1:1: ")
