"""Every test here has a working folder of its own and an environment without settings of the user's."""

from commands.conftest import folder

__all__ = ["folder"]
