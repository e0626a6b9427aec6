"""The lines that differ between two texts."""

from difflib import ndiff


def changed_lines(before: str, after: str) -> list[str]:
    """Return the lines of one text only, with ``-`` before those of the first and ``+`` before those of the second."""
    lines = ndiff(before.splitlines(), after.splitlines())
    changed = [f"{each[0]}{each[2:]}" for each in lines if each[0] in "-+"]
    return sorted(changed, key=lambda each: each[0] == "+")
