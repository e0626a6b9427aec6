"""Hypothesis strategies for token graphs with all values that the types allow, and hostile names."""

from __future__ import annotations

import json

from dtcg.composite_strategies import composites
from hypothesis import strategies as st

from tokensync.tokens import (
    Alias,
    Collection,
    Color,
    ComposedColor,
    Composite,
    DanglingAlias,
    Extension,
    Mode,
    Quantity,
    Token,
    TokenGraph,
    TokenKey,
    float32,
)
from tokensync.tokens.paths import path_of
from tokensync.tokens.values import AS_TEXT, KEYWORDS

FILE = "design system"
OTHER_FILE = "library"

ORIGINS = ("local", "remote", "deleted", "withheld", "absent")
HANDLES = ("color", "spacing", "brand-a", "größe", "ßeta-2", "extensions", "sets")
SLUGS = ("light", "dark", "mode-1", "コンパクト", "hc")
TYPES = (
    "color", "number", "dimension", "fontWeight", "string", "fontFamily", "boolean", "duration", "cubicBezier",
    "shadow", "border", "strokeStyle", "transition", "gradient", "typography", AS_TEXT,
    *KEYWORDS,
)  # fmt: skip

HOSTILE_TEXTS = [
    *("", "{x}", "{color.a}", "{", "}{", '"', "\\", "\n", "\u2028", "\u202e", "a//b", "$x"),
    *("%2E", "%", "\x00", "\x7f", "\ufffd", "é", "🙂"),
]
HOSTILE_NAMES = ["a", "b", "base", "$root", "$value", "", "a.b", "{a}", "%2E", "A", "é x", "/", "~", "\n"]
texts = st.text(max_size=12) | st.sampled_from(HOSTILE_TEXTS)
names = st.sampled_from(HOSTILE_NAMES) | texts
floats = st.floats(width=32, allow_nan=False, allow_infinity=False).map(float32) | st.sampled_from(
    [0.0, 1.0, 4.0, 400.0, float32(0.9), float32(1e-7), float32(3e38), 16777216.0]
)
unit_floats = st.floats(0, 1, width=32).map(float32)
colors = st.builds(Color, unit_floats, unit_floats, unit_floats, unit_floats | st.just(1.0))


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


SHADOW = {
    "color": "{color.a}",
    "offsetX": {"value": 0, "unit": "px"},
    "offsetY": {"value": 1.5, "unit": "px"},
    "blur": {"value": 2, "unit": "rem"},
    "spread": {"value": 0, "unit": "px"},
}
LITERALS = {
    "color": colors,
    "number": floats,
    "dimension": floats | st.builds(Quantity, floats, st.sampled_from(["rem", "em", "%"])),
    "fontWeight": st.sampled_from([1.0, 400.0, 1000.0, float32(350.5)]),
    "string": texts,
    AS_TEXT: st.sampled_from(["Bold", "Semi Bold Italic", "350", 400.0, "{bold}", ""]),
    "fontFamily": texts | st.just(Composite(canonical(["Inter", "sans-serif"]))),
    "boolean": st.booleans(),
    "duration": st.builds(Quantity, floats, st.sampled_from(["ms", "s"])),
    "cubicBezier": st.just(Composite(canonical([0.25, -1, 1, 2]))),
    "shadow": st.just(Composite(canonical(SHADOW))),
    "strokeStyle": st.just(Composite('"dashed"')),
    **{name: st.sampled_from(words) for name, words in KEYWORDS.items()},
}
COMPOSED = ("shadow", "border", "strokeStyle", "transition", "gradient", "typography")
misfits = st.one_of(
    floats, texts, st.booleans(), colors,
    st.builds(Color, floats, floats, floats, floats),
    st.builds(Quantity, floats, texts),
    st.builds(Composite, texts),
)  # fmt: skip


def sound_values(token_type, keys):
    """A literal of the type, or an alias to a token of the same type."""
    return LITERALS[token_type] | st.builds(Alias, st.sampled_from(keys))


def values(token_type, keys):
    """A value of a token, which mostly fits the type."""
    aliases = st.builds(Alias, st.sampled_from(keys)) if keys else st.nothing()
    dangling = st.builds(DanglingAlias, texts)
    elsewhere = st.builds(Alias, st.builds(TokenKey, st.just(OTHER_FILE), st.sampled_from(HANDLES), st.just("a.b")))
    fitting = composites(token_type, keys) if token_type in COMPOSED else LITERALS[token_type]
    parts = aliases | dangling
    composed = st.builds(ComposedColor, colors | parts, floats | parts) if token_type == "color" else st.nothing()
    return st.one_of(st.none(), fitting, fitting, aliases, aliases, composed, dangling, elsewhere, misfits)


