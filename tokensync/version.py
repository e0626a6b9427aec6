"""The version of tokensync, also for the build backend, and the address of its site."""

__version__ = "0.2.0"
SITE = ""
"""The address of the published documentation, with a slash at the end, once a maintainer owns it (CONTRIBUTING.md)."""
