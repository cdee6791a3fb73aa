"""Looks for a Chromium, and installs Debian's where there is none: ``python -m tests.browser``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from tests.browser.conftest import NAMES, chromium

PACKAGES = ("chromium", "fonts-dejavu-core", "fonts-noto-color-emoji")
"""What Debian and Ubuntu call the browser, and the letters of the pictures."""

NEEDED = f"""there is no Chromium: install one ({", ".join(NAMES)}), or name it:
  make browser CHROMIUM=/path/to/chromium"""


def main() -> int:
    """Return 0 once there is a browser, and 1 where none could be had."""
    found = chromium()
    if found is None and shutil.which("apt-get") is not None and os.geteuid() == 0:
        for command in (
            ("update", "-qq"),
            ("install", "-y", "-qq", "--no-install-recommends", *PACKAGES),
        ):
            done = subprocess.run(["apt-get", *command], stdout=subprocess.DEVNULL, check=False)
            if done.returncode:
                print(f"apt-get {command[0]} failed with the status {done.returncode}; {NEEDED}")
                return 1
        found = chromium()
    elif found is None and shutil.which("apt-get") is not None:
        print(f"{NEEDED}\n  sudo apt-get install {' '.join(PACKAGES)}")
        return 1
    print(NEEDED if found is None else f"the browser is {found}")
    return 0 if found is not None else 1


if __name__ == "__main__":
    sys.exit(main())
