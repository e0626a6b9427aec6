"""The version of tokensync, also for the build backend, and the address of its documentation."""

__version__ = "0.2.0"
DOCUMENTATION = "https://tokensync.readthedocs.io/en/stable/"
