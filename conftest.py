"""What pytest does not look into, and how the examples of docstrings are run."""

from importlib.util import find_spec
from typing import Any

import pytest

NEEDS = {
    "hud_runtime/serve/mcp": "mcp",
    "hud_runtime/serve/http": "mcp",
    "hud_runtime/log/postgres": "psycopg_pool",
    "hud_runtime/integrations/_wire.py": "httpx2",
    "hud_runtime/integrations/agent_framework.py": "agent_framework_openai",
    "hud_runtime/integrations/anthropic.py": "anthropic",
    "hud_runtime/integrations/claude_agent_sdk.py": "claude_agent_sdk",
    "hud_runtime/integrations/crewai.py": "crewai",
    "hud_runtime/integrations/google_adk.py": "google.adk",
    "hud_runtime/integrations/google_genai.py": "google.genai",
    "hud_runtime/integrations/langchain.py": "langchain",
    "hud_runtime/integrations/litellm.py": "litellm",
    "hud_runtime/integrations/openai.py": "openai",
    "hud_runtime/integrations/openai_agents.py": "agents",
    "hud_runtime/integrations/otel.py": "opentelemetry",
    "hud_runtime/integrations/pydantic_ai.py": "pydantic_ai",
    "hud_runtime/integrations/strands.py": "strands",
}
"""What a module imports that may not be there."""


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # nor is the package that it lies in
        return False


collect_ignore = [path for path, module in NEEDS.items() if not _is_there(module)]


@pytest.fixture(scope="session", autouse=True)
def _examples_are_a_readers_own_code(doctest_namespace: dict[str, Any]) -> None:
    """Run examples without the module's ``from __future__ import annotations``, as a reader does.

    With it, what a class in an example is annotated with would be looked up in the module.
    """
    doctest_namespace["annotations"] = None
