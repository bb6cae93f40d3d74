"""``python -m doisift`` is the command ``doisift``."""

import sys

from ._command import main

sys.exit(main())
