"""A declaration changes, and nothing that is stored vanishes without a word."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from hud_components import Domain, Hud, NotesSection, parse
from hud_runtime import HudSession, HudStore
from hud_runtime.log.events import Stored
from hud_runtime.projects import load_object
from hud_runtime.session import SnapshotPolicy
from ujsx import Density, render

DECLARED = '''
"""A desk."""

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from hud_components import Domain, HudItem, HudValue, ItemsSection, Line, NotesSection, ValueSection


def failing(said):
    raise KeyError("nowhere")


class Ticket(HudValue):
    """What it is about."""

    subject: Line
    """What it is."""


class TicketSection(ValueSection[Ticket]):
    """What it is about."""

    name = "ticket"
    lines = {"full": "{subject}"}


class Remedy(HudItem):
    """Something that was tried."""

    what: Line
    """What was tried."""
    outcome: str = ""
    """How it went."""


class Remedies(ItemsSection[Remedy]):
    """What was tried."""

    name = "remedies"
    noun = "remedy|remedies"
    lines = {"full": "**{what}**"}
    from_parent = from_project = True


DESK = Domain("desk", sections=(TicketSection, Remedies, NotesSection))
'''

CHANGES: dict[str, tuple[dict[str, str], str | None, str]] = {
    "nothing": ({}, None, ""),
    "a required field is added": (
        {"    outcome: str": "    why: Line\n    outcome: str"},
        "4 remedies",
        "give the field a default",
    ),
    "a field is removed": (
        {'    outcome: str = ""\n': ""},
        "4 remedies",
        "former_fields",
    ),
    "a field is renamed": (
        {"    what: Line": "    tried: Line", "{what}": "{tried}"},
        "4 remedies",
        "former_fields",
    ),
    "a type is narrowed": (
        {'outcome: str = ""': "outcome: int = 0"},
        "2 remedies",
        "upcasts",
    ),
    "a choice is removed": (
        {'outcome: str = ""': 'outcome: Literal["", "worked", "7"] = ""'},
        "1 remedy",
        "upcasts",
    ),
    "a later choice is removed": (
        {'outcome: str = ""': 'outcome: Literal["", "failed", "7"] = ""'},
        "changes to 1 remedy",
        "upcasts",
    ),
    "a length is tightened": (
        {"what: Line": "what: Annotated[Line, Field(max_length=9)]"},
        "1 remedy",
        "upcasts",
    ),
    "a pattern is tightened": (
        {"what: Line": 'what: Annotated[Line, Field(pattern="^[A-Z][a-z ]+$")]'},
        "1 remedy",
        "upcasts",
    ),
    "a rule about several fields is added": (
        {
            '    """How it went."""\n': '    """How it went."""\n\n    @model_validator(mode="after")\n'
            "    def fits(self):\n        if self.outcome == 'failed':\n"
            "            raise ValueError('say why')\n        return self\n"
        },
        "1 remedy",
        "the section's own rules refuse it",
    ),
    "a section is renamed": (
        {'name = "remedies"': 'name = "attempts"'},
        "5 entries of remedies",
        'former = ("remedies",)',
    ),
    "a section is dropped": (
        {"(TicketSection, Remedies, NotesSection)": "(TicketSection, NotesSection)"},
        "5 entries of remedies",
        'former = ("remedies",)',
    ),
    "a verb is removed": (
        {"    noun =": '    verbs = ("add", "remove")\n    noun ='},
        "changes to 1 remedy",
        "is_operation=False",
    ),
    "the adding verb is removed": (
        {"    noun =": '    verbs = ("update", "remove")\n    noun ='},
        "4 remedies",
        "is_operation=False",
    ),
    "the noun of events is another": (
        {"    noun =": '    event = "attempt"\n    noun ='},
        "5 remedies",
        'event = "remedies"',
    ),
    "a value becomes items": (
        {
            "class Ticket(HudValue)": "class Ticket(HudItem)",
            "ValueSection[Ticket]": "ItemsSection[Ticket]",
        },
        "1 entry of ticket",
        "keep it in verbs",
    ),
    "items become a value": (
        {
            "class Remedy(HudItem)": "class Remedy(HudValue)",
            "ItemsSection[Remedy]": "ValueSection[Remedy]",
            '    noun = "remedy|remedies"\n': "",
        },
        "5 entries of remedies",
        "keep it in verbs",
    ),
    "a revision is raised": ({"    noun =": "    revision = 2\n    noun ="}, None, ""),
    "a revision is raised, and a type narrowed": (
        {"    noun =": "    revision = 2\n    noun =", 'outcome: str = ""': "outcome: int = 0"},
        "2 remedies",
        "upcasts",
    ),
    "an upcast fails": (
        {
            'outcome: str = ""': 'outcome: Literal["", "7"] = ""',
            "    noun =": '    upcasts = {"remedies.add": failing, "remedies.update": failing}\n    noun =',
        },
        "1 remedy, changes to 1 remedy",
        "repair the function in upcasts",
    ),
}
"""By what is changed: what is written instead of what, what is told, and what to do about it."""

Today: TypeAlias = tuple[Path, Domain[Any]]

RECORDED: tuple[tuple[str, dict[str, str]], ...] = (
    ("ticket.set", {"subject": "No light"}),
    ("remedies.add", {"what": "Restart", "outcome": "failed"}),
    ("remedies.add", {"what": "Cable"}),
    ("remedies.update", {"id": "r-4", "outcome": "worked"}),
    ("note.add", {"content": "Port 8080"}),
    ("remedies.add", {"what": "Lamp 3 in the hall", "outcome": "7"}),
    ("remedies.add", {"what": "Fuse", "outcome": "7"}),
    ("remedies.remove", {"id": "r-8"}),
    ("remedies.add", {"what": "Key", "outcome": "7"}),
)

KEPT = {
    "ticket": {"No light"},
    "remedies": {"Restart", "Cable", "Lamp 3 in the hall", "Key"},
    "notes": {"Port 8080"},
}
"""What is left of it: what each section says."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store, and the declaration by which all of it was read."""
    folder = tmp_path_factory.mktemp("recorded")
    with HudStore.open(folder / "desk.db", domain=declared("nothing", folder)) as store:
        record(store.session("s"))
    return folder


