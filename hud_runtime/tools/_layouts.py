"""Operations on the layout of the HUD: the agent says how its own is laid out.

They are offered where a host asks for them: their schema is paid for in every request.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Annotated

from pydantic import BeforeValidator

from hud_components import (
    Hud,
    HudModel,
    HudSection,
    State,
    Text,
    added_sections,
    agent_layout_of_data,
    agent_vocabulary,
    check_ceiling,
    read_agent_layout,
)
from hud_components.words import line
from hud_runtime._errors import EventError
from hud_runtime.tools._arguments import Nothing
from hud_runtime.tools._lists import said, written
from hud_runtime.tools._record import same
from hud_runtime.tools._session import SessionLike
from ujsx import fragment, read_layout, write_layout
from ujsx.components import fields_of
from ujsx.elements import CodeBlock, Paragraph
from ujsx.errors import UjsxError
from ujsx.tools import ToolResult, opened

NOT_OFFERED: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(
        ("layout.set", "layout.show", "layout.reset"),
        "agents' layouts are not offered here; who runs you can switch them on, with "
        '`ujsx serve --agent-layouts offer` or HudStore.open(…, agent_layouts="offer")',
    )
)
"""What is said of these operations where nobody asked for them."""


def _as_text(value: object) -> object:
    """A tree that came as data, as its JSON text."""
    return json.dumps(value) if isinstance(value, dict) else value


class Layout(HudModel):
    """How the HUD is laid out."""

    layout: Annotated[Text, BeforeValidator(_as_text)]
    """All of it, as layout.show has it: <Hud>…</Hud>, or that tree as JSON."""


def set_layout(session: SessionLike, asked: Layout) -> str:
    """Record a layout that can be shown, and say how much of the HUD it takes."""
    before = session.state()
    state_class = type(before)
    try:
        session.record("layout.set", layout=document(asked.layout, state_class))
    except EventError as error:  # a model knows operations; the events behind them are ours
        raise type(error)(error.message.removeprefix("layout.set: ")) from error
    state = session.state()
    if state is before or state.layout is None:
        return same(session)
    shown = check_ceiling(read_agent_layout(state.layout, state_class), state)
    added = added_sections(read_layout(state.layout, agent_vocabulary(state_class)), state_class)
    answer = said(session, "answer.layout", tokens=f"{shown.tokens:,}")
    if not added:
        return answer
    return f"{answer} {said(session, 'answer.layout added', names=', '.join(_names(added)))}"


def show_layout(session: SessionLike, _arguments: Nothing) -> ToolResult:
    """Return the layout that the agent has set, or the default one, and what one may hold."""
    state = session.state()
    default = write_layout(Hud()[[section() for section in state.sections]])
    text = default if state.layout is None else state.layout
    whose = said(session, "answer.layout default") if state.layout is None else _own(session)
    about = Paragraph()[said(session, "answer.layout tags", **_tags(type(state)))]
    answer = written(fragment(Paragraph()[whose], CodeBlock(value=text.rstrip("\n")), about))
    return ToolResult(answer, data={"layout": state.layout, "default": default})


def reset_layout(session: SessionLike, _arguments: Nothing) -> str:
    """Go back to the layout that the HUD has without the agent's."""
    if session.state().layout is None:
        return same(session)
    session.record("layout.reset")
    return said(session, "answer.layout reset")


def _tags(state: type[State]) -> dict[str, str]:
    """What a layout of a domain may hold, with its own sections as examples."""
    fields = [each for each in state.sections if each.field in fields_of(state)]
    lists = [
        each.field for each in fields if each.kind is not None and not each.disclosure.is_apart
    ][:1]
    values = [each for each in fields if each.kind is None][:1]
    return {
        "sections": ", ".join(_names(state.sections)),
        "conditions": "".join(
            [
                *(f'has="{each.field}", ' for each in values),
                *(f'field="{name}" above={{5}}, ' for name in lists),
            ]
        ),
        "loops": "".join(f', Each (of="{name}")' for name in lists),
        "values": "".join(
            f', Value (of="{each.field}.{next(iter(fields_of(each.draft)))}")' for each in values
        ),
    }


def document(given: str, state: type[State]) -> str:
    r"""Return the layout document that an agent has sent: as it is, out of a code fence, or of a tree.

    :raises UjsxError: for a tree that cannot be read.

    >>> from hud_components import HudState
    >>> document("```\n<Hud/>\n```", HudState)
    '<Hud/>'
    >>> document('{"type": "Hud", "children": ["Port 8080",]}', HudState)
    '<Hud>Port 8080</Hud>\n'
    """
    quoted = _unquoted(given)
    fenced = _FENCED.fullmatch(quoted)
    text = quoted if fenced is None else fenced["inside"]
    return agent_layout_of_data(opened(text, []), state) if _TREE.match(text) else text


def _unquoted(text: str) -> str:
    """A document out of the JSON text that it may have come as."""
    if not text.strip().startswith('"'):
        return text
    with suppress(ValueError):
        inside = json.loads(text)
        return inside if isinstance(inside, str) else text
    return text


_FENCED = re.compile(r"\s*(?P<fence>```|~~~)\w*\n(?P<inside>\s*[<{].*?)\n?(?P=fence)\s*", re.DOTALL)
"""A document that is all one block of code."""

_TREE = re.compile(r"""\s*\{\s*["']?(type|props|children|key)["']?\s*:""")
"""The beginning of a tree as JSON; a text in braces is a string."""


def _own(session: SessionLike) -> str:
    """The line above the agent's layout, and the reason where it is not shown."""
    state = session.known
    try:
        check_ceiling(read_agent_layout(state.layout or "", type(state)), state)
    except UjsxError as error:
        return said(session, "answer.layout not shown", why=line(str(error)))
    return said(session, "answer.layout own")


def _names(sections: Iterable[type[HudSection]]) -> list[str]:
    return [each.__name__ for each in sections]
