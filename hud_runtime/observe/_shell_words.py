"""Shell scripts as simple commands: words, quotes, substitutions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

# The contents of a shell script's quotes, substitutions and here-documents, one look at each character.


def heredoc(script: str, place: int, mark: str, *, is_indented: bool) -> tuple[int, str]:
    """Read a here-document from the beginning of a line; return where it ends, and its text."""
    tabs = r"\t*" if is_indented else ""
    end = re.compile(rf"^{tabs}{re.escape(mark)}[ \t\r]*$", re.MULTILINE).search(script, place)
    if end is None:
        return len(script), script[place:]
    return min(end.end() + 1, len(script)), script[place : end.start()]


_QUOTED = re.compile(r'[^"\\$`]+|\\[\s\S]|\$(?=\()|[\s\S]')


def nested(script: str, place: int, opening: str) -> tuple[int, str]:
    """Read what stands in ``"…"``, `````…````` or ``$(…)``; return where it ends, and its text.

    A substitution keeps its sign, so that nobody takes its text for a path.
    """
    if opening == "`":
        end = script.find("`", place)
        end = len(script) if end < 0 else end
        return end + 1, f"`{script[place:end]}`"
    if opening == "$":
        end = _closing(script, place + 1)
        return end, f"${script[place:end]}"
    word = ""
    while place < len(script):
        match = _QUOTED.match(script, place)
        assert match is not None
        text = match[0]
        place = match.end()
        if text == '"':
            return place, word
        if text == "$" and script.startswith("(", place):
            end = _closing(script, place + 1)
            word += f"${script[place:end]}"
            place = end
        elif text == "$":
            named = _NAME.match(script, place)
            if named:
                word += f"\0{named[1] or named[2]}\0"
                place = named.end()
            else:
                word += text
        elif text == "`":
            end = script.find("`", place)
            end = len(script) if end < 0 else end
            word += f"`{script[place:end]}`"
            place = end + 1
        elif text[0] == "\\" and len(text) > 1:
            word += text[1] if text[1] in '\\"$`' else "" if text[1] == "\n" else text
        else:
            word += text
    return place, word


_NAME = re.compile(r"\{(\w+)\}|([A-Za-z_]\w*)")
_PARENTHESES = re.compile(
    r"""[^()'"\\<]+|<<-?[ \t]*(?P<quote>['"]?)(?P<mark>[A-Za-z_]\w*)(?P=quote)|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[\s\S]"""
)


def _closing(script: str, place: int) -> int:
    """Return the place behind the parenthesis that closes the one before ``place``."""
    depth = 1
    while place < len(script):
        match = _PARENTHESES.match(script, place)
        assert match is not None
        place = match.end()
        if match["mark"]:
            line = script.find("\n", place)
            place, _ = heredoc(
                script, len(script) if line < 0 else line + 1, match["mark"], is_indented=True
            )
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if not depth:
            return place
    return place


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
class SimpleCommand:
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


def commands(script: str) -> list[SimpleCommand]:
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

    def commands(self) -> Iterator[SimpleCommand]:
        for command in self._simple():
            yield from self._meant(command)

    def _meant(self, command: SimpleCommand) -> Iterator[SimpleCommand]:
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
            yield SimpleCommand(command_words, written, command.read, command.text, command.joint)

    def _one(self, word: str, place: int) -> str:
        def value(match: re.Match[str]) -> str:
            known = self._variables.get(match[1])
            if not known:
                return f"${match[1]}"
            return known[min(place, len(known) - 1)]

        return _VARIABLE.sub(value, word) if "\0" in word else word

    def _filled(self, word: str) -> list[str]:
        return [self._one(word, 0)]

    def _simple(self) -> list[SimpleCommand]:
        script, place = self._script, 0
        command, word, started = SimpleCommand(), "", False
        found: list[SimpleCommand] = []
        target: list[str] | None = None
        pending: list[tuple[SimpleCommand, str, bool]] = []
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
                    command = SimpleCommand()
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


def _target(command: SimpleCommand, sign: str) -> list[str] | None:
    """Where the word behind a redirection goes."""
    if ">" in sign and "<" not in sign:
        return command.written
    return [] if sign.endswith("<<<") else command.read


# Commands within commands: what ``sudo``, ``uv run`` or ``bash -c`` run, as commands of their own.

DEEPEST = 4
"""How many scripts may stand within one another: ``bash -c "bash -c …"``."""

_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh"})

WRAPPERS: Mapping[str, int] = {
    **dict.fromkeys(
        ("sudo", "command", "exec", "nohup", "time", "nice", "stdbuf", "env", "ionice", "chronic", "builtin", "winpty",
         "xvfb-run", "cross-env", "unbuffer", "catchsegv", "nyc", "c8", "dotenvx", "setsid", "caffeinate"),
        0,
    ),
    **dict.fromkeys(("timeout", "gtimeout"), 1),
}  # fmt: skip
"""Commands that run the command behind them, and how many operands of their own they have."""

