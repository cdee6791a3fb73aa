"""The parts of the server that no client reaches by itself: its tests import them from here alone.

A server in this process is driven with an application that hangs, or knows its client; a bucket and a log are given a
clock; a socket is taken twice.
"""

from hud_runtime.serve.http._access import KNOWN, Buckets
from hud_runtime.serve.http._serve import HttpServer, SparseLog, listening_socket

__all__ = ["KNOWN", "Buckets", "HttpServer", "SparseLog", "listening_socket"]
