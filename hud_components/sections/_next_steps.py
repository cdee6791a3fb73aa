"""The next-steps section: an ordered list that marks completed steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import takewhile
from operator import attrgetter
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, field_validator
from pydantic.json_schema import SkipJsonSchema

from hud_components._models import HudModel, Line, PlainItem
from hud_components.declaring._form import OVER, Form, Omission, decorated
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._lists import ListShape, ReadList, ShapeName
from hud_components.declaring._section import UNSET, ItemsProp
from hud_components.declaring._state import ALL_IN_SHORT, State, Width, Worth, shortened
from hud_components.folding import Moment, New, Payload, same_if_equal, usual, with_values
from hud_components.sections import CodingValue
from hud_components.sections._active_files import CLOSED, EDITED, FileClose, FileEdit
from hud_components.sections._checks_list import CHECKED, CheckResult
from hud_components.words._texts import line, lines, parse_count, text_of
from ujsx import Density, Disclosure, Examples, RenderContext, Rung, Template

OPEN_ONLY = 5
"""Up to this limit, completed steps are hidden while others are open, as they cost as much."""

UNCONFIRMED = 96
"""The shown characters of a step from before a compaction, where room is short."""

_TO_DO = Form("steps.item", ("description",), {"completed": False}, "{description}")
_DONE = Form("steps.completed", ("description",), {"completed": True}, "~~{description}~~")
_UNCONFIRMED = Form(
    "steps.unconfirmed",
    ("description",),
    {"completed": False, "unconfirmed": True},
    "{description} *(unconfirmed)*",
)
_NEXT = Form("steps.next", ("description",), source="**Next:** {description}")
_NEXT_UNCONFIRMED = Form(
    "steps.next.unconfirmed",
    ("description",),
    {"unconfirmed": True},
    "**Next:** {description} *(unconfirmed)*",
)


class StepDraft(HudModel):
    """One thing to do."""

    description: Line
    """The step in one line."""


class Step(PlainItem, CodingValue, StepDraft):
    """A step of the plan."""

    completed: bool = False
    """Whether it is done."""

    order: int = 0
    """Its place in the plan: steps are worked on in ascending order."""


class StepAdd(New, StepDraft):
    """The agent plans a step, at the end of its plan."""

    completed: bool = False
    """Whether it is done already."""


class StepReorder(Payload):
    """The plan's steps change places."""

    ids: Annotated[tuple[Line, ...], Field(min_length=1)]
    """Ids of steps in their new order; steps that are not named follow in the old order."""


MOST_SUMMED = 12
"""The number of a summary's steps that later work ticks off."""

MOST_PARTS = 6
"""The parts of a path's end by which a step may name a file."""

_MAKES, _CHANGES, _REMOVES, _CHECKS = (
    frozenset(words.split())
    for words in (
        """create write add make new  erstell erstelle schreib schreibe  crée créer créez  crea""",
        """update change edit replace remove rename  aktualisier aktualisiere änder ändere ersetz ersetze
        entfern entferne  modifie modifier modifiez remplace remplacer remplacez  actualiza cambia reemplaza""",
        """delete remove rm  lösch lösche entfern entferne  supprime supprimer supprimez  elimina borra""",
        """run rerun re check verify test lint build  prüf prüfe test teste  lance lancer lancez vérifie
        vérifier vérifiez  ejecuta verifica""",
    )
)
"""The first words of a step that a new file, an edit, a removal, or a passed check may complete."""

_MORE_DEEDS = frozenset(["and", "then", "und", "dann", "et", "y"])
"""The words by which a step has more than one deed."""

SHORT_DEED = 3
"""The most words of a step's last deed that is about the first: "run it", "check the result"."""


def worked(steps: tuple[Step, ...], said: FileEdit, moment: Moment) -> tuple[Step, ...]:
    """A file is made or changed: what a summary has as the step that does it is done."""
    deeds = _MAKES | _CHANGES if said.is_new else _CHANGES
    return _done_by(steps, _names_of(said.path), partial(_is_one_of, deeds))


def removed(steps: tuple[Step, ...], said: FileClose, moment: Moment) -> tuple[Step, ...]:
    """A file is gone: what a summary has as the step that removes it is done."""
    if moment.actor == "agent":  # it may only be done with the file
        return steps
    return _done_by(steps, _names_of(said.path), partial(_is_one_of, _REMOVES))


