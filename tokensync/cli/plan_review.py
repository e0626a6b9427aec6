"""Plans shown for review on a terminal, in colour where it has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli.console import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.cli.console import Console
    from tokensync.plan.plan import Plan

_COLOURS = {"+": "green", "~": "yellow", "-": "red", "!": "red"}


def show_plans(plans: Iterable[Plan], console: Console) -> None:
    """The review of each plan on stdout; a verbose run leaves nothing out of it."""
    from tokensync.report.plans import text_lines

    for number, plan in enumerate(plans):
        lines = [_styled(each.sign, shown(each.text)) for each in text_lines(plan, everything=console.verbose)]
        console.styled_result(*([""] if number else []), *lines)


def _styled(sign: str, text: str) -> str:
    if not sign:
        return text
    return click.style(text, fg=_COLOURS.get(sign), bold=sign in "=!")
