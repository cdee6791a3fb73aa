"""A rendering by layers: what of it changes how often."""

from __future__ import annotations

import pickle
from typing import ClassVar

from tests.ids import looped
from ujsx import Child, Children, Component, Disclosure, RenderContext, Renderer, render_document
from ujsx.elements import Paragraph, Section


class Fixed(Component):
    """Hardly ever changes."""

    disclosure: ClassVar[Disclosure] = Disclosure(layer="static")

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Section(title="Fixed")["a"]


class Now(Component):
    """Changes every turn."""

    disclosure: ClassVar[Disclosure] = Disclosure(layer="turn")

    text: str

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Paragraph()[self.text]


class Acts(Component):
    """Changes when somebody acts."""

    disclosure: ClassVar[Disclosure] = Disclosure()

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Section(title="Acts")["b"]


def texts(node: Child) -> dict[str, str]:
    return {each.layer: each.text for each in render_document(node).layers}


def test_each_layer_has_its_text_and_its_end() -> None:
    rendered = render_document(Section(title="All")[Fixed(), Acts(), Now(text="c")])
    static, session, turn = rendered.layers
    assert (static.layer, static.text) == ("static", "# All\n\n## Fixed\n\na\n")
    assert (session.text, turn.text) == ("## Acts\n\nb\n", "c\n")
    assert rendered.text[: static.end] == static.text.rstrip("\n")
    assert rendered.text[static.end : session.end].strip("\n") == session.text.strip("\n")
    assert turn.end == len(rendered.text.rstrip("\n"))
    assert static.tokens == rendered.count_tokens(static.text)


def test_what_is_written_in_a_layout_is_static_wherever_it_stands() -> None:
    found = texts([Now(text="c"), Section(title="Rules")["Be kind."]])
    assert found == {"static": "# Rules\n\nBe kind.\n", "session": "", "turn": "c\n"}


def test_a_heading_goes_with_what_follows_it() -> None:
    found = texts(Section(title="State")[Acts(), Fixed()])
    assert found["session"] == "# State\n\n## Acts\n\nb\n"
    assert found["static"] == "## Fixed\n\na\n"


@looped("node", [None, Section(title="Empty")])
def test_nothing_has_empty_layers(node: Child) -> None:
    assert [each.text for each in render_document(node).layers][1:] == ["", ""]


def test_layers_are_data_and_follow_a_renderer() -> None:
    renderer = Renderer()
    first = renderer.render([Fixed(), Now(text="c")])
    second = renderer.render([Fixed(), Now(text="d")])
    assert first.layers[0] == second.layers[0]
    assert pickle.loads(pickle.dumps(second)).layers == second.layers
