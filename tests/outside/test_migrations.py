"""Public design systems as sources of a migration: the same tokens as an independent reading of their files.

The independent reading walks the JSON, and knows only where these systems keep values. It prints its counts.
"""

import json
import re

import pytest
from dtcg.plain_flattening import inputs

from tokensync.migrate.readers import dtcg_files, style_dictionary
from tokensync.migrate.readers.source_files import read_source

pytestmark = pytest.mark.outside

OVERRIDES = ("org.primer.overrides", "carbon.themes")
SYSTEMS = {
    "adobe-spectrum": 2_771,
    "apple-hig": 154,
    "figma-sds": 424,
    "github-primer": 3_800,
    "ibm-carbon": 416,
    "microsoft-fluent": 282,
    "shopify-polaris": 67,
}
"""The systems of dtcg-examples with the least number of values in them."""


def values_in(node, path=()):
    """Yield the path, mode and value of each token below a node; a value that is in no mode has the mode ''."""
    if not isinstance(node, dict):
        return
    name = ".".join(each for each in path if each != "$root")
    if "$value" in node:
        yield name, "", node["$value"]
    for extension in OVERRIDES:
        for mode, value in (node.get("$extensions") or {}).get(extension, {}).items():
            yield name, mode, value
    for step, each in node.items():
        if step == "$root" or step[:1] != "$":
            yield from values_in(each, (*path, step))


def counted(source):
    """The numbers of definitions that were read, and that are in sets."""
    in_sets = sum(len(each.tokens) for each in source.sets)
    assert source.read == in_sets + sum(each.is_token for each in source.unread)
    return source.read, in_sets


def printed(name, source, expected):
    read, in_sets = counted(source)
    print(f"{name}: {read:,} values read, {read - in_sets:,} of them reported as unread; {expected:,} in the files")
    return read


def named(resolver):
    """The token files that a resolver document names."""
    names = dict.fromkeys(re.findall(r'"\$ref":\s*"([^"#]+)"', resolver.read_text(encoding="utf-8")))
    return [resolver.parent / each for each in names]


@pytest.mark.parametrize("system", SYSTEMS)
def test_all_values_of_systems_with_a_resolver_document_are_read(examples, system):
    resolver = examples / f"{system}.resolver.json"
    expected = sum(len(list(values_in(json.loads(each.read_text(encoding="utf-8"))))) for each in named(resolver))
    assert expected >= SYSTEMS[system]
    assert printed(system, dtcg_files.read(read_source(str(resolver)).documents), expected) == expected


@pytest.mark.parametrize("system", [each for each in SYSTEMS if each != "apple-hig"])
def test_each_context_has_the_values_of_the_files_in_the_order_of_the_resolver_document(examples, system):
    resolver = examples / f"{system}.resolver.json"
    document = json.loads(resolver.read_text(encoding="utf-8"))
    source = dtcg_files.read(read_source(str(resolver)).documents)
    sets = {each.name: each for each in source.sets}
    themes = {(each.group, each.name): each for each in source.themes}
    compared = 0
    for chosen in inputs(document):
        modifiers = [(name, context) for name, context in chosen.items() if not is_default(document, name, context)]
        if len(modifiers) > 1:
            continue
        merged = {}
        for each in sources(document, chosen):
            content = json.loads((examples / each).read_text(encoding="utf-8"))
            merged |= {path: value for path, mode, value in values_in(content) if not mode}
        theme = themes[modifiers[0] if modifiers else next(iter(themes))] if themes else source.themes[0]
        if not modifiers and document.get("modifiers"):
            theme = next(each for each in source.themes if each.is_default)
        own = [each for each in theme.sets if not each.endswith("]")]  # without those of overrides
        found = {token.path: token.value for name in own for token in sets[name].tokens}
        assert found.keys() == merged.keys()
        own_alpha = {path for path, value in found.items() if has_alpha_beside(value, merged[path])}
        differing = {path for path in merged.keys() - own_alpha if plain(found[path]) != plain(merged[path])}
        assert differing == set()
        compared += len(merged) - len(own_alpha)
    print(f"{system}: {compared:,} values compared in the contexts of the resolver document")
    assert compared


