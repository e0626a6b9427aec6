"""Requests of rows over HTTP to any server."""

from collections.abc import Mapping

import requests
from emulator.contract.rows import Answer, Row, decoded, filled, headers_of


def send_to(base_url: str, row: Row, names: Mapping[str, str]) -> Answer:
    """Return the answer to a reading row."""
    headers = headers_of(row.request, names)
    answer = requests.get(base_url + filled(row.request.path, names), headers=headers, timeout=60)
    return Answer(answer.status_code, answer.headers, decoded(answer.content, answer.headers.get("Content-Type")))
