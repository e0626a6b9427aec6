"""Sass variables and maps."""

from tokensync.generate.request import Target
from tokensync.targets.scss.naming import NAMING
from tokensync.targets.scss.options import ScssOptions

TARGET = Target("scss", "Sass variables and maps", ScssOptions, naming=NAMING, syntax="WEB")
