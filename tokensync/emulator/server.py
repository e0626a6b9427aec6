"""The emulator over HTTP: loopback addresses only, and optional TLS with a certificate of its own."""

from __future__ import annotations

import os
import ssl
import tempfile
import time
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, Self

from tokensync.emulator.apps import is_loopback
from tokensync.emulator.endpoints import BODY_BYTES
from tokensync.system import serving
from tokensync.system.disk import when_released
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication


_POLL_SECONDS: Final = 0.05


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
        if tls and find_spec("cryptography") is None:
            what = "--tls: the package cryptography, which signs the certificate, is not installed"
            raise UsageError(f'{what}; install the extra "tls" of tokensync, or serve without --tls')
        try:
            bound = serving.bind(host, port)
        except (OSError, OverflowError) as error:
            raise UsageError(f"{host}:{port}: cannot listen ({error}); use another port, or 0 for any") from None
        self._tls = SelfSigned() if tls else None
        self._server = serving.Server(
            application, bound, serving.Limits(BODY_BYTES), self._tls.context if self._tls else None
        )
        self.base_url = serving.origin("https" if tls else "http", host, bound)
        """The base URL of the API, without a trailing slash."""
        self.certificate = self._tls.path if self._tls else None
        """The PEM file that clients must trust, or None without TLS."""

    def serve_forever(self) -> None:
        """Answer requests until ``close`` is called from another thread, or Ctrl-C."""
        with self:
            while self._server.is_running:
                time.sleep(_POLL_SECONDS)

    def close(self) -> None:
        """Stop serving after the running requests, and release the address."""
        self._server.close()
        if self._tls is not None:
            self._tls.close()

    def __enter__(self) -> Self:
        try:
            self._server.start()
        except BaseException:  # Ctrl-C
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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
        when_released(lambda: os.remove(key_path))

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
