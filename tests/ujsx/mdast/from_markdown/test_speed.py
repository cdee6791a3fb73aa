"""A tree costs little more than the tokens that it is built of."""

import time
from collections.abc import Callable
from pathlib import Path

from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from ujsx.mdast.from_markdown import from_markdown

PAGE = (Path(__file__).parents[4] / "docs" / "look-up" / "mistune.md").read_text(encoding="utf-8")


def best(*runs: Callable[[], object]) -> list[float]:
    """Return the best of seven times of each, in seconds.

    They take turns, so that what disturbs one disturbs the others; and it only makes them longer.
    """
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(7):
        for run, taken in zip(runs, times, strict=True):
            start = time.process_time()
            run()
            taken.append(time.process_time() - start)
    return [min(taken) for taken in times]


def test_takes_at_most_1_35_times_as_long_as_bare_tokens() -> None:
    text = PAGE * 20
    tokenizer = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for plugin in (front_matter_plugin, footnote_plugin, tasklists_plugin):
        tokenizer.use(plugin)
    bare, tree = best(lambda: tokenizer.parse(text), lambda: from_markdown(text))
    assert tree <= 1.35 * bare
