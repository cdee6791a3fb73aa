"""The gallery of a file: all examples of its components at every density, as a page and as a file of its own."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

import pytest

from hud_runtime.preview import FaultError, Subject, gallery
from tests.hud_runtime.preview.hostile import TEXTS
from tests.hud_runtime.preview.inside import TAGS
from tests.hud_runtime.preview.test_report import OWN, seen

COMPONENTS = """
from typing import ClassVar

from other import Borrowed
from hud_components import NotesSection
from ujsx import Component, Density, Disclosure, Examples, Rung
from ujsx.elements import Section

"""

ONE = '''
class Card{0}(Component):
    """Card number {0}."""

    disclosure = Disclosure((Rung(Density.MINIMAL, 0), Rung(Density.FULL)))
    examples: ClassVar[Examples] = lambda: {{
        "one": Card{0}(text="word{0}"),
        "two": Card{0}(text="other")["a child"],
    }}
    text: str

    def render(self, ctx, children):
        return Section(title="Card {0}")[self.text, children] if ctx.density is Density.FULL else self.text
'''

BORROWED = """
from typing import ClassVar

from ujsx import Component, Examples


class Borrowed(Component):
    examples: ClassVar[Examples] = lambda: {"one": Borrowed()}

    def render(self, ctx, children):
        return "borrowed"
"""

HOSTILE = """
from typing import ClassVar

from ujsx import Component, Examples
from ujsx.elements import Html, Paragraph

TEXTS = {0!r}


class Hostile(Component):
    "<script>in its description</script>"

    examples: ClassVar[Examples] = lambda: {{text: Hostile(text=text) for text in TEXTS}}
    text: str

    def render(self, ctx, children):
        return [Paragraph()[self.text], Html(value=self.text)]


class Broken(Component):
    examples: ClassVar[Examples] = lambda: {{"one": Broken(text=TEXTS[0])}}
    text: str

    def render(self, ctx, children):
        raise LookupError(self.text)


class Refused(Component):
    examples: ClassVar[Examples] = lambda: {{"one": Refused(txt=TEXTS[0])}}
    text: str
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "other.py").write_text(BORROWED)
    path = tmp_path / "cards.py"
    path.write_text(COMPONENTS + "".join(ONE.format(number) for number in range(20)))
    return path


@pytest.fixture
def hostile(tmp_path):
    path = tmp_path / "hostile.py"
    path.write_text(HOSTILE.format((*TEXTS, "half \ud800 of a pair")))
    return path


def test_it_has_all_examples_at_every_density_with_their_tokens(file, preview):
    shown = preview(Subject("cards.py", gallery=str(file)))
    names = [each["name"] for each in shown.ask("view")["components"]]
    assert names == ["Borrowed", *(f"Card{number}" for number in range(20))], (
        "and none of this library"
    )
    page = gallery(shown)
    text = seen(page).text
    assert "41 examples" in text
    for number in range(20):
        assert f"Card number {number}." in text
        assert f"word{number}" in text
    assert len(re.findall(r"(?:full|compact|minimal) · \d+ t", text)) == 41 * 3
    assert "# Card 7\n\nothera child" in text, "the exact text"
    assert gallery(shown) == page, "the same examples give the same bytes"


def test_it_names_the_components_of_the_file_that_declare_no_examples(file, preview):
    file.write_text(f"{file.read_text()}\n\nclass Bare(Card7):\n    'Nothing to see.'\n")
    shown = preview(Subject("cards.py", gallery=str(file)))
    [told] = [each for each in shown.ask("view")["components"] if not each["examples"]]
    assert (told["name"], told["about"]) == ("Bare", "Nothing to see.")
    assert told["fault"]["message"].startswith("Bare declares no examples; write examples")


def test_all_texts_of_it_are_inert(hostile, preview):
    shown = preview(Subject("</title><script>x</script>", gallery=str(hostile)))
    for is_live in (False, True):
        page = gallery(shown, is_live=is_live)
        found = seen(page)
        assert found.tags <= TAGS | OWN | {"input", "script", *({"link"} if is_live else ())}
        assert page.count("<script") == 1
        assert found.names <= {
            "class", "title", "id", "type", "placeholder", "aria-label", "role",
            *({"rel", "href", "src", "defer"} if is_live else ()),
        }  # fmt: skip
        assert re.search(
            r"hostile\.py:\d+: RenderError: Broken: render raised LookupError", found.text
        )
        assert re.search(
            r"Refused\.examples \(.*hostile\.py:\d+\): Refused\.txt: no such prop", found.text
        )


def test_its_file_lets_in_its_own_style_and_script_alone(file, preview):
    page = gallery(preview(Subject("cards.py", gallery=str(file))))
    for tag in ("style", "script"):
        (text,) = re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>", page, re.DOTALL)
        assert f"{tag}-src 'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in page
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|https?:", text
        )
    assert "default-src 'none'" in page


def test_it_follows_the_file_and_keeps_the_last_good_view(file, preview, until):
    shown = preview(Subject("cards.py", gallery=str(file)))
    good = file.read_text()
    file.write_text(good.replace("word3", "another"))
    until(shown.poll)
    assert "another" in gallery(shown)
    file.write_text("class Card(")
    until(shown.poll)
    page = gallery(shown, is_live=True)
    assert "another" in page
    assert "cards.py:1:11: SyntaxError" in page


def test_a_file_without_examples_is_refused(tmp_path, preview):
    path = tmp_path / "bare.py"
    path.write_text("from ujsx import Component\n\nclass Bare(Component):\n    pass\n")
    shown = preview(Subject("bare.py", gallery=str(path)))
    assert "no component in bare.py declares examples, such as" in str(shown.fault)
    with pytest.raises(FaultError):
        gallery(shown)
