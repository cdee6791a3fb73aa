"""Fifteen first domains: what a newcomer writes works, or is refused with the line to write; and all of it is read back."""

from __future__ import annotations

import types
import warnings
from collections.abc import Mapping
from typing import Any

import pytest

from hud_components import Domain, Hud, HudItem, ItemsSection, as_shown, parse
from hud_runtime import HudStore
from hud_runtime.editing import Changes, changes, for_editing, record_changes
from tests.docs.domains import first_domains as first
from tests.ids import looped
from ujsx import DefinitionError, Density, render

DOMAINS: Mapping[str, Domain[Any]] = {
    name.lower(): each for name, each in vars(first).items() if isinstance(each, Domain)
}

CALLS: Mapping[str, tuple[dict[str, Any], ...]] = {
    "incidents": (
        {"op": "hypotheses.add", "what": "Disk full", "confidence": 0.874, "tags": ["db", "disk"]},
        {"op": "hypotheses.add", "what": "Network"},
        {"op": "timeline.add", "at": "2026-03-02T09:40:00", "what": "Page sent"},
    ),
    "kitchen": (
        {"op": "orders.add", "dish": "Soup", "table": 4, "ready_at": "19:30", "allergies": ["nuts", "milk"]},
        {"op": "orders.add", "dish": "Bread", "table": 2, "vegetarian": True},
    ),
    "clinic": (
        {"op": "patient.set", "name": "Ada", "born": "1990-05-04", "weight_kg": 61.25},
        {"op": "doses.add", "drug": "Ibuprofen", "mg": 1400, "given_at": "2026-03-02T08:00:00Z"},
    ),
    "trading": (
        {"op": "positions.add", "symbol": "ACME", "shares": 12000, "price": "1234.5", "change": -0.0312},
    ),
    "legal": (
        {"op": "clauses.add", "number": "4.2", "summary": "A cap", "deadline": "2026-04-01"},
        {"op": "clauses.add", "number": "5", "summary": "Term", "risk": "high"},
    ),
    "logistics": (
        {"op": "route.add", "place": "Lima", "eta": "2026-03-02T10:15:00", "fragile": True},
    ),
    "teaching": (
        {"op": "lessons.add", "topic": "Fractions", "skills": ["halves", "thirds"]},
        {"op": "lessons.complete", "id": "Fractions"},
        {"op": "lessons.add", "topic": "Decimals"},
    ),
    "farm": (
        {"op": "fields.add", "crop": "Wheat", "hectares": 12.34, "moisture": 0.31, "sown": "2026-03-01"},
        {"op": "fields.add", "crop": "Rye", "hectares": 3},
    ),
    "research": (
        {"op": "question.set", "question": "Does it scale?"},
        {"op": "papers.add", "title": "Attention", "authors": ["Vaswani", "Shazeer"], "year": 2017},
    ),
    "security": (
        {"op": "alerts.add", "rule": "Brute force", "severity": "high", "seen": "2026-03-02T01:02:03", "hosts": ["a1"]},
    ),
    "travel": (
        {"op": "legs.add", "start": "Bern", "end": "Rome", "departs": "2026-03-02T06:00:00", "price": 99.5},
        {"op": "legs.add", "start": "Rome", "end": "Bari", "departs": "2026-03-03T07:30:00"},
    ),
    "game": (
        {"op": "quests.add", "goal": "Find the key", "level": 2, "progress": 0.333, "items": ["torch"]},
    ),
    "podcast": (
        {"op": "segments.add", "start": "00:05:30", "topic": "News", "guests": ["Ada", "Bob"]},
    ),
    "weather": (
        {"op": "weather_readings.add", "station": "North", "celsius": -3.14, "humidity": 0.555, "at": "2026-03-02T09:40:00"},
    ),
    "recruiting": (
        {"op": "candidates.add", "name": "Ada", "stage": "offer", "rating": 4, "salary": 90000, "remote": True},
        {"op": "candidates.add", "name": "Bob", "skills": ["SQL", "Go"]},
    ),
}  # fmt: skip

