"""A reader of generated Android resources: lxml for the XML, aapt's rules for the text of a string."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from lxml import etree

FILES = {
    "colors.xml": {"color"},
    "dimens.xml": {"dimen"},
    "strings.xml": {"string"},
    "bools.xml": {"bool"},
    "integers.xml": {"integer"},
    "numbers.xml": {"float"},
    "text_appearances.xml": {"style"},
}
_REFERENCE = re.compile(r"@(color|dimen|string|bool|integer)/([A-Za-z_][A-Za-z0-9_]*)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ESCAPES = {"n": "\n", "t": "\t"}


class Resource(NamedTuple):
    """A resource as written: its type (``float`` for an item of type dimen and format float) and its raw text."""

    type: str
    text: str


def read_values(folder: Path) -> dict[str, Resource]:
    """Every resource of a values folder by name, in order. None may be there twice, and no other file."""
    resources: dict[str, Resource] = {}
    if not folder.is_dir():
        return resources
    assert {each.name for each in folder.iterdir()} <= set(FILES), sorted(folder.iterdir())
    for name, types in FILES.items():
        if not (folder / name).exists():
            continue
        root = etree.fromstring((folder / name).read_bytes())
        assert root.tag == "resources"
        assert root.getparent() is None
        elements = [each for each in root if isinstance(each.tag, str)]
        assert elements, f"{name} holds nothing"
        for each in elements:
            resource = _resource(each)
            assert resource.type in types, f"{resource} in {name}"
            name_of = each.get("name").removeprefix("TextAppearance." if resource.type == "style" else "")
            assert _NAME.fullmatch(name_of), each.get("name")
            assert each.get("name") not in resources, f"{each.get('name')} twice"
            resources[each.get("name")] = resource
    return resources


def _resource(element) -> Resource:
    if element.tag == "style":
        assert element.get("parent") == ""
        items = {each.get("name"): each.text for each in element}
        assert len(items) == len(element)
        return Resource("style", "; ".join(f"{name}: {text}" for name, text in items.items()))
    assert len(element) == 0, f"{element.get('name')} holds elements"
    attributes = dict(element.attrib)
    attributes.pop("name")
    if element.tag == "item":
        assert attributes == {"type": "dimen", "format": "float"}, attributes
        return Resource("float", element.text or "")
    if element.tag == "string":
        assert attributes.pop("translatable", "false") == "false"
        assert attributes.pop("formatted", "false") == "false"
    assert not attributes, attributes
    return Resource(element.tag, element.text or "")


def shown(name: str, *configurations: Mapping[str, Resource]) -> tuple[str, str]:
    """(type, text) that Android shows: the first configuration that has the name, references followed."""
    seen = set()
    while True:
        assert name not in seen, f"@{name} refers to itself"
        seen.add(name)
        resource = next((each[name] for each in configurations if name in each), None)
        assert resource is not None, f"{name} refers to nothing"
        reference = _REFERENCE.fullmatch(resource.text.strip())
        if reference is None:
            return (resource.type, string(resource.text) if resource.type == "string" else resource.text)
        target = next((each[reference[2]] for each in configurations if reference[2] in each), None)
        assert target is not None, f"{name}: {resource.text}"
        assert target.type == resource.type, f"{name}: {resource.text}"
        assert reference[1] == {"float": "dimen"}.get(target.type, target.type), f"{name}: {resource.text}"
        name = reference[2]


def string(raw: str) -> str:
    """The text of a string resource: quotes keep space, other space collapses, a backslash escapes."""
    text, quoted, at, space = "", False, 0, False
    assert not raw.strip().startswith(("@", "?")), f"{raw!r} is a reference"
    while at < len(raw):
        sign = raw[at]
        if sign in " \n\t\r" and not quoted:
            space = True
            at += 1
            continue
        if space and text:
            text += " "
        space = False
        if sign == '"':
            quoted = not quoted
        elif sign == "\\":
            at += 1
            if raw[at] == "u":
                text += chr(int(raw[at + 1 : at + 5], 16))
                at += 4
            else:
                text += _ESCAPES.get(raw[at], raw[at])
        else:
            assert sign != "'" or quoted, f"a bare apostrophe in {raw!r}"
            text += sign
        at += 1
    assert not quoted, f"an open quote in {raw!r}"
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
