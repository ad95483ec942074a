"""``python tests/bench``: a command per measurement."""

import sys
from pathlib import Path

sys.path[:1] = [str(Path(__file__).parents[1] / name) for name in ("", "materials", "twins")]
from bench.commands import main  # noqa: E402 - Python looks for it in the folder of this file otherwise

if __name__ == "__main__":
    main()
