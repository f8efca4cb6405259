"""Run the command line as ``python -m rotastack``."""

import sys

from rotastack.cli import main

sys.exit(main())
