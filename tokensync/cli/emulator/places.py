"""Those of ``tokensync emulator files`` that are about teams, folders, people and groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from tokensync.cli import options
from tokensync.cli.emulator.state import on_state

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.emulator import Emulator

_NOBODY = "none"
_ACCESS = click.Choice(["team", "view", "invite"])


@click.command("team")
@click.argument("name")
@click.option("--plan", metavar="WORD", default="enterprise", help="starter, professional, organization, enterprise.")
@on_state
@options.console
def team_(name: str, plan: str, console: Console, emulator: Emulator) -> None:
    """Create a team and print its id."""
    console.result(emulator.places.create_team(name, plan=plan))


@click.command("team-plan")
@click.argument("team")
@click.argument("plan")
@on_state
@options.console
def team_plan(team: str, plan: str, console: Console, emulator: Emulator) -> None:
    """Set the plan of TEAM, given by its id. Its files keep their own plans."""
    emulator.places.set_team_plan(team, plan)
    console.say(f"team {team} is on the plan {plan}")


@click.command("folder")
@click.argument("name")
@click.option("--team", metavar="ID", default="1", show_default=True)
@click.option("--parent", metavar="ID", help="The parent folder; by default the team itself.")
@click.option(
    "--access",
    type=_ACCESS,
    default="team",
    help="Who has access: the team, the team with view access, or invited people.",
)
@on_state
@options.console
def folder_(name: str, console: Console, emulator: Emulator, **settings: Any) -> None:
    """Create a folder and print its id."""
    console.result(emulator.places.create_folder(name, **settings))


@click.command("audience")
@click.argument("folder")
@click.argument("access", type=_ACCESS)
@on_state
@options.console
def audience(folder: str, access: str, console: Console, emulator: Emulator) -> None:
    """Set who has access to FOLDER. The team, the team with view access, or invited people."""
    emulator.places.set_access(folder, access)
    console.say(f"folder {folder}: {access}")


@click.command("places")
@options.json
@on_state
@options.console
def places_(console: Console, emulator: Emulator, as_json: bool) -> None:
    """List teams with their folders as a tree."""
    from tokensync.commands.emulator import placed

    if as_json:
        console.json(
            {
                "teams": [each._asdict() for each in emulator.places.teams()],
                "folders": [each._asdict() for each in emulator.places.folders()],
            }
        )
        return
    console.result(*placed(emulator))


@click.command("access")
@click.argument("folder")
@click.argument("member")
@click.argument("role", metavar="owner|editor|viewer|none")
@on_state
@options.console
def access_(folder: str, member: str, role: str, console: Console, emulator: Emulator) -> None:
    """Set the role of a user or group in a folder. MEMBER is the id of either; the role applies to FOLDER and
    those below it, and none shuts a user out.
    """
    emulator.sharing.share(folder, member, _role(role))
    console.say(f"{member}: {role} in folder {folder}")


@click.command("member")
@click.argument("team")
@click.argument("user")
@click.argument("role", metavar="owner|editor|viewer|none")
@on_state
@options.console
def member_(team: str, user: str, role: str, console: Console, emulator: Emulator) -> None:
    """Add USER to TEAM, both given by id. The role none removes the user."""
    emulator.sharing.set_team_role(team, user, _role(role))
    console.say(f"{user}: {role} in team {team}")


@click.command("user")
@click.argument("handle")
@click.option("--account", metavar="SEAT", default="full", show_default=True, help="full, dev, collab, view or guest.")
@click.option(
    "--permission", metavar="WORD", default="editor", show_default=True, help="The permission on files, or none."
)
@click.option("--admin", is_flag=True, help="Make the user an admin of the organization.")
@on_state
@options.console
def user_(handle: str, permission: str, console: Console, emulator: Emulator, **settings: Any) -> None:
    """Create a user and print the id. For a token, use emulator tokens create --user."""
    console.result(emulator.people.create(handle, permission=_role(permission), **settings))


@click.command("users")
@options.json
@on_state
@options.console
def users_(console: Console, emulator: Emulator, as_json: bool) -> None:
    """List users."""
    people = emulator.people.all()
    if as_json:
        console.json([each._asdict() for each in people])
        return
    rows = [(each.id, each.handle, each.account, each.permission or _NOBODY, "admin" * each.admin) for each in people]
    console.table(("ID", "HANDLE", "SEAT", "PERMISSION", ""), *rows)


@click.command("group")
@click.argument("name")
@click.argument("users", nargs=-1, metavar="[USER]...")
@on_state
@options.console
def group_(name: str, users: tuple[str, ...], console: Console, emulator: Emulator) -> None:
    """Create a group of users and print its id. Users are given by their ids."""
    console.result(emulator.sharing.create_group(name, users))


def _role(word: str) -> str | None:
    return None if word == _NOBODY else word


COMMANDS: Final = (
    *(team_, team_plan, folder_, audience, places_),
    *(access_, member_, user_, users_, group_),
)
