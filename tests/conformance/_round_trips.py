"""Law 2: for each document, ``html(write(read(text))) == html(text)`` under each reader.

Specifications' examples are compared byte by byte, random documents by what they show.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.conformance._corpora import Document
from tests.conformance._node import Node
from tests.conformance._oracles import Oracle
from tests.conformance._reasons import document_reason
from tests.conformance._shown import alike_shown, shown
from tests.conformance._skeleton import of_html
from tests.conformance._table import Figures, Row, difference
from ujsx import UjsxError
from ujsx.mdast import from_markdown, to_markdown


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


def random_round_trips(
    title: str, documents: Sequence[Document], oracles: Sequence[Oracle], *, gfm: bool
) -> list[Row]:
    """Return a row for each reader: what it shows of random documents, before and after.

    A document is disputed when the readers show different things of it as it is, or when
    ``document_reason`` knows why it cannot stay the same.
    """
    texts = [document.text for document in documents]
    written = [_formatted(text, gfm=gfm) for text in texts]
    meant = {oracle.name: oracle.render(texts) for oracle in oracles}
    agreed = [
        all(alike_shown(first, each) for each in others)
        for first, *others in zip(*meant.values(), strict=True)
    ]
    return [
        Row(
            f"{title}, {oracle.name}",
            len(documents),
            _shown_figures(documents, written, oracle, meant[oracle.name], agreed, gfm=gfm),
        )
        for oracle in oracles
    ]


def _shown_figures(
    documents: Sequence[Document],
    written: Sequence[str | None],
    oracle: Oracle,
    meant: Sequence[str],
    agreed: Sequence[bool],
    *,
    gfm: bool,
) -> Figures:
    misses: list[str] = []
    disputed: list[str] = []
    got = oracle.render([text or "" for text in written])
    cases = zip(documents, written, meant, got, agreed, strict=True)
    for document, text, wanted, html, is_agreed in cases:
        if text is not None and shown(html) == shown(wanted):
            continue
        why = document_reason(document.text, oracle.name, gfm=gfm)
        words = why or ("the writer refused it" if text is None else difference(wanted, html))
        excused = why is not None or (text is not None and not is_agreed)
        (disputed if excused else misses).append(f"{document.name}: {words}")
    right = len(documents) - len(misses) - len(disputed)
    return Figures(right, tuple(misses), tuple(disputed))


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