@pytest.fixture(scope="module")
def domains(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, Domain[Any]]]:
    """Give the folder of a declaration that is changed so, and its domain."""

    @cache
    def found(change: str) -> tuple[Path, Domain[Any]]:
        folder = tmp_path_factory.mktemp("changed")
        return folder, declared(change, folder)

    return found


@pytest.fixture
def today(
    change: str, recorded: Path, domains: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, Domain[Any]]:
    """The store, and the declaration of today, in whose folder commands are typed."""
    folder, domain = domains(change)
    monkeypatch.chdir(folder)
    return Path(shutil.copy(recorded / "desk.db", tmp_path)), domain


def declared(change: str, folder: Path) -> Domain[Any]:
    text = DECLARED
    for old, new in CHANGES[change][0].items():
        assert old in text, old
        text = text.replace(old, new)
    (folder / "today.py").write_text(text, "utf-8")
    found: Domain[Any] = load_object("today.py:DESK", folder=folder)
    return found


def record(session: HudSession[Any, Any]) -> None:
    for event_type, payload in RECORDED:
        session.record(event_type, **payload)


def said(state: Any) -> set[str]:
    """What a state says, in all of its sections."""
    values = [getattr(state, section.field) for section in state.sections if section.field]
    items = [item for value in values for item in (value if isinstance(value, tuple) else [value])]
    texts = [text for item in items if item for text in vars(item).values()]
    return {text for text in texts if isinstance(text, str)}


def total(state: Any) -> int:
    return len(state.unreadable)


def pages(session: HudSession[Any, Any]) -> Iterator[str]:
    """What a session's agent is shown and told."""
    for density in Density:
        yield session.hud(density=density).text
    yield session.hud(budget=60).text
    yield session.hud(layout=NotesSection()).text
    yield session.hud(layout=Hud()[NotesSection()]).text
    yield str(session.call("hud", {"op": "snapshot"}))
    yield session.deliver().text


