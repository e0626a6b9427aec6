"""Record `tokensync demo` as docs/images/demo.svg, whose lines appear one after the other; ``--check`` compares."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "demo.svg"
COMMAND = "tokensync demo"
COLUMNS = 112
"""The longest line that fits into the picture."""
LINE, MARGIN, CHARACTER, SIZE = 20, 20, 7.83, 13
"""The height of a line, the space around the text, the width of a character and the size of the font, in pixels."""
DELAY = 0.35
"""The seconds between two lines."""
STYLE = """\
rect { fill: #0f1720; }
text { fill: #d7e0e8; font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre; }
.command { fill: #7fd1a8; }
.verb { fill: #8cb4ff; }
@media (prefers-reduced-motion: no-preference) {
  text { animation: appear 0s both; }
  @keyframes appear { from { visibility: hidden; } }
}"""


def recorded() -> list[str]:
    """Return what the demo prints in an empty folder, with the command that a user has installed."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tokensync", "demo"]
        done = subprocess.run(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=True
        )
    lines = done.stdout.rstrip("\n").split("\n")
    return [line for line in lines if not line.startswith("Try next")]


def picture(lines: list[str]) -> str:
    """Return the SVG of a terminal that shows the command and these lines."""
    wrapped = [part for line in lines for part in _wrapped(line)]
    width, height = COLUMNS * CHARACTER + 2 * MARGIN, (len(wrapped) + 1) * LINE + 2 * MARGIN
    rows = [f'<text class="command" x="{MARGIN}" y="{MARGIN + SIZE}">$ {COMMAND}</text>']
    for number, text in enumerate(wrapped, 1):
        head, space, rest = text.partition("  ")
        shown = f'<tspan class="verb">{escape(head)}</tspan>{space}{escape(rest)}' if head and space else escape(text)
        at = f'x="{MARGIN}" y="{MARGIN + SIZE + number * LINE}" style="animation-delay: {number * DELAY:.2f}s"'
        rows.append(f"<text {at}>{shown}</text>")
    size = f'viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}"'
    title = f"{COMMAND}: a design file becomes code, and an edit of the token files is written back"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n<title>{title}</title>'
    body = "\n".join(rows)
    return f'{head}\n<style>\n{STYLE}\n</style>\n<rect width="100%" height="100%" rx="8"/>\n{body}\n</svg>\n'


def _wrapped(line: str) -> list[str]:
    if len(line) <= COLUMNS:
        return [line]
    at = line.rindex(" ", 0, COLUMNS)
    return [line[:at], *_wrapped(" " * 10 + line[at + 1 :])]


def main() -> int:
    """Write the picture; with ``--check``, return 1 if it is another one."""
    svg = picture(recorded())
    if "--check" in sys.argv:
        return int(svg != PICTURE.read_text(encoding="utf-8"))
    PICTURE.write_text(svg, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
