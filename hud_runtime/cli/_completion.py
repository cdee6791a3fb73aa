"""Print what lets a shell complete `ujsx`: its commands, their actions, options and values.

For bash, `source <(ujsx completion bash)` in ~/.bashrc; for zsh, the same with zsh in ~/.zshrc, after
compinit; for fish, `ujsx completion fish > ~/.config/fish/completions/ujsx.fish`.
"""

from __future__ import annotations

from argparse import REMAINDER, SUPPRESS, Action, ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from hud_runtime.cli._commands import COMMANDS, Command, Parser, asked_in, one_of
from hud_runtime.cli._terminal import put

# The completion scripts: the command's declaration as data for each shell, and a few lines that search it.
#
# Ids of sessions alone are asked for while somebody types (``ujsx session list --ids``). An id may hold what a shell would
# run: it is only ever compared and quoted.

WORDS = 60
"""Characters of what is said beside a word."""

BASH = """\
# Completion of ujsx for bash, from 3.2 on. Load it: source <(ujsx completion bash)
_ujsx_sessions() {{
    local each store='' before='' i
    # bash takes what stands before a colon for another word
    local typed=${{COMP_LINE:0:COMP_POINT}}
    typed=${{typed##*[[:space:]=]}}
    [[ $typed == *:* && $COMP_WORDBREAKS == *:* ]] && before=${{typed%"${{typed##*:}}"}}
    for ((i = 1; i < COMP_CWORD - 1; i++)); do
        [[ ${{COMP_WORDS[i]}} == --store ]] || continue
        store=${{COMP_WORDS[i+1]}}
        [[ $store == '=' ]] && store=${{COMP_WORDS[i+2]}}
    done
    while IFS= read -r each; do
        [[ $each == "$typed"* ]] && COMPREPLY+=("$(printf %q "${{each#"$before"}}")")
    done < <(command ujsx session list --ids ${{store:+--store "$store"}} 2>/dev/null)
}}
_ujsx() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} at='' i words='' sessions=''
    COMPREPLY=()
    # bash takes --option=value for three words
    if [[ $cur == '=' ]]; then cur=''
    elif [[ $prev == '=' ]]; then prev=${{COMP_WORDS[COMP_CWORD-2]}}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$at ${{COMP_WORDS[i]}}" in
            {paths}) at="${{at:+$at }}${{COMP_WORDS[i]}}" ;;
        esac
    done
    case "$at $prev" in
        {values}
    esac
    if [[ $words ]]; then :
    elif [[ $sessions ]]; then
        _ujsx_sessions
        return
    elif [[ $cur == -* ]]; then
        case "$at" in
            {options}
        esac
    else
        case "$at" in
            {words}
        esac
        case "$at" in
            {sessions}) _ujsx_sessions; return ;;
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
# What has no words of its own is completed with the names of files.
complete -o bashdefault -o default -F _ujsx ujsx
"""

ZSH = """\
#compdef ujsx
# Completion of ujsx for zsh. Load it after compinit: source <(ujsx completion zsh)
_ujsx_sessions() {{
    local at=${{words[(i)--store]}}
    local -a store=() found
    (( at < CURRENT - 1 )) && store=(--store "${{(Q)words[at+1]}}")
    found=(${{(f)"$(command ujsx session list --ids $store 2>/dev/null)"}})
    found=("${{(@)found//:/\\:}}")
    _describe session found
}}
_ujsx() {{
    local at='' i=2 previous=$words[CURRENT-1]
    local -a found
    while (( i < CURRENT )); do
        case "$at $words[i]" in
            ({paths}) at="${{at:+$at }}$words[i]" ;;
        esac
        (( i++ ))
    done
    if [[ $PREFIX == --*=* ]]; then
        previous=${{PREFIX%%=*}}
        compset -P '*='
    fi
    case "$at $previous" in
        {values}
    esac
    if [[ $PREFIX == -* ]]; then
        case "$at" in
            {options}
        esac
        _describe -o option found
        return
    fi
    case "$at" in
        {words}
    esac
    if (( $#found )); then _describe word found; fi
    case "$at" in
        ({sessions}) _ujsx_sessions ;;
    esac
    case "$at" in
        ({files}) _files ;;
    esac
}}
compdef _ujsx ujsx
"""