def checked(steps: tuple[Step, ...], said: CheckResult, moment: Moment) -> tuple[Step, ...]:
    """A check has passed: what a summary has as the step that runs it is done, or that ends with a run of its file."""
    if said.result != "pass":
        return steps
    after = _done_by(steps, [said.command], partial(_is_one_of, _CHECKS))
    files = (word.partition("::")[0] for word in said.command.split(" ") if "." in word)
    return _done_by(after, [name for file in files for name in _names_of(file)], _ends_with_run)


def _names_of(path: str) -> list[str]:
    """Return the names by which a step may mean a file: the ends of its path."""
    parts = path.split("/")[-MOST_PARTS:]
    return ["/".join(parts[place:]) for place in range(len(parts))]


def _done_by(
    steps: tuple[Step, ...], names: Sequence[str], is_deed: Callable[[str], bool]
) -> tuple[Step, ...]:
    """Return the steps, with those of a summary completed that are this deed to what has one of these names.

    A summary's steps are there without a plan alone, so they are the first ones.
    """
    summed = [*takewhile(lambda step: step.said_by == "host", steps[:MOST_SUMMED])]
    words = "|".join(map(re.escape, filter(None, names)))
    if not words or all(step.completed for step in summed):
        return steps
    named = re.compile(rf"(?<![\w/.-])(?:{words})(?![\w/-]|\.\w)")
    left = (
        with_values(step, completed=True)
        if is_deed(step.description) and named.search(step.description)
        else step
        for step in summed
    )
    return same_if_equal(steps, (*left, *steps[len(summed) :]))


def _is_one_of(deeds: frozenset[str], step: str) -> bool:
    """Tell whether a step is one deed, which begins with one of these words."""
    first, *rest = re.findall(r"\w+", step.lower()) or [""]
    return first in deeds and _MORE_DEEDS.isdisjoint(rest)


def _ends_with_run(step: str) -> bool:
    """Tell whether the last of a step's deeds is to run or to check what the first is about: "… and run it"."""
    words = re.findall(r"\w+", step.lower())
    starts = [place + 1 for place, word in enumerate(words) if word in _MORE_DEEDS]
    last = words[starts[-1] :] if starts else []
    return 0 < len(last) <= SHORT_DEED and last[0] in _CHECKS


