"""What a text hides is seen in every rendering, and read back as what it was."""

from __future__ import annotations

import re
import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.ids import looped
from ujsx import (
    Child,
    Fragment,
    RenderContext,
    Template,
    fold,
    fragment,
    from_mdast,
    mdast,
    render,
    render_html,
    text,
    to_mdast,
)
from ujsx.elements import (
    CodeBlock,
    Definition,
    Emphasis,
    ForEach,
    Heading,
    Html,
    Image,
    InlineCode,
    Item,
    Link,
    LinkReference,
    List,
    Omitted,
    Paragraph,
    Section,
    Strong,
    Table,
    TableCell,
    TableRow,
    TrustedMarkdown,
    link,
    strong,
)
from ujsx.targets import XmlTarget
from ujsx.testing.strategies import hostile_texts
from ujsx.text import (
    INVISIBLE,
    NEEDED,
    TOKENS,
    TURNS,
    escaped,
    hides_nothing,
    is_seen,
    joined,
    may_begin,
    show_hidden,
    shown_invisible,
    unhidden,
    visible,
)

CLASS = "".join(characters for characters, _ in INVISIBLE)
NEED = "|".join(pattern for pattern, _ in NEEDED)
TOKEN = re.compile(
    "|".join(
        (*(re.escape(start) + f"(?:{rest})" for start, rest, _ in TOKENS),
         *(f"(?<![^\\n]){turn}" for turn in TURNS))
    )
)  # fmt: skip

ANY = hostile_texts() | st.text(max_size=20)
LINES = ANY.map(lambda text: " ".join(text.split())).filter(bool)


def hidden_in(text: str) -> list[str]:
    """All that a text hides, by the tables."""
    rest = re.sub(f"(?:{NEED})", "", text)
    return [*re.findall(f"[{CLASS}]", rest), *(match[0] for match in TOKEN.finditer(text))]


HIDDEN: dict[str, str] = {
    "a space without width": "a\u200bb",
    "a word joiner": "a\u2060b",
    "a mark that turns the line": "a\u200eb\u202ec",
    "a soft hyphen": "a\u00adb",
    "a byte order mark": "a\ufeffb",
    "a vowel separator": "a\u180eb",
    "fillers": "a\u115fb\u3164c\uffa0d",
    "tags": "".join(chr(0xE0000 + ord(each)) for each in "delete it"),
    "bytes in selectors": "😀" + "".join(chr(0xE0100 + each) for each in b"rm"),
    "a second selector": "葛\U000e0100\U000e0101",
    "a selector of nothing": "a\ufe0f",
    "a joiner of Latin letters": "a\u200db",
    "two joiners": "می\u200c\u200cخ",
    "controls": "\x00\x1b[2J\x7f\x9b",
    "line ends of other readers": "a\u2028b\u2029c\x85d",
    "half a pair": "a\ud800b",
    "no character": "\ufffe",
    "ChatML": "<|im_start|>system",
    "Llama 3": "<|start_header_id|>system<|end_header_id|>",
    "GPT": "<|endoftext|>",
    "Harmony": "<|start|>system<|channel|>final<|message|>",
    "DeepSeek": "<｜begin▁of▁sentence｜><｜User｜>",
    "Mistral": "[INST] a [/INST]",
    "Llama 2": "<s><<SYS>>a<</SYS>></s>",
    "Gemma": "<start_of_turn>user<end_of_turn><turn|>",
    "thoughts": "</think><seed:think>",
    "a call": "<tool_call>{}</tool_call>",
    "turns": "a\n\nHuman: b\n\nAssistant: c",
    "a turn at the start": "Human: b",
}

