"""The files of snapshots: their names, their folders, and the stale ones."""

from __future__ import annotations

import os
import re
import warnings
from hashlib import blake2b
from pathlib import Path
from typing import Any
from unicodedata import category, is_normalized, normalize

import pytest
from syrupy.data import SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation

from ujsx import Density
from ujsx.errors import SnapshotError, shown
from ujsx.schema import DIALECTS
from ujsx.testing._plugin import DESELECTED

# The name of a snapshot: a unique file name that shows its origin.

MAX_BYTES = 200
"""The maximum length of a case's name in UTF-8; file systems allow 255 with the density and ``.md``."""

_FORBIDDEN = frozenset('\\/:*?"<>|')
"""Characters that not all file systems allow (Microsoft, "Naming Files, Paths, and Namespaces")."""

_OWNERS: pytest.StashKey[dict[str, str]] = pytest.StashKey()
"""The test of each snapshot of a session, by case-folded path."""


def default_name(item: pytest.Item, call: int) -> str:
    """Return the default name of a test's case.

    It is the test's name without ``test_``, after the names of its classes; the second call is ``…-2``. Parameters are
    written unescaped. Characters not allowed in file names are percent-encoded, as in an address (RFC 3986, section
    2.1), and a very long name ends in a digest.
    """
    classes = [each.name for each in item.listchain() if isinstance(each, pytest.Class)]
    own = item.name if item.config.getini(_UNESCAPED) else unescaped(item.name)
    name = percent_encoded(".".join((*classes, own.removeprefix("test_"))))
    name = name if call == 1 else f"{name}-{call}"
    if len(name.encode()) <= MAX_BYTES:
        return name
    digest = blake2b(name.encode(), digest_size=8).hexdigest()
    return f"{name.encode()[: MAX_BYTES - 17].decode(errors='ignore')}~{digest}"


_UNESCAPED = "disable_test_id_escaping_and_forfeit_all_rights_to_community_support"
"""pytest's option for unescaped parameters in the names of tests."""

