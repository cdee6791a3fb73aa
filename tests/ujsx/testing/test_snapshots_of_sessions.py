"""``tier_snapshots`` of sessions, layouts and budgets, and syrupy's own fixture with our files."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from tests.ujsx.testing.inside import SnapshotTier, TierTokens, tokens_table
from tests.ujsx.testing.project import KIT, Project
from tests.ujsx.testing.test_summary import TABLE

SESSIONS = """
from functools import partial
from pathlib import Path

import pytest

from hud_components import Hud, HudState, NotesSection, Task, TaskSection
from hud_runtime import HudStore
from ujsx import RenderError, UjsxError

WORD = Path(__file__).parent.joinpath("word.txt").read_text()


class ShopState(HudState):
    shop: str = "parcels"


@pytest.fixture
def store(tmp_path):
    with HudStore.open(tmp_path / "hud.db") as store:
        yield store


def begun(store, name, description):
    session = store.session(name)
    session.record("task.set", description=f"{description} {WORD}")
    for number in range(8):
        session.record("note.add", content=f"Note {number} of {name}")
    return session


def test_sessions_of_a_store(store, tier_snapshots):
    for name in ("one", "two"):
        tier_snapshots(begun(store, name, "Task"), name)


def test_within_budgets(store, tier_snapshots):
    session = begun(store, "budgets", "Task")
    tier_snapshots(session, budget=[15, 400])
    tier_snapshots(session.hud, "one budget", budget=30)


def test_a_layout(store, tier_snapshots):
    session = begun(store, "layout", "Task")
    layout = Hud(title="Mine")[TaskSection(), NotesSection(limit=2)]
    tier_snapshots(layout, state=session.state(), densities=["full"])
    tier_snapshots(partial(session.hud, layout=layout), "by session", densities=["full"])
    tier_snapshots(layout, "own", state=ShopState(task=Task(description="x")), densities=["full"])


def test_a_clock(store, tier_snapshots):
    session = store.session("clock")
    session.record("session.title", title="Sign-in")
    began = session.state().session.started_at
    tier_snapshots(session, now=began + 43 * 60_000, densities=["full"])
    assert "began 40 min ago" in session.hud(now=began + 43 * 60_000).text


def test_over_its_budget(store, tier_snapshots):
    session = begun(store, "over", "Task")
    layout = Hud(title="Mine")[TaskSection(), NotesSection()]
    with pytest.raises(AssertionError, match=r"budget-3: the floor, .*more than the budget of 3:[^$]*or_floor=True"):
        tier_snapshots(layout, "over", state=session.state(), budget=[3, 90])
    tier_snapshots(layout, "floor", state=session.state(), budget=3, or_floor=True)


def test_mistakes(store, tier_snapshots):
    session = begun(store, "mistakes", "Task")
    layout = Hud()[TaskSection()]
    for mistake, message in (
        (lambda: tier_snapshots(layout, session.state()), "the second argument is the name; .*write state="),
        (lambda: tier_snapshots(layout, density="full"), 'no density=; did you mean .densities='),
        (lambda: tier_snapshots(session, layout=layout), r"no layout=; give partial\\(session\\.hud, layout="),
        (lambda: tier_snapshots(None), "empty tree"),
    ):
        with pytest.raises(UjsxError, match=message):
            mistake()


def test_of_nothing(store, tier_snapshots):
    with pytest.raises(AssertionError, match="nothing to test: of NotesSection nothing is shown"):
        tier_snapshots(Hud()[NotesSection()], state=store.session("new").state())
    with pytest.raises(AssertionError, match="nothing to test: .*State is looked for"):
        tier_snapshots([NotesSection()])


def test_rendered(store, tier_snapshots):
    with pytest.raises(RenderError, match="rendered already"):
        tier_snapshots(store.session("r").hud())
"""

PLAIN = """
import pytest

from ujsx import render_document
from ujsx.errors import SnapshotError
from ujsx.testing import MarkdownSnapshotExtension

