"""What it is for a text to name a file, a command or an error: the same rule for whoever tells.

A file is named by its path, or by so much of its end as is told; a command by its program and all of its
operands, in whatever order; an error by what failed, or by the beginning of what it says.
"""

from __future__ import annotations

import re

BEGINNING = 40
"""Characters of an error that have to be there."""

_AROUND = "\"'`,;:()[]{}<>*_|"
_LINE_NUMBER = re.compile(r":\d+(:\d+)?$")


class Names:
    """The names in a text."""

    def __init__(self, text: str) -> None:
        self._text = " ".join(text.replace("\\", "").split()).lower()
        self._words: set[str] = set()
        self._parents: dict[str, set[str]] = {}
        for raw in re.split(r"[\s\"'`=|]+", text.replace("\\", "")):
            word = _LINE_NUMBER.sub("", raw.strip(_AROUND))
            self._words.add(word)
            parent, _, name = word.rstrip("/.").rpartition("/")
            self._parents.setdefault(name, set()).add(parent.rpartition("/")[2])

    def file(self, path: str) -> bool:
        """Whether a path is named: its last two parts, or its last one where no more is told.

        >>> Names("see `src/app/parser.py`:12").file("/srv/app/parser.py")
        True
        >>> Names("see tests/parser.py").file("/srv/app/parser.py")
        False
        """
        parent, _, name = path.rstrip("/").rpartition("/")
        parents = self._parents.get(name, set())
        return bool(parents) and (
            not parent or "" in parents or parent.rpartition("/")[2] in parents
        )

    def command(self, command: str) -> bool:
        """Whether a command is named.

        >>> Names("- `pytest -q tests/test_a.py`: fail").command("pytest tests/test_a.py")
        True
        """
        return all(
            word.strip(_AROUND) in self._words or ("/" in word and self.file(word.strip(_AROUND)))
            for word in command.split()
        )

    def error(self, message: str) -> bool:
        """Whether an error is named: by what failed, the command or file before the colon, or by what it says.

        >>> Names("- `make test`: pass").error("make test: 3 failed")
        True
        >>> Names("… 3 failed").error("make test: 3 failed")
        True
        """
        failed, _, says = message.partition(": ")
        return self.command(failed) or self.text(says or failed)

    def text(self, words: str) -> bool:
        """Whether the beginning of a text is there.

        >>> Names("**Use JWT** over sessions").text("Use JWT")
        True
        """
        return " ".join(words.replace("\\", "").split()).lower()[:BEGINNING] in self._text
