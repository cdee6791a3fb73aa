"""Tables in the docs that say what the code says: each is compared with it."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from inspect import unwrap
from pathlib import Path
from typing import Any

from tests.hud_runtime.integrations.inside import HOOK_HOSTS
from tests.walks import walks

DOCS = Path(__file__).parents[2] / "docs"


ARCHITECTURE = DOCS / "understand" / "architecture.md"

BY_A_HOST = "a note, recorded by a host"
"""A walk that the page does not tell: it joins the one of a tool call."""


def test_each_step_of_the_walks_calls_its_functions_in_its_files_in_their_order() -> None:
    part = (
        ARCHITECTURE.read_text(encoding="utf-8").partition("## Two walks")[2].partition("\n## ")[0]
    )
    steps = re.findall(r"^ *\d+\. (`[^(:]*) \((`[^)]*)\)", part, re.MULTILINE)
    rest = iter([call for name, taken in walks() if name != BY_A_HOST for call in taken])
    assert len(steps) == len(re.findall(r"^ *\d+\. ", part, re.MULTILINE)) > 15
    for names, places in steps:
        files = re.findall("`(.*?)`", places)
        passed = set[str]()
        for function in re.findall("`(.*?)`", names):
            of_it = (f"/{file}" for file, name in rest if name == function)
            found = (
                (each, place) for each in of_it for place in files if each.endswith(f"/{place}")
            )
            _, place = next(found, ("", ""))
            assert place, f"{function} is not called in {places} behind the step before"
            passed.add(place)
        assert passed == {*files}


def test_each_behavior_is_in_the_file_that_the_map_names() -> None:
    part = (
        ARCHITECTURE.read_text(encoding="utf-8")
        .partition("## Files by behavior")[2]
        .partition("\n## ")[0]
    )
    rows = re.findall(r"^\|.*\| `(.*?\.py)` \| `(.*?)` \|$", part, re.MULTILINE)
    assert len(rows) >= 10
    for file, function in rows:
        found: Any = import_module(file.removesuffix(".py").replace("/", "."))
        for name in function.split("."):
            found = getattr(found, name)
        code = unwrap(found).__code__
        assert Path(code.co_filename) == DOCS.parent / file, function


def test_modules_that_pages_name_exist() -> None:
    for page in (*DOCS.rglob("*.md"), DOCS.parent / "README.md"):
        text = page.read_text(encoding="utf-8")
        files = re.findall(r"`((?:ujsx|hud_\w+|tests|docs)/[\w/]+\.\w+)", text)
        assert [each for each in files if not (DOCS.parent / each).is_file()] == [], page
        private = re.findall(r"\b(?:ujsx|hud_\w+)(?:\.\w+)*\._\w+", text)
        assert [each for each in private if find_spec(each) is None] == [], page


def test_each_host_with_hooks_has_a_row_with_the_version_that_was_run() -> None:
    page = (DOCS / "look-up" / "hosts.md").read_text(encoding="utf-8")
    for host in HOOK_HOSTS.values():
        assert f"\n| {host.title} | {host.oldest} | " in page


def test_what_holds_in_hosts_is_shown_by_tests_that_there_are() -> None:
    page = (DOCS.parent / "tests" / "features.md").read_text(encoding="utf-8")
    named = re.findall(r"`(\w+/test_\w+\.py)::(test_\w+)`", page.partition("\n## Hosts")[2])
    assert named
    for file, test in named:
        code = (Path(__file__).parents[1] / "hud_runtime" / file).read_text(encoding="utf-8")
        assert re.search(rf"^ *(?:async )?def {test}\(", code, re.MULTILINE), f"{file}::{test}"


def test_each_feature_has_a_test_of_its_name() -> None:
    page = (DOCS.parent / "tests" / "features.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-Z]\d+) (?:.*?)\|(?:.*)\| (`.*`) \|$", page, re.MULTILINE)
    assert len(rows) == len(re.findall(r"^\| [A-Z]\d+ ", page, re.MULTILINE))
    for row, tests in rows:
        for test in re.findall("`(.*?)`", tests):
            file, _, name = test.partition("::")
            code = (DOCS.parent / "tests" / file).read_text(encoding="utf-8")
            assert re.search(rf"^ *(async )?def {name}\b", code, re.MULTILINE), test
            assert name.startswith(f"test_{row.lower()}_"), test


def test_why_tells_what_each_peer_printed() -> None:
    page = (DOCS / "understand" / "why.md").read_text(encoding="utf-8")
    printed = re.findall(r"^`{3,}text output.*\n(\d+ headings, .*)$", page, re.MULTILINE)
    part = page.partition("| *meant* |")[2].partition("\n\n")[0]
    rows = [row.strip(" |").split(" | ")[1:] for row in part.splitlines()[1:]]
    assert len(rows) == 5
    assert [re.findall(r"\d+%?", line) for line in printed] == rows


def test_the_glossary_and_the_map_have_one_meaning_for_each_word() -> None:
    pages = (DOCS / "look-up" / "glossary.md", DOCS / "learn" / "concepts.md")
    words = [
        word
        for page in pages
        for cell in re.findall(r"^\| (\*\*.*?) \| .+ \|$", page.read_text("utf-8"), re.MULTILINE)
        for word in re.findall(r"\*\*(.+?)\*\*", cell.partition(" | ")[0])
    ]
    assert len(words) == len({word.lower() for word in words})
    for needed in ("tree", "element", "node", "transform", "host", "ladder", "rung", "step", "prefix",
                   "domain", "section", "layer", "delivery", "delta", "ledger", "handle", "density",
                   "tier", "pressure"):  # fmt: skip
        assert needed in words, needed
