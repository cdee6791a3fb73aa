"""What a class body annotates, without evaluating what it says."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any


def own_annotations(cls: type) -> Mapping[str, Any]:
    """Return what the body of this very class annotates."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    annotations: Mapping[str, Any] = cls.__dict__.get("__annotations__", {})  # noqa: RUF063 - as Pydantic does
    return annotations