def is_default(document, name, context):
    modifier = document["modifiers"][name]
    return context == modifier.get("default", next(iter(modifier["contexts"])))


def sources(document, chosen):
    """The paths of the files in a combination of contexts, in resolution order."""
    for each in document["resolutionOrder"]:
        _, kind, name = each["$ref"].split("/")
        node = document[kind][name]
        yield from (one["$ref"] for one in (node["sources"] if kind == "sets" else node["contexts"][chosen[name]]))


def plain(value):
    """A value without what the reader normalises: root tokens in references."""
    return json.dumps(value, sort_keys=True).replace(".$root}", "}")


def has_alpha_beside(found, value):
    """Whether the alpha of a color comes from a member beside the value in the file."""
    is_color = isinstance(found, dict) and "colorSpace" in found
    return "rgba(" in plain(found) or (is_color and "alpha" in found and "alpha" not in value)


@pytest.mark.parametrize(
    ("name", "folder", "least", "modes"),
    [
        ("@primer/primitives", "src/tokens", 4_100, {"theme": 14, "pointer": 2}),
        ("@carbon/themes", "src/dtcg", 1_400, {"theme": 4}),
    ],
)
def test_all_values_of_a_folder_and_its_overrides_are_read(package, name, folder, least, modes):
    pyjson5 = pytest.importorskip("pyjson5")
    files = sorted((package(name) / folder).rglob("*.json*"))
    expected = sum(
        len(list(values_in(pyjson5.decode(each.read_text(encoding="utf-8"), maxdepth=99)))) for each in files
    )
    source = dtcg_files.read(read_source(str(package(name) / folder)).documents)
    assert printed(name, source, expected) == expected >= least
    groups = [each.group for each in source.themes]
    assert {each: groups.count(each) for each in groups} == modes


@pytest.fixture
def open_props(package):
    """The tokens of a file of the package by their names in CSS, and their values with references as var()."""

    def read(file, reader):
        source = reader.read(read_source(str(package("open-props") / f"open-props.{file}")).documents)
        printed(f"open-props.{file}", source, counted(source)[1])
        names = {token.path: css_name(token) for _, token in source.tokens()}
        values = {names[token.path]: with_var(token.value, names) for _, token in source.tokens()}
        assert len(values) == source.read
        return values

    return read


def css_name(token):
    first, *rest = token.name
    if token.name[-1].startswith("--"):
        return token.name[-1]
    return "--" + "-".join(rest if first in ("color", "other", "gradient", "zIndex", "aspect-ratio") else token.name)


def with_var(value, names):
    if not isinstance(value, str):
        return value
    return re.sub(r"\{([^{}]+)\}", lambda match: f"var({names.get(match[1], match[1])})", value)


def test_the_formats_of_one_system_agree(open_props, package):
    tokens = open_props("tokens.json", dtcg_files)
    for file in ("figma-tokens.json", "figma-tokens.sync.json"):
        assert open_props(file, style_dictionary) == tokens
    legacy = open_props("style-dictionary-tokens.json", style_dictionary)
    shared = legacy.keys() & tokens.keys()
    # The package's file has the values of --ease-in-1 under ease.1, too, and those of --noise-filter-1 under noise.1.
    differing = {name for name in shared if legacy[name] != tokens[name]}
    assert differing == {f"--{name}-{at}" for name in ("ease", "noise") for at in range(1, 6)}
    resolved = open_props("resolver.json", dtcg_files)
    units = {
        name: each for name, each in resolved.items() if isinstance(each, dict) and each.keys() == {"value", "unit"}
    }
    assert {name for name, each in units.items() if name in tokens and not same_length(tokens[name], each)} == set()
    css = (package("open-props") / "open-props.min.css").read_text(encoding="utf-8")
    assert tokens.keys() - set(re.findall(r"(--[\w-]+)\s*:", css)) == set()
    print(f"open-props: {len(tokens)} names; {len(shared)} in Style Dictionary's file, {len(units)} lengths in DTCG")
    assert len(tokens) > 480
    assert len(shared) > 280
    assert len(units) > 40


def same_length(text, length):
    number = re.fullmatch(r"(-?[\d.e]+)(\w+)", text)
    return number is not None and (float(number[1]), number[2]) == (length["value"], length["unit"])
