"""Write all that people and programs read: terminal, JSON, SARIF, annotations, Markdown, HTML, messages, scripts.

Every plain ``str`` is untrusted: it may come from a design file, a path or a server. Each outlet has a type of its own
(``Line``, ``Json``, ``Command``, ``Markdown``, ``Html``, ``Message``, ``Script``), which only the outlet's own
functions make from untrusted texts, and what writes to a stream accepts nothing else. So the type checker refuses a
text that is not escaped, and one that is escaped for another outlet. All outlets escape invisible characters by one
definition, and the texts that other programs act on by another (both in ``characters``).
"""

from tokensync.system.outlet.characters import in_utf_8, readable, visible
from tokensync.system.outlet.streams import (
    Outlet,
    ask,
    ask_secret,
    can_ask,
    collected,
    confirm,
    discard,
    encodings,
    flush,
    guarded,
    is_stdin_terminal,
    is_stdout_empty,
    is_terminal,
    status,
    stderr,
    wants_colour,
    width,
    wire,
    write,
    write_commands,
    write_document,
    write_json,
)
from tokensync.system.outlet.terminal import Line, line, shown
