"""Takes the pictures of docs/images in headless Chromium: the quickstart's report, and examples/web in every theme."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from base64 import b64encode
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from tokensync.commands.report import report_snapshot

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent
QUICKSTART = ROOT / "examples" / "quickstart"
WEB = ROOT / "examples" / "web"
IMAGES = ROOT / "docs" / "images"
MODULES = ROOT / ".checkers" / "node_modules"
WIDTH, HEIGHT = 1280, 860
SHOWN = "search=coral"
"""What the report is opened with: a search that finds primitives, and what refers to them."""
PAGES = {"plain": (700, 360), "tailwind": (700, 360), "react": (700, 360)}
"""The pages of examples/web, with the width and height of a picture of one theme."""
THEMES = tuple({"season": season, "theme": theme} for season, theme in product(("winter", "summer"), ("light", "dark")))


def build_pages(folder: Path) -> None:
    """Build a copy of examples/web in a folder that does not exist yet, as its README says."""
    ignored = shutil.ignore_patterns("build", "generated", "node_modules")
    shutil.copytree(WEB, folder, ignore=ignored)
    (folder / "node_modules").symlink_to(MODULES, target_is_directory=True)
    for command in ([sys.executable, "-m", "tokensync", "build"], ["node", "build.mjs"]):
        done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)
        if done.returncode:
            raise RuntimeError(f"{command}: {done.stdout}{done.stderr}")


def photograph(browser: Browser, page: Path, size: tuple[int, int]) -> bytes:
    """Return a picture of a page of examples/web in all themes: a row for each season, light before dark."""
    width, height = size
    opened = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    opened.goto(page.as_uri())
    opened.locator("h1").wait_for()
    pictures = []
    for theme in THEMES:
        for axis, mode in theme.items():
            opened.locator(f"select[data-axis={axis}]").select_option(mode)
        pictures.append(b64encode(opened.screenshot(animations="disabled", caret="hide")).decode())
    opened.set_viewport_size({"width": 2 * width, "height": 2 * height})
    images = "".join(f'<img src="data:image/png;base64,{picture}">' for picture in pictures)
    opened.set_content(f"<style>body {{ margin: 0 }} img {{ float: left; width: {width}px }}</style>{images}")
    picture = opened.screenshot()
    opened.close()
    return picture


def photograph_report(browser: Browser, folder: Path) -> bytes:
    """Return a picture of the quickstart's report."""
    path = folder / "report.html"
    local, published = (str(QUICKSTART / f"design.{name}.json") for name in ("local", "published"))
    report_snapshot(local, published, str(path), title="Harbor")
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light", reduced_motion="reduce")
    page.goto(f"{path.as_uri()}#{SHOWN}")
    page.locator(".row").first.wait_for()
    return page.screenshot(animations="disabled", caret="hide")


def main() -> int:
    """Take the pictures; 1 when there is no Chromium."""
    program = os.environ.get("TOKENSYNC_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        print("chromium: it is not on the path; name the program in TOKENSYNC_CHROMIUM", file=sys.stderr)
        return 1
    from playwright.sync_api import sync_playwright

    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        (IMAGES / "report.png").write_bytes(photograph_report(browser, folder))
        build_pages(folder / "web")
        for page, size in PAGES.items():
            picture = photograph(browser, folder / "web" / page / "index.html", size)
            (IMAGES / f"web-{page}.png").write_bytes(picture)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
