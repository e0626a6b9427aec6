"""Kotlin for Jetpack Compose."""

from tokensync.generate.request import Target
from tokensync.targets.compose.naming import NAMING
from tokensync.targets.compose.options import ComposeOptions

TARGET = Target("compose", "Kotlin for Jetpack Compose", ComposeOptions, naming=NAMING, syntax="ANDROID")
