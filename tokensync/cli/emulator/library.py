"""``tokensync emulator library``: what a file publishes beside variables, and how all of it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.cli.emulator.state import key_of, on_state
from tokensync.wording import counted

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.emulator import Emulator

_KINDS = ("component", "component-set", "style")
_COUNTED = ("component", "style", "variable")


@click.group("library")
def command() -> None:
    """Manage components and styles of files, and their usage."""


@command.command("add")
@click.argument("kind", type=click.Choice(_KINDS))
@click.argument("file", metavar="FILE")
@click.argument("name", metavar="NAME")
@click.option("--description", default="", metavar="TEXT", help="The description.")
@click.option("--set", "component_set", metavar="KEY", help="The component set that a component is a variant of.")
@click.option(
    "--type", "style_type", default="FILL", metavar="TYPE", help="A style's type: FILL, TEXT, EFFECT or GRID."
)
@on_state
@options.console
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
    libraries, file_key = emulator.libraries, key_of(emulator, file)
    if kind == "style":
        key = libraries.add_style(file_key, name, style_type, description=description)
    elif kind == "component":
        key = libraries.add_component(file_key, name, description=description, component_set=component_set)
    else:
        key = libraries.add_component_set(file_key, name, description=description)
    console.result(key)


@command.command("change")
@click.argument("key", metavar="KEY")
@click.option("--name", metavar="NAME", help="The new name.")
@click.option("--description", metavar="TEXT", help="The new description.")
@on_state
@options.console
def change(key: str, name: str | None, description: str | None, console: Console, emulator: Emulator) -> None:
    """Rename or describe a component, component set or style."""
    if name is None and description is None:
        raise click.UsageError("There is nothing to change; give --name or --description.")
    emulator.libraries.change(key, name=name, description=description)
    console.say(f"changed {key}; tokensync emulator publish publishes that")


@command.command("drop")
@click.argument("key", metavar="KEY")
@on_state
@options.console
def drop(key: str, console: Console, emulator: Emulator) -> None:
    """Delete a component, component set or style in its file."""
    emulator.libraries.drop(key)
    console.say(f"dropped {key}; tokensync emulator publish publishes that")


@command.command("sample")
@click.argument("file", metavar="FILE")
@click.option("--components", type=click.IntRange(0, 100_000), default=12, show_default=True, help="How many.")
@on_state
@options.console
def sample(file: str, components: int, console: Console, emulator: Emulator) -> None:
    """Fill FILE with a sample library and publish it. FILE is a key, URL or name; usage figures are invented."""
    file_key = key_of(emulator, file)
    made = emulator.libraries.sample(file_key, components=components)
    emulator.publish(file_key)
    used = emulator.analytics.sample(file_key)
    console.say(f"{file_key} publishes {len(made)} components, sets and styles; {used} of all its things are used")


@command.command("use")
@click.argument("kind", type=click.Choice(_COUNTED))
@click.argument("library", metavar="FILE")
@click.argument("key", metavar="KEY")
@click.option("--in", "in_file", required=True, metavar="FILE", help="The file that uses it.")
@click.option("--usages", type=click.IntRange(0), default=1, show_default=True, help="The number of usages.")
@on_state
@options.console
def use(kind: Any, library: str, key: str, in_file: str, usages: int, console: Console, emulator: Emulator) -> None:
    """Set how often a published asset is used in another file."""
    emulator.analytics.use(key_of(emulator, library), kind, key, key_of(emulator, in_file), usages)
    console.say(f"{in_file} uses {key} {counted(usages, 'time')}")


@command.command("act")
@click.argument("kind", type=click.Choice(_COUNTED))
@click.argument("library", metavar="FILE")
@click.argument("key", metavar="KEY")
@click.option("--insertions", type=click.IntRange(0), default=0, metavar="N", help="The number of insertions.")
@click.option("--detachments", type=click.IntRange(0), default=0, metavar="N", help="The number of detachments.")
@click.option(
    "--days-ago", type=click.IntRange(0), default=1, show_default=True, help="The day, counted back from today."
)
@click.option("--team", default="1", show_default=True, metavar="ID", help="The team of the people who did it.")
@on_state
@options.console
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
    emulator.analytics.act(key_of(emulator, library), kind, key, days_ago=days_ago, team=team, **counts)
    console.say(f"{key}: {insertions} more insertions and {detachments} more detachments")
