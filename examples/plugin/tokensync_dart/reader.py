"""The format ``palette``: JSON files with names and hexadecimal colours, ``{"palette": {"sand": "#f5e9d0"}}``."""

import json

import tokensync

LABEL = "palettes"


def recognized(files):
    """Return whether one of the files is a palette."""
    return any(map(colors_of, files.values()))


def read(files):
    """Return the colours of all palettes as a source."""
    sets = tuple(
        tokensync.TokenSet(
            path,
            tuple(
                tokensync.SourceToken((name,), color, tokensync.Location(path, 1), type="color")
                for name, color in colors_of(content).items()
            ),
        )
        for path, content in files.items()
        if colors_of(content)
    )
    theme = tokensync.SourceTheme("palette", {each.name: "enabled" for each in sets})
    return tokensync.Source("palette", sets, (theme,))


def colors_of(content):
    """Return the colours by name in the content of a file; none if it is no palette."""
    try:
        document = json.loads(content)
    except ValueError:
        return {}
    palette = document.get("palette") if isinstance(document, dict) else None
    return palette if isinstance(palette, dict) else {}
