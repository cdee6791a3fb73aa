"""Files that commands, patches and calls touch."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from hud_components.words import cut
from hud_runtime.log.secrets import masked
from hud_runtime.observe._observations import (
    FileEvent,
    Record,
    ToolAnswer,
    mapping,
    sequence,
    string,
)
from hud_runtime.observe._shell_words import SimpleCommand, all_commands, past_options

# The shell commands and what each does to which of its operands: a table that a user can extend.

Which: TypeAlias = Literal["all", "first", "last", "rest", "open", "move", "copy", "patch", "named", "revision"]  # fmt: skip
"""Which operands are files: all, the first, the last, all but the first; the editor's open file; a
source and a target; those that a patch in the command's input names; those with a suffix, as others may be folders;
or those behind a revision, as in ``HEAD:a.py``."""


@dataclass(frozen=True, slots=True)
class FileCommand:
    """A shell command that opens, edits or removes files."""

    event: FileEvent

    which: Which = "all"
    """Which operands are files; ``open`` is the editor's open file instead."""

    only_with: frozenset[str] = frozenset()
    """The options without which it does nothing of the kind: ``-i`` for ``sed``. A short one may stand
    among others, and a value behind it."""

    reads_without: bool = False
    """Whether it reads those files without these options."""

    takes: frozenset[str] = frozenset()
    """Options with a value behind them, which is no file."""

    script_in: frozenset[str] = frozenset()
    """Options that bring the script; without any of them the first operand is it."""

    into: frozenset[str] = frozenset()
    """Options whose value is the file that it writes; then the operands are none."""


_SEARCHES = FileCommand(
    "file.open",
    "named",
    script_in=frozenset({"-e", "-f", "--regexp", "--file", "--files"}),
    takes=frozenset([
        "-A", "-B", "-C", "-m", "-g", "-t", "-T", "-e", "-f", "--glob", "--type", "--type-not", "--include",
        "--exclude", "--max-count", "--regexp", "--file", "--context",
    ]),
)  # fmt: skip
"""A search: what it prints of a file that is named is read."""

_SED = frozenset({"-e", "-f", "--expression", "--file"})
_FIX = frozenset({"--fix", "--write", "-w", "--unsafe-fixes", "--in-place"})

COMMANDS: Mapping[str, FileCommand] = MappingProxyType(
    {
        **dict.fromkeys(("cat", "bat", "less", "more", "file"), FileCommand("file.open")),
        **dict.fromkeys(("nl", "xxd", "strings"), FileCommand("file.open", "last")),
        **dict.fromkeys(
            ("head", "tail"), FileCommand("file.open", takes=frozenset({"-n", "-c", "--lines", "--bytes"}))
        ),
        "touch": FileCommand("file.edit", takes=frozenset({"-d", "-t", "-r"})),
        "truncate": FileCommand("file.edit", takes=frozenset({"-s", "--size"})),
        "tee": FileCommand("file.edit"),
        **dict.fromkeys(
            ("sed", "gsed"),
            FileCommand(
                "file.edit", only_with=frozenset({"-i", "--in-place"}), reads_without=True, script_in=_SED, takes=_SED
            ),
        ),
        **dict.fromkeys(("rg", "grep", "egrep", "fgrep", "ag", "ack", "git grep"), _SEARCHES),
        **dict.fromkeys(
            ("awk", "gawk", "mawk"),
            FileCommand(
                "file.open", script_in=frozenset({"-f", "--file"}), takes=frozenset({"-f", "--file", "-F", "-v"})
            ),
        ),
        "jq": FileCommand("file.open", "rest", takes=frozenset({"--arg", "--argjson", "--indent", "-L"})),
        "git show": FileCommand("file.open", "revision"),
        "git blame": FileCommand("file.open", "last", takes=frozenset({"-L"})),
        "perl": FileCommand(
            "file.edit", only_with=frozenset({"-i"}), script_in=frozenset({"-e", "-E"}), takes=frozenset({"-e", "-E", "-M", "-I"})
        ),
        **dict.fromkeys(("ex", "ed"), FileCommand("file.edit", "last")),
        **dict.fromkeys(("mv", "git mv"), FileCommand("file.edit", "move")),
        "cp": FileCommand("file.edit", "copy"),
        "install": FileCommand("file.edit", "copy", takes=frozenset({"-m", "-o", "-g"})),
        **dict.fromkeys(("rm", "git rm", "unlink", "trash", "rmdir"), FileCommand("file.close")),
        "curl": FileCommand("file.edit", into=frozenset({"-o", "--output"})),
        "wget": FileCommand("file.edit", into=frozenset({"-O", "--output-document"})),
        "dd": FileCommand("file.edit", into=frozenset({"of"})),
        **dict.fromkeys(("apply_patch", "applypatch", "patch", "git apply"), FileCommand("file.edit", "patch")),
        # formatters that are told to write
        **dict.fromkeys(("gofmt", "goimports"), FileCommand("file.edit", only_with=frozenset({"-w"}))),
        "prettier": FileCommand("file.edit", only_with=_FIX),
        # SWE-agent's commands
        **dict.fromkeys(("open", "decompile", "disassemble"), FileCommand("file.open", "first")),
        "create": FileCommand("file.edit", "first"),
        **dict.fromkeys(("edit", "insert"), FileCommand("file.edit", "open")),
    }
)  # fmt: skip
"""The shell commands that are known, by name; of a program with commands of its own, by both words."""


