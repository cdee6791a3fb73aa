"""Law 1 beside remark: hostile trees written and read back, and what other readers see in them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.conformance._alike import meaning
from tests.conformance._law_1 import broken
from tests.conformance._node import Node
from tests.conformance._oracles import Oracle, skeleton_oracles
from tests.conformance._reasons import reason
from tests.conformance._shrink import shrunk
from tests.conformance._skeleton import of_html, of_tree
from tests.conformance._table import Figures, Row, parting
from tests.conformance._trees import contexts, tree
from ujsx import UjsxError
from ujsx.mdast import Root, Yaml, normalize, to_dict, to_markdown

ADDRESS = re.compile(r'<a href="[^"]*">([^<]*@[^<]*)</a>')
"""A link to an address as cmark-gfm makes it of text."""

LINKED = "a mail address in text, which this reader always links"


@dataclass(frozen=True, slots=True)
class Case:
    """A canonical tree with its number, by which ``make fuzz`` makes it again."""

    context: str
    number: int
    root: Root

    @property
    def name(self) -> str:
        return f"{self.context}, tree {self.number}"


def adversarial(total: int, seed: int, node: Node, *, gfm: bool) -> list[Row]:
    """Return a row for each context, and one for each other reader of the same texts."""
    names = contexts(gfm=gfm)
    cases = [
        Case(name, number, normalize(tree(name, seed, number, gfm=gfm)))
        for place, name in enumerate(names)
        for number in range(total // len(names) + (place < total % len(names)))
    ]
    remark = node.ask("remark round trip", [to_dict(case.root) for case in cases], gfm=gfm)
    exact = _exact(cases, remark, names)
    # Only readers with an extension know front matter.
    plain = [case for case in cases if not isinstance([*case.root.children, None][0], Yaml)]
    ours = [_written(case.root) for case in plain]
    theirs = node.ask("remark write", [to_dict(case.root) for case in plain], gfm=gfm)
    seen = [
        Row(
            f"no forged structure, {oracle.name}",
            len(plain),
            _unforged(plain, ours, oracle, shrink=True),
            _unforged(plain, theirs, oracle, shrink=False),
        )
        for oracle in skeleton_oracles(node, gfm=gfm)
    ]
    return [*exact, *seen]


def _exact(cases: Sequence[Case], remark: Sequence[Any], names: Sequence[str]) -> list[Row]:
    ours: dict[str, list[str]] = {name: [] for name in names}
    theirs: dict[str, list[str]] = {name: [] for name in names}
    for case, read in zip(cases, remark, strict=True):
        fault = broken(case.root)
        if fault is not None:
            ours[case.context].append(f"{case.name}: {fault}")
        if read is None or _told(read) != _told(to_dict(case.root)):
            theirs[case.context].append(case.name)
    rows: list[Row] = []
    for name in names:
        count = sum(case.context == name for case in cases)
        rows.append(
            Row(f"exact, {name}", count, _without(count, ours[name]), _without(count, theirs[name]))
        )
    every = len(cases)
    total = Row(
        "exact, all",
        every,
        Figures(sum(row.ours.right for row in rows)),
        _without(every, [miss for name in names for miss in theirs[name]]),
    )
    return [*rows, total]


def _told(node: dict[str, Any]) -> Any:
    """Return what a tree of remark's says, in a form that two trees can be compared in.

    Where a node has a label, its identifier is left out: remark derives it in another way from
    labels with character references, which is no loss.
    """
    kept = {key: value for key, value in meaning(node).items() if key != "children"}
    if "label" in kept:
        kept.pop("identifier", None)
    return kept, [_told(child) for child in node.get("children", ())]


def _without(count: int, misses: Sequence[str]) -> Figures:
    return Figures(count - len(misses), tuple(misses))


def _written(root: Root) -> str | None:
    try:
        return to_markdown(root)
    except UjsxError:
        return None


def _unforged(
    cases: Sequence[Case], texts: Sequence[str | None], oracle: Oracle, *, shrink: bool
) -> Figures:
    misses: list[str] = []
    disputed: list[str] = []
    htmls = oracle.render([text or "" for text in texts])
    for case, text, html in zip(cases, texts, htmls, strict=True):
        forged = _forged(case.root, text, html, oracle)
        if forged == LINKED:
            disputed.append(f"{case.name}: {forged}")
        elif forged is not None:
            # Remark's trees stay large, so that it is excused whenever a fault might be to blame.
            root = _made_small(case.root, oracle) if shrink else case.root
            known = reason(root, oracle.name)
            if known is not None:
                disputed.append(f"{case.name}: {known}{_shown(root) if shrink else ''}")
            else:
                misses.append(f"{case.name}: {forged}{_shown(root) if shrink else ''}")
    right = len(cases) - len(misses) - len(disputed)
    return Figures(right, tuple(misses), tuple(disputed))


def _made_small(root: Root, oracle: Oracle) -> Root:
    """Return a smaller tree in whose text a reader sees other structure."""

    def forged(tree: Root) -> str | None:
        canonical = normalize(tree)
        text = to_markdown(canonical)
        (html,) = oracle.render([text])
        return _forged(canonical, text, html, oracle)

    return normalize(shrunk(root, forged))


def _shown(root: Root) -> str:
    return f"; smaller: {json.dumps(to_markdown(root))}"


def _forged(root: Root, text: str | None, html: str, oracle: Oracle) -> str | None:
    """Return how the structure that a reader sees in a tree's text differs from the tree's."""
    if text is None:
        return "refused"
    meant, seen = [*of_tree(root)], of_html(html)
    if seen == meant:
        return None
    if _is_only_addresses(text, html, meant, oracle):
        return LINKED
    return f"seen otherwise: {parting(meant, seen)}"


def _is_only_addresses(text: str, html: str, meant: list[str], oracle: Oracle) -> bool:
    """Return whether nothing but linked addresses parts what was seen from what was meant."""
    if oracle.without_addresses is None:
        return False
    (bare,) = oracle.without_addresses([text])
    return of_html(bare) == meant and of_html(_unlinked(html)) == of_html(_unlinked(bare))


def _unlinked(html: str) -> str:
    return ADDRESS.sub(r"\1", html)
