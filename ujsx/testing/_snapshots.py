"""One snapshot file per case and density, where a person finds it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation

from ujsx import Child, Density, RenderContext, render

_NAMED_BY_CASE = r"\s*Can not relate snapshot"
"""syrupy's warning, on writing, that a snapshot's name does not begin with the test's."""

FOLDER = "snapshots"
"""The folder of all snapshots, under pytest's root directory."""


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
        """Return the folder in which this test file's snapshots are looked for."""
        return cls.dirname(test_location=test_location)


class TierSnapshots:
    """Compares renderings with their snapshots; pytest's fixture ``tier_snapshots`` is one."""

    def __init__(self, snapshot: Any, test_name: str) -> None:
        self._snapshot = snapshot.use_extension(TierSnapshotExtension)
        self._test_name = test_name.removeprefix("test_")

    def __call__(
        self,
        node: Child,
        name: str | None = None,
        *,
        densities: Iterable[Density] = tuple(Density),
        context: RenderContext | None = None,
    ) -> None:
        """Assert that ``node`` renders at each density as its snapshot says.

        :param name: the case's name; the test's when ``None``.
        :raises ValueError: for a name that is no plain file name.
        """
        __tracebackhide__ = True
        case = self._test_name if name is None else name
        if Path(case).name != case or case in {"", ".", ".."}:
            raise ValueError(f"a snapshot's name is a plain file name, not {case!r}")
        for density in densities:
            text = render(node, density=density, context=context)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", _NAMED_BY_CASE)
                assert text == self._snapshot(name=f"{case}.{density}")
