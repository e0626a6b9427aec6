"""In-process emulation of Figma's REST API."""

from tokensync.emulator.application import Emulator

__all__ = ["Emulator"]
