"""A lint of our own words: ``python docs/words.py``, a part of ``make lint``.

In: pages, docstrings, messages and help texts. Out: each place where a pattern of the table appears, and the remedy.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGES = ("ujsx", "hud_components", "hud_runtime")
LONGEST = 30
"""Words of a sentence on a page at most."""

MOST = 55_000
"""Words of all pages at most, without decisions and generated parts."""

DECISIONS, DECISION = 40, 300
"""Decisions at most, and words of one at most; the others have a line each in the history."""


class Rule(NamedTuple):
    """A pattern, its remedy, and the kinds of text in which it is looked for."""

    pattern: str
    remedy: str
    kinds: frozenset[str]


EVERYWHERE = frozenset({"page", "module", "message", "usage", "help"})
PAGES = frozenset({"page", "help"})
REFUSALS = PAGES | {"message"}
FIRST = r"\A(?:What|Which|How|Who|Where|When|Whether)\b"

RULES = (
    Rule(FIRST, "begin with a noun", frozenset({"title", "module", "class", "function"})),
    Rule(r"\b(?:is|are) no (?!\w*er\b|more\b|such\b|\w+ (?:in|of|for|on)\b)(?<!here is no )(?<!here are no )", 'write "is not a"', REFUSALS),
    Rule(r"\bstands? (?:in|at|on|beside|behind|before|above|below|for)\b", "name what it does: is, appears, precedes", PAGES),
    Rule(r"\b(?:is|are) told\b", "name who reports, or reports to whom", PAGES),
    Rule(r"\banew\b", 'write "again"', frozenset({"page"})),
    Rule(r"\b(?:goes|go) by\b", 'write "uses"', EVERYWHERE),
    Rule(r"\b[Ww]ho(?:so)?ever\b", "name the reader, or the process", EVERYWHERE),
    Rule(r"\blets? go of\b", 'write "deletes" or "drops"', EVERYWHERE),
    Rule(r"\b(?:come|comes|came) about\b", 'write "happens"', EVERYWHERE),
    Rule(r"\b(?:whereof|thereof|thereby|therein|wherein|hereby)\b", "a preposition and a noun", EVERYWHERE),
    Rule(r"\b(?:behaviour|colour|favour|honour|serialis|normalis|recognis|organis|initialis)\w*", "American spelling", EVERYWHERE),
    Rule(r"\bconsists? in\b|\bso called\b|\bas well the\b", "an English idiom", EVERYWHERE),
)  # fmt: skip


class Text(NamedTuple):
    """A text of a kind, and its place."""

    kind: str
    place: str
    text: str


# --- Pages ---

GENERATED = re.compile(r"<!-- generated: .*?<!-- end -->", re.DOTALL)
CODE = re.compile(r"^(`{3,}).*?^\1$", re.DOTALL | re.MULTILINE)


def pages() -> list[Path]:
    """Return the pages that people write."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def prose(text: str) -> str:
    """Return a page without code and generated parts, each line in its place."""
    for part in (GENERATED, CODE):
        text = part.sub(lambda found: "\n" * found[0].count("\n"), text)
    text = re.sub(r"`[^`\n]*`", "CODE", text)
    text = re.sub(
        r"(?<!\*)\*\w[^*\n]*\w\*(?!\*)", "LABEL", text
    )  # the names of controls are quoted so
    return re.sub(r"\]\([^)]*\)", "]", text)


def of_page(path: Path) -> Iterator[Text]:
    """Yield the titles, the lines and the long sentences of a page."""
    place = path.relative_to(ROOT)
    text = prose(path.read_text("utf-8"))
    for number, line in enumerate(text.splitlines(), 1):
        title = re.match(r"#+ (.*)", line)
        yield Text("title" if title else "page", f"{place}:{number}", title[1] if title else line)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a page; those of tables and lists end with their row."""
    for paragraph in re.split(r"\n\s*\n|\n(?=[-*|#>] |\d+\. |\|)", prose(text)):
        if not paragraph.lstrip().startswith("|"):
            yield from re.split(r"(?<=[.!?:;])\s+", paragraph.strip())


def written() -> int:
    """Return the number of words that people wrote on all pages, without decisions."""
    paths = [each for each in (ROOT / "docs").rglob("*.md") if each.parent.name != "decisions"]
    return sum(len(GENERATED.sub("", each.read_text("utf-8")).split()) for each in paths)


def of_decisions() -> Iterator[str]:
    """Yield the decisions that are too long, and how many there are if these are too many."""
    found = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    if len(found) > DECISIONS:
        yield f"docs/decisions: {len(found)} pages, and {DECISIONS} at most: move one to history.md"
    for page in found:
        if (length := len(page.read_text("utf-8").split())) > DECISION:
            yield f"{page.relative_to(ROOT)}: {length} words, and {DECISION} at most"


# --- Code ---


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
TOOLS = frozenset({"summary", "context", "hud_blocker"})
"""Functions whose docstring is a tool's description, which models know as it is."""


def of_module(path: Path) -> Iterator[Text]:
    """Yield the docstrings of a module, its classes and public functions, its messages and its help texts."""
    place = path.relative_to(ROOT)
    tree = ast.parse(path.read_text("utf-8"))
    if text := ast.get_docstring(tree):
        yield Text("module", f"{place}:1", text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and node.exc is not None:
            kind = (
                "usage" if "cli" in place.parts else "message"
            )  # of the command, or of the library
            yield from strings(kind, place, node.exc)
        elif (
            isinstance(node, ast.ClassDef) and not node.bases and (text := ast.get_docstring(node))
        ):
            yield Text(
                "class", f"{place}:{node.lineno}", text
            )  # those with bases may be data of schemas
        elif (
            isinstance(node, FUNCTIONS) and not node.name.startswith("_") and node.name not in TOOLS
        ):
            yield Text("function", f"{place}:{node.lineno}", ast.get_docstring(node) or "")
        elif isinstance(node, ast.keyword) and node.arg == "help":
            yield from strings("help", place, node.value)


def strings(kind: str, place: Path, node: ast.AST) -> Iterator[Text]:
    """Yield the texts in an expression."""
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield Text(kind, f"{place}:{each.lineno}", each.value)


# --- Findings ---


def findings(text: Text) -> Iterator[str]:
    """Yield what the rules find in a text."""
    for rule in RULES:
        if text.kind in rule.kinds and (found := re.search(rule.pattern, text.text)):
            yield f'{text.place}: "{found[0].strip()}": {rule.remedy}'


def too_long(path: Path) -> Iterator[str]:
    """Yield the sentences of a page that are too long."""
    for sentence in sentences(path.read_text("utf-8")):
        if len(sentence.split()) > LONGEST:
            start = " ".join(sentence.split()[:6])
            yield f'{path.relative_to(ROOT)}: more than {LONGEST} words: "{start} …"'


def main() -> int:
    """Print the findings, and return 1 if there are any."""
    found = [*of_decisions()]
    for page in pages():
        found += [each for text in of_page(page) for each in findings(text)]
        if page.parent.name != "decisions":
            found += too_long(page)
    if (words := written()) > MOST:
        found.append(f"docs: {words:,} words, and {MOST:,} at most: cut what another page has")
    for path in sorted(each for package in PACKAGES for each in (ROOT / package).rglob("*.py")):
        found += [each for text in of_module(path) for each in findings(text)]
    sys.stdout.writelines(f"{each}\n" for each in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
