"""The REST API: who asks (credentials), whom (base URL), for which file, and how failures are told.

Importing this room is cheap; requests is loaded when a ``Client`` is made.
"""

from tokensync.client.base_url import BaseUrl
from tokensync.client.client import Client
from tokensync.client.credentials import Credential, from_environment, required_from_environment
from tokensync.client.file_reference import FileReference
from tokensync.client.file_reference import parse as parse_file
from tokensync.client.retry import Clock, RetryPolicy, Wait

__all__ = [
    "BaseUrl",
    "Client",
    "Clock",
    "Credential",
    "FileReference",
    "RetryPolicy",
    "Wait",
    "from_environment",
    "parse_file",
    "required_from_environment",
]
