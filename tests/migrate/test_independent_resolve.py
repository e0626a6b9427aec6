"""Each theme's literals equal those of an independent resolver, which is short, slow and recursive."""

from hypothesis import given
from hypothesis import strategies as st
from migrate.sources import source_of

from tokensync.migrate.themes import themes_of
from tokensync.migrate.values import AliasTo, Flattened, Refused

PATHS = [f"t{index}" for index in range(8)]
SETS = ["core", "light", "dark", "own"]
VALUES = st.integers(0, 50) | st.tuples(st.sampled_from(PATHS), st.none() | st.integers(1, 9))
ROLES = st.dictionaries(st.sampled_from(SETS), st.booleans(), max_size=4)


class Unresolved(Exception):
    pass


def resolved(tokens, path, outer=()):
    """Return the number of a token among merged tokens."""
    if path in outer or path not in tokens:
        raise Unresolved
    value = tokens[path]
    if isinstance(value, int):
        return value
    target, summand = value
    return resolved(tokens, target, (*outer, path)) + (summand or 0)


def merged(sets, roles):
    """Return the tokens of a theme: of the sets outside of it, then of its own, and those that it creates."""
    tokens = {path: each for name in sets if name not in roles for path, each in sets[name].items()}
    creator = {}
    for name in roles:
        tokens |= sets.get(name, {})
        creator |= dict.fromkeys(sets.get(name, {}), name)
    return tokens, {path for path, name in creator.items() if roles[name]}


def written(value):
    if isinstance(value, int):
        return "number", value
    target, summand = value
    return "number", f"{{{target}}}" if summand is None else f"{{{target}}} + {summand}"


@given(
    st.dictionaries(st.sampled_from(SETS), st.dictionaries(st.sampled_from(PATHS), VALUES), min_size=1),
    st.lists(ROLES, min_size=1, max_size=4),
)
def test_each_theme_has_the_tokens_and_literals_of_an_independent_resolver(sets, of_themes):
    themes = {
        f"T{index}": [name if enabled else f"{name}*" for name, enabled in roles.items()]
        for index, roles in enumerate(of_themes)
    }
    source = source_of(
        {name: {path: written(each) for path, each in own.items()} for name, own in sets.items()}, themes
    )
    for theme, roles in zip(themes_of(source), of_themes, strict=True):
        tokens, created = merged(sets, roles)
        assert {*theme.tokens} == created
        for path in tokens:
            try:
                wanted = resolved(tokens, path)
            except Unresolved:
                assert isinstance(theme.value(path), Refused)
                continue
            assert theme.literal(path) == wanted
            match tokens[path]:
                case int():
                    assert theme.value(path) == wanted
                case (target, None):
                    assert theme.value(path) == AliasTo(target)
                case _:
                    assert isinstance(theme.value(path), Flattened)


@given(
    st.dictionaries(st.sampled_from(SETS), st.dictionaries(st.sampled_from(PATHS), VALUES), min_size=1),
    st.lists(st.sampled_from(SETS), unique=True),
    st.permutations(PATHS),
)
def test_the_order_in_which_tokens_are_asked_for_does_not_matter(sets, own, order):
    source = source_of(
        {name: {path: written(each) for path, each in tokens.items()} for name, tokens in sets.items()}, {"T": own}
    )
    one, other = themes_of(source)[0], themes_of(source)[0]
    first = {path: one.literal(path) for path in PATHS}
    second = {path: other.literal(path) for path in order}
    refused = {path for path, each in first.items() if isinstance(each, Refused)}
    assert refused == {path for path, each in second.items() if isinstance(each, Refused)}
    assert {path: first[path] for path in PATHS if path not in refused} == {
        path: second[path] for path in PATHS if path not in refused
    }
