"""The emulator over HTTP: on this machine unless more is asked for, with TLS by a certificate of its own."""

from __future__ import annotations

import gzip
import os
import re
import ssl
import tempfile
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, NamedTuple, Self, cast

from tokensync.emulator.apps import is_loopback
from tokensync.emulator.endpoints import ALLOWED_HOSTS, BODY_BYTES, JSON
from tokensync.system import serving
from tokensync.system.disk import when_released
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey


_POLL_SECONDS: Final = 0.05
_EVERY_ADDRESS: Final = ("0.0.0.0", "::")  # noqa: S104 - compared, not bound


def _open_to(application: WSGIApplication, reach: Reach) -> WSGIApplication:
    """Return the application, which gets the names that other machines may ask for."""
    allowed = frozenset(map(str.lower, (*reach.hosts, *reach.names)))

    def opened(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ[ALLOWED_HOSTS] = allowed
        return application(environ, start_response)

    return opened


def _compressing(application: WSGIApplication) -> WSGIApplication:
    """Return the application, whose JSON is compressed for clients that accept it, as the platform's is."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if not _GZIP.search(environ.get("HTTP_ACCEPT_ENCODING", "")):
            return application(environ, start_response)
        started: list[tuple[str, list[tuple[str, str]]]] = []

        def begin(status: str, headers: list[tuple[str, str]], *_: object) -> Callable[[bytes], object]:
            started.append((status, headers))
            return lambda _: None

        body = b"".join(application(environ, begin))
        status, headers = started[-1]
        if len(body) >= _LEAST_COMPRESSED and ("Content-Type", JSON) in headers:
            body = gzip.compress(body, 1)
            kept = [header for header in headers if header[0].lower() != "content-length"]
            added = [("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"), ("Content-Length", str(len(body)))]
            headers = [*kept, *added]
        start_response(status, headers)
        return [body]

    return answer


_GZIP: Final = re.compile(r"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))")
_LEAST_COMPRESSED: Final = 1000
"""Bytes: a shorter body fits into one packet as it is."""


class Reach(NamedTuple):
    """Who reaches a server. By default, only programs of this machine do, by its own names.

    ``host`` is the address that it listens on. ``allowed`` are further names that requests may ask for, and ``names``
    those of a certificate, for which the server is a proxy, too. ``authority`` is a folder for a certificate authority
    that signs it; without one, the certificate is its own.
    """

    host: str = "127.0.0.1"
    allowed: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    authority: str | None = None

    @property
    def is_open(self) -> bool:
        """Return whether other machines may reach the server."""
        return bool(self.allowed) or not is_loopback(self.host)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Return the names that other machines use for the server: the allowed ones, and its own address."""
        return (*self.allowed, *(() if is_loopback(self.host) or self.host in _EVERY_ADDRESS else (self.host,)))


class Server:
    """An HTTP server, which serves as a context manager.

    The address is bound at once; port 0 selects a free port. ``tls`` serves HTTPS. On 127.0.0.1, it also listens on
    ::1, where that port is free. Raise UsageError if the address is in use.
    """

    def __init__(
        self, application: WSGIApplication, port: int = 0, *, tls: bool = False, reach: Reach | None = None
    ) -> None:
        reach = reach or Reach()
        if tls and find_spec("cryptography") is None:
            what = "--tls: the package cryptography, which signs the certificate, is not installed"
            raise UsageError(f'{what}; install the extra "tls" of tokensync, or serve without --tls')
        host = reach.host
        self._tls = Certificate((*reach.names, *reach.hosts), reach.authority) if tls else None
        try:
            bound = [serving.bind(host, port)]
        except (OSError, OverflowError) as error:
            if self._tls is not None:
                self._tls.close()
            raise UsageError(f"{host}:{port}: cannot listen ({error}); use another port, or 0 for any") from None
        if host == "127.0.0.1":
            with suppress(OSError):  # no IPv6, or another program's port; clients that try ::1 first go on to IPv4
                bound.append(serving.bind("::1", bound[0].getsockname()[1]))
        self._server = serving.Server(
            _compressing(_open_to(application, reach) if reach.is_open else application),
            bound,
            serving.Limits(BODY_BYTES),
            self._tls.context if self._tls else None,
            frozenset(name.lower() for name in reach.names if not is_loopback(name)),
        )
        shown = host if is_loopback(host) else (*reach.hosts, "127.0.0.1")[0]
        self.base_url = serving.origin("https" if tls else "http", shown, bound[0])
        """The base URL of the API, without a trailing slash."""
        self.certificate = self._tls.path if self._tls else None
        """The PEM file that clients must trust, or None without TLS."""

    def wait(self) -> None:
        """Wait until ``close`` is called from another thread, or Ctrl-C."""
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


_OWN_NAMES: Final = ("localhost", "127.0.0.1", "::1")
_DAYS: Final = 365


class Certificate:
    """A certificate and its key. ``path`` is the PEM file that clients have to trust; ``close`` removes it.

    It is signed by an authority of its own, or by that of a folder, where it stays: ``ca.pem`` and ``ca-key.pem``. The
    key is on disk, readable by this user only, just while ``context`` is created.
    """

    def __init__(self, names: Iterable[str] = (), authority: str | None = None) -> None:
        now = datetime.now(UTC)
        ca, ca_key = _created(now) if authority is None else _kept(authority, now)
        self._folder = tempfile.TemporaryDirectory(prefix="tokensync-")
        self.path = os.path.join(authority or self._folder.name, "ca.pem")
        if authority is None:
            _write(self.path, _pem(ca))
        chain = os.path.join(self._folder.name, "chain.pem")
        key = _new_key()
        signed = _certificate(now, dict.fromkeys((*_OWN_NAMES, *names)), ca.subject, key.public_key(), ca_key)
        _write(chain, _pem(signed) + _secret(key))
        self.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        """The context for the server's connections."""
        self.context.load_cert_chain(chain)
        when_released(lambda: os.remove(chain))

    def close(self) -> None:
        """Remove the PEM file, unless it is kept."""
        self._folder.cleanup()


def _kept(folder: str, now: datetime) -> tuple[x509.Certificate, EllipticCurvePrivateKey]:
    """Return the authority in a folder and its key; create it if there is none."""
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    path, key_path = os.path.join(folder, "ca.pem"), os.path.join(folder, "ca-key.pem")
    try:
        if not os.path.lexists(key_path):
            os.makedirs(folder, mode=0o700, exist_ok=True)
            created, new_key = _created(now)
            _write(key_path, _secret(new_key))
            _write(path, _pem(created))
        with open(path, "rb") as file, open(key_path, "rb") as key_file:
            key = load_pem_private_key(key_file.read(), None)
            authority = x509.load_pem_x509_certificate(file.read())
    except (OSError, ValueError, TypeError) as error:  # TypeError: the key is encrypted
        what = f"{folder}: no certificate authority can be read there ({error})"
        raise UsageError(f"{what}; name an empty or a new folder") from None
    if authority.public_key() != key.public_key():
        raise UsageError(f"{key_path}: it is not the key of {path}; name an empty or a new folder")
    if authority.not_valid_after_utc <= now:
        raise UsageError(f"{path}: it has expired; remove the folder {folder}, and trust the new certificate")
    return authority, cast("EllipticCurvePrivateKey", key)


_AUTHORITY: Final = "tokensync emulator"


def _certificate(
    now: datetime,
    names: Iterable[str],
    issuer: x509.Name | None,
    public_key: EllipticCurvePublicKey,
    ca_key: EllipticCurvePrivateKey,
) -> x509.Certificate:
    """Return a signed certificate for a server with some names, or without names for an authority.

    It is valid from yesterday, since clocks differ. Strict verifiers (Python 3.13) require the extensions.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    alternatives = [_alternative_name(name) for name in names]
    subject = _AUTHORITY if not alternatives else "tokensync emulator's server"
    named = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)])
    of_issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key())
    builder = (
        x509.CertificateBuilder()
        .subject_name(named)
        .issuer_name(issuer or named)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=_DAYS))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
        .add_extension(of_issuer, critical=False)
        .add_extension(_usage(signs=not alternatives), critical=True)
        .add_extension(x509.BasicConstraints(not alternatives, None if alternatives else 0), critical=True)
    )
    if alternatives:
        builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    return builder.sign(ca_key, hashes.SHA256() if hasattr(ca_key, "key_size") else None)  # Ed25519 has its own


def _created(now: datetime) -> tuple[x509.Certificate, EllipticCurvePrivateKey]:
    """Return a new authority and its private key."""
    key = _new_key()
    return _certificate(now, (), None, key.public_key(), key), key


def _new_key() -> EllipticCurvePrivateKey:
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())


def _alternative_name(name: str) -> x509.GeneralName:
    """Return a name for a certificate. Clients ignore an address among its DNS names (RFC 6125, 6.2.1)."""
    from cryptography import x509

    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        pass
    if len(name) <= _LONGEST_NAME and _NAME.fullmatch(name):
        return x509.DNSName(name)
    raise UsageError(f"{name!r}: not a name for a certificate; write it in ASCII, as clients ask for it")


_NAME: Final = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*", re.ASCII | re.IGNORECASE)
_LONGEST_NAME: Final = 253
"""Characters of a name (RFC 1035, 2.3.4)."""


def _usage(*, signs: bool) -> x509.KeyUsage:
    from cryptography import x509

    others = ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "encipher_only")
    without = dict.fromkeys((*others, "decipher_only"), False)
    return x509.KeyUsage(digital_signature=True, key_cert_sign=signs, crl_sign=signs, **without)


def _pem(certificate: x509.Certificate) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM)


def _secret(key: EllipticCurvePrivateKey) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _write(path: str, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
