"""The version, which the build backend and every room read from here."""

__version__ = "0.1.0"
