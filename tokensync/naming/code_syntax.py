"""Code syntax as designers type it, read as identifiers by the patterns of config/code-syntax.toml."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from tokensync import resources

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tokensync.naming.rules import NamingRules
    from tokensync.tokens import Token


class Reading(NamedTuple):
    """What a code syntax says: the identifier that it names, and how code writes it to use it."""

    name: str
    reference: str


class CodeSyntax(NamedTuple):
    """How one platform's code syntax is read; see the head of config/code-syntax.toml.

    ``own`` tells whether the design tool has a code syntax of this platform itself, so that its text is a reference.
    """

    syntax: str
    comments: re.Pattern[str]
    patterns: tuple[re.Pattern[str], ...]
    shade: str
    declared: str
    referred: str
    own: bool
    spelled: Callable[[str], str]

    def written(self, token: Token) -> str:
        """Return the token's raw code syntax for this platform, or nothing."""
        for syntax, text in token.code_syntax:
            if syntax == self.syntax:
                return text.strip()
        return ""

    def read(self, text: str) -> Reading | None:
        """Return what the text names, or None when it names nothing."""
        bare = self.comments.sub("", text).strip() if "/" in text or "<" in text else text
        for pattern in self.patterns:
            if match := pattern.fullmatch(bare):
                name = match["name"]
                is_name_alone = match.start("name") <= self.declared.index("{")
                if "shade" in pattern.groupindex:
                    name = f"{name}{self._joint(name)}{match['shade']}"
                name = self.declared.replace("{name}", self.spelled(name))
                if self.own and not is_name_alone:
                    return Reading(name, bare.removesuffix(";").rstrip())
                return Reading(name, self.reference(name))
        return None

    def reference(self, identifier: str) -> str:
        """Return how code refers to this identifier, and how a designer would write it."""
        return self.referred.replace("{name}", identifier)

    def _joint(self, name: str) -> str:
        """Return what keeps a shade apart from the name: ``gray2`` and 500 are not ``gray2500``."""
        return self.shade or ("_" if name[-1].isdigit() else "")


@cache
def code_syntax(rules: NamingRules) -> CodeSyntax:
    """Return how a target reads code syntax, its patterns compiled when first asked for."""
    table = _tables()[rules.platform]
    source = _tables()[table.get("from", rules.platform)]
    return CodeSyntax(
        source["syntax"],
        re.compile("|".join(source["comments"]), re.DOTALL | re.MULTILINE),
        tuple(re.compile(each) for each in source["patterns"]),
        source["shade"],
        table["identifier"],
        table["reference"],
        source is table,
        rules.respell,
    )


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    import tomllib

    return tomllib.loads(resources.read_text("config", "code-syntax.toml"))
