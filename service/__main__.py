"""``python -m service`` is the same as ``kinarow``."""

import sys

from service.cli import main

sys.exit(main())
