"""Shell scripts as simple commands, and the files that commands, patches and calls touch."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, islice
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias, cast

from hud_components.words import cut
from hud_runtime.log.secrets import masked
from hud_runtime.observe import _observations as observed
from hud_runtime.observe._observations import FileEvent, Record
from hud_runtime.observe.messages import names, rows

# Scripts as simple commands: words, quotes, substitutions.

# The contents of a shell script's quotes, substitutions and here-documents, one pass over its
# characters.


def heredoc(script: str, place: int, mark: str, *, is_indented: bool) -> tuple[int, str]:
    """Read a here-document from the beginning of a line; return its end and its text."""
    tabs = r"\t*" if is_indented else ""
    end = re.compile(rf"^{tabs}{re.escape(mark)}[ \t\r]*$", re.MULTILINE).search(script, place)
    if end is None:
        return len(script), script[place:]
    return min(end.end() + 1, len(script)), script[place : end.start()]


_QUOTED = re.compile(r'[^"\\$`]+|\\[\s\S]|\$(?=\()|[\s\S]')


def nested(script: str, place: int, opening: str) -> tuple[int, str]:
    """Read the content of ``"…"``, `````…````` or ``$(…)``; return its end and its text.

    A substitution keeps its sign, so that its text is not mistaken for a path.
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
        if text == "`" or (text == "$" and script.startswith("(", place)):
            place, text = nested(script, place, text)
            word += text
        elif text == "$":
            named = _PLACEHOLDER.match(script, place)
            if named:
                word += f"\0{named[1] or named[2]}\0"
                place = named.end()
            else:
                word += text
        elif text[0] == "\\" and len(text) > 1:
            word += text[1] if text[1] in '\\"$`' else "" if text[1] == "\n" else text
        else:
            word += text
    return place, word


_PLACEHOLDER = re.compile(r"\{(\w+)\}|([A-Za-z_]\w*)")
_PARENTHESES = re.compile(
    r"""[^()'"\\<]+|<<-?[ \t]*(?P<quote>['"]?)(?P<mark>[A-Za-z_]\w*)(?P=quote)|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[\s\S]"""
)


def _closing(script: str, place: int) -> int:
    """Return the position after the parenthesis that closes the one before ``place``."""
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
"""The operator after a command; empty at the end."""

LONGEST_SCRIPT = 200_000
"""Maximum characters of a script that are read."""

_KEYWORDS = names("keyword")
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
_INSIDE = {"single": slice(1, -1), "dollar": slice(2, -1), "escape": slice(1, None)}
"""The value of a piece within its quotes, or after its backslash."""


@dataclass(slots=True)
class SimpleCommand:
    """A simple command."""

    words: list[str] = field(default_factory=list[str])
    written: list[str] = field(default_factory=list[str])
    """The files that its output is written to."""
    read: list[str] = field(default_factory=list[str])
    """The files that its input is read from."""
    text: str = ""
    """Its here-documents."""
    joint: Joint = ""
    """The operator after it."""
    shells: tuple[int, ...] = ()
    """The subshells around it, by their places in the script."""
    directory: str = ""
    """The folder that the script's ``cd``, or an option around the command, has entered; empty for the first one."""
    around: list[str] = field(default_factory=list[str])
    """The assignments, and the words of the commands that run it."""
    container: str = ""
    """The container in which it runs."""

    @property
    def selected(self) -> list[str]:
        """The parts of the project that are selected around it: ``uv run --package api``."""
        if self.container:
            return [f"container {self.container}"]
        told = ((each, values_of(frozenset({each}), self.around)) for each in sorted(_SELECTING))
        return [f"{option} {value}" for option, values in told for value in values]


