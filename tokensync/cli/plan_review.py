"""Plans shown for review on a terminal, in colour where it has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.cli.console import Styled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.cli.console import Console
    from tokensync.plan.plan import Plan

_COLOURS = {"+": "green", "~": "yellow", "-": "red", "!": "red"}


def show_plans(plans: Iterable[Plan], console: Console) -> None:
    """The review of each plan on stdout; a verbose run leaves nothing out of it."""
    from tokensync.plan.review import text_lines

    for number, plan in enumerate(plans):
        lines = [
            Styled(each.text, _COLOURS.get(each.sign), each.sign in ("=", "!"))
            for each in text_lines(plan, everything=console.verbose)
        ]
        console.result(*([""] if number else []), *lines)


def how_to_apply(plans: Iterable[Plan], path: str | None) -> str:
    """Return what to type to carry plans out; ``path`` is where they were written, None where ``apply`` looks by
    itself.
    """
    of_path = "" if path is None else f" {path}"
    if any(each.unsafe for each in plans):
        return f"once each finding is wanted, carry it out with: tokensync apply --force{of_path}"
    return f"carry it out with: tokensync apply{of_path}"
