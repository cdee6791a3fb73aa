"""Random documents, as people write them and as nobody would; the same for the same seed.

A document is made of blocks, a block of lines behind the prefixes of its containers, a line of
fragments. Nothing keeps the parts from running into each other: that is what is measured.
"""

from __future__ import annotations

from random import Random

from tests.conformance._corpora import Document

INLINE = (
    "word", "two words", "Ünïcode", "snake_case", "2*3", "a*b*", "*em*", "_em_", "**strong**",
    "__strong__", "***both***", "*a **b** c*", "`code`", "`` a`b ``", "` `", "\\*", "\\\\", "\\",
    "&amp;", "&copy", "&#42;", "&nope;", "<b>", "</b>", "<br/>", "<!-- c -->", "<a\n  href='x'>",
    '<img\nsrc="y"\n\nalt="z">', "<?p?>", "<!X y>", "<http://a.b>", "<c@d.ef>", "<", "< b", "[",
    "]", "[x]", "[X]", "[ ]", "[[wiki]]", "[Fix]", "[!NOTE]", "[a]", "[a][]", "[t][a]", "[t][b c]",
    "[b\nc]", "[b\n c][]", "[t](u)", '[t](u "v")', "[t](<u v>)", "[t]( u\n'v' )", "[*t*](u)",
    "[t](u(v)w)", "[t](", "![alt](u)", "![a *b*](u 'v')", "![a\nb](u)", "![x][a]", "![", "[![a](u)](v)",
    "[a [b](c) d](e)", "  \n", "\\\n", "\n", "\n\n", " ", "   ", "\t", "!", "#", "-", "+", "=", ">", "|",
    ":", "1.", "1)", "(", ")", '"', "'", "😀", "\u00a0", "…", "**", "*", "_", "__", "~", "`", "```",
)  # fmt: skip
GFM_INLINE = (
    "~~del~~", "~one~", "~~~", "~~", "[^n]", "[^m]", "![^n]", "www.a.b", "(www.a.b)", "<www.a.b>",
    "x<br>www.a.b", "https://a.b/c_d?e=f&g", "*https://a.b*", "[https://a.b]", "[x][https://a.b]",
    "https://a.b.", "a | b", "\\|", "`a|b`",
)  # fmt: skip
LINES = (
    "# Title", "## *Title* ##", "#", "####### no", "Title\n===", "Title\n---", "---", "***", "- - -",
    "___", "    code", "\tcode", "```\ncode\n```", "```py x\n\ncode\n\n```", "~~~\n```\n~~~", "```\nopen",
    "````\n```\n````", "```\n\n```", "<div>\nhtml\n</div>", "<div>\n\n*md*\n\n</div>", "<!-- a\n\nb -->",
    "<pre>\n\na</pre>", "<p>x", "</p>", "<x y>", "<script>\n\n</script>", "[a]: /u 'v'", "[b c]: <u v>",
    "[a]:\n /u\n 'v\n w'", "[a]: x y", "[d]: u", "- item", "* item", "+ item", "-", "- \n  x", "1. item",
    "2) item", "10. item", "- item\n\n  more", "- item\n  - inner", "- item\n\n\n- item", "-     code", "> quote",
    ">", "> quote\nlazy", "> - item\n>\n>   more", "> > deep\n> less", "> [!NOTE]\n> note", "> [!WARNING]\n>\n> - x",
    "- > quote\n- item", "1. - a\n   - b\n2. c", "- # a", "- ---", "- ```\n  a\n  ```", "- <div>", "\\# no",
    "1\\. no", "  indented", "a\n    b", "a\\\nb  \nc", "",
)  # fmt: skip
GFM_LINES = (
    "| a | b |\n| - | -: |\n| c | d |", "a | b\n:-: | -\n`c|d` | e", "| a |\n|-|\n| b | c |\n| |", "|a|\n|-",
    "- [ ] todo", "- [x] done\n- [ ] not", "- [x]", "1. [X] a", "- [ ] <!-- c --> x", "[^n]: note",
    "[^m]: note\n\n    more", "[^n]:\n    - a", "---\na: b\n---",
)  # fmt: skip
PREFIXES = ("> ", ">", "- ", "  ", "    ", "1. ", "   ", "* ", " ")


def sources(count: int, seed: int, *, gfm: bool) -> list[Document]:
    """Return ``count`` documents.

    >>> sources(2, 1, gfm=True) == sources(3, 1, gfm=True)[:2]
    True
    """
    return [Document(f"document {number}", _source(seed, number, gfm)) for number in range(count)]


def _source(seed: int, number: int, gfm: bool) -> str:
    random = Random(f"{seed} source {number} {gfm}")
    inline = (*INLINE, *GFM_INLINE) if gfm else INLINE
    lines = (*LINES, *GFM_LINES) if gfm else LINES
    blocks = [_block(random, inline, lines) for _ in range(random.randint(1, 6))]
    parts = [
        part
        for block in blocks
        for part in (block, random.choice(("\n", "\n\n", "\n\n", "\n\n\n")))
    ]
    return "".join(parts[:-1]) + "\n"


def _block(random: Random, inline: tuple[str, ...], lines: tuple[str, ...]) -> str:
    kind = random.random()
    if kind < 0.45:
        block = random.choice(lines)
    else:
        between = random.choice(("", " ", " "))
        block = between.join(random.choices(inline, k=random.randint(1, 6)))
        if kind < 0.6:
            block = f"{random.choice(lines)}{random.choice((' ', ''))}{block}"
    for _ in range(random.choice((0, 0, 0, 1, 1, 2))):
        block = _contained(random, block)
    return block


def _contained(random: Random, block: str) -> str:
    """Return a block in a container; once in a while a line is not."""
    first = random.choice(PREFIXES)
    other = first if first.strip() in (">", "") else " " * len(first)
    lines = block.split("\n")
    return "\n".join(
        (first if place == 0 else other if random.random() < 0.95 else "") + line
        for place, line in enumerate(lines)
    )