def commands(script: str) -> list[SimpleCommand]:
    r"""Return the simple commands of a script, in order.

    >>> [(one.words, one.joint) for one in commands("cd src && X=1 make 2>&1 | tail -5")]
    [(['cd', 'src'], '&&'), (['make'], '|'), (['tail', '-5'], '')]
    >>> [one.words for one in commands('for f in a b; do rm "$f"; done')]
    [['rm', 'a'], ['rm', 'b']]
    """
    return list(_Script(script[:LONGEST_SCRIPT], {}).commands())


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
        around: list[str] = []
        while words and words[0] in _KEYWORDS:
            around += [words[0]] if words[0] == "!" else []
            words = words[1:]
        if words[:1] == ["for"] or words[:1] == ["select"]:
            if len(words) > 3 and words[2] == "in":
                self._variables[words[1]] = [one for one in words[3:] if "\0" not in one][:100]
            return
        while words and (match := ASSIGNMENT.fullmatch(words[0])):
            if len(words) == 1:
                self._variables[match["name"]] = [self._one(match["value"], 0)]
            around.append(words[0])
            words = words[1:]
        if not words and not command.written:
            return
        names = [name for word in (*words, *command.written) for name in _VARIABLE.findall(word)]
        count = max((len(self._variables.get(name, ())) for name in names), default=1) or 1
        if words[:1] == ["cd"] and count > 1:
            words, count = ["cd", "$"], 1  # a loop runs in one folder after the other
        for place in range(count):
            command_words = [self._one(word, place) for word in words]
            written = [self._one(word, place) for word in command.written]
            yield replace(command, words=command_words, written=written, around=[*around])

    def _one(self, word: str, place: int) -> str:
        def value(match: re.Match[str]) -> str:
            known = self._variables.get(match[1])
            if not known:
                return f"${match[1]}"
            return known[min(place, len(known) - 1)]

        return _VARIABLE.sub(value, word) if "\0" in word else word

    def _simple(self) -> list[SimpleCommand]:
        script, place = self._script, 0
        command, word, started, closed = SimpleCommand(), "", False, False
        shells: tuple[int, ...] = ()
        negated: set[int] = set()
        found: list[SimpleCommand] = []
        target: list[str] | None = None
        pending: list[tuple[SimpleCommand, str, bool]] = []
        while place < len(script):
            match = _TOKEN.match(script, place)
            assert match is not None
            kind, text = match.lastgroup, match[0]
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
                    is_group_over = command.words == ["}"] or (not command.words and closed)
                    if text == "(" and command.words == ["!"]:
                        negated.add(place)
                    elif is_group_over and found:  # its last command has the operator after it
                        found[-1].joint = _JOINTS.get(text, ";")
                    elif command.words or command.written:
                        command.joint = _JOINTS.get(text, ";")
                        found.append(command)
                    closed = text == ")"
                    shells = (*shells, place) if text == "(" else shells[: -1 if closed else None]
                    command = SimpleCommand(shells=shells)
                continue
            started = True
            place, piece = self._piece(kind or "", match, place)
            word += piece
        if started:
            (command.words if target is None else target).append(word)
        if command.words or command.written:
            found.append(command)
        for each in found:
            if not negated.isdisjoint(each.shells):
                each.words.insert(0, "!")
        return found

    def _piece(self, kind: str, match: re.Match[str], place: int) -> tuple[int, str]:
        """Return the end of a part of a word, and its value."""
        text = match[0]
        if kind in _INSIDE:
            return place, text[_INSIDE[kind]]
        if kind == "double":
            return place, _ESCAPED.sub(r"\1", text[1:-1])
        if kind == "variable":
            name = match["braced"] or match["named"]
            return place, f"\0{name}\0" if name else text
        if text in ('"', "`") or (text == "$" and self._script.startswith("(", place)):
            return nested(self._script, place, text)
        return place, text


def past_options(words: list[str], valued: Collection[str]) -> list[str]:
    """Return the words after the leading options.

    :param valued: the options that take a value.

    >>> past_options(["-r", "-C", "web", "exec", "-x"], {"-C"})
    ['exec', '-x']
    """
    place = 0
    while place < len(words) and (words[place][:1] == "-" or words[place] in valued):
        place += 2 if words[place] in valued else 1
    return words[place:]


_JOINTS: Mapping[str, Joint] = {"&&": "&&", "||": "||", "|": "|", "|&": "|", "&": "&"}
_VARIABLE = re.compile("\0(\\w+)\0")


def _target(command: SimpleCommand, sign: str) -> list[str] | None:
    """The list that the target of a redirection is added to."""
    if ">" in sign and "<" not in sign:
        return command.written
    return [] if sign.endswith("<<<") else command.read


# Commands within commands: the commands that ``sudo``, ``uv run`` or ``bash -c`` run.

DEEPEST = 4
"""The maximum depth of nested scripts: ``bash -c "bash -c …"``."""

_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh"})

_RUNNERS = [(kind, of, names.split(", ")) for kind, of, names in rows("runners")]

WRAPPERS: Mapping[str, int] = {
    name: int(count) for kind, count, names in _RUNNERS if kind == "wrapper" for name in names
}
"""Commands that run the command after them, and the number of their own operands."""

RUNNERS: Mapping[tuple[str, ...], int] = {
    tuple(name.split()): int(count)
    for kind, count, names in _RUNNERS
    if kind in ("runner", "container")
    for name in names
}
"""The beginnings of commands that run a tool in a project's environment, and the number of their operands."""

_VALUED, _FOLDERS, _SELECTING, _CONTAINERS = (
    frozenset(name for kind, _, names in _RUNNERS if kind == of for name in names)
    for of in ("valued", "folder", "selecting", "container")
)
"""Options of such commands that take a value, that name the folder, and that select a part; those that run containers."""

