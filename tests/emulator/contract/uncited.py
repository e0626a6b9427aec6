"""Sentences that no row cites, each with the reason; test_contract.py holds that the list is exact."""

from typing import Final

UNCITED: Final = {
    "OAuth: the page is opened in a browser, and not in an embedded view": (
        "what a browser is cannot be seen in a request; the page forbids being framed, which test_oauth.py holds"
    ),
    "analytics: data is refreshed daily": (
        "the emulator's rows are there at once; a day's delay would only make tests wait, and no answer reveals it"
    ),
    "projects: team ids cannot be obtained": "the absence of an endpoint, which test_there_are_no_others holds",
    "authentication: the state is random, kept, and compared by the caller": (
        "a duty of the client; tests/extract/client and the test of a login in Chromium hold it"
    ),
    "versions: maskType and targetAspectRatio are the names of today": (
        "members of layers, which the emulator hands out as they were given; it makes none up that is masked or fixed"
    ),
    "versions: older addresses of version pages stopped working": "what these addresses were is not documented",
}
