"""Holds a build's outputs against the independent reading of the response: names, values, themes, order and counts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from corpus.building import TOP
from corpus.oracle import has_dark_word, unresolved
from corpus.oracle_names import matches
from corpus.oracle_values import WEIGHTS, android_value, css_value, kind, single, swift_value
from corpus.read_android import read_values, shown
from corpus.read_css import DARK, ROOT, Sheet, alike, read_css, references
from corpus.read_ios import followed, read_catalog, read_swift

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from corpus.oracle import Reading


class Comparison:
    """What was compared, counted, and every disagreement in words."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.counts: Counter[str] = Counter()
        self.disagreements: list[str] = []

    def same(self, what: str, where: str, expected: object, found: object) -> None:
        """Count one comparison; note it when the two are not equal."""
        self.counts[what] += 1
        if expected != found:
            self.disagreements.append(f"{what}: {where}: expected {expected!r}, found {found!r}")

    def same_names(self, what: str, where: str, expected: list[str], found: list[str]) -> dict[str, str]:
        """Compare two lists of names in order; answers expected name -> found name."""
        self.same(f"{what} count", where, len(expected), len(found))
        missing, extra = set(expected) - set(found), set(found) - set(expected)
        pairs = dict(zip(expected, found, strict=False))
        cut = {each: pairs[each] for each in missing if each in pairs and matches(each, pairs[each])}
        missing -= set(cut)
        extra -= set(cut.values())
        if missing or extra:
            self.same(f"{what} names", where, sorted(missing)[:10], sorted(extra)[:10])
        else:
            order = [cut.get(each, each) for each in expected]
            moved = [each for each, there in zip(order, found, strict=False) if each != there]
            self.same(f"{what} order", where, [], moved[:5])
        self.counts[f"{what} names"] += len(expected)
        return {each: cut.get(each, each) for each in expected}


def compare(reading: Reading, out: Path) -> Comparison:
    """Read everything under ``out`` and compare all of it."""
    comparison = Comparison(reading)
    compare_css(comparison, out / "css")
    compare_android(comparison, out / "android")
    compare_ios(comparison, out / "ios")
    shown_ids = [each["id"] for each in reading.declared if not unresolved(reading.resolver({})(each["id"]))]
    expected = TOP if shown_ids or (out / "android").is_dir() else TOP - {"android"}  # no resources, no files
    comparison.same("folders", out.name, expected, {each.name for each in out.iterdir()})
    return comparison


# CSS


def compare_css(comparison: Comparison, folder: Path) -> None:
    """Blocks, their names, and computed values on a root element and on nested ones, in every theme, at night too."""
    reading = comparison.reading
    comparison.same("css files", "css", ["tokens.css"], [each.name for each in folder.iterdir()])
    blocks = read_css(folder / "tokens.css")
    families = [each for each in reading.switching() if reading.redeclared(each)]
    selectors = [attribute(each, at) for each in families for at in range(len(each["modes"]))]
    following = {(f"data-{each['handle']}", handle) for each in families for handle in reading.extensions(each)}
    plain = {each.selector: each for each in blocks if each.selector is not None}
    expected = [ROOT, *selectors] if reading.declared else []
    shows_some = [each for each in expected if each in plain or each == ROOT or _shows(reading, families, each)]
    found = [each for each in plain if each not in following or each in selectors]
    comparison.same("css selectors", "tokens.css", _by_attribute(shows_some), _by_attribute(found))
    comparison.counts["css var()"] += sum(references(each) for each in blocks)
    default = reading.resolver({})
    names = _css_names(comparison, ":root", plain.get(ROOT), [each["id"] for each in reading.declared], default)
    for holding, usual in (((), {}), ((DARK,), reading.night())):
        sheet = Sheet(blocks, holding)
        _css_values(comparison, f":root {holding}", sheet.computed([ROOT]), names, reading.resolver(usual))
        for family in families:
            _compare_family(comparison, sheet, family, names, usual)
    for family in families:
        redeclared = reading.redeclared(family)
        for at in range(len(family["modes"])):
            of = attribute(family, at)
            _css_names(comparison, str(of), plain.get(of), redeclared, reading.resolver({family["id"]: at}))


