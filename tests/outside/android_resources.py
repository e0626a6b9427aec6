"""Android resources as written, and the faults in them that aapt2 lets pass."""

import re
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from lxml import etree

REFERENCE = re.compile(r"@(\w+)/(\w+)")
_DIMENSION = re.compile(r"(-?\d+(?:\.\d+)?)(dp|sp|px|pt|in|mm)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class Resource(NamedTuple):
    """An element of a values file: its text, and the format of an ``<item>`` (else empty)."""

    text: str
    format: str = ""


Values = dict[tuple[str, str], Resource]
"""Resources of one folder by (type, name)."""


def read(folder: Path) -> dict[str, Values]:
    """The simple resources of each ``values`` folder by its qualifiers (``""``, ``night``, ``sw600dp-night``)."""
    return {each.name.removeprefix("values").lstrip("-"): values_in(each) for each in sorted(folder.glob("values*"))}


def values_in(folder: Path) -> Values:
    """Those of one folder. Elements that hold others (styles, arrays) and attributes are no values of a token."""
    values: Values = {}
    for path in sorted(folder.glob("*.xml")):
        for element in etree.fromstring(path.read_bytes()):
            if isinstance(element.tag, str) and element.tag not in ("attr", "style", "declare-styleable"):
                kind = element.get("type") if element.tag == "item" else element.tag
                key = (kind, element.get("name"))
                assert key not in values, f"{path.name}: {key} twice"
                values[key] = Resource(element.text or "", element.get("format", ""))
    return values


def shown(key: tuple[str, str], *folders: Values) -> tuple[tuple[str, str], Resource]:
    """The resource that a device shows which prefers the first folder; references are followed."""
    for _ in range(10_000):
        resource = next(each[key] for each in folders if key in each)
        reference = REFERENCE.fullmatch(resource.text)
        if reference is None:
            return key, resource
        key = (reference[1], reference[2])
    raise AssertionError(f"{key} is in a cycle")


def number(text: str) -> tuple | None:
    """A written dimension or number in the words of outside/expected.py; its unit is Android's."""
    if match := _DIMENSION.fullmatch(text):
        return ("number", Decimal(match[1]), match[2])
    return ("number", Decimal(text), "") if _NUMBER.fullmatch(text) else None


def faults(folder: Path) -> list[str]:
    """Return faults that only devices refuse: cycles, references to another type, dimensions without a unit."""
    everything = read(folder)
    default = everything.get("", {})
    problems = []
    for qualifier, values in everything.items():
        folders = (values, default)
        for key, resource in values.items():
            where = f"values-{qualifier} {'/'.join(key)}".replace("values- ", "values ")
            problems += [f"{where}: {each}" for each in _faults_of(key, resource, folders)]
    return problems


def _faults_of(key: tuple[str, str], resource: Resource, folders: tuple[Values, ...]) -> list[str]:
    reference = REFERENCE.fullmatch(resource.text)
    if reference is None:
        kind = key[0]
        if kind == "dimen" and resource.format != "float" and _DIMENSION.fullmatch(resource.text) is None:
            return [f"a dimension without a unit: {resource.text}"]
        if resource.format == "float" and _NUMBER.fullmatch(resource.text) is None:
            return [f"no number: {resource.text}"]
        return []
    problems = []
    if reference[1] != key[0]:
        problems.append(f"refers to another type: {resource.text}")
    seen = {key}
    at = (reference[1], reference[2])
    while True:
        if at in seen:
            return [*problems, f"refers to itself by way of {'/'.join(at)}"]
        seen.add(at)
        target = next((each[at] for each in folders if at in each), None)
        if target is None:
            return [*problems, f"refers to nothing: {'/'.join(at)}"]
        further = REFERENCE.fullmatch(target.text)
        if further is None:
            break
        at = (further[1], further[2])
    if (target.format == "float") != (resource.format == "float"):
        problems.append(f"one of the two is a plain number: {resource.text}")
    return problems