_FLAGS: Mapping[str, frozenset[str]] = {
    program: frozenset(names) for kind, program, names in _RUNNERS if kind == "flags"
}
"""Options that take no value in these commands."""


def unwrapped(words: list[str]) -> list[str]:
    """Return the words of the command that another one runs.

    >>> unwrapped("env X=1 timeout 60 uv run --with pytest pytest -q".split())
    ['pytest', '-q']
    """
    return _opened(words)[0]


def _opened(words: list[str]) -> tuple[list[str], str]:
    """The words of the command that another one runs, and the container in which it does."""
    container = ""
    while words:
        name = words[0].rpartition("/")[2]
        is_container = False
        if name in WRAPPERS:
            rest, own = words[1:], WRAPPERS[name]
        else:
            ways = (words[1:], past_selection([name, *words[1:]]))
            starts = [((name, *way[:many]), way[many:]) for way in ways for many in (2, 1, 0)]
            runner, rest = next((one for one in starts if one[0] in RUNNERS), ((), list[str]()))
            if not runner:
                return words, container
            own = RUNNERS[runner]
            is_container = " ".join(runner) in _CONTAINERS
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
                container = word if is_container else container
                own, rest = own - 1, rest[1:]
            else:
                break
        if not rest:
            return words, container
        words = rest
    return words, container


def past_selection(words: list[str]) -> list[str]:
    """Return a program's words after the options that select a folder or a package.

    >>> past_selection(["npm", "-w", "api", "test"]), past_selection(["pnpm", "-w", "test"])
    (['test'], ['test'])
    """
    return past_options(words[1:], (_SELECTING | _FOLDERS) - _FLAGS.get(words[0], frozenset()))


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
    """Return the commands of a script and of nested scripts, without their wrappers.

    >>> [one.words for one in all_commands("bash -lc 'cd a && sudo rm b'")]
    [['cd', 'a'], ['rm', 'b']]
    >>> [one.directory for one in all_commands("(cd a && make); (cd b && make)")]
    ['', 'a', '', 'b']
    """
    found = _unfolded(script, 0)
    folders: dict[tuple[int, ...], tuple[str, list[str]]] = {}
    exported: list[tuple[tuple[int, ...], str]] = []
    for command in found:
        shells = [command.shells[:count] for count in range(len(command.shells), -1, -1)]
        folder, within = next(
            (folders[each] for each in shells if each in folders), ("", list[str]())
        )
        is_within = command.around[: len(within)] == within
        around = command.around[len(within) :] if is_within else command.around
        places = [folder, _folder_in(_FOLDERS, around)]
        name, *rest = command.words or [""]
        if name in ("cd", "pushd") and rest:
            folders[command.shells] = _joined([*places, rest[-1]]), command.around
        exported += [(command.shells, each) for each in rest if name == "export"]
        if name == "unset":
            exported = [one for one in exported if one[1].partition("=")[0] not in rest]
        if name == "git":
            variables = [word for where, word in exported if where in shells]
            places.append(_folder_in(_VARIABLES, [*variables, *command.around]))
        command.directory = _joined(places)
    return found


def _joined(places: Iterable[str]) -> str:
    return posixpath.join("", *filter(None, places))


def _unfolded(script: str, depth: int) -> list[SimpleCommand]:
    found: list[SimpleCommand] = []
    for command in commands(script):
        words, command.container = _opened(command.words)
        command.around += command.words[: len(command.words) - len(words)]
        command.words = words
        inner = script_in(command.words)
        if inner is None and command.text and command.words and len(command.words) == 1:
            name = command.words[0].rpartition("/")[2]
            inner = command.text if name in _SHELLS else None
        if inner is None or depth == DEEPEST:
            found.append(command)
            continue
        within = _unfolded(inner, depth + 1)
        for each in within:
            each.shells = (*command.shells, -len(found) - 1, *each.shells)
            each.around = [*command.around, *each.around]
            each.container = each.container or command.container
        if within:
            within[-1].joint = command.joint
            within[-1].written += command.written
        found += within
    return found


# Files that commands, patches and calls use.

# The shell commands and their effects on operands: a table that a user can extend.

Which: TypeAlias = Literal["all", "first", "last", "rest", "open", "move", "copy", "patch", "named", "revision"]  # fmt: skip
"""The operands that are files: all, the first, the last, all but the first; the editor's open file;
a source and a target; the files of a patch in the command's input; those with a suffix, as others
may be folders; or those after a revision, as in ``HEAD:a.py``.
"""


