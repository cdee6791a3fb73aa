"""Sections about the session itself: its line, hints at certain moments, and a warning about a stale state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, get_args

from msgspec.structs import replace
from pydantic import Field

from hud_components._models import ContextUsage, HudModel, Line, Milliseconds, SessionInfo
from hud_components.declaring._checks import verbs_of
from hud_components.declaring._form import Form, read_item
from hud_components.declaring._section import HudSection, bound
from hud_components.declaring._state import State, Worth
from hud_components.folding import Add, Verb
from hud_components.words._texts import (
    MINUTE,
    OPERATION,
    age,
    apart,
    call_in,
    counted,
    format_text,
    line,
    line_of,
    parse_count,
    parse_text,
    separated,
    text_before_call,
    text_in,
    told_age,
    with_call,
    without_space,
)
from ujsx import Child, Children, Density, Disclosure, Examples, RenderContext, Rung, mdast
from ujsx.components._context import Now
from ujsx.elements import Paragraph, strong
from ujsx.text import escaped


class SessionDraft(HudModel):
    """What is said of a session."""

    title: Line | None = None
    """What the session is called."""

    project: Line | None = None
    """The project it works on."""

    compactions: Annotated[int, Field(ge=0)] = 0
    """How often its history was compacted."""


_TITLE = Form("session.name", ("title",), source="*{title}*")
_PROJECT = Form("session.project", ("project",), source="project *{project}*")


ASIDE = Disclosure(
    ladder=tuple(Rung(density, worth=Worth.ABOUT) for density in Density), weight=0.5, layer="turn"
)
"""The ladder of notices about the session, which rank below all else."""


class SessionLine(HudSection):
    """The session's title, project and age, and how many of its compactions can be read back.

    >>> from ujsx import render
    >>> session = SessionInfo(id="s", title="Sign-in", started_at=60_000, compactions=3)
    >>> print(render(SessionLine(session=session, now=43 * 60_000)), end="")
    **Session:** *Sign-in* · began 40 min ago · 3 checkpoints available
    """

    texts = {  # noqa: RUF012 - a declaration
        "session.line": "Session:",
        "session.age": "began {age} ago",
        "session.checkpoints": "{count} {noun} available",
        "checkpoints.noun": "checkpoint|checkpoints",
    }
    other_forms = (_TITLE, _PROJECT)
    opening = ("session.line",)
    disclosure: ClassVar[Disclosure] = ASIDE

    prop = "session"
    value = SessionInfo
    draft = SessionDraft

    examples: ClassVar[Examples] = lambda: {
        "three hours old": SessionLine(
            session=SessionInfo(
                id="s-1",
                title="Sign-in",
                project="shop",
                started_at=1_760_000_000_000,
                compactions=2,
            ),
            now=1_760_010_800_000,
        ),
    }

    session: SessionInfo | None = None
    """The session; the one of the bound state when None."""

    now: Milliseconds | None = None
    """What time it is; the context's ``Now`` when None. Without either there is no age."""

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        return None if state.session is None else cls(session=state.session, now=now)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        ctx = self.with_texts(ctx)
        parts = self._parts(ctx)
        if not parts:
            return None
        line_ = separated(parts, ctx)
        return Paragraph()[strong(format_text(ctx, "session.line")), " ", line_]

    @classmethod
    def of_tool(cls, said: Any) -> Self:
        return cls(session=SessionInfo(id="", **said.session.model_dump()))

    def _parts(self, ctx: RenderContext) -> list[Child]:
        session = bound(ctx).session if self.session is None else self.session
        if session is None or ctx.density is Density.MINIMAL:
            return []
        is_full = ctx.density is Density.FULL
        now = ctx.get(Now) if self.now is None else self.now
        parts: list[Child] = []
        if title := line(session.title or "", ctx.width):
            parts.append(_TITLE.template(ctx).fill(title))
        if is_full and (project := line(session.project or "")):
            parts.append(_PROJECT.template(ctx).fill(project))
        if is_full and now is not None and now >= session.started_at > 0:
            parts.append(format_text(ctx, "session.age", age=age(ctx, now - session.started_at)))
        if session.compactions:
            parts.append(counted(ctx, "checkpoints", session.compactions, "session.checkpoints"))
        return parts

    # --- Reading ---

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        ctx = cls.with_texts(ctx)
        nodes: Sequence[Any] = line_of(blocks[0])
        label, *line_ = nodes or (None,)
        is_labelled = label == mdast.Strong(
            (mdast.Text(escaped(format_text(ctx, "session.line"))),)
        )
        if is_labelled and line_:
            nodes = without_space(line_)
        told: dict[str, Any] = {"id": ""}
        words: str | None = None
        for part in apart(nodes, ctx):
            read = read_item([_TITLE], ctx, part) or read_item([_PROJECT], ctx, part)
            text = text_in(part)
            if read is not None:
                told.update(read)
            elif (dated := parse_text(ctx, "session.age", text)) is not None:
                words = dated.get("age")
            elif (
                numbers := parse_count(ctx, "checkpoints", text, "session.checkpoints")
            ) is not None:
                told["compactions"] = numbers.get("count", 0)
            else:
                return None
        if not is_labelled:
            return None
        section = cls._of(told, words, ctx) if len(told) > 1 or words else None
        return None if section is None else (section, 1)

    @classmethod
    def _of(cls, told: Mapping[str, Any], words: str | None, ctx: RenderContext) -> Self | None:
        milliseconds = None if words is None else told_age(ctx, words)
        if milliseconds is None:
            return None if words is not None else cls(session=SessionInfo.model_validate(told))
        session = SessionInfo.model_validate({**told, "started_at": 1})
        return cls(session=session, now=1 + milliseconds)


