"""``tokensync emulator files``, ``assets`` and ``variables``: files, folders, users and published assets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.cli.emulator.accounts import NO_ROLE, role_of
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.cli.console import Console
    from tokensync.emulator import Emulator
    from tokensync.emulator.files import File


@click.group("files", cls=options.Group)
def files() -> None:
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


@files.command("create")
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


@files.command("list")
@options.json
@options.emulator
def list_files(console: Console, emulator: Emulator, as_json: bool) -> None:
    """List files with their folders, editors and plans."""
    files = emulator.files.all()
    if as_json:
        console.json([_document(each, files) for each in files])
        return
    rows = [("KEY", "NAME", "EDITOR", "PLAN", "FOLDER", "VERSION", "BRANCH OF"), *(_row(each, files) for each in files)]
    console.table(*rows)


@files.command("branch")
@click.argument("file")
@click.argument("branch")
@click.option("--name", metavar="TEXT", default="Branch", show_default=True, help="The branch's name.")
@options.emulator
def branch_(file: str, branch: str, name: str, console: Console, emulator: Emulator) -> None:
    """Create a branch of FILE with the same content. BRANCH is the key of the branch."""
    emulator.files.branch(options.file_key(emulator, file), branch, name=name)
    console.info(f"created {branch}, a branch of {file}")


@files.command("plan")
@click.argument("file")
@click.argument("plan")
@options.emulator
def plan_(file: str, plan: str, console: Console, emulator: Emulator) -> None:
    """Set the plan of a file. PLAN is starter, professional, organization or enterprise."""
    emulator.files.set_plan(options.file_key(emulator, file), plan)
    console.info(f"{file} is on the plan {plan}")


@files.command("editor")
@click.argument("file")
@click.argument("editor")
@options.emulator
def editor_(file: str, editor: str, console: Console, emulator: Emulator) -> None:
    """Set the editor of a file. EDITOR is figma, figjam, slides, buzz, sites or make."""
    emulator.files.set_editor(options.file_key(emulator, file), editor)
    console.info(f"{file} is a {editor} file")


@files.command("move")
@click.argument("file")
@click.argument("folder")
@options.emulator
def move(file: str, folder: str, console: Console, emulator: Emulator) -> None:
    """Move a file to FOLDER. FOLDER is an id."""
    emulator.files.move(options.file_key(emulator, file), folder)
    console.info(f"{file} is in folder {folder}")


@files.command("document")
@click.argument("file")
@click.argument("path", required=False, type=click.Path(), metavar="[DOCUMENT]")
@options.emulator
def document_(file: str, path: str | None, console: Console, emulator: Emulator) -> None:
    """Replace the layers of a file. DOCUMENT is a JSON file: a DOCUMENT node, or a saved response of GET v1/files/:key.

    Without DOCUMENT, restore the page that is generated from the file's variables.
    """
    from tokensync.commands.emulator import read_document

    emulator.files.set_document(options.file_key(emulator, file), None if path is None else read_document(path))
    console.info(f"{file} has {'the page generated from its variables' if path is None else f'the layers of {path}'}")


@files.command("largest-answer")
@click.argument("size", type=int, metavar="BYTES")
@options.emulator
def largest_answer(size: int, console: Console, emulator: Emulator) -> None:
    """Refuse responses with layers that exceed BYTES. Clients reduce the size with the parameters ids and depth."""
    emulator.files.set_largest_answer(size)
    console.info(f"responses with layers are limited to {size:,} bytes")


@files.command("version")
@click.argument("file")
@click.option("--label", metavar="TEXT", help="The version's name; only named versions notify webhooks.")
@click.option("--description", metavar="TEXT", help="The description.")
@options.emulator
def version_(file: str, label: str | None, description: str | None, console: Console, emulator: Emulator) -> None:
    """Save a file's current state as a version. Prints its id."""
    console.result(emulator.versions.save(options.file_key(emulator, file), label, description))


@files.command("comment")
@click.argument("file")
@click.argument("message")
@click.option("--reply-to", metavar="ID", help="The comment to reply to.")
@click.option("--user", metavar="ID", help="The author (default: the first user).")
@options.emulator
def comment_(file: str, message: str, console: Console, emulator: Emulator, **settings: Any) -> None:
    """Comment on a file. Prints the comment's id."""
    console.result(emulator.comments.add(options.file_key(emulator, file), message, **options.specified(settings)))


