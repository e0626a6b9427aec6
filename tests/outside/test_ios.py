"""Every Swift constant and theme, worked out from its source, comes to what the graph resolves it to."""

import json
from decimal import Decimal
from functools import partial
from itertools import product

import pytest
from outside.expected import kind_of, same, showable, value_of
from outside.swift_composites import composite_of
from outside.swift_module import SwiftModule
from outside.swift_values import PLAIN, Catalog, Look, Seen, colorsets
from outside.themes import axes, pairs, reach, systems, theme_of

from tokensync.generate.naming import in_order, names_for
from tokensync.generate.naming.rules import camel, pascal, words
from tokensync.generate.notation import TYPES, composite
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import code_references, naming_of
from tokensync.generate.targets.ios import IosOptions
from tokensync.tokens import DEFAULT_THEME, Composite

pytestmark = pytest.mark.outside

OPTIONS = {
    "catalog": IosOptions(also=("themes", "swiftui", "uikit")),
    "swift": IosOptions(also=("themes", "swiftui", "uikit"), colors="swift", color_space="display-p3", nested="path"),
}


def test_each_constant_and_member_in_every_theme_and_pair(subject, counted):
    compared, differences = 0, []
    for name, options in OPTIONS.items():
        actual = Output(subject, options)
        actual.compare_all(with_pairs=name == "catalog")
        compared += actual.compared
        differences += actual.differences
    counted("ios", "constants and themes, each pair of axes and appearance", subject.name, compared, differences)


class Output:
    """The files of a graph's output, read, and what they are compared with."""

    def __init__(self, subject, options):
        self.subject = subject
        files = subject.files("ios", options)
        self.graph = graph = subject.graph
        self.module = SwiftModule(files)
        self.catalog = Catalog(colorsets(files))
        local = [each for each in in_order(graph.tokens.values(), graph) if each.origin == "local"]
        self.names, _ = names_for(graph, local, naming_of("ios"))
        references = code_references(subject.resolution, OutputRequest(platform="ios", options=options))
        self.constant_names = {
            key: next(each.removeprefix("Tokens.").replace("`", "") for each in texts if each.startswith("Tokens."))
            for key, texts in references.items()
        }
        self.constants = [each for each in local if self.constant_names.get(each.key) in self.module.constants]
        self.members = [each for each in local if self.names[each.key] in self.module.members]
        self.reach = reach(graph)
        self.compared, self.differences = 0, []
        self.usual = subject.resolver(DEFAULT_THEME)

    def compare_all(self, *, with_pairs):
        """Constants and extensions in each appearance; members under no choice, each one, and two that interact."""
        followed = {}
        for system, modes in systems(self.graph):
            for _, chosen, structs in self.choices(system, with_pairs=with_pairs):
                followed.setdefault(frozenset(structs.items()), []).append(theme_of(modes, chosen))
        for system, modes in systems(self.graph):
            look = Look(system.scheme == "dark", bool(system.contrast))
            seen = self.seen(look)
            # A constant that is not a colour is the same in every appearance.
            shown = [each for each in self.constants if look == PLAIN or each.type == "color"]
            self.compare(seen.constant, theme_of(modes, ()), shown, names=self.constant_names)
            for type_, members in self.module.extended.items():
                colors = [each for each in shown if self.names[each.key] in members]
                self.compare(partial(seen.extended, type_), theme_of(modes, ()), colors)
            for families, chosen, structs in self.choices(system, with_pairs=with_pairs):
                members = [each for each in self.members if families <= self.reach[each.key]]
                under = seen.choosing(structs)
                self.compare(under.member, theme_of(modes, chosen), members, followed[frozenset(structs.items())])

    def seen(self, look):
        """Return what has the values in an appearance."""
        return Seen(self.module, self.catalog, look)

    def choices(self, system, *, with_pairs):
        """(families, the modes that are chosen of them, the structs that are by property)."""
        of_axis = {}
        for axis in axes(self.graph):
            name = axis.attribute.removeprefix("data-")
            known = (camel(words(name)), f"{camel(words(name))}Choice")
            property_ = next(each for each in known if each in self.module.choices)
            of_axis[axis.family] = [
                (chosen, {property_: self.struct(property_, name, next(iter(attributes.values())))})
                for attributes, chosen in axis.choices(system)
            ]
        yield frozenset(), (), {}
        for family, several in of_axis.items():
            for chosen, structs in several:
                yield {family}, (chosen,), structs
        for one, other in pairs(self.graph) if with_pairs else ():
            for (first, ours), (second, theirs) in product(of_axis[one.family], of_axis[other.family]):
                yield {one.family, other.family}, (first, second), ours | theirs

    def struct(self, property_, axis, context):
        first, named = pascal(words(axis)), pascal(words(context))
        wanted = f"{first}{named.removeprefix(first) or named}Tokens"
        assert self.module.structs[wanted][0] == self.module.choices[property_].protocol
        return wanted

    def compare(self, value, theme, tokens, followed=(), names=None):
        """Compare the tokens in a theme; skip those without a value there or by default.

        ``followed`` are the themes of the same choice in each appearance: a member without a value in one has none.
        """
        resolve = self.subject.resolver(theme)
        for token in tokens:
            name = (names or self.names)[token.key]
            expected = expected_of(token, resolve(token.key))
            if expected is None or expected_of(token, self.usual(token.key)) is None:
                continue
            actual = value(name)
            if actual is None and any(
                expected_of(token, self.subject.resolver(other)(token.key)) is None for other in followed
            ):
                continue
            self.compared += 1
            if actual is not None and actual[0] in ("weight", "bool"):
                actual = ("number", Decimal(int(actual[1])), "")
            if not alike(expected, actual):
                self.differences.append(f"{theme} {name}: expected {expected}, found {actual}")


def alike(expected, actual):
    """Return whether two values are equal; compare composites part by part."""
    if expected[0] not in ("made", "list") or actual is None:
        return same(expected, actual)
    if expected[0] != actual[0] or len(expected[1]) != len(actual[1]):
        return False
    if expected[0] == "list":
        return all(alike(one, other) for one, other in zip(expected[1], actual[1], strict=True))
    pairs_of_members = zip(expected[1], actual[1], strict=True)
    return all(one == other and alike(ours, theirs) for (one, ours), (other, theirs) in pairs_of_members)


def expected_of(token, literal):
    """Return the value in Swift: numbers in points and seconds, families as text."""
    kind = kind_of(token)
    if kind in TYPES and isinstance(literal, Composite):
        return composite_of(kind, literal) if composite(literal, kind) else None
    actual = value_of(kind, literal)
    if actual is None:
        return None
    match kind, actual:
        case "family", _:
            text = literal if isinstance(literal, str) else ", ".join(json.loads(literal.json))
            return ("string", showable(text, "[\ud800-\udfff]"))
        case "string", (_, text):
            return ("string", showable(text, "[\ud800-\udfff]"))
        case _, ("number", number, unit):
            return ("number", number * {"rem": 16, "ms": Decimal("0.001")}.get(unit, 1), "")
    return actual