# Hints that appear at certain moments of a session.

Hint: TypeAlias = Literal["new", "compacted", "more"]
"""The hints: for a session without any record, one just compacted, and one with more to show."""


class Hints(HudSection):
    """Where to go on: a new session, one that was just compacted, a HUD that shows counts alone.

    Each is one line with the call that it is about.

    >>> from ujsx import render
    >>> print(render(Hints(hints=("new",))), end="")
    A new session begins with nothing recorded: `hud help`
    """

    texts = {  # noqa: RUF012 - a declaration
        "hint.new": "A new session begins with nothing recorded",
        "hint.new.handle": "hud help",
        "hint.compacted": "The history was compacted; what is recorded survives the next time too",
        "hint.compacted.handle": "hud notes.add",
        "hint.more": "Full state",
        "hint.more.handle": "hud snapshot",
    }
    disclosure: ClassVar[Disclosure] = ASIDE

    told_in_changes = "never"

    examples: ClassVar[Examples] = lambda: {
        "new session": Hints(hints=("new",)),
        "after a compaction": Hints(hints=("compacted", "more")),
    }

    hints: tuple[Hint, ...] | None = None
    """The hints; those that the bound state gives rise to when None."""

    keep: Line | None = None
    """The operation that keeps something new; that of the bound state's domain when None."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        hints, ctx = self._shown(ctx), self._worded(ctx)
        return [
            Paragraph()[with_call(ctx, format_text(ctx, f"hint.{hint}"), f"hint.{hint}")]
            for hint in hints
        ]

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        # The state's own reading is among its readings, whose number tells whether there is a trend.
        hints = hints_for(state, None if usage is state.usage else usage)
        if not hints:
            return None
        keep = _keeping(state.sections)
        told: dict[str, Any] = {} if keep is None else {"keep": keep}
        return cls.model_construct(hints=hints, **told)

    def _worded(self, ctx: RenderContext) -> RenderContext:
        """Return a context with its texts, and the domain's call for recording something."""
        state = ctx.get(State)
        keep = _keeping(state.sections) if self.keep is None and state is not None else self.keep
        return _calling(self.with_texts(ctx), _KEEP, keep)

    def _shown(self, ctx: RenderContext) -> tuple[Hint, ...]:
        hints = hints_for(bound(ctx)) if self.hints is None else self.hints
        if ctx.density is Density.MINIMAL:
            return ()
        shown: list[Hint] = [
            hint for hint in hints if hint != "more" or ctx.density is Density.COMPACT
        ]
        return tuple(shown)

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        ctx = cls.with_texts(ctx)
        hints: list[Hint] = []
        keep: str | None = None
        for block in blocks:
            hint, call = _read(block, ctx)
            if hint is None:
                break
            hints.append(hint)
            if hint == "compacted" and call != ctx.texts[_KEEP]:
                keep = call.removeprefix("hud ")
        return (cls(hints=tuple(hints), keep=keep), len(hints)) if hints else None


_KEEP = "hint.compacted.handle"
"""The name of the call that records something."""


def _keeping(sections: tuple[type[HudSection], ...]) -> str | None:
    """Return the operation that records something new, for a domain without the usual one."""
    return _instead(Hints.texts[_KEEP], sections, Add)


@lru_cache(maxsize=64)
def _instead(usual: str, sections: tuple[type[HudSection], ...], kind: type[Verb]) -> str | None:
    """Return the first operation by a kind of verb, for a domain without the usual one."""
    operations = [
        f"{section.name}.{verb.name}"
        for section in sections
        if section.value is not None and section.has_operations
        for verb in verbs_of(section)
        if isinstance(verb, kind) and verb.is_operation
    ]
    if not sections or usual.removeprefix("hud ") in operations:
        return None
    updates = [each for each in operations if each.endswith(".update")]
    return next(iter((*updates, *operations)), "help")


def _calling(ctx: RenderContext, name: str, operation: str | None) -> RenderContext:
    """Return a context with an operation as the call of that name."""
    call = {} if operation is None else {name: f"hud {operation}"}
    return replace(ctx, texts={**ctx.texts, **call}) if call else ctx


def _read(block: Any, ctx: RenderContext) -> tuple[Hint | None, str]:
    """Return the hint in a paragraph, and its call."""
    call = call_in(block)
    if OPERATION.fullmatch(call):
        ctx = _calling(ctx, _KEEP, call.removeprefix("hud "))
    for hint in get_args(Hint):
        kind = f"hint.{hint}"
        if call and text_before_call(block, kind, ctx) == format_text(ctx, kind):
            return hint, call
    return None, ""


