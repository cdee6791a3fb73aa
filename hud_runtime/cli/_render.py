"""Render a layout document: Markdown with component tags, in which nothing is run.

LAYOUT may hold the HUD's components, the primitives, and with --with those of a module. They show the state of the session that
--session names, or an empty one: a transcript is replayed, an id looked up in a store.
The text goes to standard output, remarks to standard error.
"""

from __future__ import annotations

import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from hud_runtime.cli._arguments import UsageError, define_json
from hud_runtime.cli._component_names import define_with
from hud_runtime.cli._domain import asked_name, own_components
from hud_runtime.cli._files import as_told, is_there, read_text
from hud_runtime.cli._output import put, put_json, remark
from hud_runtime.cli._shown_hud import (
    account,
    define_how_much,
    density_asked_for,
    density_named,
    excess,
    problems_data,
)
from hud_runtime.cli._shown_session import ShownSession, define_session, named_session
from hud_runtime.cli._target import JSON
from hud_runtime.projects import CODE, is_object, tells_of_no_session
from ujsx.errors import LayoutError, UjsxError

if TYPE_CHECKING:
    from hud_components import State
    from ujsx import Component, Density, Element, RenderContext, Rendered


def define(parser: ArgumentParser) -> None:
    parser.add_argument("layout", metavar="LAYOUT", help="a layout, or - for standard input")
    define_session(parser, what="the transcript or the session whose state is shown")
    define_how_much(parser, "the text")
    define_with(parser)
    define_json(parser, "the text with its account")


def run(options: Namespace) -> int:
    density = density_named(options.density)
    named = named_session(options)
    session = named or ShownSession.nobodys()
    tree = read(options.layout, type(session.state), own_components())
    if density is None and options.budget is None:
        density = density_asked_for(session.state)
    with tells_of_no_session(is_shown=named is None and asked_name()[0] is None):
        rendered, notes = rendered_with(tree, session.context, density, options.budget)
    if options.json:
        shown = account(rendered, density, options.budget)
        put_json({**shown, "problems": problems_data(session.problems)})
        return 0
    put(rendered.text)
    incomplete = session.place if session.problems else ()
    for note in (*incomplete, *notes, *excess(rendered)):
        remark(note)
    return 0


def read(name: str, state: type[State], own: Iterable[type[Component]] = ()) -> Element:
    """Return the tree of a layout's file.

    :param state: the class of the states that it shows; the sections of their domain may stand in it.
    :param own: components of the author's own that may stand in it, too.
    :raises UsageError: for what is no layout; its sentence begins with file, line and column.
    """
    _check_is_text(name)
    text = read_text(name)
    from hud_runtime._layout_components import layout_components
    from ujsx import read_layout

    known = layout_components(state) | tuple(own)
    try:
        if Path(name).suffix.lower() == JSON:
            from hud_runtime.session import tree_of_data

            return tree_of_data(text, name, known)
        return read_layout(text, known)
    except LayoutError as error:
        raise UsageError(f"{place(name, error)}: {error.message}") from None
    except UjsxError as error:
        raise UsageError(str(error) if name in str(error) else f"{name}: {error}") from None


def _check_is_text(name: str) -> None:
    """Look whether a name is that of Python code, which is not run here."""
    if name.endswith(CODE) or (is_object(name) and not is_there(name, Path.exists)):
        named = f"{name}:NAME" if name.endswith(CODE) else name
        raise UsageError(
            f"{name} is Python, and a layout is Markdown with tags; `ujsx watch {named}` and `ujsx preview"
            f" {named}` show what code makes"
        )


def place(name: str, error: LayoutError) -> str:
    """Return where in a file an error is, as editors and compilers write it.

    >>> place("hud.md", LayoutError("", line=3, column=18))
    'hud.md:3:18'
    """
    file = as_told(name)
    return file if error.line is None else f"{file}:{error.line}:{error.column}"


def rendered_with(
    tree: Component | Element, context: RenderContext, density: Density | None, budget: int | None
) -> tuple[Rendered, list[str]]:
    """Return a tree's rendering in a context, and what its components warn of."""
    from ujsx import render_document

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rendered = render_document(tree, density=density, budget=budget, context=context)
    return rendered, [str(each.message) for each in caught]
