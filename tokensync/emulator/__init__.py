"""The platform in a process: every endpoint with its rules, on state of its own."""

from tokensync.emulator.application import Emulator

__all__ = ["Emulator"]
