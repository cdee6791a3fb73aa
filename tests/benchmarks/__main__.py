"""``make bench``: every measurement, one after the other, in one run."""

from tests.benchmarks import hud_rendering, import_time, markdown_speed, node_cost, tool_tokens

for benchmark in (hud_rendering, node_cost, markdown_speed, import_time, tool_tokens):
    benchmark.main()