# The text that an edit puts into a file, in a few words: the longest of its new lines.

LONGEST = 80
"""Characters that are told of an edit."""

LOOKED_AT = 50_000
"""Characters of an edit that are looked at."""

_NEW = ("new_string", "new_str", "newString", "content", "contents", "file_text", "new_text", "new_source", "insert_text", "code_edit")  # fmt: skip
_OLD = ("old_string", "old_str", "oldString", "old_text")
_FILE = re.compile(r"^(?:\*\*\* (?:Add|Update) File:|\*\*\* Move to:|\+\+\+ )[ \t]*(?:[ab]/)?(?P<path>\S[^\t\n\r]*).*$", re.MULTILINE)  # fmt: skip


def newest_line(new: str, old: str = "") -> str:
    r"""Return the longest line of a text that another one does not have, without secrets; empty for none.

    >>> newest_line("a = 1\nretries = 5\n", "a = 1\nretries = 3\n")
    'retries = 5'
    """
    known = {line.strip() for line in old[:LOOKED_AT].splitlines()}
    lines = (line.strip() for line in new[:LOOKED_AT].splitlines())
    longest = max((line for line in lines if line not in known), key=len, default="")
    return cut(" ".join(masked(longest[: 4 * LONGEST]).split()), LONGEST)


def put_in_by(given: Record) -> str:
    """Return the newest line of what a call of an editor puts in, of several edits the last.

    >>> put_in_by({"edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]})
    'd'
    """
    edits = [*map(mapping, sequence(given.get("edits"))), given]
    told = (newest_line(_first(each, _NEW), _first(each, _OLD)) for each in reversed(edits))
    return next(filter(None, told), "")


def put_in_by_patch(patch: str) -> Mapping[str, str]:
    r"""Return the newest line that a patch puts in, by the path of each file as the patch has it.

    >>> dict(put_in_by_patch("*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y = 2\n*** End Patch"))
    {'a.py': 'y = 2'}
    """
    files = [*_FILE.finditer(patch)]
    ends = [*(each.start() for each in files[1:]), len(patch)]
    return {
        each["path"].strip(): newest_line(
            "\n".join(line[1:] for line in patch[each.end() : end].splitlines() if line[:1] == "+")
        )
        for each, end in zip(files, ends, strict=True)
    }


_MADE = re.compile(
    r"\bfile (?:was )?(?:successfully )?created\b|\b(?:created|wrote) (?:a )?new file\b|^A \S+\.\w+$",
    re.IGNORECASE | re.MULTILINE,
)
"""The answers of editors that made a file; patches list it behind an "A"."""


