"""Which session this is."""

from __future__ import annotations

from typing import ClassVar

from hud_components._age import Now, age
from hud_components._cut import line
from hud_components._models import Milliseconds, SessionInfo
from hud_components._section import HudSection, bound
from hud_components._texts import counted, say
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung
from ujsx.elements import Paragraph, strong


class SessionLine(HudSection):
    """The session's title, project and age, and how many of its compactions can be read back.

    >>> from ujsx import render
    >>> session = SessionInfo(id="s", title="Sign-in", started_at=60_000, compactions=3)
    >>> print(render(SessionLine(session=session, now=43 * 60_000)), end="")
    **Session:** Sign-in · began 40 min ago · 3 checkpoints available
    """

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.COMPACT), Rung(Density.FULL)),
        weight=0.5,
        layer="turn",
    )

    session: SessionInfo | None = None
    """The session; the one of the bound state when None."""

    now: Milliseconds | None = None
    """What time it is; the context's ``Now`` when None. Without either there is no age."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        session = bound(ctx).session if self.session is None else self.session
        if session is None:
            return None
        now = ctx.get(Now) if self.now is None else self.now
        parts = _parts(session, now, ctx)
        if not parts:
            return None
        text = say(ctx, "status.separator").join(parts)
        if ctx.density is Density.MINIMAL:
            return Paragraph()[text]
        return Paragraph()[strong(say(ctx, "session.line")), " ", text]


def _parts(session: SessionInfo, now: int | None, ctx: RenderContext) -> list[str]:
    parts: list[str] = []
    if session.title and ctx.density is not Density.MINIMAL:
        parts.append(line(session.title, ctx.density))
    if session.project and ctx.density is Density.FULL:
        parts.append(say(ctx, "session.project", project=line(session.project)))
    if now is not None and now >= session.started_at > 0 and ctx.density is Density.FULL:
        parts.append(say(ctx, "session.age", age=age(ctx, now - session.started_at)))
    if session.compactions:
        parts.append(counted(ctx, "checkpoints", session.compactions, "session.checkpoints"))
    return parts
