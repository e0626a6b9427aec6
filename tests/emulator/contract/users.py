"""GET me (Figma REST API: Users)."""

from emulator.contract.rows import NOBODY, Row, get


def of_a_plan(platform):
    """Create a plan access token that may read the usage of AI."""
    return {"plan": platform.emulator.tokens.create(kind="plan", scopes=("org:ai_metering_usage_read",), admin=True)}


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
        ("other endpoints: payments and AI usage can be asked for",),
        get("/v1/payments?user_id=1&plugin_id=2"),
        body_matches=lambda body: body["meta"]["payment_status"] == {"type": "UNPAID"},
    ),
    Row(
        ("other endpoints: payments and AI usage can be asked for",),
        get("/v1/payments?user_id=1"),
        400,
        "Exactly one of plugin_id, widget_id, community_file_id is required",
    ),
    Row(
        ("other endpoints: payments and AI usage can be asked for",),
        get("/v1/ai_usage/daily?start_date=2027-01-01&end_date=2027-01-02", by="{plan}"),
        body_matches=lambda body: body == {"rows": [], "next_cursor": "", "has_next_page": False},
        setup=of_a_plan,
    ),
    *(
        Row(
            ("other endpoints: payments and AI usage can be asked for",),
            get(f"/v1/ai_usage/daily?{query}", by="{plan}"),
            400,
            message,
            setup=of_a_plan,
        )
        for query, message in (
            ("start_date=2027-01-01", "end_date must be a date such as 2026-01-31"),
            ("start_date=2025-11-30&end_date=2027-01-01", "start_date must not be before 2025-12-01, or more .*"),
            ("start_date=2027-01-02&end_date=2027-01-01", "end_date must not be before start_date, or after today"),
            ("start_date=2027-01-01&end_date=2027-01-01&user_email=x", "user_email is that of no user"),
        )
    ),
    Row(
        ("errors: 401 is an authentication problem, and the message describes it",),
        get("/v1/me", by=NOBODY),
        401,
        "Authentication required: send an access token",
        body_matches=lambda body: body["err"] == body["message"],
    ),
)
