"""The second engine: what it shares with the first, and the table of where it does not."""

import json
import re
from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.ids import looped
from ujsx import mdast as m
from ujsx.mdast.from_markdown import from_markdown

ROW = re.compile(r"^\| (?P<difference>[^|]+) \| (?P<examples>[\d, ]+) \|", re.MULTILINE)


def documented() -> list[int]:
    page = Path(__file__).with_name("mistune_differences.md").read_text(encoding="utf-8")
    return [int(number) for row in ROW.finditer(page) for number in row["examples"].split(",")]


def mistune(text: str, **options: bool) -> m.Root:
    return from_markdown(text, engine="mistune", **options)


class TestTheTableOfDeviations:
    def test_names_each_example_once(self) -> None:
        numbers = documented()
        assert len(numbers) == len(set(numbers)) > 0

    def test_names_the_examples_that_differ_and_no_others(self, corpora: Path) -> None:
        path = corpora / "markdown" / "commonmark-0.31.2.json"
        examples = json.loads(path.read_text(encoding="utf-8"))
        plain = {"gfm": False, "frontmatter": False}
        differing = [
            example["example"]
            for example in examples
            if mistune(example["markdown"], **plain) != from_markdown(example["markdown"], **plain)
        ]
        assert differing == sorted(documented())


WORDS = st.lists(
    st.sampled_from([*"\\&;'\"()[]!<>*_`\n#38 ", "&amp;", "\\&amp;", "&#38;", "amp"]), max_size=10
).map("".join)

PLACES = (
    "{}",
    "[a]({})",
    "[a](b '{}')",
    "![{}](b)",
    "[{}](b)",
    "```{}\nc\n```",
    '[{0}]\n\n[{0}]: b "{0}"',
)


def details(node: m.Node) -> list[dict[str, object]]:
    """The texts of a node and of those in it; code in one line, as mistune has it."""
    names = ("title", "url", "alt", "lang", "meta", "label", "value")
    own = {name: getattr(node, name, None) for name in names}
    if isinstance(node, m.InlineCode):
        own["value"] = node.value.replace("\n", " ")
    inner = [each for child in getattr(node, "children", ()) for each in details(child)]
    return [{"type": type(node), **own}, *inner]


class TestEscapesAndReferences:
    @given(words=WORDS, place=st.sampled_from(PLACES), gfm=st.booleans())
    def test_are_decoded_once_in_every_place(self, words: str, place: str, *, gfm: bool) -> None:
        text = place.format(words)
        ours, theirs = (details(each(text, gfm=gfm)) for each in (from_markdown, mistune))
        assume([each["type"] for each in ours] == [each["type"] for each in theirs])
        if any(each["alt"] and "`" in text and "\n" in text for each in ours):
            return  # code with a line end in an image's description
        assert ours == theirs

    @looped("place", PLACES)
    @looped("words", [r"\&amp;", "&amp;amp;", r"\\&amp;", r"&am\p;", r"\&#38;"])
    def test_are_decoded_once(self, words: str, place: str) -> None:
        text = place.format(words)
        assert details(mistune(text)) == details(from_markdown(text))


class TestTheSharedTree:
    @looped(
        "text",
        [
            "# a *b* **c** `d`\n\ne  \nf\n",
            "> a\n\n---\n\n```py x\nb\n```\n\n    c\n\n<div>\n",
            "- [x] a\n- [ ] b\n\n2) c\n3) d\n",
            "| a | b |\n|:--|---|\n| c | d |\n",
            "[a](b 'c') ![d *e*](f) [g]\n\n[g]: h\n",
            "a[^1] ~~b~~ http://c.d\n\n[^1]: e\n",
            "---\ntitle: x\n---\n\na &amp; \\&amp; b\n",
            "> [!NOTE]\n> a\n\n> [!tip] *b*\n\n> \\[!NOTE]\n> c\n\n> &#91;!NOTE]\n\n> > [!x]\n> >\n> > - d\n",
            "> [!a]\n\n[!a]: x\n",
        ],
    )
    def test_is_equal_for_common_markdown(self, text: str) -> None:
        assert mistune(text) == from_markdown(text)

    def test_has_definitions_in_their_place(self) -> None:
        kinds = [type(child) for child in mistune("[a]: b\n\nc\n\n[d]: e\n").children]
        assert kinds == [m.Definition, m.Paragraph, m.Definition]

    def test_leaves_deep_nesting_as_text(self) -> None:
        depth = 0
        node = mistune(">" * 300 + "a").children[0]
        while isinstance(node, m.Blockquote):
            depth += 1
            node = node.children[0]
        assert 0 < depth <= 50
