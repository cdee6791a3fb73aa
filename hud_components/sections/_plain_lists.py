"""The plain lists: facts, notes, decisions, blockers, errors and the standing rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeAlias

from hud_components._models import Actor, HudModel, Kept, Line, Milliseconds, PlainItem, Text
from hud_components.declaring._form import Form, decorated, read_item, said_by
from hud_components.declaring._items_section import ItemsSection, Split
from hud_components.declaring._lists import ListShape, ReadList
from hud_components.declaring._section import UNSET, ItemsProp
from hud_components.declaring._state import ALL_IN_SHORT, NEWEST_IF_ROOM, Width, Worth
from hud_components.folding import (
    Add,
    Index,
    Kind,
    Moment,
    Payload,
    Remove,
    Verb,
    report,
    said_now,
    same_if_equal,
    timestamp,
    usual,
    with_index,
    with_values,
)
from hud_components.folding._verb import VerbSection, kind_of
from hud_components.sections import CodingValue, ReportedValue
from hud_components.words._quoted import RequestWords
from hud_components.words._texts import (
    are_lines,
    clause,
    in_paragraphs,
    line,
    lines,
    may_be_cut,
    same_words,
    text_of,
)
from ujsx import Child, Density, Disclosure, Examples, RenderContext, Rung, Template, mdast
from ujsx.elements import Item, Paragraph, code, strong

COMMIT = "commit"
"""The name of the fact for the last commit."""


FOUND = "fact.set"
"""The event of a fact."""


class FactDraft(HudModel):
    """Something that is so, by its name."""

    name: Line
    """What it is: "branch", "pull request", "commit"."""

    value: Line
    """What is so: "main"."""


class FactSet(Payload):
    """Something is so from now on."""

    name: Line
    """What it is: "branch", "pull request", "commit"."""

    value: Text
    """What is so; empty where it no longer is."""


class Fact(ReportedValue, FactDraft):
    """Something that is so."""


Facts: TypeAlias = tuple[Fact, ...]

_FACTS = Kind("value", key="name")


def found(facts: Facts, said: FactSet, moment: Moment) -> Facts:
    """Something is so, in the place of what was; or it no longer is."""
    index, value = _FACTS.index(facts), said.value.strip()
    if value:
        report(_FACTS, index, Fact, said.name, moment, value=value)
    for number in () if value else index.with_key(said.name):
        index.remove(number)
    return with_index(index, facts)


class FactsList(ItemsSection[Fact]):
    """What hosts and transcripts tell of where the work stands."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0, worth=Worth.WHERE_IT_STANDS),
            *NEWEST_IF_ROOM,
            Rung(Density.COMPACT, 5, worth=Worth.WHERE_IT_STANDS),
            *ALL_IN_SHORT,
            Rung(Density.FULL, 10, worth=Worth.IN_WORK_IN_FULL),
            Rung(Density.FULL, worth=Worth.DONE_OR_OLD),
        )
    )
    name = "facts"
    event = "fact"
    noun = "fact|facts"
    draft = FactDraft
    key = "name"
    text = "value"
    host_reported = True
    has_operations = False
    _is_shown_empty = False
    read_only_reason = "facts are what hosts and transcripts tell"
    lines = {"full": "{name}: `{value}`"}  # noqa: RUF012 - a declaration
    verbs = (Verb("set", found, doc="Something is so.", told="{name}: {value}", payload=FactSet),)

    examples: ClassVar[Examples] = lambda: {
        "branch and commit": FactsList(
            facts=(
                {"name": "branch", "value": "sign-in"},
                {"name": "commit", "value": "3f1c2ab Rotate refresh tokens"},
            )
        ),
    }

    facts: ItemsProp[Fact] = UNSET
    """The facts; those of the session when None."""

    def _text_of(self, item: Fact, ctx: RenderContext) -> str:
        name = line(item.name, ctx.width)
        return "" if _IS in name else f"{name}{_IS}{line(item.value, ctx.width)}"

    @classmethod
    def _of_text(cls, text: str) -> Mapping[str, Any]:
        name, _, value = text.partition(_IS)
        return {"name": name, "value": value}


