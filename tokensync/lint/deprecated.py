"""Deprecated tokens that other tokens still refer to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.system.wording import listed, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.lint.subject import Subject
    from tokensync.system.problems import Problem

_REASON = 120
"""Characters."""


def deprecated_in_use(subject: Subject) -> Iterator[Problem]:
    """Yield the tokens that refer to a deprecated token and are not deprecated themselves."""
    tokens = subject.graph.tokens
    if not any(token.deprecated for token in tokens.values()):
        return
    for token in subject.declared:
        if token.deprecated:
            continue
        targets = [tokens[key] for key in subject.references.get(token.key, ()) if tokens[key].deprecated]
        if targets:
            verb = "is" if len(targets) == 1 else "are"
            what = f"it refers to {listed([str(target.key) for target in targets])}, which {verb} deprecated"
            reason = next((target.deprecated for target in targets if isinstance(target.deprecated, str)), "")
            advice = f" (its deprecation says: {shortened(reason, _REASON)})" if reason else ""
            yield subject.problem("deprecated-in-use", token.key, what, f"refer to another token{advice}")
