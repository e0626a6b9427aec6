"""Firefox and WebKitGTK as readers of style sheets, as outside/page.py has Chromium.

Neither needs a driver: a page of ours, served on loopback, asks for scripts, runs them and posts their results. While a
browser runs, its system prefers one colour scheme, so there are two browsers of each engine, which start when needed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from contextlib import ExitStack, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Self

from outside.page import PUT, Page

LONGEST_ANSWER = 300
"""Seconds; what takes ten here takes minutes on a busy machine."""
LONGEST_POLL = 5
FIREFOXES = ("firefox-esr", "firefox")
MINI_BROWSERS = ("webkit2gtk-4.1/MiniBrowser", "webkitgtk-6.0/MiniBrowser")
PREFERENCES = {
    "app.update.enabled": False,
    "browser.aboutwelcome.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.proxy.type": 0,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
}
FIREFOX_SCHEMES = {"dark": 0, "light": 1}
AGENT = """(async () => {
  for (;;) {
    const job = await (await fetch("/job", { cache: "no-store" })).json();
    if (job.page) return location.assign(job.page);
    if (!job.source) continue;
    let answer;
    try {
      const evaluated = (0, eval)(`(${job.source})`);
      answer = { result: await (typeof evaluated === "function" ? evaluated(job.given) : evaluated) };
    } catch (error) {
      answer = { error: String(error) };
    }
    await fetch("/answer", { method: "POST", body: JSON.stringify(answer) });
  }
})();"""


def firefox_command(program: str, folder: Path, scheme: str, address: str) -> list[str]:
    """Start headless Firefox in a profile of its own."""
    preferences = {**PREFERENCES, "layout.css.prefers-color-scheme.content-override": FIREFOX_SCHEMES[scheme]}
    lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items())
    (folder / "user.js").write_text("".join(lines), encoding="utf-8")
    return [program, "--headless", "--no-remote", "--profile", str(folder), address]


def webkit_command(program: str, folder: Path, scheme: str, address: str) -> list[str]:
    """Start WebKitGTK's own small browser on a display in memory."""
    dark = ["--dark-mode"] if scheme == "dark" else []
    return ["xvfb-run", "--auto-servernum", program, "--private", *dark, address]


Command = Callable[[str, Path, str, str], list[str]]


def find_firefox() -> str | None:
    """Return the program, if there is one."""
    return os.environ.get("TOKENSYNC_FIREFOX") or next(filter(None, map(shutil.which, FIREFOXES)), None)


def find_webkit() -> str | None:
    """Return the program, if it is there with what shows it on no screen."""
    installed = (str(path) for name in MINI_BROWSERS for path in Path("/usr/lib").glob(f"*/{name}"))
    return next(installed, None) if shutil.which("xvfb-run") and shutil.which("xauth") else None


class Tab:
    """The only page of a browser that runs for one colour scheme; ``evaluate`` is as Playwright's."""

    def __init__(self, command: Callable[[Path, str], list[str]]) -> None:
        self.jobs: Queue[dict[str, Any]] = Queue()
        self.answers: Queue[dict[str, Any]] = Queue()
        self.html = ""
        self._stack = ExitStack()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.server.daemon_threads = True
        self._stack.callback(self.server.server_close)
        Thread(target=self.server.serve_forever, daemon=True).start()
        self._stack.callback(self.server.shutdown)
        folder = Path(self._stack.enter_context(TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True)))
        home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
        self.process = subprocess.Popen(
            command(folder, f"http://127.0.0.1:{self.server.server_port}/page"),
            env={**os.environ, **home},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def close(self) -> None:
        """End the browser with all its processes."""
        os.killpg(self.process.pid, 15)
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, 9)
            self.process.wait()
        self._stack.close()

    def load(self, html: str) -> None:
        """Go to a new document."""
        self.html = html
        self.jobs.put({"page": "/page"})

    def evaluate(self, source: str, given: object = None) -> Any:
        """The result of a script, or of a function that is given something."""
        self.jobs.put({"source": source, "given": given})
        for _ in range(LONGEST_ANSWER):
            try:
                answer = self.answers.get(timeout=1)
            except Empty:
                assert self.process.poll() is None, "the browser has ended"
                continue
            assert "error" not in answer, answer
            return answer.get("result")
        raise AssertionError("the browser does not answer")


def _handler(tab: Tab) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            match self.path:
                case "/page":
                    self._send(f'<!doctype html><meta charset="utf-8"><script src="/agent.js"></script>{tab.html}')
                case "/agent.js":
                    self._send(AGENT, "text/javascript")
                case "/job":
                    try:
                        job = tab.jobs.get(timeout=LONGEST_POLL)
                    except Empty:
                        job = {}
                    self._send(json.dumps(job), "application/json")
                case _:  # an icon
                    self._send("")

        def do_POST(self) -> None:
            tab.answers.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self._send("")

        def _send(self, text: str, type_: str = "text/html") -> None:
            content = text.encode("utf-8")
            self.send_response(200)
            self.send_header("Content-Type", f"{type_}; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            with suppress(ConnectionError):  # by a browser that ends
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


class Engine:
    """A browser for each colour scheme; a context manager."""

    def __init__(self, program: str, command: Command) -> None:
        self.program = program
        self.command = command
        self._tabs: dict[str, Tab] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for tab in self._tabs.values():
            tab.close()

    def tab(self, scheme: str) -> Tab:
        """The browser of a system that prefers the scheme."""
        if scheme not in self._tabs:
            self._tabs[scheme] = Tab(lambda folder, address: self.command(self.program, folder, scheme, address))
        return self._tabs[scheme]

    def open(self, css: str, html: str = "<body></body>") -> EnginePage:
        """A page that has this style sheet."""
        return EnginePage(self, css, html)


class EnginePage(Page):
    """One document with one style sheet, in the browser of the scheme that was asked for last."""

    def __init__(self, engine: Engine, css: str, html: str) -> None:
        self.engine = engine
        self.css = css
        self.html = html
        self._loaded: set[str] = set()
        self.emulate()

    def __exit__(self, *_: object) -> None:
        pass  # the next page takes its place

    def emulate(self, scheme: str = "light", contrast: str = "no-preference", gamut: str = "srgb") -> None:
        """Go on in the browser of a system with this preference."""
        assert (contrast, gamut) == ("no-preference", "srgb"), "only the colour scheme can be chosen"
        self.page = self.engine.tab(scheme)
        if scheme not in self._loaded:
            self._loaded.add(scheme)
            self.page.load(self.html)
            self.page.evaluate(PUT, self.css)
            assert self.page.evaluate("(query) => matchMedia(query).matches", f"(prefers-color-scheme: {scheme})")