_IS = ": "
"""The separator between a fact's name and value in short form."""


class NoteDraft(HudModel):
    """Something worth keeping in mind."""

    content: Line
    """The note; it may have several lines."""


class Note(PlainItem, CodingValue, NoteDraft):
    """A kept note."""

    updated_at: Milliseconds = 0
    """When it was added or last changed."""


_UPDATED = {"updated_at": timestamp}


class NotesSection(ItemsSection[Note]):
    """The agent's notes, oldest first; a note of several lines keeps them where all is shown."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0, worth=Worth.COUNTED),
            *NEWEST_IF_ROOM,
            Rung(Density.COMPACT, 1, worth=Worth.NEWEST),
            Rung(Density.COMPACT, 3, worth=Worth.NEWEST_FEW),
            *ALL_IN_SHORT,
            Rung(Density.FULL, 12, width=Width.LONG, worth=Worth.NEWEST_IN_FULL),
            Rung(Density.FULL, 12, worth=Worth.DONE_OR_OLD),
            Rung(Density.FULL, 20, worth=Worth.DONE_OR_OLD),
            *(
                Rung(Density.FULL, limit, only_if_room=True, worth=Worth.DONE_OR_OLD)
                for limit in (24, 32, 40, 64)
            ),
            Rung(Density.FULL, worth=Worth.DONE_OR_OLD),
        )
    )
    name = prop = field = "notes"
    event = "note"
    aliases = ("memory", "memo", "remember")
    draft = NoteDraft
    from_project = True
    accepts_child_results = True
    has_paragraphs = True
    title = "Notes"
    noun = "note|notes"
    forms = (Form("notes.item", ("content",), source="{content}"),)
    verbs = (
        usual(
            "add",
            help="what to keep in mind",
            doc="The agent keeps something in mind.",
            sets=_UPDATED,
        ),
        usual("update", help="a note's text", doc="A note reads anew.", rare=False, sets=_UPDATED),
        usual("remove", help="a note", doc="A note is no longer needed."),
    )

    examples: ClassVar[Examples] = lambda: {
        "four": NotesSection(
            notes=(
                "The schema has users and sessions",
                "JWT_SECRET and DB_URL come from the environment",
                "Tokens expire after 15 minutes\n\nRefresh tokens after 30 days",
                "The staging cluster runs PostgreSQL 16",
            )
        ),
    }

    notes: ItemsProp[Note] = UNSET
    """The notes; those of the session when None."""

    def rows(
        self, items: Sequence[Note], ctx: RenderContext, templates: Sequence[Template]
    ) -> Sequence[Any]:
        (template,) = templates
        contents = [note.content for note in items]
        told: Iterable[str] = contents
        if ctx.density is not Density.FULL:
            told = lines(contents, ctx.width)
        elif not are_lines(contents) or may_be_cut(contents, ctx.width):
            told = [
                (in_paragraphs if "\n" in content else line)(content, ctx.width)
                for content in contents
            ]
        return [(template, text) for text in told]

    def as_items(self, rows: Sequence[Any]) -> Iterable[Any]:
        return [_item(row) if "\n" in row[1] else row for row in rows]

    @classmethod
    def read(cls, item: mdast.ListItem, ctx: RenderContext) -> Mapping[str, Any] | None:
        head, *rest = item.children or (None,)
        values = read_item(cls.forms, ctx, getattr(head, "children", ()))
        parts = [text_of(part) for part in rest]
        if values is None or None in parts or item.checked is not None:
            return None
        return {**values, "content": _BETWEEN.join([values["content"], *map(str, parts)])}


_BETWEEN = "\n\n"


def _item(row: tuple[Any, ...]) -> Child:
    """Return a note of several lines, with each part as a paragraph."""
    template, content, *others = row
    first, *rest = content.split(_BETWEEN)
    return Item()[Paragraph()[template.fill(first, *others)], [Paragraph()[part] for part in rest]]


class DecisionDraft(HudModel):
    """A choice that later work relies on."""

    summary: Line
    """The decision in one line."""

    details: Text = ""
    """Why, and what was weighed."""

    label: Line | None = None
    """A word or two that stand for the decision where space is short."""


class Decision(PlainItem, CodingValue, DecisionDraft):
    """A recorded decision."""

    recorded_at: Milliseconds = 0
    """When it was recorded."""


class DecisionsList(ItemsSection[Decision]):
    """The decisions that later work relies on, oldest first."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0),
            *NEWEST_IF_ROOM,
            Rung(Density.COMPACT, 1, worth=Worth.NEWEST),
            Rung(Density.COMPACT, 3, worth=Worth.NEWEST_FEW),
            Rung(Density.COMPACT, 5, worth=Worth.MORE_IN_SHORT),
            *ALL_IN_SHORT,
            Rung(Density.FULL, 10, width=Width.LONG, worth=Worth.NEWEST_IN_FULL),
            Rung(Density.FULL, 10, worth=Worth.DONE_OR_OLD),
            Rung(Density.FULL, worth=Worth.DONE_OR_OLD),
        ),
        weight=3.0,
        floor=Density.MINIMAL,
    )
    name = prop = field = "decisions"
    aliases = ("key_decisions", "decide", "choice")
    event = "decision"
    draft = DecisionDraft
    from_project = from_parent = True
    title = "Decisions"
    noun = "decision|decisions"
    forms = (
        Form("decisions.item", ("summary", "details"), source="**{summary}** — {details}"),
        Form("decisions.short", ("summary",), source="{summary}"),
    )
    verbs = (
        Add(
            "record",
            help="what later work relies on",
            doc="The agent decides something.",
            answer="Recorded {id}.",
            told="{id} recorded: {text}{details}",
            sets={"recorded_at": timestamp},
        ),
        usual("update", help="a decision's text", doc="A decision reads anew."),
        usual("remove", help="an outdated decision", doc="A decision no longer holds."),
    )

    @classmethod
    def listing(cls, item: Decision, ctx: RenderContext) -> Child:
        details = [" — ", line(item.details)] if item.details else []
        return Item()[code(item.id), " ", strong(line(item.summary)), details, said_by(item, ctx)]

    examples: ClassVar[Examples] = lambda: {
        "three": DecisionsList(
            decisions=(
                {
                    "summary": "Use JWT instead of sessions",
                    "details": "Services verify tokens offline",
                    "label": "JWT",
                },
                "Hash passwords with bcrypt",
                {"summary": "Limit each client to 100 requests a minute", "label": "100/min"},
            )
        ),
    }

    decisions: ItemsProp[Decision] = UNSET
    """The decisions; those of the session when None."""

    def rows(
        self, items: Sequence[Decision], ctx: RenderContext, templates: Sequence[Template]
    ) -> Sequence[Any]:
        if ctx.density is Density.FULL:
            return super().rows(items, ctx, templates)
        labels = [each.label or each.summary for each in items]
        return [(templates[1], text) for text in lines(labels, ctx.width)]


