"""Commands and their arguments with Click: declarations, shared options, help, completion, and error messages."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem, get_completion_class, shell_complete

from hud_runtime.cli._commands import (
    COMMANDS,
    ELSEWHERE,
    FOUND,
    FOUND_HERE,
    OPTION,
    OTHER_OPTIONS,
    WITH,
    Command,
    Options,
    UsageError,
    no_option,
    one_of,
)
from hud_runtime.cli._terminal import NO_PAGER, put, turn_off
from hud_runtime.projects import FORMS
from ujsx import __version__
from ujsx.errors import UjsxError, listed

if TYPE_CHECKING:
    from hud_components import Budget


Run = Callable[[Options], int]

Declared = Callable[[Run], Run]
"""A decorator that declares an argument or options of a command's function."""

MAX_WIDTH = 100
"""Maximum columns of a help text."""


# A command, and a group of commands.


class Argument(click.Argument):
    """An argument that the help explains like an option."""

    def __init__(self, *names: Any, help: str = "", **settings: Any) -> None:  # noqa: A002  # Click's name for it
        super().__init__(*names, **settings)
        self.meaning = help

    def make_metavar(self, ctx: click.Context) -> str:
        """Return the argument for the usage: in brackets if it is optional."""
        name = str(self.metavar)
        return f"{name if self.required else f'[{name}]'}{'...' if self.nargs != 1 else ''}"

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Return the row of the help."""
        return str(self.metavar), self.meaning


class Option(click.Option):
    """An option that excludes others, or requires one of them.

    :param instead_of: the names of the parameters that it excludes.
    :param goes_with: the names of parameters, one of which it requires.
    """

    def __init__(
        self,
        *names: Any,
        instead_of: Sequence[str] = (),
        goes_with: Sequence[str] = (),
        **settings: Any,
    ) -> None:
        super().__init__(*names, **settings)
        self._instead_of = instead_of
        self._goes_with = goes_with

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Take the typed value.

        :raises UsageError: with an excluded option, or without a required one.
        """
        excluded = next((each for each in self._instead_of if each in opts), None)
        if self.name in opts and excluded is not None:
            raise click.BadParameter(f"not allowed with {_flag(excluded)}", ctx, self)
        if self.name in opts and self._goes_with and not opts.keys() & self._goes_with:
            needed = " or ".join(map(_flag, self._goes_with))
            raise click.BadParameter(f"it also needs {needed}", ctx, self)
        return super().handle_parse_result(ctx, opts, args)


def _flag(name: str) -> str:
    return f"argument --{name.replace('_', '-')}"


class CompletedText(click.ParamType[str]):
    """A text with completions for a shell; the command itself validates it.

    :param words: the possible values, if these are a list.
    :param metavar: the placeholder in the help, which identifies files and sessions.
    """

    name = "text"

    def __init__(self, words: Iterable[str] = (), metavar: str = "") -> None:
        self._words = words
        self._metavar = metavar

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the completions of the typed text."""
        known = [*self._words]
        if self._metavar in SESSIONS:
            known += _session_ids(ctx.params.get("store"))
        found = [CompletionItem(each) for each in known if each.startswith(incomplete)]
        if self._metavar in FILES:
            found.append(CompletionItem(incomplete, type="file"))
        return found


FILES = frozenset(
    {"FILE", "FILE_OR_ID", "LAYOUT", "NAME_OR_FILE", "SUBJECT", "TARGET", "DIR", "FOLDER"}
)
"""The placeholders in the help for something on the disk."""

SESSIONS = frozenset({"SESSION", "FILE_OR_ID", "SUBJECT"})
"""The placeholders in the help for a session of the store."""


_HARMLESS = re.compile(r"[\w./:@%+,-]+")
"""An id that a shell may insert into a line unquoted."""


def _session_ids(store: str | None) -> list[str]:
    from hud_runtime.cli._session import ids

    try:
        return [each for each in ids(store) if _HARMLESS.fullmatch(each)]
    except (UjsxError, OSError):  # no completions, and no message within the typed line
        return []


def _typed(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings including the type of the value, and N as the placeholder of a number; ``words`` are the
    completions.
    """
    words = settings.pop("words", ())
    if settings.get("type") in (number, tokens, budget):
        settings.setdefault("metavar", "N")
    if not settings.get("is_flag") and "type" not in settings:
        settings["type"] = CompletedText(words, settings.get("metavar", ""))
    return settings


