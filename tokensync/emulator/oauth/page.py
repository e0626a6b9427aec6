"""The page on which a user allows or rejects what an app asks for. It needs no script, and nobody may frame it."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from tokensync.emulator.endpoints.answers import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokensync.emulator.accounts.people import User
    from tokensync.emulator.oauth.authorization import Asked

_HTML: Final = "text/html; charset=utf-8"
_STYLE: Final = (
    ":root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}"
    "body{max-width:34rem;margin:4rem auto;padding:0 1.5rem}"
    "button,select{font:inherit;padding:.5rem 1rem;margin-right:.5rem}"
    "p.about{opacity:.75}"
)
_STYLE_DIGEST: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()


def of(what: Asked, query: Mapping[str, str], users: Sequence[User]) -> Answer:
    """Return the page that asks. There is no login: it is chosen on it who the user is."""
    app = what.app
    hidden = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">' for name, value in query.items()
    )
    options = "".join(f'<option value="{escape(each.id)}">{escape(_described(each))}</option>' for each in users)
    about = f'<p class="about">{escape(app.description)}</p>' if app.description else ""
    scopes = "".join(f"<li><code>{escape(each)}</code></li>" for each in what.scopes)
    origin = _origin(what.redirect_url)
    body = (
        f"<h1>{escape(app.name)} asks for access</h1>{about}"
        f"<p>The app is {escape(app.state)}. Its answer goes to <code>{escape(origin)}</code>. It asks for:</p>"
        f"<ul>{scopes}</ul>"
        f'<form method="post">{hidden}'
        f'<p><label>You are <select name="user">{options}</select></label></p>'
        '<p><button name="decision" value="allow">Allow</button>'
        '<button name="decision" value="reject">Reject</button></p></form>'
    )
    return _page(f"{app.name} asks for access", body, 200, origin)


def rejected(what: Asked) -> Answer:
    """Return the page after a rejection: the app hears nothing of it."""
    return _page("Rejected", f"<h1>Rejected</h1><p>{escape(what.app.name)} gets no access, and is not told.</p>")


def refused(status: int, message: str) -> Answer:
    """Return the page in place of one that cannot be shown."""
    return _page("Not possible", f"<h1>Not possible</h1><p>{escape(message)}</p>", status)


def _page(title: str, body: str, status: int = 200, callback: str = "") -> Answer:
    """Return a whole page. ``callback`` is where the form may lead: browsers hold redirects after it to the policy,
    too.
    """
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    policy = (
        f"default-src 'none'; style-src 'sha256-{_STYLE_DIGEST}'; form-action 'self' {callback}; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    headers = (
        ("Content-Security-Policy", policy),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "same-origin"),  # with no-referrer, the form's own Origin header would be null
    )
    document = f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>'
    return Answer(document.encode(), status, _HTML, headers)


def _described(user: User) -> str:
    more = ", admin" if user.admin else ""
    return f"{user.handle} ({user.account}{more})"


def _origin(url: str) -> str:
    """Scheme and host of a redirect URL, which ``app_settings`` let in; of an app's own scheme just that."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") else f"{parts.scheme}:"
