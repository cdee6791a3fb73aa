"""The sections that can be edited: how their items are written, and which operations change them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hud_components import (
    BlockersList,
    DecisionsList,
    Form,
    HudSection,
    NextSteps,
    NotesSection,
)
from hud_runtime.projection import KINDS, Item, Kind


@dataclass(frozen=True, slots=True)
class Editable:
    """A section whose items can be edited."""

    name: str
    """The section's name in the table of fixed texts, and the first part of its operations."""

    section: type[HudSection]
    """The component that shows it."""

    prop: str
    """The component's prop that holds the items."""

    kind: Kind
    """What the runtime knows of the items."""

    what: str
    """An item, in a word, as messages have it."""

    fields: tuple[str, ...]
    """The fields that an edit can change; the first one says what the item is."""

    forms: tuple[Form, ...]
    """How an item of the list is written."""

    lines: tuple[Form, ...] = ()
    """How an item is written as a paragraph of its own, where the HUD is dense."""

    add: str = "add"
    """The operation for a new item."""

    done: str | None = None
    """The operation for an item that is struck through; None where nothing is ever done."""

    has_paragraphs: bool = False
    """Whether an item may have several lines and paragraphs."""

    def shows(self, item: Item) -> bool:
        """Tell whether the section shows an item: a blocker leaves when it is resolved."""
        return self.kind.done != "resolved" or self.kind.is_open(item)

    def operation(self, name: str) -> str:
        """Return an operation's full name.

        >>> EDITABLE["steps"].operation("remove")
        'steps.remove'
        """
        return f"{self.name}.{name}"


_DESCRIPTION = ("description",)

EDITABLE: Mapping[str, Editable] = MappingProxyType(
    {
        each.name: each
        for each in (
            Editable(
                "decisions",
                DecisionsList,
                "decisions",
                KINDS["decision"],
                "decision",
                ("summary", "details"),
                DecisionsList.forms,
                add="record",
            ),
            Editable(
                "steps",
                NextSteps,
                "steps",
                KINDS["step"],
                "step",
                _DESCRIPTION,
                (
                    Form("steps.completed", _DESCRIPTION, {"completed": True}),
                    Form("steps.item", _DESCRIPTION, {"completed": False}),
                ),
                (Form("steps.next", _DESCRIPTION, {"completed": False}),),
                done="complete",
            ),
            Editable(
                "blockers",
                BlockersList,
                "blockers",
                KINDS["blocker"],
                "blocker",
                _DESCRIPTION,
                BlockersList.forms,
                (Form("blockers.line", _DESCRIPTION),),
                done="resolve",
            ),
            Editable(
                "notes",
                NotesSection,
                "notes",
                KINDS["note"],
                "note",
                ("content",),
                NotesSection.forms,
                has_paragraphs=True,
            ),
        )
    }
)
"""The lists that can be edited, by name; beside them, only the task can."""

TASK = "task"
"""The name of the task's section in the table of fixed texts, and of its operations."""

TASK_TEXT, TASK_LINE = Form("task.text", _DESCRIPTION), Form("task.line", _DESCRIPTION)
"""The task under its heading, and where the HUD is dense."""

REPORTED: Mapping[str, str] = MappingProxyType(
    {
        "ActiveFiles": "files follow what the agent's tools do; `hud files.close` closes one",
        "ErrorsList": "errors are reported by hosts; `hud errors.resolve` resolves one",
        "CompactedContext": "the summary is that of the last compaction",
    }
)
"""Why a section cannot be edited, by its component; others show what hosts report at each turn."""
