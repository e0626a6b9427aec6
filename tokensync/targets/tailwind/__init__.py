"""Tailwind's ``@theme``."""

from tokensync.generate.request import Target
from tokensync.targets.tailwind.options import TailwindOptions

TARGET = Target("tailwind", TailwindOptions, names_of="css")