FISH = """\
# Completion of ujsx for fish. Keep it in ~/.config/fish/completions/ujsx.fish
function __ujsx_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
            case {paths}
                set at (string trim -- "$at $word")
        end
    end
    test "$at" = "$argv"
end
function __ujsx_sessions
    set -l words (commandline -opc)
    set -l at (contains -i -- --store $words)
    if test -n "$at" -a (count $words) -gt "$at"
        command ujsx session list --ids --store $words[(math $at + 1)] 2>/dev/null
    else
        command ujsx session list --ids 2>/dev/null
    end
end
complete -c ujsx -f
{lines}
"""


def bash(commands: Iterable[Completed]) -> str:
    """Return the script for bash."""
    commands = [*commands]
    values = [
        f"{_patterns(each.path, option)}) "
        + (
            _bash_words(option.values)
            if option.values
            else "sessions=1 ;;"
            if option.is_session
            else "return ;;"
        )
        for each in commands
        for option in each.options
        if option.takes_value
    ]
    options = [
        f"{_quoted(each.path)}) {_bash_words(name for option in each.options for name in option.names)}"
        for each in commands
    ]
    words = [f"{_quoted(each.path)}) {_bash_words(each.words)}" for each in commands if each.words]
    return BASH.format(
        paths="|".join(_paths(commands)),
        values=_block(values, 8),
        options=_block(options, 12),
        words=_block(words, 12),
        sessions=_taking(commands),
    )


def zsh(commands: Iterable[Completed]) -> str:
    """Return the script for zsh."""
    commands = [*commands]
    values = [
        f"({_patterns(each.path, option)}) "
        + (
            f"found=({_zsh_words(dict.fromkeys(option.values, ''))}); _describe value found; return ;;"
            if option.values
            else "_ujsx_sessions; return ;;"
            if option.is_session
            else "_files; return ;;"
            if option.is_file
            else f"_message {_quoted(option.help)}; return ;;"
        )
        for each in commands
        for option in each.options
        if option.takes_value
    ]
    options = [
        f"({_quoted(each.path)}) found=("
        + _zsh_words({name: option.help for option in each.options for name in option.names})
        + ") ;;"
        for each in commands
    ]
    words = [
        f"({_quoted(each.path)}) found=({_zsh_words(each.words)}) ;;"
        for each in commands
        if each.words
    ]
    return ZSH.format(
        paths="|".join(_paths(commands)),
        values=_block(values, 8),
        options=_block(options, 12),
        words=_block(words, 8),
        files="|".join(_quoted(each.path) for each in commands if each.takes_files),
        sessions=_taking(commands),
    )


def fish(commands: Iterable[Completed]) -> str:
    """Return the script for fish."""
    commands = [*commands]
    lines = [line for each in commands for line in _fish_lines(each)]
    return FISH.format(paths=" ".join(_paths(commands, _in_fish)), lines="\n".join(lines))


def _fish_lines(command: Completed) -> Iterator[str]:
    start = f"complete -c ujsx -n {_in_fish(f'__ujsx_at {command.path}'.strip())}"
    for word, summary in command.words.items():
        yield f"{start} -a {_in_fish(word)} -d {_in_fish(_cut(summary))}"
    if command.takes_files:
        yield f"{start} -F"
    if command.takes_sessions:
        yield f"{start} -a '(__ujsx_sessions)' -d session"
    for option in command.options:
        names = " ".join(
            f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names
        )
        takes = ""
        if option.values:
            takes = f" -x -a {_in_fish(' '.join(option.values))}"
        elif option.is_session:
            takes = " -x -a '(__ujsx_sessions)'"
        elif option.takes_value:
            takes = " -r -F" if option.is_file else " -x"
        yield f"{start} {names}{takes} -d {_in_fish(_cut(option.help))}"


def _paths(
    commands: Iterable[Completed], quoted: Callable[[str], str] | None = None
) -> Iterator[str]:
    """What was typed, and the word that leads on from there, for each command."""
    for each in commands:
        if each.path:
            before, _, last = each.path.rpartition(" ")
            yield (quoted or _quoted)(f"{before} {last}")


