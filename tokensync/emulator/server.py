"""The HTTP server of the emulator: strict request framing, optional TLS, loopback addresses only."""

from __future__ import annotations

import logging
import os
import re
import socket
import ssl
import tempfile
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import IO, TYPE_CHECKING, Any, Final, Self

from cheroot.makefile import MakeFile
from cheroot.server import HeaderReader, HTTPConnection, HTTPRequest
from cheroot.wsgi import Server as WsgiServer

from tokensync.emulator.apps import HTTPS_ONLY, is_loopback
from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from wsgiref.types import WSGIApplication


HEAD_BYTES: Final = 256 * 1024
"""The largest request head that is accepted."""

_BAD_FRAMING: Final = "Request body is not framed as HTTP wants it"
_CONTENT_LENGTH: Final = b"Content-Length"
_LENGTH: Final = re.compile(rb"[0-9]{1,18}")
_CHUNK_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r\n")
_LINE_BYTES: Final = 4096
_MAX_TRAILERS: Final = 100


class _Headers(HeaderReader):
    """Refuses a malformed Content-Length (int() also accepts signs and underscores) and stray continuation lines."""

    def __call__(self, rfile: Any, hdict: dict[bytes, bytes] | None = None) -> Any:
        try:
            headers = super().__call__(rfile, hdict)
        except UnboundLocalError:  # raised by cheroot when the first line is a continuation
            raise ValueError("Illegal header line.") from None
        if not _LENGTH.fullmatch(headers.get(_CONTENT_LENGTH, b"0")):
            raise ValueError(_BAD_FRAMING)
        return headers


class FramedRequest(HTTPRequest):
    """A request whose chunked body is read by ``Chunks``."""

    header_reader = _Headers()

    def respond(self) -> None:
        """Answer the request with the application."""
        if not self.chunked_read:
            super().respond()
            return
        body = self.rfile = Chunks(self.conn.rfile, self._close_afterwards)
        self.server.gateway(self).respond()
        if not body.finished:
            self._close_afterwards()
        if self.ready:
            self.ensure_headers_sent()
        if self.chunked_write:
            self.conn.wfile.write(b"0\r\n\r\n")

    def _close_afterwards(self) -> None:
        """Close the connection after the answer: bytes after an unfinished body are not a request."""
        self.close_connection = True


class Chunks:
    """A reader for a chunked request body.

    Malformed chunks call ``on_error`` and raise ValueError. Chunks are not buffered, so a large size costs no memory.
    """

    def __init__(self, stream: IO[bytes], on_error: Callable[[], None]) -> None:
        self._stream = stream
        self._on_error = on_error
        self._remaining = 0
        self.finished = False
        """Whether the body was read to its end."""

    def read(self, size: int) -> bytes:
        """Return at most ``size`` bytes, or b"" after the last chunk."""
        if self._remaining == 0 and not self.finished:
            self._next_chunk()
        if self.finished:
            return b""
        content = self._stream.read(min(size, self._remaining))
        self._remaining -= len(content)
        if not content or (self._remaining == 0 and self._stream.read(2) != b"\r\n"):
            raise self._fail()
        return content

    def _next_chunk(self) -> None:
        """Read the size line of the next chunk, and the trailers after the last one."""
        match = _CHUNK_SIZE.fullmatch(self._stream.readline(_LINE_BYTES))
        if match is None:
            raise self._fail()
        self._remaining = int(match[1], 16)
        if self._remaining == 0:
            for _ in range(_MAX_TRAILERS):
                if self._stream.readline(_LINE_BYTES) in (b"\r\n", b""):
                    self.finished = True
                    return
            raise self._fail()

    def _fail(self) -> ValueError:
        self._on_error()
        return ValueError(_BAD_FRAMING)


_THREADS: Final = 16
_IDLE_SECONDS: Final = 60
_POLL_SECONDS: Final = 0.05
_PREPARE_SECONDS: Final = 10.0
_TLS_HANDSHAKE: Final = b"\x16"
"""The first byte of a TLS connection."""

_logger = logging.getLogger(__name__)


