"""What the command raises on purpose.

::

    UjsxError
    └── UsageError    arguments or files that the command cannot use (ValueError)
"""

from __future__ import annotations

from ujsx.errors import UjsxError


class UsageError(UjsxError, ValueError):
    """Arguments or files that the command cannot use; its message is one sentence."""
