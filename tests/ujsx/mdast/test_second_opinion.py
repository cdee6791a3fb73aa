"""The second opinion: structure that only one of two readers sees is named, mistune's own ways aside."""

import json
import re
from pathlib import Path

import pytest

from tests.conformance._trees import contexts, tree
from ujsx.mdast import _writer, from_markdown, normalize, second_opinion, to_markdown
from ujsx.mdast._writer import OWN_WAYS, is_passed_over

PAGE = Path(__file__).parents[3] / "docs" / "look-up" / "mistune.md"
ROW = re.compile(r"^\| (?P<way>[^|]+) \| [^|]+ \| `+(?P<example>\".*\")`+ \|$", re.MULTILINE)


def documented() -> dict[str, str]:
    """The ways of mistune's, each with the document that is its example."""
    rows = ROW.finditer(PAGE.read_text(encoding="utf-8"))
    return {row["way"]: json.loads(row["example"].replace("\\|", "|")) for row in rows}


class TestOwnWays:
    def test_are_all_documented(self) -> None:
        assert [*documented()] == [*OWN_WAYS]

    @pytest.mark.parametrize("way", OWN_WAYS)
    def test_are_set_aside(self, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
        text = documented()[way]
        assert second_opinion(text) == ()
        monkeypatch.setattr(_writer, "is_set_aside", lambda _: False)
        assert second_opinion(text) != ()

    @pytest.mark.parametrize(
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

    @pytest.mark.parametrize("way", OWN_WAYS)
    def test_are_each_needed(self, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delitem(OWN_WAYS, way)
        assert second_opinion(documented()[way]) != ()


class TestLinksThatStandForThemselves:
    @pytest.mark.parametrize(
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
    def test_are_no_others(self, text: str) -> None:
        (link,) = from_markdown(text).children[0].children
        assert not is_passed_over(link)


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

    def test_is_of_fields_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        read = _writer.from_markdown

        def forged(text: str, **options: str) -> object:
            return read(f"#{text}" if options.get("engine") else text)

        monkeypatch.setattr(_writer, "from_markdown", forged)
        (found,) = second_opinion("# a")
        assert (found.markdown_it, found.mistune) == ("heading 1 'a'", "heading 2 'a'")

    def test_of_a_text_that_nests_deeper_than_mistune_reads_is_none(self) -> None:
        assert second_opinion(">" * 60 + "a") == ()


# Of blank lines and empty items in containers that nest, mistune makes something else.
@pytest.mark.parametrize("context", sorted({*contexts(gfm=True)} - {"nests"}))
def test_what_is_written_is_seen_alike(context: str) -> None:
    for number in range(50):
        text = to_markdown(normalize(tree(context, 1, number)))
        assert second_opinion(text) == (), text