@dataclass(frozen=True, slots=True)
class FileCommand:
    """A shell command that opens, edits or removes files."""

    event: FileEvent

    which: Which = "all"
    """The operands that are files; ``open`` is the editor's open file instead."""

    only_with: frozenset[str] = frozenset()
    """The options without which it has no such effect: ``-i`` for ``sed``. A short one may be
    combined with others, and have a value attached.
    """

    reads_without: bool = False
    """True if it reads those files without these options."""

    takes: frozenset[str] = frozenset()
    """Options with a value, which is not a file."""

    script_in: frozenset[str] = frozenset()
    """Options whose value is the script; without any of them the first operand is the script."""

    into: frozenset[str] = frozenset()
    """Options whose value is the output file; the operands are then not files."""

    tries_with: frozenset[str] = frozenset()
    """Options with which it only shows what it would do."""


COMMANDS: Mapping[str, FileCommand] = MappingProxyType(
    {
        name: FileCommand(
            cast("FileEvent", event),
            cast("Which", which),
            frozenset(only_with.split()),
            reads == "reads",
            frozenset(takes.split()),
            frozenset(script_in.split()),
            frozenset(into.split()),
            frozenset(tries.split()),
        )
        for event, which, reads, only_with, takes, script_in, into, tries, names in rows(
            "file-commands"
        )
        for name in names.split(", ")
    }
)
"""The known shell commands, by name; for a program with subcommands, by both words."""


# The text that an edit inserts into a file or removes, in short: the longest of those lines that define a name, else
# of those that are not comments. Imports, and the marks of a conflict, say too little.

LONGEST = 80
"""Maximum characters of a reported edit."""

LOOKED_AT = 50_000
"""Maximum characters of an edit that are examined."""

WHOLE = ("content", "contents", "file_text")
NEW = ("new_string", "new_str", "newString", "content", "contents", "file_text", "new_text", "new_source", "insert_text", "code_edit")  # fmt: skip
OLD = ("old_string", "old_str", "oldString", "old_text")
"""Arguments with the text that an edit inserts, and with the text that it removes."""


_SAYS_LITTLE = re.compile(
    r"\W*+$|[<>=|]{7}(?!\S)|(?:from \S+ )?import\b|use \S+;|using \S+;|#include\b|(?:\w+ )?[\"'][\w./@-]+[\"'],?$"
)
_WORD = re.compile(r"\w+")
_COMMENT = re.compile(r"#|//|/?\*|--|;|<!--|[\"']{3}")
_DEFINING, _BEFORE_DEFINING = names("defines a name"), names("before a definition")


def _tells(line: str, known: Collection[str] = ()) -> tuple[bool, bool, bool, int]:
    """Return how much a line says about an edit, as a key to compare; one with words that the other text lacks says more."""
    is_new = any(word not in known for word in _WORD.findall(line[:_LOOKED_AT_IN_LINE]))
    words = (word for word in line.split(" ", 8) if word not in _BEFORE_DEFINING)
    return next(words, "") in _DEFINING, not _COMMENT.match(line), is_new, len(line)


def newest_line(new: str, old: str = "") -> str:
    r"""Return the most telling line of a text that another one lacks, without secrets; empty for none.

    >>> newest_line("a = 1\nretries = 5\n", "a = 1\nretries = 3\n")
    'retries = 5'
    >>> newest_line("# Fetches the address, and gives up.\nasync def fetch(url):\n    return await client.get(url)")
    'async def fetch(url):'
    """
    known = {line.strip() for line in old[:LOOKED_AT].splitlines()}
    words = {*_WORD.findall(old[:LOOKED_AT])}
    lines = (line.strip() for line in new[:LOOKED_AT].splitlines())
    telling = (line for line in lines if line not in known and not _SAYS_LITTLE.match(line))
    told = max(telling, key=lambda line: _tells(line, words), default="")
    return cut(" ".join(masked(told[: 4 * LONGEST]).split()), LONGEST)


class EditInShort(NamedTuple):
    """What an edit changes, in short."""

    text: str = ""
    """The line that it inserts or removes."""

    is_removal: bool = False
    """True if it removes that."""

    names: str = ""
    """The names of the definitions, headings and keys that it changes, separated by commas."""


def _changed(edits: Sequence[tuple[str, str]], path: str, original: str = "") -> EditInShort:
    """Return the changes of edits: of the last one the line that it inserts, or the one that it removes, if that says more.

    :param edits: the new and the old text of each, the last first.
    :param original: the file before them, if known.
    """
    told = (changed_names(new, old, path, original) for new, old in edits[:MOST_EDITS])
    names = ", ".join(islice(dict.fromkeys(chain.from_iterable(told)), MOST_NAMES))
    for new, old in edits:
        put_in, removed = newest_line(new, old), newest_line(old, new)
        if put_in or removed:
            is_removal = (
                _tells(removed)[:2] > _tells(put_in)[:2] if put_in and removed else not put_in
            )
            return EditInShort(removed if is_removal else put_in, is_removal, names)
    return EditInShort(names=names)


