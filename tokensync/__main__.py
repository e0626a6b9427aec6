"""``python -m tokensync`` and the ``tokensync`` command."""

import sys

from tokensync import stat_manifest


def main() -> None:
    """Run the command line and exit with its code, unless a stat manifest answers first."""
    try:
        code = stat_manifest.answer(sys.argv[1:])
        if code is None:
            import gc

            from tokensync.cli.main import run

            gc.disable()  # graphs have no reference cycles; collection took half the time of a large merge

            code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while the command line is imported
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
