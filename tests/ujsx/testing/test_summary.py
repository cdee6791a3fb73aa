"""The end of a run with many snapshots: equal changes once, tokens that were agreed to, modes, examples."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ujsx.testing.project import KIT, Project

RISKS = """
from pathlib import Path
from typing import ClassVar

import pytest

from ujsx import Component, Density, Disclosure, Examples, Rung
from ujsx.elements import Item, List, Omitted, Section

WORDS = Path(__file__).parent.joinpath("words.txt").read_text().split()


class Risks(Component):
    disclosure = Disclosure((Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 3), Rung(Density.FULL)))
    examples: ClassVar[Examples] = lambda: {
        "five": Risks(items=("Fire", "Flood", "Frost", "Fog", "Fleas")),
        "none": Risks(),
    }
    items: tuple[str, ...] = ()

    def render(self, ctx, children):
        if not self.items:
            return None
        title = ctx.texts.get("risks.title", WORDS[0])
        shown = self.items[: ctx.limit]
        if not shown:
            return Omitted(count=len(self.items), text=f"{title}: {len(self.items)}")
        hidden = len(self.items) - len(shown)
        return Section(title=title)[List()[(Item()[each] for each in shown)], hidden > 0 and Omitted(count=hidden)]
"""

MANY = """

@pytest.mark.parametrize("count", range(1, 34))
def test_many(tier_snapshots, count):
    tier_snapshots(Risks(items=tuple(f"item {number} of {count}" for number in range(count))))


def test_examples(tier_snapshots):
    tier_snapshots(Risks)


def test_other():
    assert "old" in WORDS
"""

MIXED = """

@pytest.mark.parametrize("count", range(10))
def test_mixed(tier_snapshots, count):
    tier_snapshots(Risks(items=tuple(WORDS[1:])))
    tier_snapshots(Risks(items=(f"alone {count}", *WORDS[1:count])), f"part {count}")