def change_by(given: Record, path: str | None = None, original: str | None = None) -> EditInShort:
    r"""Return the changes of an editor's call; of several edits the line of the last.

    :param original: the file before it, if its host tells.

    >>> change_by({"edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]})
    EditInShort(text='d', is_removal=False, names='')
    >>> change_by({"old_string": "def load():\n    return 1\n", "new_string": "# Gone.\n"}, "a.py")
    EditInShort(text='def load():', is_removal=True, names='load')
    >>> change_by({"old_string": "return 1", "new_string": "return 2"}, "a.py", "def load():\n    return 1\n").names
    'load'
    """
    edits = [*map(observed.mapping, observed.sequence(given.get("edits"))), given]
    before = original or ""
    replaced = before if first(given, WHOLE) else ""
    texts = [(first(one, NEW) or "", first(one, OLD) or replaced) for one in reversed(edits)]
    return _changed(texts, path or "", before)


# The names that an edit changes: those of definitions, headings and keys, by tables of the lines that define them.

MOST_NAMES = 4
"""Maximum names of one edit."""

MOST_EDITS = 12
"""Maximum edits of one call that are searched for names, the last ones."""

LONGEST_NAME = 60
"""Maximum characters of a name."""

_LOOKED_AT_IN_LINE = 200

Extent: TypeAlias = Literal["body", "rest", "line"]
"""The lines that belong to a name."""


@cache
def _definitions() -> Mapping[str, Sequence[tuple[Extent, re.Pattern[str]]]]:
    """Return the lines that define a name, by the ending of a file's name."""
    found: dict[str, list[tuple[Extent, re.Pattern[str]]]] = {}
    for endings, extent, pattern in rows("definitions"):
        row = cast("Extent", extent), re.compile(pattern)
        for ending in endings.split():
            found.setdefault(ending, []).append(row)
    return found


def changed_names(new: str, old: str, path: str, original: str = "") -> Iterable[str]:
    r"""Return the names in whose definitions, sections or entries lines were inserted, else those that lost lines.

    >>> list(changed_names("def load():\n    x = 2\n", "def load():\n    x = 1\n", "a.py"))
    ['load']
    >>> list(changed_names("# Use\n\n## Sign in\n\nWith a token.\n", "# Use\n", "README.md"))
    ['Sign in']
    """
    ending = posixpath.basename(path).rpartition(".")[2].lower()
    known = _definitions().get(ending, ())
    if not known or not (new or old):
        return ()
    before = _enclosing(original, old, known) if old else ""
    new, old = before + new, before + old
    return _names_in(new, old, known) or _names_in(old, new, known)


def _enclosing(original: str, old: str, known: Sequence[tuple[Extent, re.Pattern[str]]]) -> str:
    """Return the line that defines what a text in a file is in, and the beginning of the text's own first line."""
    place = original.find(old)
    before, _, own = original[max(place - LOOKED_AT, 0) : max(place, 0)].rpartition("\n")
    inside = (own + old[:LOOKED_AT]).splitlines()
    least = min((_indent(one) for one in inside if not _SAYS_LITTLE.match(one.strip())), default=0)
    for line in reversed(before.splitlines()):
        told = line.strip()
        if _SAYS_LITTLE.match(told) or told[0] in _CLOSING:
            continue
        extent, name = _defined_by(told[:_LOOKED_AT_IN_LINE], known)
        if name and (extent == "rest" or (extent == "body" and _indent(line) < least)):
            return f"{line}\n{own}"
        least = min(least, _indent(line))
    return own


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


_CLOSING = ")]}"
"""The beginnings of lines that end what began further above."""


def _names_in(
    text: str, other: str, known: Sequence[tuple[Extent, re.Pattern[str]]]
) -> Iterable[str]:
    """Return the names of lines that another text lacks; of new definitions, not what is within."""
    same = {line.strip() for line in other[:LOOKED_AT].splitlines()}
    around: list[tuple[int, str, bool]] = []
    """The enclosing names, each with its indent, and whether it is new."""
    found: dict[str, None] = {}
    for line in text[:LOOKED_AT].splitlines():
        told = line.strip()
        if _SAYS_LITTLE.match(told):
            continue
        indent = _indent(line)
        while around and around[-1][0] >= indent:
            around.pop()
        _, outer, is_in_new = around[-1] if around else (-1, "", False)
        is_new = told not in same
        extent, name = _defined_by(told[:_LOOKED_AT_IN_LINE], known)
        if is_new and not is_in_new and (name or outer):
            found[name or outer] = None
        if name and extent == "rest":
            around = [(-1, name, is_new)]
        elif name and extent == "body":
            around.append((indent, name, is_new or is_in_new))
    return found


