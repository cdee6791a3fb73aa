"""What a person reads of a text: few elements, no address, and all that was said as text; what differs from before."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudStore
from hud_runtime.preview import Preview, PreviewLook, Subject
from tests.hud_runtime.preview.hostile import READ, TEXTS
from ujsx import hast, mdast
from ujsx.transforms import registry

CODE = """
import json

from hud_components import State
from ujsx import Component
from ujsx.elements import TrustedMarkdown

class Said(Component):
    at: int
    def render(self, ctx, children):
        said = json.loads(ctx.get(State).task.description) if ctx.get(State).task else []
        return said[self.at:self.at + 1] and TrustedMarkdown(source=said[self.at])

shown = [Said(at=at) for at in range(8)]
"""
"""A layout of up to eight texts, which are Markdown as they are."""

MARKS = [*TEXTS, "# a", "- b", "> c", "[^1]", "[^1]: d", "[e][f]", "[f]: https://g.co", "**h**", "~~i~~", "- [ ] j"]  # fmt: skip
SAID = st.lists(
    st.sampled_from(MARKS)
    | st.lists(st.sampled_from(MARKS), max_size=8).map("\n".join)
    | st.text(max_size=100),
    max_size=8,
)

LISTS = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "**d**", TEXTS[0]]), min_size=1, max_size=5).map(
        lambda words: "\n".join(["# a", *(f"- {each}" for each in words)])
    ),
    max_size=4,
)


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Have texts shown, one in each node, as the next turn of a session; return what is told of it."""
    folder = tmp_path_factory.mktemp("read")
    (folder / "said.py").write_text(CODE)
    subject = Subject("s", object=f"{folder}/said.py:shown", store=f"{folder}/hud.db", session="s")
    with HudStore.open(folder / "hud.db") as store:
        session = store.session("s")
        session.record("task.set", description="[]", turn=1)
        with Preview(subject) as preview:

            def show(*texts, what="view"):
                said, turn = json.dumps(texts), session.turn + 1
                session.record("task.set", description=said, turn=turn)
                found = preview.ask("view", PreviewLook(budget="off"))
                assert found["turn"] == turn
                return found if what == "view" else preview.ask(what, PreviewLook(budget="off"))

            yield show


def words(nodes):
    """The words of a reading."""
    return "".join(each if isinstance(each, str) else words(each[3]) for each in nodes)


def words_of(node):
    """The words that a person has to read of a tree of HTML, by ujsx's own transform."""
    match node:
        case hast.Text() | hast.Raw():
            return node.value
        case hast.Element(tag_name="input"):
            return "☑ " if node.properties.get("checked") else "☐ "
        case hast.Element(tag_name="img"):
            return f"🖼 {node.properties.get('alt') or ''}"
        case _:
            return "".join(map(words_of, getattr(node, "children", ())))


def elements(nodes):
    for each in nodes:
        if not isinstance(each, str):
            yield each
            yield from elements(each[3])


@given(SAID)
def test_it_consists_of_few_elements_leads_nowhere_and_has_all_words(read, said):
    """Nodes are read apart where they can be; together they are what the whole text is."""
    view = read(*said)
    assert len(view["reading"]) == len(view["nodes"])
    for tag, kind, title, _ in elements([one for each in view["reading"] for one in each]):
        assert tag in READ
        assert kind in ("", "box", "link", "raw")
        assert not title or kind == "link" or tag == "ol"
    root = mdast.from_markdown("".join(each["text"] for each in view["nodes"]) + "\n")
    whole = words_of(registry.transform("mdast -> hast", root))
    told = "".join(map(words, view["reading"]))
    assert "".join(told.split()) == "".join(whole.split())


def test_each_node_is_read_as_what_it_says(read, subtests):
    for text, told in {
        "<b>bold</b>": [["p", "", "", [["span", "raw", "", ["<b>"]], "bold", ["span", "raw", "", ["</b>"]]]]],
        "<script>x</script>": [["span", "raw", "", ["<script>x</script>"]]],
        "*Port* 8080": [["p", "", "", [["em", "", "", ["Port"]], " 8080"]]],
        "![a](https://c.co)": [["p", "", "", [["span", "link", "https://c.co", ["🖼 a"]]]]],
    }.items():  # fmt: skip
        with subtests.test(text):
            assert read("# HUD", text, "Left")["reading"][1] == told
    assert words(read("- [x] done\n- [ ] open")["reading"][0]).split() == ["☑", "done", "☐", "open"]
    assert read()["reading"] == []


def test_a_definition_is_seen_from_everywhere(tmp_path, preview):
    (tmp_path / "linked.py").write_text(
        "from ujsx.elements import Definition, LinkReference, Paragraph\n"
        "link = Paragraph()[LinkReference(identifier='b')['a']]\n"
        "linked = [link, Definition(identifier='b', url='https://c.co'), 'd']\n"
    )
    view = preview(Subject("x", object=f"{tmp_path}/linked.py:linked")).ask("view")
    told = [["p", "", "", [["span", "link", "https://c.co", ["a"]]]], ["p", "", "", ["d"]]]
    assert [one for each in view["reading"] for one in each] == told


@given(LISTS, LISTS)
def test_a_change_there_and_back_has_its_lines_the_other_way_round(read, before, after):
    read(*before)
    there, back = (read(*each, what="change")["parts"] for each in (after, before))
    assert bool(there) == bool(back)
    assert sorted((one["path"], one["gone"], one["new"]) for one in there) == sorted(
        (one["path"], one["new"], one["gone"]) for one in back
    )
    assert read(*before, what="change")["parts"] == []
