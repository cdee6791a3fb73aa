"""The version, in one place: the build backend and `ujsx --version` read it here."""

__version__ = "0.1.0"
