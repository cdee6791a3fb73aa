"""The programs that make the docs: they lie beside the pages, and in no package."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

DOCS = Path(__file__).parents[2] / "docs"


def program(name: str) -> ModuleType:
    """Return a module of the folder ``docs``."""
    sys.path.insert(0, str(DOCS))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(DOCS))
