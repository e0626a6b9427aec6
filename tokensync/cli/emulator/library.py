"""``tokensync emulator library`` and ``tokensync emulator variables``: what a file publishes, and how it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.wording import counted

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.emulator import Emulator


_KINDS = ("component", "component-set", "style")
_COUNTED = ("component", "style", "variable")


@click.group("library")
def assets() -> None:
    """Manage components and styles of files, and their usage."""


@assets.command("add")
@click.argument("kind", type=click.Choice(_KINDS))
@click.argument("file", metavar="FILE")
@click.argument("name", metavar="NAME")
@click.option("--description", default="", metavar="TEXT", help="The description.")
@click.option("--set", "component_set", metavar="KEY", help="The component set that a component is a variant of.")
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
    """Create a component, component set or style in FILE. Prints its key; tokensync emulator publish publishes it."""
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
        raise click.UsageError("There is nothing to change; give --name or --description.")
    emulator.libraries.change(key, name=name, description=description)
    console.say(f"changed {key}; tokensync emulator publish publishes that")


@assets.command("drop")
@click.argument("key", metavar="KEY")
@options.emulator
def drop(key: str, console: Console, emulator: Emulator) -> None:
    """Delete a component, component set or style in its file."""
    emulator.libraries.drop(key)
    console.say(f"dropped {key}; tokensync emulator publish publishes that")


@assets.command("sample")
@click.argument("file", metavar="FILE")
@click.option("--components", type=click.IntRange(0, 100_000), default=12, show_default=True, help="How many.")
@options.emulator
def sample(file: str, components: int, console: Console, emulator: Emulator) -> None:
    """Fill FILE with a sample library and publish it. FILE is a key, URL or name; usage figures are invented."""
    file_key = options.file_key(emulator, file)
    made = emulator.libraries.sample(file_key, components=components)
    emulator.publish(file_key)
    used = emulator.analytics.sample(file_key)
    console.say(f"{file_key} publishes {len(made)} components, sets and styles; {used} of all its things are used")


@assets.command("use")
@click.argument("kind", type=click.Choice(_COUNTED))
@click.argument("library", metavar="FILE")
@click.argument("key", metavar="KEY")
@click.option("--in", "in_file", required=True, metavar="FILE", help="The file that uses it.")
@click.option("--usages", type=click.IntRange(0), default=1, show_default=True, help="The number of usages.")
@options.emulator
def use_asset(
    kind: Any, library: str, key: str, in_file: str, usages: int, console: Console, emulator: Emulator
) -> None:
    """Set how often a published asset is used in another file."""
    emulator.analytics.use(options.file_key(emulator, library), kind, key, options.file_key(emulator, in_file), usages)
    console.say(f"{in_file} uses {key} {counted(usages, 'time')}")


@assets.command("act")
@click.argument("kind", type=click.Choice(_COUNTED))
@click.argument("library", metavar="FILE")
@click.argument("key", metavar="KEY")
@click.option("--insertions", type=click.IntRange(0), default=0, metavar="N", help="The number of insertions.")
@click.option("--detachments", type=click.IntRange(0), default=0, metavar="N", help="The number of detachments.")
@click.option(
    "--days-ago", type=click.IntRange(0), default=1, show_default=True, help="The day, counted back from today."
)
@click.option("--team", default="1", show_default=True, metavar="ID", help="The team of the people who did it.")
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
    console.say(f"{key}: {insertions} more insertions and {detachments} more detachments")


@click.group("variables")
def variables() -> None:
    """Use a library's variables in other files, and bind text.

    FILE and LIBRARY are keys, URLs or names of files.
    """


@variables.command("use")
@click.argument("file")
@click.argument("library")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options.json
@options.emulator
def use_variables(
    file: str, library: str, names: tuple[str, ...], as_json: bool, console: Console, emulator: Emulator
) -> None:
    """Let a file use published variables of a library. By name, key or id; all without any. Shows their remote
    ids.
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
    """Update a file to the latest publication of a library."""
    updated = emulator.variables.update(options.file_key(emulator, file), options.file_key(emulator, library))
    console.say(f"updated {counted(updated, 'variable')} in {file}")


@variables.command("bind-font")
@click.argument("file")
@click.argument("variable_id", metavar="ID")
@click.option("--unbind", is_flag=True, help="Remove the binding.")
@options.emulator
def bind_font(file: str, variable_id: str, unbind: bool, console: Console, emulator: Emulator) -> None:
    """Bind text in a shared font to a string variable. Requests can no longer update that variable: the font is the
    organization's.
    """
    emulator.variables.bind_to_shared_font(options.file_key(emulator, file), variable_id, bound=not unbind)
    console.say(f"{'released' if unbind else 'bound'} {variable_id} in {file}")
