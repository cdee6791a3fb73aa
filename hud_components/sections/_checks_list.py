"""The checks section: the last result of each test run, build, type check and lint."""

from __future__ import annotations

import operator
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self, TypeAlias

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from hud_components._models import HudModel, Kept, Line, Text
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._lines import Wording
from hud_components.declaring._lists import ReadList
from hud_components.declaring._section import UNSET, ItemsProp
from hud_components.declaring._state import ALL_IN_SHORT, State, Width, Worth, recalls, shortened
from hud_components.folding import (
    Kind,
    Moment,
    Payload,
    Verb,
    report,
    same_if_equal,
    with_index,
    with_values,
)
from hud_components.sections import ReportedValue
from hud_components.sections._active_files import EDITED, FileEdit
from hud_components.words._texts import line
from ujsx import Density, Disclosure, Examples, RenderContext, Rung

NAMES = 2
"""The number of checks named in the shortest form."""

FEW = 3
"""The number of checks in a short list, including the named ones."""

COMMAND = 56
"""The shown characters of a command after a compaction, where room is short."""

ALIKE = 16
"""The difference in length up to which commands count as equally long, in characters."""

MOST_EDITS = 3
"""The most files that are named as edited since a check passed, the last ones."""

_COMMA = ", "

CHECKED = "check.result"
"""The event of a check that has run."""

Outcome: TypeAlias = Literal["pass", "fail"]
"""The outcome of a check."""


class CheckDraft(HudModel):
    """A check that was run, and how it went."""

    command: Line
    """The command as it was spelled, without pipes, redirections and ``cd``."""

    result: Outcome
    """How it went."""


class CheckResult(Payload, CheckDraft):
    """A check has run: its latest result counts."""

    name: Line
    """What is checked, however the command was spelled: "pytest tests/test_login.py"."""


class Check(ReportedValue, CheckDraft):
    """The latest result of a check."""

    name: Text = ""
    """What is checked, however the command was spelled; empty for what is not recorded."""

    in_turn: int = 0
    """The agent's turn in which it ran."""

    edited_since: Kept[bool] = Field(default=False, exclude_if=operator.not_)
    """Whether files were edited since it passed. A dump has it where that is so; no event has it."""

    edits: Kept[Text] = Field(default="", exclude_if=operator.not_)
    """The names of the files that were edited since it passed, separated by commas. A dump has it where there are
    any; no event has it."""


Checks: TypeAlias = tuple[Check, ...]

_OLD = MappingProxyType({"edited_since": True})

_CHECKS = Kind("command", key="name")


def ran(checks: Checks, said: CheckResult, moment: Moment) -> Checks:
    """A check has run; the one that ran last stands last."""
    index = _CHECKS.index(checks)
    words = {"command": said.command, "result": said.result, "in_turn": moment.turn}
    number = report(_CHECKS, index, Check, said.name, moment, **words, edited_since=False, edits="")
    if number is not None and index[number] is not index.items[-1]:
        index.move_to_end(number, index[number])
    return with_index(index, checks)


def outdated(checks: Checks, said: FileEdit, moment: Moment) -> Checks:
    """A file is edited: what passed until then was another state of it."""
    name = posixpath.basename(said.path)
    after = (each if each.result == "fail" else _older(each, name) for each in checks)
    return same_if_equal(checks, tuple(after))


def _older(check: Check, name: str) -> Check:
    """Return a check that passed before an edit of a file."""
    names = [each for each in check.edits.split(_COMMA) if each and each != name]
    edits = _COMMA.join([*names, name][-MOST_EDITS:])
    return with_values(check, edited_since=True, edits=edits)


