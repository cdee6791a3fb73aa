"""The annotations of a class body, read without evaluating them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar


def own_annotations(cls: type) -> Mapping[str, Any]:
    """Return what the body of this very class annotates."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    annotations: Mapping[str, Any] = cls.__dict__.get("__annotations__", {})  # noqa: RUF063 - as Pydantic does
    return annotations


C = TypeVar("C", bound="type[Any]")


def settled(cls: C) -> C:
    """Take from a base class's annotations what its class variables are; that they are some stays.

    Pydantic evaluates the annotations of all bases anew for each subclass, and leaves out only those
    of fields. For a base with dozens of class variables that is most of what a subclass costs.
    """
    annotations: dict[str, Any] = cls.__dict__.get("__annotations__", {})  # noqa: RUF063 - to be changed
    for name in annotations.keys() & cls.__class_vars__:
        annotations[name] = ClassVar
    return cls