LINES: Mapping[str, tuple[str, ...]] = {
    "incidents": ("- **Disk full** (87%) db, disk", "- **Network** (50%) —", "- 09:40 Page sent"),
    "kitchen": (
        "- Soup for table 4 at 19:30, allergies: *nuts, milk*, vegetarian: no",
        "- Bread for table 2 at —, allergies: *—*, vegetarian: yes",
    ),
    "clinic": (
        "**Ada**, born 04.05.1990, 61.2 kg, allergic to —",
        "- `08:00` **Ibuprofen** 1,400 mg",
    ),
    "trading": ("- **ACME** 12,000 at 1,234.50 (-3.1%)",),
    "legal": ("- **4.2** A cap (low), until 2026-04-01", "- **5** Term (high), until —"),
    "logistics": ("- 10:15 **Lima** 1 parcels, fragile: yes",),
    "teaching": ("- Fractions (45 min): *halves, thirds* *taught*", "- Decimals (45 min): *—*"),
    "farm": (
        "- **Wheat** 12.3 ha, moisture 31%, sown 2026-03-01",
        "- **Rye** 3.0 ha, moisture —, sown —",
    ),
    "research": (
        "Does it scale?",
        "- **Attention** by Vaswani, Shazeer (2017), relevance 0.50",
    ),
    "security": ("- high: Brute force on *a1* at 2026-03-02 01:02, acknowledged no",),
    "travel": ("- Bern to *Rome*, 02.03. 06:00, 99.50 EUR", "- Rome to *Bari*, 03.03. 07:30, — EUR"),
    "game": ("- **Find the key** (level 2) 33% [torch]",),
    "podcast": ("- [05:30] News with *Ada, Bob*",),
    "weather": ("- 09:40 North: -3.1 °C, 56%",),
    "recruiting": (
        "- Ada, offer, 4/5, 90,000 EUR, remote: yes, skills: *—*",
        "- Bob, applied, —/5, — EUR, remote: —, skills: *SQL, Go*",
    ),
}  # fmt: skip


@pytest.fixture(params=DOMAINS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def session(name: str) -> Any:
    with HudStore.open(":memory:", domain=DOMAINS[name]) as store:
        session = store.session("s")
        for call in CALLS[name]:
            answer = session.call("hud", call)
            assert not answer.is_error, answer.text
        yield session


def test_there_are_fifteen() -> None:
    assert len(DOMAINS) == 15 == len(CALLS) == len(LINES)
    own = [section for each in DOMAINS.values() for section in each.sections]
    assert not [each for each in own if "render" in vars(each)]


def test_what_was_recorded_is_shown(session: Any, name: str) -> None:
    lines = session.hud(density="full").text.splitlines()
    assert [line for line in lines if line in LINES[name]] == [*LINES[name]]


@pytest.mark.parametrize("density", [*Density])
def test_what_is_shown_is_read_back(session: Any, name: str, density: Density) -> None:
    node = Hud.of(session.state())
    text = render(node, density=density)
    read = parse(text, vocabulary=DOMAINS[name].sections)
    assert read == as_shown(node, density=density)
    assert render(read, density=density) == text
    assert changes(node, text, density=density) == Changes()


def test_items_are_counted_by_the_name_of_their_class() -> None:
    nouns = {
        section.texts[f"{section.name}.noun"]
        for domain in DOMAINS.values()
        for section in domain.sections
    }
    assert {"hypothesis|hypotheses", "timeline entry|timeline entries", "stop|stops"} <= nouns


def test_the_full_event_log_makes_the_same_state_again(session: Any) -> None:
    state = session.state()
    assert session.state(at=session.version) == state


# --- Edits ---

EDITS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("incidents", "Disk full", "The disk is full", {"what": "The disk is full"}),
    ("incidents", "87%", "90%", {"confidence": 0.9}),
    ("incidents", "09:40", "10:15", {"at": "2026-03-02T10:15:00"}),
    ("incidents", "db, disk", "db, disk, raid", {"tags": ("db", "disk", "raid")}),
    ("incidents", "db, disk", "—", {"tags": ()}),
    ("incidents", "(50%) —", "(50%) net", {"tags": ("net",)}),
    ("kitchen", "19:30", "20:00", {"ready_at": "20:00:00"}),
    ("kitchen", "2 at —", "2 at 20:00", {"ready_at": "20:00:00"}),
    ("kitchen", "vegetarian: yes", "vegetarian: no", {"vegetarian": False}),
    ("clinic", "04.05.1990", "05.05.1990", {"born": "1990-05-05"}),
    ("clinic", "61.2 kg", "— kg", {"weight_kg": None}),
    ("clinic", "08:00", "08:30", {"given_at": "2026-03-02T08:30:00Z"}),
    ("trading", "-3.1%", "+2.0%", {"change": 0.02}),
    ("trading", "1,234.50", "1,300.00", {"price": "1300.00"}),
    ("travel", "02.03. 06:00", "04.03. 06:00", {"departs": "2026-03-04T06:00:00"}),
    ("game", "level 2", "level 1", {"level": 1}),
    ("podcast", "05:30", "06:10", {"start": "00:06:10"}),
    ("security", "acknowledged no", "acknowledged yes", {}),
    ("recruiting", "90,000", "95,000", {"salary": 95000}),
)

REFUSED_EDITS: tuple[tuple[str, str, str, str], ...] = (
    ("incidents", "87%", "90 %", "write it like '50%', not '90 %'"),
    ("incidents", "09:40", "25:15", "hour must be in 0..23"),
    ("incidents", "Page sent", "Page sent\n- 11:00 Fixed", "it gives only a part of a datetime"),
    ("clinic", "04.05.1990", "31.02.1990", "day is out of range for month"),
    ("kitchen", "vegetarian: yes", "vegetarian: maybe", "write one of yes, no, not 'maybe'"),
)


