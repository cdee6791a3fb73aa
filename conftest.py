"""What pytest does not look into: modules for a library that is not installed here."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("mcp") else ["hud_runtime/mcp"]
