"""Code syntax as designers type it, read as identifiers by the patterns of config/code-syntax.toml."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from tokensync import resources

if TYPE_CHECKING:
    from typing import Any

    from tokensync.tokens import Token


class CodeSyntax(NamedTuple):
    """How one platform's code syntax is read; see the head of config/code-syntax.toml."""

    syntax: str
    comments: re.Pattern[str]
    patterns: tuple[re.Pattern[str], ...]
    declared: str
    suggestion: str

    def written(self, token: Token) -> str:
        """The token's raw code syntax for this platform, or nothing."""
        for syntax, text in token.code_syntax:
            if syntax == self.syntax:
                return text.strip()
        return ""

    def identifier(self, text: str) -> str | None:
        """The identifier that the text names, or None when it names none."""
        bare = self.comments.sub("", text).strip() if "/" in text or "<" in text else text
        for pattern in self.patterns:
            if match := pattern.fullmatch(bare):
                return self.declared.replace("{name}", match["name"])
        return None

    def suggested(self, identifier: str) -> str:
        """How a designer would write this identifier."""
        return self.suggestion.replace("{name}", identifier)


@cache
def code_syntax(platform: str) -> CodeSyntax:
    """The patterns of ``css``, ``android`` or ``ios``, compiled when first asked for."""
    table = _tables()[platform]
    return CodeSyntax(
        table["syntax"],
        re.compile("|".join(table["comments"]), re.DOTALL | re.MULTILINE),
        tuple(re.compile(each) for each in table["patterns"]),
        table["identifier"],
        table["suggestion"],
    )


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    import tomllib

    return tomllib.loads(resources.read_text("config", "code-syntax.toml"))