RUNNERS: Mapping[tuple[str, ...], int] = {
    **dict.fromkeys(
        (
            ("uv", "run"), ("poetry", "run"), ("pdm", "run"), ("hatch", "run"), ("rye", "run"), ("coverage", "run"),
            ("pipenv", "run"), ("pixi", "run"), ("conda", "run"), ("bundle", "exec"), ("npm", "exec"),
            ("pnpm", "exec"), ("pnpm", "dlx"), ("yarn", "exec"), ("yarn", "dlx"), ("npx",), ("bunx",),
            ("uvx",), ("uv", "tool", "run"), ("pipx", "run"), ("mise", "exec"), ("mise", "x"), ("direnv", "exec", "."),
            ("dotenv",), ("xargs",), ("rtk",), ("doppler", "run"), ("nix", "develop", "-c"), ("op", "run"), ("devbox", "run"),
        ),
        0,
    ),
    ("docker", "exec"): 1, ("docker", "run"): 1, ("docker", "compose", "exec"): 1, ("docker", "compose", "run"): 1,
    ("docker-compose", "exec"): 1, ("docker-compose", "run"): 1, ("podman", "exec"): 1, ("podman", "run"): 1,
    ("kubectl", "exec"): 1, ("aws-vault", "exec"): 1,
}  # fmt: skip
"""The beginnings of commands that run a tool of a project's own environment, and how many operands they have."""

_VALUED = frozenset(
    {"-u", "-n", "-k", "-s", "--with", "--python", "--extra", "--group", "--project", "--directory",
     "--package", "-p", "-C", "-E", "--env-file", "-I", "-i", "-o", "-v", "--volume", "-w", "--workdir", "-e", "--env",
     "--name", "--network", "--user", "--entrypoint", "--source", "--mount", "--with-requirements", "-c", "--container"}
)  # fmt: skip
"""Options of such commands that have a value behind them."""

_FLAGS: Mapping[str, frozenset[str]] = {
    "docker": frozenset({"-i"}), "podman": frozenset({"-i"}), "kubectl": frozenset({"-i"}), "sudo": frozenset({"-n", "-E", "-k", "-s", "-i", "-v"}),
    "coverage": frozenset({"-p"}), "time": frozenset({"-p", "-v"}), "env": frozenset({"-i"}),
}  # fmt: skip
"""Options that have no value where these commands take them."""


def unwrapped(words: list[str]) -> list[str]:
    """Return the words of the command that another one runs.

    >>> unwrapped("env X=1 timeout 60 uv run --with pytest pytest -q".split())
    ['pytest', '-q']
    """
    while words:
        name = words[0].rpartition("/")[2]
        words = _placed(name, words)
        if name in WRAPPERS:
            rest, own = words[1:], WRAPPERS[name]
        else:
            starts = ((name, *words[1:many]) for many in (3, 2, 1))
            runner = next((one for one in starts if one in RUNNERS), None)
            if runner is None:
                return words
            rest, own = words[len(runner) :], RUNNERS[runner]
        while rest:
            word = rest[0]
            if word == "--":
                rest = rest[1:]
                break
            if word.startswith("-"):
                is_valued = word in _VALUED and word not in _FLAGS.get(name, ())
                rest = rest[2:] if is_valued and len(rest) > 1 else rest[1:]
            elif name in ("env", "cross-env", "dotenvx") and ASSIGNMENT.fullmatch(word):
                rest = rest[1:]
            elif own:
                own, rest = own - 1, rest[1:]
            else:
                break
        if not rest:
            return words
        words = rest
    return words


def _placed(name: str, words: list[str]) -> list[str]:
    """Without what says in which package a manager is to run a tool: ``pnpm -r exec tsc``."""
    if name == "yarn" and words[1:2] == ["workspace"] and len(words) > 3:
        return [name, *words[3:]]
    if name not in ("npm", "pnpm", "yarn"):
        return words
    rest = past_options(words[1:], IN_PACKAGE)
    return [name, *rest] if rest[:1] in (["exec"], ["dlx"]) else words


IN_PACKAGE = frozenset(["--filter", "-F", "-C", "--dir", "--prefix", "--workspace", "--cwd"])
"""Options of managers of packages that say in which one, each with a value."""


def script_in(words: list[str]) -> str | None:
    """Return the script that a shell is given: ``bash -lc "…"``.

    >>> script_in(["bash", "-lc", "make test"])
    'make test'
    """
    if not words or words[0].rpartition("/")[2] not in _SHELLS:
        return "".join(words[1:]) if words[:1] == ["eval"] else None
    for place, word in enumerate(words[1:], start=1):
        if re.fullmatch(r"-[a-z]*c", word):
            return words[place + 1] if place + 1 < len(words) else None
        if not word.startswith("-"):
            return None
    return None


def all_commands(script: str) -> list[SimpleCommand]:
    """Return the commands of a script and of the scripts within it, without what wraps them.

    >>> [one.words for one in all_commands("bash -lc 'cd a && sudo rm b'")]
    [['cd', 'a'], ['rm', 'b']]
    """
    return _unfolded(script, 0)


def _unfolded(script: str, depth: int) -> list[SimpleCommand]:
    found: list[SimpleCommand] = []
    for command in commands(script):
        command.words = unwrapped(command.words)
        inner = script_in(command.words)
        if inner is None and command.text and command.words and len(command.words) == 1:
            name = command.words[0].rpartition("/")[2]
            inner = command.text if name in _SHELLS else None
        if inner is None or depth == DEEPEST:
            found.append(command)
            continue
        within = _unfolded(inner, depth + 1)
        if within:
            within[-1].joint = command.joint
            within[-1].written += command.written
        found += within
    return found
