"""``schema_snapshots`` in a user's project: missing, written, passing, failing, stale."""

from __future__ import annotations

import json

import pytest

from tests.ujsx.testing.project import Project

DESK = """
from pathlib import Path
from typing import Literal

import pytest

from hud_components import Domain, HudItem, ItemsSection, Line
from hud_runtime import HudStore
from pydantic import BaseModel
from ujsx.tools import Toolset

IS_NEW = Path(__file__).with_name("is_new").exists()


class Ticket(BaseModel):
    "A ticket."

    tier: Literal["one"] if IS_NEW else Literal["one", "two"]
    note: str | None = None


class Remedy(HudItem):
    "A remedy."

    if IS_NEW:
        tried: Line
    else:
        what: Line
    outcome: Literal["worked", "bad"] if IS_NEW else Literal["worked", "failed"] = "worked"


class Remedies(ItemsSection[Remedy]):
    "What was tried."

    name = "remedies"
    lines = {"full": "{tried}" if IS_NEW else "{what}"}
    former_fields = {"what": "tried"} if IS_NEW else {}
    upcasts = {"remedies.update": dict} if IS_NEW else {}


def test_ticket(schema_snapshots):
    schema_snapshots(Ticket)


def test_session(schema_snapshots):
    with HudStore.open(":memory:", domain=Domain("desk", [Remedies])) as store:
        schema_snapshots(store.session("s"), "desk", dialects=["anthropic"])
"""

TICKET = """
from ujsx.tools import Toolset


def search(query: str, limit: int = 10) -> str:
    "Search tickets."
    return query


def test_search(schema_snapshots):
    schema_snapshots(search, dialects=["openai-strict"])
"""


@pytest.fixture
def desk(project: Project) -> Project:
    project.write("tests/test_desk.py", DESK)
    assert project.run("--snapshot-update").returncode == 0
    return project


def files(project: Project) -> set[str]:
    return {each.name for each in (project.root / "snapshots").rglob("*.json")}


class TestSnapshots:
    def test_are_a_file_for_each_dialect_and_the_events(self, desk: Project) -> None:
        found = files(desk)
        assert {
            "ticket.json-schema.json",
            "ticket.openai-strict.json",
            "ticket.gemini.json",
        } < found
        assert {each for each in found if each.startswith("desk.")} == {
            "desk.anthropic.json", "desk.events.json", "desk.json-schema.json",
        }  # fmt: skip
        kept = json.loads(desk.read("snapshots/tests/test_desk/ticket.anthropic.json"))
        assert kept["tokens"] > 0
        assert [each["name"] for each in kept["tools"]] == ["ticket"]
        assert desk.run().returncode == 0

    def test_that_are_missing_are_named(self, desk: Project) -> None:
        place = "snapshots/tests/test_desk/ticket.mcp.json"
        (desk.root / place).unlink()
        done = desk.run("-k", "ticket")
        assert done.returncode == 1
        assert f"{place} does not exist; pytest --snapshot-update writes it" in done.stdout
        assert not (desk.root / place).exists()

    def test_that_no_test_asks_for_are_deleted_on_request(self, desk: Project) -> None:
        desk.write("tests/test_desk.py", DESK.replace("test_ticket", "test_other"))
        desk.write("snapshots/tests/test_desk/tokens.json", "{}")
        assert desk.run("--snapshot-update").returncode == 0
        assert not any(each.startswith("ticket.") for each in files(desk))
        assert "tokens.json" in files(desk)

    def test_and_those_of_tiers_are_not_each_others_unused_ones(self, desk: Project) -> None:
        tiers = "from ujsx.elements import Paragraph\n\n\ndef test_{0}(tier_snapshots):\n    tier_snapshots(Paragraph()['x'], '{0}')\n"
        desk.write("tests/test_desk.py", DESK + tiers.format("beside"))
        desk.write("tests/test_tiers.py", tiers.format("alone"))
        assert desk.run("--snapshot-update").returncode == 0
        every = desk.snapshots
        assert {"tests/test_desk/beside.full.md", "tests/test_tiers/alone.full.md"} < every
        for arguments in (
            (),
            ("--snapshot-update",),
            ("tests/test_tiers.py", "tests/test_desk.py"),
        ):
            done = desk.run(*arguments)
            assert (done.returncode, "unused" in done.stdout) == (0, False), done.stdout
            assert desk.snapshots == every

    def test_of_functions_have_what_a_dialect_cannot_express(self, project: Project) -> None:
        ticket = TICKET.replace("openai-strict", "gemini")
        project.write("tests/test_search.py", ticket)
        assert project.run("--snapshot-update").returncode == 0
        empty = "from pydantic import BaseModel\n\n\nclass Nothing(BaseModel):\n    pass\n"
        project.write(
            "tests/test_search.py", empty + ticket.replace("query: str", "query: Nothing")
        )
        done = project.run()
        assert "search: /$defs/Nothing: type: 'string' → 'object': breaking" in done.stdout
        assert "gemini cannot express it: search" in done.stdout
        assert "refused" in done.stdout

    @pytest.mark.parametrize(
        ("call", "said"),
        [
            ("schema_snapshots(3)", "takes a model, a function, an Operation, a Toolset or a session, not 3"),
            ("schema_snapshots(search, 'a/b')", "a snapshot's name is a plain file name"),
            ("schema_snapshots(search, dialects=['openapi'])", '"openapi" is not a dialect'),
            ("schema_snapshots", "the test takes schema_snapshots and does not call it"),
        ],
    )  # fmt: skip
    def test_are_not_made_of_anything_else(self, project: Project, call: str, said: str) -> None:
        lines = TICKET.replace('schema_snapshots(search, dialects=["openai-strict"])', call)
        project.write("tests/test_search.py", lines)
        done = project.run("--snapshot-update")
        assert done.returncode == 1
        assert said in done.stdout


class TestAFailure:
    def test_has_the_verdict_the_lines_to_write_and_the_tokens(self, desk: Project) -> None:
        desk.write("tests/is_new", "")
        said = desk.run().stdout
        for line in (
            "models' calls: BREAKING",
            "  ticket: /properties/tier: enum: 'two' gone: breaking: keep the values that are gone",
            "  remedies.add: /properties/what: properties: it is gone, and refused: breaking: keep it, with a default",
            "stored events: BREAKING",
            "  remedies.add: /properties/outcome: enum: 'failed' gone, 'bad' new: breaking: upcasts = {'remedies.add': function}",
            "unless upcasts['remedies.update'] returns what is valid",
            "tokens       before  after",
        ):
            assert line in said, line
        events = said[said.index("stored events") :]
        assert "/properties/what" not in events  # former_fields says it
        assert desk.run("--snapshot-update").returncode == 0
        assert desk.run().returncode == 0

    def test_says_that_nothing_breaks(self, desk: Project) -> None:
        desk.write("tests/test_desk.py", DESK.replace('"A ticket."', '"A ticket of a customer."').replace("note: str | None", "note: str | int | None"))  # fmt: skip
        said = desk.run().stdout
        assert "models' calls: compatible" in said
        assert "  ticket: (root): description: 3 → 6 tokens: compatible" in said
        assert "/properties/note/anyOf/1: anyOf: a branch is new: compatible" in said
        assert "BREAKING" not in said
