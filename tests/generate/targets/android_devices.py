"""A second opinion on Android: which folder a device takes a resource from, and what it shows then.

Written from the documentation's steps ("How Android finds the best-matching resource"): folders that contradict the
device go first; then, from the weightiest qualifier on, those without it go whenever one that is left has it.
"""

import re
from itertools import product

from lxml import etree

TABLE = ("locale", "direction", "sw", "w", "size", "orientation", "mode", "night", "version")
"""The kinds of qualifiers that tests use, most significant first."""

_WORDS = {
    **dict.fromkeys(("ldrtl", "ldltr"), "direction"),
    **dict.fromkeys(("small", "normal", "large", "xlarge"), "size"),
    **dict.fromkeys(("port", "land"), "orientation"),
    **dict.fromkeys(("car", "watch"), "mode"),
    **dict.fromkeys(("night", "notnight"), "night"),
}
_SIZES = ("small", "normal", "large", "xlarge")


def parsed(text):
    """Return qualifiers as {kind: value}: a number for minimum sizes, else the word; a locale is (language, region)."""
    resources = {}
    for piece in re.findall(r"[a-z]{2}-r[A-Z]{2}|[^-]+", text):
        if piece in _WORDS:
            resources[_WORDS[piece]] = _SIZES.index(piece) if piece in _SIZES else piece
        elif match := re.fullmatch(r"(sw|w|v)(\d+)(?:dp)?", piece):
            resources[{"v": "version"}.get(match[1], match[1])] = int(match[2])
        else:
            language, _, region = piece.partition("-r")
            resources["locale"] = (language, region)
    return resources


def chosen(folders, device):
    """Return the qualifiers of the folder that the device uses, as text; None when no folder matches."""
    left = {each: parsed(each) for each in folders if not _contradicts(parsed(each), device)}
    for kind in TABLE:
        having = {text: qualifiers for text, qualifiers in left.items() if kind in qualifiers}
        if kind == "size" and not (
            having and device["size"] >= 1 and all(each["size"] == 0 for each in having.values())
        ):
            pass
        elif kind == "size":
            left = {text: qualifiers for text, qualifiers in left.items() if kind not in qualifiers} or left
            continue
        if having:
            best = max(_rank(qualifiers[kind]) for qualifiers in having.values())
            left = {text: qualifiers for text, qualifiers in having.items() if _rank(qualifiers[kind]) == best}
    return next(iter(left), None)


def _contradicts(qualifiers, device):
    for kind, value in qualifiers.items():
        device_value = device.get(kind)
        if kind in ("sw", "w", "size", "version"):
            if device_value is None or value > device_value:
                return True
        elif kind == "locale":
            if device_value is None or value[0] != device_value[0] or value[1] not in ("", device_value[1]):
                return True
        elif value != device_value:
            return True
    return False


def _rank(value):
    return (len(value[1]) if isinstance(value, tuple) else value if isinstance(value, int) else 0,)


def devices(qualifiers):
    """Return all devices that these qualifiers distinguish: each of their values, and one value that is in none."""
    values = {}
    for text in qualifiers:
        for kind, value in parsed(text).items():
            values.setdefault(kind, {})[value] = None
    for kind, several in values.items():
        if kind == "night":
            several.update({"night": None, "notnight": None})
        elif kind == "size":
            several.update(dict.fromkeys(range(4)))
        elif kind == "locale":
            several.update({(language, "XX"): None for language, _ in list(several)})
            several[None] = None
        else:
            several[0 if kind in ("sw", "w", "version") else None] = None
    for combination in product(*values.values()):
        yield dict(zip(values, combination, strict=True))


def read_folders(files):
    """{qualifiers: {name: text}} of generated files by path; styles as {qualifiers: {name: (parent, {attr: text})}}."""
    values, styles = {}, {}
    for path, content in files:
        folder = path.split("/")[-2].removeprefix("values").removeprefix("-")
        for element in etree.fromstring(content):
            if not isinstance(element.tag, str) or element.tag == "attr":
                continue
            if element.tag == "style":
                items = {each.get("name"): each.text or "" for each in element}
                styles.setdefault(folder, {})[element.get("name")] = (element.get("parent"), items)
            else:
                own = values.setdefault(folder, {})
                assert element.get("name") not in own
                own[element.get("name")] = element.text or ""
    return values, styles


def shown(name, values, device, attributes=None):
    """Return the literal of a resource (``@color/x``) or an attribute on a device, or None; the app has the fonts."""
    seen = set()
    text = name
    while (match := re.fullmatch(r"@(?!font/)\w+/(\w+)|\?attr/(\w+)", text)) is not None:
        assert text not in seen, f"{text} leads to itself"
        seen.add(text)
        if match[2]:
            text = attributes.get(match[2], "")
            continue
        folder = chosen([each for each, texts in values.items() if match[1] in texts], device)
        if folder is None:
            return None
        text = values[folder][match[1]]
    return text


def attributes_of(stack, styles, device):
    """Return the attributes under styles that are applied in order, including inherited items."""
    resources = {}
    for applied in stack:
        chain, name = [], applied
        while name and ":" not in name and "Material3" not in name:  # libraries say nothing of our attributes
            folder = chosen([each for each, named in styles.items() if name in named], device)
            name, items = styles[folder][name]
            chain.append(items)
        for items in reversed(chain):
            resources |= items
    return resources


def merged(layers):
    """Merge like Gradle: the last resource with a name in a folder takes precedence."""
    values = {}
    for layer in layers:
        for folder, texts in layer.items():
            values.setdefault(folder, {}).update(texts)
    return values


def unshown(output):
    """The references, of resources and of styles, that lead to nothing in a folder of generated resources.

    Source sets stand over the main one.
    """
    files = [(path.relative_to(output).as_posix(), path.read_bytes()) for path in sorted(output.rglob("*.xml"))]
    sets = {}
    for path, content in files:
        sets.setdefault(path.rpartition("/")[0].rpartition("/")[0], []).append((path, content))
    main = read_folders(sets.get("main/res", sets.get("", [])))[0]
    problems = []
    for several in sets.values():
        values, styles = read_folders(several)
        under = merged([main, values])
        for folder, texts in {**values, "": values.get("", {})}.items():
            device = {"size": 1, **parsed(folder)}
            problems += [name for name in texts if shown(f"@color/{name}", under, device) is None]
            for stack in styles.get(folder, ()):
                attributes = attributes_of([stack], styles, device)
                problems += [
                    f"{stack}: {name}"
                    for name, text in attributes.items()
                    if shown(text, under, device, attributes) is None
                ]
    return problems