def _by_attribute(selectors: list[tuple[str, str]]) -> dict[str, list[str]]:
    """The modes of each family in their order; which family comes first bears on no value."""
    values: dict[str, list[str]] = {}
    for name, value in selectors:
        values.setdefault(name, []).append(value)
    return values


def attribute(family: dict, mode: int) -> tuple[str, str]:
    """The attribute and value that put an element into a mode."""
    return (f"data-{family['handle']}", family["modes"][mode]["context"])


def _shows(reading: Reading, families: list[dict], selector: tuple[str, str]) -> bool:
    """Whether the tokens that a mode's block declares have a value in it."""
    for family in families:
        for at in range(len(family["modes"])):
            if attribute(family, at) == selector:
                resolve = reading.resolver({family["id"]: at})
                return any(not unresolved(resolve(each)) for each in reading.redeclared(family))
    return False


def _compare_family(comparison, sheet, family, names, usual) -> None:
    reading = comparison.reading
    modes = range(len(family["modes"]))
    for at in modes:
        own = attribute(family, at)
        where = f"{own} {'at night' if usual else ''}"
        resolve = reading.resolver({**usual, family["id"]: at})
        outer = attribute(family, (at + 1) % len(modes))  # an element inside one of another mode of its family
        _css_values(comparison, f"html{where}", sheet.computed([ROOT, own]), names, resolve)
        _css_values(comparison, f":root > {where}", sheet.computed([ROOT], [own]), names, resolve)
        _css_values(comparison, f"{outer} > {where}", sheet.computed([ROOT], [outer], [own]), names, resolve)


def _css_names(comparison: Comparison, where: str, block, variables: list[str], resolve) -> dict[str, str]:
    """Compare a block's names; answers the name found for each variable of the response, by id."""
    reading = comparison.reading
    settled = reading.names("css")
    wanted = [f"--{settled[each]}" for each in variables if not unresolved(resolve(each))]
    found = [] if block is None else [name for name, _ in block.declarations]
    pairs = comparison.same_names("css", where, wanted, found)
    return {each: pairs.get(f"--{name}", f"--{name}") for each, name in settled.items()}


def _css_values(comparison: Comparison, where: str, found: Mapping[str, tuple], names: dict[str, str], resolve) -> None:
    for variable in comparison.reading.declared:
        value = resolve(variable["id"])
        if not unresolved(value):
            name = names[variable["id"]]
            expected, shown_one = css_value(variable, value), found.get(name)
            same = expected if alike(expected, shown_one) else shown_one
            comparison.same("css value", f"{where} {name}", expected, same)


# Android


def compare_android(comparison: Comparison, folder: Path) -> None:
    """Every resource by default, by day and at night, references followed; what has no default value is nowhere."""
    reading = comparison.reading
    folders = {"values", "values-night", "values-notnight"}
    extra = {each.name for each in folder.iterdir()} - folders if folder.is_dir() else set()
    comparison.same("android folders", "android", set(), extra)
    values = read_values(folder / "values")
    usual = reading.resolver({})
    declared = [each for each in reading.declared if not unresolved(usual(each["id"]))]
    settled = reading.names("android")
    pairs = comparison.same_names("android", "values", sorted(settled[each["id"]] for each in declared), sorted(values))
    later = {pairs.get(settled[each["id"]], settled[each["id"]]): each for each in declared}
    for name, variable in later.items():
        if name in values:
            expected = android_value(variable, usual(variable["id"]), reading.whole(variable))
            comparison.same("android value", f"values {name}", expected, shown(name, values))
    for qualifier, choice in (("night", reading.night()), ("notnight", reading.day())):
        _compare_android_folder(comparison, folder / f"values-{qualifier}", choice, later, values)


