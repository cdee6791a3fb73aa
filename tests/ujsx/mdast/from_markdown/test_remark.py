"""Trees equal to remark's, on the specifications' examples and on READMEs of installed packages.

Runs where ``$UJSX_REMARK`` names a folder in which npm has installed mdast-util-from-markdown,
mdast-util-gfm, mdast-util-frontmatter, micromark-extension-gfm and micromark-extension-frontmatter.
"""

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
from ujsx.mdast import to_dict
from ujsx.mdast.from_markdown import from_markdown


@pytest.fixture(scope="module")
def folder() -> Path:
    name = os.environ.get("UJSX_REMARK")
    if name is None or shutil.which("node") is None:
        pytest.skip("set UJSX_REMARK to a folder with remark's packages, and install node")
    return Path(name)


def remark(documents: list[str], folder: Path) -> list[dict[str, Any]]:
    # node looks for packages beside the script, so the script has to lie beside them.
    script = shutil.copy(Path(__file__).parent / "remark.mjs", folder)
    run = subprocess.run(
        ["node", script], input=json.dumps(documents), capture_output=True, text=True, check=True
    )
    trees: list[dict[str, Any]] = json.loads(run.stdout)
    return trees


def meaning(node: dict[str, Any]) -> dict[str, Any]:
    """Return a node without its place and without fields that are null."""
    kept = {
        key: value
        for key, value in node.items()
        if value is not None and key not in {"position", "data", "children"}
    }
    if "children" in node:
        kept["children"] = [meaning(child) for child in node["children"]]
    return kept


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
        documents = [example["markdown"] for example in examples]
        assert differences(documents, folder) == []

    def test_are_equal_on_readmes(self, folder: Path) -> None:
        documents = [*readmes(), *(path.read_text("utf-8") for path in folder.rglob("*.md"))]
        assert differences(documents, folder) == []


def differences(documents: list[str], folder: Path) -> list[str]:
    """Return the documents whose trees differ."""
    return [
        document
        for document, theirs in zip(documents, remark(documents, folder), strict=True)
        if meaning(to_dict(from_markdown(document))) != meaning(theirs)
    ]
