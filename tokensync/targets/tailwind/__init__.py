"""Tailwind's ``@theme``."""

from tokensync.generate.request import Target
from tokensync.targets.tailwind.options import TailwindOptions

TARGET = Target("tailwind", "a Tailwind theme", TailwindOptions, names_of="css")