def argument(name: str, **settings: Any) -> Declared:
    """Declare a positional argument, like :func:`click.argument`."""
    return click.argument(name, cls=Argument, **_typed(settings))


def option(*names: str, **settings: Any) -> Declared:
    """Declare an option, like :func:`click.option`."""
    if "/" in names[0]:
        return click.option(*names, cls=Option, **settings)
    return click.option(*names, cls=Option, **_typed(settings))


def together(*declared: Declared) -> Declared:
    """Return several declarations as one, in order."""

    def declare(run: Run) -> Run:
        for each in reversed(declared):
            run = each(run)
        return run

    return declare


def _told(text: Callable[[click.Context], str]) -> Callable[..., None]:
    """The callback of an option that prints a text and exits."""

    def tell(ctx: click.Context, _param: click.Parameter, is_asked: bool) -> None:
        if is_asked:
            put(f"{text(ctx)}\n")
            ctx.exit()

    return tell


def _unpaged(_ctx: click.Context, _param: click.Parameter, is_asked: bool) -> None:
    if is_asked:
        turn_off()


def _everywhere() -> list[click.Parameter]:
    """The options of every command."""
    flag = partial(click.Option, is_flag=True, is_eager=True, expose_value=False)
    return [
        flag(
            [NO_PAGER, "everywhere_no_pager"],
            callback=_unpaged,
            help="print to the terminal itself",
        ),
        flag(
            ["--version", "everywhere_version"],
            callback=_told(lambda _ctx: f"ujsx {__version__}"),
            help="show the version and exit",
        ),
        flag(
            ["-h", "--help", "everywhere_help"],
            callback=_told(lambda ctx: ctx.get_help()),
            help="show this message and exit",
        ),
    ]


class Leaf(click.Command):
    """A command that runs a function."""

    def __init__(self, row: Command, run: Run, about: str) -> None:
        declared: list[click.Parameter] = getattr(run, "__click_params__", [])
        super().__init__(
            row.name,
            context_settings={"max_content_width": MAX_WIDTH, "allow_extra_args": True},
            params=[*reversed(declared), *_everywhere()],
            help=about,
            short_help=row.summary,
            add_help_option=False,
        )
        self._run = run

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the typed arguments.

        :raises UsageError: for too many arguments.
        """
        try:
            super().parse_args(ctx, [*self._renamed(ctx, args)])
        except click.BadOptionUsage as error:  # Click's parser does not name the command
            error.ctx = ctx
            raise
        if ctx.args and not ctx.resilient_parsing:
            _, *places = ctx.command.collect_usage_pieces(ctx)
            stores = [each for each in args if each.endswith(".db")]
            if len(stores) == 1 and any("--store" in each.opts for each in ctx.command.params):
                places = [*(each for each in args if each not in stores), "--store", *stores]
                if any("--domain" in each.opts for each in ctx.command.params):
                    places.append("(with --domain FILE.py:NAME for a domain of your own)")
            usage = f"write {' '.join((ctx.command_path, *places))}, " if places else ""
            raise UsageError(f'"{ctx.args[0]}" is one argument too many; {usage}{help_of(ctx)}')
        return []

    def _renamed(self, ctx: click.Context, args: Sequence[str]) -> Iterator[str]:
        """Yield the arguments, with options of other commands renamed to this one's."""
        params = self.get_params(ctx)
        known = {name for each in params for name in each.opts}
        known |= {f"{name} {each.metavar}" for each in params for name in each.opts}
        is_option = True
        for given in args:
            is_option = is_option and given != "--"
            name, is_set, value = given.partition("=")
            meant = (each for each, others in OTHER_OPTIONS.items() if name in others.split())
            own = next((each.partition(" ")[0] for each in meant if each in known), name)
            if name[2:] in DENSITIES and "--density" in known:
                own, is_set, value = "--density", "=", name[2:]
            yield given if name in known or not is_option else f"{own}{is_set}{value}"

    def invoke(self, ctx: click.Context) -> int:
        """Run the command, and return the exit status."""
        return self._run(Options(**ctx.params))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments above the options."""
        places = [each for each in self.get_params(ctx) if isinstance(each, Argument)]
        if places:
            with formatter.section("Arguments"):
                formatter.write_dl([each.get_help_record(ctx) for each in places])
        with formatter.section("Options"):
            options = (each for each in self.get_params(ctx) if isinstance(each, click.Option))
            formatter.write_dl([row for each in options if (row := each.get_help_record(ctx))])


class Branch(click.Group):
    """A group of commands, each imported on its first call."""

    def __init__(self, name: str, rows: Mapping[str, Command], about: str, kind: str) -> None:
        super().__init__(
            name,
            context_settings={"max_content_width": MAX_WIDTH},
            params=_everywhere(),
            help=about,
            add_help_option=False,
            no_args_is_help=False,
            subcommand_metavar=f"{kind.upper()} [ARGUMENT]...",
        )
        self.rows = rows
        self.kind = kind

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the help."""
        return [*self.rows]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command with a name, imported."""
        row = self.rows.get(cmd_name)
        return None if row is None else loaded(row)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the typed command, and its arguments.

        :raises UsageError: for an unknown one, with the nearest name.
        """
        if ctx.resilient_parsing and args[0] not in self.rows:
            return None, None, args[1:]
        asked = args[0] if self is ROOT else f"{self.name}-{args[0]}"
        line = next((line for line, others in ELSEWHERE.items() if asked in others.split()), "")
        if line and args[0] not in self.rows:
            what = "a command" if self is ROOT else "an action"
            line = _with_names(line, args[1:])
            raise UsageError(f'"{args[0]}" is not {what}; write {line}')
        name = one_of(args[0], [*self.rows], self.kind)
        return name, self.get_command(ctx, name), args[1:]

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the completions from the table, without imports."""
        found = [
            CompletionItem(each.name, help=each.summary)
            for each in self.rows.values()
            if each.name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the summaries from the table, without imports."""
        with formatter.section(f"{self.kind.capitalize()}s"):
            formatter.write_dl([(each.name, each.summary) for each in self.rows.values()])