@files.command("resolve")
@click.argument("file")
@click.argument("comment")
@options.emulator
def resolve(file: str, comment: str, console: Console, emulator: Emulator) -> None:
    """Mark a comment as resolved."""
    emulator.comments.resolve(options.file_key(emulator, file), comment)
    console.info(f"comment {comment} is resolved")


@files.command("team")
@click.argument("name")
@_plan
@options.emulator
def team_(name: str, plan: str, console: Console, emulator: Emulator) -> None:
    """Create a team and print its id."""
    console.result(emulator.places.create_team(name, plan=plan))


@files.command("team-plan")
@click.argument("team")
@click.argument("plan")
@options.emulator
def team_plan(team: str, plan: str, console: Console, emulator: Emulator) -> None:
    """Set the plan of TEAM. TEAM is an id; the team's files keep their own plans."""
    emulator.places.set_team_plan(team, plan)
    console.info(f"team {team} is on the plan {plan}")


@files.command("folder")
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


@files.command("audience")
@click.argument("folder")
@click.argument("access", type=_ACCESS)
@options.emulator
def audience(folder: str, access: str, console: Console, emulator: Emulator) -> None:
    """Set who has access to FOLDER. ACCESS is team, view (the team with view access) or invite."""
    emulator.places.set_access(folder, access)
    console.info(f"folder {folder}: {access}")


@files.command("places")
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


@files.command("access")
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


@files.command("member")
@click.argument("team")
@click.argument("user")
@_role
@options.emulator
def member_(team: str, user: str, role: str, console: Console, emulator: Emulator) -> None:
    """Add USER to TEAM. Both are ids; the role none removes the user."""
    emulator.sharing.set_team_role(team, user, role_of(role))
    console.info(f"{user}: {role} in team {team}")


@files.command("user")
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


@files.command("users")
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


@files.command("group")
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


_KINDS = ("component", "component-set", "style")
_COUNTED = ("component", "style", "variable")


@click.group("library", cls=options.Group)
def assets() -> None:
    """Manage components and styles of files, and their usage."""


@assets.command("add")
@click.argument("kind", type=click.Choice(_KINDS))
@click.argument("file", metavar="FILE")
@click.argument("name", metavar="NAME")
@click.option("--description", default="", metavar="TEXT", help="The description.")
@click.option("--set", "component_set", metavar="KEY", help="The component set of a component.")
@click.option(
    "--type", "style_type", default="FILL", metavar="TYPE", help="A style's type: FILL, TEXT, EFFECT or GRID."
)
@options.emulator
def add(
    kind: str,
    file: str,
    name: str,
    description: str,
    component_set: str | None,
    style_type: Any,
    console: Console,
    emulator: Emulator,
) -> None:
    """Create a component, component set or style in FILE. Prints its key.

    Publish it with tokensync emulator publish.
    """
    libraries, file_key = emulator.libraries, options.file_key(emulator, file)
    if kind == "style":
        key = libraries.add_style(file_key, name, style_type, description=description)
    elif kind == "component":
        key = libraries.add_component(file_key, name, description=description, component_set=component_set)
    else:
        key = libraries.add_component_set(file_key, name, description=description)
    console.result(key)


@assets.command("change")
@click.argument("key", metavar="KEY")
@click.option("--name", metavar="NAME", help="The new name.")
@click.option("--description", metavar="TEXT", help="The new description.")
@options.emulator
def change(key: str, name: str | None, description: str | None, console: Console, emulator: Emulator) -> None:
    """Rename or describe a component, component set or style."""
    if name is None and description is None:
        raise click.UsageError("Nothing to change; give --name or --description.")
    emulator.libraries.change(key, name=name, description=description)
    console.info(f"changed {key}; publish the change with tokensync emulator publish")


@assets.command("drop")
@click.argument("key", metavar="KEY")
@options.emulator
def drop(key: str, console: Console, emulator: Emulator) -> None:
    """Delete a component, component set or style from its file."""
    emulator.libraries.drop(key)
    console.info(f"dropped {key}; publish the change with tokensync emulator publish")


