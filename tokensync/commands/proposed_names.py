"""Propose the naming of an output by the names in the code that a team has."""

from __future__ import annotations

import os
import re
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec.structs import asdict

from tokensync.generate.naming import Naming, names_for
from tokensync.generate.naming.proposals import BEGINNING, lines
from tokensync.generate.targets import naming_of
from tokensync.settings import NamingConfig
from tokensync.system.disk import open_file, shown_path
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from tokensync.generate.naming import Patterns
    from tokensync.tokens import TokenGraph
    from tokensync.tokens.resolver import TokenIndex

_LANGUAGES = {
    ".css": ("css", r"(?<![\w-])(--[\w-]++)\s*:"),
    ".scss": ("scss", r"(\$[\w-]+)\s*:"),
    ".xml": ("android", r"""<(?:color|dimen|string|integer|bool|item)\b[^<>]*?\bname=["'](\w+)["']"""),
    ".kt": ("compose", r"\bva[lr]\s+`?(\w+)"),
    ".swift": ("ios", r"\b(?:let|var)\s+`?(\w+)"),
    ".ts": (
        "typescript",
        r"""(?m)^[ \t]*(?:export\s+)?(?:(?:const|let|readonly)\s+)?["']?([A-Za-z_$][\w$]*)["']?\s*[:=]""",
    ),
}
"""The platform of a file by its extension, and a pattern of the names that it declares, linear in the file's size."""
_RAREST = 0.1
"""The part of the names that must have a prefix for it to be tried."""
_MOST_TRIED = 300
"""About the most tokens that every line is tried on; the best lines are tried on all tokens."""
_MOST_LINES = 6
_SHOWN = 3
_MOST_BYTES = 1 << 25


class Proposal(NamedTuple):
    """Settings for an output, and how many tokens have a name of the file with them."""

    settings: NamingConfig
    matches: int

    @property
    def line(self) -> str:
        """Return the line for the output in tokensync.toml; empty for the default settings."""
        default = asdict(NamingConfig())
        changed = [f'{name} = "{value}"' for name, value in asdict(self.settings).items() if value != default[name]]
        return f"naming = {{ {', '.join(changed)} }}" if changed else ""


class Proposed(NamedTuple):
    """A file's platform, the numbers of its names and of the tokens, and the proposals, the best one first."""

    platform: str
    names: int
    tokens: int
    proposals: tuple[Proposal, ...]


def proposed_names(graph: TokenGraph, path: str, patterns: Patterns = MappingProxyType({})) -> Proposed:
    """Return the settings that give most tokens a name in a file. Raises UsageError for a file without names."""
    platform, names = _names_in(path)
    live = [token for token in graph.tokens.values() if token.origin == "local"]
    rules = naming_of(platform)
    uses: tuple[Literal["keep", "ignore"], ...] = ("keep", "ignore")
    proposals: dict[int, Proposal] = {}  # the simplest of those with the same number
    for template in ("", *_lines(graph, platform, names)):
        tried = [NamingConfig(template=template, code_syntax=use) for use in uses[: 1 + any(graph.table.code_syntax)]]
        named = [names_for(graph, live, rules, settings=settings, patterns=patterns)[0] for settings in tried]
        matches = [len(names.intersection(identifiers.values())) for identifiers in named]
        best = matches.index(max(matches))
        proposals.setdefault(matches[best], Proposal(tried[best], matches[best]))
    ranked = [proposals[count] for count in sorted(proposals, reverse=True) if count]
    return Proposed(platform, len(names), len(live), tuple(ranked[:_SHOWN]))


def _names_in(path: str) -> tuple[str, set[str]]:
    platform, pattern = _LANGUAGES.get(os.path.splitext(path)[1].lower(), ("", ""))
    if not platform:
        raise UsageError(f"--names-from {path}: no known language; name a file that ends in {', '.join(_LANGUAGES)}")
    with open_file(path) as file:
        text = file.read(_MOST_BYTES).decode("utf-8", "replace")
    names = set(re.findall(pattern, text))
    if not names:
        what = f"--names-from {shown_path(path)}: it declares no names for {platform}"
        raise UsageError(f"{what}; name the file that declares the tokens of your code")
    return platform, names


def _lines(graph: TokenGraph, platform: str, names: Collection[str]) -> Iterator[str]:
    """Yield the lines that give most of some tokens a name, perhaps with a prefix that many names have."""
    rules = naming_of(platform)
    bare = {name.removeprefix(rules.sigil) for name in names}
    beginnings = Counter(match[0] for name in bare if (match := BEGINNING.match(name)))
    prefixes = [text for text, count in beginnings.most_common(_MOST_LINES) if count >= _RAREST * len(bare)]
    local: list[TokenIndex] = [index for index in graph.table.order if graph.table.origins[index] == "local"]
    rows = Naming(graph, rules, None, NamingConfig(), {}, []).facts(local[:: len(local) // _MOST_TRIED + 1])
    counts = Counter[str]()
    for line in lines(rules):
        unique = {name.removeprefix(rules.sigil) for name in line.names(rows, rules)}
        for prefix in ("", *prefixes):
            counts[f"{prefix}{line}"] = sum(f"{prefix}{name}" in bare for name in unique)
    return (line for line, count in counts.most_common(_MOST_LINES) if count)
