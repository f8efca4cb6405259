#!/usr/bin/env python3
"""Print the version, which stands in the package alone."""

import re
from pathlib import Path

INIT = Path(__file__).parents[1] / "src" / "rotastack" / "__init__.py"

print(re.search(r'^__version__ = "(.+)"$', INIT.read_text(encoding="utf-8"), re.MULTILINE)[1])