def _with_names(line: str, given: Sequence[str]) -> str:
    """Return the line about a session with the store and the session among the arguments."""
    from pathlib import Path  # only mistakes need them

    from hud_runtime.cli._stored import is_there

    files = [each for each in given if is_there(each, Path.is_file)]
    ids = [each for each in given if each not in files and not each.startswith("-")]
    if not line.endswith("--session SESSION") or not files:
        return line
    if ids or files[0].endswith(".db"):
        session = ids[0] if ids else "SESSION"
        line = line.replace("--session SESSION", f"--store {files[0]} --session {session}")
        return f"{line}, and --domain FILE.py:NAME for a domain of your own"
    return line.replace("SESSION", files[0])


def loaded(row: Command) -> click.Command:
    """Return a row of the table as Click's command, with its module imported."""
    if row.actions:
        actions = {each.name: each for each in row.actions}
        return Branch(row.name, actions, row.about, "action")
    module, _, name = row.place.partition(":")
    found = import_module(f"hud_runtime.cli.{module}")
    run = getattr(found, name or "run")
    about = cleandoc(run.__doc__ or found.__doc__ or "")
    return getattr(found, "LEAF", Leaf)(row, run, about)


COMPLETE = "_UJSX_COMPLETE"
"""The environment variable with which a shell requests completions."""

SHELLS = ("bash", "zsh", "fish")


def _complete(ctx: click.Context, _param: click.Parameter, shell: str | None) -> None:
    if shell is not None:
        kind = get_completion_class(one_of(shell, SHELLS, "shell"))
        if kind is not None:
            put(kind(ROOT, {}, "ujsx", COMPLETE).source() + "\n")
        ctx.exit()


class TopBranch(Branch):
    """The top-level command, whose help fits a screen of 24 lines."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, each in a line."""
        formatter.write_usage(
            "ujsx", "[--version] [--completion SHELL] COMMAND [--help] [ARGUMENT]..."
        )
        formatter.write_paragraph()
        formatter.write_dl([(each.name, each.summary) for each in self.rows.values()])


ROOT = TopBranch(
    "ujsx",
    {name: each for name, each in COMMANDS.items() if not each.is_hidden},
    "Typed components for an agent's context: replay sessions, read trees, export tools.",
    "command",
)
"""The top-level command."""