def _taking(commands: Iterable[Completed]) -> str:
    """The commands that take a session."""
    return "|".join(_quoted(each.path) for each in commands if each.takes_sessions)


def _patterns(path: str, option: Option) -> str:
    return "|".join(_quoted(f"{path} {name}") for name in option.names)


def _bash_words(words: Iterable[str]) -> str:
    return f"words={_quoted(' '.join(words))} ;;"


_COLON = "\\:"


def _zsh_words(words: Mapping[str, str]) -> str:
    """Words with what they do: a colon stands between them, so that one in a word is escaped."""
    return " ".join(
        _quoted(f"{word.replace(':', _COLON)}{f':{_cut(what)}' if what else ''}")
        for word, what in words.items()
    )


def _cut(text: str) -> str:
    return text if len(text) <= WORDS else f"{text[: WORDS - 1]}…"


def _quoted(text: str) -> str:
    """A word that bash and zsh take as it is."""
    return "'" + text.replace("'", "'\\''") + "'"


def _in_fish(text: str) -> str:
    """A word that fish takes as it is: there, a backslash escapes even between quotes."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _block(lines: Iterable[str], indent: int) -> str:
    return f"\n{' ' * indent}".join(lines)


SCRIPTS: dict[str, Callable[[Iterable[Completed]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
"""What writes the script, by the shell that it is for."""


# Commands that are groups of actions: ``ujsx session list``, ``ujsx store backup``.


class Group:
    """A command whose first argument is the action; what follows is for that to read."""

    def __init__(self, name: str, description: str, *actions: Command) -> None:
        self.__doc__ = description
        self.name = name
        self.actions = {each.name: each for each in actions}
        """What can be done, in the order in which the help shows it."""

    def define(self, parser: ArgumentParser) -> None:
        """Let the parser take an action and its arguments, and list the actions in its help."""
        parser.usage = f"{parser.prog} ACTION [ARGUMENT ...]"
        width = max(map(len, self.actions)) + 2
        lines = "\n".join(f"  {each.name:<{width}}{each.summary}" for each in self.actions.values())
        parser.epilog = f"actions:\n{lines}\n\n`{parser.prog} ACTION --help` says more about each."
        parser.add_argument("action", metavar="ACTION", help="what to do, from the list below")
        rest = parser.add_argument(
            "arguments", metavar="ARGUMENT", nargs=REMAINDER, help="with what"
        )
        rest.required = False  # which of them are, the action says

    def run(self, options: Namespace) -> int:
        """Do what the action is asked for, and return the exit status.

        :raises UsageError: if there is no such action.
        """
        action = self.actions[one_of(options.action, [*self.actions], "action")]
        return action.run(f"ujsx {self.name}", options.arguments)


SESSION = Group(
    "session",
    """Look into a store of sessions, and keep them: as files, archived, or not at all.

    A session is named by its id; `ujsx serve` calls that of a project by the project's folder, so that
    `.` is the session of the current one. `project:NAME` is what a project's new sessions start with.
    """,
    Command("list", "_session:ListSessions", "list the sessions, the last used first"),
    Command("show", "_session:Show", "say what there is of a session"),
    Command("tail", "_session:Tail", "print the last events, and follow"),
    Command("context", "_session:SessionContext", "tell how full its context is, exactly"),
    Command("summaries", "_session:Summaries", "list its compactions' summaries, or print one"),
    Command("outputs", "_session:Outputs", "list the tool outputs that were pruned"),
    Command("compactions", "_session:SessionCompactions", "list what each compaction did, and why"),
    Command("search", "_session:SearchSessions", "find events by their words"),
    Command("export", "_session_files:ExportSession", "write a session as a file"),
    Command("import", "_session_files:ImportSession", "read a session from a file"),
    Command("archive", "_session:ArchiveSession", "compress what is long past"),
    Command("purge", "_session:Purge", "delete sessions for good"),
    Command("erase", "_session:Erase", "erase the texts of one event for good"),
)

STORE = Group(
    "store",
    """Keep a store safe: back it up while it is in use, put a backup back, and repair what is damaged.

    A store is more than its file: copying `hud.db` leaves out what was written last, and what is archived.
    """,
    Command("backup", "_store:Backup", "copy the store while it is in use"),
    Command("restore", "_store:Restore", "put a backup back"),
    Command("repair", "_store:RepairStore", "save what can be read of a damaged one"),
    Command("checkpoint", "_store:CheckpointStore", "empty the write-ahead log"),
    Command("expire", "_store:Expire", "delete sessions that nobody has used for long"),
    Command("sweep", "_store:Sweep", "let go of old tool outputs"),
    Command("outbox", "_store:InOutbox", "what waits for a database server that was away"),
    Command("copy", "_store:Copy", "copy it whole, to a file or a database server"),
    Command("role", "_store:Role", "print the rights of who uses one in a server"),
)

TOKEN = Group(
    "token",
    """Say who may ask `ujsx serve --http`: make tokens, each of a project, list and revoke them.

    They are kept in a file that only you may read, as hashes. A token itself is shown once, when it is made.
    """,
    Command("add", "_token:AddToken", "make one, and print it"),
    Command("list", "_token:Listed", "list them, without what is secret"),
    Command("revoke", "_token:Revoke", "let one be valid no more"),
)

HISTORY = Group(
    "history",
    """Browse what OpenCode has kept of its sessions, in its database, which is only read.

    It may be in use. A session is named by its id, the id's beginning, or `last`.
    """,
    Command("summary", "_history:CountHistory", "count projects, sessions, messages"),
    Command("sessions", "_history:ListHistory", "list sessions, the last used first"),
    Command("messages", "_history:Messages", "print a session as a transcript"),
    Command("message", "_history:ShowMessage", "print one message, whole"),
    Command("search", "_history:SearchHistory", "find messages by their words"),
    Command("compactions", "_history:HistoryCompactions", "list compactions, or print a summary"),
    Command("context", "_history:HistoryContext", "tell how full a context was, exactly"),
    Command("plans", "_history:Plans", "list the plans of agents, or print one"),
    Command("children", "_history:Children", "list the sessions of subagents"),
    Command("compare", "_history:Compare", "put two sessions side by side"),
    Command("export", "_history:ExportHistory", "write a session as a transcript"),
)

SNAPSHOTS = Group(
    "snapshots",
    "Show what changed in the snapshots that tests keep of HUDs.",
    Command("diff", "_snapshots", "compare them with those of a revision"),
)

NEW = Group(
    "new",
    """Write a small domain or component that works, and its snapshot test, to go on from.

    Nothing that is there already is overwritten.
    """,
    Command("domain", "_new:NewDomain", "write the sections of an agent's HUD"),
    Command("component", "_new:NewComponent", "write a component"),
)


FILES: frozenset[str] = frozenset(
    {"FILE", "FILE_OR_ID", "LAYOUT", "NAME_OR_FILE", "SOCKET", "SUBJECT", "TARGET", "DIR", "FOLDER"}
)
"""What stands in the help for something that is looked for on the disk."""

VALUES: Mapping[str, str] = {
    "--density": "ujsx:Density",
    "cost --prices": "hud_runtime.delivery:PRICES",
    "completion SHELL": "hud_runtime.cli._completion:SCRIPTS",
    "deliver --mode": "hud_runtime.cli._deliver:MODES",
    "history export --as": "hud_runtime.cli._history:FORMS",
    "hud --agent-layouts": "hud_runtime.cli._hud:AGENT_LAYOUTS",
    "replay --agent-layouts": "hud_runtime.cli._hud:AGENT_LAYOUTS",
    "serve --agent-layouts": "hud_runtime.cli._serve:AGENT_LAYOUTS",
    "hook HOST": "hud_runtime.cli._bridge:BRIDGED",
    "install --mode": "hud_runtime.cli._deliver:MODES",
    "install HOST": "hud_runtime.cli._install:HOSTS",
    "layout ACTION": "hud_runtime.cli._layout:ACTIONS",
    "parse --engine": "hud_runtime.cli._parse:ENGINES",
    "parse --to": "hud_runtime.cli._parse:TARGETS",
    "prune --mode": "hud_runtime.cli._prune:MODES",
    "schema --dialect": "ujsx.schema:DIALECTS",
    "serve --host": "hud_runtime.cli._serve:BRIDGED",
    "session export --as": "hud_runtime.cli._session_files:FORMS",
    "uninstall HOST": "hud_runtime.cli._install:HOSTS",
}
"""Where the values of an option, or of an argument, are listed, of those that have a list: of a command, or of all."""


SESSIONS: frozenset[str] = frozenset({"SESSION", "FILE_OR_ID", "SUBJECT"})
"""What stands in the help for a session of the store."""

OF_SESSIONS: frozenset[str] = frozenset({"--session", "--of"})
"""Options that take one."""

NO_SESSIONS: tuple[str, ...] = ("history", "session import --name")
"""Where the word means another one: of another program, or one that is not there yet."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command."""

    names: tuple[str, ...]
    help: str
    takes_value: bool
    values: tuple[str, ...]
    """What it can be given, where that is a list."""
    is_file: bool
    is_session: bool


