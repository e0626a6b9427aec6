"""GET me (Figma REST API: Users)."""

from emulator.contract.rows import NOBODY, Row, get

ROWS = (
    Row(
        ("other endpoints: users can be asked who they are", "authentication: current_user:read identifies the user"),
        get("/v1/me"),
        body_matches=lambda body: {"id", "handle", "img_url", "email"} <= set(body) and "status" not in body,
        live=True,
    ),
    Row(
        ("other endpoints: users can be asked who they are",),
        get("/v1/me", by="{reader}"),
        setup=lambda platform: {"reader": platform.emulator.tokens.create(scopes=("current_user:read",))},
    ),
    Row(
        ("errors: 401 is an authentication problem, and the message describes it",),
        get("/v1/me", by=NOBODY),
        401,
        "Authentication required: send an access token",
        body_matches=lambda body: body["err"] == body["message"],
    ),
)
