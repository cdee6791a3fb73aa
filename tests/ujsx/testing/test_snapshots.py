"""``tier_snapshots`` in a user's project: missing, written, passing, failing, stale."""

from __future__ import annotations

import re
from pathlib import Path
from unicodedata import normalize
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from tests.ujsx.testing.inside import percent_encoded, unescaped
from tests.ujsx.testing.project import Project

BADGE = """
from pathlib import Path

from ujsx import Child, Component, Density, RenderContext
from ujsx.elements import Section

WORD = Path(__file__).parent.joinpath("word.txt").read_text()


class Badge(Component):
    label: str

    def render(self, ctx, children) -> Child:
        return Section(title=self.label)["same", Section(title=str(ctx.density))[str(ctx.get(int))]]


def test_badge(tier_snapshots):
    tier_snapshots(Badge(label=WORD))


def test_by_hand(tier_snapshots):
    tier_snapshots(Badge(label="b"), "by hand", context=RenderContext().with_value(7))
    tier_snapshots(Badge(label="c"), "one", densities=["full"])
"""

EMPTY = """
from ujsx import Component


class Words(Component):
    words: tuple[str, ...] = ()

    def render(self, ctx, children):
        return self.words


def test_words(tier_snapshots):
    tier_snapshots(Words())
"""

IDS = """
import enum
import pytest

from ujsx.testing import MarkdownSnapshotExtension

Odd = enum.Enum("Odd", {"D": "d"})
Odd.__str__ = lambda self: chr(92) + "d"

WORDS = ["茶", "a" + chr(92) + "u8336", "é", "e" + chr(0x301), chr(0x200b) + chr(10), Odd.D]


@pytest.mark.parametrize("word", WORDS)
def test_größe(tier_snapshots, word):
    tier_snapshots([str(word)], densities=["full"])


@pytest.mark.parametrize("word", ["茶"])
def test_text(snapshot, word):
    assert word == snapshot(extension_class=MarkdownSnapshotExtension)
"""

BARE = """
import pytest


@pytest.fixture
def check(tier_snapshots):
    return lambda what: tier_snapshots(what, densities=["full"])


def test_bare(tier_snapshots):
    tier_snapshots


def test_true(tier_snapshots):
    assert tier_snapshots


def test_compared(tier_snapshots):
    assert tier_snapshots != "# HUD"


def test_fails_by_itself(tier_snapshots):
    raise LookupError("no such word")


def test_skipped(tier_snapshots):
    pytest.skip("not here")


def test_refused(tier_snapshots):
    with pytest.raises(TypeError):
        tier_snapshots("x", layout=1)


def test_by_another(check):
    check(["x"])


def test_another_is_not_called(check):
    assert check


def test_itself(tier_snapshots):
    tier_snapshots(["y"], densities=["full"])
    assert tier_snapshots == tier_snapshots
    assert tier_snapshots in {tier_snapshots}
"""

NAMES = """
import pytest




@pytest.mark.parametrize("word", ["a/b", "a%2Fb", "é", "..", ""])
def test_of(tier_snapshots, word):
    tier_snapshots([word], densities=["full"])


@pytest.mark.parametrize("x", [1, 2], ids=["x" * 300 + "1", "x" * 300 + "2"])
def test_long(tier_snapshots, x):
    tier_snapshots([str(x)], densities=["full"])


def test_twice(tier_snapshots):
    tier_snapshots(["one"], densities=["full"])
    tier_snapshots(["two"], densities=["full"])


class TestOne:
    def test_same(self, tier_snapshots):
        tier_snapshots(["one"], densities=["full"])

    class TestInner:
        def test_same(self, tier_snapshots):
            tier_snapshots(["inner"], densities=["full"])


class TestTwo:
    def test_same(self, tier_snapshots):
        tier_snapshots(["two"], densities=["full"])
"""

REFUSED = """
import pytest

from ujsx import SnapshotError


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\\\b", "a:b", "a\\n", "x" * 201, 3, "\\ud800"])
def test_no_file_name(tier_snapshots, name):
    with pytest.raises(SnapshotError, match="a snapshot's name is a plain file name"):
        tier_snapshots(["x"], name)


def test_first(tier_snapshots):
    tier_snapshots(["x"], "Name", densities=["full"])
    with pytest.raises(SnapshotError, match="Name.full.md is compared already, by .*test_first"):
        tier_snapshots(["y"], "Name", densities=["full"])


def test_second(tier_snapshots):
    with pytest.raises(SnapshotError, match="name.full.md is compared already, by .*test_first"):
        tier_snapshots(["z"], "name", densities=["full"])
"""

