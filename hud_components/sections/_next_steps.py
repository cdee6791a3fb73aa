"""The next-steps section: an ordered list that marks completed steps."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, ValidationError
from pydantic.json_schema import SkipJsonSchema

from hud_components._models import HudModel, Line, PlainItem
from hud_components.declaring._form import (
    OVER,
    Form,
    Omission,
    decorated,
    omitted,
    read_item,
    read_mark,
    read_said_of,
    shows_ids,
    unexpected_source,
    without_mark,
)
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._section import UNSET, ItemsProp, titled
from hud_components.declaring._state import (
    AIM,
    DONE_OR_OLD,
    MORE_IN_SHORT,
    MOST,
    NEXT_UP,
    PLAN_IN_FULL,
    SHORT,
    State,
)
from hud_components.folding import (
    Add,
    Mark,
    Moment,
    New,
    Payload,
    Remove,
    Reorder,
    Update,
    same_if_equal,
    with_values,
)
from hud_components.sections import CodingValue
from hud_components.sections._active_files import EDITED, FileEdit
from hud_components.words._texts import (
    counted,
    format_text,
    is_titled,
    line,
    line_of,
    lines,
    only_child,
    only_line,
    parse_count,
    text_of,
)
from ujsx import (
    Child,
    Density,
    Disclosure,
    Element,
    Examples,
    ForEach,
    RenderContext,
    Rung,
    Template,
    mdast,
)
from ujsx.elements import Brief, List, Paragraph

OPEN_ONLY = 5
"""Up to this limit steps that are done are not shown while others are open: they cost as much as
those."""

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


_MAKES = re.compile(
    r"\W*(?:create|write|add|make|new|erstelle?|schreibe?|crée[rz]?|crea)\b(?!.*\b(?:and|then|und|dann|et|y)\b)",
    re.IGNORECASE,
)
"""The words of a step that a new file may be all of."""


def made(steps: tuple[Step, ...], said: FileEdit, moment: Moment) -> tuple[Step, ...]:
    """A file is made: what a summary has as the step that makes it is done."""
    name = posixpath.basename(said.path)
    if not (said.is_new and name):
        return steps
    left = (
        with_values(step, completed=True)
        if step.said_by == "host" and name in step.description and _MAKES.match(step.description)
        else step
        for step in steps
    )
    return same_if_equal(steps, tuple(left))


class NextSteps(ItemsSection[Step]):
    """The plan in its order, completed steps struck through; from the next step on when short."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 1, width=SHORT),
            Rung(Density.MINIMAL, 1, worth=AIM),
            Rung(Density.MINIMAL, 1, is_spare=True, width=MOST, worth=DONE_OR_OLD),
            Rung(Density.COMPACT, 3, worth=NEXT_UP),
            Rung(Density.COMPACT, OPEN_ONLY, worth=MORE_IN_SHORT),
            Rung(Density.COMPACT, is_spare=True, worth=DONE_OR_OLD),
            Rung(Density.COMPACT, is_spare=True, width=MOST, worth=DONE_OR_OLD),
            Rung(Density.FULL, OPEN_ONLY, worth=PLAN_IN_FULL),
            Rung(Density.FULL, 10, worth=DONE_OR_OLD),
            Rung(Density.FULL, worth=DONE_OR_OLD),
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
    on = MappingProxyType({EDITED: made})
    order = "order"
    title = "Next steps"
    noun = "step|steps"
    texts = MappingProxyType(
        {
            **{f"steps.{each}": text.format(over="done") for each, text in OVER.items()},
            "steps.done": "All {count} {noun} done",
        }
    )
    forms = (_DONE, _UNCONFIRMED, _TO_DO)
    lone_forms = (_NEXT_UNCONFIRMED, _NEXT)
    opening = ("steps.next", "steps.done")
    verbs = (
        Add(
            "add",
            help="a step at the end",
            answer="Added {id}.",
            told="{id} added: {text}{done}",
            payload=StepAdd,
        ),
        Mark(
            "complete",
            help="a step",
            doc="A step is done.",
            answer="Completed {id}.",
            told="{id} completed{item}",
        ),
        Update(
            "update",
            help="a step's text, or whether it is done",
            doc="A step reads anew, or is open again.",
            answer="Updated {id}.",
            told="{id} reads anew: {changes}",
            rare=True,
            draft=StepAdd,
        ),
        Remove(
            "remove",
            help="a step",
            doc="A step is dropped from the plan.",
            answer="Removed {id}.",
            told="{id} removed{item}",
        ),
        Reorder(
            "reorder",
            help="steps",
            answer="Reordered.",
            told="{order}",
            rare=True,
            payload=StepReorder,
        ),
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

    @classmethod
    def told_by(cls, state: State) -> Mapping[str, object]:
        if cls.field not in state.unconfirmed:
            return {}
        return {"unconfirmed": True, "is_old": True} if state.summary_age else {"unconfirmed": True}

    def disclosed(self) -> Disclosure:
        """Return the disclosure: a plan of which nothing is open gives way to all else."""
        usual = super().disclosed()
        if self.is_old and self.standing not in ("pinned", "folded"):
            usual = _old(usual)
        if self.standing in ("pinned", "folded") or not self.steps or self._to_do(self.steps)[0]:
            return usual
        return usual if self.unlisted > self.unlisted_done else _finished(usual)

    def in_context(self, ctx: RenderContext) -> Self:
        """Return the section as the bound state has it, with its steps where none of them is open."""
        made = super().in_context(ctx)
        steps = made.given(ctx) if made.steps is None else ()
        if not steps or self._to_do(steps)[0]:
            return made
        return made.model_copy(update={"steps": tuple(steps)})

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

    def laid_out(self, ctx: RenderContext) -> Child:
        steps = self._in_order(ctx)
        if not steps and not self.unlisted:
            return None
        ctx = self.with_texts(ctx)
        start, end = _window(steps, ctx.limit)
        shown, hidden = steps[start:end], [*steps[:start], *steps[end:]]
        if ctx.density is Density.MINIMAL and len(shown) <= 1:
            return self._in_one_line(steps, shown, ctx)
        if not shown:
            return Brief()[omitted(ctx, "steps", hidden, self.unlisted, brief=True)]
        named, done = self._in_line(shown, hidden)
        rows = self._rows(named, ctx)
        if self.says_in_line(rows, ctx):
            return self.as_line(rows, [*steps[:start], *done, *steps[end:]], ctx)
        title, numbered = titled(format_text(ctx, "steps.title")), _numbered(self.first + start)
        listed = Element(numbered, (ForEach(rows=self._rows(shown, ctx)),))
        if not hidden and not self.unlisted:
            return Element(title, (listed,))
        return title[listed, self.mark(hidden, ctx, "more", brief=False)]

    def count_line(self, ctx: RenderContext) -> Child:
        steps = self._in_order(ctx)
        to_do, unlisted = self._to_do(steps)
        if not steps and not self.unlisted:
            return None
        if not to_do and not unlisted:
            return self._in_one_line(steps, (), ctx)
        text = counted(ctx, "steps", len(to_do) + unlisted, "count")
        return Paragraph()[omitted(ctx, "steps", to_do, unlisted, text=text)]

    def _in_line(
        self, shown: Sequence[Step], hidden: Sequence[Step]
    ) -> tuple[Sequence[Step], Sequence[Step]]:
        """The steps that a line names, and those done among them that it does not.

        It has no numbers to keep, so what is done goes as soon as anything is left out.
        """
        to_do = [step for step in shown if not step.completed]
        if not to_do or not (hidden or self.unlisted):
            return shown, ()
        return to_do, [step for step in shown if step.completed]

    def _to_do(self, steps: Sequence[Step]) -> tuple[list[Step], int]:
        """The steps that are open, and how many more there are."""
        to_do = [step for step in steps if not step.completed]
        return to_do, max(self.unlisted - self.unlisted_done, 0)

    def listed(self, ctx: RenderContext) -> Sequence[Step]:
        steps = self._in_order(ctx)
        start, end = _window(steps, ctx.limit)
        shown, ctx = steps[start:end], self.with_texts(ctx)
        named, _ = self._in_line(shown, [*steps[:start], *steps[end:]])
        return named if self.says_in_line(self._rows(named, ctx), ctx) else shown

    def _in_order(self, ctx: RenderContext) -> Sequence[Step]:
        return sorted(self.given(ctx), key=attrgetter("order"))

    def _rows(self, shown: Sequence[Step], ctx: RenderContext) -> tuple[Any, ...]:
        rows = self.rows(shown, ctx, [form.template(ctx) for form in self.forms])
        return tuple(self.decorated(rows, shown, ctx))

    def _in_one_line(
        self, steps: Sequence[Step], shown: Sequence[Step], ctx: RenderContext
    ) -> Child:
        """The next step, and how many more are open."""
        to_do, unlisted = self._to_do(steps)
        if not to_do and not unlisted:
            return Paragraph()[counted(ctx, "steps", len(steps) + self.unlisted, "steps.done")]
        if not shown or not to_do:
            return Brief()[omitted(ctx, "steps", to_do, unlisted, brief=True)]
        next_step, *others = to_do
        count = len(others) + unlisted
        text = format_text(ctx, "line.more", count=count)
        rest = omitted(ctx, "steps", others, unlisted, brief=True, text=text)
        form = _NEXT_UNCONFIRMED if self.unconfirmed else _NEXT
        row = (form.template(ctx), line(next_step.description, ctx.width))
        template, *texts = (
            row if self._is_marked(next_step) else decorated(row, next_step, ctx, show_id=False)
        )
        return Paragraph()[template.fill(*texts), " " if rest else None, rest]

    def _is_marked(self, step: Step) -> bool:
        """True if its one mark in a line is that it is unconfirmed, in place of the host's."""
        return self.unconfirmed and step.origin is None and unexpected_source(step) == "host"

    # --- Reading ---

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        steps = self._in_order(ctx)
        if not steps and not self.unlisted:
            return None
        start, end = _window(steps, ctx.limit)
        shown = steps[start:end]
        total = len(steps) + self.unlisted
        if self.is_counted(ctx):
            return self._shown_in_one_line(steps, (), ctx, is_folded=True)
        if ctx.density is Density.MINIMAL and len(shown) <= 1:
            return self._shown_in_one_line(steps, shown, ctx)
        if not shown:
            return self._of_plan([], Omission(total))
        left_out = Omission(
            total - len(shown),
            self.unlisted_done + sum(step.completed for step in (*steps[:start], *steps[end:])),
        )
        first = self.first + start
        named, done = self._in_line(shown, [*steps[:start], *steps[end:]])
        if self.says_in_line(self._rows(named, ctx), ctx):
            total, over = left_out
            shown, left_out, first = named, Omission(total + len(done), over + len(done)), 1
        return self._of_plan(self._said_of(shown, ctx), left_out, first=first)

    def _shown_in_one_line(
        self,
        steps: Sequence[Step],
        shown: Sequence[Step],
        ctx: RenderContext,
        *,
        is_folded: bool = False,
    ) -> Self | None:
        to_do, unlisted = self._to_do(steps)
        total = len(steps) + self.unlisted
        still_open = len(to_do) + unlisted
        if not still_open:
            return self._of_plan([], Omission(total, total))
        if not shown or not to_do:
            counted = self._of_plan([], Omission(still_open))
            return counted.standing_as("folded") if counted and is_folded else counted
        first = to_do[0]
        around = {} if self._is_marked(first) else self.said_around(first, show_ids=False)
        said = {"description": line(first.description, ctx.width), **around}
        if self.unconfirmed:
            said["unconfirmed"] = True
        return self._of_plan([said], Omission(still_open - 1))

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        ctx = cls.with_texts(ctx)
        section, taken = cls._parse_line(blocks[0], ctx), 1
        if section is None and (read := cls.read_line(blocks[0], ctx)) is not None:
            section = cls._of_plan(*read)
        if section is None and is_titled(blocks, format_text(ctx, "steps.title"), ctx):
            section, taken = cls._parse_list(blocks, ctx)
        return None if section is None else (section, taken)

    @classmethod
    def _parse_line(cls, block: Any, ctx: RenderContext) -> Self | None:
        mark = read_mark(only_child(block), "steps", ctx, "count", brief=True)
        if mark is not None:
            return cls._of_plan([], mark)
        mark = read_mark(only_child(block), "steps", ctx, "count")
        if mark is not None:
            folded = cls._of_plan([], mark)
            return folded and folded.standing_as("folded")
        numbers = parse_count(ctx, "steps", text_of(block) or "", "steps.done")
        if numbers is not None:
            return cls._of_plan([], Omission(numbers["count"], numbers["count"]))
        nodes = line_of(block)
        rest = read_mark(nodes[-1], "steps", ctx, "line.more", brief=True) if nodes else None
        said = read_item(cls.lone_forms, ctx, nodes if rest is None else without_mark(nodes))
        return None if said is None else cls._of_plan([said], rest or Omission())

    @classmethod
    def _parse_list(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self | None, int]:
        listed = blocks[1]
        if type(listed) is not mdast.List or not listed.ordered:
            return None, 0
        said: list[Mapping[str, Any]] = []
        for item in listed.children:
            values = read_item(cls.forms, ctx, only_line(item) or ())
            if values is None:
                return None, 0
            said.append(values)
        mark = None
        if len(blocks) > 2:
            mark = read_said_of(only_child(blocks[2]), "steps", ctx, "more")
        first = 1 if listed.start is None else listed.start
        return cls._of_plan(said, mark or Omission(), first=first), 2 if mark is None else 3

    @classmethod
    def _of_plan(
        cls, said: Sequence[Mapping[str, Any]], omission: Omission, first: int = 1
    ) -> Self | None:
        unconfirmed = any("unconfirmed" in values for values in said)
        try:
            steps = tuple(
                Step(**_without_mark(values), order=place) for place, values in enumerate(said)
            )
        except ValidationError:
            return None
        usual = cls.disclosure.at(Density.FULL).limit
        limit = len(steps) if usual is not None and len(steps) > usual else None
        return cls(
            steps=steps,
            first=first,
            unlisted=omission.total,
            unlisted_done=omission.done,
            limit=limit,
            show_ids=shows_ids(said),
            unconfirmed=unconfirmed,
        )


def _without_mark(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != "unconfirmed"}


@lru_cache(maxsize=64)
def _finished(usual: Disclosure) -> Disclosure:
    ladder = tuple(replace(rung, worth=DONE_OR_OLD) for rung in usual.ladder)
    return replace(usual, ladder=ladder, floor=None)


@lru_cache(maxsize=64)
def _old(usual: Disclosure) -> Disclosure:
    ladder = tuple(
        rung
        if rung.density is Density.MINIMAL
        else replace(rung, worth=max(rung.worth, PLAN_IN_FULL, key=lambda worth: worth.rank))
        for rung in usual.ladder
    )
    return replace(usual, ladder=ladder)


@lru_cache(maxsize=64)
def _numbered(start: int) -> List:
    return List(ordered=True, start=start)


def _window(steps: Sequence[Step], limit: int | None) -> tuple[int, int]:
    """Which run of the plan to show: from the first open step on, or up to the end of the plan.

    A larger limit shows everything that a smaller one does. A small one shows steps before the first
    that is open only where none is.
    """
    first_open = next((n for n, step in enumerate(steps) if not step.completed), None)
    if limit is not None and limit <= OPEN_ONLY and first_open is not None:
        return first_open, min(first_open + limit, len(steps))
    if limit is None or len(steps) <= limit:
        return 0, len(steps)
    start = min(len(steps) if first_open is None else first_open, len(steps) - limit)
    return start, start + limit
