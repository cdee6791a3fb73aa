"""Writing and reading the READMEs of installed packages, beside other libraries; what a node costs.

What is written was read before the clock starts, each library's own tree. What is read ends in a
tree, and for bare markdown-it-py in the tokens of its blocks and lines. mistune and mdformat write
CommonMark alone: to them a table is a paragraph, which is less work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import distributions
from typing import Any

import marko
import mistune
from markdown_it import MarkdownIt
from marko.md_renderer import MarkdownRenderer as MarkoRenderer
from mdformat.renderer import MDRenderer
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.tasklists import tasklists_plugin
from mistletoe.block_token import Document
from mistletoe.markdown_renderer import MarkdownRenderer as MistletoeRenderer
from mistune.renderers.markdown import MarkdownRenderer as MistuneRenderer
from pydantic import BaseModel, ConfigDict

from tests.benchmarks._timing import medians, table
from ujsx.mdast import Paragraph, Text, from_markdown, to_markdown

MOST = 150_000
"""Characters of READMEs that are measured: enough of them to be many, few enough to be quick."""


def readmes() -> list[str]:
    """Return READMEs in Markdown, by their package's name, up to ``MOST`` characters."""
    found: dict[str, str] = {}
    for distribution in distributions():
        metadata: Any = distribution.metadata  # a message, of which typeshed knows less
        text = metadata.get_payload()
        is_markdown = "markdown" in metadata.get("Description-Content-Type", "")
        if is_markdown and isinstance(text, str) and len(text) < MOST / 5:
            found[distribution.name.lower()] = text.replace("\r\n", "\n")
    chosen: list[str] = []
    for _, text in sorted(found.items()):
        if sum(map(len, chosen)) + len(text) <= MOST:
            chosen.append(text)
    return chosen


def each(run: Callable[[Any], object], items: list[Any]) -> Callable[[], None]:
    """Return what does one thing with many items."""

    def all_of_them() -> None:
        for item in items:
            run(item)

    return all_of_them


def writers(texts: list[str]) -> dict[str, Callable[[], object]]:
    """Return what writes the READMEs' trees, by library."""
    mistune_reader = mistune.create_markdown(renderer=None)
    mistune_writer = MistuneRenderer()
    mdformat_reader = MarkdownIt("commonmark")
    mdformat_writer: Any = MDRenderer
    marko_library = marko.Markdown(renderer=MarkoRenderer)
    mdformat_options: dict[str, Any] = {
        "mdformat": {},
        "store_labels": True,
        "parser_extension": [],
    }
    reader_options: Any = mdformat_reader.options
    reader_options.update(mdformat_options)

    def mdformat_tokens(text: str) -> tuple[Any, dict[str, Any]]:
        environment: dict[str, Any] = {}
        return mdformat_reader.parse(text, environment), environment

    with MistletoeRenderer() as mistletoe_writer:
        mistletoe_trees = [Document(text) for text in texts]
    return {
        "ujsx": each(to_markdown, [from_markdown(text) for text in texts]),
        "mistune": each(
            lambda parsed: mistune_writer(*parsed), [mistune_reader.parse(text) for text in texts]
        ),
        "mistletoe": each(mistletoe_writer.render, mistletoe_trees),
        "mdformat": each(
            lambda parsed: mdformat_writer().render(parsed[0], reader_options, parsed[1]),
            [mdformat_tokens(text) for text in texts],
        ),
        "marko": each(marko_library.render, [marko_library.parse(text) for text in texts]),
    }


def readers(texts: list[str]) -> dict[str, Callable[[], object]]:
    """Return what reads the READMEs, by library."""
    tokenizer = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for plugin in (front_matter_plugin, footnote_plugin, tasklists_plugin):
        tokenizer.use(plugin)
    plugins = ["table", "strikethrough", "task_lists", "footnotes", "url"]
    mistune_reader = mistune.create_markdown(renderer=None, plugins=plugins)
    return {
        "ujsx": each(from_markdown, texts),
        "ujsx, engine mistune": each(lambda text: from_markdown(text, engine="mistune"), texts),
        "markdown-it-py, tokens": each(tokenizer.parse, texts),
        "mistune": each(mistune_reader.parse, texts),
        "mistletoe": each(Document, texts),
        "marko": each(marko.Markdown().parse, texts),
    }


@dataclass(frozen=True, slots=True)
class FrozenText:
    """A frozen slotted dataclass."""

    value: str
    position: object = None
    data: object = None


@dataclass(slots=True)
class SlottedText:
    """A slotted dataclass."""

    value: str
    position: object = None
    data: object = None


class ModelText(BaseModel):
    """A frozen Pydantic model."""

    model_config = ConfigDict(frozen=True)

    value: str
    position: object = None
    data: object = None


def nodes() -> dict[str, Callable[[], object]]:
    """Return what makes a node, by what it is made of."""
    children = (Text("a"),)
    return {
        "msgspec struct (ours)": lambda: Text("a"),
        "msgspec struct with children (ours)": lambda: Paragraph(children),
        "dataclass, slots": lambda: SlottedText("a"),
        "dataclass, frozen, slots": lambda: FrozenText("a"),
        "Pydantic model": lambda: ModelText(value="a"),
        "Pydantic model_construct": lambda: ModelText.model_construct(value="a"),
    }


def main() -> None:
    """Measure and print."""
    texts = readmes()
    size = f"{len(texts)} READMEs, {sum(map(len, texts)):,} characters"
    print(table(f"Writing {size}", medians(writers(texts)), "mistune"))
    print(table(f"Reading {size}", medians(readers(texts)), "markdown-it-py, tokens"))
    print(table("One mdast node", medians(nodes()), "msgspec struct (ours)"))


if __name__ == "__main__":
    main()