def _defined_by(line: str, known: Sequence[tuple[Extent, re.Pattern[str]]]) -> tuple[Extent, str]:
    """Return the name that a line defines, empty for none, and the lines that belong to it."""
    for extent, pattern in known:
        if match := pattern.match(line):
            return extent, _name(match["name"])
    return "line", ""


def _name(text: str) -> str:
    return cut(masked(text).strip(' \t`*_#{:"').replace("`", ""), LONGEST_NAME)


_MADE = re.compile(
    r"\bfile (?:was )?(?:successfully )?created\b|\b(?:created|wrote) (?:a )?new file\b|^A \S+\.\w+$",
    re.IGNORECASE | re.MULTILINE,
)
"""The answers of editors that created a file; patches list it after an "A"."""


def made_new(result: observed.ToolAnswer) -> bool:
    """Return whether an answer says that a file was created.

    >>> made_new(observed.ToolAnswer(text="File created successfully at: /app/a.py")), made_new(observed.ToolAnswer(text="Updated a.py"))
    (True, False)
    """
    return result.data.get("type") == "create" or _MADE.search(result.text[:LONGEST]) is not None


def first(given: Record, names: Sequence[str]) -> str | None:
    """Return the first of these arguments with a text."""
    return next(filter(None, (observed.string(given.get(name)) for name in names)), None)


# The files that a patch changes: the format of ``apply_patch``, and unified diffs.

_APPLY = re.compile(r"^\*\*\* (?P<what>Add|Delete|Update) File: (?P<path>.+?)[ \t\r]*$|^\*\*\* Move to: (?P<to>.+?)[ \t\r]*$", re.MULTILINE)  # fmt: skip
_DIFF = re.compile(r"^--- (?P<old>\S[^\t\n]*+).*+\n\+\+\+ (?P<new>\S[^\t\n]*)", re.MULTILINE)
_NOTHING = "/dev/null"

BEGIN = "*** Begin Patch"


def patched(text: str) -> Iterator[FileUse]:
    r"""Yield the changes of a patch, each with its file, and the line that it inserts or removes there.

    >>> patch = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y = 2\n*** End Patch"
    >>> [(one.event, one.path, one.change) for one in patched(patch)]
    [('file.close', 'a.py', ''), ('file.edit', 'b.py', 'y = 2')]
    >>> [(one.event, one.path) for one in patched("--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-x\n+y\n")]
    [('file.edit', 'x.py')]
    >>> [*patched("*** Begin Patch\n*** End Patch")]
    []
    """
    is_applied = BEGIN in text or "*** Update File:" in text or "*** Add File:" in text
    headers = [*(_APPLY if is_applied else _DIFF).finditer(text)]
    for header, after in zip(headers, [*headers[1:], None], strict=False):
        lines = text[header.end() : after.start() if after else len(text)].splitlines()
        path = header["path"] or header["to"] if is_applied else header["new"]
        change = _changed([(_lines_after("+ @", lines), _lines_after("- @", lines))], path)
        if is_applied:
            yield _applied(header, change, is_moved=after is not None and bool(after["to"]))
        else:
            yield from _differing(header, change)


def _lines_after(signs: str, lines: Iterable[str]) -> str:
    """Return the lines after these signs; of a hunk's own line, what stands behind its places."""
    told = (line for line in lines if line[:1] and line[:1] in signs)
    return "\n".join(
        line.rpartition("@@")[2].strip() if line[0] == "@" else line[1:] for line in told
    )


def _applied(header: re.Match[str], change: EditInShort, *, is_moved: bool) -> FileUse:
    path = header["to"] or header["path"]
    if is_moved:
        return FileUse("file.close", path)
    return FileUse("file.close" if header["what"] == "Delete" else "file.edit", path, *change)


def _differing(header: re.Match[str], change: EditInShort) -> Iterator[FileUse]:
    old, new = _bare(header["old"]), _bare(header["new"])
    if old not in (_NOTHING, new):
        yield FileUse("file.close", old)
    if new != _NOTHING:
        yield FileUse("file.edit", new, *change)


def _bare(path: str) -> str:
    path = path.strip()
    return path[2:] if path[:2] in ("a/", "b/") else path


# The files that a program in a here-document, or after ``-c``, writes, as far as its text shows.

_NAME = r"[A-Za-z_]\w*"
_STRING = r"""r?(?:'(?P<{0}a>[^'\n]{{1,300}})'|"(?P<{0}b>[^"\n]{{1,300}})")"""

