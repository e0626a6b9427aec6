"""``python -m tokensync`` and the ``tokensync`` command."""

import sys

from tokensync import stat_manifest


def main() -> None:
    """Run the command line and exit with its code; a stat manifest may answer before anything else is loaded."""
    try:
        code = stat_manifest.answer(sys.argv[1:])
        if code is None:
            import gc

            from tokensync.cli.main import run

            gc.disable()  # a graph has no reference cycles; looking for them took half of a merge of 50,000 x 4 values

            code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while the command line was still being loaded
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
