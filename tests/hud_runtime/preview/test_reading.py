"""What a person reads of a text: few elements, no address, and all that was said as text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from hud_components import Hud, HudState, Note, Step, Task
from tests.hud_runtime.preview.hostile import TEXTS
from tests.hud_runtime.preview.inside import TAGS, blocks_of, by_node, data_of
from tests.ids import looped
from tests.work import lines_run
from ujsx import hast, render_document

MARKDOWN = st.one_of(
    st.sampled_from(TEXTS),
    st.lists(st.sampled_from([*TEXTS, "# a", "- b", "> c", "[^1]", "[^1]: d", "[e][f]", "\n\n", "**g**", "~~h~~", "- [ ] i"]), max_size=8).map("\n".join),
    st.text(max_size=200),
)  # fmt: skip


class Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.names: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}


@given(MARKDOWN)
def test_it_consists_of_few_elements_and_leads_nowhere(text):
    seen = Seen()
    for _, block in blocks_of(text):
        seen.feed(hast.to_html(block))
    seen.close()
    assert seen.tags <= TAGS
    assert seen.names <= {"class", "title"}


@given(MARKDOWN)
def test_its_data_is_its_html(text):
    def html(node):
        if isinstance(node, str):
            return hast.to_html(hast.Text(node))
        tag, kind, title, children = node
        given = {"className": kind} if kind else {}
        given |= {"title": title} if title else {}
        start, _, end = hast.to_html(hast.Element(tag, given, (hast.Text("\x01"),))).partition(
            "\x01"
        )
        return start + "".join(map(html, children)) + end

    def same(markup):  # a browser drops the first line end in a "pre"
        return re.sub(r"<(br|hr)([^>]*)>(</\1>)?", r"<\1>", markup).replace("<pre>\n", "<pre>")

    blocks = [block for _, block in blocks_of(text)]
    told = "".join(map(html, data_of(blocks)))
    assert same(told) == same("".join(map(hast.to_html, blocks)))


@looped("text", ["<b>bold</b>", "<script>x</script>", "a <i>b</i> c"])
def test_raw_html_is_the_text_that_it_is(text):
    words = re.sub(r"<[^>]*>", "", "".join(hast.to_html(block) for _, block in blocks_of(text)))
    assert words == hast.to_html(hast.Text(text))


def test_a_task_list_is_boxes():
    html = "".join(hast.to_html(block) for _, block in blocks_of("- [x] done\n- [ ] open"))
    assert "☑ " in html
    assert "☐ " in html


def test_each_block_stands_with_the_node_that_it_came_from():
    state = HudState(
        task=Task(description="Add a login"),
        notes=(Note(id="n-1", content="Port 8080\n\n# 🙂"), Note(id="n-2", content="b")),
        next_steps=(Step(id="s-1", description="c"),),
    )
    rendered = render_document(Hud.of(state))
    found = by_node(rendered.text, [each.start for each in rendered.nodes])
    for node, blocks in zip(rendered.nodes, found, strict=True):
        alone = [hast.to_html(block) for _, block in blocks_of(node.text)]
        assert [hast.to_html(block) for block in blocks] == alone
    assert sum(bool(blocks) for blocks in found) >= 4


def test_nothing_has_no_blocks():
    assert by_node("", []) == []


def test_twice_the_text_is_twice_the_work():
    def work(size):
        return lines_run(lambda: by_node("- *a* [b](c)\n\n<i>\n\n" * size, range(0, size * 20, 20)))

    assert work(80) < 2.3 * work(40)
