"""Parts of the test kit that a run of pytest alone reaches, for tests that try thousands of texts on them."""

from ujsx.testing._difference import (
    Difference,
    SnapshotTier,
    TierTokens,
    line_changes,
    report,
    tokens_table,
)
from ujsx.testing._given_texts import _Everything as AllThatIsShown
from ujsx.testing._snapshot_files import percent_encoded, unescaped

__all__ = [
    "AllThatIsShown",
    "Difference",
    "SnapshotTier",
    "TierTokens",
    "line_changes",
    "percent_encoded",
    "report",
    "tokens_table",
    "unescaped",
]
