"""Devices find the values that the graph resolves in their themes, by single and combined qualifiers, in each brand."""

from itertools import product
from typing import NamedTuple

from generate.targets.android_devices import attributes_of, chosen, devices, merged, parsed, read_folders, shown
from graphs import alias, collection, color, graph, token
from hypothesis import given
from hypothesis import strategies as st

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.generate.targets.android.literals import color as written
from tokensync.project.configuration import typed_options
from tokensync.tokens import ComposedColor, DanglingAlias, Theme, Unresolved

QUALIFIERS = (
    "night",
    "notnight",
    "sw600dp",
    "sw840dp",
    "land",
    "de",
    "de-rAT",
    "sw600dp-night",
    "v31",
    "large",
    "small",
)
COLORS = [color(f"#{each:02x}{each:02x}{each:02x}") for each in range(0, 250, 10)]


class QualifiedGraph(NamedTuple):
    """A graph of colours, and by family the qualifiers of its modes (the rest are brands)."""

    graph: object
    qualifiers: dict


@st.composite
def graphs_with_qualifiers(draw, most=3):
    """Collections of modes, whose colours are literals, composed of others, or aliases to any of them."""
    collections = [
        collection(f"C{at}", *(f"m{each}" for each in range(draw(st.integers(2, 4)))))
        for at in range(draw(st.integers(2, most)))
    ]
    names = [(of, f"{of.handle}t{at}") for of in collections for at in range(draw(st.integers(1, 3)))]
    literals = st.sampled_from(COLORS)
    aliases = st.sampled_from(names).map(lambda each: alias(each[0].name, each[1]))
    composed = aliases.map(lambda each: ComposedColor(each, 50.0))
    value = st.one_of(literals, literals, aliases, composed, st.just(DanglingAlias("gone")))
    tokens = [token(of, name, *(draw(value) for _ in of.modes)) for of, name in names]
    qualifiers = {}
    for of in collections:
        qualifiers_of_mode = draw(st.lists(st.sampled_from(QUALIFIERS), unique=True, max_size=len(of.modes) - 1))
        qualifiers[of.handle] = {text: at + 1 for at, text in enumerate(qualifiers_of_mode)}
    return QualifiedGraph(graph(*collections, *tokens), qualifiers)


def options_of(token_graph, **options):
    themes = {
        f"{handle}/m{mode}": {"qualifier": text}
        for handle, qualifiers_of_mode in token_graph.qualifiers.items()
        for text, mode in qualifiers_of_mode.items()
    }
    return typed_options("android", {"themes": themes, **options})


def theme_of(token_graph, device, brands=()):
    """Return the theme of a device: the mode of each family by its qualifiers, or that of a chosen brand."""
    modes = {}
    for family in token_graph.graph.collections.values():
        qualifiers_of_mode = token_graph.qualifiers[family.handle]
        modes[family.key] = {"": 0, **qualifiers_of_mode}[chosen(["", *qualifiers_of_mode], device)]
    modes.update(brands)
    return Theme("", tuple(modes.items()))


def qualifiers_of(token_graph):
    return [text for qualifiers_of_mode in token_graph.qualifiers.values() for text in qualifiers_of_mode]


def incomplete_tokens(token_graph):
    """Return the tokens without a value in some combination of modes, also of those that no device chooses."""
    families = token_graph.graph.collections.values()
    combinations = product(*([(family.key, mode) for mode in range(len(family.modes))] for family in families))
    resolvers = [token_graph.graph.resolver(Theme("", modes)) for modes in combinations]
    return {key for key in token_graph.graph.tokens for resolve in resolvers if isinstance(resolve(key), Unresolved)}


def wrong_ones(token_graph, theme, values, device, incomplete, attributes=()):
    """Return the tokens that are shown otherwise than the graph has them; incomplete ones may be shown nowhere."""
    resolve = token_graph.graph.resolver(theme)
    wrong = []
    for declared in token_graph.graph.tokens.values():
        name = declared.key.path
        actual = shown(f"?attr/{name}" if name in attributes else f"@color/{name}", values, device, attributes)
        value = resolve(declared.key)
        expected = None if isinstance(value, Unresolved) else written(value)
        if actual != expected and (actual is not None or declared.key not in incomplete):
            wrong.append((name, expected, actual))
    return wrong


