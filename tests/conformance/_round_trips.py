"""Law 2: for each document, ``html(write(read(text))) == html(text)`` under each reader."""

from __future__ import annotations

from collections.abc import Sequence

from ujsx import UjsxError
from ujsx.mdast import from_markdown, to_markdown

from ._corpora import Document
from ._node import Node
from ._oracles import Oracle
from ._skeleton import of_html
from ._table import Figures, Row, difference


def round_trips(
    title: str, documents: Sequence[Document], oracles: Sequence[Oracle], node: Node, *, gfm: bool
) -> list[Row]:
    """Return a row for each reader."""
    texts = [document.text for document in documents]
    ours = [_formatted(text, gfm=gfm) for text in texts]
    remark = node.ask("remark format", texts, gfm=gfm)
    meant = {oracle.name: oracle.render(texts) for oracle in oracles}
    structures = [[of_html(html) for html in htmls] for htmls in meant.values()]
    agreed = [
        all(each == first for each in others) for first, *others in zip(*structures, strict=True)
    ]
    return [
        Row(
            f"{title}, {oracle.name}",
            len(documents),
            _figures(documents, ours, oracle, meant[oracle.name], agreed),
            _figures(documents, remark, oracle, meant[oracle.name], agreed),
        )
        for oracle in oracles
    ]


def _formatted(text: str, *, gfm: bool) -> str | None:
    try:
        return to_markdown(from_markdown(text, gfm=gfm, frontmatter=gfm))
    except UjsxError:
        return None


def _figures(
    documents: Sequence[Document],
    written: Sequence[str | None],
    oracle: Oracle,
    meant: Sequence[str],
    agreed: Sequence[bool],
) -> Figures:
    misses: list[str] = []
    disputed: list[str] = []
    got = oracle.render([text or "" for text in written])
    cases = zip(documents, written, meant, got, agreed, strict=True)
    for document, text, wanted, html, is_agreed in cases:
        if text is None:
            misses.append(f"{document.name}: the writer refused it")
        elif html != wanted:
            words = f"{document.name}: {difference(wanted, html)}"
            (misses if is_agreed else disputed).append(words)
    right = len(documents) - len(misses) - len(disputed)
    return Figures(right, tuple(misses), tuple(disputed))
