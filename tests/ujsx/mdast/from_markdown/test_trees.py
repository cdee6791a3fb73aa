"""Trees of small documents, as outlines.

``trees/*.txt`` hold cases: a sentence, the document as a JSON string, its outline with the places
of blocks. The trees are remark's (mdast-util-from-markdown with GFM and front matter), except in
``deviations.txt``, which lists where ours differ and why.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from tests.ids import looped
from tests.ujsx.mdast.from_markdown.outline import outline
from ujsx.mdast import to_dict
from ujsx.mdast.from_markdown import from_markdown

FOLDER = Path(__file__).parent / "trees"


class Case(NamedTuple):
    sentence: str
    document: str
    outline: str


def read(text: str) -> list[Case]:
    found = []
    for part in re.split(r"\n\n(?=# )", text.strip()):
        sentence, document, expected = part.split("\n", 2)
        found.append(Case(sentence.removeprefix("# "), json.loads(document), expected))
    return found


CASES = {
    f"{path.stem}: {case.sentence}": case
    for path in sorted(FOLDER.glob("*.txt"))
    for case in read(path.read_text(encoding="utf-8"))
}


@looped("case", CASES.values(), ids=CASES)
def test_tree(case: Case) -> None:
    assert outline(to_dict(from_markdown(case.document))) == case.outline
