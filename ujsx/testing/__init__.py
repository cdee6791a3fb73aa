"""The test kit for components: snapshots per density, assertions, values from props schemas.

The package includes a pytest plugin. Its fixture ``tier_snapshots(what, name=None)`` renders a tree or a session at
each density, or within budgets, and compares the text with ``snapshots/<test path>/<name>.<tier>.md``; run pytest with
``--snapshot-update`` to write the files. ``schema_snapshots(what)`` does the same with the schemas of tools and stored
events, and reports breaking changes. :class:`MarkdownSnapshotExtension` stores single texts there. :func:`assert_inert`
checks that text stays text, :func:`assert_fits` that a tree fits a budget, :func:`assert_nothing_hidden` that omissions
are reported, :func:`assert_prefix_stable` that renderings keep their prefix, :func:`assert_lens` that a pair of rules
reads back what it writes. :mod:`ujsx.testing.strategies` generates components and trees for Hypothesis, with hostile
text. The fixture, ``assert_lens`` and the strategies need the extra ``ujsx[testing]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from ujsx.testing._difference import TIER_TOKENS as TIER_TOKENS
    from ujsx.testing._given_texts import assert_inert as assert_inert
    from ujsx.testing._given_texts import assert_nothing_hidden as assert_nothing_hidden
    from ujsx.testing._lens import assert_lens as assert_lens
    from ujsx.testing._renders import assert_fits as assert_fits
    from ujsx.testing._renders import assert_prefix_stable as assert_prefix_stable
    from ujsx.testing._renders import prefix_kept as prefix_kept
    from ujsx.testing._snapshot_files import MarkdownSnapshotExtension as MarkdownSnapshotExtension
    from ujsx.testing._snapshots import SchemaSnapshots as SchemaSnapshots
    from ujsx.testing._snapshots import TierSnapshots as TierSnapshots

# Lazy: the plugin, and this package with it, is imported in every project that has ujsx.
on_demand(globals())
__all__ = [
    "TIER_TOKENS",
    "MarkdownSnapshotExtension",
    "SchemaSnapshots",
    "TierSnapshots",
    "assert_fits",
    "assert_inert",
    "assert_lens",
    "assert_nothing_hidden",
    "assert_prefix_stable",
]
