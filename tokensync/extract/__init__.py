"""Client to snapshot: what the platform says about one file, and what options leave out of it."""

from tokensync.extract.pulling import extract
from tokensync.extract.withholding import withhold

__all__ = ["extract", "withhold"]
