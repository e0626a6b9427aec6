"""A document of all tokens for any program."""

from tokensync.generate.request import Target
from tokensync.targets.json.options import JsonOptions

TARGET = Target("json", "a JSON document", JsonOptions)