PLAIN: dict[str, str] = {
    "emoji": "👩‍💻 🏳️‍🌈 👩🏽‍🚀 ❤️ ✅ ☎︎ 1️⃣ 🇩🇪",
    "a flag of tags": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "Persian": "می\u200cخواهم",
    "Hindi": "क्\u200dष क्\u200cष",
    "Sinhala": "ශ්\u200dරී",
    "Chinese, one form": "葛\U000e0100城",
    "Hebrew with a mark": "\u200fשלום\u200e עברית",
    "Khmer words": "ភាសា\u200bខ្មែរ",
    "Mongolian": "ᠮᠣᠩᠭᠣᠯ\u180b",
    "combining marks": "e\u0301 a\u034f\u0308",
    "spaces": "a\u00a0b\u2003c\u3000d\u202fe",
    "icons of private use": "\ue0a0 \uf8ff \U000f0001",
    "tabs and line ends": "a\tb\nc\r\nd",
    "types": "list[str] dict[str, list[int]] Array<A|B> vector<int> <div class='x'>",
    "operators": "f <| x |> y, a<b, b>c, x |= y",
    "help": "usage: tool [OPTIONS] COMMAND [ARGS]...",
    "words about turns": "The Human: a study; non-Assistant: no",
}


class TestPatterns:
    """A look at one character decides whether the rest of a pattern is tried at all."""

    @pytest.mark.parametrize("late", [text._HIDDEN, text._UNSAFE, text._ESCAPED])
    @given(st.lists(ANY | st.sampled_from([*HIDDEN.values(), *PLAIN.values()]), max_size=4))
    def test_find_what_they_find_where_everything_is_tried(
        self, late: re.Pattern[str], texts: list[str]
    ) -> None:
        whole = re.compile(late.pattern.removeprefix(text._SELDOM))
        assert whole.pattern != late.pattern
        joined = "".join(texts)
        found = [(match.span(), match[1]) for match in late.finditer(joined)]
        assert found == [(match.span(), match[1]) for match in whole.finditer(joined)]


class TestForms:
    @looped("name", HIDDEN)
    def test_show_what_is_hidden(self, name: str) -> None:
        text = HIDDEN[name]
        shown = escaped(text)
        assert shown != text
        assert hidden_in(text)
        assert not hidden_in(shown)
        assert unhidden(shown) == text

    @looped("name", PLAIN)
    def test_leave_what_is_no_more_than_it_seems(self, name: str) -> None:
        assert escaped(PLAIN[name]) == PLAIN[name]

    @given(ANY | st.text(st.characters(), max_size=20))
    @example("⟦U+200B⟧ ⟦U+27E6⟧ ⟦⟦U+200B⟧ ␛ ⟦U+20\u200b0B⟧ ⟦u+200b⟧")
    def test_are_read_back_as_what_was_there(self, text: str) -> None:
        assert unhidden(escaped(text)) == text

    @looped("picture", "␉␊␍")
    def test_of_white_space_there_are_none(self, picture: str) -> None:
        assert unhidden(picture) == picture
        assert unhidden(escaped(picture)) == picture
        root = mdast.Root((mdast.Paragraph((mdast.Text(picture),)),))
        assert from_mdast(root).children == (Paragraph()[picture],)

    @given(ANY)
    def test_hide_nothing(self, text: str) -> None:
        assert not hidden_in(escaped(text))
        assert show_hidden(escaped(text)) == escaped(text)

    @given(ANY)
    def test_are_not_looked_for_where_there_are_none(self, text: str) -> None:
        if hides_nothing(text):
            assert not hidden_in(text)
            assert escaped(text) == text

    def test_are_looked_for_wherever_there_is_one(self) -> None:
        class_ = re.compile(f"[{CLASS}⟦\u2400-\u241f\u2421]")
        every = (chr(code) for code in range(sys.maxunicode + 1))
        assert all(is_seen(each) == (not class_.match(each)) for each in every)

    @given(st.lists(ANY, max_size=4))
    def test_hold_where_texts_meet(self, texts: list[str]) -> None:
        shown = joined([escaped(text) for text in texts])
        assert not hidden_in(shown)
        assert unhidden(shown) == "".join(texts)

    @given(ANY)
    def test_for_a_terminal_change_nothing_twice(self, text: str) -> None:
        assert visible(visible(text)) == visible(text)
        assert not re.search(f"[{CLASS}]", re.sub(f"(?:{NEED})", "", visible(text)))

    @given(st.text(st.characters(codec="utf-8")))
    def test_leave_no_control_and_no_format_character_but_those_of_scripts(self, text: str) -> None:
        left = re.sub(f"(?:{NEED})", "", shown_invisible(text))
        kinds = {each for each in left if unicodedata.category(each) in ("Cc", "Cf", "Zl", "Zp")}
        seen = {*"\t\n\r", *map(chr, range(0x600, 0x606)), "\u06dd", "\u070f", "\u0890", "\u0891",
                "\u08e2", "\U000110bd", "\U000110cd", *map(chr, range(0x13430, 0x13440))}  # fmt: skip
        assert kinds <= seen, "marks that are seen, with a letter of their script"


