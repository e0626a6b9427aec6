"""``tokensync emulator library`` and ``tokensync emulator variables``: published assets and their usage."""

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
