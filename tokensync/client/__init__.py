"""Client of the REST API: credentials, base URLs, file references, endpoints, retries and errors.

Importing this package is cheap: requests is loaded when a ``Client`` is created.
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
