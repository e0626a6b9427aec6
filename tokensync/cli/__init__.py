"""The command line: arguments in, text and an exit code out. One module for related commands, imported when one runs.

In: the arguments. Out: lines through ``console``, and a code. Begin with ``main`` (the list of commands, and exceptions
as messages), then the module of a command; ``options`` has what several share. The work is done in ``commands``.
"""
