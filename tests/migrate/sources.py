"""Sources of tests, written as a few literals."""

from tokensync.migrate.evaluation.themes import ThemeTokens
from tokensync.migrate.source import Location, Source, SourceTheme, SourceToken, TokenSet


def token(path, value, token_type="", **members):
    return SourceToken(tuple(path.split(".")), value, Location("tokens.json", 1), token_type, **members)


def modified(written, /, **modify):
    """Return a colour as type, value and extensions with a modifier of Tokens Studio."""
    return "color", written, {"studio.tokens": {"modify": modify}}


def source_of(sets, themes=None):
    """Return a source of sets, each a mapping of paths to (type, value), (type, value, extensions) or a value.

    Themes are mappings of names to the sets in order, a ``source`` set with an asterisk; ``group/name`` has a group.
    """
    read = []
    for name, tokens in sets.items():
        written = [(path, each if isinstance(each, tuple) else ("", each)) for path, each in tokens.items()]
        made = (token(path, value, kind, extensions=dict(*more)) for path, (kind, value, *more) in written)
        read.append(TokenSet(name, tuple(made)))
    themes_made = []
    for name, roles in (themes or {"all": [*sets]}).items():
        group, _, own = name.rpartition("/")
        sets_of = {each.rstrip("*"): "source" if each.endswith("*") else "enabled" for each in roles}
        themes_made.append(SourceTheme(own, sets_of, group))
    return Source("test", tuple(read), tuple(themes_made))


def theme_of(sets, themes=None, index=0, **options):
    """Return the tokens of a theme."""
    source = source_of(sets, themes)
    return ThemeTokens(source, source.themes[index], **options)


def read(token_type, value, tokens=None, extensions=None, **options):
    """Return the reading of one token ``own`` among others."""
    return theme_of({"set": {**(tokens or {}), "own": (token_type, value, extensions or {})}}, **options).reading("own")
