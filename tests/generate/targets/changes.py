"""A graph to change, and the lines that differ between two texts."""

from difflib import ndiff

from graphs import alias, collection, color, graph, token

BLACK, WHITE, RED = color("#000000"), color("#ffffff"), color("#ff0000")


def scheme_of(accent=BLACK, *, added=()):
    scheme = collection("Scheme", "Light", "Dark")
    return graph(
        scheme,
        token(scheme, "accent", accent, WHITE),
        token(scheme, "link", alias("Scheme", "accent")),
        *(token(scheme, each, RED) for each in added),
        token(scheme, "other", RED),
    )


def changed_lines(before: str, after: str) -> list[str]:
    """Return the lines of one text only, with ``-`` before those of the first and ``+`` before those of the second."""
    lines = ndiff(before.splitlines(), after.splitlines())
    changed = [f"{each[0]}{each[2:]}" for each in lines if each[0] in "-+"]
    return sorted(changed, key=lambda each: each[0] == "+")
