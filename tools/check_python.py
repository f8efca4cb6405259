#!/usr/bin/env python3
"""Say in one line what this Python lacks to build and run Rotastack, if anything."""

import os
import sys
import sysconfig

if sys.version_info < (3, 11):  # noqa: UP036, it may be run by an older one
    sys.exit("Python 3.11 or newer is needed, found " + sys.version.split()[0])
if not os.path.isfile(os.path.join(sysconfig.get_path("include"), "Python.h")):  # noqa: PTH113, PTH118
    sys.exit(
        "this Python has no Python.h, which the kernel is built with: install its headers (such as python3-dev), "
        "or name another Python, such as `make run PYTHON=$(uv python find 3.11)`"
    )
