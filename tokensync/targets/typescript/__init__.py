"""An ES module of all values, with its types."""

from tokensync.generate.request import Target
from tokensync.targets.typescript.naming import NAMING
from tokensync.targets.typescript.options import TypescriptOptions

TARGET = Target("typescript", "an ES module with types", TypescriptOptions, naming=NAMING)
