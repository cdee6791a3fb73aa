"""``ujsx new``: what it writes works, and takes nobody's place."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.ids import looped
from tests.ujsx.testing.project import ROOT, Project

KINDS = {
    "domain": ("helpdesk", "helpdesk", "HELPDESK", 1),
    "component": ("OpenRisks", "open_risks", "OpenRisks", 2),
}

SHOWN = {"domain": "## Findings", "component": "# Risks\n\n- Fire\n"}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def test_what_is_written_passes_its_tests(ujsx, kind, tmp_path):
    name, module, _, cases = KINDS[kind]
    done = ujsx("new", kind, name, tmp_path)
    assert done.status == 0, done.err
    project = Project(tmp_path)
    project.write("pytest.ini", "[pytest]\npythonpath = .\n")
    first = project.run("-q", f"test_{module}.py")
    assert first.returncode == 1, "a snapshot is accepted by nobody but its author"
    assert project.run("-q", f"test_{module}.py", "--snapshot-update").returncode == 0
    again = project.run("-q", f"test_{module}.py")
    assert again.returncode == 0, again.stdout
    assert len(project.snapshots) == 3 * cases


def test_a_process_imports_what_is_written(ujsx, kind, tmp_path):
    name, module, what, _ = KINDS[kind]
    ujsx("new", kind, name, tmp_path)
    statement = f"from {module} import {what}; print({what}.__class__.__name__)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", statement],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.stderr, done.returncode) == ("", 0)


def test_the_commands_that_it_names_do_what_is_said(ujsx, kind, tmp_path):
    name, *_ = KINDS[kind]
    lines = ujsx("new", kind, name, tmp_path).out.splitlines()
    [pytest_call] = [line for line in lines if line.startswith("pytest ")]
    [watch_call] = [line for line in lines if line.startswith("ujsx ")]
    project = Project(tmp_path)
    project.write("pytest.ini", "[pytest]\npythonpath = .\n")
    assert project.run(*pytest_call.split()[1:]).returncode == 0
    shown = ujsx(*watch_call.split()[1:])
    assert shown.status == 0, shown.out
    assert SHOWN[kind] in shown.out
    assert not any("docs/" in line for line in lines), "who installed it has no such folder"


def test_the_folder_is_the_current_one_or_is_made(ujsx, kind, tmp_path, monkeypatch):
    name, module, _, _ = KINDS[kind]
    monkeypatch.chdir(tmp_path)
    assert ujsx("new", kind, name).status == 0
    assert ujsx("new", kind, name, "a/b").status == 0
    assert (tmp_path / f"{module}.py").read_bytes() == (tmp_path / f"a/b/{module}.py").read_bytes()


@pytest.mark.parametrize("there", ["{}.py", "test_{}.py"])
def test_what_is_there_stays(ujsx, kind, there, tmp_path):
    name, module, _, _ = KINDS[kind]
    path = tmp_path / there.format(module)
    path.write_text("mine", encoding="utf-8")
    assert "there already" in ujsx("new", kind, name, tmp_path).refusal
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert path.read_text(encoding="utf-8") == "mine"


def test_a_link_that_leads_nowhere_is_not_written_through(ujsx, tmp_path):
    (tmp_path / "helpdesk.py").symlink_to(tmp_path / "elsewhere.py")
    assert "there already" in ujsx("new", "domain", "helpdesk", tmp_path).refusal
    assert not (tmp_path / "elsewhere.py").exists()


def test_a_folder_that_is_a_file_is_refused(ujsx, kind, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    refusal = ujsx("new", kind, KINDS[kind][0], tmp_path / "file").refusal
    assert "cannot be a folder" in refusal


@looped(
    ("kind", "name", "said"),
    [
        ("domain", "Helpdesk", "is not a name of a domain"),
        ("domain", "help-desk", "is not a name of a domain"),
        ("domain", "../helpdesk", "is not a name of a domain"),
        ("domain", "hélp", "is not a name of a domain"),
        ("domain", "", "is not a name of a domain"),
        ("domain", "class", "is a word of Python"),
        ("domain", "json", "would hide"),
        ("domain", "test_x", "would hide"),
        ("domain", "pydantic", "is installed"),
        ("domain", "coding", "is the domain of coding agents"),
        ("component", "openRisks", "write it as a class: OpenRisks"),
        ("component", "open_risks", "write it as a class: OpenRisks"),
        ("component", "1", "write it as a class: OpenRisks"),
        ("component", "None", "is not a name of a component"),
        ("component", "Section", "there is a component Section already"),
        ("component", "TaskSection", "there is a component TaskSection already"),
        ("component", "Json", "would hide"),
        ("component", "Ujsx", "is installed"),
    ],
)
def test_a_name_that_cannot_be_is_refused(ujsx, kind, name, said, tmp_path):
    assert said in ujsx("new", kind, name, tmp_path).refusal
    assert list(tmp_path.iterdir()) == []


@looped(
    ("name", "module"),
    [
        ("OpenRisks", "open_risks"),
        ("HTTPCalls", "http_calls"),
        ("Top10", "top10"),
        ("Risk", "risk"),
    ],
)
def test_a_component_names_its_module(ujsx, name, module, tmp_path):
    assert ujsx("new", "component", name, tmp_path).status == 0
    assert (tmp_path / f"{module}.py").is_file()
