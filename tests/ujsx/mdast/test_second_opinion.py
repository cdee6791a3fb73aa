"""The second opinion: structure that only one of two readers sees is named, mistune's own ways aside."""

import json
import re
from pathlib import Path

import pytest

from tests.conformance._trees import contexts, tree
from tests.ids import looped
from ujsx.mdast import from_markdown, normalize, second_opinion, to_markdown

PAGE = Path(__file__).parents[3] / "docs" / "look-up" / "mistune.md"
ROW = re.compile(r"^\| (?P<way>[^|]+) \| [^|]+ \| `+(?P<example>\".*\")`+ \|$", re.MULTILINE)


def documented() -> dict[str, str]:
    """The ways of mistune's, each with the document that is its example."""
    rows = ROW.finditer(PAGE.read_text(encoding="utf-8"))
    return {row["way"]: json.loads(row["example"].replace("\\|", "|")) for row in rows}


class TestOwnWays:
    def test_are_set_aside(self) -> None:
        assert len(documented()) == 10
        for way, text in documented().items():
            assert from_markdown(text) != from_markdown(text, engine="mistune"), way
            assert second_opinion(text) == (), way

    @looped(
        "text",
        [
            "> a\n# b",
            "-\nb",
            "- # a\nb",
            "- * ---\n  b",
            "- <p>\nb",
            "- ```\n  ```\nb",
            "- * -\n  b",
        ],
    )
    def test_are_set_aside_behind_quotes_and_lists(self, text: str) -> None:
        assert second_opinion(text) == ()
        assert second_opinion(text.replace("\n", "\n\n")) == ()


class TestLinksThatStandForThemselves:
    @looped(
        "text",
        [
            "[é](é)",
            "[a b](<a b>)",
            "[a&#xA;#](<a&#xA;#>)",
            "[a%20b](<a b>)",
            "[a b](a%20b)",
            "[é.de](http://é.de)",
            "[é@b.de](mailto:é@b.de)",
        ],
    )
    def test_are_passed_over_however_a_reader_spells_their_addresses(self, text: str) -> None:
        assert second_opinion(text) == ()

    @pytest.mark.parametrize("text", ["[é](e)", "[a b](<a c>)"])
    def test_are_no_others(self, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
        links = "mistune.inline_parser.parse_link_open"
        monkeypatch.setattr(links, lambda *_: None)  # so that it sees none
        (found,) = second_opinion(text)
        assert found.markdown_it.startswith("link ")


class TestDisagreement:
    def test_names_the_place_and_what_each_saw(self) -> None:
        first, second = second_opinion("# a\n\n| *b* |\n| - |\nc\n")
        assert (first.path, first.line) == ("$.children[1].children[1]", 5)
        assert (first.markdown_it, first.mistune) == ("tableRow 'c'", "text")
        assert (second.path, second.mistune) == ("$.children[2]", "paragraph 'c'")

    def test_is_found_within_what_both_see(self) -> None:
        (found,) = second_opinion("> - a `b` ~c~\n")
        assert found.line == 1
        assert (found.markdown_it, found.mistune) == ("delete 'c'", "text")

    def test_is_of_fields_too(self) -> None:
        (found,) = second_opinion("a| - |\n -| - |\n\t")
        assert found.markdown_it == "table (None, None) 'a -'"
        assert found.mistune == "table (None, None, None) 'a -'"

    def test_of_a_text_that_nests_deeper_than_mistune_reads_is_none(self) -> None:
        assert second_opinion(">" * 60 + "a") == ()


# Of blank lines and empty items in containers that nest, mistune makes something else.
@pytest.mark.parametrize("context", sorted({*contexts(gfm=True)} - {"nests"}))
def test_what_is_written_is_seen_alike(context: str) -> None:
    for number in range(50):
        text = to_markdown(normalize(tree(context, 1, number)))
        assert second_opinion(text) == (), text
