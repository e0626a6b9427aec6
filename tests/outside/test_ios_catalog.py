"""Asset catalogs hold to a schema of Apple's documented format and show what the graph resolves; Swift is parsed."""

import json

import pytest
from corpus.read_ios import components
from outside.expected import same, value_of
from outside.swift_names import bare_words, declared
from outside.themes import systems, theme_of

from tokensync.generate.naming import names_for
from tokensync.generate.targets import naming_of
from tokensync.tokens import DEFAULT_THEME

pytestmark = pytest.mark.outside


def test_each_colour_in_each_appearance(subject, colorset, counted):
    documents = colorsets(subject.files("ios"))
    for document in documents.values():
        colorset(document)
    local = [each for each in subject.graph.tokens.values() if each.origin == "local"]
    names, _ = names_for(subject.graph, local, naming_of("ios"))
    # A colour without a value by default or in an appearance is reported and omitted.
    looks = [DEFAULT_THEME, *(theme_of(modes, ()) for _, modes in systems(subject.graph))]
    resolvers = [subject.graph.resolver(theme) for theme in looks]
    colors = [
        token
        for token in local
        if token.type == "color" and all(value_of("color", resolve(token.key)) is not None for resolve in resolvers)
    ]
    compared, differences = 0, []
    for system, modes in systems(subject.graph):
        resolve = subject.graph.resolver(theme_of(modes, ()))
        for token in colors:
            expected = value_of("color", resolve(token.key))
            if expected is None:
                continue
            compared += 1
            actual = shown(documents.get(names[token.key]), system.scheme, system.contrast)
            if not same(expected, actual):
                where = f"{system.scheme} {system.contrast} {names[token.key]}"
                differences.append(f"{where}: expected {expected}, found {actual}")
    assert set(documents) == {names[each.key] for each in colors}
    counted("ios", "components of colour sets in every appearance", subject.name, compared, differences)


def test_names_in_swift(subject, swift, counted):
    compared, differences = 0, []
    for path, content in subject.files("ios").items():
        if path.endswith(".swift"):
            tree = swift(content)
            compared += sum(1 for _ in declared(tree))
            differences += [f"{path}:{each} is a reserved word" for each in bare_words(tree)]
    assert compared
    counted("ios", "names in Swift", subject.name, compared, differences)


def test_a_bare_reserved_word_is_found(swift):
    source = "enum A {\n  static let default = 1\n  static let `in` = A.default\n  static func f(x: Int) { }\n}\n"
    tree = swift(source)
    assert list(declared(tree)) == ["A", "default", "`in`", "f"]
    assert bare_words(tree) == ["2: default"]


def colorsets(files):
    """Every colour set of the catalogs by its name, whatever group it is in."""
    actual = {}
    for path, content in files.items():
        folder = path.removesuffix("/Contents.json")
        if folder.endswith(".colorset"):
            name = folder.rpartition("/")[2].removesuffix(".colorset")
            assert name not in actual, f"{name} twice"
            actual[name] = json.loads(content)
    return actual


def shown(document, scheme, contrast):
    """The colour that iOS picks: the entry that says most of what the system asks for, and nothing else."""
    if document is None:
        return None
    requested = {"luminosity": scheme, "contrast": "high" if contrast else ""}
    best, most = None, -1
    for entry in document["colors"]:
        appearances = entry.get("appearances", ())
        fits = all(requested[each["appearance"]] == each["value"] for each in appearances)
        # Where one entry says the luminosity and another the contrast, the luminosity wins.
        score = sum(2 if each["appearance"] == "luminosity" else 1 for each in appearances)
        if fits and entry["idiom"] == "universal" and score > most:
            best, most = entry, score
    if best is None:
        return None
    assert best["color"]["color-space"] == "srgb", best
    return ("color", *components(best["color"]))
