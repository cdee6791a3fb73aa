"""``ujsx budget check``: what grew beyond a lock, and what cannot be told."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import Hud, HudState
from hud_runtime import HudStore
from hud_runtime.cli._budget_lock import FAILS, Lock, Tolerance
from tests.hud_runtime.editing.support import SUPPORT
from ujsx import Density, render_document

SECTIONS = '''
from typing import ClassVar

from pydantic import BaseModel

from hud_components import Hud, HudSection, HudState, NotesSection, TaskSection
from ujsx import Component, Density, Disclosure, Rung
from ujsx.elements import Paragraph
from ujsx.tools import Operation, Toolset


class Place(BaseModel):
    """Where something is."""

    path: str


class Badge(Component):
    """A word."""

    label: str

    def render(self, ctx, children):
        return self.label


class Risks(HudSection):
    """What may go wrong, from the notes."""

    disclosure: ClassVar[Disclosure] = Disclosure((Rung(Density.MINIMAL, 0), Rung(Density.FULL)))

    def render(self, ctx, children):
        notes = ctx.get(HudState).notes
        return [Paragraph()[note.content, WORDS] for note in notes] if notes else None


WORDS = ""
LAYOUT = Hud()[TaskSection(), Risks()]
TOOLS = Toolset([Operation("find", Place, lambda place: place.path, "finds it")], name="places")
NUMBER = 3
'''

DESK = """
from hud_components import Hud
from tests.hud_runtime.editing.support import TicketSection

