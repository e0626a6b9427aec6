"""``python -m tokensync`` and the ``tokensync`` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        from tokensync.cli.main import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while the command line was still being loaded
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