ROOT.params.append(
    click.Option(
        ["--completion"],
        metavar="SHELL",
        is_eager=True,
        expose_value=False,
        callback=_complete,
        help=f"print what lets {', '.join(SHELLS)} complete commands: source <(ujsx --completion bash)",
    )
)


def run(arguments: Sequence[str]) -> int:
    """Run the command in the arguments, and return the exit status.

    :raises UsageError: for invalid arguments.
    """
    asked = os.environ.get(COMPLETE)
    if asked is not None:
        return shell_complete(ROOT, {}, "ujsx", COMPLETE, asked)
    try:
        with ROOT.make_context("ujsx", [*arguments] or ["--help"]) as ctx:
            return int(ROOT.invoke(ctx))
    except click.exceptions.Exit as done:  # after --help and --version
        return done.exit_code
    except click.UsageError as error:
        raise UsageError(_sentence(error)) from None


def _sentence(error: click.UsageError) -> str:
    """The message of an error, in one sentence."""
    ctx = error.ctx or click.Context(ROOT, info_name="ujsx")
    match error:
        case click.NoSuchOption():
            return _no_such_option(error.option_name, ctx)
        case click.MissingParameter(param=click.Parameter() as param):
            return f"the following arguments are required: {_shown(param)}; {help_of(ctx)}"
        case click.BadOptionUsage():
            said = _as_clause(error.message).removeprefix(f"Option '{error.option_name}' ")
            return f"argument {error.option_name}: it {said}; {help_of(ctx)}"
        case click.BadParameter(param=click.Parameter() as param):
            return f"argument {_shown(param)}: {_as_clause(error.message)}; {help_of(ctx)}"
        case _ if isinstance(ctx.command, Branch):
            needed = ctx.command.kind.upper()
            known = listed([*ctx.command.rows])
            return f"the following arguments are required: {needed}; there are {known}"
        case _:
            return f"{_as_clause(error.message)}; {help_of(ctx)}"


def _no_such_option(name: str, ctx: click.Context) -> str:
    params = ctx.command.get_params(ctx)
    places = [each for each in params if isinstance(each, Argument)]
    if name.removeprefix("--") in [each.name for each in places]:
        asked = name.removeprefix("--")
        needed = [str(each.metavar) for each in places if each.required or each.name == asked]
        usage = " ".join([ctx.command_path, *needed])
        return f"there is no {name}; give it by position: {usage}"
    known = [opt for each in params for opt in (*each.opts, *each.secondary_opts)]
    return no_option(name, [each for each in known if each.startswith("-")], ctx.command_path)


def _as_clause(text: str) -> str:
    return text.removesuffix(".")


def _shown(param: click.Parameter) -> str:
    return str(param.metavar) if isinstance(param, Argument) else "/".join(param.opts)


def help_of(ctx: click.Context) -> str:
    return f"see {ctx.command_path} --help"


DENSITIES = ("full", "compact", "minimal")
"""The densities, without importing their renderer; a test compares them."""


# Types of values.


def number(text: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        raise click.BadParameter(f'"{text}" is not an integer') from None


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


# Shared options.


def json_option(what: str) -> Declared:
    """Declare the option for data.

    :param what: the printed data.
    """
    return option("--json", is_flag=True, help=f"print {what}")


Parts = Mapping[str, tuple[Run, str]]
"""The parts of a command's output, by option: the function that prints each, and its description."""


def part_options(parts: Parts) -> Declared:
    """Declare an option for each part of a command's output, in place of the default one."""
    return together(
        *(option(f"--{name}", is_flag=True, help=meaning) for name, (_, meaning) in parts.items())
    )


def part_of(
    options: Options,
    parts: Parts,
    usual: Run,
    which: str | None = None,
    of_which: Collection[str] = (),
) -> Run:
    """Return the function of the requested part.

    :param which: the argument that only the parts ``of_which`` take.
    :raises UsageError: for two parts, or an argument that the part does not take.
    """
    asked = [name for name in parts if getattr(options, name)]
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} cannot be used together")
    if which is not None and not {*asked} & {*of_which}:
        hint = help_of(click.get_current_context())
        raise UsageError(f'"{which}" is one argument too many; {hint}')
    return parts[asked[0]][0] if asked else usual


