"""``python -m hud_runtime`` is the ``ujsx`` command."""

import sys

from hud_runtime.cli import main

if __name__ == "__main__":
    sys.exit(main())
