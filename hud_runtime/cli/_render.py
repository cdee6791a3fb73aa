"""Render a layout document: Markdown with component tags, in which nothing is run.

LAYOUT may hold the HUD's components and the primitives. They show the state of the session that
--session names, or an empty one: a transcript is replayed to its end, an id looked up in a store.
The text goes to standard output, remarks to standard error.
"""

from __future__ import annotations

import warnings
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime.cli._component_names import components
from hud_runtime.cli._density import density_asked_for, density_named
from hud_runtime.cli._errors import UsageError
from hud_runtime.cli._files import STANDARD_INPUT, existing, read_text
from hud_runtime.cli._output import put, put_json, remark
from hud_runtime.cli._replayed import replayed
from ujsx._errors import LayoutError, did_you_mean

if TYPE_CHECKING:
    from hud_components import HudState
    from ujsx import Density, Element, Rendered


def define(parser: ArgumentParser) -> None:
    parser.add_argument("layout", metavar="LAYOUT", help="a layout, or - for standard input")
    parser.add_argument(
        "--session", metavar="FILE_OR_ID", help="the transcript or the session whose state is shown"
    )
    parser.add_argument(
        "--store", metavar="FILE", help="the store in which a session's id is known"
    )
    how_much = parser.add_mutually_exclusive_group()
    how_much.add_argument(
        "--density",
        metavar="D",
        help="full, compact or minimal (default: what the context's pressure picks)",
    )
    how_much.add_argument(
        "--budget", metavar="N", type=int, help="how many tokens the text may have"
    )
    parser.add_argument("--json", action="store_true", help="print the text with its account")


def run(options: Namespace) -> int:
    density = density_named(options.density)
    tree = read(options.layout)
    state = _state(options.session, options.store)
    if density is None and options.budget is None:
        density = density_asked_for(state)
    rendered, notes = rendered_with(tree, state, density, options.budget)
    if options.json:
        put_json(_data(rendered, density, options.budget))
        return 0
    put(rendered.text)
    for note in notes:
        remark(note)
    if rendered.over_budget:
        remark(f"over the budget: the least that can be shown has {rendered.tokens} tokens")
    return 0


def read(name: str) -> Element:
    """Return the tree of a layout's file.

    :raises UsageError: for what is no layout; its sentence begins with file, line and column.
    """
    text = read_text(name)
    from ujsx import read_layout

    try:
        return read_layout(text, components().values())
    except LayoutError as error:
        raise UsageError(f"{place(name, error)}: {error.message}") from None


def place(name: str, error: LayoutError) -> str:
    """Return where in a file an error is, as editors and compilers write it.

    >>> place("hud.md", LayoutError("", line=3, column=18))
    'hud.md:3:18'
    """
    file = "standard input" if name == STANDARD_INPUT else name
    return file if error.line is None else f"{file}:{error.line}:{error.column}"


def rendered_with(
    tree: Element, state: HudState, density: Density | None, budget: int | None
) -> tuple[Rendered, list[str]]:
    """Return a tree's rendering with ``state`` bound to it, and what its components warn of."""
    from ujsx import RenderContext, render_document

    context = RenderContext().having(state)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rendered = render_document(tree, density=density, budget=budget, context=context)
    return rendered, [str(each.message) for each in caught]


def _state(session: str | None, store: str | None) -> HudState:
    from hud_components import HudState

    if session is None:
        if store is not None:
            raise UsageError("--store needs --session, the id of a session in it")
        return HudState()
    if store is None and (Path(session).exists() or _is_like_a_path(session)):
        with replayed(existing(session)) as found:
            return found.state(found.turns)
    return _stored(session, store)


def _is_like_a_path(name: str) -> bool:
    return bool(Path(name).suffix) or len(Path(name).parts) > 1


def _stored(session: str, store: str | None) -> HudState:
    from hud_runtime import HudStore
    from hud_runtime.store import default_path

    path = default_path() if store is None else existing(store)
    if not path.exists():
        raise UsageError(
            f'there is no file "{session}", and no store at {path} that could have such a session; '
            "check the path, or name a store: --store FILE"
        )
    with HudStore.open(path) as opened:
        known = opened.sessions()
        if session not in known:
            raise UsageError(f'{path} has no session "{session}"; {did_you_mean(session, known)}')
        return opened.session(session).state()


def _data(rendered: Rendered, density: Density | None, budget: int | None) -> dict[str, Any]:
    return {
        "density": density,
        "budget": budget,
        "over_budget": rendered.over_budget,
        "tokens": rendered.tokens,
        "text": rendered.text,
        "sections": [
            {
                "name": each.name,
                "rung": None if each.rung is None else str(each.rung),
                "tokens": each.tokens,
                "start": each.start,
                "end": each.end,
                "fingerprint": each.fingerprint,
            }
            for each in rendered.sections
        ],
        "omitted": [
            {
                "section": each.section,
                "count": each.count,
                "ids": each.ids,
                "tokens": each.tokens,
                "handle": each.handle,
            }
            for each in rendered.omitted
        ],
    }
