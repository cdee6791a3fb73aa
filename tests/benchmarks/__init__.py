"""Measurements side by side with named peers. Run with ``make bench``; nothing here is a test."""