class Server:
    """An HTTP server on a loopback address. Use ``serve_forever``, or the server as a context manager.

    The address is bound at once; port 0 selects a free port. ``tls`` serves HTTPS with a self-signed certificate.
    Raise UsageError if the address is in use or not a loopback address.
    """

    def __init__(
        self, application: WSGIApplication, host: str = "127.0.0.1", port: int = 0, *, tls: bool = False
    ) -> None:
        if not is_loopback(host):
            raise UsageError(f"{host}: the emulator is served on this machine only; use 127.0.0.1")
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            bound = socket.create_server((host, port), family=family, backlog=128)
        except (OSError, OverflowError) as error:
            raise UsageError(f"{host}:{port}: cannot listen ({error}); use another port, or 0 for any") from None
        self._tls = None
        if tls:
            self._tls = SelfSigned()
        self._server = _Cheroot(application, bound, self._tls.context if self._tls else None)
        name = f"[{host}]" if ":" in host else host
        self.base_url = f"{'https' if tls else 'http'}://{name}:{bound.getsockname()[1]}"
        """The base URL of the API, without a trailing slash."""
        self.certificate = self._tls.path if self._tls else None
        """The PEM file that clients must trust, or None without TLS."""
        self._thread = threading.Thread(target=self._serve, name="emulator", daemon=True)
        self._started = False
        self._prepared = threading.Event()

    def serve_forever(self) -> None:
        """Answer requests until ``close`` is called from another thread, or Ctrl-C."""
        with self:
            while self._thread.is_alive():
                self._thread.join(_POLL_SECONDS)  # on Windows, Ctrl-C does not interrupt a join without a timeout

    def close(self) -> None:
        """Stop serving after the running requests, and release the address."""
        if self._started:
            self._prepared.wait(_PREPARE_SECONDS)  # cheroot cannot stop while it is starting
        self._server.stop()
        self._server.bound.close()
        if self._tls is not None:
            self._tls.close()

    def __enter__(self) -> Self:
        self._started = True
        try:
            self._thread.start()
            self._prepared.wait()
        except BaseException:  # Ctrl-C
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _serve(self) -> None:
        """Start the workers and serve.

        In a thread of its own, because Ctrl-C while the workers start would leave some running forever.
        """
        try:
            self._server.prepare()
        finally:
            self._prepared.set()
        self._server.serve()


class _Cheroot(WsgiServer):
    """Listens on a bound socket, and logs broken connections instead of printing them to stderr."""

    def __init__(self, application: WSGIApplication, bound: socket.socket, tls: ssl.SSLContext | None) -> None:
        super().__init__(
            bound.getsockname()[:2],
            application,
            numthreads=_THREADS,
            server_name="tokensync",
            request_queue_size=128,
            timeout=_IDLE_SECONDS,
        )
        self.bound = bound
        self.tls = tls
        self.ConnectionClass = _Connection
        self.max_request_header_size = HEAD_BYTES
        self.keep_alive_conn_limit = None  # type: ignore[assignment]  # None means unlimited
        self.expiration_interval = _POLL_SECONDS

    def bind(self, family: Any, type: Any, proto: int = 0) -> socket.socket:  # noqa: A002 - its name in the base class
        """Return the socket that is already bound."""
        self.socket = self.bound
        return self.bound

    def error_log(self, msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
        """Log an error of a connection."""
        _logger.log(level, "%s", msg, exc_info=traceback)


class _Connection(HTTPConnection):
    """Does the TLS handshake in its worker thread, so that a stalled client does not block others."""

    RequestHandlerClass = FramedRequest

    def __init__(self, server: _Cheroot, sock: socket.socket, makefile: Any = MakeFile) -> None:
        super().__init__(server, sock, makefile)
        self._handshake_done = server.tls is None

    def communicate(self) -> Any:
        """Answer one request, and return whether the connection stays open."""
        if not self._handshake_done:
            try:
                self._handshake_done = self._handshake()
            except OSError as error:
                _logger.debug("no TLS with %s: %s", self.remote_addr, error)
            if not self._handshake_done:
                return False
        return super().communicate()  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """Close the connection; ignore errors of one that is already broken."""
        with suppress(OSError):
            super().close()

    def _handshake(self) -> bool:
        """Do the handshake, and return whether the client sent anything.

        Plain HTTP is let through; the application refuses it.
        """
        first = self.socket.recv(1, socket.MSG_PEEK)
        if first != _TLS_HANDSHAKE:
            self.ssl_env = {HTTPS_ONLY: True}
            return bool(first)
        self.socket = self.server.tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.socket.do_handshake()
        self.rfile = MakeFile(self.socket, "rb", self.rbufsize)
        self.wfile = MakeFile(self.socket, "wb", self.wbufsize)
        self.ssl_env = {"wsgi.url_scheme": "https", "HTTPS": "on"}
        return True


_NAMES: Final = ("localhost",)
_ADDRESSES: Final = ("127.0.0.1", "::1")
_DAYS: Final = 365


class SelfSigned:
    """A certificate and its key. ``path`` is the PEM file for clients; ``close`` removes it.

    The key is on disk, readable by this user only, just while ``context`` is created.
    """

    def __init__(self) -> None:
        certificate, key = _create(datetime.now(UTC))
        self._folder = tempfile.TemporaryDirectory(prefix="tokensync-")
        self.path = os.path.join(self._folder.name, "certificate.pem")
        _write(self.path, certificate)
        key_path = os.path.join(self._folder.name, "key.pem")
        _write(key_path, key)
        self.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        """The context for the server's connections."""
        self.context.load_cert_chain(self.path, key_path)
        os.remove(key_path)

    def close(self) -> None:
        """Remove the PEM file."""
        self._folder.cleanup()


def _create(now: datetime) -> tuple[bytes, bytes]:
    """Return a certificate and its private key as PEM. It is valid from yesterday, since clocks differ."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tokensync emulator")])
    names: list[x509.GeneralName] = [x509.DNSName(each) for each in _NAMES]
    names += [x509.IPAddress(ip_address(each)) for each in _ADDRESSES]
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    # The certificate is its own authority; strict verifiers (Python 3.13) require these extensions.
    usage = x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=_DAYS))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(identifier, critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return certificate.public_bytes(pem), secret


def _write(path: str, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