class BlockerDraft(HudModel):
    """Something that stops the work."""

    description: Line
    """What is in the way."""


class Blocker(PlainItem, CodingValue, BlockerDraft):
    """A blocker, open until it is resolved."""

    resolved: bool = False
    """Whether it is out of the way."""


_LINE = Form("blockers.line", ("description",), source="**⚠ Blocked:** {description}")


class BlockersList(ItemsSection[Blocker]):
    """The open blockers, all of them at every density; a single one takes one line at minimal."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL),
            Rung(Density.MINIMAL, only_if_room=True, width=Width.MOST, worth=Worth.DONE_OR_OLD),
            Rung(Density.COMPACT, worth=Worth.OBSTACLES),
            Rung(Density.COMPACT, only_if_room=True, width=Width.MOST, worth=Worth.DONE_OR_OLD),
            Rung(Density.FULL, width=Width.LONG, worth=Worth.OBSTACLES_IN_FULL),
            Rung(Density.FULL, worth=Worth.DONE_OR_OLD),
        ),
        weight=4.0,
        floor=Density.MINIMAL,
    )
    name = prop = field = "blockers"
    event = "blocker"
    draft = BlockerDraft
    from_parent = True
    done = "resolved"
    shows_done = False
    alerts = True
    stays_shown = True
    is_cut = False
    title = "⚠ Blockers"
    noun = "blocker|blockers"
    texts_without_signs = MappingProxyType(
        {"blockers.title": "Blockers", "blockers.line": "**Blocked:** {description}"}
    )
    forms = (Form("blockers.item", ("description",), source="{description}"),)
    lone_forms = (_LINE,)
    opening = ("blockers.line",)
    _most_named = 0
    verbs = (
        usual(
            "add",
            help="what stops you",
            doc="Something stops the work.",
            told="{id} in the way: {text}",
        ),
        usual(
            "resolve",
            help="a blocker",
            doc="A blocker is out of the way; it stays in the state as resolved.",
        ),
        usual("update", help="a blocker's text", doc="A blocker reads anew."),
        usual("remove", help="a mistaken blocker", doc="A blocker was none.", rare=True),
    )

    examples: ClassVar[Examples] = lambda: {
        "one open": BlockersList(
            blockers=(
                "The staging cluster has no key pair yet",
                {"description": "CI is down", "resolved": True},
            )
        ),
    }

    blockers: ItemsProp[Blocker] = UNSET
    """The blockers; those of the session when None."""

    def split(self, items: Sequence[Blocker], limit: int | None) -> Split:
        """Return all of the blockers."""
        return items, (), 0

    def shape(self, ctx: RenderContext) -> ListShape:
        """Return the shape of the list: at minimal, one line for a single blocker."""
        shape = super().shape(ctx)
        if ctx.density is not Density.MINIMAL or shape.left.total or len(shape.shown) != 1:
            return shape
        [blocker] = shape.shown
        row = (_LINE.template(ctx), line(blocker.description, ctx.width))
        row = decorated(row, blocker, ctx, show_id=self.show_ids)
        return shape._replace(name="lone", rows=(row,), at=None)


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


FULL, COMPACT, MINIMAL = 240, 115, 50
"""The characters of each rule by density: at most 50, 25 and 12 tokens with its markup."""


class StandingRuleDraft(HudModel):
    """Something that holds for the whole session."""

    text: Line
    """What holds, in the words of the one who said it."""


class StandingRule(PlainItem, CodingValue, StandingRuleDraft):
    """A standing rule. It is expected to be the user's: one of the agent's own is marked."""

    expected_from: ClassVar[tuple[Actor, ...]] = ("user",)

    lift_proposed: Kept[bool] = False
    """Whether another than the user would lift it; it holds until the user does."""

    def ends_by(self, moment: Moment) -> bool:
        """Tell whether the actor of a moment may end it: the user any rule, others their own."""
        return moment.actor in ("user", self.said_by)


@dataclass(frozen=True, slots=True)
class AddRule(Add):
    """A new rule. A known one that the user says again gets the user's words, and is no longer proposed to be lifted.

    Rules that differ by case, spaces and end punctuation only are the same.
    """

    def known(self, kind: Kind, index: Index[Any], said: Any) -> Any:
        words = same_words(said.text)
        return next((rule for rule in index.items if same_words(rule.text) == words), None)

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        kind = kind_of(section)
        index = kind.index(value)
        known = self.known(kind, index, said)
        if known is not None and moment.actor == "user":
            [number, *_] = index.with_key(known.id)
            users = said_now(section.value, moment) | {"text": said.text}
            own = {} if known.said_by == "user" else users
            rule = with_values(known, lift_proposed=False, **own)
            if rule is not known:
                index.replace(number, rule)
        return Add.apply(self, section, with_index(index, value), said, moment)


@dataclass(frozen=True, slots=True)
class Lift(Remove):
    """A rule no longer holds, where its author or the user says so; from others it is a proposal."""

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        index = kind_of(section).index(value)
        for number in index.with_key(said.id):
            rule: Any = index[number]
            if rule.ends_by(moment):
                index.remove(number)
            elif not rule.lift_proposed:
                index.replace(number, with_values(rule, lift_proposed=True))
        return with_index(index, value)


def _outcome(before: Sequence[StandingRule], after: Sequence[StandingRule]) -> str:
    if len(after) < len(before):
        return "It no longer holds."
    return "It is not yours, so it stays: the HUD shows that you propose to lift it."


_PROPOSED = Form(
    "rules.proposed", ("text",), {"lift_proposed": True}, source="{text} *(agent: lifted?)*"
)


class RulesList(ItemsSection[StandingRule]):
    """What the user asked for, or ruled out, for the whole session, oldest first.

    It is shown first, at every density, and outside the tokens of the HUD: each rule in 50, 25 or 12
    tokens at most, none of them counted away.

    >>> from ujsx import render
    >>> users = StandingRule(text="Never push to main.", said_by="user")
    >>> rules = RulesList(rules=(users, StandingRule(text="Use tabs.")))
    >>> print(render(rules, density="minimal"), end="")
    **Rules:** Never push to main. · Use tabs. *set by the agent*
    """

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, width=MINIMAL),
            Rung(Density.COMPACT, width=COMPACT),
            Rung(Density.FULL, width=FULL),
        ),
        floor=Density.MINIMAL,
        layer="static",
        whole=Rung(Density.FULL),
        is_apart=True,
    )
    name = prop = field = "rules"
    aliases = ("constraint", "restriction")
    event = prefix = "rule"
    draft = StandingRuleDraft
    from_parent = True
    stays_shown = True
    is_cut = False
    _is_shown_empty = False
    read_only_reason = (
        "the user ends a rule: `ujsx record SESSION rule.lift ID`; `hud rules.lift` proposes it"
    )
    title = "Rules"
    noun = "rule|rules"
    forms = (_PROPOSED, Form("rules.item", ("text",), source="{text}"))
    _most_named = 0  # each is shown
    _short = staticmethod(clause)
    verbs = (
        AddRule(
            "add",
            help="what holds for the whole session",
            doc="Something holds for the whole session.",
            answer="Added {id}.",
            told="{id} holds: {text}",
            rare=True,
        ),
        Lift(
            "lift",
            help="a rule; for one of the user's it is a proposal",
            doc="A rule is lifted: by the user, or by the one who set it. From others it is a proposal.",
            answer="Asked to lift {id}.",
            told="{id} {lifted}{item}",
            also=_outcome,
            rare=True,
        ),
    )

    examples: ClassVar[Examples] = lambda: {
        "two": RulesList(
            rules=(
                StandingRule(text="Never push to main.", said_by="user"),
                StandingRule(text="Keep the public names as they are."),
            )
        ),
    }

    rules: ItemsProp[StandingRule] = UNSET
    """The rules; those of the session when None."""

    @classmethod
    def beyond(
        cls, value: tuple[StandingRule, ...], request: RequestWords
    ) -> tuple[StandingRule, ...]:
        """Return the rules without those of the user that the request contains verbatim."""
        return tuple(
            rule
            for rule in value
            if rule.said_by != "user"
            or rule.lift_proposed
            or request.tells_item(rule.id)
            or not request.has(rule.text)
        )

    @classmethod
    def cleared(cls, value: Any, moment: Moment) -> Any:
        stays = (rule for rule in value if not rule.ends_by(moment))
        return same_if_equal(value, tuple(with_values(rule, lift_proposed=True) for rule in stays))

    def says_in_line(self, rows: Sequence[Any], ctx: RenderContext) -> bool:
        is_short = ctx.density is Density.MINIMAL
        return super().says_in_line(rows, ctx.with_density("compact") if is_short else ctx)

    @classmethod
    def _of(cls, told: ReadList) -> Self | None:
        # Rules without a mark are the user's.
        items = [{"said_by": "user", **item} for item in told.items]
        return super()._of(told._replace(items=items))
