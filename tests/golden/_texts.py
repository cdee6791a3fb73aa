"""Golden texts: cases by topic and group, and their hashes in a file of the repository.

A topic is "renderings"; a group of it is a session, a domain or a dialect; a case is a heading and a text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

HASHES = Path(__file__).with_name("hashes.json")

HOW_TO_GO_ON = (
    "`make golden DIFF=1` shows what changed. If all of it was meant, `make golden UPDATE=1` writes the hashes;"
    " commit them, and say why they changed"
)

TOPICS = (
    "tables", "rows", "tables in PostgreSQL", "rows in PostgreSQL", "sessions", "states", "stories",
    "renderings", "accounts", "read-backs", "layouts", "deliveries", "answers", "hosts", "requests", "commands", "help", "schemas of events",
    "schemas of tools", "schemas of components",
)  # fmt: skip


def raised(error: Exception) -> str:
    """Return an exception as the text of a case."""
    return f"raised {type(error).__name__}: {error}"


class Texts:
    """The texts of all topics."""

    def __init__(self) -> None:
        self.cases: dict[str, dict[str, list[str]]] = {topic: {} for topic in TOPICS}
        self.skipped: dict[str, str] = {}
        """Topics that cannot be computed on this machine, each with the reason."""

    def add(
        self, topic: str, group: str, heading: str, make: Callable[..., str], *args: Any, **kw: Any
    ) -> None:
        """Call a function for the text of a case; an exception is the text of its case."""
        try:
            text = make(*args, **kw)
        except Exception as error:  # noqa: BLE001 - that it raises, and what it says, is compared
            text = raised(error)
        # The text is indented, so that no line of it looks like a heading, to git or to a reader.
        lines = [
            "case " + " ".join(heading.splitlines()),
            *("  " + line for line in text.split("\n")),
        ]
        self.cases[topic].setdefault(group, []).append("\n".join(lines) + "\n")

    @contextmanager
    def errors(self, topic: str, group: str) -> Iterator[None]:
        """Make an exception a case, where it is not one case alone that raises."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - as above
            self.add(topic, group, "raised", raised, error)

    def of(self, topic: str, group: str) -> bytes:
        """Return a group's whole text; a lone surrogate in it is encoded as it is."""
        return "".join(self.cases[topic].get(group, ())).encode("utf-8", "surrogatepass")

    def write(self, folder: Path) -> None:
        """Write a file for each group, in a folder for each topic."""
        for topic, groups in self.cases.items():
            (folder / topic).mkdir(parents=True)
            for group in groups:
                (folder / topic / f"{group}.txt").write_bytes(self.of(topic, group))


class Hashes(dict[str, dict[str, Any]]):
    """For each topic the number of its cases, and a hash for each of its groups."""

    @classmethod
    def of(cls, texts: Texts) -> Self:
        """Return the hashes of texts; topics that were skipped have none."""
        return cls({
            topic: {
                "cases": sum(map(len, groups.values())),
                "groups": {
                    group: hashlib.sha256(texts.of(topic, group)).hexdigest()[:16]
                    for group in sorted(groups)
                },
            }
            for topic, groups in texts.cases.items() if topic not in texts.skipped
        })  # fmt: skip

    @classmethod
    def read(cls) -> Self:
        """Return the hashes in the repository; empty where there are none yet."""
        return cls(json.loads(HASHES.read_text("utf-8")) if HASHES.exists() else {})

    def write(self) -> None:
        """Write them to the repository; a topic that was skipped keeps its former hashes."""
        kept = {**self.read(), **self}
        ordered = {topic: kept[topic] for topic in TOPICS if topic in kept}
        HASHES.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", "utf-8")

    def changes(self, before: Hashes) -> dict[str, str]:
        """Return the topics that differ from earlier hashes, each with a line that says how."""
        told = {}
        for topic, now in self.items():
            then = before.get(topic, {"cases": 0, "groups": {}})
            old, new = then["groups"], now["groups"]
            parts = {
                "changed": [name for name in new if name in old and new[name] != old[name]],
                "new": [name for name in new if name not in old],
                "gone": [name for name in old if name not in new],
            }
            words = [f"{how}: {', '.join(names)}" for how, names in parts.items() if names]
            if then["cases"] != now["cases"] or not now["cases"]:
                words.insert(0, f"{then['cases']} -> {now['cases']} cases")
            if words:
                told[topic] = "; ".join(words)
        gone = [topic for topic in before if topic not in TOPICS]
        return told | dict.fromkeys(gone, "no topic has this name any more")
