"""``make bench``: every measurement, one after the other, in one run."""

from tests.benchmarks import (
    budget,
    delivery,
    event_log,
    history,
    hook_start,
    hud_prefix,
    hud_rendering,
    import_time,
    markdown_speed,
    own_components,
    postgres,
    prefix,
    preview,
    section_tokens,
    tokens,
    tool_tokens,
    transcript_size,
)

BENCHMARKS = (
    hud_rendering,
    own_components,
    markdown_speed,
    import_time,
    tool_tokens,
    section_tokens,
    budget,
    delivery,
    hud_prefix,
    prefix,
    tokens,
    event_log,
    postgres,
    history,
    hook_start,
    preview,
    transcript_size,
)
for benchmark in BENCHMARKS:
    benchmark.main()
