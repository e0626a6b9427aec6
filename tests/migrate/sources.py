"""Sources of tests, written as a few literals."""

from tokensync.migrate.source import Location, Source, SourceTheme, SourceToken, TokenSet


def token(path, value, token_type="", **members):
    return SourceToken(tuple(path.split(".")), value, Location("tokens.json", 1), token_type, **members)


def source_of(sets, themes=None):
    """Return a source of sets, each a mapping of paths to (type, value) or a value, and of themes.

    Themes are mappings of names to the sets in order, a ``source`` set with an asterisk; ``group/name`` has a group.
    """
    read = []
    for name, tokens in sets.items():
        pairs = [(path, each if isinstance(each, tuple) else ("", each)) for path, each in tokens.items()]
        read.append(TokenSet(name, tuple(token(path, value, kind) for path, (kind, value) in pairs)))
    made = []
    for name, roles in (themes or {"all": [*sets]}).items():
        group, _, own = name.rpartition("/")
        sets_of = {each.rstrip("*"): "source" if each.endswith("*") else "enabled" for each in roles}
        made.append(SourceTheme(own, sets_of, group))
    return Source("test", tuple(read), tuple(made))
