"""Text from outside, made fit for a line."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from ujsx.text import is_printable, one_line, visible


class TestOneLine:
    @given(text=st.text())
    def test_has_one_line_for_every_reader(self, text: str) -> None:
        assert len(one_line(text).splitlines()) <= 1

    @given(text=st.text())
    def test_keeps_every_character_that_is_no_white_space(self, text: str) -> None:
        def kept(each: str) -> str:
            return "".join(each.split())

        assert kept(one_line(text)) == kept(text)

    @given(text=st.text())
    def test_of_one_line_is_itself(self, text: str) -> None:
        line = one_line(text)
        assert one_line(line) == line

    def test_parts_lines_by_one_space(self) -> None:
        assert one_line("a  \r\n\n\t b\u2028c") == "a b c"


class TestVisible:
    @given(text=st.text())
    def test_has_no_control_but_tab_and_line_feed(self, text: str) -> None:
        controls = {each for each in visible(text) if unicodedata.category(each) == "Cc"}
        assert controls <= {"\t", "\n"}

    @given(text=st.text())
    def test_has_no_bidirectional_controls_and_no_tags(self, text: str) -> None:
        hidden = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(0xE0000, 0xE0080)}
        assert not hidden & {ord(each) for each in visible(text)}

    def test_leaves_what_scripts_and_emoji_need(self) -> None:
        assert visible("👩\u200d💻 ❤\ufe0f می\u200cخواهم") == "👩\u200d💻 ❤\ufe0f می\u200cخواهم"


class TestIsPrintable:
    @given(st.text() | st.text(st.characters(max_codepoint=0x7F)))
    def test_tells_what_str_tells(self, text: str) -> None:
        assert is_printable(text) is text.isprintable()
