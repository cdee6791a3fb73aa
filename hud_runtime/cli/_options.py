"""The options that several commands share, and the types of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from hud_runtime.cli._click import Declared, Run, argument, help_of, option, together
from hud_runtime.cli._commands import FOUND, FOUND_HERE, OPTION, WITH, Options, UsageError
from hud_runtime.projects import FORMS
from ujsx.errors import UjsxError

if TYPE_CHECKING:
    from hud_components import Budget

DENSITIES = ("full", "compact", "minimal")
"""The densities, without an import of what renders them; a test holds them against those."""


# Types of values.


def number(text: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        raise click.BadParameter(f'"{text}" is not a whole number') from None


def budget(text: str) -> Budget:
    """Read a number of tokens, or "off"."""
    return "off" if text == "off" else _tokens(text, ', and not "off"')


def tokens(text: str) -> int:
    """Read a number of tokens."""
    return _tokens(text)


def _tokens(text: str, nor: str = "") -> int:
    from ujsx.rendering import token_budget

    try:
        return token_budget(int(text))
    except UjsxError as error:
        raise click.BadParameter(str(error)) from None
    except ValueError:
        raise click.BadParameter(f'"{text}" is not a number of tokens{nor}') from None


# What several commands take.


def json_option(what: str) -> Declared:
    """Let the user ask for data.

    :param what: what is printed then.
    """
    return option("--json", is_flag=True, help=f"print {what}")


def part_options(parts: Mapping[str, str]) -> Declared:
    """Let the user ask for one part of what a command can tell, in place of the usual one.

    :param parts: what each is, by its option's name.
    """
    return together(
        *(option(f"--{name}", is_flag=True, help=meaning) for name, meaning in parts.items())
    )


def part_of(options: Options, parts: Mapping[str, Run], usual: Run) -> Run:
    """Return what tells the part that was asked for.

    :raises UsageError: where two parts were.
    """
    asked = [name for name in parts if getattr(options, name)]
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} do not go together")
    return parts[asked[0]] if asked else usual


def domain_option(what: str = "the domain of its sessions", *, is_hosted: bool = False) -> Declared:
    """Let the user name a domain.

    :param what: what the domain is to the command.
    :param is_hosted: whether a host starts the command, in whatever folder.
    """
    found = FOUND if is_hosted else FOUND_HERE
    return option(
        OPTION, metavar="NAME", help=f"{what}, {FORMS} (default: the coding HUD's); {found}"
    )


def store_options(*, is_hosted: bool = False) -> Declared:
    """Let the user name a store, and the domain of its sessions."""
    return together(
        option(
            "--store",
            metavar="FILE",
            help="the store, or postgresql://... (default: your own, in your data folder)",
        ),
        domain_option(is_hosted=is_hosted),
    )


def session_argument(*, metavar: str, what: str) -> Declared:
    """Let the user name the session that a command is about: by its place, or as ``--session``."""
    said = option(
        "--session",
        "session_said",
        metavar=metavar,
        is_eager=True,
        expose_value=False,
        callback=_said,
        help="the same, as an option",
    )
    place = argument("session", metavar=metavar, required=False, callback=_session, help=what)
    return together(place, said)


_SAID = "ujsx.session"


def _said(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    ctx.meta[_SAID] = value


def _session(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    said: str | None = ctx.meta.get(_SAID)
    if value is not None and said is not None:
        raise UsageError(
            f"argument --session: not allowed with argument {param.metavar}; {help_of(ctx)}"
        )
    named = said if value is None else value
    if named is None and not ctx.resilient_parsing:
        raise UsageError(
            f"one of the arguments {param.metavar} --session is required; {help_of(ctx)}"
        )
    return named


def session_options(what: str, *, is_required: bool = False) -> Declared:
    """Let the user name a session and a turn of it.

    :param what: what the session is to the command.
    :param is_required: whether the command is about it; then it may also be given by its place.
    """
    named: Declared = (
        session_argument(metavar="FILE_OR_ID", what=what)
        if is_required
        else option("--session", metavar="FILE_OR_ID", help=what)
    )
    turn: Declared = option(
        "--turn",
        metavar="N",
        type=number,
        help="the turn after which it is shown, 0 for before the first (default: the last)",
    )
    return together(named, store_options(), turn)


def with_option() -> Declared:
    """Let the user name modules whose components may stand in layouts."""
    return option(
        WITH,
        "modules",
        metavar="MODULE",
        multiple=True,
        help="a module whose components the layout may hold, package.module or file.py; may be given several times",
    )


def density_option() -> Declared:
    """Let the user choose a density."""
    return option(
        "--density",
        metavar="D",
        words=DENSITIES,
        help="full, compact or minimal (default: what the context's pressure picks)",
    )


def amount_options(what: str) -> Declared:
    """Give a command the two ways to say how much it shows: a density, or a budget.

    :param what: what has the tokens of the budget.
    """
    most: Declared = option(
        "--budget",
        metavar="N",
        type=tokens,
        instead_of=("density",),
        help=f"how many tokens {what} may have",
    )
    return together(density_option(), most)


def budget_option() -> Declared:
    """Let the user say how many tokens a HUD may have."""
    return option(
        "--budget",
        metavar="N",
        type=budget,
        help="how many tokens the HUD may have, or off (default: what its density and the level allow)",
    )


def hud_amount_options() -> Declared:
    """Let the user say how much of a session's HUD is shown: it has a ceiling by itself."""
    return together(density_option(), budget_option())


def look_options(what: str = "the HUD of new sessions") -> Declared:
    """Let the user name a layout and words.

    :param what: what has them.
    """
    return together(
        option(
            "--layout",
            metavar="FILE",
            help=f"a layout for {what}: a file, or module:NAME or file.py:NAME (default: that of the session, or of the "
            "domain); it may hold the sections of the domain",
        ),
        option(
            "--words",
            metavar="FILE",
            help=f"words for {what}, such as another language: a JSON or TOML file, or module:NAME or file.py:NAME",
        ),
        with_option(),
    )


def agent_layouts_option(choices: Sequence[str]) -> Declared:
    """Let the user say what becomes of layouts that agents set."""
    return option(
        "--agent-layouts",
        metavar="HOW",
        words=choices,
        default="show",
        help=f"what becomes of layouts that agents set: {', '.join(choices)} (default: show)",
    )