def made_new(result: ToolAnswer) -> bool:
    """Tell whether an answer says that a file was made.

    >>> made_new(ToolAnswer(text="File created successfully at: /app/a.py")), made_new(ToolAnswer(text="Updated a.py"))
    (True, False)
    """
    return result.data.get("type") == "create" or _MADE.search(result.text[:LONGEST]) is not None


def _first(given: Record, names: tuple[str, ...]) -> str:
    return next(filter(None, (string(given.get(name)) for name in names)), "") or ""


# The files that a patch changes: the form of ``apply_patch``, and unified diffs.

_APPLY = re.compile(r"^\*\*\* (?P<what>Add|Delete|Update) File: (?P<path>.+?)[ \t\r]*$|^\*\*\* Move to: (?P<to>.+?)[ \t\r]*$", re.MULTILINE)  # fmt: skip
_DIFF = re.compile(r"^--- (?P<old>\S[^\t\n]*+).*+\n\+\+\+ (?P<new>\S[^\t\n]*)", re.MULTILINE)
_NOTHING = "/dev/null"

_EVENTS: dict[str, FileEvent] = {"Add": "file.edit", "Update": "file.edit", "Delete": "file.close"}

BEGIN = "*** Begin Patch"


def patched(text: str) -> Iterator[tuple[FileEvent, str]]:
    r"""Yield what a patch does to which files.

    >>> list(patched("*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y\n*** End Patch"))
    [('file.close', 'a.py'), ('file.edit', 'b.py')]
    >>> list(patched("--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-x\n+y\n"))
    [('file.edit', 'x.py')]
    """
    if BEGIN in text or "*** Update File:" in text or "*** Add File:" in text:
        yield from _applied(text)
    else:
        yield from _differing(text)


def _applied(text: str) -> Iterator[tuple[FileEvent, str]]:
    last: tuple[FileEvent, str] | None = None
    for match in _APPLY.finditer(text):
        if match["to"]:
            if last is not None:
                yield "file.close", last[1]
                last = ("file.edit", match["to"])
            continue
        if last is not None:
            yield last
        last = (_EVENTS[match["what"]], match["path"])
    if last is not None:
        yield last


def _differing(text: str) -> Iterator[tuple[FileEvent, str]]:
    for match in _DIFF.finditer(text):
        old, new = _bare(match["old"]), _bare(match["new"])
        if new == _NOTHING:
            yield "file.close", old
            continue
        if old not in (_NOTHING, new):
            yield "file.close", old
        yield "file.edit", new


def _bare(path: str) -> str:
    path = path.strip()
    return path[2:] if path[:2] in ("a/", "b/") else path


# The files that a program in a here-document, or behind ``-c``, writes, as far as its words tell.

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


# The files that a shell command touches, as far as its words tell.
#
# This reads commands, it does not run a shell: what it cannot make sense of it leaves alone.

PLAIN = re.compile(r"(?!/dev/|[-+]\w*$|-)[^*?$`{}<>|&;'\"\n\\\0]{0,400}[\w.)\]]")
"""A path as it stands: no pattern, no variable, no device, no quotation, no ``+359``."""

_INTERPRETERS = re.compile(r"(?:python[\d.]*|node|ruby|perl|deno|bun|tsx)")
_CODE = frozenset({"-c", "-e", "--eval", "-p"})


@dataclass(frozen=True, slots=True)
class Touched:
    """A file that a command opens, edits or removes; no path is the editor's open file."""

    event: FileEvent
    path: str | None
    change: str = ""
    """The text that an edit puts in, in a few words."""
    is_new: bool = False
    """Whether an edit makes the file."""


