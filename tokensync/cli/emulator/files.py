"""``tokensync emulator files``: files and their content, folders and teams, users and permissions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.cli.emulator.accounts import NO_ROLE, role_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.cli.console import Console
    from tokensync.emulator import Emulator
    from tokensync.emulator.files import File


@click.group("files", cls=options.Group)
def command() -> None:
    """Set up files, folders, teams and users. FILE is the key, the URL or the name of a file."""


_plan = click.option(
    "--plan",
    metavar="PLAN",
    default="enterprise",
    show_default=True,
    help="starter, professional, organization or enterprise.",
)
_role = click.argument("role", metavar="owner|editor|viewer|none")
_ACCESS = click.Choice(["team", "view", "invite"])


@command.command("create")
@click.argument("key")
@click.option("--name", metavar="TEXT", default="Untitled", show_default=True, help="The file's name.")
@click.option(
    "--editor", metavar="EDITOR", default="figma", show_default=True, help="figma, figjam, slides, buzz, sites or make."
)
@_plan
@click.option("--folder", metavar="ID", default="1", show_default=True, help="The folder of the file.")
@options.emulator
def create(key: str, console: Console, emulator: Emulator, **settings: Any) -> None:
    """Create an empty file. For a file with variables, use emulator seed."""
    emulator.files.create(key, **settings)
    console.info(f"created {key}")


@command.command("list")
@options.json
@options.emulator
def list_(console: Console, emulator: Emulator, as_json: bool) -> None:
    """List files with their folders, editors and plans."""
    files = emulator.files.all()
    if as_json:
        console.json([_document(each, files) for each in files])
        return
    rows = [("KEY", "NAME", "EDITOR", "PLAN", "FOLDER", "VERSION", "BRANCH OF"), *(_row(each, files) for each in files)]
    console.table(*rows)


@command.command("branch")
@click.argument("file")
@click.argument("branch")
@click.option("--name", metavar="TEXT", default="Branch", show_default=True, help="The branch's name.")
@options.emulator
def branch_(file: str, branch: str, name: str, console: Console, emulator: Emulator) -> None:
    """Create a branch of FILE with the same content. BRANCH is the key of the branch."""
    emulator.files.branch(options.file_key(emulator, file), branch, name=name)
    console.info(f"created {branch}, a branch of {file}")


@command.command("plan")
@click.argument("file")
@click.argument("plan")
@options.emulator
def plan_(file: str, plan: str, console: Console, emulator: Emulator) -> None:
    """Set the plan of a file. PLAN is starter, professional, organization or enterprise."""
    emulator.files.set_plan(options.file_key(emulator, file), plan)
    console.info(f"{file} is on the plan {plan}")


@command.command("editor")
@click.argument("file")
@click.argument("editor")
@options.emulator
def editor_(file: str, editor: str, console: Console, emulator: Emulator) -> None:
    """Set the editor of a file. EDITOR is figma, figjam, slides, buzz, sites or make."""
    emulator.files.set_editor(options.file_key(emulator, file), editor)
    console.info(f"{file} is a {editor} file")


@command.command("move")
@click.argument("file")
@click.argument("folder")
@options.emulator
def move(file: str, folder: str, console: Console, emulator: Emulator) -> None:
    """Move a file to FOLDER. FOLDER is an id."""
    emulator.files.move(options.file_key(emulator, file), folder)
    console.info(f"{file} is in folder {folder}")


@command.command("document")
@click.argument("file")
@click.argument("path", required=False, metavar="[DOCUMENT]")
@options.emulator
def document_(file: str, path: str | None, console: Console, emulator: Emulator) -> None:
    """Replace the layers of a file. DOCUMENT is a JSON file: a DOCUMENT node, or a saved response of GET v1/files/:key.

    Without DOCUMENT, restore the page that is generated from the file's variables.
    """
    from tokensync.commands.emulator import read_document

    emulator.files.set_document(options.file_key(emulator, file), None if path is None else read_document(path))
    console.info(f"{file} has {'the page generated from its variables' if path is None else f'the layers of {path}'}")


@command.command("largest-answer")
@click.argument("size", type=int, metavar="BYTES")
@options.emulator
def largest_answer(size: int, console: Console, emulator: Emulator) -> None:
    """Refuse responses with layers that exceed BYTES. Clients reduce the size with the parameters ids and depth."""
    emulator.files.set_largest_answer(size)
    console.info(f"responses with layers are limited to {size:,} bytes")


@command.command("version")
@click.argument("file")
@click.option("--label", metavar="TEXT", help="The version's name; only named versions notify webhooks.")
@click.option("--description", metavar="TEXT", help="The description.")
@options.emulator
def version_(file: str, label: str | None, description: str | None, console: Console, emulator: Emulator) -> None:
    """Save a file's current state as a version. Prints its id."""
    console.result(emulator.versions.save(options.file_key(emulator, file), label, description))


@command.command("comment")
@click.argument("file")
@click.argument("message")
@click.option("--reply-to", metavar="ID", help="The comment to reply to.")
@click.option("--user", metavar="ID", help="The author (default: the first user).")
@options.emulator
def comment_(file: str, message: str, console: Console, emulator: Emulator, **settings: Any) -> None:
    """Comment on a file. Prints the comment's id."""
    console.result(emulator.comments.add(options.file_key(emulator, file), message, **options.specified(settings)))


