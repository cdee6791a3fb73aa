"""The session line: the session's title and its checkpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field

from hud_components._models import ContextUsage, HudModel, Line, Milliseconds, SessionInfo
from hud_components.declaring._form import Form, read_item
from hud_components.declaring._section import HudSection, bound
from hud_components.declaring._state import ABOUT, State
from hud_components.words._cut import (
    age,
    apart,
    line,
    line_of,
    separated,
    text_in,
    told_age,
    without_space,
)
from hud_components.words._texts import counted, format_text, parse_count, parse_text
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


class SessionLine(HudSection):
    """The session's title, project and age, and how many of its compactions can be read back.

    >>> from ujsx import render
    >>> session = SessionInfo(id="s", title="Sign-in", started_at=60_000, compactions=3)
    >>> print(render(SessionLine(session=session, now=43 * 60_000)), end="")
    **Session:** *Sign-in* · began 40 min ago · 3 checkpoints available
    """

    texts = MappingProxyType(
        {
            "session.line": "Session:",
            "session.age": "began {age} ago",
            "session.checkpoints": "{count} {noun} available",
            "checkpoints.noun": "checkpoint|checkpoints",
        }
    )
    other_forms = (_TITLE, _PROJECT)
    opening = ("session.line",)
    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, worth=ABOUT),
            Rung(Density.COMPACT, worth=ABOUT),
            Rung(Density.FULL, worth=ABOUT),
        ),
        weight=0.5,
        layer="turn",
    )

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
        session, milliseconds = self._told(ctx)
        parts: list[Child] = []
        if session.title:
            parts.append(_TITLE.template(ctx).fill(session.title))
        if session.project:
            parts.append(_PROJECT.template(ctx).fill(session.project))
        if milliseconds is not None:
            parts.append(format_text(ctx, "session.age", age=age(ctx, milliseconds)))
        if session.compactions:
            parts.append(counted(ctx, "checkpoints", session.compactions, "session.checkpoints"))
        return parts

    def _told(self, ctx: RenderContext) -> tuple[SessionInfo, int | None]:
        """The session as it is told at that density, and its age in milliseconds."""
        session = bound(ctx).session if self.session is None else self.session
        if session is None or ctx.density is Density.MINIMAL:
            return _NONE, None
        is_full = ctx.density is Density.FULL
        now = ctx.get(Now) if self.now is None else self.now
        is_dated = is_full and now is not None and now >= session.started_at > 0
        told = SessionInfo(
            id="",
            title=line(session.title or "", ctx.width) or None,
            project=(line(session.project or "") or None) if is_full else None,
            compactions=session.compactions,
        )
        return told, now - session.started_at if is_dated and now is not None else None

    # --- Reading ---

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        session, milliseconds = self._told(ctx)
        if session == _NONE and milliseconds is None:
            return None
        words = None if milliseconds is None else age(ctx, milliseconds)
        return self._of(session.model_dump(), words, ctx)

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


_NONE = SessionInfo(id="")
