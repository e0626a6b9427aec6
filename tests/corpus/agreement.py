"""Holds a build's outputs against the independent reading of the response: names, values, themes, order and counts."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from corpus.building import TOP
from corpus.oracle import Reading, has_dark_word, unresolved
from corpus.oracle_names import matches
from corpus.oracle_values import WEIGHTS, android_value, css_value, kind, single, swift_value
from corpus.read_android import read_values, shown
from corpus.read_css import DARK, ROOT, Sheet, alike, read_css, references
from corpus.read_ios import followed, read_catalog, read_swift


class Comparison:
    """What was compared, counted, and every disagreement in words."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.counts: Counter[str] = Counter()
        self.disagreements: list[str] = []

    def same(self, what: str, where: str, expected: object, actual: object) -> None:
        """Count one comparison; note it when the two are not equal."""
        self.counts[what] += 1
        if expected != actual:
            self.disagreements.append(f"{what}: {where}: expected {expected!r}, found {actual!r}")

    def same_names(self, what: str, where: str, expected: list[str], actual: list[str]) -> dict[str, str]:
        """Compare two lists of names in order; answers expected name -> found name."""
        self.same(f"{what} count", where, len(expected), len(actual))
        missing, extra = set(expected) - set(actual), set(actual) - set(expected)
        pairs = dict(zip(expected, actual, strict=False))
        cut = {each: pairs[each] for each in missing if each in pairs and matches(each, pairs[each])}
        missing -= set(cut)
        extra -= set(cut.values())
        if missing or extra:
            self.same(f"{what} names", where, sorted(missing)[:10], sorted(extra)[:10])
        else:
            order = [cut.get(each, each) for each in expected]
            moved = [each for each, there in zip(order, actual, strict=False) if each != there]
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
    """Compare selectors, names, and computed values on root and nested elements, in every theme, day and night."""
    reading = comparison.reading
    comparison.same("css files", "css", ["tokens.css"], [each.name for each in folder.iterdir()])
    blocks = read_css(folder / "tokens.css")
    families = [each for each in reading.switching() if reading.redeclared(each)]
    known = {
        pair
        for each in reading.switching()
        for at in range(len(each["modes"]))
        for pair in attributes(reading, each, at)
    }
    known |= {(name, root) for name, root in _root_brands(reading)}
    chosen = {each.selector for each in blocks if each.selector not in (None, ROOT)}
    comparison.same("css selectors", "tokens.css", set(), chosen - known)
    comparison.counts["css var()"] += sum(references(each) for each in blocks)
    default = reading.resolver({})
    names = _css_names(comparison, Sheet(blocks).computed([ROOT]), default)
    for holding, usual in (((), {}), ((DARK,), reading.night())):
        sheet = Sheet(blocks, holding)
        _css_values(comparison, f":root {holding}", sheet.computed([ROOT]), names, reading.resolver(usual))
        for family in families:
            _compare_family(comparison, sheet, family, names, usual)


def attributes(reading: Reading, family: dict, mode: int) -> list[tuple[str, str]]:
    """The attributes and values that put an element into a mode: that of the root's mode, and that of the brand."""
    handle, modes = family["handle"], family["modes"]
    brand = modes[mode]["in"]["id"]
    root = mode
    while modes[root]["parent"] is not None:
        root = modes[root]["parent"]
    actual = [(f"data-{handle}", modes[root]["context"])] if family["root_modes"] > 1 else []
    if reading.extensions(family):
        actual.append((_brand_attribute(reading, family), reading.handle(brand)))
    return actual


def _brand_attribute(reading: Reading, family: dict) -> str:
    branded = [each["handle"] for each in reading.switching() if reading.extensions(each)]
    several = len(branded) > 1 or "brand" in {each["handle"] for each in reading.switching()}
    return f"data-{family['handle']}-brand" if several else "data-brand"


def _root_brands(reading: Reading) -> list[tuple[str, str]]:
    """The attributes that choose no brand."""
    branded = [each for each in reading.switching() if reading.extensions(each)]
    return [(_brand_attribute(reading, each), each["handle"]) for each in branded]


def _compare_family(comparison, sheet, family, names, usual) -> None:
    reading = comparison.reading
    modes = range(len(family["modes"]))
    for at in modes:
        own = attributes(reading, family, at)
        where = f"{own} {'at night' if usual else ''}"
        resolve = reading.resolver({**usual, family["id"]: at})
        outer = attributes(reading, family, (at + 1) % len(modes))  # an element inside one of another mode
        _css_values(comparison, f"html{where}", sheet.computed([ROOT, *own]), names, resolve)
        _css_values(comparison, f":root > {where}", sheet.computed([ROOT], own), names, resolve)
        _css_values(comparison, f"{outer} > {where}", sheet.computed([ROOT], outer, own), names, resolve)


def _css_names(comparison: Comparison, shown: Mapping[str, tuple], resolve) -> dict[str, str]:
    """Compare the names of what the root shows; answers the name found for each variable of the response, by id."""
    reading = comparison.reading
    resolved_names = reading.names("css")
    wanted = [f"--{resolved_names[each['id']]}" for each in reading.declared if not unresolved(resolve(each["id"]))]
    rank = {name: at for at, name in enumerate(wanted)}
    pairs = comparison.same_names("css", ":root", wanted, sorted(shown, key=lambda each: rank.get(each, len(rank))))
    return {each: pairs.get(f"--{name}", f"--{name}") for each, name in resolved_names.items()}