def names_and_ids(number):
    """Names and ids of one collection's modes. Only modes with ids can have equal names."""
    known = st.lists(
        st.tuples(texts, texts.filter(bool)), min_size=number, max_size=number, unique_by=lambda each: each[1]
    )
    new = st.lists(st.tuples(texts, st.just("")), min_size=number, max_size=number, unique_by=lambda each: each[0])
    return known | new


@st.composite
def collections(draw, handle, free_handles):
    slugs = draw(st.lists(st.sampled_from(SLUGS), min_size=1, max_size=3, unique=True))
    modes = [
        Mode(name=name, collection=handle, slug=each, context=each, id=id_)
        for each, (name, id_) in zip(slugs, draw(names_and_ids(len(slugs))), strict=True)
    ]
    extensions = []
    for _ in range(draw(st.integers(0, min(2, len(free_handles))))):
        own = free_handles.pop()
        first = len(modes)
        own_slugs = draw(st.lists(st.sampled_from(SLUGS), max_size=2, unique=True))
        for slug, (name, id_) in zip(own_slugs, draw(names_and_ids(len(own_slugs))), strict=True):
            parent = draw(st.none() | st.integers(0, len(modes) - 1))
            context = draw(st.sampled_from([f"{own}.{slug}", f"{own}.{slug}-2"]))
            modes.append(Mode(name=name, collection=own, slug=slug, context=context, id=id_, parent=parent))
        extensions.append(
            Extension(
                handle=own,
                name=draw(texts),
                parent=draw(st.sampled_from([handle, *(each.handle for each in extensions)])),
                id=draw(texts),
                collection_key=draw(texts),
                hidden=draw(st.booleans()),
                default_mode=first if first < len(modes) else 0,
                origin=draw(st.sampled_from(ORIGINS)),
            )
        )
    return Collection(
        file=FILE,
        handle=handle,
        name=draw(texts),
        modes=tuple(modes),
        default_mode=draw(st.integers(0, len(modes) - 1)),
        extensions=tuple(draw(st.permutations(extensions))),
        id=draw(texts),
        collection_key=draw(texts),
        hidden=draw(st.booleans()),
        origin=draw(st.sampled_from(ORIGINS)),
    )


@st.composite
def tokens(draw, key, token_type, family, keys):
    foreign = draw(
        st.dictionaries(st.sampled_from(["com.example", "studio.tokens", "é"]), st.none() | texts, max_size=2)
    )
    if any("\ud800" <= char <= "\udfff" for each in foreign.values() for char in each or ""):
        foreign = {}
    return Token(
        key=key,
        type=token_type,
        values=tuple(draw(values(token_type, keys)) for _ in family.modes),
        description=draw(texts),
        scopes=tuple(draw(st.lists(st.sampled_from(["ALL_SCOPES", "GAP", "FUTURE"]), max_size=2, unique=True))),
        code_syntax=tuple(sorted(draw(st.dictionaries(st.sampled_from(["WEB", "ANDROID", "iOS"]), texts)).items())),
        hidden=draw(st.booleans()),
        origin=draw(st.sampled_from(ORIGINS)),
        published=draw(st.sampled_from([None, True, False])),
        deprecated=draw(st.booleans() | texts),
        id=draw(texts),
        variable_key=draw(texts),
        extensions=canonical(foreign) if foreign else "",
    )


@st.composite
def graphs(draw):
    """A graph of one file."""
    free = draw(st.permutations(HANDLES))
    handles = [free.pop() for _ in range(draw(st.integers(0, 3)))]
    families = [draw(collections(handle, free)) for handle in handles]
    typed = {}
    for family in families:
        for path in draw(st.lists(st.lists(names, min_size=1, max_size=3).map(path_of), max_size=5, unique=True)):
            typed[TokenKey(FILE, family.handle, path)] = (draw(st.sampled_from(TYPES)), family)
    keys = draw(st.permutations(list(typed)))
    keys.sort(key=lambda key: handles.index(key.collection))
    return TokenGraph(families, [draw(tokens(key, *typed[key], keys)) for key in keys])


@st.composite
def sound_graphs(draw):
    """A graph with valid values, which other DTCG readers can read."""
    free = draw(st.permutations(HANDLES))
    families = [draw(collections(free.pop(), [])) for _ in range(draw(st.integers(1, 2)))]
    token_type = draw(st.sampled_from(["color", "number", "boolean", "string"]))
    paths = st.lists(st.lists(names, min_size=1, max_size=2).map(path_of), min_size=2, max_size=5, unique=True)
    keys = [TokenKey(FILE, family.handle, path) for family in families for path in draw(paths)]
    homes = {family.handle: family for family in families}
    tokens = []
    for key in keys:
        own = tuple(draw(sound_values(token_type, keys)) for _ in homes[key.collection].modes)
        tokens.append(Token(key=key, type=token_type, values=own))
    return TokenGraph(families, tokens)
