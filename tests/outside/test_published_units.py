"""The units of numbers, compared with those that the teams of design files publish for the same tokens.

Figma holds numbers without units. The published sources of a design system say what each of them is.
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from corpus.building import NO_CORPUS, ROOT
from design_file import alias, collection, graph_of, response, variable
from outside.counts import UNITS, shown_in
from outside.graphs import response_of

from tokensync.tokens import Theme

pytestmark = pytest.mark.outside

PUBLISHED = Path(__file__).parent / "published"
PIXELS_PER_REM = 16
RIGHT_SHARE = 0.95
DEFAULT = Theme("", ())


class Subject(NamedTuple):
    """A response, and the published value of each name in it as CSS writes it."""

    response: dict
    published: dict[str, str]


class Outcome(NamedTuple):
    """A line of the table: a design file, counts, and why units differ from the published ones."""

    name: str
    compared: int
    right: int
    reasons: Counter
    changed: list[str]

    @property
    def cells(self) -> list[str]:
        reasons = "; ".join(f"{count}: {reason}" for reason, count in sorted(self.reasons.items()))
        counts = (self.compared, self.right, self.compared - self.right, len(self.changed))
        return [self.name, *map(str, counts), reasons or "-"]


def quantity(text):
    """The number and unit of a published value, rem as px; None for what is no single number."""
    found = re.fullmatch(r"(-?[\d.]+)(px|rem|)", str(text).strip())
    if found is None:
        return None
    factor = PIXELS_PER_REM if found[2] == "rem" else 1
    return float(found[1]) * factor, "px" if found[2] else ""


def reason_of(name, published_unit):
    """Why a unit differs from the published one, for the reasons that are known."""
    if "lineHeight" in name and not published_unit:
        return "a line height in px that is published as a multiple of the font size"
    return f"{name} is published with {published_unit or 'no unit'}"


def compared(name, subject):
    """Compare each number of a response that has a published value."""
    graph, _ = graph_of(json.dumps(subject.response).encode())
    raw = {each["id"]: each for each in subject.response["meta"]["variables"].values()}
    numbers, right, reasons, changed = 0, 0, Counter(), []
    for token in graph.tokens.values():
        source = raw.get(token.id)
        if source is None or token.origin != "local" or source["resolvedType"] not in ("FLOAT", "STRING"):
            continue
        expected = quantity(subject.published.get(source["name"].replace("/", "-"), ""))
        if expected is None:
            continue
        value = graph.resolve(token, DEFAULT)
        numbers += 1
        unit = "px" if token.type == "dimension" else ""
        if isinstance(value, str) or unit != expected[1]:
            reasons[reason_of(source["name"], expected[1])] += 1
        else:
            right += 1
        own = [each for each in source["valuesByMode"].values() if isinstance(each, int | float)]
        kept = [each for each in token.values if isinstance(each, float)]
        if source["resolvedType"] == "FLOAT" and sorted(map(float, own)) != sorted(kept):
            changed.append(source["name"])
    return Outcome(name, numbers, right, reasons, changed)


def saved(name):
    path = response_of(name)
    if path is None:
        pytest.skip(NO_CORPUS)
    return json.loads(path.read_bytes())


def declarations(css):
    return dict(re.findall(r"^\s*--([\w-]+): (.*);", css, re.MULTILINE))


def with_targets(published):
    """Replace values that are one var() by those of their targets."""

    def target(value):
        while (found := re.fullmatch(r"var\(--([\w-]+)\)", value)) is not None:
            value = published[found[1]]
        return value

    return {name: target(value) for name, value in published.items()}


def primer(folder):
    """The values of the package in light mode, with each length of its shadows by the name that Figma has for it."""
    values = {}
    for path in sorted((folder / "dist" / "docs").rglob("*.json")):
        if path.parent.name == "themes" and path.stem != "light":
            continue
        values |= {name: each["value"] for name, each in json.loads(path.read_bytes()).items()}
    lengths = {}
    for name, value in values.items():
        layers = re.split(r",\s*(?![^(]*\))", str(value)) if "shadow" in name.lower() else []
        for number, layer in enumerate(layers, start=1):
            parts = re.findall(r"(?<![#\w-])-?[\d.]+(?:px|rem)?(?![\w%])", layer)[:4]
            for part, length in zip(("offsetX", "offsetY", "blur", "spread"), parts, strict=False):
                in_px = length if quantity(length)[1] else f"{length}px"  # 0 of a length needs no unit
                lengths |= {f"{name}-{number}-{part}": in_px, **({f"{name}-{part}": in_px} if number == 1 else {})}
    return {**lengths, **{name: str(value) for name, value in values.items()}}


def primer_for_figma(folder):
    """A response with the numbers that the package makes for its design file."""
    owners, variables, targets = {}, {}, {}
    for path in ("dimension/dimension.json", "typography/typography.json"):
        for each in json.loads((folder / "dist" / "figma" / path).read_bytes()):
            if each["type"] != "FLOAT" or "collection" not in each:
                continue
            owner = owners.setdefault(
                each["collection"], collection(f"C:{len(owners)}", each["collection"], ["default"])
            )
            identity = f"V:{len(variables)}"
            targets[each["refId"]] = identity
            value = alias(targets[each["reference"]]) if each.get("reference") in targets else each["value"]
            variables[identity] = variable(identity, each["name"], owner, "FLOAT", [value], scopes=each["scopes"])
    return json.loads(response([*owners.values()], [*variables.values()]))


def moon():
    rows = json.loads((PUBLISHED / "moon2.json").read_bytes())["variables"]
    owners = {row[0]: collection(f"C:{row[0]}", row[0], ["default"]) for row in rows}
    ids = {row[1].replace("/", "."): f"V:{index}" for index, row in enumerate(rows)}
    variables, published = [], {}
    for identity, (owner, name, kind, scopes, value, text) in zip(ids.values(), rows, strict=True):
        found = alias(ids[value[1:-1]]) if isinstance(value, str) and value.startswith("{") else value
        variables.append(variable(identity, name, owners[owner], kind, [found], scopes=scopes))
        # A weight that the team publishes as text is compared as the weight that CSS needs.
        published[name.replace("/", "-")] = "0" if kind == "STRING" else text
    return Subject(json.loads(response([*owners.values()], variables)), published)


def unscoped(document):
    for each in document["meta"]["variables"].values():
        each["scopes"] = []
    return document


def subject_of(name, package):
    folder = package("@primer/primitives")
    if name.startswith("Primer, for Figma"):
        found = Subject(primer_for_figma(folder), primer(folder))
    elif name.startswith("Primer"):
        found = Subject(saved("primer"), primer(folder))
    elif name.startswith("SDS"):
        css = with_targets(declarations((PUBLISHED / "sds.css").read_text(encoding="utf-8")))
        document = saved("sds")
        syntax = {each["name"]: each["codeSyntax"].get("WEB", "") for each in document["meta"]["variables"].values()}
        names = {name.replace("/", "-"): text.removeprefix("var(--").rstrip(")") for name, text in syntax.items()}
        found = Subject(document, {name: css[custom] for name, custom in names.items() if custom in css})
    else:
        found = moon()
    return Subject(unscoped(found.response), found.published) if "without scopes" in name else found


NAMES = (
    "Primer",
    "Primer, for Figma",
    "SDS, without scopes",
    "Moon 2",
    "Primer, without scopes",
    "Primer, for Figma, without scopes",
    "Moon 2, without scopes",
)
"""Design files; those that have scopes once more without them, so that aliases, names and uses decide alone."""


@pytest.mark.xdist_group("published units")
def test_numbers_have_the_units_that_their_teams_publish(package, counted):
    outcomes = [compared(name, subject_of(name, package)) for name in NAMES]
    counted.units([outcome.cells for outcome in outcomes])
    assert [name for outcome in outcomes for name in outcome.changed] == []
    assert sum(each.right for each in outcomes) > RIGHT_SHARE * sum(each.compared for each in outcomes)
    page = shown_in(ROOT / "docs" / "generators.md", UNITS)
    assert page[2:] == [outcome.cells for outcome in outcomes], "run `make counts`"