"""

TABLE = "=== tokens, as a table for a pull request ==="


def reported(said: str) -> list[str]:
    """The lines of the report of snapshots, to its end."""
    lines = said.splitlines()
    start = next(
        number for number, line in enumerate(lines) if re.search(r"snapshots? fails?: ", line)
    )
    end = next(
        n for n in range(start + 1, len(lines)) if re.search(r"\d+ (failed|passed)", lines[n])
    )
    return [line.strip("= ") for line in lines[start:end]]


class TestManyChanges:
    def test_one_word_in_a_hundred_snapshots(self, project: Project) -> None:
        """One story, as each run of pytest takes a second."""
        pytest.importorskip("xdist")
        project.write("tests/words.txt", "Risks old")
        project.write("tests/test_risks.py", RISKS + MANY)
        written = project.run("--snapshot-update")
        assert written.returncode == 0, written.stdout
        assert len(project.snapshots) == 105
        figures = json.loads(project.read("snapshots/tests/test_risks/tokens.json"))
        assert len(figures) == 35
        assert all({*each} == {"minimal", "compact", "full"} for each in figures.values())
        assert TABLE in written.stdout
        assert project.run("--token-tolerance", "0").returncode == 0

        project.write("tests/words.txt", "Dangers old")
        alone = project.run()
        assert alone.returncode == 1
        told = reported(alone.stdout)
        assert len(told) <= 15, alone.stdout
        assert told[0] == "102 snapshots fail: tests/test_risks.py::test_examples and 33 more tests"
        assert "Risks: 102 snapshots of 34 cases (minimal, compact, full)" in told[1]
        assert told.count("- # Risks") == told.count("+ # Dangers") == 1
        assert "FAILURES" not in alone.stdout
        assert "34 failed, 1 passed" in alone.stdout

        in_ci = project.run_process("-n", "2", plugins=(*KIT, "-p", "xdist"), CI="1")
        assert in_ci.returncode == 1
        assert reported(in_ci.stdout) == told, in_ci.stdout

        project.write("tests/words.txt", "Dangers new")
        both = project.run()
        assert "_ test_other _" in both.stdout, "what fails by itself is shown as ever"
        assert len(reported(both.stdout)) == len(told)
        assert "35 failed" in both.stdout

    def test_mixed_changes_are_each_listed_once(self, project: Project) -> None:
        words = [f"w{number} one" for number in range(12)]
        lines = "\n".join(["Risks", *(each.replace(" ", "_") for each in words)])
        project.write("tests/words.txt", lines)
        project.write("tests/test_risks.py", RISKS + MIXED)
        assert project.run("--snapshot-update").returncode == 0
        new = lines.split()
        for number in range(2, 9):
            new[number] = f"other_{number}"  # seven lines, neighbors of each other, become others
        new[10] = ""  # one is gone
        new += ["added", "and_another"]
        project.write("tests/words.txt", "\n".join(new))
        told = reported(project.run().stdout)
        for number in range(2, 9):
            assert told.count(f"+ - other_{number}") == 1, told
            assert told.count(f"- - w{number - 1}_one") == 1, told
        for line in ("- - w9_one", "+ - added", "+ - and_another"):
            assert told.count(line) == 1, told


class TestTokens:
    def test_are_held_to_what_was_agreed(self, project: Project) -> None:
        case = "\n\ndef test_a(tier_snapshots):\n    tier_snapshots(Risks(items=tuple(WORDS)))\n"
        figures = Path("snapshots/tests/test_risks/tokens.json")
        project.write("tests/test_risks.py", RISKS + case)
        project.write("tests/words.txt", "Risks " + " ".join(f"word{n}" for n in range(40)))
        written = project.run("--snapshot-update")
        first = json.loads(project.read(str(figures)))
        assert {*first["a"]} == {"minimal", "compact", "full"}
        assert {*first["a"]["full"]} == {"Risks", "total"}
        assert TABLE in written.stdout
        assert f"| Risks | full | 1 | – → {first['a']['full']['Risks']} |" in written.stdout
        assert project.run("--token-tolerance", "0").returncode == 0

        # A little more is let through, and what was agreed stays: small steps add up.
        project.write("tests/words.txt", "Risks " + " ".join(f"word{n}" for n in range(41)))
        little = project.run("--snapshot-update", "--token-tolerance", "5%")
        assert little.returncode == 0, little.stdout
        assert "| Risks | full | 1 | " in little.stdout
        assert (
            json.loads(project.read(str(figures)))["a"]["full"]["Risks"]
            == first["a"]["full"]["Risks"]
        )
        assert project.run("--token-tolerance=5%").returncode == 0
        strict = project.run("--token-tolerance=1")
        assert strict.returncode == 1
        assert re.search(
            r"a, full: Risks grew from \d+ to \d+ tokens, by more than 1 tokens", strict.stdout
        ), strict.stdout

        project.write("tests/words.txt", "Risks " + " ".join(f"word{n}" for n in range(60)))
        much = project.run("--snapshot-update", "--token-tolerance", "5%")
        assert much.returncode == 1
        assert re.search(
            r"a, full: Risks grew from .*by more than 5 %.*without --token-tolerance accepts",
            much.stdout,
        )
        assert json.loads(project.read(str(figures))) == first
        assert project.run("--snapshot-update").returncode == 0
        assert project.run("--token-tolerance", "0").returncode == 0

        project.write(str(figures), "<<<<<<< HEAD\n{}\n")
        merged = project.run("--token-tolerance", "0")
        assert "tokens.json does not have tokens by case, tier and section" in merged.stdout
        assert project.run("--snapshot-update").returncode == 0, "which writes it anew"
        assert project.run("--token-tolerance", "0").returncode == 0

        project.write("tests/test_risks.py", RISKS + case.replace("test_a", "test_b"))
        assert project.run("--snapshot-update").returncode == 0
        assert [*json.loads(project.read(str(figures)))] == ["b"], "figures go with their snapshots"
        (project.root / figures).unlink()
        assert "tokens.json has no accepted counts" in project.run("--token-tolerance=5%").stdout
        assert project.run("--token-tolerance", "5 %").returncode == 4


MODES = """

def test_modes(tier_snapshots):
    modes = {"de": {"risks.title": "Risiken"}}
    tier_snapshots(Risks, modes=modes, densities=["full"])
    tier_snapshots((each for each in [Risks(items=("Fire",))]), "once", modes=modes, budget=50)


def test_of_a_session(tier_snapshots):
    from hud_components import NO_EMOJI
    from hud_runtime import HudStore

    with HudStore.open(":memory:") as store:
        session = store.session("s")
        session.record("note.add", content="Port 8080")
        tier_snapshots(session, densities=["full"], modes={"de": {"notes.title": "Notizen"}})
        with pytest.raises(Exception, match="takes no words, so it has no modes"):
            tier_snapshots(lambda density=None, budget=None: session.hud(), modes={"de": {}})
        with pytest.raises(Exception, match="modes= takes words by the names of modes"):
            tier_snapshots(session, modes={"a/b": {}})