LAYOUT = Hud(title="Desk")[TicketSection()]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("UJSX_HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.fixture
def lock(folder):
    """Change figures of the lock, or read it."""

    class File:
        path = folder / "budget.lock.json"

        @property
        def data(self) -> Any:
            return json.loads(self.path.read_text("utf-8"))

        def change(self, change) -> None:
            data = self.data
            change(data)
            self.path.write_text(json.dumps(data), "utf-8")

    return File()


@pytest.fixture
def check(ujsx, lock):
    return lambda *arguments: ujsx("budget", "check", "--lock", lock.path, *arguments)


@pytest.fixture
def module(folder, request):
    """A module of the user's, of a name that no other test imports."""
    name = re.sub(r"\W", "_", request.node.name)

    (folder / f"{name}.py").write_text(SECTIONS, "utf-8")
    return name


def test_a_domain_of_ones_own_is_not_measured_with_a_session_of_another(check, lock) -> None:
    done = check("--update", "hud", "--domain", "tests.hud_runtime.editing.support:SUPPORT")
    assert (done.status, done.out) == (2, "")
    assert 'the bundled session is none of the domain "support"' in done.err
    assert not lock.path.exists()


def test_titles_alone_are_no_figures(check, lock, folder) -> None:
    (folder / "desk.py").write_text(DESK, "utf-8")
    done = check("--update", "desk.py:LAYOUT")
    assert (done.status, done.out) == (2, "")
    assert "name --domain and --session" in done.refusal
    assert "add it to the sections" not in done.err, "nobody chose the bundled session's domain"
    assert not lock.path.exists()


def test_a_session_of_ones_own_domain_is_held_by_the_lock_alone(
    check, lock, folder, ujsx, monkeypatch
) -> None:
    (folder / "desk.py").write_text(DESK, "utf-8")
    with HudStore.open(folder / "desk.db", domain=SUPPORT) as store:
        store.session("desk").record("ticket.set", subject="The invoice is wrong")
    domain, exported = (
        "tests.hud_runtime.editing.support:SUPPORT",
        folder / "held" / "support.jsonl",
    )
    exported.parent.mkdir()
    of = ("desk", "--store", "desk.db", "--domain", domain)
    exported.write_text(ujsx("session", "export", *of).out, "utf-8")
    layout = f"{folder / 'desk.py'}:LAYOUT"
    named = ("--domain", domain, "--session", "held/support.jsonl")
    assert check("--update", layout, *named).status == 0
    assert (lock.data["session"], lock.data["domain"]) == ("held/support.jsonl", domain)
    assert check().status == 0
    written = lock.path.read_text("utf-8")
    assert check("--update").status == 0
    assert lock.path.read_text("utf-8") == written
    monkeypatch.chdir(exported.parent)
    assert check().status == 0, "its path is that from the lock"
    exported.unlink()
    assert check().status == 2


class TestALock:
    def test_is_written_and_holds(self, check, lock) -> None:
        written = check("--update")
        assert (written.status, written.out) == (0, "")
        assert [*lock.data["targets"]] == ["hud", "tools"]
        assert lock.data["session"] == "demo"
        text = lock.path.read_text("utf-8")
        assert text == json.dumps(lock.data, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        held = check()
        assert (held.status, held.err) == (0, "")
        assert held.out.startswith("nothing grew: ")
        assert check("--update").status == 0
        assert lock.path.read_text("utf-8") == text, "the same figures are the same bytes"

    def test_has_the_figures_of_the_renderings(self, check, lock, demo, ujsx) -> None:
        check("--update")
        state = ujsx("replay", demo, "--json").data["state"]
        hud = Hud.of(HudState.model_validate(state))
        for density in Density:
            rendered = render_document(hud, density=density)
            sections: dict[str, int] = {}
            for each in rendered.sections:
                if each.goes_on:  # in the line of the one before
                    last, tokens = sections.popitem()
                    sections[f"{last} + {each.name}"] = tokens
                elif each.tokens:
                    sections[each.name] = each.tokens
            assert lock.data["targets"]["hud"][density] == {**sections, "total": rendered.tokens}

    def test_is_read_by_everybody(self, check, lock) -> None:
        check("--update")
        assert lock.path.stat().st_mode & 0o044 == 0o044 & ~_umask()

    def test_of_some_targets_keeps_the_others(self, check, lock) -> None:
        check("--update", "hud")
        before = lock.data["targets"]["hud"]
        lock.change(lambda data: data["targets"]["hud"]["full"].update(TaskSection=1))
        check("--update", "tools")
        assert lock.data["targets"]["hud"] == {
            **before,
            "full": {**before["full"], "TaskSection": 1},
        }
        assert [*lock.data["targets"]] == ["hud", "tools"]
        assert check("tools").status == 0, "what is not named is not looked at"
        assert check().status == 1


class TestWhatGrew:
    def test_fails_with_a_table(self, check, lock) -> None:
        check("--update", "hud")
        now = lock.data["targets"]["hud"]["compact"]
        lock.change(
            lambda data: data["targets"]["hud"]["compact"].update(
                TaskSection=now["TaskSection"] - 2, NotesSection=now["NotesSection"] + 5
            )
        )
        grown = check()
        assert grown.status == 1
        rows = [line.split() for line in grown.out.splitlines()]
        assert rows[0] == ["target", "tier", "part", "locked", "now"]
        assert rows[1][:3] + rows[1][5:] == ["hud", "compact", "TaskSection", "+2", "grew"]
        assert rows[2][:3] + rows[2][5:] == ["hud", "compact", "NotesSection", "-5", "shrank"]
        assert "--update" in grown.err
        data = check("--json").data
        assert (data["ok"], len(data["changes"])) == (False, 2)
        assert data["changes"][0]["verdict"] == "grew"

    @pytest.mark.parametrize(
        ("tolerance", "status"), [("0", 1), ("1", 1), ("2", 0), ("1%", 1), ("20%", 0), ("12.5%", 0)]
    )
    def test_is_tolerated_up_to_a_number(self, check, lock, tolerance: str, status: int) -> None:
        check("--update", "hud")
        figure = lock.data["targets"]["hud"]["full"]["TaskSection"]
        assert figure * 1.01 < figure + 2 < figure * 1.125 * (figure / (figure - 2)), "as assumed"
        lock.change(lambda data: data["targets"]["hud"]["full"].update(TaskSection=figure - 2))
        done = check("--tolerance", tolerance)
        assert done.status == status
        assert ("within the tolerance" in done.out) is (status == 0)

    @pytest.mark.parametrize("tolerance", ["x", "-1", "5%%", "1.5", "nan", "inf%", "", "1e3%"])
    def test_a_tolerance_that_is_none(self, check, tolerance: str) -> None:
        assert "is no tolerance; write 20 or 5%" in check(f"--tolerance={tolerance}").refusal

    def test_less_is_fine(self, check, lock) -> None:
        check("--update", "tools")
        lock.change(lambda data: data["targets"]["tools"]["mcp"].update(hud=9_999))
        done = check()
        assert done.status == 0
        assert done.out.endswith("figures\n")
        assert "--update" in done.err

    @given(
        before=st.dictionaries(st.sampled_from("abc"), st.integers(0, 9)),
        after=st.dictionaries(st.sampled_from("abc"), st.integers(0, 9)),
    )
    def test_nothing_passes_that_is_more(self, before, after) -> None:
        def lock(parts: Any) -> Lock:
            return Lock("c", "s", {"t": {"full": parts}})

        changes = lock(before).changes(lock(after), Tolerance())
        is_more = any(name not in before or after[name] > before[name] for name in after)
        assert any(each.verdict in FAILS for each in changes) is (
            is_more or not before.keys() <= after.keys()
        )
        assert {each.name for each in changes} == {
            name for name in "abc" if before.get(name) != after.get(name)
        }  # fmt: skip


class TestWhatCannotBeTold:
    def test_a_section_that_is_gone_or_new(self, check, lock) -> None:
        check("--update", "hud")
        lock.change(lambda data: data["targets"]["hud"]["full"].update(Gone=3))
        lock.change(lambda data: data["targets"]["hud"]["full"].pop("TaskSection"))
        done = check("--tolerance", "1000")
        assert done.status == 1
        assert [line.split()[-1] for line in done.out.splitlines()[1:]] == ["new", "gone"]

    def test_without_a_lock(self, check) -> None:
        assert "there is no lock" in check().refusal

    @pytest.mark.parametrize(
        "text",
        ["", "[]", "{", "null", "{}", '{"ujsx": "budget lock"}', "[" * 9_999, "\ufeff{}"]
        + [
            json.dumps({"ujsx": "budget lock", "format": 1, "counter": "c", "session": "s"} | part)
            for part in (
                {"targets": {"hud": {"full": {"a": "1"}}}},
                {"targets": {"hud": {"full": {"a": True}}}},
                {"targets": {"hud": {"full": {"a": -1}}}},
                {"targets": {"hud": {"full": 3}}},
                {"targets": 3},
                {"targets": {}, "format": 2},
                {"targets": {}, "counter": 3},
            )
        ],
    )
    def test_with_something_else(self, check, lock, text: str) -> None:
        lock.path.write_text(text, "utf-8")
        assert f"{lock.path} is no lock" in check().refusal

    @pytest.mark.parametrize(
        ("key", "word"), [("counter", "the counter 'other'"), ("session", "the session 'other'")]
    )
    def test_with_figures_of_something_else(self, check, lock, key: str, word: str) -> None:
        check("--update")
        lock.change(lambda data: data.update({key: "other"}))
        assert word in check().refusal
        assert word in check("--update", "hud").refusal, "what stays would be of something else"
        assert check("--update").status == 0
        assert check().status == 0

    def test_another_session_or_turn(self, check, lock, demo) -> None:
        check("--update", "--session", demo, "hud")
        named = Path(os.path.relpath(demo, lock.path.parent)).as_posix()
        assert lock.data["session"] == named
        assert check("--session", demo).status == 0
        assert f"the session {named!r}" in check("--session", demo, "--turn", "3").refusal
        assert check().status == 0, "it names the file itself"

    def test_a_target_that_is_not_in_it(self, check) -> None:
        check("--update", "hud")
        assert 'has no target "tools"' in check("tools").refusal

    def test_nothing_measured(self, check, folder) -> None:
        (folder / "empty.md").write_text("<Hud title=''><BlockersList/></Hud>\n")
        assert "shows nothing of" in check("--update", "--turn", "0", "--session", _tiny(folder), "hud",
                                           "empty.md").refusal  # fmt: skip

    @pytest.mark.parametrize("target", ["hdu", "tool", "nothing.md", "no_such:thing", "json:dumps"])
    def test_a_target_that_is_none(self, check, target: str) -> None:
        check("--update")
        assert check(target).status == 2

    def test_a_counter_that_is_none(self, check) -> None:
        assert '"o200" is no counter' in check("--counter", "o200").refusal


class TestTargets:
    def test_a_layout(self, check, lock, folder) -> None:
        (folder / "house.md").write_text("<Hud>\n  <TaskSection/>\n  <NotesSection/>\n</Hud>\n")
        assert check("--update", "house.md").status == 0
        assert {*lock.data["targets"]["house.md"]["full"]} == {
            "TaskSection",
            "NotesSection",
            "total",
        }
        (folder / "house.md").write_text("<Hud>\n  <TaskSection/>\n</Hud>\n")
        done = check()
        assert done.status == 1
        assert "NotesSection" in done.out
        (folder / "house.md").unlink()
        assert check().status == 2

    def test_a_users_own_layout_section_component_and_tools(self, check, lock, module) -> None:
        targets = [f"{module}:{each}" for each in ("LAYOUT", "Risks", "Badge", "Place", "TOOLS")]
        assert check("--update", *targets).status == 0
        found = lock.data["targets"]
        assert {*found[targets[0]]["full"]} == {"TaskSection", "Risks", "total"}
        assert {"full", "openai"} <= found[targets[1]].keys()
        assert "full" not in found[targets[2]]
        assert "full" not in found[targets[3]]
        assert found[targets[4]]["anthropic"].keys() == {"find", "total"}
        assert check().status == 0

    def test_a_users_section_that_grows(self, check, module, monkeypatch) -> None:
        check("--update", f"{module}:LAYOUT")
        monkeypatch.setattr(sys.modules[module], "WORDS", " and some words more")
        done = check()
        assert done.status == 1
        assert [line.split()[1:3] for line in done.out.splitlines()[1:]] == [
            ["full", "Risks"],
            ["full", "total"],
            ["compact", "Risks"],
            ["compact", "total"],
            ["minimal", "Risks"],
            ["minimal", "total"],
        ]

    def test_what_has_no_figures(self, check, module) -> None:
        refusal = check("--update", f"{module}:NUMBER").refusal
        assert f"{module}:NUMBER is of the type int; what can be measured is" in refusal
        domain = "tests.hud_runtime.editing.support:SUPPORT"
        refusal = check("--update", domain).refusal
        assert f"{domain} is a domain, and what is measured is a layout of it: name one" in refusal
        assert f"with --domain {domain} and --session" in refusal

    def test_sections_that_share_a_line_have_one_row(self, check, lock, demo, ujsx) -> None:
        assert check("--update", "hud").status == 0
        minimal = dict(lock.data["targets"]["hud"]["minimal"])
        [shared] = [name for name in minimal if " + " in name]
        assert shared.split(" + ") == [
            "TaskSection", "DecisionsList", "NotesSection", "FactsList", "ActiveFiles",
            "ErrorsList", "ChecksList",
        ]  # fmt: skip
        assert not {*shared.split(" + ")} & {*minimal}
        state = HudState.model_validate(ujsx("replay", demo, "--json").data["state"])
        whole = render_document(Hud.of(state), density=Density.MINIMAL)
        assert minimal.pop("total") == whole.tokens
        # What stands between sections, the HUD's title, is no section's; at this density there is none.
        assert sum(minimal.values()) == sum(each.tokens for each in whole.nodes)
        line = whole.text.partition("\n")[0]
        assert minimal[shared] == whole.count_tokens(line)
        figure = minimal[shared]
        lock.change(lambda data: data["targets"]["hud"]["minimal"].update({shared: figure - 4}))
        done = check()
        assert done.status == 1
        [row] = [each for each in done.out.splitlines() if each.startswith("hud")]
        assert re.split(r"  +", row) == [
            "hud", "minimal", shared, str(figure - 4), str(figure), "+4 grew",
        ]  # fmt: skip

    def test_a_section_that_starts_a_line_and_shows_nothing_else_stands_alone(
        self, check, lock, folder
    ) -> None:
        (folder / "one.md").write_text("<Hud>\n  <TaskSection/>\n</Hud>\n")
        (folder / "two.md").write_text("<Hud>\n  <NotesSection/>\n  <DecisionsList/>\n</Hud>\n")
        check("--update", "one.md", "two.md")
        found = lock.data["targets"]
        assert {*found["one.md"]["minimal"]} == {"TaskSection", "total"}
        assert {*found["two.md"]["minimal"]} == {"NotesSection + DecisionsList", "total"}
        assert {*found["two.md"]["full"]} == {"NotesSection", "DecisionsList", "total"}

    def test_sections_that_share_a_name_have_a_row_each(self, check, lock, folder) -> None:
        (folder / "two.md").write_text("<Hud>\n  <TaskSection/>\n  <TaskSection/>\n</Hud>\n")
        check("--update", "two.md")
        assert {*lock.data["targets"]["two.md"]["full"]} == {
            "TaskSection",
            "TaskSection 2",
            "total",
        }

    def test_a_session_of_a_store(self, check, lock, store) -> None:
        arguments = ("--session", "shop", "--store", store)
        assert check("--update", *arguments, "hud").status == 0
        assert lock.data["session"] == "shop"
        assert check(*arguments).status == 0, (
            "its present tells no age, so it does not grow with time"
        )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _tiny(folder: Path) -> Path:
    path = folder / "tiny.jsonl"
    path.write_text('{"role": "assistant", "content": "hello"}\n', "utf-8")
    return path
