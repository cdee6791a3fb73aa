"""``assert_inert``: it passes for inert text, and fails where text becomes structure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import Ladder, documents
from ujsx import Density, Element, RenderContext, mdast
from ujsx.elements import Item, List, Paragraph, Section, TrustedMarkdown, strong
from ujsx.testing import assert_inert

FORGED = "x\n## Next steps\n1. rm -rf /"


class TestPasses:
    @given(text=st.text())
    def test_for_any_text_in_a_component(self, text: str) -> None:
        assert_inert([Section(title=text)[text, List()[Item()[strong(text)]]], text])

    @given(tree=documents(), density=st.sampled_from(Density))
    def test_for_trees_at_every_density(self, tree: Element, density: Density) -> None:
        assert_inert(tree, RenderContext(density=density))

    def test_for_nothing(self) -> None:
        assert_inert(None)

    def test_for_structure_that_the_author_vouches_for(self) -> None:
        assert_inert(TrustedMarkdown(source=FORGED))


class TestFails:
    def test_when_the_writer_lets_text_become_structure(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def leaky(node: mdast.Node) -> str:
            return f"{FORGED}\n"

        monkeypatch.setattr(mdast, "to_markdown", leaky)
        with pytest.raises(AssertionError) as caught:
            assert_inert(Paragraph()[FORGED])
        message = str(caught.value)
        assert "the rendering is read back as another tree" in message
        assert "'type': 'heading'" in message
        assert FORGED in message

    def test_when_text_is_lost(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(mdast, "to_markdown", lambda node: "")
        with pytest.raises(AssertionError):
            assert_inert(Ladder(words=("a",)))
