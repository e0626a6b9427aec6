"""Read the files of the runner as the runner does: actions/runner 2.336.0, ``FileCommandManager.cs``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def outputs_in(path: Path) -> dict[str, str]:
    """Return the outputs of a step; the last of equal names counts. Raises ValueError where the runner fails it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found: dict[str, str] = {}
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line:
            continue
        equals, heredoc = line.find("="), line.find("<<")
        if equals >= 0 and (heredoc < 0 or equals < heredoc):
            found[line[:equals]] = line[equals + 1 :]
        elif heredoc >= 0:
            name, delimiter = line[:heredoc], line[heredoc + 2 :]
            if not name or not delimiter:
                raise ValueError(line)
            start = at
            while lines[at : at + 1] != [delimiter]:
                if at >= len(lines):
                    raise ValueError(f"no {delimiter}")
                at += 1
            found[name] = "\n".join(lines[start:at])
            at += 1
        else:
            raise ValueError(line)
    return found
