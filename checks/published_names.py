"""Prints how many names that teams publish a few lines of configuration reproduce; fails if any is missing.

The teams are GitHub (npm: @primer/primitives, of three releases, since the saved response is older than the newest one)
and Figma (figma/sds, whose properties are in tests/outside/published). A token and a published property belong together
if they have the same letters and digits in the same order, in any case, whatever is between them: separators and case
are what configuration has to get right, so the judge must not use a rule for them. A published name for parts of a
shadow, such as its blur, is that of the shadow; the name of a part has to begin with it.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.naming import names_for
from tokensync.generate.targets import naming_of
from tokensync.project.configuration import parse_config
from tokensync.project.sources import from_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.tokens import TokenGraph

ROOT = Path(__file__).resolve().parent.parent
PRIMER_RELEASES = ("primer-primitives-8", "primer-primitives-10", "@primer/primitives")
"""The packages in .checkers/node_modules: 8.2.4, 10.0.0 and the newest one."""
CONFIGURATION = {
    "primer": """naming = { template = "{{ path | join('-') }}" }""",
    "sds": """naming = { template = "sds-{{ handle.split('-')[0] }}-{{ path | kebab }}", code_syntax = "ignore" }""",
}
"""The lines of an output for each team, without code syntax where the design file would tell every name."""
_SHADOW_PART = re.compile(r"(.*shadow.*?)(?:/\d)?/(?:offsetX|offsetY|blur|spread|color)")
_PROPERTY = re.compile(r"(--[\w-]+)\s*:")


class Compared(NamedTuple):
    """The names that were compared, those of them that are parts of a property, and the texts about wrong ones."""

    names: int
    parts: int
    wrong: list[str]


def primer_properties(folders: Iterable[Path]) -> set[str]:
    """Return the custom properties of the style sheets of packages."""
    return {name for folder in folders for path in folder.rglob("dist/css/**/*.css") for name in _properties(path)}


def sds_properties() -> set[str]:
    """Return the custom properties of figma/sds."""
    return {*_properties(ROOT / "tests" / "outside" / "published" / "figma-sds.css")}


def compare(team: str, graph: TokenGraph, published: set[str]) -> Compared:
    """Compare the names of a graph's tokens by the team's configuration with the published ones."""
    outputs = f'[[outputs]]\nplatform = "css"\npath = "css"\n{CONFIGURATION[team]}\n'
    (output,) = parse_config(outputs.encode(), team).outputs
    tokens = [token for token in graph.tokens.values() if token.origin == "local"]
    names, _ = names_for(graph, tokens, naming_of("css"), settings=output.naming)
    by_letters: dict[str, set[str]] = {}
    for name in published:
        by_letters.setdefault(_letters(name), set()).add(name)
    wrong, compared, parts = [], 0, 0
    for key, name in names.items():
        path = key.path.replace(".", "/")
        collection = graph.collections[key[:2]].name
        expected = _published(path, collection, by_letters)
        shadow = _SHADOW_PART.fullmatch(path)
        if not expected and shadow and (expected := _published(shadow[1], collection, by_letters)):
            parts += 1
            is_right = name.startswith(tuple(f"{each}-" for each in expected))
        else:
            is_right = name in expected
        if expected:
            compared += 1
            wrong += [] if is_right else [f"{collection} / {path}: {name} instead of {min(expected)}"]
    return Compared(compared, parts, wrong)


def _published(path: str, collection: str, by_letters: Mapping[str, set[str]]) -> set[str]:
    """Return the published properties of a path: alone, or after the system and the first word of the collection."""
    layer = collection.partition(" ")[0]
    return by_letters.get(_letters(path), set()) or by_letters.get(_letters(f"sds{layer}{path}"), set())


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


def _properties(path: Path) -> list[str]:
    return _PROPERTY.findall(path.read_text("utf-8"))


def main() -> int:
    """Compare the saved responses, and print the counts."""
    sys.path.insert(0, str(ROOT / "tests"))
    response_of = import_module("outside.graphs").response_of
    folders = [ROOT / ".checkers" / "node_modules" / name for name in PRIMER_RELEASES]
    failed = False
    for team, published in (("primer", primer_properties(folders)), ("sds", sds_properties())):
        response = response_of(team)
        if response is None or not published:
            print(f"{team}: nothing to compare; run make verify first, and name the responses in TOKENSYNC_CORPUS")
            failed = True
            continue
        names, parts, wrong = compare(team, from_snapshot(str(response), None).graph, published)
        print(
            f"{team}: {names - len(wrong)} of {names} names ({parts} of them parts of shadows) by {CONFIGURATION[team]}"
        )
        print(*(f"  {text}" for text in wrong), sep="\n", end="\n" if wrong else "")
        failed = failed or bool(wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