KEEP = {"extension_class": MarkdownSnapshotExtension}


@pytest.fixture
def markdown(snapshot):
    return snapshot.use_extension(MarkdownSnapshotExtension)


def test_call(snapshot):
    assert render_document("one") == snapshot(**KEEP)
    assert "# two\\n" == snapshot(**KEEP)
    assert "three" == snapshot(name="by name", **KEEP)


class TestUsed:
    @pytest.mark.parametrize("x", ["a/b", "c"])
    def test_use(self, markdown, x):
        assert x == markdown


def test_refused(snapshot):
    with pytest.raises(SnapshotError, match="plain file name"):
        assert "x" == snapshot(name="a/b", **KEEP)


def test_tiers(tier_snapshots):
    tier_snapshots(["x"], "call", densities=["full"])
"""

FOLDER = "tests/test_plain"

MANY = """
import pytest


@pytest.mark.parametrize("number", range(12))
def test_many(tier_snapshots, number):
    tier_snapshots([f"text {number} {WORD}"], budget=[1, 20], or_floor=True)


@pytest.mark.parametrize("number", range(6))
def test_named(tier_snapshots, number):
    tier_snapshots([f"named {number}"], f"case {number}")
"""


class TestSessions:
    def test_are_compared_tier_by_tier(self, project: Project) -> None:
        project.write("tests/test_shop.py", SESSIONS)
        project.write("tests/word.txt", "old")
        written = project.run("--snapshot-update")
        assert written.returncode == 0, written.stdout
        assert project.snapshots == {
            f"tests/test_shop/{name}.md"
            for name in (
                *(f"{name}.{tier}" for name in ("one", "two") for tier in ("full", "compact", "minimal")),
                "within_budgets.budget-15",
                "within_budgets.budget-400",
                "one budget.budget-30",
                "a_layout.full",
                "by session.full",
                "own.full",
                "a_clock.full",
                "over.budget-90",
                "floor.budget-3",
            )
        }  # fmt: skip
        folder = "snapshots/tests/test_shop"
        assert "Note 7 of two" in project.read(f"{folder}/two.full.md")
        assert project.read(f"{folder}/by session.full.md") == project.read(
            f"{folder}/a_layout.full.md"
        )
        assert project.read(f"{folder}/own.full.md") == "# HUD\n\n## Task\n\nx\n".replace(
            "HUD", "Mine"
        )
        short, long = (project.read(f"{folder}/within_budgets.budget-{n}.md") for n in (15, 400))
        assert len(short) < len(long)
        assert project.run().returncode == 0

        project.write("tests/word.txt", "new and longer")
        failed = project.run("-k", "sessions or within")
        assert failed.returncode == 1
        shown = [line.removeprefix("E").strip() for line in failed.stdout.splitlines()]
        tables = [number for number, line in enumerate(shown) if line.startswith("tokens ")]
        assert len(tables) == 1, "there is one report for all tests"
        rows = [line.split() for line in shown[tables[0] + 1 : tables[0] + 6]]
        assert [row[0] for row in rows] == ["minimal", "compact", "full", "budget-15", "budget-400"]
        assert all(int(before) < int(after) for _, before, after in rows if "15" not in _)
        alone = project.run("-k", "within")
        assert re.search(r"^budget-400 .* at most 400$", alone.stdout, re.MULTILINE), alone.stdout

    def test_snapshots_of_budgets_go_stale_like_others(self, project: Project) -> None:
        test = "def test_a(tier_snapshots):\n    tier_snapshots(['x'], budget={})\n"
        project.write("tests/test_a.py", test.format(20))
        assert project.run("--snapshot-update").returncode == 0
        project.write("tests/test_a.py", test.format(30))
        project.write("snapshots/tests/test_a/budget-x.md", "somebody's")
        assert project.run("--snapshot-update").returncode == 0
        assert project.snapshots == {"tests/test_a/a.budget-30.md", "tests/test_a/budget-x.md"}


def test_what_a_hud_is_meant_to_have_stands_beside_what_is_as_large() -> None:
    tiers = [SnapshotTier.at(each) for each in ("minimal", "compact", "full")]
    for sizes, meant in (
        ((4, 18, 19), []),
        ((4, 18, 300), ["30–50", "100–150", "300–500"]),
        ((31, 18, 19), ["30–50", "100–150", "300–500"]),
    ):
        for rows in (
            [TierTokens(tier.name, size, 1) for tier, size in zip(tiers, sizes, strict=True)],
            [TierTokens(tier.name, None, size) for tier, size in zip(tiers, sizes, strict=True)],
        ):
            lines = [line.split() for line in tokens_table(rows).splitlines()[1:]]
            assert [line[3] for line in lines if len(line) > 3] == meant


class TestPlainSnapshots:
    def test_stand_beside_those_of_tiers(self, project: Project) -> None:
        project.write("tests/test_plain.py", PLAIN)
        assert project.run().returncode == 1, "what is not there is not taken for right"
        written = project.run("--snapshot-update")
        assert written.returncode == 0, written.stdout
        texts = {
            f"{FOLDER}/call.text.md": "one\n",
            f"{FOLDER}/call-2.text.md": "# two\n",
            f"{FOLDER}/call.by name.text.md": "three",
            f"{FOLDER}/TestUsed.use[a%2Fb].text.md": "a/b",
            f"{FOLDER}/TestUsed.use[c].text.md": "c",
            f"{FOLDER}/call.full.md": "x\n",
        }
        assert project.snapshots == {*texts}
        for path, text in texts.items():
            assert project.read(f"snapshots/{path}") == text
        assert project.run().returncode == 0

        project.write("tests/test_plain.py", PLAIN.replace('"# two', '"# other'))
        failed = project.run()
        assert failed.returncode == 1
        assert "# other" in failed.stdout

        without = PLAIN.replace('    assert "# two\\n" == snapshot(**KEEP)\n', "")
        assert without != PLAIN
        project.write("tests/test_plain.py", without)
        assert project.run("-k", "call", "--snapshot-update").returncode == 0
        assert project.snapshots == {*texts}, "a part of the tests does not judge"
        assert project.run("--snapshot-update").returncode == 0
        assert project.snapshots == {*texts} - {f"{FOLDER}/call-2.text.md"}


class TestWorkers:
    def test_write_one_folder(self, project: Project) -> None:
        pytest.importorskip("xdist")
        workers = ("-n", "2")
        plugins = (*KIT, "-p", "xdist")
        for name in ("test_a", "test_b"):
            project.write(f"tests/{name}.py", MANY.replace("{WORD}", name))
        alone = project.run("--snapshot-update")
        assert alone.returncode == 0, alone.stdout
        expected = {path: project.read(f"snapshots/{path}") for path in project.snapshots}
        assert len(expected) == 2 * (12 * 2 + 6 * 3)
        shutil.rmtree(project.root / "snapshots")

        written = project.run_process("--snapshot-update", *workers, plugins=plugins)
        assert written.returncode == 0, written.stdout
        assert {path: project.read(f"snapshots/{path}") for path in project.snapshots} == expected
        figures = [*project.root.rglob("tokens.json")]
        assert [len(json.loads(each.read_text("utf-8"))) for each in figures] == [18, 18]
        assert TABLE in written.stdout, "one process writes the figures of all workers"
        assert project.run().returncode == 0

    def test_do_not_share_a_snapshot(self, project: Project) -> None:
        pytest.importorskip("xdist")
        same = "\n".join(
            f"def test_{number}(tier_snapshots):\n    tier_snapshots(['x'], 'same')\n"
            for number in range(2)
        )
        project.write("tests/test_a.py", same)
        found = project.run_process(
            "--snapshot-update", "-n", "2", "--dist", "load", plugins=(*KIT, "-p", "xdist")
        )
        assert found.returncode == 1, found.stdout
        assert "same.minimal.md is compared already, by tests/test_a.py::test_" in found.stdout
