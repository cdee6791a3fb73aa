"""Servers: a session's tools and resources for other programs, over MCP and over HTTP.

In: calls of clients. Out: answers of the HUD's tools, resources, and news of what changed.
"""
