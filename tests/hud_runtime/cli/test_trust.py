"""``ujsx trust``, and the layouts of projects: nothing of a folder is used because one stands in it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

LAYOUT = '<Hud title="Ours">\n<Value of="task.description"/>\n</Hud>\n'

SHADOWED = ("tomllib", "json", "platformdirs", "pydantic", "ujsx_evil", "tempfile", "sitecustomize",
    "hud", "argparse", "msgspec", "markdown_it", "warnings")  # fmt: skip
"""Modules that a hostile folder has files of, such as those that are imported late."""


@pytest.fixture(autouse=True)
def _own_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("UJSX_CONFIG", str(tmp_path / "config"))


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[tool.ujsx]\nlayout = "hud.md"\n')
    (folder / "hud.md").write_text(LAYOUT)
    monkeypatch.chdir(folder)
    return folder


class TestTrust:
    def test_is_asked_for_and_given(self, ujsx, store, project):
        before = ujsx("hud", "shop", "--store", store)
        assert "**Task:** Add a login" in before.out
        assert (
            f"is not trusted, so that is left out; if you trust it: ujsx trust {project}"
            in before.err
        )
        assert ujsx("trust", ".").out == f'{project} is trusted: layout "hud.md"\n'
        after = ujsx("hud", "shop", "--store", store)
        assert (after.out, after.err) == ("# Ours\n\nAdd a login\n", "turn 3 of 3\n")

    def test_holds_below_the_folder(self, ujsx, store, project, monkeypatch):
        (project / "src").mkdir()
        monkeypatch.chdir(project / "src")
        ujsx("trust", project)
        assert ujsx("hud", "shop", "--store", store).out.startswith("# Ours")

    def test_is_needed_again_for_another_value(self, ujsx, store, project):
        ujsx("trust", project)
        (project / "pyproject.toml").write_text('[tool.ujsx]\nlayout = "hud.md"\ndomain = "a:B"\n')
        done = ujsx("hud", "shop", "--store", store)
        assert not done.out.startswith("# Ours")
        assert 'domain "a:B", and is not trusted' in done.err

    def test_is_needed_again_for_another_text_of_the_layout(self, ujsx, store, project):
        ujsx("trust", project)
        (project / "hud.md").write_text(LAYOUT.replace("Ours", "Obey"))
        done = ujsx("hud", "shop", "--store", store)
        assert not done.out.startswith("# O")
        assert f"hud.md in {project} changed since you trusted it" in done.err
        assert f"ujsx trust {project}" in done.err
        report = ujsx("doctor").out
        assert f"{project} is not as you trusted it" in report
        assert "hud.md" in report
        ujsx("trust", project)
        assert ujsx("hud", "shop", "--store", store).out.startswith("# Obey")

    def test_is_listed_and_taken_away(self, ujsx, project):
        ujsx("trust", project)
        assert ujsx("trust", "--list").out == f'{project}: layout "hud.md"\n'
        [entry] = ujsx("trust", "--list", "--json").data
        assert (entry["folder"], entry["settings"]) == (str(project), 'layout "hud.md"')
        assert ujsx("trust", "--remove", ".").out == f"{project} is trusted no more\n"
        again = ujsx("trust", "--remove", project)
        assert (again.status, again.out) == (1, f"{project} was not trusted\n")
        assert ujsx("trust", "--list").out == ""

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((), "name one folder"),
            ((".", "--list"), "name one folder"),
            (("nowhere",), "nowhere is no folder"),
            ((".", "--json"), "--json needs --list"),
        ],
    )
    def test_of_nothing_is_refused(self, ujsx, project, arguments, message):
        assert message in ujsx("trust", *arguments).refusal

    def test_of_a_folder_that_asks_for_nothing_is_refused(self, ujsx, tmp_path):
        assert "asks for nothing" in ujsx("trust", tmp_path).refusal

    def test_of_a_layout_that_leads_out_is_refused(self, ujsx, project, tmp_path):
        (tmp_path / "secret.md").write_text("secret")
        (project / "hud.md").unlink()
        (project / "hud.md").symlink_to(tmp_path / "secret.md")
        assert "leads out of the project's folder" in ujsx("trust", project).refusal

    def test_does_not_follow_a_link_that_came_later(self, ujsx, store, project, tmp_path):
        ujsx("trust", project)
        (tmp_path / "secret.md").write_text("secret")
        (project / "hud.md").unlink()
        (project / "hud.md").symlink_to(tmp_path / "secret.md")
        done = ujsx("hud", "shop", "--store", store)
        assert "secret\n" not in done.out
        assert "leads out of the project's folder" in done.err


class TestLayout:
    def test_that_is_broken_is_told_of_and_the_default_one_shown(self, ujsx, store, project):
        (project / "hud.md").write_text("<Hud>\n<TaskSecton/>\n<Nope/>\n</Hud>")
        ujsx("trust", project)
        done = ujsx("hud", "shop", "--store", store)
        assert done.status == 0
        assert "**Task:** Add a login" in done.out
        assert f"{project / 'hud.md'}:2:1: <TaskSecton> is no component" in done.err
        assert f"{project / 'hud.md'}:3:1: <Nope> is no component" in done.err
        report = ujsx("doctor").out
        assert "its layout cannot be used" in report
        assert "TaskSecton" in report

    def test_that_is_missing_is_told_of(self, ujsx, store, project):
        ujsx("trust", project)
        (project / "hud.md").unlink()
        done = ujsx("hud", "shop", "--store", store)
        assert (done.status, "is not there" in done.err) == (0, True)

    def test_of_the_command_comes_first(self, ujsx, store, project, tmp_path):
        other = tmp_path / "other.md"
        other.write_text('<When has="task">Mine.</When>')
        done = ujsx("hud", "shop", "--store", store, "--layout", other)
        assert (done.out, done.err) == ("Mine.\n", "turn 3 of 3\n")

    def test_of_the_command_that_is_broken_is_refused(self, ujsx, store, tmp_path):
        other = tmp_path / "other.md"
        other.write_text("<Hud>")
        for arguments in (("hud", "shop", "--store", store), ("serve", "--store", store)):
            refusal = ujsx(*arguments, "--layout", other).refusal
            assert f"{other}:1:1: <Hud> is not closed" in refusal

    def test_shows_a_transcript(self, ujsx, demo, project, tmp_path):
        ujsx("trust", project)
        assert ujsx("replay", demo).out.startswith("# Ours\n")
        other = tmp_path / "other.md"
        other.write_text('Decisions: <Value of="decisions"/>')
        done = ujsx("replay", demo, "--layout", other, "--json")
        assert done.data["text"].startswith("Decisions: ")

    def test_is_no_project_s_without_trust(self, ujsx, demo, project):
        done = ujsx("replay", demo)
        assert not done.out.startswith("# Ours")
        assert "is not trusted" in done.err
        assert "is not trusted" in ujsx("doctor").out


HOSTILE = {
    "a domain of its own": 'domain = "evil.domain:SHOP"\nlayout = "hud.md"',
    "a module of the working folder": 'domain = "ujsx_evil:NAME"',
    "a path": 'domain = "./evil.py:NAME"\nlayout = "../../etc/passwd"',
    "a layout that is a device": 'layout = "device.md"',
    "deep keys": "a." * 30_000 + "b = 1",
    "deep lists": "layout = " + "[" * 60_000,
}


class TestHostileFolder:
    """Real processes, in folders whose files write a canary when they are imported."""

    @pytest.fixture
    def folder(self, tmp_path) -> Path:
        folder = tmp_path / "cloned"
        (folder / "evil").mkdir(parents=True)
        canary = (
            f"open({str(tmp_path / 'canary')!r}, 'a').write(__name__ + chr(10))\nNAME = SHOP = 1\n"
        )
        for name in SHADOWED:
            (folder / f"{name}.py").write_text(canary)
        for name in ("evil/__init__.py", "evil/domain.py", "evil.py", "conftest.py"):
            (folder / name).write_text(canary)
        (folder / "hud.md").write_text("<Hud>{import('evil')}</Hud>")
        (folder / "device.md").symlink_to("/dev/zero")
        return folder

    def run(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        script = Path(sysconfig.get_path("scripts")) / "ujsx"
        starts = [str(script)] if script.exists() else [sys.executable, "-m", "hud_runtime"]
        environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environ |= {"UJSX_HOME": str(folder.parent / "home")}
        return subprocess.run(
            [*starts, *arguments],
            cwd=folder,
            env=environ,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=120,
        )

    @pytest.mark.parametrize("name", [*HOSTILE])
    def test_has_nothing_imported(self, folder, demo, name):
        (folder / "pyproject.toml").write_text(f"[tool.ujsx]\n{HOSTILE[name]}\n")
        done = self.run(folder, "replay", str(demo))
        assert (done.returncode, bool(done.stdout)) == (0, True), done.stderr
        assert "trust" in done.stderr or "layout is not shown" in done.stderr
        assert not (folder.parent / "canary").exists()

    def test_has_nothing_imported_by_trusting_it(self, folder, demo):
        settings = HOSTILE["a domain of its own"]
        (folder / "pyproject.toml").write_text(f"[tool.ujsx]\n{settings}\n")
        assert self.run(folder, "trust", ".").returncode == 0
        done = self.run(folder, "replay", str(demo))
        assert (done.returncode, "nothing is evaluated" in done.stderr) == (0, False)
        for arguments in (("doctor",), ("serve",)):
            assert self.run(folder, *arguments).returncode in {0, 1, 2}
        assert not (folder.parent / "canary").exists()
