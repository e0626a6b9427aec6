"""An asset catalog and Swift."""

from tokensync.generate.request import Target
from tokensync.targets.ios.naming import NAMING
from tokensync.targets.ios.options import IosOptions

TARGET = Target("ios", "an asset catalog and Swift", IosOptions, naming=NAMING, syntax="iOS")