_ASSIGNED = re.compile(
    rf"\b(?P<name>{_NAME})[ \t]*=[ \t]*(?:(?:pathlib\.)?Path\([ \t]*)?{_STRING.format('v')}"
    r"(?![ \t]*+(?:\)[ \t]*+)?(?:[/+%,]|\.(?:format|join)))"
)
_WRITTEN = re.compile(
    rf"""\bopen\([ \t]*(?:{_STRING.format("o")}|(?P<on>{_NAME}))[ \t]*,[ \t]*(?:mode[ \t]*=[ \t]*)?['"][rb]*[wax+]
    |Path\([ \t]*(?:{_STRING.format("p")}|(?P<pn>{_NAME}))[ \t]*\)\.write_(?:text|bytes)
    |\b(?P<wn>{_NAME})\.write_(?:text|bytes)\(
    |\b(?:write|append)File(?:Sync)?\([ \t]*(?:{_STRING.format("f")}|(?P<fn>{_NAME}))""",
    re.VERBOSE,
)


def written_by(code: str) -> Iterator[str]:
    r"""Yield the paths of the files that code writes.

    >>> list(written_by("p = 'a.py'\ns = open(p).read()\nopen(p, 'w').write(s)\nPath('b').write_text('')"))
    ['a.py', 'b']
    """
    if "write" not in code and "open" not in code:
        return
    names = {one["name"]: one["va"] or one["vb"] for one in _ASSIGNED.finditer(code)}
    for match in _WRITTEN.finditer(code):
        said = match.groupdict()
        path = next(
            (said[f"{one}{kind}"] for one in "opf" for kind in "ab" if said[f"{one}{kind}"]), None
        )
        name = said["on"] or said["pn"] or said["wn"] or said["fn"]
        path = path or names.get(name or "")
        if path:
            yield path


# The files that a shell command uses, as far as its text shows. This parses commands and does not
# run a shell: it ignores commands that it cannot parse.

PLAIN = re.compile(r"(?!/dev/|[-+]\w*$|-)[^*?$`{}<>|&;'\"\n\\\0]{0,400}[\w.)\]]")
"""A literal path: no pattern, no variable, no device, no quotation, no ``+359``."""

_INTERPRETERS = re.compile(r"(?:python[\d.]*|node|ruby|perl|deno|bun|tsx)")
_CODE = frozenset({"-c", "-e", "--eval", "-p"})


@dataclass(frozen=True, slots=True)
class FileUse:
    """A file that a command opens, edits or removes; an empty path is the editor's open file."""

    event: FileEvent
    path: str | None
    change: str = ""
    """The text that an edit inserts or removes, in short."""
    is_removal: bool = False
    """True if the edit removes that."""
    names: str = ""
    """The names that an edit changes, separated by commas."""
    is_new: bool = False
    """True if an edit creates the file."""


def touched(script: str, table: Mapping[str, FileCommand] = COMMANDS) -> Iterator[FileUse]:
    """Yield the files that a script uses, in order.

    >>> [(one.event, one.path) for one in touched("cd src && cat a.py > b.py; rm -f c.py")]
    [('file.open', 'src/a.py'), ('file.edit', 'src/b.py'), ('file.close', 'src/c.py')]
    """
    if edits_open_file(script, table):
        yield FileUse(table[script.split(maxsplit=1)[0]].event, None)
        return  # SWE-agent's editor commands take the rest of the text as an argument
    yield from touched_by(all_commands(script), table)


def touched_by(
    found: Iterable[SimpleCommand], table: Mapping[str, FileCommand] = COMMANDS
) -> Iterator[FileUse]:
    """Yield the files that commands use, in order."""
    for command in found:
        words = command.words
        name = posixpath.basename(words[0]) if words and not command.container else ""
        known = table.get(name)
        if known is not None and known.which == "open":
            yield FileUse(known.event, None)
            return
        for event, path in (*_by_words(name, command, table), *_by_code(name, command)):
            full = posixpath.join(command.directory, path)
            if PLAIN.fullmatch(full) and len(path) < 400:
                text = command.text if path in command.written else ""
                yield FileUse(event, full, *_changed([(text, "")], path))


def edits_open_file(script: str, table: Mapping[str, FileCommand] = COMMANDS) -> bool:
    """Return whether a script is an editor's command on its open file."""
    known = table.get(next(iter(script.split(maxsplit=1)), ""))
    return known is not None and known.which == "open"


def _by_words(
    name: str, command: SimpleCommand, table: Mapping[str, FileCommand]
) -> Iterator[tuple[FileEvent, str]]:
    words = command.words
    known, rest = table.get(name), words[1:]
    if name == "git":
        operation, rest = git_operation(words)
        known = table.get(f"git {operation}")
    if known is not None and known.tries_with.isdisjoint(rest):
        if known.which == "patch":
            text = command.text or next((one for one in rest if BEGIN in one), "")
            for one in patched(text):
                yield one.event, one.path or ""
        else:
            yield from _operands_of(known, rest)
    for path in command.written:
        yield "file.edit", path


