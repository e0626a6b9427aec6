"""An emulator that clients reach by Figma's own names, as their users start it: with an authority that they trust."""

import json
import subprocess
import sys
from contextlib import contextmanager
from typing import Any, NamedTuple

import requests
from checkers import INSTALLED, missing
from emulator.platform import KEY, response

NAMES = ("api.figma.com", "www.figma.com")


class ByName(NamedTuple):
    """A served emulator with a sample library in the file KEY. Its port is a proxy for NAMES, too."""

    base_url: str
    token: str
    certificate: str

    @property
    def port(self) -> str:
        return self.base_url.rpartition(":")[2]

    @property
    def proxy(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def trust(self) -> dict[str, str]:
        """The variables by which clients in C, Python and Node trust the authority."""
        return dict.fromkeys(("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"), self.certificate)

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which clients also use the proxy."""
        return {"HTTPS_PROXY": self.proxy, "https_proxy": self.proxy, "NO_PROXY": "", "no_proxy": "", **self.trust}

    def control(self, method: str, path: str, document: Any = None) -> Any:
        """Send a control below /_emulator/."""
        address = f"{self.base_url}/_emulator/{path}"
        answer = requests.request(method, address, json=document, verify=self.certificate, timeout=30)
        assert answer.ok, answer.text
        return answer.json()

    def requests(self) -> list[str]:
        """Return the requests since the last call, which it forgets."""
        entries = self.control("GET", "requests")["requests"]
        self.control("POST", "reset", {})
        return [f"{entry['method']} {entry['path']} {entry['status']}" for entry in entries]


def client_python():
    """The Python that has clients of OAuth and HTTP."""
    python = INSTALLED / "clients" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    return python if python.is_file() else missing("the clients in Python", "`make verify` installs them")


@contextmanager
def served(folder):
    (folder / "local.json").write_text(json.dumps(response()), encoding="utf-8")
    names = [word for name in NAMES for word in ("--tls-name", name)]
    seed = ("--key", KEY, "--seed", folder / "local.json", "--sample")
    command = [sys.executable, "-m", "tokensync", "emulator", "serve", "--port", "0", "--end-with-stdin", *names, *seed]
    with subprocess.Popen(
        [*map(str, command), "--tls-ca", str(folder / "ca")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            started = json.loads(process.stdout.readline())
            yield ByName(started["base_url"], started["token"], started["certificate"])
        finally:
            process.stdin.close()
