"""The errors section: unresolved failures."""

from __future__ import annotations

from typing import ClassVar

from hud_components._models import HudModel, Line, Milliseconds, PlainItem
from hud_components.declaring._form import Form
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._section import UNSET, ItemsProp
from hud_components.declaring._state import ALL_IN_SHORT, NEWEST_IF_ROOM, Width, Worth
from hud_components.folding import timestamp, usual
from hud_components.sections import ReportedValue
from ujsx import Density, Disclosure, Examples, Rung


class ErrorDraft(HudModel):
    """Something that went wrong."""

    message: Line
    """The error as it was reported."""


class ErrorRecord(PlainItem, ReportedValue, ErrorDraft):
    """An error, open until it is resolved."""

    resolved: bool = False
    """Whether it is dealt with."""

    resolved_at: Milliseconds | None = None
    """When it was dealt with."""


class ErrorsList(ItemsSection[ErrorRecord]):
    """The open errors, oldest first."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0),
            *NEWEST_IF_ROOM,
            Rung(Density.COMPACT, 1, worth=Worth.OPEN_ERRORS),
            Rung(Density.COMPACT, 3, worth=Worth.NEWEST_FEW),
            *ALL_IN_SHORT,
            Rung(Density.FULL, 10, width=Width.LONG, worth=Worth.ERRORS_IN_FULL),
            Rung(Density.FULL, 10, worth=Worth.DONE_OR_OLD),
            Rung(Density.FULL, worth=Worth.DONE_OR_OLD),
        ),
        weight=2.0,
        floor=Density.MINIMAL,
    )
    name = prop = field = "errors"
    event = "error"
    draft = ErrorDraft
    done = "resolved"
    shows_done = False
    alerts = True
    host_reported = True
    read_only_reason = "errors are reported by hosts; `hud errors.resolve` resolves one"
    title = "Open errors"
    noun = "open error|open errors"
    prefix = "e"
    forms = (Form("errors.item", ("message",), source="{message}"),)
    verbs = (
        usual(
            "add",
            event="error.encountered",
            help="what went wrong",
            doc="Something went wrong.",
            told="{id} met: {text}",
            rare=True,
        ),
        usual(
            "resolve",
            event="error.resolved",
            help="an error",
            doc="An error is dealt with; it stays in the state as resolved.",
            sets={"resolved_at": timestamp},
        ),
    )

    examples: ClassVar[Examples] = lambda: {
        "one open": ErrorsList(
            errors=(
                "test_refresh: expected 401, got 200",
                {"message": "ModuleNotFoundError: jose", "resolved": True},
            )
        ),
    }

    errors: ItemsProp[ErrorRecord] = UNSET
    """The errors; those of the session when None."""
