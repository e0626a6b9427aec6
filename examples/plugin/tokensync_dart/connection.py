"""The scheme ``recorded:FOLDER`` of base_url: answers reads with the responses saved in a folder."""

import json
import os


class Recorded:
    """Answers ``GET /v1/files/KEY/variables/local`` with the file ``KEY.local.json``, and all else with 404."""

    def __init__(self, folder):
        self._folder = folder

    def __call__(self, environ, start_response):
        """Answer a request (PEP 3333)."""
        steps = environ["PATH_INFO"].strip("/").split("/")
        if environ["REQUEST_METHOD"] == "GET" and steps[1:2] + steps[3:4] == ["files", "variables"]:
            path = os.path.join(self._folder, f"{os.path.basename(steps[2])}.{os.path.basename(steps[4])}.json")
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    body = file.read()
                start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
                return [body]
        body = json.dumps({"status": 404, "err": "Not found"}).encode()
        start_response("404 Not Found", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
        return [body]

    def token_for(self, plan_scope):
        """Return a token, which nothing checks here."""
        return "no-token-is-checked"

    def close(self):
        """There is nothing to close."""


def connection(address, state):
    """Return the platform for ``base_url = "recorded:FOLDER"``."""
    return Recorded(address)