@given(graphs_with_qualifiers())
def test_every_device_shows_the_values_of_the_graph(token_graph):
    files, _ = generate(token_graph.graph, OutputRequest(platform="android", options=options_of(token_graph)))
    values, _ = read_folders(files)
    incomplete = incomplete_tokens(token_graph)
    for device in devices(qualifiers_of(token_graph)):
        assert wrong_ones(token_graph, theme_of(token_graph, device), values, device, incomplete) == []


@given(graphs_with_qualifiers())
def test_no_resource_is_redundant(token_graph):
    """Without small sizes and densities, removing any resource changes the value on some device."""
    if any("small" in text for text in qualifiers_of(token_graph)):
        return
    files, _ = generate(token_graph.graph, OutputRequest(platform="android", options=options_of(token_graph)))
    values, _ = read_folders(files)
    for folder, texts in values.items():
        if folder:
            plainer = {each: own for each, own in values.items() if each != folder}
            for name, text in texts.items():
                below = chosen([each for each, own in plainer.items() if name in own], {"size": 1, **parsed(folder)})
                assert below is None or plainer[below][name] != text


def choices_of(token_graph):
    """Yield no brand, each brand, and each pair of brands of two families: {family: mode}."""
    brands = [
        (family.key, mode)
        for family in token_graph.graph.collections.values()
        for mode in range(1, len(family.modes))
        if mode not in token_graph.qualifiers[family.handle].values()
    ]
    yield {}
    for at, one in enumerate(brands):
        yield dict([one])
        yield from (dict([one, other]) for other in brands[at + 1 :] if one[0] != other[0])


def styles_of(token_graph, brands, styles):
    """Return the styles to apply: the base style of each collection, those of the brands, and that of their pair."""
    stack = [name for name in styles if name.count(".") == 1]
    stack += [f"ThemeOverlay.{family[1].upper()}.M{mode}" for family, mode in brands.items()]
    every = [family.handle.upper() for family in token_graph.graph.collections.values()]
    for at, first in enumerate(every):
        for second in every[at + 1 :]:
            chosen_modes = {family[1].upper(): f".M{mode}" for family, mode in brands.items()}
            pair = f"ThemeOverlay.{first}{chosen_modes.get(first, '')}.{second}{chosen_modes.get(second, '')}"
            stack.append(pair)
    return [name for name in dict.fromkeys(stack) if name in styles]


@given(graphs_with_qualifiers(2))
def test_every_brand_shows_the_values_of_the_graph_through_attributes(token_graph):
    files, _ = generate(
        token_graph.graph, OutputRequest(platform="android", options=options_of(token_graph, brands="styles"))
    )
    values, styles = read_folders(files)
    incomplete = incomplete_tokens(token_graph)
    for brands in choices_of(token_graph):
        stack = styles_of(token_graph, brands, styles.get("", {}))
        for device in devices(qualifiers_of(token_graph)):
            attributes = attributes_of(stack, styles, device)
            theme = theme_of(token_graph, device, brands)
            assert wrong_ones(token_graph, theme, values, device, incomplete, attributes) == []


@given(graphs_with_qualifiers())
def test_every_source_set_over_the_main_one_shows_the_values_of_the_graph(token_graph):
    files, _ = generate(
        token_graph.graph, OutputRequest(platform="android", options=options_of(token_graph, brands="source-sets"))
    )
    sets = {}
    for each in files:
        sets.setdefault(each.path.split("/")[0], []).append(each)
    folders = {name: read_folders(several)[0] for name, several in sets.items()}
    incomplete = incomplete_tokens(token_graph)
    for brands in choices_of(token_graph):
        names = [source_set_of(family, mode, token_graph) for family, mode in brands.items()]
        both = [f"{names[0]}{names[1][0].upper()}{names[1][1:]}"] if len(names) == 2 else []
        values = merged([folders.get(each, {}) for each in ("main", *reversed(names), *both)])
        for device in devices(qualifiers_of(token_graph)):
            theme = theme_of(token_graph, device, brands)
            assert wrong_ones(token_graph, theme, values, device, incomplete) == []


def source_set_of(family, mode, token_graph):
    """Return ``m1``, with the collection in front if an earlier one also has a brand of that name."""
    for other in token_graph.graph.collections.values():
        if other.key == family:
            return f"m{mode}"
        if mode < len(other.modes) and mode not in token_graph.qualifiers[other.handle].values():
            return f"{family[1]}M{mode}"
    raise AssertionError(family)
