"""Texts that a request has to carry: JSON in UTF-8 has no halves of surrogate pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.tokens import CODE_SYNTAX_PLATFORMS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.state import Ref
    from tokensync.plan.validation.intent import Intent
    from tokensync.problems import Problem

_TO_DO = "write the whole character, or leave it out"


def is_whole(text: str) -> bool:
    """Whether a text can be written as UTF-8."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def text_faults(intent: Intent) -> Iterator[Problem]:
    """Descriptions and code syntax that cannot be sent, and platforms that code syntax does not know."""
    for variable in intent.new_variables:
        yield from _described(intent, variable.ref, variable.description, variable.code_syntax)
    for update in intent.updated_variables:
        description = update.description[1] if update.description is not None else ""
        syntax = update.code_syntax[1] if update.code_syntax is not None else ()
        yield from _described(intent, update.ref, description, syntax)


def _described(intent: Intent, ref: Ref, description: str, syntax: tuple[tuple[str, str], ...]) -> Iterator[Problem]:
    if not is_whole(description):
        what = "its description holds half of a surrogate pair, which is no character"
        yield intent.fault("plan-text", ref, None, what, _TO_DO)
    for platform, text in syntax:
        if platform not in CODE_SYNTAX_PLATFORMS and platform not in intent.platforms_on_platform:
            what = f"it has code syntax for {platform[:40]!r}, which is none of {', '.join(CODE_SYNTAX_PLATFORMS)}"
            yield intent.fault("plan-text", ref, None, what, "name one of those platforms, or remove it")
        elif not is_whole(text):
            what = f"its code syntax for {platform} holds half of a surrogate pair, which is no character"
            yield intent.fault("plan-text", ref, None, what, _TO_DO)
