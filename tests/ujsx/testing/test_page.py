"""The page about snapshot tests shows what pytest says."""

from __future__ import annotations

from tests.ujsx.testing.project import ROOT, Project
from ujsx import mdast

PAGE = ROOT / "docs" / "do" / "snapshot-test-your-hud.md"


def block(lang: str, meta: str | None) -> str:
    """The page's first code block of that language and info."""
    root = mdast.from_markdown(PAGE.read_text(encoding="utf-8"))
    codes = [node for node in root.children if isinstance(node, mdast.Code)]
    return next(code.value for code in codes if (code.lang, code.meta) == (lang, meta))


def test_the_failure_on_the_page_is_the_one_that_pytest_shows(project: Project) -> None:
    component = block("python", None)
    project.write("tests/open_questions.py", component)
    project.write("tests/test_open_questions.py", block("python", "file=test_open_questions.py"))
    assert project.run("--rootdir", "tests", "--snapshot-update").returncode == 0

    project.write("tests/open_questions.py", component.replace('"Open questions"', '"Unanswered"'))
    failed = project.run("--rootdir", "tests")
    assert failed.returncode == 1
    said = "\n".join(line.removeprefix("E").strip() for line in failed.stdout.splitlines())
    shown = "\n".join(line.strip() for line in block("text", None).splitlines())
    assert shown in said