@assets.command("sample")
@click.argument("file", metavar="FILE")
@click.option(
    "--components", type=click.IntRange(0, 100_000), default=12, show_default=True, help="The number of components."
)
@options.emulator
def sample(file: str, components: int, console: Console, emulator: Emulator) -> None:
    """Fill FILE with a sample library and publish it. Also invents usage figures."""
    file_key = options.file_key(emulator, file)
    created = emulator.libraries.sample(file_key, components=components)
    emulator.publish(file_key)
    used = emulator.analytics.sample(file_key)
    console.info(f"{file_key}: published {len(created)} components, sets and styles; {used} assets are in use")


@assets.command("use")
@click.argument("kind", type=click.Choice(_COUNTED))
@click.argument("library", metavar="FILE")
@click.argument("key", metavar="KEY")
@click.option("--in", "in_file", required=True, metavar="FILE", help="The file that uses the asset.")
@click.option("--usages", type=click.IntRange(0), default=1, show_default=True, help="The number of usages.")
@options.emulator
def use_asset(
    kind: Any, library: str, key: str, in_file: str, usages: int, console: Console, emulator: Emulator
) -> None:
    """Set how often a published asset is used in another file."""
    emulator.analytics.use(options.file_key(emulator, library), kind, key, options.file_key(emulator, in_file), usages)
    console.info(f"{in_file} uses {key} {counted(usages, 'time')}")


@assets.command("act")
@click.argument("kind", type=click.Choice(_COUNTED))
@click.argument("library", metavar="FILE")
@click.argument("key", metavar="KEY")
@click.option("--insertions", type=click.IntRange(0), default=0, metavar="N", help="The number of insertions.")
@click.option("--detachments", type=click.IntRange(0), default=0, metavar="N", help="The number of detachments.")
@click.option("--days-ago", type=click.IntRange(0), default=1, show_default=True, help="The age of the event in days.")
@click.option("--team", default="1", show_default=True, metavar="ID", help="The team of the users.")
@options.emulator
def act(
    kind: Any,
    library: str,
    key: str,
    insertions: int,
    detachments: int,
    days_ago: int,
    team: str,
    console: Console,
    emulator: Emulator,
) -> None:
    """Record insertions and detachments of a published asset."""
    counts = {"insertions": insertions, "detachments": detachments}
    emulator.analytics.act(options.file_key(emulator, library), kind, key, days_ago=days_ago, team=team, **counts)
    console.info(f"{key}: recorded {counted(insertions, 'insertion')} and {counted(detachments, 'detachment')}")


@click.group("variables", cls=options.Group)
def variables() -> None:
    """Use a library's variables in other files, and bind text. FILE and LIBRARY are keys, URLs or names of files."""


@variables.command("use")
@click.argument("file")
@click.argument("library")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options.json
@options.emulator
def use_variables(
    file: str, library: str, names: tuple[str, ...], as_json: bool, console: Console, emulator: Emulator
) -> None:
    """Let FILE use published variables of LIBRARY. Prints their remote ids.

    NAME is a name, a key or an id (default: all variables).
    """
    ids = emulator.variables.use(options.file_key(emulator, file), options.file_key(emulator, library), *names)
    if as_json:
        console.json(list(ids))
    else:
        console.result(*ids)


@variables.command("update")
@click.argument("file")
@click.argument("library")
@options.emulator
def update_variables(file: str, library: str, console: Console, emulator: Emulator) -> None:
    """Update FILE to the latest publication of LIBRARY."""
    updated = emulator.variables.update(options.file_key(emulator, file), options.file_key(emulator, library))
    console.info(f"updated {counted(updated, 'variable')} in {file}")


@variables.command("bind-font")
@click.argument("file")
@click.argument("variable_id", metavar="ID")
@click.option("--unbind", is_flag=True, help="Remove the binding.")
@options.emulator
def bind_font(file: str, variable_id: str, unbind: bool, console: Console, emulator: Emulator) -> None:
    """Bind text in a shared font to a string variable. Requests can then no longer update the variable."""
    emulator.variables.bind_to_shared_font(options.file_key(emulator, file), variable_id, bound=not unbind)
    console.info(f"{'unbound' if unbind else 'bound'} {variable_id} in {file}")
