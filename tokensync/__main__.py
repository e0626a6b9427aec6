"""``python -m tokensync`` and the ``tokensync`` command."""

import os
import sys


def main() -> None:
    """Run the command line and exit with its code, unless a stat manifest answers first."""
    try:
        from tokensync.system import stat_manifest

        code = stat_manifest.answer(sys.argv[1:])
        if code is None:
            import gc

            gc.disable()  # graphs have no reference cycles; collection took half the time of a large merge

            from tokensync.cli.main import run

            code = run(sys.argv[1:])
            gc.freeze()  # the end of the process frees all memory, so Python need not look for cycles before
    except KeyboardInterrupt:  # while the command line is imported
        code = 130
    sys.exit(code)


def _forget_working_folder() -> None:
    """Remove the working folder from the import path, where ``python -m`` puts it first: a checkout may have modules.

    Python itself has already imported ``os`` and ``sys``. Until this call, no other module may be imported.
    """
    try:
        here = os.getcwd()
    except OSError:  # the folder was removed
        return
    if not sys.flags.safe_path and sys.path[0] in ("", here):
        del sys.path[0]


if __name__ == "__main__":
    _forget_working_folder()
    main()