@command.command("resolve")
@click.argument("file")
@click.argument("comment")
@options.emulator
def resolve(file: str, comment: str, console: Console, emulator: Emulator) -> None:
    """Mark a comment as resolved."""
    emulator.comments.resolve(options.file_key(emulator, file), comment)
    console.info(f"comment {comment} is resolved")


@command.command("team")
@click.argument("name")
@_plan
@options.emulator
def team_(name: str, plan: str, console: Console, emulator: Emulator) -> None:
    """Create a team and print its id."""
    console.result(emulator.places.create_team(name, plan=plan))


@command.command("team-plan")
@click.argument("team")
@click.argument("plan")
@options.emulator
def team_plan(team: str, plan: str, console: Console, emulator: Emulator) -> None:
    """Set the plan of TEAM. TEAM is an id; the team's files keep their own plans."""
    emulator.places.set_team_plan(team, plan)
    console.info(f"team {team} is on the plan {plan}")


@command.command("folder")
@click.argument("name")
@click.option("--team", metavar="ID", default="1", show_default=True, help="The folder's team.")
@click.option("--parent", metavar="ID", help="The parent folder (default: the top of the team).")
@click.option(
    "--access",
    type=_ACCESS,
    default="team",
    show_default=True,
    help="Who has access: the team, the team with view access, or invited users.",
)
@options.emulator
def folder_(name: str, console: Console, emulator: Emulator, **settings: Any) -> None:
    """Create a folder and print its id."""
    console.result(emulator.places.create_folder(name, **settings))


@command.command("audience")
@click.argument("folder")
@click.argument("access", type=_ACCESS)
@options.emulator
def audience(folder: str, access: str, console: Console, emulator: Emulator) -> None:
    """Set who has access to FOLDER. ACCESS is team, view (the team with view access) or invite."""
    emulator.places.set_access(folder, access)
    console.info(f"folder {folder}: {access}")


@command.command("places")
@options.json
@options.emulator
def places_(console: Console, emulator: Emulator, as_json: bool) -> None:
    """List teams and their folders as a tree."""
    from tokensync.commands.emulator import folder_tree

    if as_json:
        console.json(
            {
                "teams": [each._asdict() for each in emulator.places.teams()],
                "folders": [each._asdict() for each in emulator.places.folders()],
            }
        )
        return
    console.result(*folder_tree(emulator))


@command.command("access")
@click.argument("folder")
@click.argument("member")
@_role
@options.emulator
def access_(folder: str, member: str, role: str, console: Console, emulator: Emulator) -> None:
    """Set the role of a user or group in FOLDER. MEMBER is an id.

    The role also applies to nested folders; none denies access.
    """
    emulator.sharing.share(folder, member, role_of(role))
    console.info(f"{member}: {role} in folder {folder}")


@command.command("member")
@click.argument("team")
@click.argument("user")
@_role
@options.emulator
def member_(team: str, user: str, role: str, console: Console, emulator: Emulator) -> None:
    """Add USER to TEAM. Both are ids; the role none removes the user."""
    emulator.sharing.set_team_role(team, user, role_of(role))
    console.info(f"{user}: {role} in team {team}")


@command.command("user")
@click.argument("handle")
@click.option(
    "--account", metavar="SEAT", default="full", show_default=True, help="The seat: full, dev, collab, view or guest."
)
@click.option("--permission", metavar="ROLE", default="editor", show_default=True, help="The role on files, or none.")
@click.option("--admin", is_flag=True, help="Make the user an admin of the organization.")
@options.emulator
def user_(handle: str, permission: str, console: Console, emulator: Emulator, **settings: Any) -> None:
    """Create a user and print its id. To create a token for it, use emulator tokens create --user."""
    console.result(emulator.people.create(handle, permission=role_of(permission), **settings))


@command.command("users")
@options.json
@options.emulator
def users_(console: Console, emulator: Emulator, as_json: bool) -> None:
    """List users."""
    people = emulator.people.all()
    if as_json:
        console.json([each._asdict() for each in people])
        return
    rows = [(each.id, each.handle, each.account, each.permission or NO_ROLE, "admin" * each.admin) for each in people]
    console.table(("ID", "HANDLE", "SEAT", "PERMISSION", ""), *rows)


@command.command("group")
@click.argument("name")
@click.argument("users", nargs=-1, metavar="[USER]...")
@options.emulator
def group_(name: str, users: tuple[str, ...], console: Console, emulator: Emulator) -> None:
    """Create a group of users and print its id. USER is an id."""
    console.result(emulator.sharing.create_group(name, users))


def _main_key(file: File, files: Sequence[File]) -> str | None:
    return next((each.key for each in files if each.number == file.main), None)


def _row(file: File, files: Sequence[File]) -> tuple[str, ...]:
    main = _main_key(file, files) or ""
    return (file.key, file.name, file.editor, file.plan, file.folder, str(file.version), main)


def _document(file: File, files: Sequence[File]) -> dict[str, Any]:
    from tokensync.emulator.endpoints import timestamp

    return {
        "key": file.key,
        "name": file.name,
        "editor": file.editor,
        "plan": file.plan,
        "folder": file.folder,
        "version": file.version,
        "branch_of": _main_key(file, files),
        "last_modified": timestamp(file.modified),
    }
