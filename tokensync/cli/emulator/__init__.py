"""``tokensync emulator``, one file a group of its commands."""

from tokensync.cli.emulator.group import command

__all__ = ["command"]
