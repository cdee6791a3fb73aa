"""The errors of editing a HUD.

::

    UjsxError
    └── EditError    an edit that cannot be read, or must not be recorded (ValueError)
"""

from __future__ import annotations

from ujsx import UjsxError


class EditError(UjsxError, ValueError):
    """An edited text that is none, or changes that still have problems."""
