"""The JavaScript oracles: one Node.js process, asked in lines of JSON."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.conformance._corpora import CACHE
from tests.conformance._missing import MissingError

SCRIPT = Path(__file__).with_name("oracles.mjs")
BATCH = 500
"""Items in a request: enough that the pipe costs nothing, few enough that progress is seen."""


class Node:
    """The process, while a ``with`` lasts."""

    def __init__(self) -> None:
        node = shutil.which("node")
        if node is None:
            raise MissingError("Node.js is not on the PATH: install it (18 or newer), with npm")
        if not (CACHE / "node_modules").is_dir():
            raise MissingError(f"npm's packages are not in {CACHE}: run `make conformance`")
        # Node looks for packages beside the script, so the script has to lie beside them.
        script = shutil.copy(SCRIPT, CACHE)
        self._process = subprocess.Popen(
            [node, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def ask(self, job: str, items: Iterable[Any], *, gfm: bool = False) -> list[Any]:
        """Return the result of a job for each item; ``None`` where it fails.

        ``job`` is one of the table in ``oracles.mjs``.
        """
        waiting, results = list(items), []
        for start in range(0, len(waiting), BATCH):
            request = {"job": job, "gfm": gfm, "items": waiting[start : start + BATCH]}
            results += self._answer(request)
        return results

    def _answer(self, request: dict[str, Any]) -> list[Any]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(request) + "\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise MissingError("Node.js ended early; what it wrote above says why")
        answer = json.loads(line)
        if "error" in answer:
            raise ValueError(answer["error"])
        results: list[Any] = answer["results"]
        return results
