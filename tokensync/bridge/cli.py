"""``tokensync bridge``: connects the commands of a project with the plugin in Figma's editor."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from tokensync.cli import options

if TYPE_CHECKING:
    from tokensync.cli.console import Console

_MANIFEST = "manifest.json"
_FILES = {_MANIFEST: (_MANIFEST,), "code.js": ("engine.js", "styles.js", "messages.js"), "ui.html": ("ui.html",)}
"""The files of an installed plugin, and those in ``plugin/`` of which they are made."""


@click.command("bridge")
@click.option("--install", metavar="DIR", type=click.Path(), help="Write the plugin into this folder, and end.")
@click.option("--port", type=click.IntRange(1, 65535), default=9427, show_default=True, help="The plugin's port.")
@click.option("--complete", "way", flag_value="complete", help="Complete the request that is half done in the file.")
@click.option("--take-back", "way", flag_value="take back", help="Take back the request that is half done in the file.")
@options.config
@options.console
def bridge_command(install: str | None, port: int, way: str | None, config: str | None, console: Console) -> int:
    """Read and write variables through a plugin in Figma's editor. Needs no Enterprise plan.

    Runs until Ctrl-C. Meanwhile, pull, status, plan, apply and rollback of a project with base_url = "bridge:" work
    with the file that is open in Figma. Enter the code that is shown here in the plugin.
    """
    if install is not None:
        _install(install, port)
        console.info(f"wrote the plugin for port {port}; in Figma's desktop app, choose Plugins > Development >")
        console.info(f"Import plugin from manifest..., and {os.path.join(install, _MANIFEST)}")
        return 0
    from tokensync.bridge import DOOR, Bridged
    from tokensync.project.connection import state_folder

    project = options.load_project(config)
    folder = state_folder(project)
    if way is not None:
        left = Bridged(os.path.join(folder, DOOR)).finish(way)
        console.info(f"the request is {'completed' if way == 'complete' else 'taken back'}")
        for thing in left:
            console.caveat(f"left as somebody has changed it: {thing}")
        return 0
    _serve(os.path.basename(os.path.abspath(project.folder)), os.path.join(folder, DOOR), port, console)
    return 0


def _install(folder: str, port: int) -> None:
    """Write the plugin. Raises UsageError for a folder with another plugin."""
    from tokensync.system.disk import content_of, replace_file
    from tokensync.system.errors import UsageError
    from tokensync.system.resources import plugin_source

    present = content_of(os.path.join(folder, _MANIFEST))
    if present is not None and b'"tokensync-bridge"' not in present:
        raise UsageError(f"{os.path.join(folder, _MANIFEST)}: this is another plugin; use another folder")
    for name, parts in _FILES.items():
        content = plugin_source(*parts).replace("localhost:PORT", f"localhost:{port}")
        replace_file(os.path.join(folder, name), content.encode())


def _serve(project: str, door: str, port: int, console: Console) -> None:
    import msgspec

    from tokensync.bridge import Bridged, Door
    from tokensync.bridge.server import Bridge, listening
    from tokensync.system.disk import remove_file, replace_file
    from tokensync.system.errors import UsageError

    with suppress(UsageError):  # no bridge, or what a killed one has left
        Bridged(door).refuse_second()

    bridge = Bridge(project, console.caveat)
    with listening(bridge, port):
        replace_file(door, msgspec.json.encode(Door(port, bridge.secret)), private=True)
        try:
            options.end_as_by_ctrl_c()
            console.result(f"code  {bridge.code}")
            console.info(
                f"listening on port {port} of this machine; enter the code in the plugin; Ctrl-C ends the bridge"
            )
            with suppress(KeyboardInterrupt):  # the regular end
                while True:
                    time.sleep(0.05)
        finally:
            with suppress(FileNotFoundError):
                remove_file(door)
