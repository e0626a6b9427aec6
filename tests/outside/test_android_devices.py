"""aapt2 links the resources of every graph; devices, brands and source sets show in them what the graph resolves."""

import re
from functools import cache
from itertools import combinations, islice

import pytest
from generate.targets.android_devices import chosen, parsed
from generate.targets.cases import CASES, golden
from generate.targets.cases_android import NO_DEFAULT_THEMES, no_default
from outside.android_resources import read
from outside.expected import kind_of, value_of
from outside.graphs import Subject
from outside.test_android_in_aapt2 import shows

from tokensync.generate.naming import names_for
from tokensync.generate.targets import naming_of
from tokensync.generate.themes import Appearance, counterparts
from tokensync.project.configuration import typed_options
from tokensync.tokens import DEFAULT_THEME, Theme

pytestmark = pytest.mark.outside

POOLS = (("sw600dp", "sw840dp", "land"), ("de", "de-rAT"), ("ldrtl",), ("watch",), ("w500dp",))
"""The qualifiers that each collection's modes get in turn, as far as they go."""

MANY = 12
"""Two brands at once are looked at for so many pairs a graph."""


class Brand:
    """What a brand shows: a mode, and the one that it shows at night."""

    def __init__(self, family, name, mode, night=None):
        self.family, self.name, self.mode = family, name, mode
        self.night = mode if night is None else night

    def modes(self, device):
        return {self.family.key: self.night if device.get("night") == "night" else self.mode}


class Graph:
    """A graph with what each family shows by qualifiers, and in brands; tokens without a default have no resource."""

    def __init__(self, subject):
        self.subject = subject
        graph = subject.graph
        self.families = [each for each in graph.collections.values() if each.origin == "local" and len(each.modes) > 1]
        local = [each for each in graph.tokens.values() if each.origin == "local"]
        names, _ = names_for(graph, local, naming_of("android"))
        self.tokens = [(names[each.key], kind_of(each), each.key) for each in local]
        self.tokens = [each for each in self.tokens if each[1] not in ("", "duration")]
        usual = subject.resolver(DEFAULT_THEME)
        self.tokens = [each for each in self.tokens if value_of(each[1], usual(each[2])) is not None]
        self.system = {each.key: system_modes(each) for each in self.families}
        self.qualified = {each.key: dict(self.system[each.key]) for each in self.families}

    @cache  # noqa: B019 - as long as the test
    def lacks_a_value(self, kind, key):
        """Return whether a token has no value in a mode, or in two modes of different collections."""
        collections = self.subject.graph.collections
        modes = [(family, mode) for family, each in collections.items() for mode in range(len(each.modes))]
        themes = [(mode,) for mode in modes] + [pair for pair in combinations(modes, 2) if pair[0][0] != pair[1][0]]
        return any(value_of(kind, self.subject.resolver(Theme("", theme))(key)) is None for theme in themes)

    def qualify(self):
        """Give modes that the system does not show qualifiers; the options that say so."""
        themes = {}
        for family, pool in zip(self.families, POOLS * 9, strict=False):
            free = [
                at
                for at in range(len(family.modes))
                if at not in (family.default_mode, *self.system[family.key].values())
            ]
            for text, mode in zip(pool, free, strict=False):
                self.qualified[family.key][text] = mode
                themes[f"{family.handle}/{family.modes[mode].context}"] = {"qualifier": text}
        return themes

    def theme(self, device, *brands):
        modes = {}
        for family in self.families:
            qualifiers = {"": family.default_mode, **self.qualified[family.key]}
            modes[family.key] = qualifiers[choice(tuple(qualifiers), frozen(device))]
        for brand in brands:
            modes |= brand.modes(device)
        return Theme("", tuple(modes.items()))

    def devices(self):
        """Each qualifier in use, and each two that a device can have at once, by day and at night."""
        qualifiers = sorted({text for several in self.qualified.values() for text in several} - {"night", "notnight"})
        for several in ([], *([each] for each in qualifiers), *map(list, combinations(qualifiers, 2))):
            together = {}
            for text in several:
                for kind, value in parsed(text).items():
                    known = together.get(kind)
                    together[kind] = value if known is None or (kind == "locale" and value[1]) else max(known, value)
            for night in ("notnight", "night"):
                yield {**together, "night": night}

    def brands(self):
        """The brands: extensions and more contrast, which follow the system's night, then the modes that are left."""
        for family in self.families:
            actual = counterparts(family)
            shown = {family.default_mode, *self.qualified[family.key].values()}
            contexts = [mode.context for mode in family.modes]
            for extension in family.extensions:
                own = counterparts(family, extension.handle)
                if own and extension.handle not in contexts:
                    brand = Brand(family, extension.handle, extension.default_mode, own.get(Appearance("dark", "")))
                    shown |= {brand.mode, brand.night}
                    yield brand
            more = actual.get(Appearance("", "more"))
            if more is not None and more not in shown:
                brand = Brand(family, contexts[more], more, actual.get(Appearance("dark", "more")))
                shown |= {brand.mode, brand.night}
                yield brand
            for mode, context in enumerate(contexts):
                if mode not in shown:
                    yield Brand(family, context, mode)