@pytest.mark.parametrize("change", CHANGES)
class TestEachChange:
    def test_is_told_wherever_a_state_is_shown(self, today: Today, change: str) -> None:
        _, told, _ = CHANGES[change]
        desk, domain = today
        with HudStore.open(desk, domain=domain) as store:
            session = store.session("s")
            state, full = session.state(), session.hud()
            lacking = total(state)
            for page in pages(session):
                assert "othing is recorded" not in page
                assert bool(re.search("cannot be read|unreadable", page)) is bool(lacking)
            assert (f"*{told} cannot be read: `hud history`*" in full.text) is bool(lacking)
            brief = session.hud(density="minimal").text
            assert (f"{lacking} unreadable" in brief) is bool(lacking)
            lost = [each for each in full.omitted if each.section == "UnreadableNotice"]
            assert [(each.count, each.handle) for each in lost] == (
                [(lacking, "hud history")] if lacking else []
            )
            history = str(session.call("hud", {"op": "history"}))
            assert history.count("which cannot be") >= lacking

    def test_leaves_nothing_out_in_silence(self, today: Today, change: str) -> None:
        desk, domain = today
        with HudStore.open(desk, domain=domain) as store:
            state = store.session("s").state()
        gone = set.union(*KEPT.values()) - said(state)
        assert len(gone) <= total(state)
        assert total(state) or (gone, state.remedies[1].outcome) == (set(), "worked")

    def test_is_explained_by_the_doctor(self, ujsx: Any, today: Today, change: str) -> None:
        _, told, advice = CHANGES[change]
        desk, domain = today
        with HudStore.open(desk, domain=domain) as store:
            state = store.session("s").state()
            stored = {one.version for one in store.events("s") if isinstance(one.payload, Stored)}
        done = ujsx("doctor", desk, "--domain", "today.py:DESK", "--json")
        unread = [each for each in done.data["findings"] if each["verdict"] == "unread"]
        assert done.status == bool(told)
        named = {
            int(number)
            for each in unread
            for part in each["value"].rpartition("version")[2].split("(")[0].split(",")
            for number in spread(part)
        }
        assert named == stored | {each.version for each in state.unreadable}
        if told:
            assert any(advice in each["advice"] for each in unread)
        shown = ujsx("hud", "s", "--store", desk, "--domain", "today.py:DESK")
        assert (f"{told} cannot be read" in shown.out) is bool(told)
        assert ("ujsx doctor" in shown.err) is bool(told)

    def test_counts_the_same_from_a_snapshot(self, today: Today, change: str) -> None:
        desk, domain = today
        with HudStore.open(desk, domain=domain) as store:
            replayed = [store.session("s").state(at=version) for version in range(1, 11)]
        rarely, often = SnapshotPolicy(every=10_000), SnapshotPolicy(every=1)
        with HudStore.open(desk, domain=domain, snapshots=often) as store:
            before = store.session("s").state()
            store.session("s").record("note.add", content="Later")  # it is saved with this
        with HudStore.open(desk, domain=domain, snapshots=rarely) as store:
            session = store.session("s")
            after = session.state()
            assert after.unreadable == before.unreadable == replayed[-1].unreadable
            assert [session.state(at=version) for version in range(1, 11)] == replayed
            found = session.log.snapshot("s", "hud", domain.revision, 2**62)
            assert found is not None
            assert ("unreadable" in found.state) is bool(before.unreadable)

    def test_is_read_back_from_the_text(self, today: Today, change: str) -> None:
        desk, domain = today
        with HudStore.open(desk, domain=domain) as store:
            session = store.session("s")
            for density in Density:
                text = session.hud(density=density, budget="off").text
                read = parse(text, vocabulary=session.domain.sections)
                assert render(read, density=density) == text

    def test_is_told_once(self, today: Today, change: str) -> None:
        desk, domain = today
        with HudStore.open(desk, domain=domain) as store:
            session = store.session("s")
            first = session.deliver()
            session.delivered(first.id)
            session.record("note.add", content="Later")
            assert "cannot be read" not in session.deliver().text


def spread(part: str) -> range:
    """The versions in a run of them."""
    first, _, last = part.strip(" s)").partition("–")
    return range(int(first), int(last or first) + 1)