def _css_values(
    comparison: Comparison, where: str, actual: Mapping[str, tuple], names: dict[str, str], resolve
) -> None:
    for variable in comparison.reading.declared:
        value = resolve(variable["id"])
        if not unresolved(value):
            name = names[variable["id"]]
            expected, shown_one = css_value(variable, value), actual.get(name)
            same = expected if alike(expected, shown_one) else shown_one
            comparison.same("css value", f"{where} {name}", expected, same)


# Android


def compare_android(comparison: Comparison, folder: Path) -> None:
    """Compare every resource by default, by day and at night; those without a value in one of these must be absent."""
    reading = comparison.reading
    folders = {"values", "values-night", "values-notnight"}
    extra = {each.name for each in folder.iterdir()} - folders if folder.is_dir() else set()
    comparison.same("android folders", "android", set(), extra)
    values = read_values(folder / "values")
    usual = reading.resolver({})
    looks = [usual, reading.resolver(reading.night()), reading.resolver(reading.day())]
    declared = [each for each in reading.declared if not any(unresolved(look(each["id"])) for look in looks)]
    resolved_names = reading.names("android")
    pairs = comparison.same_names(
        "android", "values", sorted(resolved_names[each["id"]] for each in declared), sorted(values)
    )
    later = {pairs.get(resolved_names[each["id"]], resolved_names[each["id"]]): each for each in declared}
    for name, variable in later.items():
        if name in values:
            expected = android_value(variable, usual(variable["id"]), reading.whole(variable))
            comparison.same("android value", f"values {name}", expected, shown(name, values))
    for qualifier, choice in (("night", reading.night()), ("notnight", reading.day())):
        _compare_android_folder(comparison, folder / f"values-{qualifier}", choice, later, values)


def _compare_android_folder(comparison: Comparison, folder: Path, choice, names: dict[str, dict], values) -> None:
    """Compare the resources of a device that prefers one folder to ``values``."""
    reading = comparison.reading
    actual, resolve = read_values(folder), reading.resolver(choice)
    comparison.same("android names", folder.name, set(), set(actual) - set(names))
    for name, variable in names.items():
        expected = android_value(variable, resolve(variable["id"]), reading.whole(variable))
        comparison.same("android value", f"{folder.name} {name}", expected, shown(name, actual, values))
        if name in actual and name in values:  # it is there because it is written otherwise
            comparison.same("android text", f"{folder.name} {name}", True, actual[name] != values[name])


# iOS


def compare_ios(comparison: Comparison, folder: Path) -> None:
    """Compare every colorset in light and dark, and every Swift constant, with references resolved."""
    reading = comparison.reading
    files = {each.name for each in folder.iterdir()}
    constants, colorsets = read_swift(folder / "Tokens.swift"), read_catalog(folder / "Tokens.xcassets")
    light = reading.resolver({})
    choices = {"dark": reading.night(), "light": reading.day(), **reading.contrast()}
    shown = {each: reading.resolver(choice) for each, choice in choices.items()}
    resolved_names = reading.names("ios")
    looks = [light, *shown.values()]
    declared = [
        each
        for each in reading.declared
        if not any(unresolved(look(each["id"])) for look in (looks if kind(each) == "color" else looks[:1]))
    ]
    pairs = comparison.same_names(
        "ios", "Tokens.swift", [resolved_names[each["id"]] for each in declared], list(constants)
    )
    colors = {pairs[resolved_names[each["id"]]]: each for each in declared if kind(each) == "color"}
    members = {"Color+Tokens.swift"} if colors else set()
    comparison.same("ios files", "ios", {"Tokens.xcassets", "Tokens.swift", *members}, files)
    comparison.same_names("ios colorset", "Tokens.xcassets", sorted(colors), sorted(colorsets))
    for variable in declared:
        name = pairs[resolved_names[variable["id"]]]
        if name in constants:
            _compare_constant(comparison, variable, name, light(variable["id"]), followed(name, constants))
    for name in colors.keys() & colorsets.keys():
        variable = colors[name]
        looks = {each: resolve(variable["id"]) for each, resolve in shown.items()}
        _compare_colorset(comparison, name, light(variable["id"]), looks, colorsets[name])


def _compare_constant(comparison: Comparison, variable: dict, name: str, value: object, actual) -> None:
    expected = swift_value(variable, value)
    if expected[0] == "Color":
        comparison.same("swift value", name, ("Color", name), (actual.type, actual.value))
        return
    if actual.type == "Font.Weight":
        known = (kind(variable), WEIGHTS.get(value))
        comparison.same("swift weight", name, ("fontWeight", actual.value), known)
        return
    inferred = actual.type == "inferred"  # a reference without annotation has the type of what it refers to
    comparison.same("swift value", name, expected, (expected[0] if inferred else actual.type, actual.value))


def _compare_colorset(comparison: Comparison, name: str, light, looks, actual: dict[str, tuple[float, ...]]) -> None:
    comparison.same("colorset light", name, _singles(light), _singles(actual[""]))
    for each, color in looks.items():
        plainer = [actual[one] for one in each.split() if one in actual and one != each] or [actual[""]]
        declared = actual.get(each)
        comparison.same(f"colorset {each}", name, _singles(color), _singles(declared or plainer[0]))
        needless = declared is not None and set(map(_singles, plainer)) == {_singles(declared)}
        comparison.same("colorset entry that is needed", f"{name} {each}", False, needless)
    comparison.same("colorset entries", name, set(), set(actual) - set(looks) - {""})


def _singles(components) -> tuple[float, ...]:
    return tuple(map(single, components))


def ambiguous_families(reading: Reading) -> list[dict]:
    """Families that have a mode with a word for dark, but no dark counterpart: each is a warning."""
    night = reading.night()
    return [each for each in reading.switching() if each["id"] not in night and has_dark_word(each)]
