"""The documents that are read and written: the specifications' examples, and READMEs.

The examples are found in ``$UJSX_CORPORA``, or in ``shared/data`` beside the repository.
CommonMark's are also in the source distribution of markdown-it-py, which pip can fetch.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from tests.conformance._missing import MissingError

REPOSITORY = Path(__file__).parents[2]
CACHE = REPOSITORY / ".cache" / "conformance"
"""Where what is installed or fetched for the run lies; git ignores it."""

CORPORA = Path(os.environ.get("UJSX_CORPORA", REPOSITORY.parent / "shared" / "data"))

LIBRARY = "markdown-it-py"
IN_LIBRARY = "tests/test_cmark_spec/commonmark.json"


@dataclass(frozen=True, slots=True)
class Document:
    """A document with a name by which a person finds it again."""

    name: str
    text: str


def commonmark() -> list[Document]:
    """Return the 652 examples of CommonMark 0.31.2."""
    path = CORPORA / "markdown" / "commonmark-0.31.2.json"
    return _examples("CommonMark", _read(path) if path.exists() else _from_library())


def gfm() -> list[Document]:
    """Return the 673 examples of the GFM specification."""
    return _examples("GFM", _read(_needed("gfm-spec.json")))


def gfm_extensions() -> list[Document]:
    """Return the 52 examples of GFM's extensions: the specification's and cmark-gfm's."""
    return _examples("GFM extension", _read(_needed("gfm-ext.json")))


def readmes() -> list[Document]:
    """Return the READMEs of installed packages: Python's descriptions, npm's Markdown files."""
    found: dict[str, str] = {}
    for distribution in distributions():
        text = distribution.metadata.get_payload()
        if isinstance(text, str) and text.strip():
            found[f"the description of {distribution.name}"] = text
    for path in sorted(CACHE.glob("node_modules/**/*.md")):
        found[str(path.relative_to(CACHE))] = path.read_text(encoding="utf-8", errors="replace")
    return [Document(name, text.replace("\r\n", "\n")) for name, text in sorted(found.items())]


def _examples(what: str, examples: list[dict[str, Any]]) -> list[Document]:
    # Examples of cmark-gfm's own tests have no number of the specification's.
    return [
        Document(f"{what} example {example.get('example', place)}", example["markdown"])
        for place, example in enumerate(examples, 1)
    ]


def _read(path: Path) -> list[dict[str, Any]]:
    examples: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return examples


def _needed(name: str) -> Path:
    path = CORPORA / "markdown" / name
    if not path.exists():
        raise MissingError(
            f"{name} is not in {path.parent}: set UJSX_CORPORA to a folder that has "
            f"markdown/{name}, with the examples of cmark-gfm's test/spec.txt as JSON"
        )
    return path


def _from_library() -> list[dict[str, Any]]:
    kept = CACHE / "commonmark.json"
    if not kept.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        command = ["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", LIBRARY]
        done = subprocess.run(
            [sys.executable, *command, "--dest", CACHE], capture_output=True, text=True, check=False
        )
        archives = sorted(CACHE.glob("markdown_it_py-*.tar.gz"))
        if done.returncode or not archives:
            raise MissingError(
                f"CommonMark's examples are not in {CORPORA}, nor could pip fetch the source of "
                f"{LIBRARY}, which has them; set UJSX_CORPORA, or connect to a package index"
            )
        with tarfile.open(archives[-1]) as archive:
            name = next(each for each in archive.getnames() if each.endswith(IN_LIBRARY))
            member = archive.extractfile(name)
            assert member is not None
            kept.write_bytes(member.read())
    return _read(kept)
