"""``python -m tokensync`` and the ``tokensync`` command."""

import sys

from tokensync import stat_manifest


def main() -> None:
    """Run the command line and exit with its code; what is known already is told before anything else is loaded."""
    try:
        code = stat_manifest.answer(sys.argv[1:])
        if code is None:
            from tokensync.cli.main import run

            code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while the command line was still being loaded
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
