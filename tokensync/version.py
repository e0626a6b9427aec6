"""The version of tokensync, also for the build backend."""

__version__ = "0.1.0"
