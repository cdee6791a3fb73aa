"""``python -m hud_runtime`` is the ``ujsx`` command."""

import os
import sys

if __name__ == "__main__" and sys.path[:1] == [os.getcwd()]:  # noqa: PTH109 - not a module more
    # "python -m" looks into the working folder first, whoever wrote the modules there.
    sys.path.append(sys.path.pop(0))

from hud_runtime.cli import main

if __name__ == "__main__":
    sys.exit(main())
