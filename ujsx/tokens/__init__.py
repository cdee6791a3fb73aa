"""Counting tokens without a network.

A counter is any callable from text to a number of tokens. The default estimates; it needs no
vocabulary and no download. ``calibrated`` corrects a counter by what a provider reports. Exact
counters come with the extras ``ujsx[tiktoken]`` and ``ujsx[rs-bpe]``.
"""

from __future__ import annotations

from ujsx.on_demand import on_demand
from ujsx.tokens._calibrated import Calibrated as Calibrated
from ujsx.tokens._calibrated import calibrated as calibrated
from ujsx.tokens._calibrated import calibrated_by as calibrated_by
from ujsx.tokens._estimate import TokenCounter as TokenCounter
from ujsx.tokens._estimate import estimate_tokens as estimate_tokens
from ujsx.tokens._exact import ENCODINGS as ENCODINGS
from ujsx.tokens._exact import ExactCounter as ExactCounter
from ujsx.tokens._exact import rs_bpe_counter as rs_bpe_counter
from ujsx.tokens._exact import tiktoken_counter as tiktoken_counter

__all__ = [
    "ENCODINGS",
    "Calibrated",
    "ExactCounter",
    "TokenCounter",
    "calibrated",
    "calibrated_by",
    "estimate_tokens",
    "rs_bpe_counter",
    "tiktoken_counter",
]

on_demand(globals())
