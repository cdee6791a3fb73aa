"""What pytest does not look into, and how the examples of docstrings are run."""

from importlib.util import find_spec
from typing import Any

import pytest

collect_ignore = [] if find_spec("mcp") else ["hud_runtime/mcp"]


@pytest.fixture(autouse=True)
def _examples_are_a_readers_own_code(doctest_namespace: dict[str, Any]) -> None:
    """Run examples without the module's ``from __future__ import annotations``, as a reader does.

    With it, what a class in an example is annotated with would be looked up in the module.
    """
    doctest_namespace["annotations"] = None
