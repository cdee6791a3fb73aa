"""The layout and the words that a command is given, and the HUD that they show."""

from __future__ import annotations

import os
import warnings
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hud_runtime.cli._arguments import UsageError, one_of
from hud_runtime.cli._component_names import define_with
from hud_runtime.cli._domain import domain, own_components, typed_in
from hud_runtime.cli._render import read
from hud_runtime.projects import is_object, kind_of, load_object, with_whole_path

if TYPE_CHECKING:
    from hud_components import Budget
    from hud_runtime.cli._shown_session import ShownSession
    from hud_runtime.delivery import Shown
    from hud_runtime.session import AgentLayouts, GivenLook
    from ujsx import Density


def define_look(parser: ArgumentParser, *, what: str = "the HUD of new sessions") -> None:
    """Add the options that name a layout and words.

    :param what: what has them.
    """
    parser.add_argument(
        "--layout",
        metavar="FILE",
        help=f"a layout for {what}: a file, or module:NAME or file.py:NAME (default: that of the session, or of the "
        "domain); it may hold the sections of the domain",
    )
    parser.add_argument(
        "--words",
        metavar="FILE",
        help=f"words for {what}, such as another language: a JSON or TOML file, or module:NAME or file.py:NAME",
    )
    define_with(parser)


def name_whole_paths(options: Namespace) -> None:
    """Put the whole paths of files in the place of those that begin in the working folder."""
    for option in ("layout", "words"):
        name = getattr(options, option)
        if name is not None:
            whole = with_whole_path(name) if is_object(name) else os.path.abspath(name)  # noqa: PTH100 - a link stays
            setattr(options, option, whole)


def look_of(options: Namespace) -> GivenLook:
    """Return the layout and the words that are asked for. Files are read later, when a session starts.

    :raises UsageError: for a file without its whole path where a host chooses the folder, and for an object that is
        neither.
    :raises ProjectError: for a module that is not there or cannot be imported.
    """
    from hud_runtime.session import GivenLook

    layout = None if options.layout is None else _source(options.layout)
    words = None if options.words is None else _source(options.words)
    if layout is not None and not isinstance(layout, Path):
        from hud_runtime.preview import shown_of

        layout = shown_of(layout, str(options.layout))
    if not (words is None or isinstance(words, Path) or hasattr(words, "keys")):
        raise UsageError(f"{options.words} is {kind_of(words)}, and not a mapping of words")
    return GivenLook(cast("Any", layout), words, own_components())


def _source(name: str) -> Any:
    folder = typed_in()
    if is_object(name):
        return load_object(name, folder=folder)
    if folder is None and not Path(name).is_absolute():
        raise UsageError(
            f"a host chooses the folder here: write the whole path of {name}, such as {Path(name).resolve()}"
        )
    return Path(name)


def define_agent_layouts(parser: ArgumentParser, choices: tuple[AgentLayouts, ...]) -> None:
    """Add the option for what becomes of layouts that agents set."""
    parser.add_argument(
        "--agent-layouts",
        metavar="HOW",
        default="show",
        help=f"what becomes of layouts that agents set: {', '.join(choices)} (default: show)",
    )


def agent_layouts_of(options: Namespace, choices: tuple[AgentLayouts, ...]) -> AgentLayouts:
    """Return what becomes of layouts that agents set.

    :raises UsageError: for what is none of the choices.
    """
    one_of(options.agent_layouts, choices, "way with agents' layouts")
    return cast("AgentLayouts", options.agent_layouts)


def shown_with(
    given: GivenLook,
    session: ShownSession,
    density: Density | None,
    budget: Budget,
    agent_layouts: AgentLayouts,
) -> tuple[Shown, list[str]]:
    """Return a session's HUD with the layout and the words that count, and what there is to say of it.

    :param given: those that the user named; what they cannot show is refused, for another one would be no help.
    :param agent_layouts: whether the agent's layout is shown where the user named none.
    :raises UjsxError: for a layout or words that cannot show this state.
    """
    from hud_components import THRESHOLDS, check_texts
    from hud_runtime.session import HudLook, Showing, file_text, look_of_domain, words_in

    state, layout, words = session.state, given.layout, given.words
    if isinstance(layout, Path):
        layout = read(str(layout), type(state), given.components)
    if isinstance(words, Path):
        words = words_in(file_text(words), str(words))
    if words is not None:
        words = check_texts(words, sections=state.sections)
    remarks: list[str] = []
    look = HudLook(
        density=density,
        budget=budget,
        now=session.now,
        layout=layout,
        words=words,
        tell=remarks.append,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        looks = (given, look_of_domain(domain()))
        shown = Showing(agent_layouts, looks).shown(state, look, THRESHOLDS)
    return shown, [*remarks, *(str(each.message) for each in caught)]
