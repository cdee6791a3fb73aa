"""The index of the site's search: every heading, with its words and those of the questions that it answers.

In: the pages that Sphinx has read. Out: ``search.js``, the index before the ranking of ``docs/search.js``.
Each word has a weight at each heading, by BM25F: rare words count more, and words of titles more than those of texts.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from math import log
from pathlib import Path
from typing import Any, NamedTuple

from docutils.nodes import Element, Node, literal_block, paragraph, section, title
from public_names import ROOT
from sphinx.addnodes import desc, desc_content, desc_signature
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

QUESTIONS = ROOT / "docs" / "do" / "questions.md"
KEYWORDS = ROOT / "docs" / "keywords.txt"

TITLE, QUESTION, PAGE, LEAD, CODE, WHOLE = 7.0, 5.0, 1.5, 1.5, 0.4, 0.4
"""Counts of one word: in a heading, a question, the title of the page, a first paragraph, code, all of the page."""

SATURATION = 4.0
"""The count at which a word has half of the most weight that it can have."""

RARITY = 0.6
"""Power of a word's rarity. With 1, a rare word in a text would weigh more than a word of a title."""

LENGTH = 0.5
"""Part of a word's count in a text that is divided by the text's length, relative to the average."""

FACTORS = {"look-up/reference/": 0.45, "decisions/": 0.5, "examples/": 0.3, "pictures/": 0.1, "CHANGELOG": 0.3, "do/questions": 0.6, "understand/files-": 0.2}  # fmt: skip
"""Factors of pages that answer fewer questions than others, by the start of their names."""

LISTS = frozenset({"do/questions", "understand/architecture", "decisions/history"})
"""Pages whose tables name everything that there is, so that each search would lead to them."""


class Heading(NamedTuple):
    """A heading of a page, or a public name: its place, the words of its text, and those of its names and questions."""

    page: str
    anchor: str
    title: str
    text: dict[str, float]
    names: dict[str, float]


def words_of(text: str) -> Iterator[str]:
    """Yield the stems of a text's words; ``OpenAI`` and ``cache_control`` have parts, too."""
    for word in re.findall(r"[^\W_]+", text):
        yield stem(word)
        inner = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", word)
        if len(inner) > 1:
            yield from map(stem, inner)


FORMS = {
    "begun": "begin", "broke": "break", "broken": "break", "built": "build", "chosen": "choose", "customer": "customer",
    "customers": "customer", "found": "find", "given": "give", "hidden": "hide", "kept": "keep", "lost": "lose",
    "sent": "send", "settings": "settings", "shown": "show", "taken": "take", "windows": "windows", "written": "write",
}  # fmt: skip
"""Words whose stem is another one's than the stemmer finds; it takes a customer for something custom."""

ENGLISH = SearchEnglish({})


@cache
def stem(word: str) -> str:
    """Return the stem of a word, as the browser finds it."""
    plain = word.lower()
    return FORMS[plain] if plain in FORMS else ENGLISH.stem(plain)


def questions() -> dict[tuple[str, str], str]:
    """Return the questions and keywords that lead to each page and heading."""
    found: defaultdict[tuple[str, str], str] = defaultdict(str)
    for row in re.finditer(r"^\| (.+) \| (.+) \|$", QUESTIONS.read_text("utf-8"), re.MULTILINE):
        for link, anchor in re.findall(r"\]\(([^)#]+)\.md#?([^)]*)\)", row[2]):
            page = (QUESTIONS.parent / link).resolve().relative_to(ROOT / "docs").as_posix()
            found[page, anchor] += f" {row[1]}"
    for line in KEYWORDS.read_text("utf-8").splitlines():
        place, is_row, words = line.partition(": ")
        if is_row and not line.startswith("# "):
            page, _, anchor = place.partition("#")
            found[page, anchor] += f" {words}"
    return found


