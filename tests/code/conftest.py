"""Run each test in its own working folder, without the user's environment variables."""

from commands.conftest import folder

__all__ = ["folder"]
