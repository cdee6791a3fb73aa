r"""A shell script as simple commands: words, redirections, here-documents, and how they are joined.

This reads scripts, it does not run them: what it cannot know, such as the output of a command in
``$(…)``, stays as it is written. It takes one look at each character.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from hud_runtime.observation._shell_quotes import heredoc, nested

Joint: TypeAlias = Literal["", "&&", "||", ";", "|", "&"]
"""What stands behind a command; nothing at the end."""

LONGEST = 200_000
"""Characters of a script that are read."""

_KEYWORDS = frozenset([
    "if", "then", "elif", "else", "fi", "do", "done", "while", "until", "!", "{", "}", "time", "coproc", "case", "esac",
    "function",
])  # fmt: skip
"""Words before a command, or alone, that run nothing themselves."""

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|\\\n)
    |(?P<comment>(?<![^\s;&|()])\#[^\n]*)
    |(?P<heredoc>\d*<<-?(?!<)[ \t]*(?P<quote>['"]?)(?P<mark>[\w.-]+)(?P=quote))
    |(?P<stream>&?\d*>&(?:\d+|-)|\d+<&(?:\d+|-))
    |(?P<redirect>&>>?|\d*>>?\|?|<>|\d*<<<|\d*<)
    |(?P<joint>&&|\|\||;;|\|&|[;|&\n()])
    |(?P<single>'[^']*')
    |(?P<dollar>\$'(?:[^'\\]|\\.)*')
    |(?P<double>"(?:[^"\\$`]|\\.)*")
    |(?P<plain>[^\s;&|()<>'"\\`$\#]+)
    |(?P<escape>\\.)
    |(?P<variable>\$(?:\{(?P<braced>\w+)\}|(?P<named>\w+)|[?@*\#$!-]))
    |(?P<other>[\s\S])""",
    re.VERBOSE,
)

ASSIGNMENT = re.compile(r"(?P<name>[A-Za-z_]\w*)\+?=(?P<value>[\s\S]*)")
_ESCAPED = re.compile(r"\\([\\\"$`])")
_INNER = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


@dataclass(slots=True)
class Command:
    """A simple command."""

    words: list[str] = field(default_factory=list[str])
    written: list[str] = field(default_factory=list[str])
    """The files that its output goes to."""
    read: list[str] = field(default_factory=list[str])
    """The files that its input comes from."""
    text: str = ""
    """Its here-documents."""
    joint: Joint = ""
    """What stands behind it."""

    @property
    def is_piped(self) -> bool:
        """True if its output goes to another command, which then tells the status."""
        return self.joint == "|"


def commands(script: str) -> list[Command]:
    r"""Return the simple commands of a script, in their order.

    >>> [(one.words, one.joint) for one in commands("cd src && X=1 make 2>&1 | tail -5")]
    [(['cd', 'src'], '&&'), (['make'], '|'), (['tail', '-5'], '')]
    >>> [one.words for one in commands('for f in a b; do rm "$f"; done')]
    [['rm', 'a'], ['rm', 'b']]
    """
    return list(_Script(script[:LONGEST], {}).commands())


class _Script:
    def __init__(self, script: str, variables: Mapping[str, list[str]]) -> None:
        self._script = script
        self._variables: dict[str, list[str]] = dict(variables)

    def commands(self) -> Iterator[Command]:
        for command in self._simple():
            yield from self._meant(command)

    def _meant(self, command: Command) -> Iterator[Command]:
        """The command without keywords and assignments; one for each value of a loop's variable."""
        words = command.words
        while words and words[0] in _KEYWORDS:
            words = words[1:]
        if words[:1] == ["for"] or words[:1] == ["select"]:
            if len(words) > 3 and words[2] == "in":
                self._variables[words[1]] = [one for one in words[3:] if "\0" not in one][:100]
            return
        while words and (match := ASSIGNMENT.fullmatch(words[0])):
            if len(words) == 1:
                self._variables[match["name"]] = self._filled(match["value"])[:1]
            words = words[1:]
        if not words and not command.written:
            return
        names = [name for word in (*words, *command.written) for name in _VARIABLE.findall(word)]
        count = max((len(self._variables.get(name, ())) for name in names), default=1) or 1
        for place in range(count):
            command_words = [self._one(word, place) for word in words]
            written = [self._one(word, place) for word in command.written]
            yield Command(command_words, written, command.read, command.text, command.joint)

    def _one(self, word: str, place: int) -> str:
        def value(match: re.Match[str]) -> str:
            known = self._variables.get(match[1])
            if not known:
                return f"${match[1]}"
            return known[min(place, len(known) - 1)]

        return _VARIABLE.sub(value, word) if "\0" in word else word

    def _filled(self, word: str) -> list[str]:
        return [self._one(word, 0)]

    def _simple(self) -> list[Command]:
        script, place = self._script, 0
        command, word, started = Command(), "", False
        found: list[Command] = []
        target: list[str] | None = None
        pending: list[tuple[Command, str, bool]] = []
        while place < len(script):
            match = _TOKEN.match(script, place)
            assert match is not None
            kind, text = match.lastgroup, match[0]
            if kind in ("braced", "named"):
                kind = "variable"
            if kind in ("quote", "mark"):
                kind = "heredoc"
            place = match.end()
            if kind in ("space", "comment", "joint", "redirect", "stream", "heredoc"):
                if started:
                    (command.words if target is None else target).append(word)
                    word, started, target = "", False, None
                if kind == "redirect":
                    target = _target(command, text)
                elif kind == "heredoc":
                    pending.append((command, match["mark"], text.partition("<<")[2][:1] == "-"))
                elif kind == "joint":
                    target = None
                    if text == "\n" and pending:
                        for owner, mark, is_indented in pending:
                            place, body = heredoc(script, place, mark, is_indented=is_indented)
                            owner.text += body
                        pending = []
                    if command.words or command.written:
                        command.joint = _JOINTS.get(text, ";")
                        found.append(command)
                    command = Command()
                continue
            started = True
            place, piece = self._piece(kind or "", match, place)
            word += piece
        if started:
            (command.words if target is None else target).append(word)
        if command.words or command.written:
            found.append(command)
        return found

    def _piece(self, kind: str, match: re.Match[str], place: int) -> tuple[int, str]:
        """Return where a part of a word ends, and what it stands for."""
        text = match[0]
        if kind == "single":
            return place, text[1:-1]
        if kind == "dollar":
            return place, text[2:-1]
        if kind == "double":
            return place, _ESCAPED.sub(r"\1", text[1:-1])
        if kind == "escape":
            return place, text[1:]
        if kind == "variable":
            name = match["braced"] or match["named"]
            return place, f"\0{name}\0" if name else text
        if text in ('"', "`") or (text == "$" and self._script.startswith("(", place)):
            return nested(self._script, place, text)
        return place, text


def past_options(words: list[str], valued: Collection[str]) -> list[str]:
    """Return the words behind the options that stand first.

    :param valued: those of them with a value behind them.

    >>> past_options(["-r", "-C", "web", "exec", "-x"], {"-C"})
    ['exec', '-x']
    """
    place = 0
    while place < len(words) and words[place].startswith("-"):
        place += 2 if words[place] in valued else 1
    return words[place:]


_JOINTS: Mapping[str, Joint] = {"&&": "&&", "||": "||", "|": "|", "|&": "|", "&": "&"}
_VARIABLE = re.compile("\0(\\w+)\0")


def _target(command: Command, sign: str) -> list[str] | None:
    """Where the word behind a redirection goes."""
    if ">" in sign and "<" not in sign:
        return command.written
    return [] if sign.endswith("<<<") else command.read
