"""A tree costs little more than the tokens that it is built of."""

import time
from collections.abc import Callable
from pathlib import Path

from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from ujsx.mdast.from_markdown import from_markdown

PAGE = (Path(__file__).parents[4] / "docs" / "mistune.md").read_text(encoding="utf-8")


def seconds(run: Callable[[], object]) -> float:
    """Return the best of five times: what disturbs a run only makes it longer."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def test_takes_at_most_1_35_times_as_long_as_bare_tokens() -> None:
    text = PAGE * 20
    tokenizer = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for plugin in (front_matter_plugin, footnote_plugin, tasklists_plugin):
        tokenizer.use(plugin)
    bare = seconds(lambda: tokenizer.parse(text))
    assert seconds(lambda: from_markdown(text)) <= 1.35 * bare
