"""What tests of components need: snapshots per density, and proof that text is inert.

The pytest plugin comes with the package. Its fixture ``tier_snapshots(node, name=None)`` renders a
node at each density and compares the text with ``snapshots/<test path>/<name>.<density>.md``; run
pytest with ``--snapshot-update`` to write the files. It needs the extra ``ujsx[testing]``.
"""

from ujsx.testing._inert import assert_inert
from ujsx.testing._snapshots import TierSnapshots

__all__ = ["TierSnapshots", "assert_inert"]
