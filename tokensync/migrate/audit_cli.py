"""``tokensync audit``: the tokens that code has by hand, compared with those of the design file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.system.errors import DifferencesFound, UsageError
from tokensync.system.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokensync.cli.console import Console
    from tokensync.migrate.auditing import Audited, Outcome
    from tokensync.plan.comparing import Difference
    from tokensync.project.configuration import Project
    from tokensync.tokens import TokenGraph

_OF_LOGS = ("--token", "--user", "--ip", "--type", "--source", "--secret-in", "--since", "--most", "--base-url")
"""The options of the former command of this name."""

_MOST_ABSENT = 20
"""The most tokens of the design file alone that are listed without -v: code rarely uses them all."""


class _AuditCommand(click.Command):
    """A command that names ``logs`` for the words of the former command of this name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Raises UsageError for those of ``logs``."""
        old = next((word for word in args if word.partition("=")[0] in _OF_LOGS), "")
        if old or (args[:1] == ["texts"] and not os.path.exists("texts")):
            what = f"{old or 'texts'}: audit compares code with the design file"
            raise UsageError(f"{what}; for requests and texts in the logs, run tokensync logs {old or 'texts'}")
        return super().parse_args(ctx, args)


@click.command("audit", cls=_AuditCommand)
@click.argument("paths", nargs=-1, type=click.Path())
@options.form("differences", "markdown", "html", "sarif", "json")
@click.option("--adopt", is_flag=True, help="Make code syntax of the names in code, so that outputs have these names.")
@options.snapshot
@options.project
@options.files
@options.result
def audit_command(
    paths: tuple[str, ...],
    form: str,
    adopt: bool,
    snapshot: str | None,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """Compare the tokens in code with the design file. Exits with 3 if they differ.

    PATHS are files or folders of code: custom properties, variables of SCSS, themes of Tailwind, constants of Kotlin,
    Swift and TypeScript, Android resources, asset catalogs, token files. Tokens are found by name, words and values.
    """
    from tokensync.migrate import auditing
    from tokensync.project.configuration import NoConfiguration
    from tokensync.project.sources import from_project, from_snapshot

    if not paths:
        what = "audit: PATHS are missing; name files or folders of code"
        raise UsageError(f"{what} (for requests in the logs, run tokensync logs)")
    options.check_snapshot(snapshot, None, files)
    try:
        project = options.load_project(config)
    except NoConfiguration:
        if snapshot is None or config is not None:
            raise
        project = None
    if adopt and project is not None and snapshot is not None:
        raise UsageError("--adopt: the names go into the token files of the project; remove --snapshot")
    if snapshot is not None:
        source = from_snapshot(snapshot, levels=options.snapshot_levels(config))
    elif project is not None:
        source = from_project(project, files)
    unread: list[str] = []
    with console.progress() as progress:
        audited = auditing.audit(source.graph, project, paths, progress, snapshot=snapshot, unread=unread)
    for part in unread:
        console.info(f"not read: {part}")
    if adopt:
        _adopt(project, source.graph, audited, snapshot or "", console)
        return 0
    differences = tuple(difference for each in audited for difference in each.differences())
    if as_json or form == "json":
        console.json([each.document() for each in audited])
    elif form == "sarif":
        from tokensync.commands.check import failed
        from tokensync.system.outlet.findings import sarif

        problems = [problem for each in audited for problem in each.problems()]
        found = failed(problems) if problems else None
        console.json(sarif(found.portable_findings, found.source) if found else sarif(()))
    else:
        _show(audited, differences, paths, form, console)
    return DifferencesFound.exit_code if differences else 0


def _adopt(
    project: Project | None, graph: TokenGraph, audited: Sequence[Audited], snapshot: str, console: Console
) -> None:
    """Write the names of the code into token files, of a new project if there is none, and say what to do next."""
    from tokensync.migrate import auditing

    if project is None:
        project = auditing.new_project(graph, audited, snapshot, allow_outside=options.allow_outside())
        console.info(f"wrote {os.path.basename(project.source)}, and pulled {snapshot}")
    written = auditing.adopt(project, audited)
    console.info(f"wrote {', '.join(written)}" if written else "outputs have all names that the code has")
    console.info("to see the code syntax that the design file would get, run: tokensync plan")
    console.info("to generate code with these names, run: tokensync build")


def _show(
    audited: Sequence[Audited], differences: Sequence[Difference], paths: Sequence[str], form: str, console: Console
) -> None:
    """Print the differences as text, Markdown or a page."""
    from tokensync.migrate.auditing import OUTCOMES
    from tokensync.report import differences as review

    totals = {outcome: sum(each.counts[outcome] for each in audited) for outcome in OUTCOMES}
    counts = _in_words(totals)
    wording = review.Wording({"new": "only in code", "gone": "only in the design file", "changed": "different"}, counts)
    if form in ("markdown", "html"):
        render = review.markdown if form == "markdown" else review.page
        console.document(render(differences, "the design file", ", ".join(paths), wording))
        return
    absent = totals["only in the design file"]
    is_short = console.verbose or absent <= _MOST_ABSENT
    console.result(*review.lines([each for each in differences if is_short or each.kind != "gone"]))
    for each in audited:
        console.info(f"{each.path} ({', '.join(each.platforms) or 'tokens'}): {_in_words(each.counts)}")
        if each.without:
            console.info(f"{each.path}: not compared, since the design file has no such modes: {listed(each.without)}")
    more = "" if is_short else "; -v lists those of the design file"
    console.info(f"{counted(sum(totals.values()), 'token')}: {counts}{more}")


def _in_words(counts: Mapping[Outcome, int]) -> str:
    return ", ".join(f"{number:,} {outcome}" for outcome, number in counts.items() if number)
