#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
run_pytest.py --junitxml=FILE TEST_FILE: pytest over one file, writing nothing into the
source tree. The file of an earlier run is removed first, so that summary.py can never
count it again.
"""

import os
import sys


def main(args):
    for arg in args:
        if arg.startswith("--junitxml="):
            path = arg.removeprefix("--junitxml=")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if os.path.exists(path):
                os.unlink(path)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    # meson points it at the build's libraries: installed programs would get those too.
    os.environ.pop("LD_LIBRARY_PATH", None)
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-rfEs", "-p", "no:cacheprovider"]
    os.execv(sys.executable, command + args)


if __name__ == "__main__":
    main(sys.argv[1:])