def hints_for(state: State, usage: ContextUsage | None = None) -> tuple[Hint, ...]:
    """Return the hints for a state.

    A session is new while nothing was recorded in it, unreadable data included. It counts as just compacted while the
    readings, which a compaction clears, are too few for a trend.

    :param usage: a reading that is not in the state; one with a trend is past the compaction.

    >>> from hud_components import HudState, Note, SessionInfo
    >>> hints_for(HudState(session=SessionInfo(id="s")))
    ('new',)
    >>> hints_for(HudState(session=SessionInfo(id="s"), notes=(Note(content="Port 8080"),)))
    ('more',)
    """
    hints: list[Hint] = []
    session = state.session
    own = [section for section in state.sections if section.field]
    has_more = any(getattr(state, each.field) for each in own if each.is_cut)
    if session is not None:
        has_trend = len(state.readings) >= _FOR_A_TREND or (usage is not None and usage.trend)
        if session.compactions:
            if not has_trend:
                hints.append("compacted")
        elif not (
            state.updated_at or state.unreadable or any(getattr(state, each.field) for each in own)
        ):
            hints.append("new")
    if has_more:
        hints.append("more")
    return tuple(hints)


_FOR_A_TREND = 2


# A warning about a state that was not updated for a while.

USUAL = 30
"""The age in minutes from which an unchanged state counts as stale."""


class StaleNotice(HudSection):
    """That the state was last updated a while ago: a stale state misleads. Else nothing.

    It says so when it knows what time it is and when the state was last updated.

    >>> from ujsx import render
    >>> print(render(StaleNotice(updated_at=1, now=43 * 60_000)), end="")
    The HUD was last updated 40 min ago and may be stale: `hud task.update`
    """

    texts = {  # noqa: RUF012 - a declaration
        "stale": "The HUD was last updated {age} ago and may be stale",
        "stale.handle": "hud task.update",
    }
    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL, worth=Worth.STALE), Rung(Density.COMPACT, worth=Worth.STALE)),
        layer="turn",
    )

    examples: ClassVar[Examples] = lambda: {
        "43 minutes old": StaleNotice(updated_at=1_760_000_000_000, now=1_760_002_580_000),
    }

    updated_at: Milliseconds | None = None
    """When the state was last changed; as the bound state says when None."""

    now: Milliseconds | None = None
    """What time it is; the context's ``Now`` when None."""

    after: Annotated[int, Field(ge=1)] = USUAL
    """From how many minutes on it says so."""

    refresh: Line | None = None
    """The operation that refreshes the state; that of the bound state's domain when None."""

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        if now is None or not state.updated_at:
            return None
        return cls(updated_at=state.updated_at, now=now, refresh=_refreshing(state.sections))

    def render(self, ctx: RenderContext, children: Children) -> Child:
        words = self._words(ctx)
        if words is None:
            return None
        ctx = self._worded(ctx)
        return Paragraph()[with_call(ctx, format_text(ctx, "stale", age=words), "stale")]

    def _words(self, ctx: RenderContext) -> str | None:
        """Return the age of the state, if it is old enough to be shown."""
        updated_at = bound(ctx).updated_at if self.updated_at is None else self.updated_at
        now = ctx.get(Now) if self.now is None else self.now
        if now is None or not updated_at or now - updated_at < self.after * MINUTE:
            return None
        return None if ctx.density is Density.MINIMAL else age(ctx, now - updated_at)

    def _worded(self, ctx: RenderContext) -> RenderContext:
        """Return a context with its texts, and the domain's call for refreshing its state."""
        call = _refreshing(bound(ctx).sections) if self.refresh is None else self.refresh
        return _calling(self.with_texts(ctx), _CALL, call)

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        ctx, call = cls.with_texts(ctx), call_in(blocks[0])
        operation = call.removeprefix("hud ")
        if not OPERATION.fullmatch(call):
            return None
        said = text_before_call(blocks[0], "stale", _calling(ctx, _CALL, operation))
        told = parse_text(ctx, "stale", said) if said is not None else None
        if told is None:
            return None
        refresh = None if call == ctx.texts[_CALL] else operation
        section = cls._of(told.get("age", ""), ctx, refresh)
        return None if section is None else (section, 1)

    @classmethod
    def _of(cls, words: str, ctx: RenderContext, call: str | None) -> Self | None:
        told = told_age(ctx, words)
        if told is None:
            return None
        after = min(USUAL, told // MINUTE)
        return cls(updated_at=1, now=told + 1, after=after, refresh=call)


_CALL = "stale.handle"
"""The name of the call that refreshes."""


def _refreshing(sections: tuple[type[HudSection], ...]) -> str | None:
    """Return the operation that refreshes a state, for a domain without the usual one: its first update, or else its
    first operation.
    """
    return _instead(StaleNotice.texts[_CALL], sections, Verb)