def edited(name: str, old: str, new: str) -> tuple[Any, str, Changes]:
    with HudStore.open(":memory:", domain=DOMAINS[name]) as store:
        session = store.session("s")
        for call in CALLS[name]:
            session.call("hud", call)
        hud = for_editing(session.state())
        text = render(hud)
        assert text.count(old) == 1
        after = text.replace(old, new)
        found = changes(hud, after)
        if found.problems:
            return session.state(), text, found
        record_changes(session, found, since=session.version)
        assert render(for_editing(session.state())) == after
        return session.state(), after, found


@looped(("name", "old", "new", "said"), EDITS)
def test_an_edit_is_merged_with_the_value(
    name: str, old: str, new: str, said: dict[str, Any]
) -> None:
    _, _, found = edited(name, old, new)
    [operation] = found.operations
    assert {key: value for key, value in operation.arguments.items() if key != "id"} == said


@looped(("name", "old", "new", "why"), REFUSED_EDITS)
def test_an_edit_that_says_too_little_is_refused(name: str, old: str, new: str, why: str) -> None:
    _, _, found = edited(name, old, new)
    assert why in "; ".join(map(str, found.problems))


def test_an_edit_that_leaves_a_text_keeps_its_value() -> None:
    state, _, _ = edited("incidents", "Disk full", "Disk is full")
    assert state.hypotheses[0].confidence == 0.874


def test_tags_that_hold_what_parts_them_are_read_back() -> None:
    section = first.Hypotheses(
        hypotheses=(first.Hypothesis(id="h-1", what="a", tags=("x, y", "z")),)
    )
    node = Hud()[section]
    found = changes(node, render(node).replace('"x, y", z', '"x, y"'))
    [edit] = found.operations
    assert edit.arguments == {"id": "h-1", "tags": ("x, y",)}


# --- First drafts ---


def draft(section: type[Any], **body: Any) -> Any:
    """Declare a section as its author first did."""
    item: Any = section.value
    space = {"name": section.name, "__module__": __name__, **body}
    return types.new_class(
        section.__name__, (ItemsSection[item],), {}, lambda own: own.update(space)
    )


FIRST_DRAFTS: tuple[tuple[str, Any, str], ...] = (
    (
        "travel",
        lambda: draft(first.Legs, lines={"full": "{start}, {departs:%d %b %H:%M}"}),
        "write {departs:%Y-%m-%d %H:%M}",
    ),
    (
        "weather",
        lambda: Domain("weather", [draft(first.Readings, name="readings", lines={"full": "{station}"})]),
        'write name = "weather_readings"',
    ),
)  # fmt: skip
"""All that was refused of the fifteen, each with what to write."""


@looped(("name", "declare", "instead"), FIRST_DRAFTS)
def test_what_is_refused_says_what_to_write(name: str, declare: Any, instead: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        declare()
    assert instead in str(refused.value)
    assert [each for each, _, _ in FIRST_DRAFTS].count(name) <= 2


def test_a_list_of_texts_is_held_as_a_tuple() -> None:
    class Segment(HudItem):
        guests: list[str] = []

    held = type("Segments", (), {"value": Segment, "name": "segments"})
    section = draft(held, lines={"full": "{guests}"})
    assert section(segments=[{"guests": ["Ada"]}]).segments[0].guests == ("Ada",)


AS_TYPED: tuple[tuple[type[Any], dict[str, str]], ...] = (
    (first.Orders, {"full": "{dish} at {ready_at:%H:%M}, allergies: {allergies}"}),
    (first.Clauses, {"full": "**{number}** {summary} ({risk}), until {deadline}", "compact": "**{number}** {summary}"}),
    (first.Lessons, {"full": "{topic} ({minutes} min): {skills:, }"}),
    (first.Alerts, {"full": "{rule} on {hosts}"}),
    (first.Legs, {"full": "{start} to {end}"}),
    (first.Segments, {"full": "[{start:%M:%S}] {topic} with {guests}"}),
    (first.Candidates, {"full": "{name}, {stage}, skills: {skills}"}),
)  # fmt: skip
"""All lines without marks in the fifteen."""


@looped(("section", "lines"), AS_TYPED)
def test_a_line_without_marks_is_written_as_typed(section: Any, lines: dict[str, str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", '.* shows "—" in this line')
        made = draft(section, lines=lines)
    assert {*lines.values()} < {form.source for form in made.forms}


def test_a_section_may_have_the_name_of_what_all_sections_have() -> None:
    made = draft(first.Alerts, lines={"full": "{rule}"})
    assert made.prop == "alerts_shown"
