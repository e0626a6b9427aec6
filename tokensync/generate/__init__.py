"""The engine of generation: what the targets share between a token graph and their files."""

from tokensync.generate.request import OutputFile, OutputRequest, Selection, declared_tokens
from tokensync.generate.resolution import Resolution
from tokensync.generate.target import Target

__all__ = ["OutputFile", "OutputRequest", "Resolution", "Selection", "Target", "declared_tokens"]