class NextSteps(ItemsSection[Step]):
    """The plan in its order, completed steps struck through; from the next step on when short."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 1, width=Width.LEAST),
            Rung(Density.MINIMAL, 1, width=Width.SHORT, worth=Worth.ABOUT_WHAT),
            Rung(Density.MINIMAL, 1, worth=Worth.AIM),
            Rung(Density.MINIMAL, 1, only_if_room=True, width=Width.MOST, worth=Worth.DONE_OR_OLD),
            Rung(Density.COMPACT, 3, worth=Worth.NEXT_UP),
            Rung(Density.COMPACT, OPEN_ONLY, worth=Worth.MORE_IN_SHORT),
            *ALL_IN_SHORT,
            Rung(Density.FULL, OPEN_ONLY, worth=Worth.PLAN_IN_FULL),
            Rung(Density.FULL, 10, worth=Worth.DONE_OR_OLD),
            Rung(Density.FULL, worth=Worth.DONE_OR_OLD),
        ),
        weight=3.0,
        floor=Density.MINIMAL,
    )

    name = prop = "steps"
    field = "next_steps"
    event = "step"
    aliases = ("plan", "todo", "subtask", "action_item")
    other_tools = MappingProxyType(
        {"TaskCreate": "add", "TaskUpdate": "update", "TaskList": "list"}
    )
    draft = StepDraft
    done = "completed"
    on = MappingProxyType({EDITED: worked, CLOSED: removed, CHECKED: checked})
    order = "order"
    title = "Next steps"
    noun = "step|steps"
    texts = {  # noqa: RUF012 - a declaration
        **{f"steps.{each}": text.format(over="done") for each, text in OVER.items()},
        "steps.done": "All {count} {noun} done",
    }
    forms = (_DONE, _UNCONFIRMED, _TO_DO)
    lone_forms = (_NEXT_UNCONFIRMED, _NEXT)
    opening = ("steps.next", "steps.done")
    _most_named = 0
    verbs = (
        usual("add", help="a step at the end", told="{id} added: {text}{done}", payload=StepAdd),
        usual("complete", help="a step", doc="A step is done."),
        usual(
            "update",
            help="a step's text, or whether it is done",
            doc="A step reads anew, or is open again.",
            draft=StepAdd,
        ),
        usual("remove", help="a step", doc="A step is dropped from the plan."),
        usual("reorder", help="steps", rare=True, payload=StepReorder),
    )

    examples: ClassVar[Examples] = lambda: {
        "one done": NextSteps(
            steps=(
                {"description": "Rotate refresh tokens", "completed": True, "order": 0},
                {"description": "Write the middleware", "order": 1},
                {"description": "Test expired tokens", "order": 2},
                {"description": "Document the endpoints", "order": 3},
            )
        ),
    }

    steps: ItemsProp[Step] = UNSET
    """The steps; those of the session when None."""

    first: Annotated[int, Field(ge=1)] = 1
    """The number of the first given step in the plan."""

    unlisted: Annotated[int, Field(ge=0)] = 0
    """How many steps there are beside those given: they are among what is left out."""

    show_ids: bool = False
    """Whether each step shows its id, so that it can be told from others in an edited text."""

    unconfirmed: bool = False
    """Whether it was planned before a compaction, and nothing has touched it since: one mark says so."""

    is_old: SkipJsonSchema[bool] = False
    """Whether the turns since that compaction are many: all but the next step gives way."""

    @field_validator("steps")
    @classmethod
    def _in_order(cls, steps: Sequence[Step] | None) -> Sequence[Step] | None:
        """Number steps in their given order if none has a place, as when read back."""
        if not steps or any("order" in each.model_fields_set for each in steps):
            return steps
        return tuple(each.model_copy(update={"order": place}) for place, each in enumerate(steps))

    @classmethod
    def told_by(cls, state: State) -> Mapping[str, object]:
        if cls.field not in state.unconfirmed:
            return {}
        return {"unconfirmed": True, "is_old": True} if state.summary_age else {"unconfirmed": True}

    def disclosed(self) -> Disclosure:
        """Return the disclosure: a plan without open steps ranks below all else."""
        usual = super().disclosed()
        if self.unconfirmed:
            usual = shortened(usual, UNCONFIRMED)
        if self.is_old and self.standing not in ("pinned", "folded"):
            usual = _old(usual)
        if self.standing in ("pinned", "folded") or not self.steps or self._to_do(self.steps)[0]:
            return usual
        return usual if self.unlisted > self.unlisted_done else _finished(usual)

    def in_context(self, ctx: RenderContext) -> Self:
        """Return the section with the bound state's steps if none of them is open."""
        made = super().in_context(ctx)
        steps = made.given(ctx) if made.steps is None else ()
        if not steps or self._to_do(steps)[0]:
            return made
        return made.model_copy(update={"steps": tuple(steps)})

    def given(self, ctx: RenderContext) -> Sequence[Step]:
        """Return the steps; the mark of an unconfirmed plan stands for the host's."""
        steps = super().given(ctx)
        if not self.unconfirmed:
            return steps
        return [
            with_values(step, said_by="agent")
            if step.origin is None and step.said_by == "host"
            else step
            for step in steps
        ]

    def rows(
        self, items: Sequence[Any], ctx: RenderContext, templates: Sequence[Template]
    ) -> Sequence[Any]:
        done, marked, to_do = templates
        told = lines([step.description for step in items], ctx.width)
        rows = [
            (done if step.completed else to_do, text)
            for step, text in zip(items, told, strict=True)
        ]
        first = next((place for place, step in enumerate(items) if not step.completed), None)
        if self.unconfirmed and first is not None:
            rows[first] = (marked, told[first])
        return rows

    def shape(self, ctx: RenderContext) -> ListShape:
        """Return the shape of the plan: the next step alone, steps in one line, or the list with its numbers."""
        steps = sorted(self.given(ctx), key=attrgetter("order"))
        if not steps and not self.unlisted:
            return ListShape("nothing")
        start, end = _window(steps, ctx.limit)
        before, shown, after = steps[:start], steps[start:end], steps[end:]
        if self.is_counted(ctx):
            return self._in_one_line("folded", steps, (), ctx)
        if ctx.density is Density.MINIMAL and len(shown) <= 1:
            return self._in_one_line("count", steps, shown, ctx)
        hidden = [*before, *after]
        if not shown:
            total = len(hidden) + self.unlisted
            return ListShape("count", (), hidden, self.unlisted, Omission(total))
        # A line has no numbers to keep, so completed steps are dropped as soon as anything is omitted.
        named = self._to_do(shown)[0] if hidden or self.unlisted else shown
        rows = self._rows_shown(named or shown, ctx)
        if self.says_in_line(rows, ctx):
            done = (
                [step for step in shown if step.completed] if named and named is not shown else []
            )
            return self._shape("line", named or shown, [*before, *done, *after], rows)
        listed = self._shape("list", shown, hidden, self._rows_shown(shown, ctx))
        return listed._replace(first=self.first + start)

    def _to_do(self, steps: Sequence[Step]) -> tuple[list[Step], int]:
        """Return the open steps, and the number of others."""
        to_do = [step for step in steps if not step.completed]
        return to_do, max(self.unlisted - self.unlisted_done, 0)

    def _in_one_line(
        self, name: ShapeName, steps: Sequence[Step], shown: Sequence[Step], ctx: RenderContext
    ) -> ListShape:
        """Return the shape of the next step with the number of other open ones; a count if no step is shown."""
        to_do, more = self._to_do(steps)
        if not to_do and not more:
            total = len(steps) + self.unlisted
            return ListShape("done", shown, left=Omission(total, total), said=())
        if not shown or not to_do:
            return ListShape(name, shown, to_do, more, Omission(len(to_do) + more), said=())
        step, *others = to_do
        form = _NEXT_UNCONFIRMED if self.unconfirmed else _NEXT
        row: tuple[Any, ...] = (form.template(ctx), line(step.description, ctx.width))
        said = form.told(row) | self.said_around(step, show_ids=False)
        row = decorated(row, step, ctx, show_id=False)
        left = Omission(len(others) + more)
        return ListShape("lone", shown, others, more, left, (row,), said=(said,))

    # --- Reading ---

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        done = parse_count(cls.with_texts(ctx), "steps", text_of(blocks[0]) or "", "steps.done")
        if done is None:
            return super().parse(blocks, ctx)
        made = cls._of(ReadList(left=Omission(done["count"], done["count"])))
        return None if made is None else (made, 1)

    @classmethod
    def _of(cls, told: ReadList) -> Self | None:
        steps = [{**each, "order": place} for place, each in enumerate(told.items)]
        marks = [each.pop("unconfirmed", False) for each in steps]
        made = super()._of(told._replace(items=steps))
        return made and made.model_copy(update={"first": told.first, "unconfirmed": any(marks)})