KEPT = """
import pytest


def test_kept(tier_snapshots):
    tier_snapshots(["kept"], densities=["full"])
"""

OTHER = """

def test_other(tier_snapshots):
    tier_snapshots(["other"], densities=["full"])
"""


class TestAStory:
    def test_missing_written_passing_and_failing(self, project: Project) -> None:
        """One story, as each run of pytest takes most of a second."""
        project.write("tests/parts/test_badge.py", BADGE)
        project.write("tests/parts/word.txt", "new")

        missing = project.run()
        assert missing.returncode == 1, "a snapshot that is not there is a failure"
        assert (
            "snapshots/tests/parts/test_badge/badge.minimal.md, "
            "snapshots/tests/parts/test_badge/badge.compact.md, "
            "snapshots/tests/parts/test_badge/badge.full.md and 3 more do not exist; "
            "pytest --snapshot-update writes them" in missing.stdout
        )
        assert project.snapshots == set()

        written = project.run("--snapshot-update")
        assert written.returncode == 0, written.stdout
        assert project.snapshots == {
            "tests/parts/test_badge/badge.minimal.md",
            "tests/parts/test_badge/badge.compact.md",
            "tests/parts/test_badge/badge.full.md",
            "tests/parts/test_badge/by hand.minimal.md",
            "tests/parts/test_badge/by hand.compact.md",
            "tests/parts/test_badge/by hand.full.md",
            "tests/parts/test_badge/one.full.md",
        }
        folder = "snapshots/tests/parts/test_badge"
        assert project.read(f"{folder}/badge.compact.md") == "# new\n\nsame\n\n## compact\n\nNone\n"
        assert project.read(f"{folder}/by hand.full.md") == "# b\n\nsame\n\n## full\n\n7\n"

        passed = project.run()
        assert passed.returncode == 0, passed.stdout
        assert "7 snapshots passed" in passed.stdout

        project.write("tests/parts/word.txt", "changed")
        failed = project.run()
        assert failed.returncode == 1
        shown = [line.strip() for line in failed.stdout.splitlines()]
        start = shown.index("- # new")
        assert shown[start - 1] == (
            f"changed: 3 snapshots of 1 case (minimal, compact, full), such as {folder}/badge.minimal.md"
        )
        assert shown[start : start + 3] == ["- # new", "+ # changed", "tokens   before  after"]
        assert "1 snapshot fails" not in failed.stdout
        assert "3 snapshots fail: tests/parts/test_badge.py::test_badge ==" in failed.stdout
        assert "pytest --snapshot-update accepts it" in failed.stdout
        assert "Traceback" not in failed.stdout
        assert "1 failed, 1 passed" in failed.stdout
        file = project.root / "report.xml"
        project.run(f"--junitxml={file}")
        assert "+ # changed" in file.read_text("utf-8"), "each test's own report has it, too"
        assert project.read(f"{folder}/badge.full.md").startswith("# new")


class TestNames:
    def test_of_different_tests_are_different(self, project: Project) -> None:
        project.write("tests/test_names.py", NAMES)
        written = project.run("--snapshot-update")
        assert written.returncode == 0, written.stdout
        names = {Path(path).name.removesuffix(".full.md") for path in project.snapshots}
        long = {name for name in names if name.startswith("long[xxx")}
        assert names - long == {
            "of[a%2Fb]",
            "of[a%252Fb]",
            "of[é]",
            "of[..]",
            "of[]",
            "twice",
            "twice-2",
            "TestOne.same",
            "TestOne.TestInner.same",
            "TestTwo.same",
        }
        assert len(long) == 2
        assert all(len(name) <= 200 for name in long)
        assert project.run().returncode == 0

    def test_that_are_no_file_names_or_taken_are_refused(self, project: Project) -> None:
        project.write("tests/test_names.py", REFUSED)
        done = project.run("--snapshot-update")
        assert done.returncode == 0, done.stdout
        assert project.snapshots == {"tests/test_names/Name.full.md"}

    def test_have_parameters_as_they_are(self, project: Project) -> None:
        project.write("tests/test_ids.py", IDS)
        assert project.run("--snapshot-update").returncode == 0
        assert project.snapshots == {
            f"tests/test_ids/{name}.md"
            for name in (
                "größe[茶].full",
                "größe[a%5Cu8336].full",
                "größe[é].full",
                "gr%C3%B6%C3%9Fe[e%CC%81].full",
                "größe[%E2%80%8B%0A].full",
                "größe[%5Cd].full",
                "text[茶].text",
            )
        }
        assert project.run().returncode == 0

    @given(st.lists(st.text(), min_size=2, max_size=2, unique=True))
    def test_of_two_parameters_are_two_on_each_file_system(self, texts: list[str]) -> None:
        escaped = [f"x[{each.encode('unicode_escape').decode()}]" for each in texts]
        names = [percent_encoded(unescaped(each)) for each in escaped]
        assert len({*names}) == 2
        for name, text in zip(names, texts, strict=True):
            assert unquote(name, errors="surrogatepass") == f"x[{text}]"
            assert normalize("NFC", name) == name or normalize("NFC", text) != text


