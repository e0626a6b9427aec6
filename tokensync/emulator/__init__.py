"""The platform in a process: its variables endpoints with their rules, on state of its own (platform-api.md 4.3)."""

from tokensync.emulator.application import Emulator

__all__ = ["Emulator"]
