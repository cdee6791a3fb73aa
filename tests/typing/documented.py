"""The Python of the README and the docs, as modules that type checkers can read, each line where its page has it.

The blocks of a page are one module, as they are when they are run. Blocks with ``in=NAME`` are another module, of which
the page has all names, and one with ``file=NAME`` is a file of its own. A line that is wrong on purpose says so: it ends in ``# a mistake``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.docs.test_examples import PAGES, ROOT, code_blocks, missing_of

MISTAKE = "# a mistake"


@dataclass
class Module:
    """A module made of blocks, and where its lines stand in the docs."""

    name: str
    page: str
    lines: list[str] = field(default_factory=list[str])
    unknown: set[int] = field(default_factory=set[int])
    """The lines that import what is not installed."""
    first: str = ""
    """What stands in the first line, which on a page is the title."""

    def add(self, source: str, line: int, *, is_known: bool) -> None:
        """Put a block at its line."""
        if not is_known:
            imports = enumerate(source.split("\n"), start=line)
            self.unknown |= {
                place for place, text in imports if text.startswith(("from ", "import "))
            }
        missing = line - 1 - len(self.lines)
        self.lines += [""] * missing + source.split("\n")

    @property
    def mistakes(self) -> set[tuple[str, int]]:
        """The lines that say they are wrong."""
        return {
            (self.page, number)
            for number, line in enumerate(self.lines, start=1)
            if line.endswith(MISTAKE)
        }


def modules(pages: Iterable[Path] = PAGES) -> Iterator[Module]:
    """Yield what the pages' blocks make."""
    for path in pages:
        page = str(path.relative_to(ROOT))
        found: dict[str, Module] = {}
        whole = page.removesuffix(".md").replace("/", "__").replace("-", "_")
        for block in code_blocks(path):
            words = (block.meta or "").split()
            if block.lang != "python" or "output" in words:
                continue
            assert block.position is not None
            own = [word.partition("=")[2] for word in words if word.startswith(("file=", "in="))]
            for name in own or [f"{whole}.py"]:
                found.setdefault(name, Module(name, page)).add(
                    block.value, block.position.start.line + 1, is_known=not missing_of(words)
                )
            for word in words:
                if word.startswith("in="):
                    module = word.removeprefix("in=").removesuffix(".py")
                    page_itself = found.setdefault(f"{whole}.py", Module(f"{whole}.py", page))
                    page_itself.first = f"from {module} import *"
        yield from found.values()


def write(made: Iterable[Module], folder: Path) -> dict[str, Module]:
    """Write the modules into a folder, and return them by their names."""
    by_name: dict[str, Module] = {}
    for module in made:
        assert module.name not in by_name, f"two pages have a file {module.name}"
        by_name[module.name] = module
        (folder / module.name).write_text(
            "\n".join([module.first, *module.lines[1:], ""]), encoding="utf-8"
        )
    return by_name