@dataclass(frozen=True, slots=True)
class Completed:
    """The words that can follow a command, or ``ujsx`` alone."""

    path: str
    """The command, such as ``session list``; empty for ``ujsx`` alone."""
    words: Mapping[str, str]
    """What can come next: commands, actions or values, each with what it does."""
    options: tuple[Option, ...]
    takes_files: bool = False
    takes_sessions: bool = False


def define(parser: ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", help=" or ".join(SCRIPTS))


def run(options: Namespace) -> int:
    put(SCRIPTS[one_of(options.shell, [*SCRIPTS], "shell that is known")](declared()))
    return 0


def declared() -> tuple[Completed, ...]:
    """Return what all commands take, as they declare it themselves."""
    top = Completed(
        "",
        {each.name: each.summary for each in COMMANDS.values()},
        (*_options(Parser("ujsx", ""), ""),),
    )
    with asked_in((), Path.cwd()):
        return (top, *_completed("", COMMANDS.values()))


def _completed(before: str, commands: Iterable[Command]) -> Iterator[Completed]:
    for command in commands:
        found, path = command.load(), f"{before} {command.name}".strip()
        parser = Parser(f"ujsx {path}", "")
        found.define(parser)
        options = (*_options(parser, path),)
        if isinstance(found, Group):
            words = {each.name: each.summary for each in found.actions.values()}
            yield Completed(path, words, options)
            yield from _completed(path, found.actions.values())
            continue
        places = [each for each in _actions(parser) if not each.option_strings]
        values = {value: "" for each in places for value in _values(path, each)}
        yield Completed(
            path,
            values,
            options,
            any(_is_file(each) for each in places),
            any(_is_session(path, each) for each in places),
        )


def _options(parser: ArgumentParser, path: str) -> Iterator[Option]:
    for each in _actions(parser):
        if each.option_strings and each.help != SUPPRESS:
            yield Option(
                tuple(each.option_strings),
                _summary(parser, each),
                each.nargs != 0,
                _values(path, each),
                _is_file(each),
                _is_session(path, each),
            )


def _actions(parser: ArgumentParser) -> list[Action]:
    return parser._actions  # noqa: SLF001  # argparse has no public name for what was declared


def _summary(parser: ArgumentParser, action: Action) -> str:
    """What the help says, in as much as fits beside a word: up to its first pause."""
    formatter = parser._get_formatter()  # noqa: SLF001  # what fills in "(default: %(default)s)"
    text = formatter._expand_help(action) if action.help else ""  # noqa: SLF001
    return text.split(";")[0].split(" (")[0].split(": ")[0].strip()


def _values(path: str, action: Action) -> tuple[str, ...]:
    names = action.option_strings or [str(action.metavar)]
    for name in names:
        place = VALUES.get(f"{path} {name}") or VALUES.get(name)
        if place is not None:
            module, _, listed = place.partition(":")
            return tuple(map(str, getattr(import_module(module), listed)))
    return ()


def _is_file(action: Action) -> bool:
    return action.metavar in FILES


def _is_session(path: str, action: Action) -> bool:
    names = action.option_strings or [""]
    if any(f"{path} {name}".startswith(NO_SESSIONS) for name in names):
        return False
    return action.metavar in SESSIONS or not OF_SESSIONS.isdisjoint(names)
