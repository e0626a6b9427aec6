"""Each theme's literals equal those of an independent resolver, and values equal what their targets give."""

from hypothesis import given
from hypothesis import strategies as st
from migrate.sources import source_of, theme_of

from tokensync.migrate.evaluation.themes import themes_of
from tokensync.migrate.evaluation.values import AliasTo, Composed, Flattened, Refused, alias_count
from tokensync.tokens import composed

REFERRING = st.sampled_from(
    "{c} {g} {o} {n} {s} {t.fontSize} {low.color} rgba({c},{o}) rgba({g},{o}) rgba({c},.5) hsl({c}/{n}) {n}*2 {s}+{s}"
    " {o}*{n} {n}px {f},Arial color-mix(in_srgb,{c}_20%,{g}) oklch(from_{c}_l_c_h/{o}) {own} {{name}} {missing}".split()
)
KINDS = st.sampled_from("color opacity spacing number text fontFamilies lineHeights fontWeights boolean".split())
OTHERS = {
    "c": ("color", "#336699"),
    "g": ("color", "#33669980"),
    "o": ("opacity", "40%"),
    "n": ("number", "0.5"),
    "s": ("spacing", "1.5rem"),
    "f": ("fontFamilies", "Inter"),
    "t": ("typography", {"fontSize": "{s}"}),
    "low": ("boxShadow", {"x": "0", "y": "0", "blur": "0", "spread": "0", "color": "{c}"}),
    "name": ("text", "c"),
}


@given(KINDS | st.just(""), REFERRING, st.none() | st.just(10))
def test_an_alias_and_a_composed_colour_have_the_literal_that_their_targets_give(kind, text, base):
    theme = theme_of({"a": {**OTHERS, "own": (kind, text.replace("_", " "))}}, base_font_size=base)
    reading = theme.reading("own")

    def literal(part):
        return theme.literal(part.path) if isinstance(part, AliasTo) else part

    match reading.value:
        case AliasTo(path=path):
            assert theme.literal(path) == reading.literal
            assert theme.reading(path).type == reading.type
        case Composed(base=color, opacity=opacity):
            assert literal(color).alpha == 1
            assert composed(literal(color), literal(opacity)) == reading.literal
        case Flattened(value=value):
            assert value == reading.literal
        case Refused() as refused:
            assert refused == reading.literal
        case value:
            assert value == reading.literal
    if "{" in text and not isinstance(reading.value, Refused):
        assert alias_count(reading.value) >= text.count("{") - text.count("{{")


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