def _by_code(name: str, command: SimpleCommand) -> Iterator[tuple[FileEvent, str]]:
    if not _INTERPRETERS.fullmatch(name):
        return
    words = command.words
    code = [words[place + 1] for place, one in enumerate(words[:-1]) if one in _CODE]
    for path in written_by("\n".join((command.text, *code))):
        yield "file.edit", path


def git_operation(words: list[str]) -> tuple[str, list[str]]:
    """Return git's operation, and the words after it.

    >>> git_operation(["git", "-C", "/app", "push", "-u", "origin"])
    ('push', ['-u', 'origin'])
    """
    operation, *rest = past_options(words[1:], _OF_GIT) or [""]
    return operation, rest


def git_folder(words: list[str]) -> str:
    """Return the folder that git's leading options select.

    >>> git_folder(["git", "--git-dir=/app/.git", "commit", "-C", "HEAD"])
    '/app'
    """
    options = words[1 : len(words) - len(git_operation(words)[1]) - 1]
    return _folder_in(_OF_REPOSITORY, options)


def _folder_in(options: frozenset[str], words: Sequence[str]) -> str:
    return posixpath.join("", *(each.removesuffix("/.git") for each in values_of(options, words)))


_OF_REPOSITORY = frozenset(["-C", "--git-dir", "--work-tree"])
_VARIABLES = frozenset(["GIT_DIR", "GIT_WORK_TREE"])
"""Options of git, and variables of its environment, that select a repository."""

_OF_GIT = _OF_REPOSITORY | {"-c"}


def values_of(options: frozenset[str], words: Sequence[str]) -> Iterator[str]:
    """Yield the values of options: ``-o a``, ``-sSLo a``, ``--output=a``, ``of=a``."""
    for place, word in enumerate(words):
        option, is_set, value = word.partition("=")
        if is_set and option in options:
            yield value
        elif re.fullmatch(r"-[A-Z][\w./-]+", word) and word[:2] in options:
            yield word[2:]
        elif place + 1 < len(words) and (
            word in options or (re.fullmatch(r"-\w+", word) and f"-{word[-1]}" in options)
        ):
            yield words[place + 1]


_PLACES: Mapping[Which, slice] = {
    "first": slice(1),
    "last": slice(-1, None),
    "rest": slice(1, None),
}
"""The operands that are files, by their places."""


def _operands_of(known: FileCommand, words: list[str]) -> Iterator[tuple[FileEvent, str]]:
    if known.into:
        for value in values_of(known.into, words):
            yield known.event, value
        return
    operands, options = split_options(words, known.takes)
    operands = [one for one in operands if one]  # an empty one is the suffix argument of sed -i
    event = known.event
    if known.only_with and not any(has_option(options, one) for one in known.only_with):
        if not known.reads_without:
            return
        event = "file.open"
    if known.script_in and not any(has_option(options, one) for one in known.script_in):
        operands = operands[1:]
    operands = operands[_PLACES.get(known.which, slice(None))]
    match known.which:
        case "move" | "copy":
            yield from _moved(known, operands)
            return
        case "named":
            operands = [one for one in operands if posixpath.splitext(one)[1]]
        case "revision":
            operands = [one.partition(":")[2] for one in operands if ":" in one]
        case _:
            pass
    for path in operands:
        yield event, path


def _moved(known: FileCommand, operands: list[str]) -> Iterator[tuple[FileEvent, str]]:
    if len(operands) < 2:
        return
    *sources, target = operands
    for source in sources:
        yield ("file.close" if known.which == "move" else "file.open"), source
        into = len(sources) > 1 or target.endswith("/") or target in (".", "..")
        name = posixpath.basename(source.rstrip("/"))
        yield "file.edit", posixpath.join(target, name) if into else target


def split_options(
    words: Iterable[str], takes: frozenset[str] = frozenset()
) -> tuple[list[str], list[str]]:
    """Return the operands among a command's words, and its options.

    A number after an option is its value: ``head -n 5``.
    """
    operands: list[str] = []
    options: list[str] = []
    rest = iter(words)
    option = False
    for word in rest:
        if word == "--":
            operands.extend(rest)
            break
        if word.startswith("-") and len(word) > 1:
            options.append(word)
            if word in takes or (word[1] != "-" and f"-{word[-1]}" in takes and word[1:].isalnum()):
                next(rest, None)
            option = True
        else:
            if not (option and word.isdecimal()):
                operands.append(word)
            option = False
    return operands, options


def has_option(options: list[str], wanted: str) -> bool:
    """Return whether an option is there, with or without a value, or among short ones: ``-f`` in ``-xfd``."""
    if wanted.startswith("--"):
        return any(one == wanted or one.startswith(f"{wanted}=") for one in options)
    letter = wanted[1:]
    return any(
        one.startswith(wanted) or (letter in one[1:] and one[1:].isalnum()) for one in options
    )