class ChecksList(ItemsSection[Check]):
    """The latest result of each check; those that failed and those that ran last come before others."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0, worth=Worth.CHECKS_NAMED),
            Rung(Density.MINIMAL, NAMES, width=Width.BRIEF, worth=Worth.CHECKS_NAMED),
            Rung(
                Density.MINIMAL, NAMES, only_if_room=True, width=Width.MOST, worth=Worth.DONE_OR_OLD
            ),
            Rung(Density.COMPACT, FEW, worth=Worth.LAST_CHECKS),
            Rung(Density.COMPACT, 5, worth=Worth.IN_WORK),
            *ALL_IN_SHORT,
            Rung(Density.FULL, 8, worth=Worth.IN_WORK_IN_FULL),
            Rung(Density.FULL, worth=Worth.DONE_OR_OLD),
        )
    )
    name = "checks"
    event = "check"
    noun = "check|checks"
    draft = CheckDraft
    key = "name"
    text = "command"
    host_reported = True
    has_operations = False
    _is_shown_empty = False
    read_only_reason = "checks are what was seen of the commands that ran"
    on = MappingProxyType({EDITED: outdated})
    lines = {  # noqa: RUF012 - a declaration
        "full": (
            Wording("`{command}`: {result} in turn {in_turn}, before edits of {edits}", _OLD),
            Wording("`{command}`: {result} in turn {in_turn}, before later edits", _OLD),
            "`{command}`: {result} in turn {in_turn}",
        ),
        "compact": (
            Wording("`{command}`: {result}, before later edits", _OLD),
            "`{command}`: {result}",
        ),
    }
    verbs = (
        Verb("result", ran, doc="A check has run.", told="{name}: {result}", payload=CheckResult),
    )

    _most_named = NAMES

    examples: ClassVar[Examples] = lambda: {
        "one failed": ChecksList(
            checks=(
                {"command": "pytest tests/test_tokens.py", "result": "fail", "in_turn": 4},
                {"command": "ruff check .", "result": "pass", "in_turn": 3},
            )
        ),
    }

    checks: ItemsProp[Check] = UNSET
    """The checks; those of the session when None."""

    recalled: SkipJsonSchema[bool] = False
    """Whether it stands after a compaction, beside what else the HUD repeats then."""

    @classmethod
    def told_by(cls, state: State) -> Mapping[str, object]:
        return {"recalled": True} if recalls(state) else {}

    @classmethod
    def _of(cls, told: ReadList) -> Self | None:
        made = super()._of(told)
        if made is not None and any("edits" in item for item in told.items):
            return made.model_copy(update={"recalled": True})
        return made

    def given(self, ctx: RenderContext) -> Sequence[Check]:
        """Return the checks; only after a compaction with the files that were edited since they passed."""
        checks: Sequence[Check] = super().given(ctx)
        if self.recalled:
            return checks
        return [with_values(each, edits="") if vars(each).get("edits") else each for each in checks]

    def disclosed(self) -> Disclosure:
        """Return the disclosure: failed checks are named before files; after a compaction long commands are cut."""
        usual = super().disclosed()
        if self.recalled:
            usual = _recalled(usual)
        if self.standing in ("pinned", "folded") or not _failed(self.checks or ()):
            return usual
        return _failing(usual)

    def in_context(self, ctx: RenderContext) -> Self:
        """Return the section with the bound state's checks if one of them failed."""
        made = super().in_context(ctx)
        checks = made.given(ctx) if made.checks is None else ()
        return made.model_copy(update={"checks": tuple(checks)}) if _failed(checks) else made

    def _by_worth(self, items: Sequence[Check], limit: int) -> Sequence[int]:
        """Return the places of checks by worth: those that failed, and then the most recent.

        Of passed checks, those with short commands are named: they check more, run more often, and cost less.
        """
        by_weight = sorted(
            range(len(items)), key=lambda place: (items[place].result == "fail", place)
        )
        if limit <= NAMES:
            by_weight[-FEW:] = sorted(
                by_weight[-FEW:], key=lambda place: _named_first(items, place)
            )
        return by_weight[::-1]

    def _text_of(self, item: Check, ctx: RenderContext) -> str:
        old = _OLD_IN_SHORT if item.edited_since else ""
        return f"{line(item.command, ctx.width)}{_HOW}{old}{item.result}"

    @classmethod
    def _of_text(cls, text: str) -> Mapping[str, Any]:
        command, _, how = text.rpartition(_HOW)
        result = how.removeprefix(_OLD_IN_SHORT)
        return {"command": command, "result": result, "edited_since": result != how}


def _named_first(checks: Sequence[Check], place: int) -> tuple[bool, int, int]:
    """Return the weight of a check: the last failed one first, then short commands."""
    check = checks[place]
    has_failed = check.result == "fail"
    return has_failed, 0 if has_failed else -(len(check.command) // ALIKE), place


def _failed(checks: Sequence[Check]) -> bool:
    return any(check.result == "fail" for check in checks)


@lru_cache(maxsize=64)
def _failing(usual: Disclosure) -> Disclosure:
    ladder = [rung for rung in usual.ladder if rung.limit != 0]
    return replace(usual, ladder=(replace(ladder[0], worth=Worth.FAILURE_NAMED), *ladder[1:]))


@lru_cache(maxsize=64)
def _recalled(usual: Disclosure) -> Disclosure:
    """Return the disclosure after a compaction: long commands are cut, and the first few come before the others."""
    ladder = (
        replace(rung, worth=Worth.REASONS_RECALLED) if rung.worth is Worth.IN_WORK else rung
        for rung in shortened(usual, COMMAND).ladder
    )
    return replace(usual, ladder=tuple(ladder))


_OLD_IN_SHORT = "old "
"""The word before a pass in short form that is older than the last edit."""

_HOW = ": "
"""The separator between a check and its outcome in short form."""
