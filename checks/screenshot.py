"""Takes docs/images/report.png, the picture of the quickstart's report, in headless Chromium."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from tokensync.commands.report import report_snapshot

ROOT = Path(__file__).resolve().parent.parent
QUICKSTART = ROOT / "examples" / "quickstart"
PICTURE = ROOT / "docs" / "images" / "report.png"
WIDTH, HEIGHT = 1280, 860
SHOWN = "search=coral"
"""What the page is opened with: a search that finds primitives, and what refers to them."""


def main() -> int:
    """Take the picture; 1 when there is no Chromium."""
    program = os.environ.get("TOKENSYNC_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        print("chromium: it is not on the path; name the program in TOKENSYNC_CHROMIUM", file=sys.stderr)
        return 1
    from playwright.sync_api import sync_playwright

    PICTURE.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder, "report.html")
        local, published = (str(QUICKSTART / f"design.{each}.json") for each in ("local", "published"))
        report_snapshot(local, published, str(path), title="Harbor")
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light", reduced_motion="reduce"
        )
        page.goto(f"{path.as_uri()}#{SHOWN}")
        page.locator(".row").first.wait_for()
        page.screenshot(path=PICTURE, animations="disabled", caret="hide")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
