"""Which hosts are this machine: plain HTTP is for these alone."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final

HTTPS_ONLY: Final = "tokensync.https_only"
"""The key of a WSGI environ whose plain HTTP request came to a server of HTTPS: it is refused, from wherever it is."""


def is_loopback(host: str) -> bool:
    """Return whether a host's name or address (an IPv6 one with or without brackets) is this machine's own."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
