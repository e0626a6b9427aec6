"""The commands ``emulator`` and ``demo``, which the emulator plugs into the command line."""
