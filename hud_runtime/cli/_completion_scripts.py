"""The completion scripts: the command's declaration as data for each shell, and a few lines that search it.

Ids of sessions alone are asked for while somebody types (``ujsx session list --ids``). An id may hold what a shell would
run: it is only ever compared and quoted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hud_runtime.cli._completion import Completed, Option

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