class TestNotCalled:
    """A test that takes the fixture and compares nothing is told what to write."""

    def test_is_a_failure_where_it_would_pass(self, project: Project) -> None:
        project.write("tests/test_bare.py", BARE)
        done = project.run("--snapshot-update", "-rfEs")
        counts = {"passed": 4, "failed": 4, "skipped": 1}
        assert {
            what: int(count)
            for count, what in re.findall(r"(\d+) (\w+ed)\b", done.stdout.splitlines()[-1])
        } == counts, done.stdout
        told = "the test takes tier_snapshots and does not call it, so no snapshot is compared; write tier_snapshots"
        assert done.stdout.count(told) == 2
        assert (
            done.stdout.count(
                "E       ujsx.errors.DefinitionError: tier_snapshots is called, and not "
            )
            == 1
        )
        assert "no such word" in done.stdout


class TestStale:
    def test_are_named_and_deleted_where_all_tests_passed(self, project: Project) -> None:
        project.write("tests/test_a.py", KEPT + OTHER)
        project.write("tests/test_gone.py", KEPT)
        project.write("snapshots/README.md", "no snapshot")
        project.write("snapshots/tests/test_a/notes.md", "no snapshot")
        used = {"README.md", "tests/test_a/notes.md", "tests/test_a/kept.full.md"}
        stale = {"tests/test_a/other.full.md"}
        orphan = {"tests/test_gone/kept.full.md"}
        assert project.run("--snapshot-update").returncode == 0
        assert project.snapshots == used | stale | orphan

        (project.root / "tests" / "test_gone.py").unlink()
        project.write("tests/test_a.py", KEPT)
        found = project.run("--snapshot-details")
        assert found.returncode == 1
        assert "2 snapshots unused" in found.stdout
        assert "other.full (snapshots/tests/test_a/other.full.md)" in found.stdout
        assert "kept.full (snapshots/tests/test_gone/kept.full.md)" in found.stdout
        assert "--snapshot-update to delete unused snapshots" in found.stdout

        assert project.run("tests", "--snapshot-update").returncode == 0
        assert project.snapshots == used | orphan, "what is not under the given path stays"
        assert project.run("--snapshot-update").returncode == 0
        assert project.snapshots == used

    def test_are_not_those_of_tests_that_did_not_run_or_pass(self, project: Project) -> None:
        project.write("tests/test_a.py", KEPT + OTHER)
        project.write("tests/test_a[1].py", KEPT)
        assert project.run("--snapshot-update").returncode == 0
        every = project.snapshots
        assert len(every) == 3
        for arguments in (
            ("-k", "kept or full", "--ignore", "tests/test_a[1].py"),
            ("tests/test_a.py::test_kept",),
        ):
            assert project.run("--snapshot-update", *arguments).returncode == 0
            assert project.snapshots == every
        broken = OTHER.replace(":\n", ":\n    1 / 0\n")
        skipped = broken.replace("def", "@pytest.mark.skip\ndef")
        unforeseen = broken.replace("def", "@pytest.mark.xfail\ndef").replace("other", "more")
        for tests, status in ((KEPT + skipped + unforeseen, 0), (KEPT + broken, 1)):
            project.write("tests/test_a.py", tests)
            assert project.run("--snapshot-update").returncode == status
            assert project.snapshots == every


def test_a_component_that_shows_nothing_is_told_so(project: Project) -> None:
    project.write("tests/test_empty.py", EMPTY)
    told = project.run().stdout
    assert "nothing is shown in 3 snapshots of 1 case (minimal, compact, full), such as" in told
    assert told.count("(nothing)") == 3, told
