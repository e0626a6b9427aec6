"""``tokensync emulator files``: files and what is in them, where they are, and who may see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.cli.emulator import places
from tokensync.cli.emulator.state import key_of, on_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.cli.console import Console
    from tokensync.emulator import Emulator
    from tokensync.emulator.filing.files import File


@click.group("files")
def command() -> None:
    """Set up files, folders, teams and people. Covers every state that a request can depend on.

    FILE is the key, the URL or the name of a file.
    """


for each in places.COMMANDS:
    command.add_command(each)


@command.command("create")
@click.argument("key")
@click.option("--name", metavar="TEXT", default="Untitled", show_default=True)
@click.option("--editor", metavar="WORD", default="figma", help="figma, figjam, slides, buzz, sites or make.")
@click.option("--plan", metavar="WORD", default="enterprise", help="starter, professional, organization, enterprise.")
@click.option("--folder", metavar="ID", default="1", help="The folder it is in.")
@on_state
@options.console
def create(key: str, console: Console, emulator: Emulator, **settings: Any) -> None:
    """Create an empty file. For a file with variables, use emulator seed."""
    emulator.files.create(key, **settings)
    console.say(f"made {key}")


@command.command("list")
@options.json
@on_state
@options.console
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
@click.option("--name", metavar="TEXT", default="Branch", show_default=True)
@on_state
@options.console
def branch_(file: str, branch: str, name: str, console: Console, emulator: Emulator) -> None:
    """Create a branch of FILE with the same content. BRANCH is its key."""
    emulator.files.branch(key_of(emulator, file), branch, name=name)
    console.say(f"made {branch}, a branch of {file}")


@command.command("plan")
@click.argument("file")
@click.argument("plan")
@on_state
@options.console
def plan_(file: str, plan: str, console: Console, emulator: Emulator) -> None:
    """Set the plan of a file. PLAN is starter, professional, organization or enterprise."""
    emulator.files.set_plan(key_of(emulator, file), plan)
    console.say(f"{file} is on the plan {plan}")


@command.command("editor")
@click.argument("file")
@click.argument("editor")
@on_state
@options.console
def editor_(file: str, editor: str, console: Console, emulator: Emulator) -> None:
    """Set the editor of a file. EDITOR is figma, figjam, slides, buzz, sites or make."""
    emulator.files.set_editor(key_of(emulator, file), editor)
    console.say(f"{file} is a file of {editor}")


@command.command("move")
@click.argument("file")
@click.argument("folder")
@on_state
@options.console
def move(file: str, folder: str, console: Console, emulator: Emulator) -> None:
    """Move a file into FOLDER, given by its id."""
    emulator.files.move(key_of(emulator, file), folder)
    console.say(f"{file} is in folder {folder}")


@command.command("document")
@click.argument("file")
@click.argument("path", required=False, metavar="[DOCUMENT]")
@on_state
@options.console
def document_(file: str, path: str | None, console: Console, emulator: Emulator) -> None:
    """Replace the layers of a file. DOCUMENT is a JSON file: a DOCUMENT node, or a saved response of GET v1/files/:key.

    Without DOCUMENT it gets back the page that is made up from its variables.
    """
    from tokensync.commands.emulator import read_document

    emulator.files.set_document(key_of(emulator, file), None if path is None else read_document(path))
    console.say(f"{file} has {'the page of its variables' if path is None else f'the layers of {path}'}")


@command.command("largest-answer")
@click.argument("size", type=int, metavar="BYTES")
@on_state
@options.console
def largest_answer(size: int, console: Console, emulator: Emulator) -> None:
    """Refuse responses with layers that are larger than BYTES. The parameters ids and depth make them smaller."""
    emulator.files.set_largest_answer(size)
    console.say(f"answers with layers have at most {size:,} bytes")


@command.command("version")
@click.argument("file")
@click.option("--label", metavar="TEXT", help="The version's name; webhooks are notified of named versions.")
@click.option("--description", metavar="TEXT")
@on_state
@options.console
def version_(file: str, label: str | None, description: str | None, console: Console, emulator: Emulator) -> None:
    """Save a file's current state as a version. Prints its id."""
    console.result(emulator.versions.save(key_of(emulator, file), label, description))


@command.command("comment")
@click.argument("file")
@click.argument("message")
@click.option("--reply-to", metavar="ID", help="The comment to reply to.")
@click.option("--user", metavar="ID", help="The author; by default the first user.")
@on_state
@options.console
def comment_(file: str, message: str, console: Console, emulator: Emulator, **settings: Any) -> None:
    """Comment on a file. Prints the comment's id."""
    given = {name: value for name, value in settings.items() if value is not None}
    console.result(emulator.comments.add(key_of(emulator, file), message, **given))


@command.command("resolve")
@click.argument("file")
@click.argument("comment")
@on_state
@options.console
def resolve(file: str, comment: str, console: Console, emulator: Emulator) -> None:
    """Mark a comment as resolved."""
    emulator.comments.resolve(key_of(emulator, file), comment)
    console.say(f"comment {comment} is resolved")


def _main_key(file: File, files: Sequence[File]) -> str | None:
    return next((each.key for each in files if each.number == file.main), None)


def _row(file: File, files: Sequence[File]) -> tuple[str, ...]:
    main = _main_key(file, files) or ""
    return (file.key, file.name, file.editor, file.plan, file.folder, str(file.version), main)


def _document(file: File, files: Sequence[File]) -> dict[str, Any]:
    from tokensync.emulator.endpoints.answers import timestamp

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
