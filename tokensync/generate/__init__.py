"""The code generation engine that all targets share."""

from tokensync.generate.request import OutputFile, OutputRequest, Selection, Target, declared_tokens
from tokensync.generate.resolution import Resolution

__all__ = ["OutputFile", "OutputRequest", "Resolution", "Selection", "Target", "declared_tokens"]
