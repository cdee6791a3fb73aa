"""What the tool of a domain of one's own says of the verbs that are asked for by name."""

# ruff: noqa: RUF012 - sections are declared as an author does

from __future__ import annotations

import json
import types
from typing import Any, Literal

from pydantic import Field, create_model

from hud_components import (
    Domain,
    HudItem,
    HudValue,
    ItemsSection,
    Kept,
    Line,
    Moment,
    Target,
    ValueSection,
    Verb,
)
from hud_components.folding import Update
from hud_runtime import HudStore
from hud_runtime.tools import definitions, hud_toolset
from tests.ids import looped


class Fact(HudItem):
    """Something that is known."""

    fact: Line
    """What is known."""
    sure: Kept[bool] = False


class Trial(HudItem):
    """Something that was tried."""

    what: Line
    """What was tried."""
    outcome: Literal["worked", "failed", "unclear"] = "unclear"
    """How it went."""


class Said(HudValue):
    """Something that is said."""

    text: Line
    """In words."""


class Judged(Target):
    """How something went."""

    outcome: Literal["worked", "failed"]
    """How it went."""


def judge(trials: tuple[Trial, ...], said: Judged, moment: Moment) -> tuple[Trial, ...]:
    return tuple(
        one.model_copy(update={"outcome": said.outcome}) if one.id == said.id else one
        for one in trials
    )


class Facts(ItemsSection[Fact]):
    name = "facts"
    lines = {"full": "{fact}"}


class Trials(ItemsSection[Trial]):
    name = "trials"
    lines = {"full": "**{what}** {outcome}"}


class JudgedTrials(Trials):
    verbs = ("add", "update", Verb("judge", judge))


class HostsTrials(Trials):
    verbs = ("add", "update", Verb("judge", judge, is_operation=False))


class OwnUpdate(Trials):
    verbs = ("add", Update("update", help="as it stands", rare=True))


class Ticket(HudValue):
    """What is asked for."""

    subject: Line
    """What it is about."""
    severity: Literal["low", "high"] = "low"
    """How bad it is."""


class Tickets(ValueSection[Ticket]):
    name = "ticket"
    lines = {"full": "**{subject}** ({severity})"}


@looped(
    ("section", "help_", "rare"),
    [
        (Facts, "the wording of an item", True),
        (Trials, "any of its fields", False),
        (JudgedTrials, "the wording of an item", True),
        (HostsTrials, "any of its fields", False),
        (OwnUpdate, "as it stands", True),
        (Tickets, "any of its fields", False),
    ],
    ids=lambda each: getattr(each, "__name__", str(each)),
)
def test_update_is_rare_only_where_it_changes_the_wording_alone(
    section: Any, help_: str, rare: bool
) -> None:
    domain = Domain("own", sections=(section,))
    update = hud_toolset(None, domain=domain).operations[f"{section.name}.update"]
    assert (update.help, update.rare) == (help_, rare)
    [hud, _] = definitions("anthropic", domain=domain)
    assert (f"{section.name}.update" in repr(hud)) is not rare


@looped("layout", ["grouped", "signatures", "flat"])
@looped("dialect", ["anthropic", "mcp", "openai-strict", "gemini"])
def test_fields_are_described_once_where_it_fits(dialect: str, layout: str) -> None:
    domain = Domain("own", sections=(Trials, Tickets))
    hud = json.dumps(definitions(dialect, layout=layout, domain=domain)[0])
    for text in ("What was tried.", "How it went.", "What it is about.", "How bad it is."):
        assert hud.count(text) == 1, text


def test_fields_are_left_to_help_where_they_do_not_fit() -> None:
    def trials(number: int) -> Any:
        said = {"name": f"trials{number}", "prefix": f"t{'abcdefghijklmno'[number]}"}
        body = {**said, "lines": Trials.lines, "__module__": __name__}
        more: Any = {f"seen_{number}": (Line, Field(description="What was seen."))}
        model = create_model(f"Trial{number}", __base__=Trial, **more)
        base: Any = ItemsSection[model]  # type: ignore[valid-type]
        return types.new_class("Many", (base,), {}, lambda own: own.update(body))

    few, many = (
        json.dumps(definitions("mcp", domain=Domain("many", sections=map(trials, range(count)))))
        for count in (2, 15)
    )
    assert "How it went." in few
    assert "trials14.update" in many
    assert "How it went." not in many


def test_an_item_may_have_a_field_that_is_called_items() -> None:
    class Parcel(HudItem):
        """Something that is sent."""

        number: Line
        items: tuple[str, ...] = ()

    class Parcels(ItemsSection[Parcel]):
        """What is sent."""

        lines = {"full": "{number}, items: *{items}*"}

    with HudStore.open(":memory:", domain=Domain("post", [Parcels])) as store:
        session = store.session("s")
        call = {"op": "parcels.add", "parcel": "A-1", "items": ["a lamp"]}
        assert not session.call("hud", call).is_error
        [parcel] = session.state()[Parcels]
        assert (parcel.number, parcel.items) == ("A-1", ("a lamp",))
