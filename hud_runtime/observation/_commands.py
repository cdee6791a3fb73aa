"""The shell commands and what each does to which of its operands: a table that a user can extend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from hud_runtime.observation._observations import FileEvent

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