def domain_option(what: str = "the domain of its sessions", *, is_hosted: bool = False) -> Declared:
    """Declare the option for a domain.

    :param what: the domain's role in the command.
    :param is_hosted: whether a host starts the command, in any folder.
    """
    found = FOUND if is_hosted else FOUND_HERE
    return option(
        OPTION, metavar="NAME", help=f"{what}, {FORMS} (default: the coding HUD's); {found}"
    )


def store_options(*, is_hosted: bool = False) -> Declared:
    """Declare the options for a store, and the domain of its sessions."""
    return together(
        option(
            "--store",
            metavar="FILE",
            help="the store, or postgresql://... (default: your own, in your data folder)",
        ),
        domain_option(is_hosted=is_hosted),
    )


def session_argument(*, metavar: str, what: str, is_required: bool = True) -> Declared:
    """Declare the session of a command: as an argument, or as ``--session``.

    :param is_required: whether it is required; see :func:`required_session`.
    """
    said = option(
        "--session",
        "session_said",
        metavar=metavar,
        is_eager=True,
        expose_value=False,
        callback=_said,
        help="the same, as an option",
    )
    callback = required_session if is_required else _session
    place = argument("session", metavar=metavar, required=False, callback=callback, help=what)
    return together(place, said)


_SAID = "ujsx.session"


def _said(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    ctx.meta[_SAID] = value


def _session(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    said: str | None = ctx.meta.get(_SAID)
    if value is not None and said is not None:
        hint = help_of(ctx)
        if value.endswith(".db") and any("--store" in each.opts for each in ctx.command.params):
            line = f"{ctx.command_path} --store {shlex.quote(value)} --session {shlex.quote(said)}"
            hint = f"write {line} (with --domain FILE.py:NAME for a domain of your own)"
        raise UsageError(f"argument --session: not allowed with argument {param.metavar}; {hint}")
    return said if value is None else value


def required_session(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return the named session.

    :raises UsageError: if there is none.
    """
    named = _session(ctx, param, value)
    if named is None and not ctx.resilient_parsing:
        raise UsageError(
            f"one of the arguments {param.metavar} --session is required; {help_of(ctx)}"
        )
    return named


def session_options(what: str, *, is_required: bool = False) -> Declared:
    """Declare the options for a session and its turn.

    :param what: the session's role in the command.
    :param is_required: whether the command requires it; then it may also be an argument.
    """
    named: Declared = (
        session_argument(metavar="FILE_OR_ID", what=what)
        if is_required
        else option("--session", metavar="FILE_OR_ID", help=what)
    )
    turn: Declared = option(
        "--turn",
        type=number,
        help="the turn after which it is shown, 0 for before the first (default: the last)",
    )
    return together(named, store_options(), turn)


def with_option() -> Declared:
    """Declare the option for modules with components for layouts."""
    return option(
        WITH,
        "modules",
        metavar="MODULE",
        multiple=True,
        help="a module whose components the layout may hold, package.module or file.py; may be given several times",
    )


def density_option() -> Declared:
    """Declare the option for a density."""
    return option(
        "--density",
        metavar="D",
        words=DENSITIES,
        help="full, compact or minimal (default: what the context's pressure picks)",
    )


def amount_options(what: str) -> Declared:
    """Declare both options for the amount shown: a density, or a budget.

    :param what: the object of the budget.
    """
    most: Declared = option(
        "--budget", type=tokens, instead_of=("density",), help=f"how many tokens {what} may have"
    )
    return together(density_option(), most)


def budget_option() -> Declared:
    """Declare the option for a HUD's token budget."""
    return option(
        "--budget",
        type=budget,
        help="the HUD's token limit, or off (default: by density and level)",
    )


def hud_amount_options() -> Declared:
    """Declare the options for the amount shown of a session's HUD, which has a default maximum."""
    return together(density_option(), budget_option())


def look_options(what: str = "the HUD of new sessions") -> Declared:
    """Declare the options for a layout and words.

    :param what: their object.
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
    """Declare the option for layouts that agents set."""
    return option(
        "--agent-layouts",
        metavar="HOW",
        words=choices,
        default="show",
        help=f"what becomes of layouts that agents set: {', '.join(choices)} (default: show)",
    )
