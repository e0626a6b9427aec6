"""Renames of a migration: what code has for a token of the source, and what outputs generate now."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from tokensync.code.renaming.renames import Rename
from tokensync.project.configured_outputs import names_on_platforms, naming_by_platform
from tokensync.system.wording import listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.code.renaming.renames import Form, Platform
    from tokensync.migrate.conversion.graph import Converted, Renamed
    from tokensync.project.configuration import Project
    from tokensync.tokens import TokenKey


_PLATFORMS: dict[str, tuple[Platform, Form, str]] = {
    "css": ("css", "property", "WEB"),
    "android": ("android", "resource", "ANDROID"),
    "ios": ("ios", "member", "iOS"),
    "typescript": ("ts", "member", ""),
    "react-native": ("ts", "member", ""),
}
"""The outputs with identifiers: the platform and the form of a rename, and the code syntax that has old names."""

_OF_SYNTAX = {
    "WEB": re.compile(r"(?:var\(\s*)?(--[^\s,()]+)\)?"),
    "ANDROID": re.compile(r"(?:@|R\.)?([a-z]+[./]\w+)"),
    "iOS": re.compile(r"\.?((?:\w+\.)*\w+)"),
}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9]+")


def renames_of(project: Project, converted: Converted) -> tuple[Rename, ...]:
    """Return the renames for the platforms of a project's outputs.

    The old identifier is that of the source's code syntax, else the one that Style Dictionary gives the path. One that
    several tokens had is left to people. A custom property whose value was the parts of a colour is there even if it
    keeps its name, because its uses in ``hsl()`` have to change.
    """
    naming = {name: each for name, each in naming_by_platform(project).items() if name in _PLATFORMS}
    if "typescript" in naming:
        naming.pop("react-native", None)
    names = names_on_platforms(converted.graph, naming, naming).identifiers if naming else {}
    resources = _resources(converted) if "android" in names else {}
    found: list[Rename] = []
    for output, identifiers in names.items():
        platform, form, syntax = _PLATFORMS[output]
        by_old: dict[str, dict[str, Renamed]] = {}
        for each in converted.renamed:
            new = identifiers.get(each.new)
            kind = resources.get(each.new, "")
            if new is None or (form == "resource" and not kind):
                continue
            if old := _old_name(each, syntax, form, kind):
                by_old.setdefault(old, {})[f"{kind}/{new}" if form == "resource" else new] = each
        for old, news in by_old.items():
            (new, renamed), *others = news.items()
            if others:
                note = f"it was the name of several tokens, which are now {listed([*news])}"
                found.append(Rename(platform, form, old, "", "manual", note))
            else:
                is_whole = form == "property" and renamed.is_whole_color
                if old != new or is_whole:
                    alias = is_whole or not renamed.is_changed
                    found.append(Rename(platform, form, old, new, whole_color=is_whole, alias=alias))
    return tuple(found)


def _resources(converted: Converted) -> Mapping[TokenKey, str]:
    from tokensync.generate.output import Resolution
    from tokensync.generate.target import OutputRequest
    from tokensync.generate.targets.android.render import resource_types

    return resource_types(Resolution(converted.graph), OutputRequest(platform="android"))


def _old_name(renamed: Renamed, syntax: str, form: Form, resource: str) -> str:
    text = dict(renamed.code_syntax).get(syntax, "")
    if text:
        match = _OF_SYNTAX[syntax].fullmatch(text.strip())
        return match[1].replace(".", "/", 1) if match and form == "resource" else match[1] if match else ""
    words = [word for name in renamed.names for word in _words(name)]
    if not words:
        return ""
    match form:
        case "property":
            return f"--{'-'.join(words)}"
        case "resource":
            return f"{resource}/{'_'.join(words)}"
        case _:
            return words[0] + "".join(map(str.capitalize, words[1:]))


@lru_cache(maxsize=4096)  # the names of groups are those of many tokens
def _words(name: str) -> tuple[str, ...]:
    return tuple(each.lower() for each in _NOT_IN_NAMES.split(_HUMP.sub("-", name)) if each)