def _compare_android_folder(comparison: Comparison, folder: Path, choice, names: dict[str, dict], values) -> None:
    """What a device shows that takes its resources from one folder before ``values``."""
    reading = comparison.reading
    found, resolve = read_values(folder), reading.resolver(choice)
    comparison.same("android names", folder.name, set(), set(found) - set(names))
    for name, variable in names.items():
        if unresolved(resolve(variable["id"])):
            comparison.same("android value", f"{folder.name} {name}", False, name in found)
        else:
            expected = android_value(variable, resolve(variable["id"]), reading.whole(variable))
            comparison.same("android value", f"{folder.name} {name}", expected, shown(name, found, values))
        if name in found and name in values:  # it is there because it is written otherwise
            comparison.same("android text", f"{folder.name} {name}", True, found[name] != values[name])


# iOS


def compare_ios(comparison: Comparison, folder: Path) -> None:
    """Every colorset in light and dark, and every Swift constant, references followed."""
    reading = comparison.reading
    files = {each.name for each in folder.iterdir()}
    comparison.same("ios files", "ios", {"Tokens.xcassets", "Tokens.swift"}, files)
    constants, colorsets = read_swift(folder / "Tokens.swift"), read_catalog(folder / "Tokens.xcassets")
    light = reading.resolver({})
    choices = {"dark": reading.night(), "light": reading.day(), **reading.contrast()}
    shown = {each: reading.resolver(choice) for each, choice in choices.items()}
    settled = reading.names("ios")
    declared = [each for each in reading.declared if not unresolved(light(each["id"]))]
    pairs = comparison.same_names("ios", "Tokens.swift", [settled[each["id"]] for each in declared], list(constants))
    colors = {pairs[settled[each["id"]]]: each for each in declared if kind(each) == "color"}
    comparison.same_names("ios colorset", "Tokens.xcassets", sorted(colors), sorted(colorsets))
    for variable in declared:
        name = pairs[settled[variable["id"]]]
        if name in constants:
            _compare_constant(comparison, variable, name, light(variable["id"]), followed(name, constants))
    for name in colors.keys() & colorsets.keys():
        variable = colors[name]
        looks = {each: resolve(variable["id"]) for each, resolve in shown.items()}
        _compare_colorset(comparison, name, light(variable["id"]), looks, colorsets[name])


def _compare_constant(comparison: Comparison, variable: dict, name: str, value: object, found) -> None:
    expected = swift_value(variable, value)
    if expected[0] == "Color":
        comparison.same("swift value", name, ("Color", name), (found.type, found.value))
        return
    if found.type == "Font.Weight":
        known = (kind(variable), WEIGHTS.get(value))
        comparison.same("swift weight", name, ("fontWeight", found.value), known)
        return
    inferred = found.type == "inferred"  # a reference without annotation has the type of what it refers to
    comparison.same("swift value", name, expected, (expected[0] if inferred else found.type, found.value))


def _compare_colorset(comparison: Comparison, name: str, light, looks, found: dict[str, tuple[float, ...]]) -> None:
    comparison.same("colorset light", name, _singles(light), _singles(found[""]))
    for each, color in looks.items():
        plainer = [found[one] for one in each.split() if one in found and one != each] or [found[""]]
        said = found.get(each)
        expected = _singles(light if unresolved(color) else color)
        comparison.same(f"colorset {each}", name, expected, _singles(said or plainer[0]))
        needless = said is not None and set(map(_singles, plainer)) == {_singles(said)}
        comparison.same("colorset entry that is needed", f"{name} {each}", False, needless)
    comparison.same("colorset entries", name, set(), set(found) - set(looks) - {""})


def _singles(components) -> tuple[float, ...]:
    return tuple(map(single, components))


def ambiguous_families(reading: Reading) -> list[dict]:
    """Families that have a mode with a word for dark, but no dark counterpart: each is a warning."""
    night = reading.night()
    return [each for each in reading.switching() if each["id"] not in night and has_dark_word(each)]
