"""hast trees equal to mdast-util-to-hast's, on examples and on READMEs of installed packages.

Runs where ``$UJSX_REMARK`` names a folder in which npm has installed mdast-util-to-hast.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest

from tests.ids import looped
from ujsx import hast, registry
from ujsx.mdast import Root, from_markdown, to_dict


@pytest.fixture(scope="module")
def folder() -> Path:
    found = Path(os.environ.get("UJSX_REMARK", ""))
    if not (found / "node_modules" / "mdast-util-to-hast").is_dir() or not shutil.which("node"):
        pytest.skip("set UJSX_REMARK to a folder with npm's mdast-util-to-hast, and install node")
    return found


def theirs(trees: list[Root], folder: Path) -> list[dict[str, Any]]:
    # node looks for packages beside the script, so the script has to lie beside them.
    script = shutil.copy(Path(__file__).parent / "to_hast.mjs", folder)
    data = json.dumps([to_dict(tree) for tree in trees])
    run = subprocess.run(["node", script], input=data, capture_output=True, text=True, check=True)
    made: list[dict[str, Any]] = json.loads(run.stdout)
    return made


def meaning(node: dict[str, Any]) -> dict[str, Any]:
    """A node without its place and its data; texts that meet are one.

    They also give tasks a class, which the GFM specification's HTML does not have.
    """
    kept = {key: value for key, value in node.items() if key not in {"position", "data"}}
    kept["properties"] = {
        key: value
        for key, value in node.get("properties", {}).items()
        if value is not False and value not in (["task-list-item"], ["contains-task-list"])
    }
    children: list[dict[str, Any]] = []
    for child in map(meaning, node.get("children", [])):
        if child["type"] == "text" and children and children[-1]["type"] == "text":
            children[-1]["value"] += child["value"]
        elif child.get("value") != "":
            children.append(child)
    return {**kept, "children": children}


def differing(documents: list[str], folder: Path) -> list[str]:
    trees = [from_markdown(document, frontmatter=False) for document in documents]
    ours = [hast.to_dict(registry.transform("mdast -> hast", tree)) for tree in trees]
    return [
        document
        for document, our, their in zip(documents, ours, theirs(trees, folder), strict=True)
        if meaning(our) != meaning(their)
    ]


def readmes() -> Iterator[str]:
    for distribution in distributions():
        text = distribution.metadata.get_payload()
        if isinstance(text, str) and text:
            yield text.replace("\r\n", "\n")


class TestTrees:
    @looped("name", ["commonmark-0.31.2", "gfm-spec", "gfm-ext"])
    def test_are_equal_on_the_examples(self, name: str, corpora: Path, folder: Path) -> None:
        path = corpora / "markdown" / f"{name}.json"
        examples = json.loads(path.read_text(encoding="utf-8"))
        assert differing([example["markdown"] for example in examples], folder) == []

    def test_are_equal_on_readmes(self, folder: Path) -> None:
        assert differing([*readmes()], folder) == []
