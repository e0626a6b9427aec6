"""Android resources."""

from tokensync.generate.request import Target
from tokensync.targets.android.naming import NAMING
from tokensync.targets.android.options import AndroidOptions

TARGET = Target("android", "Android resources", AndroidOptions, naming=NAMING, syntax="ANDROID")
