"""Token graph to output files: one module a target, its literals, and what all targets share."""

from tokensync.generate.request import OutputFile, OutputRequest, Selection
from tokensync.generate.resolution import Resolution
from tokensync.generate.selection import declared_tokens
from tokensync.generate.targets import TARGETS, generate

__all__ = ["TARGETS", "OutputFile", "OutputRequest", "Resolution", "Selection", "declared_tokens", "generate"]
