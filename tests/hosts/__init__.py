"""Real clients of coding agents, run against a model that is played here: ``python -m tests.hosts``."""