class Bare(Component):
    pass


class Wrong(Component):
    examples: ClassVar[Examples] = lambda: {
        "good": Wrong(label="x"),
        "bad": Wrong(lable="x"),
    }
    label: str


class Other(Component):
    examples: ClassVar[Examples] = lambda: {"one": Bare()}


def test_refused(tier_snapshots):
    for kind, message in (
        (Bare, "Bare declares no examples; write examples = lambda"),
        (Wrong, r"Wrong.examples \\(.*test_risks.py:\\d+\\): Wrong.lable: no such prop"),
        (Other, r'Other.examples \\(.*test_risks.py:\\d+\\): "one" is not a Other, but Bare'),
    ):
        with pytest.raises(Exception, match=message):
            tier_snapshots(kind)
"""


def test_modes_and_examples(project: Project) -> None:
    project.write("tests/words.txt", "Risks")
    project.write("tests/test_risks.py", RISKS + MODES)
    done = project.run("--snapshot-update")
    assert done.returncode == 0, done.stdout
    folder = "tests/test_risks"
    assert project.snapshots == {
        f"{folder}/{name}.md"
        for name in (
            *(f"Risks.{case}.{mode}full" for case in ("five", "none") for mode in ("", "de.")),
            "once.budget-50",
            "once.de.budget-50",
            "of_a_session.full",
            "of_a_session.de.full",
        )
    }
    for path, title in (("once.de.budget-50", "# Risiken"), ("once.budget-50", "# Risks")):
        assert project.read(f"snapshots/{folder}/{path}.md").startswith(title)
    assert "## Notizen" in project.read(f"snapshots/{folder}/of_a_session.de.full.md")
    assert project.run().returncode == 0


def test_an_example_that_shows_nothing_any_more(project: Project) -> None:
    project.write("tests/words.txt", "Risks")
    test = "\n\ndef test_examples(tier_snapshots):\n    tier_snapshots(Risks)\n"
    project.write("tests/test_risks.py", RISKS + test)
    assert project.run("--snapshot-update").returncode == 0
    broken = RISKS.replace("if not self.items:", "if True:")
    project.write("tests/test_risks.py", broken + test)
    told = reported(project.run().stdout)
    assert told[0] == "3 snapshots fail: tests/test_risks.py::test_examples"
    assert told[1].startswith(
        "nothing is shown any more in 3 snapshots of 1 case (minimal, compact, full)"
    )


def test_new_snapshots_alone_are_written_with_their_tokens(project: Project) -> None:
    test = "def test_{0}(tier_snapshots):\n    tier_snapshots(['{1}'], densities=['full'])\n\n\n"
    project.write("tests/test_a.py", test.format("a", "old"))
    assert project.run("--snapshot-update").returncode == 0
    project.write("tests/test_a.py", test.format("a", "new text") + test.format("b", "x"))
    done = project.run("--snapshot-update-new-only")
    if done.returncode == 4:
        pytest.skip("this version of syrupy has no such option")
    assert "1 failed, 1 passed" in done.stdout
    assert "+ new text" in done.stdout
    assert [*json.loads(project.read("snapshots/tests/test_a/tokens.json"))] == ["a", "b"]


def test_two_runs_at_once_leave_a_whole_file_of_tokens(tmp_path: Path) -> None:
    folder = tmp_path / "snapshots" / "tests" / "test_a"
    folder.mkdir(parents=True)
    for case in "ab":
        (folder / f"{case}.full.md").write_text("x")
    script = (
        "import sys; from pathlib import Path; from ujsx.testing._snapshots import *\n"
        "root, case = Path(sys.argv[1]), sys.argv[2]\n"
        "for number in range(200):\n"
        "    now = {'total': number % 7}\n"
        "    one = WrittenFigures('snapshots/tests/test_a', case, 'full', None, now, now)\n"
        "    write_agreed(root, root / 'snapshots', [one])\n"
    )
    runs = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path), case]) for case in "ab"]
    assert [run.wait(60) for run in runs] == [0, 0]
    figures = json.loads((folder / "tokens.json").read_text("utf-8"))
    assert {*figures} <= {"a", "b"}
    assert [each.name for each in folder.iterdir() if each.suffix not in {".md", ".json"}] == []
