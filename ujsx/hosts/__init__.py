"""Hosts that come with the library: other targets than Markdown."""
