"""One snapshot file per case and density, where a person finds it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from syrupy.data import SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation

from ujsx import Child, Density, RenderContext, render
from ujsx._density import DensityLike
from ujsx.testing._difference import difference
from ujsx.testing._snapshot_names import check_name, claim, default_name
from ujsx.testing._stale import is_judged, watch

FOLDER = "snapshots"
"""The folder of all snapshots, under pytest's root directory."""

_NAMED_BY_CASE = r"\s*Can not relate snapshot"
"""syrupy's warning, on writing, that a snapshot's name does not begin with the test's."""

_SUFFIXES = tuple(f".{density}.md" for density in Density)


class TierSnapshotExtension(SingleFileSnapshotExtension):
    """Keeps each snapshot as ``snapshots/<test path>/<name>.<density>.md``."""

    _write_mode = WriteMode.TEXT
    file_extension = "md"

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: str | int = 0) -> str:
        """Return ``<name>.<density>``, which comes as the index."""
        return str(index)

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """Return the folder that mirrors the test file's path."""
        root = test_location.item.config.rootpath
        test = Path(test_location.filepath).relative_to(root).with_suffix("")
        return str(root / FOLDER / test)

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
        for path in sorted((root / FOLDER).rglob("*.md")):
            if path.parent == root / FOLDER or not path.name.endswith(_SUFFIXES):
                continue
            folder = root / path.parent.relative_to(root / FOLDER)
            test_file = folder.with_name(f"{folder.name}.py")
            if test_file not in judged:
                judged[test_file] = is_judged(test_file, session)
            if judged[test_file]:
                found.add(self.read_snapshot_collection(snapshot_location=str(path)))
        return found


class TierSnapshots:
    """Compares renderings with their snapshots; pytest's fixture ``tier_snapshots`` is one."""

    def __init__(self, snapshot: Any, item: pytest.Item) -> None:
        if not item.path.is_relative_to(item.config.rootpath):
            pytest.fail(
                f"{item.path} is outside of pytest's root directory {item.config.rootpath}, so it "
                "has no place for snapshots; run pytest with --rootdir",
                pytrace=False,
            )
        watch(item.config)
        self._snapshot = snapshot.use_extension(TierSnapshotExtension)
        self._item = item
        self._unnamed = 0
        self._compared: set[str] = set()

    def __call__(
        self,
        node: Child,
        name: str | None = None,
        *,
        densities: Iterable[DensityLike] = tuple(Density),
        context: RenderContext | None = None,
    ) -> None:
        """Assert that ``node`` renders at each density as its snapshot says.

        :param name: the case's name. When ``None`` it is the test's, with its classes and its
            parameters; from the second such call of a test on it is numbered.
        :param densities: those to compare.
        :param context: what the components know beside the density.
        :raises AssertionError: where they differ, with the lines that do; where there is no
            snapshot, with the command that writes it.
        :raises SnapshotError: for a name that is no plain file name, or that another test has.
        """
        __tracebackhide__ = True
        if name is None:
            self._unnamed += 1
            case = default_name(self._item, self._unnamed)
        else:
            case = check_name(name)
        problems = [
            problem
            for density in map(Density.of, densities)
            if (problem := self._compare(case, density, node, context))
        ]
        if problems:
            raise AssertionError("\n\n".join(problems))

    def _compare(
        self, case: str, density: Density, node: Child, context: RenderContext | None
    ) -> str | None:
        """Compare one rendering, and say what is wrong with it."""
        name, text = f"{case}.{density}", render(node, density=density, context=context)
        extension, location = self._snapshot.extension, self._snapshot.test_location
        path = Path(extension.get_location(test_location=location, index=name))
        claim(path, self._item, self._compared)
        before = path.read_text("utf-8") if path.exists() else None
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", _NAMED_BY_CASE)
            if self._snapshot(name=name) == text:
                return None
        failure = self._snapshot.executions[self._snapshot.num_executions - 1].exception
        if failure is not None:
            raise failure
        place = path.relative_to(self._item.config.rootpath).as_posix()
        if before is None:
            return f"{place} does not exist; pytest --snapshot-update writes it:\n{text}"
        return (
            f"{place} is not what is rendered (pytest --snapshot-update accepts it):\n"
            f"{difference(before, text)}"
        )
