"""Writes config/openapi.json from the emulator's routes; ``--check`` only says whether it is current."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tokensync.emulator.services import document

FILE = Path(__file__).resolve().parent.parent / "config" / "openapi.json"


def main(arguments: list[str]) -> int:
    """Write the document, or with ``--check`` compare it: 1 when it is not current."""
    wanted = json.dumps(document(), indent=2, ensure_ascii=False) + "\n"
    if arguments == ["--check"]:
        if FILE.is_file() and FILE.read_text(encoding="utf-8") == wanted:
            return 0
        print("config/openapi.json: not current with the emulator's routes; run `make docs`", file=sys.stderr)
        return 1
    FILE.write_text(wanted, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