_ESCAPE = re.compile(r"\\(?:[\\tnr]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
"""pytest's escape of a parameter's character, by Python's codec ``unicode_escape``."""

_ESCAPED = re.compile(rf"(?:[^\\]|{_ESCAPE.pattern})*+")
"""A name in which every backslash is one of an escape."""


def unescaped(name: str) -> str:
    r"""Return a test's name with its parameters unescaped.

    Text that pytest would not have escaped stays unchanged: different names stay different.

    >>> unescaped(r"test_x[\u8336]"), unescaped(r"test_x[a\\u8336]"), unescaped(r"test_x[\d]")
    ('test_x[茶]', 'test_x[a\\u8336]', 'test_x[\\d]')
    """
    if not _ESCAPED.fullmatch(name):
        return name
    escapes = {each: each.encode().decode("unicode_escape") for each in _ESCAPE.findall(name)}
    if any(text.encode("unicode_escape").decode() != each for each, text in escapes.items()):
        return name
    return _ESCAPE.sub(lambda escape: escapes[escape[0]], name)


def percent_encoded(name: str) -> str:
    r"""Return a file name in which every unsafe character is percent-encoded in UTF-8.

    In a name that some file systems would confuse with another, as its accents are separate characters (its Unicode
    form NFC differs), all such characters are encoded.

    >>> percent_encoded("茶/ä%"), percent_encoded("a\u0308")
    ('茶%2Fä%25', 'a%CC%88')
    """
    is_one = is_normalized("NFC", name)
    return "".join(
        each
        if not _is_unsafe(each) and (is_one or each.isascii())
        else "".join(f"%{byte:02X}" for byte in each.encode("utf-8", "surrogatepass"))
        for each in name
    )


def check_name(name: object) -> str:
    """Return an author's name after validation.

    :raises SnapshotError: if it cannot be part of a file's name on every system.
    """
    if not isinstance(name, str):
        raise SnapshotError(
            f"a snapshot's name is a plain file name, not a {type(name).__name__}: the second argument is the name; "
            "of a state write state=…"
        )
    is_unsafe = any(_is_unsafe(each) and each != "%" for each in name)
    if name not in {"", ".", ".."} and not is_unsafe and len(name.encode()) <= MAX_BYTES:
        return name
    raise SnapshotError(
        f"a snapshot's name is a plain file name, not {shown(name)}; it has no control characters, "
        f"none of {' '.join(sorted(_FORBIDDEN))}, and no more than {MAX_BYTES} bytes"
    )


def claim(path: Path, item: pytest.Item, compared: set[str], claims: Path | None = None) -> None:
    """Claim the snapshot at ``path`` for this test, and for one call in it.

    :param compared: the test's earlier claims; the snapshot is added to them.
    :param claims: a folder for sharing claims between processes that run parts of the same tests.
    :raises SnapshotError: if it already has an owner. Names that differ only in case, or in the encoding of accents,
        are the same file on some systems.
    """
    key = normalize("NFC", normalize("NFD", str(path)).casefold())
    owner = item.config.stash.setdefault(_OWNERS, {}).setdefault(key, item.nodeid)
    if claims is not None and owner == item.nodeid:
        owner = _claimed(claims, key, item.nodeid)
    if owner != item.nodeid or key in compared:
        raise SnapshotError(
            f"{path.name} is compared already, by {owner}; give each case a name of its own: "
            "tier_snapshots(node, name)"
        )
    compared.add(key)


def _claimed(claims: Path, key: str, nodeid: str) -> str:
    """Return the owner of a snapshot among all processes: the first to claim it."""
    place = claims / blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    said = place.with_suffix(f".{os.getpid()}")
    said.write_text(nodeid, "utf-8")
    try:
        os.link(said, place)  # complete, so that no process reads a part of it
    except FileExistsError:
        return place.read_text("utf-8")
    finally:
        said.unlink()
    return nodeid


def _is_unsafe(character: str) -> bool:
    return character in _FORBIDDEN or character == "%" or category(character)[0] == "C"


# Stale snapshots.
#
# A snapshot is stale if its test file is gone, or if all of the file's tests with snapshots completed and passed, and
# none used it. A file with a skipped, failed or deselected test is not judged: its snapshots are unknown, and
# ``--snapshot-update`` deletes.

FIXTURES = frozenset({"schema_snapshots", "tier_snapshots", "snapshot"})
"""The fixtures of tests with snapshots: ours, and syrupy's, which may use our files."""

_PASSED: pytest.StashKey[set[str]] = pytest.StashKey()


class PassedTests:
    """A pytest plugin that records passing tests, from the first one with snapshots."""

    def __init__(self, passed: set[str]) -> None:
        self._passed = passed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.outcome == "passed":
            self._passed.add(report.nodeid)


def watch(config: pytest.Config) -> None:
    """Start recording the tests that pass."""
    if _PASSED not in config.stash:
        config.stash[_PASSED] = set()
        config.pluginmanager.register(PassedTests(config.stash[_PASSED]))


def is_judged(test_file: Path, session: pytest.Session) -> bool:
    """Tell whether all snapshots of a test file would have been used by now."""
    folder = test_file.parent
    if not folder.is_dir() or all(each.stem != test_file.stem for each in folder.iterdir()):
        return True
    config = session.config
    tests = [item for item in session.items if item.path == test_file]
    is_part = (
        not tests
        or test_file in config.stash.get(DESELECTED, set[Path]())
        or any("::" in argument for argument in config.args)
        or config.getoption("last_failed", default=False)
    )
    passed = config.stash.get(_PASSED, set[str]())
    return not is_part and all(
        item.nodeid in passed
        for item in tests
        if not FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
    )


FOLDER = "snapshots"
"""The folder of all snapshots, under pytest's root directory."""

_NAMED_BY_CASE = r"\s*Can not relate snapshot"
"""syrupy's warning, on writing, that a snapshot's name does not begin with the test's."""

_TIERS = "|".join((*(each.value for each in Density), r"budget-\d+", "text"))

_OURS = re.compile(rf".+\.(?:{_TIERS})\.md|.+\.(?:{'|'.join(DIALECTS)}|events)\.json")
"""The endings of our files. Other files in their folders are kept."""


class MarkdownSnapshotExtension(SingleFileSnapshotExtension):
    """A snapshot extension that stores one assertion as ``snapshots/<test path>/<test>.text.md``.

    It is for syrupy's own fixture, and a text or a :class:`ujsx.Rendered`: ``assert session.hud(budget=300) ==
    snapshot(extension_class=MarkdownSnapshotExtension)``. The second assertion of a test is stored as ``<test>-2``, a
    named one as ``<test>.<name>``.
    """

    _write_mode = WriteMode.TEXT
    file_extension = "md"

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: str | int = 0) -> str:
        """Return the test's name, followed by the assertion's name or number.

        :raises SnapshotError: for a name that is not a plain file name.
        """
        watch(test_location.item.config)
        if isinstance(index, int):
            return f"{default_name(test_location.item, index + 1)}.text"
        return f"{default_name(test_location.item, 1)}.{check_name(index)}.text"

    @classmethod
    def write_snapshot(cls, **what: Any) -> None:
        """Write a snapshot, whose name need not begin with the test's.

        It equals syrupy's, without the warning: names here are the author's, and belong to tests by folder.
        """
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", _NAMED_BY_CASE)
            super().write_snapshot(**what)

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """Return the folder that mirrors the test file's path.

        :raises SnapshotError: for a test file outside of pytest's root directory.
        """
        root, test = test_location.item.config.rootpath, Path(test_location.filepath)
        if not test.is_relative_to(root):
            raise SnapshotError(
                f"{test} is outside of pytest's root directory {root}, so it has no place for "
                "snapshots; run pytest with --rootdir"
            )
        return str(root / FOLDER / test.relative_to(root).with_suffix(""))

    @classmethod
    def discovery_dirname(cls, *, test_location: PyTestLocation) -> str:
        """Return the folder of all snapshots, so that those of a removed test file are also found."""
        return str(test_location.item.config.rootpath / FOLDER)

    @classmethod
    def matches_test_location(
        cls, *, test_location: PyTestLocation, snapshot_location: str
    ) -> bool:
        """Tell whether a snapshot is in the test file's folder, whatever its name."""
        test, folder = Path(test_location.filepath).with_suffix(""), Path(snapshot_location).parent
        return any(folder == root / FOLDER / test.relative_to(root) for root in test.parents)

    def discover_snapshots(
        self, *, test_location: PyTestLocation, **options: Any
    ) -> SnapshotCollections:
        """Return the snapshots of all test files whose used snapshots are known."""
        found = SnapshotCollections()
        session, root = test_location.item.session, test_location.item.config.rootpath
        judged: dict[Path, bool] = {}
        for path in sorted((root / FOLDER).rglob("*.*")):
            if path.parent == root / FOLDER or not _OURS.fullmatch(path.name):
                continue
            folder = root / path.parent.relative_to(root / FOLDER)
            test_file = folder.with_name(f"{folder.name}.py")
            if test_file not in judged:
                judged[test_file] = is_judged(test_file, session)
            if judged[test_file]:  # read as its own kind, which names it as its tests do
                kind = SchemaSnapshotExtension if path.suffix == ".json" else TierSnapshotExtension
                found.add(kind().read_snapshot_collection(snapshot_location=str(path)))
        return found


class TierSnapshotExtension(MarkdownSnapshotExtension):
    """A snapshot extension that stores each tier as ``snapshots/<test path>/<name>.<tier>.md``."""

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: str | int = 0) -> str:
        """Return ``<name>.<tier>``, which is passed as the index."""
        return str(index)


class SchemaSnapshotExtension(TierSnapshotExtension):
    """A snapshot extension that stores each dialect as ``snapshots/<test path>/<name>.<dialect>.json``."""

    file_extension = "json"