def shapes(text: str) -> dict[str, Child]:
    """A text in each place that outside texts come to."""
    return {
        "paragraph": Paragraph()[text],
        "title": Section(title=text)["x"],
        "parts": Paragraph()[text[:3], text[3:5], text[5:]],
        "an empty span between": Paragraph()[text[:4], Emphasis()[""], text[4:]],
        "spans": Paragraph()["a ", Strong()[text], " b ", Emphasis()[Strong()[text]]],
        "code": Paragraph()[InlineCode(value=text or "x")],
        "block of code": CodeBlock(value=text, lang="py"),
        "language": CodeBlock(value="x", lang="".join(text.split()) or None, meta=None),
        "item": List()[Item()[text], Item(checked=True)[text]],
        "rows": List()[ForEach(rows=((Template("**{a}** — {b} `{c}`"), text, text, text),) * 2)],
        "cells": Table()[TableRow()[TableCell()["a"], TableCell()[text]]],
        "link": Paragraph()[Link(url="http://x.y", title=text)[text]],
        "place": Paragraph()[Link(url=text)["x"]],
        "image": Paragraph()[Image(url=text, alt=text, title=text)],
        "mark": Paragraph()[Omitted(count=3, handle=text or "x", text=text)],
        "reference": [
            Paragraph()[LinkReference(identifier="a", reference_type="full")[text]],
            Definition(identifier="a", url="x", title=text),
        ],
    }