@lru_cache(maxsize=64)
def _finished(usual: Disclosure) -> Disclosure:
    ladder = tuple(replace(rung, worth=Worth.DONE_OR_OLD) for rung in usual.ladder)
    return replace(usual, ladder=ladder, floor=None)


@lru_cache(maxsize=64)
def _old(usual: Disclosure) -> Disclosure:
    ladder = tuple(
        rung
        if rung.density is Density.MINIMAL
        else replace(rung, worth=max(rung.worth, Worth.PLAN_IN_FULL, key=lambda worth: worth.rank))
        for rung in usual.ladder
    )
    return replace(usual, ladder=ladder)


def _window(steps: Sequence[Step], limit: int | None) -> tuple[int, int]:
    """Return the run of the plan to show: from the first open step, or up to the end of the plan.

    A larger limit shows everything that a smaller one does. A small one shows steps before the first open one only if
    none is open.
    """
    first_open = next((n for n, step in enumerate(steps) if not step.completed), None)
    if limit is not None and limit <= OPEN_ONLY and first_open is not None:
        return first_open, min(first_open + limit, len(steps))
    if limit is None or len(steps) <= limit:
        return 0, len(steps)
    start = min(len(steps) if first_open is None else first_open, len(steps) - limit)
    return start, start + limit