def parts(node: Element, *, without_tables: bool) -> Iterator[Node]:
    """Yield the parts of a section outside the sections and names within it."""
    for each in node.children:
        if isinstance(each, section | title | desc | desc_signature):
            continue
        if each.tagname == "table" and without_tables:
            continue
        if isinstance(each, Element) and each.next_node(desc) is not None:
            yield from parts(each, without_tables=without_tables)
        else:
            yield each


def headings(app: Sphinx) -> Iterator[Heading]:
    """Yield every heading of every page, and every public name of the reference."""
    asked = questions()
    for page in sorted(app.env.all_docs):
        found: list[Heading] = []
        for node in app.env.get_doctree(page).findall(
            lambda each: isinstance(each, section | desc)
        ):
            if isinstance(node, section):
                title, anchors, body = node[0].astext(), [*node["ids"], node.get("slug")], node
            else:
                signature = node.next_node(desc_signature)
                anchors = signature["ids"] if signature else []
                title, body = "".join(anchors[:1]), node.next_node(desc_content)
            names: defaultdict[str, float] = defaultdict(float)
            of_page = app.env.titles[page].astext() if found else ""
            asked_here = [
                asked.get((page, each), "")
                for each in dict.fromkeys(anchors if found else ["", *anchors])
            ]
            for text, count in ((title, TITLE), (of_page, PAGE), (" ".join(asked_here), QUESTION)):
                for word in set(words_of(text)):
                    names[word] += count
            anchor = anchors[0] if found and anchors else ""
            found.append(
                Heading(page, anchor, title, text_of(body, without_tables=page in LISTS), names)
            )
        for word in {word for each in found for word in each.text}:
            found[0].names[word] += WHOLE / len(found) ** 0.5
        yield from found


def text_of(body: Element | None, *, without_tables: bool) -> dict[str, float]:
    """Return how often each word counts in a text: more in its first paragraph, less in code."""
    counts: defaultdict[str, float] = defaultdict(float)
    first = LEAD
    for part in parts(body, without_tables=without_tables) if body else ():
        for word in words_of(part.astext()):
            counts[word] += CODE if isinstance(part, literal_block) else first
        first = 1.0 if isinstance(part, paragraph) else first
    return counts


def index(app: Sphinx) -> dict[str, Any]:
    """Return the index: headings, and for each word its rarity and its weight at each of them."""
    every = list(headings(app))
    lengths = [sum(each.text.values()) for each in every]
    average = sum(lengths) / len(lengths)
    at: defaultdict[str, list[int]] = defaultdict(list)
    for number, (each, length) in enumerate(zip(every, lengths, strict=True)):
        size = 1 - LENGTH + LENGTH * length / average
        factor = next((FACTORS[start] for start in FACTORS if each.page.startswith(start)), 1.0)
        for word in each.text | each.names:
            count = each.text.get(word, 0.0) / size + each.names.get(word, 0.0)
            at[word] += [number, round(100 * factor * count / (SATURATION + count))]
    rarity = {word: round(30 * log(1 + len(every) / (len(at[word]) / 2)) ** RARITY) for word in at}
    return {
        "forms": FORMS,
        "headings": [[each.page, each.anchor, each.title] for each in every],
        "words": {word: [rarity[word], *at[word]] for word in sorted(at)},
    }


def write_search(app: Sphinx, failure: Exception | None) -> None:
    """Put the index and its ranking into a site that was built."""
    if failure is None:
        ranking = (Path(__file__).parent / "search.js").read_text("utf-8")
        data = json.dumps(index(app), ensure_ascii=False, separators=(",", ":"))
        (Path(app.outdir) / "_static" / "search.js").write_text(
            f"const INDEX = {data};\n{ranking}", "utf-8"
        )


def load_search(app: Sphinx, page: str, *_: object) -> None:
    """Let the page of results load it, after Sphinx's own search, which shows what it finds."""
    if page == "search":
        app.add_js_file("search.js", loading_method="defer")