def system_modes(family):
    actual = counterparts(family)
    schemes = {"night": actual.get(Appearance("dark", "")), "notnight": actual.get(Appearance("light", ""))}
    return {text: mode for text, mode in schemes.items() if mode is not None}


def frozen(device):
    return tuple(sorted(device.items()))


@cache
def choice(folders, device):
    return chosen(folders, {"size": 1, **dict(device)})


def text_of(name, linked, device, attributes):
    """What aapt2 shows for a resource or an attribute where the device looks it up, references followed."""
    text = name
    for _ in range(200):
        match = re.fullmatch(r"@(\w+/\w+)|\?attr/(\w+)", text or "")
        if match is None:
            return text
        if match[2]:
            text = attributes.get(match[2])
        else:
            values = linked.get(match[1], {})
            folder = choice(tuple(values), frozen(device))
            text = None if folder is None else values[folder]
    raise AssertionError(f"{name} is in a cycle")


def attributes_of(stack, linked, device):
    """What the attributes are under styles, one after the other, with what they inherit."""
    actual = {}
    for applied in stack:
        chain, name = [], applied
        while name:
            values = linked[f"style/{name}"]
            head, *items = re.split(r"\n  (?=\w+\(0x[0-9a-f]{8}\)=)", values[choice(tuple(values), frozen(device))])
            pairs = (re.fullmatch(r"(\w+)\(0x[0-9a-f]{8}\)=(.*)", each, re.DOTALL).groups() for each in items)
            chain.append({name: text.replace("\n  ", "\n") for name, text in pairs})  # lines stand deeper in an item
            parent = re.search(r"parent=style/(\S+)", head)
            name = parent[1] if parent else ""
        for items in reversed(chain):
            actual |= items
    return actual


def compare(compared_subject, linked, device, theme, attributes, context):
    """(number compared, differences): through attributes where there are any."""
    keys = {key.partition("/")[2]: key for key in linked if not key.startswith(("attr/", "style/"))}
    resolve = compared_subject.subject.resolver(theme)
    compared, differences = 0, []
    for name, kind, key in compared_subject.tokens:
        value = value_of(kind, resolve(key))
        if value is None:
            continue
        if name not in keys and compared_subject.lacks_a_value(kind, key):
            continue  # a device of another mode would show this one's value
        compared += 1
        start = f"?attr/{name}" if name in attributes else f"@{keys.get(name, name)}"
        actual = text_of(start, linked, device, attributes)
        if actual is None or not shows(kind, value, actual):
            differences.append(f"{context} {name}: expected {value}, found {actual}")
    return compared, differences


def test_each_device(subject, tmp_path, aapt2, counted):
    compared_subject = Graph(subject)
    themes = compared_subject.qualify()
    linked = aapt2(subject.write("android", tmp_path, typed_options("android", {"themes": themes})))
    total, wrong = 0, []
    for device in compared_subject.devices():
        compared, differences = compare(compared_subject, linked, device, compared_subject.theme(device), {}, device)
        total, wrong = total + compared, wrong + differences
    counted("android", "resources on devices of every qualifier and each two", subject.name, total, wrong)


