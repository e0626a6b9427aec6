"""Log in with OAuth as a program does with a library, whose name is the argument. Prints the handles of /v1/me as JSON.

It is run with the Python that has the libraries, by a test that leads it to the emulator.
"""

import json
import os
import re
import sys
from urllib.parse import parse_qsl, urlsplit

AUTHORIZE = "https://www.figma.com/oauth"
TOKEN = "https://api.figma.com/v1/oauth/token"
REFRESHES = (TOKEN, "https://api.figma.com/v1/oauth/refresh")
ME = "https://api.figma.com/v1/me"
SCOPES = ["current_user:read", "file_variables:read"]
CALLBACK = "https://app.invalid/callback"
VERIFIER = "v" * 64
CLIENT, SECRET = os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]


def allowed(address):
    """Allow access as a person does in a browser; return the address that the app is called at."""
    import requests

    user = re.search(r'<option value="([^"]+)"', requests.get(address, timeout=30).text)[1]
    form = dict(parse_qsl(urlsplit(address).query)) | {"user": user, "decision": "allow"}
    headers = {"Origin": "https://www.figma.com"}
    answer = requests.post(AUTHORIZE, data=form, headers=headers, timeout=30, allow_redirects=False)
    return answer.headers["Location"]


def authlib(client):
    """Use Authlib with the HTTP client of this class."""
    with client(CLIENT, SECRET, scope=" ".join(SCOPES), redirect_uri=CALLBACK, code_challenge_method="S256") as session:
        address, _ = session.create_authorization_url(AUTHORIZE, code_verifier=VERIFIER)
        assert "code_challenge_method=S256" in address
        session.fetch_token(TOKEN, authorization_response=allowed(address), code_verifier=VERIFIER)
        yield session.get(ME).json()
        for refresh in REFRESHES:
            session.refresh_token(refresh)
            yield session.get(ME).json()


def requests_oauthlib():
    from requests_oauthlib import OAuth2Session

    with OAuth2Session(CLIENT, scope=SCOPES, redirect_uri=CALLBACK, pkce="S256") as session:
        address, _ = session.authorization_url(AUTHORIZE)
        assert "code_challenge_method=S256" in address
        session.fetch_token(TOKEN, authorization_response=allowed(address), client_secret=SECRET)
        yield session.get(ME).json()
        for refresh in REFRESHES:
            session.refresh_token(refresh, auth=(CLIENT, SECRET))
            yield session.get(ME).json()


def chosen(name):
    match name:
        case "Authlib with httpx":
            from authlib.integrations.httpx_client import OAuth2Client

            return authlib(OAuth2Client)
        case "Authlib with requests":
            from authlib.integrations.requests_client import OAuth2Session

            return authlib(OAuth2Session)
        case "requests-oauthlib":
            return requests_oauthlib()
        case _:
            raise ValueError(name)


if __name__ == "__main__":
    print(json.dumps([answer["handle"] for answer in chosen(sys.argv[1])]))