def touched(script: str, table: Mapping[str, FileCommand] = COMMANDS) -> Iterator[Touched]:
    """Yield the files that a script touches, in its order.

    >>> [(one.event, one.path) for one in touched("cd src && cat a.py > b.py; rm -f c.py")]
    [('file.open', 'src/a.py'), ('file.edit', 'src/b.py'), ('file.close', 'src/c.py')]
    """
    first = script.split(maxsplit=1)[:1]
    if first and _is_editor(first[0], table):
        yield Touched(table[first[0]].event, None)
        return  # SWE-agent's editor commands take the rest of the text as theirs
    yield from touched_by(all_commands(script), table)


def touched_by(
    found: Iterable[SimpleCommand], table: Mapping[str, FileCommand] = COMMANDS
) -> Iterator[Touched]:
    """Yield the files that commands touch, in their order."""
    directory = ""
    for command in found:
        words = command.words
        name = posixpath.basename(words[0]) if words else ""
        if name in ("cd", "pushd") and len(words) > 1:
            directory = posixpath.join(directory, words[-1])
            continue
        known = table.get(name)
        if known is not None and known.which == "open":
            yield Touched(known.event, None)
            return
        for event, path in (*_by_words(name, command, table), *_by_code(name, command)):
            if PLAIN.fullmatch(path) and len(path) < 400:
                text = command.text if path in command.written else ""
                yield Touched(event, posixpath.join(directory, path), newest_line(text))


def edits_open_file(script: str, table: Mapping[str, FileCommand] = COMMANDS) -> bool:
    """Tell whether a script is a command of an editor, on the file that it has open."""
    words = script.split(maxsplit=1)
    return bool(words) and _is_editor(words[0], table)


def _is_editor(name: str, table: Mapping[str, FileCommand]) -> bool:
    known = table.get(name)
    return known is not None and known.which == "open"


def _by_words(
    name: str, command: SimpleCommand, table: Mapping[str, FileCommand]
) -> Iterator[tuple[FileEvent, str]]:
    words = command.words
    known, rest = table.get(name), words[1:]
    if name == "git":
        operation, rest = git_operation(words)
        known = table.get(f"git {operation}")
    if known is not None:
        if known.which == "patch":
            text = command.text or next((one for one in rest if BEGIN in one), "")
            yield from patched(text)
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
    """Return what git is to do, and the words behind it.

    >>> git_operation(["git", "-C", "/app", "push", "-u", "origin"])
    ('push', ['-u', 'origin'])
    """
    operation, *rest = past_options(words[1:], _OF_GIT) or [""]
    return operation, rest


_OF_GIT = frozenset(["-C", "-c", "--git-dir", "--work-tree"])


def _values_of(options: frozenset[str], words: list[str]) -> Iterator[str]:
    """Yield the values of options: ``-o a``, ``-sSLo a``, ``--output=a``, ``of=a``."""
    for place, word in enumerate(words):
        option, is_set, value = word.partition("=")
        if is_set and option in options:
            yield value
        elif place + 1 < len(words) and (
            word in options or (re.fullmatch(r"-\w+", word) and f"-{word[-1]}" in options)
        ):
            yield words[place + 1]


def _operands_of(known: FileCommand, words: list[str]) -> Iterator[tuple[FileEvent, str]]:
    if known.into:
        for value in _values_of(known.into, words):
            yield known.event, value
        return
    operands, options = split_options(words, known.takes)
    operands = [one for one in operands if one]  # an empty one is the suffix that sed -i takes
    event = known.event
    if known.only_with and not any(_has(options, one) for one in known.only_with):
        if not known.reads_without:
            return
        event = "file.open"
    if known.script_in and not any(_has(options, one) for one in known.script_in):
        operands = operands[1:]
    match known.which:
        case "first":
            operands = operands[:1]
        case "last":
            operands = operands[-1:]
        case "rest":
            operands = operands[1:]
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

    A number behind an option is its value: ``head -n 5``.
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


def _has(options: list[str], wanted: str) -> bool:
    if wanted.startswith("--"):
        return any(one == wanted or one.startswith(f"{wanted}=") for one in options)
    letter = wanted[1:]
    return any(
        one.startswith(wanted) or (letter in one[1:] and one[1:].isalnum()) for one in options
    )
