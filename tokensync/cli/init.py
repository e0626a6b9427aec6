"""``tokensync init``, ``tokensync demo`` and ``tokensync completion``: the first steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.generate.targets import NAMES
from tokensync.system import outlet
from tokensync.system.disk import shown_path
from tokensync.system.errors import UsageError
from tokensync.system.wording import argument, counted

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.commands.init import Choices, SetUp, Surroundings
    from tokensync.commands.proposed_names import Proposed
    from tokensync.commands.workflows import Workflows


_CONFIGURABLE = tuple(each for each in NAMES if each != "template")
"""The platforms whose outputs need no files of the user."""
_SERVICES: tuple[Workflows, ...] = ("github", "gitlab", "none")


@click.command("init")
@click.argument("folder", required=False, type=click.Path())
@click.option("-y", "--yes", is_flag=True, help="Ask nothing, and use the defaults of all other options.")
@click.option("--key", default="", metavar="KEY", help="The key or URL of the design file.")
@click.option(
    "--base-url",
    default="",
    metavar="URL",
    help="figma, bridge: (the plugin), snapshot:PATH (captures) or emulator: (default: figma with a key).",
)
@click.option(
    "--platform",
    "platforms",
    multiple=True,
    type=click.Choice(_CONFIGURABLE),
    help="Write an output for this platform (repeatable; default: those that the project suggests).",
)
@click.option("--hook/--no-hook", default=None, help="Add a pre-commit hook (default: in a git work tree).")
@click.option(
    "--workflows",
    type=click.Choice(_SERVICES),
    help="Write workflows for this service: a nightly pull, a plan for each change, and apply (default: none).",
)
@click.option(
    "--for",
    "server",
    type=click.Choice(("github.com", "ghes")),
    help="With --workflows github: the server, github.com (default) or GitHub Enterprise Server.",
)
@click.option(
    "--names-from",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False),
    help="Propose the naming that gives tokens the names in this file of your code (.css, .xml, .kt, .swift, ...).",
)
@options.json
@options.console
def init_command(
    folder: str | None,
    yes: bool,
    key: str,
    base_url: str,
    platforms: tuple[str, ...],
    hook: bool | None,
    workflows: Workflows | None,
    server: str | None,
    names_from: str | None,
    as_json: bool,
    console: Console,
) -> int:
    """Set up a project in FOLDER (default: the working folder).

    Examines the project and asks for the rest. Writes tokensync.toml, .gitattributes, .gitignore and, if you agree, the
    entry of a pre-commit hook and workflows. Overwrites nothing; a second run has nothing to do.
    """
    from tokensync.commands import init

    if server and workflows != "github":
        raise UsageError("--for: it selects the server of workflows for GitHub; add --workflows github")
    workflows = "ghes" if server == "ghes" else workflows
    source = init.existing_configuration(folder)
    if source is not None:
        adds = hook or workflows not in (None, "none")
        done = init.add(source, hook=bool(hook), workflows=workflows or "none") if adds else init.SetUp()
        proposed = _proposed_names(names_from, source, None, console) if names_from else None
        if done == init.SetUp() and not proposed:
            console.info(f"{shown_path(source)}: the project is configured; nothing to do")
        _say_absent_outputs(source, platforms, console)
        _report_set_up(done, proposed, as_json=as_json, console=console)
        return 0
    if not yes and not outlet.can_ask():
        what = "init: there is no terminal to ask questions on"
        raise UsageError(f"{what}; pass --yes to use the defaults, with --key and --platform to choose others")
    surroundings = init.examine(folder or ".")
    _show_surroundings(surroundings, console)
    if not yes:
        key, platforms, hook = _asked(surroundings, key, base_url, platforms, hook)
    chosen = _chosen(surroundings, key, base_url, platforms, hook, workflows)
    proposed = _proposed_names(names_from, None, surroundings, console) if names_from else None
    if proposed and proposed.proposals:
        of_file = {proposed.platform: proposed.proposals[0].line}
        outputs = tuple(output._replace(naming=of_file.get(output.platform, "")) for output in chosen.outputs)
        chosen = chosen._replace(outputs=outputs)
    done = init.set_up(surroundings, chosen)
    if not (chosen.key or base_url) and (yes or surroundings.responses):  # the question for the URL says it, too
        console.info(f"Figma     {init.ENTERPRISE}; {init.WITHOUT}: tokensync explain without-enterprise")
    _report_set_up(done, proposed, as_json=as_json, console=console)
    return 0


def _proposed_names(path: str, source: str | None, surroundings: Surroundings | None, console: Console) -> Proposed:
    """Report the naming that fits the names in a file, by the tokens of a project or of a saved response."""
    from tokensync.commands.proposed_names import proposed_names
    from tokensync.project.configuration import load_project
    from tokensync.project.configured_outputs import patterns_of
    from tokensync.project.sources import from_project, from_snapshot

    if source is not None:
        project = load_project(source)
        proposed = proposed_names(from_project(project).graph, path, patterns_of(project))
    elif surroundings is not None and surroundings.responses:
        proposed = proposed_names(from_snapshot(f"{surroundings.folder}/{surroundings.responses[0]}").graph, path)
    else:
        what = "--names-from: there are no tokens to compare with, and no saved response in the folder"
        raise UsageError(f"{what}; run init without it, then tokensync pull, then init --names-from {argument(path)}")
    compared = f"{counted(proposed.names, 'name')}, compared with {counted(proposed.tokens, 'token')}"
    console.info(f"Names     {shown_path(path)}: {compared}")
    for proposal in proposed.proposals:
        console.info(f"{'':10}{counted(proposal.matches, 'token')}: {proposal.line or 'by the default settings'}")
    if not proposed.proposals:
        console.info(f"{'':10}none fits the usual spellings; write a template of your own: tokensync explain naming")
    elif source is not None and proposed.proposals[0].line:
        console.info(f"To add    the first line to the [[outputs]] of {proposed.platform} in {shown_path(source)}")
    return proposed


def _say_absent_outputs(source: str, platforms: tuple[str, ...], console: Console) -> None:
    """Say which of the platforms have no output in an existing configuration, which ``init`` does not edit."""
    from tokensync.project.configuration import load_project

    present = {output.platform for output in load_project(source).config.outputs} if platforms else set()
    for platform in dict.fromkeys(platforms):
        if platform not in present:
            what = f"{shown_path(source)} has no output for {platform}, and init does not edit it"
            console.info(f'Note      {what}; add [[outputs]] with platform = "{platform}" and a path')


def _show_surroundings(surroundings: Surroundings, console: Console) -> None:
    for output in surroundings.outputs:
        if output.found:
            console.info(f"Found     {output.found}, which suggests {output.platform} in {output.path}")
    for tokens in surroundings.existing:
        console.info(f"Found     {tokens.form} ({tokens.path}): {tokens.advice}")
    for path in surroundings.responses[:1]:
        console.info(f"Found     a saved response of Figma's API ({path})")


def _chosen(
    surroundings: Surroundings,
    key: str,
    base_url: str,
    platforms: tuple[str, ...],
    hook: bool | None,
    workflows: Workflows | None,
) -> Choices:
    """Return the choices of the options, and the defaults for the others."""
    from tokensync.commands.init import BRIDGE, Choices, output_for
    from tokensync.extract.client.addresses import parse_file, resolve

    if key:
        parse_file(key, "--key")
    if base_url:
        resolve(base_url, "--base-url")
    if base_url == BRIDGE and not key:
        raise UsageError("--base-url bridge: the plugin works on one file; name its URL with --key, too")
    outputs = tuple(output_for(platform, surroundings) for platform in dict.fromkeys(platforms)) or surroundings.outputs
    if hook and surroundings.top is None:
        raise UsageError("--hook: the folder is not in a git work tree; run git init first, or omit --hook")
    if workflows not in (None, "none") and surroundings.top is None:
        raise UsageError("--workflows: the folder is not in a git work tree; run git init first, or omit --workflows")
    return Choices(key, outputs, hook is not False and surroundings.top is not None, workflows or "none", base_url)


def _asked(
    surroundings: Surroundings, key: str, base_url: str, platforms: tuple[str, ...], hook: bool | None
) -> tuple[str, tuple[str, ...], bool | None]:
    """Ask for what the options do not say, and return the key, the platforms and whether to add a hook."""
    from tokensync.commands.init import ENTERPRISE, WITHOUT, has_hook
    from tokensync.extract.client.addresses import parse_file

    if not key and not base_url and not surroundings.responses:
        about = f"{ENTERPRISE}; {WITHOUT}: tokensync explain without-enterprise"
        outlet.write(outlet.line(f"{about}. Press Enter to start without Figma."), err=True, colour=False)
    while not key and not surroundings.responses:
        key = outlet.ask("URL or key of the design file", "")
        if not key:
            break
        try:
            parse_file(key, "design file")
        except UsageError as error:
            outlet.write(outlet.line(str(error)), err=True, colour=False)
            key = ""
    while not platforms:
        suggested = " ".join(output.platform for output in surroundings.outputs)
        question = f"Platforms to generate code for ({', '.join(_CONFIGURABLE)})"
        answer = tuple(outlet.ask(question, suggested).replace(",", " ").split())
        unknown = [each for each in answer if each not in _CONFIGURABLE]
        if unknown:
            text = f"{unknown[0]}: no such platform; choose from {', '.join(_CONFIGURABLE)}"
            outlet.write(outlet.line(text), err=True, colour=False)
        else:
            platforms = answer
    if hook is None and surroundings.top is not None and not has_hook(surroundings):
        hook = outlet.confirm("Add a pre-commit hook that checks tokens before each commit?", default=True)
    return key, platforms, hook


def _report_set_up(done: SetUp, proposed: Proposed | None, *, as_json: bool, console: Console) -> None:
    if as_json:
        to_add = [{"path": path, "text": text} for path, text in done.to_add]
        names = {}
        if proposed:
            rows = [{"matches": proposal.matches, "line": proposal.line} for proposal in proposed.proposals]
            names = {"names": {**proposed._asdict(), "proposals": rows}}
        console.json({"written": done.written, "to_add": to_add, "next": done.commands, **names})
        return
    if done.written:
        console.info(f"Wrote     {', '.join(map(shown_path, done.written))}")
    for path, text in done.to_add:
        members = {"- repo:": "repos", "- uses:": "the steps of its job"}
        member = next((member for start, member in members.items() if text.startswith(start)), "include")
        console.info(f"To add    to {shown_path(path)}, under {member}, whose form tokensync does not edit:")
        for each in text.splitlines():
            console.info(f"          {each}")
    for number, each in enumerate(done.commands):
        console.info(f"{'' if number else 'Next':10}{each}")


@click.command("completion")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish", "powershell")))
@options.console
def completion_command(shell: str, console: Console) -> None:
    """Print the completion script of a shell. Put it where docs/installing.md says."""
    console.document(options.completion_script(shell))
