"""CSS custom properties."""

from tokensync.generate.request import Target
from tokensync.targets.css.naming import NAMING
from tokensync.targets.css.options import CssOptions

TARGET = Target("css", "CSS custom properties", CssOptions, naming=NAMING, syntax="WEB")