def styles_of(compared_subject, brands):
    """The styles to apply: the first of each collection, the brands', and that of two of them at once."""
    of_family = {each.family.key: each for each in brands}
    ordered = [each for each in compared_subject.families if each.key in of_family]
    stack = [f"ThemeOverlay.{pascal(each.handle)}" for each in compared_subject.families]
    stack += [f"ThemeOverlay.{pascal(each.key[1])}.{pascal(of_family[each.key].name)}" for each in ordered]
    for one, other in combinations(compared_subject.families, 2):
        pieces = []
        for each in (one, other):
            pieces.append(pascal(each.handle))
            pieces += [pascal(of_family[each.key].name)] if each.key in of_family else []
        stack.append(".".join(("ThemeOverlay", *pieces)))
    return stack


def pascal(text):
    return "".join(each[:1].upper() + each[1:] for each in naming_of("android").words(text))


def choices_of(compared_subject):
    brands = list(compared_subject.brands())
    yield ()
    yield from ((each,) for each in brands)
    pairs = [pair for pair in combinations(brands, 2) if pair[0].family is not pair[1].family]
    yield from islice(pairs[:: max(1, len(pairs) // MANY)], MANY)


def test_each_brand_through_attributes(subject, tmp_path, aapt2, counted):
    compared_subject = Graph(subject)
    linked = aapt2(subject.write("android", tmp_path, typed_options("android", {"brands": "styles"})))
    total, wrong = 0, []
    for brands in choices_of(compared_subject):
        stack = [each for each in styles_of(compared_subject, brands) if f"style/{each}" in linked]
        for device in ({"night": "notnight"}, {"night": "night"}):
            attributes = attributes_of(stack, linked, device)
            context = (*(each.name for each in brands), device["night"])
            compared, differences = compare(
                compared_subject, linked, device, compared_subject.theme(device, *brands), attributes, context
            )
            total, wrong = total + compared, wrong + differences
    counted("android", "attributes in each brand, alone and with another", subject.name, total, wrong)


def test_each_source_set(subject, tmp_path, aapt2, counted):
    compared_subject = Graph(subject)
    subject.write("android", tmp_path, typed_options("android", {"brands": "source-sets"}))
    sets = sorted(each.name for each in tmp_path.iterdir())
    total, wrong = 0, []
    for brands in islice(choices_of(compared_subject), 2 * MANY):
        if len(brands) == 2 and len({each.name for each in compared_subject.brands()}) < len(
            list(compared_subject.brands())
        ):
            continue  # other tests cover brands with the same name in two collections
        named = [(camel(each.name), camel(f"{each.family.handle} {each.name}")) for each in brands]
        names = [each for choices in named for each in choices if each in sets]
        both = [f"{names[0]}{names[1][0].upper()}{names[1][1:]}"] if len(names) == 2 else []
        layers = ["main", *reversed(names), *(each for each in both if each in sets)]
        linked = aapt2(*(tmp_path / each / "res" for each in layers))
        for device in ({"night": "notnight"}, {"night": "night"}):
            context = (*layers, device["night"])
            compared, differences = compare(
                compared_subject, linked, device, compared_subject.theme(device, *brands), {}, context
            )
            total, wrong = total + compared, wrong + differences
    counted("android", "resources in source sets, alone and with another", subject.name, total, wrong)


def camel(text):
    return pascal(text)[:1].lower() + pascal(text)[1:]


def without_default(linked, *folders):
    """The resources of these folders that some device finds nothing for, and attributes that no first style has.

    aapt2 itself takes away what differs by language alone: so what is written is looked up in what it links.
    """
    written = {"/".join(key) for each in folders for values in read(each).values() for key in values}
    resources = written | {key for key in linked if not key.startswith("attr/")}
    actual = [key for key in sorted(resources) if "" not in linked.get(key, {})]
    first = [key.partition("/")[2] for key in linked if re.fullmatch(r"style/ThemeOverlay\.\w+", key)]
    attributes = attributes_of(first, linked, {"night": "notnight"})
    actual += [key for key in linked if key.startswith("attr/") and key.partition("/")[2] not in attributes]
    return len(resources), actual


def outputs_of(subject, themes, folder):
    """Each way to write the resources of a graph, and the folders of resources that an app has at once."""
    for brands in ("none", "styles", "source-sets"):
        subject.write("android", folder / brands, typed_options("android", {"themes": themes, "brands": brands}))
    yield [folder / "none"]
    yield [folder / "styles"]
    main = folder / "source-sets" / "main" / "res"
    yield [main]
    yield from ([main, each] for each in sorted(folder.glob("source-sets/*/res")) if each != main)


def test_each_resource_has_a_value_for_every_device(subject, tmp_path, aapt2, counted):
    """By qualifiers, with brands as styles and as source sets: Android lint refuses what has no default value."""
    compared, differences = 0, []
    for folders in outputs_of(subject, Graph(subject).qualify(), tmp_path):
        count, actual = without_default(aapt2(*folders), *folders)
        context = folders[-1].relative_to(tmp_path).as_posix()
        compared, differences = compared + count, [*differences, *(f"{context} {each}" for each in actual)]
    counted("android", "resources with a value for every device, in each split", subject.name, compared, differences)


@pytest.mark.parametrize(
    ("resources", "actual"),
    [
        ({"values-night": '<color name="a">#000</color>'}, ["color/a"]),
        ({"values-de": '<string name="a">a</string>'}, ["string/a"]),
        ({"values": '<attr name="a" format="color"/><style name="ThemeOverlay.B" parent=""/>'}, ["attr/a"]),
        ({"values": '<color name="a">#000</color>', "values-night": '<color name="a">#fff</color>'}, []),
    ],
)
def test_a_resource_without_a_value_for_every_device_is_found(resources, actual, tmp_path, aapt2):
    for folder, body in resources.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "all.xml").write_text(f"<resources>{body}</resources>", encoding="utf-8")
    assert without_default(aapt2(tmp_path), tmp_path)[1] == actual


def test_a_token_without_a_default_value_has_no_resource(tmp_path, aapt2):
    """A file whose default mode leads to a library that is not there, as real ones do."""
    compared_subject = Subject("own", no_default())
    for folders in outputs_of(compared_subject, NO_DEFAULT_THEMES, tmp_path):
        linked = aapt2(*folders)
        assert without_default(linked, *folders)[1] == []
        names = {key.partition("/")[2] for key in linked if not key.startswith(("attr/", "style/ThemeOverlay"))}
        # Brand B has no border: an output with brands omits it.
        assert names - {"border"} == {"text", "gap", "welcome", "TextAppearance.Body"}


@pytest.mark.parametrize("name", [each for each in CASES if re.match("android/(?!material)", each)])
def test_each_golden_case_links(name, aapt2, tmp_path):
    """Each brand's source set over the main one; a cycle or a missing style would be refused.

    Themes of Material need its attributes: see test_android_material.
    """
    folder = golden(name)
    if name == "android/fonts":
        aapt2(folder, app_with_fonts(tmp_path, folder))
        return
    if (folder / "main").is_dir():
        for each in folder.glob("*/res"):
            aapt2(folder / "main" / "res", *({each} - {folder / "main" / "res"}))
    elif any(folder.glob("values*")):
        aapt2(folder)


def app_with_fonts(app, folder):
    """The resources that text styles with fonts need: the font files, and an attribute of Material Components."""
    (app / "font").mkdir()
    for name in re.findall("@font/(\\w+)", (folder / "values" / "text_appearances.xml").read_text(encoding="utf-8")):
        (app / "font" / f"{name}.ttf").write_bytes(b"font")
    (app / "values").mkdir()
    attributes = '<resources><attr name="lineHeight" format="dimension"/></resources>'
    (app / "values" / "attrs.xml").write_text(attributes, encoding="utf-8")
    return app
