"""``make plugins``: the fixtures of markdown-it's plugins, read and written back by their tables.

The source distribution of mdformat-myst has such fixtures. That of mdit-py-plugins has none: those of a checkout are run
with FIXTURES=path/to/tests/fixtures. What a plugin shows of an input must be the same before and after, and reading the
output must give the same tree. Exit status 1 if an input fails, 2 if something is not installed.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from markdown_it.utils import read_fixture_file
from mdit_py_plugins.attrs import attrs_plugin
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.footnote import footnote_plugin

from tests.conformance._corpora import REPOSITORY
from tests.conformance._missing import MissingError
from tests.ujsx.mdast.extensions.test_plugins import EXTENSIONS, TABLES, shown
from ujsx.errors import MdastError
from ujsx.mdast import from_markdown, normalize, to_markdown
from ujsx.mdast.extensions import Extension, extension_of

CACHE = REPOSITORY / ".cache" / "plugins"

DISTRIBUTION = "mdformat-myst"


class Reader(NamedTuple):
    """The reader of a file of fixtures: our extensions, and the plugins that show what they read."""

    extensions: tuple[Extension, ...]
    plugins: tuple[Any, ...]
    gfm: bool = True


def named(md: Any) -> None:
    """The containers of the fixtures."""
    container_plugin(md, name="name")


def spans(md: Any) -> None:
    """Attributes behind brackets alone, as in the table."""
    attrs_plugin(md, after=(), spans=True, span_after="text")


def of(*names: str, gfm: bool = True) -> Reader:
    """Return a reader with tables of the tests."""
    extensions = tuple(EXTENSIONS[name] for name in names)
    return Reader(extensions, tuple(TABLES[name].plugin for name in names), gfm)


CONTAINERS = extension_of(
    named, {"container_name": TABLES["warnings"].rows["container_warn"]}, name="named"
)

READERS = {
    "admon": of("admonitions"),
    "amsmath": of("environments"),
    "container": Reader((CONTAINERS,), (named,)),
    "dollar_math": of("dollars"),
    "field_list": of("fields"),
    "myst_block": of("blocks"),
    "myst_role": of("roles"),
    "section_ref": of("sections"),
    "span": Reader((EXTENSIONS["spans"],), (spans,)),
    "subscript": of("lowered", gfm=False),  # where one tilde strikes nothing through
    "substitution": of("substitutions"),
    "superscript": of("raised"),
    "mdformat_myst": of("environments", "dollars", "roles", "blocks"),
}
"""The readers, by the name of a file of fixtures."""


def files(folder: Path | None) -> Iterator[tuple[str, Path]]:
    """Yield the files of fixtures that there are tables for, each with the name of its reader."""
    yield "mdformat_myst", _fetched()
    if folder is not None:
        yield from (
            (each.stem, each) for each in sorted(folder.glob("*.md")) if each.stem in READERS
        )


def _fetched() -> Path:
    """Return the fixtures of the source distribution, which pip fetches where they are not there."""
    found = CACHE / "fixtures.md"
    if found.exists():
        return found
    CACHE.mkdir(parents=True, exist_ok=True)
    call = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(CACHE)]
    subprocess.run([*call, "--no-binary", DISTRIBUTION, DISTRIBUTION], check=False)
    for archive in CACHE.glob("*.tar.gz"):
        with tarfile.open(archive) as opened:
            for member in opened:
                file = opened.extractfile(member) if member.name.endswith("fixtures.md") else None
                if file is not None:
                    found.write_bytes(file.read())
                    return found
    raise MissingError(f"pip fetched no fixtures of {DISTRIBUTION}")


def fault_of(text: str, reader: Reader) -> str | None:
    """Return what is wrong with an input once it is read and written; None where nothing is."""
    extensions: Sequence[Extension] = reader.extensions
    try:
        tree = from_markdown(text, extensions=extensions, gfm=reader.gfm)
        written = to_markdown(tree, extensions=extensions, on_unwritable="normalize")
        again = from_markdown(written, extensions=extensions, gfm=reader.gfm)
    except MdastError as error:
        return f"refused: {error}"
    if again != normalize(tree, extensions=extensions):
        return f"read back as another tree: {written!r}"
    before, after = (_shown(reader, each) for each in (text, written))
    return None if before == after else f"shown otherwise: {after}"


def _shown(reader: Reader, text: str) -> str:
    def all_of_them(md: Any) -> None:
        for plugin in (*reader.plugins, footnote_plugin):
            md.use(plugin)

    return shown(all_of_them, text)


def main(folder: Path | None) -> int:
    """Run the fixtures, print what fails and the counts."""
    failed = 0
    try:
        for name, path in files(folder):
            fixtures = read_fixture_file(path)
            faults = [(fault_of(text, READERS[name]), text) for _, _, text, _ in fixtures]
            wrong = [each for each in faults if each[0] is not None]
            failed += len(wrong)
            print(f"{name:14} {len(faults) - len(wrong):4} of {len(faults)}")
            for fault, text in wrong:
                print(f"- {text!r}\n  {fault}")
    except MissingError as error:
        print(f"plugins: {error}", file=sys.stderr)
        return 2
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if sys.argv[1:] else None))