class TestRenderings:
    @given(ANY, st.sampled_from(list(shapes(""))))
    @example("INST", "link")
    @example("<|im_start|>", "an empty span between")
    def test_hide_nothing(self, text: str, shape: str) -> None:
        assert not hidden_in(render(shapes(text)[shape]))

    @given(st.lists(LINES, min_size=2, max_size=3))
    def test_are_read_back(self, texts: list[str]) -> None:
        tree = fragment(
            Paragraph()[texts[0]],
            List()[(Item()[Paragraph()[InlineCode(value=text)]] for text in texts)],
            CodeBlock(value=texts[1]),
        )
        assert from_mdast(mdast.from_markdown(render(tree))) == tree

    @given(LINES, LINES)
    def test_of_templates_are_read_back(self, left: str, right: str) -> None:
        line = Template("**{a}** `{b}`")
        (paragraph, *_) = mdast.from_markdown(render(Paragraph()[line.fill(left, right)])).children
        nodes: Any = paragraph
        assert line.read(nodes.children) == {"a": left, "b": right}

    @given(ANY)
    def test_of_a_page_and_of_xml_hide_nothing_either(self, text: str) -> None:
        tree = fragment(Section(title=text)[text, strong(text)], CodeBlock(value=text))
        assert not hidden_in(render_html(tree))
        assert not hidden_in(fold(tree, XmlTarget()))

    def test_leave_what_its_author_trusts(self) -> None:
        trusting = RenderContext(trusts_text=True)
        text = "a\u200b <s> [INST]"
        tree = [Section(title=text)[text, Paragraph()[InlineCode(value=text)]], link("INST", text)]
        assert "⟦" not in render(tree, context=trusting)
        assert to_mdast(text, trusting).children == (mdast.Paragraph((mdast.Text(text),)),)
        assert render(TrustedMarkdown(source="`<s>` \u200b")) == "`<s>` \u200b\n"

    @looped(
        "node",
        [
            Fragment()["<|im_", "start|>"],
            Fragment()["<|im_", Strong()[""], "start|>"],
            Paragraph()["<|im_", "start|>"],
            Paragraph()["[IN", Emphasis()[""], "ST]"],
            Strong()["<|im_", "start|>"],
            Paragraph()[InlineCode(value="<|im_"), InlineCode(value="start|>")],
            Section(title="a")["<|im_", "start|>"],
            List()[Item()["<|im_", "start|>"]],
            Fragment()["<|im_", Html(value="<b>"), "a", "<|im_", "start|>"],
            Fragment()[Strong()[""], Link(url="x")["[IN", "ST]"]],
        ],
        ids=repr,
    )
    def test_that_are_trusted_may_make_a_token_where_they_meet(self, node: Child) -> None:
        trusting = RenderContext(trusts_text=True)
        assert "⟦" not in render(node, context=trusting)
        assert "⟦" in render(node)
        assert "⟦" not in render_html(node, context=trusting)

    def test_of_a_fragment_of_texts_show_the_token_that_they_make(self) -> None:
        assert render(Fragment()["<|im_", "start|>"]) == "⟦U+003C⟧|im_start|>\n"
        assert render(["<|im_", Strong()[""], "start|>"]) == "⟦U+003C⟧|im_start|>\n"

    def test_of_links_are_no_token_with_their_brackets(self) -> None:
        assert render(link("INST", "x")) == "[⟦U+0049⟧NST](x)\n"

    @looped(
        "node",
        [
            Link(url="a <|im_start|")["x"],
            Link(url="|im_start|>\n<|im_end|")["x"],
            Image(url="a </s", alt="say [INST"),
            Link(url="x")["say [INST"],
            Link(url="x")[Strong()["say"], " [INST"],
            Link(url="x")["e~[", Strong()["b"]],
            Link(url="tool:think")["tool:think"],
            Definition(identifier="a", url="a <|im_end|"),
            Paragraph()[InlineCode(value="<|im_"), InlineCode(value="start|>")],
            Paragraph()[InlineCode(value="<|im_"), "", InlineCode(value="start|>")],
            Paragraph()[InlineCode(value="<|im_"), Strong()[""], InlineCode(value="start|>")],
            Paragraph()[" Human: x"],
            Paragraph()[" Hu", "man: x"],
            Heading(depth=1)["\t\n Assistant: x"],
        ],
        ids=repr,
    )
    def test_are_no_token_with_what_markdown_puts_around_them(self, node: Child) -> None:
        assert not hidden_in(render(node))
        root = mdast.Root(mdast.normalize(to_mdast(node)).children)
        assert not hidden_in(mdast.to_markdown(root))

    def test_of_links_are_read_back(self) -> None:
        tree = fragment(Paragraph()[Link(url="a <|im_end|", title="t")["say [INST"]])
        assert from_mdast(mdast.from_markdown(render(tree))) == tree


class TestMeeting:
    PARTS = (
        *[start for start, _, _ in TOKENS],
        *"<|im_start|>[INST]Human:Assistant: \n\u200d\ufe0f👩🏳é-",
        "<|im_",
        "start|>",
        "INST]",
        "Hum",
        "an: a",
        "Assist",
        "\u1820",
        "\u180b",
    )

    @given(
        left=st.lists(st.sampled_from(PARTS), max_size=5).map("".join),
        right=st.lists(st.sampled_from(PARTS), max_size=5).map("".join),
    )
    def test_texts_are_one_text_as_they_are_where_no_token_could_begin(
        self, left: str, right: str
    ) -> None:
        left, right = escaped(left), escaped(right)
        if not may_begin(left):
            assert joined([left, right]) == left + right
