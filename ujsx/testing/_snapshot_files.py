"""The files of snapshots: one per case and tier, where a person finds it."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

from syrupy.data import SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation

from ujsx import Density
from ujsx.errors import SnapshotError
from ujsx.schema import DIALECTS
from ujsx.testing._snapshot_names import check_name, default_name
from ujsx.testing._stale import is_judged, watch

FOLDER = "snapshots"
"""The folder of all snapshots, under pytest's root directory."""

_NAMED_BY_CASE = r"\s*Can not relate snapshot"
"""syrupy's warning, on writing, that a snapshot's name does not begin with the test's."""

_TIERS = "|".join((*(each.value for each in Density), r"budget-\d+", "text"))

_OURS = re.compile(rf".+\.(?:{_TIERS})\.md|.+\.(?:{'|'.join(DIALECTS)}|events)\.json")
"""How our files end. Whatever else stands in their folders is somebody's, and stays."""


class MarkdownSnapshotExtension(SingleFileSnapshotExtension):
    """Keeps what one assertion compares as ``snapshots/<test path>/<test>.text.md``.

    It is for syrupy's own fixture, and a text or a :class:`ujsx.Rendered`:
    ``assert session.hud(budget=300) == snapshot(extension_class=MarkdownSnapshotExtension)``. The second
    assertion of a test is kept as ``<test>-2``, one with a name as ``<test>.<name>``.
    """

    _write_mode = WriteMode.TEXT
    file_extension = "md"

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: str | int = 0) -> str:
        """Return the test's name, and behind it the assertion's name or number.

        :raises SnapshotError: for a name that is no plain file name.
        """
        watch(test_location.item.config)
        if isinstance(index, int):
            return f"{default_name(test_location.item, index + 1)}.text"
        return f"{default_name(test_location.item, 1)}.{check_name(index)}.text"

    @classmethod
    def write_snapshot(cls, **what: Any) -> None:
        """Write a snapshot, whose name need not begin with the test's.

        It is what syrupy's does, but for the warning: names here are the author's, and whose they
        are is judged by the folder.
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
        """Return the folder of all snapshots: those of a test file that is gone are found too."""
        return str(test_location.item.config.rootpath / FOLDER)

    @classmethod
    def matches_test_location(
        cls, *, test_location: PyTestLocation, snapshot_location: str
    ) -> bool:
        """Tell whether a snapshot stands in the test file's folder, whatever its name."""
        test, folder = Path(test_location.filepath).with_suffix(""), Path(snapshot_location).parent
        return any(folder == root / FOLDER / test.relative_to(root) for root in test.parents)

    def discover_snapshots(
        self, *, test_location: PyTestLocation, **options: Any
    ) -> SnapshotCollections:
        """Return the snapshots of all test files of which it is known what they asked for."""
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
            if judged[test_file]:
                found.add(self.read_snapshot_collection(snapshot_location=str(path)))
        return found


class TierSnapshotExtension(MarkdownSnapshotExtension):
    """Keeps each tier as ``snapshots/<test path>/<name>.<tier>.md``."""

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: str | int = 0) -> str:
        """Return ``<name>.<tier>``, which comes as the index."""
        return str(index)


class SchemaSnapshotExtension(TierSnapshotExtension):
    """Keeps each dialect as ``snapshots/<test path>/<name>.<dialect>.json``."""

    file_extension = "json"
