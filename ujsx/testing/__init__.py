"""What tests of components need: snapshots per density, assertions, values from props schemas.

The pytest plugin comes with the package. Its fixture ``tier_snapshots(node, name=None)`` renders a
node at each density and compares the text with ``snapshots/<test path>/<name>.<density>.md``; run
pytest with ``--snapshot-update`` to write the files. :func:`assert_inert` proves that text stays
text, :func:`assert_fits` that a tree fits a budget, :func:`assert_prefix_stable` that renderings
keep their prefix. :mod:`ujsx.testing.strategies` makes components and trees for Hypothesis, with
text that attacks. The fixture and the strategies need the extra ``ujsx[testing]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx._on_demand import on_demand

if TYPE_CHECKING:
    from ujsx.testing._fits import assert_fits as assert_fits
    from ujsx.testing._inert import assert_inert as assert_inert
    from ujsx.testing._prefix import assert_prefix_stable as assert_prefix_stable
    from ujsx.testing._prefix import prefix_kept as prefix_kept
    from ujsx.testing._snapshots import TierSnapshots as TierSnapshots

# Not eager: the plugin is imported in every project that has ujsx, and this package with it.
_HOMES = {
    "_fits": ("assert_fits",),
    "_inert": ("assert_inert",),
    "_prefix": ("assert_prefix_stable", "prefix_kept"),
    "_snapshots": ("TierSnapshots",),
}
"""The modules, and the public names that live in each."""

_names, __getattr__, __dir__ = on_demand(globals(), _HOMES)
__all__ = ["TierSnapshots", "assert_fits", "assert_inert", "assert_prefix_stable", "prefix_kept"]
